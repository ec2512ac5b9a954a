"""A trace as text for people."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from headwater.cli._live import cost_of
from headwater.cli._render import safe

if TYPE_CHECKING:
    from rich.console import Console

    from headwater.trace import Measures, Trace

_WIDTH = 100
_LISTED = 12


def show(trace: Trace, events: list[dict[str, Any]], figures: Measures, out: Console) -> None:
    """Print a session: question, calls, documents, cost, answer."""
    out.print(f"{safe(figures.question or trace.id)}", style="bold")
    out.print(f"session {trace.id}, {safe(events[0].get('at', '')[:19]) if events else 'empty'}")
    number = 0
    for event in events:
        kind = event["event"]
        if kind == "call":
            number += 1
            _call(number, event, out)
        elif kind == "model":
            out.print(f"     model: {cost_of(event.get('usage') or {})}")
        elif kind == "damaged":
            out.print(f"     line {event.get('line')} of the trace is damaged")
        elif kind == "note":
            out.print(f"     {safe(str(event.get('text', '')))}")
        elif kind == "submit":
            record = event.get("record") or {}
            told = event.get("answer") or record.get("text") or ""
            out.print(f"  => {safe(str(told))} ({safe(str(record.get('verification', '')))})", style="bold")
            for source in event.get("sources") or ():
                out.print(f"     from {safe(source)}")
            for assumed in record.get("assumptions") or ():
                out.print(f"     assumed: {safe(assumed)}")
        elif kind == "end":
            out.print(f"     ended: {safe(str(event.get('stop_reason')))}")
    _sum(figures, out)


def _call(number: int, event: dict[str, Any], out: Console) -> None:
    given = event.get("arguments") or {}
    told = " ".join(
        str(v) if isinstance(v, str) else json.dumps(v, ensure_ascii=False) for v in given.values()
    )
    line = safe(" ".join(told.split()))
    out.print(
        f"{number:>3}. {safe(event.get('tool', ''))} {line[:_WIDTH]}{'…' if len(line) > _WIDTH else ''}"
    )
    parts = [f"{event.get('characters', 0):,} characters", f"{event.get('seconds', 0):.2f} s"]
    if event.get("retrieved"):
        parts.append(f"{len(event['retrieved'])} found")
    if event.get("opened"):
        parts.append(f"{len(event['opened'])} opened")
    if event.get("handle"):
        parts.append(f"@{event['handle']}")
    if not event.get("ok", True):
        parts.append("failed: " + safe(str((event.get("error") or {}).get("message", "")))[:_WIDTH])
    out.print("     " + ", ".join(parts))


def _sum(figures: Measures, out: Console) -> None:
    out.print(
        f"{figures.calls} calls, {figures.characters:,} characters, {figures.seconds:.1f} s"
        + (f", {figures.errors} failed" if figures.errors else "")
    )
    found, opened = len(figures.retrieved), len(figures.opened)
    out.print(f"{found} documents found in {len(figures.retrieved_datasets)} datasets, {opened} opened")
    for document in figures.opened[:_LISTED]:
        out.print(f"  opened {safe(document)}")
    if opened > _LISTED:
        out.print(f"  … {opened - _LISTED} more")
    if figures.usage.get("calls"):
        out.print(f"model: {figures.usage['calls']} calls, {cost_of(figures.usage)}")
