"""What stands below the records: totals, notes, sources."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from headwater.tabular._cells import Kind, cell_text, is_blank, is_blank_row, kind_of, one_line
from headwater.tabular._numbers import parse_number
from headwater.tabular._vocabulary import LIKELY_TOTAL, NOTE, TOTAL, WEAK_TOTAL

TAIL = 60
"""Rows at the end that are looked at."""

Row = Sequence[Any]


@dataclass(slots=True)
class Footer:
    """Rows below the records, as indices into the rows that were given, in order; totals are among them."""

    rows: list[int] = field(default_factory=list)
    totals: list[int] = field(default_factory=list)


def find_footer(rows: Sequence[Row], kinds: Sequence[Kind], width: int, complete: bool = True) -> Footer:
    """Find notes and totals at the end of the records.

    Args:
        rows: records and what follows, blank rows included.
        kinds: kind of every column.
        width: number of columns.
        complete: the rows are all records of the table, so that a total can be checked by adding up.
    """
    footer = Footer()
    end = _notes(rows, kinds, width)
    body = [index for index in range(end) if not is_blank_row(rows[index])]
    last = _total(rows, body, kinds, complete)
    if last is not None:
        footer.totals = [index for index in body if index >= last]
        end = last
    footer.rows = [index for index in range(end, len(rows)) if not is_blank_row(rows[index])]
    return footer


def _notes(rows: Sequence[Row], kinds: Sequence[Kind], width: int) -> int:
    """Return the index from which on only notes follow."""
    end = len(rows)
    lowest = max(1, len(rows) - TAIL)
    widths = [len(one_line(row[0])) for row in rows[: len(rows) - 3][-200:] if row and not is_blank(row[0])]
    usual = max(widths, default=20)
    index = len(rows) - 1
    pending = end
    while index >= lowest:
        row = rows[index]
        if is_blank_row(row):
            if pending < len(rows):
                end = pending
            index -= 1
            continue
        after_blank = is_blank_row(rows[index - 1])
        if not _is_note(row, kinds, width, usual):
            if not (_is_aside(row, kinds, width) and _below_blank(rows, index, lowest)):
                break
            pending = index
        else:
            pending = index
            end = index
        if after_blank and pending == index:
            end = index
        index -= 1
    return end


def _below_blank(rows: Sequence[Row], index: int, lowest: int) -> bool:
    """Tell whether a blank row stands above a row, with nothing but single cells between."""
    for above in range(index - 1, lowest - 1, -1):
        if is_blank_row(rows[above]):
            return True
        if sum(not is_blank(cell) for cell in rows[above]) > 1:
            return False
    return False


def _is_note(row: Row, kinds: Sequence[Kind], width: int, usual: int) -> bool:
    """Tell whether a row reads like a note: one text that begins like one or is far longer than the column's values."""
    cells = [cell for cell in row if not is_blank(cell)]
    if not isinstance(cells[0], str):
        return False
    text = cells[0].strip()
    alone = len(cells) == 1 or len(set(map(one_line, cells))) == 1
    begins = NOTE.match(text) is not None
    if not alone:
        return (
            begins
            and not text.startswith(("*", "#"))
            and len(cells) <= 2 < width
            and is_blank(row[-1] if len(row) >= width else None)
        )
    if width == 1:
        return begins and len(text) > 12 and kinds[0] in ("number", "date")
    return kind_of(text) == "text" and (begins or (len(text) > 60 and len(text) > 2 * usual))


def _is_aside(row: Row, kinds: Sequence[Kind], width: int) -> bool:
    """Tell whether a row may be a remark if a blank row sets it apart from the records: one text in a wider table."""
    places = [column for column, cell in enumerate(row) if not is_blank(cell)]
    if width < 3 or len(places) != 1:
        return False
    cell = row[places[0]]
    stray = places[0] >= len(kinds) or kinds[places[0]] in ("", "missing")
    return stray or (isinstance(cell, str) and kind_of(cell) == "text")


