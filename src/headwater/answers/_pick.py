"""The value in a sentence that a question asks for: a date, a year, an amount, or a name that the question does not say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from headwater.answers._columns import asked_phrase
from headwater.answers._link import MONTHS
from headwater.answers._words import lexicon, numeral, plain, root, stem, words

NEAREST = 1.5
"""How many times as far from the words of the question the next value must stand."""

ACROSS = 3
"""Words that it counts for a value to stand on the less usual side of the words of the question."""

_MONTH = "|".join(m.capitalize() for m in MONTHS)
_YEAR = r"\b(?:1\d{3}|20\d\d)\b"
_DATE = rf"\b(?:\d{{1,2}} (?:{_MONTH}),? {_YEAR}|(?:{_MONTH}) \d{{1,2}},? {_YEAR}|(?:{_MONTH}) {_YEAR}|{_YEAR}-\d\d-\d\d)"
_WORDS = "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_AMOUNT = rf"(?:[$€£¥] ?)?\b(?:\d[\d,]*(?:\.\d+)?(?![\w])|(?:{_WORDS})\b)(?: ?%| (?:hundred|thousand|million|billion|trillion)\b)?"
_NAME = r"\b[A-Z][\w’'.-]*(?:(?: (?:of|the|and|or|de|da|del|di|van|von|du|la|le))* [A-Z][\w’'.-]*)*"
_PLACE = re.compile(r"\b(?:in|at|near|on)(?: the)? $")

PATTERNS = {"date": f"{_DATE}|{_YEAR}", "year": _YEAR, "amount": _AMOUNT, "name": _NAME, "place": _NAME}


@dataclass(frozen=True)
class Kind:
    """What a question asks for.

    Attributes:
        name: of the kind; "" for what only a whole sentence can tell.
        noun: the noun asked for ("county"), which the name may end with.
        said: roots of words that say no more than the kind.
    """

    name: str
    noun: str = ""
    said: frozenset[str] = frozenset()


def kind_asked(question: str) -> Kind:
    """Return the kind of value that a question asks for."""
    flat, tokens = plain(question), words(question)
    kinds = lexicon().kinds
    name = next((kind for kind, pattern in kinds.items() if pattern.search(flat)), "")
    phrase = asked_phrase(tokens)
    noun = tokens[phrase[-1]] if phrase and name in ("name", "place") else ""
    said = {
        "year": ("year",),
        "date": ("date", "day", "month", "year"),
        "name": ("name",),
        "place": ("place", "city", "town"),
    }
    return Kind(name, noun, frozenset(root(w) for w in said.get(name, ())))


def pick(kind: Kind, sentence: str, asked: set[str], title: frozenset[str]) -> str | None:
    """Return the value of a kind that stands nearest to the words of a question, or None if none stands clear.

    Args:
        kind: what is asked for.
        sentence: where it is looked for.
        asked: roots of the words of the question; what it says itself is no answer.
        title: roots of words of the document's title, near which little is said about anything else.
    """
    names = kind.name in ("name", "place")
    text = re.sub(r"\([^()]*\)|\[[^\[\]]*\]", lambda m: " " * len(m[0]), sentence) if names else sentence
    found = [
        (m.start(), m.end(), {root(w) for w in words(m[0])} & asked) for m in re.finditer(r"[^\W_]+", text)
    ]
    anchors = [a for a in found if a[2] - title] or [a for a in found if a[2]]
    ranked = sorted(
        (min(_distance(kind, text, start, end, a[0], a[1]) for a in anchors), start, value)
        for start, end, value in _values(kind, text)
        if anchors and not _said(kind, value, asked)
    )
    if not ranked or any(x[0] < NEAREST * ranked[0][0] and x[2] != ranked[0][2] for x in ranked[1:]):
        return None
    number = numeral(ranked[0][2]) if kind.name == "amount" and ranked[0][2].isalpha() else None
    return ranked[0][2] if number is None else str(int(number))


def _said(kind: Kind, value: str, asked: set[str]) -> bool:
    """Tell whether a question says a value itself: "Zadar" in "Of which county is Zadar the seat?", but not "Zadar County"."""
    told = [root(w) for w in words(value) if w not in lexicon().stop]
    if kind.noun and told[-1:] == [root(kind.noun)]:
        return set(told) <= {root(kind.noun)}
    return bool(set(told) & asked) if kind.name in ("name", "place") else set(told) <= asked


def _values(kind: Kind, text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the values of a kind; of names that end with the noun asked for, or stand after a preposition, only those."""
    found = []
    for m in re.finditer(PATTERNS[kind.name], text):
        value = m[0].strip(" .,")
        opens = (
            kind.name in ("name", "place")
            and not text[: m.start()].strip()
            and plain(value.split()[0]) in lexicon().stop
        )
        if not opens and not (kind.name == "amount" and re.fullmatch(_YEAR, value)):
            found.append((m.start(), m.end(), value))
    if kind.noun:
        named = [f for f in found if stem(words(f[2])[-1] if words(f[2]) else "") == stem(kind.noun)]
        if named:
            found = named
    if kind.name == "place" and not (kind.noun and named):
        found = [f for f in found if _PLACE.search(text[: f[0]])]
    yield from found


def _distance(kind: Kind, text: str, start: int, end: int, other: int, until: int) -> int:
    """Return the number of words between two places, from 1: amounts mostly stand before what they count, others after."""
    before = end <= other
    between = words(text[end:other] if before else text[until:start])
    return 1 + len(between) + (ACROSS if before != (kind.name == "amount") else 0)
