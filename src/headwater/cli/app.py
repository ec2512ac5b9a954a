"""The application: global flags in any place, one shape for errors, stated exit codes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NoReturn

import typer

from headwater.cli import _agent, _ask, _bench, _code, _graph, _lake
from headwater.cli._emit import EXIT_CODES, Globals, Interruption, emit_error
from headwater.errors import HeadwaterError, SetupError, UsageError

_FLAGS = {
    "--json": "json",
    "--quiet": "quiet",
    "-q": "quiet",
    "--verbose": "verbose",
    "-v": "verbose",
    "--no-color": "no_color",
    "--debug": "debug",
    "--anonymous": "anonymous",
}
_OPTIONS = {"--lake": "lake", "--state": "state", "--endpoint": "endpoint"}

_EPILOG = "Exit codes: " + "; ".join(f"{code} {meaning}" for code, meaning in EXIT_CODES.items()) + "."


def hoist(arguments: Sequence[str]) -> tuple[Globals, list[str]]:
    """Take the global flags out of the arguments, wherever they stand before a lone "--".

    Raises:
        UsageError: an option that takes a value has none.
    """
    found, rest = Globals(), []
    items = list(arguments)
    while items:
        item = items.pop(0)
        name, _, value = item.partition("=")
        if item == "--":
            rest += [item, *items]
            break
        if item in _FLAGS:
            setattr(found, _FLAGS[item], True)
        elif name in _OPTIONS:
            if "=" not in item:
                if not items or items[0] in _FLAGS:
                    raise UsageError(f"{name} needs a value.")
                value = items.pop(0)
            setattr(found, _OPTIONS[name], value)
        else:
            rest.append(item)
    return found, rest


def build() -> typer.Typer:
    """Return the application with all its verbs."""
    app = typer.Typer(
        name="headwater",
        help="Answer questions from data lakes nobody has cleaned up, with evidence. Global flags, before or after "
        "the verb: --lake, --state, --json, --quiet, --verbose, --no-color, --anonymous, --endpoint, --debug.",
        epilog=_EPILOG,
        no_args_is_help=True,
        add_completion=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    _lake.add_to(app)
    app.command("ask")(_ask.ask)
    app.command("replay")(_ask.replay)
    app.command("run-code")(_code.run_code)
    _agent.add_to(app)
    app.add_typer(_graph.app, name="graph")
    app.add_typer(_bench.app, name="bench")
    return app


def _show_version(wanted: bool) -> None:
    if wanted:
        from headwater import __version__

        typer.echo(f"headwater {__version__}")
        raise typer.Exit()


def _root(
    version: bool = typer.Option(
        False, "--version", help="Print the version and exit.", is_eager=True, callback=_show_version
    ),
) -> None:
    """Answer questions from data lakes nobody has cleaned up, with evidence."""


def run(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit with its code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    options, verb = Globals(json="--json" in given), "headwater"
    try:
        options, rest = hoist(given)
        verb = next((a for a in rest if not a.startswith("-")), "headwater")
        command = typer.main.get_command(build())
        with _agent.recorded(options, verb, rest) as outcome:
            code = outcome["code"] = command.main(
                rest, prog_name="headwater", standalone_mode=False, obj=options
            )
        if code == Interruption.exit_code and not options.told:  # typer makes a code of the exception
            raise KeyboardInterrupt
        sys.exit(code if isinstance(code, int) else 0)
    except HeadwaterError as error:
        _debug(options)
        emit_error(verb, error, options)
        sys.exit(error.exit_code)
    except typer.TyperException as error:
        context = getattr(error, "ctx", None)
        if type(error).__name__ == "NoArgsIsHelpError":  # typer does not export it
            sys.stdout.write(f"{context.get_help() if context else error.format_message()}\n")
            sys.exit(0)
        emit_error(verb, UsageError(_sentence(error), hint=_usage(context)), options)
        sys.exit(2)
    except (typer.Abort, KeyboardInterrupt):
        stopped = Interruption(
            "Interrupted. What was finished is kept.", hint="Run the same command again to go on."
        )
        emit_error(verb, stopped, options)
        sys.exit(stopped.exit_code)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    except Exception as error:  # noqa: BLE001 - the edge of the process: a defect of ours is told in one line too
        if isinstance(error, OSError):
            told: HeadwaterError = SetupError(
                f"The system refused: {error.strerror or error}.", where=str(error.filename or "")
            )
        elif type(error).__module__ == "sqlite3":
            told = SetupError(
                f"The catalog cannot be used: {error}.",
                hint="If this stays, remove the state folder (.headwater) and ingest again; the lake is not touched.",
            )
        else:
            told = HeadwaterError(
                f"Internal error: {type(error).__name__}: {error}",
                hint="--debug shows where; please report it.",
            )
        _debug(options)
        emit_error(verb, told, options)
        sys.exit(told.exit_code)


def _sentence(error: typer.TyperException) -> str:
    """Return what the library says of a wrong call, on one line."""
    text = " ".join(error.format_message().split())
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _usage(context: typer.Context | None) -> str:
    path = context.command_path if context else "headwater"
    return f"{path} --help shows how it is called."


def _debug(options: Globals) -> None:
    if options.debug:
        import traceback

        traceback.print_exc()
