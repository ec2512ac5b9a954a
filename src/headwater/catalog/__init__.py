"""What is known of a lake: one SQLite file and a columnar cache."""

from __future__ import annotations

from headwater.catalog._catalog import Catalog, pack_read
from headwater.catalog._names import Names, fold, names_only_table, nearest
from headwater.catalog._records import (
    STATES,
    Body,
    DatasetRecord,
    DocumentRecord,
    FileRecord,
    State,
    TableRecord,
)
from headwater.catalog._relations import RECORDS
from headwater.catalog._sheets import RECORD, SHEET_COLUMNS, RecordSource, Sheet

__all__ = [
    "RECORD",
    "RECORDS",
    "SHEET_COLUMNS",
    "STATES",
    "Body",
    "Catalog",
    "DatasetRecord",
    "DocumentRecord",
    "FileRecord",
    "RecordSource",
    "Sheet",
    "State",
    "TableRecord",
    "Names",
    "fold",
    "names_only_table",
    "nearest",
    "pack_read",
]
