"""SQL over the tables of a lake: read-only, bounded, and with errors that help."""

from __future__ import annotations

from headwater.sql._engine import SqlEngine
from headwater.sql._result import Column, SqlResult
from headwater.sql._tables import HIDDEN, SeriesMember, SeriesRef, TableCatalog, TableRef

__all__ = [
    "HIDDEN",
    "Column",
    "SeriesMember",
    "SeriesRef",
    "SqlEngine",
    "SqlResult",
    "TableCatalog",
    "TableRef",
]
