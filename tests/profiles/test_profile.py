from __future__ import annotations

import datetime
import json
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tables import make_parquet_table, make_table

from headwater.model import LINE, ROW, Column, MemoryData, Table
from headwater.profiles import TableProfile, match_places, profile_table
from headwater.relations import TableSketch, sketch_table


@given(st.lists(st.one_of(st.none(), st.integers(-(10**9), 10**9)), min_size=1, max_size=200))
def test_figures_agree_with_numpy(values: list[int | None]) -> None:
    profile = profile_table(
        make_table({"x": values, "y": [1] * len(values)}, types={"x": "integer"})
    ).columns[0]
    numbers = np.array([v for v in values if v is not None], dtype=float)
    assert profile.missing == len(values) - len(numbers)
    assert profile.distinct == len(set(numbers))
    if len(numbers):
        assert (profile.min, profile.max) == (numbers.min(), numbers.max())
        assert profile.mean == pytest.approx(numbers.mean(), rel=1e-9, abs=1e-6)
        assert profile.std == pytest.approx(numbers.std(), rel=1e-6, abs=1e-3)
        for q, value in profile.quantiles.items():
            assert value == pytest.approx(np.quantile(numbers, float(q)), rel=1e-9, abs=1e-6)


def _table() -> Table:
    return make_table(
        {
            "state": ["Ohio", "Ohio", "Iowa", "Iowa", "Utah", "Utah"],
            "year": ["2019", "2020", "2019", "2020", "2019", "2020"],
            "count": ["5", "7", "", "2", "9", "7"],
            "note": ["a", "b", "c", "d", "e", "f"],
        }
    )


def test_keys_time_and_places_of_a_small_table() -> None:
    profile = profile_table(_table())
    assert profile.candidate_keys == [["note"]]
    assert (
        (profile.time.start, profile.time.end, profile.time.column) == (2019, 2020, "year")
        if profile.time
        else False
    )
    assert [(p.kind, p.names) for p in profile.places] == [("us_state", ["Iowa", "Ohio", "Utah"])]
    assert profile.column("count").missing == 1
    assert profile.column("state").top == [("Ohio", 2), ("Iowa", 2), ("Utah", 2)]
    assert not profile.sampled


def test_a_pair_of_columns_is_a_key_where_no_single_one_is() -> None:
    table = make_table(
        {
            "state": ["Ohio", "Ohio", "Iowa", "Iowa"],
            "year": ["2019", "2020", "2019", "2020"],
            "n": ["1", "1", "1", "2"],
        }
    )
    assert profile_table(table).candidate_keys == [["state", "year"]]


def test_years_in_the_column_names_are_coverage_too() -> None:
    time = profile_table(
        make_table({"country": ["Chad", "Mali"], "1990": ["1.5", "2.5"], "2005": ["3.5", "4.5"]})
    ).time
    assert time is not None and (time.start, time.end, time.column) == (1990, 2005, "")


def test_a_single_year_among_texts_is_no_coverage() -> None:
    days = ["9/24/06", "12/8/06", "6/18/17", "2/23/37"] * 5
    table = make_table({"date": [*days, "1930"], "n": list("abcdefghijklmnopqrstu")})
    assert profile_table(table).time is None


def test_profile_survives_json() -> None:
    profile = profile_table(_table())
    assert TableProfile.from_dict(json.loads(json.dumps(profile.to_dict()))) == profile


def test_table_in_parquet_gives_the_same_counts_and_says_that_it_was_sampled(tmp_path: Path) -> None:
    small = _table()
    exact, large = profile_table(small), profile_table(make_parquet_table(small, tmp_path))
    assert large.sampled and large.notes
    assert large.candidate_keys == exact.candidate_keys
    for a, b in zip(exact.columns, large.columns, strict=True):
        assert (a.missing, a.distinct, a.min, a.max, a.feature_type) == (
            b.missing,
            b.distinct,
            b.min,
            b.max,
            b.feature_type,
        ), a.name
        assert a.unique == b.unique


