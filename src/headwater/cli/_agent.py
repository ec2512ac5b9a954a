"""The verbs of sessions: session new, submit, trace show, skill; and the recording of every other verb under a session."""

from __future__ import annotations

import io
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headwater.cli import _mcp
from headwater.cli._emit import Globals, console, emit_json, safe, safe_text, write_line
from headwater.cli._lake import open_lake

if TYPE_CHECKING:
    from headwater.lake import Lake
    from headwater.tools import Observation, Session
    from headwater.trace import Trace

SESSION = "HEADWATER_SESSION"
RECORDED = frozenset({"graph", "ask"})
"""Verbs that are recorded by what they print; those of the registry record themselves."""

_KEPT, LISTED = 1_000_000, 30

session_app = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Record the work on one question."
)
trace_app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Show what was recorded.")


def add_to(app: typer.Typer) -> None:
    """Add the verbs to the application."""
    app.command("submit")(submit)
    app.command("skill")(skill)
    app.command("mcp")(_mcp.mcp)
    app.add_typer(session_app, name="session")
    app.add_typer(trace_app, name="trace")


@session_app.callback()
def _session() -> None:
    """Record the work on one question."""


@trace_app.callback()
def _trace() -> None:
    """Show what was recorded."""


@session_app.command("new")
def new(
    context: typer.Context,
    question: Annotated[str, typer.Argument(help="What is to be answered.")],
) -> None:
    """Begin a session and print its id; verbs are recorded while HEADWATER_SESSION holds it.

    Example: export HEADWATER_SESSION=$(headwater session new "Which state …?")
    """
    from headwater import __version__
    from headwater.tools import session_folder
    from headwater.trace import new_trace

    options: Globals = context.obj
    with open_lake(options) as lake:
        lake.catalog.totals()
        trace = new_trace(session_folder(lake), question, lake=lake.url, version=__version__)
    if options.json:
        emit_json("session", {"id": trace.id, "trace": str(trace.path)})
    else:
        write_line(trace.id)


def submit(
    context: typer.Context,
    answer: Annotated[
        str | None, typer.Argument(help="The answer, in the form that the question wants.")
    ] = None,
    source: Annotated[
        list[str] | None, typer.Option("--source", help="A document that it rests on; may be repeated.")
    ] = None,
    assume: Annotated[
        list[str] | None, typer.Option("--assume", help="What was taken in place of what was asked for.")
    ] = None,
    missing: Annotated[
        str | None, typer.Option(help="The lake does not hold the answer: this is missing.")
    ] = None,
) -> None:
    """Record the answer of the session, traced back to its queries and sources. Exit code 3 if it has warnings.

    Example: headwater submit "[6,650 km]" --source rivers.tsv --source denali.md
    """
    from headwater.agents import abstain
    from headwater.agents import submit as record
    from headwater.errors import UsageError

    options: Globals = context.obj
    if (answer is None) == (missing is None):
        raise UsageError("Give an answer, or --missing WHAT.")
    with open_session(options) as session:
        if session.trace is None:
            raise UsageError(
                "There is no session.", hint=f'export {SESSION}=$(headwater session new "question")'
            )
        if missing is not None:
            result = abstain(session, missing)
        else:
            result = record(session, answer or "", source or (), assume or ())
        if options.json:
            emit_json("submit", result.to_dict())
        else:
            write_line(safe_text(result.plain()))
    raise typer.Exit(3 if result.warnings else 0)


def skill() -> None:
    """Print one page that teaches a coding agent to work with the verbs."""
    from headwater.agents import skill as page

    write_line(page().rstrip())


@session_app.command("list")
def list_(context: typer.Context) -> None:
    """List the sessions of the lake, the latest first: their ids, questions and answers."""
    from headwater.tools import session_folder
    from headwater.trace import Trace, measure

    options: Globals = context.obj
    with open_lake(options) as lake:
        files = sorted(session_folder(lake).glob("*.jsonl"), reverse=True)
    told = [measure(Trace(file).events()) for file in files[:LISTED]]
    if options.json:
        sessions = [{"id": m.id, "question": m.question, "calls": m.calls, "answer": m.answer} for m in told]
        emit_json("session", {"sessions": sessions, "total": len(files)})
        return
    for m in told:
        write_line(f"{m.id}  {m.calls} calls  {safe(m.answer or '(open)')}  {safe(m.question)[:100]}")
    if len(files) > len(told):
        write_line(f"[{len(told)} of {len(files):,} sessions]")


