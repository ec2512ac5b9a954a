"""Typing all columns of a table: text by its evidence, native values by what they are."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from headwater.model import Typing
from headwater.tabular._cells import cell_text
from headwater.tabular._centuries import names_years
from headwater.tabular._scan import ColumnScan, holds, is_prose
from headwater.tabular._typing import MAX_DIGITS, Hints, Plan, arrow_type, convert, decide, year_leads

if TYPE_CHECKING:
    from headwater.model.table import ColumnType

INT64_MAX = (1 << 63) - 1

FIRST = 24
"""Values of a column by which `type_texts` tells words."""


@dataclass(slots=True)
class TypedColumn:
    """A column in both views (Arrow arrays), its type and what was found on the way."""

    type: ColumnType
    typed: Any
    raw: Any
    unit: str | None = None
    report: Typing | None = None
    warnings: list[str] = field(default_factory=list)


def type_columns(
    columns: Sequence[Sequence[Any]], names: Sequence[str], *, infer: bool = True, comma_locale: bool = False
) -> list[TypedColumn]:
    """Give types to the columns of a table.

    Args:
        columns: cells of every column, all of one length.
        names: their names, which hint at versions and dates.
        infer: read types from text.
        comma_locale: the table is from a place where the comma may be the decimal mark.

    Returns:
        One typed column for each. All values of a column fit its type; a column with any other value is text.
    """
    import pyarrow as pa

    done: list[TypedColumn | None] = []
    scans: dict[int, ColumnScan] = {}
    texts: dict[int, Any] = {}
    for index, cells in enumerate(columns):
        native = _native(cells)
        done.append(native)
        if native is None:
            texts[index] = pa.array(_all_text(cells), pa.string())
            scan = ColumnScan(text=not infer)
            scan.add(texts[index])
            scans[index] = scan
    plans = decide_together(scans, names, comma_locale)
    for index, plan in plans.items():
        done[index] = _typed(texts[index], plan)
    return [column for column in done if column is not None]


def type_texts(columns: Sequence[Any], names: Sequence[str]) -> list[TypedColumn]:
    """Give types to columns of text (Arrow string arrays); a column whose first values are words is not looked through."""
    scans = {}
    for index, cells in enumerate(columns):
        scans[index] = ColumnScan(text=is_prose(cells.drop_null().slice(0, FIRST).to_pylist()))
        scans[index].add(cells)
    plans = decide_together(scans, names)
    return [_typed(cells, plans[index]) for index, cells in enumerate(columns)]


def _typed(raw: Any, plan: Plan) -> TypedColumn:
    return TypedColumn(plan.type, convert(raw, plan), raw, plan.unit, plan.report, plan.warnings)


def decide_together(
    scans: dict[int, ColumnScan], names: Sequence[str], comma_locale: bool = False
) -> dict[int, Plan]:
    """Choose the types of the columns of one table; columns that leave a reading open follow those that do not."""
    decimal_comma = _agreed(
        [
            (scan.number.second, scan.number.first, scan.number.fits)
            for scan in scans.values()
            if _is_number(scan)
        ]
    )
    dates = {index: scan for index, scan in scans.items() if _is_date(scan)}
    day_first = _agreed(
        [
            (scan.date.first, scan.date.second, scan.date.fits)
            for index, scan in dates.items()
            if not year_leads(scan, names[index])
        ]
    )
    years = [
        scan.years
        for index, scan in scans.items()
        if scan.years and (index in dates or _is_number(scan) and names_years(names[index], scan.years))
    ]
    return {
        index: decide(scan, Hints(names[index], decimal_comma, comma_locale, day_first, years))
        for index, scan in scans.items()
    }


def _is_number(scan: ColumnScan) -> bool:
    return not scan.text and scan.values > 0 and scan.number.fits == scan.values and not scan.coded


def _is_date(scan: ColumnScan) -> bool:
    return not scan.text and scan.values > 0 and scan.date.fits == scan.values


def _agreed(readings: Sequence[tuple[int, int, int]]) -> bool | None:
    """Return which of two readings the columns need, None where none needs one or they differ."""
    votes = {first == fits for first, second, fits in readings if (first == fits) != (second == fits)}
    return votes.pop() if len(votes) == 1 else None


def _all_text(cells: Sequence[Any]) -> Sequence[str | None]:
    kinds = set(map(type, cells))
    return cells if kinds <= {str, type(None)} else [cell_text(cell) for cell in cells]


def _native(cells: Sequence[Any]) -> TypedColumn | None:
    """Return the column of native values of one type, None where text has to be read."""
    import pyarrow as pa

    kinds = set(map(type, cells)) - {type(None)}
    if not kinds or str in kinds and not _only_blank_text(cells):
        return None
    kinds.discard(str)
    values = [None if isinstance(cell, str) else cell for cell in cells]
    found = _native_type(kinds, values)
    if found is None:
        return None
    name, arrow = found
    raw = pa.array([cell_text(cell) for cell in cells], pa.string())
    if name in ("list", "object"):
        typed = raw
    elif kinds == {dt.date, dt.datetime}:
        typed = pa.array([_as_moment(value) for value in values], arrow_type(arrow))
    else:
        typed = pa.array(values, arrow_type(arrow))
    return TypedColumn(name, typed, raw)


def _only_blank_text(cells: Sequence[Any]) -> bool:
    return all(not cell or cell.isspace() for cell in cells if isinstance(cell, str))


def _as_moment(value: dt.date | None) -> dt.datetime | None:
    if value is None or isinstance(value, dt.datetime):
        return value
    return dt.datetime.combine(value, dt.time.min)


def _native_type(kinds: set[type], values: Sequence[Any]) -> tuple[ColumnType, str] | None:
    """Return type and Arrow type of native values, None where they are to be text."""
    if kinds == {bool}:
        return "boolean", "bool"
    if kinds == {int}:
        largest = max((abs(value) for value in values if value is not None), default=0)
        return (
            ("integer", "int64")
            if largest <= INT64_MAX
            else ("integer", "decimal:0")
            if largest < 10**MAX_DIGITS
            else None
        )
    if kinds <= {int, float}:
        exact = all(not isinstance(value, int) or abs(value) <= 1 << 53 for value in values)
        return ("number", "float64") if exact else None
    if kinds <= {int, float, Decimal}:
        return _decimal_type(values)
    if kinds == {dt.date}:
        return "date", "date32"
    if kinds <= {dt.date, dt.datetime}:
        zones = {value.tzinfo for value in values if isinstance(value, dt.datetime)}
        return (
            ("datetime", "timestamp" + ("" if zones == {None} else "@UTC"))
            if len(zones) == 1 or None not in zones
            else None
        )
    if kinds == {dt.time}:
        return "time", "time64"
    if kinds <= {list, tuple}:
        return "list", "string"
    return ("object", "string") if kinds == {dict} else None


def _decimal_type(values: Sequence[Any]) -> tuple[ColumnType, str] | None:
    numbers = [
        Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
        for value in values
        if value is not None
    ]
    if not all(number.is_finite() for number in numbers):
        return None
    if all(holds(number) for number in numbers):
        return "number", "float64"
    scale = max(0, *(-int(number.as_tuple().exponent) for number in numbers))
    digits = max(number.adjusted() + 1 for number in numbers)
    return ("number", f"decimal:{scale}") if scale + max(digits, 1) <= MAX_DIGITS else None
