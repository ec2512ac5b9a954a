"""A plan carried out a second time, over the cells as printed and without SQL: an independent check of a value.

It shares with the first way only the plan. Cells come from the text layer that readers keep, not from the typed table;
numbers, years and dates are read here, in Python; rows are chosen by this code, not by a query engine.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from headwater.answers._cells import DURATION, YEAR, is_missing, number_of, without_note
from headwater.answers._grid import Column, Printed
from headwater.answers._plan import (
    MAX_LISTED,
    Aggregate,
    Alike,
    Beside,
    Best,
    Beyond,
    Both,
    Cells,
    Compared,
    Condition,
    Count,
    Difference,
    During,
    Frequent,
    Is,
    Plan,
    Rows,
    Top,
    Union,
    Where,
)
from headwater.answers._words import lexicon

SAME = 1e-6
"""Relative difference of numbers that counts as none."""


class Unreadable(Exception):
    """A cell or a plan that this way does not read; nothing is then said."""


def agrees(plan: Plan, values: Sequence[Any], rows: Sequence[Printed], chosen: Sequence[int]) -> bool | None:
    """Tell whether a plan gives the same over the printed cells; None if it cannot be told.

    Args:
        plan: what was computed.
        values: what came out.
        rows: the table.
        chosen: numbers of the rows that the statement chose.
    """
    try:
        mine = _select(plan.rows, rows)
        if {r.number for r in mine} != set(chosen):
            return False
        if isinstance(plan, Cells):
            return True  # the value is the cell; which rows it stands in is what had to be checked
        found = _values(plan, mine, rows)
    except (Unreadable, ZeroDivisionError):
        return None
    return len(found) == len(values) and all(any(_same(f, v) for v in values) for f in found)


def _same(one: Any, other: Any) -> bool:
    a, b = number_of(str(one)), number_of(str(other))
    if a is not None and b is not None:
        return abs(a - b) <= SAME * max(abs(a), abs(b), 1)
    return " ".join(str(one).split()) == " ".join(str(other).split())


def _values(plan: Plan, mine: Sequence[Printed], rows: Sequence[Printed]) -> list[Any]:
    if isinstance(plan, Count):
        cells = [r.cells[plan.column.name] for r in mine] if plan.column else []
        return [len({c for c in cells if c is not None and c.strip()}) if plan.column else len(mine)]
    if isinstance(plan, Aggregate):
        numbers = [n for r in mine if (n := _number(plan.column, r)) is not None]
        return [sum(numbers) if plan.function == "sum" else sum(numbers) / len(numbers)]
    if isinstance(plan, Difference):
        return [abs(_side(plan, plan.first, rows) - _side(plan, plan.second, rows))]
    if isinstance(plan, Frequent):
        weights: Counter[str] = Counter()
        for r in mine:
            if (cell := r.cells[plan.column.name]) is not None and cell.strip():
                weights[cell] += (_number(plan.measure, r) or 0) if plan.measure else 1  # type: ignore[assignment]
        best = (max if plan.most else min)(weights.values(), default=0)
        return [value for value, weight in weights.items() if _same(weight, best)]
    raise Unreadable


def _side(plan: Difference, side: Rows, rows: Sequence[Printed]) -> float:
    mine = _select(side, rows)
    if plan.column is None:
        return len(mine)
    if not mine:
        raise Unreadable
    value = _year(mine[0].cells[plan.column.name]) if plan.by_year else _number(plan.column, mine[0])
    if value is None:
        raise Unreadable
    return value


def _select(chosen: Rows, rows: Sequence[Printed]) -> list[Printed]:
    """Return the rows of a set, in the order of the table."""
    if isinstance(chosen, Where):
        every = any if chosen.either else all
        tests = [_test(c, rows) for c in chosen.conditions]
        return [r for r in rows if not tests or every(t(r) for t in tests)]
    if isinstance(chosen, Both):
        other = {r.number for r in _select(chosen.other, rows)}
        return [r for r in _select(chosen.one, rows) if r.number in other]
    if isinstance(chosen, Union):
        either = {r.number for part in (chosen.one, chosen.other) for r in _select(part, rows)}
        return [r for r in rows if r.number in either]
    if isinstance(chosen, Best):
        keys = {r.number: k for r in _select(chosen.rows, rows) if (k := _key(chosen.column, r)) is not None}
        ranked = sorted(set(keys.values()), reverse=chosen.largest)
        return [
            r for r in rows if len(ranked) >= chosen.rank and keys.get(r.number) == ranked[chosen.rank - 1]
        ]
    if isinstance(chosen, Top):
        inner = _select(chosen.rows, rows)[:: -1 if chosen.last else 1]
        return inner[chosen.offset : chosen.offset + chosen.count][:: -1 if chosen.last else 1]
    if isinstance(chosen, Beside):
        numbers = [r.number for r in _select(chosen.rows, rows)]
        within = _select(chosen.within, rows)
        if chosen.after:
            return [r for r in within if numbers and r.number > max(numbers)][:1]
        return [r for r in within if numbers and r.number < min(numbers)][-1:]
    if isinstance(chosen, Alike):
        inner = _select(chosen.rows, rows)
        cells, numbers_in = {r.cells[chosen.column.name] for r in inner}, {r.number for r in inner}
        return [r for r in rows if r.cells[chosen.column.name] in cells and r.number not in numbers_in]
    raise Unreadable


def _test(condition: Condition, rows: Sequence[Printed]) -> Callable[[Printed], bool]:
    column = condition.column
    if isinstance(condition, Is):
        if len(condition.texts) > MAX_LISTED:
            raise Unreadable
        return lambda r: _is(column, r.cells[column.name], condition.texts) != condition.negated
    if isinstance(condition, Compared):

        def value(r: Printed) -> Any:
            return _year(r.cells[column.name]) if condition.year else _key(column, r)

        return lambda r: (v := value(r)) is not None and _SIGNS[condition.sign](v, condition.value)
    if isinstance(condition, During):
        start, end = datetime.fromisoformat(condition.start), datetime.fromisoformat(condition.end)
        return lambda r: (v := _key(column, r)) is not None and start <= v < end
    if isinstance(condition, Beyond):
        inner = _select(condition.rows, rows)
        edge = _key(column, inner[0]) if inner else None
        return lambda r: (
            edge is not None and (v := _key(column, r)) is not None and _SIGNS[condition.sign](v, edge)
        )
    raise Unreadable


_SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda a, b: a == b, ">": lambda a, b: a > b, "<": lambda a, b: a < b,
    ">=": lambda a, b: a >= b, "<=": lambda a, b: a <= b,
}  # fmt: skip


def _is(column: Column, cell: str | None, texts: Sequence[str]) -> bool:
    if cell is None:
        return False
    if column.type in ("integer", "number"):
        number = number_of(cell)
        return number is not None and any(number == number_of(t) for t in texts)
    if column.type == "boolean":
        said = [group for group in (lexicon().yes, lexicon().no) if cell.strip().lower() in group]
        return bool(said) and any(t.lower() in said[0] for t in texts)
    if column.type != "text" and cell.strip() not in texts:
        raise Unreadable  # a date, printed in another way than it is stored
    return cell in texts or cell.strip() in texts


def _number(column: Column, row: Printed) -> float | None:
    key = _key(column, row)
    return float(key) if isinstance(key, int | float) else None


def _key(column: Column, row: Printed) -> Any:
    """Return the cell as what it is ordered by."""
    cell = row.cells[column.name]
    if cell is None or is_missing(cell):
        return None
    if column.type in ("date", "datetime"):
        return _iso(cell)
    if column.type in ("integer", "number") or column.kind == "number":
        return number_of(cell)
    if column.kind == "year":
        return _year(cell)
    if column.kind == "duration":
        match = re.search(DURATION, cell)
        return 3600 * int(match[1] or 0) + 60 * int(match[2]) + float(match[3]) if match else None
    if column.kind == "date":
        return _date(cell, column.formats)
    raise Unreadable


def _iso(cell: str) -> datetime:
    """Return a point in time without its zone, in UTC if one is printed: as the typed tables hold it."""
    try:
        told = datetime.fromisoformat(cell.strip())
    except ValueError as error:
        raise Unreadable from error
    return told.astimezone(UTC).replace(tzinfo=None) if told.tzinfo else told


def _date(cell: str, formats: Sequence[str]) -> datetime | None:
    rest = without_note(cell)
    for pattern in formats:
        try:
            return datetime.strptime(rest, pattern)  # noqa: DTZ007 - dates of tables carry no zone
        except ValueError:
            continue
    return None


def _year(cell: str | None) -> int | None:
    match = re.search(YEAR, cell or "")
    return int(match[1]) if match else None
