"""What is known of a lake: one SQLite file and a columnar cache."""
