"""What a search found, in few characters: tables ready for a query, texts with their best sentences, the rest by name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from headwater.errors import HeadwaterError
from headwater.tools._brief import Brief
from headwater.tools._passages import Passage, alike, best_passages, words_of
from headwater.tools._plain import told_error
from headwater.tools._quoting import clip, line_of, quote

if TYPE_CHECKING:
    from headwater.catalog import TableRecord
    from headwater.lake import LakeSearch

CHARACTERS, LEAST_CHARACTERS = 2_400, 600
"""Characters of all hits of a call, shared out among its queries, and of one query at least."""

ONE_QUERY = 1_300
"""Characters of the hits of one query at most."""

FULL_TABLES, FULL_TEXTS, NAMED_TABLES, FURTHER, LEAST_NAMED = 2, 2, 2, 4, 2
"""Hits of a query whose columns, and whose sentences, are written out; further tables with the names of some columns;
and further hits by name, at most and at least."""

LITTLE, HALF, NEXT, SURE = 0.34, 0.5, 0.75, 2
"""Share of the query's words that a further table must hold to be written out; shares of the best one's words that a
table must have to be told with columns, and a hit to be written out; the rank up to which it need not."""

BESIDE, MANY_BESIDE = 2, 12
"""Tables of a dataset that are named beside what describes it, and the number of its tables from which on none is."""

SECOND_WIDTH, ASKED, TITLE = 180, 40, 60
"""Characters of the sentence of a second text, of a query that is repeated as a heading, and of a title."""

NESTED = ("json", "yaml", "xml")
"""Formats whose documents may hold lists, which become tables, beside what else they say."""

_SAME = ("part of", "same content", "same content in another order")
"""Relations to a document that holds all that this one holds."""


def told_searches(asked: Sequence[str], results: Sequence[LakeSearch | HeadwaterError], brief: Brief) -> str:
    """Return the hits of one or several queries, and how the tables among them join."""
    budget = ONE_QUERY if len(results) == 1 else max(LEAST_CHARACTERS, CHARACTERS // len(results))
    tables: dict[str, TableRecord] = {}
    parts = []
    for query, found in zip(asked, results, strict=True):
        page = _Page(brief, budget, tables)
        text = told_error(found) if isinstance(found, HeadwaterError) else page.told(found)
        parts.append(text if len(results) == 1 else f"== {clip(query, ASKED)}\n{text}")
    joins = brief.joins_among(list(tables))
    return "\n".join([*parts, *([f"joins: {joins}"] if joins else [])])


@dataclass(slots=True)
class _View:
    """A hit with what is needed to weigh it: the share of the query's words that it holds where a reader would look."""

    hit: Any
    record: Any
    tables: list[TableRecord]
    cover: float = 0.0
    passages: list[Passage] = field(default_factory=list)
    values: dict[str, list[str]] = field(default_factory=dict)
    copies: list[str] = field(default_factory=list)

    @property
    def aside(self) -> bool:
        """Whether it only describes other documents."""
        return bool(self.record.role == "metadata") or _describes(self.record.id)

    @property
    def weight(self) -> float:
        """What orders hits in the output: the share of words, the rank, and data before what describes data."""
        return float(self.cover + 1.0 / (1 + self.hit.rank) - (0.4 if self.aside else 0.0))


