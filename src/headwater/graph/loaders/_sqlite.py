"""A SQLite file through its catalog."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from headwater.errors import ReadError
from headwater.graph._model import ForeignKey, GraphColumn, GraphTable, Origin, SchemaGraph
from headwater.graph.loaders._identifiers import Name
from headwater.graph.loaders._inferred import SqlSampler
from headwater.graph.loaders._script import SqlLoader


def load_sqlite(graph: SchemaGraph, sql: SqlLoader, path: Path) -> SqlSampler:
    """Read tables, views, keys, and the lineage of views and triggers. The file is opened for reading only.

    Raises:
        ReadError: the file is damaged.
    """
    connection = _open(path)
    try:
        tables = _load(graph, sql, connection, path)
    except sqlite3.Error as error:
        connection.close()
        raise ReadError(
            f"{path.name} is a SQLite file that cannot be read: {error}", where=path.name
        ) from error

    def run(query: str) -> Sequence[Sequence[Any]]:
        try:
            return connection.execute(query).fetchall()
        except sqlite3.Error as error:
            raise ValueError(str(error)) from error

    return SqlSampler(run, connection.close, tables, _quote)


def _open(path: Path) -> sqlite3.Connection:
    base = path.resolve().as_uri()
    # A file with a write-ahead log in a folder that cannot be written opens only as one that nobody changes.
    for options in ("mode=ro", "mode=ro&immutable=1"):
        connection = sqlite3.connect(f"{base}?{options}", uri=True)
        try:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.Error as error:
            connection.close()
            failure = error
        else:
            return connection
    raise ReadError(f"{path.name} is a SQLite file that cannot be read: {failure}", where=path.name)


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _load(graph: SchemaGraph, sql: SqlLoader, connection: sqlite3.Connection, path: Path) -> dict[str, str]:
    origin = Origin("sqlite", path.name)
    rows = connection.execute(
        "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid"
    ).fetchall()
    shadows = {
        f"{name}_{part}"
        for kind, name, text in rows
        if text and text.upper().startswith("CREATE VIRTUAL")
        for part in (
            "data",
            "idx",
            "content",
            "docsize",
            "config",
            "node",
            "rowid",
            "parent",
            "segments",
            "segdir",
            "stat",
        )
    }
    tables = [name for kind, name, _ in rows if kind == "table" and name not in shadows]
    for name in tables:
        known = sql.names.add(Name((name,)))
        columns = connection.execute(f"PRAGMA table_xinfo({_quote(name)})").fetchall()
        keys = tuple(c[1] for c in sorted((c for c in columns if c[5]), key=lambda c: c[5]))
        shown = [GraphColumn(c[1], c[2], not c[3] and not c[5]) for c in columns if c[6] != 1]
        graph.add_table(GraphTable(known, shown, origin=origin, primary_key=keys))
    folded = {name.casefold(): name for name in tables}
    for name in tables:
        _load_keys(graph, connection, name, folded, origin)
    scripts = [text for kind, _, text in rows if kind in ("view", "trigger") and text]
    for text in scripts:
        sql.add(text, path.name, "sqlite")
    return {name: _quote(name) for name in tables}


def _load_keys(
    graph: SchemaGraph, connection: sqlite3.Connection, name: str, folded: dict[str, str], origin: Origin
) -> None:
    keys: dict[int, list[Any]] = {}
    for row in connection.execute(f"PRAGMA foreign_key_list({_quote(name)})"):
        keys.setdefault(row[0], []).append(row)
    for number in sorted(keys, reverse=True):  # the list runs from the last to the first
        rows = sorted(keys[number], key=lambda r: r[1])
        parent = folded.get(rows[0][2].casefold(), rows[0][2])
        known = graph.tables.get(parent)
        parents = (
            tuple(r[4] for r in rows) if all(r[4] for r in rows) else (known.primary_key if known else ())
        )
        spelling = {c.name.casefold(): c.name for c in known.columns} if known else {}
        graph.add_foreign_key(
            ForeignKey(
                "",
                name,
                tuple(r[3] for r in rows),
                parent,
                tuple(spelling.get(p.casefold(), p) for p in parents),
                origin,
            )
        )
