"""A live PostgreSQL database (or one that speaks its protocol) through its catalog."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.errors import MissingExtraError
from headwater.graph._model import Origin, SchemaGraph
from headwater.graph.loaders._database import Catalog, connection_error, public_place
from headwater.graph.loaders._inferred import SqlSampler
from headwater.graph.loaders._script import SqlLoader

_SYSTEM = "n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_toast%' AND n.nspname NOT LIKE 'pg\\_temp%'"

# Partitions are parts of their table and not tables of their own.
_TABLES = f"""
SELECT n.nspname, c.relname, c.relkind IN ('v', 'm'), CASE WHEN c.relkind IN ('v', 'm') THEN pg_get_viewdef(c.oid) END
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition AND {_SYSTEM}
  AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
ORDER BY c.oid"""
_COLUMNS = f"""
SELECT n.nspname, c.relname, a.attname, format_type(a.atttypid, a.atttypmod), NOT a.attnotnull
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition AND a.attnum > 0 AND NOT a.attisdropped AND {_SYSTEM}
ORDER BY c.oid, a.attnum"""
_PRIMARY = f"""
SELECT n.nspname, c.relname, array_agg(a.attname::text ORDER BY u.place)
FROM pg_constraint o JOIN pg_class c ON c.oid = o.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace,
  unnest(o.conkey) WITH ORDINALITY AS u(number, place) JOIN pg_attribute a ON a.attnum = u.number
WHERE o.contype = 'p' AND a.attrelid = c.oid AND {_SYSTEM} GROUP BY 1, 2"""
_KEYS = f"""
SELECT o.conname, n.nspname, c.relname, a.attname, pn.nspname, p.relname, b.attname
FROM pg_constraint o JOIN pg_class c ON c.oid = o.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_class p ON p.oid = o.confrelid JOIN pg_namespace pn ON pn.oid = p.relnamespace,
  unnest(o.conkey, o.confkey) WITH ORDINALITY AS u(mine, theirs, place), pg_attribute a, pg_attribute b
WHERE o.contype = 'f' AND o.conparentid = 0 AND NOT c.relispartition AND {_SYSTEM}
  AND a.attrelid = c.oid AND a.attnum = u.mine AND b.attrelid = p.oid AND b.attnum = u.theirs
ORDER BY o.oid, u.place"""

_SETTINGS = (b"SET default_transaction_read_only = on", b"SET statement_timeout = '60s'")


def load_postgres(graph: SchemaGraph, sql: SqlLoader, url: str) -> SqlSampler:
    """Read tables, views, keys and the lineage of views; tables of the current schema are named without it.

    Raises:
        SetupError: the server cannot be reached, or psycopg is not installed.
    """
    try:
        import psycopg
    except ImportError as error:
        raise MissingExtraError.for_group("psycopg", "databases") from error
    try:
        connection = psycopg.connect(url, connect_timeout=10, autocommit=True)
        for setting in _SETTINGS:
            connection.execute(setting)
    except (psycopg.Error, UnicodeError, ValueError) as error:
        raise connection_error(url, error) from None
    try:
        _load(graph, sql, connection, url)
    except psycopg.Error as error:
        connection.close()
        raise connection_error(url, error) from None

    def run(query: str) -> Sequence[Sequence[Any]]:
        try:
            return connection.execute(query.encode()).fetchall()
        except psycopg.Error as error:
            raise ValueError(type(error).__name__) from None

    current = str(connection.execute("SELECT current_schema()").fetchone()[0])  # type: ignore[index]
    tables = {}
    for schema, table, view, _ in connection.execute(_TABLES):
        if not view:
            name = table if schema == current else f"{schema}.{table}"
            tables[name] = f"{_quote(schema)}.{_quote(table)}"
    return SqlSampler(run, connection.close, tables, _quote)


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _load(graph: SchemaGraph, sql: SqlLoader, connection: Any, url: str) -> None:
    current = connection.execute("SELECT current_schema()").fetchone()[0] or ""
    catalog = Catalog(graph, sql, Origin("postgresql", public_place(url)), current)
    views = []
    for schema, table, view, query in connection.execute(_TABLES):
        catalog.add_table(schema, table, "view" if view else "table")
        if view:
            views.append((schema, table, query))
    catalog.add_columns(connection.execute(_COLUMNS))
    for schema, table, columns in connection.execute(_PRIMARY):
        known = graph.tables.get(catalog.name(schema, table))
        if known is not None:
            known.primary_key = tuple(columns)
    catalog.add_keys(connection.execute(_KEYS))
    for schema, view, query in views:
        catalog.add_view(schema, view, query, "postgres")
