"""Answers over a schema graph. Each names its semantics and can show the edges that prove it, worked out when asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from headwater.graph._index import Direction, EdgeKinds, GraphIndex, Ints
    from headwater.graph._model import ForeignKey, LineageEdge, Origin
    from headwater.graph._traverse import PathDag


@dataclass(frozen=True, slots=True)
class ProofEdge:
    """One edge as evidence.

    Attributes:
        kind: "fk" (from the table that holds the key to the one it references) or "lineage" (as the data flows).
        source: child, or source of the data.
        target: parent, or target of the data.
        columns: pairs (column of source, column of target) where known.
        name: name of the constraint, or "".
        origin: where the edge was read.
        inferred: a key proposed from the data, not declared.
    """

    kind: str
    source: str
    target: str
    columns: tuple[tuple[str, str], ...]
    name: str
    origin: Origin
    inferred: bool = False

    @classmethod
    def of_key(cls, key: ForeignKey) -> ProofEdge:
        """Return the evidence of a foreign key."""
        columns = tuple(zip(key.child_columns, key.parent_columns, strict=False))
        return cls("fk", key.child, key.parent, columns, key.name, key.origin, key.inferred)

    @classmethod
    def of_flow(cls, edge: LineageEdge) -> ProofEdge:
        """Return the evidence of a lineage edge."""
        return cls("lineage", edge.source, edge.target, edge.columns, "", edge.origin)

    def __str__(self) -> str:
        return f"{self.source} {'references' if self.kind == 'fk' else 'feeds'} {self.target}"

    def to_dict(self) -> dict[str, Any]:
        """Return the edge in the form of the JSON contract."""
        origin = {key: getattr(self.origin, key) for key in ("tool", "file", "line", "statement", "note")}
        return {
            "kind": self.kind,
            "source": self.source,
            "target": self.target,
            "columns": [list(pair) for pair in self.columns],
            "name": self.name,
            "origin": {key: value for key, value in origin.items() if value},
            **({"inferred": True} if self.inferred else {}),
        }


def edges_between(index: GraphIndex, a: int, b: int, edges: EdgeKinds) -> list[ProofEdge]:
    """Return every edge of the given kinds between two tables, in either direction; an edge along a → b comes first."""
    found: list[ProofEdge] = []
    for tail, head in dict.fromkeys(((a, b), (b, a))):
        if "fk" in edges:
            found += map(ProofEdge.of_key, index.foreign_keys(tail, head))
        if "lineage" in edges:
            found += map(ProofEdge.of_flow, index.lineage_edges(tail, head))
    return found


def prove_path(index: GraphIndex, path: Sequence[int], edges: EdgeKinds) -> list[ProofEdge]:
    """Return one edge for each step of a path."""
    return [edges_between(index, a, b, edges)[0] for a, b in zip(path, path[1:], strict=False)]


@dataclass(frozen=True)
class KeyStep:
    """The last step of an impact: over foreign keys from the tables marked in `seeds` (by table number)."""

    seeds: NDArray[np.bool_]
    direction: Direction

    def origin(self, index: GraphIndex, node: int) -> int:
        """Return the first table that the key step may have come from to reach `node`."""
        back = index.csr("fk", "out" if self.direction == "in" else "both").row(node)
        return int(back[self.seeds[back]][0])


@dataclass(frozen=True)
class Reach:
    """A set of tables reached from one table, each with the path that reaches it.

    Iterates over, measures and tests the table names. Nothing but the numbers of the tables is worked out before it is
    read, so a closure over a large graph costs its search alone.

    Attributes:
        semantics: which question this answers (an identifier such as "lineage.descendants").
        table: name of the table asked about.
        ids: numbers of the tables, ascending.
    """

    semantics: str
    table: str
    ids: Ints
    _index: GraphIndex = field(repr=False)
    _before: Ints = field(repr=False)
    _edges: EdgeKinds = field(repr=False)
    _keys: KeyStep | None = field(default=None, repr=False)

    @cached_property
    def tables(self) -> list[str]:
        """The names, ascending."""
        names = self._index.names
        return [names[i] for i in self.ids.tolist()]

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[str]:
        return iter(self.tables)

    def __contains__(self, name: object) -> bool:
        import numpy as np

        number = self._index.ids.get(name) if isinstance(name, str) else None
        if number is None:
            return False
        at = int(np.searchsorted(self.ids, number))
        return at < len(self.ids) and int(self.ids[at]) == number

    def path_to(self, name: str) -> list[ProofEdge]:
        """Return the edges of the path that reaches `name`, from the table asked about; [] if it is not reached."""
        return self._prove(self._index.ids[name]) if name in self else []

    def _prove(self, node: int) -> list[ProofEdge]:
        from headwater.graph._traverse import walk_back

        tail: list[ProofEdge] = []
        if self._keys is not None and not self._keys.seeds[node]:
            via = self._keys.origin(self._index, node)
            tail = edges_between(self._index, via, node, "fk")[:1]
            node = via
        return prove_path(self._index, walk_back(self._before, node), self._edges) + tail

    def proof(self, limit: int | None = None) -> list[ProofEdge]:
        """Return the edges of the paths to the first `limit` tables (None: all), without repeats."""
        return list(dict.fromkeys(e for node in self.ids[:limit].tolist() for e in self._prove(node)))

    def narrowed(self, semantics: str, keep: Iterable[str]) -> Reach:
        """Return the same answer with only the tables in `keep`, under another name."""
        import numpy as np

        wanted = set(keep)
        ids = np.array([i for i in self.ids.tolist() if self._index.names[i] in wanted], dtype=np.int32)
        return Reach(semantics, self.table, ids, self._index, self._before, self._edges, self._keys)


@dataclass(frozen=True)
class Path:
    """A shortest path between two tables.

    Attributes:
        semantics: "path.shortest_undirected" or "path.shortest_directed".
        source: first table.
        target: last table.
        edges: edge kinds it may use.
        tables: the tables in order, both ends included; [] if they are not connected.
    """

    semantics: str
    source: str
    target: str
    edges: EdgeKinds
    tables: list[str]
    _index: GraphIndex = field(repr=False)

    @property
    def length(self) -> int | None:
        """Number of steps; None if there is no path."""
        return len(self.tables) - 1 if self.tables else None

    def __bool__(self) -> bool:
        return bool(self.tables)

    def proof(self) -> list[ProofEdge]:
        """Return one edge for each step."""
        return prove_path(self._index, [self._index.ids[name] for name in self.tables], self.edges)


@dataclass(frozen=True)
class Paths:
    """All shortest paths between two tables, in lexicographic order; `count` is exact, the paths are made one by one."""

    semantics: str
    source: str
    target: str
    edges: EdgeKinds
    _dag: PathDag = field(repr=False)
    _index: GraphIndex = field(repr=False)

    @property
    def length(self) -> int | None:
        """Number of steps; None if there is no path."""
        return self._dag.length if self._dag.length >= 0 else None

    @property
    def count(self) -> int:
        """Exact number of shortest paths."""
        return self._dag.count

    def __iter__(self) -> Iterator[Path]:
        names = self._index.names
        for nodes in self._dag:
            tables = [names[i] for i in nodes]
            yield Path(self.semantics, self.source, self.target, self.edges, tables, self._index)


@dataclass(frozen=True)
class JoinTree:
    """The fewest joins that connect several tables.

    Attributes:
        tables: every table of the tree, ascending; [] if the terminals are not all connected.
        joins: one edge for each join.
        exact: True if no smaller tree exists; else the tree has at most 2 (1 - 1/k) times the fewest joins for k tables.
        unreachable: terminals that cannot be joined to the first one.
    """

    semantics: str
    terminals: list[str]
    edges: EdgeKinds
    tables: list[str]
    joins: list[ProofEdge]
    exact: bool
    unreachable: list[str]

    def proof(self) -> list[ProofEdge]:
        """Return the joins."""
        return self.joins


@dataclass(frozen=True)
class Silos:
    """The connected components of a graph, numbered by their first table.

    Attributes:
        count: number of components; a table without edges is one of its own.
        labels: component of each table, by table number.
    """

    semantics: str
    edges: EdgeKinds
    count: int
    labels: Ints
    _index: GraphIndex = field(repr=False)

    @cached_property
    def sizes(self) -> Ints:
        """Number of tables of each component."""
        import numpy as np

        return np.bincount(self.labels, minlength=self.count).astype(np.int32)

    @cached_property
    def _grouped(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        import numpy as np

        ends = np.zeros(self.count + 1, dtype=np.int64)
        np.cumsum(self.sizes, out=ends[1:])
        return np.argsort(self.labels, kind="stable").astype(np.int64), ends

    def members(self, silo: int) -> list[str]:
        """Return the tables of a component, ascending."""
        order, ends = self._grouped
        return [self._index.names[i] for i in order[ends[silo] : ends[silo + 1]].tolist()]

    def of(self, table: str) -> int:
        """Return the component of a table."""
        return int(self.labels[self._index.ids[table]])

    @property
    def largest(self) -> list[int]:
        """Components with the most tables (more than one if they tie), ascending."""
        import numpy as np

        return np.flatnonzero(self.sizes == self.sizes.max()).tolist() if self.count else []

    def by_size(self) -> list[int]:
        """Return the components, largest first, ties by number."""
        import numpy as np

        order: list[int] = np.argsort(-self.sizes, kind="stable").tolist()
        return order
