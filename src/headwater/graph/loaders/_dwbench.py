"""DW-Bench's own files beside `.pt`: CSV triples, lineage lists, DDL lists, and the table-level graph of row lineage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from headwater.graph._model import ForeignKey, GraphColumn, GraphTable, LineageEdge, Origin, SchemaGraph
from headwater.graph.loaders._content import as_json, csv_rows, read_text
from headwater.graph.loaders._identifiers import Name
from headwater.graph.loaders._pt import load_pt
from headwater.graph.loaders._script import SqlLoader

# How the benchmark's builder names the tables of a file by the file's prefix: database, and whether the schema stays.
_PREFIXES = {"AdventureWorks": ("OLTP", True), "AdventureWorksDW": ("DW", True), "TPCDI": ("", False)}

_TRIPLE = ("_Tables.csv", "_Columns.csv", "_Relationships.csv")


def is_dataset(folder: Path) -> bool:
    """Return whether a folder is a dataset of the benchmark's repository or hub."""
    return (
        any(folder.glob("*schema_graph.pt"))
        or any(folder.glob("*_Relationships.csv"))
        or (folder / "schema_ddl.json").is_file()
    )


def load_dataset(graph: SchemaGraph, sql: SqlLoader, folder: Path) -> None:
    """Read a dataset folder: nodes of the `.pt`, columns and keys of CSV or DDL, each edge from one file only."""
    plain = sorted(
        p
        for p in folder.glob("*schema_graph.pt")
        if not p.name.startswith(("enriched", "obfuscated", "value"))
    )
    pickles = (
        plain or sorted(p for p in folder.glob("*schema_graph.pt") if not p.name.startswith("value"))[:1]
    )
    tables = sorted(folder.glob("*_Tables.csv"))
    has_keys = any(folder.glob("*_Relationships.csv")) or (folder / "schema_ddl.json").is_file()
    has_lineage = (folder / "lineage_edges.json").is_file()
    for path in pickles:
        load_pt(graph, path, keys=not has_keys, lineage=not has_lineage)
        for name in list(graph.tables):
            sql.names.add(Name(tuple(name.split("."))))
    for path in tables:
        load_triple(graph, sql, path)
    if not tables:
        for path in sorted(folder.glob("*_Relationships.csv")):
            load_triple(graph, sql, path)
    for name in ("schema_ddl.json", "lineage_edges.json"):
        if (folder / name).is_file():
            load_list(graph, sql, as_json(read_text(folder / name), name), name)


def triple_part(path: Path) -> str:
    """Return the suffix if a file is one of a CSV triple, else ""."""
    return next((suffix for suffix in _TRIPLE if path.name.endswith(suffix)), "")


def load_triple(graph: SchemaGraph, sql: SqlLoader, path: Path) -> None:
    """Read the CSV triple that `path` belongs to (tables, columns, relationships; each may be absent)."""
    suffix = triple_part(path)
    prefix = path.name[: -len(suffix)]
    database, keeps_schema = _PREFIXES.get(prefix, ("", True))
    names: dict[str, str] = {}

    def known(schema: str, table: str) -> str:
        parts = [database, schema if keeps_schema else "", table]
        return sql.names.add(Name(tuple(p for p in parts if p)))

    def find(table: str) -> str:
        return (
            names.get(table.casefold())
            or sql.names.find(Name(tuple(table.split("."))), database)
            or known("", table)
        )

    for row in _rows(path.with_name(prefix + "_Tables.csv")):
        schema, table = row.get("TABLE_SCHEMA", ""), row.get("TABLE_NAME", "")
        if not table:
            continue
        name = known(schema, table)
        for spelling in (table, f"{schema}.{table}"):
            names.setdefault(spelling.casefold(), name)
        kind = "view" if "VIEW" in row.get("TABLE_TYPE", "").upper() else "table"
        graph.add_table(GraphTable(name, kind=kind, origin=Origin("csv", prefix + "_Tables.csv")))
    for row in _rows(path.with_name(prefix + "_Columns.csv")):
        owner = names.get(f"{row.get('TABLE_SCHEMA', '')}.{row.get('TABLE_NAME', '')}".casefold())
        if owner is None or not row.get("COLUMN_NAME"):
            continue
        length = row.get("CHARACTER_MAXIMUM_LENGTH", "")
        kind = row.get("DATA_TYPE", "") + (f"({'max' if length == '-1' else length})" if length else "")
        graph.tables[owner].columns.append(
            GraphColumn(row["COLUMN_NAME"], kind, row.get("IS_NULLABLE", "").upper() != "NO")
        )
    _load_keys(graph, path.with_name(prefix + "_Relationships.csv"), find)


