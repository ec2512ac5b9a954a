"""The verbs `ask` and `replay`: an answer with its proof, and whether it still holds."""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headwater.cli._emit import Globals, console, emit_json, safe

if TYPE_CHECKING:
    from rich.console import Console

    from headwater.answers import Answer, Replay

SHOWN = 8
"""Pieces of evidence printed."""

LARGEST = 20_000_000
"""Bytes of an answer that is replayed."""


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
    model: Annotated[
        str | None,
        typer.Option(help="A model that explores the lake, e.g. openai:NAME, anthropic:NAME, ollama:NAME."),
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(help="Address of another server; its key is HEADWATER_MODEL_KEY.")
    ] = None,
    price: Annotated[str | None, typer.Option(help="USD per million tokens, input and output.")] = None,
    max_cost: Annotated[str | None, typer.Option(help="Money at most, e.g. 0.50usd.")] = None,
    max_turns: Annotated[int | None, typer.Option(help="Rounds at most.", min=1)] = None,
    max_tokens: Annotated[int | None, typer.Option(help="Tokens at most.", min=1)] = None,
    timeout: Annotated[str | None, typer.Option(help="Time at most, e.g. 5min.")] = None,
    request_tokens: Annotated[
        int | None, typer.Option("--context", help="Tokens of one request at most.", min=1)
    ] = None,
    calls_per_minute: Annotated[
        int | None, typer.Option(help="Calls to the model per minute.", min=0)
    ] = None,
    tokens_per_minute: Annotated[int | None, typer.Option(help="Tokens per minute.", min=0)] = None,
    trace: Annotated[
        Path | None, typer.Option(help="Where to record; a file of the same question is gone on with.")
    ] = None,
) -> None:
    """Answer a question with the program and the places that prove it, or say what is missing.

    Without a model it is read exactly, as one query over one table. With one, the model explores the lake by tools.

    Example: headwater ask "Which river has the largest share of plastic?"
    """
    from headwater.answers import ask as ask_lake
    from headwater.answers import ask_graph, ask_table
    from headwater.cli._lake import open_lake

    options: Globals = context.obj
    given: dict[str, Any] = {"model": model, "base_url": base_url, "price": price, "max_cost": max_cost}
    given |= {"max_turns": max_turns, "max_tokens": max_tokens, "timeout": timeout, "context": request_tokens}
    given |= {"calls_per_minute": calls_per_minute, "tokens_per_minute": tokens_per_minute}
    exact = table is not None or graph
    if not exact and (explored := explore(options, question, given, trace)) is not None:
        raise typer.Exit(_exit_code(explored))
    if graph:
        from headwater.graph import load_graph

        answer = ask_graph(load_graph(graph), question, graph)
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


def explore(options: Globals, question: str, given: dict[str, Any], path: Path | None) -> Answer | None:
    """Let the model that the settings name explore the lake; print and return its answer, or None if none is named."""
    from headwater.cli._lake import load_settings, open_lake

    settings = load_settings(options, {f"ask.{name}": value for name, value in given.items()})
    if settings["ask.model"] is None and settings["ask.base_url"] is None:
        return None
    from headwater.agents import Budget
    from headwater.agents import explore as run
    from headwater.cli._live import live
    from headwater.errors import UsageError
    from headwater.models import Price, open_model
    from headwater.tools import session_folder
    from headwater.trace import Trace, new_trace

    if settings["ask.model"] is None:
        raise UsageError("Name the model at that address.", hint="--model openai:NAME")
    price = Price.parse(settings["ask.price"]) if settings["ask.price"] else None
    model = open_model(
        settings["ask.model"],
        base_url=settings["ask.base_url"],
        price=price,
        calls_per_minute=settings["ask.calls_per_minute"],
        tokens_per_minute=settings["ask.tokens_per_minute"],
    )
    cost = settings["ask.max_cost"]
    budget = Budget(
        turns=settings["ask.max_turns"],
        tokens=settings["ask.max_tokens"],
        usd=None if cost is None else float(cost),
        seconds=settings["ask.timeout"],
        context=settings["ask.context"],
    )
    with open_lake(options) as lake:
        place = (
            Trace(path) if path else new_trace(session_folder(lake), question, lake=lake.url, model=model.id)
        )
        answer = run(lake, question, model, trace=place, budget=budget, progress=live(options))
    if options.json:
        emit_json("ask", answer.to_dict())
    else:
        _show_answer(answer, console(options))
    return answer


