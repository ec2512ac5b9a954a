"""A table as questions see it: columns with kinds, an index of values, and something that runs SQL over it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from headwater.answers._cells import Kind, is_missing, kind_of, number_sql, year_sql
from headwater.answers._words import header_words, lexicon, numeral, root, stem, words
from headwater.errors import HeadwaterError, NotFoundError

if TYPE_CHECKING:
    from headwater.lake import Lake
    from headwater.model import Table

MAX_DISTINCT = 20_000
"""Distinct values of a column that are indexed; a column with more is linked by number and year only."""

MAX_REGIONS = 0.3
"""Share of names above which regions are what a table is about."""

_TOTAL = {("total",), ("totals",), ("subtotal",)}

KEEP = 0.5
"""Share of distinct values in a column that can name the rows."""


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


class MemoryEngine:
    """DuckDB in this process over one table held as text; it can reach no file and no network."""

    everything = "* exclude (_row, _line)"

    def __init__(self, name: str, table: Table) -> None:
        import duckdb
        import pyarrow as pa

        self.name = name
        self._connection = duckdb.connect(
            config={"threads": 1, "autoinstall_known_extensions": False, "autoload_known_extensions": False}
        )
        data = pa.Table.from_batches(list(table.data.raw()))  # noqa: F841 - DuckDB finds it by its name
        self._connection.execute("create table data as select * from data")
        self._connection.execute("create macro t(name) as table select * from data where name is not null")
        self._connection.execute("set enable_external_access = false")

    def run(self, sql: str) -> list[list[Any]]:
        """Return the rows of a statement."""
        import duckdb

        try:
            return [list(row) for row in self._connection.execute(sql).fetchall()]
        except duckdb.Error as error:
            raise HeadwaterError(f"The statement failed: {error}.", where=self.name) from error

    def close(self) -> None:
        """Free the table."""
        self._connection.close()


class LakeEngine:
    """The lake's confined SQL process."""

    everything = "*"

    def __init__(self, lake: Lake) -> None:
        self._lake = lake

    def run(self, sql: str) -> list[list[Any]]:
        """Return the rows of a statement."""
        return self._lake.sql(sql, max_rows=MAX_DISTINCT + 1).rows


@dataclass(frozen=True, slots=True)
class Value:
    """Cells of a column that a phrase may mean: their texts as stored, and how they were matched."""

    texts: tuple[str, ...]
    exact: bool
    share: float