def _load_keys(graph: SchemaGraph, path: Path, find: Any) -> None:
    """Read one row a key column: rows of one name and one pair of tables are one key."""
    keys: dict[tuple[str, str, str], list[tuple[str, str, int]]] = {}
    for number, row in enumerate(_rows(path), 2):
        child, parent = row.get("ChildTable", ""), row.get("ParentTable", "")
        if not child or not parent:
            graph.add_problem(path.name, number, "the row names no child or no parent")
            continue
        name = row.get("ForeignKeyName", "")
        key = (name or f"#{number}", find(child), find(parent))
        keys.setdefault(key, []).append((row.get("ChildColumn", ""), row.get("ParentColumn", ""), number))
    for (name, child, parent), columns in keys.items():
        graph.add_foreign_key(
            ForeignKey(
                "" if name.startswith("#") else name,
                child,
                tuple(c for c, _, _ in columns),
                parent,
                tuple(p for _, p, _ in columns),
                Origin("csv", path.name, columns[0][2]),
            )  # fmt: skip
        )


def _rows(path: Path) -> Iterable[dict[str, str]]:
    return (csv_rows(read_text(path)) or []) if path.is_file() else []


def load_list(graph: SchemaGraph, sql: SqlLoader, items: Any, file: str) -> bool:
    """Read a JSON list of DDL entries or lineage edges; return whether it was one."""
    if not isinstance(items, list) or not items or not all(isinstance(i, dict) for i in items):
        return False
    if "ddl" in items[0] and "table_name" in items[0]:
        for item in items:
            sql.add(str(item.get("ddl") or ""), file, "")
            name = sql.names.find(Name(tuple(str(item.get("table_name")).split("."))))
            table = graph.tables.get(name or "")
            if table is None:
                graph.add_problem(file, 0, f"the DDL of {item.get('table_name')!r} defines no such table")
                continue
            table.group = _text(item, "silo", "group") or table.group
            table.layer = _text(item, "layer") or table.layer
        return True
    if _text(items[0], "source", "oltp_source") and _text(items[0], "target", "dw_table"):
        for number, item in enumerate(items):
            source, target = _text(item, "source", "oltp_source"), _text(item, "target", "dw_table")
            if not source or not target:
                graph.add_problem(file, 0, f"edge {number} names no source or no target")
                continue
            edge = LineageEdge(
                sql.names.find_or_add(Name(tuple(source.split(".")))), sql.names.find_or_add(Name(tuple(target.split(".")))),
                origin=Origin("json", file, note=_text(item, "evidence")),
            )  # fmt: skip
            graph.add_lineage(edge)
        return True
    return False


def _text(item: Mapping[str, Any], *keys: str) -> str:
    return next((str(item[k]) for k in keys if isinstance(item.get(k), str) and item[k]), "")


# --- row-level data


def is_row_manifest(data: Mapping[str, Any]) -> bool:
    """Return whether a JSON object lists tables with their numbers of rows, as row-level data sets do."""
    tables = data.get("tables")
    return (
        isinstance(tables, list)
        and bool(tables)
        and all(isinstance(t, dict) and "rows" in t and "name" in t for t in tables)
    )


def load_rows_folder(graph: SchemaGraph, folder: Path) -> None:
    """Read the table-level graph of a folder with `manifest.json` and `row_lineage.csv`."""
    data = as_json(read_text(folder / "manifest.json"), "manifest.json")
    for item in data.get("tables", []) if isinstance(data, dict) else []:
        if isinstance(item, dict) and item.get("name"):
            table = GraphTable(
                str(item["name"]),
                group=_text(item, "group", "silo") or None,
                layer=_text(item, "layer") or None,
            )
            table.origin = Origin("rows", "manifest.json")
            graph.add_table(table)
    pairs: dict[tuple[str, str], int] = {}
    for row in _rows(folder / "row_lineage.csv"):
        pair = (row.get("source_table", ""), row.get("target_table", ""))
        if all(pair):
            pairs[pair] = pairs.get(pair, 0) + 1
    _add_pairs(graph, pairs, "row_lineage.csv")


def load_lineage_map(graph: SchemaGraph, data: Mapping[str, Any], file: str) -> bool:
    """Read `lineage_map.json` as table-level lineage; return whether the object is one."""
    pairs: dict[tuple[str, str], int] = {}
    for target, rows in data.items():
        if not isinstance(rows, dict) or not all(str(k).startswith("row_") for k in rows):
            return False
        for entry in rows.values():
            for source in entry.get("sources") or [] if isinstance(entry, dict) else []:
                if isinstance(source, dict) and source.get("table"):
                    pair = (str(source["table"]), str(target))
                    pairs[pair] = pairs.get(pair, 0) + len(source.get("rows") or [])
    _add_pairs(graph, pairs, file)
    return bool(pairs)


def load_value_manifest(graph: SchemaGraph, data: Mapping[str, Any], file: str) -> bool:
    """Read `value_data/_manifest.json`: the tables with group and layer; return whether the object is one."""
    if not data or not all(isinstance(v, dict) and "rows" in v and "file" in v for v in data.values()):
        return False
    for name, item in data.items():
        table = GraphTable(
            str(name),
            group=_text(item, "silo", "group") or None,
            layer=_text(item, "layer") or None,
            origin=Origin("rows", file),
        )
        graph.add_table(table)
    return True


def _add_pairs(graph: SchemaGraph, pairs: Mapping[tuple[str, str], int], file: str) -> None:
    for (source, target), links in pairs.items():
        graph.add_lineage(
            LineageEdge(source, target, origin=Origin("rows", file, note=f"{links:,} row links"))
        )
