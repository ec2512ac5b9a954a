"""Names that are words of SQL, and what an unreadable or ill-typed statement is told."""

from __future__ import annotations

import pytest

from headwater.errors import UsageError
from headwater.sql import SqlEngine


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        ("select 1 + 1 hours", ["hours"]),
        ("select 1 hour, 2 months, ceil(3.2) left order by months", ["hour", "months", "left"]),
        ("select (select 1) month,\n  'x' end", ["month", "end"]),
        ("select " + ", ".join(f"{i} as c{i}" for i in range(60)) + ", 7 quarter, 8 as z", [None, "quarter"]),
    ],
)
def test_a_name_that_is_a_word_of_sql_is_taken_as_a_name(
    engine: SqlEngine, statement: str, names: list[str | None]
) -> None:
    found = [c.name for c in engine.query(statement).columns]
    assert {n for n in names if n} <= set(found)


@pytest.mark.parametrize(
    ("statement", "place"),
    [
        ("select 1 as a, 2 limit 3 year", "→year"),
        ("select 1 where group by x", "→group"),
        ("select 1 from range(3) where range = = 2", "→= 2"),
        ("select sum(1) over from range(3)", "→from"),
    ],
)
def test_other_mistakes_are_told_with_their_place(engine: SqlEngine, statement: str, place: str) -> None:
    with pytest.raises(UsageError, match="cannot be read") as caught:
        engine.query(statement)
    assert place in caught.value.where


def test_a_text_that_is_taken_for_a_number_is_told_without_a_list_of_functions(engine: SqlEngine) -> None:
    for statement in ("select x * x from (select 'a'::varchar as x)", "select sum('a'::varchar)"):
        with pytest.raises(UsageError) as caught:
            engine.query(statement)
        assert len(caught.value.message) < 200 and "Candidate" not in caught.value.message
        assert "try_cast" in caught.value.hint


def test_a_function_with_too_few_arguments_names_its_forms(engine: SqlEngine) -> None:
    with pytest.raises(UsageError, match="It takes: max_by") as caught:
        engine.query("select max_by(1)")
    assert len(caught.value.message) < 400