@dataclass
class Column:
    """A column.

    Attributes:
        name: as in SQL.
        position: from 0.
        type: as the reader found it ("text" where cells are kept as printed).
        kind: what its values can be read as.
        formats: date patterns of a text column of dates.
        distinct: its distinct texts.
        filled: share of cells that hold something.
        unique: distinct values over rows.
        words: words of the name and of its description.
    """

    name: str
    position: int
    type: str
    kind: Kind
    formats: list[str]
    distinct: list[str]
    filled: float
    unique: float
    words: tuple[str, ...]
    described: tuple[str, ...] = ()
    header: str = ""
    _exact: dict[tuple[str, ...], list[str]] = field(default_factory=dict)
    _tokens: dict[str, set[int]] = field(default_factory=dict)
    _stems: list[tuple[str, ...]] = field(default_factory=list)

    @property
    def quoted(self) -> str:
        """The name, quoted for SQL."""
        return '"' + self.name.replace('"', '""') + '"'

    @property
    def text(self) -> str:
        """SQL for the value as text."""
        return self.quoted if self.type == "text" else f"cast({self.quoted} as varchar)"

    @property
    def ordered(self) -> str:
        """SQL for the value as number, duration or date."""
        return self.quoted if self.type != "text" else number_sql(self.quoted, self.kind, self.formats)

    @property
    def year(self) -> str:
        """SQL for the year of the value."""
        if self.type in ("date", "datetime"):
            return f"year({self.quoted})"
        return self.quoted if self.type in ("integer", "number") else year_sql(self.quoted)

    @property
    def core(self) -> tuple[str, ...]:
        """Words of the name without what it has in brackets."""
        outside = header_words(re.sub(r"\([^)]*\)|\[[^\]]*\]", " ", self.header))
        return outside or self.words

    @property
    def stems(self) -> tuple[str, ...]:
        """Stems of the name's words."""
        return tuple(map(stem, self.words))

    def build(self) -> None:
        """Index the distinct values."""
        if len(self.distinct) > MAX_DISTINCT:
            return
        for number, text in enumerate(self.distinct):
            cut = words(text)
            self._exact.setdefault(cut, []).append(text)
            stems = tuple(map(stem, cut))
            self._stems.append(stems)
            for word in stems:
                self._tokens.setdefault(word, set()).add(number)

    def find(self, phrase: tuple[str, ...]) -> Value | None:
        """Return the cells that equal or contain a phrase, or None."""
        exact = self._exact.get(phrase)
        if not exact and len(phrase) == 1 and (number := numeral(phrase[0])) is not None:
            exact = self._exact.get((str(int(number)),))
        if exact:
            return Value(tuple(exact), True, 1.0)
        stems = tuple(map(stem, phrase))
        sets = [self._tokens.get(word) for word in stems]
        if not all(sets):
            return None
        together = self.kind != "date"  # a date is written in many orders
        hits = [
            n
            for n in set.intersection(*(s for s in sets if s))
            if not together or _contains(self._stems[n], stems)
        ]
        if not hits:
            return None
        same = [n for n in hits if self._stems[n] == stems]
        texts = tuple(self.distinct[n] for n in sorted(same or hits))
        share = max(len(stems) / len(self._stems[n]) for n in hits)
        return Value(texts, bool(same), share)


def _contains(whole: tuple[str, ...], part: tuple[str, ...]) -> bool:
    return any(whole[i : i + len(part)] == part for i in range(len(whole) - len(part) + 1))


@dataclass
class Grid:
    """One table, ready for questions.

    Attributes:
        reference: its name in SQL.
        document: the document it stands in.
        columns: in order.
        rows: number of rows.
        engine: runs SQL.
        title: what else tells of its subject (path, caption), as words.
    """

    reference: str
    document: str
    columns: list[Column]
    rows: int
    engine: Engine
    title: tuple[str, ...] = ()
    sums: tuple[Column, tuple[str, ...]] | None = None

    @property
    def table(self) -> str:
        """The table in SQL."""
        return f"t('{self.reference.replace(chr(39), chr(39) * 2)}')"

    @property
    def source(self) -> str:
        """The table in SQL, without the rows that add up others."""
        if self.sums is None:
            return self.table
        column, names = self.sums
        listed = ", ".join("'" + n.replace("'", "''") + "'" for n in names)
        everything = "*" if self.engine.everything != "*" else "_row, *"
        return f"(select {everything} from {self.table} where ({column.text} in ({listed})) is not true)"

    def leave_out_sums(self) -> None:
        """Find the rows that add up others: totals, and regions in a list of countries."""
        totals, regions = lexicon().totals, lexicon().regions
        for column in [c for c in self.columns if c.kind == "text"][:2]:
            cut = {text: words(text) for text in column.distinct}
            wholes = [t for t, w in cut.items() if w in regions]
            names = [t for t, w in cut.items() if w and (w in totals or w[:1] in _TOTAL)]
            if len(wholes) < MAX_REGIONS * len(cut):
                names += [t for t in wholes if t not in names]
            if names and len(names) < MAX_REGIONS * max(len(cut), 4):
                self.sums = (column, tuple(names))
                return

    @property
    def subject(self) -> Column:
        """The column that names the rows: the first of mostly distinct texts, else the most distinct one."""
        texts = [c for c in self.columns if c.kind == "text" and c.filled > KEEP]
        for column in texts:
            if column.unique > KEEP:
                return column
        return max(texts or self.columns, key=lambda c: (c.unique, -c.position))

    @property
    def vocabulary(self) -> frozenset[str]:
        """Roots of all words of the table's title and headers."""
        return frozenset(root(w) for w in (*self.title, *(w for c in self.columns for w in c.words)))


