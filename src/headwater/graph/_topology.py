"""Exact questions about a schema graph: impact, lineage, paths, silos, structure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from headwater.errors import UsageError
from headwater.graph._answers import (
    JoinTree,
    KeyStep,
    Path,
    Paths,
    ProofEdge,
    Reach,
    Silos,
    edges_between,
    prove_path,
)
from headwater.graph._index import index_of
from headwater.graph._names import names_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from headwater.graph._features import Features
    from headwater.graph._index import Csr, Direction, EdgeKinds, GraphIndex, Ints
    from headwater.graph._model import SchemaGraph

Keys = Literal["children", "neighbours", "reachable", "none"]
"""How foreign keys widen an impact. children: tables that reference an affected table. neighbours: one key step in either
direction. reachable: any number of key steps in either direction. none: lineage alone."""


class Topology:
    """Operations on a graph. Tables are named by any spelling that leaves no doubt.

    Every method raises NotFoundError or AmbiguousError for a name that does not resolve, and UsageError for a bad option.
    The definitions follow DW-Bench (arXiv 2604.18964) as its code has them: foreign keys run from child to parent, lineage
    as the data flows, silos are components of both with the directions dropped.
    """

    def __init__(self, graph: SchemaGraph) -> None:
        self.graph = graph

    @property
    def index(self) -> GraphIndex:
        """The adjacency arrays of the graph as it is now."""
        return index_of(self.graph)

    def resolve(self, name: str) -> str:
        """Return the full name of the table that `name` stands for."""
        return names_of(self.graph).resolve(name)

    def _id(self, name: str) -> tuple[str, int]:
        full = self.resolve(name)
        return full, self.index.ids[full]

    # Lineage and impact

    def lineage(
        self, table: str, direction: Literal["down", "up"] = "down", depth: int | None = None
    ) -> Reach:
        """Return what is derived from a table (down) or what it is derived from (up), at most `depth` steps away."""
        from headwater.graph._traverse import ball, search

        if direction not in {"down", "up"} or (depth is not None and depth < 1):
            raise UsageError("Lineage runs up or down, over one step or more.")
        name, start = self._id(table)
        csr = self.index.csr("lineage", "out" if direction == "down" else "in")
        order, before = search(csr, start) if depth is None else ball(csr, start, depth)
        words = {
            ("down", None): "lineage.descendants",
            ("up", None): "lineage.ancestors",
            ("down", 1): "lineage.direct_targets",
            ("up", 1): "lineage.direct_sources",
        }
        semantics = words.get((direction, depth), f"lineage.{direction}(depth={depth})")
        return self._reach(semantics, name, order[1:], before, "lineage")

    def impact(self, table: str, keys: Keys = "children", *, expand_source: bool = True) -> Reach:
        """Return every table affected by a change of `table`: its lineage closure, then one step over foreign keys.

        Args:
            table: the changed table.
            keys: how foreign keys widen the closure, see `Keys`.
            expand_source: whether keys of the changed table itself count too ("children" and "neighbours" only).

        The variants reproduce DW-Bench: children with the source expanded is the gold of its four real schemas,
        neighbours that of the synthetic one, children without the source that of its extended set, and reachable the
        definition of its paper.
        """
        import numpy as np

        from headwater.graph._traverse import heads_of, search

        if keys not in {"children", "neighbours", "reachable", "none"}:
            raise UsageError(f"Unknown option {keys!r}.", hint="Use children, neighbours, reachable or none.")
        name, start = self._id(table)
        order, before = search(self.index.csr("lineage", "out"), start)
        if keys == "none":
            return self._reach("impact.closure", name, order[1:], before, "lineage")
        if keys == "reachable":
            return self._reachable_impact(name, start, order, before)
        seeds = np.zeros(self.index.n, dtype=bool)
        seeds[order] = True
        seeds[start] = expand_source
        affected = seeds.copy()
        direction: Direction = "in" if keys == "children" else "both"
        if len(order) > self.index.n // 16:  # one pass over all keys beats following them table by table
            children, parents = self.index.fk.tails, self.index.fk.heads
            affected[children[seeds[parents]]] = True
            if direction == "both":
                affected[parents[seeds[children]]] = True
        else:
            affected[heads_of(self.index.csr("fk", direction), np.flatnonzero(seeds))] = True
        affected[start] = False
        suffix = "source_expanded" if expand_source else "source_not_expanded"
        ids = np.flatnonzero(affected).astype(np.int32)
        semantics = f"impact.closure+fk_{keys}({suffix})"
        return Reach(semantics, name, ids, self.index, before, "lineage", KeyStep(seeds, direction))

    def _reachable_impact(self, name: str, start: int, order: Ints, before: Ints) -> Reach:
        """Widen a closure over any number of key steps; the proof runs over keys from the nearest derived table."""
        import numpy as np

        from headwater.graph._traverse import step

        csr, before = self.index.csr("fk", "both"), before.copy()
        seen = np.zeros(self.index.n, dtype=bool)
        seen[order[1:]] = True
        frontier = order[1:]
        while len(frontier):
            owner, heads = step(csr, frontier)
            fresh = ~seen[heads]
            added, first = np.unique(heads[fresh], return_index=True)
            before[added] = frontier[owner[fresh][first]]
            before[start] = -1  # a key may lead back to the changed table, and on from there
            seen[added] = True
            frontier = added
        seen[start] = False
        return self._reach("impact.closure+fk_reachable", name, np.flatnonzero(seen), before, "fk+lineage")

    def _reach(
        self, semantics: str, name: str, ids: NDArray[np.integer], before: Ints, edges: EdgeKinds
    ) -> Reach:
        import numpy as np

        return Reach(semantics, name, np.sort(ids).astype(np.int32), self.index, before, edges)

    def neighbours(
        self, table: str, edges: EdgeKinds = "fk", depth: int = 1, direction: Direction = "both"
    ) -> Reach:
        """Return the tables at most `depth` steps away over the given edges; out is towards parents and lineage targets."""
        from headwater.graph._traverse import ball

        name, start = self._id(table)
        order, before = ball(self.index.csr(edges, direction), start, depth)
        return self._reach(f"neighbours({edges},{direction},{depth})", name, order[1:], before, edges)

    def sources(self, table: str | None = None) -> list[str]:
        """Return the tables without a lineage source: of the whole graph (with targets), or among a table's ancestors."""
        into, out = self.index.csr("lineage", "in"), self.index.csr("lineage", "out")
        if table is None:
            return [n for i, n in enumerate(self.index.names) if not len(into.row(i)) and len(out.row(i))]
        return [self.index.names[i] for i in self.lineage(table, "up").ids.tolist() if not len(into.row(i))]

    # Keys and paths

    def has_key(self, child: str, parent: str) -> list[ProofEdge]:
        """Return the foreign keys that `child` holds on `parent` (directed; [] if there are none)."""
        (_, a), (_, b) = self._id(child), self._id(parent)
        return [ProofEdge.of_key(key) for key in self.index.foreign_keys(a, b)]

    def edges_between(self, a: str, b: str, edges: EdgeKinds = "fk+lineage") -> list[ProofEdge]:
        """Return every edge between two tables, in either direction."""
        return edges_between(self.index, self._id(a)[1], self._id(b)[1], edges)

    def path(self, source: str, target: str, edges: EdgeKinds = "fk", *, directed: bool = False) -> Path:
        """Return one shortest path (direction dropped unless `directed`); false if there is none."""
        from headwater.graph._traverse import shortest_path

        (first, a), (last, b) = self._id(source), self._id(target)
        nodes = shortest_path(*self._both_ways(edges, directed), a, b)
        tables = [self.index.names[i] for i in nodes]
        return Path(_path_semantics(directed), first, last, edges, tables, self.index)

    def paths(self, source: str, target: str, edges: EdgeKinds = "fk", *, directed: bool = False) -> Paths:
        """Return all shortest paths, counted exactly and listed lazily."""
        from headwater.graph._traverse import PathDag

        (first, a), (last, b) = self._id(source), self._id(target)
        dag = PathDag(*self._both_ways(edges, directed), a, b)
        return Paths(_path_semantics(directed), first, last, edges, dag, self.index)

    def distances(self, table: str, edges: EdgeKinds = "fk", *, directed: bool = False) -> Ints:
        """Return the number of steps from a table to every table, by table number; -1 where there is no path."""
        from headwater.graph._traverse import distances

        return distances(self._both_ways(edges, directed)[0], self._id(table)[1])

    def _both_ways(self, edges: EdgeKinds, directed: bool) -> tuple[Csr, Csr]:
        if directed:
            return self.index.csr(edges, "out"), self.index.csr(edges, "in")
        both = self.index.csr(edges, "both")
        return both, both

    def join_tree(self, tables: Sequence[str], edges: EdgeKinds = "fk") -> JoinTree:
        """Return the fewest joins that connect several tables; exact for a few, else within a stated factor."""
        from headwater.graph._join_tree import steiner_tree

        if not tables:
            raise UsageError("A join tree needs at least one table.")
        resolved = dict(self._id(name) for name in tables)
        both, terminals = self.index.csr(edges, "both"), list(resolved.values())
        steps = self.distances(tables[0], edges)
        apart = [name for name, i in resolved.items() if steps[i] < 0]
        if apart:
            return JoinTree("join_tree.fewest", list(resolved), edges, [], [], True, apart)
        pairs, exact = steiner_tree(both, terminals)
        nodes = sorted({*terminals, *(i for pair in pairs for i in pair)})
        joins = [edges_between(self.index, a, b, edges)[0] for a, b in pairs]
        return JoinTree(
            "join_tree.fewest", list(resolved), edges, [self.index.names[i] for i in nodes], joins, exact, []
        )

    # Silos and structure

    def silos(self, edges: EdgeKinds = "fk+lineage") -> Silos:
        """Return the connected components with their members."""
        from headwater.graph._traverse import components

        count, labels = components(self.index.csr(edges, "out"))
        return Silos(f"component.members({edges})", edges, count, labels, self.index)

    def connected(self, a: str, b: str, edges: EdgeKinds = "fk+lineage") -> Path:
        """Return a path between two tables that shows that they are connected; false if they are not."""
        return self.path(a, b, edges)

    def orphans(self, edges: EdgeKinds = "fk+lineage") -> list[str]:
        """Return the tables without an edge to any other table (a reference to itself does not count)."""
        both = self.index.csr(edges, "both")
        return [name for i, name in enumerate(self.index.names) if not set(both.row(i).tolist()) - {i}]

    def cut_tables(self, edges: EdgeKinds = "fk+lineage") -> list[str]:
        """Return the tables whose removal splits a silo (articulation points)."""
        from headwater.graph._traverse import cuts

        return [self.index.names[i] for i in cuts(self.index.csr(edges, "both"))[0]]

    def bridges(self, edges: EdgeKinds = "fk+lineage") -> list[ProofEdge]:
        """Return the links whose loss splits a silo; several edges between the same two tables count as one link."""
        from headwater.graph._traverse import cuts

        pairs = cuts(self.index.csr(edges, "both"))[1]
        return [edges_between(self.index, a, b, edges)[0] for a, b in pairs]

    def cycles(self, edges: EdgeKinds = "lineage") -> list[list[ProofEdge]]:
        """Return one shortest cycle for every set of tables that depend on each other; [] for an acyclic graph."""
        from headwater.graph._traverse import cycles

        return [prove_path(self.index, nodes, edges) for nodes in cycles(self.index.csr(edges, "out"))]

    def features(self, edges: EdgeKinds = "fk") -> Features:
        """Return degrees, betweenness and PageRank of every table."""
        from headwater.graph._features import features

        return features(self.index, edges)


def _path_semantics(directed: bool) -> str:
    return "path.shortest_directed" if directed else "path.shortest_undirected"
