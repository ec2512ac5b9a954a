"""Spreadsheets: XLSX, XLS and ODS."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from headwater.errors import ReadError
from headwater.model import ReadResult
from headwater.tabular import build_table

if TYPE_CHECKING:
    from headwater.readers import ReadOptions


def read_spreadsheet(path: Path, name: str, options: ReadOptions) -> ReadResult:
    """Read all sheets of a workbook."""
    import python_calamine as calamine

    try:
        book = calamine.CalamineWorkbook.from_path(path)
        sheets = [(sheet, book.get_sheet_by_name(sheet).to_python()) for sheet in book.sheet_names]
    except calamine.CalamineError as error:
        raise ReadError(f"The workbook cannot be read: {error}", where=name) from error
    tables = [build_table(grid, name=sheet) for sheet, grid in sheets if grid]
    return ReadResult(format="xlsx", tables=tables)
