"""What the text of a cell can be read as, in SQL: number, duration, date, year.

Tables of the web mix units, notes and forms in their cells, so a reading is chosen for a column by what most of its
cells look like, and written into the statement, where anyone can check it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Literal

Kind = Literal["text", "number", "duration", "date", "year"]

SHARE = 0.7
"""Share of a column's filled cells that must fit a kind."""

NUMBER = r"(^\s*[-−–+])?(\d[\d,]*)?\.?\d+"
YEAR = r"\b(1[5-9]\d\d|20\d\d)\b"
DURATION = r"^\s*(?:(\d+):)?(\d+):(\d\d(?:\.\d+)?)\b"
_NOTE = r"\s*[\[(].*$|(st|nd|rd|th)\b"
FORMATS = (
    *("%Y-%m-%d", "%B %d, %Y", "%d %B %Y", "%b %d, %Y", "%d %b %Y", "%B %d %Y", "%m/%d/%Y", "%d/%m/%Y"),
    *("%d.%m.%Y", "%d-%b-%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d", "%b. %d, %Y", "%m/%d/%y", "%Y-%m", "%B %Y"),
    *("%b %Y", "%Y.%m.%d", "%A, %B %d, %Y", "%a, %b %d, %Y", "%b-%d-%Y", "%B %d", "%d %B", "%b %d", "%d %b", "%A, %B %d"),
)  # fmt: skip
"""Date patterns, those that hold a year first."""

MISSING = frozenset({"", "-", "–", "—", "n/a", "na", "none", "?", "tba", "tbd", "unknown", "null", "..."})


def is_missing(text: str) -> bool:
    """Tell whether a cell holds nothing."""
    return text.strip().lower() in MISSING


def number_of(text: str) -> float | None:
    """Return the first number in a cell, as `number_sql` reads it."""
    match = re.search(NUMBER, text)
    if not match:
        return None
    try:
        return float(re.sub(r"[−–]", "-", match[0]).replace(",", "").replace(" ", ""))
    except ValueError:
        return None


def without_note(cell: str) -> str:
    """Return the text of a date without a note in brackets and the endings of ordinals."""
    return re.sub(_NOTE, "", cell, flags=re.I).strip()


def date_formats(cells: Sequence[str]) -> list[str]:
    """Return the patterns that dates of these cells are written in, by how many each fits; a cell counts once."""
    counts: dict[str, int] = {}
    rest = [without_note(c) for c in cells]
    for pattern in FORMATS:
        misses = []
        for cell in rest:
            try:
                datetime.strptime(cell, pattern)  # noqa: DTZ007 - dates of tables carry no zone
            except ValueError:
                misses.append(cell)
        if len(misses) < len(rest):
            counts[pattern] = len(rest) - len(misses)
        rest = misses
    if sum(counts.values()) < SHARE * len(cells):
        return []
    return sorted(counts, key=lambda p: -counts[p])


def kind_of(cells: Sequence[str]) -> tuple[Kind, list[str]]:
    """Return what most of some cells can be read as, and the date patterns if it is dates."""
    filled = [c for c in cells if not is_missing(c)][:400]
    if not filled:
        return "text", []

    def share(pattern: str) -> float:
        return sum(1 for c in filled if re.search(pattern, c, re.I)) / len(filled)

    if share(r"^\s*" + YEAR + r"(\s*[-–/].{0,12})?(\s*[\[(].*)?$") >= SHARE:
        return "year", []
    if share(DURATION) >= SHARE:
        return "duration", []
    if share(r"\d") >= SHARE and (formats := date_formats(filled[:80])):
        return "date", formats
    if share(r"^\W*(?:[WLDT]\s*)?\d+\s*[-–—:]\s*\d+\b") >= SHARE:
        return "text", []  # scores of games: neither number is the cell's
    unit = r"^\s*[^\w\s]{0,3}\s*[-−–+]?[\d,.]+\s*(st|nd|rd|th|[^\d\s\w]+|[a-z²³/%.]{0,12}( [a-z/]{1,8})?)?\s*([\[(–\-/ :x×].*)?$"
    return ("number", []) if share(unit) >= SHARE else ("text", [])


def number_sql(column: str, kind: Kind, formats: Sequence[str] = ()) -> str:
    """Return an expression that reads a text column as something that can be ordered.

    Args:
        column: the column, quoted.
        kind: what its cells are.
        formats: date patterns, for dates.
    """
    if kind == "date":
        listed = ", ".join(f"'{f}'" for f in formats)
        return f"try_strptime(trim(regexp_replace({column}, '{_NOTE}', '', 'gi')), [{listed}])"
    if kind == "year":
        return year_sql(column)
    if kind == "duration":
        parts = [f"try_cast(regexp_extract({column}, '{DURATION}', {i}) as double)" for i in (1, 2, 3)]
        return f"(3600 * coalesce({parts[0]}, 0) + 60 * {parts[1]} + {parts[2]})"
    found = f"regexp_extract({column}, '{NUMBER}')"
    return f"try_cast(replace(regexp_replace({found}, '^\\s*[−–]', '-'), ',', '') as double)"


def year_sql(column: str) -> str:
    """Return an expression for the first year named in a text column."""
    return f"try_cast(regexp_extract({column}, '{YEAR}', 1) as integer)"
