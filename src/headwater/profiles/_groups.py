"""Values of a column that stand for groups of the others: continents among countries, a total among items.

Who sums such a column counts twice. A group is known by its name (a region in a column of countries, "All ages"), or because
its rows add up to exactly what the rows of all other values add up to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from headwater.profiles._places import place_key, place_of
from headwater.profiles._values import ColumnValues, TableValues, top_values

if TYPE_CHECKING:
    import numpy as np

    from headwater.profiles._model import ColumnProfile

    Numbers = np.ndarray[Any, Any]

MAX_TOLD = 60
"""Groups told of one column."""

LEAST_SUM = 1_000
"""Sum from which on equal sums in half of the columns are no chance; below it, all of several columns have to agree."""

_MAX_ROWS = 50_000
_MAX_VALUES = 300
_MAX_COLUMNS = 8
_LEAST_OTHERS = 3


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _names(text: str) -> frozenset[str]:
    return frozenset(" ".join(name.split()) for name in text.split("|"))


_HEADS = _words(
    """world global africa asia europe america americas oceania eurasia union oecd eu eu27 eu28 eu15 emu euro asean brics
    g7 g20 cis income countries dividend ida ibrd states fragile"""
)
"""Words one of which the name of a region has."""

_REGION = _HEADS | _words(
    """north northern south southern east eastern southeast southeastern west western central middle latin sub saharan
    pacific caribbean arab european area zone and the of in members total all other rest low lower upper high developed
    developing least small island early late pre post demographic only blend conflict affected situations heavily
    indebted poor un classification baltics baltic regional region regions economies commonwealth independent"""
)
"""Words of which the name of a region consists."""

_REGIONS = _names(
    """middle east|far east|near east|maghreb|scandinavia|nordic countries|benelux|balkans|arab world|sub saharan africa
    |european union|eurozone|international|channel islands total"""
)
_NATION = _names(
    """united states|united states of america|us|u s|usa|u s a|us total|u s total|national|nationwide|nation|northeast|midwest
    |south|west|all states|entire us"""
)
"""Names beside those of the states: the whole, and the regions of the Census Bureau."""

_BRACKETS = re.compile(r"\s*[(\[].*?[)\]]|\s*,?\s+(?:excl|excluding|without)\b.*", re.IGNORECASE)
_WHOLE = (
    "(?:ages|sexes|genders|races|persons|people|population|causes|items|industries|categories|countries|states|groups|"
    "types|sectors|regions|origins|years|students|combined)"
)
_TOTAL = re.compile(
    rf"(?:grand |sub[- ]?|over)?totals?|overall|(?:all|both) {_WHOLE}|total[:,( -]+(?:(?:all|both) )?{_WHOLE}\)?",
    re.IGNORECASE,
)


def mark_groups(values: TableValues, columns: list[ColumnProfile]) -> None:
    """Set `groups` of the columns that have some: the values that are groups, "" for rows without a value."""
    by_sum = _by_sum(values, columns)
    for position, (source, column) in enumerate(zip(values.columns, columns, strict=True)):
        if column.type != "text" or column.feature_type in ("Sentence", "URL"):
            continue
        found = dict.fromkeys(_by_name(source, column)) | dict.fromkeys(by_sum.get(position, ()))
        column.groups = list(found)[:MAX_TOLD]


def _by_name(source: ColumnValues, column: ColumnProfile) -> Iterator[str]:
    for value, _ in top_values(source, 1_000):
        text = str(value)
        region = column.place and len(text) <= 80 and _is_region(text, column.place)
        if region or (
            len(text) <= 40 and not (column.unique and not column.place) and _TOTAL.fullmatch(text)
        ):
            yield text


def _is_region(text: str, kind: str) -> bool:
    """Tell whether a name in a column of places is of several of them."""
    key = place_key(_BRACKETS.sub("", text))
    if kind == "us_state":
        return key in _NATION
    words = set(key.split())
    named = key in _REGIONS or (words <= _REGION and bool(words & _HEADS) and key != "states")
    return named and place_of(text) is None


def _by_sum(values: TableValues, columns: list[ColumnProfile]) -> dict[int, list[str]]:
    """Return column → values whose rows add up to as much as those of all others, where that can be no chance."""
    if not 2 * _LEAST_OTHERS <= values.rows <= _MAX_ROWS:
        return {}
    figures = [
        numbers
        for source, column in zip(values.columns, columns, strict=True)
        if column.type in ("integer", "number") and column.feature_type in ("Numerical", "Numbers with unit")
        for numbers in _whole_numbers(source)
    ][:_MAX_COLUMNS]
    if not figures:
        return {}
    kinds = {
        position: codes
        for position, (source, column) in enumerate(zip(values.columns, columns, strict=True))
        if column.type == "text" and not column.unique and 2 <= source.distinct <= _MAX_VALUES
        for codes in _codes(source)
    }
    kinds = dict(list(kinds.items())[:_MAX_COLUMNS])
    out: dict[int, list[str]] = {}
    for position, (codes, texts) in kinds.items():
        found = [texts[i] for i in _sums_of_others(codes, len(texts), figures)]
        others = [other == 0 for at, (other, _) in kinds.items() if at != position]
        if not found and _empty_are_totals(codes == 0, others, figures):
            found = [""]
        if found:
            out[position] = found
    return out


def _codes(source: ColumnValues) -> Iterator[tuple[Numbers, list[str]]]:
    """Yield the number of each row's value, 0 for none, and the values by number."""
    if source.array is None or source.values is None:
        return
    import pyarrow.compute as pc

    found = pc.index_in(source.array, value_set=source.values)
    codes = pc.add(pc.fill_null(found, -1), 1).to_numpy()
    yield codes, ["", *map(str, source.values.to_pylist())]


