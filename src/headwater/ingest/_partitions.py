"""Partitioned tables: folders named `key=value`, as Hive and Spark write them, are one table with the keys as columns."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from headwater.catalog import TableRecord

PARTITION = re.compile(r"([^/=]+)=([^/]*)/")
"""A folder that names a partition; the value is percent-encoded where it holds special characters."""

NULL = "__HIVE_DEFAULT_PARTITION__"
"""Value that Hive writes for a missing key."""


def split_partitions(document: str) -> tuple[str, dict[str, str | None]]:
    """Return the folder above the first partition and the keys with their values, ("", {}) if there is none."""
    from urllib.parse import unquote

    found = list(PARTITION.finditer(document))
    if not found or "!" in document:
        return "", {}
    keys = {m[1]: None if m[2] == NULL else unquote(m[2]) for m in found}
    return document[: found[0].start()].rstrip("/"), keys


def partitioned_tables(tables: Iterable[TableRecord]) -> list[dict[str, Any]]:
    """Return a series (see `Relations.series`) for every partitioned table; its id is the folder that holds it.

    Columns are united by name; where the members' types differ the widest is taken, and this and missing columns are told
    in `warnings`.
    """
    groups: dict[tuple[str, tuple[str, ...]], list[tuple[TableRecord, dict[str, str | None]]]] = defaultdict(
        list
    )
    for table in tables:
        folder, keys = split_partitions(table.document)
        if folder and not table.name:
            groups[folder, tuple(keys)].append((table, keys))
    return [_series(folder, members) for (folder, _), members in sorted(groups.items())]


def _series(folder: str, members: list[tuple[TableRecord, dict[str, str | None]]]) -> dict[str, Any]:
    types: dict[str, dict[str, None]] = {}
    for table, _ in members:
        for column in table.columns:
            types.setdefault(column["name"], {})[column["type"]] = None
    warnings = [
        f"column {name!r} is {' in one partition and '.join(found)} in another; {widest_type(set(found))} is taken"
        for name, found in types.items()
        if len(found) > 1
    ]
    for name in types:
        lacking = sum(all(c["name"] != name for c in table.columns) for table, _ in members)
        if lacking:
            warnings.append(
                f"column {name!r} is missing in {lacking} of {len(members)} partitions; it is null there"
            )
    return {
        "id": folder,
        "title": folder.rsplit("/", 1)[-1],
        "kind": "partition",
        "columns": [[name, widest_type(set(found))] for name, found in types.items()],
        "members": [
            {
                "ref": table.ref,
                "document": table.document,
                "label": keys,
                "columns": {c["name"]: c["name"] for c in table.columns},
                "rows": table.row_count,
            }
            for table, keys in members
        ],
        "warnings": warnings,
    }


def widest_type(types: set[str]) -> str:
    """Return the type that holds the values of all of `types`."""
    if len(types) == 1:
        return next(iter(types))
    if types <= {"integer", "number"}:
        return "number"
    if types <= {"date", "datetime"}:
        return "datetime"
    return "text"
