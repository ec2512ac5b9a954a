"""The verb that scores recorded sessions against tasks: bench score-sessions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headwater.cli._emit import Globals, console, emit_json
from headwater.cli._lake import open_lake
from headwater.cli._render import safe

if TYPE_CHECKING:
    from rich.console import Console

    from headwater.lake import Lake
    from headwater.trace import Trace

_HEAD = [
    "task",
    "session",
    "strict",
    "variants",
    "calls",
    "chars",
    "replays",
    "D_ret P/R",
    "D_acc P/R",
    "came to",
]


def score_sessions(
    context: typer.Context,
    sessions: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SESSION]…", help="Ids or trace files; all sessions of the lake if left out."
        ),
    ] = None,
    tasks: Annotated[
        Path | None, typer.Option(help="The tasks: a file of JSON lines, or a folder of task files.")
    ] = None,
    replay: Annotated[
        bool, typer.Option("--replay/--no-replay", help="Compute every answer again without any model.")
    ] = True,
) -> None:
    """Score sessions that any agent or person drove under HEADWATER_SESSION, against tasks in LakeQA's format.

    Example: headwater bench score-sessions --tasks dev.jsonl --lake ./lake
    """
    from headwater.bench.lakeqa import load_tasks
    from headwater.bench.lakeqa import score_sessions as scored
    from headwater.errors import UsageError

    options: Globals = context.obj
    if tasks is None:
        raise UsageError("Name the tasks.", hint="headwater bench score-sessions --tasks dev.jsonl")
    loaded, problems = load_tasks(tasks)
    if not loaded:
        told = f" {problems[0].where}: {problems[0].message}" if problems else ""
        raise UsageError(f"{tasks} holds no task.{told}")
    with open_lake(options) as lake:
        found = scored(loaded, _traces(lake, sessions or []), lake if replay else None)
    found["problems"] = [{"where": p.where, "message": p.message} for p in problems]
    if options.json:
        emit_json("bench.sessions", found)
    else:
        _show(found, console(options))


def _traces(lake: Lake, names: list[str]) -> list[Trace]:
    from headwater.tools import session_folder
    from headwater.trace import Trace, find_trace

    folder = session_folder(lake)
    if names:
        return [find_trace(folder, name) for name in names]
    return [Trace(path) for path in sorted(folder.glob("*.jsonl"))]


def _show(found: dict[str, Any], out: Console) -> None:
    rows = [[safe(cell) for cell in _row(s)] for s in found["sessions"]]
    widths = [max(map(len, column)) for column in zip(_HEAD, *rows, strict=True)]
    for row in [_HEAD, *rows] if rows else []:
        out.print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    totals = found["totals"]
    if not totals["tasks"]:
        out.print("No session belongs to a task.")
    else:
        replayed = "" if totals["replayed"] is None else f", {totals['replayed']} replayed"
        out.print(
            f"{totals['tasks']} of {found['tasks']} tasks in {totals['sessions']} sessions: {totals['right_strictly']} right strictly, "
            f"{totals['right_by_variants']} by variants{replayed}; a task with several sessions needs all of them"
        )
        out.print(
            f"median a task: {totals['median_calls']:g} calls, {totals['median_characters']:,.0f} characters (submit not counted)"
        )
        mean = totals["evidence"]
        out.print(
            "documents: "
            + "; ".join(
                f"{name} P {mean[f'{key}_precision']:.1%} R {mean[f'{key}_recall']:.1%} F1 {mean[f'{key}_f1']:.1%}"
                for name, key in (("D_ret", "ret"), ("D_acc", "acc"))
            )
        )
        out.print(", ".join(f"{n} {name}" for name, n in totals["buckets"].items()))
    for name, told in (
        ("without a session", "without_session"),
        ("of no task", "unmatched"),
        ("unused", "unused"),
    ):
        if found[told]:
            out.print(f"{name}: {safe(', '.join(found[told]))}")
    for problem in found["problems"]:
        out.print(f"Note: {safe(problem['where'])}: {safe(problem['message'])}")


def _row(session: dict[str, Any]) -> list[Any]:
    def mark(value: bool | None) -> str:
        return "?" if value is None else "yes" if value else "no"

    def pair(name: str) -> str:
        figures = session["evidence"][name]
        return f"{figures['precision']:.2f}/{figures['recall']:.2f}"

    return [
        session["task"], session["session"], mark(session["strict"]), mark(session["lenient"]), session["calls"],
        f"{session['characters']:,}", mark(session["replays"]), pair("ret"), pair("acc"),
        session["bucket"] if session["status"] == "answered" else f"{session['bucket']} ({session['status']})",
    ]  # fmt: skip
