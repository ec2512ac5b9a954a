from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml

from headwater.errors import ReadError
from headwater.model import Table
from headwater.readers import ReadOptions
from headwater.readers._delimited import looks_delimited, read_delimited

CASES = yaml.safe_load((Path(__file__).parent / "delimited_cases.yaml").read_text(encoding="utf-8"))


def plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return str(value)
    return value.isoformat() if isinstance(value, dt.datetime) else value


def rows_of(table: Table) -> list[list[Any]]:
    rows: list[list[Any]] = []
    for batch in table.data.typed():
        rows.extend(
            [plain(value) for value in row]
            for row in zip(*(c.to_pylist() for c in batch.columns[2:]), strict=True)
        )
    return rows


def read(tmp_path: Path, content: str | bytes, **options: Any) -> Any:
    path = tmp_path / "file.csv"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_delimited(path, "file.csv", ReadOptions(**options))


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_case(case: dict[str, Any], tmp_path: Path) -> None:
    result = read(tmp_path, case["text"])
    table = result.tables[0]
    warnings = [*result.warnings, *table.warnings]
    if "tables" in case:
        assert [[column.name for column in t.columns] for t in result.tables] == case["tables"]
        return
    assert len(result.tables) == 1
    if "header" in case:
        assert [column.name for column in table.columns] == case["header"]
    if "rows" in case:
        assert rows_of(table) == case["rows"]
    if "row_count" in case:
        assert table.data.row_count == case["row_count"]
    if "types" in case:
        assert [column.type for column in table.columns] == case["types"]
    if "units" in case:
        assert [column.unit for column in table.columns] == case["units"]
    for key in ("preamble", "footer"):
        if key in case:
            assert getattr(table, key) == case[key]
    for key in ("delimiter", "quote", "escape"):
        if key in case:
            assert getattr(table.dialect, key) == case[key]
    assert [record.line for record in table.quarantined] == case.get("quarantined", [])
    if "warned" in case:
        assert any(case["warned"] in warning for warning in warnings)
    else:
        assert warnings == []


def test_lines_and_rows_of_records(tmp_path: Path) -> None:
    table = read(tmp_path, 'title\n\na,b\n1,"x\ny"\n\n2,z\n').tables[0]
    batch = next(table.data.typed())
    assert batch.column("_row").to_pylist() == [1, 2]
    assert batch.column("_line").to_pylist() == [4, 7]


def test_records_are_counted_by_other_means(tmp_path: Path) -> None:
    table = read(tmp_path, 'a,b\n1,"x\n\ny"\n2,z\n\nTotal,9\n').tables[0]
    assert table.source_records == table.data.row_count + table.extra["footer_rows"] == 3


@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf", b"\n\n\r\n", b"\0\0\0"])
def test_nothing_is_an_error(content: bytes, tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="empty|no data"):
        read(tmp_path, content)


def test_nul_characters_are_told(tmp_path: Path) -> None:
    result = read(tmp_path, b"a,b\n1,\0\n2,3\n")
    assert rows_of(result.tables[0]) == [[1, None], [2, 3]]
    assert any("NUL" in warning for warning in result.warnings)


def test_long_field_is_whole(tmp_path: Path) -> None:
    table = read(tmp_path, f'id,blob\n1,{"x" * 300_000}\n2,"a ""b"""\n').tables[0]
    assert len(rows_of(table)[0][1]) == 300_000


def test_late_value_decides(tmp_path: Path) -> None:
    text = "n,v\n" + "".join(f"{i},{i}\n" for i in range(30_000)) + "30000,12A\n"
    result = read(tmp_path, text)
    assert result.tables[0].columns[1].type == "text"
    assert rows_of(result.tables[0])[-1] == [30_000, "12A"]


@pytest.mark.parametrize(
    ("text", "likely"),
    [
        ("a,b\n1,2\n3,4\n", True),
        ("id\tname\n1\tx\n2\ty\n", True),
        ("This is a sentence, with commas.\nAnd another, too.\nHere, we go on.\n", False),
        ('{"a": 1, "b": 2}\n{"a": 2, "b": 3}\n', False),
        ("<html><body>a, b</body></html>", False),
        ("one\ntwo\nthree\n", False),
    ],
)
def test_looks_delimited(text: str, likely: bool) -> None:
    assert (looks_delimited(text) > 0.5) is likely
