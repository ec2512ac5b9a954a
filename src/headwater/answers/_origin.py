"""Whether what a statement gives is computed from cells of tables, or written into it by the statement itself.

Conditions choose rows and may hold any constant. What enters a cell of the result must flow from a column or a count of
a table `t('…')`; a constant may only scale it (units, powers of ten) or shape it (a pattern, a number of places).
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot import exp

UNITS = frozenset({1, 2, 7, 12, 24, 30, 52, 60, 365, 365.25, 366, 3600})
"""Numbers of a computation that no document has to say, beside powers of ten: halves, parts of days and years."""

_SHAPING = frozenset(
    ("REGEXP_EXTRACT", "REGEXP_EXTRACT_ALL", "REGEXP_REPLACE", "REPLACE", "ROUND", "TRIM", "STR_TO_TIME")
    + ("TIME_TO_STR", "SUBSTRING", "SPLIT_PART", "LEFT", "RIGHT", "NULLIF", "DATE_DIFF", "DATE_TRUNC")
    + (
        "TIMESTAMP_TRUNC",
        "QUANTILE",
        "PERCENTILE_CONT",
        "GROUP_CONCAT",
        "TRY_STRPTIME",
        "STRPTIME",
        "STRFTIME",
    )
)
"""Functions whose further arguments only shape the first one."""

_WRITTEN = frozenset({"replacement", "format"})
"""Arguments of them whose letters and digits do enter the result."""


def is_unit(number: float) -> bool:
    """Tell whether a computation may scale with a number that no document says."""
    own = abs(number)
    return own == 0 or own in UNITS or math.log10(own).is_integer()


def unfounded(statement: str) -> list[str]:
    """Return one sentence for each thing that a statement puts into its result and that no table says.

    Args:
        statement: one query in DuckDB's dialect, its tables as `t('reference')`.
    """
    from sqlglot import exp

    tree = _parsed(statement)
    if tree is None:
        return ["The program is no single query that can be read: where its value comes from cannot be seen."]
    named = {c.alias for c in tree.find_all(exp.CTE)}
    found = [
        f"The program reads {table.sql('duckdb')[:80]}, which is no table of the inputs."
        for table in tree.find_all(exp.Table)
        if not _of_lake(table) and table.name not in named
    ]
    found += [
        f"The program writes rows of its own: {rows.sql('duckdb')[:80]}."
        for rows in tree.find_all(exp.Values, exp.Unnest, exp.Lateral)
    ]
    for query in tree.find_all(exp.Select):
        if _chooses(query):
            continue
        if query is not tree and (limit := query.args.get("limit")) and limit.expression.sql() != "1":
            found.append("The program cuts the rows that it computes from by a limit.")
        for given in query.expressions:
            if not _grounded(given, top=True):
                found.append(f"{given.sql('duckdb')[:80]} is not computed from any cell.")
            found += [f"The program writes {c} into its result." for c in _constants(given)]
    return list(dict.fromkeys(found))


def grounded_columns(statement: str) -> list[bool] | None:
    """Return for each column of a query whether it flows from cells; None if that cannot be told by position."""
    from sqlglot import exp

    tree = _parsed(statement)
    if not isinstance(tree, exp.Select) or any(e.is_star for e in tree.expressions):
        return None
    return [_grounded(e, top=True) for e in tree.expressions]


def references(statement: str) -> list[str]:
    """Return the names of the tables `t('…')` that a statement reads."""
    from sqlglot import exp

    tree = _parsed(statement)
    tables = [t.this for t in tree.find_all(exp.Table) if _of_lake(t)] if tree is not None else []
    return list(dict.fromkeys(t.expressions[0].name for t in tables))


def _parsed(statement: str) -> exp.Expr | None:
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    try:
        trees = sqlglot.parse(statement, read="duckdb")
    except (SqlglotError, RecursionError):
        return None
    tree = trees[0] if len(trees) == 1 else None
    return tree if isinstance(tree, exp.Query) else None


def _of_lake(table: exp.Table) -> bool:
    from sqlglot import exp

    call = table.this
    return (
        isinstance(call, exp.Anonymous)
        and call.name.lower() == "t"
        and len(call.expressions) == 1
        and isinstance(call.expressions[0], exp.Literal)
    )


def _chooses(node: exp.Expr, top: exp.Expr | None = None) -> bool:
    """Tell whether a part of a statement only chooses or orders rows, seen from `top` or the whole statement."""
    from sqlglot import exp

    choosing = (
        exp.Where,
        exp.Having,
        exp.Qualify,
        exp.Order,
        exp.Group,
        exp.Limit,
        exp.Offset,
        exp.Predicate,
    )
    while node is not top and (parent := node.parent) is not None:
        if isinstance(parent, (*choosing, exp.WindowSpec, exp.DataType)):
            return True
        if isinstance(parent, exp.If) and node.arg_key == "this":
            return True
        if isinstance(parent, exp.Join) and node.arg_key in ("on", "using"):
            return True
        node = parent
    return False


def _grounded(node: exp.Expr, *, top: bool = False) -> bool:
    """Tell whether an expression flows from a cell or a count; a comparison does only where it is the whole of it."""
    from sqlglot import exp

    if isinstance(node, exp.Alias | exp.Paren):
        return _grounded(node.this, top=top)
    if isinstance(node, exp.Column | exp.Star | exp.Count | exp.Subquery | exp.Window):
        return True
    if isinstance(node, exp.Predicate | exp.Connector | exp.Not):
        return top and node.find(exp.Column, exp.Count) is not None
    if isinstance(node, exp.Case):
        branches = [branch.args.get("true") for branch in node.args.get("ifs", [])]
        branches += [node.args.get("default")]
        gathered = node.find_ancestor(exp.AggFunc) is not None
        return gathered or all(_grounded(b) for b in branches if b is not None)
    if isinstance(node, exp.If):
        branches = [node.args.get("true"), node.args.get("false")]
        gathered = node.find_ancestor(exp.AggFunc) is not None
        return gathered or all(_grounded(b) for b in branches if b is not None)
    if isinstance(node, exp.Coalesce):
        return _grounded(node.this)
    return any(_grounded(child) for child in node.iter_expressions())


def _constants(given: exp.Expr) -> list[str]:
    """Return the constants, and calls without any cell, that enter the value of an expression."""
    from sqlglot import exp

    found: list[str] = []
    for node in given.walk(prune=lambda n: isinstance(n, exp.Subquery)):
        if _chooses(node, given):
            continue
        if isinstance(node, exp.Literal):
            if not _harmless(node):
                found.append(node.sql("duckdb")[:80])
        elif isinstance(node, exp.Func) and not isinstance(node, exp.Array | exp.Count | exp.Connector):
            empty = node.find(exp.Column, exp.Star, exp.Subquery, exp.Count) is None
            if empty and not isinstance(node.parent, exp.Window):
                found.append(node.sql("duckdb")[:80])
    return found


def _harmless(constant: exp.Literal) -> bool:
    from sqlglot import exp

    node: exp.Expr = constant
    while isinstance(node.parent, exp.Paren | exp.Neg | exp.Array):
        node = node.parent
    parent = node.parent
    shaping = isinstance(parent, exp.Func) and _name(parent) in _SHAPING and node is not _first(parent)
    if constant.is_string:
        bare = re.sub(r"\\\d|%-?\w", "", constant.name)
        written = not shaping or node.arg_key in _WRITTEN
        return not (written and re.search(r"\w", bare))
    number = float(constant.name)
    scales = isinstance(parent, exp.Mul | exp.Div | exp.IntDiv | exp.Mod | exp.Pow)
    return number in (0, 1) or shaping or isinstance(parent, exp.Bracket) or (scales and is_unit(number))


def _name(call: exp.Func) -> str:
    from sqlglot import exp

    return call.name.upper() if isinstance(call, exp.Anonymous) else call.sql_name()


def _first(call: exp.Func) -> exp.Expr | None:
    return next(iter(call.iter_expressions()), None)
