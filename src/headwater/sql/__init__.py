"""Read-only SQL over the cached tables, in a child process."""
