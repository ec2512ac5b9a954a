"""From a grid of cells to a table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from headwater.model import LINE, ROW, Column, Dialect, MemoryData, Quarantined, Table
from headwater.tabular._cells import Kind, is_blank, is_blank_row, kind_of, one_line
from headwater.tabular._columns import TypedColumn, type_columns
from headwater.tabular._footer import find_footer, row_text
from headwater.tabular._headers import is_repeat, merge_header, unique_names
from headwater.tabular._layout import Layout, column_kinds, find_layout
from headwater.tabular._units import header_unit, title_unit, unit_name

_COUNTER = re.compile(
    r"(?:fiscal\s+|calendar\s+)?(?:year|years|month|day|week|quarter|date|rank|no\.?|#|id|code|fy)",
    re.IGNORECASE,
)
"""Names of columns that a title's unit is not meant for."""

SAMPLE_ROWS = 400
"""Rows at the top from which the layout is found."""

MISFITS = 0.02
"""Share of records of the wrong width and of wrong kinds up to which these are set aside as damaged."""

QUARANTINE_TEXT = 2000
"""Characters of a record that are kept in quarantine."""

Row = Sequence[Any]


@dataclass(slots=True)
class Parts:
    """A grid taken apart.

    Attributes:
        headers: header text of every column, "" for none.
        units: unit of every column or None.
        records: cells of the records, each as wide as the headers.
        numbers: number of every record in its source, from 1.
        lines: line of every record.
        kinds: kind of every column, from the top of the table.
        width: number of columns of the header, before any were added for records with more fields.
    """

    headers: list[str] = field(default_factory=list)
    units: list[str | None] = field(default_factory=list)
    records: list[Row] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    lines: list[int | None] = field(default_factory=list)
    kinds: list[Kind] = field(default_factory=list)
    preamble: list[str] = field(default_factory=list)
    footer: list[str] = field(default_factory=list)
    footer_rows: int = 0
    header_rows: int = 0
    width: int = 0
    set_aside: int = 0
    quarantined: list[Quarantined] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def widen(self, width: int) -> None:
        """Add columns without a name."""
        more = width - len(self.headers)
        self.headers.extend([""] * more)
        self.units.extend([None] * more)
        self.kinds.extend([""] * more)


def build_table(
    grid: Sequence[Sequence[Any]],
    *,
    name: str = "",
    page: int | None = None,
    lines: Sequence[int] | None = None,
    header_rows: int | None = None,
    column_names: Sequence[str] | None = None,
    find_structure: bool = True,
    infer: bool = True,
    dialect: Dialect | None = None,
    warnings: list[str] | None = None,
) -> Table:
    """Build a table from a grid of cells.

    Args:
        grid: rows of cells: None, text, or native int, float, Decimal, bool, date, datetime, time.
        name: name of the table in its document, "" for the only one.
        page: page of a PDF on which it starts.
        lines: physical line or sheet row of every grid row; without it they are counted from 1.
        header_rows: number of header rows; None = find it, 0 = none.
        column_names: names of the columns, where the grid holds records only.
        find_structure: look for notes above and below, total rows, repeated headers and unit rows.
        infer: give columns types; otherwise text stays text and native cells keep their type.
        dialect: of the delimited file, kept with the table; its delimiter hints at the decimal mark.
        warnings: texts for the user that are known already.

    Returns:
        The table, with the text of every cell and the typed view.
    """
    numbers = list(lines) if lines is not None else list(range(1, len(grid) + 1))
    if column_names is not None:
        parts = _given_columns(grid, numbers, column_names)
    else:
        parts = take_apart(grid, numbers, header_rows, find_structure)
    return assemble(parts, name=name, page=page, infer=infer, dialect=dialect, warnings=warnings)


def _given_columns(grid: Sequence[Row], lines: Sequence[int], names: Sequence[str]) -> Parts:
    width = max([len(names), *map(len, grid)]) if grid else len(names)
    headers = [*names, *[""] * (width - len(names))]
    records = [row if len(row) == width else [*row, *[None] * (width - len(row))] for row in grid]
    return Parts(headers, [None] * width, records, list(range(1, len(grid) + 1)), list(lines))


def take_apart(
    grid: Sequence[Row], lines: Sequence[int], header_rows: int | None, find_structure: bool
) -> Parts:
    """Split a grid into preamble, header, records and footer, and bring the records to one width."""
    parts = Parts()
    if all(map(is_blank_row, grid)):
        return parts
    if header_rows is None and not find_structure:
        header_rows = 1
    layout = find_layout(grid[:SAMPLE_ROWS], header_rows)
    _name_columns(grid, layout, parts)
    parts.preamble = [row_text(grid[index]) for index in layout.preamble]
    if layout.unsure:
        parts.warnings.append("it is not certain that the first row is a header")
    parts.set_aside = len(layout.preamble) + len(layout.header) + (layout.units is not None)
    parts.set_aside += sum(len(row) > 1 and is_blank_row(row) for row in grid[: layout.body])
    body, places = grid[layout.body :], lines[layout.body :]
    if find_structure:
        footer = find_footer(body, layout.kinds, layout.width)
        below = set(footer.rows)
        parts.footer = [row_text(body[index]) for index in footer.rows]
        parts.footer_rows = len(below)
        keep = [index for index in range(len(body)) if index not in below] if below else range(len(body))
        body, places = [body[index] for index in keep], [places[index] for index in keep]
    _take_records(
        body, places, grid[layout.header[-1]] if layout.header else None, layout, parts, find_structure
    )
    return parts


