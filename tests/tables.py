"""Tables made in a line, for tests of what comes after reading."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from headwater.model import LINE, ROW, Column, MemoryData, ParquetData, Table

_INTEGER = re.compile(r"[+-]?(?:0|[1-9]\d{0,17})")
_NUMBER = re.compile(r"[+-]?(?:0|[1-9]\d*)?(?:\.\d+)?")


def make_table(
    columns: dict[str, Sequence[Any]], name: str = "", types: dict[str, str] | None = None
) -> Table:
    """Return a table in memory; text that is plain integers, numbers or ISO dates throughout gets that type."""
    rows = max(map(len, columns.values()), default=0)
    typed: list[pa.Array] = [
        pa.array(range(1, rows + 1), pa.int64()),
        pa.array(range(2, rows + 2), pa.int64()),
    ]
    raw = list(typed)
    described = []
    for header, values in columns.items():
        texts = [None if v is None else str(v) for v in values]
        kind, array = _typed(texts, (types or {}).get(header))
        described.append(Column(header, kind, header))  # type: ignore[arg-type]
        typed.append(array)
        raw.append(pa.array(["" if t is None else t for t in texts], pa.string()))
    names = [ROW, LINE, *columns]
    return Table(name, described, MemoryData(pa.table(typed, names=names), pa.table(raw, names=names)))


def make_parquet_table(table: Table, folder: Path, name: str = "t") -> Table:
    """Return the same table with its cells in two Parquet files."""
    assert isinstance(table.data, MemoryData)
    typed, raw = folder / f"{name}.typed.parquet", folder / f"{name}.raw.parquet"
    pq.write_table(table.data.typed_table, typed)
    pq.write_table(table.data.raw_table, raw)
    return Table(table.name, table.columns, ParquetData(typed, raw, table.data.row_count))


def _typed(texts: list[str | None], kind: str | None) -> tuple[str, pa.Array]:
    present = [t for t in texts if t]
    kind = kind or _guess(present)
    if kind == "integer":
        return kind, pa.array([int(t) if t else None for t in texts], pa.int64())
    if kind == "number":
        return kind, pa.array([float(t) if t else None for t in texts], pa.float64())
    if kind == "date":
        return kind, pa.array([datetime.date.fromisoformat(t) if t else None for t in texts], pa.date32())
    if kind == "boolean":
        return kind, pa.array([t.lower() == "true" if t else None for t in texts], pa.bool_())
    return kind, pa.array([t or None for t in texts], pa.string())


def _guess(texts: list[str]) -> str:
    if texts and all(_INTEGER.fullmatch(t) for t in texts):
        return "integer"
    if texts and all(t and _NUMBER.fullmatch(t) for t in texts):
        return "number"
    if texts and all(re.fullmatch(r"\d{4}-\d\d-\d\d", t) for t in texts):
        return "date"
    return "text"
