"""Verbs on benchmarks: batch, run, score, report, build, obfuscate."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headwater.cli import _bench_lakeqa
from headwater.cli._emit import Globals, console, emit_json
from headwater.cli._render import safe

if TYPE_CHECKING:
    from headwater.bench import Outcome, Run, RunOptions, Suite
    from headwater.models import ChatModel, Usage
    from headwater.settings import Settings

app = typer.Typer(help="Run and score benchmark suites.", no_args_is_help=True)
_bench_lakeqa.add_to(app)

SUITE = Annotated[str | None, typer.Argument(help="The suite: dw-bench or lakeqa.")]
SEED = Annotated[int | None, typer.Option(help="Seed of whatever is drawn (42).", min=0)]
OUT = Annotated[Path, typer.Option(help="Folder for the result; must be new or empty.")]


@app.command()
def batch(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="JSON lines: {id, query, k, mode} or {id, question, graph}.")],
    out: Annotated[Path, typer.Option(help="Where the answers go, as JSON lines.")],
) -> None:
    """Answer many questions in one process; a line that fails says so and the others go on.

    Example: headwater bench batch questions.jsonl --out answers.jsonl
    """
    from headwater.bench import run_batch
    from headwater.cli._lake import open_lake

    options: Globals = context.obj
    counts = run_batch(file, out, lambda: open_lake(options))
    if options.json:
        emit_json("bench.batch", {"counts": counts, "out": str(out)})
    else:
        typer.echo(", ".join(f"{n} {status}" for status, n in sorted(counts.items())), err=True)


@app.command()
def run(
    context: typer.Context,
    suite: SUITE = None,
    data: Annotated[
        Path | None, typer.Argument(help="Questions with their schemas, or tasks: a file or folder.")
    ] = None,
    agent: Annotated[
        str,
        typer.Option(
            help="dw-bench: exact, flat, vector, graph-aug, tools, code, oracle; "
            "lakeqa: exact, headwater, paper, paper-bm25, paper-hybrid, oracle, closed-book."
        ),
    ] = "exact",
    model: Annotated[
        str | None,
        typer.Option(help="openai:NAME, anthropic:NAME, ollama:NAME …; keys come from OPENAI_API_KEY …."),
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(help="Address of another server; its key is HEADWATER_MODEL_KEY.")
    ] = None,
    price: Annotated[
        str | None, typer.Option(help="USD per million tokens, input and output: 0.15,0.60.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder of the run; made up from suite, agent and time if left out.")
    ] = None,
    resume: Annotated[Path | None, typer.Option(help="Go on with this run; nothing is paid twice.")] = None,
    limit: Annotated[int | None, typer.Option(help="Items at most, the first ones.", min=0)] = None,
    repeats: Annotated[int | None, typer.Option(help="Attempts at every item.", min=1)] = None,
    concurrency: Annotated[int | None, typer.Option(help="Items at a time.", min=1)] = None,
    seed: SEED = None,
    max_usd: Annotated[str | None, typer.Option(help="Money of the run, over all its sessions.")] = None,
    max_tokens: Annotated[int | None, typer.Option(help="Tokens of the run.", min=0)] = None,
    max_seconds: Annotated[str | None, typer.Option(help="Time of the run, e.g. 2h.")] = None,
    item_usd: Annotated[str | None, typer.Option(help="Money of one item.")] = None,
    item_tokens: Annotated[int | None, typer.Option(help="Tokens of one item.", min=0)] = None,
    item_seconds: Annotated[str | None, typer.Option(help="Time of one item.")] = None,
    calls_per_minute: Annotated[
        int | None, typer.Option(help="Calls to the model per minute.", min=0)
    ] = None,
    tokens_per_minute: Annotated[int | None, typer.Option(help="Tokens per minute.", min=0)] = None,
    timeout: Annotated[str | None, typer.Option(help="Time of one call to the model.")] = None,
    retries: Annotated[int | None, typer.Option(help="Further tries where a call fails.", min=0)] = None,
    parameter: Annotated[
        list[str] | None, typer.Option("--parameter", help="NAME=VALUE for the agent (repeat it).")
    ] = None,
) -> None:
    """Run an agent over a suite. Safe to stop: every answer is on disk at once, and --resume goes on from there.

    Example: headwater bench run dw-bench ./dw-bench --agent tools --model openai:gpt-4o-mini --max-usd 2
    """
    given = {
        "model": model, "base_url": base_url, "price": price, "limit": limit, "repeats": repeats, "concurrency": concurrency,
        "seed": seed, "max_usd": max_usd, "max_tokens": max_tokens, "max_seconds": max_seconds, "item_usd": item_usd,
        "item_tokens": item_tokens, "item_seconds": item_seconds, "calls_per_minute": calls_per_minute,
        "tokens_per_minute": tokens_per_minute, "timeout": timeout, "retries": retries,
    }  # fmt: skip
    options: Globals = context.obj
    settings = _settings(options, given)
    if resume is not None:
        outcome = _go_on(resume, settings, options)
    else:
        outcome = _begin(suite, data, agent, out, settings, options, parameter or [])
    _show_outcome(outcome, options)
    if outcome.stopped:
        raise typer.Exit(outcome.stopped.exit_code)
    raise typer.Exit(3 if outcome.failed else 0)


def _settings(options: Globals, given: dict[str, Any]) -> Settings:
    from headwater.cli._lake import load_settings

    return load_settings(options, {f"bench.{name}": value for name, value in given.items()})


def _options(settings: Settings, *, threads: bool, anew: bool = False) -> RunOptions:
    """Return how a run is carried out; `anew`: only limits that are given now, since the run has its own."""
    from headwater.bench import Limits, RunOptions

    def limit(name: str) -> Any:
        default = anew and not settings.origin(name).startswith(("flag", "environment"))
        return None if default else settings[name]

    def limits(prefix: str) -> Limits:
        usd = limit(f"bench.{prefix}_usd")
        return Limits(
            float(usd) if usd is not None else None,
            limit(f"bench.{prefix}_tokens"),
            limit(f"bench.{prefix}_seconds"),
        )

    return RunOptions(
        settings["bench.limit"],
        max(1, settings["bench.repeats"]),
        settings["bench.concurrency"] if threads else 1,
        limits("max"),
        limits("item"),
    )


def open_bench_model(spec: str, base_url: str | None, settings: Settings) -> ChatModel:
    """Return the model of a spec string with the limits and price that the settings give."""
    from headwater.models import ClientOptions, Price, open_model

    price = settings["bench.price"]
    return open_model(
        spec,
        base_url=base_url,
        price=Price.parse(price) if price else None,
        calls_per_minute=settings["bench.calls_per_minute"],
        tokens_per_minute=settings["bench.tokens_per_minute"],
        options=ClientOptions(settings["bench.timeout"], settings["bench.retries"]),
    )


def _begin(
    suite_name: str | None,
    data: Path | None,
    agent: str,
    out: Path | None,
    settings: Settings,
    options: Globals,
    parameters: list[str],
) -> Outcome:
    from headwater.bench import open_suite, start_run
    from headwater.errors import NotFoundError, UsageError

    if suite_name is None or data is None:
        raise UsageError(
            "Name a suite and its data, or --resume a run.", hint="headwater bench run dw-bench ./data"
        )
    suite = open_suite(suite_name)
    if not data.exists():
        raise NotFoundError(f"There is nothing at {data}.")
    spec, base_url = settings["bench.model"], settings["bench.base_url"]
    calling = agent in suite.needs_model and spec is not None
    model = open_bench_model(spec, base_url, settings) if calling else None
    folder = out or Path(f"{suite_name}-{agent}-{time.strftime('%Y%m%d-%H%M%S')}")
    chosen = _settled(
        suite, agent, {"seed": settings["bench.seed"], **_parameters(parameters)}, data, options
    )
    made = start_run(
        suite,
        data,
        folder,
        agent,
        model,
        chosen,
        _options(settings, threads=calling),
        base_url=base_url if calling else None,
    )
    _tell_problems(made, options)
    return _work(suite, made, model, _options(settings, threads=calling), options)


def _settled(
    suite: Suite, agent: str, parameters: dict[str, Any], data: Path, options: Globals
) -> dict[str, Any]:
    """Return the parameters of a run in full; the lake is looked at where the suite is asked over one."""
    from headwater.bench import check_agent_name
    from headwater.cli._lake import open_lake

    check_agent_name(suite, agent)
    if not suite.over_lake:
        return suite.settle(agent, parameters, data, None)
    with open_lake(options) as lake:
        return suite.settle(agent, parameters, data, lake)


def _go_on(folder: Path, settings: Settings, options: Globals) -> Outcome:
    from headwater.bench import Run, open_suite

    made = Run(folder)
    suite = open_suite(made.info["suite"])
    spec = made.info["model"]
    model = (
        open_bench_model(spec, settings["bench.base_url"] or made.info.get("base_url"), settings)
        if spec
        else None
    )
    return _work(suite, made, model, _options(settings, threads=spec is not None, anew=True), options)


def _parameters(given: list[str]) -> dict[str, Any]:
    import json

    from headwater.errors import UsageError

    found: dict[str, Any] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise UsageError(f"{text!r} is no parameter.", hint="Write NAME=VALUE.")
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found


def _work(suite: Suite, made: Run, model: ChatModel | None, chosen: RunOptions, options: Globals) -> Outcome:
    from headwater.bench import continue_run

    try:
        return continue_run(suite, made, model, chosen, _progress(options))
    except KeyboardInterrupt:
        sys.stderr.write(f"\nStopped; what is done is kept. Go on with:\n  {_resume(made.folder)}\n")
        raise typer.Exit(130) from None


def _resume(folder: Path) -> str:
    return shlex.join(["headwater", "bench", "run", "--resume", str(folder)])


def _progress(options: Globals) -> Callable[[int, int, Usage], None]:
    shown = [0.0]

    def report(done: int, total: int, paid: Usage) -> None:
        now = time.monotonic()
        if options.quiet or options.json or (done < total and now - shown[0] < 1.0):
            return
        shown[0] = now
        money = "price unknown" if paid.usd is None else f"{paid.usd:.4f} USD"
        tokens = (
            "?"
            if paid.input_tokens is None or paid.output_tokens is None
            else f"{paid.input_tokens + paid.output_tokens:,}"
        )
        cost = f", {paid.calls} calls, {tokens} tokens, {money}" if paid.calls else ""
        end = "\r" if sys.stderr.isatty() and done < total else "\n"
        sys.stderr.write(f"{done} of {total} items{cost}{end}")
        sys.stderr.flush()

    return report


def _tell_problems(made: Run, options: Globals) -> None:
    problems = made.info["problems"]
    for problem in problems[:10]:
        sys.stderr.write(f"Note: {safe(problem['where'])}: {safe(problem['message'])}\n")
    if len(problems) > 10:
        sys.stderr.write(f"Note: and {len(problems) - 10} more; all are in run.json.\n")


def _show_outcome(outcome: Outcome, options: Globals) -> None:
    if options.json:
        body = outcome.to_dict()
        error = {"error": body["stopped"]} if body["stopped"] else {}
        emit_json("bench.run", body | error, ok=outcome.stopped is None)
        return
    out = console(options)
    out.print(
        f"{outcome.done} of {outcome.expected} done, {outcome.failed} failed. Run: {safe(outcome.folder)}"
    )
    if outcome.stopped:
        out.print(f"Stopped: {safe(outcome.stopped.message)}\nGo on with: {safe(_resume(outcome.folder))}")
    else:
        out.print(f"Score it with: headwater bench score {safe(outcome.folder)}")


@app.command()
def score(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")],
) -> None:
    """Compute the scores of a run anew from its answers, with 95 % intervals.

    Example: headwater bench score ./dw-bench-exact-20250101-120000 --json
    """
    from headwater.bench import Run, open_suite, score_run

    options: Globals = context.obj
    made = Run(folder)
    result = score_run(open_suite(made.info["suite"]), made)
    if options.json:
        emit_json("bench.score", result)
        return
    out = console(options)
    out.print(
        f"{result['suite']}, agent {result['agent']}{', ' + safe(result['model']) if result['model'] else ''}: {result['n']} items"
    )
    suite = open_suite(made.info["suite"])
    for metric in suite.metrics:
        figure = result["metrics"].get(metric.name)
        if figure:
            value, low, high = (metric.told(figure[part]) for part in ("value", "low", "high"))
            out.print(f"  {metric.name:<22}{value:>16}   ({low} to {high}, n {figure['n']})")
    for name in suite.slices[:2]:
        for value, part in result["by"].get(name, {}).items():
            figure = next(iter(part["metrics"].values()))
            out.print(f"    {safe(name)} {safe(value):<20}{figure['value']:8.1%}   n {part['n']}")
    if result["failures"]:
        out.print("  " + ", ".join(f"{n} {safe(name)}" for name, n in result["failures"].items()))


@app.command()
def report(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")],
    compare: Annotated[
        list[Path] | None, typer.Option(help="Another run to set beside it (repeat it).")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for report.html and report.md; that of the run if left out.")
    ] = None,
) -> None:
    """Write a report of a run: tables and charts beside the published figures, as one HTML file and as Markdown.

    Example: headwater bench report ./run --compare ./other-run
    """
    from headwater.bench import Run, write_report

    options: Globals = context.obj
    paths = write_report([Run(folder), *(Run(other) for other in compare or [])], out or folder)
    if options.json:
        emit_json("bench.report", {"files": [str(path) for path in paths]})
    else:
        console(options).print("\n".join(safe(path) for path in paths))


@app.command()
def build(
    context: typer.Context,
    suite: Annotated[str, typer.Argument(help="The suite: dw-bench.")],
    out: OUT,
    source: Annotated[
        list[str] | None,
        typer.Option(
            "--from", help="A graph, or folders of datasets: whatever `headwater graph` loads (repeat it)."
        ),
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="Name of the dataset; that of the source if left out.")
    ] = None,
    seed: SEED = None,
    style: Annotated[
        str,
        typer.Option(
            help="plain, grouped (needs groups and layers) or auto: grouped where every table has both."
        ),
    ] = "auto",
    tier: Annotated[int, typer.Option(help="1: questions on tables; 2: on rows.", min=1, max=2)] = 1,
    scale: Annotated[float, typer.Option(help="Tier 2: rows of every table, times this.", min=0.001)] = 1.0,
) -> None:
    """Make questions with exact answers from any graph; the same seed gives the same questions.

    Example: headwater bench build dw-bench --from ./warehouse.sql --out ./questions --seed 1
    """
    from headwater.bench.dwbench import build_questions
    from headwater.errors import UsageError

    options: Globals = context.obj
    if suite != "dw-bench" or not source:
        raise UsageError("Give the suite dw-bench and at least one --from SOURCE.")
    settings = _settings(options, {"seed": seed})
    built = build_questions(
        source, out, seed=settings["bench.seed"], name=name, style=style, tier=tier, scale=scale
    )
    _show_built(built, out, options, "bench.build")


@app.command()
def obfuscate(
    context: typer.Context,
    suite: Annotated[str, typer.Argument(help="The suite: dw-bench.")],
    data: Annotated[Path, typer.Argument(help="Questions with their schemas.")],
    out: OUT,
    seed: SEED = None,
) -> None:
    """Rename all tables of schemas and questions to Table_A, Table_B …; paths keep their order.

    Example: headwater bench obfuscate dw-bench ./dw-bench --out ./hidden
    """
    from headwater.bench.dwbench import obfuscate_source
    from headwater.errors import UsageError

    options: Globals = context.obj
    if suite != "dw-bench":
        raise UsageError("Only dw-bench can be obfuscated.")
    built = obfuscate_source(data, out, seed=_settings(options, {"seed": seed})["bench.seed"])
    _show_built(built, out, options, "bench.obfuscate")


def _show_built(built: dict[str, dict[str, int]], out: Path, options: Globals, verb: str) -> None:
    if options.json:
        emit_json(verb, {"out": str(out), "counts": built})
        return
    screen = console(options)
    for dataset, counts in built.items():
        told = ", ".join(f"{n} {kind}" for kind, n in counts.items())
        screen.print(f"{safe(dataset)}: {sum(counts.values())} questions ({safe(told)})")
