from __future__ import annotations

import datetime as dt
import zipfile
from pathlib import Path
from typing import Any

import pytest

from headwater.errors import ReadError
from headwater.model import ReadResult, Table
from headwater.readers import ReadOptions
from headwater.readers._spreadsheet import read_spreadsheet

openpyxl = pytest.importorskip("openpyxl")


def rows_of(table: Table) -> list[list[Any]]:
    return [list(row.values())[2:] for batch in table.data.typed() for row in batch.to_pylist()]


@pytest.fixture
def book() -> Any:
    made = openpyxl.Workbook()
    made.active.title = "Data"
    return made


@pytest.fixture
def read(tmp_path: Path, book: Any) -> Any:
    def save_and_read(**options: Any) -> ReadResult:
        path = tmp_path / "book.bin"  # the name says nothing
        book.save(path)
        return read_spreadsheet(path, "book.xlsx", ReadOptions(**options))

    return save_and_read


def fill(sheet: Any, rows: list[list[Any]]) -> None:
    for row in rows:
        sheet.append(row)


def test_types_and_literal_marks(book: Any, read: Any) -> None:
    fill(
        book.active,
        [
            ["id", "code", "day", "ok", "x"],
            [1, "NA", dt.date(2024, 1, 2), True, 1.5],
            [2, "007", dt.date(2024, 1, 3), False, 2],
        ],
    )
    result = read()
    table = result.tables[0]
    assert (result.format, table.name) == ("xlsx", "Data")
    assert [column.type for column in table.columns] == ["integer", "text", "date", "boolean", "number"]
    assert rows_of(table)[0] == [1, "NA", dt.date(2024, 1, 2), True, 1.5]
    assert (result.warnings, table.warnings) == ([], [])


def test_merged_header_labels_total_and_note(book: Any, read: Any) -> None:
    sheet = book.active
    fill(
        sheet, [["Pop, in thousands"], [], ["Area", 2022, None, 2023], [None, "Men", "Women", "Men", "Women"]]
    )
    fill(sheet, [["N", 1, 2, 3, 4], [None, 5, 6, 7, 8], ["All", 6, 8, 10, 12], [], ["* provisional"]])
    for merged in ("A1:E1", "B3:C3", "D3:E3", "A3:A4", "A5:A6"):
        sheet.merge_cells(merged)
    table = read().tables[0]
    assert [column.name for column in table.columns] == [
        "Area",
        "2022 / Men",
        "2022 / Women",
        "2023 / Men",
        "2023 / Women",
    ] or [column.name for column in table.columns][:3] == ["Area", "2022 / Men", "2022 / Women"]
    assert rows_of(table) == [["N", 1, 2, 3, 4], ["N", 5, 6, 7, 8]]
    assert table.preamble == "Pop, in thousands"
    assert table.footer == "All | 6 | 8 | 10 | 12\n* provisional"
    assert rows_of(read(merged="blank").tables[0])[1][0] is None


def test_sheets_hidden_ones_flagged_empty_ones_left_out(book: Any, read: Any) -> None:
    fill(book.active, [["k", "v"], ["a", 1]])
    fill(book.create_sheet("Secret"), [["k", "v"], ["b", 2]])
    book["Secret"].sheet_state = "hidden"
    book.create_sheet("Empty")
    assert [(table.name, table.hidden) for table in read().tables] == [("Data", False), ("Secret", True)]


def test_two_tables_side_by_side(book: Any, read: Any) -> None:
    fill(book.active, [["a", "b", None, "x", "y"], [1, 2, None, "p", 3], [4, 5, None, "q", 6]])
    assert [[column.name for column in table.columns] for table in read().tables] == [["a", "b"], ["x", "y"]]


def test_lines_are_sheet_rows(book: Any, read: Any) -> None:
    sheet = book.active
    for row, cells in ((4, ["k", "v"]), (5, ["a", 1]), (6, ["b", 2])):
        for column, cell in enumerate(cells, 3):
            sheet.cell(row, column, cell)
    batch = next(read().tables[0].data.typed())
    assert batch.column("_line").to_pylist() == [5, 6]


