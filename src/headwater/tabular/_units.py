"""Units of columns: in a header's brackets, in a row of their own, in a title."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from headwater.tabular._cells import is_blank, one_line
from headwater.tabular._numbers import parse_number
from headwater.tabular._vocabulary import CURRENCIES, QUANTITY_WORDS, SCALES, UNITS

LONGEST = 500
"""Characters of a header or title beyond which it is not searched for a unit."""

_BRACKETS = re.compile(r"[(\[]([^()\[\]]{1,40})[)\]]")
_IN = re.compile(r"[,;:]?\s(?:in|\()\s*(?P<unit>[^,;:()]{1,40})\)?$", re.IGNORECASE)
_TITLE_IN = re.compile(
    r"\b(?:in|units?\s*[:=]|figures\s+in|all\s+values\s+in)\s+(?P<unit>(?:[.\d,]+\s*)?[^\s,;()]+(?:\s+(?:of\s+)?[^\s,;()]+){0,3})",
    re.IGNORECASE,
)
_WORD = re.compile(r"[£$€¥₹%‰°][A-Za-z]{0,2}|[^\W\d_][\w²³]*\$?|'?\d[\d,.]*s?|\.\d+", re.UNICODE)
_SIGN = re.compile(r"(?P<sign>US\$|[A-Z]{1,2}\$|[£$€¥₹])\s*(?P<scale>[A-Za-z]*|'?000s?)")


def unit_name(text: str) -> str | None:
    """Return a unit in a plain form ("percent", "GBP million"), or None where a text is no unit.

    Args:
        text: what stands in the brackets of a header or in a row of units.
    """
    text = " ".join(text.split()).strip("() ")
    if text.lower().startswith("in "):
        text = text[3:]
    if text.lower() in ("%", "percent", "per cent", "percentage", "pct", "%age", "percentages"):
        return "percent"
    if match := _SIGN.fullmatch(text):
        scale = match["scale"].lower().lstrip("'")
        if scale and scale not in SCALES:
            return None
        return " ".join(filter(None, (CURRENCIES.get(match["sign"], match["sign"]), SCALES.get(scale, ""))))
    if text[:1] != "." and parse_number(text) is not None:
        return None  # an amount
    words = [word.lower() for word in _WORD.findall(text)]
    if not words or len(words) > 6:
        return None
    known = [word for word in words if word in UNITS or word.rstrip("s") in UNITS or word[0] in "£$€¥₹%‰°"]
    filler = [
        word
        for word in words
        if word in QUANTITY_WORDS or word.strip("'").replace(",", "").replace(".", "").rstrip("s").isdigit()
    ]
    if not known or len(known) + len([word for word in filler if word not in known]) < len(words):
        return None
    return (
        re.sub(r"[£€¥₹]|(?:US)?\$", lambda sign: CURRENCIES.get(sign[0], sign[0]) + " ", text)
        .replace("%", "percent")
        .strip()
    )


def header_unit(header: str) -> str | None:
    """Return the unit that a header names: in brackets, or behind "in" or a comma at its end."""
    if len(header) > LONGEST:
        return None
    for inner in reversed(_BRACKETS.findall(header)):
        if unit := unit_name(inner):
            return unit
    if header.rstrip().endswith("%") or header.lstrip().startswith("% "):
        return "percent"
    match = _IN.search(header)
    if match and len(header) > len(match[0]):
        return unit_name(match["unit"])
    tail = header.rpartition(",")[2].strip()
    return unit_name(tail) if tail and tail != header.strip() else None


def is_unit_row(row: Sequence[Any], kinds: Sequence[str]) -> bool:
    """Tell whether a row holds nothing but units over columns of numbers (two at least, or one beside the word unit).

    Args:
        row: the row below a header.
        kinds: kinds of the columns in the rows below it.
    """
    texts = [one_line(cell) for cell in row if not is_blank(cell)]
    if not texts or any(not isinstance(cell, str) for cell in row if not is_blank(cell)):
        return False
    label = texts[0].lower().rstrip(":") in ("unit", "units", "unit of measure", "measure")
    units = texts[1:] if label else texts
    places = [column for column, cell in enumerate(row) if not is_blank(cell)][int(label) :]
    over_numbers = all(column < len(kinds) and kinds[column] == "number" for column in places)
    return over_numbers and len(units) >= (1 if label else 2) and all(unit_name(text) for text in units)


_LABEL = re.compile(r"^[#;\s]*(?:units?(?:\s+of\s+measure)?\s*[:=]\s*)?", re.IGNORECASE)
"""Comment marks and a label before a unit."""


def title_unit(lines: Sequence[str]) -> str | None:
    """Return the unit that the lines above a table give for all its figures."""
    lines = [_LABEL.sub("", line) for line in lines if len(line) <= LONGEST]
    for line in reversed(lines):
        if (unit := unit_name(line)) and not line.strip().isdigit():
            return unit
        words = line.lower().split()
        if 2 <= len(words) <= 6 and words[0] in SCALES and unit_name(" ".join(words[:2])):
            return line.strip()
    for line in reversed(lines):
        for inner in _BRACKETS.findall(line):
            if unit := unit_name(inner):
                return unit
        for match in _TITLE_IN.finditer(line):
            words = match["unit"].split()
            for count in range(len(words), 0, -1):
                if unit := unit_name(" ".join(words[:count])):
                    return unit
    return None
