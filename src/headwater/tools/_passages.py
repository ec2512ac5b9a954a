"""The sentences of a text that fit a query best, and how often a word occurs: what a reader needs instead of the whole."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

_SENTENCE_END = re.compile(r"(?<=[.!?;])[\"'”’)\]]*\s+(?=[^\sa-z])|\s*\n\s*")
_WORD = re.compile(r"[^\W_]+")
_LONGEST = 2_000_000
"""Characters of a text that are looked through; a longer one is looked through up to here."""

_WIDTH = 260
"""Characters of a passage at most: one or two sentences of an encyclopaedia."""

_ASKS_NUMBER = frozenset(
    [
        "many",
        "much",
        "year",
        "when",
        "date",
        "number",
        "population",
        "percent",
        "share",
        "rate",
        "cost",
        "price",
        "age",
        "old",
        "height",
        "far",
        "long",
    ]
)
_STOP = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "by",
        "did",
        "do",
        "does",
        "for",
        "from",
        "had",
        "has",
        "have",
        "he",
        "her",
        "his",
        "how",
        "in",
        "into",
        "is",
        "it",
        "its",
        "most",
        "of",
        "on",
        "one",
        "only",
        "or",
        "she",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "those",
        "to",
        "under",
        "was",
        "were",
        "what",
        "when",
        "where",
        "which",
        "who",
        "whom",
        "whose",
        "why",
        "will",
        "with",
        "name",
        "named",
    ]
)


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a text.

    Attributes:
        start, end: characters in the text.
        text: what stands there, white space collapsed, cut around the matches where it is long.
        score: sum of the weights of the matched words.
    """

    start: int
    end: int
    text: str
    score: float


def words_of(query: str) -> list[str]:
    """Return the telling words of a query, lower case, each once, in order."""
    found = dict.fromkeys(w.lower() for w in _WORD.findall(query))
    return [w for w in found if w not in _STOP and (len(w) > 1 or w.isdigit())]


def alike(word: str, other: str) -> bool:
    """Tell whether two words are forms of one: equal, or of one beginning (four letters at least) with short endings."""
    if word == other:
        return True
    if word[:4] != other[:4] or min(len(word), len(other)) < 4 or word[-1].isdigit() or other[-1].isdigit():
        return False
    shared = next(
        (i for i, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), min(len(word), len(other))
    )
    return shared >= max(4, len(word) - 3, len(other) - 3)


def sentences(text: str) -> list[tuple[int, int]]:
    """Return [start, end) of the sentences and lines of a text."""
    spans, begin = [], 0
    for end in _SENTENCE_END.finditer(text[:_LONGEST]):
        if end.start() > begin:
            spans.append((begin, end.start()))
        begin = end.end()
    if begin < min(len(text), _LONGEST):
        spans.append((begin, min(len(text), _LONGEST)))
    return spans


def best_passages(text: str, query: str, limit: int = 2, width: int = _WIDTH) -> list[Passage]:
    """Return the sentences that hold most of the query's words, best first.

    A word weighs log(1 + sentences / sentences that hold it), so that what every sentence says weighs little. Where
    the query asks for a number, one in the sentence counts like a word of middle weight.

    Args:
        text: the text.
        query: words in any order.
        limit: passages at most.
        width: characters of a passage at most.
    """
    wanted = words_of(query)
    spans = sentences(text)
    held = [_held(text[a:b], wanted) for a, b in spans]
    counts = Counter(word for found in held for word in found)
    weights = {w: math.log(1 + len(spans) / n) for w, n in counts.items()}
    number = (
        max(weights.values(), default=0.0) / 2 if _ASKS_NUMBER & set(_WORD.findall(query.lower())) else 0.0
    )
    scored = []
    for place, ((a, b), found) in enumerate(zip(spans, held, strict=True)):
        if found:
            digits = number if re.search(r"\d", text[a:b]) else 0.0
            scored.append((sum(weights[w] for w in found) + digits, -place, a, b, found))
    scored.sort(reverse=True)
    best = scored[0][0] if scored else 0.0
    return [
        Passage(a, b, _cut(text[a:b], found, width), round(score, 3))
        for score, _, a, b, found in scored[:limit]
        if score >= 0.5 * best
    ]


def _held(sentence: str, wanted: Sequence[str]) -> set[str]:
    own = set(_WORD.findall(sentence.lower()))
    return {w for w in wanted if w in own or any(alike(w, o) for o in own)}


def _cut(sentence: str, found: set[str], width: int) -> str:
    flat = " ".join(sentence.split())
    if len(flat) <= width:
        return flat
    places = [m.start() for m in _WORD.finditer(flat) if any(alike(w, m[0].lower()) for w in found)]
    middle = sum(places) // len(places) if places else 0
    begin = max(0, min(middle - width // 2, len(flat) - width))
    end = begin + width
    head, tail = "…" if begin else "", "…" if end < len(flat) else ""
    return head + flat[begin:end].strip() + tail


def occurrences(text: str, phrase: str) -> tuple[int, int]:
    """Return how often a word or phrase occurs as a whole, and in all (parts of words too), without regard to case."""
    pattern = r"\s+".join(re.escape(w) for w in phrase.split())
    if not pattern:
        return 0, 0
    whole = len(re.findall(rf"(?<![^\W_]){pattern}(?![^\W_])", text, re.IGNORECASE))
    return whole, len(re.findall(pattern, text, re.IGNORECASE))
