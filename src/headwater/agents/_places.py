"""The cells and rows of the lake that a computed value rests on, quoted as replay reads them again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.agents._steps import Step, same
from headwater.answers import Evidence, quoted_row
from headwater.errors import HeadwaterError

if TYPE_CHECKING:
    from headwater.lake import Lake
    from headwater.model import Behind, Place

MAX_PLACES = 4
"""Cells or rows quoted for one value."""


def places_of(lake: Lake, step: Step, value: str) -> tuple[list[Evidence], list[str]]:
    """Return where in tables of the lake a value that a query gave stands, or what it was gathered from.

    Args:
        lake: of the session.
        step: a query whose result holds the value.
        value: as submitted.

    Returns:
        Cells that hold the value, else cells or rows that it was computed from, as many as are quoted; and notes that
        say of how many rows these are, or that there is no single place.
    """
    if step.tool != "sql":
        return [], [f"{value} comes from the output of code: no cell or row is quoted for it."]
    for row in step.rows:
        for column, cell in enumerate(row):
            if same(value, cell):
                return _behind(lake, step, value, row, column)
    return [], []


def _behind(
    lake: Lake, step: Step, value: str, row: tuple[object, ...], column: int
) -> tuple[list[Evidence], list[str]]:
    try:
        found = lake.rows_behind(step.arguments["statement"], list(step.columns), list(row), column)
    except HeadwaterError:
        found = []
    evidence, notes = list[Evidence](), list[str]()
    for behind in found:
        quoted = [e for place in behind.places for e in _quoted(lake, place)][:MAX_PLACES]
        evidence += quoted
        rows = len({(e.document, e.locator["row"]) for e in quoted})
        if quoted and not behind.exact and behind.total and behind.total > rows:
            notes.append(_told(value, behind, rows))
    if not evidence and step.documents:
        notes.append(
            f"{value} is computed by a query whose rows cannot be singled out: no cell is quoted for it."
        )
    return evidence, notes


def _told(value: str, behind: Behind, shown: int) -> str:
    return (
        f"{value} is computed from {behind.total:,} rows of {behind.reference}; {shown} of them are quoted."
    )


def _quoted(lake: Lake, place: Place) -> list[Evidence]:
    """Return the cells of a place, or its whole row where no column is named."""
    reference, number = place.reference, place.row
    if not number:
        tables = [t for t in lake.catalog.tables(reference) if t.sheet]
        if not tables:
            return []
        reference, number = tables[0].ref, 1
    names = ", ".join('"' + c.replace('"', '""') + '"' for c in place.columns) or "*"
    source = reference.replace("'", "''")
    try:
        rows = lake.sql(f"select {names} from t('{source}') where _row = {number}").rows  # noqa: S608
    except HeadwaterError:
        return []
    if not rows:
        return []
    if not place.columns:
        return [Evidence(reference, "row", {"row": number, "column": None}, quoted_row(rows[0]))]
    return [
        Evidence(reference, "cell", {"row": number, "column": c}, str(v))
        for c, v in zip(place.columns, rows[0], strict=True)
        if v is not None
    ]
