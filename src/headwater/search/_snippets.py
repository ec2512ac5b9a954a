"""Why a document was found: the best place in its text, the columns and values that matched."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice

from headwater.search._records import Card
from headwater.search._text import has_unspaced, word_terms

_BEGIN = r"(?<![^\W_])"
_FOREIGN = r"[^\W_]{0,11}[^\W_\x00-\x7f][^\W_]*"
"""A word with a letter beyond ASCII near its beginning: it may be a spelling of any term, and is analyzed."""

MAX_REASONS = 8
FEW_CHARS = 20_000
MANY_CHARS = 400_000
"""Characters of cell values that are looked through always, and at most, to say which value matched."""

MAX_MARKS = 200
"""Marks looked at per passage; a passage that repeats a word more often has shown its best place."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A matched word: [start, end) in the text, and the query terms it stands for."""

    start: int
    end: int
    terms: frozenset[str]


class Matcher:
    """Finds the words of texts that match the terms of one query.

    A pattern of the terms' beginnings finds candidates fast; each is then analyzed like the index does.
    """

    def __init__(self, terms: frozenset[str]) -> None:
        self._terms = terms
        # a stem may differ from its word in the last letter ("citi" of "cities"), so that one is left out
        heads = sorted({re.escape(t[:-1] if len(t) > 3 else t) for t in terms if t.isascii()})
        known = rf"(?:{'|'.join(heads) or '(?!)'})[^\W_]*"
        self._plain = re.compile(_BEGIN + known, re.IGNORECASE | re.ASCII)
        self._any = re.compile(f"{_BEGIN}(?:{known}|{_FOREIGN})", re.IGNORECASE)
        self._unspaced = any(has_unspaced(t) for t in terms)

    def marks(self, text: str) -> Iterator[Mark]:
        """Yield the matched words of a text, in order."""
        pattern = self._plain if text.isascii() else self._any
        for found in pattern.finditer(text):
            word = found[0]
            held = self._terms.intersection(word_terms(word))
            if not held:
                continue
            if self._unspaced and has_unspaced(word):
                yield from self._inside(word, found.start(), held)
            else:
                yield Mark(found.start(), found.end(), held)

    def _inside(self, run: str, offset: int, held: frozenset[str]) -> Iterator[Mark]:
        """Yield the places of pairs of letters inside a run without spaces."""
        for term in sorted(held, key=run.find):
            at = run.find(term)
            start, length = (offset + at, len(term)) if at >= 0 else (offset, len(run))
            yield Mark(start, start + length, frozenset([term]))

    def first(self, text: str) -> Mark | None:
        """Return the first matched word."""
        return next(self.marks(text), None)


def snippet(text: str, matcher: Matcher, length: int) -> tuple[str, list[tuple[int, int]]]:
    """Return the window of a text with most of the terms, on one line, and the marks in it.

    Windows are compared by their number of distinct terms, then by the number of marks; the earliest best one wins.
    """
    found = list(islice(matcher.marks(text), MAX_MARKS))
    begin = max(0, _best_window(found, length) - length // 6)
    if begin:
        space = text.find(" ", begin, begin + 20)
        begin = space + 1 if space >= 0 else begin
    end = min(len(text), begin + length)
    if end < len(text):
        space = text.rfind(" ", max(begin, end - 20), end)
        end = space if space > begin else end
    inside = [(m.start - begin, m.end - begin) for m in found if begin <= m.start and m.end <= end]
    flat = re.sub(r"\s", " ", text[begin:end])  # same length, so that the marks stay right
    head, tail = ("…" if begin else ""), ("…" if end < len(text) else "")
    return head + flat + tail, [(a + len(head), b + len(head)) for a, b in inside]


def _best_window(found: list[Mark], length: int) -> int:
    best, begin, last = (0, 0), 0, 0
    for first, mark in enumerate(found):
        last = max(last, first)
        while last < len(found) and found[last].end <= mark.start + length:
            last += 1
        inside = found[first:last]
        value = (len({t for m in inside for t in m.terms}), len(inside))
        if value > best:
            best, begin = value, mark.start
    return begin


def reasons(card: Card, matcher: Matcher) -> list[str]:
    """Return what of a card matched, in words, the telling fields first."""
    found: list[str] = []
    for label, text in (("title", card.title), ("tag", ", ".join(card.tags)), ("publisher", card.publisher)):
        if matcher.first(text):
            found.append(f"{label}: {text[:120]}")
    if matcher.first(card.description):
        found.append("description")
    heads = [f"{c.name.replace('_', ' ')} {c.description}" for c in card.columns]
    names = [f"column: {card.columns[i].name}" for i, _ in _matched_lines(heads, matcher, MAX_REASONS)]
    values = _values(card, matcher, FEW_CHARS if found or names else MANY_CHARS)
    return (found + names[:4] + values[:4] + names[4:] + values[4:])[:MAX_REASONS]


def _values(card: Card, matcher: Matcher, limit: int) -> list[str]:
    """Return the cell values that matched, looking through at most `limit` characters, of each column as many."""
    blocks = ["\n".join(c.values) for c in card.columns]
    if sum(map(len, blocks)) > limit:
        blocks = [b[: limit // len(blocks)] for b in blocks]
    values = []
    for i, place in _matched_lines(blocks, matcher, MAX_REASONS):
        begin = blocks[i].rfind("\n", 0, place) + 1
        value = blocks[i][begin:].split("\n", 1)[0]
        values.append(f"value of {card.columns[i].name}: {value[:80]}")
    return values


def _matched_lines(texts: Sequence[str], matcher: Matcher, limit: int) -> list[tuple[int, int]]:
    """Return (number, offset) of the first match in those of the texts that have one; all are scanned as one."""
    joined = "\n".join(texts)
    starts = list(accumulate((len(t) + 1 for t in texts), initial=0))
    found: dict[int, int] = {}
    for mark in matcher.marks(joined):
        number = bisect_right(starts, mark.start) - 1
        found.setdefault(number, mark.start - starts[number])
        if len(found) == limit:
            break
    return list(found.items())
