"""What runs the statements of readings: a table in this process, or the lake's confined SQL process."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from headwater.errors import HeadwaterError, NotFoundError

if TYPE_CHECKING:
    import pyarrow as pa

    from headwater.lake import Lake
    from headwater.model import Table

MOST_ROWS, MOST_CELLS = 200_000, 3_000_000
"""Rows and cells of a lake's table that are taken into this process."""


class Engine(Protocol):
    """Runs statements in which a table is `t('reference')`."""

    everything: str
    """All columns of a table but `_row` and `_line`, in a select list."""

    def run(self, sql: str) -> list[list[Any]]:
        """Return the rows of a statement.

        Raises:
            HeadwaterError: the statement cannot be run.
        """
        ...

    def documents(self, reference: str) -> set[str]:
        """Return the documents that a table or series is read from; none if there is no such table."""
        ...


class MemoryEngine:
    """DuckDB in this process over one table, with the columns `_row` and `_line`; it can reach no file and no network."""

    everything = "* exclude (_row, _line)"

    def __init__(self, name: str, data: pa.Table) -> None:
        import duckdb

        self.name = name
        self._connection = duckdb.connect(
            config={"threads": 1, "autoinstall_known_extensions": False, "autoload_known_extensions": False}
        )
        self._connection.execute("create table data as select * from data")
        self._connection.execute("create macro t(name) as table select * from data where name is not null")
        self._connection.execute("set enable_external_access = false")

    def run(self, sql: str) -> list[list[Any]]:
        """Return the rows of a statement, dates as ISO texts."""
        import duckdb

        try:
            return [[_plain(v) for v in row] for row in self._connection.execute(sql).fetchall()]
        except duckdb.Error as error:
            raise HeadwaterError(f"The statement failed: {error}.", where=self.name) from error

    def documents(self, reference: str) -> set[str]:
        """Return the file it is over, whatever part of it is named: the engine holds no other."""
        return {self.name} if reference.partition("#")[0] == self.name.partition("#")[0] else set()

    def close(self) -> None:
        """Free the table."""
        self._connection.close()


def _plain(value: Any) -> Any:
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    return f"{value:f}" if isinstance(value, Decimal) else value


class LakeEngine:
    """The lake's confined SQL process."""

    everything = "*"

    def __init__(self, lake: Lake) -> None:
        self._lake = lake

    def run(self, sql: str) -> list[list[Any]]:
        """Return the rows of a statement, at most `MOST_ROWS`."""
        return self._lake.sql(sql, max_rows=MOST_ROWS).rows

    def documents(self, reference: str) -> set[str]:
        """Return the documents that a table or series is read from; none if there is no such table."""
        catalog = self._lake.catalog
        if reference.startswith("series:"):
            told = catalog.relations.series(reference.removeprefix("series:"))
            return {m["document"] for m in told["members"]} if told else set()
        table = catalog.table(reference)
        return {table.document} if table else set()


def engine_of_lake(lake: Lake, reference: str, columns: list[str], rows: int) -> Engine:
    """Return what runs statements over a table or series of a lake: a copy of it in this process, if it is not large.

    Args:
        lake: an opened lake.
        reference: of the table.
        columns: those that questions may need, with `_row` and `_line`.
        rows: number of rows.
    """
    if rows > MOST_ROWS or rows * len(columns) > MOST_CELLS:
        return LakeEngine(lake)
    listed = ", ".join('"' + name.replace('"', '""') + '"' for name in columns)
    name = reference.replace("'", "''")
    result = lake.sql(f"select {listed} from t('{name}') order by _row", max_rows=MOST_ROWS)
    return MemoryEngine(reference, result.to_arrow())


def first_table(path: Path) -> Table:
    """Return the first table of a file outside any lake.

    Raises:
        ReadError: the file cannot be read.
        NotFoundError: it holds no table.
    """
    from headwater.readers import read

    result = read(path, path.name)
    if not result.tables:
        raise NotFoundError("The file holds no table.", where=str(path))
    return result.tables[0]


def engine_of_table(table: Table, name: str) -> MemoryEngine:
    """Return an engine over a table as read, its cells as printed."""
    import pyarrow as pa

    return MemoryEngine(name, pa.Table.from_batches(list(table.data.raw())))