def _name_columns(grid: Sequence[Row], layout: Layout, parts: Parts) -> None:
    """Give the columns their header texts and units."""
    width = layout.width
    parts.header_rows, parts.width = len(layout.header), width
    parts.headers = (
        merge_header([grid[index] for index in layout.header], width) if layout.header else [""] * width
    )
    blank: list[Kind] = [""] * (width - len(layout.kinds))
    parts.kinds = [*layout.kinds, *blank][:width]
    general = title_unit(
        [row_text(grid[index]) for index in layout.preamble if len(set(map(one_line, grid[index]))) <= 2]
    )
    row = grid[layout.units] if layout.units is not None else ()
    for column, header in enumerate(parts.headers):
        unit = unit_name(one_line(row[column])) if column < len(row) and not is_blank(row[column]) else None
        unit = unit or header_unit(header)
        if unit is None and parts.kinds[column] == "number" and not _COUNTER.fullmatch(header):
            unit = general
        parts.units.append(unit)


@dataclass(slots=True)
class _Odd:
    """Records of another width than the header's (their places, then their lines), and repeated headers."""

    places: list[int] = field(default_factory=list)
    short: list[int] = field(default_factory=list)
    long: list[int] = field(default_factory=list)
    widest: int = 0
    repeats: list[int] = field(default_factory=list)


def _take_records(
    body: Sequence[Row],
    lines: Sequence[int],
    header: Row | None,
    layout: Layout,
    parts: Parts,
    find_structure: bool,
) -> None:
    """Take the records: blank rows, comments and repeated headers out, all to one width."""
    width = layout.width
    odd = _Odd(widest=width)
    number = 0
    for row, line in zip(body, lines, strict=True):
        if not any(row) and is_blank_row(row):
            parts.set_aside += len(row) > 1
            continue
        if find_structure and header and row and row[0] == header[0] and is_repeat(row, header):
            odd.repeats.append(line)
            continue
        if len(row) != width:
            if find_structure and len(row) < width and _is_remark(row):
                parts.footer.append(row_text(row))
                parts.footer_rows += 1
                continue
            if len(row) < width or not all(map(is_blank, row[width:])):
                odd.places.append(len(parts.records))
            else:
                row = row[:width]
        number += 1
        parts.records.append(row)
        parts.numbers.append(number)
        parts.lines.append(line)
    if odd.places:
        _set_aside_misfits(parts, odd, width)
        _pad(parts, odd, width)
    _tell_odd(parts, odd, width)


def _set_aside_misfits(parts: Parts, odd: _Odd, width: int) -> None:
    """Put records of the wrong width in quarantine whose fields are not of their columns' kinds: they are shifted.

    Where that would be more than a few, the kinds say too little, and all are kept.
    """
    misfits = [place for place in odd.places if not _fits(parts.records[place], parts.kinds)]
    if not misfits or len(misfits) > max(3, MISFITS * len(parts.records)):
        return
    for place in misfits:
        row = parts.records[place]
        reason = f"{len(row)} fields instead of {width}, and they do not fit the columns"
        text = " | ".join(one_line(cell) for cell in row)
        parts.quarantined.append(Quarantined(parts.lines[place] or 0, reason, text[:QUARANTINE_TEXT]))
    for place in reversed(misfits):
        for listed in (parts.records, parts.numbers, parts.lines):
            del listed[place]
    out = set(misfits)
    removed = 0
    kept = []
    for place in odd.places:
        if place in out:
            removed += 1
        else:
            kept.append(place - removed)
    odd.places = kept


def _pad(parts: Parts, odd: _Odd, width: int) -> None:
    """Pad short records, and note which are long."""
    for place in odd.places:
        row, line = parts.records[place], parts.lines[place] or 0
        if len(row) < width:
            odd.short.append(line)
            parts.records[place] = [*row, *[None] * (width - len(row))]
        else:
            odd.long.append(line)
            odd.widest = max(odd.widest, len(row))


