"""A run survives whatever ends it, pays nothing twice and keeps to its budgets."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest
from tests.models.scripted import Reply, answer, error, serve, text

from headwater.bench import Limits, Run, RunOptions, continue_run, open_suite, score_run, start_run
from headwater.bench.dwbench import DwBench
from headwater.errors import LimitError, NotFoundError, SetupError, UsageError
from headwater.models import ClientOptions, ModelError, Price, RemoteModel

SUITE = open_suite("dw-bench")
PRICE = Price(100.0, 100.0)


def client(url, **more):
    more.setdefault("options", ClientOptions(timeout=5.0, retries=0))
    return RemoteModel("openai", "scripted", url, price=PRICE, sleep=lambda _: None, **more)


def begin(shop, tmp_path, model, options=RunOptions(), agent="flat", **parameters):  # noqa: B008
    return start_run(SUITE, shop, tmp_path / "run", agent, model, parameters, options)


def test_run_json_tells_what_results_depend_on(shop, tmp_path):
    begin(shop, tmp_path, None, agent="exact", seed=7)
    info = json.loads((tmp_path / "run" / "run.json").read_text())
    assert {k: info[k] for k in ("suite", "agent", "model", "seed", "items")} == {
        "suite": "dw-bench", "agent": "exact", "model": None, "seed": 7, "items": 4,
    }  # fmt: skip
    assert info["versions"]["metrics"]["em_micro"]
    assert info["headwater"]["version"]
    assert info["host"]["cores"] >= 1
    assert len(info["data"]["generation"]) == 16


def test_records_hold_what_the_contract_names(shop, tmp_path):
    made = begin(shop, tmp_path, None, agent="exact")
    continue_run(SUITE, made, None, RunOptions())
    for record in made.records():
        assert {
            "suite",
            "item",
            "repeat",
            "config",
            "prediction",
            "scores",
            "usage",
            "trace",
            "error",
        } <= record.keys()


def test_a_finished_run_does_nothing_more(shop, tmp_path):
    with serve([answer(1)]) as server:
        model = client(server.url)
        made = begin(shop, tmp_path, model)
        continue_run(SUITE, made, model, RunOptions())
        before = (tmp_path / "run" / "items.jsonl").read_bytes()
        outcome = continue_run(SUITE, made, model, RunOptions())
    assert len(server.requests) == 4
    assert (tmp_path / "run" / "items.jsonl").read_bytes() == before
    assert (outcome.done, outcome.usage.calls) == (4, 4)


def test_repeats_are_asked_anew(shop, tmp_path):
    with serve([answer(1)]) as server:
        model = client(server.url)
        made = begin(shop, tmp_path, model, RunOptions(repeats=3))
        outcome = continue_run(SUITE, made, model, RunOptions(concurrency=3))
    assert len(server.requests) == outcome.done == 12
    assert score_run(SUITE, made)["n"] == 4


def test_failed_calls_are_told_apart_and_made_again_on_resume(shop, tmp_path):
    with serve([error(500), answer(1)]) as server:
        model = client(server.url)
        made = begin(shop, tmp_path, model)
        first = continue_run(SUITE, made, model, RunOptions())
        assert first.failed == 1
        assert score_run(SUITE, made)["failures"]["api_failure"] == 1
        second = continue_run(SUITE, made, model, RunOptions())
    assert second.failed == 0
    assert len(server.requests) == 5
    assert [r["attempt"] for r in made.records() if r["item"] == "shop_1"] == [1, 2]


def test_what_an_attempt_paid_before_it_failed_is_not_paid_again(shop, tmp_path):
    script = [text("```python\nresult = 1\n```"), error(500)] + [answer(["stg_orders"])] * 10
    with serve(script) as server:
        model = client(server.url)
        made = begin(shop, tmp_path, model, RunOptions(limit=1), agent="code")
        continue_run(SUITE, made, model, RunOptions())
        outcome = continue_run(SUITE, made, model, RunOptions())
    records = list(made.records())
    assert len(server.requests) == 3  # the first round is reused
    assert (records[1]["reused"], records[1]["usage"]["calls"]) == (1, 1)
    assert outcome.usage.calls == 2  # the sum over attempts; the failed call had no usage
    assert outcome.usage.input_tokens == 20


def test_ten_failures_in_a_row_stop_the_run(shop, tmp_path):
    with serve([error(500)]) as server:
        model = client(server.url)
        made = begin(shop, tmp_path, model, RunOptions(repeats=5))
        outcome = continue_run(SUITE, made, model, RunOptions())
    assert isinstance(outcome.stopped, ModelError)
    assert len(server.requests) == 10


def test_a_refused_key_stops_at_once(shop, tmp_path):
    with serve([error(401)]) as server:
        model = client(server.url)
        made = begin(shop, tmp_path, model)
        outcome = continue_run(SUITE, made, model, RunOptions())
    assert isinstance(outcome.stopped, SetupError)
    assert (len(server.requests), outcome.done) == (1, 0)


def test_a_defect_in_one_item_costs_that_item(shop, tmp_path, monkeypatch):
    made = begin(shop, tmp_path, None, agent="exact")

    class Broken:
        def __init__(self, inner):
            self.inner = inner

        def answer(self, item, *args, **more):
            if item.id == "shop_2":
                raise RuntimeError("boom")
            return self.inner.answer(item, *args, **more)

    agent = DwBench.agent
    monkeypatch.setattr(DwBench, "agent", lambda self, name, setup: Broken(agent(self, name, setup)))
    outcome = continue_run(SUITE, made, None, RunOptions())
    assert (outcome.done, outcome.failed) == (4, 1)
    assert score_run(SUITE, made)["failures"] == {"internal": 1}


class TestBudgets:
    """Before a call is made, the most it can cost is set aside."""

    def test_tokens_of_the_run(self, shop, tmp_path):
        with serve([answer(1, tokens=(200, 100))]) as server:
            model = client(server.url)
            made = begin(shop, tmp_path, model, max_tokens=100)
            outcome = continue_run(SUITE, made, model, RunOptions(per_run=Limits(tokens=900), concurrency=4))
        assert isinstance(outcome.stopped, LimitError)
        assert outcome.usage.input_tokens + outcome.usage.output_tokens <= 900
        assert outcome.done == outcome.usage.calls == len(server.requests)
        assert 1 <= outcome.done <= 3

    def test_money_persists_over_sessions(self, shop, tmp_path):
        # A call costs 400 tokens at 100 USD per million, which is 0.04, and half as much again at the most.
        limits = RunOptions(per_run=Limits(usd=0.2))
        with serve([text("{}", tokens=(400, 0))]) as server:
            model = client(server.url)
            made = begin(shop, tmp_path, model, RunOptions(repeats=3), max_tokens=100)
            sessions = [continue_run(SUITE, made, model, limits) for _ in range(3)]
        assert all(isinstance(s.stopped, LimitError) for s in sessions)
        assert sessions[0].usage.usd == sessions[2].usage.usd <= 0.2
        assert len(server.requests) == sessions[0].usage.calls < 12

    def test_of_an_item(self, shop, tmp_path):
        with serve([text("```python\nresult = 1\n```", tokens=(400, 100))]) as server:
            model = client(server.url)
            made = begin(shop, tmp_path, model, agent="code", max_tokens=100)
            outcome = continue_run(SUITE, made, model, RunOptions(per_item=Limits(tokens=1700)))
        assert outcome.stopped is None
        assert {r["status"] for r in made.records()} == {"limit"}
        assert 4 <= len(server.requests) < 4 * 6

    def test_time_of_an_item(self, shop, tmp_path):
        with serve([Reply(hang=20)]) as server:
            model = client(server.url)
            made = begin(shop, tmp_path, model, RunOptions(limit=1))
            started = time.monotonic()
            continue_run(SUITE, made, model, RunOptions(per_item=Limits(seconds=0.3)))
        assert time.monotonic() - started < 10
        assert [r["status"] for r in made.records()] != ["answered"]

    def test_money_without_a_price_is_refused(self, shop, tmp_path):
        with serve([answer(1)]) as server:
            model = RemoteModel("openai", "scripted", server.url)
            made = begin(shop, tmp_path, model)
            continue_run(SUITE, made, model, RunOptions(per_run=Limits(usd=1.0)))
        assert server.requests == []
        assert all("price" in r["error"]["message"] for r in made.records())

    def test_limits_of_the_run_stay_in_force(self, shop, tmp_path):
        with serve([answer(1)]) as server:
            model = client(server.url)
            made = begin(shop, tmp_path, model, RunOptions(per_run=Limits(tokens=1)))
            assert isinstance(continue_run(SUITE, made, model, RunOptions()).stopped, LimitError)
            raised = continue_run(SUITE, made, model, RunOptions(per_run=Limits(tokens=10**9)))
        assert raised.done == 4


class TestKill:
    def command(self, shop, tmp_path, url, *more):
        base = [sys.executable, "-m", "headwater", "bench", "run"]
        flags = ["--model", "openai:scripted", "--base-url", url, "--concurrency", "2", *more]
        return [*base, "dw-bench", str(shop), "--agent", "flat", "--out", str(tmp_path / "run"), *flags]

    def wait_for(self, condition):
        deadline = time.monotonic() + 30
        while not condition() and time.monotonic() < deadline:
            time.sleep(0.02)
        assert condition()

    @pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
    def test_killed_and_resumed(self, shop, tmp_path, how):
        turn = {"n": 0}

        def script(body):
            turn["n"] += 1
            return answer(1) if turn["n"] <= 2 or turn.get("fast") else replace(answer(1), hang=60)

        items = tmp_path / "run" / "items.jsonl"
        with serve(script) as server:
            owner = subprocess.Popen(
                self.command(shop, tmp_path, server.url),
                stderr=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                text=True,
            )
            self.wait_for(
                lambda: items.exists() and items.read_bytes().count(b"\n") == 2 and len(server.requests) == 4
            )
            before = items.read_bytes()
            owner.send_signal(how)
            told = owner.communicate(timeout=30)[1]
            turn["fast"] = True
            resumed = [
                sys.executable,
                "-m",
                "headwater",
                "bench",
                "run",
                "--resume",
                str(tmp_path / "run"),
                "--json",
            ]
            done = subprocess.run(
                resumed,
                capture_output=True,
                text=True,
                check=True,
                env=os.environ | {"HEADWATER_BENCH_RETRIES": "0"},
            )
        reply = json.loads(done.stdout)
        assert items.read_bytes().startswith(before)
        assert (reply["done"], reply["failed"], reply["usage"]["calls"]) == (4, 0, 4)
        assert len(server.requests) == 6  # two that hung were never answered
        if how == signal.SIGINT:
            assert owner.returncode == 130
            assert f"headwater bench run --resume {tmp_path / 'run'}" in told

    def test_a_torn_line_is_kept_and_passed_over(self, shop, tmp_path):
        made = begin(shop, tmp_path, None, agent="exact")
        continue_run(SUITE, made, None, RunOptions())
        path = tmp_path / "run" / "items.jsonl"
        torn = path.read_bytes()[:-30]
        path.write_bytes(torn)
        outcome = continue_run(SUITE, made, None, RunOptions())
        assert outcome.done == 4
        assert path.read_bytes().startswith(torn + b"\n")

    def test_one_process_at_a_time(self, shop, tmp_path):
        made = begin(shop, tmp_path, None, agent="exact")
        with made.writing({}), pytest.raises(LimitError, match="Another process"):
            continue_run(SUITE, Run(tmp_path / "run"), None, RunOptions())


class TestBadInput:
    def test_unknown_agent_suite_and_missing_model(self, shop, tmp_path):
        with pytest.raises(UsageError, match="no agent"):
            begin(shop, tmp_path, None, agent="nobody")
        with pytest.raises(UsageError, match="calls a model"):
            begin(shop, tmp_path, None, agent="tools")
        with pytest.raises(UsageError, match="no suite"):
            open_suite("nothing")

    def test_folders(self, shop, tmp_path):
        begin(shop, tmp_path, None, agent="exact")
        with pytest.raises(UsageError, match="not empty"):
            begin(shop, tmp_path, None, agent="exact")
        with pytest.raises(NotFoundError):
            Run(tmp_path / "nothing")

    def test_bad_lines_are_told_and_the_rest_runs(self, shop, tmp_path):
        path = shop / "shop" / "questions.jsonl"
        good = path.read_text()
        bad = [
            "{broken", "[1]", '{"id": "x"}',
            good.splitlines()[0].replace("shop_1", "shop_9").replace('"list"', '"integer"'),
            good.splitlines()[1].replace("FactOrder", "DimItem"),
        ]  # fmt: skip
        path.write_text(good + "\n".join(bad) + "\n")
        made = begin(shop, tmp_path, None, agent="exact")
        told = made.info["problems"]
        assert made.info["items"] == 4
        assert [p["where"] for p in told] == [f"questions.jsonl, line {n}" for n in (5, 6, 7, 8, 9)] or len(
            told
        ) == 5

    def test_a_dataset_without_schema_is_told(self, shop, tmp_path):
        (shop / "shop" / "schema.json").unlink()
        loaded = SUITE.load(shop)
        assert len(loaded.items) == 4
        assert any("no schema" in p.message for p in loaded.problems)
