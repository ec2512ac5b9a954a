"""The cells and rows that prove a value, and the hashes of what it was computed from."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from headwater.answers._answer import Evidence
from headwater.answers._grid import Grid
from headwater.answers._plan import Frequent, Plan

MAX_EVIDENCE = 20
"""Rows quoted."""

QUOTE = 300
"""Characters of a quoted row."""


def gather(grid: Grid, plan: Plan, values: list[Any]) -> tuple[list[Evidence], list[dict[str, Any]]]:
    """Return the places that prove a plan's values, and a note if not all of them are given.

    Args:
        grid: the table.
        plan: what was computed.
        values: what came out.
    """
    shown = list(plan.shown)
    columns = shown or grid.columns
    condition = plan.rows.sql(grid.source)
    if isinstance(plan, Frequent):
        listed = ", ".join("'" + str(v).replace("'", "''") + "'" for v in values)
        condition += f" and {plan.column.text} in ({listed})"
    listed = ", ".join(c.text for c in columns)
    rows = grid.engine.run(
        f"select _row, {listed} from {grid.source} where {condition} order by _row limit {MAX_EVIDENCE + 1}"
    )
    notes: list[dict[str, Any]] = []
    if len(rows) > MAX_EVIDENCE:
        total = grid.engine.run(f"select count(*) from {grid.source} where {condition}")[0][0]
        message = f"The evidence shows {MAX_EVIDENCE} of {total:,} rows; the program reads all of them."
        notes.append({"kind": "evidence", "level": "info", "message": message})
    found: list[Evidence] = []
    for row, *cells in rows[:MAX_EVIDENCE]:
        if shown:
            found += [
                Evidence(grid.reference, "cell", {"row": row, "column": c.name}, str(cell))
                for c, cell in zip(shown, cells, strict=True)
                if cell is not None
            ]
        else:
            found.append(Evidence(grid.reference, "row", {"row": row, "column": None}, quoted_row(cells)))
    return found, notes


def quoted_row(cells: Sequence[Any]) -> str:
    """Return the cells of a row as they are quoted: those that are there, on one line, cut."""
    return " | ".join(" ".join(str(c).split()) for c in cells if c is not None)[:QUOTE]


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file's bytes in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
