"""What is known of a lake: one SQLite file and a columnar cache."""

from __future__ import annotations

from headwater.catalog._catalog import Catalog, pack_read
from headwater.catalog._names import Names, fold, nearest
from headwater.catalog._records import (
    STATES,
    Body,
    DatasetRecord,
    DocumentRecord,
    FileRecord,
    State,
    TableRecord,
)

__all__ = [
    "STATES",
    "Body",
    "Catalog",
    "DatasetRecord",
    "DocumentRecord",
    "FileRecord",
    "State",
    "TableRecord",
    "Names",
    "fold",
    "nearest",
    "pack_read",
]
