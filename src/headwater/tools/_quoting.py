"""How names and texts of a lake stand in an output: on one line, all of it visible, and marked as what they are.

Whatever an output tells of a lake passes one of these functions, so that no name and no description can end its line or
its marks and go on as if it were headwater's own words.
"""

from __future__ import annotations

from typing import Any

from headwater.text import visible

_NAME = 120
"""Characters of a column's name; a longer one is cut, and SQL finds it by `columns('^beginning')`."""

_BLANKS = str.maketrans("\n\r\t", "   ")


def line_of(value: Any) -> str:
    """Return a value as one line; what does not show is an escape, but for tabs and the ends of lines, which are blanks."""
    text = "" if value is None else str(value)
    return text if text.isascii() and text.isprintable() else visible(text.translate(_BLANKS))


def clip(text: str, limit: int) -> str:
    """Return text on one line, blanks once, at most `limit` characters."""
    flat = line_of(" ".join(text.split()))
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def quote(text: str, limit: int | None = None) -> str:
    """Return text of a document, marked as such; marks of its own cannot end it.

    Args:
        text: whatever stands there.
        limit: characters; then blanks stand once.
    """
    told = line_of(text) if limit is None else clip(text, limit)
    return "«" + told.replace("«", "<").replace("»", ">") + "»"


def quoted(text: str) -> str:
    """Return text for use between single quotes in SQL."""
    return line_of(text).replace("'", "''")


def name_of(column: str) -> str:
    """Return a column's name as SQL wants it: in double quotes unless it is a plain word."""
    if len(column) > _NAME:
        column = column[: _NAME - 1] + "…"
    plain = column.isascii() and column.replace("_", "a").isalnum() and not column[:1].isdigit()
    return line_of(column) if plain else '"' + line_of(column).replace('"', '""') + '"'
