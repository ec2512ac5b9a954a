"""A table too large for memory: text to Parquet batch by batch, types from all rows, then the typed view."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from headwater.model import LINE, ROW, Column, Dialect, ParquetData, Table
from headwater.tabular._build import Parts, told_of
from headwater.tabular._columns import decide_together
from headwater.tabular._footer import find_footer, row_text
from headwater.tabular._headers import unique_names
from headwater.tabular._scan import ColumnScan
from headwater.tabular._typing import Plan, arrow_type, convert

HELD_ROWS = 64
"""Last rows that are held back until the end, since they may be a footer."""

BATCH_CELLS = 1 << 21
"""Cells that are turned from text into values at once."""

COMPRESSION = "zstd"


class StreamTable:
    """Collects the records of a large table; memory does not grow with their number.

    Args:
        parts: headers, units, kinds and preamble, as found from the first rows.
        workdir: folder for the two Parquet files.
        stem: name of the files without ending.
        find_structure: look for notes and totals among the last rows.
    """

    def __init__(self, parts: Parts, workdir: Path, stem: str, *, find_structure: bool = True) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        self.parts = parts
        self.names = unique_names(parts.headers)
        self.rows = 0
        self.last_line = 0
        self._find_structure = find_structure
        self._scans = [ColumnScan() for _ in self.names]
        self._raw_path, self._typed_path = workdir / f"{stem}.raw.parquet", workdir / f"{stem}.typed.parquet"
        self._hidden = [(ROW, pa.int64()), (LINE, pa.int64())]
        self._schema = pa.schema([*self._hidden, *((name, pa.string()) for name in self.names)])
        self._writer = pq.ParquetWriter(self._raw_path, self._schema, compression=COMPRESSION)
        self._held: Any | None = None

    def add(self, columns: Sequence[Any], lines: Any) -> None:
        """Take in a batch of records.

        Args:
            columns: an Arrow string array for each column.
            lines: Arrow array with the line of each record.
        """
        import numpy as np
        import pyarrow as pa

        count = len(lines)
        if not count:
            return
        self.last_line = lines[-1].as_py()
        numbers = pa.array(np.arange(self.rows + 1, self.rows + count + 1, dtype=np.int64))
        self.rows += count
        batch = pa.Table.from_arrays([numbers, lines.cast(pa.int64()), *columns], schema=self._schema)
        whole = batch if self._held is None else pa.concat_tables([self._held, batch])
        ready = max(0, whole.num_rows - HELD_ROWS)
        self._write(whole.slice(0, ready))
        self._held = whole.slice(ready)

    def _write(self, table: Any) -> None:
        if not table.num_rows:
            return
        for scan, column in zip(self._scans, table.columns[2:], strict=True):
            scan.add(column.combine_chunks())
        self._writer.write_table(table)
        self._release()

    @staticmethod
    def _release() -> None:
        """Give memory that Arrow keeps for later back to the system, so that the peak stays that of a batch."""
        import pyarrow as pa

        pa.default_memory_pool().release_unused()

    def finish(self, *, dialect: Dialect | None = None, warnings: Sequence[str] = ()) -> Table:
        """Find the footer, choose the types, write the typed view and return the table."""
        if self._held is not None:
            self._write(self._without_footer(self._held))
        self._writer.close()
        comma = dialect is not None and dialect.delimiter == ";"
        plans = decide_together(dict(enumerate(self._scans)), self.names, comma)
        self._write_typed([plans[index] for index in range(len(self.names))])
        parts = self.parts
        columns = [
            Column(name, plan.type, header, unit=unit or plan.unit, typing=plan.report)
            for name, header, unit, plan in zip(
                self.names, parts.headers, parts.units, plans.values(), strict=True
            )
        ]
        return Table(
            name="",
            columns=columns,
            data=ParquetData(self._typed_path, self._raw_path, self.rows),
            preamble="\n".join(filter(None, parts.preamble)),
            footer="\n".join(filter(None, parts.footer)),
            dialect=dialect,
            quarantined=parts.quarantined,
            warnings=[
                *parts.warnings,
                *warnings,
                *told_of(self.names, [plan.warnings for plan in plans.values()]),
            ],
            extra={
                "footer_rows": parts.footer_rows,
                "header_rows": parts.header_rows,
                "set_aside": parts.set_aside,
            },
        )

    def _without_footer(self, held: Any) -> Any:
        """Take notes and totals off the last rows."""
        if not self._find_structure:
            return held
        rows = [list(row) for row in zip(*(column.to_pylist() for column in held.columns[2:]), strict=True)]
        footer = find_footer(rows, self.parts.kinds, len(self.names), complete=False)
        if not footer.rows:
            return held
        self.parts.footer += [row_text(rows[index]) for index in footer.rows]
        self.parts.footer_rows += len(footer.rows)
        self.rows -= len(footer.rows)
        out = set(footer.rows)
        return held.take([index for index in range(held.num_rows) if index not in out])

    def _write_typed(self, plans: Sequence[Plan]) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        schema = pa.schema(
            [
                *self._hidden,
                *((name, arrow_type(plan.arrow)) for name, plan in zip(self.names, plans, strict=True)),
            ]
        )
        with pq.ParquetWriter(self._typed_path, schema, compression=COMPRESSION) as writer:
            for batch in _batches(self._raw_path, len(schema)):
                typed = [convert(column, plan) for column, plan in zip(batch.columns[2:], plans, strict=True)]
                writer.write_table(pa.Table.from_arrays([*batch.columns[:2], *typed], schema=schema))
                self._release()


def _batches(path: Path, width: int) -> Iterator[Any]:
    """Yield the rows of a Parquet file in batches of bounded size; `pre_buffer` would keep all that was read."""
    import pyarrow.parquet as pq

    rows = max(1 << 10, min(1 << 17, BATCH_CELLS // width))
    yield from pq.ParquetFile(path, pre_buffer=False).iter_batches(rows)
