"""Several tables in one grid, set apart by blank rows or blank columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.tabular._cells import is_blank, is_blank_row, is_year, kind_of, one_line
from headwater.tabular._layout import TYPED, Layout, extent, filled, find_layout

MAX_BLOCKS = 200
"""Parts between blank rows beyond which a grid is one table with gaps."""

Row = Sequence[Any]


def split_rows(rows: Sequence[Row]) -> list[tuple[int, int]]:
    """Split a grid at blank rows into tables.

    A part is a table of its own if it has a header that its values bear out, or another width with several rows;
    titles go with the table below them, notes and loose records with the table above.

    Args:
        rows: the whole grid.

    Returns:
        Begin and end of each table, which together cover the grid.
    """
    parts = _parts(rows)
    if len(parts) < 2 or len(parts) > MAX_BLOCKS:
        return [(0, len(rows))]
    starts: list[int] = []
    pending: int | None = None
    header: list[str] = []
    for start, end in parts:
        block = rows[start:end]
        layout = _own_header(block)
        if layout is None:
            if all(filled(row) <= 1 for row in block):
                pending = start if pending is None else pending
            else:
                pending = None
            if (
                not starts
                and (len(block) > 4 or max(map(filled, block)) > 2)
                and any(filled(row) > 1 for row in block)
            ):
                starts.append(0)
            continue
        names = [one_line(cell) for cell in block[layout.header[-1]]]
        if not starts:
            starts.append(0)
        elif names != header:
            starts.append(start if pending is None or not _is_title(rows[pending]) else pending)
        header, pending = names, None
    return [(start, end) for start, end in zip(starts or [0], [*starts[1:], len(rows)], strict=True)]


def _parts(rows: Sequence[Row]) -> list[tuple[int, int]]:
    """Return the runs of rows that are not blank."""
    parts: list[tuple[int, int]] = []
    start: int | None = None
    for index, row in enumerate(rows):
        if not any(row) and is_blank_row(row):
            if start is not None:
                parts.append((start, index))
                start = None
                if len(parts) > MAX_BLOCKS:
                    return parts
        elif start is None:
            start = index
    if start is not None:
        parts.append((start, len(rows)))
    return parts


def _own_header(block: Sequence[Row]) -> Layout | None:
    """Return the layout of a part that is a table by itself, else None."""
    if len(block) < 2 or max(map(extent, block[:20])) < 2:
        return None
    layout = find_layout(block[:60])
    if not layout.header or layout.body >= len(block):
        return None
    head = block[layout.header[-1]]
    named = [
        cell for cell, kind in zip(head, layout.kinds, strict=False) if not is_blank(cell) and kind in TYPED
    ]
    values = [cell for cell in named if kind_of(cell) in TYPED and not is_year(cell)]
    if (
        not named
        or len(values) == len(named)
        or 2 * len(values) >= filled(head)
        or layout.unsure
        or filled(head) < 0.6 * layout.width
    ):
        return None
    return layout


def _is_title(row: Row) -> bool:
    """Tell whether a row may be the title of the table below it rather than a note on the one above."""
    text = next((one_line(cell) for cell in row if not is_blank(cell)), "")
    return len(text) <= 120 and not text.lower().startswith(("note", "source", "*", "(", "["))


def split_columns(rows: Sequence[Row]) -> list[tuple[int, int]]:
    """Split a grid at blank columns into tables that stand side by side, each with a header of its own.

    Args:
        rows: the whole grid.

    Returns:
        First column and the one behind the last of each table; one pair where the grid is a single table.
    """
    width = max(map(len, rows), default=0)
    used = [False] * width
    for row in rows:
        for index, cell in enumerate(row):
            if not used[index] and not is_blank(cell):
                used[index] = True
    spans: list[tuple[int, int]] = []
    for index in range(width):
        if used[index] and (index == 0 or not used[index - 1]):
            spans.append((index, index))
        if used[index]:
            spans[-1] = (spans[-1][0], index + 1)
    if len(spans) < 2:
        return [(0, width)]
    if any(
        end - start < 2 or _own_header([row[start:end] for row in rows if extent(row[start:end])]) is None
        for start, end in spans
    ):
        return [(0, width)]
    return spans
