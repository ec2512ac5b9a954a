"""Search over an opened lake: the index's hits, checked against the catalog, with cards, series and linked datasets."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args

from headwater.errors import UsageError
from headwater.lake._frames import Rows
from headwater.lake._views import shape
from headwater.lake._window import clip
from headwater.text import html_table

if TYPE_CHECKING:
    from headwater.lake._lake import Lake
    from headwater.search import DatasetHit, Hit

Mode = Literal["lexical", "vector", "hybrid"]
Kind = Literal["table", "text"]

CARD_COLUMNS = 12
"""Columns named on the one-line card of a hit."""

MAX_LINKED = 10

MAX_CLAUSES = 12
"""Clauses of a query that are searched on their own for linked datasets."""

CLAUSE_DEPTH = 200
"""Datasets looked at for one clause."""


@dataclass(frozen=True, slots=True)
class LakeSearch(Rows):
    """What a search found.

    Attributes:
        query: as asked.
        mode: as carried out.
        hits: documents, best first; a series and a group of copies stand once.
        datasets: distinct datasets, best first.
        linked: further datasets reached from the hits, [{dataset, via}].
        cards: document → shape and columns on one line.
        series: series id → documents of its members.
        coverage: documents in the catalog and how many of them the index covers.
        notes: corrected words and the like.
    """

    query: str
    mode: str
    hits: tuple[Hit, ...]
    datasets: tuple[DatasetHit, ...]
    linked: tuple[dict[str, str], ...]
    cards: dict[str, str]
    series: dict[str, list[str]]
    coverage: dict[str, Any]
    notes: tuple[str, ...] = field(default_factory=tuple)

    def __iter__(self) -> Any:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object."""
        return {
            "query": self.query,
            "mode": self.mode,
            "hits": [self._hit(h) for h in self.hits],
            "datasets": [
                {"rank": d.rank, "dataset": d.dataset, "score": d.score, "title": d.title}
                for d in self.datasets
            ],
            "linked": list(self.linked),
            "coverage": self.coverage,
            "notes": list(self.notes),
        }

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the hits as dictionaries of JSON values."""
        return [self._hit(h) for h in self.hits]

    def _hit(self, hit: Hit) -> dict[str, Any]:
        members = self.series.get(hit.series, [])
        return {
            "rank": hit.rank,
            "score": hit.score,
            "dataset": hit.dataset,
            "document": hit.document,
            "kind": hit.kind,
            "format": hit.format,
            "title": hit.title,
            "card": self.cards.get(hit.document, ""),
            "snippet": hit.snippet,
            "why": hit.why,
            "series": {"id": hit.series, "members": len(members), "first": members[:3]}
            if hit.series
            else None,
            "duplicates": hit.duplicates,
            "page": hit.page,
        }

    def _repr_html_(self) -> str:
        rows = (
            [h.rank, h.title, h.document, self.cards.get(h.document, ""), h.snippet, h.why] for h in self.hits
        )
        datasets = "Datasets: " + ", ".join(d.dataset for d in self.datasets)
        return html_table(["rank", "title", "document", "shape", "snippet", "why"], rows, datasets)


def search_lake(
    lake: Lake,
    query: str,
    k: int,
    *,
    mode: Mode,
    format: str | None,  # noqa: A002 - the word of the command line
    namespace: str | None,
    year: int | None,
    kind: Kind | None,
) -> LakeSearch:
    """Search the lake's index; hits that the catalog no longer holds are left out.

    Raises:
        UsageError: an unknown mode or kind.
    """
    from headwater.search import Filters, SearchOptions

    for name, value, known in (("mode", mode, get_args(Mode)), ("kind", kind or "table", get_args(Kind))):
        if value not in known:
            raise UsageError(f"The {name} is one of {', '.join(known)}, not {value!r}.", nearest=list(known))
    filters = Filters(
        formats=(format.lower().lstrip("."),) if format else (),
        namespaces=(namespace.strip("/"),) if namespace else (),
        years=(year,) if year else (),
        kind=kind,
    )
    found = lake.index.search(query, SearchOptions(k=k, mode=mode, filters=filters))
    catalog = lake.catalog
    hits, cards, series = [], {}, {}
    for hit in found.hits:
        document = catalog.document(hit.document)
        if document is None:
            continue
        hits.append(hit)
        tables = catalog.tables(document.duplicate_of if document.state == "duplicate" else document.id)
        columns = [c["name"] for t in tables[:1] for c in t.columns]
        shown = ", ".join(columns[:CARD_COLUMNS]) + (
            f" … {len(columns) - CARD_COLUMNS} more" if len(columns) > CARD_COLUMNS else ""
        )
        cards[hit.document] = clip(" | ".join(p for p in (shape(tables, document), shown) if p), 400)
        if hit.series and hit.series not in series:
            told = catalog.relations.series(hit.series)
            series[hit.series] = [m["document"] for m in told["members"]] if told else []
    total, covered = catalog.totals()["documents"], None
    behind = 0
    if lake.index.generation != catalog.generation:
        behind = sum(1 for d in catalog.documents(since=lake.index.generation) if d.state == "ingested")
    covered = total - behind
    return LakeSearch(
        query,
        found.mode,
        tuple(hits),
        tuple(found.datasets),
        tuple(linked(lake, query, found.datasets, hits)),
        cards,
        series,
        {"documents": total, "covered": covered, "share": round(covered / total, 4) if total else 1.0},
        tuple(found.notes),
    )


def linked(lake: Lake, query: str, datasets: list[DatasetHit], hits: list[Hit]) -> list[dict[str, str]]:
    """Return at most `MAX_LINKED` further datasets that the found ones lead to, and how.

    Each clause of the query is searched on its own, so that a dataset that only a later step of a question speaks of
    is preferred among what the hits are linked to.
    """
    from headwater.relations import Link, LinkGraph, linked_datasets, question_clauses
    from headwater.search import SearchOptions

    relations = lake.catalog.relations
    if not datasets or not relations.has_links():
        return []
    graph = LinkGraph(
        lambda dataset: (Link(**x) for x in relations.links(dataset)),
        lambda several: (Link(**x) for x in relations.periods(several)),
    )
    clauses = question_clauses(query)
    scores = []
    for clause in clauses[:MAX_CLAUSES]:
        options = SearchOptions(k=CLAUSE_DEPTH, depth=CLAUSE_DEPTH, with_hits=False)
        found = lake.index.search(clause, options)
        scores.append({d.dataset: d.score for d in found.datasets})
    names = [d.dataset for d in datasets]
    return [{"dataset": d, "via": via} for d, via in linked_datasets(names, graph, scores, MAX_LINKED)]
