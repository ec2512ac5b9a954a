"""The verbs `ask` and `replay`: an answer with its proof, and whether it still holds."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headwater.cli._emit import Globals, console, emit_json

if TYPE_CHECKING:
    from rich.console import Console

    from headwater.answers import Answer, Replay

SHOWN = 8
"""Pieces of evidence printed."""


def ask(
    context: typer.Context,
    question: Annotated[str, typer.Argument(help="In plain words.")],
    table: Annotated[
        str | None, typer.Option(help="Only this table: a file, or a table of the lake (path or path#name).")
    ] = None,
    graph: Annotated[
        list[str] | None,
        typer.Option(help="A source of a schema graph to ask about instead; may be repeated."),
    ] = None,
) -> None:
    """Answer a question exactly, with the SQL and the cells that prove it, or say what is missing. No model is used.

    Example: headwater ask "Which river has the largest share of plastic?"
    """
    from headwater.answers import ask as ask_lake
    from headwater.answers import ask_graph, ask_table
    from headwater.cli._lake import open_lake

    options: Globals = context.obj
    if graph:
        from headwater.graph import load_graph

        answer = ask_graph(load_graph(graph), question)
    elif table is not None and Path(table).is_file():
        answer = ask_table(question, table)
    else:
        with open_lake(options) as lake:
            answer = ask_table(question, table, lake) if table is not None else ask_lake(lake, question)
    if options.json:
        emit_json("ask", answer.to_dict())
    else:
        _show_answer(answer, console(options))
    raise typer.Exit(0 if answer.status == "answered" else 1)


def _show_answer(answer: Answer, out: Console) -> None:
    from headwater.cli._render import safe

    out.print(safe(answer.text))
    if answer.reading:
        out.print(f"read as: {safe(answer.reading)}")
    for assumption in answer.assumptions:
        out.print(f"assumed: {safe(assumption)}")
    for piece in answer.evidence[:SHOWN]:
        place = ", ".join(f"{k} {v}" for k, v in piece.locator.items() if v is not None and k != "edge")
        out.print(
            safe(
                f"  {piece.document}, {place}: {piece.quote}"
                if place
                else f"  {piece.document}: {piece.quote}"
            )
        )
    if len(answer.evidence) > SHOWN:
        out.print(f"  … {len(answer.evidence) - SHOWN} more; --json lists all")
    if answer.program:
        out.print(f"{safe(answer.program.language)}: {safe(answer.program.source)}")
    if answer.status == "answered":
        out.print(f"verification: {answer.verification}")


def replay(
    context: typer.Context,
    file: Annotated[
        str, typer.Argument(help="An answer, as `headwater ask … --json` prints it; - for standard input.")
    ],
) -> None:
    """Compute an answer again from its program and say whether it still holds. Exit code 1 if it does not.

    Example: headwater ask "…" --json > answer.json; headwater replay answer.json
    """
    from headwater.answers import replay as check
    from headwater.cli._lake import open_lake

    options: Globals = context.obj
    told = _load(file)
    inputs = told.get("inputs")
    documents = (
        [str(i.get("document", "")) for i in inputs if isinstance(i, dict)]
        if isinstance(inputs, list)
        else []
    )
    if documents and all(Path(d).is_file() for d in documents) and options.lake is None:
        result = check(told)
    else:
        with open_lake(options) as lake:
            result = check(told, lake)
    if options.json:
        emit_json("replay", result.to_dict())
    else:
        _show_replay(result, console(options))
    raise typer.Exit(0 if result.holds else 1)


def _load(file: str) -> dict[str, Any]:
    from headwater.errors import UsageError

    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
        told = json.loads(text)
    except OSError as error:
        raise UsageError(f"The file cannot be read: {error.strerror or error}.", where=file) from error
    except ValueError as error:
        raise UsageError(
            f"Not JSON: {error}.", where=file, hint="headwater ask … --json > answer.json"
        ) from error
    if not isinstance(told, dict):
        raise UsageError("An answer is one JSON object.", where=file)
    return told


def _show_replay(result: Replay, out: Console) -> None:
    from headwater.cli._render import safe

    out.print("The answer holds." if result.holds else "The answer does not hold:")
    for difference in result.differences:
        out.print(f"  {safe(difference)}")
    out.print(f"checked: {safe(', '.join(result.checked))}")
