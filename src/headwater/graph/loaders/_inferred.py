"""Foreign keys a schema lacks, proposed from names and, where there is data, from values.

A name alone proposes a key if a column says which table and which key it means: `customer_id` or `CustomerKey` in any
table, for a table `customers` or `DimCustomer` with that key. Role names may stand before it (`ship_customer_id`).
With data a proposal must also hold: (nearly) all values of the child occur in the parent, whose values are unique; and
long text codes that are all contained in a unique column propose a key although the names differ. The evidence stands
in the note of the key's origin. The tests are those of inclusion dependency discovery with pruning by name, type and
uniqueness (Rostin et al., "A machine learning approach to foreign key discovery", WebDB 2009, features coverage,
dependent-name similarity and uniqueness).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from headwater.graph._model import ForeignKey, GraphColumn, GraphTable, Origin, SchemaGraph

COVERAGE = 0.95
"""Share of the child's distinct values that must occur in the parent."""

SAMPLE = 10_000
"""Distinct values of a child column that are tested."""

_MIN_CODES = 20  # distinct text values below which containment without a like name is chance

# Words of table names that say what kind of table it is, not what it is about.
_KIND_WORDS = {
    "dim", "dimension", "fact", "fct", "stg", "staging", "raw", "src", "mart", "tbl", "table", "core", "hub", "sat", "lnk", "ods",
    "dw", "dwh", "lkp", "lookup", "ref", "int", "base", "t", "d", "f", "cleaned", "validated", "current",
}  # fmt: skip
_KEY_WORDS = {
    "id",
    "key",
    "sk",
    "code",
    "no",
    "number",
    "nr",
    "num",
    "pk",
    "fk",
    "uuid",
    "guid",
    "bk",
    "nk",
    "ref",
    "cd",
}
_KEY_QUALIFIERS = {"surrogate", "natural", "business", "primary", "row", "unique"}


class Sampler(Protocol):
    """Answers about the data of some tables of the graph."""

    tables: set[str]

    def unique(self, table: str, column: str) -> tuple[int, int] | None:
        """Return (values, distinct values), missing ones left out; None if unknown."""

    def contained(self, child: str, column: str, parent: str, parent_column: str) -> tuple[int, int] | None:
        """Return (distinct values of the child that were tested, those that occur in the parent); None if unknown."""

    def close(self) -> None:
        """Let go of files and connections."""


class SqlSampler:
    """Data of a database.

    Args:
        run: runs a query and returns its rows; raises ValueError if the database refuses it.
        close: closes the connection.
        tables: quoted name in the database by name in the graph.
        quote: quotes a column name.
    """

    def __init__(
        self,
        run: Callable[[str], Sequence[Sequence[Any]]],
        close: Callable[[], None],
        tables: dict[str, str],
        quote: Callable[[str], str],
    ) -> None:
        self._run, self.close, self._names, self._quote = run, close, tables, quote
        self.tables = set(tables)

    def unique(self, table: str, column: str) -> tuple[int, int] | None:
        """See `Sampler`."""
        name = self._quote(column)
        return self._pair(f"SELECT count({name}), count(DISTINCT {name}) FROM {self._names[table]}")

    def contained(self, child: str, column: str, parent: str, parent_column: str) -> tuple[int, int] | None:
        """See `Sampler`."""
        mine, theirs = self._quote(column), self._quote(parent_column)
        values = (
            f"SELECT DISTINCT {mine} AS v FROM {self._names[child]} WHERE {mine} IS NOT NULL LIMIT {SAMPLE}"
        )
        hit = f"CASE WHEN EXISTS (SELECT 1 FROM {self._names[parent]} p WHERE p.{theirs} = s.v) THEN 1 ELSE 0 END"
        return self._pair(f"SELECT count(*), coalesce(sum({hit}), 0) FROM ({values}) s")

    def _pair(self, query: str) -> tuple[int, int] | None:
        try:
            rows = self._run(query)
        except ValueError:
            return None
        return int(rows[0][0]), int(rows[0][1])


class CsvSampler:
    """A delimited file as a table of its own, with its data."""

    def __init__(self, graph: SchemaGraph, rows: list[dict[str, str]], path: Path) -> None:
        name = path.stem
        self._rows = rows
        self.tables = {name}
        columns = [GraphColumn(c, _text_type(r.get(c, "") for r in rows)) for c in (rows[0] if rows else {})]
        graph.add_table(GraphTable(name, columns, origin=Origin("csv", path.name)))

    def values(self, column: str) -> list[str]:
        """Return the values of a column that are not empty."""
        return [v for r in self._rows if (v := r.get(column, ""))]

    def unique(self, table: str, column: str) -> tuple[int, int] | None:
        """See `Sampler`."""
        values = self.values(column)
        return len(values), len(set(values))

    def contained(self, child: str, column: str, parent: str, parent_column: str) -> tuple[int, int] | None:
        """See `Sampler`; both tables are this one."""
        return _compare(self.values(column), self.values(parent_column))

    def close(self) -> None:
        """See `Sampler`."""