def test_empty_table_and_empty_column() -> None:
    assert profile_table(make_table({"a": []})).rows == 0
    profile = profile_table(make_table({"a": ["", "", ""], "b": ["1", "2", "3"]})).columns[0]
    assert (profile.missing, profile.distinct, profile.feature_type, profile.examples) == (
        3,
        0,
        "Categorical",
        [],
    )


def test_odd_names_of_columns_reach_the_engine_unharmed(tmp_path: Path) -> None:
    table = make_parquet_table(
        make_table({'a "quoted" name': ["1", "2"], "x'); drop table t; --": ["p", "q"]}), tmp_path, "it's"
    )
    assert [c.distinct for c in profile_table(table).columns] == [2, 2]


@pytest.mark.parametrize(
    ("texts", "column", "kind"),
    [
        (["FRA", "DEU", "ITA", "ESP"], "iso_code", "country"),
        (["FRA", "DEU", "ITA", "ESP"], "team", None),
        (["CA", "TX", "NY"], "state", "us_state"),
        (["Korea, Rep.", "Côte d'Ivoire", "The Gambia"], "where", "country"),
        (["Georgia", "Maine", "Utah"], "place", "us_state"),
        (["Paris", "Chad", "Rome", "Lima", "Oslo"], "friend", None),
        ([], "country", None),
    ],
)
def test_places_are_found_by_name_and_codes_only_where_the_column_speaks_of_places(
    texts: list[str], column: str, kind: str | None
) -> None:
    found = match_places(texts, column)
    assert (found[0] if found else None) == kind


def test_every_type_of_column_can_be_profiled_and_sketched(tmp_path: Path) -> None:
    zone = datetime.timezone(datetime.timedelta(hours=2))
    arrays = {
        "flag": ("boolean", pa.array([True, False, None])),
        "exact": ("number", pa.array([Decimal("1.10"), Decimal("2.25"), None], pa.decimal128(38, 2))),
        "huge": ("integer", pa.array([Decimal(10**30), Decimal(5), None], pa.decimal128(38, 0))),
        "odd": ("number", pa.array([float("inf"), float("nan"), 1.5])),
        "at": ("time", pa.array([datetime.time(9, 30), datetime.time(23, 1), None], pa.time64("us"))),
        "moment": (
            "datetime",
            pa.array(
                [
                    datetime.datetime(2020, 1, 1, tzinfo=zone),
                    None,
                    datetime.datetime(2021, 1, 1, 5, tzinfo=zone),
                ],
                pa.timestamp("us", "Europe/Berlin"),
            ),
        ),
        "parts": ("list", pa.array(['["a", "b"]', "[]", None])),
        "nothing": ("text", pa.array([None, None, None], pa.string())),
    }
    rows = pa.array([1, 2, 3], pa.int64())
    names = [ROW, LINE, *arrays]
    typed = pa.table([rows, rows, *(a for _, a in arrays.values())], names=names)
    raw = pa.table(
        [
            rows,
            rows,
            *(pa.array(["" if v is None else str(v) for v in a.to_pylist()]) for _, a in arrays.values()),
        ],
        names=names,
    )
    columns = [Column(name, kind) for name, (kind, _) in arrays.items()]  # type: ignore[arg-type]
    table = Table("", columns, MemoryData(typed, raw))
    for variant in (table, make_parquet_table(table, tmp_path)):
        profile = profile_table(variant)
        assert json.loads(json.dumps(profile.to_dict(), allow_nan=False))["rows"] == 3
        assert [c.missing for c in profile.columns] == [1, 1, 1, 0, 1, 1, 1, 3]
        assert profile.column("at").min == "09:30:00"
        assert profile.column("moment").max.startswith("2021-01-01T0")
        assert TableSketch.from_bytes(sketch_table(variant, "a/b.csv", "a").to_bytes()).rows == 3
