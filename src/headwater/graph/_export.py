"""A graph as the object of `headwater graph export`, and as Mermaid text."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from headwater.graph._model import Origin, SchemaGraph

SCHEMA = "headwater.graph/1"


def graph_to_dict(graph: SchemaGraph) -> dict[str, Any]:
    """Return the graph as the object of `headwater graph export` (schema "headwater.graph/1" of the JSON contract)."""
    return {
        "schema": SCHEMA,
        "ok": True,
        "tables": [
            {
                "name": t.name,
                "columns": [{"name": c.name, "type": c.type, "nullable": c.nullable} for c in t.columns],
                "primary_key": list(t.primary_key),
                "group": t.group,
                "layer": t.layer,
                "kind": t.kind,
                "placeholder": t.placeholder,
                "origin": _origin(t.origin),
            }
            for t in graph.tables.values()
        ],
        "foreign_keys": [
            {
                "name": k.name,
                "child": k.child,
                "child_columns": list(k.child_columns),
                "parent": k.parent,
                "parent_columns": list(k.parent_columns),
                "inferred": k.inferred,
                "origin": _origin(k.origin),
            }
            for k in graph.foreign_keys
        ],
        "lineage": [
            {
                "source": e.source,
                "target": e.target,
                "columns": [list(pair) for pair in e.columns],
                "value": e.value,
                "unresolved": e.unresolved,
                "origin": _origin(e.origin),
            }
            for e in graph.lineage
        ],
        "problems": [{"file": p.file, "line": p.line, "message": p.message} for p in graph.problems],
    }


def _origin(origin: Origin) -> dict[str, Any]:
    return {
        "tool": origin.tool,
        "file": origin.file,
        "line": origin.line,
        "statement": origin.statement,
        "note": origin.note,
    }


def to_mermaid(
    graph: SchemaGraph, tables: Collection[str] | None = None, *, direction: str = "LR", limit: int = 200
) -> str:
    """Return a Mermaid flowchart: foreign keys as solid arrows child to parent, lineage as dotted ones source to target.

    Args:
        graph: what to draw.
        tables: names to draw; None draws all.
        direction: "LR", "RL", "TB" or "BT".
        limit: most tables drawn; the rest is told in a comment line, as a larger picture is not readable.
    """
    chosen = None if tables is None else set(tables)
    wanted = [t for t in graph.tables if chosen is None or t in chosen]
    shown = {name: f"t{number}" for number, name in enumerate(wanted[:limit])}
    lines = [f"flowchart {direction}"]
    groups: dict[str | None, list[str]] = {}
    for name in shown:
        groups.setdefault(graph.tables[name].group, []).append(name)
    for number, (group, names) in enumerate(groups.items()):
        indent = "  "
        if group is not None:
            lines.append(f'  subgraph g{number}["{_escape(group)}"]')
            indent = "    "
        lines += [f"{indent}{shown[n]}{_shape(graph, n)}" for n in names]
        if group is not None:
            lines.append("  end")
    keys: dict[tuple[str, str], list[str]] = {}
    for key in graph.foreign_keys:
        if key.child in shown and key.parent in shown:
            keys.setdefault((key.child, key.parent), []).append(", ".join(key.child_columns))
    for (child, parent), columns in keys.items():
        label = "; ".join(dict.fromkeys(c for c in columns if c))
        lines.append(
            f"  {shown[child]} -->{'|' + chr(34) + _escape(label) + chr(34) + '|' if label else ''} {shown[parent]}"
        )
    flows = dict.fromkeys(
        (e.source, e.target) for e in graph.lineage if e.source in shown and e.target in shown
    )
    lines += [f"  {shown[source]} -.-> {shown[target]}" for source, target in flows]
    if len(wanted) > limit:
        lines.append(f"  %% {limit} of {len(wanted)} tables are drawn")
    return "\n".join(lines) + "\n"


def _shape(graph: SchemaGraph, name: str) -> str:
    table, label = graph.tables[name], _escape(name)
    if table.placeholder:
        return f'["{label} ?"]'
    if table.kind == "view":
        return f'(["{label}"])'
    return f'[/"{label}"/]' if table.kind == "source_file" else f'["{label}"]'


def _escape(text: str) -> str:
    # Mermaid reads HTML entities with # instead of &.
    return re.sub(r'["<>#&`\n\r]', lambda m: f"#{ord(m.group())};", text)
