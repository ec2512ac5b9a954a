"""From a grid of cells to a table: header, notes, totals, and a type for each column."""
