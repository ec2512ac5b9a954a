"""From what somebody typed to the terms an index is asked for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from headwater.search._text import fold_word, terms_of

MAX_TERMS = 64
"""Distinct terms of a query that are looked for; a longer query is cut, and told."""

STOP_WORDS = frozenset(
    [
        "a",
        "about",
        "after",
        "again",
        "against",
        "all",
        "also",
        "am",
        "among",
        "an",
        "and",
        "any",
        "are",
        "around",
        "as",
        "at",
        "be",
        "because",
        "been",
        "before",
        "being",
        "between",
        "both",
        "but",
        "by",
        "can",
        "could",
        "did",
        "do",
        "does",
        "doing",
        "down",
        "during",
        "each",
        "either",
        "every",
        "few",
        "for",
        "from",
        "had",
        "has",
        "have",
        "having",
        "he",
        "her",
        "here",
        "hers",
        "him",
        "his",
        "how",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "just",
        "me",
        "might",
        "more",
        "most",
        "much",
        "many",
        "must",
        "my",
        "neither",
        "no",
        "nor",
        "not",
        "of",
        "off",
        "on",
        "once",
        "one",
        "only",
        "onto",
        "or",
        "other",
        "our",
        "ours",
        "out",
        "over",
        "own",
        "per",
        "same",
        "shall",
        "she",
        "should",
        "since",
        "so",
        "some",
        "such",
        "than",
        "that",
        "the",
        "their",
        "theirs",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "those",
        "through",
        "to",
        "too",
        "toward",
        "towards",
        "under",
        "until",
        "up",
        "upon",
        "us",
        "very",
        "via",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "whether",
        "which",
        "while",
        "who",
        "whom",
        "whose",
        "why",
        "will",
        "with",
        "within",
        "without",
        "would",
        "you",
        "your",
        "yours",
    ]
)
"""Function words of English; they are asked for only inside quotes, or where a query has nothing else."""

_PHRASE = re.compile(r'["“”„«»]([^"“”„«»]+)["“”„«»]')
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")

_VARIANTS: tuple[tuple[str, str], ...] = (
    (r"isation", "ization"), (r"is(e[sdr]?|ing)$", r"iz\1"), (r"ys(e[sd]?|ing)$", r"yz\1"), (r"our(s|ed|ing|al|ful)?$", r"or\1"),
    (r"(?<=[bcdgkptv])re(s)?$", r"er\1"), (r"ogue(s)?$", r"og\1"), (r"ence(s)?$", r"ense\1"), (r"ae", "e"), (r"oe", "e"),
    (r"ll(ed|ing|er|ers)$", r"l\1"), (r"mme(s)?$", r"m\1"), (r"^grey", "gray"), (r"^tyre", "tire"), (r"^plough", "plow"),
    (r"^kerb", "curb"), (r"^cheque", "check"), (r"^aluminium", "aluminum"), (r"sulph", "sulf"),
)  # fmt: skip
"""British to American spelling (the regular differences listed in the Oxford Guide to Style, section 3)."""

_VARIANTS_BACK: tuple[tuple[str, str], ...] = (
    (r"ization", "isation"), (r"iz(e[sdr]?|ing)$", r"is\1"), (r"yz(e[sd]?|ing)$", r"ys\1"), (r"or(s|ed|ing|al|ful)?$", r"our\1"),
    (r"(?<=[bcdgkptv])er(s)?$", r"re\1"), (r"og(s)?$", r"ogue\1"), (r"ense(s)?$", r"ence\1"), (r"(?<=[bcdfglmnprst])l(ed|ing|er|ers)$", r"ll\1"),
    (r"am(s)?$", r"amme\1"), (r"^gray", "grey"), (r"^tire", "tyre"), (r"^plow", "plough"), (r"^curb", "kerb"),
    (r"^aluminum", "aluminium"), (r"sulf", "sulph"),
)  # fmt: skip
"""American to British; a variant that the index does not hold costs one look-up and nothing else."""


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """One thing asked for: its index term, and other terms that count as the same."""

    text: str
    alternatives: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[str, ...]:
        """Return the term and its alternatives."""
        return (self.text, *self.alternatives)


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """A query as terms.

    Attributes:
        text: as typed.
        terms: distinct, in order.
        phrases: terms that must stand next to each other, one list for each pair of quotes.
        words: the typed word behind each term, for messages.
        notes: what was changed.
    """

    text: str
    terms: tuple[QueryTerm, ...]
    phrases: tuple[tuple[str, ...], ...] = ()
    words: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def matched_terms(self) -> frozenset[str]:
        """Return every index term that counts as a match."""
        return frozenset(t for term in self.terms for t in term.all) | {t for p in self.phrases for t in p}


def parse_query(text: str) -> ParsedQuery:
    """Return the terms of a query; nothing in the text is an operator but quotes around a phrase."""
    phrases = tuple(p for p in (tuple(terms_of(m[1])) for m in _PHRASE.finditer(text)) if len(p) > 1)
    words = _WORD.findall(text)
    useful = [w for w in words if w.casefold() not in STOP_WORDS] or words
    found: dict[str, str] = {}
    for word in useful:
        for term in terms_of(word):
            found.setdefault(term, word)
    notes: tuple[str, ...] = ()
    if len(found) > MAX_TERMS:
        notes = (f"only the first {MAX_TERMS} distinct words of the query were used",)
    terms = tuple(QueryTerm(t) for t in list(found)[:MAX_TERMS])
    return ParsedQuery(text, terms, phrases, found, notes)


_MAY_VARY = re.compile("|".join(f"(?:{pattern})" for pattern, _ in (*_VARIANTS, *_VARIANTS_BACK)))


@lru_cache(maxsize=10_000)
def spelling_variants(word: str) -> list[str]:
    """Return other regular spellings of an English word, British for American and the other way round."""
    word = fold_word(word)
    if not _MAY_VARY.search(word):
        return []
    found = {re.sub(pattern, by, word) for table in (_VARIANTS, _VARIANTS_BACK) for pattern, by in table}
    return sorted(found - {word})


def expand(
    query: ParsedQuery,
    frequency: Callable[[str], int],
    similar: Callable[[str, int], Iterable[tuple[str, int]]],
) -> ParsedQuery:
    """Add spelling variants that the index holds, and the nearest term for a word that it does not hold.

    Args:
        query: parsed.
        frequency: number of records that hold a term.
        similar: terms that may be within so many edits of a term, each with its frequency.
    """
    terms, notes = [], list(query.notes)
    words = [query.words.get(t.text, t.text) for t in query.terms]
    for at, term in enumerate(query.terms):
        others = [
            t
            for variant in spelling_variants(words[at])
            for t in terms_of(variant)
            if t != term.text and frequency(t)
        ]
        if not others and not frequency(term.text):
            joined = _joined(words, at, frequency)
            nearest = joined or nearest_term(term.text, similar)
            if nearest:
                others = [nearest]
                if not joined:
                    notes.append(f"nothing is written “{words[at]}”; “{nearest}” was searched instead")
        terms.append(QueryTerm(term.text, tuple(dict.fromkeys(others))))
    return replace(query, terms=tuple(terms), notes=tuple(notes))


def _joined(words: Sequence[str], at: int, frequency: Callable[[str], int]) -> str | None:
    """Return the term of a word joined with a neighbour ("e mail" for "email"), if the index holds it."""
    for pair in (words[at : at + 2], words[max(at - 1, 0) : at + 1]):
        if len(pair) == 2:
            for term in terms_of("".join(pair))[:1]:
                if frequency(term):
                    return term
    return None


def nearest_term(term: str, similar: Callable[[str, int], Iterable[tuple[str, int]]]) -> str | None:
    """Return the term nearest to a misspelt one, or None.

    One edit is allowed from 4 letters, two from 8 (the thresholds of Lucene's and Elasticsearch's "auto" fuzziness are
    3 and 6; terms here are stems, and shorter). The first letter is taken to be right, the commoner term wins a tie.
    """
    if len(term) < 4 or any(c.isdigit() for c in term):
        return None
    allowed = 1 if len(term) < 8 else 2
    letters = _letters(term)
    best: tuple[int, int, str] | None = None
    for other, count in similar(term, allowed):
        if abs(len(other) - len(term)) > allowed or (letters ^ _letters(other)).bit_count() > 2 * allowed:
            continue
        distance = edit_distance(term, other, allowed)
        if distance <= allowed and (best is None or (distance, -count, other) < best):
            best = (distance, -count, other)
    return best[2] if best else None


def _letters(word: str) -> int:
    bits = 0
    for letter in word:
        bits |= 1 << (ord(letter) & 63)
    return bits


def edit_distance(a: str, b: str, limit: int) -> int:
    """Return the optimal string alignment distance of two words, or `limit` + 1 if it is larger."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, last, row = row, before, [i]
        for j, y in enumerate(b, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
        if min(row) > limit:
            return limit + 1
    return row[-1]


def information(frequencies: Iterable[int], total: int) -> list[float]:
    """Return the BM25 inverse document frequency of terms, ln(1 + (N - n + 0.5) / (n + 0.5))."""
    import math

    return [math.log(1 + (total - min(n, total) + 0.5) / (min(n, total) + 0.5)) for n in frequencies]
