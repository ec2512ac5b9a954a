"""What proves a value: the cells and rows it rests on, a second run, a second derivation, and the same value elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.answers._answer import Evidence, Verification
from headwater.answers._evidence import quoted_row
from headwater.answers._grid import Column, Grid
from headwater.answers._plan import Frequent, Plan, columns_of
from headwater.answers._recount import agrees

MAX_EVIDENCE = 20
"""Rows quoted."""

FEW = 3
"""Rows of which the cells that chose them are quoted too, beside those of the answer."""


def gather(grid: Grid, plan: Plan, values: Sequence[Any]) -> tuple[list[Evidence], list[dict[str, Any]]]:
    """Return the places that prove a plan's values, and a note if not all of them are given.

    Args:
        grid: the table.
        plan: what was computed.
        values: what came out.
    """
    shown = list(plan.shown)
    chosen_by = [c for c in columns_of(plan) if c not in shown] if shown else []
    chosen_by = list({c.position: c for c in chosen_by}.values())
    columns = [*shown, *chosen_by] or grid.columns
    condition = _condition(grid, plan, values)
    listed = ", ".join([*grid.hidden, *(c.text for c in columns)])
    rows = _engine(grid).run(
        f"select _row, {listed} from {grid.source} where {condition} order by _row limit {MAX_EVIDENCE + 1}"
    )
    notes = [_note("evidence", "info", _cut(grid, condition))] if len(rows) > MAX_EVIDENCE else []
    found: list[Evidence] = []
    for row, *cells in rows[:MAX_EVIDENCE]:
        document = cells.pop(0) if grid.hidden else grid.reference
        if shown:
            told = list(zip(columns, cells, strict=True))[: len(columns) if len(rows) <= FEW else len(shown)]
            found += [_cell(document, row, c, cell) for c, cell in told if cell is not None]
        else:
            found.append(Evidence(document, "row", {"row": row, "column": None}, quoted_row(cells)))
    return found, notes


def verify(
    grid: Grid, plan: Plan, values: Sequence[Any], elsewhere: Sequence[str]
) -> tuple[Verification, list[dict[str, Any]]]:
    """Return how far a value was checked, and notes on it.

    It is "agreed by two" if it was derived a second time in another way: over the printed cells without SQL, or from
    another table that is no copy.

    Args:
        grid: the table.
        plan: what was computed.
        values: what came out.
        elsewhere: other tables that gave the same value.
    """
    notes = [_note("second derivation", "info", f"The same value comes from {name}.") for name in elsewhere]
    again = _again(grid, plan, values)
    if again:
        message = "The same comes out of the cells as printed, row by row and without SQL."
        notes.append(_note("second derivation", "info", message))
    if again is False:
        message = "Over the cells as printed, row by row and without SQL, something else comes out: check how the table was read."
        return "replayed", [*notes, _note("second derivation", "warning", message)]
    return ("agreed by two" if again or elsewhere else "replayed"), notes


def _again(grid: Grid, plan: Plan, values: Sequence[Any]) -> bool | None:
    if grid.printed is None:
        return None
    names = list(
        dict.fromkeys([c.name for c in columns_of(plan)] + ([grid.sums[0].name] if grid.sums else []))
    )
    rows = grid.printed(names)
    if grid.sums:
        column, left_out = grid.sums
        rows = [r for r in rows if r.cells[column.name] not in left_out]
    where = plan.rows.sql(grid.source)
    chosen = [row[0] for row in _engine(grid).run(f"select _row from {grid.source} where {where}")]
    return agrees(plan, values, rows, chosen)


def _condition(grid: Grid, plan: Plan, values: Sequence[Any]) -> str:
    condition = plan.rows.sql(grid.source)
    if isinstance(plan, Frequent):
        listed = ", ".join("'" + str(v).replace("'", "''") + "'" for v in values)
        condition += f" and {plan.column.text} in ({listed})"
    return condition


def _engine(grid: Grid) -> Any:
    return grid.prover or grid.engine


def _cell(document: str, row: int, column: Column, cell: Any) -> Evidence:
    return Evidence(document, "cell", {"row": row, "column": column.name}, str(cell))


def _cut(grid: Grid, condition: str) -> str:
    total = _engine(grid).run(f"select count(*) from {grid.source} where {condition}")[0][0]
    return f"The evidence shows {MAX_EVIDENCE} of {total:,} rows; the program reads all of them."


def _note(kind: str, level: str, message: str) -> dict[str, Any]:
    return {"kind": kind, "level": level, "message": message}
