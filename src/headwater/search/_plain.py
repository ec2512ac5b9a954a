"""Retrieval as baselines do it: passages alone, by BM25, by vectors, or both by reciprocal rank fusion.

No cards, no spelling, no coverage: what a system gets that indexes windows of text and nothing else (LakeQA, section 5).
"""

from __future__ import annotations

from dataclasses import dataclass

from headwater.errors import UsageError
from headwater.search._query import parse_query
from headwater.search._rank import fuse, ranked
from headwater.search._results import Mode
from headwater.search._search import Backend
from headwater.search._snippets import Matcher, snippet


@dataclass(frozen=True, slots=True)
class PassageHit:
    """A document with its best passage.

    Attributes:
        document, dataset, title: of the document.
        score: of the passage; comparable within one result only.
        start: offset of the passage in the text that was indexed.
        snippet: the place in it that fits best, on one line.
    """

    document: str
    dataset: str
    title: str
    score: float
    start: int
    snippet: str


def best_passages(
    index: Backend,
    text: str,
    k: int,
    *,
    mode: Mode,
    fusion: tuple[float, float],
    depth: int = 100,
    snippet_chars: int = 240,
) -> list[PassageHit]:
    """Return the k documents with the best passages, each once.

    Args:
        index: opened index whose passages count.
        text: the query.
        k: documents at most.
        mode: lexical, vector or hybrid.
        fusion: weight of the vectors and rank constant, for hybrid.
        depth: passages taken from each ranking.
        snippet_chars: length of a snippet.

    Raises:
        UsageError: nothing to search for, or the index holds no vectors for this mode.
    """
    query = parse_query(text)
    if not query.terms and not query.phrases:
        raise UsageError("The query holds no word to search for.", where=text[:200])
    words = {m.rid: m for m in index.lexical("passages", query, depth, None)} if mode != "vector" else {}
    near = index.nearest("texts", text, depth, None) if mode != "lexical" else []
    if near is None:
        raise UsageError("The index holds no vectors.", hint="Use mode lexical, or an embedder.")
    weight, constant = fusion
    meaning = {rid: cosine for rid, _, cosine in near}
    if mode == "hybrid":
        order = ranked({rid: m.score for rid, m in words.items()}, int)
        scores = fuse([(1 - weight, order), (weight, ranked(meaning, int))], constant)
    else:
        scores = meaning if mode == "vector" else {rid: m.score for rid, m in words.items()}
    owner = {rid: m.doc for rid, m in words.items()} | {rid: doc for rid, doc, _ in near}
    best: dict[int, int] = {}
    for rid in ranked(scores, int):
        best.setdefault(owner[rid], rid)
    chosen = dict(list(best.items())[:k])
    headers, stored = index.headers(chosen), index.stored(chosen.values())
    matcher = Matcher(query.matched_terms())
    return [
        PassageHit(
            headers[doc].document, headers[doc].dataset, headers[doc].title, scores[rid], stored[rid].start,
            snippet(stored[rid].text, matcher, snippet_chars)[0],
        )
        for doc, rid in chosen.items()
        if doc in headers and rid in stored
    ]  # fmt: skip
