"""A search from the typed text to hits, the same over every index."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from headwater.errors import UsageError
from headwater.search import _rank as rank
from headwater.search._models import ROLES, Space
from headwater.search._query import ParsedQuery, expand, information, parse_query
from headwater.search._rank import Evidence, Match
from headwater.search._records import Card
from headwater.search._results import DatasetHit, Filters, Hit, Mode, SearchOptions, SearchResult
from headwater.search._snippets import Matcher, reasons, snippet
from headwater.search._store import PARTS, Header, Part, Stored
from headwater.search._text import name_words, terms_of

ROWS_PER_CANDIDATE = 3
"""Vector rows read per candidate: a dataset has several, and the best of them counts."""


class Backend(Protocol):
    """What a search needs to know of an index."""

    @property
    def generation(self) -> int:
        """Generation of the last complete commit."""
        ...

    def lexical(self, part: Part, query: ParsedQuery, limit: int, docs: set[int] | None) -> list[Match]:
        """Return the best records of a part by their terms, best first."""
        ...

    def nearest(
        self, space: Space, text: str, limit: int, docs: set[int] | None
    ) -> list[tuple[int, int, float]] | None:
        """Return (rid, doc, cosine) of the nearest records, or None where there are no vectors."""
        ...

    def headers(self, docs: Iterable[int]) -> dict[int, Header]:
        """Return the headers of documents that exist."""
        ...

    def stored(self, rids: Iterable[int]) -> dict[int, Stored]:
        """Return records with their text."""
        ...

    def documents_of(self, dataset: str, limit: int) -> list[Header]:
        """Return documents of a dataset."""
        ...

    def duplicates_of(self, documents: Sequence[str]) -> dict[str, list[str]]:
        """Return the copies of documents."""
        ...

    def matching(self, filters: Filters) -> set[int]:
        """Return the numbers of the documents and dataset cards that pass."""
        ...

    def frequency(self, term: str) -> int:
        """Return the number of records that hold a term."""
        ...

    def total(self) -> int:
        """Return the number of records."""
        ...

    def similar(self, term: str, edits: int) -> Iterator[tuple[str, int]]:
        """Yield terms with the same first letter that may be within so many edits, each with a frequency."""
        ...

    def embedder_id(self) -> str:
        """Return the id of the embedder of all records, or ""."""
        ...


def run(index: Backend, text: str, options: SearchOptions) -> SearchResult:
    """Carry out a search.

    Raises:
        UsageError: nothing to search for, or k or depth below 1.
    """
    query = parse_query(text)
    if not query.terms and not query.phrases:
        raise UsageError("The query holds no word to search for.", where=text[:200])
    if options.k < 1 or options.depth < 1:
        raise UsageError(f"k and depth are at least 1, not {options.k} and {options.depth}.")
    query = expand(query, index.frequency, index.similar)
    notes = list(query.notes)
    docs = index.matching(options.filters) if options.filters else None
    lexical = _lexical(index, query, options, docs, notes) if options.mode != "vector" else {}
    vectors = _vectors(index, text, options, docs)
    mode: Mode = options.mode if vectors or options.mode == "lexical" else "lexical"
    if mode != options.mode:
        notes.append("the index holds no vectors; only words were compared")
        lexical = lexical or _lexical(index, query, options, docs, notes)
    headers = index.headers(
        {m.doc for ms in lexical.values() for m in ms} | {d for v in vectors.values() for _, d, _ in v}
    )
    evidence = rank.gather(lexical, vectors, headers)
    frequencies = [max(index.frequency(t) for t in term.all) for term in query.terms]
    weights = information(frequencies, index.total())
    datasets, documents = _scores(evidence, weights, vectors, options)
    order = rank.ranked(datasets, str)[: options.k]
    titles = {h.dataset: h.title for h in headers.values() if not h.document}
    return SearchResult(
        query=text,
        mode=mode,
        hits=_hits(index, query, weights, evidence, datasets, documents, order, options)
        if options.with_hits
        else [],
        datasets=[DatasetHit(i, d, datasets[d], titles.get(d, "")) for i, d in enumerate(order, 1)],
        coverage={"generation": index.generation, "embedder": index.embedder_id() if vectors else ""},
        notes=notes,
    )


def _lexical(
    index: Backend, query: ParsedQuery, options: SearchOptions, docs: set[int] | None, notes: list[str]
) -> dict[Part, list[Match]]:
    found = {part: index.lexical(part, query, options.depth, docs) for part in PARTS}
    if query.phrases and not any(found.values()):
        notes.append("no document holds the phrase in quotes; its words were searched one by one")
        loose = ParsedQuery(query.text, query.terms, (), query.words)
        found = {part: index.lexical(part, loose, options.depth, docs) for part in PARTS}
    return found


def _vectors(
    index: Backend, text: str, options: SearchOptions, docs: set[int] | None
) -> dict[Space, list[tuple[int, int, float]]]:
    if options.mode == "lexical" or not (options.vector_weight or options.mode == "vector"):
        return {}
    found = {space: index.nearest(space, text, options.depth * ROWS_PER_CANDIDATE, docs) for space in ROLES}
    return {space: rows for space, rows in found.items() if rows is not None}


def _scores(
    evidence: Mapping[int, Evidence],
    weights: Sequence[float],
    vectors: Mapping[Space, object],
    options: SearchOptions,
) -> tuple[dict[str, float], dict[int, float]]:
    """Return the fused scores of datasets and of documents."""
    datasets, documents = rank.lexical_scores(evidence, weights)
    if not vectors:
        return datasets, documents
    near = rank.vector_scores(evidence)
    near_documents = {
        doc: item.cosine["texts"][0]
        for doc, item in evidence.items()
        if item.header.document and "texts" in item.cosine
    }
    share = 1.0 if options.mode == "vector" else options.vector_weight

    def fused(words: Mapping[Any, float], meaning: Mapping[Any, float]) -> dict[Any, float]:
        pairs = [(1 - share, rank.ranked(words, str)), (share, rank.ranked(meaning, str))]
        return rank.fuse(pairs, options.rank_constant)

    return fused(datasets, near), fused(documents, near_documents)


def _hits(
    index: Backend,
    query: ParsedQuery,
    weights: Sequence[float],
    evidence: Mapping[int, Evidence],
    datasets: Mapping[str, float],
    documents: Mapping[int, float],
    order: Sequence[str],
    options: SearchOptions,
) -> list[Hit]:
    """Return the best documents: by their own score and that of their dataset, copies and series once."""
    headers = {doc: item.header for doc, item in evidence.items() if item.header.document}
    held = {h.dataset for h in headers.values()}
    for dataset in order:  # a dataset found by its card alone is shown by its first document
        if dataset not in held:
            headers |= {h.doc: h for h in index.documents_of(dataset, 1)}
    top = max(datasets.values(), default=1.0) or 1.0
    own = max(documents.values(), default=1.0) or 1.0
    scores = {d: documents.get(d, 0.0) / own + datasets.get(h.dataset, 0.0) / top for d, h in headers.items()}
    groups: dict[str, list[Header]] = {}
    for doc in rank.ranked(scores, int):
        header = headers[doc]
        key = f"series:{header.series}" if header.series else header.duplicate_of or header.document
        if key in groups or len(groups) < options.k:
            groups.setdefault(key, []).append(header)
    chosen = [_named_first(group, query, weights) if group[0].series else group for group in groups.values()]
    return _presented(index, query, evidence, chosen, scores, options)


def _named_first(members: Sequence[Header], query: ParsedQuery, weights: Sequence[float]) -> Sequence[Header]:
    """Return the members of a series with the one first whose path, or else title, holds most of the query: its year."""

    def held(text: str) -> float:
        words = set(terms_of(text))
        return sum(w for term, w in zip(query.terms, weights, strict=True) if not words.isdisjoint(term.all))

    if len(members) < 2:
        return members
    best = max(
        members, key=lambda h: (held(name_words(h.document)), held(h.title))
    )  # of equals the first: by score
    return [best, *(m for m in members if m is not best)]


def _presented(
    index: Backend,
    query: ParsedQuery,
    evidence: Mapping[int, Evidence],
    groups: Sequence[Sequence[Header]],
    scores: Mapping[int, float],
    options: SearchOptions,
) -> list[Hit]:
    """Return hits with snippet and reasons."""
    matcher = Matcher(query.matched_terms())
    rids: dict[int, tuple[int | None, int | None]] = {}
    for group in groups:
        item = evidence.get(group[0].doc)
        near = max(item.cosine.values())[1] if item and item.cosine else None
        rids[group[0].doc] = (
            item.card.rid if item and item.card else None,
            item.passage.rid if item and item.passage else near,
        )
    stored = index.stored({r for pair in rids.values() for r in pair if r is not None})
    copies = index.duplicates_of([g[0].duplicate_of or g[0].document for g in groups])
    hits = []
    for number, group in enumerate(groups, 1):
        header = group[0]
        card_row, passage_row = (stored.get(r) if r is not None else None for r in rids[header.doc])
        if passage_row and passage_row.part != "passages":
            card_row, passage_row = card_row or passage_row, None
        card = card_row.card(header) if card_row else None
        text = passage_row.text if passage_row else _card_text(card) if card else header.title
        line, places = snippet(text, matcher, options.snippet_chars)
        why = reasons(card, matcher) if card else []
        if passage_row and places:
            why.append("text" if passage_row.page is None else f"text, page {passage_row.page}")
        if not why and evidence.get(header.doc) and evidence[header.doc].cosine:
            why.append("meaning")
        original = header.duplicate_of or header.document
        hits.append(
            Hit(
                rank=number, score=max(scores[h.doc] for h in group), dataset=header.dataset, document=header.document,
                kind=header.kind, format=header.format, title=header.title, snippet=line, marks=places,
                why=why or ["dataset"], series=header.series,
                members=[h.document for h in group[1:] if h.series and h.document != header.document],
                duplicates=[d for d in dict.fromkeys([original, *copies.get(original, [])]) if d != header.document],
                page=passage_row.page if passage_row else None, start=passage_row.start if passage_row else None,
            )
        )  # fmt: skip
    return hits


def _card_text(card: Card) -> str:
    columns = ", ".join(f"{c.name} ({', '.join(c.values[:3])})" if c.values else c.name for c in card.columns)
    return " · ".join(t for t in (card.description, card.text, columns) if t)
