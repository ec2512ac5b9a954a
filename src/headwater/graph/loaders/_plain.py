"""Graphs as plain JSON: the benchmark's schema.json, our own export, and lists of tables and edges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from headwater.graph._model import ForeignKey, GraphColumn, GraphTable, LineageEdge, Origin, SchemaGraph


def load_schema(graph: SchemaGraph, data: Mapping[str, Any], file: str) -> None:
    """Read an object with `tables`, `foreign_keys` and `lineage` (schema.json, or the export of a graph).

    Entries that miss a name, a child, a parent, a source or a target become problems.
    """
    exported = str(data.get("schema", "")).startswith("headwater.graph")
    tool = "headwater" if exported else "schema.json"
    for number, entry in enumerate(_entries(data, "tables")):
        table = _table(entry, _origin(entry, tool, file))
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
                _text(entry, "name"),
                child,
                _strings(entry.get("child_columns")),
                parent,
                _strings(entry.get("parent_columns")),
                _origin(entry, tool, file),
                bool(entry.get("inferred", False)),
            )  # fmt: skip
        )
    for number, entry in enumerate(_entries(data, "lineage")):
        source, target = _text(entry, "source"), _text(entry, "target")
        if not source or not target:
            graph.add_problem(file, 0, f"lineage[{number}] names no source or no target")
            continue
        pairs = tuple(
            (str(p[0]), str(p[1])) for p in entry.get("columns") or [] if isinstance(p, list) and len(p) == 2
        )
        graph.add_lineage(
            LineageEdge(
                source,
                target,
                pairs,
                entry.get("value", True) is not False,
                bool(entry.get("unresolved", False)),
                _origin(entry, tool, file),
            )  # fmt: skip
        )
    if exported:
        for entry in _entries(data, "problems"):
            line = entry.get("line")
            graph.add_problem(
                _text(entry, "file"), line if isinstance(line, int) else 0, _text(entry, "message")
            )


def _entries(data: Mapping[str, Any], key: str) -> Iterable[Mapping[str, Any]]:
    value = data.get(key)
    return [e if isinstance(e, dict) else {"name": e} for e in value] if isinstance(value, list) else []


def _text(entry: Mapping[str, Any], key: str) -> str:
    value = entry.get(key)
    return value if isinstance(value, str) else ""


def _strings(value: Any) -> tuple[str, ...]:
    return (
        tuple(str(v) for v in value)
        if isinstance(value, list)
        else ((value,) if isinstance(value, str) else ())
    )


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
            columns.append(
                GraphColumn(
                    _text(column, "name"),
                    _text(column, "type"),
                    nullable if isinstance(nullable, bool) else None,
                )
            )
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
    note = _text(entry, "evidence") or _text(entry, "note")
    return Origin(tool, file, note=note) if note else _plain_origin(tool, file)


@lru_cache(maxsize=64)
def _plain_origin(tool: str, file: str) -> Origin:
    """Return one origin for all the entries of a file that say no more."""
    return Origin(tool, file)


_SOURCE = ("source", "source_table", "from", "from_table")
_TARGET = ("target", "target_table", "to", "to_table")


def is_edge_table(text: str) -> bool:
    """Return whether a text's first line is the header of a table of edges or columns."""
    first = text.lstrip().split("\n", 1)[0].lower()
    names = {n.strip().strip('"') for n in first.replace(";", ",").replace("\t", ",").split(",")}
    return (
        bool(names & set(_SOURCE) and names & set(_TARGET))
        or {"child", "parent"} <= names
        or {"table", "column"} <= names
    )


def load_edge_table(graph: SchemaGraph, rows: list[dict[str, str]], file: str) -> bool:
    """Read rows of edges or columns; return whether the header is one of those.

    Headers: source, target [, source_column, target_column]; child, parent [, child_column(s), parent_column(s), name]
    (several columns are separated by semicolons or blanks; rows of one name are one key); table, column [, type].
    """
    if not rows:
        return False
    header = {h.lower(): h for h in rows[0]}
    source, target = (next((header[h] for h in names if h in header), "") for names in (_SOURCE, _TARGET))
    if "child" in header and "parent" in header:
        _key_rows(graph, rows, header, file)
    elif source and target:
        pairs: dict[tuple[str, str], list[tuple[str, str]]] = {}
        for row in rows:
            columns = pairs.setdefault((row.get(source, ""), row.get(target, "")), [])
            pair = (
                row.get(header.get("source_column", ""), ""),
                row.get(header.get("target_column", ""), ""),
            )
            if all(pair):
                columns.append(pair)
        for (one, other), columns in pairs.items():
            if one and other:
                graph.add_lineage(LineageEdge(one, other, tuple(columns), origin=Origin("csv", file)))
            else:
                graph.add_problem(file, 0, "a row names no source or no target")
    elif "table" in header and "column" in header:
        for row in rows:
            table = graph.add_table(GraphTable(row[header["table"]], origin=Origin("csv", file)))
            table.columns.append(
                GraphColumn(row.get(header["column"], ""), row.get(header.get("type", ""), ""))
            )
    else:
        return False
    return True


def _key_rows(graph: SchemaGraph, rows: list[dict[str, str]], header: Mapping[str, str], file: str) -> None:
    keys: dict[tuple[str, str, str, int], tuple[list[str], list[str]]] = {}
    for number, row in enumerate(rows, 2):
        child, parent, name = (row.get(header.get(h, ""), "") for h in ("child", "parent", "name"))
        if not child or not parent:
            graph.add_problem(file, number, "the row names no child or no parent")
            continue
        columns = keys.setdefault((name, child, parent, 0 if name else number), ([], []))
        for side, part in enumerate(("child_column", "parent_column")):
            text = row.get(header.get(part, header.get(part + "s", "")), "") or ""
            columns[side].extend(text.replace(";", " ").split())
    for (name, child, parent, number), (mine, theirs) in keys.items():
        graph.add_foreign_key(
            ForeignKey(name, child, tuple(mine), parent, tuple(theirs), Origin("csv", file, number))
        )
