"""A replay confirms no answer whose value the documents do not give, and refuses what is no answer."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from headwater.answers import ask_table, replay
from headwater.answers._origin import unfounded
from headwater.errors import UsageError

ROWS = "name,country,height\nBirch House,Canada,40\nElm Tower,France,120\nOak Hall,France,75\n"

WRITTEN = [
    "select 999",
    "select 999 from {t} limit 1",
    "select case when count(*) > 0 then 999 end from {t}",
    "select if(count(*) > 0, 999, count(*)) from {t}",
    "select count(*) * 0 + 999 from {t}",
    "select count(*) - count(*) + 999 from {t}",
    "select 999 union select 999 from {t}",
    "with made as (select 999 as x) select x from made",
    "select x from {t}, (select 999 as x) limit 1",
    "select x from (values (999)) v(x)",
    "select replace('abc', 'abc', '999') from {t}",
    "select regexp_replace(name, '^.*$', '999') from {t}",
    "select strftime(current_date, '999') from {t}",
    "select * from (select 999 as x)",
    "select coalesce(null, 999) from {t}",
    "select greatest(count(*), 999) from {t}",
    "select min(999) from {t}",
    "select chr(57) || chr(57) || chr(57) from {t} limit 1",
    "select concat('9', '9', '9') from {t} limit 1",
    "select count(*) from range(999)",
    "select count(*) from (select 1 from {t} a, {t} b, {t} c, {t} d, {t} e, {t} f, {t} g limit 999)",
    "select lag(height, 5, 999) over () from {t}",
    "select (select 999) from {t}",
    "select unnest([999])",
    "select length(repeat('x', 999)) from {t} limit 1",
]

HONEST = [
    "select height from {t} where name = 'Elm Tower' order by _row",
    "select count(distinct country) from {t} where height > 999",
    "select round(abs((select max(height) from {t}) - (select min(height) from {t})), 6)",
    "select value from (select country as value, rank() over (order by count(*) desc) as place from {t} "
    "group by country) where place = 1 order by value",
    "select 60 * try_cast(replace(regexp_extract(height, '\\d+', 0), ',', '') as double) from {t}",
    "select name from {t} where _row in (select _row from {t} order by height desc limit 2)",
]


@pytest.fixture
def answer(tmp_path: Path) -> dict[str, Any]:
    path = tmp_path / "houses.csv"
    path.write_text(ROWS, encoding="utf-8")
    told = ask_table("how many houses are in france?", path).to_dict()
    assert told["status"] == "answered" and replay(told).holds
    return told


@pytest.mark.parametrize("statement", WRITTEN)
def test_a_value_that_the_program_writes_itself_does_not_hold(answer: dict[str, Any], statement: str) -> None:
    source = statement.format(t=f"t('{answer['inputs'][0]['document']}')")
    told = {**answer, "value": 999, "text": "999", "program": {"language": "sql", "source": source}}
    assert unfounded(source)
    for evidence in (answer["evidence"], []):
        assert not replay({**told, "evidence": evidence}).holds
        assert not replay({**told, "value": "999", "evidence": evidence}).holds


@pytest.mark.parametrize("statement", HONEST)
def test_a_value_that_flows_from_cells_is_not_doubted(statement: str) -> None:
    assert unfounded(statement.format(t="t('houses.csv')")) == []


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"program": None}, "no quoted passage"),
        ({"program": None, "evidence": []}, "no quoted passage"),
        ({"program": None, "evidence": [], "inputs": []}, "names no input"),
        ({"program": None, "verification": "unverified"}, "no quoted passage"),
        ({"inputs": []}, "names no input"),
        ({"text": "The answer is 99999"}, "says something else"),
        ({"text": ""}, "says something else"),
        ({"text": "2, or rather 3"}, "says something else"),
        ({"value": None}, "was None"),
        ({"value": []}, "was []"),
        ({"program": {"language": "python", "source": "2"}}, "not replayed"),
        ({"program": {"language": "sql", "source": "select 2; select 2"}}, "no single query"),
        (
            {"program": {"language": "sql", "source": "select count(*) from t('other.csv')"}},
            "not among the inputs",
        ),
    ],
)
def test_what_is_not_shown_does_not_hold(answer: dict[str, Any], changed: dict[str, Any], said: str) -> None:
    try:
        result = replay({**answer, **changed})
    except UsageError:
        assert changed.get("value", 1) in (None, [])
        return
    assert not result.holds
    assert any(said in d for d in result.differences)


@pytest.mark.parametrize(
    "changed",
    [
        {"kind": "rumour"},
        {"document": "other.csv"},
        {"quote": "999"},
        {"locator": {"row": 99, "column": "name"}},
    ],
)
def test_evidence_that_cannot_be_confirmed_is_told(answer: dict[str, Any], changed: dict[str, Any]) -> None:
    told = copy.deepcopy(answer)
    told["evidence"][0] |= changed
    assert not replay(told).holds


@pytest.mark.parametrize("sha256", [None, "", "0" * 64])
def test_an_input_without_its_hash_does_not_hold(answer: dict[str, Any], sha256: str | None) -> None:
    told = copy.deepcopy(answer)
    told["inputs"][0]["sha256"] = sha256
    assert any("has changed" in d for d in replay(told).differences)


@pytest.mark.parametrize(
    "field", ["inputs", "program", "evidence", "value", "text", "question", "assumptions"]
)
@pytest.mark.parametrize(
    "given", [5, "x", {}, [None], [[]], {"a": None}, True, float("nan"), [float("inf")], "\ud800", ["\ud800"]]
)
def test_a_field_of_another_form_is_refused_or_does_not_hold(
    answer: dict[str, Any], field: str, given: Any
) -> None:
    try:
        result = replay({**answer, field: given})
    except UsageError as error:
        assert "answer" in error.message
    else:
        assert (
            not result.holds
            or (field == "question" and isinstance(given, str))
            or (field == "assumptions" and isinstance(given, list))
        )
