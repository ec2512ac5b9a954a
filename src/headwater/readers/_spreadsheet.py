"""Spreadsheets: XLSX, XLSB, XLS and ODS, all sheets, by calamine."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.errors import ReadError
from headwater.model import ReadResult, Table
from headwater.readers._spreadsheet_ooxml import (
    SheetFacts,
    column_letters,
    format_unit,
    padded_width,
    workbook_facts,
)
from headwater.tabular import build_table, split_columns, split_rows

if TYPE_CHECKING:
    from headwater.readers import ReadOptions

MAX_CELLS = 20_000_000
"""Cells between the corners of a sheet above which it is not read: calamine holds all of them, blank ones too."""

MAX_EXACT = 1 << 53
"""Whole numbers beyond it lose digits in a double; a workbook keeps 15 digits only."""

MAX_MERGED = 1_000_000
"""Most cells that are filled from merged ranges."""

_ENCRYPTED = "The workbook is encrypted with a password."
_ENCRYPTED_HINT = "Save a copy without a password and ingest that."

Grid = list[list[Any]]


def read_spreadsheet(path: Path, name: str, options: ReadOptions) -> ReadResult:
    """Read all sheets of a workbook.

    Merged cells are filled with their value (`options.merged`), hidden sheets are flagged, several tables on a sheet
    are told apart. What calamine does not tell (errors, formulas without results, hidden rows and columns, number
    formats) is searched in XLSX packages.

    Raises:
        ReadError: the workbook is damaged, protected by a password, or none of its sheets can be read.
    """
    facts, metadata = workbook_facts(path, name, options.max_member_bytes)
    book = _open(path, name)
    result = ReadResult(format=_format(path), metadata=metadata)
    failures: list[str] = []
    worksheets = [sheet for sheet in book.sheets_metadata if str(sheet.typ).endswith("WorkSheet")]
    for sheet in worksheets:
        known = facts.get(sheet.name, SheetFacts())
        if known.rows * known.columns > MAX_CELLS:
            result.warnings.append(
                f'sheet "{sheet.name}" spans {known.rows:,} rows and {known.columns:,} columns; it was not read'
            )
            continue
        try:
            tables = _read_sheet(book, sheet.name, known, options)
        except _SheetError as error:
            failures.append(f'sheet "{sheet.name}": {error}')
            continue
        for table in tables:
            table.hidden = not str(sheet.visible).endswith(".Visible")
        result.tables.extend(tables)
        if known.comments:
            result.metadata.setdefault("comments", {})[sheet.name] = known.comments
    if failures and len(failures) == len(worksheets):
        raise ReadError(f"The workbook is damaged: {failures[0]}.", where=name)
    result.warnings += [f"{failure}; it was left out" for failure in failures]
    if not result.tables and not failures:
        result.warnings.append("the workbook is empty: no sheet holds a value")
    return result


class _SheetError(Exception):
    """A sheet that cannot be read, with the cause."""


def _panic(error: BaseException) -> bool:
    """Tell whether an error is a panic of the Rust library, which is no Exception."""
    return type(error).__name__ == "PanicException"


def _open(path: Path, name: str) -> Any:
    import python_calamine as calamine

    try:
        with path.open("rb") as file:  # by content: from_path would go by the name's ending
            return calamine.CalamineWorkbook.from_filelike(file)
    except calamine.PasswordError as error:
        raise ReadError(_ENCRYPTED, where=name, hint=_ENCRYPTED_HINT) from error
    except (calamine.CalamineError, OSError, ValueError) as error:
        if _encrypted(path):
            raise ReadError(_ENCRYPTED, where=name, hint=_ENCRYPTED_HINT) from error
        raise ReadError(f"The workbook is damaged or no workbook: {error}.", where=name) from error
    except BaseException as error:  # noqa: BLE001 a panic of the library is no Exception; others go on
        if not _panic(error):
            raise
        raise ReadError(f"The workbook is damaged: {error}.", where=name) from error


def _encrypted(path: Path) -> bool:
    """Tell whether a compound file holds an encrypted package (MS-OFFCRYPTO 1.3.3)."""
    with path.open("rb") as file:
        return "EncryptedPackage".encode("utf-16-le") in file.read(1 << 20)


def _format(path: Path) -> str:
    if not zipfile.is_zipfile(path):
        return "xls"
    with zipfile.ZipFile(path) as package:
        names = package.namelist()
    return "ods" if "content.xml" in names else "xlsb" if "xl/workbook.bin" in names else "xlsx"


def _read_sheet(book: Any, sheet_name: str, facts: SheetFacts, options: ReadOptions) -> list[Table]:
    """Return the tables of a sheet."""
    import python_calamine as calamine

    try:
        sheet = book.get_sheet_by_name(sheet_name)
        grid: Grid = sheet.to_python()
        start = sheet.start or (0, 0)
        merged = sheet.merged_cell_ranges or []
    except calamine.WorksheetNotFound as error:
        raise _SheetError("its part is missing from the file") from error
    except (calamine.CalamineError, OSError, ValueError) as error:
        raise _SheetError(str(error)) from error
    except BaseException as error:  # noqa: BLE001 a panic of the library is no Exception; others go on
        if not _panic(error):
            raise
        raise _SheetError(str(error)) from error
    lost = _plain_values(grid)
    _pad_codes(grid, facts, start[1])
    if options.merged == "fill":
        _fill_merged(grid, merged, start)
    warnings = _sheet_warnings(facts, grid, start, lost)
    tables = _tables_of(grid, sheet_name, facts, start)
    if tables:
        tables[0].warnings = warnings + tables[0].warnings
    return tables


def _plain_values(grid: Grid) -> int:
    """Turn blank texts into None and whole doubles into integers; return how many of those have lost digits."""
    lost = 0
    for row in grid:
        for index, cell in enumerate(row):
            if cell == "" and isinstance(cell, str):
                row[index] = None
            elif isinstance(cell, float) and cell.is_integer():
                if abs(cell) < MAX_EXACT:
                    row[index] = int(cell)
                else:
                    lost += 1
    return lost


def _pad_codes(grid: Grid, facts: SheetFacts, first_column: int) -> None:
    """Give whole numbers with a format like 00000 the leading zeros that they are shown with."""
    for column, code in facts.formats.items():
        width, index = padded_width(code), column - first_column
        if width:
            for row in grid:
                if 0 <= index < len(row) and isinstance(row[index], int) and not isinstance(row[index], bool):
                    row[index] = f"{row[index]:0{width}d}"


def _fill_merged(
    grid: Grid, ranges: Sequence[tuple[tuple[int, int], tuple[int, int]]], start: tuple[int, int]
) -> None:
    """Repeat the value of each merged range over its cells."""
    room = MAX_MERGED
    for (top, left), (bottom, right) in ranges:
        top, bottom, left, right = top - start[0], bottom - start[0], left - start[1], right - start[1]
        room -= (bottom - top + 1) * (right - left + 1)
        if room < 0 or top < 0 or left < 0 or top >= len(grid) or left >= len(grid[top]):
            continue
        value = grid[top][left]
        if value is None:
            continue
        for row in grid[top : bottom + 1]:
            for column in range(left, min(right + 1, len(row))):
                row[column] = value


def _sheet_warnings(facts: SheetFacts, grid: Grid, start: tuple[int, int], lost: int) -> list[str]:
    """Say what a user of the sheet does not see in its values."""
    warnings = []
    if facts.errors:
        warnings.append(f"{facts.errors} cells hold an error (like #N/A); they are missing here")
    if facts.uncached:
        warnings.append(
            f"{facts.uncached} formulas have no stored result; they are missing here (open and save the workbook to compute them)"
        )
    used = range(start[0], start[0] + len(grid))
    rows = [
        row + 1
        for row in facts.hidden_rows
        if row in used and any(cell is not None for cell in grid[row - start[0]])
    ]
    width = max(map(len, grid), default=0)
    columns = [
        column_letters(column)
        for column in facts.hidden_columns
        if 0 <= column - start[1] < width
        and any(cell is not None for cell in (row[column - start[1]] for row in grid))
    ]
    if rows:
        warnings.append(f"{len(rows)} hidden rows are included ({_some(rows)})")
    if columns:
        warnings.append(f"{len(columns)} hidden columns are included ({_some(columns)})")
    if lost:
        warnings.append(
            f"{lost} numbers have more than 15 digits; a workbook does not keep the rest, so ids may be wrong"
        )
    return warnings


def _some(items: Sequence[object]) -> str:
    return ", ".join(map(str, items[:5])) + (" …" if len(items) > 5 else "")


def _tables_of(grid: Grid, sheet_name: str, facts: SheetFacts, start: tuple[int, int]) -> list[Table]:
    """Build the tables of a grid: parts with headers of their own below or beside each other are tables of their own."""
    tables: list[Table] = []
    for left, right in split_columns(grid):
        part = (
            grid
            if (left, right) == (0, max(map(len, grid), default=0))
            else [row[left:right] for row in grid]
        )
        for top, bottom in split_rows(part):
            rows = part[top:bottom]
            table = build_table(rows, lines=range(start[0] + top + 1, start[0] + bottom + 1))
            if not table.columns:
                continue
            for column, source in zip(table.columns, table.extra["source_columns"], strict=True):
                unit = format_unit(facts.formats.get(start[1] + left + source, ""))
                if unit and column.type in ("integer", "number"):
                    column.unit = (
                        unit
                        if column.unit in (None, "percent") or unit.startswith("fraction")
                        else column.unit
                    )
            tables.append(table)
    for index, table in enumerate(tables):
        table.name = sheet_name if index == 0 else f"{sheet_name} table {index + 1}"
    return tables
