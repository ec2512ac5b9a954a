"""What a search is asked and what it gives back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from headwater.search._records import Kind

Mode = Literal["lexical", "vector", "hybrid"]

VECTOR_WEIGHT = 0.45
"""Share of the vector ranking in the fusion. See `docs/search.md` for the measurement behind it."""

RANK_CONSTANT = 5.0
"""Constant k of reciprocal rank fusion, 1 / (k + rank) (Cormack, Clarke and Büttcher 2009 use 60)."""

LAKEQA_FUSION = (0.7, 60.0)
"""Vector weight and rank constant of LakeQA's own retriever, for its condition in the benchmark."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What a document must be to be found; an empty tuple asks for nothing.

    Attributes:
        formats: csv, pdf …, any of them.
        namespaces: first part of the dataset's id, any of them.
        years: the document speaks of any of these years.
        kind: "table" or "text", or None.
        datasets: ids of datasets, any of them.
    """

    formats: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()
    years: tuple[int, ...] = ()
    kind: Kind | None = None
    datasets: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.formats or self.namespaces or self.years or self.kind or self.datasets)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """How to search.

    Attributes:
        k: number of hits, and of datasets.
        mode: "lexical", "vector" or "hybrid". Where the index has no vectors, hybrid is lexical and says so.
        filters: which documents count.
        depth: candidates taken from each ranking before fusion.
        vector_weight: share of the vectors in the fusion, 0 to 1.
        rank_constant: constant of reciprocal rank fusion.
        snippet_chars: length of a snippet in characters.
        with_hits: give documents with their snippets; False for the ranking of datasets alone, which costs much less.
    """

    k: int = 10
    mode: Mode = "hybrid"
    filters: Filters = field(default_factory=Filters)
    depth: int = 50
    vector_weight: float = VECTOR_WEIGHT
    rank_constant: float = RANK_CONSTANT
    snippet_chars: int = 240
    with_hits: bool = True


@dataclass(slots=True, kw_only=True)
class Hit:
    """A document that was found.

    Attributes:
        rank: from 1.
        score: fused score; comparable within one result only.
        dataset, document, kind, format, title: of the document.
        snippet: the place in its text that fits best, on one line.
        marks: [start, end) of the matched words in the snippet.
        why: what matched, in words: "title: …", "column: …", "value of COLUMN: …", "text", "meaning".
        series: id of the series it stands for, or "".
        members: other documents of that series that were found as well.
        duplicates: documents with the same content.
        page: page of the best passage, from 1, or None.
        start: offset of the best passage in the document's text, or None where its card is what matched.
    """

    rank: int
    score: float
    dataset: str
    document: str
    kind: Kind
    format: str = ""
    title: str = ""
    snippet: str = ""
    marks: list[tuple[int, int]] = field(default_factory=list)
    why: list[str] = field(default_factory=list)
    series: str = ""
    members: list[str] = field(default_factory=list)
    duplicates: list[str] = field(default_factory=list)
    page: int | None = None
    start: int | None = None


@dataclass(slots=True)
class DatasetHit:
    """A dataset that was found."""

    rank: int
    dataset: str
    score: float
    title: str = ""


@dataclass(slots=True, kw_only=True)
class SearchResult:
    """Hits and datasets, best first.

    Attributes:
        query: as it was asked.
        mode: as it was carried out.
        hits: at most k documents; a series and a group of duplicates appear once.
        datasets: at most k distinct datasets.
        coverage: {"documents": documents in the index, "generation": of the index, "embedder": its id or ""}.
        notes: what the user should know: corrected words, a phrase that does not occur, words no vector knows.
    """

    query: str
    mode: Mode
    hits: list[Hit]
    datasets: list[DatasetHit]
    coverage: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields of the JSON contract (`headwater.search/1`) that a search itself knows."""
        from dataclasses import asdict

        return {
            "hits": [asdict(hit) | {"series": hit.series or None} for hit in self.hits],
            "datasets": [asdict(dataset) for dataset in self.datasets],
            "coverage": self.coverage,
            "notes": self.notes,
            "mode": self.mode,
        }
