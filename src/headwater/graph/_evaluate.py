"""Computes typed queries over a graph: an answer, its type, its proof and a sentence that says how it was read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headwater.graph._answers import ProofEdge, Reach
from headwater.graph._intents import Query, Unclear
from headwater.graph._labels import Labels, Scope, labels_of
from headwater.graph._topology import Topology

if TYPE_CHECKING:
    from headwater.graph._model import SchemaGraph

_PROVEN_TABLES = 200
"""A proof holds the paths to so many tables; the answer itself is never cut."""


@dataclass(frozen=True)
class Result:
    """What a query comes to; `proof` is worked out when called."""

    answer: Any
    answer_type: str
    reading: str
    proof: Callable[[], list[Any]]


def nothing() -> list[Any]:
    return []


class Evaluator:
    """Runs queries over one graph."""

    def __init__(self, graph: SchemaGraph) -> None:
        self.graph, self.topology = graph, Topology(graph)
        self.labels: Labels = labels_of(graph)

    def run(self, query: Query) -> Result:
        """Return the result of a query.

        Raises:
            Unclear: the graph cannot answer it (no path, no label); the message says why.
        """
        semantics = query.semantics.removeprefix("?")
        family = semantics.split(".")[0]
        rule = {
            "lineage": self._lineage,
            "impact": self._impact,
            "fk": self._keys,
            "edge": self._keys,
            "neighbours": self._neighbours,
            "path": self._path,
            "join_tree": self._join_tree,
            "component": self._component,
            "group": self._group,
            "layer": self._group,
            "schema": self._group,
            "nodes": self._structure,
            "node": self._structure,
            "structure": self._structure,
            "rows": self._rows,
            "tables": self._rows,
            "groups": self._rows,
        }[family]
        return rule(semantics, query)

    def _rows(self, semantics: str, query: Query) -> Result:
        from headwater.graph._evaluate_rows import evaluate_rows

        return evaluate_rows(self, semantics, query)

    def set_of(
        self, names: list[str], query: Query, reading: str, proof: Callable[[], list[Any]] = nothing
    ) -> Result:
        kept = [name for name in names if not query.scope or self.labels.passes(name, query.scope)]
        reading += within(query.scope)
        if query.shape == "count":
            return Result(len(kept), "integer", f"number of {reading}", proof)
        return Result(sorted(kept), "list", reading, proof)

    def _reach(self, reach: Reach, query: Query, reading: str) -> Result:
        narrowed = reach
        if query.scope:
            keep = [name for name in reach if self.labels.passes(name, query.scope)]
            narrowed = reach.narrowed(reach.semantics, keep)
        return self.set_of(reach.tables, query, reading, lambda: narrowed.proof(_PROVEN_TABLES))

    def _lineage(self, semantics: str, query: Query) -> Result:
        kind, args, topology = semantics.split(".")[1], query.args, self.topology
        if kind in _LINEAGE_SETS:
            way, depth, words = _LINEAGE_SETS[kind]
            return self._reach(topology.lineage(args["table"], way, depth), query, words.format(**args))
        if kind.startswith("common_"):
            way, depth, words = _LINEAGE_COMMON[kind]
            first, second = (topology.lineage(args[key], way, depth) for key in ("a", "b"))
            names = sorted(set(first) & set(second))
            return self.set_of(
                names, query, words.format(**args), lambda: _proof_of_both(first, second, names)
            )
        if kind == "reaches":
            path = topology.path(args["source"], args["target"], "lineage", directed=True)
            return Result(
                bool(path),
                "boolean",
                f"whether data of {args['source']} reaches {args['target']} over lineage",
                path.proof,
            )
        if kind == "directed_edge":
            index = topology.index
            edges = index.lineage_edges(index.ids[args["source"]], index.ids[args["target"]])
            return Result(
                bool(edges),
                "boolean",
                f"whether {args['source']} feeds {args['target']} directly",
                lambda: [ProofEdge.of_flow(e) for e in edges],
            )
        if kind == "roots":
            return self.set_of(
                topology.sources(), query, "tables that feed others and have no lineage source"
            )
        if kind == "roots_of":
            return self.set_of(
                topology.sources(args["table"]), query, f"ultimate lineage sources of {args['table']}"
            )
        loops = topology.cycles()
        names = sorted({e.source for loop in loops for e in loop})
        return self.set_of(
            names, query, "tables on a lineage cycle", lambda: [e for loop in loops for e in loop]
        )

    def _impact(self, semantics: str, query: Query) -> Result:
        args = query.args
        if semantics == "impact.reaches":
            reach = self.topology.impact(args["source"], "children")
            return Result(
                args["target"] in reach,
                "boolean",
                f"whether a change of {args['source']} affects {args['target']} through lineage or a key",
                lambda: reach.path_to(args["target"]),
            )
        keys = "neighbours" if "neighbours" in semantics else "children"
        expand = "not_expanded" not in semantics
        reach = self.topology.impact(args["table"], keys, expand_source=expand)  # type: ignore[arg-type]
        step = "one key step away in either direction" if keys == "neighbours" else "that reference"
        seeds = f"them or {args['table']}" if expand else "them"
        joint = f"{step} from {seeds}" if keys == "neighbours" else f"{step} {seeds} by a foreign key"
        return self._reach(
            reach, query, f"tables derived from {args['table']} at any depth, and tables {joint}"
        )

    def _keys(self, semantics: str, query: Query) -> Result:
        args, topology = query.args, self.topology
        if semantics == "fk.directed_edge":
            edges = topology.has_key(args["child"], args["parent"])
            column = args.get("column")
            if column:
                edges = [e for e in edges if column.lower() in {own.lower() for own, _ in e.columns}]
            via = f" through its column {column}" if column else ""
            return Result(
                bool(edges),
                "boolean",
                f"whether {args['child']} holds a foreign key on {args['parent']}{via}",
                lambda: list(edges),
            )
        if semantics in {"fk.edge_either_way", "edge.any"}:
            kinds, words = (
                ("fk", "a foreign key")
                if semantics == "fk.edge_either_way"
                else ("fk+lineage", "a foreign key or a lineage edge")
            )
            found = topology.edges_between(args["a"], args["b"], kinds)  # type: ignore[arg-type]
            return Result(
                bool(found),
                "boolean",
                f"whether {words} runs directly between {args['a']} and {args['b']}, in either direction",
                lambda: found,
            )
        if semantics == "fk.count_declared":
            keys = [key for key in self.graph.foreign_keys if key.child == args["table"]]
            reading = f"number of foreign keys that {args['table']} holds"
            return Result(len(keys), "integer", reading, lambda: [ProofEdge.of_key(key) for key in keys])
        if semantics.startswith("fk.common_"):
            way: Any = "in" if semantics.endswith("children") else "out"
            first, second = (topology.neighbours(args[key], "fk", 1, way) for key in ("a", "b"))
            names = sorted(set(first) & set(second))
            words = "tables that reference both" if way == "in" else "tables referenced by both"
            return self.set_of(
                names,
                query,
                f"{words} {args['a']} and {args['b']}",
                lambda: [*first.narrowed("", names).proof(), *second.narrowed("", names).proof()],
            )
        if semantics == "fk.children":
            return self._reach(
                topology.neighbours(args["table"], "fk", 1, "in"),
                query,
                f"tables that reference {args['table']} by a foreign key",
            )
        return self._reach(
            topology.neighbours(args["table"], "fk", 1, "out"),
            query,
            f"tables that {args['table']} references by a foreign key",
        )

    def _neighbours(self, semantics: str, query: Query) -> Result:
        reach = self.topology.neighbours(query.args["table"], query.args["edges"])
        return self._reach(
            reach,
            query,
            f"tables one step from {query.args['table']} over {_kinds(query.args['edges'])}, in either direction",
        )

    def _path(self, semantics: str, query: Query) -> Result:
        a, b, edges = (query.args[key] for key in ("source", "target", "edges"))
        directed = semantics.endswith("_directed")
        over = f"over {_kinds(edges)}{', as the data flows' if directed else ''}"
        if semantics == "path.count_shortest":
            paths = self.topology.paths(a, b, edges)
            return Result(
                paths.count,
                "integer",
                f"number of shortest paths between {a} and {b} {over}",
                lambda: next(iter(paths)).proof() if paths.count else [],
            )
        path = self.topology.path(a, b, edges, directed=directed)
        if directed and not path:
            path = self.topology.path(b, a, edges, directed=True)
        if not path:
            wider = self.topology.path(a, b, "fk+lineage")
            hint = (
                f" They are connected once foreign keys and lineage are both followed, in {wider.length} steps."
                if wider
                else " They lie in different silos."
            )
            raise Unclear(f"There is no path between {a} and {b} {over}.{hint}")
        if semantics.startswith("path.length"):
            return Result(path.length, "integer", f"fewest steps between {a} and {b} {over}", path.proof)
        tables = path.tables if path.tables[0] == a else path.tables[::-1]
        return Result(tables, "ordered_list", f"a shortest path from {a} to {b} {over}", path.proof)

    def _join_tree(self, semantics: str, query: Query) -> Result:
        tree = self.topology.join_tree(query.args["tables"], query.args["edges"])
        if tree.unreachable:
            raise Unclear(
                f"{', '.join(tree.unreachable)} cannot be joined to {tree.terminals[0]} over {_kinds(query.args['edges'])}."
            )
        exact = "fewest joins" if tree.exact else "few joins (close to the fewest)"
        reading = f"{exact} over {_kinds(query.args['edges'])} that connect {', '.join(tree.terminals)}"
        if semantics.endswith("size"):
            return Result(len(tree.joins), "integer", f"number of {reading}", tree.proof)
        return Result(tree.tables, "list", f"tables of the {reading}", tree.proof)

    def _component(self, semantics: str, query: Query) -> Result:
        kind, _, rest = semantics.split(".")[1].partition("(")
        edges: Any = rest.rstrip(")")
        args, over = query.args, f"over {_kinds(edges)}"
        if kind in {"same", "different"}:
            path = self.topology.connected(args["a"], args["b"], edges)
            note = ""
            if not path and edges == "fk" and self.topology.connected(args["a"], args["b"]):
                note = " (they are connected once lineage counts too)"
            verb = "are connected" if kind == "same" else "are not connected"
            return Result(
                bool(path) == (kind == "same"),
                "boolean",
                f"whether {args['a']} and {args['b']} {verb} {over}{note}",
                path.proof,
            )
        silos = self.topology.silos(edges)
        if kind == "count":
            return Result(
                silos.count,
                "integer",
                f"number of connected components {over}; a table without links is one",
                nothing,
            )
        if kind == "single":
            return Result(silos.count == 1, "boolean", f"whether all tables are connected {over}", nothing)
        if kind == "all_same":
            own = {silos.of(name) for name in args["tables"]}
            return Result(
                len(own) == 1,
                "boolean",
                f"whether {', '.join(args['tables'])} lie in one component {over}",
                nothing,
            )
        if kind == "largest_members":
            return self._largest(silos, query, over)
        members = silos.members(silos.of(args["table"]))
        if kind == "size":
            return self.set_of(
                members,
                Query("", scope=query.scope, shape="count"),
                f"tables in the component of {args['table']} {over}",
            )
        if kind == "members_except_self":
            members = [name for name in members if name != args["table"]]
            return self.set_of(
                members,
                query,
                f"other tables in the component of {args['table']} {over}",
                lambda: self._spanning(args["table"], edges),
            )
        return self.set_of(
            members,
            query,
            f"tables in the component of {args['table']} {over}",
            lambda: self._spanning(args["table"], edges),
        )

    def _largest(self, silos: Any, query: Query, over: str) -> Result:
        largest = silos.largest
        if not largest:
            return self.set_of([], query, "tables of the largest component (the graph is empty)")
        tie = (
            ""
            if len(largest) == 1
            else f" (the first of {len(largest)} of {int(silos.sizes[largest[0]])} tables each)"
        )
        members = silos.members(largest[0])
        return self.set_of(
            members,
            query,
            f"tables of the largest component {over}{tie}",
            lambda: self._spanning(members[0], silos.edges),
        )

    def _spanning(self, table: str, edges: Any) -> list[ProofEdge]:
        return self.topology.neighbours(table, edges, depth=max(1, len(self.graph.tables))).proof(
            _PROVEN_TABLES
        )

    def _group(self, semantics: str, query: Query) -> Result:
        names = sorted(self.graph.tables)
        if semantics == "group.count":
            return Result(
                len(self.labels.groups),
                "integer",
                f"number of groups ({', '.join(self.labels.groups)})",
                nothing,
            )
        if semantics == "schema.size":
            return Result(len(names), "integer", "number of tables", nothing)
        if semantics == "group.has_member":
            table, group = query.args["table"], query.args["group"]
            label = self.graph.tables[table].group
            return Result(label == group, "boolean", f"whether {table} is labelled {group}", nothing)
        if semantics == "group.label_of":
            label = self.graph.tables[query.args["table"]].group
            if label is None:
                raise Unclear(f"{query.args['table']} carries no group.")
            return Result(label, "string", f"group that {query.args['table']} is labelled with", nothing)
        if semantics in {"group.same", "group.different"}:
            own = {self.graph.tables[query.args[key]].group for key in ("a", "b")}
            if None in own:
                raise Unclear("A table carries no group.")
            return Result(
                (len(own) == 1) == semantics.endswith("same"),
                "boolean",
                f"whether {query.args['a']} and {query.args['b']} are labelled with {semantics.split('.')[1]} groups",
                nothing,
            )
        return self.set_of(names, query, "tables")

    def _structure(self, semantics: str, query: Query) -> Result:
        if semantics == "structure.cut_tables":
            return self.set_of(self.topology.cut_tables(), query, "tables whose removal splits a component")
        if semantics == "structure.bridges":
            bridges = self.topology.bridges()
            if query.shape == "count":
                return Result(
                    len(bridges), "integer", "number of links whose loss splits a component", lambda: bridges
                )
            return Result(
                [str(e) for e in bridges], "list", "links whose loss splits a component", lambda: bridges
            )
        edges: Any = semantics.partition("(")[2].rstrip(")")
        orphans = self.topology.orphans(edges)
        if semantics.startswith("node."):
            table = query.args["table"]
            if semantics.startswith("node.has_link"):
                reading = f"whether {table} has an edge to another table over {_kinds(edges)}"
                return Result(
                    table not in orphans,
                    "boolean",
                    reading,
                    lambda: self.topology.neighbours(table, edges).proof(_PROVEN_TABLES),
                )
            return Result(
                table in orphans,
                "boolean",
                f"whether {table} has no edge to another table over {_kinds(edges)}",
                nothing,
            )
        return self.set_of(orphans, query, f"tables without an edge to another table over {_kinds(edges)}")


_LINEAGE_SETS: dict[str, tuple[Any, int | None, str]] = {
    "direct_targets": ("down", 1, "tables derived from {table} directly"),
    "direct_sources": ("up", 1, "tables that feed {table} directly"),
    "descendants": ("down", None, "tables derived from {table} over any number of lineage steps"),
    "ancestors": ("up", None, "tables that feed {table} over any number of lineage steps"),
}
_LINEAGE_COMMON: dict[str, tuple[Any, int | None, str]] = {
    "common_sources": ("up", 1, "tables that feed both {a} and {b} directly"),
    "common_targets": ("down", 1, "tables derived from both {a} and {b} directly"),
    "common_ancestors": ("up", None, "tables that feed both {a} and {b} over any number of lineage steps"),
    "common_descendants": (
        "down",
        None,
        "tables derived from both {a} and {b} over any number of lineage steps",
    ),
}


def _proof_of_both(first: Reach, second: Reach, names: list[str]) -> list[ProofEdge]:
    return [edge for reach in (first, second) for edge in reach.narrowed("", names).proof(_PROVEN_TABLES)]


def _kinds(edges: str) -> str:
    return {"fk": "foreign keys", "lineage": "lineage", "fk+lineage": "foreign keys and lineage"}[edges]


def described(scope: Scope) -> str:
    parts = [
        *sorted(scope.groups),
        *sorted(scope.layers),
        *sorted(p.rstrip(".") for p in scope.prefixes),
        *sorted(scope.roles),
    ]
    return " ".join(parts) + " tables"


def within(scope: Scope) -> str:
    return f", only {described(scope)}" if scope else ""
