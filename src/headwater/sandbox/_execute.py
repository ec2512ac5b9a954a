"""Runs a piece of code in a confined process and tells its outcome. What leaves it is plain JSON and files."""

from __future__ import annotations

import ast
import contextlib
import json
import math
import os
import sys
import traceback
from typing import Any

FILE_NAME = "<code>"
_LONGEST_VALUE = 1_000_000
_MOST_ITEMS = 10_000
_DEEPEST = 20


def execute(code: str, setup: str = "") -> dict[str, Any]:
    """Run `code` and return {"ok", "value"} or {"ok", "error", "line", "traceback"}.

    `setup` runs before it, under the same names. The value is that of the last line if it is an expression, else of the variable `result` if there is one.
    """
    names: dict[str, Any] = {"__name__": "__main__", "__builtins__": __builtins__}
    try:
        exec(compile(setup, "<setup>", "exec"), names)
        value = _run(code, names)
        _save_figures()
    except BaseException as error:  # noqa: BLE001 - the edge of the process: whatever the code raises is its outcome
        _flush()
        return _failure(error)
    _flush()
    return {"ok": True, "value": plain(value)}


def _run(code: str, names: dict[str, Any]) -> Any:
    tree = ast.parse(code, FILE_NAME)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, FILE_NAME, "exec"), names)
    if isinstance(last, ast.Expr):
        value = eval(compile(ast.Expression(last.value), FILE_NAME, "eval"), names)
        if value is not None:
            return value
    return names.get("result")


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(
            OSError, ValueError, AttributeError
        ):  # the code may have closed or replaced it
            stream.flush()


def _save_figures() -> None:
    """Save the figures that are open in matplotlib as figure-1.png, figure-2.png and so on."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None:
        return
    for position, number in enumerate(pyplot.get_fignums(), 1):
        name = f"figure-{position}.png"
        if not os.path.exists(name):
            pyplot.figure(number).savefig(name, dpi=120, bbox_inches="tight")


def _failure(error: BaseException) -> dict[str, Any]:
    if isinstance(error, SystemExit):
        return {
            "ok": False,
            "exit": True,
            "error": "the code ended itself without a result",
            "line": 0,
            "traceback": "",
        }
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == FILE_NAME]
    line = error.lineno if isinstance(error, SyntaxError) and error.filename == FILE_NAME else 0
    line = line or (frames[-1].lineno if frames else 0) or 0
    try:
        told = str(error.msg if isinstance(error, SyntaxError) else error)
    except Exception:  # noqa: BLE001 - an exception class of the code may fail to print
        told = ""
    shown = "".join(f"  line {frame.lineno}, in {frame.name}\n" for frame in frames[-5:])
    message = f"{type(error).__name__}: {told}" if told else type(error).__name__
    return {
        "ok": False,
        "memory": isinstance(error, MemoryError),
        "error": message[:4000],
        "line": line,
        "traceback": shown,
    }


def plain(value: Any) -> Any:
    """Return a value as JSON: tables as {columns, rows}, arrays as lists, anything unknown as its text.

    Sizes are bounded; what is cut says so.
    """
    try:
        found = _plain(value, 0)
        text = json.dumps(found, allow_nan=False, ensure_ascii=True)
    except Exception:  # noqa: BLE001 - methods of the code's own objects may raise anything
        return _text(value)
    return found if len(text) <= _LONGEST_VALUE else {"truncated": True, "text": text[:10_000]}


def _plain(value: Any, depth: int) -> Any:
    if value is None or isinstance(value, bool | str) or type(value) is int:
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if depth > _DEEPEST:
        return _text(value)
    if isinstance(value, dict):
        return {str(k): _plain(v, depth + 1) for k, v in list(value.items())[:_MOST_ITEMS]}
    if isinstance(value, list | tuple):
        return [_plain(v, depth + 1) for v in value[:_MOST_ITEMS]]
    if isinstance(value, set | frozenset):
        return [_plain(v, depth + 1) for v in sorted(value, key=str)[:_MOST_ITEMS]]
    return _library(value, depth)


def _library(value: Any, depth: int) -> Any:
    """Values of numpy, pandas and polars, known by what they can do, since none of them may be loaded."""
    module = type(value).__module__.partition(".")[0]
    if module == "pandas" and hasattr(value, "columns"):
        shown = value.head(1000)
        rows = [[_plain(cell, depth + 1) for cell in row] for row in shown.itertuples(index=False)]
        return {"columns": [str(c) for c in value.columns], "rows": rows, "row_count": len(value)}
    if module == "pandas" and hasattr(value, "to_list"):
        return [_plain(v, depth + 1) for v in value.head(_MOST_ITEMS).to_list()]
    if module == "polars" and hasattr(value, "rows"):
        rows = [[_plain(cell, depth + 1) for cell in row] for row in value.head(1000).rows()]
        return {"columns": list(value.columns), "rows": rows, "row_count": value.height}
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        return _plain(value.item(), depth + 1)
    if hasattr(value, "tolist"):
        return _plain(value.tolist(), depth + 1)
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    if module == "decimal" or module == "fractions":
        return str(value)
    return _text(value)


def _text(value: Any) -> str:
    try:
        return repr(value)[:10_000]
    except Exception:  # noqa: BLE001 - see `plain`
        return f"<{type(value).__name__}>"
