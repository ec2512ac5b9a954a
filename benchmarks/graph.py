"""Graph algorithms against networkx in the same run.

    python benchmarks/graph.py [--tables 100000] [--edges 500000] [--json FILE]

A random warehouse: half of the edges foreign keys between any two tables, half lineage between nearby layers, so that a
change early in the pipeline reaches most of it. Times are medians over the same questions, once
the graph is loaded and indexed in both libraries. networkx gets plain integers, our side its table names.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

from headwater.graph import ForeignKey, GraphTable, LineageEdge, SchemaGraph, Topology


def build(
    tables: int, edges: int, seed: int
) -> tuple[SchemaGraph, list[tuple[int, int]], list[tuple[int, int]]]:
    rng = np.random.default_rng(seed)
    graph = SchemaGraph()
    for i in range(tables):
        graph.add_table(GraphTable(name(i)))
    keys = rng.integers(0, tables, (edges // 2, 2)).tolist()
    heads = rng.integers(1, tables, edges - edges // 2)
    reach = rng.integers(1, max(tables // 40, 2), len(heads))
    flows = np.column_stack([np.maximum(heads - reach, 0), heads]).tolist()
    for child, parent in keys:
        graph.add_foreign_key(ForeignKey("", name(child), ("k",), name(parent), ("id",)))
    for source, target in flows:
        graph.add_lineage(LineageEdge(name(source), name(target)))
    return graph, [(c, p) for c, p in keys], [(s, t) for s, t in flows]


def name(i: int) -> str:
    return f"db.s.t{i:07d}"


def timed(work: Callable[[Any], Any], cases: list[Any]) -> tuple[float, list[Any]]:
    times, results = [], []
    for case in cases:
        start = time.perf_counter()
        results.append(work(case))
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1000, results


def networkx_impact(lineage: nx.DiGraph, keys: nx.DiGraph, start: int) -> set[int]:
    affected = nx.descendants(lineage, start)
    touched = {child for table in affected | {start} for child in keys.predecessors(table)}
    return (affected | touched) - {start}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", type=int, default=100_000)
    parser.add_argument("--edges", type=int, default=500_000)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    graph, keys, flows = build(args.tables, args.edges, seed=7)
    began = time.perf_counter()
    topology = Topology(graph)
    for kind in ("fk", "lineage", "fk+lineage"):
        for direction in ("out", "in", "both"):
            csr = topology.index.csr(kind, direction)  # type: ignore[arg-type]
            assert csr.matrix is not None
    topology.resolve(name(0))
    print(f"index of {args.tables} tables, {args.edges} edges: {time.perf_counter() - began:.2f} s")

    nx_keys, nx_flows = nx.DiGraph(), nx.DiGraph()
    for g in (nx_keys, nx_flows):
        g.add_nodes_from(range(args.tables))
    nx_keys.add_edges_from(keys)
    nx_flows.add_edges_from(flows)
    nx_both = nx.compose(nx_keys, nx_flows).to_undirected()

    rng = np.random.default_rng(1)
    early = rng.integers(0, args.tables // 20, 7).tolist()
    pairs = rng.integers(0, args.tables, (41, 2)).tolist()
    rows: dict[str, dict[str, float]] = {}

    def compare(
        label: str,
        ours: Callable[[Any], Any],
        theirs: Callable[[Any], Any],
        cases: list[Any],
        same: Callable[[Any, Any], bool],
    ) -> None:
        mine, got = timed(ours, cases)
        other, want = timed(theirs, cases)
        assert all(same(a, b) for a, b in zip(got, want, strict=True)), f"{label}: answers differ"
        rows[label] = {"headwater_ms": mine, "networkx_ms": other, "times": other / mine}
        print(f"{label:34s} {mine:9.3f} ms   networkx {other:9.2f} ms   {other / mine:7.1f} x")

    compare(
        "impact (closure + key children)",
        lambda t: topology.impact(name(t)),
        lambda t: networkx_impact(nx_flows, nx_keys, t),
        early,
        lambda a, b: len(a) == len(b) and a.tables == sorted(map(name, b)),
    )
    compare(
        "lineage closure",
        lambda t: topology.lineage(name(t)),
        lambda t: nx.descendants(nx_flows, t),
        early,
        lambda a, b: a.tables == sorted(map(name, b)),
    )
    compare(
        "all distances from one table",
        lambda t: topology.distances(name(t), "fk+lineage"),
        lambda t: nx.single_source_shortest_path_length(nx_both, t),
        early,
        lambda a, b: all(a[i] == d for i, d in b.items()) and int((a >= 0).sum()) == len(b),
    )
    compare(
        "components",
        lambda _: topology.silos(),
        lambda _: list(nx.connected_components(nx_both)),
        [0, 1, 2],
        lambda a, b: a.count == len(b),
    )
    compare(
        "one shortest path",
        lambda p: topology.path(name(p[0]), name(p[1]), "fk+lineage"),
        lambda p: nx.bidirectional_shortest_path(nx_both, *p),
        pairs,
        lambda a, b: a.length == len(b) - 1,
    )
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
