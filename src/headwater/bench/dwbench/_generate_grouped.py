"""Questions on a schema with groups and layers, under the conditions and quotas of the benchmark's synthetic dataset.

Two things differ from the published generator, with the same counts: direct sources and targets are asked once a table, not once
an edge (which repeats texts), and facts and dimensions are known by their keys, not by their names.
"""

from __future__ import annotations

from itertools import combinations, islice
from typing import TYPE_CHECKING, Any

from headwater.bench.dwbench._draft import layers_in_order
from headwater.bench.dwbench._wordings import GROUPED
from headwater.errors import UsageError

if TYPE_CHECKING:
    from headwater.bench.dwbench._draft import Draft
    from headwater.graph import Topology

_DIRECT = 20


class Grouped:
    """Generates the questions of one graph.

    Raises:
        UsageError: tables lack a group or a layer.
    """

    def __init__(self, draft: Draft) -> None:
        from headwater.graph import Topology

        tables = draft.graph.tables.values()
        if not tables or not all(table.group and table.layer for table in tables):
            raise UsageError("Questions of the grouped kind need a group and a layer for every table.")
        self.draft, self.topology = draft, Topology(draft.graph)
        self.layers = layers_in_order(draft.graph)
        self.groups = list(dict.fromkeys(str(table.group) for table in tables))
        self.keys = {(k.child, k.parent) for k in draft.graph.foreign_keys if k.child != k.parent}
        silos = self.topology.silos()
        self.parts = [silos.members(silo) for silo in range(silos.count)]

    def members(self, group: str, layer: str = "") -> list[str]:
        """Return the tables of a group, or of one of its layers, in the order of the graph."""
        tables = self.draft.graph.tables.values()
        return [t.name for t in tables if t.group == group and (not layer or t.layer == layer)]

    def of_layer(self, *layers: str) -> list[str]:
        """Return the tables of some layers in the order of the graph."""
        return [t.name for t in self.draft.graph.tables.values() if t.layer in layers]

    def add(self, kind: str, wording: str, answer: Any, semantics: str, **args: Any) -> None:
        """Add a question worded as `wording` says."""
        self.draft.add(kind, GROUPED[wording].format(**args), answer, semantics, args)

    def generate(self) -> None:
        """Add questions of all 13 kinds."""
        self.lineage()
        self.silos()
        self.keys_and_paths()

    def lineage(self) -> None:
        """Closures filtered by layer, direct sources and targets, impact over keys in either direction."""
        topology, first, last = self.topology, self.layers[0], self.layers[-1]
        for name in self.of_layer(last):
            self._closure(topology, name, "up", first)
        for name in self.of_layer(first):
            self._closure(topology, name, "down", last)
        for name in self.of_layer(*self.layers[1:]):
            sources = topology.lineage(name, "up", 1).tables
            if len(sources) >= 2:
                self.add("multi_source", "multi_source", sources, "lineage.direct_sources", table=name)
        flows = self.draft.graph.lineage
        for name in islice(dict.fromkeys(edge.source for edge in flows), _DIRECT):
            self.add(
                "forward",
                "forward",
                topology.lineage(name, "down", 1).tables,
                "lineage.direct_targets",
                table=name,
            )
        for name in islice(dict.fromkeys(edge.target for edge in flows), _DIRECT):
            self.add(
                "reverse",
                "reverse",
                topology.lineage(name, "up", 1).tables,
                "lineage.direct_sources",
                table=name,
            )
        for name in self.of_layer(*self.layers[:2]):
            affected = topology.impact(name, "neighbours").tables
            if len(affected) >= 3:
                semantics = "impact.closure+fk_neighbours(source_expanded)"
                self.add("combined_impact", "combined_impact", affected, semantics, table=name)

    def _closure(self, topology: Topology, name: str, way: Any, layer: str) -> None:
        tables = self.draft.graph.tables
        found = [other for other in topology.lineage(name, way).tables if tables[other].layer == layer]
        if found:
            word, semantics = ("upstream", "ancestors") if way == "up" else ("downstream", "descendants")
            self.add(
                "transitive",
                f"transitive_{way}",
                found,
                f"lineage.{semantics}@layer",
                table=name,
                direction=word,
                layer=layer,
            )

    def silos(self) -> None:
        """Components, groups and layers: together or apart, how many, which, whose."""
        same = "component.same(fk+lineage)"
        for one, two in combinations(self.parts, 2):
            self.add("connected", "connected", False, same, a=one[0], b=two[0])
        for part in self.parts:
            pairs = (
                (part[i], part[j]) for i in range(min(3, len(part))) for j in range(i + 1, min(5, len(part)))
            )
            for a, b in islice(pairs, 3):
                self.add("connected", "connected", True, same, a=a, b=b)
        for part in self.parts:
            for other in self.draft.sample((n for n in sorted(self.draft.graph.tables) if n not in part), 5):
                self.add("isolation", "isolation", False, same, a=part[0], b=other)
        self.add("count", "count", len(self.parts), "component.count(fk+lineage)", what="components")
        for group in self.groups:
            members = sorted(self.members(group))
            self.add("count", "count_group", len(members), "group.size", what="tables", group=group)
            self.add("full_enumeration", "enumerate_group", members, "group.members", group=group)
            for name in members[:4]:
                self.add("membership", "membership", group, "group.label_of", table=name)
        for group in self.groups:
            for layer in self.layers:
                members = sorted(self.members(group, layer))
                self.add(
                    "count",
                    "count_layer",
                    len(members),
                    "group.layer_size",
                    what="tables",
                    layer=layer,
                    group=group,
                )
                self.add(
                    "full_enumeration",
                    "enumerate_layer",
                    members,
                    "group.layer_members",
                    layer=layer,
                    group=group,
                )

    def keys_and_paths(self) -> None:
        """Paths inside a group: from the first layer to the last over all edges, and over keys; single keys."""
        for group in self.groups:
            self._hops(group)
        for child, parent in sorted(self.keys):
            self.add("direct_fk", "direct_fk", True, "fk.directed_edge", child=child, parent=parent)
        for group in self.groups:
            dims, facts = self._dims(group), self._facts(group)
            for child in self.members(group, self.layers[0])[:2]:
                for parent in dims[:2]:
                    if (child, parent) not in self.keys:
                        self.add(
                            "direct_fk", "direct_fk", False, "fk.directed_edge", child=child, parent=parent
                        )
            for a, b in [*((f, d) for f in facts for d in dims), *combinations(dims, 2)]:
                self._path(a, b)

    def _dims(self, group: str) -> list[str]:
        parents = {parent for _, parent in self.keys}
        return [name for name in self.members(group) if name in parents]

    def _facts(self, group: str) -> list[str]:
        children, parents = ({pair[i] for pair in self.keys} for i in (0, 1))
        return [name for name in self.members(group) if name in children and name not in parents]

    def _hops(self, group: str) -> None:
        for source in self.members(group, self.layers[0]):
            for target in self.members(group, self.layers[-1]):
                path = self.topology.path(source, target, "fk+lineage")
                if path:
                    self.add(
                        "hop_count", "hop_count", path.length, "path.length_undirected",
                        source=source, target=target, edges="fk+lineage",
                    )  # fmt: skip

    def _path(self, a: str, b: str) -> None:
        paths = self.topology.paths(a, b, "fk")
        if not paths.count:
            return
        args = {"source": a, "target": b, "edges": "fk"}
        flags = ["tied_shortest_paths"] if paths.count > 1 else []
        self.draft.add(
            "join_path", GROUPED["join_path"].format(**args), next(iter(paths)).tables, "path.shortest_undirected", args,
            flags=flags, n_shortest_paths=paths.count,
        )  # fmt: skip
