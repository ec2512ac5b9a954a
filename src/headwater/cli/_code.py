"""The verb run-code: Python from standard input, in the sandbox."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headwater.cli._emit import Globals, emit_json

if TYPE_CHECKING:
    from headwater.sandbox import CodeResult

_LONGEST_CODE = 1_000_000
_MOST_NAMES = 1_000


def run_code(
    context: typer.Context,
    file: Annotated[
        list[str] | None,
        typer.Option("--file", help="A document of the lake to copy into the code's folder (repeat it)."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Keep the files that the code leaves, figures included, in this folder."),
    ] = None,
    seconds: Annotated[str | None, typer.Option(help="Time at most, e.g. 20s.")] = None,
    memory: Annotated[str | None, typer.Option(help="Memory at most, e.g. 800MB.")] = None,
    unsafe_python: Annotated[
        bool,
        typer.Option("--unsafe-python", help="Run it without protection: only for code you wrote yourself."),
    ] = False,
) -> None:
    """Run Python from standard input without network and without any file but those given; see what it prints and makes.

    The value of the last line (or of `result`) is captured, and open figures are saved as figure-1.png ….

    Example: echo "import pandas as pd; pd.read_csv('sales.csv').sum()" | headwater run-code --file data/sales.csv
    """
    from headwater.cli._lake import load_settings, open_lake
    from headwater.errors import UsageError
    from headwater.sandbox import CodeLimits, Sandbox

    options: Globals = context.obj
    settings = load_settings(options, {"code.seconds": seconds, "code.memory": memory})
    code = sys.stdin.buffer.read(_LONGEST_CODE + 1).decode("utf-8", "replace")
    if len(code) > _LONGEST_CODE:
        raise UsageError(f"The code has more than {_LONGEST_CODE} characters.")
    if os.environ.get("HEADWATER_SESSION") and out is None and not unsafe_python:
        from headwater.cli._agent import under_session

        with open_lake(options) as lake:
            given = {"code": code, "files": file or [], "seconds": settings["code.seconds"]}
            under_session(options, lake, "run_code", given)
        return
    limits = CodeLimits(seconds=settings["code.seconds"], memory=settings["code.memory"])
    with contextlib.ExitStack() as stack:
        files = stack.enter_context(_lent(options, file)) if file else {}
        box = stack.enter_context(Sandbox(files, limits, unsafe=unsafe_python))
        result = box.run(code)
        kept = _keep(result, out)
        _show(result, kept, box.layers, options)
    raise typer.Exit(result.error.exit_code if result.error else 0)


@contextlib.contextmanager
def _lent(options: Globals, documents: list[str]) -> Iterator[dict[str, Path]]:
    """Lend the files of documents of the lake, by the names that they have beside the code."""
    from headwater.cli._lake import open_lake
    from headwater.errors import UsageError
    from headwater.storage import open_storage
    from headwater.tools import lent_names

    with open_lake(options) as lake, contextlib.ExitStack() as stack:
        paths = [lake.names.document(d).id for d in documents]
        if member := next((p for p in paths if "!" in p), None):
            raise UsageError(
                f"{member} is a member of an archive.", hint="Give the archive itself; Python can open it."
            )
        storage = open_storage(lake.url, anonymous=options.anonymous, endpoint=options.endpoint)
        yield {n: stack.enter_context(storage.local_copy(p)) for n, p in lent_names(paths).items()}


def _keep(result: CodeResult, out: Path | None) -> list[dict[str, Any]]:
    kept = []
    for name, path in result.files.items():
        entry: dict[str, Any] = {"name": name, "bytes": path.stat().st_size}
        if out is not None:
            out.mkdir(parents=True, exist_ok=True)
            entry["path"] = str(_put(path, out, name))
        kept.append(entry)
    return kept


def _put(made: Path, out: Path, name: str) -> Path:
    """Copy a file into a folder under its name, or with a number before it: the code chose the name, and replaces nothing."""
    for number in range(1, _MOST_NAMES):
        place = out / (name if number == 1 else f"{number}-{name}")
        with contextlib.suppress(FileExistsError), place.open("xb") as target, made.open("rb") as source:
            shutil.copyfileobj(source, target)
            return place
    from headwater.errors import UsageError

    raise UsageError(f"{name} is there already, in every form.", where=str(out), hint="Name another folder.")


def _show(result: CodeResult, kept: list[dict[str, Any]], layers: dict[str, Any], options: Globals) -> None:
    body: dict[str, Any] = {
        "output": result.output,
        "value": result.value,
        "files": kept,
        "truncated": result.truncated,
        "seconds": round(result.seconds, 3),
        "sandbox": layers["tier"],
    }
    if options.json:
        if result.error:
            body["error"] = result.error.to_dict()
        emit_json("run-code", body, ok=result.error is None)
        return
    from headwater.cli._emit import console, dumps, emit_error
    from headwater.cli._render import safe

    screen = console(options)
    if result.output:
        for line in result.output.splitlines():
            screen.print(safe(line), markup=False)
    if result.value is not None:
        screen.print(safe(dumps(result.value)), markup=False)
    for entry in kept:
        screen.print(
            safe(
                f"{entry['name']}: {entry['bytes']} bytes{' in ' + entry['path'] if 'path' in entry else ''}"
            )
        )
    if result.error:
        emit_error("run-code", result.error, options)