def _label(row: Row, kinds: Sequence[Kind]) -> str:
    """Return the label of a row: its first text."""
    for cell in row[: max(2, len(kinds) // 2)]:
        if isinstance(cell, str) and not is_blank(cell):
            return one_line(cell).strip(" *:")
    return ""


def _total(rows: Sequence[Row], body: Sequence[int], kinds: Sequence[Kind], complete: bool) -> int | None:
    """Return the index of the row that sums the records and ends them, or None."""
    if len(body) < 3 or "number" not in kinds:
        return None
    labels = {index: _label(rows[index], kinds) for index in body[-TAIL:]}
    hits = [index for index, label in labels.items() if TOTAL.fullmatch(label)]
    if not hits and complete and len(body) > 3 and LIKELY_TOTAL.fullmatch(labels[body[-1]]):
        return _last_total(rows, body, body[-1], kinds)
    if not hits or len(hits) > 2 + (len(body) > 20):
        return None
    first = hits[0]
    after = [index for index in body if index > first]
    records = [rows[index] for index in body if index < first]
    sums = _adds_up(rows[first], records, kinds) if complete else None
    if after and not _all_asides(rows, after, hits, kinds, bool(sums)):
        return None if first == hits[-1] else _last_total(rows, body, hits[-1], kinds)
    if (
        sums
        or (sums is None or not WEAK_TOTAL.fullmatch(labels[first]))
        and not _dimension(rows, body, first, kinds)
    ):
        return first
    return None


def _last_total(rows: Sequence[Row], body: Sequence[int], index: int, kinds: Sequence[Kind]) -> int | None:
    """Return the last total if it ends the table and adds up."""
    if index != body[-1]:
        return None
    return index if _adds_up(rows[index], [rows[i] for i in body if i < index], kinds) else None


def _all_asides(
    rows: Sequence[Row], after: Sequence[int], hits: Sequence[int], kinds: Sequence[Kind], sums: bool
) -> bool:
    """Tell whether the rows below a total are no records: more totals, or a block under a heading of its own."""
    if all(index in hits for index in after):
        return True
    heading = [cell for cell in rows[after[0]] if not is_blank(cell)]
    return sums and len(heading) == 1 and len(after) <= 12 and isinstance(heading[0], str)


def _dimension(rows: Sequence[Row], body: Sequence[int], total: int, kinds: Sequence[Kind]) -> bool:
    """Tell whether the label of a total is one value among others that come back, so that it is a record."""
    label = _label(rows[total], kinds).casefold()
    column = next(i for i, cell in enumerate(rows[total]) if isinstance(cell, str) and not is_blank(cell))
    values = [one_line(rows[i][column]).casefold() for i in body if i != total and column < len(rows[i])]
    return (
        label in values
        or (len(values) > 4 and len(set(values)) < 0.6 * len(values))
        or column > 0
        and not is_blank(rows[total][0])
    )


def _figure(cell: Any) -> float | None:
    if isinstance(cell, str):
        number = parse_number(cell.strip()) if len(cell) < 40 else None
        text = number and (number.dot or number.comma)
        return float(text) if text else None
    if isinstance(cell, bool) or cell is None:
        return None
    try:
        return float(cell)
    except (TypeError, ValueError):
        return None


def _adds_up(row: Row, records: Sequence[Row], kinds: Sequence[Kind]) -> bool | None:
    """Tell whether a figure of a row is the sum of its column; None where there is none to check."""
    checked = False
    for column, kind in enumerate(kinds):
        total = _figure(row[column]) if kind == "number" and column < len(row) else None
        if total is None or total == 0:
            continue
        figures = [
            figure
            for record in records
            if column < len(record) and (figure := _figure(record[column])) is not None
        ]
        if len(figures) < 2:
            continue
        checked = True
        if math.isclose(
            sum(figures), total, rel_tol=0.002, abs_tol=0.51 if all(f.is_integer() for f in figures) else 0.06
        ):
            return True
    return False if checked else None


def row_text(row: Row) -> str:
    """Return a row of a footer or preamble as one line."""
    texts = [text for cell in row if (text := (cell_text(cell) or "").strip())]
    return texts[0] if len(texts) > 1 and len(set(texts)) == 1 else " | ".join(texts)
