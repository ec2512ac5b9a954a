"""Tables of PDF pages, from rules where a grid is drawn and from the places of words where not.

Without rules: words on one baseline make a line, wide gaps cut it into cells, and lines with several cells make a
block. The columns of a block are the strips that its cells cover; a cell over several strips is a header that spans
them. A block that goes on at the top of the next page, with the same strips or the same header, is one table.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.model import Table
from headwater.readers._pdf_words import Line, page_lines
from headwater.tabular import build_table

if TYPE_CHECKING:
    from headwater.readers import ReadOptions
    from headwater.readers._pdf_page import PageText

_CAPTION = re.compile(
    r"^(?:table|tab\.|tabelle|tableau|cuadro|tabla|exhibit|schedule|appendix|annex|figure|表|附表)\s*[\d一二三四五六七八九十A-Z]",
    re.IGNORECASE,
)
_NOTE = re.compile(r"^(?:source|note|notes|\(?[a-z*†‡\d][).:]\s|\*|quelle|anm|资料来源|注)", re.IGNORECASE)
_NUMBER = re.compile(r"[-+(−–]?\s*[$€£¥]?\s*[-+(]?\d[\d,.\s]*%?\)?%?|[-–—]|n/?a", re.IGNORECASE)
_LEAST_ROWS = 3
_SAME_PLACE = 12.0
"""Points by which the columns of two pages may differ."""

_MAX_RULED = 60
"""Pages of one document that pdfplumber reads; it needs a tenth of a second for each."""


@dataclass
class _Found:
    """A table on one page.

    Attributes:
        rows: texts; a merged cell stands in every place that it covers if the option says so.
        edges: left ends of the columns in points.
        first, last: whether it is the first or last thing on the page but for running titles.
    """

    page: int
    rows: list[list[str | None]]
    edges: list[float]
    title: str = ""
    footer: list[str] = field(default_factory=list)
    first: bool = False
    last: bool = False
    header_rows: int | None = None


class TableFinder:
    """Collects the tables of a document page by page."""

    def __init__(self, data: Path | bytes, options: ReadOptions) -> None:
        self._data = data
        self._options = options
        self._found: list[_Found] = []
        self._ruled = 0
        self._plumber: Any = None
        self.warnings: list[str] = []

    def look(self, document: Any, index: int, page: PageText) -> None:
        """Look for tables on a page that seems to have some."""
        lines = page_lines(document[index])
        if page.ruled and self._ruled < _MAX_RULED:
            self._ruled += 1
            found = self._by_rules(index, lines)
            if found:
                self._found += found
                return
        self._found += _by_words(index + 1, lines)

    def tables(self) -> list[Table]:
        """Return the tables, those over several pages joined."""
        if self._plumber is not None:
            self._plumber.close()
        out = []
        for found in _joined(self._found):
            table = build_table(found.rows, name=found.title, page=found.page, header_rows=found.header_rows)
            if not table.columns or not table.data.row_count:
                continue
            table.footer = "\n".join(filter(None, (table.footer, *found.footer)))
            out.append(table)
        return out

    def _by_rules(self, index: int, lines: list[Line]) -> list[_Found]:
        import io

        import pdfplumber
        from pdfminer.pdfexceptions import PDFException

        try:
            if self._plumber is None:
                self._plumber = pdfplumber.open(
                    self._data if isinstance(self._data, Path) else io.BytesIO(self._data)
                )
            page = self._plumber.pages[index]
            tables = page.find_tables()
            out = [self._grid(table, index + 1, lines, page) for table in tables if len(table.cells) >= 4]
            page.close()
        except (
            PDFException,
            ValueError,
            TypeError,
            KeyError,
            IndexError,
            AttributeError,
            RecursionError,
            OSError,
        ):
            # pdfminer meets malformed objects with whatever error comes first; the words are read all the same
            return []
        return [found for found in out if found is not None]

    def _grid(self, table: Any, number: int, lines: list[Line], page: Any) -> _Found | None:
        """Lay a table of pdfplumber out, merged cells over all places they cover."""
        xs = _distinct([cell[0] for cell in table.cells] + [cell[2] for cell in table.cells])
        ys = _distinct([cell[1] for cell in table.cells] + [cell[3] for cell in table.cells])
        if len(xs) < 3 or len(ys) < 3:
            return None
        rows: list[list[str | None]] = [[None] * (len(xs) - 1) for _ in range(len(ys) - 1)]
        for row in table.rows:
            for cell in row.cells:
                if cell is None:
                    continue
                text = page.crop(cell, strict=False).extract_text(x_tolerance=2) or ""
                text = " ".join(text.split()) or None
                x0, x1 = _at(xs, cell[0]), _at(xs, cell[2])
                y0, y1 = _at(ys, cell[1]), _at(ys, cell[3])
                for y in range(y0, max(y1, y0 + 1)):
                    for x in range(x0, max(x1, x0 + 1)):
                        if (
                            y < len(rows)
                            and x < len(rows[0])
                            and ((y, x) == (y0, x0) or self._options.merged == "fill")
                        ):
                            rows[y][x] = text
        rows = [row for row in rows if any(row)]
        kept = [x for x in range(len(xs) - 1) if any(row[x] for row in rows)]
        rows = [[row[x] for x in kept] for row in rows]
        if len(rows) < 2 or len(kept) < 2 or sum(len(set(filter(None, row))) > 1 for row in rows) < 2:
            return None
        found = _Found(number, rows, [xs[x] for x in kept])
        top, bottom = min(cell[1] for cell in table.cells), max(cell[3] for cell in table.cells)
        above = [line for line in lines if line.bottom <= top + 2]
        below = [line for line in lines if line.top >= bottom - 2]
        _surround(found, above, below)
        return found


def _distinct(values: list[float]) -> list[float]:
    out: list[float] = []
    for value in sorted(values):
        if not out or value - out[-1] > 3:
            out.append(value)
    return out


def _at(edges: list[float], value: float) -> int:
    return min(range(len(edges)), key=lambda i: abs(edges[i] - value))


def _surround(found: _Found, above: list[Line], below: list[Line]) -> None:
    """Find the title above and the notes below a table, and its place on the page."""
    for line in reversed(above[-3:]):
        if _CAPTION.match(line.text):
            found.title = line.text
            break
    else:
        if (
            above
            and len(above[-1].cells) == 1
            and len(above[-1].text) <= 120
            and len(above) > 1
            and not above[-1].text.endswith(".")
        ):
            found.title = above[-1].text
    for line in below[:3]:
        if not _NOTE.match(line.text):
            break
        found.footer.append(line.text)
    found.first = len(above) <= 2 + bool(found.title)
    found.last = len(below) - len(found.footer) <= 2


# ---------------------------------------------------------------- without rules


def _by_words(number: int, lines: list[Line]) -> list[_Found]:
    out = []
    for start, end in _regions(lines):
        found = _columns(number, lines[start:end])
        if found is not None:
            _surround(found, lines[:start], lines[end:])
            out.append(found)
    return out


def _regions(lines: list[Line]) -> list[tuple[int, int]]:
    """Return the runs of lines with several cells; single-cell lines inside a run belong to it."""
    out: list[tuple[int, int]] = []
    start: int | None = None
    last = 0
    for i, line in enumerate(lines):
        if len(line.cells) >= 2:
            if start is not None and (i - last > 2 or line.top - lines[last].bottom > 4 * line.height + 14):
                out.append((start, last + 1))
                start = None
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
    return _Found(number, rows, [strip[0] for strip in strips])


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
            if not _NUMBER.fullmatch(cell.text) or len(over) == 1 or re.fullmatch(r"(?:19|20)\d\d", cell.text)
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
    words = sum(len(cell.split()) for cell in cells) / max(len(cells), 1)
    if numbers >= 0.4 * len(cells):
        return share >= 0.3
    return share >= 0.6 and words <= 5 and width >= 3 and len(filled) >= 4


# ---------------------------------------------------------------- over pages


def _joined(found: list[_Found]) -> list[_Found]:
    out: list[_Found] = []
    ends: list[int] = []
    for item in found:
        before = out[-1] if out else None
        if before is not None and item.page == ends[-1] + 1 and _continues(before, item):
            repeated = 0
            while (
                repeated < min(3, len(item.rows))
                and repeated < len(before.rows)
                and item.rows[repeated] == before.rows[repeated]
            ):
                repeated += 1
            before.rows = before.rows + item.rows[repeated:]
            before.footer += item.footer
            before.last = item.last
            ends[-1] = item.page
            continue
        out.append(item)
        ends.append(item.page)
    return out


def _continues(before: _Found, item: _Found) -> bool:
    if len(before.edges) != len(item.edges) or not before.last and before.rows[0] != item.rows[0]:
        return False
    if before.rows[0] == item.rows[0]:
        return True
    if not item.first or item.title and _CAPTION.match(item.title) and item.title != before.title:
        return False
    near = all(abs(a - b) <= _SAME_PLACE for a, b in zip(before.edges, item.edges, strict=True))
    return near and any(cell and _NUMBER.fullmatch(cell) for cell in item.rows[0][1:])
