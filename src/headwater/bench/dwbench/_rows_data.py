"""Makes up rows and their lineage for a schema whose tables feed each other, as Tier 2 of the benchmark has them.

A schema of two levels (sources feed targets) gets a staging table for every target in between, as the published AdventureWorks
part has. One with groups gets a few links across groups, while at least one group stays closed. There are no values: the
published ones are random and say nothing on lineage.
"""

from __future__ import annotations

import csv
import json
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.bench.dwbench._draft import layers_in_order
from headwater.errors import UsageError

if TYPE_CHECKING:
    from headwater.graph import SchemaGraph

ROWS = {
    "raw": (5_000, 10_000),
    "staging": (3_000, 8_000),
    "dimension": (500, 2_000),
    "fact": (1_000, 5_000),
    "mart": (200, 1_000),
}
"""Rows of a table by its place in the chain, from and to."""

LINKS = {"staging": (1, 3), "dimension": (1, 3), "fact": (1, 2), "mart": (5, 25)}
"""Rows of each source that a row is made from."""

_CROSSING = 4


@dataclass(slots=True)
class Plan:
    """Tables with their part in the chain, and which feeds which.

    Attributes:
        layer: name of each table's layer.
        group: name of each table's group, None where there are none.
        part: raw, staging, dimension, fact or mart.
        sources: the tables each one is made from.
    """

    layer: dict[str, str] = field(default_factory=dict)
    group: dict[str, str | None] = field(default_factory=dict)
    part: dict[str, str] = field(default_factory=dict)
    sources: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))


def make_rows(
    graph: SchemaGraph, folder: Path, dataset: str, *, seed: int, scale: float = 1.0
) -> tuple[SchemaGraph, dict[str, str]]:
    """Write `manifest.json` and `row_lineage.csv` into `folder`; return the graph that they make, and each table's part.

    Raises:
        UsageError: the schema has no lineage to make rows for.
    """
    from headwater.graph import load_graph

    if not graph.lineage:
        raise UsageError(f"{dataset} has no lineage, so there is nothing to make rows for.")
    plan = plan_of(graph, random.Random(f"{seed}/plan"))
    rows = {name: _rows(part, random.Random(f"{seed}/{name}"), scale) for name, part in plan.part.items()}
    folder.mkdir(parents=True, exist_ok=True)
    links = _write_links(folder / "row_lineage.csv", plan, rows, seed)
    tables = [{"name": n, "rows": rows[n], "layer": plan.layer[n], "group": plan.group[n]} for n in plan.part]
    manifest = {"dataset": dataset, "row_links": links, "tables": tables}
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    return load_graph([str(folder)]), plan.part


def _rows(part: str, draw: random.Random, scale: float) -> int:
    low, high = ROWS[part]
    return max(1, round(draw.randint(low, high) * scale))


def _write_links(path: Path, plan: Plan, rows: Mapping[str, int], seed: int) -> int:
    total = 0
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(("target_table", "target_row", "source_table", "source_row"))
        for target, sources in plan.sources.items():
            draw, (low, high) = random.Random(f"{seed}/links/{target}"), LINKS[plan.part[target]]
            for row in range(rows[target]):
                for source in sources:
                    used = draw.sample(range(rows[source]), min(draw.randint(low, high), rows[source]))
                    out.writerows((target, row, source, n) for n in sorted(used))
                    total += len(used)
    return total


def plan_of(graph: SchemaGraph, draw: random.Random) -> Plan:
    """Return the chain of a schema: its own layers, or sources, staging tables and targets."""
    labelled = all(table.layer for table in graph.tables.values())
    layers = layers_in_order(graph) if labelled else ()
    plan = _layered(graph, layers) if len(layers) >= 3 else _two_levels(graph)
    if len({group for group in plan.group.values() if group}) >= 3:
        _cross_groups(plan, draw)
    return plan


def _layered(graph: SchemaGraph, layers: Sequence[str]) -> Plan:
    plan, children = Plan(), {key.child for key in graph.foreign_keys if key.child != key.parent}
    for edge in graph.lineage:
        if edge.source != edge.target and edge.source not in plan.sources[edge.target]:
            plan.sources[edge.target].append(edge.source)
    for table in graph.tables.values():
        layer = str(table.layer)
        plan.layer[table.name], plan.group[table.name] = layer, table.group
        core = "fact" if table.name in children else "dimension"
        plan.part[table.name] = {layers[0]: "raw", layers[-1]: "mart", layers[1]: "staging"}.get(layer, core)
        if table.name in plan.sources and plan.part[table.name] == "raw":
            plan.part[table.name] = "staging"
    return plan


def _two_levels(graph: SchemaGraph) -> Plan:
    plan, children = Plan(), {key.child for key in graph.foreign_keys if key.child != key.parent}
    feeding: dict[str, list[str]] = defaultdict(list)
    for edge in graph.lineage:
        if edge.source != edge.target:
            feeding[edge.target].append(edge.source)
    for target, sources in sorted(feeding.items()):
        staging = f"stg_{target.replace('.', '_')}"
        for source in dict.fromkeys(sources):
            plan.layer.setdefault(source, "raw")
            plan.part.setdefault(source, "raw")
        plan.layer |= {staging: "staging", target: "mart"}
        plan.part |= {staging: "staging", target: "fact" if target in children else "dimension"}
        plan.sources[staging] = list(dict.fromkeys(sources))
        plan.sources[target] = [staging]
    for name in plan.part:
        table = graph.tables.get(name)
        plan.group[name] = table.group if table else None
    return plan


def _cross_groups(plan: Plan, draw: random.Random) -> None:
    """Add links across groups from staging and core tables to staging tables; one group gets none, and no circle arises."""
    groups = sorted({group for group in plan.group.values() if group})
    open_groups = draw.sample(groups, len(groups) - 1)
    inner = [
        n
        for n, part in plan.part.items()
        if part in ("staging", "dimension") and plan.group[n] in open_groups
    ]
    staging = [n for n in inner if plan.part[n] == "staging"]
    candidates = [(a, b) for a in inner for b in staging if plan.group[a] != plan.group[b]]
    draw.shuffle(candidates)
    added, used = 0, set[tuple[str | None, str | None]]()
    for source, target in candidates:
        pair = plan.group[source], plan.group[target]
        if added == _CROSSING:
            return
        if pair not in used and target not in _above(plan, source):
            plan.sources[target].append(source)
            used.add(pair)
            added += 1


def _above(plan: Plan, table: str) -> set[str]:
    """Return a table with everything it is made from."""
    found, todo = {table}, [table]
    while todo:
        for source in plan.sources.get(todo.pop(), ()):
            if source not in found:
                found.add(source)
                todo.append(source)
    return found
