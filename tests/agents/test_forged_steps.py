"""A replay holds submitted steps to what submit asks of them: a value that they write themselves shows nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from headwater.agents import replay, submit
from headwater.errors import UsageError
from headwater.lake import Lake
from headwater.tools import Session

QUESTION = "How high was the highest level?"
TABLE = "levels_2021.csv"


@pytest.fixture
def answer(session: Session) -> dict[str, Any]:
    session.call("sql", {"statement": f"select max(level_cm) as high from t('{TABLE}')"})
    value = session.lake.sql(f"select max(level_cm) from t('{TABLE}')").rows[0][0]
    told = submit(session, f"[{value}]", [TABLE], question=QUESTION).answer.to_dict()
    assert replay(told, session.lake).holds
    return told


@pytest.mark.parametrize(
    "statement",
    [
        f"select 99999 from t('{TABLE}') limit 1",
        f"select 99990 + 9 from t('{TABLE}') limit 1",
        f"select max(level_cm) * 0 + 99990 + 9 from t('{TABLE}')",
        "select 99999",
    ],
)
def test_a_step_that_writes_the_value_shows_nothing(
    answer: dict[str, Any], lake: Lake, statement: str
) -> None:
    source = json.dumps([{"tool": "sql", "arguments": {"statement": statement}}])
    told = {**answer, "value": 99999, "text": "99999", "program": {"language": "steps", "source": source}}
    for evidence in (answer["evidence"], []):
        result = replay({**told, "evidence": evidence}, lake)
        assert any("shows 99999" in d for d in result.differences)


@pytest.mark.parametrize("changed", [{"inputs": []}, {"text": "99999"}, {"value": 99999, "text": "99999"}])
def test_what_steps_do_not_show_does_not_hold(
    answer: dict[str, Any], lake: Lake, changed: dict[str, Any]
) -> None:
    assert not replay({**answer, **changed}, lake).holds


@pytest.mark.parametrize("source", ["{}", "[5]", "[" * 100_000, '[{"tool": "sql"}]', "x"])
def test_steps_of_another_form_are_refused(answer: dict[str, Any], lake: Lake, source: str) -> None:
    with pytest.raises(UsageError):
        replay({**answer, "program": {"language": "steps", "source": source}}, lake)
