"""Single cells: their text, whether they are blank, and what kind of value they look like."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any, Literal

from headwater.tabular._dates import parse_date, parse_time
from headwater.tabular._numbers import is_missing, parse_number

Kind = Literal["", "missing", "number", "date", "boolean", "text", "mixed"]
"""What a cell looks like; "" is blank. A column without a prevailing kind is mixed."""

_YEAR = re.compile(
    r"(?:FY\s?)?(?:1[789]|20|21)\d\d(?:\s?[-/–]\s?(?:\d{2}|\d{4}))?(?:\s?[a-z*†]|\s?\[\w+\])?", re.IGNORECASE
)


def is_blank(cell: Any) -> bool:
    """Tell whether a cell holds nothing."""
    return cell is None or (isinstance(cell, str) and (not cell or cell.isspace()))


def is_blank_row(row: Sequence[Any]) -> bool:
    """Tell whether all cells of a row hold nothing."""
    return all(map(is_blank, row))


def cell_text(cell: Any) -> str | None:
    """Return the text of a cell: as printed for text, in a plain form for native values, None for nothing."""
    if cell is None or isinstance(cell, str):
        return cell
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 1e15 else repr(cell)
    if isinstance(cell, Decimal):
        return format(cell, "f")
    if isinstance(cell, dt.datetime):
        return cell.isoformat(sep=" ")
    if isinstance(cell, (dt.date, dt.time)):
        return cell.isoformat()
    if isinstance(cell, dt.timedelta):
        return _span_text(cell)
    if isinstance(cell, (list, dict, tuple)):
        return json.dumps(cell, ensure_ascii=False, default=str)
    return str(cell)


def _span_text(span: dt.timedelta) -> str:
    """Return a duration as hours, minutes and seconds, hours beyond 24 included."""
    seconds = span.total_seconds()
    whole = int(abs(seconds))
    rest = f"{abs(seconds) - whole:.6f}".rstrip("0").rstrip(".")[1:]
    return f"{'-' if seconds < 0 else ''}{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}{rest}"


def kind_of(cell: Any) -> Kind:
    """Return what kind of value a cell looks like."""
    if cell is None:
        return ""
    if isinstance(cell, str):
        return _text_kind(cell) if len(cell) <= 64 else "text"
    if isinstance(cell, bool):
        return "boolean"
    if isinstance(cell, (int, float, Decimal)):
        return "number"
    if isinstance(cell, (dt.date, dt.time, dt.timedelta)):
        return "date"
    return "text"


@lru_cache(maxsize=1 << 15)
def _text_kind(cell: str) -> Kind:
    text = cell.strip()
    if not text:
        return ""
    if is_missing(text):
        return "missing"
    if parse_number(text) is not None:
        return "number"
    if parse_date(text) is not None or (":" in text and parse_time(text) is not None):
        return "date"
    return "boolean" if text.lower() in ("true", "false") else "text"


def is_year(cell: Any) -> bool:
    """Tell whether a cell is a year or a span of two, as column names are: 2019, 2013-14, FY2020, 2020p."""
    if isinstance(cell, (int, float)) and not isinstance(cell, bool):
        return 1700 <= cell < 2200 and float(cell).is_integer()
    return isinstance(cell, str) and _YEAR.fullmatch(cell.strip()) is not None


def one_line(cell: Any) -> str:
    """Return the text of a cell with runs of white space as one blank."""
    return " ".join((cell_text(cell) or "").split())