def _tell_odd(parts: Parts, odd: _Odd, width: int) -> None:
    """Say what was odd about the records, and give those with too many fields their own columns."""
    parts.set_aside += len(odd.repeats)
    if odd.repeats:
        parts.warnings.append(f"the header is repeated on {_places(odd.repeats)}; these rows were left out")
    if odd.short and not _often_blank(parts, width, set(odd.short)):
        parts.warnings.append(f"{len(odd.short)} records are short and were padded ({_places(odd.short)})")
    if odd.long:
        parts.warnings.append(
            f"{len(odd.long)} records have up to {odd.widest} fields instead of {width} ({_places(odd.long)}); "
            "the rest is in added columns"
        )
        parts.widen(odd.widest)
        parts.records = [
            row if len(row) == odd.widest else [*row, *[None] * (odd.widest - len(row))]
            for row in parts.records
        ]


def _often_blank(parts: Parts, width: int, short: set[int]) -> bool:
    """Tell whether the last field is blank in most whole records, so that writers leave it out."""
    whole = [
        row[width - 1] for row, line in zip(parts.records, parts.lines, strict=True) if line not in short
    ]
    return bool(whole) and sum(map(is_blank, whole)) > 0.5 * len(whole)


def _is_remark(row: Row) -> bool:
    """Tell whether a short row in the middle is a comment line."""
    return (
        bool(row) and isinstance(row[0], str) and row[0].startswith("#") and len(row[0]) > 1 and len(row) == 1
    )


def _places(lines: Sequence[int]) -> str:
    shown = ", ".join(map(str, lines[:5]))
    return f"line{'s' if len(lines) > 1 else ''} {shown}{' …' if len(lines) > 5 else ''}"


def _fits(row: Row, kinds: Sequence[Kind]) -> bool:
    """Tell whether the cells of a row of the wrong width are of their columns' kinds."""
    return all(
        kind in ("mixed", "", "missing") or kind_of(cell) in (kind, "", "missing")
        for cell, kind in zip(row, kinds, strict=False)
    )


def assemble(
    parts: Parts,
    *,
    name: str = "",
    page: int | None = None,
    infer: bool = True,
    dialect: Dialect | None = None,
    warnings: Sequence[str] | None = None,
) -> Table:
    """Type the columns of a grid that was taken apart and make the table."""
    import pyarrow as pa

    cells = (
        [list(column) for column in zip(*parts.records, strict=True)]
        if parts.records
        else [[] for _ in parts.headers]
    )
    kept = _drop_blank_columns(parts, cells)
    names = unique_names(parts.headers)
    typed = type_columns(
        cells, names, infer=infer, comma_locale=dialect is not None and dialect.delimiter == ";"
    )
    columns = [
        Column(column_name, column.type, header, unit=_unit(unit, column), typing=column.report)
        for column_name, header, unit, column in zip(names, parts.headers, parts.units, typed, strict=True)
    ]
    hidden = [pa.array(parts.numbers, pa.int64()), pa.array(parts.lines, pa.int64())]
    labels = [ROW, LINE, *names]
    return Table(
        name=name,
        columns=columns,
        data=MemoryData(
            pa.Table.from_arrays([*hidden, *[column.typed for column in typed]], names=labels),
            pa.Table.from_arrays([*hidden, *[column.raw for column in typed]], names=labels),
        ),
        page=page,
        preamble="\n".join(filter(None, parts.preamble)),
        footer="\n".join(filter(None, parts.footer)),
        dialect=dialect,
        quarantined=parts.quarantined,
        warnings=[*(warnings or ()), *parts.warnings, *told_of(names, [column.warnings for column in typed])],
        extra={
            "footer_rows": parts.footer_rows,
            "header_rows": parts.header_rows,
            "set_aside": parts.set_aside,
            "source_columns": kept,
        },
    )


def told_of(names: Sequence[str], warnings: Sequence[Sequence[str]], most: int = 5) -> list[str]:
    """Return the warnings about columns with the columns' names, and how many more there are."""
    texts = [
        f'column "{name}": {text}' for name, column in zip(names, warnings, strict=True) for text in column
    ]
    return (
        list(texts)
        if len(texts) <= most
        else [*texts[: most - 1], f"and {len(texts) - most + 1} more columns like these"]
    )


def _unit(header: str | None, column: TypedColumn) -> str | None:
    """Return the unit of a column: the header's, made more exact by the cells' where they agree."""
    if column.unit is None or header is None:
        return header or column.unit
    return column.unit if header.casefold() in column.unit.casefold() else header


def _drop_blank_columns(parts: Parts, cells: list[list[Any]]) -> list[int]:
    """Take out columns that have neither a name nor a value; return the places of the others."""
    gone = [
        column
        for column, header in enumerate(parts.headers)
        if not header
        and len(parts.headers) > 1
        and (not cells[column] or (not any(cells[column]) and all(map(is_blank, cells[column]))))
    ]
    for column in reversed(gone):
        for listed in (parts.headers, parts.units, parts.kinds, cells):
            if column < len(listed):  # kinds are not known for given columns
                del listed[column]
    out = set(gone)
    return [column for column in range(len(parts.headers) + len(gone)) if column not in out]


__all__ = ["Parts", "assemble", "build_table", "column_kinds", "take_apart"]
