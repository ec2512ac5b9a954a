"""Tables from values that have types of their own: JSON, YAML, XML.

Rules for a column:

- all numbers: integer (beyond 64 bits as decimal), or number; as decimal where a double would lose digits
- all true or false: boolean
- all text: read like the text of a CSV file, so that dates become dates, and codes with leading zeros stay text
- all arrays, or all objects: list or object, holding JSON
- a mixture: text, with a warning that counts the kinds; nothing is cast
- NaN and infinities, which JSON does not have, are missing in the typed view and told
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, NamedTuple

from headwater.model import LINE, ROW, Column, MemoryData, Table
from headwater.readers._json_parse import Exact
from headwater.tabular import type_columns

if TYPE_CHECKING:
    import pyarrow as pa

_KINDS = {
    int: "integer",
    float: "number",
    Exact: "number",
    bool: "true or false",
    str: "text",
    list: "array",
    dict: "object",
    Decimal: "number",
}
_INT64 = 1 << 63
_MAX_DIGITS = 38
"""Digits of Arrow's decimal128."""


class _Built(NamedTuple):
    column: Column
    typed: pa.Array
    raw: pa.Array


def native_table(
    names: Sequence[str],
    columns: Sequence[list[Any]],
    *,
    name: str = "",
    lines: Sequence[int] | None = None,
) -> Table:
    """Build a table from columns of native values (None for missing).

    Args:
        names: original names; they are made unique here.
        columns: one list of equal length a name.
        name: of the table.
        lines: physical line of each record, or None if unknown.
    """
    import pyarrow as pa

    count = len(columns[0]) if columns else 0
    warnings: list[str] = []
    unique = unique_names(names)
    kinds = [_kinds(values) for values in columns]
    textual = [index for index, found in enumerate(kinds) if found <= {"text"}]
    built: dict[int, _Built] = _text_columns({i: columns[i] for i in textual}, unique, warnings)
    for index, values in enumerate(columns):
        if index not in built:
            built[index] = _build(unique[index], values, kinds[index], warnings)
    for index, original in enumerate(names):
        if original != unique[index]:
            built[index].column.original_name = original
    numbers = pa.array(range(1, count + 1), pa.int64())
    places = pa.array(lines, pa.int64()) if lines is not None else pa.nulls(count, pa.int64())
    header = [ROW, LINE, *unique]
    return Table(
        name=name,
        columns=[built[i].column for i in range(len(columns))],
        data=MemoryData(
            pa.table([numbers, places, *(built[i].typed for i in range(len(columns)))], names=header),
            pa.table([numbers, places, *(built[i].raw for i in range(len(columns)))], names=header),
        ),
        source_records=count,
        warnings=warnings,
    )


def unique_names(names: Sequence[str]) -> list[str]:
    """Return the names without empty ones and doubles (also by case, as SQL sees them)."""
    taken: set[str] = {ROW, LINE}
    out = []
    for index, given in enumerate(names, 1):
        base = " ".join(str(given).split()) or f"column_{index}"
        name, number = base, 2
        while name.casefold() in taken:
            name, number = f"{base}_{number}", number + 1
        taken.add(name.casefold())
        out.append(name)
    return out


def json_text(value: Any) -> str:
    """Return a value as JSON text, its numbers as they were spelled."""
    try:
        return (
            json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
            if not _has_exact(value)
            else _dump(value)
        )
    except (ValueError, TypeError):
        return str(value)


def _has_exact(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_has_exact, value.values()))
    if isinstance(value, list):
        return any(map(_has_exact, value))
    return isinstance(value, Exact)


def _dump(value: Any) -> str:
    if isinstance(value, dict):
        return (
            "{"
            + ",".join(f"{json.dumps(str(k), ensure_ascii=False)}:{_dump(v)}" for k, v in value.items())
            + "}"
        )
    if isinstance(value, list):
        return "[" + ",".join(map(_dump, value)) + "]"
    return value.literal if isinstance(value, Exact) else json.dumps(value, ensure_ascii=False, default=str)


