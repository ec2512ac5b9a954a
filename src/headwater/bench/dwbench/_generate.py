"""Questions on any schema, under the conditions and quotas of the benchmark's four real datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.bench.dwbench._wordings import PLAIN

if TYPE_CHECKING:
    from headwater.bench.dwbench._draft import Draft
    from headwater.graph import Topology

PATHS, HOPS, DIRECT = 80, 20, 8
_DRAWS_PER_PATH = 5
_MANY_SOURCES, _LARGE_COMPONENT = 3, 10


def generate_plain(draft: Draft) -> None:
    """Add questions of all 13 kinds where the schema has what they are about."""
    from headwater.graph import Topology

    topology = Topology(draft.graph)
    if draft.graph.lineage:
        lineage_questions(draft, topology)
    silo_questions(draft, topology)
    key_questions(draft, topology)


def lineage_questions(draft: Draft, topology: Topology) -> None:
    """Direct targets and sources, closures that go further than one step, impact that keys widen, many sources."""
    names = list(draft.graph.tables)
    direct = {name: topology.lineage(name, "down", 1).tables for name in names}
    sources = {name: topology.lineage(name, "up", 1).tables for name in names}
    for name in names:
        if direct[name]:
            draft.add(
                "forward",
                PLAIN["forward"].format(table=name),
                direct[name],
                "lineage.direct_targets",
                {"table": name},
            )
    for name in names:
        if sources[name]:
            draft.add(
                "reverse",
                PLAIN["reverse"].format(table=name),
                sources[name],
                "lineage.direct_sources",
                {"table": name},
            )
    for name in (n for n in names if direct[n]):
        closure = topology.lineage(name, "down").tables
        if set(closure) - set(direct[name]):
            args = {"table": name, "direction": "downstream"}
            draft.add(
                "transitive", PLAIN["transitive"].format(table=name), closure, "lineage.descendants", args
            )
    for name in (n for n in names if direct[n]):
        reach = topology.impact(name, "children")
        if set(reach.tables) - set(topology.lineage(name, "down").tables):
            text = PLAIN["combined_impact"].format(table=name)
            draft.add(
                "combined_impact",
                text,
                reach.tables,
                "impact.closure+fk_children(source_expanded)",
                {"table": name},
            )
    for name in names:
        if len(sources[name]) >= _MANY_SOURCES:
            text = PLAIN["multi_source"].format(table=name)
            draft.add("multi_source", text, sources[name], "lineage.direct_sources", {"table": name})


def silo_questions(draft: Draft, topology: Topology) -> None:
    """Components over keys and lineage: how many, who is with whom, which is the largest."""
    silos = topology.silos()
    parts = [silos.members(silo) for silo in range(silos.count)]
    same = "component.same(fk+lineage)"
    draft.add("count", PLAIN["count"], len(parts), "component.count(fk+lineage)", {"what": "components"})
    for part in parts:
        for name in draft.sample(part, 3) if len(part) > 1 else ():
            others = [other for other in part if other != name]
            text = PLAIN["membership"].format(table=name)
            draft.add(
                "membership", text, others, "component.members_except_self(fk+lineage)", {"table": name}
            )
    # Two tables a component at the most, so that pairs of small components are drawn as often as those of large ones.
    some = [draft.sample(part, 2) for part in parts]
    chosen = [(a, b, False) for a, b in draft.pairs(some, 5, within=False)]
    chosen += [(a, b, True) for a, b in draft.pairs(parts, max(len(chosen), 5), within=True)]
    draft.random.shuffle(chosen)
    for a, b, truth in chosen:
        draft.add("isolation", PLAIN["isolation"].format(a=a, b=b), truth, same, {"a": a, "b": b})
    for part in (p for p in parts if len(p) >= 3):
        a, b = draft.sample(part, 2)
        draft.add("connected", PLAIN["connected"].format(a=a, b=b), True, same, {"a": a, "b": b})
    largest = max(parts, key=len, default=[])
    if len(largest) >= _LARGE_COMPONENT:
        draft.add(
            "full_enumeration",
            PLAIN["full_enumeration"],
            largest,
            "component.largest_members(fk+lineage)",
            {"largest": True},
        )


def key_questions(draft: Draft, topology: Topology) -> None:
    """Shortest join paths, a third each of one, two to three, and more steps; their lengths; single keys, half of them false."""
    keys = {(k.child, k.parent) for k in draft.graph.foreign_keys if k.child != k.parent}
    ends = {name for pair in keys for name in pair}
    joined = [name for name in draft.graph.tables if name in ends]
    if len(joined) < 2:
        return
    chosen = _pairs(draft, topology, joined)
    for a, b, _ in chosen:
        paths = topology.paths(a, b, "fk")
        first = next(iter(paths)).tables
        args = {"source": a, "target": b, "edges": "fk"}
        flags = ["tied_shortest_paths"] if paths.count > 1 else []
        draft.add(
            "join_path", PLAIN["join_path"].format(**args), first, "path.shortest_undirected", args,
            flags=flags, n_shortest_paths=paths.count,
        )  # fmt: skip
    for a, b, length in draft.sample(chosen, HOPS):
        args = {"source": a, "target": b, "edges": "fk"}
        draft.add("hop_count", PLAIN["hop_count"].format(**args), length, "path.length_undirected", args)
    true = draft.sample(sorted(keys), DIRECT)
    direct = [(a, b, True) for a, b in true] + [
        (a, b, False) for a, b in _keyless(draft, joined, keys, len(true))
    ]
    draft.random.shuffle(direct)
    for a, b, truth in direct:
        flags = ["fk_exists_in_reverse_direction"] if not truth and (b, a) in keys else []
        args = {"child": a, "parent": b}
        draft.add(
            "direct_fk", PLAIN["direct_fk"].format(**args), truth, "fk.directed_edge", args, flags=flags
        )


def _keyless(draft: Draft, joined: list[str], keys: set[tuple[str, str]], most: int) -> list[tuple[str, str]]:
    """Draw ordered pairs of tables without a key from the first to the second."""
    drawn = draft.pairs([joined], most + min(len(keys), 10 * most), within=True)
    either = (pair if draft.random.random() < 0.5 else pair[::-1] for pair in drawn)
    both = ((a, b) if (a, b) not in keys else (b, a) for a, b in either)
    return [pair for pair in both if pair not in keys][:most]


def _pairs(draft: Draft, topology: Topology, joined: list[str]) -> list[tuple[str, str, int]]:
    """Draw pairs of tables that are joined, so that short, medium and long paths are all there."""
    seen: set[frozenset[str]] = set()
    found: list[tuple[str, str, int]] = []
    for _ in range(PATHS * _DRAWS_PER_PATH):
        a, b = draft.random.sample(joined, 2)
        if frozenset((a, b)) in seen:
            continue
        seen.add(frozenset((a, b)))
        path = topology.path(a, b, "fk")
        if path.length:
            found.append((a, b, path.length))
    third = PATHS // 3
    chosen = draft.sample((f for f in found if f[2] == 1), third)
    chosen += draft.sample((f for f in found if 2 <= f[2] <= 3), third)
    chosen += draft.sample((f for f in found if f[2] >= 4), PATHS - 2 * third)
    rest = [f for f in found if f not in set(chosen)]
    return chosen + draft.sample(rest, PATHS - len(chosen))
