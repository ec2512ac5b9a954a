"""A catalog seen through a choice of documents: temporary views that stand before the tables of the same name.

SQLite looks a plain name up among temporary things first, so every read of the room sees the choice, nothing is copied,
and the file itself may be read-only.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

_CHOSEN = "(select id from temp.chosen)"
_DATASETS = "(select id from temp.chosen_datasets)"
_SERIES = "(select id from temp.chosen_series)"

_VIEWS = {
    "files": f"+path in {_CHOSEN}",
    "documents": f"+id in {_CHOSEN}",
    "tables": f"+document in {_CHOSEN}",
    "sheet_rows": f"+document in {_CHOSEN}",
    "datasets": f"+id in {_DATASETS}",
    "copies": f"+document in {_CHOSEN} and +other in {_CHOSEN}",
    "joins": f"+left_document in {_CHOSEN} and +right_document in {_CHOSEN}",
    "mentions": f"+page in {_CHOSEN} and +document in {_CHOSEN}",
    "links": f"+dataset in {_DATASETS} and +other in {_DATASETS}",
    "series": f"+id in {_SERIES}",
}
"""The plus keeps SQLite from walking through the choice instead of the index that a query asks by."""

_COLUMNS = {
    "documents": f"case when duplicate_of in {_CHOSEN} then duplicate_of else '' end as duplicate_of",
    "series": "json_set(info, '$.members', (select json_group_array(json(value)) from json_each(info, '$.members') "
    f"where json_extract(value, '$.document') in {_CHOSEN})) as info",
}
"""Columns that name other documents."""


def restrict(db: sqlite3.Connection, documents: Iterable[str]) -> None:
    """Let a connection see only some documents, what belongs to them, and relations between them.

    Members come with their archive, and the original with its exact copy.
    """
    for name in ("chosen", "chosen_datasets", "chosen_series"):
        db.execute(f"create temp table {name} (id text primary key) without rowid")
    db.executemany("insert or ignore into temp.chosen values (?)", ((d,) for d in documents))
    grown = (
        f"insert or ignore into temp.chosen select id from main.documents where parent != '' and parent in {_CHOSEN}",
        "insert or ignore into temp.chosen select duplicate_of from main.documents "
        f"where state = 'duplicate' and duplicate_of != '' and id in {_CHOSEN}",
    )
    while sum(db.execute(statement).rowcount for statement in grown):
        pass
    for name, column in (("chosen_datasets", "dataset"), ("chosen_series", "series")):
        db.execute(
            f"insert or ignore into temp.{name} select {column} from main.documents where id in {_CHOSEN}"  # noqa: S608
        )
    for name, condition in _VIEWS.items():
        columns = [row[1] for row in db.execute(f"pragma main.table_info({name})")]
        if not columns:
            continue
        changed = _COLUMNS.get(name, "")
        told = [changed if changed.endswith(f" as {c}") else c for c in columns]
        db.execute(f"create temp view {name} as select {', '.join(told)} from main.{name} where {condition}")  # noqa: S608
