"""Verbs on benchmarks: batch, run, score, report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from headwater.cli._emit import Globals, emit_json

app = typer.Typer(help="Run and score benchmark suites.", no_args_is_help=True)


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
