"""A live MySQL or MariaDB database through its catalog."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import unquote, urlsplit

from headwater.errors import MissingExtraError, SetupError
from headwater.graph._model import Origin, SchemaGraph
from headwater.graph.loaders._database import Catalog, connection_error, public_place
from headwater.graph.loaders._inferred import SqlSampler
from headwater.graph.loaders._script import SqlLoader

_SYSTEM = "('mysql', 'information_schema', 'performance_schema', 'sys')"
_TABLES = """
SELECT t.TABLE_SCHEMA, t.TABLE_NAME, t.TABLE_TYPE LIKE '%%VIEW%%', v.VIEW_DEFINITION
FROM information_schema.TABLES t
LEFT JOIN information_schema.VIEWS v ON v.TABLE_SCHEMA = t.TABLE_SCHEMA AND v.TABLE_NAME = t.TABLE_NAME
WHERE {where} ORDER BY t.TABLE_SCHEMA, t.TABLE_NAME"""
_COLUMNS = """
SELECT t.TABLE_SCHEMA, t.TABLE_NAME, t.COLUMN_NAME, t.COLUMN_TYPE, t.IS_NULLABLE = 'YES', t.COLUMN_KEY = 'PRI'
FROM information_schema.COLUMNS t WHERE {where} ORDER BY t.TABLE_SCHEMA, t.TABLE_NAME, t.ORDINAL_POSITION"""
_KEYS = """
SELECT t.CONSTRAINT_NAME, t.TABLE_SCHEMA, t.TABLE_NAME, t.COLUMN_NAME,
  t.REFERENCED_TABLE_SCHEMA, t.REFERENCED_TABLE_NAME, t.REFERENCED_COLUMN_NAME
FROM information_schema.KEY_COLUMN_USAGE t
WHERE t.REFERENCED_TABLE_NAME IS NOT NULL AND {where}
ORDER BY t.TABLE_SCHEMA, t.TABLE_NAME, t.CONSTRAINT_NAME, t.ORDINAL_POSITION"""


def load_mysql(graph: SchemaGraph, sql: SqlLoader, url: str) -> SqlSampler:
    """Read tables, views, keys and the lineage of views.

    With a database in the URL its tables are named without it; without one, all databases are read.

    Raises:
        SetupError: the server cannot be reached, or pymysql is not installed.
    """
    try:
        import pymysql
    except ImportError as error:
        raise MissingExtraError.for_group("pymysql", "databases") from error
    try:
        connection = pymysql.connect(
            **_arguments(url), connect_timeout=10, read_timeout=60, charset="utf8mb4"
        )
    except (pymysql.Error, OSError, ValueError, RuntimeError) as error:
        raise connection_error(url, error) from None

    def run(query: str, arguments: tuple[Any, ...] = ()) -> Sequence[Sequence[Any]]:
        try:
            with connection.cursor() as cursor:
                cursor.execute(query, arguments)
                return [tuple(_text(cell) for cell in row) for row in cursor.fetchall()]
        except pymysql.Error as error:
            raise ValueError(type(error).__name__) from None

    database = urlsplit(url).path.strip("/")
    try:
        with connection.cursor() as cursor:
            cursor.execute("SET SESSION TRANSACTION READ ONLY")
        tables = _load(graph, sql, run, url, unquote(database))
    except (pymysql.Error, ValueError) as error:
        connection.close()
        raise connection_error(url, error) from None
    return SqlSampler(run, connection.close, tables, _quote)


def _text(cell: Any) -> Any:
    return cell.decode("utf-8", "replace") if isinstance(cell, bytes) else cell


def _quote(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _arguments(url: str) -> dict[str, Any]:
    parts = urlsplit(url)
    try:
        port = parts.port or 3306
    except ValueError:
        raise SetupError(f"The port of {public_place(url)} is no number.", where=public_place(url)) from None
    arguments: dict[str, Any] = {"host": parts.hostname or "localhost", "port": port}
    if parts.username:
        arguments["user"] = unquote(parts.username)
    if parts.password:
        arguments["password"] = unquote(parts.password)
    if parts.path.strip("/"):
        arguments["database"] = unquote(parts.path.strip("/"))
    for pair in parts.query.split("&"):
        key, _, value = pair.partition("=")
        if key in ("unix_socket", "socket"):
            arguments["unix_socket"] = unquote(value)
    return arguments


def _load(graph: SchemaGraph, sql: SqlLoader, run: Any, url: str, database: str) -> dict[str, str]:
    catalog = Catalog(graph, sql, Origin("mysql", public_place(url)), database)
    where = "t.TABLE_SCHEMA = %s" if database else f"t.TABLE_SCHEMA NOT IN {_SYSTEM} AND %s = ''"
    views, tables = [], {}
    for schema, table, view, query in run(_TABLES.format(where=where), (database,)):
        name = catalog.add_table(schema, table, "view" if view else "table").name
        if view:
            # MariaDB writes every table with its database; the default one is left out as everywhere else.
            views.append(
                (
                    schema,
                    table,
                    query.replace(f"{_quote(schema)}.", "") if query and schema == database else query,
                )
            )
        else:
            tables[name] = f"{_quote(schema)}.{_quote(table)}"
    columns = run(_COLUMNS.format(where=where), (database,))
    catalog.add_columns((s, t, c, kind, bool(null)) for s, t, c, kind, null, _ in columns)
    for schema, table, column, _, _, primary in columns:
        known = graph.tables.get(catalog.name(schema, table))
        if primary and known is not None:
            known.primary_key = (*known.primary_key, column)
    catalog.add_keys(run(_KEYS.format(where=where), (database,)))
    for schema, view, query in views:
        catalog.add_view(schema, view, query, "mysql")
    return tables
