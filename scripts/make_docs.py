"""Write docs/cli.md and docs/settings.md from the code, and the output of the commands in README.md from running them.

Usage: python scripts/make_docs.py
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from headwater.cli._emit import EXIT_CODES
from headwater.cli.app import _FLAGS, _OPTIONS, build
from headwater.settings import SETTINGS

ROOT = Path(__file__).parents[1]
HEADWATER = Path(sys.executable).with_name("headwater")
MADE = "<!-- Made by scripts/make_docs.py; change the code, not this page. -->"

GLOBAL = {
    "json": "Print one JSON object ([json.md](json.md)).",
    "quiet": "No progress and no notices.",
    "verbose": "More notices.",
    "no_color": "No colours; the variable `NO_COLOR` does the same.",
    "debug": "Show where an internal error happened.",
    "anonymous": "Send no credentials to S3.",
    "lake": "The lake: a folder or `s3://bucket/prefix`.",
    "state": "Folder for headwater's own state.",
    "endpoint": "URL of an S3-compatible server.",
}
"""What the global flags do; a flag without a sentence here is an error."""


def commands(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Yield (full name, command) of everything that can be called below a command."""
    if hasattr(command, "commands"):
        for part in command.commands.values():
            yield from commands(part, f"{name} {part.name}")
    else:
        yield name, command


def cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def written_as(parameter: Any) -> str:
    """Return the longest way to write an option."""
    return max(parameter.opts, key=len)


def option(parameter: Any, verb: str = "") -> list[str]:
    """Return the row of an option or argument: how it is written, what it does, its default."""
    told = cell(getattr(parameter, "help", "") or "")
    if parameter.param_type_name == "argument":
        name = (parameter.metavar or parameter.name).strip("[]<>").split()[0].upper()
        return [f"`{name}`", told, "required" if parameter.required else ""]
    written = ", ".join(f"`{o}`" for o in [*parameter.opts, *parameter.secondary_opts])
    setting = next(
        (s for s in SETTINGS if f"{verb} {s.flag}" == f"{s.name.rpartition('.')[0]} {written_as(parameter)}"),
        None,
    )
    default = setting.default if setting else parameter.default
    plain = default is None or default is False or default == "" or callable(default)
    return [written, told, "" if plain else f"`{default}`"]


def table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def command_section(name: str, command: Any) -> str:
    """Return the section of one command."""
    help_text = (command.help or "").strip()
    told, _, example = help_text.partition("Example:")
    shown = [p for p in command.params if p.name != "help"]
    usage = [name]
    usage += ["[OPTIONS]"] if any(p.param_type_name == "option" for p in shown) else []
    for p in shown:
        if p.param_type_name == "argument":
            word = option(p)[0].strip("`") + ("..." if p.nargs == -1 else "")
            usage.append(word if p.required else f"[{word}]")
    parts = [f"## {name.removeprefix('headwater ')}", f"```\n{' '.join(usage)}\n```", " ".join(told.split())]
    if example.strip():
        parts.append(f"Example: `{' '.join(example.split())}`")
    if shown:
        parts.append(
            table(["", "meaning", "default"], [option(p, name.removeprefix("headwater ")) for p in shown])
        )
    return "\n\n".join(parts)


def cli_page() -> str:
    """Return docs/cli.md."""
    root = typer.main.get_command(build())
    sections = [command_section(name, c) for name, c in commands(root, "headwater")]
    flags: dict[str, list[str]] = {}
    for written, name in [*_FLAGS.items(), *_OPTIONS.items()]:
        flags.setdefault(name, []).append(f"`{written}`")
    rows = [[", ".join(written), GLOBAL[name]] for name, written in flags.items()]
    codes = [[str(code), meaning] for code, meaning in EXIT_CODES.items()]
    intro = (
        "`headwater` (or `hw`) is one program with verbs. Errors come in up to four lines on standard error: what went "
        "wrong, where (`at:`), what to do (`do:`), and names close to the one that was asked for (`near:`)."
    )
    where = (
        "A lake is found like a git repository: `--lake`, else `HEADWATER_LAKE`, else the nearest folder above the "
        "working folder that holds a `.headwater` of its own."
    )
    parts = [
        "# Command line", MADE, intro, where,
        "## Global flags", "They may stand before or after the verb.", table(["flag", "meaning"], rows),
        "## Exit codes", table(["code", "meaning"], codes),
        *sections,
    ]  # fmt: skip
    return "\n\n".join(parts) + "\n"


