"""Values that stand for several of the others: by name, and by sums that are no chance."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tables import make_table

from headwater.profiles import TableProfile, profile_table

COUNTRIES = [
    "Finland",
    "France",
    "Ghana",
    "Japan",
    "Kenya",
    "Mexico",
    "Peru",
    "Sweden",
    "South Africa",
    "Georgia",
]


def groups(columns: dict[str, list[Any]], column: str) -> list[str]:
    profile = profile_table(make_table({k: [str(v) for v in vs] for k, vs in columns.items()}))
    return TableProfile.from_dict(profile.to_dict()).column(column).groups


@pytest.mark.parametrize(
    "name",
    [
        "World",
        "Africa",
        "Latin America & Caribbean",
        "Europe (excl. EU-27)",
        "European Union",
        "Low & middle income",
        "Sub-Saharan Africa",
        "East Asia & Pacific (excluding high income)",
        "The Balkans",
        "Total",
    ],
)
def test_regions_among_countries(name: str) -> None:
    entities = [*COUNTRIES, name]
    assert groups({"Entity": entities, "x": list(range(11))}, "Entity") == [name]


@pytest.mark.parametrize(
    "name", ["Western Sahara", "North Macedonia", "Virgin Islands", "Kosovo", "Korea, South"]
)
def test_other_places_are_no_groups(name: str) -> None:
    assert groups({"Entity": [*COUNTRIES, name], "x": list(range(11))}, "Entity") == []


def test_the_whole_among_states() -> None:
    states = ["Ohio", "Iowa", "Utah", "Texas", "Maine", "United States", "Midwest"]
    assert groups({"state": states, "x": list(range(7))}, "state") == ["United States", "Midwest"]


def test_titles_are_no_totals() -> None:
    assert groups({"title": ["Total Recall", "Total", "Up", "Heat"], "x": [1, 2, 3, 4]}, "title") == []
    ages = ["0-17", "18-64", "65+", "All ages"] * 2
    assert groups({"age": ages, "rate": [1.5, 2.5, 3.5, 9, 1, 2, 3, 9]}, "age") == ["All ages"]


amounts = st.lists(st.integers(1, 10**6), min_size=4, max_size=12)


@settings(max_examples=40)
@given(amounts, st.integers(2, 3))
def test_a_value_whose_rows_sum_the_others_is_a_group(values: list[int], years: int) -> None:
    values[0] += 1_000
    kinds = [f"kind {chr(97 + n)}" for n in range(len(values))] + ["whole"]
    columns = {
        "kind": kinds * years,
        "amount": [*values, sum(values)] * years,
    }
    assert groups(columns, "kind") == ["whole"]
    columns["amount"][-1] -= 1
    assert groups(columns, "kind") == []


def test_small_sums_may_be_chance_unless_all_columns_agree() -> None:
    kinds = ["a", "b", "c", "d", "e"] * 2
    once = {"kind": kinds, "n": [1, 2, 3, 6, 12] * 2}
    assert groups(once, "kind") == []
    assert groups(once | {"m": [2, 2, 2, 1, 7] * 2}, "kind") == ["e"]


def test_rows_without_a_category_are_totals_at_each_level() -> None:
    columns: dict[str, list[Any]] = {"category": [""], "subcategory": [""], "complaints": [0]}
    for number, category in enumerate(["fare", "crew", "delay"]):
        parts = [1_000 * number + 10 * part + 7 for part in range(4)]
        for subcategory, complaints in zip(["", "p", "q", "r", "s"], [sum(parts), *parts], strict=True):
            columns["category"].append(category)
            columns["subcategory"].append(subcategory)
            columns["complaints"].append(complaints)
        columns["complaints"][0] += sum(parts)
    assert groups(columns, "category") == [""]
    assert groups(columns, "subcategory") == [""]
    columns["complaints"][0] += 1
    assert groups(columns, "category") == []
    assert groups(columns, "subcategory") == [""]
