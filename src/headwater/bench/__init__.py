"""Loading, running, scoring and reporting benchmark suites."""
