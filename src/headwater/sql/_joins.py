"""Joins by equality in a statement, measured: rows in and out, match rate of either side, fan-out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from headwater.sql._rewrite import Frame
from headwater.sql._scope import Leaf, Projection, column_text, leaves, owner
from headwater.sql._tree import Tree, conjuncts

EQUALITIES = {"COMPARE_EQUAL": "=", "COMPARE_NOT_DISTINCT_FROM": "is not distinct from"}
MAX_JOINS = 8
MAX_ROWS_MEASURED = 20_000_000
LOW_MATCH = 0.5
"""A join in which not even this share of the rows of either side finds a partner is probably not the one meant."""

Diagnostic = dict[str, Any]


@dataclass(slots=True)
class Join:
    """A pair of tables joined by equality.

    Attributes:
        left, right: the two sides.
        keys: (expression of the left, operator, expression of the right).
        kind: inner, left, right, full, semi, anti.
        partial: there are other conditions, which the measure leaves out.
        ctes: definitions in sight.
    """

    left: Leaf
    right: Leaf
    kind: str
    ctes: tuple[Tree, ...]
    keys: list[tuple[Tree, str, Tree]] = field(default_factory=list)
    partial: bool = False

    @property
    def on(self) -> str:
        """The condition as text."""
        return " and ".join(f"{column_text(left)} {op} {column_text(right)}" for left, op, right in self.keys)

    def projections(self) -> list[Projection]:
        """Return the keys of either side as queries."""
        return [
            Projection(self.left, tuple(key[0] for key in self.keys), self.ctes),
            Projection(self.right, tuple(key[2] for key in self.keys), self.ctes),
        ]

    def measure_sql(self, left: str, right: str) -> str:
        """Return the query that measures the join, from the texts of its two projections.

        Both sides are grouped by key first, so its cost is that of the groups, never of the joined rows.
        """
        names = ", ".join(f"k{i}" for i in range(len(self.keys)))
        on = " and ".join(f"l.k{i} {op} r.k{i}" for i, (_, op, _) in enumerate(self.keys))
        return (
            f"with l as (select {names}, count(*) as n from ({left}) group by all), "
            f"r as (select {names}, count(*) as n from ({right}) group by all), "
            f"m as (select l.n as ln, r.n as rn from l join r on {on}) "
            "select cast((select coalesce(sum(n), 0) from l) as bigint), "
            "cast((select coalesce(sum(n), 0) from r) as bigint), cast(coalesce(sum(ln), 0) as bigint), "
            "cast(coalesce(sum(rn), 0) as bigint), cast(coalesce(sum(ln::hugeint * rn), 0) as double), "
            "coalesce(max(rn), 0), coalesce(max(ln), 0) from m"
        )


def find_joins(frames: Sequence[Frame]) -> list[Join]:
    """Return the joins by equality whose sides are known, at most `MAX_JOINS`."""
    found: list[Join] = []
    for frame in frames:
        source = frame.node.get("from_table", {})
        if source.get("type") == "JOIN":
            found += _joins_of(source, frame)
    return sorted(found, key=lambda join: int(join.right.node.get("query_location", 0)))[:MAX_JOINS]


def _joins_of(source: Tree, frame: Frame) -> list[Join]:
    found: list[Join] = []
    crossed = False
    stack = [source]
    while stack:
        node = stack.pop()
        if node.get("type") != "JOIN":
            continue
        stack.extend([node["right"], node["left"]])
        kind = str(node.get("join_type", "INNER")).lower()
        left, right = leaves(node["left"], frame), leaves(node["right"], frame)
        if node.get("ref_type") == "CROSS":
            crossed = True
        elif node.get("using_columns") or node.get("ref_type") == "NATURAL":
            found += _by_name(node, left, right, kind, frame)
        elif node.get("ref_type") in (None, "REGULAR", "ASOF"):
            found += _by_condition(node.get("condition"), left, right, kind, frame)
    if crossed:
        every = leaves(source, frame)
        known = {frozenset((join.left.alias, join.right.alias)) for join in found}
        pairs = _by_condition(frame.node.get("where_clause"), every, every, "inner", frame, filters=True)
        found += [join for join in pairs if frozenset((join.left.alias, join.right.alias)) not in known]
    return found


def _by_condition(
    condition: Tree | None,
    left: list[Leaf],
    right: list[Leaf],
    kind: str,
    frame: Frame,
    *,
    filters: bool = False,
) -> list[Join]:
    joins: dict[tuple[str, str], Join] = {}
    others = 0
    for part in conjuncts(condition):
        operator = EQUALITIES.get(str(part.get("type")))
        sides = _sides(part, left, right) if operator else None
        if operator is None or sides is None:
            others += 1
            continue
        one, other, first, second = sides
        pair = (one.alias, other.alias) if (other.alias, one.alias) not in joins else (other.alias, one.alias)
        join = joins.setdefault(pair, Join(one, other, kind, tuple(frame.ctes)))
        key = (first, operator, second) if join.left is one else (second, operator, first)
        join.keys.append(key)
    for join in joins.values():
        join.partial = others > 0 and not filters
    return list(joins.values())


def _sides(part: Tree, left: list[Leaf], right: list[Leaf]) -> tuple[Leaf, Leaf, Tree, Tree] | None:
    every = [*left, *(leaf for leaf in right if leaf not in left)]
    first, second = part["left"], part["right"]
    one, other = owner(first, every), owner(second, every)
    if one is None or other is None or one is other:
        return None
    if one in left and other in right:
        return one, other, first, second
    if other in left and one in right:
        return other, one, second, first
    return None


def _by_name(node: Tree, left: list[Leaf], right: list[Leaf], kind: str, frame: Frame) -> list[Join]:
    if len(right) != 1:
        return []
    names = [str(name) for name in node.get("using_columns", [])]
    if not names:  # natural: the columns of the same name
        if len(left) != 1 or left[0].columns is None or right[0].columns is None:
            return []
        names = sorted(left[0].columns & right[0].columns)
    holders = [
        leaf for leaf in left if leaf.columns is not None and {n.lower() for n in names} <= leaf.columns
    ]
    holder = left[0] if len(left) == 1 else holders[0] if holders else None
    if holder is None or not names:
        return []
    join = Join(holder, right[0], kind, tuple(frame.ctes))
    join.keys = [(_column(holder, name), "=", _column(right[0], name)) for name in names]
    return [join]


def _column(leaf: Leaf, name: str) -> Tree:
    names = [leaf.alias, name] if leaf.alias else [name]
    return {"class": "COLUMN_REF", "type": "COLUMN_REF", "column_names": names}


def describe(join: Join, row: Sequence[Any]) -> Diagnostic:
    """Return the diagnostic of a measured join from the row that `measure_sql` gave."""
    rows_left, rows_right, matched_left, matched_right, pairs, most_right, most_left = (int(v) for v in row)
    rows_out = {
        "left": pairs + rows_left - matched_left,
        "right": pairs + rows_right - matched_right,
        "full": pairs + rows_left - matched_left + rows_right - matched_right,
        "semi": matched_left,
        "anti": rows_left - matched_left,
    }.get(join.kind, pairs)
    rate_left, rate_right = _share(matched_left, rows_left), _share(matched_right, rows_right)
    fan_right, fan_left = _share(pairs, matched_left), _share(pairs, matched_right)
    problems = []
    if rows_left and rows_right and max(rate_left, rate_right) < LOW_MATCH:
        problems.append(
            "few rows of either side find a partner: are these the right columns, written the same way?"
        )
    if most_right > 1 and most_left > 1 and pairs > max(rows_left, rows_right):
        problems.append(
            f"rows multiply: one key has up to {most_left:,} rows in {join.left.label} and up to {most_right:,} "
            f"in {join.right.label}, so sums and counts over the result count rows more than once"
        )
    message = (
        f"{join.kind} join of {join.left.label} and {join.right.label} on {join.on}: "
        f"{rows_left:,} and {rows_right:,} rows in, {rows_out:,} out; "
        f"{rate_left:.1%} of {join.left.label} and {rate_right:.1%} of {join.right.label} match; "
        f"fan-out {fan_right:.2f}"
        + ("; conditions other than equality are left out" if join.partial else "")
        + "".join(f"; {problem}" for problem in problems)
    )
    return _head(join, "warning" if problems else "info", message) | {
        "rows_left": rows_left,
        "rows_right": rows_right,
        "rows_out": rows_out,
        "match_rate_left": round(rate_left, 6),
        "match_rate_right": round(rate_right, 6),
        "fan_out": round(fan_right, 6),
        "fan_out_left": round(fan_left, 6),
        "max_fan_out": most_right,
        "partial": join.partial,
    }


def not_measured(join: Join, reason: str) -> Diagnostic:
    """Return the diagnostic of a join that was not measured."""
    message = (
        f"{join.kind} join of {join.left.label} and {join.right.label} on {join.on}: not measured, {reason}"
    )
    return _head(join, "info", message)


def _head(join: Join, level: str, message: str) -> Diagnostic:
    return {
        "kind": "join",
        "level": level,
        "message": message,
        "left": join.left.label,
        "right": join.right.label,
        "on": join.on,
        "join_type": join.kind,
    }


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
