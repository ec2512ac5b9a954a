"""Cells of cached tables as JSON values."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from headwater.model import LINE, ROW


def json_cell(value: Any) -> Any:
    """Return a cell as the JSON contract wants it: dates ISO 8601, whole decimals as integers, others as strings."""
    if isinstance(value, datetime.datetime | datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, Decimal):
        exponent = value.as_tuple().exponent
        return int(value) if exponent == 0 else format(value, "f")
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, float) and value - value != 0:
        return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
    return value


def read_rows(
    path: Path, columns: Sequence[str], *, offset: int = 0, limit: int | None = None
) -> Iterator[tuple[int, int | None, list[Any]]]:
    """Yield (row, line, cells) of a cached table, cells in the order of `columns` as JSON values."""
    import pyarrow.parquet as pq

    if limit is not None and limit <= 0:
        return
    position = 0
    end = None if limit is None else offset + limit
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(batch_size=8192, columns=[ROW, LINE, *columns]):
            first, last = (
                max(0, offset - position),
                batch.num_rows if end is None else min(batch.num_rows, end - position),
            )
            position += batch.num_rows
            if first < last:
                part = batch.slice(first, last - first)
                cells = [part.column(name).to_pylist() for name in columns]
                for i, (row, line) in enumerate(
                    zip(part.column(ROW).to_pylist(), part.column(LINE).to_pylist(), strict=True)
                ):
                    yield row, line, [json_cell(c[i]) for c in cells]
            if end is not None and position >= end:
                return
