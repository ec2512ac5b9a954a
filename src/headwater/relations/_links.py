"""Datasets reached from the hits of a search through joins, mentions and series.

A question that needs several datasets names the first and describes the others by what they say. So a question is cut
into its clauses, each clause is searched on its own, and of the datasets linked to the hits those come first that fit a
clause: one clause after the other gives its best, so that no clause takes all places.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from headwater.layout import clean_text
from headwater.relations._joins import Join
from headwater.relations._mentions import Mention
from headwater.relations._series import Series
from headwater.relations._sketch import TableSketch

LINKED = 10
"""Most datasets that are linked to the hits of one search."""

STRENGTH = 0.7
"""Exponent of a link's strength beside the fit of its target to a clause; fit counts more than the link."""

YEARS = 0.25
"""Strength of a link between datasets that can be joined on years: nearly all can, so it is weak."""

MIN_YEARS = 3
"""Least number of years that such datasets have in common."""

SECOND_STEP = 0.5
"""Factor on the strength of a link that is reached over another linked dataset."""

_FRONTIER = 10
_RANK_LOSS = 0.2
_MIN_FIT = 0.02
_SERIES_WEIGHT = 0.9

_YEAR = re.compile(r"(?:1[4-9]|20)\d{2}(?!\d)")
_NAMED = 0.5
_NAMED_YEAR = re.compile(r"(?<!\d)(?:1[4-9]|20)\d{2}(?!\d)")
_PERIOD = re.compile(r"years (\d+)-(\d+)")
_SENTENCE = re.compile(r"(?<=[.?!;])\s+")
_CLAUSE = re.compile(
    r",\s+(?:and|which|who|whose|where|of which|in which|for which|how|what|when)\s+|\band\s+(?:in\s+)?(?:what|which|who|how|on what|where|when)\s+|:\s+",
    re.IGNORECASE,
)
_FORMAT = re.compile(
    r"\b(?:return|answer|give|give the answer|provide)\b[^.?!]*\[[^\]]*\]\s*\.?", re.IGNORECASE
)
_MIN_WORDS = 4


@dataclass(frozen=True, slots=True)
class Link:
    """A way from one dataset to another: strength 0 to 1 and, for people, what it rests on.

    A link to "" says which years a dataset covers ("years 1948-2020"); it leads to every other dataset of these years.
    """

    dataset: str
    other: str
    weight: float
    via: str

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON object."""
        return {name: getattr(self, name) for name in Link.__dataclass_fields__}


def dataset_links(
    joins: Iterable[Join] = (),
    mentions: Iterable[Mention] = (),
    series: Iterable[Series] = (),
    tables: Iterable[TableSketch] = (),
) -> list[Link]:
    """Return the links between datasets that joins, mentions and series make, both ways, the strongest of each pair.

    From `tables` comes for each dataset with a column of years or dates the link to "" with the years it covers.
    """
    best: dict[tuple[str, str], Link] = {}

    def add(a: str, b: str, weight: float, via: str) -> None:
        if a == b or not a or not b:
            return
        old = best.get((a, b))
        if old is None or (weight, via) > (old.weight, old.via):
            best[a, b] = Link(a, b, round(weight, 4), clean_text(via, one_line=True, limit=200))

    for join in joins:
        via = f"join: {join.document} {join.column} = {join.other_document} {join.other_column}"
        add(join.dataset, join.other_dataset, join.score, via)
        add(join.other_dataset, join.dataset, join.score, via)
    for mention in mentions:
        where = f"column {mention.column} of {mention.document}" if mention.column else mention.document
        via = f"mention: {mention.title} in {where}"
        add(mention.dataset, mention.page_dataset, mention.weight, via)
        add(mention.page_dataset, mention.dataset, mention.weight, via)
    for group in series:
        datasets = sorted({member.dataset for member in group.members})
        for a in datasets:
            for b in datasets:
                add(a, b, _SERIES_WEIGHT, f"series: {group.title}")
    for dataset, (start, end) in _periods(tables).items():
        best[dataset, ""] = Link(dataset, "", YEARS, f"years {start}-{end}")
    return sorted(best.values(), key=lambda link: (link.dataset, -link.weight, link.other))


def _periods(tables: Iterable[TableSketch]) -> dict[str, tuple[int, int]]:
    """Return the first and last year of the year and date columns of each dataset."""
    out: dict[str, tuple[int, int]] = {}
    for table in tables:
        for column in table.columns:
            if column.feature_type != "Datetime" or column.type not in {"integer", "date", "datetime"}:
                continue
            years = [int(m.group()) for text in (column.low, column.high) if (m := _YEAR.match(text))]
            if len(years) == 2:
                start, end = out.get(table.dataset, (years[0], years[1]))
                out[table.dataset] = (min(start, years[0]), max(end, years[1]))
    return out


class LinkGraph:
    """Links by dataset, each read when it is first asked for: a search needs those of a few datasets.

    Args:
        links_of: returns the links that start from a dataset.
        periods_of: returns for some datasets the links to "", with the years they cover.
    """

    def __init__(
        self,
        links_of: Callable[[str], Iterable[Link]],
        periods_of: Callable[[Sequence[str]], Iterable[Link]],
    ) -> None:
        self._links_of = links_of
        self._periods_of = periods_of
        self._out: dict[str, list[Link]] = {}
        self._years: dict[str, tuple[int, int, Link] | None] = {}

    @classmethod
    def of(cls, links: Iterable[Link]) -> LinkGraph:
        """Return the graph of links that are all at hand."""
        held: dict[str, list[Link]] = {}
        for link in links:
            held.setdefault(link.dataset, []).append(link)
        return cls(
            lambda dataset: held.get(dataset, []),
            lambda datasets: (x for d in datasets for x in held.get(d, []) if not x.other),
        )

    def links(self, dataset: str) -> Iterable[Link]:
        """Return the links that lead from a dataset to another one."""
        if dataset not in self._out:
            self._out[dataset] = [link for link in self._links_of(dataset) if link.other]
        return self._out[dataset]

    def _periods(self, datasets: Iterable[str]) -> None:
        """Read which years some datasets cover."""
        new = [dataset for dataset in datasets if dataset not in self._years]
        self._years |= dict.fromkeys(new)
        for link in self._periods_of(new):
            if found := _PERIOD.fullmatch(link.via):
                self._years[link.dataset] = (int(found[1]), int(found[2]), link)

    def of_same_years(self, dataset: str, others: Iterable[str]) -> Iterator[Link]:
        """Yield links to those of `others` that share at least `MIN_YEARS` years with a dataset.

        A dataset whose id names one year ("1992_Summer_Olympics") is linked if that year is covered.
        """
        self._periods([dataset])
        own = self._years[dataset]
        if own is None:
            return
        others = list(others)
        self._periods(others)
        for other in others:
            theirs = self._years[other]
            if other == dataset:
                continue
            if theirs is not None:
                start, end = max(own[0], theirs[0]), min(own[1], theirs[1])
                if end - start + 1 >= MIN_YEARS:
                    yield Link(
                        dataset, other, own[2].weight, f"join: years {start}-{end} in {dataset} and {other}"
                    )
                continue
            year = _named_year(other)
            if own[0] <= year <= own[1]:
                yield Link(dataset, other, _NAMED * own[2].weight, f"join: year {year} in {dataset}")


@lru_cache(maxsize=65_536)
def _named_year(dataset: str) -> int:
    """Return the one year that a dataset's id names, else 0."""
    years = set(_NAMED_YEAR.findall(dataset.rsplit("/", 1)[-1]))
    return int(years.pop()) if len(years) == 1 else 0


