"""From grids of cells to tables: structure, headers, types and the report of both."""

from __future__ import annotations

from headwater.tabular._blocks import split_columns, split_rows
from headwater.tabular._build import Parts, build_table, take_apart
from headwater.tabular._columns import TypedColumn, type_columns, type_texts
from headwater.tabular._numbers import parse_number
from headwater.tabular._stream import StreamTable
from headwater.tabular._units import unit_name

__all__ = [
    "Parts",
    "StreamTable",
    "TypedColumn",
    "build_table",
    "parse_number",
    "split_columns",
    "split_rows",
    "take_apart",
    "type_columns",
    "type_texts",
    "unit_name",
]
