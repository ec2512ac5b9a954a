"""Tables of PDF pages, from rules where a grid is drawn and from the places of words where not.

Without rules: words on one baseline make a line, wide gaps cut it into cells, and lines with several cells make a
block. The columns of a block are the strips that its cells cover; a cell over several strips is a header that spans
them. A block that goes on at the top of the next page, with the same strips or the same header, is one table.
"""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from headwater.model import Table
from headwater.readers._pdf_rules import Grid, find_grids
from headwater.readers._pdf_words import Line, Word, lines_of, page_words
from headwater.tabular import build_table

if TYPE_CHECKING:
    from headwater.readers import ReadOptions

_CAPTION = re.compile(
    r"^(?:table|tab\.|tabelle|tableau|cuadro|tabla|exhibit|schedule|appendix|annex|figure|表|附表)\s*[\d一二三四五六七八九十A-Z]",
    re.IGNORECASE,
)
_NOTE = re.compile(r"^(?:source|note|notes|\(?[a-z*†‡\d][).:]\s|\*|quelle|anm|资料来源|注)", re.IGNORECASE)
_NUMBER = re.compile(r"[-+(−–]?\s*[$€£¥]?\s*[-+(]?\d[\d,.\s]*%?\)?%?|[-–—]|n/?a", re.IGNORECASE)
_YEAR = re.compile(r"(?:19|20)\d\d")
_LEAST_ROWS = 3
_MOST_HEADERS = 3
_PROSE = 75
"""Characters in one cell from which a line is running text, not a record."""

_MAX_COLUMNS = 40
_SAME_PLACE = 12.0
"""Points by which the columns of two pages may differ."""


@dataclass
class _Found:
    """A table on one page.

    Attributes:
        rows: texts; a merged cell stands in every place that it covers if the option says so.
        edges: left ends of the columns in points.
        top, bottom: where it stands, in points from the top of the page.
        first, last: whether it is the first or last thing on the page but for running titles.
    """

    page: int
    rows: list[list[str | None]]
    edges: list[float]
    top: float
    bottom: float
    title: str = ""
    footer: list[str] = field(default_factory=list)
    first: bool = False
    last: bool = False


class TableFinder:
    """Collects the tables of a document page by page."""

    def __init__(self, options: ReadOptions) -> None:
        self._options = options
        self._found: list[_Found] = []

    def look(self, page: Any, number: int, ruled: bool) -> None:
        """Look for tables on a page that seems to have some."""
        words = page_words(page)
        lines = lines_of(words)
        found: list[_Found] = []
        if ruled:
            for grid in find_grids(page):
                table = self._from_grid(grid, number, words, lines)
                if table is not None:
                    found.append(table)
        taken = [(f.top, f.bottom) for f in found]
        free = [
            line
            for line in lines
            if not any(top - 2 <= line.top and line.bottom <= bottom + 2 for top, bottom in taken)
        ]
        found += _by_words(number, free, lines)
        self._found += sorted(found, key=lambda f: f.top)

    def tables(self) -> list[Table]:
        """Return the tables, those over several pages joined."""
        out = []
        for found in _joined(self._found):
            table = build_table(found.rows, name=found.title, page=found.page)
            if not table.columns or not table.data.row_count:
                continue
            table.footer = "\n".join(filter(None, (table.footer, *found.footer)))
            out.append(table)
        return out

    def _from_grid(self, grid: Grid, number: int, words: list[Word], lines: list[Line]) -> _Found | None:
        """Put the words of a page into the cells of a grid; merged cells stand in all places that they cover."""
        rows: list[list[str | None]] = [[None] * (len(grid.xs) - 1) for _ in range(len(grid.ys) - 1)]
        inside = [
            w
            for w in words
            if grid.xs[0] < (w.x0 + w.x1) / 2 < grid.xs[-1]
            and grid.ys[0] < (w.top + w.bottom) / 2 < grid.ys[-1]
        ]
        owner: dict[tuple[int, int], int] = {}
        for index, (row, column, high, wide) in enumerate(grid.cells):
            for y in range(row, row + high):
                for x in range(column, column + wide):
                    owner[y, x] = index
        contents: dict[int, list[Word]] = {}
        for word in inside:
            y = bisect.bisect(grid.ys, (word.top + word.bottom) / 2) - 1
            x = bisect.bisect(grid.xs, (word.x0 + word.x1) / 2) - 1
            contents.setdefault(owner[y, x], []).append(word)
        for index, members in contents.items():
            row, column, high, wide = grid.cells[index]
            text = "\n".join(line.text for line in lines_of(members))
            for y in range(row, row + high):
                for x in range(column, column + wide):
                    if (y, x) == (row, column) or self._options.merged == "fill":
                        rows[y][x] = text
        rows = [part for row in rows for part in _split_row(row)]
        rows = [row for row in rows if any(row)]
        kept = [x for x in range(len(grid.xs) - 1) if any(row[x] for row in rows)]
        rows = [[row[x] for x in kept] for row in rows]
        if len(rows) < 2 or len(kept) < 2 or sum(len(set(filter(None, row))) > 1 for row in rows) < 2:
            return None
        if sum(cell is not None for row in rows for cell in row) < 0.25 * len(rows) * len(kept):
            return None
        found = _Found(number, rows, [grid.xs[x] for x in kept], grid.ys[0], grid.ys[-1])
        _surround(found, lines)
        return found