def question_clauses(question: str) -> list[str]:
    """Return the parts of a question to be searched one by one: the whole, its sentences, their clauses.

    A request for an answer's format ("Return only the year in the format [Answer].") is left out.
    """
    text = " ".join(_FORMAT.sub(" ", question).split()) or question
    parts = [text]
    for sentence in _SENTENCE.split(text):
        parts.append(sentence)
        pieces = [piece.strip(" ,;") for piece in _CLAUSE.split(sentence)]
        if len(pieces) > 1:
            parts += pieces
    kept = (part for part in parts if len(part.split()) >= _MIN_WORDS)
    return list(dict.fromkeys(kept)) or [text]


def linked_datasets(
    hits: Sequence[str],
    graph: LinkGraph,
    clause_scores: Sequence[Mapping[str, float]] = (),
    limit: int = LINKED,
) -> list[tuple[str, str]]:
    """Return datasets beyond the hits that are linked to them, best first, each with what links it.

    Args:
        hits: datasets found by the search, best first.
        graph: links between datasets.
        clause_scores: for each of `question_clauses` the score of every dataset found for it (the more the better, a few
            hundred); without them strength alone decides.
        limit: number of datasets.
    """
    scaled = [scores for raw in clause_scores if (scores := _scaled(raw))]
    fit: dict[str, float] = {}
    for scores in scaled:
        for dataset, score in scores.items():
            fit[dataset] = max(fit.get(dataset, 0.0), score)
    reached = _reach(hits, graph, fit)

    def order(scores: Mapping[str, float]) -> list[str]:
        wanted = reached if not scaled else [dataset for dataset in reached if dataset in scores]
        rank = {d: max(scores.get(d, 0.0), _MIN_FIT) * reached[d][0] ** STRENGTH for d in wanted}
        return sorted(wanted, key=lambda d: (-rank[d], d))

    chosen: dict[str, None] = {}
    queues = [order(scores) for scores in scaled or [{}]]
    for position in range(max(map(len, queues), default=0)):
        for queue in queues:
            if position < len(queue):
                chosen.setdefault(queue[position])
        if len(chosen) >= limit:
            break
    return [(dataset, reached[dataset][1]) for dataset in list(chosen)[:limit]]


def _scaled(scores: Mapping[str, float]) -> dict[str, float]:
    top = max(scores.values(), default=0.0)
    return {dataset: score / top for dataset, score in scores.items()} if top > 0 else {}


def _reach(hits: Sequence[str], graph: LinkGraph, fit: Mapping[str, float]) -> dict[str, tuple[float, str]]:
    """Return dataset → (strength, via) of what is one or two steps from the hits."""
    own = set(hits)
    reached: dict[str, tuple[float, str]] = {}

    def step(factor: float, prefix: str, links: Iterable[Link]) -> None:
        for link in links:
            strength = factor * link.weight
            if link.other not in own and strength > reached.get(link.other, (0.0, ""))[0]:
                reached[link.other] = (strength, prefix + link.via)

    for position, hit in enumerate(hits):
        factor = 1.0 / (1.0 + _RANK_LOSS * position)
        step(factor, "", graph.links(hit))
        step(factor, "", graph.of_same_years(hit, fit))
    first = sorted(reached, key=lambda d: (-fit.get(d, _MIN_FIT) * reached[d][0] ** STRENGTH, d))[:_FRONTIER]
    for dataset in first:
        strength, via = reached[dataset]
        step(SECOND_STEP * strength, f"{via}; then ", graph.links(dataset))
    return reached
