"""The distinct values of each column with their counts: read once, used by profiles and by sketches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from headwater.model import LINE, ROW, MemoryData, Table

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

EXACT_VALUES = 500_000
"""Cells of a column up to which distinct values are counted exactly; beyond, memory and time are bounded by sketches."""

SAMPLE_ROWS = 2_000
"""Rows whose text is looked at to tell what kind of values a column holds."""


@dataclass(slots=True)
class ColumnValues:
    """The values of one column.

    Attributes:
        name: of the column.
        type: of the column (`headwater.model.COLUMN_TYPES`).
        rows: records of the table.
        missing: records without a value.
        values: distinct non-missing typed values, or None where they were not counted (`EXACT_VALUES`).
        counts: records of each of `values` (int64).
        distinct: number of distinct values, exact if `values` is there.
        sample: text of non-missing cells as printed, from rows spread over the table, repeats kept.
        array: the typed column where the table is in memory, else None.
        stats: figures counted by the engine for tables that are not in memory.
    """

    name: str
    type: str
    rows: int
    missing: int
    values: pa.Array | None
    counts: np.ndarray[Any, Any] | None
    distinct: int
    sample: list[str]
    array: pa.ChunkedArray | None = None
    stats: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class TableValues:
    """The values of all columns of one table, and whether rows were sampled for any figure."""

    table: Table
    rows: int
    columns: list[ColumnValues]
    sampled: bool = False


def table_values(table: Table) -> TableValues:
    """Count the distinct values of each column in one pass over the table."""
    if isinstance(table.data, MemoryData):
        return _from_memory(table, table.data)
    from headwater.profiles._large import values_of_large

    return values_of_large(table)


def _from_memory(table: Table, data: MemoryData) -> TableValues:
    rows = data.row_count
    sampled = False
    columns: list[ColumnValues] = []
    index = _sample_index(rows)
    for position, column in enumerate(table.columns):
        typed = _column(data.typed_table, column.name, position)
        raw = _column(data.raw_table, column.name, position)
        values, counts = _value_counts(typed) if rows <= EXACT_VALUES else (None, None)
        if values is None:
            sampled = True
        columns.append(
            ColumnValues(
                column.name,
                column.type,
                rows,
                typed.null_count,
                values,
                counts,
                len(values) if values is not None else _approximate(typed),
                _sample(raw, typed, index),
                typed,
            )
        )
    return TableValues(table, rows, columns, sampled)


def _column(table: pa.Table, name: str, position: int) -> pa.ChunkedArray:
    """Return a column by its place behind the hidden ones, as names may repeat in case."""
    hidden = sum(1 for h in (ROW, LINE) if h in table.schema.names[:2])
    if position + hidden < table.num_columns and table.schema.names[position + hidden] == name:
        return table.column(position + hidden)
    return table.column(name)


def _value_counts(array: pa.ChunkedArray) -> tuple[pa.Array, np.ndarray[Any, Any]]:
    """Return the distinct non-null values, most frequent first (ties in order of appearance), and their counts."""
    import numpy as np
    import pyarrow as pa

    struct = array.value_counts()
    if isinstance(struct, pa.ChunkedArray):
        struct = struct.combine_chunks()
    values, counts = struct.field(0), struct.field(1).to_numpy(zero_copy_only=False)
    if values.null_count:
        keep = np.asarray(values.is_valid())
        values, counts = values.filter(pa.array(keep)), counts[keep]
    if len(counts) > 1 and counts.min() != counts.max():
        order = np.argsort(-counts, kind="stable")
        values, counts = values.take(pa.array(order)), counts[order]
    return values, counts


def _approximate(array: pa.ChunkedArray) -> int:
    import duckdb

    with duckdb.connect(":memory:", config={"threads": 2}) as connection:
        import pyarrow as pa

        connection.register("t", pa.table({"c": array}))
        ((count,),) = connection.execute("select approx_count_distinct(c) from t").fetchall()
    return int(count)


def _sample_index(rows: int) -> pa.Array | None:
    """Return the rows to look at: all of a small table, else half from the top and half spread evenly."""
    if rows <= SAMPLE_ROWS:
        return None
    import numpy as np
    import pyarrow as pa

    half = SAMPLE_ROWS // 2
    return pa.array(np.concatenate([np.arange(half), np.linspace(half, rows - 1, half).astype(np.int64)]))


def _sample(raw: pa.ChunkedArray, typed: pa.ChunkedArray, index: pa.Array | None) -> list[str]:
    if index is not None:
        raw, typed = raw.take(index), typed.take(index)
    if typed.null_count:
        raw = raw.filter(typed.is_valid())
    return [text for text in raw.to_pylist() if text]


def top_values(column: ColumnValues, limit: int) -> Iterator[tuple[Any, int]]:
    """Yield the most frequent values with their counts."""
    if column.values is not None and column.counts is not None:
        head = column.values.slice(0, limit).to_pylist()
        yield from zip(head, (int(c) for c in column.counts[:limit]), strict=True)
    else:
        yield from column.stats.get("top", [])[:limit]
