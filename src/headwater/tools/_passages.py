"""The sentences of a text that fit a query best, and how often a word occurs: what a reader needs instead of the whole."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

_WORD = re.compile(r"[^\W_]+")

_WIDTH = 260
"""Characters of a passage at most: one or two sentences of an encyclopaedia."""

_FORM, _LINE, _LETTERS = 0.7, 0.6, 0.6
"""Weights of another form of a word against the word itself, and of a line that is no language against one that is; the
share of letters and blanks in language."""

_HALF, _NEARLY = 0.5, 0.9
"""Share of the best passage's score that a further one must have with a new word, and without one."""

_TERM = 40
"""Characters of a line that may be a term, told together with the line after it."""

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
        words: how many of the query's words it holds.
    """

    start: int
    end: int
    text: str
    score: float
    words: int = 0


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
    """Return [start, end) of the sentences and lines of a text (see `headwater.search.sentence_spans`)."""
    from headwater.search import sentence_spans

    return sentence_spans(text)


def best_passages(text: str, query: str, limit: int = 2, width: int = _WIDTH) -> list[Passage]:
    """Return the sentences that hold most of the query's words, best first.

    A word weighs log(1 + sentences / sentences that hold it), so that what every sentence says weighs little, and
    another form of it less. Where the query asks for a number, one in the sentence counts like a word of middle
    weight. A further sentence is told only if it is nearly as good as the best or holds a word that none has yet, and
    what says the same is told once.

    Args:
        text: the text.
        query: words in any order.
        limit: passages at most.
        width: characters of a passage at most.
    """
    wanted = words_of(query)
    if not _may_hold(text, wanted):
        return []
    spans = _with_meanings(text, sentences(text))
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
            held_weight = sum(weights[w] * found[w] for w in found) + digits
            scored.append((held_weight * (1.0 if _is_prose(text[a:b]) else _LINE), -place))
    scored.sort(reverse=True)
    told: dict[tuple[str, frozenset[str]], Passage] = {}
    covered: set[str] = set()
    for score, minus in scored:
        (a, b), found = spans[-minus], held[-minus]
        alone = score >= _NEARLY * scored[0][0]
        if len(told) == limit or score < _HALF * scored[0][0]:
            break
        if not (alone or found.keys() - covered):
            continue
        covered |= found.keys()
        if not any(a < p.end and p.start < b for p in told.values()):
            key = text[a:b].rsplit(" / ", 1)[-1], frozenset(found)
            passage = Passage(a, b, _cut(text[a:b], set(found), width), round(score, 3), len(found))
            told.setdefault(key, passage)
    return list(told.values())


def _is_prose(line: str) -> bool:
    """Tell whether a line reads as language: letters for the most part, and not a row of a table or a tree of files."""
    letters = sum(c.isalpha() or c == " " for c in line)
    return letters >= _LETTERS * len(line) and line[0] not in "|│├└"


def _may_hold(text: str, wanted: Sequence[str]) -> bool:
    """Tell whether a word of the query, or a form of one, can stand in a text at all."""
    folded = text.lower()
    return any(w[:4] in folded for w in wanted)


def _held(sentence: str, wanted: Sequence[str]) -> dict[str, float]:
    """Return the query's words that a sentence holds: 1 for the word itself, less for another form of it."""
    own = set(_WORD.findall(sentence.lower()))
    return {w: 1.0 if w in own else _FORM for w in wanted if w in own or any(alike(w, o) for o in own)}


def _with_meanings(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the spans; a term on a line of its own comes with the line after it, which says what it means."""
    out: list[tuple[int, int]] = []
    for (a, b), (c, d) in zip(spans, [*spans[1:], (0, 0)], strict=True):
        line, meaning = text[a:b], text[c:d]
        known = line.casefold() in meaning.casefold()
        term = bool(out) and _is_term(line) and meaning and not _is_term(meaning) and not known
        out.append((a, d if term else b))
    return out


def _is_term(line: str) -> bool:
    return (
        len(line) <= _TERM
        and line.count(" ") < 3
        and "," not in line
        and (line[-1].isalnum() or line[-1] == ":")
    )


def _cut(sentence: str, found: set[str], width: int) -> str:
    flat = " ".join(sentence.split())
    if len(flat) <= width:
        return flat
    places = [m.start() for m in _WORD.finditer(flat) if any(alike(w, m[0].lower()) for w in found)]
    middle = sum(places) // len(places) if places else 0
    begin = max(0, min(middle - width // 2, len(flat) - width))
    begin = flat.find(" ", begin, begin + 20) + 1 or begin if begin else 0
    end = min(len(flat), begin + width)
    end = flat.rfind(" ", end - 20, end) if end < len(flat) and " " in flat[end - 20 : end] else end
    head, tail = "…" if begin else "", "…" if end < len(flat) else ""
    return head + flat[begin:end].strip() + tail


def occurrences(text: str, phrase: str) -> tuple[int, int]:
    """Return how often a word or phrase occurs as a whole, and in all (parts of words too), without regard to case."""
    pattern = r"\s+".join(re.escape(w) for w in phrase.split())
    if not pattern:
        return 0, 0
    whole = len(re.findall(rf"(?<![^\W_]){pattern}(?![^\W_])", text, re.IGNORECASE))
    return whole, len(re.findall(pattern, text, re.IGNORECASE))


def missing_words(text: str, query: str) -> list[str]:
    """Return the telling words of a query that stand nowhere in a text, in no form; words that only ask are none."""
    own = set(_WORD.findall(text.lower()))
    asked = [w for w in words_of(query) if w not in _ASKS_NUMBER]
    return [w for w in asked if w not in own and not any(alike(w, o) for o in own)]
