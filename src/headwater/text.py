"""Text of unknown origin made safe to show: on a terminal, to a model, in a notebook.

`visible` keeps every character and shows those that nobody sees, or that a terminal obeys, as escapes; `clean_text`
leaves them out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

IGNORABLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Characters without a shape of their own, as ranges of a regular expression: marks of direction, joiners, selectors of
variants, fillers, tags (Unicode 16.0, DerivedCoreProperties.txt, Default_Ignorable_Code_Point)."""

HTML_CELL = 200
"""Characters of a cell that a notebook shows."""

_IGNORABLE = re.compile(f"[{IGNORABLE}]")
_DROPPED = re.compile(
    # Controls but tab, line feed and carriage return; marks of annotations; halves of characters.
    f"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufff9-\ufffb\ud800-\udfff{IGNORABLE}]"
)
_SPACE = re.compile(r"[ \t\u00a0\u2000-\u200a\u202f\u205f\u3000]+")


def visible(value: Any, *, lines: bool = False) -> str:
    """Return a value as text, with everything in it that does not show as an escape; None is "".

    Args:
        value: any value.
        lines: line feeds stay.
    """
    text = "" if value is None else str(value)
    if not text.isascii():
        text = _IGNORABLE.sub(lambda found: _escaped(found[0]), text)
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or (lines and c == "\n") else _escaped(c) for c in text)


def _escaped(character: str) -> str:
    return ascii(character)[1:-1]


def clean_text(text: str, *, one_line: bool = False, limit: int | None = None) -> str:
    """Return `text` without control, invisible and direction-changing characters.

    Runs of blanks become one blank; with `one_line` line breaks do too. A text over `limit` characters is cut and
    ends in "…".
    """
    if not (text.isascii() and text.isprintable()):
        text = _DROPPED.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    if one_line:
        text = " ".join(text.split())
    else:
        text = "\n".join(_SPACE.sub(" ", line).rstrip() for line in text.split("\n")).strip()
    if limit is not None and len(text) > limit:
        text = text[: max(limit - 1, 0)].rstrip() + "…"
    return text


def html_table(columns: Sequence[str], rows: Iterable[Sequence[Any]], *notes: str) -> str:
    """Return an HTML table with notes below it; every text is escaped and cleaned, as it may come from a lake."""
    head = "".join(f"<th>{_shown(name)}</th>" for name in columns)
    body = "".join("<tr>" + "".join(f"<td>{_shown(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    below = "".join(f"<p>{_shown(note, None)}</p>" for note in notes if note.strip())
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}"


def _shown(value: Any, limit: int | None = HTML_CELL) -> str:
    if value is None:
        return ""
    if isinstance(value, list | tuple):
        value = "; ".join(map(str, value))
    return escape(clean_text(str(value), one_line=True, limit=limit))
