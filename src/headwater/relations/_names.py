"""Likeness of column names, and names with their changing parts taken out."""

from __future__ import annotations

import difflib
import re
import unicodedata
from functools import lru_cache

_SPLIT = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[\W_]+|(?<=\D)(?=\d)|(?<=\d)(?=\D)")
_SYNONYMS = {
    "identifier": "id", "ids": "id", "num": "number", "no": "number", "nr": "number", "yr": "year", "dt": "date", "abbr": "code",
    "abbreviation": "code", "cd": "code", "nm": "name", "st": "state", "ctry": "country", "nation": "country", "entity": "country",
    "qty": "quantity", "amt": "amount", "desc": "description", "cat": "category", "pct": "percent", "lat": "latitude", "lon": "longitude",
    "lng": "longitude", "dept": "department", "org": "organization", "addr": "address", "tel": "phone", "iata": "airport",
}  # fmt: skip


@lru_cache(maxsize=65_536)
def column_words(name: str) -> frozenset[str]:
    """Return the words of a column name: lower case, singular, common short forms written out."""
    text = unicodedata.normalize("NFKC", name)
    words = (w.casefold() for w in _SPLIT.split(text) if w)
    return frozenset(
        _SYNONYMS.get(w, w[:-1] if len(w) > 3 and w.endswith("s") and not w.endswith("ss") else w)
        for w in words
    )


@lru_cache(maxsize=65_536)
def column_key(name: str) -> str:
    """Return a column name without case, punctuation and blanks."""
    return "".join(c for c in unicodedata.normalize("NFKC", name).casefold() if c.isalnum())


@lru_cache(maxsize=262_144)
def column_similarity(a: str, b: str) -> float:
    """Return the likeness of two column names, 0 to 1: shared words (Dice), or spelling for names run together."""
    ka, kb = column_key(a), column_key(b)
    if ka == kb:
        return 1.0
    wa, wb = column_words(a), column_words(b)
    if not wa or not wb:
        return 0.0
    dice = 2 * len(wa & wb) / (len(wa) + len(wb))
    if dice == 0 and min(len(ka), len(kb)) >= 5:
        ratio = difflib.SequenceMatcher(None, ka, kb, autojunk=False).ratio()
        return ratio if ratio >= 0.8 else 0.0
    return dice
