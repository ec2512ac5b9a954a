"""Verbs on a lake: ingest, status, search, list, inspect, read, related, sql, dump, doctor, trust."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headwater.cli._emit import Globals, console, dumps, emit_json, safe_text, write_line

if TYPE_CHECKING:
    from headwater.lake import Lake
    from headwater.settings import Settings

DOCUMENT = Annotated[
    str, typer.Argument(help="Path in the lake, a member archive.zip!a.csv, or a short unique name.")
]
OFFSET = Annotated[int, typer.Option(help="Skip this many items, characters or rows.", min=0)]


def add_to(app: typer.Typer) -> None:
    """Add the verbs to the application."""
    for verb, function in (
        ("ingest", ingest),
        ("status", status),
        ("search", search),
        ("list", list_),
        ("inspect", inspect),
        ("read", read),
        ("related", related),
        ("sql", sql),
        ("dump", dump),
        ("doctor", doctor),
        ("trust", trust),
    ):
        app.command(verb)(function)


def load_settings(options: Globals, given: dict[str, Any], *, lake: str | None = None) -> Settings:
    """Return the settings in force: flags, then environment, project file, user file, defaults."""
    from headwater.settings import Settings

    names = ("lake", "state", "endpoint")
    flags = {n: getattr(options, n) for n in names} | {
        n: True for n in ("anonymous", "quiet") if getattr(options, n)
    }
    settings = Settings.load({**flags, **given}, lake=lake)
    if not options.quiet:
        for notice in settings.notices:
            sys.stderr.write(f"Note: {notice}\n")
    return settings


def open_lake(options: Globals) -> Lake:
    """Open the lake that the flags, the environment or the working folder name."""
    from headwater.lake import Lake

    settings = load_settings(options, {})
    lake = Lake.find(settings["lake"], state=settings["state"])
    if not options.quiet:
        for notice in lake.notices:
            sys.stderr.write(f"Note: {notice}\n")
    return lake


def call(context: typer.Context, verb: str, arguments: dict[str, Any], **unfit: Any) -> Any:
    """Call a tool of the registry on the lake and print its result; return it."""
    from headwater.cli import _render
    from headwater.tools import TOOLS

    options: Globals = context.obj
    given = {k: v for k, v in arguments.items() if v not in (None, [])}
    with open_lake(options) as lake:
        if os.environ.get("HEADWATER_SESSION"):
            from headwater.cli._agent import under_session

            return under_session(options, lake, verb, given)
        result = TOOLS[verb].call(lake, given)
        if options.json:
            emit_json(verb, result.to_dict())
        else:
            _render.show(verb, result, console(options))
    return result


def ingest(
    context: typer.Context,
    path: Annotated[
        str | None, typer.Argument(help="A folder or s3://bucket/prefix; the lake at hand if left out.")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Reading processes; 0: one per core.", min=0)] = None,
    memory: Annotated[
        str | None, typer.Option(help="Memory at which a reading process is stopped, e.g. 1200MB.")
    ] = None,
    timeout: Annotated[
        str | None, typer.Option(help="Time after which reading one file is stopped, e.g. 300s.")
    ] = None,
    retry: Annotated[bool, typer.Option("--retry", help="Read files again that failed before.")] = False,
    allow_empty: Annotated[
        bool, typer.Option("--allow-empty", help="Believe that a lake that held files is empty now.")
    ] = False,
) -> None:
    """Take a folder or bucket in, as it is. Safe to stop and run again; only what changed is read.

    Example: headwater ingest ./data
    """
    from headwater.cli import _render
    from headwater.cli._progress import progress
    from headwater.ingest import IngestOptions, ingest_lake
    from headwater.storage import find_lake

    options: Globals = context.obj
    place = path or options.lake
    given = {"ingest.workers": workers, "ingest.memory": memory, "ingest.timeout": timeout}
    settings = load_settings(options, given, lake=place)
    place = place or settings["lake"] or find_lake(state=settings["state"]).url
    limits = IngestOptions(
        workers=settings["ingest.workers"],
        memory_mb=settings["ingest.memory"] / 1e6,
        deadline_s=settings["ingest.timeout"],
        recycle_after=settings["ingest.recycle_after"],
        retry=retry,
        allow_empty=allow_empty,
    )
    with progress(quiet=options.quiet or options.json, no_color=options.no_color) as report:
        result = ingest_lake(
            place,
            state=settings["state"],
            options=limits,
            report=report,
            anonymous=settings["anonymous"],
            endpoint=settings["endpoint"],
            region=settings["region"],
            profile=settings["profile"],
        )
    if options.json:
        emit_json("ingest", result.to_dict())
    else:
        _render.show("ingest", result, console(options))
    options.told = result.interrupted
    raise typer.Exit(130 if result.interrupted else 3 if result.counts["failed"] else 0)


def status(context: typer.Context) -> None:
    """Say what is in the lake, what is not and why, and what share of it search covers."""
    call(context, "status", {})


def search(
    context: typer.Context,
    query: Annotated[
        list[str],
        typer.Argument(
            help='What you look for, in plain words; "quoted" words stand together. Several are answered each.'
        ),
    ],
    k: Annotated[int | None, typer.Option("-k", "--limit", help="Hits at most.", min=1, max=1000)] = None,
    mode: Annotated[str | None, typer.Option(help="lexical, vector or hybrid.")] = None,
    format: Annotated[str | None, typer.Option(help="Only this format, e.g. csv.")] = None,
    namespace: Annotated[str | None, typer.Option(help="Only datasets below this folder.")] = None,
    year: Annotated[int | None, typer.Option(help="Only what speaks of this year.")] = None,
    kind: Annotated[str | None, typer.Option(help="table or text.")] = None,
) -> None:
    """Find documents by what they say and by what is in their cells.

    Example: headwater search "average class size in elementary schools" -k 10
    """
    result = call(
        context,
        "search",
        {
            "query": query[0],
            "also": query[1:],
            "k": k,
            "mode": mode,
            "format": format,
            "namespace": namespace,
            "year": year,
            "kind": kind,
        },
    )
    found = result.results if len(query) > 1 else [result]
    raise typer.Exit(0 if any(getattr(r, "hits", ()) for r in found) else 1)


def list_(
    context: typer.Context,
    dataset: Annotated[
        str | None, typer.Argument(help="A dataset; without one the datasets are listed.")
    ] = None,
    prefix: Annotated[str, typer.Option(help="Only datasets whose id begins so.")] = "",
    offset: OFFSET = 0,
    limit: Annotated[int, typer.Option(help="Items at most.", min=1)] = 50,
) -> None:
    """List the datasets of the lake, or the documents of one."""
    call(context, "list", {"dataset": dataset, "prefix": prefix, "offset": offset, "limit": limit})


def inspect(context: typer.Context, document: DOCUMENT) -> None:
    """Show what is in a document before opening it: shape, columns, meanings, samples, coverage, warnings."""
    call(context, "inspect", {"document": document})


def read(
    context: typer.Context,
    document: Annotated[
        list[str],
        typer.Argument(
            help="Path in the lake or a short unique name; with --find several, also patterns with *."
        ),
    ],
    page: Annotated[int | None, typer.Option(help="Page, from 1.", min=1)] = None,
    table: Annotated[str | None, typer.Option(help="One of its tables, by name.")] = None,
    offset: OFFSET = 0,
    limit: Annotated[int | None, typer.Option(help="Characters or rows at most.", min=1)] = None,
    raw: Annotated[bool, typer.Option("--raw", help="Cells as they stand in the source.")] = False,
    find: Annotated[
        list[str] | None,
        typer.Option(help="Count these words and show the best sentences instead; may be repeated."),
    ] = None,
) -> None:
    """Read a page, a stretch of text, or rows of a table; says how to see the following part.

    Example: headwater read "speeches/files/*.txt" --find liberty
    """
    given = {"page": page, "table": table, "offset": offset, "limit": limit, "raw": raw}
    words = find[0] if find and len(find) == 1 else find
    call(context, "read", {"document": document[0], "also": document[1:], "find": words, **given})


def related(context: typer.Context, document: DOCUMENT) -> None:
    """Show duplicates, the series, joinable columns and mentions of a document, with measured match rates."""
    call(context, "related", {"document": document})


def sql(
    context: typer.Context,
    statement: Annotated[
        list[str],
        typer.Argument(
            help="A SELECT; tables are t('path'), t('path#name'), t('series:ID'). Several are run each."
        ),
    ],
    limit: Annotated[int | None, typer.Option(help="Rows at most.", min=1)] = None,
    timeout: Annotated[str | None, typer.Option(help="Deadline, e.g. 15s.")] = None,
    format: Annotated[str, typer.Option(help="table, csv or md.")] = "table",
    explain: Annotated[
        bool, typer.Option("--explain", help="Show the query plan instead of running it.")
    ] = False,
) -> None:
    """Query tables and series with DuckDB SQL, read-only.

    Example: headwater sql "select count(*) from t('geography/rivers/data/rivers.tsv')"
    """
    from headwater.cli import _render

    options: Globals = context.obj
    settings = load_settings(options, {"sql.limit": limit, "sql.timeout": timeout})
    if len(statement) > 1 or (os.environ.get("HEADWATER_SESSION") and not explain):
        given = {
            "statement": statement[0],
            "also": statement[1:],
            "max_rows": limit,
            "deadline_s": settings["sql.timeout"],
        }
        call(context, "sql", given)
        return
    with open_lake(options) as lake:
        if explain:
            plan = lake.explain(statement[0])
            emit_json("sql", {"plan": plan}) if options.json else write_line(safe_text(plan))
            return
        result = lake.sql(statement[0], max_rows=settings["sql.limit"], deadline_s=settings["sql.timeout"])
        if options.json:
            emit_json("sql", result.to_dict())
        else:
            _render.sql(result, console(options), format)


def dump(
    context: typer.Context,
    rows: Annotated[int | None, typer.Option(help="Rows of each table at most.", min=0)] = None,
    raw: Annotated[bool, typer.Option("--raw", help="Add the cells as text.")] = False,
) -> None:
    """Print everything the catalog holds as JSON lines, one document a line."""
    with open_lake(context.obj) as lake:
        for line in lake.dump(rows=rows, raw=raw):
            write_line(dumps(line))


def doctor(
    context: typer.Context,
    place: Annotated[
        str | None, typer.Argument(help="A folder or s3://bucket/prefix; the lake at hand if left out.")
    ] = None,
) -> None:
    """Check this machine and a lake: versions, state, space, index coverage; for S3 who asks, and what was refused."""
    from headwater.cli import _render
    from headwater.lake import diagnose_lake

    options: Globals = context.obj
    checks = diagnose_lake(
        place or options.lake, state=options.state, anonymous=options.anonymous, endpoint=options.endpoint
    )
    good = all(c.ok is not False for c in checks)
    if options.json:
        emit_json(
            "doctor",
            {"checks": [{"name": c.name, "ok": c.ok, "detail": c.detail, "hint": c.hint} for c in checks]},
            ok=good,
        )
    else:
        _render.checks(checks, console(options))
    raise typer.Exit(0 if good else 5)


def trust(
    context: typer.Context,
    place: Annotated[
        str, typer.Argument(help="The lake whose own .headwater and headwater.toml may be used.")
    ],
    revoke: Annotated[bool, typer.Option("--revoke", help="Take the trust back.")] = False,
) -> None:
    """Let a state folder or configuration that lies inside a lake be used. Nothing in a lake configures headwater else."""
    from headwater.storage import lake_url, untrust
    from headwater.storage import trust as grant

    url = lake_url(place)
    done = [] if revoke else grant(url)
    if revoke:
        untrust(url)
    if context.obj.json:
        emit_json("trust", {"lake": url, "trusted": done})
    elif revoke:
        write_line("Nothing in this lake is trusted any more.")
    else:
        write_line(
            "\n".join(f"Trusted: {what}." for what in done) or "There is nothing in this lake to trust."
        )
