from __future__ import annotations

from pathlib import Path

import pytest
from labelled_columns import COLUMNS
from tests.tables import make_parquet_table, make_table

from headwater.profiles import FEATURE_TYPES, feature_type, profile_table


@pytest.mark.parametrize(("expected", "name", "values"), COLUMNS, ids=[f"{t}-{n}" for t, n, _ in COLUMNS])
def test_labelled_column_gets_its_type(expected: str, name: str, values: list[str]) -> None:
    profile = profile_table(make_table({name: values}))
    assert profile.columns[0].feature_type == expected, profile.columns[0].evidence


def test_every_type_has_labelled_columns() -> None:
    assert {t for t, _, _ in COLUMNS} == set(FEATURE_TYPES)


def test_large_tables_get_the_same_types_as_small_ones(tmp_path: Path) -> None:
    for i, (_, name, values) in enumerate(COLUMNS[::3]):
        small = make_table({name: values})
        kind = profile_table(small).columns[0].feature_type
        assert profile_table(make_parquet_table(small, tmp_path, str(i))).columns[0].feature_type == kind, (
            name
        )


def test_one_distinct_value_is_categorical_whatever_it_is() -> None:
    assert feature_type("link", "text", ["https://example.org"] * 9, 1, 9)[0] == "Categorical"


def test_evidence_gives_the_share_of_texts_that_match() -> None:
    values = [
        "https://a.example/1",
        "https://a.example/2",
        "https://a.example/3",
        "none",
        "https://a.example/4",
    ]
    kind, evidence = feature_type("u", "text", values, 5, 5)
    assert (kind, evidence["url"]) == ("URL", 0.8)


def test_declared_types_decide_before_texts() -> None:
    assert feature_type("x", "datetime", ["1", "2"], 2, 2)[0] == "Datetime"
    assert feature_type("x", "list", ["[1]", "[2]"], 2, 2)[0] == "List"


def test_phones_and_codes_are_no_ranges() -> None:
    assert (
        feature_type("phone", "text", [f"010-56252{i:02d}" for i in range(40)], 40, 40)[0] == "Formatted ID"
    )


def test_ordinals_are_no_units() -> None:
    assert (
        feature_type("congress", "text", [f"{i}th" for i in range(94, 116)] * 9, 22, 198)[0]
        != "Numbers with unit"
    )


def test_parts_of_an_address_are_no_list() -> None:
    values = [f"{i} Dexter Avenue, Springfield, IL 627{i % 90:02d}" for i in range(1, 60)]
    assert feature_type("address", "text", values, 59, 59)[0] != "List"
