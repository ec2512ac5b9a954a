"""Tables of marked-up text: cells with spans on a grid, header rows, titles."""

from __future__ import annotations

from dataclasses import dataclass, field

from headwater.model import Table
from headwater.tabular import build_table

MAX_COLUMNS = 1000
MAX_ROWS = 65_534
"""Largest column and row span of the HTML standard (4.9.11)."""

_MAX_CELLS = 5_000_000
"""Grid size at which a table is taken for an attack on memory."""


@dataclass
class Grid:
    """A table's cells after spans are laid out.

    Attributes:
        cells: rows of texts; a cell that spans several places stands in its first one, see `spans`.
        owners: like `cells`: number of the element that covers each place, or -1.
        header_rows: leading rows that are headers by their markup, or None where the markup says nothing.
        caption: the table's caption.
        footer: text of a foot that spans the whole width.
    """

    cells: list[list[str | None]] = field(default_factory=list)
    owners: list[list[int]] = field(default_factory=list)
    header_rows: int | None = None
    caption: str = ""
    preamble: list[str] = field(default_factory=list)
    footer: list[str] = field(default_factory=list)


@dataclass
class Cell:
    """One cell as written."""

    text: str
    is_header: bool
    colspan: int
    rowspan: int


def lay_out(rows: list[tuple[str, list[Cell]]], grid: Grid, merged: str) -> bool:
    """Lay cells out on the grid (HTML standard, 4.9.12) and find its header.

    Args:
        rows: (group, cells): group is "thead", "tbody" or "tfoot", in any order.
        grid: filled here.
        merged: "fill" or "blank", see `ReadOptions`.

    Returns:
        False if the spans add up to more than any real table has.
    """
    if (
        sum(cell.colspan * cell.rowspan for _, row in rows for cell in row if cell.rowspan < MAX_ROWS)
        > _MAX_CELLS
    ):
        return False
    order = {"thead": 0, "tbody": 1, "tfoot": 2}
    rows.sort(key=lambda item: order[item[0]])
    _place(rows, grid, merged)
    _find_header(rows, grid)
    return True


def _place(rows: list[tuple[str, list[Cell]]], grid: Grid, merged: str) -> None:
    """Place the cells; a row span ends with its row group."""
    total = len(rows)
    ends = [total] * total
    for y in range(total - 2, -1, -1):
        ends[y] = ends[y + 1] if rows[y][0] == rows[y + 1][0] else y + 1
    taken: dict[tuple[int, int], tuple[str | None, int]] = {}
    number = 0
    for y, (_, cells) in enumerate(rows):
        x = 0
        for cell in cells:
            while (y, x) in taken:
                x += 1
            for dy in range(min(cell.rowspan, ends[y] - y)):
                for dx in range(cell.colspan):
                    first = dx == 0 and dy == 0
                    shown = cell.text if first or merged == "fill" or cell.is_header else None
                    taken.setdefault((y + dy, x + dx), (shown, number))
            number += 1
            x += cell.colspan
    width = 1 + max((x for _, x in taken), default=-1)
    for y in range(total):
        places = [taken.get((y, x), (None, -1)) for x in range(width)]
        grid.cells.append([text if text else None for text, _ in places])
        grid.owners.append([owner for _, owner in places])


def _find_header(rows: list[tuple[str, list[Cell]]], grid: Grid) -> None:
    """Count header rows by markup; a leading row of one cell over the full width is a title above the table."""
    width = len(grid.cells[0]) if grid.cells else 0
    while len(grid.cells) > 1 and width > 1 and len(set(grid.owners[0])) == 1 and grid.cells[0][0]:
        grid.preamble.append(grid.cells[0][0] or "")
        del grid.cells[0], grid.owners[0], rows[0]
    while (
        len(grid.cells) > 1
        and width > 1
        and len(set(grid.owners[-1])) == 1
        and grid.cells[-1][0]
        and rows[-1][0] == "tfoot"
    ):
        grid.footer.insert(0, grid.cells[-1][0] or "")
        del grid.cells[-1], grid.owners[-1], rows[-1]
    count = 0
    for group, cells in rows:
        filled = [cell for cell in cells if cell.text]
        is_header = group == "thead" or bool(filled) and all(cell.is_header for cell in filled)
        if not is_header or not cells and count:
            break
        count += 1
    if count and count < len(rows):
        # a row of header cells that spans down covers the rows it spans
        while (
            count < len(rows)
            and set(grid.owners[count]) & set(grid.owners[count - 1]) - {-1}
            and rows[count][0] == "thead"
        ):
            count += 1
        grid.header_rows = count
    elif not count and any(cell.is_header for _, cells in rows for cell in cells) and _is_label_column(rows):
        grid.header_rows = 0


def _is_label_column(rows: list[tuple[str, list[Cell]]]) -> bool:
    """Tell tables of facts, one a row: a header cell, then data cells."""
    facts = [cells for _, cells in rows if len(cells) >= 2]
    return len(facts) >= 2 and all(cells[0].is_header and not cells[1].is_header for cells in facts)


def build(grid: Grid, name: str) -> Table | None:
    """Build the table of a grid."""
    width = len(grid.cells[0])
    used = [x for x in range(width) if any(row[x] for row in grid.cells)]
    cells = [[row[x] for x in used] for row in grid.cells]
    if not used:
        return None
    if grid.header_rows == 0:
        names = [f"column_{i + 1}" for i in range(len(used))] if len(used) != 2 else ["item", "value"]
        table = build_table(cells, name=grid.caption or name, column_names=names, find_structure=False)
    else:
        table = build_table(cells, name=grid.caption or name, header_rows=grid.header_rows)
    table.preamble = "\n".join(part for part in (*grid.preamble, table.preamble) if part)
    table.footer = "\n".join(part for part in (table.footer, *grid.footer) if part)
    return table
