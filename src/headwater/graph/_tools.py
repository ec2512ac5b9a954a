"""Tools for agents: one call each, JSON in and out, bounded.

The first nine are those that DW-Bench gives its tool-use baseline, with the semantics of its code (which its descriptions do
not always say): `shortest_path` runs over foreign keys and lineage together, `check_fk_adjacency` is directed,
`get_fk_neighbors` is not, `get_component_of` leaves the table itself out of the members but counts it. The others are ours.

Every list comes with the number of all items; a list longer than `limit` is cut and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from headwater.errors import UsageError
from headwater.graph._index import EdgeKinds  # noqa: TC001 - the tools' schemas are made from their annotations
from headwater.graph._topology import Keys, Topology

if TYPE_CHECKING:
    from headwater.graph._answers import ProofEdge
    from headwater.graph._model import SchemaGraph

LIMIT = 1_000
"""Most items of a list in one answer."""

_PROVEN = 20


def _bounded(items: Sequence[Any], limit: int, name: str = "tables") -> dict[str, Any]:
    if limit < 1:
        raise UsageError("limit must be at least 1.")
    cut = {"truncated": f"{limit} of {len(items)}"} if len(items) > limit else {}
    return {name: list(items[:limit]), "total": len(items), **cut}


def _told(edges: Sequence[ProofEdge]) -> list[str]:
    """Edges as sentences: "a feeds b", "c references d (c.x = d.y)"."""
    sentences = []
    for edge in edges:
        columns = ", ".join(f"{a} = {b}" for a, b in edge.columns[:4]) if edge.kind == "fk" else ""
        sentences.append(f"{edge}{f' ({columns})' if columns else ''}")
    return sentences


# As published


def shortest_path(graph: SchemaGraph, source: str, target: str) -> dict[str, Any]:
    """Return a shortest path between two tables over foreign keys and lineage, direction dropped."""
    path = Topology(graph).path(source, target, "fk+lineage")
    return {"path": path.tables, "length": path.length, "edges": _told(path.proof())}


def connected_components(graph: SchemaGraph, limit: int = LIMIT) -> dict[str, Any]:
    """Return the connected components over foreign keys and lineage, largest first, with their members."""
    silos = Topology(graph).silos()
    left, listed = limit, []
    for silo in silos.by_size():
        if left <= 0:
            break
        members = silos.members(silo)
        listed.append({"size": len(members), "tables": members[:left]})
        left -= len(members)
    cut = (
        {"truncated": f"the first {limit} tables are listed"} if left < 0 or len(listed) < silos.count else {}
    )
    return {"count": silos.count, "components": listed, **cut}


def check_fk_adjacency(graph: SchemaGraph, source: str, target: str) -> dict[str, Any]:
    """Tell whether `source` itself holds a foreign key that references `target` (directed)."""
    keys = Topology(graph).has_key(source, target)
    return {"adjacent": bool(keys), "keys": _told(keys)}


def get_lineage_forward(graph: SchemaGraph, source: str, limit: int = LIMIT) -> dict[str, Any]:
    """Return the tables derived directly from `source`."""
    return _bounded(Topology(graph).lineage(source, "down", 1).tables, limit)


def get_lineage_reverse(graph: SchemaGraph, target: str, limit: int = LIMIT) -> dict[str, Any]:
    """Return the tables that `target` is derived from directly."""
    return _bounded(Topology(graph).lineage(target, "up", 1).tables, limit)


def transitive_lineage(
    graph: SchemaGraph, source: str, direction: Literal["forward", "reverse"] = "forward", limit: int = LIMIT
) -> dict[str, Any]:
    """Return everything derived from a table (forward) or everything it is derived from (reverse), at any depth."""
    if direction not in {"forward", "reverse"}:
        raise UsageError(f"Unknown direction {direction!r}.", hint="Use forward or reverse.")
    return _bounded(Topology(graph).lineage(source, "down" if direction == "forward" else "up").tables, limit)


def get_component_of(graph: SchemaGraph, table: str, limit: int = LIMIT) -> dict[str, Any]:
    """Return the other tables of a table's component over foreign keys and lineage; `size` counts the table itself."""
    topology = Topology(graph)
    name, silos = topology.resolve(table), topology.silos()
    members = silos.members(silos.of(name))
    return {"size": len(members), **_bounded([other for other in members if other != name], limit)}


def get_fk_neighbors(graph: SchemaGraph, table: str, depth: int = 1, limit: int = LIMIT) -> dict[str, Any]:
    """Return the tables at most `depth` foreign keys away, in either direction."""
    return _bounded(Topology(graph).neighbours(table, "fk", depth).tables, limit)


def list_tables(graph: SchemaGraph, limit: int = LIMIT) -> dict[str, Any]:
    """Return the names of all tables, ascending."""
    return _bounded(sorted(graph.tables), limit)


# Ours


