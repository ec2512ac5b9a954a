"""Profiles of tables: one look at the distinct values of each column, then figures, keys and coverage."""

from __future__ import annotations

import datetime
import decimal
import math
import re
from typing import TYPE_CHECKING, Any

from headwater.layout import clean_text
from headwater.model import MemoryData, Table
from headwater.profiles._features import YEAR, feature_type, name_words
from headwater.profiles._groups import mark_groups
from headwater.profiles._model import ColumnProfile, PlaceCoverage, TableProfile, TimeCoverage
from headwater.profiles._places import match_places
from headwater.profiles._values import ColumnValues, TableValues, table_values, top_values

if TYPE_CHECKING:
    import numpy as np

TOP = 20
"""Most frequent values kept of a column."""

EXAMPLES = 8
"""Example texts kept of a column."""

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
MAX_VALUE_CHARS = 200
_MAX_PAIR_ROWS = 100_000
_MAX_PAIR_COLUMNS = 8
_NUMERIC = frozenset({"integer", "number"})


def profile_table(table: Table, *, values: TableValues | None = None) -> TableProfile:
    """Profile a table and set the feature type of its columns.

    Tables in memory are counted exactly up to `EXACT_VALUES` rows; larger ones and tables in Parquet get estimated
    numbers of distinct values, approximate quantiles and feature types from a sample, and `sampled` says so.

    Args:
        table: the table; `feature_type` is set on its columns.
        values: distinct values where they have been counted already (`table_values`).
    """
    values = values or table_values(table)
    columns = [_column(source, column) for source, column in zip(values.columns, table.columns, strict=True)]
    profile = TableProfile(values.rows, columns, sampled=values.sampled)
    if values.sampled:
        profile.notes.append(
            f"{values.rows:,} rows: distinct counts and quantiles are estimates, feature types come from a sample"
        )
    profile.candidate_keys = _candidate_keys(table, values, columns)
    profile.time = _time_coverage(values, columns)
    profile.places = _places(values, columns)
    mark_groups(values, columns)
    for figures, column in zip(columns, table.columns, strict=True):
        column.feature_type = figures.feature_type
    return profile


def json_value(value: Any) -> Any:
    """Return a cell's value as a JSON value: dates as ISO text, exact decimals as text, infinities as text."""
    if isinstance(value, str):
        return clean_text(value, one_line=True, limit=MAX_VALUE_CHARS)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, int):  # includes bool
        return value if isinstance(value, bool) or abs(value) < 2**53 else str(value)
    if isinstance(value, datetime.datetime | datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    return None if value is None else str(value)


def _column(source: ColumnValues, column: Any) -> ColumnProfile:
    present = source.rows - source.missing
    kind, evidence = feature_type(column.name, column.type, source.sample, source.distinct, present)
    profile = ColumnProfile(
        column.name,
        column.type,
        kind,
        evidence,
        missing=source.missing,
        distinct=source.distinct,
        distinct_exact=source.values is not None or bool(source.stats.get("distinct_exact")),
        unit=column.unit,
        description=column.description,
    )
    profile.unique = profile.distinct_exact and source.rows > 0 and source.distinct == source.rows
    profile.top = [(json_value(value), count) for value, count in top_values(source, TOP)]
    profile.examples = _examples(source)
    if source.values is not None or source.array is not None:
        _figures(profile, source)
    else:
        _given_figures(profile, source.stats)
    if profile.feature_type == "Datetime" and column.type == "integer" and evidence.get("year"):
        profile.note = "year"
    return profile


def _examples(source: ColumnValues) -> list[str]:
    seen: dict[str, None] = {}
    for text in source.sample[:400]:
        seen.setdefault(clean_text(text, one_line=True, limit=MAX_VALUE_CHARS))
        if len(seen) == EXAMPLES:
            break
    return list(seen)


def _figures(profile: ColumnProfile, source: ColumnValues) -> None:
    """Fill in range, moments, quantiles and lengths from the distinct values, else from the column."""
    import pyarrow.compute as pc

    values = source.values if source.values is not None else source.array
    if values is None or len(values) == 0:
        return
    if source.type in _NUMERIC:
        numbers, counts = _numbers(source)
        if len(numbers):
            _number_figures(profile, numbers, counts)
            if profile.min is not None and source.type == "integer":
                profile.min, profile.max = _whole(profile.min), _whole(profile.max)
    elif source.type in {"date", "datetime", "time"}:
        bounds = pc.min_max(values)
        profile.min, profile.max = json_value(bounds["min"].as_py()), json_value(bounds["max"].as_py())
    elif source.type in {"text", "list", "object"}:
        bounds = pc.min_max(pc.utf8_length(values))
        profile.shortest, profile.longest = bounds["min"].as_py(), bounds["max"].as_py()


def _whole(value: float) -> int | str:
    whole = int(value)
    return whole if abs(whole) < 2**53 else str(whole)


def _numbers(source: ColumnValues) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any] | None]:
    """Return the values as float64 in ascending order with their counts (None: once each)."""
    import numpy as np
    import pyarrow as pa

    values = source.values if source.values is not None else source.array
    assert values is not None
    if pa.types.is_decimal(values.type):
        values = values.cast(pa.float64(), safe=False)
    numbers = values.to_numpy(zero_copy_only=False) if isinstance(values, pa.Array) else values.to_numpy()
    numbers = numbers.astype(np.float64, copy=False)
    finite = np.isfinite(numbers)
    counts = source.counts
    if not finite.all():
        numbers, counts = numbers[finite], counts[finite] if counts is not None else None
    order = np.argsort(numbers, kind="stable")
    return numbers[order], counts[order] if counts is not None else None


