"""Results as text for people. What comes from the lake is printed as text, never as markup or control codes."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headwater.cli._emit import safe as safe
from headwater.cli._emit import safe_text
from headwater.errors import HeadwaterError, UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from headwater.sql import SqlResult
    from headwater.storage import Check

MOST_COLUMNS = 60
"""Columns of a table that `inspect` prints."""


def show(verb: str, result: Any, out: Console) -> None:
    """Print the result of a verb, or of several inputs one after the other."""
    if hasattr(result, "asked"):
        for asked, one in zip(result.asked, result.results, strict=True):
            out.print(f"== {safe(asked)}", style="bold")
            out.print(f"Error: {safe(one)}") if isinstance(one, HeadwaterError) else show(verb, one, out)
        return
    _RENDERERS[verb](result, out)


def _one_line(text: str) -> str:
    return safe(" / ".join(line.strip() for line in text.splitlines() if line.strip()))


def _grid(out: Console, header: list[str], rows: list[list[Any]]) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in header:
        table.add_column(Text(safe(name)), overflow="fold")
    for row in rows:
        table.add_row(*(Text(safe(cell)) for cell in row))
    out.print(table)


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{n:,} {state}" for state, n in counts.items())


def _ingest(result: Any, out: Console) -> None:
    total = sum(result.counts.values())
    out.print(f"{total:,} files: {_counts(result.counts)}")
    out.print(
        f"{result.read:,} read ({result.bytes / 1e6:,.1f} MB), {result.changed:,} documents changed, "
        f"{result.removed:,} removed, {result.seconds:.1f} s"
    )
    for notice in result.notices:
        out.print(f"Note: {safe(notice)}")
    bad = [f for f in result.files if f[1] == "failed"]
    for document, _, reason, _ in bad[:20]:
        out.print(f"failed: {safe(document)}: {safe(reason)}")
    if len(bad) > 20:
        out.print(f"… and {len(bad) - 20:,} more failed; headwater status --json lists the causes")
    if result.interrupted:
        out.print("Interrupted. What was read is kept; run the same command again to go on.")


def _status(result: Any, out: Console) -> None:
    out.print(f"{sum(result.counts.values()):,} files: {_counts(result.counts)}")
    out.print(
        f"{result.datasets:,} datasets, {result.documents:,} documents, {result.tables:,} tables, {result.passages:,} passages"
    )
    share = 100 if not result.documents else 100 * result.covered / result.documents
    out.print(
        f"search covers {result.covered:,} of {result.documents:,} documents ({share:.0f} %), vectors: {result.embedder or 'none'}"
    )
    if result.warned:
        out.print(f"{result.warned:,} documents have warnings; headwater inspect DOCUMENT shows them")
    for state, reason, n, example in result.problems[:25]:
        more = f" (and {n - 1:,} more)" if n > 1 else ""
        out.print(f"{state}: {safe(example)}{more}: {safe(reason)}")
    if len(result.problems) > 25:
        out.print(f"… {len(result.problems) - 25:,} more causes; --json lists them all")


def _search(result: Any, out: Console) -> None:
    for note in result.notes:
        out.print(f"Note: {safe(note)}")
    if not result.hits:
        out.print("Nothing found.")
    for hit in result.hits:
        out.print(f"{hit.rank:>3}. {safe(hit.title)}", style="bold")
        out.print(f"     {safe(hit.document)} [{hit.kind}, {safe(hit.format)}]")
        card = result.cards.get(hit.document, "")
        if card:
            out.print(f"     {safe(card)}")
        if hit.snippet:
            out.print(f"     {safe(' '.join(hit.snippet.split()))}")
        if hit.why:
            out.print(f"     why: {safe('; '.join(hit.why[:4]))}")
        if hit.series:
            out.print(f"     series:{safe(hit.series)} with {len(result.series.get(hit.series, []))} members")
        if hit.duplicates:
            out.print(f"     +{len(hit.duplicates)} copies")
    if result.datasets:
        out.print("datasets: " + ", ".join(safe(d.dataset) for d in result.datasets))
    if result.linked:
        out.print("linked: " + ", ".join(safe(x["dataset"]) for x in result.linked) + "; --json says how")
    covered = result.coverage
    if covered.get("covered") != covered.get("documents"):
        out.print(
            f"search covers {covered.get('covered'):,} of {covered.get('documents'):,} documents; run headwater ingest"
        )


def _list(result: Any, out: Console) -> None:
    if hasattr(result, "datasets"):
        _grid(out, ["dataset", "title", "documents"], [list(d) for d in result.datasets.items])
        told = result.datasets.told("datasets")
    else:
        out.print(f"{safe(result.title)} [{safe(result.dataset)}]", style="bold")
        if result.description:
            out.print(safe(result.description)[:600])
        rows = [
            [d.id, d.format, result.shapes.get(d.id) or d.reason, d.title] for d in result.documents.items
        ]
        _grid(out, ["document", "format", "shape", "title"], rows)
        told = result.documents.told("documents")
    if told:
        out.print(f"{told}; --offset shows the following ones")


def _inspect(result: Any, out: Console) -> None:
    d = result.document
    out.print(safe(d.title), style="bold")
    state = d.state if not d.reason else f"{d.state}: {d.reason}"
    out.print(
        f"{safe(d.id)} [{d.kind}, {safe(d.format)}, {d.size:,} bytes, {safe(d.encoding or '')}] {safe(state)}"
    )
    for line in result.card.splitlines()[1:]:
        if not line.startswith(("- ", "Columns:", "Warning: ")):
            out.print(safe(line))
    for warning in d.warnings[:10]:
        out.print(f"warning: {safe(warning)}")
    for table in result.tables:
        out.print(
            f"\nt('{safe(table.ref)}'): {table.rows:,} rows x {len(table.columns)} columns"
            + (", hidden in its workbook" if table.hidden else ""),
            style="bold",
        )
        if table.preamble:
            out.print(f"above: {_one_line(table.preamble)}")
        rows = [
            [
                c["name"],
                c["type"],
                c["unit"],
                c["feature_type"],
                c["distinct"],
                c["missing"],
                c["description"] or "",
                " | ".join(c["examples"]),
            ]
            for c in table.columns[:MOST_COLUMNS]
        ]
        _grid(out, ["column", "type", "unit", "kind", "distinct", "missing", "meaning", "examples"], rows)
        if len(table.columns) > MOST_COLUMNS:
            out.print(f"{len(table.columns) - MOST_COLUMNS:,} more columns; --json shows all")
        for note in table.notes:
            out.print(f"note: {safe(note)}")
        if table.footer:
            out.print(f"below: {_one_line(table.footer)}")
        if table.quarantined_count:
            out.print(
                f"{table.quarantined_count} records set aside, e.g. line {table.quarantined[0][0]}: {safe(table.quarantined[0][1])}"
            )
    if len(result.tables) < result.table_count:
        out.print(f"{len(result.tables)} of {result.table_count} tables shown")
    if result.excerpt and not result.tables and not result.card:
        out.print(safe(result.excerpt))
    if result.pages:
        out.print(f"{result.pages} pages; headwater read {safe(d.id)} --page N")
    for member in result.members[:20]:
        out.print(f"member: {safe(member)}")


def _read(result: Any, out: Console) -> None:
    if hasattr(result, "find"):
        for d in result.documents:
            longer = f", {d.parts} with longer words" if d.parts != d.whole else ""
            counted = (
                f": {d.whole} time{'' if d.whole == 1 else 's'}{longer}" if d.parts or not d.passages else ""
            )
            out.print(f"{safe(d.document)}{counted}", style="bold")
            for passage in d.passages:
                out.print(f"  {safe(passage.text)}")
        if result.without:
            out.print(f"{result.without:,} more documents hold none of it")
        if result.unread:
            out.print(f"{result.unread:,} more documents fit and were not looked through: narrow the pattern")
        return
    if result.kind == "rows":
        _grid(out, ["_row", *result.columns], [[r, *cells] for r, _, cells in result.rows])
        out.print(f"rows {result.start + 1:,} to {result.end:,} of {result.row_count:,}")
    else:
        for line in result.text.split("\n"):
            out.print(safe(line.rstrip("\r")))
        where = f"page {result.page} of {result.pages}, " if result.page else ""
        out.print(f"[{where}characters {result.start:,} to {result.end:,} of {result.length:,}]")
    if result.next:
        out.print("next: " + " ".join(f"--{k} {v}" for k, v in result.next.items()))


def _related(result: Any, out: Console) -> None:
    for duplicate in result.duplicates:
        out.print(f"{safe(duplicate['kind'])}: {safe(duplicate['document'])}")
    if result.series:
        out.print(f"series:{safe(result.series['id'])} with {len(result.series['members'])} members")
        for member in result.series["members"][:30]:
            out.print(f"  {safe(member['document'])} {safe(member.get('label') or '')}")
    for join in result.joins:
        arrow = "joins" if join["direction"] == "to" else "joined by"
        out.print(
            f"{arrow}: {safe(join['column'])} = {safe(join['document'])}.{safe(join['other_column'])} "
            f"(match rate {join['match_rate']:.2f}, fan-out {join['fan_out']:.2f})"
        )
    for mention in result.mentions:
        where = f" in its column {safe(mention['column'])}" if mention["column"] else ""
        out.print(
            f"{mention['direction']}: {safe(mention['document'])}{where}: {safe(', '.join(mention['entities'][:5]))}"
        )
    if result.left_out:
        out.print("not shown: " + ", ".join(f"{n} more {k}" for k, n in result.left_out.items()))
    if not (result.duplicates or result.series or result.joins or result.mentions):
        out.print("Nothing related was found.")


def sql(result: SqlResult, out: Console, form: str) -> None:
    """Print a query's rows as a table, as CSV or as Markdown, with the counts and what the joins did."""
    names = [c.name for c in result.columns]
    if form == "csv":
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(result.rows)
        out.file.write(safe_text(text.getvalue()) if out.is_terminal else text.getvalue())
    elif form == "md":
        lines = [names, ["---"] * len(names), *result.rows]
        out.file.write(
            "".join("| " + " | ".join(safe(v).replace("|", "\\|") for v in line) + " |\n" for line in lines)
        )
    elif form == "table":
        _grid(out, names, result.rows)
    else:
        raise UsageError(f"--format is table, csv or md, not {form!r}.")
    if form == "table" or result.truncated:
        out.print(result.summary)
    for line in result.diagnostics:
        out.print(safe(line.get("message", line)))


def checks(found: list[Check], out: Console) -> None:
    """Print what `doctor` found."""
    for check in found:
        mark = {True: "ok ", False: "BAD", None: " ? "}[check.ok]
        out.print(f"{mark} {safe(check.name)}: {safe(check.detail)}")
        if check.hint and not check.ok:
            out.print(f"    do: {safe(check.hint)}")


_RENDERERS: dict[str, Callable[[Any, Console], None]] = {
    "ingest": _ingest,
    "status": _status,
    "search": _search,
    "list": _list,
    "inspect": _inspect,
    "read": _read,
    "related": _related,
    "sql": lambda result, out: sql(result, out, "table"),
}
