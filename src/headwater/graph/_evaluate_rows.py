"""Computes typed queries over row lineage."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headwater.errors import NotFoundError
from headwater.graph._evaluate import Evaluator, Result, described, nothing, within
from headwater.graph._intents import Query, Unclear
from headwater.graph._labels import Scope

if TYPE_CHECKING:
    from headwater.graph._rows import RowLineage, RowTable


def _row_lineage(e: Evaluator) -> RowLineage:
    if e.graph.rows is None:
        raise Unclear("No row lineage is loaded: load a folder with manifest.json and row_lineage.csv.")
    return e.graph.rows


def _row_keep(e: Evaluator, scope: Scope) -> Callable[[RowTable], bool] | None:
    return (lambda t: e.labels.passes(t.name, scope)) if scope else None


def evaluate_rows(e: Evaluator, semantics: str, query: Query) -> Result:
    if semantics.startswith(("tables.reaches", "tables.common", "groups.")):
        return _first_row(e, semantics, query)
    rows, args, keep = _row_lineage(e), query.args, _row_keep(e, query.scope)
    try:
        if semantics == "rows.reaches":
            target = rows.number(args["target"], args["target_row"])
            trace = rows.trace(rows.number(args["source"], args["source_row"]), target)
            return Result(
                bool(trace),
                "boolean",
                f"whether {args['source']}:row_{args['source_row']} went into {args['target']}:row_{args['target_row']}",
                lambda: _row_proof(trace),
            )
        table, row = args["table"], args["row"]
        rows.number(table, row)
    except NotFoundError as error:
        raise Unclear(f"{error.message} {error.hint}") from error
    kind, label = semantics.split(".")[1], f"{table}:row_{row}"
    if kind in {"direct_sources", "direct_targets", "of_direct_sources", "of_direct_targets"}:
        source = kind.endswith("sources")
        found = rows.direct_sources(table, row) if source else rows.direct_targets(table, row)
        pairs = [(other, label) if source else (label, other) for other in found]
        if kind.startswith("of_"):
            return e.set_of(
                sorted({f.rpartition(":")[0] for f in found}),
                query,
                f"tables of the rows one step from {label}",
                lambda: _row_proof(pairs),
            )
        kept = [f for f in found if not query.scope or e.labels.passes(f.rpartition(":")[0], query.scope)]
        words = f"rows that {label} was made from directly" if source else f"rows made from {label} directly"
        return Result(kept, "list", words + within(query.scope), lambda: _row_proof(pairs))
    up = kind.startswith("ancestors")
    reached = rows.ancestors(table, row) if up else rows.descendants(table, row)
    words = f"{label} was made from" if up else f"made from {label}"
    if kind.endswith("_include"):
        return Result(
            args["other"] in rows.tables_of(reached),
            "boolean",
            f"whether rows of {args['other']} are among those {words}",
            nothing,
        )
    if kind.endswith("_count"):
        return Result(
            rows.count(reached, keep),
            "integer",
            f"number of rows {words}, at any depth{within(query.scope)}",
            nothing,
        )
    if semantics.startswith("rows."):
        kept = sorted(
            rows.label(i) for i in reached.tolist() if keep is None or keep(rows.tables[rows._table_of(i)])
        )
        return Result(kept, "list", f"rows {words}, at any depth{within(query.scope)}", nothing)
    return e.set_of(rows.tables_of(reached), query, f"tables with rows {words}, at any depth")


def _first_row(e: Evaluator, semantics: str, query: Query) -> Result:
    rows, args = _row_lineage(e) if e.graph.rows else None, query.args
    if semantics.startswith("groups."):
        targets = [n for n in sorted(e.graph.tables) if e.labels.passes(n, args["target"])]
        hits = [(s, t) for t in targets for s in _origins(e, rows, t) if e.labels.passes(s, args["source"])]
        reading = (
            f"whether data of {described(args['source'])} reaches {described(args['target'])}{_by_rows(rows)}"
        )
        return Result(bool(hits), "boolean", reading, lambda: _row_chain(e, rows, *hits[0]) if hits else [])
    if semantics.startswith("tables.reaches"):
        found = args["source"] in _origins(e, rows, args["target"])
        return Result(
            found,
            "boolean",
            f"whether data of {args['source']} reaches {args['target']}{_by_rows(rows)}",
            lambda: _row_chain(e, rows, args["source"], args["target"]) if found else [],
        )
    common = sorted(set(_origins(e, rows, args["a"])) & set(_origins(e, rows, args["b"])))
    return e.set_of(
        common, query, f"tables that both {args['a']} and {args['b']} are made from{_by_rows(rows)}"
    )


def _origins(e: Evaluator, rows: RowLineage | None, table: str) -> list[str]:
    return rows.first_row_sources(table) if rows else e.topology.lineage(table, "up").tables


def _row_chain(e: Evaluator, rows: RowLineage | None, source: str, target: str) -> list[Any]:
    if rows is None:
        return list(e.topology.path(source, target, "lineage", directed=True).proof())
    return _row_proof(rows.trace(source, rows.number(target, 0)))


def _by_rows(rows: RowLineage | None) -> str:
    return ", judged by the first row" if rows else " over lineage"


def _row_proof(pairs: list[tuple[str, str]]) -> list[dict[str, Any]]:
    return [{"kind": "row_lineage", "source": source, "target": target} for source, target in pairs]
