"""Plain data that travels between the rooms: no input, no output, no work."""

from __future__ import annotations

from headwater.model.document import Member, Page, ReadResult, Record
from headwater.model.table import (
    COLUMN_TYPES,
    LINE,
    ROW,
    Column,
    Dialect,
    MemoryData,
    ParquetData,
    Quarantined,
    Table,
    TableData,
    Typing,
)

__all__ = [
    "COLUMN_TYPES",
    "LINE",
    "ROW",
    "Column",
    "Dialect",
    "Member",
    "MemoryData",
    "Page",
    "ParquetData",
    "Quarantined",
    "ReadResult",
    "Record",
    "Table",
    "TableData",
    "Typing",
]
