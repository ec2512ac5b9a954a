"""The verb mcp: the tools for any client of the Model Context Protocol."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from headwater.cli._emit import Globals


def mcp(
    context: typer.Context,
    transport: Annotated[str | None, typer.Option(help="stdio or http.")] = None,
    host: Annotated[
        str | None, typer.Option(help="Address to bind to; another than loopback needs a token.")
    ] = None,
    port: Annotated[int | None, typer.Option(help="Port; 0 takes a free one.", min=0, max=65535)] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(help="A further name of this server, as clients call it; may be repeated."),
    ] = None,
    graph: Annotated[
        list[str] | None, typer.Option(help="A source of a schema graph; adds the graph tools.")
    ] = None,
) -> None:
    """Serve the tools, read-only, to any MCP client over standard input and output, or over HTTP.

    Example: claude mcp add headwater -- headwater mcp --lake ./data
    """
    from headwater.cli._agent import SESSION, current
    from headwater.cli._lake import load_settings, open_lake
    from headwater.mcp import Served, serve_http, serve_stdio

    options: Globals = context.obj
    settings = load_settings(options, {"mcp.transport": transport, "mcp.host": host, "mcp.port": port})
    trace = None
    with open_lake(options) as lake:
        place, state = lake.url, lake.state
        if os.environ.get(SESSION):
            trace = current(lake)
    loaded = None
    if graph:
        from headwater.graph import load_graph

        loaded = load_graph(graph)
    served = Served(place, state, graph=loaded, trace=trace)
    if settings["mcp.transport"] == "stdio":
        serve_stdio(served)
        return
    serve_http(
        served,
        settings["mcp.host"],
        settings["mcp.port"],
        token=settings["mcp.token"] or "",
        allowed=allow_host or (),
        ready=lambda address: _ready(address, quiet=options.quiet),
    )


def _ready(address: str, *, quiet: bool) -> None:
    if not quiet:
        sys.stderr.write(f"Serving at {address}\n")
        sys.stderr.flush()
