"""Row-level provenance: which rows a row was made from, and which rows it went into.

Rows get one number each (table by table), links become compressed rows in both directions, so that questions are
searches over arrays. The definitions are those of Tier 2 of DW-Bench, including its shortcut that a table stands for its
first row where a question names tables only.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.errors import NotFoundError, ReadError
from headwater.graph._index import Csr, PairSet

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from headwater.graph._index import Ints
    from headwater.graph._model import SchemaGraph

    Links = tuple[list[str], NDArray[np.int64], NDArray[np.int64]]
    """Distinct names, and per link the position of its table's name and its row."""

_LINK_COLUMNS = ("target_table", "target_row", "source_table", "source_row")


@dataclass(frozen=True, slots=True)
class RowTable:
    """A table with rows: its name, number of rows, layer and group (None where unknown)."""

    name: str
    rows: int
    layer: str | None = None
    group: str | None = None


class RowLineage:
    """Links between rows. A row is written `table:row_N`, counted from 0.

    Args:
        tables: the tables; tables and rows that occur only in links are added.
        targets: table and row of the made row of each link.
        sources: table and row of the row it was made from.
    """

    def __init__(self, tables: Iterable[RowTable], targets: Links, sources: Links) -> None:
        import numpy as np

        known = {table.name: table for table in tables}
        for names, at, row in (targets, sources):
            highest = np.full(len(names), -1, dtype=np.int64)
            np.maximum.at(highest, at, row)
            for name, top in zip(names, highest.tolist(), strict=True):
                old = known.get(name) or RowTable(name, 0)
                known[name] = RowTable(name, max(old.rows, top + 1), old.layer, old.group)
        self.tables = [known[name] for name in sorted(known)]
        self._at = {table.name: i for i, table in enumerate(self.tables)}
        self._starts = np.zeros(len(self.tables) + 1, dtype=np.int64)
        np.cumsum([table.rows for table in self.tables], out=self._starts[1:])
        self.row_count = int(self._starts[-1])
        made, used = self._numbers(targets), self._numbers(sources)
        self.link_count = len(made)
        self._up, self._down = self._csr(made, used), self._csr(used, made)

    def _numbers(self, links: Links) -> NDArray[np.int64]:
        import numpy as np

        names, at, row = links
        starts = np.array([self._starts[self._at[name]] for name in names], dtype=np.int64)
        return starts[at] + row if len(names) else row

    def _csr(self, tails: NDArray[np.int64], heads: NDArray[np.int64]) -> Csr:
        import numpy as np

        pairs = PairSet(tails, heads, self.row_count)
        indptr = np.zeros(self.row_count + 1, dtype=np.int32)
        np.cumsum(np.bincount(pairs.tails, minlength=self.row_count), out=indptr[1:])
        return Csr(indptr, pairs.heads)

    def number(self, table: str, row: int) -> int:
        """Return the number of a row.

        Raises:
            NotFoundError: the table has no rows here, or not that many.
        """
        at = self._at.get(table)
        if at is None:
            raise NotFoundError(f"No rows are loaded for {table}.", hint="Load its row lineage.")
        if not 0 <= row < self.tables[at].rows:
            raise NotFoundError(
                f"{table} has {self.tables[at].rows} rows: there is no row_{row}.", hint="Rows count from 0."
            )
        return int(self._starts[at]) + row

    def label(self, number: int) -> str:
        """Return `table:row_N` of a row number."""
        at = self._table_of(number)
        return f"{self.tables[at].name}:row_{number - int(self._starts[at])}"

    def _table_of(self, number: int) -> int:
        import numpy as np

        return int(np.searchsorted(self._starts, number, side="right")) - 1

    def direct_sources(self, table: str, row: int) -> list[str]:
        """Return the rows a row was made from in one step, sorted as text."""
        return sorted(map(self.label, self._up.row(self.number(table, row)).tolist()))

    def direct_targets(self, table: str, row: int) -> list[str]:
        """Return the rows made from a row in one step, sorted as text."""
        return sorted(map(self.label, self._down.row(self.number(table, row)).tolist()))

    def ancestors(self, table: str, row: int) -> Ints:
        """Return the numbers of all rows a row was made from, over any number of steps."""
        return self._closure(self._up, self.number(table, row))

    def descendants(self, table: str, row: int) -> Ints:
        """Return the numbers of all rows that a row went into, over any number of steps."""
        return self._closure(self._down, self.number(table, row))

    @staticmethod
    def _closure(csr: Csr, start: int) -> Ints:
        import numpy as np

        from headwater.graph._traverse import closure

        found = closure(csr, np.array([start]))
        others: Ints = found[found != start]
        return others

    def tables_of(self, rows: Ints, keep: Callable[[RowTable], bool] | None = None) -> list[str]:
        """Return the names of the tables that hold any of the rows, ascending."""
        import numpy as np

        at = np.unique(np.searchsorted(self._starts, rows, side="right") - 1).tolist()
        return [self.tables[i].name for i in at if keep is None or keep(self.tables[i])]

    def count(self, rows: Ints, keep: Callable[[RowTable], bool] | None = None) -> int:
        """Return how many of the rows lie in tables that pass."""
        import numpy as np

        if keep is None:
            return len(rows)
        passes = np.array([keep(table) for table in self.tables], dtype=bool)
        return int(passes[np.searchsorted(self._starts, rows, side="right") - 1].sum())

    def first_row_sources(self, table: str) -> list[str]:
        """Return the tables among the ancestors of a table's first row; [] for an empty table."""
        at = self._at.get(table)
        if at is not None and self.tables[at].rows == 0:
            return []
        return self.tables_of(self.ancestors(table, 0))

    def trace(self, source: int | str, target: int) -> list[tuple[str, str]]:
        """Return a shortest chain of row links from a source row (or any row of a source table) to the row `target`."""
        before = {target: -1}
        queue = [target]
        for node in queue:  # grows while it is read
            hit = (
                node == source
                if isinstance(source, int)
                else self.tables[self._table_of(node)].name == source
            )
            if hit and node != target:
                path = [node]
                while (node := before[node]) >= 0:
                    path.append(node)
                labels = [self.label(i) for i in path]
                return list(zip(labels, labels[1:], strict=False))
            for head in self._up.row(node).tolist():
                if head not in before:
                    before[head] = node
                    queue.append(head)
        return []

    def table_links(self) -> list[tuple[str, str]]:
        """Return the distinct pairs (source table, target table) that any row link runs between."""
        import numpy as np

        tails = np.repeat(np.arange(self.row_count), np.diff(self._down.indptr))
        size = len(self.tables)
        source = np.searchsorted(self._starts, tails, side="right") - 1
        target = np.searchsorted(self._starts, self._down.indices, side="right") - 1
        pairs = np.unique(source * size + target).tolist()
        return [(self.tables[key // size].name, self.tables[key % size].name) for key in pairs]


def has_rows(folder: str | Path) -> bool:
    """Tell whether a folder holds row lineage in one of the two layouts that `load_rows` reads."""
    return (Path(folder) / "row_lineage.csv").is_file() or _lineage_map(Path(folder)) is not None


def _lineage_map(root: Path) -> Path | None:
    places = (root / "lineage_map.json", root / "lineage_data" / "lineage_map.json")
    return next((path for path in places if path.is_file()), None)


def load_rows(folder: str | Path) -> RowLineage:
    """Read row lineage from a folder.

    Two layouts: ours (`manifest.json` with `row_lineage.csv`) and the published one of DW-Bench (`lineage_map.json`, or
    `lineage_data/lineage_map.json`, with `value_data/_manifest.json`).

    Raises:
        ReadError: a file is missing or is not in one of the two forms.
    """
    root = Path(folder)
    if (root / "row_lineage.csv").is_file():
        return RowLineage(_our_tables(root / "manifest.json"), *_our_links(root / "row_lineage.csv"))
    found = _lineage_map(root)
    if found is None:
        raise ReadError(
            "No row lineage here.", where=str(root), hint="Expected row_lineage.csv or lineage_map.json."
        )
    return RowLineage(_published_tables(root / "value_data" / "_manifest.json"), *_published_links(found))


def attach_rows(graph: SchemaGraph, rows: RowLineage, file: str = "") -> SchemaGraph:
    """Hang row lineage on a graph: its tables, their layers and groups, and the table lineage that the row links imply."""
    from headwater.graph._model import GraphTable, LineageEdge, Origin

    origin = Origin(tool="row_lineage", file=file)
    known = {(edge.source, edge.target) for edge in graph.lineage}
    for table in rows.tables:
        graph.add_table(GraphTable(table.name, group=table.group, layer=table.layer, origin=origin))
    for source, target in rows.table_links():
        if (source, target) not in known:
            graph.add_lineage(LineageEdge(source, target, origin=origin))
    graph.rows = rows
    graph.version += 1
    return graph


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ReadError(f"Cannot read {path.name}: {error.strerror}.", where=str(path)) from error
    except ValueError as error:
        raise ReadError(f"{path.name} is not JSON: {error}.", where=str(path)) from error


def _our_tables(path: Path) -> list[RowTable]:
    try:
        return [
            RowTable(str(t["name"]), int(t["rows"]), t.get("layer"), t.get("group"))
            for t in _read_json(path)["tables"]
        ]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ReadError("Expected a list `tables` of {name, rows, layer, group}.", where=str(path)) from error


def _published_tables(path: Path) -> list[RowTable]:
    if not path.is_file():
        return []
    try:
        return [
            RowTable(str(name), int(t["rows"]), t.get("layer"), t.get("silo"))
            for name, t in _read_json(path).items()
        ]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ReadError("Expected an object of tables with rows, layer and silo.", where=str(path)) from error


def _our_links(path: Path) -> tuple[Links, Links]:
    import pyarrow as pa
    from pyarrow import csv

    text, whole = pa.dictionary(pa.int32(), pa.string()), pa.int64()
    types = dict(zip(_LINK_COLUMNS, (text, whole, text, whole), strict=True))
    options = csv.ConvertOptions(column_types=types, include_columns=list(_LINK_COLUMNS))
    try:
        table = csv.read_csv(path, convert_options=options).combine_chunks().unify_dictionaries()
    except (pa.ArrowInvalid, KeyError) as error:
        hint = f"Expected the columns {', '.join(_LINK_COLUMNS)}."
        raise ReadError(f"Cannot read row lineage: {error}.", where=str(path), hint=hint) from error
    return _links(table, "target"), _links(table, "source")


def _links(table: Any, side: str) -> Links:
    import numpy as np

    names = table.column(f"{side}_table").combine_chunks()
    at = names.indices.to_numpy(zero_copy_only=False)
    rows = table.column(f"{side}_row").to_numpy()
    if names.null_count or table.column(f"{side}_row").null_count or (len(rows) and rows.min() < 0):
        raise ReadError(f"A link has no {side} table or row.", hint="Rows count from 0.")
    return names.dictionary.to_pylist(), at.astype(np.int64), rows.astype(np.int64)


def _published_links(path: Path) -> tuple[Links, Links]:
    import numpy as np

    names: dict[str, int] = {}
    columns: tuple[list[int], ...] = ([], [], [], [])
    try:
        for target, made in _read_json(path).items():
            t = names.setdefault(target, len(names))
            for label, entry in made.items():
                row = int(label.removeprefix("row_"))
                for source in entry["sources"]:
                    s = names.setdefault(source["table"], len(names))
                    for used in source["rows"]:
                        for column, value in zip(columns, (t, row, s, int(used)), strict=True):
                            column.append(value)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ReadError("Expected {table: {row_N: {sources: [{table, rows}]}}}.", where=str(path)) from error
    made_at, made_row, used_at, used_row = (np.array(column, dtype=np.int64) for column in columns)
    listed = list(names)
    return (listed, made_at, made_row), (listed, used_at, used_row)