def test_formats_give_units_and_codes(book: Any, read: Any) -> None:
    sheet = book.active
    fill(sheet, [["who", "rate", "spend", "zip"], ["a", 0.075, 1234.5, 870], ["b", 0.5, 20, 12345]])
    for row in (2, 3):
        sheet.cell(row, 2).number_format = "0.0%"
        sheet.cell(row, 3).number_format = "[$£-809]#,##0.00"
        sheet.cell(row, 4).number_format = "00000"
    table = read().tables[0]
    assert [column.unit for column in table.columns] == [None, "fraction (shown as percent)", "GBP", None]
    assert rows_of(table)[0] == ["a", 0.075, 1234.5, "00870"]


@pytest.mark.parametrize(
    ("cell", "told"),
    [("=1+1", "no stored result"), ("#N/A", "error"), (1234567890123456789, "15 digits")],
)
def test_what_values_do_not_show_is_told(cell: Any, told: str, book: Any, read: Any) -> None:
    fill(book.active, [["k", "v"], ["a", 1], ["b", 2]])
    book.active.cell(3, 2, cell)
    assert any(told in warning for warning in read().tables[0].warnings)


def test_hidden_rows_and_columns_are_told(book: Any, read: Any) -> None:
    sheet = book.active
    fill(sheet, [["k", "v", "w"], ["a", 1, 2], ["b", 3, 4]])
    sheet.row_dimensions[3].hidden = True
    sheet.column_dimensions["C"].hidden = True
    table = read().tables[0]
    assert table.data.row_count == 2
    assert any("hidden rows" in warning and "3" in warning for warning in table.warnings)
    assert any("hidden columns" in warning and "C" in warning for warning in table.warnings)


def test_comments_are_kept(book: Any, read: Any) -> None:
    fill(book.active, [["k", "v"], ["a", 1]])
    book.active["B2"].comment = openpyxl.comments.Comment("estimated", "me")
    assert "estimated" in read().metadata["comments"]["Data"]["B2"]


def test_an_empty_workbook_says_so(read: Any) -> None:
    result = read()
    assert result.tables == []
    assert any("empty" in warning for warning in result.warnings)


def test_damage_is_a_clear_error(book: Any, tmp_path: Path) -> None:
    path = tmp_path / "whole.xlsx"
    book.active.append(["a"])
    book.save(path)
    half = tmp_path / "half.xlsx"
    half.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(ReadError, match="damaged"):
        read_spreadsheet(half, "half.xlsx", ReadOptions())
    part = tmp_path / "part.xlsx"
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(part, "w") as target:
        for name in source.namelist():
            if "worksheets" not in name:
                target.writestr(name, source.read(name))
    with pytest.raises(ReadError, match="missing"):
        read_spreadsheet(part, "part.xlsx", ReadOptions())


def test_a_part_beyond_the_limit_is_refused(book: Any, read: Any) -> None:
    fill(book.active, [[f"text {i}" * 50] for i in range(200)])
    with pytest.raises(ReadError, match="unpacks"):
        read(max_member_bytes=1000)


def test_cells_far_apart_do_not_fill_memory(book: Any, read: Any) -> None:
    book.active["A1"] = 1
    book.active["XFD1048576"] = 2
    result = read()
    assert any("not read" in warning for warning in result.warnings)


def test_old_format(tmp_path: Path) -> None:
    xlwt = pytest.importorskip("xlwt")
    old = xlwt.Workbook()
    sheet = old.add_sheet("S")
    for row, cells in enumerate([["name", "v"], ["Zürich", 1.5], ["Genève", -2]]):
        for column, cell in enumerate(cells):
            sheet.write(row, column, cell)
    path = tmp_path / "old.xls"
    old.save(str(path))
    result = read_spreadsheet(path, "old.xls", ReadOptions())
    assert (result.format, rows_of(result.tables[0])) == ("xls", [["Zürich", 1.5], ["Genève", -2.0]])
