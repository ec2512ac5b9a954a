"""Cells of cached tables as JSON values."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from headwater.catalog import TableRecord
from headwater.errors import SetupError
from headwater.model import LINE, ROW


def json_cell(value: Any, *, printed: bool = False) -> Any:
    """Return a cell as the JSON contract wants it: dates as in RFC 3339 with a blank between date and time, whole decimals as integers, others as strings.

    Args:
        value: as Arrow gives it.
        printed: the column was made from text: its decimals lose the zeros that only their common scale added.
    """
    if isinstance(value, datetime.datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, Decimal):
        if value.as_tuple().exponent == 0:
            return int(value)
        text = format(value, "f")
        return text.rstrip("0").rstrip(".") if printed and "." in text else text
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, float) and value - value != 0:
        return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
    return value


def printed_columns(table: TableRecord) -> set[str]:
    """Return the columns whose type was found from text, not declared by the source."""
    return {c["name"] for c in table.columns if c["typing"] is not None}


def check_cached(path: Path, name: str) -> None:
    """Raise SetupError if the file of a table is gone from the cache."""
    if not path.exists():
        raise SetupError(
            f"The cached rows of {name} are gone from the state folder.",
            where=path.name,
            hint="Run: headwater ingest PATH. It reads the file again.",
        )


def read_table(
    table: TableRecord, *, raw: bool = False, offset: int = 0, limit: int | None = None
) -> Iterator[tuple[int, int | None, list[Any]]]:
    """Yield (row, line, cells) of a cached table; of one that is a row of a sheet, that row.

    Args:
        table: the table.
        raw: the cells as text, as they stand in the source.
        offset: first row, from 0.
        limit: rows at most.
    """
    names = [c["name"] for c in table.columns]
    path = table.raw_path if raw else table.typed_path
    printed = () if raw else printed_columns(table)
    if not table.sheet:
        yield from read_rows(path, names, offset=offset, limit=limit, printed=printed)
    elif not offset and limit != 0:
        for _, line, cells in read_rows(path, names, offset=table.row - 1, limit=1, printed=printed):
            yield 1, line, cells


def read_rows(
    path: Path,
    columns: Sequence[str],
    *,
    offset: int = 0,
    limit: int | None = None,
    printed: Collection[str] = (),
) -> Iterator[tuple[int, int | None, list[Any]]]:
    """Yield (row, line, cells) of a cached table, cells in the order of `columns` as JSON values (`json_cell`)."""
    import pyarrow.parquet as pq

    if limit is not None and limit <= 0:
        return
    check_cached(path, "this table")
    position = 0
    end = None if limit is None else offset + limit
    with pq.ParquetFile(path) as file:
        groups = list(range(file.num_row_groups))
        while groups and position + file.metadata.row_group(groups[0]).num_rows <= offset:
            position += file.metadata.row_group(groups.pop(0)).num_rows
        for batch in file.iter_batches(batch_size=8192, row_groups=groups, columns=[ROW, LINE, *columns]):
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
                    yield (
                        row,
                        line,
                        [json_cell(c[i], printed=n in printed) for n, c in zip(columns, cells, strict=True)],
                    )
            if end is not None and position >= end:
                return