def _compare(values: Iterable[str], others: Iterable[str]) -> tuple[int, int]:
    mine = sorted(set(values))[:SAMPLE]
    theirs = set(others)
    return len(mine), sum(v in theirs for v in mine)


def _text_type(values: Iterable[str]) -> str:
    seen = [v for v in values if v]
    if seen and all(re.fullmatch(r"[+-]?\d+", v) for v in seen):
        return "integer"
    return "number" if seen and all(re.fullmatch(r"[+-]?\d*\.?\d+", v) for v in seen) else "text"


# --- names


@cache
def _words(name: str) -> tuple[str, ...]:
    """Return the lower-case words of a name: snake, camel and upper case."""
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name.rsplit(".", 1)[-1])
    return tuple(p.lower() for p in parts)


@cache
def _singular(word: str) -> str:
    for ending, new in (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x")):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            return word[: -len(ending)] + new
    return (
        word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3 else word
    )


@cache
def _subject(table: str) -> tuple[str, ...]:
    """Return what a table is about: its words without those of its kind, the last in the singular."""
    words = [w for w in _words(table) if w not in _KIND_WORDS] or list(_words(table))
    return (*words[:-1], _singular(words[-1])) if words else ()


def _spans(words: tuple[str, ...]) -> list[tuple[int, int]]:
    """Return the parts of a name that may name a key, longest first: roles stand before it, or after its key word."""
    ends = [len(words), *(e for e in range(len(words) - 1, 1, -1) if words[e - 1] in _KEY_WORDS)]
    return [(s, e) for e in ends for s in range(e) if "".join(words[s:e]) not in _KEY_WORDS]


_CLASSES = [
    ("integer", r"int|serial|number(?!.*,\s*[1-9])|decimal(?!.*,\s*[1-9])|numeric(?!.*,\s*[1-9])|rowid"),
    ("text", r"char|text|string|uuid|uniqueidentifier|guid|clob|name|flag"),
    ("time", r"date|time|year|interval"),
    ("number", r"float|double|real|money|number|decimal|numeric"),
    ("other", r"bool|bit|json|xml|blob|bytea|binary|image|geo|array|struct|variant|hierarchyid"),
]  # fmt: skip


def _class(kind: str) -> str:
    lowered = kind.lower()
    return next((name for name, pattern in _CLASSES if re.search(pattern, lowered)), "")


def _like(child: GraphColumn, parent: GraphColumn) -> bool:
    mine, theirs = _class(child.type), _class(parent.type)
    return not mine or not theirs or mine == theirs


class _Proposer:
    def __init__(self, graph: SchemaGraph, samplers: Sequence[Sampler]) -> None:
        self._graph = graph
        self._samplers = {t: s for s in samplers for t in s.tables}
        self._taken = {(k.child, c) for k in graph.foreign_keys for c in k.child_columns}
        self._unique: dict[tuple[str, str], tuple[int, int] | None] = {}
        self._parents = [
            (t, self._key(t)) for t in graph.tables.values() if not t.placeholder and t.kind != "source_file"
        ]
        self._by_key: dict[str, list[tuple[GraphTable, GraphColumn]]] = {}
        for table, key in self._parents:
            if key is not None:
                for name in self._key_names(table, key):
                    self._by_key.setdefault(name, []).append((table, key))

    def _key(self, table: GraphTable) -> GraphColumn | None:
        """Return the single column that identifies the rows of a table: declared, or by name, or unique."""
        named = {c.name: c for c in table.columns}
        if table.primary_key:
            return named.get(table.primary_key[0]) if len(table.primary_key) == 1 else None
        subject = _subject(table.name)
        for column in table.columns[:3]:
            words = _words(column.name)
            own = tuple(w for w in words if w not in _KEY_WORDS | _KEY_QUALIFIERS)
            if (
                words
                and words[-1] in _KEY_WORDS
                and own in ((), subject)
                and self._is_unique(table.name, column.name) is not False
            ):
                return column
        return None

    def _key_names(self, table: GraphTable, key: GraphColumn, short: bool = True) -> set[str]:
        """Return the column names that mean this key in other tables, as joined words."""
        subject, words = _subject(table.name), _words(key.name)
        own = tuple(w for w in words if w not in _KEY_WORDS | _KEY_QUALIFIERS)
        names = set()
        ending = words[-1] if words and words[-1] in _KEY_WORDS else "id"
        for start in (
            {subject, subject[-1:]} if short and len(subject) > 1 and len(subject[-1]) > 6 else {subject}
        ):
            names |= {"".join((*start, ending)), "".join((*start, "id"))}
        if own:
            names.add("".join(words))
        return {n for n in names if n}

    def _is_unique(self, table: str, column: str) -> bool | None:
        sampler = self._samplers.get(table)
        if sampler is None:
            return None
        if (table, column) not in self._unique:
            self._unique[table, column] = sampler.unique(table, column)
        found = self._unique[table, column]
        return None if found is None or not found[0] else found[0] == found[1]

    def propose(self) -> list[ForeignKey]:
        """Return the keys that the evidence speaks for."""
        keys = []
        for table in self._graph.tables.values():
            if table.kind == "view" or table.placeholder:
                continue
            for column in table.columns:
                if (table.name, column.name) in self._taken:
                    continue
                found = self._by_name(table, column) or self._by_value(table, column)
                if found is not None:
                    keys.append(found)
        return keys

    def _by_name(self, table: GraphTable, column: GraphColumn) -> ForeignKey | None:
        words = _words(column.name)
        own = self._key(table)
        if own is column and "".join(words) in self._key_names(table, own, short=False):
            return None
        for start, end in _spans(words):
            name = "".join(words[start:end])
            parents = [
                (p, k)
                for p, k in self._by_key.get(name, [])
                if self._fits(table, column, p, k, end - start < len(words))
            ]
            if len(parents) > 1:
                # Copies of one table in several layers: the one of the same schema or layer is meant.
                near = [
                    (p, k)
                    for p, k in parents
                    if p.name.rsplit(".", 1)[0] == table.name.rsplit(".", 1)[0] and p.layer == table.layer
                ]
                parents = near or parents
            if len(parents) != 1:
                if parents:
                    return None
                continue
            parent, key = parents[0]
            evidence = self._evidence(table, column, parent, key)
            if evidence is None:
                continue
            said = [w for w in (*words[:start], *words[end:]) if w not in _KIND_WORDS]
            role = f", with the role {' '.join(said)}" if said else ""
            note = f"{column.name} names {key.name} of {parent.name}{role}" + (
                f"; {evidence}" if evidence else "; no data was compared"
            )
            return self._made(table, column, parent, key, note)
        return None

    def _fits(
        self, table: GraphTable, column: GraphColumn, parent: GraphTable, key: GraphColumn, role: bool
    ) -> bool:
        if parent is table and (not role or column is key):
            return False
        mine, theirs = table.name.split("."), parent.name.split(".")
        if len(mine) > 2 and len(theirs) > 2 and mine[0] != theirs[0]:
            return False  # another database
        own = self._key(table)
        if (
            own is column
            and not role
            and len(_words(column.name)) > 1
            and _subject(table.name) == _subject(parent.name)
        ):
            return False  # the same thing in another layer
        return _like(column, key)

    def _evidence(
        self, table: GraphTable, column: GraphColumn, parent: GraphTable, key: GraphColumn
    ) -> str | None:
        """Return what the data says for a key, "" without data, None if it speaks against it."""
        if self._is_unique(parent.name, key.name) is False:
            return None
        tested = self._contained(table.name, column.name, parent.name, key.name)
        if tested is None or not tested[0]:
            return ""
        total, hits = tested
        if hits < COVERAGE * total:
            return None
        return f"{hits:,} of {total:,} distinct values occur in {parent.name}, where they are unique"

    def _contained(self, child: str, column: str, parent: str, key: str) -> tuple[int, int] | None:
        mine, theirs = self._samplers.get(child), self._samplers.get(parent)
        if mine is None or theirs is None:
            return None
        if mine is theirs:
            return mine.contained(child, column, parent, key)
        if isinstance(mine, CsvSampler) and isinstance(theirs, CsvSampler):
            return _compare(mine.values(column), theirs.values(key))
        return None

    def _by_value(self, table: GraphTable, column: GraphColumn) -> ForeignKey | None:
        """Propose a key for a column of text codes by its values alone."""
        if (
            table.name not in self._samplers
            or _class(column.type) not in ("text", "")
            or self._key(table) is column
        ):
            return None
        found = []
        for parent, key in self._parents:
            if (
                key is None
                or parent is table
                or parent.name not in self._samplers
                or _class(key.type) not in ("text", "")
            ):
                continue
            if not self._is_unique(parent.name, key.name):
                continue
            tested = self._contained(table.name, column.name, parent.name, key.name)
            if tested is not None and tested[0] >= _MIN_CODES and tested[0] == tested[1]:
                found.append((parent, key, tested[0]))
        if len(found) != 1:
            return None
        parent, key, total = found[0]
        note = f"all {total:,} distinct values of {column.name} occur in {parent.name}.{key.name}, where they are unique; the names do not say so"
        return self._made(table, column, parent, key, note)

    def _made(
        self, table: GraphTable, column: GraphColumn, parent: GraphTable, key: GraphColumn, note: str
    ) -> ForeignKey:
        return ForeignKey(
            "",
            table.name,
            (column.name,),
            parent.name,
            (key.name,),
            Origin("inferred", note=note),
            inferred=True,
        )


def infer(graph: SchemaGraph, samplers: Sequence[Sampler]) -> None:
    """Add the foreign keys that names and data speak for and that the graph lacks; each is marked as inferred."""
    for key in _Proposer(graph, samplers).propose():
        graph.add_foreign_key(key)
