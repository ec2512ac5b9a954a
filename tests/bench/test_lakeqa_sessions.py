"""Recorded sessions, scored against tasks whoever drove them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.bench.gauge_lake import LEVELS, RIVERS, SEAT, TASKS, write_tasks

from headwater.agents import abstain, submit
from headwater.bench.lakeqa import read_task, score_sessions
from headwater.lake import Lake
from headwater.tools import Session, session_folder
from headwater.trace import Trace, new_trace

TASK = [read_task(t) for t in TASKS]


def begin(lake: Lake, question: str) -> Session:
    return Session(lake, new_trace(session_folder(lake), question))


def trace_of(session: Session) -> Trace:
    assert session.trace is not None
    return session.trace


def solve(lake: Lake, answer: str = "[Harlow County]") -> Trace:
    session = begin(lake, f" {TASK[0].question.upper()} ")
    session.call("search", {"query": "gauge level", "also": ["rivers and towns", "Millford seat county"]})
    session.call(
        "sql", {"statement": "select gauge from t('levels_2021.csv') order by level_cm desc limit 1"}
    )
    session.call("sql", {"statement": "select town from t('rivers.csv') where gauge = 'G8'"})
    submit(session, answer, [LEVELS, RIVERS, SEAT])
    return trace_of(session)


def test_a_right_session_has_all_its_evidence(gauge_lake: Lake) -> None:
    found = score_sessions(TASK, [solve(gauge_lake)], gauge_lake)
    (one,) = found["sessions"]
    assert (one["task"], one["status"], one["answer"]) == ("T1", "answered", "[Harlow County]")
    assert one["strict"] and one["lenient"] and one["replays"] and one["bucket"] == "right"
    assert one["calls"] == 3, "the submission is no call"
    assert one["characters"] == sum(
        e["characters"] for e in solve(gauge_lake).events() if e["event"] == "call"
    )
    assert one["evidence"]["acc"] == {"precision": 1.0, "recall": 1.0, "f1": 1.0}
    assert one["evidence"]["ret"]["recall"] == 1.0 > one["evidence"]["ret"]["precision"]
    assert found["without_session"] == ["T2", "T3"]


def test_every_session_of_a_task_is_listed_and_the_task_counts_once(gauge_lake: Lake) -> None:
    traces = [solve(gauge_lake), solve(gauge_lake, "[Harlow]"), solve(gauge_lake, "[Dunn County]")]
    found = score_sessions(TASK, traces, gauge_lake)
    assert [(s["strict"], s["lenient"], s["bucket"]) for s in found["sessions"]] == [
        (True, True, "right"),
        (False, True, "right"),
        (False, False, "analysed but wrong"),
    ]
    totals = found["totals"]
    assert (totals["tasks"], totals["sessions"]) == (1, 3)
    assert (totals["right_strictly"], totals["right_by_variants"]) == (0, 0), "not all its sessions are right"
    assert totals["shares"]["strict"]["value"] == pytest.approx(1 / 3)
    assert totals["median_calls"] == 3


def test_sessions_that_end_without_an_answer(gauge_lake: Lake) -> None:
    unused, opened, gave_up = (begin(gauge_lake, TASK[1].question) for _ in range(3))
    opened.call("read", {"document": SEAT})
    abstain(gave_up, "the bridge")
    other = begin(gauge_lake, "Who painted the ceiling of the town hall?")
    other.call("search", {"query": "ceiling"})
    traces = [trace_of(s) for s in (unused, opened, gave_up, other)]
    found = score_sessions(TASK, traces, gauge_lake)
    assert [(s["status"], s["bucket"], s["replays"]) for s in found["sessions"]] == [
        ("open", "analysed but wrong", False),
        ("abstained", "not retrieved", False),
    ]
    assert (found["unused"], found["unmatched"]) == ([traces[0].id], [traces[3].id])


def test_a_session_may_name_its_task(gauge_lake: Lake) -> None:
    session = begin(gauge_lake, "T3: how many gauges?")
    session.call("sql", {"statement": "select count(*) from t('levels_2020.csv')"})
    submit(session, "10", ["levels_2020.csv"])
    (one,) = score_sessions(TASK, [trace_of(session)])["sessions"]
    assert (one["task"], one["strict"], one["replays"]) == ("T3", True, None), "no lake, no replay"


def test_the_verb(gauge_lake: Lake, gauges: Path, tmp_path: Path) -> None:
    trace = solve(gauge_lake)
    tasks = write_tasks(tmp_path / "tasks.jsonl")
    told = ["bench", "score-sessions", "--tasks", str(tasks), "--lake", str(gauges), trace.id]

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "headwater", *arguments], capture_output=True, text=True, check=False
        )

    result = run(*told)
    assert result.returncode == 0, result.stderr
    assert trace.id in result.stdout and "1 of 3 tasks in 1 sessions: 1 right strictly" in result.stdout
    parsed = json.loads(run("--json", *told).stdout)
    assert (parsed["schema"], parsed["totals"]["replayed"]) == ("headwater.bench.sessions/1", 1)
    assert run(*told[:2]).returncode == 2