def impact(graph: SchemaGraph, table: str, keys: Keys = "children", limit: int = LIMIT) -> dict[str, Any]:
    """Return every table affected by a change: the lineage closure, then one step over foreign keys.

    `keys` is children (tables that reference an affected table), neighbours (either direction), reachable (any number
    of key steps) or none.
    """
    reach = Topology(graph).impact(table, keys)
    paths = {name: _told(reach.path_to(name)) for name in reach.tables[:_PROVEN]}
    return {"semantics": reach.semantics, **_bounded(reach.tables, limit), "paths": paths}


def find_paths(
    graph: SchemaGraph, source: str, target: str, edges: EdgeKinds = "fk", limit: int = 20
) -> dict[str, Any]:
    """Return all shortest paths between two tables over fk, lineage or fk+lineage, direction dropped; `total` is exact."""
    found = Topology(graph).paths(source, target, edges)
    listed = [path for path, _ in zip(found, range(max(limit, 1)), strict=False)]
    cut = {"truncated": f"{len(listed)} of {found.count}"} if found.count > len(listed) else {}
    proof = _told(listed[0].proof()) if listed else []
    return {
        "length": found.length,
        "paths": [path.tables for path in listed],
        "edges": proof,
        "total": found.count,
        **cut,
    }


def join_tree(graph: SchemaGraph, tables: Sequence[str], edges: EdgeKinds = "fk") -> dict[str, Any]:
    """Return the fewest joins that connect several tables."""
    tree = Topology(graph).join_tree(tables, edges)
    return {
        "tables": tree.tables,
        "joins": _told(tree.joins),
        "exact": tree.exact,
        "unreachable": tree.unreachable,
    }


def describe_table(graph: SchemaGraph, table: str, limit: int = LIMIT) -> dict[str, Any]:
    """Return columns, keys, lineage, group, layer and silo size of a table."""
    topology = Topology(graph)
    name = topology.resolve(table)
    known, silos = graph.tables[name], topology.silos()
    return {
        "name": name,
        "group": known.group,
        "layer": known.layer,
        "kind": known.kind,
        "placeholder": known.placeholder,
        **_bounded([f"{c.name} {c.type}".strip() for c in known.columns], limit, "columns"),
        "references": topology.neighbours(name, "fk", 1, "out").tables[:limit],
        "referenced_by": topology.neighbours(name, "fk", 1, "in").tables[:limit],
        "fed_by": topology.lineage(name, "up", 1).tables[:limit],
        "feeds": topology.lineage(name, "down", 1).tables[:limit],
        "silo_size": int(silos.sizes[silos.of(name)]),
    }


def explain(graph: SchemaGraph, question: str, limit: int = LIMIT) -> dict[str, Any]:
    """Answer a question in plain language exactly, with its reading and the edges that prove it, or say what is missing."""
    from headwater.graph._ask import ask

    answer = ask(graph, question).to_dict()
    answer["proof"] = answer["proof"][:limit]
    return answer


def trace_row_lineage(
    graph: SchemaGraph,
    table: str,
    row_id: int,
    direction: Literal["forward", "reverse"] = "reverse",
    limit: int = 50,
) -> dict[str, Any]:
    """Return the rows one step before (reverse) or after (forward) a row, where row lineage is loaded."""
    rows, name = _rows(graph), Topology(graph).resolve(table)
    found = rows.direct_targets(name, row_id) if direction == "forward" else rows.direct_sources(name, row_id)
    return _bounded(found, limit, "rows")


def count_downstream(graph: SchemaGraph, table: str, row_id: int) -> dict[str, Any]:
    """Return how many rows were made from a row, at any depth, in all and by table."""
    import numpy as np

    rows, name = _rows(graph), Topology(graph).resolve(table)
    reached = rows.descendants(name, row_id)
    counts = {t: rows.count(reached, partial(_is_table, t)) for t in rows.tables_of(reached)}
    return {"total": int(np.size(reached)), "by_table": counts}


def _is_table(name: str, table: Any) -> bool:
    return bool(table.name == name)


def _rows(graph: SchemaGraph) -> Any:
    if graph.rows is None:
        raise UsageError(
            "No row lineage is loaded.", hint="Load a folder with manifest.json and row_lineage.csv."
        )
    return graph.rows


PUBLISHED: tuple[Callable[..., dict[str, Any]], ...] = (
    shortest_path,
    connected_components,
    check_fk_adjacency,
    get_lineage_forward,
    get_lineage_reverse,
    transitive_lineage,
    get_component_of,
    get_fk_neighbors,
    list_tables,
)
"""The nine tools of the published baseline."""

OURS: tuple[Callable[..., dict[str, Any]], ...] = (
    impact,
    find_paths,
    join_tree,
    describe_table,
    explain,
    trace_row_lineage,
    count_downstream,
)
"""What this project adds."""


def tools_for(
    graph: SchemaGraph, *, published_only: bool = False
) -> dict[str, Callable[..., dict[str, Any]]]:
    """Return the tools by name, bound to a graph."""
    chosen = PUBLISHED if published_only else (*PUBLISHED, *OURS)
    return {tool.__name__: partial(tool, graph) for tool in chosen}
