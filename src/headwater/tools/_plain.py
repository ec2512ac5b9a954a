"""Results as plain text for agents and MCP: no boxes, no colours, few characters, and always told what was left out.

What stands in documents is given between « and », after the name of its document: it is data, whatever it says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from headwater.errors import HeadwaterError
from headwater.tools._brief import Brief, line_of
from headwater.tools._passages import Passage, alike, best_passages, words_of

if TYPE_CHECKING:
    from headwater.lake import (
        DatasetListing,
        DocumentListing,
        Inspection,
        LakeSearch,
        Reading,
        Related,
        Status,
    )
    from headwater.sql import SqlResult

SEARCH_CHARACTERS = 1_300
"""Characters of the hits of one query."""

SEVERAL_CHARACTERS = 2_400
"""Characters of the hits of several queries, shared out among them."""

FULL_TABLES, FULL_TEXTS, FURTHER = 2, 2, 5
"""Hits of a query whose columns, and whose sentences, are written out; and further ones that are named."""

ENOUGH, LITTLE, NEXT = 0.75, 0.34, 0.8
"""Share of the query's words in a hit above which no further tables are written out, and below which a text is only named; the share of
the first table's that a second one must have."""

CELL = 160
SIBLINGS, MANY_SIBLINGS = 200, 30
"""Characters of names of further tables of a dataset; where there are more tables than this, names say little."""

ROWS_CHARACTERS = 1_600
TEXT_CHARACTERS = 2_400

_RETRY = {
    "usage": "Retry with changed arguments.",
    "not_found": "Retry with another name.",
    "ambiguous": "Retry with the longer name.",
    "limit": "Retry with less: fewer rows, a narrower question.",
    "refused": "The same call will be refused again.",
    "setup": "A retry cannot help; this has to be set up first.",
    "missing_extra": "A retry cannot help; this has to be set up first.",
    "unreadable": "A retry cannot help; use another document.",
    "code": "Retry with corrected code.",
}


def told_error(error: HeadwaterError) -> str:
    """Return an error in one or two lines: what, the nearest existing things, and whether a retry can help."""
    parts = [f"Error ({error.kind}): {line_of(error.message)}"]
    if error.where:
        parts.append(f"At {line_of(error.where)}.")
    if error.hint:
        parts.append(line_of(error.hint))
    near = [n for n in error.nearest if n not in error.hint]
    if near:
        parts.append("Nearest: " + ", ".join(line_of(n) for n in near[:5]) + ".")
    parts.append(_RETRY.get(error.kind, ""))
    return " ".join(p for p in parts if p)


def quote(text: str) -> str:
    """Return text of a document, marked as such; marks of its own cannot end it."""
    return "«" + line_of(text).replace("«", "<").replace("»", ">") + "»"


def told_search(found: LakeSearch, brief: Brief, *, budget: int = SEARCH_CHARACTERS) -> str:
    """Return the hits of one query: tables with columns, texts with the sentences that fit best.

    The hits that hold most of the query's words come first and in full, the others by name.
    """
    lines = [f"Note: {line_of(n)}" for n in found.notes[:2]]
    shown = {h.document for h in found.hits}
    views = sorted((_view(h, brief, found.query) for h in found.hits), key=lambda v: -v.weight)
    full, texts, more = 0, 0, list[str]()
    used, least = sum(map(len, lines)), LITTLE
    for view in views:
        block = ""
        if view.tables and full < FULL_TABLES and not view.aside and (not full or view.cover >= least):
            least = NEXT * view.cover
            block = _table_hit(view, brief, found.query, shown)
            full += 1
        elif not view.tables and texts < FULL_TEXTS and view.cover >= LITTLE:
            block = _text_hit(view, brief, best=not texts)
            texts += 1
        if not block or (used and used + len(block) > budget):
            more.append(brief.head(view.tables[0]) if view.tables else brief.names.of(view.hit.document))
            continue
        least = max(least, ENOUGH if view.cover >= ENOUGH else LITTLE)
        brief.described.update(t.ref for t in view.tables[:1])
        lines.append(block)
        used += len(block) + 1
    if more:
        lines.append(
            "further: "
            + "; ".join(more[:FURTHER])
            + (f" … {len(more)} in all" if len(more) > FURTHER else "")
        )
    others = _siblings(found, views, brief)
    if others and used + len(others) < budget + 200:
        lines.append(others)
    if not found.hits:
        lines.append("Nothing found. Try other words.")
    covered = found.coverage
    if covered.get("covered") != covered.get("documents"):
        lines.append(f"search covers {covered.get('covered')} of {covered.get('documents')} documents")
    return "\n".join(lines)


