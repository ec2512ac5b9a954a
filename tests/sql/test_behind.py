"""The rows that a cell of a result rests on."""

from __future__ import annotations

import pytest

from headwater.sql import SqlEngine

GOALS = "cup/files/goals.csv"


def behind(
    engine: SqlEngine, statement: str, column: int, row: int = 0
) -> list[tuple[str, list[int], object, bool, object]]:
    result = engine.query(statement)
    found = engine.behind(statement, [c.name for c in result.columns], result.rows[row], column)
    return [(b.reference, [p.row for p in b.places], b.total, b.exact, b.places[0].columns) for b in found]


@pytest.mark.parametrize(
    ("statement", "column", "expected"),
    [
        ("select id, team from t('goals.csv') order by id desc limit 2", 1, [(GOALS, [3000], 1, True, ("team",))]),
        ("select * from t('goals.csv') where id = 7", 3, [(GOALS, [8], 1, True, ("minute",))]),
        ("select g.id as n from t('goals.csv') g where g.id in (4, 5)", 0, [(GOALS, [5], 1, True, ("id",))]),
        ("select team, max(id) as m from t('goals.csv') group by 1 order by m desc", 1, [(GOALS, [3000], 1, True, ("id",))]),
        ("select team, count(*) as n from t('goals.csv') where id < 12 group by all order by team", 1,
         [(GOALS, [1, 6, 11], 3, False, ())]),
        ("select team as x, sum(id) as s from t('goals.csv') where id < 30 group by x order by x desc", 1,
         [(GOALS, [5, 10, 15], 6, False, ("id",))]),
        ("select count(*) filter (where id > 2995) as n from t('goals.csv')", 0, [(GOALS, [2997, 2998, 2999], 4, False, ("id",))]),
        ("select id * 2 + 1 as n from t('goals.csv') where id between 3 and 5", 0, [(GOALS, [4], 1, False, ("id",))]),
        ("select distinct coach from t('teams.csv') where name = 'Italy'", 0, [("cup/files/teams.csv", [3], 1, True, ("coach",))]),
    ],
)  # fmt: skip
def test_cells_and_gathered_rows(
    engine: SqlEngine, statement: str, column: int, expected: list[tuple[object, ...]]
) -> None:
    assert behind(engine, statement, column) == expected


def test_a_value_of_two_tables_rests_on_both(engine: SqlEngine) -> None:
    statement = "select g.id || tm.coach as x from t('goals.csv') g join t('teams.csv') tm on tm.name = g.team where g.id = 11"
    assert [(b[0], b[1]) for b in behind(engine, statement, 0)] == [
        (GOALS, [12]),
        ("cup/files/teams.csv", [2]),
    ]


def test_a_row_of_a_series_is_a_row_of_its_member(engine: SqlEngine) -> None:
    statement = (
        "select year, max(population) as p from t('series:census') group by year order by year limit 1"
    )
    (found,) = engine.behind(statement, ["year", "p"], engine.query(statement).rows[0], 1)
    assert [(p.reference, p.row, p.columns) for p in found.places] == [
        ("census/2000.csv", 2, ("Population",))
    ]
    assert engine.documents_behind("select sum(population) from t('series:census') where year < 2002") == {
        "series:census": ["census/2000.csv", "census/2001.csv"]
    }


@pytest.mark.parametrize(
    "statement",
    [
        "select 1 + 1 as n",
        "select count(*) as n from t('goals.csv') group by id % 7 order by 1 desc limit 1",
        "with g as (select * from t('goals.csv')) select count(*) as n from g",
        "select id from t('goals.csv') union all select 5 order by 1 limit 1",
    ],
)
def test_nothing_is_told_where_the_rows_are_not_known(engine: SqlEngine, statement: str) -> None:
    assert behind(engine, statement, 0) == []


def test_what_cannot_be_read_any_more_is_not_in_the_way(engine: SqlEngine) -> None:
    with pytest.raises(Exception, match="no table"):
        engine.behind("select x from t('gone.csv')", ["x"], [1], 0)
