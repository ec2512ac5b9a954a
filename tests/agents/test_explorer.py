"""The explorer against a scripted server over HTTP: four hops, failures of every kind, budgets, a crash and what follows."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.agents.conftest import QUESTION
from tests.models.scripted import Reply, calls, error, serve, text

from headwater.agents import Budget, explore, replay
from headwater.answers import Answer
from headwater.errors import SetupError
from headwater.lake import Lake
from headwater.models import ClientOptions, Price, RemoteModel
from headwater.trace import Trace, measure, new_trace

SOURCES = ["levels_2021.csv", "rivers.csv", "Millford/content.txt"]
TOP = "select gauge, max(level_cm) m from t('levels_2021.csv') group by 1 order by 2 desc limit 1"
GOOD = calls(("submit", {"answer": "[Harlow County]", "sources": SOURCES}))
HOPS = [
    calls(
        (
            "search",
            {
                "query": "gauge level by year",
                "also": ["river and town of gauge"],
                "notes": {"missing": ["highest gauge"]},
            },
        )
    ),
    calls(("sql", {"statement": TOP, "notes": {"known": ["three yearly tables"], "next": ["the town"]}})),
    calls(("sql", {"statement": "select river, town from t('rivers.csv') where gauge = 'G8'"})),
    calls(
        (
            "read",
            {
                "document": "Millford/content.txt",
                "find": "seat county",
                "notes": {"set_aside": [{"document": "Ashby/content.txt", "reason": "another town"}]},
            },
        )
    ),
    GOOD,
]


def model(url: str, *, price: Price | None = None, timeout: float = 20.0, retries: int = 3) -> RemoteModel:
    return RemoteModel(
        "openai", "scripted", url, price=price, options=ClientOptions(timeout, retries), sleep=lambda _: None
    )


def run(
    lake: Lake, trace: Trace, script: Any, *, budget: Budget | None = None, **more: Any
) -> tuple[Answer, list[dict[str, Any]]]:
    with serve(script) as server:
        answer = explore(lake, QUESTION, model(server.url, **more), trace=trace, budget=budget, second=False)
        return answer, server.requests


def last_told(request: dict[str, Any]) -> str:
    return next(m["content"] for m in reversed(request["messages"]) if m["role"] == "tool")


def test_four_hops_end_in_a_cited_answer(lake: Lake, trace: Trace) -> None:
    answer, requests = run(lake, trace, HOPS)
    assert (answer.status, answer.value, answer.stop_reason) == ("answered", "Harlow County", "answer")
    assert answer.verification == "quoted"
    assert answer.evidence[0].document == "text/Millford/content.txt"
    assert replay(answer.to_dict(), lake).holds
    assert answer.usage["calls"] == 5 and answer.usage["input_tokens"] == 50
    told = measure(trace.events())
    assert set(told.opened) >= {
        "water/gauges/files/levels_2021.csv",
        "water/rivers/files/rivers.csv",
        "text/Millford/content.txt",
    }
    state = requests[-1]["messages"][-1]["content"]
    assert "Set aside: Ashby/content.txt (another town)" in state
    assert "Opened:" in state and "Pending:" in state and "Known: three yearly tables" in state
    assert "For the next hop, joins:" in state and "t('series:" in state


def test_only_one_call_a_round_and_a_series_is_offered(lake: Lake, trace: Trace) -> None:
    both = calls(("search", {"query": "gauge level"}), ("sql", {"statement": TOP}))
    _, requests = run(lake, trace, [both, GOOD])
    assert "Only the first of 2 calls" in last_told(requests[1])
    assert [len(m["tool_calls"]) for m in requests[1]["messages"] if m.get("tool_calls")] == [1]
    assert "t('series:" in last_told(requests[1])


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        (calls(("sql", '{"statement": ')), "not JSON"),
        (calls(("sql", "[1]")), "no JSON object"),
        (calls(("sql", {"statement": "select levl from t('levels_2021.csv')"})), "level_cm"),
        (calls(("sql", {"query": "x"})), "no argument 'query'"),
        (calls(("http_request", {"url": "http://127.0.0.1:9"})), "There is no tool 'http_request'"),
        (calls(("submit", {"answer": "[Dunn County]", "sources": ["nothing.csv"]})), "nothing.csv"),
        (calls(("submit", {"answer": "[Nowhere]", "sources": SOURCES})), "holds Nowhere"),
    ],
)
def test_a_bad_call_is_told_and_the_run_goes_on(lake: Lake, trace: Trace, bad: Reply, told: str) -> None:
    answer, requests = run(lake, trace, [bad, GOOD])
    assert told in last_told(requests[1])
    assert answer.status == "answered"


def test_rate_limits_are_waited_out(lake: Lake, trace: Trace) -> None:
    answer, requests = run(lake, trace, [error(429, retry_after="0"), error(503), GOOD])
    assert answer.status == "answered" and len(requests) == 3
    assert answer.usage["calls"] == 1


def test_a_server_that_keeps_failing_ends_the_run(lake: Lake, trace: Trace) -> None:
    answer, _ = run(lake, trace, [error(500)], retries=1)
    assert (answer.status, answer.stop_reason, answer.value) == ("failed", "error", None)


def test_a_hanging_server_costs_the_time_and_no_more(lake: Lake, trace: Trace) -> None:
    answer, _ = run(lake, trace, [Reply(hang=30)], budget=Budget(seconds=0.6))
    assert (answer.status, answer.stop_reason) == ("failed", "time")


def test_a_wrong_key_is_a_problem_of_set_up(lake: Lake, trace: Trace) -> None:
    with pytest.raises(SetupError):
        run(lake, trace, [error(401)])


def loop(turn: list[int]) -> Callable[[dict[str, Any]], Reply]:
    def reply(_: dict[str, Any]) -> Reply:
        turn[0] += 1
        return calls(("search", {"query": f"gauge {turn[0]}"}))

    return reply


@pytest.mark.parametrize(
    ("budget", "reason", "price"),
    [
        (Budget(turns=3), "turns", None),
        (Budget(tokens=4_000), "tokens", None),
        (Budget(usd=4.11), "money", Price(1.0, 1000.0)),
    ],
)
def test_each_limit_has_its_own_reason(
    lake: Lake, trace: Trace, budget: Budget, reason: str, price: Price | None
) -> None:
    answer, requests = run(lake, trace, loop([0]), budget=budget, price=price)
    assert (answer.status, answer.stop_reason) == ("failed", reason)
    assert answer.found or not requests
    assert measure(trace.events()).stop_reason == reason


def test_a_model_that_only_talks_is_stopped(lake: Lake, trace: Trace) -> None:
    answer, requests = run(lake, trace, [text("I think it is Dunn County.")])
    assert (answer.stop_reason, len(requests)) == ("refused", 3)
    assert "Dunn" not in json.dumps(answer.to_dict())


def test_what_nothing_holds_is_never_given_out(lake: Lake, trace: Trace) -> None:
    answer, _ = run(lake, trace, [calls(("submit", {"answer": "[990 m3]", "sources": SOURCES}))])
    assert (answer.status, answer.stop_reason) == ("failed", "unproven")
    assert "990" not in json.dumps(answer.to_dict())


def test_missing_is_a_normal_result(lake: Lake, trace: Trace) -> None:
    answer, _ = run(lake, trace, [calls(("submit", {"missing": "no table of counties"}))])
    assert (answer.status, answer.missing) == ("abstained", "no table of counties")


def test_a_long_result_is_cut_and_the_context_holds(lake: Lake, trace: Trace) -> None:
    long = "select i, repeat('word ', 60) w, {} k from t('rivers.csv'), range(400) r(i)"
    script = [*(calls(("sql", {"statement": long.format(n)})) for n in range(9)), GOOD]
    answer, requests = run(lake, trace, script, budget=Budget(context=7_000))
    assert answer.status == "answered"
    assert all(len(m["content"]) < 4_600 for r in requests for m in r["messages"] if m["role"] == "tool")
    assert "rows]" in last_told(requests[1])
    assert any("[shortened; whole result: read @r" in (m["content"] or "") for m in requests[-1]["messages"])
    assert len(json.dumps(requests[-1]["messages"])) < 25_000


def test_a_crash_is_gone_on_with_and_nothing_is_paid_twice(lake: Lake, root: Path, tmp_path: Path) -> None:
    trace = new_trace(tmp_path, QUESTION)
    with serve(HOPS) as server:

        class Crashing(RemoteModel):
            def complete(self, request: Any, **more: Any) -> Any:
                if len(server.requests) == 3:
                    raise KeyboardInterrupt
                return super().complete(request, **more)

        with pytest.raises(KeyboardInterrupt):
            explore(lake, QUESTION, Crashing("openai", "scripted", server.url), trace=trace, second=False)
    assert len([e for e in trace.events() if e["event"] == "model"]) == 3
    with trace.path.open("ab") as file:
        file.write(b'{"event": "observ')
    calls_before = measure(trace.events()).calls
    with Lake.find(root) as again, serve(HOPS[3:]) as server:
        answer = explore(again, QUESTION, model(server.url), trace=Trace(trace.path), second=False)
        assert len(server.requests) == 2
    assert answer.status == "answered" and answer.usage["calls"] == 5
    assert measure(trace.events()).calls == calls_before + 1
    with serve([error(500)]) as server:
        told = explore(lake, QUESTION, model(server.url), trace=Trace(trace.path), second=False)
        assert not server.requests
    assert told.value == answer.value and told.evidence == answer.evidence


def test_a_second_derivation_agrees_or_is_told(lake: Lake, tmp_path: Path) -> None:
    question = "How high was the highest level of 2021? Return only the number in the format [Answer]."
    done = calls(("submit", {"answer": "[655]", "sources": ["levels_2021.csv"]}))
    for statement, expected in (
        ("select level_cm from t('levels_2021.csv') order by 1 desc limit 1", "agreed by two"),
        ("select min(level_cm) from t('levels_2021.csv')", "replayed"),
    ):
        trace = new_trace(tmp_path, question)
        script = [calls(("sql", {"statement": TOP})), done, calls(("sql", {"statement": statement}))]
        with serve(script) as server:
            answer = explore(lake, question, model(server.url), trace=trace)
            assert "655" not in server.requests[2]["messages"][0]["content"]
        assert (answer.value, answer.verification) == (655, expected)
        assert any(d["kind"] == "disagreement" for d in answer.diagnostics) is (expected == "replayed")


def test_text_of_documents_is_marked_and_cannot_end_its_mark(lake: Lake, trace: Trace) -> None:
    _, requests = run(lake, trace, [HOPS[3], GOOD])
    told = last_told(requests[1])
    opening, *_, closing = told.splitlines()
    assert (
        opening.startswith("[[data ")
        and "from documents of the lake" in opening
        and closing.startswith("[[end ")
    )
    mark = closing.removeprefix("[[end ").removesuffix("]]")
    assert mark in opening and mark not in "".join(told.splitlines()[1:-1])
    assert "It is data" in requests[0]["messages"][0]["content"]
