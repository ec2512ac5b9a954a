"""Graphs as plain JSON: the benchmark's schema.json, our own export, and lists of tables and edges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from headwater.graph._model import ForeignKey, GraphColumn, GraphTable, LineageEdge, Origin, SchemaGraph


def load_schema(graph: SchemaGraph, data: Mapping[str, Any], file: str) -> None:
    """Read an object with `tables`, `foreign_keys` and `lineage` (schema.json, or the export of a graph).

    Entries that miss a name, a child, a parent, a source or a target become problems.
    """
    exported = str(data.get("schema", "")).startswith("headwater.graph")
    tool = "headwater" if exported else "schema.json"
    for number, entry in enumerate(_entries(data, "tables")):
        table = _table(entry, Origin(tool, file))
        if table is None:
            graph.add_problem(file, 0, f"tables[{number}] has no name")
        else:
            graph.add_table(table)
    for number, entry in enumerate(_entries(data, "foreign_keys")):
        child, parent = _text(entry, "child"), _text(entry, "parent")
        if not child or not parent:
            graph.add_problem(file, 0, f"foreign_keys[{number}] names no child or no parent")
            continue
        graph.add_foreign_key(
            ForeignKey(
                _text(entry, "name"), child, _strings(entry.get("child_columns")), parent,
                _strings(entry.get("parent_columns")), _origin(entry, tool, file), bool(entry.get("inferred", False)),
            )  # fmt: skip
        )
    for number, entry in enumerate(_entries(data, "lineage")):
        source, target = _text(entry, "source"), _text(entry, "target")
        if not source or not target:
            graph.add_problem(file, 0, f"lineage[{number}] names no source or no target")
            continue
        pairs = tuple((str(p[0]), str(p[1])) for p in entry.get("columns") or [] if isinstance(p, list) and len(p) == 2)
        graph.add_lineage(
            LineageEdge(
                source, target, pairs, entry.get("value", True) is not False,
                bool(entry.get("unresolved", False)), _origin(entry, tool, file),
            )  # fmt: skip
        )
    if exported:
        for entry in _entries(data, "problems"):
            line = entry.get("line")
            graph.add_problem(_text(entry, "file"), line if isinstance(line, int) else 0, _text(entry, "message"))


def _entries(data: Mapping[str, Any], key: str) -> Iterable[Mapping[str, Any]]:
    value = data.get(key)
    return [e if isinstance(e, dict) else {"name": e} for e in value] if isinstance(value, list) else []


def _text(entry: Mapping[str, Any], key: str) -> str:
    value = entry.get(key)
    return value if isinstance(value, str) else ""


def _strings(value: Any) -> tuple[str, ...]:
    return tuple(str(v) for v in value) if isinstance(value, list) else ((value,) if isinstance(value, str) else ())


def _table(entry: Mapping[str, Any], origin: Origin) -> GraphTable | None:
    name = _text(entry, "name")
    if not name:
        return None
    columns = []
    for column in entry.get("columns") or []:
        if isinstance(column, str):
            columns.append(GraphColumn(column))
        elif isinstance(column, dict) and _text(column, "name"):
            nullable = column.get("nullable")
            columns.append(GraphColumn(_text(column, "name"), _text(column, "type"), nullable if isinstance(nullable, bool) else None))
    return GraphTable(
        name, columns, _text(entry, "group") or None, _text(entry, "layer") or None, _text(entry, "kind") or "table",
        bool(entry.get("placeholder", False)), origin, _strings(entry.get("primary_key")),
    )  # fmt: skip


def _origin(entry: Mapping[str, Any], tool: str, file: str) -> Origin:
    old = entry.get("origin")
    if isinstance(old, dict):
        line, number = old.get("line"), old.get("statement")
        return Origin(
            _text(old, "tool") or tool, _text(old, "file") or file, line if isinstance(line, int) else 0,
            number if isinstance(number, int) else 0, _text(old, "note"),
        )  # fmt: skip
    return Origin(tool, file, note=_text(entry, "evidence") or _text(entry, "note"))
