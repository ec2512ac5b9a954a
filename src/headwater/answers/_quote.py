"""Lookups in text: the one sentence that answers, quoted; nothing where two could."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from headwater.answers._answer import Answer, Evidence
from headwater.answers._words import lexicon, plain, root, words

if TYPE_CHECKING:
    from headwater.lake import Lake
    from headwater.search import Hit

DOCUMENTS = 3
"""Text documents that are read."""

COVER, AHEAD = 0.85, 1.35
"""Share of the question's content (words weighted by rarity) in the sentence or its title, and how far ahead of the next."""

MAX_SENTENCE = 600
"""Characters of a sentence."""


def best_sentence(lake: Lake, question: str, hits: Sequence[Hit]) -> Answer | None:
    """Return an answer that quotes a sentence, or None if none stands out.

    The words of the question are weighed by how rare they are among the sentences (inverse document frequency). A
    sentence must hold nearly all of the weight, its document's title counting too, and clearly more than the next.
    """
    from headwater.search import sentence_spans

    asked = {root(w) for w in words(question) if w not in lexicon().stop and len(w) > 1}
    if len(asked) < 2:
        return None
    sentences: list[tuple[str, int, int, str, frozenset[str], frozenset[str]]] = []
    for hit in [h for h in hits if h.kind == "text"][:DOCUMENTS]:
        document = lake.catalog.document(hit.document)
        if document is None:
            continue
        text = lake.catalog.body(document.content).text or ""
        title = frozenset(root(w) for w in words(f"{hit.title} {hit.document}"))
        for start, end in sentence_spans(text):
            if 20 <= end - start <= MAX_SENTENCE:
                found = frozenset(root(w) for w in words(text[start:end]))
                if found & asked:
                    sentences.append((hit.document, start, end, text[start:end], found, title))
    if not sentences:
        return None
    rarity = {w: math.log(1 + len(sentences) / (1 + sum(w in s[4] for s in sentences))) for w in asked}
    total = sum(rarity.values())
    scored = []
    for s in sentences:
        inside = sum(rarity[w] for w in asked & s[4])
        titled = sum(rarity[w] for w in (asked & s[5]) - s[4])
        scored.append((inside + 0.5 * titled, (inside + titled) / total, s))
    scored.sort(key=lambda x: -x[0])
    top, share, best = scored[0]
    second = next((x[0] for x in scored[1:] if plain(x[2][3]) != plain(best[3])), 0.0)
    if share < COVER or top < AHEAD * second:
        return None
    name, start, end, quote, _, _ = best
    record, told = lake.catalog.document(name), " ".join(quote.split())
    return Answer(
        question, "answered", told, told, "the sentence that holds the words of the question",
        inputs=[{"document": name, "sha256": record.sha256 if record else ""}],
        evidence=[Evidence(name, "sentence", {"start": start, "end": end}, quote)],
        verification="quoted",
    )  # fmt: skip
