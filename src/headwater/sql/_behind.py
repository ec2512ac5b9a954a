"""Which rows of the lake a cell of a result rests on: the statement without its grouping, held to the cell's own row."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from headwater.model import ROW, Place
from headwater.sql._rewrite import Use
from headwater.sql._tables import SeriesRef
from headwater.sql._tree import Tree, function_name, integer_constant, text, walk

DOCUMENT = "_document"
"""Column of a series that tells the document of a row."""

_DROPPED = (
    "group_expressions",
    "group_sets",
    "having",
    "qualify",
    "sample",
    "modifiers",
    "aggregate_handling",
)
"""Parts of a query that gather, order or cut rows."""

_AGGREGATES = (
    *(
        "count",
        "sum",
        "avg",
        "mean",
        "fsum",
        "product",
        "min",
        "max",
        "any_value",
        "first",
        "last",
        "arg_",
        "median",
    ),
    *(
        "mode",
        "string_agg",
        "group_concat",
        "listagg",
        "list",
        "array_agg",
        "stddev",
        "var_",
        "variance",
        "quantile",
    ),
    *("bool_", "bit_", "approx_", "histogram", "corr", "covar", "regr_", "entropy", "kurtosis", "skewness"),
)
"""Beginnings of the names of functions that gather rows."""


@dataclass(frozen=True, slots=True)
class Question:
    """A statement for the rows behind a cell: its tree, and how to read its answer."""

    tree: Tree
    use: Use
    columns: tuple[str, ...]
    exact: bool

    def places(self, rows: Sequence[Sequence[Any]]) -> tuple[Place, ...]:
        """Return the rows that the statement gave as places in tables."""
        ref = self.use.ref
        if isinstance(ref, SeriesRef):
            members = {str(m.source.get(DOCUMENT)): m for m in ref.members}
            held = [(members[str(document)], int(row)) for document, row in rows if str(document) in members]
            return tuple(
                Place(m.table.id, row, tuple(m.columns[c] for c in self.columns if c in m.columns))
                for m, row in held
            )
        if DOCUMENT in self.use.columns:
            own = tuple(c for c in self.columns if not c.startswith("_"))
            return tuple(Place(str(document), 0, own) for document, _ in rows)
        return tuple(Place(ref.id, int(row), self.columns) for (row,) in rows)


def questions(
    node: Tree, uses: Sequence[Use], names: Sequence[str], column: int, row: Sequence[Any]
) -> Iterator[list[Question]]:
    """Yield statements for the rows behind a cell, one for each table it rests on, the most telling first.

    Args:
        node: tree of a SELECT, as parsed.
        uses: tables of the lake that stand in its FROM clause.
        names: columns of its result.
        column: position of the cell in its row.
        row: the row of the result.
    """
    items = node.get("select_list", [])
    if any(item.get("class") == "STAR" for item in items):
        items = [_column(name) for name in names]
    if len(items) != len(row) or not uses:
        return
    item = items[column]
    mentioned = [part["column_names"] for part in walk(item) if part.get("class") == "COLUMN_REF"]
    pinned = [(i, v) for i, v in zip(items, row, strict=True) if i is not item and _is_plain(i)]
    conditions = [c for i, v in pinned if (c := _equal(i, v))]
    conditions += [part["filter"] for part in walk(item) if part.get("filter")]
    held = {u.alias: tuple(dict.fromkeys(o for m in mentioned if (o := _own(m, u)))) for u in uses}
    for use in uses:
        for name in held[use.alias][:2]:
            if equal := _equal(_column(use.alias, name), row[column]):
                yield [Question(_rows(node, use, [*conditions, equal]), use, (name,), True)]
    if _is_plain(item) and (equal := _equal(item, row[column])):
        conditions.append(equal)
    elif not all(_settled(group, items) for group in node.get("group_expressions", [])):
        return
    chosen = [u for u in uses if held[u.alias]] or list(uses[:1])
    yield [Question(_rows(node, u, conditions), u, held[u.alias], False) for u in chosen]


def documents_question(node: Tree, use: Use) -> Tree:
    """Return a statement for the documents whose rows of a series pass a statement's conditions."""
    tree = _rows(node, use, [])
    return tree | {
        "select_list": [_column(use.alias, DOCUMENT)],
        "modifiers": [{"type": "DISTINCT_MODIFIER"}],
    }


def _rows(node: Tree, use: Use, conditions: Sequence[Tree]) -> Tree:
    wanted = [DOCUMENT, ROW] if isinstance(use.ref, SeriesRef) or DOCUMENT in use.columns else [ROW]
    tree = {key: copy.deepcopy(value) for key, value in node.items() if key not in _DROPPED}
    tree["select_list"] = [_column(use.alias, name) for name in wanted]
    tree["aggregate_handling"] = "STANDARD_HANDLING"
    parts = [c for c in (tree.get("where_clause"), *copy.deepcopy(list(conditions))) if c]
    if parts:
        both = {"class": "CONJUNCTION", "type": "CONJUNCTION_AND", "children": parts}
        tree["where_clause"] = both if len(parts) > 1 else parts[0]
    return tree


def _column(*names: str) -> Tree:
    return {"class": "COLUMN_REF", "type": "COLUMN_REF", "column_names": list(names)}


def _own(mention: Sequence[str], use: Use) -> str:
    """Return the column of a table that is mentioned, or "" if it is not of this one."""
    if len(mention) > 1 and mention[0].casefold() != use.alias.casefold():
        return ""
    return next((c for c in use.columns if c.casefold() == mention[-1].casefold()), "")


def _is_plain(item: Tree) -> bool:
    """Tell whether an item says something of each row, and gathers none."""
    parts = list(walk(item))
    gathers = any(
        p.get("class") in ("WINDOW", "SUBQUERY", "STAR")
        or (p.get("class") == "FUNCTION" and function_name(p).startswith(_AGGREGATES))
        for p in parts
    )
    return not gathers and any(p.get("class") == "COLUMN_REF" for p in parts)


def _settled(group: Tree, items: Sequence[Tree]) -> bool:
    """Tell whether the result's row says which group it is: the group's expression is one of the items."""
    place = integer_constant(group)
    if place is not None:
        return 0 < place <= len(items) and _is_plain(items[place - 1])
    alias = group.get("column_names", [""])[-1] if group.get("class") == "COLUMN_REF" else ""
    return any(
        _is_plain(i) and (_bare(i) == _bare(group) or (alias and i.get("alias") == alias)) for i in items
    )


def _bare(tree: Any) -> Any:
    """Return a tree without places in the text and names given."""
    if isinstance(tree, dict):
        return {k: _bare(v) for k, v in tree.items() if not k.startswith("query_location") and k != "alias"}
    return [_bare(v) for v in tree] if isinstance(tree, list) else tree


def _equal(item: Tree, value: Any) -> Tree | None:
    """Return a condition that an item has a value, None for values that cannot be written."""
    if isinstance(value, bool | list | dict):
        return None
    left = {k: v for k, v in item.items() if k != "alias"}
    if value is None:
        return {"class": "OPERATOR", "type": "OPERATOR_IS_NULL", "children": [left]}
    if isinstance(value, int | float):
        kind = "INTEGER" if isinstance(value, int) else "NUMERIC"
        right = {
            "class": "CONSTANT",
            "type": "VALUE_CONSTANT",
            "literal": {"kind": kind, "text": repr(value)},
        }
    else:
        right = text(str(value))
    return {"class": "COMPARISON", "type": "COMPARE_EQUAL", "left": left, "right": right}
