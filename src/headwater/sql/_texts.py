"""Numbers that are held as text and compared as text: '9' comes after '10', so a maximum or an order means little."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from headwater.sql._result import Column
from headwater.sql._tree import Tree, function_name, integer_constant

LOOKED_AT = 50
"""Rows of a result that are looked at."""

_YEAR = re.compile(r"(?:1[4-9]|20)\d\d")
_NUMBER = re.compile(r"[-+−]?[$€£]?\d[\d,]*(?:\.\d+)?\s?%?")


def texts_compared(
    node: Tree, columns: Sequence[Column], rows: Sequence[Sequence[Any]]
) -> list[dict[str, Any]]:
    """Return a warning for every minimum, maximum or order of a result that compares numbers as text.

    Args:
        node: tree of the statement.
        columns: of the result.
        rows: of the result.
    """
    items = node.get("select_list", [])
    if len(items) != len(columns) or not rows:
        return []
    found = []
    for place, (item, column) in enumerate(zip(items, columns, strict=True)):
        if column.type != "text":
            continue
        extreme = function_name(item) if item.get("class") == "FUNCTION" else ""
        if extreme in ("min", "max") or _orders_by(node, item, place):
            cells = [str(row[place]).strip() for row in rows[:LOOKED_AT] if row[place] is not None]
            if _misleads(cells, alone=bool(extreme)):
                what = f"{extreme}() compares" if extreme else "The order compares"
                found.append(
                    {
                        "kind": "text as number",
                        "level": "warning",
                        "message": f"{what} {column.name} as text ('9' comes after '10'): try_cast(… as double).",
                    }
                )
    return found


def _misleads(cells: Sequence[str], *, alone: bool) -> bool:
    """Tell whether all cells are numbers whose order as text may be another; years and codes of one length have one."""
    if not cells or not all(map(_NUMBER.fullmatch, cells)):
        return False
    return not all(map(_YEAR.fullmatch, cells)) if alone else len({len(c) for c in cells}) > 1


def _orders_by(node: Tree, item: Tree, place: int) -> bool:
    orders = [o["expression"] for m in node.get("modifiers", []) for o in m.get("orders", [])]
    names = {
        str(item.get("alias", "")).casefold(),
        *(str(n).casefold() for n in item.get("column_names", [])[-1:]),
    }
    for order in orders:
        named = order.get("class") == "COLUMN_REF" and str(order["column_names"][-1]).casefold() in names - {
            ""
        }
        if named or integer_constant(order) == place + 1:
            return True
    return False
