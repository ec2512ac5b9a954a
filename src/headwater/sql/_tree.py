"""DuckDB's syntax trees, as `json_serialize_sql` writes them: walking, reading and building.

A tree is nested dictionaries and lists. Query nodes have a `type` that ends in "_NODE"; expressions have a `class`
and a `type`; table references have a `type` only. Defaults and empty values are left out of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Tree = dict[str, Any]

QUERY_NODES = frozenset(
    {"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"},
)
"""The query nodes that read. Every other node (copy, insert, update, delete, merge …) changes something."""


def walk(tree: Any) -> Iterator[Tree]:
    """Yield every dictionary in a tree, without recursion."""
    stack = [tree]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            yield value
            stack.extend(value.values())
        elif isinstance(value, list):
            stack.extend(value)


def is_query(tree: Tree) -> bool:
    """Return whether this is a query node of any kind."""
    kind = tree.get("type")
    return isinstance(kind, str) and kind.endswith("_NODE")


def function_name(tree: Tree) -> str:
    """Return the lower-case name of a function call."""
    return str(tree.get("function_name", "")).lower()


def text_constant(tree: Tree) -> str | None:
    """Return the value of a string constant, None for anything else."""
    if tree.get("class") == "CONSTANT" and tree.get("literal", {}).get("kind") == "STRING":
        return str(tree["literal"].get("text", ""))
    return None


def integer_constant(tree: Tree) -> int | None:
    """Return the value of an integer constant, None for anything else."""
    literal = tree.get("literal", {})
    if tree.get("class") == "CONSTANT" and literal.get("kind") == "INTEGER":
        try:
            return int(str(literal.get("text", "")).replace("_", ""))
        except ValueError:
            return None
    return None


def integer(value: int) -> Tree:
    """Return an integer constant."""
    return {
        "class": "CONSTANT",
        "type": "VALUE_CONSTANT",
        "literal": {"kind": "INTEGER", "text": str(value)},
    }


def text(value: str) -> Tree:
    """Return a string constant."""
    return {"class": "CONSTANT", "type": "VALUE_CONSTANT", "literal": {"kind": "STRING", "text": value}}


def base_table(name: str, alias: str = "") -> Tree:
    """Return a reference to a table or view."""
    return {"type": "BASE_TABLE", "alias": alias, "table_name": name, "qualified_name": {"path": [name]}}


def subquery(node: Tree, alias: str = "") -> Tree:
    """Return a query as a table reference."""
    return {"type": "SUBQUERY", "alias": alias, "subquery": {"node": node}}


def select(items: list[Tree], source: Tree, ctes: list[Tree] | None = None) -> Tree:
    """Return `select items from source`."""
    return {
        "type": "SELECT_NODE",
        "cte_map": {"map": ctes} if ctes else {},
        "select_list": items,
        "from_table": source,
        "aggregate_handling": "STANDARD_HANDLING",
    }


def star() -> Tree:
    """Return `*`."""
    return {"class": "STAR", "type": "STAR"}


def statement(node: Tree) -> Tree:
    """Return the statement of a query node."""
    return {"error": False, "statements": [{"node": node}]}


def limited(node: Tree, rows: int) -> Tree:
    """Return a query that yields at most `rows` rows, the user's own limit kept where it is lower.

    The limit goes into the query itself, so that DuckDB can stop early and sorts keep only the top.
    """
    modifiers = node.get("modifiers", [])
    own = next((m for m in modifiers if m.get("type") == "LIMIT_MODIFIER"), None)
    if node["type"] not in ("SELECT_NODE", "SET_OPERATION_NODE"):
        return _wrapped(node, rows)
    if own is None:
        return node | {"modifiers": [*modifiers, _limit(rows)]}
    if "limit" not in own:  # an offset alone
        value = None
    elif own.get("limit_type") or (value := integer_constant(own["limit"])) is None:
        return _wrapped(node, rows)
    if value is not None and value <= rows:
        return node
    others = [m for m in modifiers if m is not own]
    return node | {"modifiers": [*others, own | {"limit": integer(rows)}]}


def _wrapped(node: Tree, rows: int) -> Tree:
    return select([star()], subquery(node)) | {"modifiers": [_limit(rows)]}


def _limit(rows: int) -> Tree:
    return {"type": "LIMIT_MODIFIER", "limit": integer(rows)}


def conjuncts(condition: Tree | None) -> list[Tree]:
    """Return the parts of a condition joined by AND."""
    parts, stack = [], [condition] if condition else []
    while stack:
        part = stack.pop()
        if part.get("type") == "CONJUNCTION_AND":
            stack.extend(reversed(part.get("children", [])))
        else:
            parts.append(part)
    return parts
