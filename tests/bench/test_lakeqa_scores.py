"""Scores of LakeQA: gold is perfect, buckets exclude each other, figures that compare with the leaderboard."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.bench.gauge_lake import TASKS, write_tasks
from tests.models.scripted import Reply, serve, text

from headwater.bench import Prediction, Run, RunOptions, open_suite, score_run, start_run, write_report
from headwater.bench.lakeqa import Task, judge_run, leaderboard, load_tasks, read_task
from headwater.bench.lakeqa._evidence import files_of
from headwater.bench.lakeqa._judge import decide
from headwater.bench.lakeqa._scoring import scores
from headwater.errors import LimitError, UsageError
from headwater.models import ClientOptions, Price, open_model
from headwater.trace import BUCKETS

SUITE = open_suite("lakeqa")
TASK = read_task(TASKS[0])


def figures(task: Task, **more: Any) -> dict[str, Any]:
    """What a prediction keeps of a trace that found and opened just the gold."""
    gold, datasets = list(task.documents), list(task.datasets)
    return {
        "retrieved": gold, "opened": gold, "analysed": gold, "retrieved_datasets": datasets, "opened_datasets": datasets,
        "calls": 3, "characters": 900, "seconds": 2.0, "usd": 0.25, "stop_reason": "answer", "replays": True, **more,
    }  # fmt: skip


def gold(task: Task, **more: Any) -> Prediction:
    return Prediction("answered", str(task.answer), "", [figures(task, **more)])


def test_gold_as_prediction_is_perfect() -> None:
    for task in map(read_task, TASKS):
        told = scores(task, gold(task))
        perfect = {n: v for n, v in told.items() if n not in ("calls", "characters", "seconds", "usd")}
        wrong = {n for n, v in perfect.items() if v != 1.0}
        assert wrong == {"stopped", "bucket_1", "bucket_2", "bucket_3", "bucket_4"}


@pytest.mark.handed
def test_gold_as_prediction_is_perfect_on_the_handed_tasks(handed: Path) -> None:
    tasks, _ = load_tasks(handed.parent / "lake-tasks" / "dev.jsonl")
    told = {t.id: scores(t, gold(t)) for t in tasks}
    for name in ("em_uncleaned", "strict", "lenient", "ret_f1", "acc_f1", "ret_dataset_f1", "acc_dataset_f1"):
        assert {s[name] for s in told.values()} == {1.0}, name
    # The harness's cleaning keeps the only number of "January 1776", "13486.38, Detroit" and the like.
    assert {i for i, s in told.items() if s["em"] != 1.0} == {"HWL-D005", "HWL-D015", "HWL-D021"}
    with_equivalents = [
        (
            t,
            Prediction(
                "answered",
                t.answer,
                "",
                [figures(t, opened=[t.equivalent.get(d, (d,))[0] for d in t.documents])],
            ),
        )
        for t in tasks
    ]
    assert {scores(t, p)["acc_recall"] for t, p in with_equivalents} == {1.0}


def test_nothing_scores_nothing() -> None:
    told = scores(TASK, None)
    assert {n for n, v in told.items() if v} == {"bucket_1"}
    assert not {"seconds", "usd", "calls", "characters", "replays", "judge"} & told.keys()
    assert (
        scores(TASK, Prediction("abstained", None, "", [figures(TASK, stop_reason="time")]))["stopped"] == 1.0
    )


def test_buckets_exclude_each_other() -> None:
    document, dataset = [TASK.documents[0]], [TASK.datasets[0]]
    for picked in itertools.product((0, 1), repeat=5):
        retrieved, opened, analysed, sets, right = picked
        prediction = Prediction(
            "answered", TASK.answer if right else "wrong", "",
            [{
                "retrieved": document * retrieved, "opened": document * opened, "analysed": document * analysed,
                "retrieved_datasets": dataset * sets, "opened_datasets": [],
            }],
        )  # fmt: skip
        told = scores(TASK, prediction)
        came = [n for n, name in enumerate(BUCKETS) if told[f"bucket_{n}"]]
        expected = 0 if right else 4 if analysed else 3 if opened else 2 if retrieved or sets else 1
        assert came == [expected], picked


def test_another_file_of_a_gold_dataset_is_no_gold_file() -> None:
    other = figures(TASK, opened=["water/gauges/files/other.csv"], analysed=["water/gauges/files/other.csv"])
    told = scores(TASK, Prediction("answered", "wrong", "", [other]))
    assert told["bucket_2"] == 1.0 and told["acc_recall"] == 0.0 and told["acc_dataset_recall"] == 1.0


def test_tables_and_members_count_as_their_file() -> None:
    task = read_task(TASKS[0] | {"gold_documents": ["a/b/x.zip", "a/b/odd!name#1.csv"]})
    found = files_of(
        task,
        ["a/b/x.zip!in/y.csv", "a/b/x.zip!z.csv#t", "a/b/odd!name#1.csv", "a/b/q.zip!m.csv", "a/b/w.xlsx#s"],
    )
    assert found == ["a/b/x.zip", "a/b/odd!name#1.csv", "a/b/q.zip!m.csv", "a/b/w.xlsx"]


def made_run(tmp_path: Path, name: str, values: dict[str, Prediction | None]) -> Run:
    """A run whose items have these predictions."""
    source = write_tasks(tmp_path / "tasks.jsonl")
    run = start_run(SUITE, source, tmp_path / name, "exact", None, {"seed": 1}, RunOptions())
    with run.writing({}):
        for item, prediction in values.items():
            run.add(
                {
                    "item": item, "repeat": 0, "config": run.info["config"], "attempt": 1, "usage": {},
                    "status": prediction.status if prediction else "failed",
                    "prediction": prediction.value if prediction else None,
                    "trace": list(prediction.trace) if prediction else [], "seconds": 1.0,
                    "error": None if prediction else {"kind": "internal", "message": "x"},
                }
            )  # fmt: skip
    return run


def some_run(tmp_path: Path, name: str = "run") -> Run:
    tasks = [read_task(t) for t in TASKS]
    wrong = Prediction(
        "answered", "[Harlow]", "", [figures(tasks[0], opened=[], analysed=[], seconds=4.0, usd=None)]
    )
    return made_run(tmp_path, name, {"T1": wrong, "T2": gold(tasks[1]), "T3": None})


def test_a_run_is_scored_from_its_records(tmp_path: Path) -> None:
    told = score_run(SUITE, some_run(tmp_path))
    metrics = {n: f["value"] for n, f in told["metrics"].items()}
    assert metrics["em"] == pytest.approx(1 / 3) and metrics["lenient"] == pytest.approx(2 / 3)
    assert metrics["acc_recall"] == pytest.approx(1 / 3) and metrics["ret_recall"] == pytest.approx(2 / 3)
    assert (metrics["seconds"], metrics["usd"]) == (3.0, 0.25), "means over what is known"
    assert told["failures"] == {"internal": 1, "bucket: right": 2, "bucket: not retrieved": 1}
    assert told["by"]["documents"]["1-8"]["n"] == 3
    assert told["metrics"]["em"]["low"] <= metrics["em"] <= told["metrics"]["em"]["high"]


def test_rows_of_the_leaderboard(tmp_path: Path) -> None:
    one, two = some_run(tmp_path), made_run(tmp_path, "none", {"T1": None, "T2": None, "T3": None})
    scored = [(r.folder.name, "2026-06", score_run(SUITE, r)) for r in (two, one)]
    rows = leaderboard(scored, source="https://example.org/traces")
    assert [list(r) for r in rows][0] == [
        "rank", "model", "em", "runtime_s", "cost_usd", "dacc_p", "dacc_r", "dacc_f1", "dret_p", "dret_r", "dret_f1",
        "reported", "source", "notes",
    ]  # fmt: skip
    assert [(r["rank"], r["model"], r["em"], r["runtime_s"]) for r in rows] == [
        (1, "run", 33.33, 3.0),
        (2, "none", 0.0, None),
    ]
    assert rows[0]["dret_r"] == 66.67


def test_the_report_sets_runs_beside_both_leaderboards(tmp_path: Path) -> None:
    markdown = write_report([some_run(tmp_path)], tmp_path / "out")[1].read_text(encoding="utf-8")
    assert (
        "| Claude Sonnet 4.5 | 32.87 | 159.02 | 1.42 | 23.39 | 13.04 | 15.69 | 1.41 | 42.36 | 2.64 |"
        in markdown
    )
    assert "full, 1007 tasks" in markdown and "mini, 135 tasks" in markdown
    assert markdown.count("| exact (this report) | 33.33 | 3.00 | 0.25 |") == 2
    assert "3 s (2 s to 4 s)" in markdown


# --- the judge


def verdict(**more: Any) -> Reply:
    told = {
        "type": "entity",
        "meaning": True,
        "format": True,
        "numbers": True,
        "passes": True,
        "reason": "scripted",
    }
    return text(json.dumps(told | more), tokens=(100, 10))


@pytest.mark.parametrize(
    ("told", "answer", "reference", "passes"),
    [
        ({}, "Harlow", "Harlow County", True),
        ({"meaning": False}, "Harlow", "Harlow County", False),
        ({"format": False}, "Harlow", "Harlow County", False),
        ({"passes": False}, "Harlow", "Harlow County", False),
        ({"type": "number"}, "1,234", "1234", True),
        ({"type": "number", "passes": False, "meaning": False}, "[1 234 tons]", "1,234", True),  # overruled
        ({"type": "number"}, "1230", "1234", False),  # overruled
        ({"type": "number"}, "1.2 thousand", "1200", False),
        ({"type": "number"}, "10 to 12", "12", False),
        ({"type": "other"}, "13", "12", False),  # the reference is a number whatever the judge calls it
        ({"type": "number", "format": False}, "12", "12", False),
        ({"type": "number"}, "none", "12", False),
    ],
)
def test_numbers_are_checked_again(told: dict[str, Any], answer: str, reference: str, passes: bool) -> None:
    whole = {"type": "entity", "meaning": True, "format": True, "numbers": True, "passes": True} | told
    assert decide(whole, answer, reference) == (passes, passes != whole["passes"])


def test_judging_goes_on_where_it_was_and_keeps_its_cost_apart(tmp_path: Path) -> None:
    run = some_run(tmp_path)
    bad = text("no JSON", tokens=(100, 10))
    with serve([verdict(), bad, bad, verdict(type="date")]) as server:
        model = open_model(
            "openai:judge", base_url=server.url, price=Price(10.0, 10.0), options=ClientOptions(5.0, 0)
        )
        first = judge_run(SUITE, run, model)
        assert (first["judged"], first["unreadable"], first["usage"]["calls"]) == (1, 1, 3), (
            "T3 has no answer"
        )
        again = judge_run(SUITE, run, model)
        assert len(server.requests) == 4, "only the unreadable verdict is asked for again"
        assert "not JSON" in json.dumps(server.requests[2]["messages"]), "after one round of repair"
        with pytest.raises(LimitError):
            (run.folder / "judge.jsonl").rename(tmp_path / "old.jsonl")
            judge_run(SUITE, run, model, max_usd=0.000001)
        (tmp_path / "old.jsonl").rename(run.folder / "judge.jsonl")
        sent = server.requests[0]["messages"][1]["content"]
        assert json.loads(sent) == {
            "question": TASK.question,
            "reference": "Harlow County",
            "answer": "[Harlow]",
        }
    assert (again["judged"], again["passed"], again["usage"]["usd"]) == (
        2,
        2,
        pytest.approx(4 * 110 * 10 / 1e6),
    )
    told = score_run(SUITE, run)
    assert told["metrics"]["judge"]["value"] == pytest.approx(2 / 3), "the empty answer fails without a call"
    assert told["usage"]["calls"] == 0, "the judge is no cost of the run"


def test_a_limit_of_money_needs_a_price(tmp_path: Path) -> None:
    with serve([verdict()]) as server, pytest.raises(UsageError, match="price"):
        model = open_model("openai:judge", base_url=server.url, options=ClientOptions(5.0, 0))
        judge_run(SUITE, some_run(tmp_path), model, max_usd=1.0)
    assert server.requests == []


def test_the_verbs(tmp_path: Path) -> None:
    run = some_run(tmp_path)

    def told(*arguments: str) -> dict[str, Any]:
        done = subprocess.run(
            [sys.executable, "-m", "headwater", "bench", *arguments, "--json"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    out = tmp_path / "rows.json"
    rows = told("leaderboard", str(run.folder), "--source", "https://example.org", "--out", str(out))["rows"]
    assert json.loads(out.read_text()) == rows and rows[0]["source"] == "https://example.org"
    with serve([verdict()]) as server:
        judged = told(
            "judge", str(run.folder), "--model", "openai:judge", "--base-url", server.url, "--price", "1,1"
        )
    assert (judged["schema"], judged["judged"], judged["passed"]) == ("headwater.bench.judge/1", 2, 2)
    assert told("score", str(run.folder))["metrics"]["judge"]["n"] == 3
