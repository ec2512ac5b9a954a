"""Delimited and fixed-width text tables."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.model import ReadResult
from headwater.readers._encoding import decode
from headwater.tabular import build_table

if TYPE_CHECKING:
    from headwater.readers import ReadOptions


def looks_delimited(sample_text: str) -> float:
    """Return how likely it is, from 0 to 1, that a text is a delimited table."""
    return 0.5 if "," in sample_text else 0.0


def read_delimited(path: Path, name: str, options: ReadOptions) -> ReadResult:
    """Read a delimited text file."""
    decoded = decode(path.read_bytes())
    table = build_table(list(csv.reader(io.StringIO(decoded.text, newline=""))))
    return ReadResult(format="csv", encoding=decoded.encoding, tables=[table])
