"""A table as questions see it: columns with kinds, an index of values, and something that runs SQL over it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.answers._cells import Kind, is_missing, kind_of, number_sql, year_sql
from headwater.answers._engines import Engine, engine_of_table, first_table
from headwater.answers._words import header_words, lexicon, numeral, root, stem, words

if TYPE_CHECKING:
    from headwater.model import Table

MAX_DISTINCT = 20_000
"""Distinct values of a column that are indexed; a column with more is linked by number and year only."""

MAX_REGIONS = 0.3
"""Share of names above which regions are what a table is about."""

_TOTAL = {("total",), ("totals",), ("subtotal",)}

KEEP = 0.5
"""Share of distinct values in a column that can name the rows."""


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
        words: words of the name.
        described: words of its description.
        unsaid: the name does not say what it holds, so the title of the table is among its words.
        header: the name as printed.
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
    unsaid: bool = False
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
        return header_words(outside_brackets(self.header)) or self.words

    @property
    def stems(self) -> tuple[str, ...]:
        """Stems of the name's words."""
        return tuple(map(stem, self.words))

    @property
    def head(self) -> str:
        """Stem of the noun that says what the column holds.

        That is the last one before a preposition ("Share of deaths"), or after it where the first one only counts
        ("Number of executions").
        """
        if self.unsaid:
            return ""
        counting, links = lexicon().counting, lexicon().links
        parts: list[list[str]] = [[]]
        for word in self.core:
            if word in links:
                parts.append([])
            else:
                parts[-1].append(word)
        named = [p for p in parts if p] or [[""]]
        return stem(named[1][-1] if len(named) > 1 and named[0][-1] in counting else named[0][-1])

    @property
    def flag(self) -> tuple[str, ...] | None:
        """The cells that say yes, if the column says only yes or no."""
        said = {text: text.strip().lower() for text in self.distinct[:5]}
        if not 1 <= len(said) <= 2 or len(self.distinct) > 2:
            return None
        yes, no = lexicon().yes, lexicon().no
        told = tuple(text for text, word in said.items() if word in yes)
        return told if len(told) == 1 and all(word in yes | no for word in said.values()) else None

    def build(self) -> None:
        """Index the distinct values."""
        if len(self.distinct) > MAX_DISTINCT:
            return
        for number, text in enumerate(self.distinct):
            cut = words(text)
            self._exact.setdefault(cut, []).append(text)
            stems = tuple(map(stem, without_initials(cut)))
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
        stems = tuple(map(stem, without_initials(phrase)))
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


def without_initials(name: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words of a name without initials in the middle: "franklin roosevelt" for "franklin d roosevelt"."""
    middle = tuple(w for w in name[1:-1] if len(w) > 1 or w.isdigit())
    return (*name[:1], *middle, *name[-1:]) if len(name) > 2 else name


def outside_brackets(text: str) -> str:
    """Return a text without what stands in brackets, however deep; an open bracket that is never closed ends it."""
    depth, kept = 0, []
    for character in text:
        if character in "([":
            depth += 1
        elif character in ")]":
            depth = max(depth - 1, 0)
            kept.append(" ")
        elif not depth:
            kept.append(character)
    return "".join(kept)


def _contains(whole: tuple[str, ...], part: tuple[str, ...]) -> bool:
    return any(whole[i : i + len(part)] == part for i in range(len(whole) - len(part) + 1))


@dataclass(frozen=True, slots=True)
class Printed:
    """A row: its number in the source, and its cells as printed by column."""

    number: int
    cells: Mapping[str, str | None]


def printed_rows(table: Table, columns: Sequence[str]) -> list[Printed]:
    """Return the rows of a table as read, with some of their columns."""
    names = ["_row", *columns]
    found = []
    for batch in table.data.raw():
        for number, *cells in zip(*(batch.column(n).to_pylist() for n in names), strict=True):
            found.append(Printed(number, dict(zip(columns, cells, strict=True))))
    return found


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
        told: roots of words that its publisher says of it (description, tags) and of other names of the nations in its title.
        sums: the column and the names of rows that add up others.
        label: of a series, the column that tells its members apart.
        hidden: further columns that evidence needs.
        partial: not all columns were read.
        prover: runs the final statement a second time, and gives the evidence; the engine itself if left out.
        printed: gives the rows with some columns as printed, where the text layer can be read.
    """

    reference: str
    document: str
    columns: list[Column]
    rows: int
    engine: Engine
    title: tuple[str, ...] = ()
    told: frozenset[str] = frozenset()
    sums: tuple[Column, tuple[str, ...]] | None = None
    label: Column | None = None
    hidden: tuple[str, ...] = ()
    partial: bool = False
    prover: Engine | None = None
    printed: Callable[[Sequence[str]], list[Printed]] | None = None

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
        return f"(select _row, * from {self.table} where ({column.text} in ({listed})) is not true)"

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
    engine = engine_of_table(table, name)
    names = [c.name for c in table.columns]
    listed = ", ".join('"' + n.replace('"', '""') + '"' for n in names)
    rows = engine.run(f"select {listed} from data") if names else []
    columns = []
    for position, column in enumerate(table.columns):
        cells = [row[position] for row in rows]
        columns.append(_column(column.name, position, "text", cells, column.original_name or column.name))
    grid = Grid(name, name, columns, len(rows), engine, words(table.name + " " + table.preamble))
    grid.printed = lambda wanted: printed_rows(table, wanted)
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


def grid_of_file(path: Path, name: str = "") -> Grid:
    """Return the first table of a file outside any lake.

    Args:
        path: the file.
        name: what the table is called in SQL and in evidence; the path if left out.

    Raises:
        ReadError: the file cannot be read.
        NotFoundError: it holds no table.
    """
    return grid_of_table(first_table(path), name or str(path))
