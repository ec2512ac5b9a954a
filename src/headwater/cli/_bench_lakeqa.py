"""Verbs of the LakeQA suite: bench score-sessions, judge, leaderboard."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headwater.cli._emit import Globals, console, emit_json, write_line
from headwater.cli._lake import open_lake
from headwater.cli._render import safe

if TYPE_CHECKING:
    from rich.console import Console

    from headwater.bench import Run
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


def add_to(app: typer.Typer) -> None:
    """Add the verbs to the application."""
    app.command("score-sessions")(score_sessions)
    app.command("judge")(judge)
    app.command("leaderboard")(leaderboard)


def judge(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run of lakeqa.")],
    model: Annotated[str | None, typer.Option(help="The judging model: openai:NAME, ollama:NAME …")] = None,
    base_url: Annotated[str | None, typer.Option(help="Address of another OpenAI-compatible server.")] = None,
    price: Annotated[
        str | None, typer.Option(help="USD per million tokens, input and output: 0.15,0.60.")
    ] = None,
    max_usd: Annotated[str | None, typer.Option(help="Money of the judge, over all its sessions.")] = None,
) -> None:
    """Let a model judge the answers of a run; numbers are checked again by program. The cost stays apart from the run's.

    Example: headwater bench judge ./run --model openai:gpt-5-mini
    """
    from headwater.bench import open_suite
    from headwater.bench.lakeqa import judge_run
    from headwater.cli._bench import open_bench_model
    from headwater.cli._lake import load_settings
    from headwater.errors import UsageError

    options: Globals = context.obj
    given = {"model": model, "base_url": base_url, "price": price, "max_usd": max_usd}
    settings = load_settings(options, {f"bench.{name}": value for name, value in given.items()})
    run = _run_of(folder)
    if settings["bench.model"] is None:
        raise UsageError("Name the judge.", hint="headwater bench judge RUN --model openai:NAME")
    asked = open_bench_model(settings["bench.model"], settings["bench.base_url"], settings)
    limit = settings["bench.max_usd"]
    told = judge_run(open_suite("lakeqa"), run, asked, max_usd=float(limit) if limit is not None else None)
    if options.json:
        emit_json("bench.judge", told)
        return
    usage = told["usage"]
    money = "price unknown" if usage["usd"] is None else f"{usage['usd']:.4f} USD"
    console(options).print(
        f"{told['judged']} answers judged, {told['passed']} pass, {told['overruled']} overruled by program, "
        f"{told['unreadable']} verdicts unreadable; the judge cost {usage['calls']} calls, {money}"
    )


def leaderboard(
    context: typer.Context,
    folders: Annotated[list[Path], typer.Argument(metavar="RUN…", help="Folders of runs of lakeqa.")],
    source: Annotated[str, typer.Option(help="Link to the traces.")] = "",
    notes: Annotated[str, typer.Option(help="Notes of all rows.")] = "",
    out: Annotated[Path | None, typer.Option(help="A file for the list.")] = None,
) -> None:
    """Give runs as rows of LakeQA's leaderboard, best first: a JSON list, evidence by dataset.

    Example: headwater bench leaderboard ./run-a ./run-b --out leaderboard.json
    """
    import json

    from headwater.bench import open_suite, score_run
    from headwater.bench.lakeqa import leaderboard as rows_of

    options: Globals = context.obj
    suite, scored = open_suite("lakeqa"), []
    for folder in folders:
        run = _run_of(folder)
        name = f"{run.info['model'] or 'no model'} ({run.info['agent']})"
        scored.append((name, str(run.info["created"])[:7], score_run(suite, run)))
    rows = rows_of(scored, source=source, notes=notes)
    text = json.dumps(rows, ensure_ascii=False, indent=1)
    if out is not None:
        out.write_text(text + "\n", encoding="utf-8")
    if options.json:
        emit_json("bench.leaderboard", {"rows": rows})
    elif out is None:
        write_line(text)


def _run_of(folder: Path) -> Run:
    from headwater.bench import Run
    from headwater.errors import UsageError

    run = Run(folder)
    if run.info["suite"] != "lakeqa":
        raise UsageError(f"This is a run of {run.info['suite']}, not of lakeqa.", where=str(folder))
    return run


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
