from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from headwater.model import ParquetData
from headwater.readers import ReadOptions
from headwater.readers._delimited import read_delimited

HEAD = "Extract of May\n\nid,name,amount,day,note\n"


def made(count: int, odd: dict[int, str]) -> str:
    def record(i: int) -> str:
        note = '"two\nlines"' if i % 50 == 3 else "x"
        return odd.get(i, f'{i},n{i % 7},"{i * 1000:,}",2024-{i % 12 + 1:02d}-15,{note}')

    return HEAD + "\n".join(map(record, range(count))) + "\n\nSource: own count\n"


@pytest.fixture
def read(tmp_path: Path) -> Any:
    def read(data: bytes) -> Any:
        path = tmp_path / "big.csv"
        path.write_bytes(data)
        work = tmp_path / "work"
        work.mkdir(exist_ok=True)
        return read_delimited(path, "big.csv", ReadOptions(workdir=work, memory_table_bytes=100))

    return read


def cells(table: Any, view: str = "typed") -> list[dict[str, Any]]:
    return [row for batch in getattr(table.data, view)() for row in batch.to_pylist()]


def test_streamed_table_is_whole(read: Any) -> None:
    text = made(500, {})
    result = read(text.encode())
    table = result.tables[0]
    assert isinstance(table.data, ParquetData)
    assert [(c.name, c.type) for c in table.columns] == [
        ("id", "integer"), ("name", "text"), ("amount", "integer"), ("day", "date"), ("note", "text"),
    ]  # fmt: skip
    assert (table.preamble, table.footer, table.warnings, result.warnings) == (
        "Extract of May",
        "Source: own count",
        [],
        [],
    )
    assert table.source_records == table.data.row_count + table.extra["footer_rows"] == 501
    lines = text.split("\n")
    rows = cells(table)
    assert [row["id"] for row in rows] == list(range(500))
    assert all(lines[row["_line"] - 1].startswith(f"{row['id']},") for row in rows)
    assert cells(table, "raw")[2]["amount"] == "2,000"


def test_records_of_another_width_are_set_aside_with_their_lines(read: Any) -> None:
    text = made(500, {100: "100,short", 300: "300,a,1,2024-01-01,x,too,long"})
    table = read(text.encode()).tables[0]
    lines = text.split("\n")
    assert [lines[record.line - 1] for record in table.quarantined] == [
        "100,short",
        "300,a,1,2024-01-01,x,too,long",
    ]
    assert table.data.row_count == 498
    assert all(lines[row["_line"] - 1].startswith(f"{row['id']},") for row in cells(table))
    assert table.warnings == []


def test_a_file_that_widens_takes_the_slow_route(read: Any) -> None:
    text = (
        "a,b\n"
        + "".join(f"{i},{i}\n" for i in range(2000))
        + "".join(f"{i},{i},late\n" for i in range(2000, 4000))
    )
    table = read(text.encode()).tables[0]
    assert table.data.row_count == 4000
    assert [column.name for column in table.columns] == ["a", "b", "column_3"]
    assert sum(row["a"] for row in cells(table)) == sum(range(4000))
    assert any("added columns" in warning for warning in table.warnings)


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1", "utf-8-sig"])
def test_other_encodings_are_streamed(encoding: str, read: Any) -> None:
    text = "id,ort\n" + "".join(f"{i},Köln\n" for i in range(300))
    result = read(text.encode(encoding))
    assert result.encoding == encoding
    assert {row["ort"] for row in cells(result.tables[0])} == {"Köln"}


def test_late_value_decides_over_all_batches(read: Any) -> None:
    table = read(("n,v\n" + "".join(f"{i},{i}\n" for i in range(3000)) + "3000,x1\n").encode()).tables[0]
    assert [column.type for column in table.columns] == ["integer", "text"]
