"""Joins are measured, and an empty result names the values that come near."""

from __future__ import annotations

from typing import Any

import pytest

from headwater.sql import SqlEngine


def only(engine: SqlEngine, sql: str, kind: str = "join") -> dict[str, Any]:
    (found,) = [note for note in engine.query(sql, max_rows=1).diagnostics if note["kind"] == kind]
    return found


JOINS = [
    "select * from goals join teams on team = name",
    "select * from goals g join teams t on g.team = t.name where g.id < 10",
    "select * from goals, teams where team = name",
    "select * from t('goals') join (select name as team from teams) s using (team)",
    "with t as (select * from teams) select count(*) from goals join t on t.name = goals.team",
    "select (select count(*) from goals join teams on team = name)",
    "with teams as (select name, coach from teams) select * from goals join teams on teams.name = team",
]


@pytest.mark.parametrize("sql", JOINS)
def test_rows_match_rates_and_fan_out(engine: SqlEngine, sql: str) -> None:
    note = only(engine, sql)
    left_first = note["rows_left"] == 3000
    rows, rates = (note["rows_left"], note["rows_right"]), (note["match_rate_left"], note["match_rate_right"])
    assert (rows, rates) == (((3000, 4), (0.8, 1.0)) if left_first else ((4, 3000), (1.0, 0.8)))
    assert note["rows_out"] == 2400
    assert note["fan_out" if left_first else "fan_out_left"] == 1.0
    assert note["level"] == "info"
    assert "3,000" in note["message"] and "80.0%" in note["message"]


@pytest.mark.parametrize(
    ("kind", "rows_out"),
    [("left", 3000), ("right", 2400), ("full", 3000), ("semi", 2400), ("anti", 600)],
)
def test_rows_out_by_kind_of_join(engine: SqlEngine, kind: str, rows_out: int) -> None:
    assert only(engine, f"select * from goals {kind} join teams on team = name")["rows_out"] == rows_out
    assert engine.query(f"select * from goals {kind} join teams on team = name").row_count == rows_out


def test_rows_that_multiply_are_a_warning(engine: SqlEngine) -> None:
    note = only(engine, "select count(*) from goals a join goals b using (team)")
    assert (note["level"], note["rows_out"], note["fan_out"]) == ("warning", 1_800_000, 600.0)
    assert "rows multiply" in note["message"]


def test_a_join_that_hardly_matches_is_a_warning(engine: SqlEngine) -> None:
    note = only(engine, "select * from goals join teams on upper(team) = name")
    assert (note["level"], note["rows_out"], note["match_rate_left"]) == ("warning", 0, 0.0)


def test_several_keys_and_other_conditions(engine: SqlEngine) -> None:
    note = only(
        engine,
        "select * from goals a join goals b on a.id = b.id and a.team = b.team and a.minute < b.minute + 1",
    )
    assert (note["rows_out"], note["partial"]) == (3000, True)
    assert note["on"] == "a.id = b.id and a.team = b.team"


def test_a_chain_of_joins_has_one_note_for_each(engine: SqlEngine) -> None:
    sql = "select * from goals g join teams t on g.team = t.name left join teams u on u.name = t.name"
    notes = engine.query(sql).diagnostics
    assert [(note["join_type"], note["on"]) for note in notes] == [
        ("inner", "g.team = t.name"),
        ("left", "t.name = u.name"),
    ]


def test_a_side_that_depends_on_the_other_is_told_not_measured(engine: SqlEngine) -> None:
    sql = "select * from goals g join lateral (select * from teams where name = g.team) x on x.name = g.team"
    assert "not measured" in only(engine, sql)["message"]


@pytest.mark.parametrize(
    "sql", ["select 1", "from goals", "select * from goals, teams", "from goals positional join teams"]
)
def test_nothing_to_tell(engine: SqlEngine, sql: str) -> None:
    assert engine.query(sql).diagnostics == []


def test_diagnostics_can_be_left_out(engine: SqlEngine) -> None:
    assert engine.query(JOINS[0], diagnose=False).diagnostics == []


@pytest.mark.parametrize(
    ("condition", "near"),
    [
        ("team = 'brazil'", "Brazil"),
        ("team = ' GERMANY '", "Germany"),
        ("'Brasil' = team", "Brazil"),
        ("team = 'Cote d Ivoire'", "Côte d'Ivoire"),
        ("team in ('germny')", "Germany"),
        ("id < 10 and team = 'Itly'", "Italy"),
        ("lower(team) = 'Brazil'", "brazil"),
    ],
)
@pytest.mark.parametrize("select", ["*", "count(*)", "sum(id)"])
def test_a_value_that_no_row_has_names_those_that_are_near(
    engine: SqlEngine, select: str, condition: str, near: str
) -> None:
    note = only(engine, f"select {select} from goals where {condition}", "value")
    assert note["nearest"][0] == near
    assert near in note["message"]


def test_a_value_that_nothing_comes_near(engine: SqlEngine) -> None:
    assert only(engine, "from goals where team = 'Zzyzx'", "value")["nearest"] == []


def test_a_value_that_exists_is_not_the_reason(engine: SqlEngine) -> None:
    assert engine.query("from goals where team = 'Brazil' and id = 1").diagnostics == []


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("select max(x) as m from (values ('9'), ('10')) as v(x)", "max() compares m as text"),
        ("select x from (values ('9'), ('10')) as v(x) order by x desc", "The order compares x as text"),
        (
            "select x, 1 as one from (values ('9%'), ('10%')) as v(x) order by 1",
            "The order compares x as text",
        ),
        ("select max(x) as m from (values (9), (10)) as v(x)", ""),
        ("select max(x) as m from (values ('nine'), ('ten')) as v(x)", ""),
        ("select max(x) as m from (values ('1999'), ('2001')) as v(x)", ""),
        ("select x from (values ('01902'), ('90210')) as v(x) order by x", ""),
        ("select x from (values ('9'), ('10')) as v(x) order by try_cast(x as double)", ""),
        ("select x, n from (values ('9', 1), ('10', 2)) as v(x, n) order by n", ""),
    ],
)
def test_numbers_that_are_compared_as_text_are_warned_of(
    engine: SqlEngine, statement: str, told: str
) -> None:
    found = [d["message"] for d in engine.query(statement).diagnostics if d["kind"] == "text as number"]
    assert [m.split(" (")[0] for m in found] == ([told] if told else [])
