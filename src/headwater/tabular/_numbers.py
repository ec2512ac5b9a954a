"""Reading numbers as people print them: grouped, with units, signs, brackets and footnote marks."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from headwater.tabular._vocabulary import (
    CURRENCIES,
    FOOTNOTE,
    LONG_SCALES,
    MISSING,
    MISSING_PATTERN,
    SCALES,
    UNITS,
)


class NumberText(NamedTuple):
    """The two readings of a printed number; None where the form does not allow one.

    Attributes:
        dot: plain decimal text if the dot is the decimal mark.
        comma: plain decimal text if the comma is the decimal mark.
        unit: unit in the cell ("percent", "GBP million", "kg"), or "".
        stripped: what was taken off.
        coded: the text may be a code rather than an amount (leading zero, long run after a plus sign).
        weak: a number only among plainer ones: 1E5 may be a code, (5) a label.
    """

    dot: str | None
    comma: str | None
    unit: str = ""
    stripped: tuple[str, ...] = ()
    coded: bool = False
    weak: bool = False


_SPACES = dict.fromkeys(map(ord, "\u00a0\u2007\u2008\u2009\u200a\u202f\u2002\u2003\u3000"), " ")
_SIGNS = dict.fromkeys(map(ord, "\u2212\u2010\u2011\u2012\u2013\ufe63\uff0d"), "-")
_OTHER = {ord("\u2019"): "'", ord("\u02bc"): "'", ord("\uff0c"): ",", ord("\uff0e"): ".", ord("\u066c"): ",", ord("\u066b"): ".",
          ord("\uff05"): "%", ord("\u066a"): "%", ord("\uff0b"): "+", ord("\uff04"): "$", ord("\uffe1"): "£", ord("\uffe5"): "¥",
          ord("\u200e"): "", ord("\u200f"): "", ord("\ufeff"): "", ord("\u200b"): ""}  # fmt: skip
_TRANSLATE = {**_SPACES, **_SIGNS, **_OTHER}

_CURRENCY = "|".join(sorted((re.escape(sign) for sign in CURRENCIES), key=len, reverse=True))
_SCALE = "|".join(
    sorted((re.escape(word) for word in SCALES if not word[0].isdigit()), key=len, reverse=True)
)
_NUMBER = re.compile(
    rf"""(?P<open>\()?\s*(?P<sign>[-+])?\s*(?P<currency>{_CURRENCY})?\s*(?P<sign2>[-+])?\s*(?P<open2>\()?\s*(?P<sign3>[-+])?
    (?P<core>(?:\d[\d.,' ]*|\.\d+)(?:[eE][-+]?\d+)?|-)\s*
    (?P<close2>\))?\s*(?P<percent>%)?\s*(?:(?P<scale>{_SCALE})\b)?\s*(?P<currency2>{_CURRENCY})?(?P<close>\))?\s*
    (?P<percent2>%)?(?P<trailing>-)?(?P<suffix>\s?[^\W\d][^\d]*)?""",
    re.VERBOSE,
)
_PLAIN = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_COMMA_GROUPS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d*)?|\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d*)?")
_DOT_GROUPS = re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d*)?")
_SPACE_GROUPS = re.compile(r"\d{1,3}(?: \d{3})+(?P<rest>[.,]\d*)?")
_QUOTE_GROUPS = re.compile(r"\d{1,3}(?:'\d{3})+(?P<rest>[.,]\d*)?")
_COMMA_DECIMAL = re.compile(r"\d+,\d+(?:[eE][-+]?\d+)?|,\d+")
_BARE_EXPONENT = re.compile(r"\d+[eE]\d+")
_CODE = re.compile(r"0\d")


def ascii_digits(text: str) -> str:
    """Return the text with digits, spaces, signs and marks of other scripts in their ASCII form."""
    if text.isascii():
        return text
    text = text.translate(_TRANSLATE)
    if text.isascii():
        return text
    return "".join(str(int(c)) if not c.isascii() and c.isdecimal() else c for c in text)


def is_missing(text: str) -> bool:
    """Tell whether a trimmed, non-empty text is a usual mark of a missing value."""
    return text.lower() in MISSING or MISSING_PATTERN.fullmatch(text) is not None


def _readings(core: str) -> tuple[str | None, str | None, str]:
    """Return the dot reading, the comma reading and the kind of separator of a number's core."""
    if _PLAIN.fullmatch(core):
        comma = core.replace(".", "") if _DOT_GROUPS.fullmatch(core) and core[0] != "0" else None
        if "." not in core:
            comma = core
        return core, comma, ""
    if _COMMA_GROUPS.fullmatch(core):
        single = core.count(",") == 1 and "." not in core
        lead_zero = core[0] == "0"
        comma = core.replace(",", ".") if single else None
        return (None if lead_zero else core.replace(",", "")), comma, "thousands separator"
    if _DOT_GROUPS.fullmatch(core):
        return None, core.replace(".", "").replace(",", "."), "thousands separator"
    if _COMMA_DECIMAL.fullmatch(core):
        return None, core.replace(",", "."), ""
    match = _SPACE_GROUPS.fullmatch(core) or _QUOTE_GROUPS.fullmatch(core)
    if match:
        rest = match["rest"] or ""
        digits = re.sub(r"[ ']", "", core)
        dot = digits if not rest.startswith(",") else None
        comma = digits.replace(",", ".") if not rest.startswith(".") else None
        return dot, comma, "thousands separator"
    return None, None, ""


def _unit_of(match: re.Match[str]) -> str | None:
    """Return the unit of a matched number, "" for none, None where the parts contradict each other."""
    percent = match["percent"] or match["percent2"]
    currency = match["currency"] or match["currency2"]
    if (
        match["currency"]
        and match["currency2"]
        and CURRENCIES[match["currency"]] != CURRENCIES[match["currency2"]]
    ):
        return None
    suffix = (match["suffix"] or "").strip()
    scale = match["scale"]
    if percent:
        return None if currency or suffix or scale else "percent"
    if currency:
        if suffix:
            word = SCALES.get(suffix.lower())
            if word is None or scale:
                return None
            scale = suffix
        return " ".join(filter(None, (CURRENCIES[currency], SCALES[scale.lower()] if scale else "")))
    if scale:
        if suffix:
            return None
        if scale.lower() in LONG_SCALES:
            return SCALES[scale.lower()]
        suffix, glued = scale, not match.string[: match.start("scale")].endswith(" ")
    else:
        glued = not (match["suffix"] or "").startswith(" ")
    return _unit_word(suffix, glued) if suffix else ""


def _unit_word(suffix: str, glued: bool) -> str | None:
    """Return the unit that stands behind a number, None if it is none; one letter glued to it may be part of a code."""
    if suffix.lower() in ("per cent", "percent", "pct"):
        return "percent"
    if glued and len(suffix) == 1 and suffix.isalpha():
        return None
    words = suffix.split()
    return suffix if len(words) <= 2 and all(word.lower() in UNITS for word in words) else None


@lru_cache(maxsize=1 << 16)
def parse_number(text: str) -> NumberText | None:
    """Read one printed number.

    Args:
        text: the trimmed cell.

    Returns:
        Its readings, or None if it is no number.
    """
    text = ascii_digits(text)
    stripped: list[str] = []
    match = _NUMBER.fullmatch(text)
    if match is None or match["suffix"]:
        bare = FOOTNOTE.sub("", text).rstrip()
        if bare and bare != text and (again := _NUMBER.fullmatch(bare)):
            match, text = again, bare
            stripped.append("footnote mark")
    if match is None:
        return None
    unit = _unit_of(match)
    if unit is None:
        return None
    core = match["core"].strip()
    signs = [sign for sign in (match["sign"], match["sign2"], match["sign3"]) if sign]
    opened, closed = (
        sum(map(bool, match.group(*names))) for names in (("open", "open2"), ("close", "close2"))
    )
    if opened != closed or opened > 1 or len(signs) + opened > 1:
        return None
    if core == "-":  # the accounting zero, "£-"
        if not (match["currency"] or match["currency2"]) or signs or opened:
            return None
        return NumberText("0", "0", unit, ("currency sign", "accounting zero"))
    dot, comma, how = _readings(core)
    if dot is None and comma is None:
        return None
    negative = "-" in signs or bool(opened)
    if match["trailing"]:
        if negative or signs or not (how or unit or "." in core or "," in core):
            return None
        negative = True
        stripped.append("trailing minus")
    if opened:
        stripped.append("brackets for negative")
    if how:
        stripped.append(how)
    if unit:
        stripped.append(
            "%"
            if unit == "percent"
            else "unit"
            if not (match["currency"] or match["currency2"])
            else "currency sign"
        )
    minus = "-" if negative else ""
    digits = core.lstrip("-+")
    coded = bool(_CODE.match(digits) and digits.isdigit()) or (
        "+" in signs and digits.isdigit() and len(digits) > 7
    )
    return NumberText(
        minus + dot if dot is not None else None,
        minus + comma if comma is not None else None,
        unit,
        tuple(stripped),
        coded,
        _BARE_EXPONENT.fullmatch(digits) is not None or bool(opened and digits.isdigit()),
    )
