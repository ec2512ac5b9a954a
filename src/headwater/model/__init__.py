"""Plain data that travels between the rooms: no input, no output, no work."""

from __future__ import annotations

from headwater.model.behind import Behind, Place
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
    "Behind",
    "Column",
    "Dialect",
    "Member",
    "MemoryData",
    "Page",
    "ParquetData",
    "Place",
    "Quarantined",
    "ReadResult",
    "Record",
    "Table",
    "TableData",
    "Typing",
]
