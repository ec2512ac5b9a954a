"""Tables in plain text whose columns are set with blanks.

A block is a run of lines without an empty one. It is a table if blanks run down through all its lines at the same
places (gutters), at least two wide, or if every line has the same number of words and most of them are numbers.
Lists, addresses and listings have gutters too; so a column of numbers, or a line of dashes under a header is asked for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from headwater.model import Table
from headwater.tabular import build_table

_LEAST_LINES = 4
_NUMBER = re.compile(r"[-+(]?[$€£]?\d[\d,.]*(?:[eE][-+]?\d+)?[%)]?|[-–.]{1,3}|n/?a|nan", re.IGNORECASE)
_DASHES = re.compile(r"^[\s|+]*[-=]{2,}[-=\s|+]*$")
_COMMENT = re.compile(r"^\s*[#%;!]")
_COVERED = 0.9


@dataclass
class _Block:
    first: int  # number of its first line, from 1
    lines: list[str]


def find_tables(text: str) -> tuple[list[Table], bool]:
    """Return the tables of a text, and whether it is nothing but tables."""
    lines = [line.rstrip().expandtabs(8) for line in text.split("\n")]
    filled = sum(bool(line) for line in lines)
    tables, covered = [], 0
    for block in _merged(_blocks(lines), lines):
        found = _numeric(block) or _guttered(block)
        if found is not None:
            table, count = found
            covered += count
            table.preamble = "\n".join(
                part for part in (_title_above(lines, block.first - 1), table.preamble) if part
            )
            tables.append(table)
    return tables, bool(tables) and len(tables) == 1 and covered >= _COVERED * filled


def _blocks(lines: list[str]) -> list[_Block]:
    out: list[_Block] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        if out and out[-1].first + len(out[-1].lines) == number:
            out[-1].lines.append(line)
        else:
            out.append(_Block(number, [line]))
    return [block for block in out if len(block.lines) >= _LEAST_LINES]


def _merged(blocks: list[_Block], lines: list[str]) -> list[_Block]:
    """Join blocks of numbers that go on after an empty line with as many words in each line."""
    out: list[_Block] = []
    for block in blocks:
        before = out[-1] if out else None
        width = _number_width(block.lines)
        if before is not None and width and width == _number_width(before.lines[-len(block.lines) :]):
            gap = lines[before.first - 1 + len(before.lines) : block.first - 1]
            if len(gap) <= 2 and not any(line.strip() for line in gap):
                before.lines += [*gap, *block.lines]
                continue
        out.append(block)
    return out


def _number_width(lines: list[str]) -> int:
    """Return how many words each line has if they are mostly numbers, else 0."""
    rows = [line.split() for line in lines if line.strip()]
    widths = {len(row) for row in rows}
    numbers = sum(_is_number(cell) for row in rows for cell in row)
    return widths.pop() if len(widths) == 1 and numbers * 2 > sum(map(len, rows)) else 0


def _title_above(lines: list[str], index: int) -> str:
    above = index - 1
    while above >= 0 and index - above <= 2 and not lines[above].strip():
        above -= 1
    line = lines[above].strip() if above >= 0 else ""
    return line if 0 < len(line) <= 120 and index - above <= 2 and not line.endswith(".") else ""


def _numeric(block: _Block) -> tuple[Table, int] | None:
    """Read a block whose lines are mostly numbers, equally many in each."""
    numbered = [(block.first + i, line.split()) for i, line in enumerate(block.lines) if line.strip()]
    rows = [row for _, row in numbered]
    body = [row for row in rows if sum(_is_number(cell) for cell in row) * 2 > len(row)]
    if len(body) < max(_LEAST_LINES, 0.6 * len(rows)):
        return None
    width = max({len(row) for row in body}, key=[len(row) for row in body].count)
    if width < 2 or sum(len(row) == width for row in body) < 0.95 * len(body):
        return None
    start = next(i for i, row in enumerate(rows) if len(row) == width and row in body)
    records = [(line, row) for line, row in numbered[start:] if len(row) == width]
    if len(records) < 0.95 * (len(rows) - start):
        return None
    above = [line for line in block.lines if line.strip()][:start]
    names = _COMMENT.sub("", above[-1]).split() if above else []
    if len(names) != width:
        names = re.split(r"\s{2,}", _COMMENT.sub("", above[-1]).strip()) if above else []
    header = len(names) == width and not any(_is_number(cell) for cell in names)
    table = build_table(
        [row for _, row in records],
        lines=[line for line, _ in records],
        column_names=names if header else [f"column_{i + 1}" for i in range(width)],
        find_structure=False,
    )
    table.preamble = "\n".join(above[: -1 if header else None])
    return table, len(rows)


def _guttered(block: _Block) -> tuple[Table, int] | None:
    dashes = [
        i
        for i, line in enumerate(block.lines)
        if _DASHES.match(line) and (" " in line.strip() or "-" * 8 in line)
    ]
    lines = [line for i, line in enumerate(block.lines) if i not in dashes]
    numbers = [block.first + i for i in range(len(block.lines)) if i not in dashes]
    if len(lines) < _LEAST_LINES:
        return None
    spans = _spans(lines)
    if len(spans) < 2:
        return None
    rows = [[line[a:b].strip() or None for a, b in spans] for line in lines]
    filled = sum(sum(cell is not None for cell in row) >= 2 for row in rows)
    if filled < 0.8 * len(rows) or not (_has_numbers(rows) or dashes and dashes[0] <= 2):
        return None
    return build_table(rows, lines=numbers), len(block.lines)


def _spans(lines: list[str]) -> list[tuple[int, int]]:
    """Return the columns between gutters that run through all lines."""
    width = max(map(len, lines))
    used = [False] * width
    for line in lines:
        for i, char in enumerate(line):
            if char != " ":
                used[i] = True
    spans, start, i = [], None, 0
    while i < width:
        if used[i]:
            start = i if start is None else start
            i += 1
            continue
        end = i
        while i < width and not used[i]:
            i += 1
        if start is not None and (i - end >= 2):
            spans.append((start, end))
            start = None
    if start is not None:
        spans.append((start, width))
    return spans


def _has_numbers(rows: list[list[str | None]]) -> bool:
    for x in range(1, len(rows[0])):
        cells = [row[x] for row in rows[1:] if row[x]]
        if len(cells) * 2 >= len(rows) and sum(_is_number(str(cell)) for cell in cells) >= 0.7 * len(cells):
            return True
    return False


def _is_number(cell: str) -> bool:
    return bool(_NUMBER.fullmatch(cell))
