"""Where the parts of a table lie in a grid: notes above, header, records, totals, notes below."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from headwater.tabular._cells import Kind, is_blank, is_blank_row, is_year, kind_of, one_line
from headwater.tabular._numbers import parse_number
from headwater.tabular._units import is_unit_row
from headwater.tabular._vocabulary import NAME_WORD

TYPED: tuple[Kind, ...] = ("number", "date", "boolean")
"""Kinds that a name is unlike."""

PROSE = 80
"""Characters from which the only cell of a first row is a sentence, no name."""

HEAD = 60
"""Rows at the top among which the header is looked for."""

BODY = 120
"""Rows below the header from which the kinds of the columns are judged."""

KINDS = 50
"""Rows from which the kind of a column is judged at a time."""

MAX_HEADER = 8
"""Most rows that a header has."""

Row = Sequence[Any]


@dataclass(slots=True)
class Layout:
    """Indices into the grid.

    Attributes:
        preamble: rows above the header that are not part of it.
        header: rows of the header, top to bottom, the row of units not included.
        units: the row with units, or None.
        body: first row that is not above the records.
        width: number of columns, by the header and the usual row.
        kinds: kind of each column's values, "mixed" where none prevails, "" where there are none.
        unsure: no evidence tells whether the first row is a header.
    """

    preamble: list[int] = field(default_factory=list)
    header: list[int] = field(default_factory=list)
    units: int | None = None
    body: int = 0
    width: int = 0
    kinds: list[Kind] = field(default_factory=list)
    unsure: bool = False


def extent(row: Row) -> int:
    """Return the number of cells up to the last one that holds something."""
    for index in range(len(row) - 1, -1, -1):
        if not is_blank(row[index]):
            return index + 1
    return 0


def filled(row: Row) -> int:
    """Return the number of cells that hold something; a row of one repeated text (a merged title) counts as one."""
    cells = [cell for cell in row if not is_blank(cell)]
    if (
        len(cells) > 1
        and len(cells) >= 0.6 * len(row)
        and isinstance(cells[0], str)
        and all(cell == cells[0] for cell in cells)
    ):
        return 1
    return len(cells)


def find_layout(rows: Sequence[Row], header_rows: int | None = None) -> Layout:
    """Find header and notes at the top of a grid.

    Args:
        rows: the first rows of a table (a few hundred suffice), at least one of them not blank.
        header_rows: number of header rows if it is known: they are the first rows that are not blank.

    Returns:
        The layout; `body` is len(rows) where there is no record.
    """
    seen = [index for index, row in enumerate(rows[: HEAD + BODY]) if not is_blank_row(row)]
    layout = Layout(width=_usual_width([rows[index] for index in seen]))
    if header_rows is not None:
        layout.header = seen[:header_rows]
        layout.body = layout.header[-1] + 1 if layout.header else 0
        layout.width = max([layout.width] + [extent(rows[index]) for index in layout.header])
        layout.kinds = column_kinds([rows[index] for index in seen[header_rows:]], layout.width)
        return layout
    top = _first_full_row(rows, seen, layout.width)
    if top is None:
        layout.body = len(rows)
        layout.preamble = seen
        return layout
    layout.width = max(layout.width, extent(rows[top]))
    _find_header(rows, seen, top, layout)
    if layout.header:
        _trust_header(rows, layout)
    first = layout.header[0] if layout.header else top
    layout.preamble = [index for index in seen if index < first]
    return layout


def _trust_header(rows: Sequence[Row], layout: Layout) -> None:
    """Take the header's width if it is the less usual one, but fewer than half of the records go beyond it."""
    named = max(len(rows[index]) for index in layout.header)
    records = [row for row in rows[layout.body :] if not is_blank_row(row)]
    if named < layout.width and sum(extent(row) > named for row in records) <= 0.5 * len(records):
        layout.width = named
        del layout.kinds[named:]


def _usual_width(rows: Sequence[Row]) -> int:
    """Return the width that most rows have, the wider one of two that are about as common."""
    if not rows:
        return 0
    lengths = Counter(len(row) for row in rows)
    if len(lengths) == 1:  # padded to one length by the source
        return max(extent(row) for row in rows)
    best = max(lengths.values())
    return max(length for length, count in lengths.items() if count >= 0.6 * best)


