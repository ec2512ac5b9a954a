"""A DuckDB file through its catalog."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from headwater.errors import ReadError
from headwater.graph._model import Origin, SchemaGraph
from headwater.graph.loaders._database import Catalog
from headwater.graph.loaders._inferred import SqlSampler
from headwater.graph.loaders._script import SqlLoader

_TABLES = "SELECT schema_name, table_name FROM duckdb_tables() WHERE NOT internal AND NOT temporary ORDER BY table_oid"
_VIEWS = "SELECT schema_name, view_name, sql FROM duckdb_views() WHERE NOT internal AND NOT temporary ORDER BY view_oid"
_COLUMNS = """SELECT schema_name, table_name, column_name, data_type, is_nullable FROM duckdb_columns() WHERE NOT internal
ORDER BY table_oid, column_index"""
_CONSTRAINTS = """SELECT constraint_type, schema_name, table_name, constraint_column_names, referenced_table, referenced_column_names,
constraint_name FROM duckdb_constraints() ORDER BY table_oid, constraint_index"""


def load_duckdb(graph: SchemaGraph, sql: SqlLoader, path: Path) -> SqlSampler:
    """Read tables, views, keys and the lineage of views. The file is opened for reading only, without extensions.

    Raises:
        ReadError: the file is damaged, locked by a writer, or of a later version.
    """
    import duckdb

    try:
        connection = duckdb.connect(
            str(path), read_only=True,
            config={"autoinstall_known_extensions": False, "autoload_known_extensions": False, "enable_external_access": False},
        )  # fmt: skip
        tables = _load(graph, sql, connection, path)
    except duckdb.Error as error:
        text = " ".join(str(error).split())
        raise ReadError(
            f"{path.name} is a DuckDB file that cannot be read: {text[:200]}",
            where=path.name,
            hint="Close the program that writes it.",
        ) from error

    def run(query: str) -> Sequence[Sequence[Any]]:
        try:
            return connection.execute(query).fetchall()
        except duckdb.Error as error:
            raise ValueError(str(error)) from error

    return SqlSampler(run, connection.close, tables, _quote)


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _load(graph: SchemaGraph, sql: SqlLoader, connection: Any, path: Path) -> dict[str, str]:
    catalog = Catalog(graph, sql, Origin("duckdb", path.name), "main")
    tables = {}
    for schema, table in connection.execute(_TABLES).fetchall():
        tables[catalog.add_table(schema, table, "table").name] = f"{_quote(schema)}.{_quote(table)}"
    views = connection.execute(_VIEWS).fetchall()
    for schema, view, _ in views:
        catalog.add_table(schema, view, "view")
    catalog.add_columns(connection.execute(_COLUMNS).fetchall())
    keys: list[tuple[str, str, str, str, str, str, str]] = []
    for kind, schema, table, columns, parent, parents, name in connection.execute(_CONSTRAINTS).fetchall():
        if kind == "PRIMARY KEY":
            graph.tables[catalog.name(schema, table)].primary_key = tuple(columns)
        elif kind == "FOREIGN KEY":
            # A key may only point into its own schema or, written out, into another: the catalog names the table alone.
            parent_schema = schema if f"{_quote(schema)}.{_quote(parent)}" in tables.values() else "main"
            label = f"{name}#{len(keys)}"
            keys += [
                (label, schema, table, c, parent_schema, parent, p)
                for c, p in zip(columns, parents, strict=False)
            ]
    before = len(graph.foreign_keys)
    catalog.add_keys(keys)
    for key in graph.foreign_keys[before:]:
        key.name = key.name.rsplit("#", 1)[0]
    for schema, view, text in views:
        start = _query_start(text)
        catalog.add_view(schema, view, text[start:] if start else None, "duckdb")
    return tables


def _query_start(text: str) -> int:
    """Return where the query of a CREATE VIEW statement starts, 0 if there is none."""
    from headwater.graph.loaders._lexer import lex

    depth = 0
    for token in lex(text, "duckdb").tokens:
        depth += (token.key == "(") - (token.key == ")")
        if depth == 0 and token.kind == "word" and token.key == "AS":
            return token.end
    return 0