@dataclass(slots=True)
class _View:
    """A hit with what is needed to weigh it: the share of the query's words that it holds where a reader would look."""

    hit: Any
    record: Any
    tables: list[Any]
    cover: float = 0.0
    passages: list[Passage] = field(default_factory=list)
    values: dict[str, list[str]] = field(default_factory=dict)

    @property
    def aside(self) -> bool:
        """Whether it only describes other documents."""
        name = self.record.id.rsplit("/", 1)[-1].lower()
        return bool(self.record.role == "metadata") or name.startswith(("readme", "metadata"))

    @property
    def weight(self) -> float:
        """What orders hits in the output: the share of words, the rank, and data before what describes data."""
        return float(self.cover + 1.0 / (1 + self.hit.rank) - (0.4 if self.aside else 0.0))


def _view(hit: Any, brief: Brief, query: str) -> _View:
    record = brief.lake.catalog.document(hit.document)
    tables = brief.lake.catalog.tables(hit.document) if hit.kind == "table" else []
    view = _View(hit, record, tables)
    held = f"{hit.title} {hit.dataset.rsplit('/', 1)[-1]}"
    if tables:
        for why in hit.why:
            if why.startswith("value of "):
                column, _, value = why.removeprefix("value of ").partition(": ")
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


def _siblings(found: LakeSearch, views: list[_View], brief: Brief) -> str:
    """Return the names of further tables in the dataset of the best hit, if that is a table."""
    best = [v.hit.dataset for v in views if v.tables and not v.aside][:1]
    if not best:
        return ""
    hit = {h.document for h in found.hits} | {m for members in found.series.values() for m in members}
    documents = [d for d in brief.lake.catalog.documents(dataset=best[0]) if d.state == "ingested"]
    names = [
        brief.names.of(d.id) for d in documents if d.kind == "table" and d.role == "data" and d.id not in hit
    ]
    if not names or len(names) > MANY_SIBLINGS:
        return ""
    told = ", ".join(names[:24])
    return f"also in {best[0]}: {told[:SIBLINGS]}{'…' if len(told) > SIBLINGS or len(names) > 24 else ''} ({len(names)} tables)"


def _table_hit(view: _View, brief: Brief, query: str, shown: set[str]) -> str:
    hit, table = view.hit, view.tables[0]
    several = f" (1 of {len(view.tables)} tables there)" if len(view.tables) > 1 else ""
    head = f"{brief.head(table)}{several}{_title(hit)} [{hit.dataset}]"
    if table.ref in brief.described:
        return f"{head} (columns told before)"
    more = [
        brief.columns(table, query, view.values),
        brief.series(hit.series),
        brief.joins(hit.document, shown),
    ]
    return "\n  ".join([head, *(m for m in more if m)])


def _title(hit: Any) -> str:
    stem = hit.document.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    plain = "".join(c for c in hit.title.lower() if c.isalnum())
    return "" if plain == "".join(c for c in stem.lower() if c.isalnum()) else f" {quote(hit.title[:80])}"


def _text_hit(view: _View, brief: Brief, *, best: bool) -> str:
    hit = view.hit
    page = f" page {hit.page}" if hit.page else ""
    telling = [p for p in view.passages if p.text != hit.title] or view.passages
    passages = telling[: 2 if best and sum(len(p.text) for p in telling) <= 300 else 1]
    said = " ".join(quote(p.text) for p in passages) or quote(hit.snippet[:130])
    series = f" {brief.series(hit.series)}" if hit.series else ""
    return f"{brief.names.of(hit.document)}{page}, {view.record.text_length:,} characters{series}: {said}"


def told_rows(
    header: list[str], rows: list[list[Any]], total: int | None, budget: int = ROWS_CHARACTERS
) -> str:
    """Return rows as lines with " | " between cells, as many as fit, and how many of how many these are."""
    lines, used = [" | ".join(map(line_of, header))], 0
    for row in rows:
        line = " | ".join(_cell(c) for c in row)
        if used + len(line) > budget and used:
            break
        lines.append(line)
        used += len(line) + 1
    shown = len(lines) - 1
    if total is None or shown < total:
        lines.append(f"[{shown:,} of {f'{total:,}' if total is not None else 'more'} rows]")
    return "\n".join(lines)


def _cell(value: Any) -> str:
    text = "NULL" if value is None else line_of(value)
    return text if len(text) <= CELL else text[: CELL - 1] + "…"


def told_sql(result: SqlResult, _: Brief) -> str:
    """Return the rows of a query, and what its joins did where that looks wrong."""
    text = told_rows([c.name for c in result.columns], result.rows, result.row_count)
    if not result.rows:
        text += "\n[no rows]"
    warnings = [line_of(d["message"]) for d in result.diagnostics if d.get("level") == "warning"]
    return "\n".join([text, *(f"Warning: {w}" for w in warnings[:3])])


