"""Lookups in text: the one sentence that answers, quoted, and the one value in it that is asked for; else nothing."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING

from headwater.answers._answer import Answer, Evidence
from headwater.answers._pick import Kind, kind_asked, pick
from headwater.answers._words import lexicon, plain, root, words

if TYPE_CHECKING:
    from headwater.lake import Lake
    from headwater.search import Hit

DOCUMENTS = 3
"""Text documents that are read."""

COVER, AHEAD = 0.85, 1.35
"""Share of the question's content (words weighted by rarity) in the sentence or its title, and how far ahead of the next."""

NEAR = 0.9
"""Share of the best sentence's weight from which other sentences must give the same value."""

SHORTEST, LONGEST = 20, 600
"""Characters of a sentence."""


@dataclass(frozen=True)
class _Sentence:
    document: str
    start: int
    end: int
    text: str
    roots: frozenset[str]
    title: frozenset[str]


def best_sentence(lake: Lake, question: str, hits: Sequence[Hit]) -> Answer | None:
    """Return an answer that quotes a sentence, or None if none stands out.

    The words of the question are weighed by how rare they are among the sentences (inverse document frequency). A
    sentence must hold nearly all of the weight, its document's title counting too. Where a date, a number, a person or
    a place is asked for, the sentences that do must all give the same one; else one must stand clear of the next.
    """
    kind = kind_asked(question)
    asked = {root(w) for w in words(question) if w not in lexicon().stop and len(w) > 1} - kind.said
    sentences = [s for s in _sentences(lake, hits) if s.roots & asked and not _narrower(s.text, question)]
    if len(asked) < 2 or not sentences:
        return None
    rarity = {w: math.log(1 + len(sentences) / (1 + sum(w in s.roots for s in sentences))) for w in asked}

    def weight(found: Set[str]) -> float:
        return sum(rarity[w] for w in asked & found)

    def worth(s: _Sentence) -> float:
        return weight(s.roots) + 0.5 * weight(s.title - s.roots)

    ranked = sorted(
        (s for s in sentences if weight(s.roots | s.title) >= COVER * weight(asked)), key=worth, reverse=True
    )
    if kind.name:
        told = [(pick(kind, " ".join(s.text.split()), asked, s.title), s) for s in ranked]
        picked = [(value, s) for value, s in told if value]
        near = {plain(v) for v, s in picked if worth(s) >= NEAR * worth(picked[0][1])}
        return _answer(lake, question, *picked[0], kind) if len(near) == 1 else None
    others = [s for s in ranked[1:] if plain(s.text) != plain(ranked[0].text)]
    if not ranked or others and worth(ranked[0]) < AHEAD * worth(others[0]):
        return None
    return _answer(lake, question, " ".join(ranked[0].text.split()), ranked[0], kind)


def _narrower(text: str, question: str) -> bool:
    """Tell whether a sentence limits a superlative more than the question: "the largest moon of Saturn"."""
    told, triggers = words(question), lexicon().triggers
    for word in told:
        if {"most", "least"} & set(triggers.get((word,), ())):
            limit = rf"\b(?i:{word})(?:\s\w+){{1,3}}?\s(?:of|in|on|among)\s(?:the\s)?([A-Z]\w+)"
            if any(plain(m[1]) not in told for m in re.finditer(limit, text)):
                return True
    return False


def _answer(lake: Lake, question: str, value: str, sentence: _Sentence, kind: Kind) -> Answer:
    record = lake.catalog.document(sentence.document)
    told = " ".join(sentence.text.split())
    return Answer(
        question, "answered", value, value if value == told else f"{value} ({told})",
        "the sentence that holds the words of the question" + (f", and the {kind.noun or kind.name} in it" if kind.name else ""),
        inputs=[{"document": sentence.document, "sha256": record.sha256 if record else ""}],
        evidence=[Evidence(sentence.document, "sentence", {"start": sentence.start, "end": sentence.end}, sentence.text)],
        verification="quoted",
    )  # fmt: skip


def _sentences(lake: Lake, hits: Sequence[Hit]) -> list[_Sentence]:
    from headwater.search import sentence_spans

    found = []
    for hit in [h for h in hits if h.kind == "text"][:DOCUMENTS]:
        document = lake.catalog.document(hit.document)
        text = (lake.catalog.body(document.content).text or "") if document else ""
        title = frozenset(root(w) for w in words(f"{hit.title} {hit.document}"))
        for start, end in sentence_spans(text):
            if SHORTEST <= end - start <= LONGEST:
                roots = frozenset(root(w) for w in words(text[start:end]))
                found.append(_Sentence(hit.document, start, end, text[start:end], roots, title))
    return found
