"""What the SQL room asks of a catalog: names in, Parquet files and columns out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from headwater.model import LINE, ROW

HIDDEN = (ROW, LINE)
"""Columns of every cached table that `select *` leaves out."""


@dataclass(frozen=True, slots=True)
class TableRef:
    """One cached table.

    Attributes:
        id: stable reference, `path` or `path#name`.
        name: short name for messages.
        paths: Parquet files that hold it, all of the same schema: `_row`, `_line`, then the columns.
        columns: (name, type) in order, without `_row` and `_line`; types as in `headwater.model.COLUMN_TYPES`.
        row_count: number of records.
        rows: the files hold rows of other tables too, and further columns; these rows (by `_row`) are the table's.
    """

    id: str
    name: str
    paths: tuple[Path, ...]
    columns: tuple[tuple[str, str], ...]
    row_count: int
    rows: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class SeriesMember:
    """One table of a series.

    Attributes:
        table: the table.
        columns: name in the series -> name in this table; a column of the series that is not listed is null here.
        source: values of the source columns for this member, for instance {"_document": "a/2020.csv", "year": "2020"}.
    """

    table: TableRef
    columns: dict[str, str]
    source: dict[str, str | int | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SeriesRef:
    """The same table by year, state, edition …, queried as one.

    Attributes:
        id: "series:ID".
        name: short name for messages.
        columns: (name, type) of the aligned columns in order, without the source columns.
        source_columns: (name, type) of the columns that tell the members apart; they stand last.
        members: the tables.
    """

    id: str
    name: str
    columns: tuple[tuple[str, str], ...]
    source_columns: tuple[tuple[str, str], ...]
    members: tuple[SeriesMember, ...]

    @property
    def row_count(self) -> int:
        """Number of records of all members."""
        return sum(member.table.row_count for member in self.members)


class TableCatalog(Protocol):
    """Resolves the names in a statement."""

    def resolve(self, reference: str) -> TableRef | SeriesRef:
        """Return the table or series of that name: `path`, `path#name`, `series:ID`, or a short unique name.

        Raises:
            NotFoundError: nothing has that name; `nearest` holds existing names.
            AmbiguousError: several things have it; `nearest` holds them.
        """
        ...

    def names(self) -> Sequence[str]:
        """Return the references of all tables and series."""
        ...


def column_names(ref: TableRef | SeriesRef) -> list[str]:
    """Return the columns that `select *` shows."""
    source = [name for name, _ in ref.source_columns] if isinstance(ref, SeriesRef) else []
    return [name for name, _ in ref.columns] + source


def data_paths(ref: TableRef | SeriesRef) -> list[Path]:
    """Return all Parquet files of a table or series."""
    tables = [ref] if isinstance(ref, TableRef) else [member.table for member in ref.members]
    return [path for table in tables for path in table.paths]


def quote_name(name: str) -> str:
    """Return `name` as a quoted SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def quote_text(text: str) -> str:
    """Return `text` as an SQL string."""
    return "'" + text.replace("'", "''") + "'"


def view_sql(ref: TableRef | SeriesRef, *, hidden: bool) -> str:
    """Return the query that yields a table or series, with `_row` and `_line` last where `hidden`."""
    if isinstance(ref, TableRef):
        star = f"* exclude ({', '.join(HIDDEN)})"
        extra = "".join(f", {name}" for name in HIDDEN) if hidden else ""
        return f"select {star}{extra} from {_scan(ref)}"
    types = dict(ref.source_columns)
    selects = [_member_sql(member, ref, types, hidden) for member in ref.members]
    return " union all by name ".join(selects)


def _scan(ref: TableRef) -> str:
    files = f"read_parquet([{', '.join(quote_text(str(path)) for path in ref.paths)}])"
    if ref.rows is None:
        return files
    names = ", ".join(
        [f"row_number() over (order by {ROW}) as {ROW}", LINE, *(quote_name(n) for n, _ in ref.columns)]
    )
    return f"(select {names} from {files} where {ROW} in ({', '.join(map(str, ref.rows))}))"


def _member_sql(member: SeriesMember, series: SeriesRef, types: dict[str, str], hidden: bool) -> str:
    # A column that no member before has would be put last by "union by name"; naming all of them in
    # every member keeps the order, and a bare null takes the type of the others.
    items = [
        f"{quote_name(member.columns[name])} as {quote_name(name)}"
        if name in member.columns
        else f"null as {quote_name(name)}"
        for name, _ in series.columns
    ]
    items += [
        f"{_literal(member.source.get(name), kind)} as {quote_name(name)}" for name, kind in types.items()
    ]
    if hidden:
        items += list(HIDDEN)
    return f"select {', '.join(items)} from {_scan(member.table)}"


def _literal(value: str | int | None, kind: str) -> str:
    if value is None:
        return "null"
    if isinstance(value, int):
        return str(value)
    return f"cast({quote_text(value)} as bigint)" if kind == "integer" else quote_text(value)
