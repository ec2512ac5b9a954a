"""What the baselines are shown of a schema, as text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from headwater.bench.dwbench._scoring import named_tables

if TYPE_CHECKING:
    from headwater.graph import SchemaGraph

NEAREST_TABLES = 15
HOPS = 3
_ROW = re.compile(r"row_(\d+)")


def flat_text(graph: SchemaGraph) -> str:
    """Return all tables and all edges, one line each; no columns, as in the published code."""
    return "\n".join(["Tables:", *graph.tables, "", *_edges(graph)])


def key_lines(graph: SchemaGraph, around: set[str] | None = None) -> list[str]:
    """Return the foreign keys, those with an end in `around` if it is given."""
    pairs = dict.fromkeys((key.child, key.parent) for key in graph.foreign_keys)
    return [f"{a} references {b}" for a, b in pairs if around is None or a in around or b in around]


def flow_lines(graph: SchemaGraph, around: set[str] | None = None) -> list[str]:
    """Return the lineage as "A feeds B"; the published prompts print it so that it reads the other way round."""
    pairs = dict.fromkeys((edge.source, edge.target) for edge in graph.lineage)
    return [f"{a} feeds {b}" for a, b in pairs if around is None or a in around or b in around]


def _edges(graph: SchemaGraph, around: set[str] | None = None) -> list[str]:
    return [
        "Foreign keys (child references parent):",
        *(key_lines(graph, around) or ["none"]),
        "",
        "Lineage (source feeds target):",
        *(flow_lines(graph, around) or ["none"]),
    ]


def chunks(graph: SchemaGraph) -> dict[str, str]:
    """Return one text a table: its name and its edges."""
    texts = {name: [f"Table {name}"] for name in graph.tables}
    keys = [(k.child, "references", k.parent) for k in graph.foreign_keys]
    flows = [(e.source, "feeds", e.target) for e in graph.lineage]
    for a, verb, b in dict.fromkeys(keys + flows):
        for name in {a, b}:
            texts[name].append(f"{a} {verb} {b}")
    return {name: "\n".join(lines) for name, lines in texts.items()}


def nearest_text(graph: SchemaGraph, texts: dict[str, str], nearest: Iterable[str]) -> str:
    """Return the chunks of the nearest tables, with the full lineage, which the published code always adds."""
    shown = [texts[name] for name in nearest]
    return "\n\n".join(
        [*shown, "Lineage (source feeds target):\n" + "\n".join(flow_lines(graph) or ["none"])]
    )


def substring_anchors(question: str, graph: SchemaGraph) -> list[str]:
    """Return the tables whose name is a substring of the question in any case, as the published code finds them.

    So `store` is found in `store_sales`; `named_tables` finds what is meant.
    """
    text = question.lower()
    return [name for name in graph.tables if name.lower() in text]


def neighbourhood_text(question: str, graph: SchemaGraph, *, substrings: bool = True) -> str:
    """Return what the graph-augmented baseline shows.

    All components with all members; degrees, betweenness and PageRank of the tables at most three steps from an anchor; every
    edge with an end among them; the shortest path between each two anchors. Without an anchor all tables count.
    """
    from headwater.graph import Topology

    topology = Topology(graph)
    anchors = substring_anchors(question, graph) if substrings else named_tables(question, graph)
    ball = set(anchors) or set(graph.tables)
    for anchor in anchors:
        ball |= set(topology.neighbours(anchor, "fk+lineage", HOPS))
    lines = ["Connected components over foreign keys and lineage:"]
    silos = topology.silos()
    lines += [f"{i}. {', '.join(silos.members(silo))}" for i, silo in enumerate(silos.by_size(), 1)]
    lines += ["", "Tables near the ones named:", *_feature_lines(graph, ball), "", *_edges(graph, ball)]
    lines += ["", *_path_lines(graph, anchors)]
    return "\n".join([*lines, *_row_lines(question, graph, anchors)])


def _feature_lines(graph: SchemaGraph, ball: set[str]) -> list[str]:
    from headwater.graph import Topology

    features = Topology(graph).features("fk+lineage")
    return [
        f"{name}: {', '.join(f'{feature} {value:.4g}' for feature, value in features.of(name).items())}"
        for name in sorted(ball)
    ]


def _path_lines(graph: SchemaGraph, anchors: Sequence[str]) -> list[str]:
    from headwater.graph import Topology

    lines = []
    for a, b in combinations(anchors, 2):
        path = Topology(graph).path(a, b, "fk+lineage")
        if path:
            lines.append(f"Shortest path over keys and lineage from {a} to {b}: {', '.join(path.tables)}")
    return lines


def _row_lines(question: str, graph: SchemaGraph, anchors: Sequence[str]) -> list[str]:
    """Where rows are loaded: groups, and the direct sources of the row that is named."""
    if graph.rows is None:
        return []
    from headwater.errors import HeadwaterError

    groups: dict[str, list[str]] = {}
    for known in graph.tables.values():
        groups.setdefault(known.group or "none", []).append(f"{known.name} ({known.layer})")
    lines = ["", "Groups:", *(f"{name}: {', '.join(tables)}" for name, tables in sorted(groups.items()))]
    row = _ROW.search(question)
    table = max(anchors, key=len, default="")
    if row and table:
        try:
            sources = graph.rows.direct_sources(table, int(row[1]))
            lines.append(f"Direct sources of {table} row_{row[1]}: {', '.join(sources) or 'none'}")
        except HeadwaterError:
            pass
    return lines
