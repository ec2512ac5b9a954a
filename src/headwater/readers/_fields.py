"""The fields of a document that is one object: what becomes a row, with a column for every plain value in it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from headwater.readers._native import raw_text

MAX_FIELDS = 2_000
"""Plain values of an object beyond which its keys are taken for data and not for names of fields."""

MAX_LIST = 2_000
"""Characters of a list, as JSON, that a field holds; a longer one stands in the text alone."""

_MAX_LEVELS = 16
_VALUE_KEYS = frozenset({"text", "value", "#text", "$t", "_"})
"""Keys of an object that stands for its one value, as JSON made from XML has them: `area: {text: 5 km}`."""

Path = tuple[str, ...]


def fields_of(value: dict[str, Any], left_out: Collection[Path] = ()) -> dict[str, str] | None:
    """Return the fields of an object: dotted path → value as the source spells it; lists as JSON.

    Args:
        value: the object; objects in it are opened.
        left_out: paths of what is in tables.

    Returns:
        None where the object is no record: it has fewer than two fields, too many, or keys that are data (dates, numbers).
    """
    fields: dict[str, str] = {}
    without_letters = 0
    for path, text in _leaves(value, (), left_out):
        without_letters += not any(map(str.isalpha, path[-1]))
        short = path[:-1] if path[1:] and path[-1].casefold() in _VALUE_KEYS else path
        name = ".".join(short)
        fields[name if name not in fields else ".".join(path)] = text
        if len(fields) > MAX_FIELDS:
            return None
    return fields if len(fields) > 1 and 2 * without_letters <= len(fields) else None


def _leaves(value: dict[str, Any], path: Path, left_out: Collection[Path]) -> Iterator[tuple[Path, str]]:
    for key, inner in value.items():
        here = (*path, " ".join(str(key).split()) or "_")
        if (*path, str(key)) in left_out or inner is None or inner in ("", [], {}):
            continue
        if isinstance(inner, dict) and len(here) < _MAX_LEVELS:
            yield from _leaves(inner, here, left_out)
            continue
        text = raw_text(inner)
        if text and text.strip() and not (isinstance(inner, list | dict) and len(text) > MAX_LIST):
            yield here, text
