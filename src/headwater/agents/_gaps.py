"""Gaps in the chain of an answer that can be seen: a quoted document that no result of a query leads to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from headwater.agents._steps import Step, pattern_of

if TYPE_CHECKING:
    from headwater.lake import Lake

HOPS = 4
"""From a name in a result to a document that holds it, from that document's title to the next, and so on."""

MANY_NAMES = 400
"""Names of results that are looked for."""

_CODE = re.compile(r"[A-Z0-9]{2,6}")


def unconnected(
    lake: Lake, steps: Sequence[Step], quoted: Sequence[str], seen: Iterable[str]
) -> tuple[list[str], list[str]]:
    """Return the quoted documents to which no result of a query leads, and the names in those results.

    A name leads to every document that holds it, or whose title is part of it; a document leads to those that hold its
    title, and to those whose title it holds. Without a name in any result nothing is returned: then the chain ran
    through texts.

    Args:
        lake: of the session.
        steps: its computations.
        quoted: documents that are quoted for a value.
        seen: documents of which something was shown.
    """
    names = list(dict.fromkeys(n for step in steps for c in step.cells if (n := _name(c))))[:MANY_NAMES]
    if not names or not quoted:
        return [], names
    titles = {d: _title(d) for d in dict.fromkeys([*quoted, *seen])}
    texts = {d: f"{title}\n{_text(lake, d)}" for d, title in titles.items()}
    reached: set[str] = set()
    leads, told = names, "\n".join(names)
    for _ in range(HOPS):
        found = {
            d
            for d in texts.keys() - reached
            if pattern_of(titles[d]).search(told) or any(_pattern(n).search(texts[d]) for n in leads)
        }
        if not found:
            break
        reached |= found
        leads, told = [titles[d] for d in found], "\n".join(texts[d] for d in found)
    return [d for d in quoted if d not in reached], names


def _name(cell: Any) -> str:
    """Return a cell that can lead on: a name, a code, a year; "" for other numbers, flags and long texts."""
    text = str(cell).strip()
    if cell is None or isinstance(cell, bool | float) or not 2 <= len(text) <= 80:
        return ""
    if text.isdigit():
        return text if len(text) == 4 else ""
    return text if any(c.isalpha() for c in text) and not text.islower() else ""


def _pattern(name: str) -> re.Pattern[str]:
    """Return what finds a name; a code only in capitals."""
    return re.compile(rf"\b{name}\b") if _CODE.fullmatch(name) else pattern_of(name)


def _title(document: str) -> str:
    parts = document.split("/")
    stem = parts[-2] if parts[-1].startswith("content.") and len(parts) > 1 else parts[-1].rsplit(".", 1)[0]
    return re.sub(r"\s*[,(].*", "", stem.replace("_", " ")).strip() or stem


def _text(lake: Lake, document: str) -> str:
    record = lake.catalog.document(document)
    source = lake.catalog.document(record.duplicate_of) if record and record.duplicate_of else record
    body = lake.catalog.body(source.content) if source and source.content else None
    return (body.text or "") if body else ""
