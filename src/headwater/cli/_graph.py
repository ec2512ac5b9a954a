"""Verbs on schema graphs: each works on `--from SOURCE…` or on the graph that `load` keeps."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer

from headwater.cli._emit import Globals, emit_json, write_line
from headwater.cli._render import safe

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from headwater.graph import ProofEdge, SchemaGraph, Topology

app = typer.Typer(
    help="Foreign keys, lineage, silos and impact of a warehouse, exactly.", no_args_is_help=True
)

Edges = Literal["fk", "lineage", "fk+lineage"]
FROM = Annotated[
    list[str] | None,
    typer.Option(
        "--from",
        help="SQL files, folders, schema.json, manifest.json, .pt, a database file or URL … (repeat it).",
    ),
]
DIALECT = Annotated[str | None, typer.Option(help="SQL dialect; detected for each script if left out.")]
TABLE = Annotated[str, typer.Argument(help="A table, in any spelling that leaves no doubt.")]
EDGES = Annotated[str, typer.Option("--edges", help="fk, lineage or fk+lineage.")]


def graph_of(context: typer.Context, sources: list[str] | None) -> SchemaGraph:
    """Load the sources, or the graph kept by `load`; tell what could not be read."""
    from headwater.graph import load_graph, saved_graph

    options: Globals = context.obj
    if not sources:
        return saved_graph(_state(options))
    graph = load_graph(list(sources))
    _tell_problems(graph, options)
    return graph


def _state(options: Globals, *, create: bool = False) -> Path:
    from headwater.storage import find_lake, state_dir

    if options.lake or options.state:
        return state_dir(options.lake or ".", options.state, create=create)
    if not create:
        from headwater.errors import SetupError

        try:
            return find_lake().state
        except SetupError:
            return state_dir(".")
    return state_dir(".", create=True)


def _tell_problems(graph: SchemaGraph, options: Globals) -> None:
    if options.quiet:
        return
    for problem in graph.problems[:20]:
        line = f":{problem.line}" if problem.line else ""
        sys.stderr.write(f"Not read: {safe(problem.file)}{line}: {safe(problem.message)}\n")
    if len(graph.problems) > 20:
        sys.stderr.write(f"… and {len(graph.problems) - 20:,} more; graph export --json lists all.\n")


def topology(context: typer.Context, sources: list[str] | None) -> Topology:
    """Return the operations on the graph at hand."""
    from headwater.graph import Topology

    return Topology(graph_of(context, sources))


def _kinds(text: str) -> Edges:
    from headwater.errors import UsageError

    if text not in ("fk", "lineage", "fk+lineage"):
        raise UsageError(f"--edges is fk, lineage or fk+lineage, not {text!r}.")
    return cast("Edges", text)


def _show(context: typer.Context, verb: str, body: dict[str, Any], lines: Iterable[str]) -> None:
    options: Globals = context.obj
    if options.json:
        emit_json(f"graph.{verb}", body)
    else:
        for line in lines:
            write_line(safe(line))


def _proof(edges: Sequence[ProofEdge]) -> list[dict[str, Any]]:
    return [e.to_dict() for e in edges]


@app.command()
def load(
    context: typer.Context,
    sources: Annotated[
        list[str],
        typer.Argument(help="SQL files, folders, schema.json, manifest.json, database files or URLs."),
    ],
    dialect: DIALECT = None,
    infer_keys: Annotated[
        bool, typer.Option("--infer-keys", help="Propose keys that the sources lack, marked as inferred.")
    ] = False,
) -> None:
    """Load one graph from one or several sources and keep it for the other verbs.

    Example: headwater graph load schema.sql etl/
    """
    from headwater.graph import load_graph, save_graph

    graph = load_graph(sources, dialect=dialect, infer_keys=infer_keys)
    _tell_problems(graph, context.obj)
    save_graph(graph, _state(context.obj, create=True))
    placeholders = sum(t.placeholder for t in graph.tables.values())
    counts = {
        "tables": len(graph.tables) - placeholders,
        "placeholders": placeholders,
        "foreign_keys": len(graph.foreign_keys),
        "lineage": len(graph.lineage),
        "problems": len(graph.problems),
    }
    _show(
        context,
        "load",
        {"counts": counts},
        [", ".join(f"{n:,} {k.replace('_', ' ')}" for k, n in counts.items())],
    )
    raise typer.Exit(3 if graph.problems else 0)


@app.command()
def impact(
    context: typer.Context,
    table: TABLE,
    keys: Annotated[
        str, typer.Option(help="children, neighbours, reachable or none: the step over keys at the end.")
    ] = "children",
    source: FROM = None,
) -> None:
    """List every table affected by a change of one, each with the path that reaches it."""
    from headwater.errors import UsageError

    if keys not in ("children", "neighbours", "reachable", "none"):
        raise UsageError(f"--keys is children, neighbours, reachable or none, not {keys!r}.")
    reach = topology(context, source).impact(table, cast("Any", keys))
    paths = {name: reach.path_to(name) for name in reach.tables}
    body = {
        "table": reach.table,
        "semantics": reach.semantics,
        "answer": reach.tables,
        "paths": {n: _proof(p) for n, p in paths.items()},
    }
    lines = [f"{len(reach)} tables are affected by {reach.table} ({reach.semantics})"]
    lines += [f"  {name}: {'; '.join(map(str, path))}" for name, path in paths.items()]
    _show(context, "impact", body, lines)


@app.command()
def path(
    context: typer.Context,
    source_table: Annotated[str, typer.Argument(metavar="FROM_TABLE", help="First table.")],
    target_table: Annotated[str, typer.Argument(metavar="TO_TABLE", help="Last table.")],
    edges: EDGES = "fk",
    limit: Annotated[int, typer.Option(help="Paths at most.", min=1)] = 10,
    source: FROM = None,
) -> None:
    """Show all shortest paths between two tables (direction dropped), with the keys to join on."""
    found = topology(context, source).paths(source_table, target_table, _kinds(edges))
    listed = [p for p, _ in zip(found, range(limit), strict=False)]
    body = {
        "source": found.source,
        "target": found.target,
        "length": found.length,
        "count": found.count,
        "paths": [{"tables": p.tables, "proof": _proof(p.proof())} for p in listed],
    }
    lines = [f"{found.source} and {found.target} are not connected over {edges}."]
    if listed:
        lines = [
            f"{found.length} steps, {found.count:,} shortest paths"
            + (f", {len(listed)} shown" if len(listed) < found.count else "")
        ]
        for p in listed:
            lines.append(" - ".join(p.tables))
            lines += [f"    {e}{_on(e)}" for e in p.proof()]
    _show(context, "path", body, lines)
    raise typer.Exit(0 if listed else 1)


def _on(edge: ProofEdge) -> str:
    return (
        " on " + ", ".join(f"{a} = {b}" for a, b in edge.columns)
        if edge.columns and edge.kind == "fk"
        else ""
    )


@app.command()
def join(
    context: typer.Context,
    tables: Annotated[list[str], typer.Argument(help="Tables to be joined.")],
    edges: EDGES = "fk",
    source: FROM = None,
) -> None:
    """Show the fewest joins that connect several tables."""
    tree = topology(context, source).join_tree(tables, _kinds(edges))
    body = {
        "tables": tree.tables,
        "joins": _proof(tree.joins),
        "exact": tree.exact,
        "unreachable": tree.unreachable,
    }
    lines = [
        f"{len(tree.joins)} joins{'' if tree.exact else ' (not proven to be the fewest)'}: {', '.join(tree.tables)}"
    ]
    lines += [f"  {e}{_on(e)}" for e in tree.joins]
    if tree.unreachable:
        lines = [f"Not connected over {edges}: {', '.join(tree.unreachable)}"]
    _show(context, "join", body, lines)
    raise typer.Exit(1 if tree.unreachable else 0)


@app.command()
def silos(context: typer.Context, edges: EDGES = "fk+lineage", source: FROM = None) -> None:
    """List the connected components with their members, and the tables and links that hold them together."""
    graph = topology(context, source)
    found = graph.silos(_kinds(edges))
    groups = [found.members(s) for s in found.by_size()]
    cut, links = graph.cut_tables(_kinds(edges)), graph.bridges(_kinds(edges))
    body = {
        "count": found.count,
        "silos": [{"size": len(g), "tables": g} for g in groups],
        "cut_tables": cut,
        "bridges": _proof(links),
    }
    lines = [f"{found.count} silos"]
    lines += [f"  {len(g)}: {', '.join(g[:12])}{' …' if len(g) > 12 else ''}" for g in groups[:30]]
    if len(groups) > 30:
        lines.append(f"  … {len(groups) - 30:,} more; --json lists all")
    if cut:
        lines.append(f"cut tables: {', '.join(cut[:20])}{' …' if len(cut) > 20 else ''}")
    _show(context, "silos", body, lines)


@app.command()
def neighbours(
    context: typer.Context,
    table: TABLE,
    edges: EDGES = "fk+lineage",
    depth: Annotated[int, typer.Option(help="Steps.", min=1)] = 1,
    source: FROM = None,
) -> None:
    """List the tables around one, in either direction."""
    reach = topology(context, source).neighbours(table, _kinds(edges), depth)
    body = {"table": reach.table, "answer": reach.tables, "proof": _proof(reach.proof())}
    _show(
        context,
        "neighbours",
        body,
        [f"{len(reach)} neighbours of {reach.table}", *(f"  {e}" for e in reach.proof())],
    )


@app.command()
def lineage(
    context: typer.Context,
    table: TABLE,
    up: Annotated[
        bool, typer.Option("--up", help="What it is derived from, instead of what is derived from it.")
    ] = False,
    depth: Annotated[int | None, typer.Option(help="Steps at most.", min=1)] = None,
    source: FROM = None,
) -> None:
    """List what is derived from a table, or what it is derived from, with the edges."""
    reach = topology(context, source).lineage(table, "up" if up else "down", depth)
    body = {
        "table": reach.table,
        "semantics": reach.semantics,
        "answer": reach.tables,
        "proof": _proof(reach.proof()),
    }
    what = "sources of" if up else "tables derived from"
    _show(
        context, "lineage", body, [f"{len(reach)} {what} {reach.table}", *(f"  {e}" for e in reach.proof())]
    )


@app.command()
def orphans(context: typer.Context, edges: EDGES = "fk+lineage", source: FROM = None) -> None:
    """List the tables without an edge to any other."""
    found = topology(context, source).orphans(_kinds(edges))
    _show(context, "orphans", {"answer": found}, [f"{len(found)} orphans", *(f"  {t}" for t in found)])


@app.command()
def sources(
    context: typer.Context,
    table: Annotated[str | None, typer.Argument(help="Only those that feed this table.")] = None,
    source: FROM = None,
) -> None:
    """List the tables where lineage begins: of the whole graph, or of one table."""
    found = topology(context, source).sources(table)
    _show(context, "sources", {"answer": found}, [f"{len(found)} sources", *(f"  {t}" for t in found)])


@app.command()
def cycles(context: typer.Context, source: FROM = None) -> None:
    """Report lineage cycles: one shortest cycle for every set of tables that depend on each other."""
    found = topology(context, source).cycles()
    lines = [f"{len(found)} lineage cycles", *("  " + "; ".join(map(str, c)) for c in found)]
    _show(context, "cycles", {"answer": [_proof(c) for c in found]}, lines)
    raise typer.Exit(1 if found else 0)


@app.command()
def ask(
    context: typer.Context,
    question: Annotated[str, typer.Argument(help="In plain language.")],
    source: FROM = None,
) -> None:
    """Answer a question about the graph exactly, with proof, or say what is missing. No model is used.

    Example: headwater graph ask "If Person changes, which downstream tables are affected?"
    """
    from headwater.graph import ask as answer_question

    answer = answer_question(graph_of(context, source), question)
    lines = [f"I cannot answer that: {answer.missing}"]
    if answer.status == "answered":
        value = answer.answer
        shown = [f"  {v}" for v in value] if isinstance(value, list) else []
        lines = [f"{len(value)} tables" if isinstance(value, list) else str(value), *shown]
        lines.append(f"read as: {answer.reading} ({answer.semantics})")
        if not context.obj.json:
            lines += [
                f"  because {e['source']} {'references' if e['kind'] == 'fk' else 'feeds'} {e['target']}"
                for e in answer.proof[:10]
                if "source" in e
            ]
            if len(answer.proof) > 10:
                lines.append(f"  … {len(answer.proof) - 10} more edges; --json lists all")
    _show(context, "ask", answer.to_dict() if context.obj.json else {}, lines)
    raise typer.Exit(0 if answer.status == "answered" else 1)


@app.command()
def show(
    context: typer.Context,
    focus: Annotated[str | None, typer.Option(help="Start at this table.")] = None,
    depth: Annotated[int, typer.Option(help="Steps around it.", min=0)] = 1,
    edges: EDGES = "fk+lineage",
    limit: Annotated[int, typer.Option(help="Tables at most.", min=1)] = 120,
    out: Annotated[
        Path | None,
        typer.Option(help="FILE.svg, FILE.html or FILE.mmd; Mermaid text is printed if left out."),
    ] = None,
    source: FROM = None,
) -> None:
    """Draw the graph, or the surroundings of one table."""
    from headwater.errors import UsageError
    from headwater.graph import Topology, render_html, render_svg, to_mermaid

    graph, kinds = graph_of(context, source), _kinds(edges)
    kind = out.suffix if out else ".mmd"
    if kind == ".svg":
        picture = render_svg(graph, focus, depth, edges=kinds, limit=limit)
    elif kind in (".html", ".htm"):
        picture = render_html(graph, focus, depth, edges=kinds, limit=limit)
    elif kind in (".mmd", ".md"):
        around = Topology(graph).neighbours(focus, kinds, depth) if focus else None
        picture = to_mermaid(graph, None if around is None else [around.table, *around], limit=limit)
    else:
        raise UsageError(f"A picture is .svg, .html or .mmd, not {kind!r}.")
    if out:
        out.write_text(picture, encoding="utf-8")
        _show(context, "show", {"out": str(out)}, [f"written to {out}"])
    elif context.obj.json:
        emit_json("graph.show", {"mermaid": picture})
    else:
        write_line(picture)


@app.command()
def export(context: typer.Context, source: FROM = None) -> None:
    """Print the whole graph as one JSON object: tables, keys, lineage, each with its origin, and what was not read."""
    graph = graph_of(context, source)
    emit_json("graph", graph.to_dict())
    raise typer.Exit(3 if graph.problems else 0)
