"""From a grid of cells to a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.model import LINE, ROW, Column, Dialect, MemoryData, Table


def build_table(
    grid: Sequence[Sequence[Any]],
    *,
    name: str = "",
    page: int | None = None,
    lines: Sequence[int] | None = None,
    header_rows: int | None = None,
    column_names: Sequence[str] | None = None,
    find_structure: bool = True,
    infer: bool = True,
    dialect: Dialect | None = None,
    warnings: list[str] | None = None,
) -> Table:
    """Build a table from a grid of cells."""
    import pyarrow as pa

    rows = [list(row) for row in grid]
    numbers = list(lines) if lines is not None else list(range(1, len(rows) + 1))
    if column_names is None:
        column_names = [str(cell or "") for cell in rows[0]] if rows else []
        rows, numbers = rows[1:], numbers[1:]
    width = len(column_names)
    names = [text or f"column_{index + 1}" for index, text in enumerate(column_names)]
    columns = [
        pa.array([None if index >= len(row) or row[index] is None else str(row[index]) for row in rows], pa.string())
        for index in range(width)
    ]
    data = pa.table(
        [pa.array(range(1, len(rows) + 1), pa.int64()), pa.array(numbers, pa.int64()), *columns],
        names=[ROW, LINE, *names],
    )
    return Table(
        name=name,
        columns=[Column(text) for text in names],
        data=MemoryData(data, data),
        page=page,
        dialect=dialect,
        warnings=list(warnings or []),
    )
