"""`_row` and `_line`: there when named, nowhere else."""

from __future__ import annotations

import pytest

from headwater.sql import SqlEngine

GOALS = ["id", "team", 'odd "name"; --', "minute"]
TEAMS = ["name", "coach"]


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ("from goals", GOALS),
        ("select *, _row from goals", [*GOALS, "_row"]),
        ("select _line, * from t('goals')", ["_line", *GOALS]),
        ("select t.*, t._row from t('goals')", [*GOALS, "_row"]),
        ("select g.*, _LINE from goals g", [*GOALS, "_line"]),
        ("select * from goals order by _row", GOALS),
        ("select * from goals where _row = 3", GOALS),
        ("select *, g._row from goals g join teams t on g.team = t.name", [*GOALS, *TEAMS, "_row"]),
        ("select t.*, g._row from goals g join teams t on g.team = t.name", [*TEAMS, "_row"]),
        ("select * from goals g semi join teams on team = name where g._row < 9", GOALS),
        ("select * from (select *, _row from goals) where _row = 1", [*GOALS, "_row"]),
        ("with g as (select *, _row as r from goals) select * from g", [*GOALS, "r"]),
        (
            "select * from teams where exists (select 1 from goals where team = name and goals._row = 1)",
            TEAMS,
        ),
        ("select * exclude (id), _row from goals", [*GOALS[1:], "_row"]),
        ("select * exclude (_row) from goals", GOALS),
        ("select columns('^te'), _row from goals", ["team", "_row"]),
        ("select columns(c -> c like 't%') from goals where _row > 0", ["team"]),
        ("select * from teams union all select * from teams where _row = 1", TEAMS),
        (
            "select *, _row from t('series:census')",
            ["state", "area", "population", "_document", "year", "_row"],
        ),
        ("from (pivot teams on name in ('Brazil') using count(*))", ["coach", "Brazil"]),
        ("select * from teams natural join teams b", TEAMS),
    ],
)
def test_columns_that_show(engine: SqlEngine, sql: str, names: list[str]) -> None:
    assert [column.name for column in engine.query(sql, max_rows=1).columns] == names


def test_row_and_line_point_into_the_source(engine: SqlEngine) -> None:
    assert engine.query("select _row, _line from goals where id = 41").rows == [[42, 43]]


def test_they_are_described_nowhere(engine: SqlEngine) -> None:
    for sql in ("describe goals", "summarize goals"):
        assert [row[0] for row in engine.query(sql).rows] == GOALS
