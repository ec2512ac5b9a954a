"""Names of the lake in statements: where they may stand, what they shadow, what they are called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from headwater.errors import AmbiguousError, NotFoundError, RefusedError, UsageError
from headwater.sql import SqlEngine

Values = Callable[[str], list[list[Any]]]


@pytest.mark.parametrize(
    "source",
    [
        "t('cup/files/goals.csv')",
        "T('cup/files/goals.csv')",
        "t('goals')",
        "goals",
        "GOALS as x",
        '"goals.csv"',
        "goals.csv",
        "'cup/files/goals.csv'",
        '"cup/files/goals.csv"',
        "(from t('goals'))",
        "(select * from (select * from goals) a)",
    ],
)
def test_a_table_can_be_named_in_many_ways(values: Values, source: str) -> None:
    source = source.replace("GOALS", "goals")
    assert values(f"select count(*) from {source}") == [[3000]]


def test_one_of_several_tables_of_a_document(values: Values) -> None:
    assert values("from t('cup/book.xlsx#Sheet 1')") == [[1, "x"], [2, "y"]]


@pytest.mark.parametrize("qualifier", ["t", "goals", '"goals.csv"', '"cup/files/goals.csv"'])
def test_an_unaliased_table_goes_by_the_name_that_the_statement_uses(values: Values, qualifier: str) -> None:
    assert values(f"select {qualifier}.id from t('cup/files/goals.csv') where {qualifier}.id = 7") == [[7]]


def test_two_unaliased_tables_are_told_apart(values: Values) -> None:
    sql = "select goals.id, teams.coach from t('cup/files/goals.csv') join t('cup/files/teams.csv') on team = name"
    assert values(f"{sql} order by 1 limit 1") == [[0, "A"]]


def test_an_unaliased_table_beside_one_that_is_called_t(values: Values) -> None:
    join = "select count(*) from t('cup/files/goals.csv') join {} on goals.team = t.name"
    assert values(join.format("teams t")) == [[2400]]
    assert values("with t as (from teams) " + join.format("t")) == [[2400]]
    assert values(
        "from t('teams') where exists (select 1 from t('goals') where goals.team = teams.name) limit 1"
    ) == [["Brazil", "A"]]


def test_a_cte_shadows_a_table_of_the_lake(values: Values) -> None:
    assert values("with goals as (select 1 as one) from goals") == [[1]]
    assert values("with goals as (select * from goals where id < 5) select count(*) from goals") == [[5]]
    assert values("select (with goals as (select 9) from goals), count(*) from goals") == [[9, 3000]]
    assert values("with a as (select 1), b as (from a) from b") == [[1]]
    assert values(
        "with recursive r(n) as (select 1 union all select n + 1 from r where n < 4) select max(n) from r"
    ) == [[4]]


def test_names_inside_subqueries_joins_and_lateral_joins(values: Values) -> None:
    assert values("select count(*) from goals where team in (select name from teams)") == [[2400]]
    assert values(
        "select (select max(id) from goals g where g.team = t.name) from teams t order by 1 limit 1"
    ) == [[2995]]
    sql = "select count(*) from teams x, lateral (select * from goals g where g.team = x.name limit 2)"
    assert values(sql) == [[8]]
    assert values("select count(*) from goals union all select count(*) from teams order by 1") == [
        [4],
        [3000],
    ]


def test_names_under_pivot_describe_and_summarize(values: Values) -> None:
    pivot = "from (pivot t('goals') on team in ('Brazil', 'Italy') using count(*) group by id) order by id limit 1"
    assert values(pivot) == [[0, 1, 0]]
    names = ["id", "team", 'odd "name"; --', "minute"]
    for sql in (
        "describe t('goals')",
        "-- note\nDESCRIBE goals",
        "show goals",
        "summarize t('goals')",
        "desc t ('goals')",
    ):
        assert [row[0] for row in values(sql)] == names


def test_columns_with_spaces_quotes_and_semicolons(values: Values) -> None:
    assert values('select "odd ""name""; --" from goals where id = 8') == [[1]]


def test_show_tables_lists_the_lake(engine: SqlEngine) -> None:
    result = engine.query("show tables")
    assert [column.name for column in result.columns] == ["name"]
    assert [row[0] for row in result.rows] == list(engine.catalog.names())


@pytest.mark.parametrize(
    "call", ["t(team)", "t('go' || 'als')", "t()", "t('a', 'b')", "t(name := 'goals')", "t(1)"]
)
def test_t_takes_one_plain_name(engine: SqlEngine, call: str) -> None:
    with pytest.raises(UsageError) as caught:
        engine.query(f"select * from {call}")
    assert "t('path')" in caught.value.hint


def test_t_is_no_value(engine: SqlEngine) -> None:
    with pytest.raises(RefusedError, match="stands for a table"):
        engine.query("select t('goals')")


def test_an_ambiguous_name_is_refused_with_the_candidates(engine: SqlEngine) -> None:
    with pytest.raises(AmbiguousError) as caught:
        engine.query("from data")
    assert caught.value.nearest == ["one/data.csv", "two/data.csv"]


@pytest.mark.parametrize("reference", ["gaols", "t('cup/files/goal.csv')", '"Goals CSV"', "cup.goals"])
def test_an_unknown_table_names_the_nearest(engine: SqlEngine, reference: str) -> None:
    with pytest.raises(NotFoundError) as caught:
        engine.query(f"from {reference}")
    assert "cup/files/goals.csv" in caught.value.nearest


@pytest.mark.parametrize(
    ("sql", "near"),
    [
        ("select tema from goals", "team"),
        ("select g.Minutes from goals g", "minute"),
        ("select count(*) from goals where teem = 'x'", "team"),
        ("select * exclude (Taem) from goals", "team"),
        ("select * from goals join teams on teem = name", "team"),
        ("select oddname from goals", 'odd "name"; --'),
    ],
)
def test_an_unknown_column_names_the_nearest(engine: SqlEngine, sql: str, near: str) -> None:
    with pytest.raises(NotFoundError) as caught:
        engine.query(sql)
    assert near in caught.value.nearest


def test_a_column_unlike_any_other_lists_what_there_is(engine: SqlEngine) -> None:
    with pytest.raises(NotFoundError) as caught:
        engine.query("select xyzzyx from teams")
    assert "name, coach" in caught.value.hint


def test_an_unknown_alias_and_an_unknown_function(engine: SqlEngine) -> None:
    with pytest.raises(NotFoundError) as caught:
        engine.query("select q.team from goals g")
    assert caught.value.nearest == ["g"]
    with pytest.raises(NotFoundError, match=r"uper\(\)") as caught:
        engine.query("select uper(team) from goals")
    assert "upper" in caught.value.nearest


def test_a_text_in_double_quotes_is_recognised(engine: SqlEngine) -> None:
    with pytest.raises(NotFoundError) as caught:
        engine.query('select * from goals where team = "Brazil"')
    assert "single quotes: 'Brazil'" in caught.value.hint
