"""Parquet: types, damage, partitions; and readers added from outside."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from headwater.errors import ReadError
from headwater.model import ParquetData, ReadResult, Table
from headwater.readers import ReadOptions, Sample, formats, read, register


def written(tmp_path: Path, **columns: Any) -> Path:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table(columns), path)
    return path


def cells(table: Table, view: str = "typed") -> dict[str, list[Any]]:
    return pa.Table.from_batches(list(getattr(table.data, view)())).to_pydict()


def test_types(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        u=pa.array([2**64 - 1, None], pa.uint64()),
        d=pa.array([Decimal("1.10"), Decimal("-2.00")], pa.decimal128(9, 2)),
        t=pa.array([dt.datetime(2024, 3, 31, 1, 30, tzinfo=dt.UTC), None], pa.timestamp("ms", tz="UTC")),
        n=pa.array([1_000_000_789, None], pa.timestamp("ns")),
        s=pa.array(
            [{"x": [], "y": None}, None],
            pa.struct([("x", pa.list_(pa.int64())), ("y", pa.list_(pa.int64()))]),
        ),
        m=pa.array([[("k", 1)], []], pa.map_(pa.string(), pa.int64())),
        b=pa.array([b"\xff\x00", b"ok"], pa.binary()),
        c=pa.array(["x", "y"]).dictionary_encode(),
        f=pa.array([float("nan"), 1.5], pa.float32()),
    )
    (table,) = read(path, "a.parquet").tables
    typed, raw = cells(table), cells(table, "raw")
    assert [column.type for column in table.columns] == [
        "integer",
        "number",
        "datetime",
        "datetime",
        "object",
        "object",
        "text",
        "text",
        "number",
    ]
    assert typed["u"] == [Decimal(2**64 - 1), None] and raw["u"][0] == str(2**64 - 1)
    assert raw["d"] == ["1.10", "-2.00"]
    assert typed["t"][0].isoformat() == "2024-03-31T01:30:00+00:00"
    assert raw["n"][0] == "1970-01-01 00:00:01.000000789"
    assert typed["s"] == ['{"x":[],"y":null}', None]
    assert typed["m"] == ['{"k":1}', "{}"]
    assert typed["b"] == ["0xff00", "ok"]
    assert typed["f"][0] != typed["f"][0]  # NaN is not missing
    assert table.warnings == ['Column "n": 1 times have nanoseconds; the typed view is cut to microseconds.']


def test_large_file_goes_through_the_work_folder(tmp_path: Path) -> None:
    path = written(tmp_path, a=list(range(200_000)))
    (table,) = read(path, "a.parquet", ReadOptions(workdir=tmp_path, memory_table_bytes=1000)).tables
    assert isinstance(table.data, ParquetData)
    assert table.data.row_count == table.source_records == 200_000
    assert cells(table)["_row"][-1] == 200_000


def test_same_names_are_told_apart(tmp_path: Path) -> None:
    pq.write_table(pa.table([[1], [2], [3]], names=["a", "A", "b"]), tmp_path / "a.parquet")
    (table,) = read(tmp_path / "a.parquet", "a.parquet").tables
    assert [(column.name, column.original_name) for column in table.columns] == [
        ("a", ""),
        ("A_2", "A"),
        ("b", ""),
    ]


def test_damaged_page_and_footer(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"a": list(range(1000))}), path, write_page_checksum=True, use_dictionary=False)
    whole = path.read_bytes()
    path.write_bytes(whole[:200] + b"\xff" * 50 + whole[250:])
    with pytest.raises(ReadError, match="page is corrupt"):
        read(path, "a.parquet")
    path.write_bytes(whole[:-60] + b"\xff" * 40 + whole[-20:])
    with pytest.raises(ReadError, match="footer"):
        read(path, "a.parquet")


def test_added_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from headwater.readers import _registry

    monkeypatch.setattr(_registry, "_added", {})
    monkeypatch.setattr(_registry, "_detectors", [])

    def reader(path: Path, name: str, options: ReadOptions) -> ReadResult:
        return ReadResult(format="shout", text=path.read_text(encoding="utf-8").upper())

    def detect(sample: Sample) -> bool:
        return sample.head.startswith(b"!!")

    register("shout", reader, detect=detect)
    (tmp_path / "a").write_text("!! hello", encoding="utf-8")
    (tmp_path / "b").write_text("hello", encoding="utf-8")
    assert "shout" in formats()
    assert read(tmp_path / "a", "a.txt").text == "!! HELLO"
    assert read(tmp_path / "b", "b.txt").format == "txt"


def test_bomb(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(
        pa.table({"a": ["x" * 100_000_000]}),
        path,
        compression="brotli",
        use_dictionary=False,
        write_statistics=False,
    )
    assert path.stat().st_size < 100_000
    with pytest.raises(ReadError, match="beyond the limit"):
        read(path, "a.parquet")
