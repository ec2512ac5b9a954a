"""From matches in the parts of an index to a ranking of datasets and of documents.

The score of a dataset is its own card's BM25 score, plus a share of the best card and of the best passage among its
documents, times a power of its coverage: how much of the query's information (idf) one record together with the
dataset's card holds. Fused with vectors by weighted reciprocal ranks. `docs/search.md` has the measurements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from headwater.search._models import Space
from headwater.search._store import Header, Part

K = TypeVar("K")

FIELD_WEIGHTS: Mapping[str, float] = {
    "title": 3.0,
    "names": 2.0,
    "description": 2.0,
    "tags": 2.0,
    "columns": 1.0,
    "meanings": 0.7,
    "text": 0.7,
    "values": 0.5,
    "publisher": 0.5,
}
"""Weights of a card's fields. A term counts in its best field only."""

FIELDS: Mapping[Part, Mapping[str, float]] = {
    "datasets": FIELD_WEIGHTS,
    "documents": FIELD_WEIGHTS,
    "passages": {"body": 1.0},
}
"""Fields of each part of an index with their weights."""

CARD_SHARE = 0.2
"""Share of the best document's card in the score of its dataset."""

PASSAGE_SHARE = 0.5
"""Share of the best passage in the score of its document and dataset."""

DATASET_SHARE = 0.5
"""Share of the dataset's card in the score of a document."""


COVERAGE = 0.8
"""Exponent of the coverage in a score."""

ONE_DATASET = 10
"""Terms of a query that one dataset can be expected to hold; a longer one speaks of several, and the exponent sinks."""


@dataclass(frozen=True, slots=True)
class Match:
    """A record that matched: number, document, score, and the query terms it holds as bits."""

    rid: int
    doc: int
    score: float
    mask: int = 0


NO_MATCH = Match(0, 0, 0.0)


@dataclass(slots=True)
class Evidence:
    """What speaks for one document, or for one dataset's own card."""

    header: Header
    card: Match | None = None
    passage: Match | None = None
    cosine: dict[Space, tuple[float, int]] = field(default_factory=dict)


def gather(
    lexical: Mapping[Part, Sequence[Match]],
    vectors: Mapping[Space, Sequence[tuple[int, int, float]]],
    headers: Mapping[int, Header],
) -> dict[int, Evidence]:
    """Return the evidence for each document by its number; matches of documents that are gone are dropped."""
    found: dict[int, Evidence] = {}

    def of(doc: int) -> Evidence | None:
        if doc not in headers:
            return None
        return found.setdefault(doc, Evidence(headers[doc]))

    for part, matches in lexical.items():
        for match in matches:
            evidence = of(match.doc)
            if evidence is None:
                continue
            if part == "passages":
                if evidence.passage is None or match.score > evidence.passage.score:
                    evidence.passage = match
            elif evidence.card is None or match.score > evidence.card.score:
                evidence.card = match
    for space, rows in vectors.items():
        for rid, doc, cosine in rows:
            evidence = of(doc)
            if evidence is not None and cosine > evidence.cosine.get(space, (-2.0, 0))[0]:
                evidence.cosine[space] = (cosine, rid)
    return found


class Coverage:
    """How much of a query's information a set of its terms holds.

    Args:
        weights: information of each term, in the order of the masks' bits.
    """

    def __init__(self, weights: Sequence[float]) -> None:
        self._weights = weights
        self._total = sum(weights) or 1.0
        self._known: dict[int, float] = {}

    def __call__(self, mask: int) -> float:
        """Return the share of the information, 0 to 1."""
        found = self._known.get(mask)
        if found is None:
            held = sum(w for i, w in enumerate(self._weights) if mask >> i & 1)
            found = self._known[mask] = held / self._total
        return found


def lexical_scores(
    evidence: Mapping[int, Evidence], weights: Sequence[float]
) -> tuple[dict[str, float], dict[int, float]]:
    """Return the scores of datasets and of documents.

    Args:
        evidence: by document number.
        weights: information of each query term, in the order of the masks' bits.
    """
    coverage = Coverage(weights)
    power = COVERAGE * min(1.0, ONE_DATASET / max(len(weights), 1))
    cards: dict[str, Match] = {}
    members: dict[str, list[Evidence]] = {}
    for item in evidence.values():
        if item.header.document:
            if item.card or item.passage:
                members.setdefault(item.header.dataset, []).append(item)
        elif item.card:
            cards[item.header.dataset] = item.card
    datasets: dict[str, float] = {}
    documents: dict[int, float] = {}
    for name in {*cards, *members}:
        own = cards.get(name, NO_MATCH)
        best_card = best_passage = 0.0
        covered = coverage(own.mask)
        for item in members.get(name, ()):
            card, passage = item.card or NO_MATCH, item.passage or NO_MATCH
            best_card, best_passage = max(best_card, card.score), max(best_passage, passage.score)
            held = max(coverage(own.mask | card.mask), coverage(own.mask | passage.mask))
            covered = max(covered, held)
            score = card.score + PASSAGE_SHARE * passage.score + DATASET_SHARE * own.score
            documents[item.header.doc] = score * held**power
        score = own.score + CARD_SHARE * best_card + PASSAGE_SHARE * best_passage
        datasets[name] = score * covered**power
    return datasets, documents


def vector_scores(evidence: Mapping[int, Evidence]) -> dict[str, float]:
    """Return the scores of datasets by their vectors.

    With a strong model's vectors of the cards, their cosine. Else the mean of the card's cosine and the best cosine
    among card, documents and passages; a dataset whose card is not among the nearest is taken to be just behind them.
    """
    strong, own, best = dict[str, float](), dict[str, float](), dict[str, float]()
    for item in evidence.values():
        name = item.header.dataset
        if "cards" in item.cosine:
            strong[name] = item.cosine["cards"][0]
        if "datasets" in item.cosine:
            own[name] = item.cosine["datasets"][0]
        for space in ("datasets", "texts"):
            if space in item.cosine:
                best[name] = max(best.get(name, -1.0), item.cosine[space][0])
    if strong:
        return strong
    floor = min(own.values(), default=0.0)
    return {name: (own.get(name, floor) + cosine) / 2 for name, cosine in best.items()}


def ranked(scores: Mapping[K, float], order: Callable[[K], object]) -> list[K]:
    """Return the keys, best first; equal scores in the given order."""
    return sorted(scores, key=lambda key: (-scores[key], order(key)))


def fuse(rankings: Iterable[tuple[float, Sequence[K]]], constant: float) -> dict[K, float]:
    """Return the weighted sum of reciprocal ranks of each key: sum of weight / (constant + rank), rank from 1."""
    scores: dict[K, float] = {}
    for weight, ranking in rankings:
        if weight:
            for rank, key in enumerate(ranking, 1):
                scores[key] = scores.get(key, 0.0) + weight / (constant + rank)
    return scores