def _exit_code(answer: Answer) -> int:
    limits = ("turns", "tokens", "money", "time", "context")
    return 0 if answer.status == "answered" else 4 if answer.stop_reason in limits else 1


def _show_answer(answer: Answer, out: Console) -> None:
    """Print the value, and under it in two columns how it was read, what was assumed, and its proof."""
    from rich.table import Table
    from rich.text import Text

    out.print(Text(safe(answer.text), "bold" if answer.status == "answered" else ""))
    told = Table.grid(padding=(0, 2))
    told.add_column(style="dim", no_wrap=True)
    told.add_column(overflow="fold")

    def add(label: str, text: str) -> None:
        told.add_row(label, Text(text))

    if answer.reading:
        add("read as", safe(answer.reading))
    for assumption in answer.assumptions:
        add("assumed", safe(assumption))
    left = SHOWN
    for document, places in answer.places.items():
        if left > 0:
            add("evidence", "\n".join([safe(document), *(f"  {safe(place)}" for place in places[:left])]))
        left -= len(places)
    if left < 0:
        add("", f"… {-left} more; --json lists all")
    for note in answer.diagnostics:
        add("note", safe(note.get("message", "")))
    for language, source in _programs(answer):
        add(safe(language), safe(source))
    if answer.status == "answered":
        add("verification", answer.verification)
    if answer.usage.get("calls"):
        add("model", _cost(answer.usage))
    if told.row_count:
        out.print(told)


def _cost(usage: dict[str, Any]) -> str:
    from headwater.cli._live import cost_of

    price = f"\nprice {safe(usage['price'])}" if usage.get("price") else ""
    return f"{usage['calls']} calls, {cost_of(usage)}, {usage.get('seconds', 0):.0f} s{price}"


def _programs(answer: Answer) -> list[tuple[str, str]]:
    """Return (language, source) of the program; of steps each one."""
    if answer.program is None:
        return []
    if answer.program.language != "steps":
        return [(answer.program.language, answer.program.source)]
    steps = json.loads(answer.program.source)
    return [(str(s["tool"]), " ".join(str(v) for v in s["arguments"].values())) for s in steps]


def replay(
    context: typer.Context,
    file: Annotated[
        str, typer.Argument(help="An answer, as `headwater ask … --json` prints it; - for standard input.")
    ],
) -> None:
    """Compute an answer again from its program and say whether it still holds. Exit code 1 if it does not.

    Example: headwater ask "…" --json > answer.json; headwater replay answer.json
    """
    from headwater.agents import replay as check
    from headwater.cli._lake import open_lake

    options: Globals = context.obj
    told = _load(file)
    inputs = told.get("inputs")
    documents = (
        [str(i.get("document", "")) for i in inputs if isinstance(i, dict)]
        if isinstance(inputs, list)
        else []
    )
    program = told.get("program")
    steps = isinstance(program, dict) and program.get("language") == "steps"
    beside = bool(documents) and all(Path(d).exists() for d in documents) and options.lake is None
    result = check(told) if beside and not steps else None
    # In the root of a lake the documents are files here too, but the answer may be of the lake's typed tables.
    if result is None or (not result.holds and Path(".headwater").is_dir()):
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
        with contextlib.nullcontext(sys.stdin.buffer) if file == "-" else Path(file).open("rb") as source:
            content = source.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise UsageError(f"An answer has at most {LARGEST:,} bytes.", where=file)
        told = json.loads(content.decode("utf-8"))
    except OSError as error:
        raise UsageError(f"The file cannot be read: {error.strerror or error}.", where=file) from error
    except RecursionError as error:
        raise UsageError("An answer is not nested as deeply as this.", where=file) from error
    except ValueError as error:
        raise UsageError(
            f"Not JSON: {error}.", where=file, hint="headwater ask … --json > answer.json"
        ) from error
    if not isinstance(told, dict):
        raise UsageError("An answer is one JSON object.", where=file)
    return told


def _show_replay(result: Replay, out: Console) -> None:
    out.print("The answer holds." if result.holds else "The answer does not hold:")
    for difference in result.differences:
        out.print(f"  {safe(difference)}")
    out.print(f"checked: {safe(', '.join(result.checked))}")
