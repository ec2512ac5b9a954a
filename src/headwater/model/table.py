"""A table as a reader found it: text of every cell, typed view, and what was told about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    import pyarrow as pa

ROW = "_row"
"""Name of the hidden column with the record's number in its source, from 1 (int64)."""

LINE = "_line"
"""Name of the hidden column with the physical line or sheet row where the record begins, from 1 (int64, nullable)."""

ColumnType = Literal["text", "integer", "number", "boolean", "date", "datetime", "time", "list", "object"]

COLUMN_TYPES: tuple[ColumnType, ...] = (
    "text",
    "integer",
    "number",
    "boolean",
    "date",
    "datetime",
    "time",
    "list",
    "object",
)
"""Types of a column. In Arrow: text string; integer int64 (decimal128(38, 0) beyond it); number float64 (decimal128
where a double would lose digits); boolean bool; date date32; datetime timestamp[us], with a zone if the source
has one; time time64[us]; list and object string holding JSON."""


@dataclass(slots=True)
class Typing:
    """How the text of a column became its type.

    Attributes:
        converted: non-missing cells that the type holds.
        failed: non-missing cells that the type does not hold; in the typed view they are null. A type other than
            text is chosen only where this is 0 or the failing cells are known missing marks or footnote marks.
        missing_marks: texts that were read as missing, for instance "NA" or "-", with their counts.
        stripped: things taken off the cells before parsing, with counts: "thousands separator", "%", "footnote mark".
        formats: date patterns or number conventions met, for instance "%d/%m/%Y" or "decimal comma", with counts.
        samples: up to five texts that the type does not hold.
        ambiguous: true if another reading (day or month first, another century) would have fitted too.
        notes: how values were read where that is no cause for a warning: the century of years of two digits.
    """

    converted: int = 0
    failed: int = 0
    missing_marks: dict[str, int] = field(default_factory=dict)
    stripped: dict[str, int] = field(default_factory=dict)
    formats: dict[str, int] = field(default_factory=dict)
    samples: list[str] = field(default_factory=list)
    ambiguous: bool = False
    notes: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Column:
    """One column.

    Attributes:
        name: unique within the table, as users and SQL see it.
        type: one of `COLUMN_TYPES`.
        original_name: the header text as printed (parts of several header rows joined by " / "), or "".
        unit: unit of the values as printed, for instance "percent", "GBP million", "kg", or None.
        description: meaning, from a data dictionary or metadata, or None.
        feature_type: one of the twelve names of DataGovBench, set by profiling, or None.
        typing: report of the conversion from text, None where the source itself has types.
    """

    name: str
    type: ColumnType = "text"
    original_name: str = ""
    unit: str | None = None
    description: str | None = None
    feature_type: str | None = None
    typing: Typing | None = None


@dataclass(slots=True)
class Dialect:
    """How a delimited text file is written. `escape` is None where quotes are doubled."""

    delimiter: str = ","
    quote: str | None = '"'
    escape: str | None = None
    header_rows: int = 1


@dataclass(slots=True)
class Quarantined:
    """A record that was set aside: its physical line (from 1), why, and its raw text (at most 2,000 characters)."""

    line: int
    reason: str
    text: str = ""


class TableData(Protocol):
    """The cells of a table, twice: as text and typed.

    Both views have the columns `_row` and `_line` first, then the table's columns in order, and the same rows.
    """

    @property
    def row_count(self) -> int:
        """Number of records."""
        ...

    def typed(self) -> Iterator[pa.RecordBatch]:
        """Yield the typed view."""
        ...

    def raw(self) -> Iterator[pa.RecordBatch]:
        """Yield the text view (all columns string but `_row` and `_line`)."""
        ...


@dataclass(slots=True)
class MemoryData:
    """Cells held in memory as Arrow tables."""

    typed_table: pa.Table
    raw_table: pa.Table

    @property
    def row_count(self) -> int:
        """Number of records."""
        return int(self.typed_table.num_rows)

    def typed(self) -> Iterator[pa.RecordBatch]:
        """Yield the typed view."""
        yield from self.typed_table.to_batches(max_chunksize=65_536)

    def raw(self) -> Iterator[pa.RecordBatch]:
        """Yield the text view."""
        yield from self.raw_table.to_batches(max_chunksize=65_536)


@dataclass(slots=True)
class ParquetData:
    """Cells in two Parquet files in a work folder; for tables too large for memory.

    The cache takes the files over by moving them. `raw_path` may equal `typed_path` where the two views do not differ.
    """

    typed_path: Path
    raw_path: Path
    row_count: int

    def typed(self) -> Iterator[pa.RecordBatch]:
        """Yield the typed view."""
        import pyarrow.parquet as pq

        yield from pq.ParquetFile(self.typed_path).iter_batches(65_536)

    def raw(self) -> Iterator[pa.RecordBatch]:
        """Yield the text view."""
        import pyarrow.parquet as pq

        yield from pq.ParquetFile(self.raw_path).iter_batches(65_536)


@dataclass(slots=True)
class Table:
    """One table of a document.

    Attributes:
        name: "" for the only table of a document; else the sheet's name, the caption or heading, or "table 1" ….
        columns: in order; `data` has the same.
        data: the cells.
        page: page of a PDF where the table starts, from 1, or None.
        preamble: lines above the header that belong to the table (title, notes), joined by newlines.
        footer: notes, sources and total rows below, joined by newlines; total rows are not in `data`.
        dialect: for delimited text.
        hidden: a hidden sheet.
        quarantined: records set aside.
        source_records: records counted in the source by other means than the reader's own, or None if there is none;
            compared with rows + quarantined + footer rows, and a difference becomes a warning.
        warnings: texts for the user about this table.
    """

    name: str
    columns: list[Column]
    data: TableData
    page: int | None = None
    preamble: str = ""
    footer: str = ""
    dialect: Dialect | None = None
    hidden: bool = False
    quarantined: list[Quarantined] = field(default_factory=list)
    source_records: int | None = None
    warnings: list[str] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)
