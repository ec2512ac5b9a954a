"""What a column and a table hold: feature types, statistics, cards."""