def _split_row(row: list[str | None]) -> list[list[str | None]]:
    """Cut a ruled row that holds several records, one a line: all cells have equally many lines, mostly numbers."""
    counts = {cell.count("\n") + 1 for cell in row if cell}
    lines = [line for cell in row if cell for line in cell.split("\n")]
    if (
        len(counts) == 1
        and max(counts) > 1
        and sum(bool(_NUMBER.fullmatch(line)) for line in lines) * 2 > len(lines)
    ):
        most = max(counts)
        parts = [cell.split("\n") if cell else [None] * most for cell in row]
        return [[part[i] for part in parts] for i in range(most)]
    return [[" ".join(cell.split("\n")) if cell else None for cell in row]]


def _surround(found: _Found, lines: list[Line]) -> None:
    """Find the title above and the notes below a table, and its place on the page."""
    above = [line for line in lines if line.bottom <= found.top + 2]
    below = [line for line in lines if line.top >= found.bottom - 2]
    for line in reversed(above[-3:]):
        if _CAPTION.match(line.text):
            found.title = line.text
            break
    else:
        near = above[-1] if above and found.top - above[-1].bottom < 40 else None
        if (
            near is not None
            and len(near.cells) == 1
            and len(near.text) <= 120
            and not near.text.endswith((".", ",", ";"))
        ):
            found.title = near.text
    for line in below[:3]:
        if not _NOTE.match(line.text):
            break
        found.footer.append(line.text)
    found.first = len(above) <= 2 + bool(found.title)
    found.last = len(below) - len(found.footer) <= 2


# ---------------------------------------------------------------- without rules


def _by_words(number: int, free: list[Line], lines: list[Line]) -> list[_Found]:
    out = []
    for start, end in _regions(free):
        found = _columns(number, free[start:end])
        if found is not None:
            _surround(found, lines)
            out.append(found)
    return out


def _regions(lines: list[Line]) -> list[tuple[int, int]]:
    """Return the runs of lines with several cells; single-cell lines inside a run belong to it."""
    out: list[tuple[int, int]] = []
    start: int | None = None
    last = 0
    for i, line in enumerate(lines):
        prose = any(len(cell.text) > _PROSE for cell in line.cells)
        far = start is not None and (i - last > 3 or line.top - lines[last].bottom > 4 * line.height + 14)
        if start is not None and (prose or far):
            out.append((start, last + 1))
            start = None
        if len(line.cells) >= 2 and not prose:
            start = i if start is None else start
            last = i
    if start is not None:
        out.append((start, last + 1))
    return [(a, b) for a, b in out if sum(len(line.cells) >= 2 for line in lines[a:b]) >= _LEAST_ROWS]


def _columns(number: int, lines: list[Line]) -> _Found | None:
    counts = [len(line.cells) for line in lines if len(line.cells) >= 2]
    typical = max(set(counts), key=lambda n: (counts.count(n) * n, n))
    body = [line for line in lines if len(line.cells) >= max(2, 0.75 * typical)]
    strips = _strips(body)
    if len(strips) < 2 or len(strips) > 60:
        return None
    rows = [_place(line, strips) for line in lines]
    rows = _joined_labels(rows)
    if not _is_table(rows):
        return None
    return _Found(number, rows, [strip[0] for strip in strips], lines[0].top, lines[-1].bottom)


def _strips(lines: list[Line]) -> list[tuple[float, float]]:
    """Merge the extents of all cells into columns."""
    strips: list[list[float]] = []
    for x0, x1 in sorted((cell.x0, cell.x1) for line in lines for cell in line.cells):
        if strips and x0 <= strips[-1][1] + 1:
            strips[-1][1] = max(strips[-1][1], x1)
        else:
            strips.append([x0, x1])
    return [(a, b) for a, b in strips]