def _first_full_row(rows: Sequence[Row], seen: Sequence[int], width: int) -> int | None:
    """Return the first row that has about as many cells as the rows usually do: the main header or a record."""
    if not seen:
        return None
    fills = [filled(rows[index]) for index in seen]
    usual = median(sorted(fills)[len(fills) // 4 :])
    if usual <= 1:
        return _after_notes(rows, seen, fills) if width > 1 else seen[0]
    least = max(2, usual / 2)
    for index, fill in zip(seen[:HEAD], fills, strict=False):
        if fill >= least and not _is_comment(rows[index]):
            return index
    return seen[0]


def _after_notes(rows: Sequence[Row], seen: Sequence[int], fills: Sequence[int]) -> int:
    """Return the first row with more than one cell in a grid where that is rare."""
    return next(
        (index for index, fill in zip(seen, fills, strict=True) if fill > 1 and not _is_comment(rows[index])),
        seen[0],
    )


def _is_comment(row: Row) -> bool:
    """Tell whether a row is a comment line: one cell (or a line cut at its commas) behind a number sign."""
    return (
        bool(row)
        and isinstance(row[0], str)
        and row[0].lstrip().startswith("#")
        and len(row[0].strip()) > 1
        and filled(row) == 1
    )


def column_kinds(rows: Sequence[Row], width: int) -> list[Kind]:
    """Return the kind that at least four of five values of each column have, "mixed" for none, "" for no values."""
    kinds: list[Kind] = []
    rows = rows[:KINDS]
    for column in range(width):
        counts = Counter([kind_of(row[column]) for row in rows if column < len(row)])
        values = counts.total() - counts[""] - counts["missing"]
        if not values:
            kinds.append("missing" if counts["missing"] else "")
            continue
        kind, count = Counter({k: n for k, n in counts.items() if k not in ("", "missing")}).most_common(1)[0]
        kinds.append(kind if count >= 0.8 * values else "mixed")
    return kinds


def _find_header(rows: Sequence[Row], seen: Sequence[int], top: int, layout: Layout) -> None:
    """Fill in header, units, body and kinds, from the first full row on."""
    start = seen.index(top)
    below = [rows[index] for index in seen[start + 1 : start + 1 + BODY]]
    if not below:
        layout.header, layout.body = ([top], top + 1) if _names_only(rows[top]) else ([], top)
        layout.unsure = not layout.header
        layout.kinds = column_kinds([] if layout.header else [rows[top]], layout.width)
        return
    deep = below[min(3, max(0, len(below) - 4)) :] if len(below) > 4 else below[-2:]
    kinds = column_kinds(deep, layout.width)
    verdict = _is_header(rows[top], kinds, below)
    if verdict is False:
        layout.body, layout.unsure = top, False
        layout.kinds = column_kinds([rows[top], *below], layout.width)
        _parents(rows, seen, start, layout)
        return
    lowest = _lowest_names(rows[top], below, kinds)
    if lowest:
        start, top, below = start + lowest, seen[start + lowest], below[lowest:]
    depth, units = _header_depth(rows[top], below, layout.width)
    layout.units = None if units is None else seen[start + units]
    layout.header = [index for index in seen[start : start + depth] if index != layout.units]
    layout.unsure = verdict is None
    layout.body = seen[start + depth] if start + depth < len(seen) else len(rows)
    records = below[depth - 1 :]
    whole = [row for row in records if len(row) == layout.width]
    layout.kinds = column_kinds(whole if 2 * len(whole) > len(records) else records, layout.width)
    if not lowest:
        _parents(rows, seen, start, layout)


def _lowest_names(top: Row, below: Sequence[Row], kinds: Sequence[Kind]) -> int:
    """Return how far below the first full row the header stands: rows of texts over values, which span nothing.

    Such rows (links, keys, sources) are a preamble that happens to be as wide as the table.
    """
    typed = [column for column, kind in enumerate(kinds) if kind in TYPED]
    if len(typed) < max(2, 0.5 * len(kinds)) or _gaps(top):
        return 0
    lowest = 0
    for index, row in enumerate(below[:MAX_HEADER], 1):
        if (
            len(row) <= typed[-1]
            or not all(kind_of(row[column]) == "text" for column in typed)
            or _gaps(row)
            or _bracketed(row)
        ):
            break
        if _below_merge(top, row):
            break
        lowest = index
    return lowest if lowest and len(below) - lowest > 2 and len(typed) < 3 else 0


def _header_depth(top: Row, below: Sequence[Row], width: int) -> tuple[int, int | None]:
    """Return how many rows the header has, and which of them holds units.

    Each further row has to read like a header in view of the records that would then be left.
    """
    above = top
    for depth in range(1, min(MAX_HEADER, len(below)) + 1):
        row, rest = below[depth - 1], below[depth:]
        if rest and is_unit_row(row, column_kinds(rest, width)):
            return depth + 1, depth
        if not rest or not _continues(above, row, rest, width):
            # a header of several rows may become plain only at its last row
            if (
                depth < 4
                and len(rest) > 2
                and _continues(row, rest[0], rest[1:], width)
                and _continues(above, row, rest[1:], width)
            ):
                above = row
                continue
            return depth, None
        above = row
    return min(MAX_HEADER, len(below)), None


def _names_only(row: Row) -> bool:
    """Tell whether a lone row is a header: distinct texts and no value."""
    texts = [one_line(cell) for cell in row if not is_blank(cell)]
    return len(set(texts)) == len(texts) and all(kind_of(cell) in ("", "text") for cell in row)


def _counts_up(cells: Sequence[Any]) -> bool:
    """Tell whether numeric cells are names in order: years, dates, or counted numbers."""
    if all(map(is_year, cells)):
        return len({one_line(cell) for cell in cells}) == len(cells) or len(cells) > 2
    kinds = {kind_of(cell) for cell in cells}
    texts = [one_line(cell) for cell in cells]
    if len(set(texts)) < len(texts):
        return False
    if kinds == {"date"}:
        return len(cells) >= 2
    if len(cells) >= 3 and all(text.isdigit() for text in texts):
        numbers = [int(text) for text in texts]
        return (
            all(b - a == numbers[1] - numbers[0] for a, b in zip(numbers, numbers[1:], strict=False))
            and numbers[1] > numbers[0]
        )
    return False


def _is_header(row: Row, kinds: Sequence[Kind], below: Sequence[Row]) -> bool | None:
    """Tell whether the first full row is a header; None where nothing tells and it is taken for one."""
    below = [other for other in below if list(other) != list(row)]  # repeated headers tell nothing
    names: list[Any] = []
    values: list[Any] = []
    for column, (cell, kind) in enumerate(zip(row, kinds, strict=False)):
        if kind not in TYPED or is_blank(cell):
            continue
        if kind_of(cell) != "missing" or one_line(cell) == "#":
            name = (
                kind_of(cell) in ("text", "missing")
                or (kind_of(cell) == "boolean") > (kind == "boolean")
                or _unit_of_its_own(cell, column, below)
            )
            (names if name else values).append(cell)
    texts = [one_line(cell) for cell in row if kind_of(cell) == "text"]
    if values:
        label = any(kind_of(cell) in ("text", "") for cell in row[:1]) or len(texts) > 0
        if label and _counts_up(values) and not _same_years(values, below, kinds, row):
            return True
        distinct = len(set(texts)) >= 0.6 * len(texts)
        return len(names) > 2 * len(values) and distinct and _untypical(row, kinds, below)
    if names:
        return True
    if not texts:
        return bool(row) and _counts_up([cell for cell in row if not is_blank(cell)])
    return _is_header_of_texts(row, below)


def _is_header_of_texts(row: Row, below: Sequence[Row]) -> bool | None:
    """Tell whether the first row of a table of texts is a header: its cells look unlike those below them."""
    if len(row) == 1 and len(one_line(row[0])) > PROSE:
        return False
    score = 0.0
    cells = [(column, cell) for column, cell in enumerate(row) if kind_of(cell) == "text"]
    for column, cell in cells:
        text = one_line(cell)
        values = [
            one_line(other[column]) for other in below if column < len(other) and not is_blank(other[column])
        ]
        lengths = set(map(len, values))
        if len(values) > 2 and len(lengths) <= 2 and len(text) not in range(min(lengths), max(lengths) + 1):
            score += 2  # codes of one length under a longer name
        if text in values:
            score -= 1 + (values.count(text) > 1)
        else:
            score += 0.5
        if NAME_WORD.search(text[:PROSE]):
            score += 1
    if score > 0.3 * len(cells):
        return True
    return None if score > 0 else False


def _unit_of_its_own(cell: Any, column: int, below: Sequence[Row]) -> bool:
    """Tell whether a cell has a unit that the values of its column lack: a name like "5 km" over plain numbers."""
    number = parse_number(cell.strip()) if isinstance(cell, str) and len(cell) <= 64 else None
    if number is None or not number.unit:
        return False
    others = [row[column] for row in below[:20] if column < len(row) and not is_blank(row[column])]
    read = [parse_number(other.strip()) if isinstance(other, str) else None for other in others]
    return bool(others) and not any(other is not None and other.unit for other in read)


def _same_years(values: Sequence[Any], below: Sequence[Row], kinds: Sequence[Kind], row: Row) -> bool:
    """Tell whether the columns under year-like names hold years or dates themselves, so that the names are values."""
    columns = [index for index, cell in enumerate(row) if any(cell is value for value in values)]
    cells = [r[c] for r in below[:20] for c in columns if c < len(r) and not is_blank(r[c])]
    alike = (
        sum(map(is_year, cells))
        if all(map(is_year, values))
        else sum(kind_of(c) == kind_of(values[0]) == "date" for c in cells)
    )
    return bool(cells) and alike > 0.8 * len(cells)


def _untypical(row: Row, kinds: Sequence[Kind], below: Sequence[Row]) -> bool:
    """Tell whether no text of a row comes back in its column."""
    return not any(_recurs(cell, column, below) for column, cell in enumerate(row) if kind_of(cell) == "text")


def _recurs(cell: Any, column: int, below: Sequence[Row]) -> bool:
    """Tell whether a text comes back in its column, in rows that are not all names (a repeated header)."""
    text = one_line(cell)
    return any(
        column < len(row) and isinstance(row[column], str) and row[column].strip() == text for row in below
    )


def _continues(above: Row, row: Row, rest: Sequence[Row], width: int) -> bool:
    """Tell whether a row below a header row is one more of it, in view of the rows below it."""
    if _bracketed(row) or _below_merge(above, row):
        return True
    kinds = column_kinds(rest, width)
    typed = [column for column, kind in enumerate(kinds) if kind in TYPED and column < len(row)]
    cells = [row[column] for column in typed if not is_blank(row[column])]
    if any(kind_of(cell) != "text" for cell in cells):
        return _gaps(above) > 0 and _counts_up(cells) and is_blank(row[0])
    if len(rest) < 2 and not _gaps(above):
        return False
    if cells:
        wordy = sum(one_line(cell)[0].isdigit() for cell in cells) < 0.5 * len(cells)
        spans = (
            _gaps(above) > 0
            or is_blank(row[0])
            or (wordy and len(cells) == len(typed) >= max(3, 0.6 * width))
        )
        return spans and (is_blank(row[0]) or len(cells) >= 0.4 * len(typed)) and _untypical(row, kinds, rest)
    if typed:
        return _labels_only(above, row, kinds, rest)
    if _gaps(above) < max(2, 0.3 * len(above)) or filled(row) < filled(above):
        return False
    return _names_only(row) and _untypical(row, kinds, rest)


def _bracketed(row: Row) -> bool:
    """Tell whether all cells of a row stand in brackets, as remarks on the names above do."""
    texts = [one_line(cell) for cell in row if not is_blank(cell)]
    return len(texts) > 1 and all(
        text[0] in "([" and text[-1] in ")]" and kind_of(text) == "text" for text in texts
    )


def _below_merge(above: Row, row: Row) -> bool:
    """Tell whether a cell of a header row reaches down into a row: a text that stands in both, others being new."""
    both = [
        (a, b)
        for a, b in zip(above, row, strict=False)
        if isinstance(a, str) and not is_blank(a) and not is_blank(b)
    ]
    same = sum(a == b for a, b in both)
    needed = 1 if _gaps(above) else max(1, len(both) / 2)
    return len(both) > 1 and same >= needed and all(kind_of(b) == "text" for _, b in both)


def _labels_only(above: Row, row: Row, kinds: Sequence[Kind], rest: Sequence[Row]) -> bool:
    """Tell whether a row names the columns of labels left of the values, under a header that spans those columns."""
    labels = [
        column
        for column, kind in enumerate(kinds)
        if kind not in TYPED and column < min(len(row), len(above))
    ]
    named = [column for column in labels if not is_blank(row[column])]
    if len(named) < 2 or len({one_line(row[column]) for column in named}) < len(named):
        return False
    spans = {one_line(above[column]) for column in named}
    return len(spans) == 1 and _untypical(row, kinds, rest)


def _gaps(row: Row) -> int:
    """Return how many cells of a row are blank or repeat the cell to the left, as under a spanning header."""
    return sum(is_blank(cell) or (index > 0 and cell == row[index - 1]) for index, cell in enumerate(row))


def _parents(rows: Sequence[Row], seen: Sequence[int], start: int, layout: Layout) -> None:
    """Take in the sparse rows right above the first full row that span its columns (groups, years).

    Where the first full row is a record, such rows are the whole header if they name most of its values.
    """
    header = list(layout.header)
    for position in range(start - 1, -1, -1):
        index = seen[position]
        if (
            (header[0] if header else layout.body) - index > 1
            or len(header) >= MAX_HEADER
            or not _spans(rows[index], layout.width)
        ):
            break
        header.insert(0, index)
    if not layout.header and header:
        typed = [column for column, kind in enumerate(layout.kinds) if kind in TYPED]
        named = [
            column
            for column in typed
            if any(column < len(rows[i]) and not is_blank(rows[i][column]) for i in header)
        ]
        if len(named) < 0.5 * len(typed):
            return
    layout.header = header


def _spans(row: Row, width: int) -> bool:
    """Tell whether a sparse row may be the upper part of a header: names over some columns, no title and no note."""
    cells = [(column, cell) for column, cell in enumerate(row) if not is_blank(cell)]
    if _is_comment(row) or (filled(row) < 2 and (len(cells) > 1 or cells[0][0] == 0)):
        return False
    first = one_line(cells[0][1])
    return cells[0][0] > 0 or not (
        first.endswith(":") or (len(cells) == 2 and cells[1][0] == 1 and width > 3)
    )
