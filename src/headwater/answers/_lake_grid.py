"""A table of a lake, or a whole series, as questions see it; and which of them a question may be about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from headwater.answers._cells import Kind, is_missing, kind_of
from headwater.answers._engines import Engine, LakeEngine, engine_of_lake
from headwater.answers._grid import MAX_DISTINCT, Column, Grid, Printed
from headwater.answers._words import header_words, lexicon, root, words
from headwater.errors import HeadwaterError, NotFoundError

if TYPE_CHECKING:
    from headwater.catalog import TableRecord
    from headwater.lake import Lake

TABLES, OF_ONE = 8, 3
"""Tables that are tried, and at most of one document."""

HITS = 12
"""Documents looked at."""

LABELS = ("year", "month", "date", "country")
"""Kinds of labels that tell the members of a series apart by what questions ask for."""

KEPT = 24
"""Tables of an opened lake that are kept ready."""

DICTIONARY = 5
"""Columns of a table that may be a data dictionary."""

MOST_PRINTED = 100_000
"""Rows of a table whose value is computed a second time over the printed cells."""

RECORDS = "record"
"""Kind of a series whose members are single records."""

WIDE, ANYWAY = 60, 8
"""A table with more columns is read in those only that share a word with the question, and in the first ones."""

SERIES = "series:"

_KINDS: dict[str, Kind] = {
    "integer": "number", "number": "number", "date": "date", "datetime": "date", "time": "number",
}  # fmt: skip


@dataclass
class Found:
    """A table that a question may be about, and how far it is behind the best one in the score of the search."""

    grid: Grid
    behind: float


def tables_for(lake: Lake, question: str) -> Iterator[Found]:
    """Yield the tables and series of a lake that a question may be about, best first; none that only describes columns."""
    asked = {root(w) for w in words(question)} - {root(w) for w in lexicon().stop}
    hits = list(lake.search(question, HITS, kind="table").hits)
    tried = 0
    for hit in hits:
        kind = _kind(lake, hit.series)
        references = [SERIES + hit.series] if kind in (*LABELS, RECORDS) else []
        if kind != RECORDS:
            references += [t.ref for t in _chosen(lake.catalog.tables(hit.document), asked)]
        for reference in references:
            if tried >= TABLES:
                return
            try:
                grid = grid_of_lake(lake, reference, asked)
            except HeadwaterError:
                continue
            tried += 1
            yield Found(grid, hits[0].score - hit.score)


def _chosen(tables: Sequence[TableRecord], asked: set[str]) -> list[TableRecord]:
    """Return the tables of a document whose names and columns share most words with a question."""

    def shared(table: TableRecord) -> int:
        named = " ".join([table.name, *(c["name"] for c in table.columns)])
        return len({root(w) for w in header_words(named)} & asked)

    told = [t for t in tables if t.row_count > 1 and not _describes_columns(t)]
    return sorted(told, key=lambda t: (-shared(t), t.position))[:OF_ONE]


def _describes_columns(table: TableRecord) -> bool:
    """Tell whether a table is a data dictionary."""
    from headwater.layout import header_roles

    roles = header_roles([c["name"] for c in table.columns]) or {}
    return len(table.columns) <= DICTIONARY and {"name", "description"} <= roles.keys()


def _kind(lake: Lake, series: str) -> str:
    """Return what tells the members of a series apart, "" if there is no such series."""
    told = lake.catalog.relations.series(series) if series else None
    return str(told["kind"]) if told else ""


_made: WeakKeyDictionary[Lake, dict[str, Grid]] = WeakKeyDictionary()


def grid_of_lake(lake: Lake, reference: str, asked: set[str]) -> Grid:
    """Return a table of a lake, or a series ("series:ID"); the last ones of an opened lake are kept.

    Args:
        lake: an opened lake.
        reference: name of the table in SQL.
        asked: roots of the words of a question; of a wide table, only columns that have one of them are read.

    Raises:
        NotFoundError: there is no such table.
    """
    kept = _made.setdefault(lake, {})
    grid = kept.get(reference) or _grid_of_lake(lake, reference, asked)
    if reference not in kept and len(grid.columns) <= WIDE and not grid.partial:
        if len(kept) >= KEPT:
            del kept[next(iter(kept))]
        kept[reference] = grid
    return grid


def _grid_of_lake(lake: Lake, reference: str, asked: set[str]) -> Grid:
    if reference.startswith(SERIES):
        return _series(lake, reference, asked)
    record = lake.catalog.table(lake.names.table_ref(reference))
    if record is None:
        raise NotFoundError(f"There is no table {reference!r}.")
    grid = Grid(record.ref, record.document, [], record.row_count, LakeEngine(lake))
    if record.raw_path.is_file() and record.row_count <= MOST_PRINTED:
        grid.printed = lambda columns: _printed(record.raw_path, columns)
    _entitle(lake, grid, record.ref, str(record.info.get("preamble") or ""))
    return _finished(lake, grid, [(c["name"], c["type"], c) for c in record.columns], asked)


def _printed(path: Path, columns: Sequence[str]) -> list[Printed]:
    """Return the rows of a table from its text layer."""
    import pyarrow.parquet as pq

    table = pq.read_table(path, columns=["_row", *columns])
    rows = zip(*(table.column(n).to_pylist() for n in table.column_names), strict=True)
    return [Printed(number, dict(zip(columns, cells, strict=True))) for number, *cells in rows]


def _series(lake: Lake, reference: str, asked: set[str]) -> Grid:
    told = lake.catalog.relations.series(reference.removeprefix(SERIES))
    if told is None:
        raise NotFoundError(f"There is no series {reference!r}.")
    result = lake.sql(f"select * from t('{reference}') limit 1")
    rows = lake.sql(f"select count(*) from t('{reference}')").rows[0][0]
    grid = Grid(reference, told["members"][0]["document"], [], rows, LakeEngine(lake))
    _entitle(lake, grid, told["members"][0]["document"].rsplit("/", 1)[0], "")
    first = lake.catalog.table(told["members"][0].get("ref") or grid.document)
    known = {c["name"]: c for c in first.columns} if first else {}
    grid.hidden = ("_document",)
    shown = [c for c in result.columns if not c.name.startswith("_")]
    _finished(lake, grid, [(c.name, c.type, known.get(c.name, {})) for c in shown], asked)
    grid.label = next((c for c in grid.columns if c.name == told["kind"]), None)
    return grid


def _entitle(lake: Lake, grid: Grid, path: str, preamble: str) -> None:
    """Set what is told of a table beside its columns: title and path, and what its publisher says."""
    document = lake.catalog.document(grid.document)
    dataset = lake.catalog.dataset(document.dataset) if document else None
    titled = [path, preamble, document.title if document else "", dataset.title if dataset else ""]
    grid.title = header_words(" ".join(titled).replace("/", " ").replace("-", " "))
    told = dataset.metadata if dataset else {}
    said = " ".join([str(told.get("description") or ""), *map(str, told.get("tags") or ())])
    nations = lexicon().nations
    others = {
        w
        for width in (1, 2)
        for at in range(len(grid.title))
        for name in nations.get(grid.title[at : at + width], ())
        for w in name
    }
    grid.told = frozenset(root(w) for w in (*words(said), *others))


def _counted(engine: Engine, table: str, names: Sequence[str]) -> Iterator[list[tuple[str | None, int]]]:
    """Yield, for each column, its different values as text with their numbers of rows."""
    for name in names:
        quoted = '"' + name.replace('"', '""') + '"'
        counted = engine.run(
            f"select cast({quoted} as varchar), count(*) from {table} group by 1 limit {MAX_DISTINCT + 1}"
        )
        yield [(value, n) for value, n in counted]


def _column(
    grid: Grid, position: int, name: str, kind: str, told: dict[str, Any], counted: list[tuple[str | None, int]]
) -> Column:  # fmt: skip
    filled = sum(n for text, n in counted if text is not None and not is_missing(text))
    distinct = [text for text, _ in counted if text is not None and not is_missing(text)]
    read, formats = kind_of(distinct) if kind == "text" else (_KINDS.get(kind, "text"), [])
    if kind == "integer" and kind_of(distinct)[0] == "year":
        read = "year"
    header = str(told.get("original_name") or name)
    column = Column(
        name, position, kind, read, formats, distinct,
        filled / max(grid.rows, 1), len(distinct) / max(grid.rows, 1),
        header_words(header), words(str(told.get("description") or "")),
    )  # fmt: skip
    column.header = header
    column.build()
    return column


def _finished(
    lake: Lake, grid: Grid, columns: Sequence[tuple[str, str, dict[str, Any]]], asked: set[str]
) -> Grid:
    """Add the columns, given as (name, type, what else is told).

    Words of descriptions that tell no column apart are left out; the title speaks for a column named "value".
    """
    if len(columns) > WIDE:
        grid.partial = True
        columns = [
            c for i, c in enumerate(columns) if i < ANYWAY or {root(w) for w in header_words(c[0])} & asked
        ][:WIDE]  # fmt: skip
    names = [name for name, _, _ in columns]
    grid.engine = engine_of_lake(lake, grid.reference, ["_row", "_line", *grid.hidden, *names], grid.rows)
    counted = _counted(grid.engine, grid.table, names)
    grid.columns = [
        _column(grid, i, *told, n) for i, (told, n) in enumerate(zip(columns, counted, strict=True))
    ]
    counts = Counter(w for c in grid.columns for w in set(c.described))
    for column in grid.columns:
        column.described = tuple(w for w in column.described if counts[w] == 1)
        if column.words and set(column.words) <= lexicon().unsaid and column.kind == "number":
            others = {root(w) for c in grid.columns if c is not column for w in c.words}
            column.words += tuple(w for w in grid.title if w not in lexicon().stop and root(w) not in others)
            column.unsaid = True
    grid.prover = LakeEngine(lake)
    grid.leave_out_sums()
    return grid


def inputs_in(lake: Lake, grid: Grid) -> list[dict[str, str]]:
    """Return the documents that a table is read from, with the hash of their bytes: [{document, sha256}]."""
    told = lake.catalog.relations.series(grid.reference.removeprefix(SERIES)) if grid.hidden else None
    names = [m["document"] for m in told["members"]] if told else [grid.document]
    found = {name: lake.catalog.document(name.split("#")[0]) for name in dict.fromkeys(names)}
    return [{"document": name, "sha256": document.sha256} for name, document in found.items() if document]
