"""Which files form a dataset, and what its publisher says of it."""