def settings_page() -> str:
    """Return docs/settings.md."""
    root = typer.main.get_command(build())
    flags = {*_FLAGS, *_OPTIONS}
    for name, command in commands(root, "headwater"):
        flags |= {f"{name.removeprefix('headwater ')} {o}" for p in command.params for o in p.opts}
    rows = []
    for s in SETTINGS:
        verb, _, _ = s.name.rpartition(".")
        choices = f" One of {', '.join(s.choices)}." if s.choices else ""
        user = " Not taken from a project's file." if s.user_only else ""
        default = f"`{s.default}`" if s.default is not None else ""
        flag = f"{verb} {s.flag}".strip()
        flag = f"`{flag}`" if flag in flags else ""
        rows.append([f"`{s.name}`", flag, f"`{s.env}`", default, cell(s.help) + choices + user])
    parts = [
        "# Settings", MADE,
        "A setting is one thing under four names: flag, argument, environment variable, key in `headwater.toml`. The "
        "first that is given counts, in this order: flag or argument, environment, `headwater.toml` in the working "
        "folder, `headwater.toml` of the user (in the platform's configuration folder, on Linux "
        "`~/.config/headwater`), default.",
        table(["setting", "flag", "environment", "default", "meaning"], rows),
        'A name with a dot is a key in a section: `ingest.timeout` is `timeout = "5min"` below `[ingest]`. Times are '
        "written `250ms`, `90s`, `5min`, `2h`; amounts `600MB` (10^6 bytes) or `1GiB` (2^30).",
        "A `headwater.toml` that lies inside a lake is not read until `headwater trust` says so, since whoever made the "
        "lake may have put it there. What would send requests, credentials or state elsewhere is never taken from a "
        "project's file, trusted or not.",
    ]  # fmt: skip
    return "\n\n".join(parts) + "\n"


CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)


def with_output(text: str, state: Path) -> str:
    """Return a page with the output below each `$ headwater …` of its console blocks, from running it on examples/lake.

    Args:
        text: the page.
        state: a state folder into which examples/lake was taken.
    """
    environ = {**os.environ, "HEADWATER_LAKE": str(ROOT / "examples" / "lake"), "HEADWATER_STATE": str(state)}

    def run(block: re.Match[str]) -> str:
        parts = []
        for line in block[1].splitlines():
            if line.startswith("$ headwater "):
                out = subprocess.run(
                    [HEADWATER, *shlex.split(line)[2:]],
                    cwd=ROOT, env=environ, capture_output=True, check=True, encoding="utf-8",
                ).stdout  # fmt: skip
                shown = "\n".join(row.rstrip() for row in out.strip("\n").splitlines())
                parts.append(f"{line}\n{shown}\n")
        return "```console\n" + "\n".join(parts) + "```"

    return CONSOLE.sub(run, text)


def readme(state: Path) -> str:
    """Return README.md with the output of its commands."""
    return with_output((ROOT / "README.md").read_text(encoding="utf-8"), state)


PAGES = {"cli.md": cli_page, "settings.md": settings_page}


def main() -> None:
    """Write the pages."""
    from headwater import ingest_lake

    for name, make in PAGES.items():
        (ROOT / "docs" / name).write_text(make(), encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder) / "state"
        ingest_lake(ROOT / "examples" / "lake", state=state)
        (ROOT / "README.md").write_text(readme(state), encoding="utf-8")
    print(f"README.md and {len(PAGES)} pages in docs")


if __name__ == "__main__":
    main()