def _whole_numbers(source: ColumnValues) -> Iterator[Numbers]:
    """Yield a column of amounts, hundredths as whole numbers, so that sums are exact; nothing for other columns."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    if source.array is None or not (
        pa.types.is_integer(source.array.type) or pa.types.is_float64(source.array.type)
    ):
        return
    numbers = pc.fill_null(source.array, 0).to_numpy().astype(np.float64)
    cents = np.round(numbers * 100)
    fitting = (
        np.all(np.isfinite(numbers)) and np.all(numbers >= 0) and np.all(np.abs(cents - numbers * 100) < 1e-6)
    )
    if fitting and 0 < cents.sum() < 2**53:
        yield cents


def _sums_of_others(codes: Numbers, count: int, figures: list[Numbers]) -> list[int]:
    """Return the value (by number) whose sum is that of all others, of which there are several."""
    import numpy as np

    agreed: dict[int, list[float]] = {}
    for numbers in figures:
        sums = np.bincount(codes, weights=numbers, minlength=count)
        most = int(sums.argmax())
        if 2 * sums[most] == sums.sum() and np.count_nonzero(sums) > _LEAST_OTHERS:
            agreed.setdefault(most, []).append(float(sums[most]))
    return [value for value, sums in agreed.items() if value and _no_chance(sums, len(figures))]


def _empty_are_totals(empty: Numbers, others: list[Numbers], figures: list[Numbers]) -> bool:
    """Tell whether the rows without a value add up to those with one, among all rows or those that another column parts.

    In a report with totals at two levels (category empty: total; subcategory empty: subtotal) they do so within the rows
    of a level.
    """
    if not empty.any() or empty.all():
        return False
    import numpy as np

    everywhere = np.ones(len(empty), dtype=bool)
    for part in (everywhere, *others, *(~other for other in others)):
        without, having = part & empty, part & ~empty
        if without.any() and np.count_nonzero(having) >= _LEAST_OTHERS:
            sums = [(float(n[without].sum()), float(n[having].sum())) for n in figures]
            if _no_chance([a for a, b in sums if a == b > 0], sum(a + b > 0 for a, b in sums)):
                return True
    return False


def _no_chance(equal: list[float], figures: int) -> bool:
    """Tell whether sums (in hundredths) that are equal in some of the columns of figures mean something."""
    if not equal or 2 * len(equal) < figures:
        return False
    return max(equal) >= 100 * LEAST_SUM or len(equal) == figures > 1
