"""From grids of cells to tables: structure, headers, types and the report of both."""

from __future__ import annotations

from headwater.tabular._build import build_table

__all__ = ["build_table"]
