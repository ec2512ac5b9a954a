"""What ends a run of the explorer and what a crash costs: time and money over processes, context, distinct reasons."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.models.scripted import Reply, calls, error, serve, text

from headwater.agents import Budget, explore
from headwater.answers import Answer
from headwater.errors import UsageError
from headwater.lake import Lake
from headwater.models import ClientOptions, ModelInfo, Price, RemoteModel
from headwater.trace import Trace, new_trace

QUESTION = "How high was the highest level of 2021? Return only the number in the format [Answer]."
TOP = calls(
    (
        "sql",
        {
            "statement": "select gauge, max(level_cm) m from t('levels_2021.csv') group by 1 order by 2 desc limit 1"
        },
    )
)
DONE = calls(("submit", {"answer": "[655]", "sources": ["levels_2021.csv"]}))
AGAIN = calls(("sql", {"statement": "select level_cm from t('levels_2021.csv') order by 1 desc limit 1"}))


@pytest.fixture
def trace(lake: Lake, tmp_path: Any) -> Trace:
    return new_trace(tmp_path, QUESTION)


def model(url: str, price: Price | None = None, retries: int = 0) -> RemoteModel:
    options = ClientOptions(20.0, retries)
    return RemoteModel("openai", "scripted", url, price=price, options=options, sleep=lambda _: None)


def run(
    lake: Lake,
    trace: Trace,
    script: Any,
    *,
    question: str = QUESTION,
    price: Price | None = None,
    **more: Any,
) -> tuple[Answer, list[dict[str, Any]]]:
    more.setdefault("second", False)
    with serve(script) as server:
        answer = explore(lake, question, model(server.url, price), trace=trace, **more)
        return answer, server.requests


def events(trace: Trace, kind: str) -> list[dict[str, Any]]:
    return [e for e in trace.events() if e["event"] == kind]


def crash_at(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """Let the process end just before an event of this kind would be recorded."""
    whole = Trace.append

    def append(self: Trace, event: str, **fields: Any) -> None:
        if event == kind:
            raise KeyboardInterrupt
        whole(self, event, **fields)

    monkeypatch.setattr(Trace, "append", append)


class TestAfterACrash:
    def crashed(self, lake: Lake, trace: Trace, script: Any, kind: str, **more: Any) -> None:
        with pytest.MonkeyPatch.context() as patch:
            crash_at(patch, kind)
            with pytest.raises(KeyboardInterrupt):
                run(lake, trace, script, **more)

    def test_the_clock_goes_on(self, lake: Lake, trace: Trace) -> None:
        self.crashed(lake, trace, [TOP, DONE], "submit")
        spent = [e["elapsed"] for e in trace.events() if "elapsed" in e]
        assert spent and spent == sorted(spent) and spent[0] > 0
        trace.append("note", text="a long wait", elapsed=1000.0)
        answer, requests = run(lake, trace, [AGAIN], budget=Budget(seconds=900.0, turns=9))
        assert answer.status == "answered" and not requests, "what is paid is used, whatever the time"
        assert answer.usage["seconds"] >= 1000.0

    def test_the_time_that_was_spent_counts(self, lake: Lake, trace: Trace) -> None:
        self.crashed(lake, trace, [TOP], "observation")
        trace.append("note", text="a long wait", elapsed=1000.0)
        answer, requests = run(lake, trace, [DONE], budget=Budget(seconds=900.0))
        assert (answer.stop_reason, len(requests)) == ("time", 0)
        answer, requests = run(lake, trace, [DONE], budget=Budget(seconds=9000.0))
        assert (answer.stop_reason, len(requests)) == ("answer", 1)

    def test_money_and_tokens_that_were_spent_count(self, lake: Lake, trace: Trace) -> None:
        self.crashed(lake, trace, [TOP], "observation", price=Price(1e6, 1e6))
        for budget, reason in (
            (Budget(tokens=16), "tokens"),
            (Budget(usd=16.0), "money"),
            (Budget(turns=1), "turns"),
        ):
            answer, requests = run(lake, trace, [DONE], budget=budget, price=Price(1e6, 1e6))
            assert (answer.stop_reason, len(requests)) == (reason, 0)
            assert answer.usage["usd"] == 15.0

    @pytest.mark.parametrize("kind", ["submit", "end"])
    def test_a_second_derivation_is_not_paid_twice(self, lake: Lake, trace: Trace, kind: str) -> None:
        self.crashed(lake, trace, [TOP, DONE, AGAIN], kind, second=True)
        assert len(events(trace, "model")) == 3
        answer, requests = run(lake, trace, [error(500)], second=True)
        assert not requests
        assert (answer.value, answer.verification, answer.stop_reason) == (655, "agreed by two", "answer")
        assert (answer.usage["calls"], answer.usage["input_tokens"]) == (3, 30)
        assert len(events(trace, "submit")) == len(events(trace, "end")) == 1

    def test_its_cost_is_in_the_answer_and_in_the_record(self, lake: Lake, trace: Trace) -> None:
        answer, _ = run(lake, trace, [TOP, DONE, AGAIN], second=True, price=Price(1e6, 0.0))
        assert (answer.usage["calls"], answer.usage["usd"]) == (3, 30.0)
        [kept] = events(trace, "submit")
        assert kept["record"]["usage"] == answer.usage and kept["record"]["stop_reason"] == "answer"
        assert "as given" in answer.usage["price"]

    def test_what_is_missing_is_recorded_once(self, lake: Lake, trace: Trace) -> None:
        gone = calls(("submit", {"missing": "no levels"}))
        self.crashed(lake, trace, [gone], "end")
        answer, requests = run(lake, trace, [error(500)])
        assert (answer.status, answer.missing, requests) == ("abstained", "no levels", [])
        assert len(events(trace, "submit")) == 1

    def test_a_run_that_met_a_limit_goes_on_under_a_higher_one(self, lake: Lake, trace: Trace) -> None:
        first, _ = run(lake, trace, [TOP], budget=Budget(turns=1))
        answer, requests = run(lake, trace, [DONE], budget=Budget(turns=2))
        assert (first.stop_reason, answer.stop_reason, len(requests)) == ("turns", "answer", 1)


class TestReasons:
    def test_money_without_a_price_is_refused_before_any_call(self, lake: Lake, trace: Trace) -> None:
        with (
            serve([DONE]) as server,
            pytest.raises(UsageError, match="No price of openai:scripted") as caught,
        ):
            explore(lake, QUESTION, model(server.url), trace=trace, budget=Budget(usd=1.0))
        assert server.requests == [] and "--price" in caught.value.hint

    def test_an_error_tells_what_the_provider_said(self, lake: Lake, trace: Trace) -> None:
        answer, _ = run(lake, trace, [error(400, "no such thing as a tool")])
        assert answer.stop_reason == "error"
        assert "no such thing as a tool" in answer.text

    def test_a_reply_that_is_filtered_is_a_refusal(self, lake: Lake, trace: Trace) -> None:
        answer, requests = run(lake, trace, [text("", finish="content_filter")])
        assert (answer.stop_reason, len(requests)) == ("refused", 1)

    def test_the_callers_deadline_is_a_matter_of_time(self, lake: Lake, trace: Trace) -> None:
        answer, requests = run(lake, trace, [DONE], deadline=0.0)
        assert (answer.stop_reason, len(requests)) == ("time", 0)

    @pytest.mark.parametrize(
        "cut", [calls(("sql", '{"statement": "select'), finish="length"), text("Let me", finish="length")]
    )
    def test_a_reply_that_was_cut_off_is_told_so(self, lake: Lake, trace: Trace, cut: Reply) -> None:
        _, requests = run(lake, trace, [cut, TOP, DONE])
        assert "cut off after 4096 tokens" in json.dumps(requests[1]["messages"])

    def test_tokens_that_are_not_told_count_by_estimate(self, lake: Lake, trace: Trace) -> None:
        answer, requests = run(lake, trace, searching(tokens=None), budget=Budget(tokens=20_000))
        assert answer.stop_reason == "tokens" and 1 < len(requests) < 10
        assert answer.usage["input_tokens"] is None


def searching(**more: Any) -> Callable[[dict[str, Any]], Reply]:
    turn = [0]

    def reply(_: dict[str, Any]) -> Reply:
        turn[0] += 1
        return calls(("search", {"query": f"gauge {turn[0]}"}), **more)

    return reply


class TestContext:
    def test_a_question_that_is_too_long_is_told_before_any_call(
        self, lake: Lake, trace: Trace, tmp_path: Any
    ) -> None:
        long = "gauge " * 40_000
        answer, requests = run(lake, new_trace(tmp_path, long), [DONE], question=long)
        assert (answer.status, answer.stop_reason, requests) == ("failed", "context", [])

    def test_requests_keep_to_what_the_model_takes(self, lake: Lake, trace: Trace) -> None:
        class Small(RemoteModel):
            @property
            def info(self) -> ModelInfo:
                return ModelInfo(context=8_000)

        with serve(searching()) as server:
            limits = Budget(turns=8, reply=1_000)
            explore(
                lake, QUESTION, Small("openai", "s", server.url), trace=trace, budget=limits, second=False
            )
            sizes = [len(json.dumps(r["messages"])) for r in server.requests]
        assert len(sizes) == 8 and max(sizes) < 7_000 * 3

    def test_a_request_that_the_provider_finds_too_long_is_made_shorter(
        self, lake: Lake, trace: Trace
    ) -> None:
        longest = 16_000
        long = "select i, repeat('word ', 60) w, {} k from t('rivers.csv'), range(400) r(i)"
        script = [*(calls(("sql", {"statement": long.format(n)})) for n in range(4)), TOP, DONE]
        given = iter(script)

        def reply(body: dict[str, Any]) -> Reply:
            if len(json.dumps(body)) > longest:
                return error(400, "maximum context length is 5000 tokens", "context_length_exceeded")
            return next(given)

        answer, requests = run(lake, trace, reply)
        assert answer.status == "answered"
        assert any(len(json.dumps(r)) > longest for r in requests)
        assert answer.usage["calls"] == len(script) < len(requests)

    def test_one_that_cannot_be_made_shorter_ends_the_run(self, lake: Lake, trace: Trace) -> None:
        answer, requests = run(lake, trace, [error(400, "too long", "context_length_exceeded")])
        assert answer.stop_reason == "context" and len(requests) < 5


NAMES = {"openai": "scripted", "anthropic": "claude-opus-4-8", "google": "gemini-2.5-flash"}


@pytest.mark.parametrize("provider", list(NAMES))
def test_a_run_over_each_format_that_crashes_and_goes_on(lake: Lake, trace: Trace, provider: str) -> None:
    """Thinking that a provider wants back survives the crash; an answer is agreed on by two in the end."""
    thinking = calls(*TOP.said.calls, thought=("which gauge?", "SIGNED")) if TOP.said else TOP

    def made(server: Any) -> RemoteModel:
        url = server.url if provider == "openai" else server.root
        return RemoteModel(provider, NAMES[provider], url, "key", options=ClientOptions(20.0, 0))

    with serve([thinking]) as server, pytest.MonkeyPatch.context() as patch:
        crash_at(patch, "observation")
        with pytest.raises(KeyboardInterrupt):
            explore(lake, QUESTION, made(server), trace=trace)
    with serve([DONE, AGAIN]) as server:
        answer = explore(lake, QUESTION, made(server), trace=trace)
        sent = json.dumps(server.requests[0])
    assert (answer.value, answer.verification, answer.usage["calls"]) == (655, "agreed by two", 3)
    assert answer.usage["input_tokens"] == 30
    assert provider == "openai" or "SIGNED" in sent or "U0lHTkVE" in sent


def test_progress_sees_words_and_rounds(lake: Lake, trace: Trace) -> None:
    class Seen:
        def __init__(self) -> None:
            self.words, self.rounds, self.reasons = "", [], []  # type: ignore[var-annotated]

        def text(self, piece: str) -> None:
            self.words += piece

        def again(self, reason: str) -> None:
            self.reasons.append(reason)

        def round(self, number: int, reply: Any, spending: Any) -> None:
            self.rounds.append((number, reply.usage.input_tokens, spending.usage.input_tokens))

    seen = Seen()
    answer, requests = run(lake, trace, [text("Let me see."), TOP, DONE], progress=seen)
    assert answer.status == "answered"
    assert seen.words == "Let me see." and seen.rounds == [(1, 10, 10), (2, 10, 20), (3, 10, 30)]
    assert all(r["stream"] for r in requests)
