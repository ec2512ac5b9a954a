"""The schema graph: tables, foreign keys and lineage, each edge with its origin."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from headwater.graph._rows import RowLineage


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a fact about the graph comes from; parts that do not apply are "" or 0.

    Attributes:
        tool: what read it: "ddl:tsql", "sql:postgres", "postgresql", "dbt", "openlineage", "schema.json", "inferred" …
        file: name of the file or of the source (never with credentials).
        line: line in the file, from 1.
        statement: number of the statement in the file, from 1.
        note: for instance "unresolved star" or the evidence of an inferred key.
    """

    tool: str = ""
    file: str = ""
    line: int = 0
    statement: int = 0
    note: str = ""


@dataclass(slots=True)
class GraphColumn:
    """A column of a table: name as written (unquoted), type as written, and whether it may be null if known."""

    name: str
    type: str = ""
    nullable: bool | None = None


@dataclass(slots=True)
class GraphTable:
    """A table, view or source file.

    Attributes:
        name: qualified as written, unquoted, for instance "DW.dbo.DimCustomer".
        columns: in order; empty where unknown.
        group: business area, or None.
        layer: raw, staging, core, mart …, or None.
        kind: "table", "view" or "source_file".
        placeholder: referenced but never defined.
        origin: where it is defined.
        primary_key: names of its key columns; empty where unknown.
    """

    name: str
    columns: list[GraphColumn] = field(default_factory=list)
    group: str | None = None
    layer: str | None = None
    kind: str = "table"
    placeholder: bool = False
    origin: Origin = Origin()
    primary_key: tuple[str, ...] = ()


@dataclass(slots=True)
class ForeignKey:
    """A foreign key: `child` holds it and references `parent`. Composite keys stay whole; `name` may be ""."""

    name: str
    child: str
    child_columns: tuple[str, ...]
    parent: str
    parent_columns: tuple[str, ...]
    origin: Origin = Origin()
    inferred: bool = False


@dataclass(slots=True)
class LineageEdge:
    """Data flows from `source` to `target`.

    Attributes:
        columns: pairs (source column, target column) whose value flows; empty where unknown.
        value: False if the source only filters or joins and no value of it reaches the target.
        unresolved: True where a `select *` or an unknown name could not be resolved.
    """

    source: str
    target: str
    columns: tuple[tuple[str, str], ...] = ()
    value: bool = True
    unresolved: bool = False
    origin: Origin = Origin()


@dataclass(frozen=True, slots=True)
class Problem:
    """Something a loader could not use: file, line (0 if unknown) and a message that names the statement."""

    file: str
    line: int
    message: str


class SchemaGraph:
    """Tables, foreign keys and lineage of one or several sources.

    Names are kept as written and looked up by exact text. Loaders resolve spelling (case, missing qualifiers)
    before they add an edge. An edge to a table that was never added makes a placeholder.
    """

    def __init__(self) -> None:
        self.tables: dict[str, GraphTable] = {}
        self.foreign_keys: list[ForeignKey] = []
        self.lineage: list[LineageEdge] = []
        self.problems: list[Problem] = []
        self.version = 0
        """Grows with every change; indexes built over the graph compare it."""
        self.rows: RowLineage | None = None
        """Lineage of single rows, where it was loaded."""

    def add_table(self, table: GraphTable) -> GraphTable:
        """Add a table, or complete the placeholder or the shorter definition of the same name; return the one kept."""
        self.version += 1
        old = self.tables.get(table.name)
        if old is None or old.placeholder:
            self.tables[table.name] = table
            return table
        if not table.placeholder:
            old.columns = old.columns or table.columns
            old.group = old.group or table.group
            old.layer = old.layer or table.layer
            old.primary_key = old.primary_key or table.primary_key
        return old

    def add_foreign_key(self, key: ForeignKey) -> None:
        """Add a foreign key; its ends become placeholders if they are unknown."""
        self.version += 1
        self._ensure((key.child, key.parent), key.origin)
        self.foreign_keys.append(key)

    def add_lineage(self, edge: LineageEdge) -> None:
        """Add a lineage edge; its ends become placeholders if they are unknown."""
        self.version += 1
        self._ensure((edge.source, edge.target), edge.origin)
        self.lineage.append(edge)

    def add_problem(self, file: str, line: int, message: str) -> None:
        """Note something that could not be used."""
        self.problems.append(Problem(file, line, message))

    def _ensure(self, names: Iterable[str], origin: Origin) -> None:
        for name in names:
            if name not in self.tables:
                self.tables[name] = GraphTable(name, placeholder=True, origin=origin)

    def to_dict(self) -> dict[str, Any]:
        """Return the graph in the form of `headwater graph export` (the JSON contract)."""
        from headwater.graph._export import graph_to_dict

        return graph_to_dict(self)