def _place(line: Line, strips: list[tuple[float, float]]) -> list[str | None]:
    """Put the cells of a line into columns; one that stands between columns is a header over the nearest of them."""
    row: list[str | None] = [None] * len(strips)
    for number, cell in enumerate(line.cells):
        over = [i for i, (a, b) in enumerate(strips) if cell.x0 < b and cell.x1 > a]
        if len(line.cells) == 1 and len(over) != 1:
            over = [0]  # the heading of a section
        if not over:
            centre = (cell.x0 + cell.x1) / 2
            left = line.cells[number - 1].x1 if number else float("-inf")
            right = line.cells[number + 1].x0 if number + 1 < len(line.cells) else float("inf")
            near = sorted(range(len(strips)), key=lambda i: abs((strips[i][0] + strips[i][1]) / 2 - centre))[
                :2
            ]
            over = [i for i in near if strips[i][1] > left and strips[i][0] < right] or near[:1]
        for i in (
            over
            if not _NUMBER.fullmatch(cell.text) or len(over) == 1 or _YEAR.fullmatch(cell.text)
            else over[:1]
        ):
            row[i] = cell.text if row[i] is None else f"{row[i]} {cell.text}"
    return row


def _joined_labels(rows: list[list[str | None]]) -> list[list[str | None]]:
    """Join a label that goes on in the next line."""
    out: list[list[str | None]] = []
    for row in rows:
        before = out[-1] if out else None
        if (
            before is not None
            and before[0]
            and row[0]
            and not any(before[1:])
            and any(row[1:])
            and row[0][:1].islower()
            and not before[0].endswith(":")
        ):
            out[-1] = [f"{before[0]} {row[0]}", *row[1:]]
        else:
            out.append(row)
    return out


def _is_table(rows: list[list[str | None]]) -> bool:
    """Tell a table from lines that only happen to have gaps: enough rows, mostly filled, with numbers or few words."""
    filled = [row for row in rows if sum(cell is not None for cell in row) >= 2]
    if len(filled) < _LEAST_ROWS:
        return False
    width = len(rows[0])
    share = sum(sum(cell is not None for cell in row) for row in filled) / (width * len(filled))
    cells = [cell for row in filled for cell in row[1:] if cell]
    numbers = sum(bool(_NUMBER.fullmatch(cell)) for cell in cells)
    if numbers >= 0.4 * len(cells):
        return share >= 0.3 and width <= _MAX_COLUMNS
    words = sum(len(cell.split()) for cell in cells) / max(len(cells), 1)
    running = sum(cell[:1].islower() or cell.endswith(("-", ",")) for row in filled for cell in row if cell)
    calm = running < 0.25 * (len(cells) + len(filled))
    return share >= 0.6 and words <= 4 and width >= 3 and len(filled) >= 4 and calm


# ---------------------------------------------------------------- over pages


def _joined(found: list[_Found]) -> list[_Found]:
    out: list[_Found] = []
    ends: list[int] = []
    for item in found:
        before = out[-1] if out else None
        if before is not None and item.page == ends[-1] + 1 and _continues(before, item):
            repeated = 0
            for mine, theirs in zip(before.rows[:_MOST_HEADERS], item.rows, strict=False):
                if mine != theirs or not _is_heading(mine):
                    break
                repeated += 1
            before.rows = before.rows + item.rows[repeated:]
            before.footer += item.footer
            before.last = item.last
            ends[-1] = item.page
            continue
        out.append(item)
        ends.append(item.page)
    return out


def _is_heading(row: list[str | None]) -> bool:
    """Tell a row without values; years may head a column."""
    return not any(cell and _NUMBER.fullmatch(cell) and not _YEAR.fullmatch(cell) for cell in row)


def _continues(before: _Found, item: _Found) -> bool:
    if len(before.edges) != len(item.edges) or not before.last and before.rows[0] != item.rows[0]:
        return False
    if before.rows[0] == item.rows[0]:
        return True
    if not item.first or item.title and _CAPTION.match(item.title) and item.title != before.title:
        return False
    near = all(abs(a - b) <= _SAME_PLACE for a, b in zip(before.edges, item.edges, strict=True))
    return near and any(cell and _NUMBER.fullmatch(cell) for cell in item.rows[0][1:])