def _number_figures(
    profile: ColumnProfile, numbers: np.ndarray[Any, Any], counts: np.ndarray[Any, Any] | None
) -> None:
    import numpy as np

    profile.min, profile.max = float(numbers[0]), float(numbers[-1])
    if counts is None:
        counts = np.ones(len(numbers), dtype=np.int64)
    ends = np.cumsum(counts)
    total = int(ends[-1])
    with np.errstate(over="ignore", invalid="ignore"):
        mean = float(np.dot(numbers, counts) / total)
        std = (
            float(math.sqrt(max(float(np.dot((numbers - mean) ** 2, counts)) / total, 0.0)))
            if math.isfinite(mean)
            else math.inf
        )
    profile.mean = _round(mean)
    profile.std = _round(std)
    # Inclusive linear interpolation (Hyndman and Fan 1996, type 7), as in numpy and pandas.
    for q in QUANTILES:
        at = q * (total - 1)
        low = float(numbers[int(np.searchsorted(ends, math.floor(at), side="right"))])
        high = float(numbers[int(np.searchsorted(ends, math.ceil(at), side="right"))])
        value = _round(low + (high - low) * (at - math.floor(at)))
        if value is not None:
            profile.quantiles[str(q)] = value


def _round(value: float) -> float | None:
    """Return the value with 12 significant digits, None if it is not finite."""
    return float(f"{value:.12g}") if math.isfinite(value) else None


def _given_figures(profile: ColumnProfile, stats: dict[str, Any]) -> None:
    profile.min, profile.max = json_value(stats.get("min")), json_value(stats.get("max"))
    profile.mean, profile.std = (
        _round(stats[k]) if stats.get(k) is not None else None for k in ("mean", "std")
    )
    profile.quantiles = {q: v for q, v in stats.get("quantiles", {}).items() if v is not None}
    profile.shortest, profile.longest = stats.get("shortest"), stats.get("longest")


def _candidate_keys(table: Table, values: TableValues, columns: list[ColumnProfile]) -> list[list[str]]:
    """Return columns that identify a record: unique columns, else unique pairs of the first likely columns."""
    if values.rows < 2:
        return []
    good = {"ID", "Formatted ID", "Categorical", "Datetime", "URL"}
    single = [c for c in columns if c.unique and c.type not in {"list", "object"}]
    single.sort(key=lambda c: (c.feature_type not in good, c.type == "number"))
    keys = [[c.name] for c in single if c.type != "number" or len(single) == 1][:5]
    if keys or not isinstance(table.data, MemoryData) or values.rows > _MAX_PAIR_ROWS:
        return keys
    likely = [
        (i, c)
        for i, c in enumerate(columns)
        if not c.missing and c.distinct > 1 and (c.feature_type in good or c.type in {"text", "date"})
    ][:_MAX_PAIR_COLUMNS]
    for a, (i, first) in enumerate(likely):
        for j, second in likely[a + 1 :]:
            if first.distinct * second.distinct >= values.rows and _pair_unique(values, i, j):
                keys.append([first.name, second.name])
                if len(keys) == 3:
                    return keys
    return keys


def _pair_unique(values: TableValues, i: int, j: int) -> bool:
    import numpy as np

    codes = []
    for position in (i, j):
        array = values.columns[position].array
        if array is None:
            return False
        encoded = array.combine_chunks().dictionary_encode()
        codes.append(encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64))
    pair = codes[0] * (int(codes[1].max()) + 1) + codes[1]
    return len(np.unique(pair)) == len(pair)


def _time_coverage(values: TableValues, columns: list[ColumnProfile]) -> TimeCoverage | None:
    best: TimeCoverage | None = None
    weight = -1
    for source, column in zip(values.columns, columns, strict=True):
        years = _years(source, column)
        if years:
            words = set(name_words(column.name))
            score = (
                source.rows - source.missing + bool(words & {"year", "date", "time", "period"}) * source.rows
            )
            if score > weight:
                best, weight = TimeCoverage(years[0], years[1], column.name), score
    if best is None:
        named = [int(m[0]) for c in columns if (m := re.search(r"(?<!\d)(?:1[5-9]|20)\d{2}(?!\d)", c.name))]
        if len(named) >= 2:
            best = TimeCoverage(min(named), max(named), "")
    return best


def _years(source: ColumnValues, column: ColumnProfile) -> tuple[int, int] | None:
    """Return the first and last year of a column of dates or years, None for another column."""
    if column.feature_type != "Datetime" or column.type == "time":
        return None
    if column.type in {"date", "datetime", "integer"} and column.min is not None:
        first, last = str(column.min)[:4], str(column.max)[:4]
        if first.isdigit() and last.isdigit() and 1000 <= int(first) <= 2200:
            return int(first), int(last)
        return None
    texts = [str(value) for value, _ in top_values(source, 5_000)]
    found = [int(m[0]) for text in texts for m in [re.search(rf"(?<!\d){YEAR.pattern}(?!\d)", text)] if m]
    return (min(found), max(found)) if 2 * len(found) >= max(len(texts), 1) else None


def _places(values: TableValues, columns: list[ColumnProfile]) -> list[PlaceCoverage]:
    out: list[PlaceCoverage] = []
    for source, column in zip(values.columns, columns, strict=True):
        if column.type != "text" or column.feature_type in {"Sentence", "URL", "Numbers with unit"}:
            continue
        found = match_places([str(value) for value, _ in top_values(source, 1_000)], column.name)
        if found:
            kind, names = found
            column.place = kind
            if column.feature_type == "ID":  # names of places are a closed set, even where each occurs once
                column.feature_type = "Categorical"
            out.append(PlaceCoverage(kind, column.name, len(names), names[:60]))
    return out
