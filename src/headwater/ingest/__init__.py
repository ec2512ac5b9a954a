"""Taking a lake in: workers, resumption, one transaction a file batch."""
