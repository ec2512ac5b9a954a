"""Which table in a FROM clause an expression belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from headwater.sql._rewrite import Frame
from headwater.sql._tree import Tree, select, statement, walk


@dataclass(slots=True)
class Leaf:
    """A table, CTE or subquery in a FROM clause.

    Attributes:
        node: its reference in the tree.
        alias: the name it goes by.
        columns: its columns in lower case, None where they are not known (CTEs, subqueries).
        row_count: its rows, None where not known.
        label: its name for the user.
    """

    node: Tree
    alias: str
    columns: frozenset[str] | None
    row_count: int | None
    label: str


@dataclass(frozen=True, slots=True)
class Projection:
    """Expressions over one leaf, as a query of its own."""

    leaf: Leaf
    expressions: tuple[Tree, ...]
    ctes: tuple[Tree, ...]

    def tree(self) -> Tree:
        """Return the statement `with … select expressions from leaf`."""
        items = [expression | {"alias": f"k{i}"} for i, expression in enumerate(self.expressions)]
        named = {str(entry["key"]).lower(): entry for entry in self.ctes}
        return statement(select(items, self.leaf.node, list(named.values())))


def make_leaf(node: Tree, frame: Frame) -> Leaf:
    """Return the leaf of a table reference that is not a join."""
    use = next((use for use in frame.uses if use.node is node), None)
    alias = str(node.get("alias") or node.get("table_name", ""))
    if use is None or node.get("column_name_alias") or "sample" in node:
        return Leaf(node, alias, None, None, alias or "a subquery")
    columns = frozenset(name.lower() for name in use.columns)
    return Leaf(node, alias, columns, use.ref.row_count, alias if alias != "t" else use.ref.name)


def leaves(source: Tree | None, frame: Frame) -> list[Leaf]:
    """Return the leaves of a FROM clause, from left to right."""
    found, stack = [], [source] if source else []
    while stack:
        node = stack.pop()
        if node.get("type") == "JOIN":
            stack.extend([node["right"], node["left"]])
        else:
            found.append(make_leaf(node, frame))
    return found


def owner(expression: Tree, among: Sequence[Leaf]) -> Leaf | None:
    """Return the one leaf that all columns of an expression belong to, None if there is none or it is not certain."""
    owners: list[Leaf] = []
    for part in walk(expression):
        if part.get("class") == "SUBQUERY":
            return None
        if part.get("class") == "COLUMN_REF":
            leaf = _owner_of_column([str(name) for name in part.get("column_names", [])], among)
            if leaf is None:
                return None
            owners.append(leaf)
    return owners[0] if owners and all(leaf is owners[0] for leaf in owners) else None


def _owner_of_column(names: list[str], among: Sequence[Leaf]) -> Leaf | None:
    if len(names) > 1:
        return next((leaf for leaf in among if leaf.alias.lower() == names[0].lower()), None)
    name = names[0].lower()
    holding = [leaf for leaf in among if leaf.columns is not None and name in leaf.columns]
    # The statement has run, so a plain name is not ambiguous: where a table has it, no subquery beside it has.
    candidates = holding or [leaf for leaf in among if leaf.columns is None]
    return candidates[0] if len(candidates) == 1 else None


def column_text(expression: Tree) -> str:
    """Return an expression as short text for messages."""
    if expression.get("class") == "COLUMN_REF":
        return ".".join(str(name) for name in expression.get("column_names", []))
    inner = [part for part in walk(expression) if part.get("class") == "COLUMN_REF"]
    name = (
        str(expression.get("function_name") or expression.get("type", "")).lower().removeprefix("operator_")
    )
    return f"{name}({', '.join(column_text(part) for part in inner)})"
