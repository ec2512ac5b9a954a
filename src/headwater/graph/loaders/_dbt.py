"""dbt's `manifest.json`: models, sources, what depends on what, and keys from relationship tests and constraints."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from headwater.graph._model import ForeignKey, GraphColumn, GraphTable, LineageEdge, Origin, SchemaGraph
from headwater.graph.loaders._identifiers import Name
from headwater.graph.loaders._script import SqlLoader

_TABLES = {"model", "seed", "snapshot", "source"}
_REF = re.compile(r"ref\(\s*(?:['\"][^'\"]*['\"]\s*,\s*)?['\"]([^'\"]+)['\"]")
_SOURCE = re.compile(r"source\(\s*['\"]([^'\"]+)['\"]\s*,\s*['\"]([^'\"]+)['\"]")
_TO = re.compile(r"^\s*([\w.\"`\[\]]+)\s*(?:\(([^)]*)\))?")
_ADAPTERS = {"sqlserver": "tsql", "synapse": "tsql", "fabric": "tsql", "athena": "athena"}


def is_manifest(data: Mapping[str, Any]) -> bool:
    """Return whether a JSON object is a dbt manifest."""
    return isinstance(data.get("nodes"), dict) and (
        "sources" in data or "metadata" in data or "child_map" in data
    )


class Manifest:
    """One manifest, read into a graph.

    Args:
        graph: where to.
        data: the manifest.
        file: its name.
        sql: loader whose scope the compiled SQL of the models joins, for lineage of columns.
    """

    def __init__(self, graph: SchemaGraph, data: Mapping[str, Any], file: str, sql: SqlLoader) -> None:
        self._graph, self._file, self._sql = graph, file, sql
        nodes = {**_dict(data.get("sources")), **_dict(data.get("nodes"))}
        self._nodes = {k: v for k, v in nodes.items() if isinstance(v, dict)}
        adapter = str(_dict(data.get("metadata")).get("adapter_type") or "")
        self._dialect = _ADAPTERS.get(adapter, adapter)
        self._names: dict[str, str] = {}

    def load(self) -> None:
        """Read tables, then edges."""
        for unique, node in self._nodes.items():
            if node.get("resource_type") in _TABLES:
                self._table(unique, node)
        for unique, node in self._nodes.items():
            if unique in self._names:
                self._edges(unique, node)
                self._constraints(unique, node)
            elif node.get("resource_type") == "test":
                self._relationship(unique, node)

    def _table(self, unique: str, node: Mapping[str, Any]) -> None:
        name = str(
            node.get("identifier") or node.get("alias") or node.get("name") or unique.rsplit(".", 1)[-1]
        )
        schema = node.get("schema")
        full = Name((str(schema), name) if schema else (name,))
        known = self._sql.names.add(full, str(node.get("database") or ""))
        self._names[unique] = known
        columns = [
            GraphColumn(str(c.get("name") or key), str(c.get("data_type") or ""))
            for key, c in _dict(node.get("columns")).items()
            if isinstance(c, dict)
        ]
        materialized = str(_dict(node.get("config")).get("materialized") or "")
        kind = "view" if materialized in ("view", "ephemeral") else "table"
        self._graph.add_table(GraphTable(known, columns, kind=kind, origin=self._origin(node)))

    def _edges(self, unique: str, node: Mapping[str, Any]) -> None:
        target = self._names[unique]
        parents = _dict(node.get("depends_on")).get("nodes")
        origin = self._origin(node)
        for parent in parents if isinstance(parents, list) else ():
            if parent in self._names:
                self._graph.add_lineage(LineageEdge(self._names[parent], target, origin=origin))
            elif isinstance(parent, str) and parent.split(".", 1)[0] in _TABLES:
                self._graph.add_problem(
                    self._file, 0, f"{target} depends on {parent}, which the manifest does not hold"
                )
                self._graph.add_lineage(LineageEdge(parent.split(".", 2)[-1], target, origin=origin))
        code = node.get("compiled_code") or node.get("compiled_sql")
        if isinstance(code, str) and code.strip() and node.get("language", "sql") == "sql":
            self._sql.add_query(
                code,
                Name(tuple(target.split("."))),
                str(node.get("original_file_path") or self._file),
                self._dialect,
            )

    def _constraints(self, unique: str, node: Mapping[str, Any]) -> None:
        """Read the constraints of a model's contract."""
        table = self._graph.tables[self._names[unique]]
        found: list[tuple[Any, tuple[str, ...]]] = [(c, ()) for c in node.get("constraints") or []]
        for key, column in _dict(node.get("columns")).items():
            found += [(c, (str(column.get("name") or key),)) for c in column.get("constraints") or []]
        for constraint, column in found:
            if not isinstance(constraint, dict):
                continue
            columns = tuple(str(c) for c in constraint.get("columns") or column)
            if constraint.get("type") == "primary_key":
                table.primary_key = columns
            elif constraint.get("type") == "foreign_key":
                text = str(constraint.get("to") or constraint.get("expression") or "").replace(
                    "references", ""
                )
                match = _TO.match(text)
                if match is None:
                    continue
                listed = constraint.get("to_columns") or [
                    c.strip(' "`') for c in (match.group(2) or "").split(",") if c.strip()
                ]
                parent = self._find(re.sub(r'["`\[\]]', "", match.group(1)))
                self._key(
                    table.name,
                    columns,
                    parent,
                    tuple(str(c) for c in listed),
                    str(constraint.get("name") or ""),
                    node,
                )

    def _relationship(self, unique: str, node: Mapping[str, Any]) -> None:
        """Read a relationships test as a foreign key."""
        meta = _dict(node.get("test_metadata"))
        if meta.get("name") != "relationships":
            return
        arguments = _dict(meta.get("kwargs"))
        arguments = {**arguments, **_dict(arguments.get("arguments"))}
        column, field = arguments.get("column_name") or node.get("column_name"), arguments.get("field")
        to = str(arguments.get("to") or "")
        parents = [
            self._names[p] for p in _dict(node.get("depends_on")).get("nodes") or [] if p in self._names
        ]
        parent = self._find(to)
        child = self._names.get(str(node.get("attached_node") or ""), "")
        if not child:
            child = self._find(str(arguments.get("model") or "")) or next(
                (p for p in parents if p != parent), parent
            )
        if not child or not column or not (parent or parents):
            self._graph.add_problem(
                self._file, 0, f"the relationships test {unique} names no model, column or parent"
            )
            return
        parent = parent or next((p for p in parents if p != child), child)
        self._key(
            child, (str(column),), parent, (str(field),) if field else (), str(node.get("name") or ""), node
        )

    def _key(
        self,
        child: str,
        columns: tuple[str, ...],
        parent: str,
        parents: tuple[str, ...],
        name: str,
        node: Mapping[str, Any],
    ) -> None:
        known = self._graph.tables.get(parent)
        if not parents and known is not None:
            parents = known.primary_key
        self._graph.add_foreign_key(
            ForeignKey(name, child, columns, parent or "?", parents, self._origin(node))
        )

    def _find(self, text: str) -> str:
        """Return the table that ref('…'), source('…', '…') or a plain name means; "" if the text holds none."""
        if match := _SOURCE.search(text):
            wanted = [
                u
                for u, n in self._nodes.items()
                if n.get("resource_type") == "source"
                and (n.get("source_name"), n.get("name")) == match.groups()
            ]
            return self._names.get(wanted[0], "") if wanted else ".".join(match.groups())
        if match := _REF.search(text):
            wanted = [
                u
                for u, n in self._nodes.items()
                if n.get("name") == match.group(1) and u in self._names and n.get("resource_type") != "source"
            ]
            return self._names[wanted[0]] if wanted else match.group(1)
        plain = text.strip()
        if not plain or not re.fullmatch(r"[\w.]+", plain):
            return ""
        return self._sql.names.find(Name(tuple(plain.split(".")))) or plain

    def _origin(self, node: Mapping[str, Any]) -> Origin:
        return Origin("dbt", str(node.get("original_file_path") or self._file))


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
