"""Verbs on a lake: ingest, status, search, list, inspect, read, related, sql, dump, doctor, trust."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headwater.cli._emit import Globals, console, dumps, emit_json, write_line

if TYPE_CHECKING:
    from headwater.lake import Lake

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


def open_lake(options: Globals) -> Lake:
    """Open the lake that the flags, the environment or the working folder name."""
    from headwater.lake import Lake

    lake = Lake.find(options.lake, state=options.state)
    if not options.quiet:
        for notice in lake.notices:
            sys.stderr.write(f"Note: {notice}\n")
    return lake


def call(context: typer.Context, verb: str, arguments: dict[str, Any], **unfit: Any) -> Any:
    """Call a tool of the registry on the lake and print its result; return it."""
    from headwater.cli import _render
    from headwater.tools import TOOLS

    options: Globals = context.obj
    given = {k: v for k, v in arguments.items() if v is not None}
    with open_lake(options) as lake:
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
    workers: Annotated[int, typer.Option(help="Reading processes; 0: one per core.", min=0)] = 0,
    memory: Annotated[
        str, typer.Option(help="Memory at which a reading process is stopped, e.g. 1200MB.")
    ] = "1200MB",
    timeout: Annotated[
        str, typer.Option(help="Time after which reading one file is stopped, e.g. 300s.")
    ] = "300s",
    retry: Annotated[bool, typer.Option("--retry", help="Read files again that failed before.")] = False,
) -> None:
    """Take a folder or bucket in, as it is. Safe to stop and run again; only what changed is read.

    Example: headwater ingest ./data
    """
    from headwater.cli._progress import progress
    from headwater.ingest import IngestOptions, ingest_lake
    from headwater.settings import parse_bytes, parse_seconds

    options: Globals = context.obj
    limits = IngestOptions(
        workers=workers, memory_mb=parse_bytes(memory) >> 20, deadline_s=parse_seconds(timeout), retry=retry
    )
    place = path or options.lake
    if place is None:
        from headwater.storage import find_lake

        place = find_lake(state=options.state).url
    with progress(quiet=options.quiet or options.json, no_color=options.no_color) as report:
        result = ingest_lake(
            place,
            state=options.state,
            options=limits,
            report=report,
            anonymous=options.anonymous,
            endpoint=options.endpoint,
        )
    if options.json:
        emit_json("ingest", result.to_dict())
    else:
        from headwater.cli import _render

        _render.show("ingest", result, console(options))
    raise typer.Exit(3 if result.counts["failed"] else 0)


def status(context: typer.Context) -> None:
    """Say what is in the lake, what is not and why, and what share of it search covers."""
    call(context, "status", {})


def search(
    context: typer.Context,
    query: Annotated[
        str, typer.Argument(help='What you look for, in plain words; "quoted" words stand together.')
    ],
    k: Annotated[int, typer.Option("-k", "--limit", help="Hits at most.", min=1, max=1000)] = 10,
    mode: Annotated[str, typer.Option(help="lexical, vector or hybrid.")] = "hybrid",
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
            "query": query,
            "k": k,
            "mode": mode,
            "format": format,
            "namespace": namespace,
            "year": year,
            "kind": kind,
        },
    )
    raise typer.Exit(0 if result.hits else 1)


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
    document: DOCUMENT,
    page: Annotated[int | None, typer.Option(help="Page, from 1.", min=1)] = None,
    table: Annotated[str | None, typer.Option(help="One of its tables, by name.")] = None,
    offset: OFFSET = 0,
    limit: Annotated[int | None, typer.Option(help="Characters or rows at most.", min=1)] = None,
    raw: Annotated[bool, typer.Option("--raw", help="Cells as they stand in the source.")] = False,
) -> None:
    """Read a page, a stretch of text, or rows of a table; says how to see the following part."""
    call(
        context,
        "read",
        {"document": document, "page": page, "table": table, "offset": offset, "limit": limit, "raw": raw},
    )


def related(context: typer.Context, document: DOCUMENT) -> None:
    """Show duplicates, the series, joinable columns and mentions of a document, with measured match rates."""
    call(context, "related", {"document": document})


def sql(
    context: typer.Context,
    statement: Annotated[
        str, typer.Argument(help="One SELECT; tables are t('path'), t('path#name'), t('series:ID').")
    ],
    limit: Annotated[int, typer.Option(help="Rows at most.", min=1)] = 1000,
    timeout: Annotated[str, typer.Option(help="Deadline, e.g. 15s.")] = "15s",
    format: Annotated[str, typer.Option(help="table, csv or md.")] = "table",
) -> None:
    """Query tables and series with DuckDB SQL, read-only.

    Example: headwater sql "select count(*) from t('opendata/world-cup-database/files/goals.csv')"
    """
    from headwater.cli import _render
    from headwater.settings import parse_seconds

    options: Globals = context.obj
    with open_lake(options) as lake:
        result = lake.sql(statement, max_rows=limit, deadline_s=parse_seconds(timeout))
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
    (untrust if revoke else grant)(url)
    if context.obj.json:
        emit_json("trust", {"lake": url, "trusted": not revoke})