@dataclass(slots=True)
class _Page:
    """The hits of one query as they are told.

    Attributes:
        brief: writes tables.
        budget: characters.
        tables: of the whole call, written out so far.
        series: those of these tables.
    """

    brief: Brief
    budget: int
    tables: dict[str, TableRecord]
    series: set[str] = field(default_factory=set)

    def told(self, found: LakeSearch) -> str:
        """Return the hits: those with most of the query's words first and in full, the others by name."""
        lines = [f"Note: {line_of(n)}" for n in found.notes[:2]]
        views = _folded([_view(h, self.brief, found.query) for h in found.hits], self.brief)
        chosen = _chosen(views)
        used, first, more = sum(map(len, lines)), True, list[_View]()
        for view in views:
            block = ""
            if view in chosen:
                block = self._table(view, found.query) if view.tables else self._text(view, first=first)
            if not block or (used and used + len(block) > self.budget):
                more.append(view)
                continue
            if view.tables:
                self.series |= {view.record.series} - {""}
                self.tables.setdefault(view.hit.document, view.tables[0])
                self.brief.described.add(view.tables[0].ref)
            else:
                first = False
                self.brief.quoted.append(view.hit.document)
            lines.append(block)
            used += len(block) + 1
        lines += self._further(more, found.query)
        if not found.hits:
            lines.append("Nothing found. Try other words.")
        covered = found.coverage
        if covered.get("covered") != covered.get("documents"):
            lines.append(f"search covers {covered.get('covered')} of {covered.get('documents')} documents")
        return "\n".join(lines)

    def _table(self, view: _View, query: str) -> str:
        brief, hit, table = self.brief, view.hit, view.tables[0]
        several = f" (1 of {len(view.tables)} tables there)" if len(view.tables) > 1 else ""
        copies = f" (holds {', '.join(view.copies)} too)" if view.copies else ""
        record = view.record
        inner = record.format in NESTED and record.text_length and not table.sheet
        rest = " (rows of a list in it; the rest: read it)" if inner else ""
        head = f"{brief.head(table)}{several}{copies}{rest}{self._title(hit)} [{line_of(hit.dataset)}]"
        if table.ref in brief.described:
            return f"{brief.head(table)} (columns told before)"
        more = [
            brief.columns(table, query, view.values),
            brief.series(hit.series or view.record.series),
            brief.naming(table),
        ]
        return "\n  ".join([head, *(m for m in more if m)])

    def _title(self, hit: Any) -> str:
        """Return what the name as it is told does not say: the rest of a long one, or a title."""
        file, short = hit.document.rsplit("/", 1)[-1], self.brief.names.of(hit.document)
        if file.startswith(short) and file != short:
            return f" {quote('…' + file[len(short) :].rsplit('.', 1)[0])}"
        known, plain = (
            "".join(c for c in text.lower() if c.isalnum()) for text in (file.rsplit(".", 1)[0], hit.title)
        )
        return "" if plain in known else f" {quote(hit.title[:80])}"

    def _text(self, view: _View, *, first: bool) -> str:
        hit = view.hit
        telling = [p for p in view.passages if p.text != hit.title] or view.passages
        passages = telling[: 2 if first and sum(len(p.text) for p in telling) <= 300 else 1]
        said = " ".join(quote(p.text if first else _clipped(p.text)) for p in passages) or quote(
            hit.snippet[:130]
        )
        page = f" page {hit.page}" if hit.page else ""
        about = self._about(hit) if first or hit.page else ""
        return f"{self.brief.names.of(hit.document)}{page}{about}: {said}"

    def _name(self, view: _View) -> str:
        """Return a hit by its name; one that describes a dataset with the tables that it is about."""
        if view.tables and not view.aside:
            return self.brief.head(view.tables[0])
        about = self._tables_beside(view) if view.aside else []
        return self.brief.names.of(view.hit.document) + (f" (on {', '.join(about)})" if about else "")

    def _tables_beside(self, view: _View) -> list[str]:
        """Return the names of a few tables of a dataset that a hit describes, those that were not written out."""
        catalog = self.brief.lake.catalog
        if view.hit.dataset in {d.dataset for t in self.tables if (d := catalog.document(t))}:
            return []
        documents = [d for d in catalog.documents(dataset=view.hit.dataset) if d.state == "ingested"]
        listed = [d.id for d in documents if d.kind == "table" and d.role == "data" and not _describes(d.id)]
        return [self.brief.names.of(d) for d in listed[:BESIDE]] if len(listed) <= MANY_BESIDE else []

    def _about(self, hit: Any) -> str:
        """Return the title of a text or its dataset where the text's name says nothing of it."""
        dataset = self.brief.lake.catalog.dataset(hit.dataset)
        known = words_of(re.sub(r"[\W_]+", " ", " ".join(hit.document.split("/")[-2:])))
        for title in (hit.title, dataset.title if dataset else ""):
            if any(not any(alike(w, k) for k in known) for w in words_of(title)):
                return f" {quote(title[:TITLE])}"
        return ""

    def _further(self, views: list[_View], query: str) -> list[str]:
        """Return the remaining hits: some tables with names of columns, then the others by name."""
        most = max((v.cover for v in views), default=0.0)
        fresh = [v for v in views if v.tables and not v.aside and v.record.series not in self.series]
        near = [v for v in fresh if v.cover >= max(LITTLE, NEXT * most)] or fresh[:1]
        tables = [v for v in near if v.cover >= HALF * most][:NAMED_TABLES]
        out = [
            f"{self.brief.head(v.tables[0])}: {self.brief.column_names(v.tables[0], query, v.values)}"
            for v in tables
        ]
        rest = [v for v in views if v not in tables]
        fitting = [v for v in rest if v.cover >= LITTLE]
        named = [*fitting, *(v for v in rest if v not in fitting)][
            : max(LEAST_NAMED, min(FURTHER, len(fitting)))
        ]
        names = [self._name(v) for v in named]
        left = [f"{len(rest) - len(named)} more"] if len(rest) > len(named) else []
        return [*out, *([f"further: {'; '.join([*names, *left])}"] if rest else [])]