def grid_of_table(table: Table, name: str) -> Grid:
    """Return a table as read, held in memory; cells are kept as printed.

    Args:
        table: the table.
        name: what it is called in SQL.
    """
    engine = MemoryEngine(name, table)
    names = [c.name for c in table.columns]
    listed = ", ".join('"' + n.replace('"', '""') + '"' for n in names)
    rows = engine.run(f"select {listed} from data") if names else []
    columns = []
    for position, column in enumerate(table.columns):
        cells = [row[position] for row in rows]
        columns.append(_column(column.name, position, "text", cells, column.original_name or column.name))
    grid = Grid(name, name, columns, len(rows), engine, words(table.name + " " + table.preamble))
    grid.leave_out_sums()
    return grid


def _column(name: str, position: int, kind: str, cells: Sequence[Any], header: str) -> Column:
    filled = [c for c in cells if c is not None and not is_missing(str(c))]
    distinct = list(dict.fromkeys(map(str, filled)))
    read, formats = kind_of(distinct)
    column = Column(
        name, position, kind, read, formats, distinct,
        len(filled) / max(len(cells), 1), len(distinct) / max(len(cells), 1), header_words(header),
    )  # fmt: skip
    column.header = header
    column.build()
    return column


_KINDS: dict[str, Kind] = {
    "integer": "number", "number": "number", "date": "date", "datetime": "date", "time": "number",
}  # fmt: skip


def grid_of_lake(lake: Lake, reference: str) -> Grid:
    """Return a table of a lake.

    Raises:
        NotFoundError: there is no such table.
    """
    record = lake.catalog.table(lake.names.table_ref(reference))
    if record is None:
        raise NotFoundError(f"There is no table {reference!r}.")
    engine = LakeEngine(lake)
    grid = Grid(record.ref, record.document, [], record.row_count, engine, ())
    document = lake.catalog.document(record.document)
    info = record.info
    told = " ".join(
        str(x) for x in (record.ref, document.title if document else "", info.get("preamble", ""))
    )
    grid.title = header_words(told.replace("/", " ").replace("-", " "))
    for position, told_column in enumerate(record.columns):
        quoted = '"' + told_column["name"].replace('"', '""') + '"'
        counted = engine.run(
            f"select cast({quoted} as varchar) as value, count(*) from {grid.table} group by 1 limit {MAX_DISTINCT + 1}"
        )
        filled = sum(n for text, n in counted if text is not None and not is_missing(text))
        distinct = [text for text, _ in counted if text is not None and not is_missing(text)]
        kind = told_column["type"]
        read, formats = kind_of(distinct) if kind == "text" else (_KINDS.get(kind, "text"), [])
        if kind == "integer" and kind_of(distinct)[0] == "year":
            read = "year"
        column = Column(
            told_column["name"], position, kind, read, formats, distinct,
            filled / max(record.row_count, 1), len(distinct) / max(record.row_count, 1),
            header_words(told_column["original_name"] or told_column["name"]),
            words(told_column["description"] or ""),
        )  # fmt: skip
        column.header = told_column["original_name"] or told_column["name"]
        column.build()
        grid.columns.append(column)
    grid.leave_out_sums()
    return grid


def grid_of_file(path: Path, name: str = "") -> Grid:
    """Return the first table of a file outside any lake.

    Args:
        path: the file.
        name: what the table is called in SQL and in evidence; the path if left out.

    Raises:
        ReadError: the file cannot be read.
        NotFoundError: it holds no table.
    """
    return grid_of_table(_first_table(path), name or str(path))


def memory_engine(path: Path, name: str) -> MemoryEngine:
    """Return an engine over the first table of a file (raises as `grid_of_file`)."""
    return MemoryEngine(name, _first_table(path))


def _first_table(path: Path) -> Table:
    from headwater.readers import read

    result = read(path, path.name)
    if not result.tables:
        raise NotFoundError("The file holds no table.", where=str(path))
    return result.tables[0]