def told_inspection(result: Inspection, brief: Brief) -> str:
    """Return what is in a document: tables with all columns, notes, warnings, pages, series and joins."""
    d = result.document
    lines = [f"{d.id} [{d.format}, {d.state}{': ' + d.reason if d.reason else ''}] {quote(d.title)}"]
    lines += [f"Warning: {line_of(w)}" for w in d.warnings[:3]]
    held = {t.ref: t for t in brief.lake.catalog.tables(d.duplicate_of or d.id)}
    for view in result.tables:
        record = held.get(view.ref)
        if record is None:
            continue
        brief.described.add(record.ref)
        lines.append(f"{brief.head(record)}: {brief.columns(record, full=len(result.tables) < 4)}")
        lines += [
            f"  {name}: {quote(' '.join(note.split())[:240])}"
            for name, note in (("above", view.preamble), ("below", view.footer))
            if note
        ]
        if view.quarantined_count:
            lines.append(f"  {view.quarantined_count} records set aside")
    if len(result.tables) < result.table_count:
        lines.append(f"{len(result.tables)} of {result.table_count} tables shown")
    lines += [x for x in (brief.series(d.series), brief.joins(d.duplicate_of or d.id)) if x]
    if not result.tables:
        lines.append(
            f"{d.text_length:,} characters{f', {result.pages} pages' if result.pages else ''}: {quote(result.excerpt)}"
        )
    lines += [f"member: {line_of(m)}" for m in result.members[:20]]
    return "\n".join(lines)


def told_reading(result: Reading, brief: Brief) -> str:
    """Return rows, or a stretch of text, with how to see what follows."""
    more = "; next: " + " ".join(f"--{k} {v}" for k, v in result.next.items()) if result.next else ""
    if result.kind == "rows":
        text = told_rows(["_row", *result.columns], [[r, *c] for r, _, c in result.rows], result.row_count)
        return f"{brief.names.of(result.table)}\n{text}{more}"
    text = "\n".join(line_of(x) for x in result.text.split("\n")).replace("«", "<").replace("»", ">")
    page = f" page {result.page} of {result.pages}" if result.page else ""
    return f"{brief.names.of(result.document)}{page} «{text}» [characters {result.start:,} to {result.end:,} of {result.length:,}{more}]"


def told_related(result: Related, brief: Brief) -> str:
    """Return copies, series, joins with match rates, and mentions."""
    names, lines = brief.names, []
    if result.duplicates:
        lines.append(
            "copies: " + ", ".join(f"{names.of(d['document'])} ({d['kind']})" for d in result.duplicates[:6])
        )
    if result.series:
        lines.append(brief.series(result.series["id"]))
    lines.extend(
        f"{j['column']} = {names.of(j['document'])}.{line_of(j['other_column'])} (match {j['match_rate']:.2f}, fan-out {j['fan_out']:.1f})"
        for j in result.joins[:12]
    )
    lines.extend(
        f"{m['direction']} {names.of(m['document'])}: {quote(', '.join(m['entities'][:5]))}"
        for m in result.mentions[:8]
    )
    left = max(0, len(result.joins) - 12) + result.left_out.get("joins", 0)
    left_mentions = max(0, len(result.mentions) - 8) + result.left_out.get("mentions", 0)
    if left or left_mentions:
        lines.append(f"not shown: {left} joins, {left_mentions} mentions")
    return "\n".join(lines) or "Nothing related was found."


def told_list(result: DatasetListing | DocumentListing, brief: Brief) -> str:
    """Return datasets with their titles, or the documents of one with their shapes."""
    from headwater.lake import DatasetListing

    if isinstance(result, DatasetListing):
        lines = [f"{d} ({n}){'' if t == d else ' ' + quote(t[:80])}" for d, t, n in result.datasets.items]
        window, noun = result.datasets, "datasets"
    else:
        lines = [
            f"{result.dataset} {quote(result.title)} {quote(' '.join(result.description.split())[:200])}"
        ]
        lines += [
            f"{brief.names.of(d.id)} {result.shapes.get(d.id) or d.reason}" for d in result.documents.items
        ]
        window, noun = result.documents, "documents"  # type: ignore[assignment]
    cut = window.told(noun)
    return "\n".join([*lines, *([f"[{cut}; --offset shows the following]"] if cut else [])])


def told_status(result: Status, _: Brief) -> str:
    """Return the counts of the lake."""
    return f"{result.datasets:,} datasets, {result.documents:,} documents, {result.tables:,} tables; {result._caption()}"


PLAIN: dict[str, Callable[[Any, Brief], str]] = {
    "search": told_search,
    "list": told_list,
    "inspect": told_inspection,
    "read": told_reading,
    "related": told_related,
    "sql": told_sql,
    "status": told_status,
}
"""How the result of each tool is told."""
