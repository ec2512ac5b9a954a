"""What comes back: types, limits, counts, conversions."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from headwater.errors import LimitError, UsageError
from headwater.sql import SqlEngine

Values = Callable[[str], list[list[Any]]]


@pytest.mark.parametrize(
    ("expression", "kind", "value"),
    [
        ("1", "integer", 1),
        ("9007199254740993", "integer", 9007199254740993),
        ("sum(x) from (select unnest([1, 2]) as x)", "integer", 3),
        (
            "170141183460469231731687303715884105727::hugeint",
            "integer",
            170141183460469231731687303715884105727,
        ),
        (
            "12345678901234567890123456789012345678901234567890::bignum",
            "integer",
            12345678901234567890123456789012345678901234567890,
        ),
        ("1.5::double", "number", 1.5),
        ("1.50::decimal(9, 2)", "number", "1.50"),
        ("0::decimal(38, 30)", "number", "0." + "0" * 30),
        ("'nan'::double", "number", "NaN"),
        ("'-infinity'::double", "number", "-Infinity"),
        ("true", "boolean", True),
        ("'a'", "text", "a"),
        ("null", "text", None),
        ("date '2024-02-29'", "date", "2024-02-29"),
        ("'infinity'::date", "date", "infinity"),
        ("date '20000-01-01'", "date", "20000-01-01"),
        ("timestamp '2024-02-29 10:11:12'", "datetime", "2024-02-29T10:11:12"),
        ("timestamp '2024-02-29 10:11:12.5'", "datetime", "2024-02-29T10:11:12.500000"),
        ("timestamptz '2024-02-29 10:11:12+02'", "datetime", "2024-02-29T08:11:12+00:00"),
        ("timestamp_ns '2024-02-29 10:11:12.123456789'", "datetime", "2024-02-29T10:11:12.123456789"),
        ("time '10:11:12'", "time", "10:11:12"),
        ("[1, null]", "list", [1, None]),
        ("[date '2024-02-29']", "list", ["2024-02-29"]),
        ("{'a': 1.50::decimal(9, 2), 'b': [true]}", "object", {"a": "1.50", "b": [True]}),
        ("map {'a': 1}", "object", {"a": 1}),
        ("'{\"a\": [1]}'::json", "object", {"a": [1]}),
        ("interval '1 month 2 days'", "text", "1 month 2 days"),
        ("'101'::bit", "text", "101"),
        ("x'00ff'", "text", "00ff"),
        ("'550e8400-e29b-41d4-a716-446655440000'::uuid", "text", "550e8400-e29b-41d4-a716-446655440000"),
        ("'a'::enum('a', 'b')", "text", "a"),
    ],
)
def test_types_of_the_contract(engine: SqlEngine, expression: str, kind: str, value: Any) -> None:
    result = engine.query(f"select {expression}")
    assert (result.columns[0].type, result.rows) == (kind, [[value]])
    json.dumps(result.to_dict(), allow_nan=False)


def test_a_cut_result_says_how_many_rows_there_are(engine: SqlEngine) -> None:
    result = engine.query("from goals", max_rows=5)
    assert (result.shown, result.row_count, result.truncated) == (5, 3000, True)
    assert len(result.rows) == 5
    assert result.summary == "5 of 3,000 rows"
    assert engine.query("from range(1203114)", max_rows=5).summary == "5 of 1,203,114 rows"


@pytest.mark.parametrize(
    ("sql", "shown", "total"),
    [
        ("from goals limit 3", 3, 3),
        ("from goals limit 5", 5, 5),
        ("from goals limit 6", 5, 6),
        ("from goals limit 100 offset 2990", 5, 10),
        ("from goals offset 2998", 2, 2),
        ("from goals limit 1%", 5, 30),
        ("from goals limit (select 7)", 5, 7),
        ("from goals limit 0", 0, 0),
        ("select team from goals group by team", 5, 5),
        ("select distinct id from goals", 5, 3000),
        ("from goals union all from goals", 5, 6000),
        ("(from goals limit 2) union all (from goals limit 5)", 5, 7),
        ("values (1), (2), (3), (4), (5), (6)", 5, 6),
        ("select unnest(range(9)) as x order by x desc", 5, 9),
        ("summarize goals", 4, 4),
        ("with recursive r(n) as (select 1 union all select n + 1 from r where n < 8) from r", 5, 8),
    ],
)
def test_counts_with_limits_of_the_users_own(engine: SqlEngine, sql: str, shown: int, total: int) -> None:
    result = engine.query(sql, max_rows=5)
    assert (result.shown, result.row_count, result.truncated) == (shown, total, total > shown)


def test_a_cut_keeps_the_order(values: Values, engine: SqlEngine) -> None:
    assert engine.query("select id from goals order by id desc", max_rows=2).rows == [[2999], [2998]]
    assert engine.query("select id from goals", max_rows=2).rows == [[0], [1]]


def test_large_values_are_cut_by_rows_and_said(engine: SqlEngine) -> None:
    result = engine.query("select i, repeat('x', 1000000) from range(20) r(i)", max_bytes=3_500_000)
    assert (result.shown, result.row_count, result.truncated) == (3, 20, True)
    assert result.rows[2][0] == 2


def test_a_single_value_beyond_the_limit_is_an_error(engine: SqlEngine) -> None:
    with pytest.raises(LimitError, match="larger than the byte limit"):
        engine.query("select repeat('x', 2000000)", max_bytes=1_000_000)


def test_more_memory_than_allowed_is_an_error_and_the_next_query_runs(engine: SqlEngine) -> None:
    for sql in (
        "select repeat('abcdefgh', 300000000)",
        "select length(string_agg(repeat('x', 1000), '')) from range(4000000)",
    ):
        with pytest.raises(LimitError, match="600 MB"):
            engine.query(sql)
        assert engine.query("select 1").rows == [[1]]


def test_a_value_that_does_not_fit_a_type(engine: SqlEngine) -> None:
    with pytest.raises(UsageError, match="Could not convert") as caught:
        engine.query("select cast(team as int) from goals")
    assert "try_cast" in caught.value.hint


def test_conversions(engine: SqlEngine) -> None:
    result = engine.query("select id, team, 1.50::decimal(9, 2) as d, id from goals order by id limit 2")
    assert result.to_arrow().column_names == ["id", "team", "d", "id"]
    assert result.to_arrow().column("d").to_pylist() == [Decimal("1.50")] * 2
    assert result.to_dicts()[1] == {"id": 1, "team": "Germany", "d": "1.50", "id_1": 1}
    pandas = result.to_pandas()
    assert list(pandas.columns) == ["id", "team", "d", "id_1"]
    assert pandas.id.tolist() == [0, 1]
    polars = result.to_polars()
    assert polars.shape == (2, 4)
    assert polars["team"].to_list() == ["Brazil", "Germany"]


def test_an_empty_result_keeps_its_columns(engine: SqlEngine) -> None:
    result = engine.query("select id, team from goals where false")
    assert (result.rows, result.row_count, result.summary) == ([], 0, "0 rows")
    assert result.to_pandas().columns.tolist() == ["id", "team"]


def test_shown_in_a_notebook_it_is_escaped_and_says_its_size(engine: SqlEngine) -> None:
    shown = engine.query(
        "select '<script>alert(1)</script>' as \"<b>\" from range(1203114)", max_rows=100
    )._repr_html_()
    assert "<script" not in shown
    assert "<b>" not in shown
    assert "&lt;script&gt;" in shown
    assert "50 of 1,203,114 rows" in shown


def test_shown_as_text(engine: SqlEngine) -> None:
    assert str(engine.query("select 1 as a, 'x' as b")).splitlines() == ["a  b", "1  x", "1 row"]


def test_names_of_unnamed_subqueries_show_the_users_names(engine: SqlEngine) -> None:
    (column,) = engine.query("select (select max(id) from goals)").columns
    assert column.name == "(SELECT max(id) FROM goals)"


def test_the_tables_of_a_statement_are_told(engine: SqlEngine) -> None:
    result = engine.query("select count(*) from goals, goals g2, teams where false")
    assert result.tables == ["cup/files/goals.csv", "cup/files/teams.csv"]


@pytest.mark.parametrize(
    ("statement", "literals"),
    [
        ("select 4300 - 2850 as metres", {"4300", "2850"}),
        ("select max(minute) * 0 + 1450 from t('goals.csv') where minute > 7 limit 5", {"0", "1450"}),
        ("select round(minute / 3.5, 2) from t('goals.csv') where team = 'Italy' order by 1", {"3.5"}),
        ("select team || ' won' from t('goals.csv') group by all having count(*) > 2", {" won"}),
        ("select case when minute > 45 then 'late' else team end from t('goals.csv')", {"late"}),
        ("with v as (select 40 + 2 as x) select x, name from v, t('teams.csv')", {"40", "2"}),
        ("select * from (values (1700, 'a')) as v(x, y)", {"1700", "a"}),
        ("select x from unnest([5, 6]) as u(x)", {"5", "6"}),
        ("select coalesce(minute, 12) from t('goals.csv')", {"12"}),
        ("select max(1451) from t('goals.csv')", {"1451"}),
        ("select cast('19' as int) + id from t('goals.csv') where id in (3, 4) and team like 'B%'", {"19"}),
        ("select (select 8), team in ('Italy') from t('goals.csv')", {"8"}),
        ("select regexp_extract(team, '[0-9]+', 0), substr(team, 2, 3) from t('goals.csv')", set()),
    ],
)
def test_what_a_statement_writes_into_its_cells_is_known(
    engine: SqlEngine, statement: str, literals: set[str]
) -> None:
    result = engine.query(statement)
    assert set(result.literals) == literals
    assert result.to_dict()["literals"] == result.literals
