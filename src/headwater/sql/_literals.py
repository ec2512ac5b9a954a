"""Numbers and texts that a statement itself writes into the cells of its result.

What is only compared with (WHERE, ON, CASE WHEN), counted (LIMIT) or a parameter of a function (`round(x, 2)`, a
pattern) does not count: it chooses or shapes cells, it does not make them.
"""

from __future__ import annotations

from typing import Any

from headwater.sql._tree import Tree, function_name, is_query

_CHOOSING = frozenset(
    {
        "where_clause",
        "having",
        "qualify",
        "group_expressions",
        "group_sets",
        "modifiers",
        "sample",
        "condition",
    }
)
"""Parts of a query that choose rows."""

_TRUTH = frozenset({"COMPARISON", "CONJUNCTION", "BETWEEN"})
"""Expressions that are true or false, whatever is compared."""

_ALL_ARGUMENTS = frozenset(
    ("add", "subtract", "multiply", "divide", "pow", "power", "concat", "concat_ws")
    + ("coalesce", "ifnull", "greatest", "least", "list_value")
)
"""Functions all of whose arguments enter the result; of others only the first does where it is a constant."""


def literals_of(node: Tree) -> list[str]:
    """Return the constants of a query's syntax tree that enter its result, as written, each once, in no order."""
    found: dict[str, None] = {}
    stack: list[Any] = [node]
    while stack:
        part = stack.pop()
        if isinstance(part, list):
            stack.extend(part)
        elif isinstance(part, dict):
            if part.get("class") == "CONSTANT":
                found.setdefault(str(part.get("literal", {}).get("text", "")))
            else:
                stack.extend(_entering(part))
    return [text for text in found if text]


def _entering(part: Tree) -> list[Any]:
    """Return the parts of an expression or query that enter its value."""
    kind = part.get("class")
    if is_query(part) or part.get("type") == "JOIN":
        return [value for key, value in part.items() if key not in _CHOOSING]
    if kind in _TRUTH or (
        kind == "OPERATOR" and part.get("type") not in ("OPERATOR_COALESCE", "OPERATOR_TRY")
    ):
        return part.get("children", [])[:1] if "EXTRACT" in str(part.get("type")) else []
    if kind == "SUBQUERY" and part.get("subquery_type") != "SCALAR":
        return []
    if kind == "CASE":
        return [*(c.get("then_expr") for c in part.get("case_checks", [])), part.get("else_expr")]
    if kind in ("FUNCTION", "WINDOW"):
        return _arguments(part)
    if kind == "CAST":
        return [part.get("child")]
    if part.get("type") == "TABLE_FUNCTION":
        call = part.get("function", {})
        return [] if function_name(call) == "t" else [a.get("expression", a) for a in _listed(call)]
    return list(part.values())


def _arguments(call: Tree) -> list[Any]:
    given = [a.get("expression", a) for a in _listed(call)]
    if call.get("is_operator") or function_name(call) in _ALL_ARGUMENTS:
        return given
    return [*given[:1], *(a for a in given[1:] if a.get("class") != "CONSTANT")]


def _listed(call: Tree) -> list[Tree]:
    return list(call.get("arguments") or call.get("children") or [])
