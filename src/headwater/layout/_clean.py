"""Descriptions of publishers as plain text."""

from __future__ import annotations

import html
import re

from headwater.text import clean_text

_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,300}>")
_MARKDOWN_LINK = re.compile(
    r"!?\[([^\[\]]{0,300})\](?:\([^()\s]{0,500}(?:\([^()]*\))?[^()]{0,200}\)|\[[^\[\]]{0,100}\])"
)


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