def raw_text(value: Any) -> str | None:
    """Return a value as the source spelled it."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, Exact):
        return value.literal
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return (
            repr(value)
            if math.isfinite(value)
            else {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN")
        )
    if isinstance(value, list | dict):
        return json_text(value)
    return str(value)


def _kinds(values: list[Any]) -> set[str]:
    types = set(map(type, values))
    types.discard(type(None))
    return {_KINDS.get(kind, "text") for kind in types}


def _text_columns(columns: dict[int, list[Any]], names: list[str], warnings: list[str]) -> dict[int, _Built]:
    """Read columns of text like those of a delimited file."""
    cells = [[raw_text(value) for value in values] for values in columns.values()]
    built = {}
    for index, found in zip(columns, type_columns(cells, [names[index] for index in columns]), strict=True):
        column = Column(names[index], found.type, unit=found.unit, typing=found.report)
        built[index] = _Built(column, found.typed, found.raw)
        warnings += found.warnings
    return built


def _build(name: str, values: list[Any], kinds: set[str], warnings: list[str]) -> _Built:
    import pyarrow as pa

    raw = pa.array([raw_text(value) for value in values], pa.string())
    if kinds == {"true or false"}:
        return _Built(Column(name, "boolean"), pa.array(values, pa.bool_()), raw)
    if kinds <= {"integer", "number"}:
        return _numeric(name, values, raw, warnings)
    if kinds == {"array"}:
        return _Built(Column(name, "list"), raw, raw)
    if kinds <= {"array", "object"}:
        return _Built(Column(name, "object"), raw, raw)
    counts = Counter(_KINDS.get(type(value), "text") for value in values if value is not None)
    told = ", ".join(f"{count} {kind}" for kind, count in counts.most_common())
    warnings.append(f'Column "{name}" mixes kinds of values ({told}); it is kept as text.')
    return _Built(Column(name, "text"), raw, raw)


def _numeric(name: str, values: list[Any], raw: pa.Array, warnings: list[str]) -> _Built:
    import pyarrow as pa

    wild = sum(isinstance(v, float) and not math.isfinite(v) and not isinstance(v, Exact) for v in values)
    if wild:
        warnings.append(
            f'Column "{name}": {wild} values are NaN or infinite; they are missing in the typed view.'
        )
        values = [
            None if isinstance(v, float) and not isinstance(v, Exact) and not math.isfinite(v) else v
            for v in values
        ]
    present = [v for v in values if v is not None]
    if all(type(v) is int for v in present):
        if all(-_INT64 <= v < _INT64 for v in present):
            return _Built(Column(name, "integer"), pa.array(values, pa.int64()), raw)
        if all(abs(v) < 10**_MAX_DIGITS for v in present):
            exact = [None if v is None else Decimal(v) for v in values]
            return _Built(Column(name, "integer"), pa.array(exact, pa.decimal128(_MAX_DIGITS, 0)), raw)
        warnings.append(
            f'Column "{name}" holds integers of more than {_MAX_DIGITS} digits; they are kept as text.'
        )
        return _Built(Column(name, "text"), raw, raw)
    if not any(_loses_digits(v) for v in present):
        return _Built(
            Column(name, "number"),
            pa.array([None if v is None else float(v) for v in values], pa.float64()),
            raw,
        )
    return _decimal(name, values, raw, warnings)


def _loses_digits(value: float) -> bool:
    if type(value) is int:
        return abs(value) > 1 << 53 and int(float(value)) != value
    if type(value) is float:
        return False
    try:
        return not math.isfinite(value) or Decimal(str(raw_text(value))) != Decimal(repr(float(value)))
    except InvalidOperation:
        return True


def _decimal(name: str, values: list[Any], raw: pa.Array, warnings: list[str]) -> _Built:
    """Keep exact what a double would round, if 38 digits are enough."""
    import pyarrow as pa

    exact = [None if v is None else Decimal(str(raw_text(v))) for v in values]
    present = [d for d in exact if d is not None]
    scale = max((max(0, -int(d.as_tuple().exponent)) for d in present), default=0)
    whole = max((max(0, d.adjusted() + 1) for d in present if d), default=0)
    if scale + whole <= _MAX_DIGITS:
        return _Built(Column(name, "number"), pa.array(exact, pa.decimal128(_MAX_DIGITS, scale)), raw)
    warnings.append(
        f'Column "{name}" holds numbers that no numeric type keeps exactly; they are kept as text.'
    )
    return _Built(Column(name, "text"), raw, raw)
