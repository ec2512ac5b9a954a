"""How documents hang together: duplicates, series, joins, mentions."""