@session_app.command("show")
@trace_app.command("show")
def show(
    context: typer.Context,
    trace: Annotated[
        str | None, typer.Argument(help="A file, or the id of a session; the latest one if left out.")
    ] = None,
) -> None:
    """Show a session: every call with its size and time, documents found and opened, cost, and the answer.

    Example: headwater trace show
    """
    from pathlib import Path

    from headwater.cli import _trace as told
    from headwater.tools import session_folder
    from headwater.trace import Trace, find_trace, measure

    options: Globals = context.obj
    if trace is not None and Path(trace).is_file():
        found = Trace(Path(trace))
    else:
        with open_lake(options) as lake:
            found = find_trace(session_folder(lake), trace or os.environ.get(SESSION))
    events = found.events()
    figures = measure(events)
    if options.json:
        emit_json("trace", {**figures.to_dict(), "events": events})
    else:
        told.show(found, events, figures, console(options))


def current(lake: Lake) -> Trace | None:
    """Return the trace that HEADWATER_SESSION names, or None if it is not set.

    Raises:
        NotFoundError: the lake has no such session.
    """
    from headwater.tools import session_folder
    from headwater.trace import find_trace

    name = os.environ.get(SESSION)
    return find_trace(session_folder(lake), name) if name else None


@contextmanager
def open_session(options: Globals) -> Iterator[Session]:
    """Open the lake and the session at hand, if there is one."""
    from headwater.tools import Session

    with open_lake(options) as lake:
        yield Session(lake, current(lake))


def under_session(options: Globals, lake: Lake, verb: str, arguments: dict[str, Any]) -> Any:
    """Call a tool under the session at hand, print what it tells, and return its result.

    Raises:
        typer.Exit: the call failed; its error was told.
    """
    from headwater.tools import Session

    seen: Observation = Session(lake, current(lake)).call(verb, arguments, whole=options.json)
    if options.json:
        if seen.error:
            emit_json(verb, {"error": seen.error.to_dict()}, ok=False)
        else:
            emit_json(verb, seen.result.to_dict())
    else:
        write_line(safe_text(seen.text))
    if seen.error:
        raise typer.Exit(seen.error.exit_code)
    return seen.result


class _Counted(io.RawIOBase):
    """Passes bytes on and keeps the first ones."""

    def __init__(self, below: Any) -> None:
        self.below, self.kept, self.size = below, bytearray(), 0

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return bool(self.below.isatty())

    def write(self, data: Any) -> int:
        block = bytes(data)
        self.size += len(block.decode("utf-8", "ignore"))
        self.kept += block[: max(0, _KEPT - len(self.kept))]
        self.below.write(block)
        self.below.flush()
        return len(block)


@contextmanager
def recorded(options: Globals, verb: str, arguments: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Record a verb that does not record itself, by what it prints, if a session is at hand."""
    if verb not in RECORDED or not os.environ.get(SESSION) or "--help" in arguments or "-h" in arguments:
        yield {}
        return
    with open_lake(options) as lake:
        trace = current(lake)
    began, before = time.monotonic(), sys.stdout
    counted = _Counted(before.buffer)
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(counted), encoding="utf-8", errors="backslashreplace", write_through=True
    )
    outcome: dict[str, Any] = {"code": 1}
    try:
        yield outcome
    finally:
        sys.stdout.flush()
        sys.stdout = before
        if trace is not None:
            _record(trace, verb, arguments, counted, time.monotonic() - began, outcome["code"])


def _record(
    trace: Trace, verb: str, arguments: Sequence[str], out: _Counted, seconds: float, code: Any
) -> None:
    trace.append(
        "call", tool=verb.replace("-", "_"), arguments={"argv": list(arguments)}, ok=code in (0, None),
        handle=trace.keep(out.kept.decode("utf-8", "replace")), characters=out.size, seconds=round(seconds, 3),
        retrieved=[], opened=[], retrieved_datasets=[], opened_datasets=[],
    )  # fmt: skip
