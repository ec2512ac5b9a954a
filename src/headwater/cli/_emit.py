"""Output: one JSON object on standard output, or text for people; errors in three lines; exit codes."""

from __future__ import annotations

import json
import os
import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headwater.errors import HeadwaterError
from headwater.text import IGNORABLE, visible

if TYPE_CHECKING:
    from rich.console import Console

EXIT_CODES = {
    0: "done",
    1: "negative result (nothing found, a check that does not hold)",
    2: "usage error",
    3: "partial: some inputs failed, the list is in the output",
    4: "a limit of time, memory, rows or money was reached",
    5: "set-up problem (no lake, missing package, 403)",
    130: "interrupted",
}


class Interruption(HeadwaterError):
    """The user pressed Ctrl-C."""

    kind = "interrupted"
    exit_code = 130


@dataclass(slots=True)
class Globals:
    """Flags that every verb takes, before it or after it."""

    lake: str | None = None
    state: str | None = None
    json: bool = False
    quiet: bool = False
    verbose: bool = False
    no_color: bool = False
    debug: bool = False
    anonymous: bool = False
    endpoint: str | None = None
    told: bool = False
    """The verb has said itself that it was interrupted."""


def console(options: Globals, *, stderr: bool = False) -> Console:
    """Return a console for text; colours only where a person looks on and does not object."""
    from rich.console import Console

    plain = options.no_color or bool(os.environ.get("NO_COLOR"))
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else 120
    return Console(
        stderr=stderr,
        no_color=plain,
        highlight=False,
        soft_wrap=not stream.isatty(),
        width=width,
        markup=False,
    )


def emit_json(verb: str, body: dict[str, Any], *, ok: bool = True) -> None:
    """Print one object of the JSON contract on standard output."""
    write_line(dumps({"schema": f"headwater.{verb}/1", "ok": ok, **body}))


def write_line(line: str) -> None:
    """Write a line to standard output as UTF-8, whatever the terminal's encoding."""
    sys.stdout.flush()
    sys.stdout.buffer.write(line.encode("utf-8", "backslashreplace") + b"\n")
    sys.stdout.buffer.flush()


def dumps(value: Any) -> str:
    """Return JSON; dates become ISO 8601, decimals strings, and numbers that JSON lacks (NaN, infinity) null.

    What a terminal obeys or does not show is written as an escape, which means the same to a program.
    """
    text = json.dumps(_clean(value), ensure_ascii=False, allow_nan=False, default=str)
    return _UNSEEN.sub(lambda mark: json.dumps(mark.group())[1:-1], text)


_UNSEEN = re.compile(f"[\x7f-\x9f\u2028\u2029\ufff9-\ufffb{IGNORABLE}]")
"""Controls and characters without a shape, and those that some readers of JSON lines take for the end of a line (Unicode,
section 5.8)."""


def _clean(value: Any) -> Any:
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, dict):
        return {str(k): _clean(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(v) for v in value]
    return value


def safe(value: Any) -> str:
    """Return a value as one printable line (see `visible`)."""
    return visible(value)


def safe_text(text: str) -> str:
    """Return text of several lines with everything else that is not printable shown as escapes."""
    return visible(text, lines=True)


def emit_error(verb: str, error: HeadwaterError, options: Globals) -> None:
    """Tell an error: what, where, and what to do next."""
    if options.json:
        emit_json(verb, {"error": error.to_dict()}, ok=False)
        return
    lines = [f"Error: {safe(error.message)}"]
    if error.where:
        lines.append(f"  at: {safe(error.where)}")
    if error.hint:
        lines.append(f"  do: {safe(error.hint)}")
    if error.nearest and not any(n in error.hint for n in error.nearest):
        lines.append("  near: " + ", ".join(map(safe, error.nearest[:5])))
    sys.stderr.write("\n".join(lines) + "\n")