def _chosen(views: Sequence[_View]) -> list[_View]:
    """Return the hits that are written out: those with nearly the most words, the first ranks, tables of their datasets."""
    most = max((v.cover for v in views), default=0.0)
    strong = [v for v in views if v.cover >= NEXT * most]
    near = {v.hit.dataset for v in strong}
    likely = [
        v
        for v in views
        if v in strong or (v.hit.rank <= SURE and not v.aside) or (v.tables and v.hit.dataset in near)
    ]
    tables = [v for v in likely if v.tables and not v.aside]
    texts = [v for v in likely if not v.tables]
    second = [v for v in tables[1:] if v.cover >= max(LITTLE, NEXT * tables[0].cover)]
    return [
        *tables[:1],
        *second[: FULL_TABLES - 1],
        *texts[:1],
        *[v for v in texts[1:] if v in strong][: FULL_TEXTS - 1],
    ]


def _describes(document: str) -> bool:
    return document.rsplit("/", 1)[-1].lower().startswith(("readme", "metadata"))


def _clipped(text: str) -> str:
    return text if len(text) <= SECOND_WIDTH else text[:SECOND_WIDTH].rsplit(" ", 1)[0] + "…"


def _view(hit: Any, brief: Brief, query: str) -> _View:
    record = brief.lake.catalog.document(hit.document)
    tables = brief.lake.catalog.tables(hit.document) if hit.kind == "table" else []
    view = _View(hit, record, tables)
    held = f"{hit.title} {hit.dataset.rsplit('/', 1)[-1]}"
    if tables:
        for why in hit.why:
            if why.startswith("value of "):
                column, _, value = why.removeprefix("value of ").partition(": ")
                if _meant(value, query):
                    view.values.setdefault(column, []).append(value)
        table = next((t for t in tables if view.values.keys() & {c["name"] for c in t.columns}), tables[0])
        view.tables = [table, *(t for t in tables if t is not table)]
        held += " " + " ".join(f"{c['name']} {c.get('description') or ''}" for c in table.columns)
        held += " " + " ".join(v for values in view.values.values() for v in values)
    else:
        body = brief.lake.catalog.body(record.content) if record and record.content else None
        text = (body.text if body else "") or ""
        if body and body.pages and hit.page:
            text = dict(body.pages).get(hit.page, text)
        view.passages = best_passages(text, query)
        held += " " + " ".join(p.text for p in view.passages)
    wanted, own = words_of(query), set(words_of(held.replace("_", " ")))
    view.cover = sum(any(alike(w, o) for o in own) for w in wanted) / len(wanted) if wanted else 0.0
    return view


def _meant(value: str, query: str) -> bool:
    """Tell whether a value that shares a word with a query is what the query speaks of: half of its words are there."""
    own, wanted = words_of(value), words_of(query)
    return 2 * sum(any(alike(o, w) for w in wanted) for o in own) >= len(own)


def _folded(views: list[_View], brief: Brief) -> list[_View]:
    """Return the views, best first, without tables that another one among them holds whole: that takes the better place."""
    views = sorted(views, key=lambda v: -v.weight)
    found = {v.hit.document: v for v in views}
    holder: dict[str, str] = {}
    for view in views:
        if not view.tables:
            continue
        document = view.hit.document
        for copy in brief.lake.catalog.relations.copies(document):
            other = copy["document"]
            if (
                copy["kind"] in _SAME
                and found.get(other, view).tables
                and other in found
                and holder.get(other) != document
            ):
                holder[document] = other
                found[other].copies.append(brief.names.of(document))
                break
    return list(
        {
            v.hit.document: v for v in (found[holder.get(v.hit.document, v.hit.document)] for v in views)
        }.values()
    )
