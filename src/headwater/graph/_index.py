"""Integer-indexed adjacency of a schema graph, built once per graph version.

Tables are numbered in code-point order of their names, so that ascending numbers are sorted names and ties break the
same way everywhere. Parallel edges collapse to one pair for every answer; the keys and lineage edges behind a pair
stay reachable for the proof.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from headwater.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from headwater.graph._model import ForeignKey, LineageEdge, SchemaGraph

    Ints = NDArray[np.int32]

EdgeKinds = Literal["fk", "lineage", "fk+lineage"]
"""Which edges a question runs over."""

Direction = Literal["out", "in", "both"]
"""out: child to parent, source to target. in: the reverse. both: direction dropped."""


@dataclass(frozen=True)
class Csr:
    """Compressed rows: the neighbours of node i are `indices[indptr[i]:indptr[i + 1]]`, ascending and without repeats."""

    indptr: Ints
    indices: Ints

    def row(self, node: int) -> Ints:
        """Return the neighbours of one node."""
        return self.indices[self.indptr[node] : self.indptr[node + 1]]

    @cached_property
    def matrix(self) -> Any:
        """The same as a scipy matrix of ones, in the element type csgraph works in (so that no call copies it)."""
        import numpy as np
        from scipy.sparse import csr_array

        n = len(self.indptr) - 1
        return csr_array((np.ones(len(self.indices)), self.indices, self.indptr), shape=(n, n))

    @cached_property
    def views(self) -> tuple[memoryview, memoryview]:
        """`indptr` and `indices` as memory views: reading single numbers from them is cheaper than from arrays."""
        return self.indptr.data, self.indices.data


class PairSet:
    """The distinct ordered pairs of one kind of edge, and the positions of the edges behind each pair."""

    def __init__(self, tails: ArrayLike, heads: ArrayLike, n: int) -> None:
        import numpy as np

        self.n = n
        keys = np.asarray(tails, dtype=np.int64) * n + np.asarray(heads, dtype=np.int64)
        self._order = np.argsort(keys, kind="stable")
        self._sorted = keys[self._order]
        distinct = np.unique(self._sorted)
        self.tails = (distinct // max(n, 1)).astype(np.int32)
        self.heads = (distinct % max(n, 1)).astype(np.int32)

    def edges(self, tail: int, head: int) -> list[int]:
        """Return the positions (in the graph's list) of the edges from `tail` to `head`."""
        import numpy as np

        key = tail * self.n + head
        low, high = np.searchsorted(self._sorted, key, "left"), np.searchsorted(self._sorted, key, "right")
        return [int(i) for i in self._order[low:high]]


class GraphIndex:
    """Adjacency arrays over the tables of a graph.

    Attributes:
        names: table names in code-point order; a table's number is its position.
        ids: name to number.
        n: number of tables.
    """

    def __init__(self, graph: SchemaGraph) -> None:
        self.names = sorted(graph.tables)
        self.ids = {name: i for i, name in enumerate(self.names)}
        self.n = len(self.names)
        ids = self.ids
        self._keys: list[ForeignKey] = list(graph.foreign_keys)
        self._flows: list[LineageEdge] = list(graph.lineage)
        self.fk = PairSet([ids[k.child] for k in self._keys], [ids[k.parent] for k in self._keys], self.n)
        self.lineage = PairSet(
            [ids[e.source] for e in self._flows], [ids[e.target] for e in self._flows], self.n
        )
        self._csr: dict[tuple[str, str], Csr] = {}

    def csr(self, edges: EdgeKinds, direction: Direction) -> Csr:
        """Return the adjacency for a set of edge kinds and a direction, built on first use."""
        found = self._csr.get((edges, direction))
        if found is None:
            found = self._csr[edges, direction] = self._build(edges, direction)
        return found

    def _build(self, edges: EdgeKinds, direction: Direction) -> Csr:
        import numpy as np

        chosen = {"fk": [self.fk], "lineage": [self.lineage], "fk+lineage": [self.fk, self.lineage]}.get(
            edges
        )
        if chosen is None:
            raise UsageError(f"Unknown edge kind {edges!r}.", hint="Use fk, lineage or fk+lineage.")
        tails = np.concatenate([p.tails for p in chosen])
        heads = np.concatenate([p.heads for p in chosen])
        if direction == "in":
            tails, heads = heads, tails
        elif direction == "both":
            tails, heads = np.concatenate([tails, heads]), np.concatenate([heads, tails])
        keys = np.unique(tails.astype(np.int64) * self.n + heads)
        rows = keys // max(self.n, 1)
        indptr = np.zeros(self.n + 1, dtype=np.int32)
        np.cumsum(np.bincount(rows, minlength=self.n), out=indptr[1:])
        return Csr(indptr, (keys % max(self.n, 1)).astype(np.int32))

    def foreign_keys(self, child: int, parent: int) -> list[ForeignKey]:
        """Return the keys that `child` holds on `parent`, in the order of the graph."""
        return [self._keys[i] for i in self.fk.edges(child, parent)]

    def lineage_edges(self, source: int, target: int) -> list[LineageEdge]:
        """Return the lineage edges from `source` to `target`, in the order of the graph."""
        return [self._flows[i] for i in self.lineage.edges(source, target)]


_CACHE: weakref.WeakKeyDictionary[SchemaGraph, tuple[int, GraphIndex]] = weakref.WeakKeyDictionary()


def index_of(graph: SchemaGraph) -> GraphIndex:
    """Return the index of a graph, rebuilt only if the graph has changed since."""
    cached = _CACHE.get(graph)
    if cached is None or cached[0] != graph.version:
        cached = graph.version, GraphIndex(graph)
        _CACHE[graph] = cached
    return cached[1]
