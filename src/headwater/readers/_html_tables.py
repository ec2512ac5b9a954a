"""Tables of a page: cells on a grid, headers, names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.readers._grid import MAX_COLUMNS, MAX_ROWS, Cell, Grid, lay_out
from headwater.readers._html_tree import Prose, Walk, attribute

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode


def cell_text(node: LexborNode) -> str:
    """Return the text of a cell; blocks and list items stand on lines of their own, nested tables are left out."""
    prose = Prose()
    walk = Walk(node)
    for kind, inner in walk:
        tag = inner.tag or ""
        if kind == "text":
            prose.text(inner.text_content or "")
        elif tag == "table":
            walk.skip = True
        elif tag == "br":
            prose.text(" " if kind == "open" else "")
        else:
            (prose.open if kind == "open" else prose.close)("div" if tag == "li" else tag)
    return "\n".join(line for line in prose.result().split("\n") if line)


def read_grid(table: LexborNode, merged: str) -> Grid | None:
    """Lay a table out on a grid (HTML standard, 4.9.12); None if it is larger than any real one."""
    grid = Grid()
    rows: list[tuple[str, list[Cell]]] = []
    _collect(table, grid, rows)
    return grid if lay_out(rows, grid, merged) else None


def _collect(table: LexborNode, grid: Grid, rows: list[tuple[str, list[Cell]]]) -> None:
    for part in table.iter():
        if part.tag == "caption":
            grid.caption = " ".join(cell_text(part).split())
        elif part.tag in ("thead", "tbody", "tfoot"):
            rows.extend((part.tag, _row_cells(row)) for row in part.iter() if row.tag == "tr")
        elif part.tag == "tr":
            rows.append(("tbody", _row_cells(part)))


def _row_cells(row: LexborNode) -> list[Cell]:
    return [
        Cell(cell_text(c), c.tag == "th", _span(c, "colspan", MAX_COLUMNS), _span(c, "rowspan", MAX_ROWS))
        for c in row.iter()
        if c.tag in ("td", "th")
    ]


def _span(cell: LexborNode, name: str, limit: int) -> int:
    text = attribute(cell, name).strip()
    digits = text[: len(text) - len(text.lstrip("0123456789"))]
    if not digits:
        return 1
    return max(1, min(int(digits[:6]), limit)) if int(digits[:6]) else (1 if name == "colspan" else limit)


def is_data(grid: Grid, node: LexborNode) -> bool:
    """Tell data from a table that only arranges a page."""
    if attribute(node, "role") in ("presentation", "none"):
        return False
    filled = [row for row in grid.cells if any(row)]
    width = max((sum(cell is not None for cell in row) for row in filled), default=0)
    if len(filled) < 2 or width < 2:
        return bool(grid.caption or grid.header_rows) and len(filled) >= 2
    return sum(len(set(row) - {None}) >= 2 for row in filled) >= 2
