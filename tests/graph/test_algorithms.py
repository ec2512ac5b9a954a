"""Searches against networkx on random graphs, and join trees against trying everything."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np
import pytest

from headwater.errors import UsageError
from headwater.graph import ForeignKey, GraphTable, LineageEdge, SchemaGraph, Topology


def name(i: int) -> str:
    return f"t{i:04d}"


def random_graph(seed: int, tables: int, keys: int, flows: int) -> tuple[SchemaGraph, nx.DiGraph, nx.DiGraph]:
    rng = np.random.default_rng(seed)
    graph, fk, lineage = SchemaGraph(), nx.DiGraph(), nx.DiGraph()
    for i in range(tables):
        graph.add_table(GraphTable(name(i)))
        fk.add_node(i)
        lineage.add_node(i)
    for a, b in rng.integers(0, tables, (keys, 2)).tolist():
        graph.add_foreign_key(ForeignKey("", name(a), ("k",), name(b), ("id",)))
        fk.add_edge(a, b)
    for a, b in rng.integers(0, tables, (flows, 2)).tolist():
        graph.add_lineage(LineageEdge(name(a), name(b)))
        lineage.add_edge(a, b)
    return graph, fk, lineage


GRAPHS = [
    random_graph(0, 1, 0, 0),
    random_graph(1, 30, 20, 15),
    random_graph(2, 60, 80, 60),
    random_graph(3, 40, 90, 30),
]
cases = pytest.mark.parametrize(("graph", "fk", "lineage"), GRAPHS)


@cases
def test_closures_and_steps(graph: SchemaGraph, fk: nx.DiGraph, lineage: nx.DiGraph) -> None:
    topology = Topology(graph)
    for i in lineage:
        down = nx.descendants(lineage, i)
        assert topology.lineage(name(i)).tables == sorted(map(name, down))
        assert topology.lineage(name(i), "up").tables == sorted(map(name, nx.ancestors(lineage, i)))
        assert topology.lineage(name(i), "down", 1).tables == sorted(name(j) for j in lineage[i] if j != i)
        near = nx.single_source_shortest_path_length(fk.to_undirected(), i, cutoff=2)
        assert topology.neighbours(name(i), "fk", 2).tables == sorted(name(j) for j in near if j != i)


@cases
def test_impact_in_its_variants(graph: SchemaGraph, fk: nx.DiGraph, lineage: nx.DiGraph) -> None:
    topology, undirected = Topology(graph), fk.to_undirected()
    for i in lineage:
        derived = nx.descendants(lineage, i)
        children = {c for t in derived | {i} for c in fk.predecessors(t)}
        neighbours = {c for t in derived | {i} for c in undirected[t]}
        only = {c for t in derived for c in fk.predecessors(t)}
        far = {c for t in derived for c in nx.node_connected_component(undirected, t)}
        for reach, want in (
            (topology.impact(name(i)), children),
            (topology.impact(name(i), "neighbours"), neighbours),
            (topology.impact(name(i), expand_source=False), only),
            (topology.impact(name(i), "reachable"), far),
            (topology.impact(name(i), "none"), set()),
        ):
            assert reach.tables == sorted(map(name, (derived | want) - {i})), reach.semantics


@cases
def test_every_reached_table_has_a_path_that_holds(
    graph: SchemaGraph, fk: nx.DiGraph, lineage: nx.DiGraph
) -> None:
    topology = Topology(graph)
    for i in lineage:
        for keys in ("children", "neighbours", "reachable", "none"):
            reach = topology.impact(name(i), keys)
            for table in reach:
                at = name(i)
                for edge in reach.path_to(table):
                    kind = fk if edge.kind == "fk" else lineage
                    assert kind.has_edge(int(edge.source[1:]), int(edge.target[1:]))
                    assert at in (edge.source, edge.target)
                    at = edge.target if at == edge.source else edge.source
                assert at == table
            assert name(i) not in reach
            assert "nothing" not in reach


@cases
def test_distances_and_paths(graph: SchemaGraph, fk: nx.DiGraph, lineage: nx.DiGraph) -> None:
    topology = Topology(graph)
    for edges, base in (("fk", fk), ("lineage", lineage), ("fk+lineage", nx.compose(fk, lineage))):
        for directed, view in ((False, base.to_undirected()), (True, base)):
            for i in list(view)[:12]:
                want = nx.single_source_shortest_path_length(view, i)
                got = topology.distances(name(i), edges, directed=directed)
                assert {k: int(d) for k, d in enumerate(got) if d >= 0} == dict(want)
                for j in list(view)[-12:]:
                    path = topology.path(name(i), name(j), edges, directed=directed)
                    every = topology.paths(name(i), name(j), edges, directed=directed)
                    if j not in want:
                        assert not path and path.length is None and every.length is None and not list(every)
                        continue
                    assert path.length == want[j] and len(path.proof()) == want[j]
                    ties = [[name(k) for k in p] for p in nx.all_shortest_paths(view, i, j)]
                    assert [p.tables for p in every] == sorted(ties)
                    assert every.count == len(ties)


@cases
def test_structure(graph: SchemaGraph, fk: nx.DiGraph, lineage: nx.DiGraph) -> None:
    topology = Topology(graph)
    both = nx.compose(fk, lineage).to_undirected()
    silos = topology.silos()
    parts = sorted(sorted(map(name, c)) for c in nx.connected_components(both))
    assert [silos.members(i) for i in range(silos.count)] == parts
    assert silos.sizes.tolist() == [len(p) for p in parts]
    assert [len(parts[i]) for i in silos.largest] == [max(map(len, parts))] * len(silos.largest)
    both.remove_edges_from(nx.selfloop_edges(both))
    assert topology.cut_tables() == sorted(map(name, nx.articulation_points(both)))
    bridges = {frozenset((e.source, e.target)) for e in topology.bridges()}
    assert bridges == {frozenset(map(name, e)) for e in nx.bridges(both)}
    assert topology.orphans() == sorted(name(i) for i in both if not both[i])
    loops = {frozenset(e.source for e in loop) for loop in topology.cycles()}
    strong = [
        c for c in nx.strongly_connected_components(lineage) if len(c) > 1 or lineage.has_edge(*[*c] * 2)
    ]
    assert len(loops) >= len(strong)
    assert all(any(loop <= set(map(name, c)) for loop in loops) for c in strong)
    for loop in topology.cycles():
        assert [e.target for e in loop] == [e.source for e in (*loop[1:], loop[0])]


@cases
def test_features(graph: SchemaGraph, fk: nx.DiGraph, lineage: nx.DiGraph) -> None:
    found = Topology(graph).features("fk")
    assert found.exact
    assert found.pagerank == pytest.approx(list(nx.pagerank(fk, tol=1e-12, max_iter=500).values()), abs=1e-7)
    assert found.betweenness == pytest.approx(list(nx.betweenness_centrality(fk).values()))
    assert found.in_degree.tolist() == [d for _, d in fk.in_degree()]
    assert found.of(name(0))["out_degree"] == fk.out_degree(0)


def fewest_joins(view: nx.Graph, terminals: list[int]) -> int:
    others = [n for n in view if n not in terminals]
    for extra in range(len(others) + 1):
        for chosen in combinations(others, extra):
            if nx.is_connected(view.subgraph([*terminals, *chosen])):
                return len(terminals) + extra - 1
    raise AssertionError("not connected")


@pytest.mark.parametrize("seed", range(12))
def test_join_trees_are_smallest(seed: int) -> None:
    graph, fk, _ = random_graph(seed, 13, 20, 0)
    view = fk.to_undirected()
    part = sorted(max(nx.connected_components(view), key=len))
    terminals = np.random.default_rng(seed).choice(part, min(5, len(part)), replace=False).tolist()
    tree = Topology(graph).join_tree([name(i) for i in terminals])
    assert tree.exact
    assert len(tree.joins) == fewest_joins(view, terminals) == len(tree.tables) - 1
    assert set(map(name, terminals)) <= set(tree.tables)
    drawn = nx.Graph([(e.source, e.target) for e in tree.joins])
    assert len(terminals) == 1 or nx.is_tree(drawn)


def test_join_tree_of_many_tables_says_that_it_is_approximate() -> None:
    graph, fk, _ = random_graph(9, 60, 90, 0)
    part = sorted(max(nx.connected_components(fk.to_undirected()), key=len))
    tree = Topology(graph).join_tree([name(i) for i in part[::4]])
    assert nx.is_tree(nx.Graph([(e.source, e.target) for e in tree.joins]))
    assert tree.exact == (len(tree.joins) == len(part[::4]) - 1)


def test_join_tree_of_tables_apart_names_them() -> None:
    graph = SchemaGraph()
    for table in ("a", "b"):
        graph.add_table(GraphTable(table))
    tree = Topology(graph).join_tree(["a", "b"])
    assert (tree.tables, tree.unreachable) == ([], ["b"])


def test_a_long_chain_is_searched_too() -> None:
    graph = SchemaGraph()
    for i in range(3_000):
        graph.add_foreign_key(ForeignKey("", name(i), ("k",), name(i + 1), ("id",)))
    topology = Topology(graph)
    assert topology.path(name(0), name(3_000)).length == 3_000
    assert len(topology.cut_tables()) == 2_999
    assert topology.paths(name(0), name(3_000)).count == 1


def test_the_index_follows_the_graph() -> None:
    graph = SchemaGraph()
    graph.add_foreign_key(ForeignKey("", "a", ("k",), "b", ("id",)))
    topology = Topology(graph)
    assert not topology.path("a", "c") if "c" in graph.tables else topology.silos().count == 1
    graph.add_lineage(LineageEdge("b", "c"))
    assert topology.path("a", "c", "fk+lineage").tables == ["a", "b", "c"]
    assert topology.sources("c") == ["b"] and topology.sources() == ["b"]


def test_bad_options_are_refused() -> None:
    graph, *_ = random_graph(1, 5, 5, 5)
    topology = Topology(graph)
    bad: list[Any] = [
        lambda: topology.impact(name(0), "all"),
        lambda: topology.path(name(0), name(1), "joins"),
        lambda: topology.lineage(name(0), "left"),
        lambda: topology.join_tree([]),
    ]  # type: ignore[arg-type]
    for call in bad:
        with pytest.raises(UsageError):
            call()
