from __future__ import annotations

import pytest
from tests.tables import make_table

from headwater.relations import Join, TableSketch, column_similarity, describe_join, find_joins, sketch_table

CODES = [f"{a}{b}X" for a in "ABCDEFG" for b in "KLMNOP"]


def _sketch(name: str, columns: dict[str, list[str]]) -> TableSketch:
    return sketch_table(make_table(columns), f"ns/{name}/files/{name}.csv", f"ns/{name}")


def _airports() -> TableSketch:
    return _sketch("airports", {"iata": CODES, "city": [f"City {c}" for c in CODES]})


def _flights() -> TableSketch:
    visited = CODES[:30] * 3 + ["ZZ9", "ZZ8", "ZZ7"]
    return _sketch("flights", {"airport": visited, "delay": [str(i % 50) for i in range(len(visited))]})


def _between(joins: list[Join], child: str, parent: str) -> Join:
    return next(j for j in joins if j.dataset == f"ns/{child}" and j.other_dataset == f"ns/{parent}")


def test_match_rate_and_fan_out_are_measured_both_ways() -> None:
    joins = find_joins([_airports(), _flights()])
    down, up = _between(joins, "flights", "airports"), _between(joins, "airports", "flights")
    assert (down.column, down.other_column, down.fan_out, down.shared) == ("airport", "iata", 1.0, 30)
    assert down.match_rate == pytest.approx(90 / 93, abs=1e-4)
    assert down.value_match == pytest.approx(30 / 33, abs=1e-4)
    assert (up.fan_out, up.match_rate) == (3.0, pytest.approx(30 / 42, abs=1e-4))
    assert down.score > up.score
    assert "97% of records match" in describe_join(down)


def test_new_tables_against_old_ones_give_what_all_at_once_gives() -> None:
    third = _sketch("weather", {"station": CODES[5:40], "rain": [str(i) for i in range(35)]})
    old = [_airports(), _flights()]
    step = find_joins(old) + find_joins([third], old)
    key = ("document", "column", "other_document", "other_column", "score")
    assert sorted(tuple(getattr(j, k) for k in key) for j in step) == sorted(
        tuple(getattr(j, k) for k in key) for j in find_joins([*old, third])
    )


def test_values_that_anything_shares_make_no_join() -> None:
    flags = _sketch(
        "flags",
        {
            "open": ["true", "false"] * 20,
            "n": [str(i % 30) for i in range(40)],
            "year": ["2019", "2020"] * 20,
        },
    )
    more = _sketch(
        "more",
        {
            "closed": ["true", "false"] * 20,
            "m": [str(i % 30) for i in range(40)],
            "year": ["2019", "2020"] * 20,
        },
    )
    assert not find_joins([flags, more])


def test_row_numbers_of_two_tables_make_no_join() -> None:
    one = _sketch("one", {"id": [str(i) for i in range(1, 51)], "text": [f"p{i}" for i in range(50)]})
    two = _sketch("two", {"id": [str(i) for i in range(1, 81)], "text": [f"q{i}" for i in range(80)]})
    assert not find_joins([one, two])


def test_a_key_of_numbers_joins_where_the_names_say_so() -> None:
    people = _sketch(
        "people",
        {"customer_id": [str(1000 + 7 * i) for i in range(60)], "name": [f"n{i}" for i in range(60)]},
    )
    orders = _sketch(
        "orders",
        {
            "customer_id": [str(1000 + 7 * (i % 40)) for i in range(200)],
            "total": [str(i) for i in range(200)],
        },
    )
    join = _between(find_joins([people, orders]), "orders", "people")
    assert (join.column, join.other_column, join.match_rate, join.fan_out) == (
        "customer_id",
        "customer_id",
        1.0,
        1.0,
    )


def test_case_and_blanks_do_not_hide_a_join() -> None:
    loud = _sketch("loud", {"code": [f" {c.lower()} " for c in CODES], "x": [f"x{c}" for c in CODES]})
    assert _between(find_joins([_airports(), loud]), "loud", "airports").match_rate == 1.0


@pytest.mark.parametrize(
    ("a", "b", "low", "high"),
    [
        ("State", "state", 1, 1),
        ("stateName", "state_name", 1, 1),
        ("airport", "IATA", 1, 1),
        ("customer_id", "customer", 0.5, 0.9),
        ("country", "Entity", 1, 1),
        ("price", "colour", 0, 0),
    ],
)
def test_likeness_of_names(a: str, b: str, low: float, high: float) -> None:
    assert low <= column_similarity(a, b) <= high
