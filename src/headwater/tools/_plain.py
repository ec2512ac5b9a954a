"""Results as plain text for agents and MCP: no boxes, no colours, few characters, and always told what was left out.

What stands in documents is given between « and », after the name of its document: it is data, whatever it says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headwater.errors import HeadwaterError
from headwater.tools._brief import Brief
from headwater.tools._quoting import line_of, name_of, quote

if TYPE_CHECKING:
    from headwater.lake import (
        DatasetListing,
        DocumentListing,
        Inspection,
        Reading,
        Related,
        Status,
    )
    from headwater.sql import SqlResult

CELL, HEADING, FOLDERS, NOTE = 160, 40, 12, 240
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


def told_rows(
    header: list[str], rows: list[list[Any]], total: int | None, budget: int = ROWS_CHARACTERS
) -> str:
    """Return rows as lines with " | " between cells, as many as fit, and how many of how many these are."""
    lines, used = [" | ".join(_headings(header))], 0
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


def _headings(names: Sequence[str]) -> list[str]:
    """Return names of columns, long ones without their middle; those that look alike then are numbered."""
    told = [line_of(n) for n in names]
    told = [n if len(n) <= HEADING else f"{n[: HEADING - 15]}…{n[-14:]}" for n in told]
    return [n if told.count(n) == 1 else f"{n} ({i})" for i, n in enumerate(told, 1)]


def _cell(value: Any) -> str:
    text = "NULL" if value is None else line_of(value)
    return text if len(text) <= CELL else text[: CELL - 1] + "…"


def told_sql(result: SqlResult, brief: Brief) -> str:
    """Return the rows of a query, what its joins did where that looks wrong, and texts about names in the first rows."""
    text = told_rows([c.name for c in result.columns], result.rows, result.row_count)
    if not result.rows:
        text += "\n[no rows]"
    warnings = [line_of(d["message"]) for d in result.diagnostics if d.get("level") == "warning"]
    about = brief.texts_about(result.rows)
    leads = [f"texts: {'; '.join(about)}"] if about else []
    return "\n".join([text, *(f"Warning: {w}" for w in warnings[:3]), *leads])


def told_inspection(result: Inspection, brief: Brief) -> str:
    """Return what is in a document: tables with all columns, notes, warnings, pages, series and joins."""
    d = result.document
    lines = [
        f"{line_of(d.id)} [{d.format}, {d.state}{': ' + line_of(d.reason) if d.reason else ''}] {quote(d.title)}"
    ]
    lines += [f"Warning: {line_of(w)}" for w in d.warnings[:3]]
    held = {t.ref: t for t in brief.lake.catalog.tables(d.duplicate_of or d.id)}
    for view in result.tables:
        record = held.get(view.ref)
        if record is None:
            continue
        brief.described.add(record.ref)
        lines.append(f"{brief.head(record)}: {brief.columns(record, full=len(result.tables) < 4)}")
        lines += [
            f"  {name}: {quote(note, NOTE)}"
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
    tables = brief.lake.catalog.tables(result.document) if not result.start else []
    listed = ", ".join(f"{brief.head(t)}" for t in tables[:3]) + (" …" if len(tables) > 3 else "")
    return (
        f"{brief.names.of(result.document)}{page} «{text}» "
        f"[characters {result.start:,} to {result.end:,} of {result.length:,}{more}"
        f"{'; tables: ' + listed if listed else ''}]"
    )


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
        f"{name_of(j['column'])} = {names.of(j['document'])}.{name_of(j['other_column'])} (match {j['match_rate']:.2f}, fan-out {j['fan_out']:.1f})"
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
        lines = [
            f"{line_of(d)} ({n}){'' if t == d else ' ' + quote(t, 80)}" for d, t, n in result.datasets.items
        ]
        window, noun = result.datasets, "datasets"
        if window.total > len(window.items):
            lines.insert(
                0, f"by folder: {_folders(brief)}; --prefix FOLDER/ lists one; search finds datasets by words"
            )
    else:
        lines = [f"{line_of(result.dataset)} {quote(result.title)} {quote(result.description, 200)}"]
        lines += [
            f"{brief.names.of(d.id)} {result.shapes.get(d.id) or line_of(d.reason)}"
            for d in result.documents.items
        ]
        window, noun = result.documents, "documents"  # type: ignore[assignment]
    cut = window.told(noun)
    return "\n".join([*lines, *([f"[{cut}; --offset shows the following]"] if cut else [])])


def _folders(brief: Brief) -> str:
    """Return the folders at the top of the lake with the number of their datasets, the largest first."""
    counts = Counter(d.split("/")[0] for d in brief.lake.catalog.dataset_sizes())
    more = f" … {len(counts)} in all" if len(counts) > FOLDERS else ""
    return ", ".join(f"{line_of(d)} {n:,}" for d, n in counts.most_common(FOLDERS)) + more


def told_status(result: Status, _: Brief) -> str:
    """Return the counts of the lake."""
    return f"{result.datasets:,} datasets, {result.documents:,} documents, {result.tables:,} tables; {result._caption()}"


PLAIN: dict[str, Callable[[Any, Brief], str]] = {
    "list": told_list,
    "inspect": told_inspection,
    "read": told_reading,
    "related": told_related,
    "sql": told_sql,
    "status": told_status,
}
"""How the result of each tool is told; searches are told by `headwater.tools._hits`."""
