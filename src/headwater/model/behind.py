"""Where a cell of a query's result comes from: rows of tables of the lake."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """A row of a table that a cell rests on.

    Attributes:
        reference: of the table; of a row that is a document, the document.
        row: its `_row`; 0 where the row is the document.
        columns: columns of that table in the cell's expression.
    """

    reference: str
    row: int
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Behind:
    """Rows of one table or series that a cell rests on.

    Attributes:
        reference: of the table or series.
        places: the first rows.
        total: how many rows there are, or None.
        exact: each of these rows holds the cell's value itself.
    """

    reference: str
    places: tuple[Place, ...]
    total: int | None
    exact: bool
