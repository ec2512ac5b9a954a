"""Text from outside made safe to show: no control, no invisible and no direction-changing characters."""

from __future__ import annotations

import html
import re

_INVISIBLE = re.compile(
    "["
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # C0 and C1 controls but tab, line feed, carriage return
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # soft hyphen, fillers, Mongolian selectors
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"  # zero width, bidi
    "\ud800-\udfff"  # lone surrogates
    "\U000e0000-\U000e0fff"  # tags and variation selectors
    "]"
)
_SPACE = re.compile(r"[ \t\u00a0\u2000-\u200a\u202f\u205f\u3000]+")
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,300}>")
_MARKDOWN_LINK = re.compile(
    r"!?\[([^\[\]]{0,300})\](?:\([^()\s]{0,500}(?:\([^()]*\))?[^()]{0,200}\)|\[[^\[\]]{0,100}\])"
)


def clean_text(text: str, *, one_line: bool = False, limit: int | None = None) -> str:
    """Return `text` without control, invisible and direction-changing characters.

    Runs of blanks become one blank; with `one_line` line breaks do too. A text over `limit` characters is cut and
    ends in "…".
    """
    if not (text.isascii() and text.isprintable()):
        text = _INVISIBLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    if one_line:
        text = " ".join(text.split())
    else:
        text = "\n".join(_SPACE.sub(" ", line).rstrip() for line in text.split("\n")).strip()
    if limit is not None and len(text) > limit:
        text = text[: max(limit - 1, 0)].rstrip() + "…"
    return text


def plain_text(text: str) -> str:
    """Return a description as one line without the commonest marks of HTML and Markdown."""
    if "<" in text:
        text = _TAG.sub(" ", text)
    if "&" in text:
        text = html.unescape(text)
    if "[" in text:
        text = _MARKDOWN_LINK.sub(r"\1", text)
    text = text.replace("**", "").replace("__", "").replace("`", "")
    return clean_text(text, one_line=True)
