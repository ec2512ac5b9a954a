"""A small gazetteer: which columns name countries or states of the United States.

`data/places.tsv` holds the short English names and codes of ISO 3166-1, common other names of these countries, and the
names and postal codes of the United States' states and territories (USPS Publication 28).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache
from importlib import resources

from headwater.profiles._features import name_words

SHARE = 0.6
"""Share of a column's distinct texts that have to be places of one kind."""

_TRIAL = 40
_PLACE_WORDS = frozenset(
    {
        "country",
        "countries",
        "nation",
        "nations",
        "state",
        "states",
        "iso",
        "iso2",
        "iso3",
        "alpha2",
        "alpha3",
        "code",
    }
    | {
        "abbr",
        "abbreviation",
        "territory",
        "location",
        "entity",
        "area",
        "economy",
        "name",
        "origin",
        "destination",
        "place",
        "region",
        "geo",
        "postal",
        "st",
        "stateabbr",
        "statecode",
        "countrycode",
        "usps",
    }
)


@cache
def places() -> dict[str, tuple[str, str]]:
    """Return normalised name or code → (kind, name). Codes are kept in capitals and match only capitals."""
    out: dict[str, tuple[str, str]] = {}
    text = resources.files("headwater.profiles").joinpath("data/places.tsv").read_text(encoding="utf-8")
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        kind, codes, *names = line.split("\t")
        for name in names:
            out.setdefault(place_key(name), (kind, names[0]))
        for code in codes.split(" "):
            out.setdefault(f"{kind}:{code}", (kind, names[0]))
    return out


def place_of(name: str) -> tuple[str, str] | None:
    """Return kind and usual name of a country or state by one of its names (not codes), or None."""
    return places().get(place_key(name))


def place_key(name: str) -> str:
    """Return a place name without case, accents, punctuation and a leading "the"."""
    text = unicodedata.normalize("NFKD", name).casefold().replace("&", " and ")
    words = "".join(c if c.isalnum() else " " for c in text if not unicodedata.combining(c)).split()
    return " ".join(words[1:] if len(words) > 1 and words[0] == "the" else words)


def match_places(texts: Sequence[str], column: str = "") -> tuple[str, list[str]] | None:
    """Return the kind of places that a column's distinct texts name, and the places, or None.

    Names decide alone; two- and three-letter codes count only if the column's name speaks of places or codes.
    """
    table = places()
    if not texts:
        return None
    codes_count = bool(set(name_words(column)) & _PLACE_WORDS)
    found: dict[str, dict[str, None]] = {}
    hits: dict[str, int] = {}
    for position, text in enumerate(texts):
        if position == _TRIAL and sum(hits.values()) < _TRIAL * SHARE / 2:
            return None
        text = text.strip()
        keys = (
            [f"{kind}:{text}" for kind in ("country", "us_state")]
            if codes_count and len(text) <= 3 and text.isupper()
            else [place_key(text)]
        )
        for key in keys:
            match = table.get(key)
            if match:
                hits[match[0]] = hits.get(match[0], 0) + 1
                found.setdefault(match[0], {})[match[1]] = None
    if not hits:
        return None
    kind = max(hits, key=lambda k: (hits[k], k))
    if hits[kind] < SHARE * len(texts) or (hits[kind] < 2 and len(texts) > 1):
        return None
    return kind, sorted(found[kind])
