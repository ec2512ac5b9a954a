"""The feature type of a column: the twelve classes of DataGovBench, told by rules.

The classes are those of the benchmark's column typing (arXiv 2607.06482); the rules are our own. Each parser is run
over the distinct texts of a sample; the share that it matches is kept as evidence. The order of the decisions is
documented in `feature_type`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

FEATURE_TYPES: tuple[str, ...] = (
    "Numerical",
    "Categorical",
    "Datetime",
    "Sentence",
    "URL",
    "Embedded numbers",
    "List",
    "ID",
    "Numbers with unit",
    "Numbers with sign",
    "Range of numbers",
    "Formatted ID",
)
"""Names in the benchmark's order, 0 to 11."""

MATCH = 0.8
"""Share of the distinct texts that a parser has to match to decide the type."""

_MAX_TEXTS = 200
_MAX_CHARS = 300

_NUM = r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|[+-]?\.\d+"
_CURRENCY = r"(?:US|C|A|NZ|HK|S)?[$€£¥₹₩₽]|\b(?:USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|Rs\.?)\b"
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_TIME = r"(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:\s?[ap]\.?m\.?)?(?:\s?(?:Z|UTC|[+-]\d{2}:?\d{2}))?)?"

PLAIN_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:[,' \u00a0\u202f]\d{3})+(?:\.\d+)?")
URL = re.compile(
    r"(?:(?:https?|ftp|s3|sftp|file)://|www\.)\S+|[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:com|org|net|gov|edu|io|info|eu|uk|de|fr|ca|us)"
    r"(?::\d+)?(?:/\S*)?",
    re.IGNORECASE,
)
DATE = re.compile(
    rf"(?:\d{{4}}[-/.](?:0?[1-9]|1[0-2])(?:[-/.](?:0?[1-9]|[12]\d|3[01]){_TIME})?"
    rf"|(?:0?[1-9]|[12]\d|3[01])[-/.](?:0?[1-9]|[12]\d|3[01])[-/.](?:\d{{4}}|\d{{2}}){_TIME}"
    rf"|(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,?\s+)?\d{{1,2}}(?:st|nd|rd|th)?[\s-]+{_MONTH},?[\s-]+\d{{2,4}}{_TIME}"
    rf"|(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,?\s+)?{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s+\d{{2,4}}{_TIME}"
    rf"|{_MONTH}[\s-]+(?:\d{{4}}|'\d{{2}})|\d{{4}}\s+{_MONTH}(?:\s+\d{{1,2}})?"
    r"|(?:FY|CY)\s?-?\d{2,4}(?:\s?[-/]\s?\d{2,4})?|(?:1[5-9]|20)\d{2}\s?[-/]?\s?Q[1-4]|Q[1-4][\s/-]*(?:1[5-9]|20)\d{2}"
    r"|(?:1[5-9]|20)\d{2}-?W(?:0[1-9]|[1-4]\d|5[0-3])|\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:\s?[ap]\.?m\.?)?)",
    re.IGNORECASE,
)
YEAR = re.compile(r"(?:1[0-9]|20|21)\d{2}")
UNIT = re.compile(
    rf"(?:(?P<pre>{_CURRENCY})\s?|\((?P<acc>{_CURRENCY})?)?(?P<num>{_NUM})\)?\s?(?P<unit>%|‰|°\s?[CF]?|[^\W\d_]{{1,14}}\.?[²³]?"
    r"(?:[ /·][^\W\d_]{1,12}\.?[²³]?){0,2})?"
)
SIGN = re.compile(
    rf"(?:[<>≤≥~≈±∼]=?|[<>]\s|\+/-|(?:less|more|fewer|greater) than|over|under|above|below|at least|at most|up to|approx\.?|about|ca\.?|circa)"
    rf"\s?(?:{_CURRENCY})?\s?(?:{_NUM})\s?%?|(?:{_NUM})\s?%?\s?(?:\+|and (?:over|above|older|more|up|under|below)|or (?:more|less|over|older))",
    re.IGNORECASE,
)
RANGE = re.compile(
    rf"(?:between\s+)?(?:{_CURRENCY})?\s?(?P<low>{_NUM})\s?(?:%|[^\W\d_]{{0,8}})\s?(?:-|–|—|‒|\bto\b|\bthrough\b|\band\b|\bbis\b|\.\.)\s?"
    rf"(?:{_CURRENCY})?\s?(?P<high>{_NUM})\s?(?:%|[^\W\d_]{{0,12}})(?:\s[a-z]{{1,10}})?",
    re.IGNORECASE,
)
EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[a-z]{2,}", re.IGNORECASE)
PHONE = re.compile(
    r"(?:\+?\d{1,3}[\s.-]?)?\(?\d{2,4}\)?[\s.-]\d{3,4}[\s.-]\d{3,4}(?:\s?(?:x|ext\.?)\s?\d+)?", re.IGNORECASE
)
UUID = re.compile(
    r"\{?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\}?|[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}", re.IGNORECASE
)
WITH_NUMBER = re.compile(rf"(?s)(?=.*\d)(?=.*[^\W\d_]).*?(?:{_NUM}).*")

_ID_WORDS = frozenset(
    {
        "id",
        "ids",
        "key",
        "uid",
        "guid",
        "uuid",
        "pk",
        "fk",
        "fid",
        "oid",
        "gid",
        "objectid",
        "rowid",
        "identifier",
        "recordid",
        "index",
        "idx",
        "seq",
        "serial",
    }
)
_CODE_WORDS = frozenset({"zip", "zipcode", "postcode", "postal", "fips", "geoid", "naics", "sic", "isbn", "issn", "ssn", "ein", "duns", "npi", "phone", "fax", "tel", "telephone", "upc", "ean", "gtin", "vin", "cusip", "barcode", "code", "no", "number", "num", "license", "licence", "permit", "case", "tract"})  # fmt: skip
_CLASS_WORDS = frozenset({"type", "category", "class", "flag", "group", "status", "sex", "gender", "code", "is", "has", "cluster", "label", "grade", "district", "ward", "zone", "region", "division", "race", "party", "kind", "month", "weekday", "dow", "quarter", "level"})  # fmt: skip
_YEAR_WORDS = frozenset({"year", "yr", "years", "season", "jahr", "année", "annee", "año", "anno", "ano", "fy", "founded", "established", "vintage", "edition", "born", "birthyear", "iyear"})  # fmt: skip
_DATE_WORDS = frozenset({"date", "day", "datum", "fecha", "time", "timestamp", "datetime"})
_STOP = frozenset(
    {
        "the",
        "of",
        "and",
        "to",
        "in",
        "a",
        "is",
        "for",
        "on",
        "with",
        "by",
        "at",
        "from",
        "that",
        "are",
        "was",
        "be",
        "as",
    }
    | {"it", "or", "an", "this", "were", "which", "not", "has", "have", "will"}
)
_ORDINALS = frozenset({"st", "nd", "rd", "th"})
_WORD = re.compile(r"[^\W\d_]+|\d+")
_NAME_SPLIT = re.compile(r"(?<=[a-z])(?=[A-Z])|[^0-9A-Za-z\u00c0-\uffff]+")


def name_words(name: str) -> list[str]:
    """Return the lower-case words of a column name."""
    return [w.casefold() for w in _NAME_SPLIT.split(name) if w]


def feature_type(
    name: str, kind: str, sample: Sequence[str], distinct: int, present: int
) -> tuple[str, dict[str, float]]:
    """Return the feature type of a column and its evidence.

    Order of decisions: one distinct value is Categorical; a list or object is a List; dates and years are Datetime;
    booleans are Categorical; numbers by the way they are printed and by name; text by the first of URL, Datetime,
    number forms (sign, range, unit, thousands), List, Sentence, few repeated values (Categorical), Formatted ID,
    Embedded numbers, and else by whether values repeat (Categorical) or not (ID).

    Args:
        name: of the column.
        kind: its type (`headwater.model.COLUMN_TYPES`).
        sample: texts of its cells as printed, missing ones left out.
        distinct: number of distinct values of the whole column.
        present: number of non-missing cells of the whole column.

    Returns:
        One of `FEATURE_TYPES`, and for each parser that was run the share (0 to 1) of distinct texts that it matched.
    """
    if distinct <= 1:
        return "Categorical", {"distinct": float(distinct)}
    if kind in {"list", "object"}:
        return "List", {"list": 1.0}
    if kind in {"date", "datetime", "time"}:
        return "Datetime", {"date": 1.0}
    if kind == "boolean":
        return "Categorical", {"boolean": 1.0}
    texts = list(dict.fromkeys(text[:_MAX_CHARS].strip() for text in sample))[:_MAX_TEXTS]
    if kind in {"integer", "number"}:
        return _number_type(name, kind, texts, distinct, present)
    return _text_type(name, texts, distinct, present)


def _share(matches: Callable[[str], object], texts: Sequence[str]) -> float:
    return round(sum(1 for text in texts if matches(text)) / len(texts), 4) if texts else 0.0


def _number_type(
    name: str, kind: str, texts: list[str], distinct: int, present: int
) -> tuple[str, dict[str, float]]:
    words = set(name_words(name))
    evidence = {"number": _share(PLAIN_NUMBER.fullmatch, texts)}
    if evidence["number"] < 1 - MATCH / 2:  # printed otherwise than as bare digits
        found = _number_forms(texts, evidence)
        if found:
            return found, evidence
    if kind == "integer":
        evidence["year"] = _share(YEAR.fullmatch, texts)
        if evidence["year"] >= 0.95 and (words & _YEAR_WORDS or name.casefold().endswith(("year", "yr"))):
            return "Datetime", evidence
        if (
            words & _DATE_WORDS
            and _share(re.compile(r"(?:1[89]|20)\d{2}(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])").fullmatch, texts)
            >= 0.95
        ):
            return "Datetime", evidence | {"date": 1.0}
        identified = (
            bool(words & _ID_WORDS)
            or name.casefold().endswith("id")
            and name.casefold() not in {"paid", "covid"}
        )
        if identified and (distinct > 20 or distinct == present):
            return "ID", evidence | {"unique": round(distinct / max(present, 1), 4)}
        if (
            words & _CODE_WORDS
            and distinct > 20
            and not words & {"of", "count", "total"}
            and _share(lambda t: 3 <= len(t) <= 14, texts) >= MATCH
        ):
            lengths = Counter(map(len, texts)).most_common(1)[0][1] / len(texts)
            if lengths >= MATCH:
                return "Formatted ID", evidence | {"same_length": round(lengths, 4)}
        if distinct <= 2 or (distinct <= 20 and (words & _CLASS_WORDS or identified) and present > distinct):
            return "Categorical", evidence | {"distinct": float(distinct)}
    return "Numerical", evidence


def _number_forms(texts: list[str], evidence: dict[str, float]) -> str | None:
    """Return the class of numbers that are printed with signs, as ranges, with units or with separators."""
    evidence["sign"] = _share(lambda t: SIGN.fullmatch(t) and not PLAIN_NUMBER.fullmatch(t), texts)
    evidence["range"] = _share(_is_range, texts)
    evidence["thousands"] = _share(THOUSANDS.fullmatch, texts)
    evidence["unit"] = _unit_share(texts)
    plain = _share(PLAIN_NUMBER.fullmatch, texts)
    for part, label in (
        ("range", "Range of numbers"),
        ("sign", "Numbers with sign"),
        ("unit", "Numbers with unit"),
    ):
        others = evidence["sign"] * (part == "range") + plain * (part != "range") + evidence["thousands"]
        if evidence[part] >= 0.3 and evidence[part] + others >= MATCH:
            return label
    if evidence["thousands"] >= 0.2 and evidence["thousands"] + plain >= MATCH:
        return "Embedded numbers"
    return None


def _is_range(text: str) -> bool:
    match = RANGE.fullmatch(text)
    if not match:
        return False
    low, high = match["low"].replace(",", ""), match["high"].replace(",", "")
    if any(end.startswith("0") and len(end) > 1 and not end.startswith("0.") for end in (low, high)):
        return False
    return float(low) < float(high) or (len(low) == 4 and len(high) == 2)


def _unit_share(texts: list[str]) -> float:
    """Return the share of number-and-unit texts, 0 if there are so many different "units" that they are words."""
    units: Counter[str] = Counter()
    for text in texts:
        match = UNIT.fullmatch(text)
        if match:
            unit = match["pre"] or match["acc"] or match["unit"]
            if unit and unit not in _ORDINALS:
                units[unit.casefold().rstrip("s.")] += 1
    if not units or len(units) > max(3, len(texts) // 8):
        return 0.0
    return round(sum(units.values()) / len(texts), 4)


def _text_type(name: str, texts: list[str], distinct: int, present: int) -> tuple[str, dict[str, float]]:
    words = set(name_words(name))
    evidence = {"url": _share(URL.fullmatch, texts), "date": _share(DATE.fullmatch, texts)}
    repeated = distinct / max(present, 1)
    evidence["distinct_share"] = round(repeated, 4)
    if evidence["url"] >= MATCH:
        return "URL", evidence
    if evidence["date"] >= MATCH and not _share(PHONE.fullmatch, texts) >= MATCH:
        return "Datetime", evidence
    if _share(YEAR.fullmatch, texts) >= 0.95 and words & _YEAR_WORDS:
        return "Datetime", evidence
    if any(c.isdigit() for text in texts for c in text[:40]):
        found = _number_forms(texts, evidence)
        if found:
            return found, evidence
    listed = list_share(texts)
    evidence["list"] = listed
    lengths = [len(_WORD.findall(text)) for text in texts]
    mean_words = sum(lengths) / max(len(lengths), 1)
    evidence["words"] = round(mean_words, 2)
    stops = _share(lambda t: any(w in _STOP for w in t.casefold().split()), texts)
    evidence["stop_words"] = stops
    if (
        mean_words > 10
        and stops >= 0.5
        or mean_words > 5
        and stops >= 0.7
        and listed < 0.5
        and repeated > 0.5
    ):
        return "Sentence", evidence
    if listed >= 0.5:
        return "List", evidence
    if mean_words > 12:
        return "Sentence", evidence
    return _words_or_codes(words, texts, distinct, present, evidence)


def _words_or_codes(
    words: set[str], texts: list[str], distinct: int, present: int, evidence: dict[str, float]
) -> tuple[str, dict[str, float]]:
    few = any(
        distinct <= most and present >= times * distinct for most, times in ((20, 2), (200, 5), (1_000, 20))
    )
    numbered = _share(lambda t: bool(WITH_NUMBER.fullmatch(t)), texts)
    evidence["with_number"] = numbered
    evidence["format"] = format_share(texts)
    if few and evidence["format"] < 1:
        return "Categorical", evidence
    coded = _share(lambda t: bool(UUID.fullmatch(t) or EMAIL.fullmatch(t) or PHONE.fullmatch(t)), texts)
    evidence["known_code"] = coded
    if coded >= MATCH and not few:
        return "Formatted ID", evidence
    if (
        evidence["format"] >= MATCH
        and (not few or words & (_ID_WORDS | _CODE_WORDS))
        and (distinct > 20 or distinct == present)
    ):
        return "Formatted ID", evidence
    if few:
        return "Categorical", evidence
    if numbered >= MATCH and evidence["words"] >= 2:
        return "Embedded numbers", evidence
    if words & _ID_WORDS or distinct >= 0.9 * present:
        return "ID", evidence
    return "Categorical", evidence


def shape(text: str) -> str:
    """Return the text with runs of letters as "A" or "a", runs of digits as "9" and the rest as it is."""
    out: list[str] = []
    for c in text[:64]:
        mark = "9" if c.isdigit() else "A" if c.isupper() else "a" if c.isalpha() else c
        if not out or out[-1] != mark or mark not in "9Aa":
            out.append(mark)
    return "".join(out)


def format_share(texts: Sequence[str]) -> float:
    """Return the share of texts that follow one of their (at most three) common code-like shapes.

    Code-like is a text without blanks that mixes digits with letters or marks, starts with a zero, or is made of
    capitals alone, all of one length.
    """
    if not texts:
        return 0.0
    shapes = Counter(shape(text) for text in texts if " " not in text or PHONE.fullmatch(text))
    common = [s for s, n in shapes.most_common(3) if n >= 0.1 * len(texts)]
    zeros = any(text.startswith("0") and len(text) > 1 for text in texts)
    one_length = len({len(text) for text in texts}) == 1
    good = [
        s
        for s in common
        if ("9" in s and len(s) > 1)
        or (s == "9" and (zeros or one_length))
        or (s == "A" and one_length and len(texts[0]) <= 12)
    ]
    return round(sum(shapes[s] for s in good) / len(texts), 4)


def list_share(texts: Sequence[str]) -> float:
    """Return the share of texts that are lists of short items, 0 where a fixed number of parts says otherwise."""
    if not texts:
        return 0.0
    bracketed = _share(
        lambda t: t[:1] in "[{(" and t[-1:] in "]})" and len(t) > 2 and ("," in t or ";" in t), texts
    )
    best = bracketed
    for mark in (";", "|", ",", "/", " & ", "\n"):
        parts = [[p.strip() for p in text.split(mark)] for text in texts]
        many = [p for p in parts if len(p) > 1]
        if len(many) < 0.3 * len(texts):
            continue
        items = [item for p in many for item in p if item]
        short = sum(1 for item in items if 0 < len(item.split()) <= 5) / max(len(items), 1)
        digits = sum(1 for item in items if item[:1].isdigit()) / max(len(items), 1)
        if short < 0.9 or digits >= 0.5:
            continue
        if mark in ";|\n" or _same_kind(parts, many):
            best = max(best, round(len(many) / len(texts), 4))
    return best


def _same_kind(parts: list[list[str]], many: list[list[str]]) -> bool:
    """Tell items of one kind from the parts of an address or a name.

    Items of a list turn up in any place, or are many, vary in number and do not end in the same few texts.
    """
    firsts = {p[0] for p in parts}
    rest = [item for p in many for item in p[1:] if item]
    if not rest or len({len(p) for p in parts}) == 1:
        return False
    if sum(1 for item in rest if item in firsts) >= 0.2 * len(rest):
        return True
    lasts = {p[-1] for p in many}
    return (
        sum(map(len, many)) >= 3 * len(many)
        and len(lasts) >= 0.6 * len(many)
        and not any(c.isdigit() for i in rest for c in i)
    )
