"""A session by the command line: recorded, scored, replayed, and whole after a kill."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.agents.conftest import QUESTION, write_lake
from tests.models.scripted import calls, error, serve

from headwater.ingest import IngestOptions, ingest_lake

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = write_lake(tmp_path_factory.mktemp("session") / "lake")
    ingest_lake(made, options=IngestOptions(workers=1))
    return made


@pytest.fixture
def run(root: Path) -> Run:
    def command(
        *arguments: str, session: str = "", stdin: str = "", **env: str
    ) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "HEADWATER_LAKE": str(root), **env}
        environment.pop("HEADWATER_SESSION", None)
        if session:
            environment["HEADWATER_SESSION"] = session
        return subprocess.run(
            [sys.executable, "-m", "headwater", *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            env=environment,
        )

    return command


def test_a_question_from_search_to_replay(run: Run, tmp_path: Path) -> None:
    session = run("session", "new", QUESTION).stdout.strip()
    found = run("search", "gauge level", "river and town of gauge", session=session)
    assert found.returncode == 0 and "== gauge level" in found.stdout
    assert not set("─│┌\x1b") & set(found.stdout)
    top = "select gauge, level_cm from t('levels_2021.csv') order by 2 desc limit 1"
    rows = run("sql", top, "select town from t('rivers.csv') where gauge = 'G8'", session=session)
    assert "G8 | 655" in rows.stdout and "Millford" in rows.stdout
    bad = run("sql", "select levl from t('levels_2021.csv')", session=session)
    assert bad.returncode == 1 and "level_cm" in bad.stdout
    counted = run("read", "text/*/content.txt", "--find", "seat", session=session)
    assert "Millford/content.txt: 1 time «It is the seat of Harlow County.»" in counted.stdout
    code = run(
        "run-code",
        "--file",
        "rivers.csv",
        session=session,
        stdin="print(open('rivers.csv').read().count('Ashby'))",
    )
    assert code.stdout.strip() == "9"
    as_json = run("search", "gauge", "--json", session=session)
    assert json.loads(as_json.stdout)["hits"]
    given = [
        "[Harlow County]",
        "--source",
        "levels_2021.csv",
        "--source",
        "rivers.csv",
        "--source",
        "Millford/content.txt",
    ]
    submitted = run("submit", *given, "--json", session=session)
    answer = json.loads(submitted.stdout)
    assert (
        submitted.returncode == 0
        and answer["ok"]
        and answer["verification"] == "quoted"
        and not answer["warnings"]
    )
    (tmp_path / "answer.json").write_text(submitted.stdout, "utf-8")
    assert run("replay", str(tmp_path / "answer.json")).returncode == 0
    (tmp_path / "wrong.json").write_text(json.dumps(answer | {"value": "Dunn County"}), "utf-8")
    assert run("replay", str(tmp_path / "wrong.json")).returncode == 1
    shown = run("trace", "show", session).stdout
    for told in (
        "  1. search gauge level",
        "=> [Harlow County] (quoted)",
        "6 calls",
        "1 failed",
        "opened water/rivers/files/rivers.csv",
    ):
        assert told in shown
    figures = json.loads(run("trace", "show", session, "--json").stdout)
    assert figures["tools"] == {"search": 2, "sql": 2, "read": 1, "run_code": 1}
    assert figures["characters"] == sum(
        len(r.stdout.rstrip("\n")) for r in (found, rows, bad, counted, code)
    ) + len(
        json.dumps(
            {k: v for k, v in json.loads(as_json.stdout).items() if k not in ("schema", "ok")},
            ensure_ascii=False,
        )
    )


def test_what_is_wrong_with_a_submission_is_told(run: Run) -> None:
    session = run("session", "new", QUESTION).stdout.strip()
    assert run("submit", "[Nowhere]", "--source", "rivers.csv", session=session).returncode == 3
    assert run("submit", session=session).returncode == 2
    assert run("submit", "[x]").returncode == 2
    assert "Cannot be answered" in run("submit", "--missing", "bridges", session=session).stdout
    assert run("search", "x", session="20000101-000000-aaaaaa").returncode == 1


def test_a_killed_call_leaves_the_trace_whole(run: Run, root: Path) -> None:
    session = run("session", "new", QUESTION).stdout.strip()
    run("search", "gauge level", session=session)
    environment = {**os.environ, "HEADWATER_LAKE": str(root), "HEADWATER_SESSION": session}
    slow = "select count(*) from range(100000) a(i), range(100000) b(j), t('rivers.csv') where i * j % 7 = 3"
    process = subprocess.Popen([sys.executable, "-m", "headwater", "sql", slow], env=environment)
    time.sleep(1.0)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    run("sql", "select count(*) from t('rivers.csv')", session=session)
    events = json.loads(run("trace", "show", session, "--json").stdout)["events"]
    assert [e["event"] for e in events] == ["begin", "call", "call"]


def test_graph_verbs_are_recorded(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text("create table a(id int primary key);", "utf-8")
    session = run("session", "new", QUESTION).stdout.strip()
    seen = run("graph", "export", "--from", str(tmp_path / "a.sql"), "--json", session=session)
    events: list[dict[str, Any]] = json.loads(run("trace", "show", session, "--json").stdout)["events"]
    assert (events[1]["tool"], events[1]["ok"], events[1]["characters"]) == ("graph", True, len(seen.stdout))


def test_the_page_for_agents(run: Run) -> None:
    assert "headwater search" in run("skill").stdout


def test_ask_with_a_model(run: Run, tmp_path: Path) -> None:
    script = [
        calls(("search", {"query": "Millford seat of county"})),
        calls(("submit", {"answer": "[Harlow County]", "sources": ["Millford/content.txt"]})),
    ]
    trace = tmp_path / "out.jsonl"
    with serve(script) as server:
        command = [
            "ask",
            QUESTION,
            "--model",
            "openai:scripted",
            "--base-url",
            server.url,
            "--trace",
            str(trace),
        ]
        seen = run(*command, "--json")
        answer = json.loads(seen.stdout)
        assert (seen.returncode, answer["status"], answer["value"]) == (0, "answered", "Harlow County")
        assert answer["usage"]["calls"] == 2 and answer["trace"] == "out"
        again = json.loads(run(*command, "--json").stdout)
        assert again["value"] == "Harlow County" and len(server.requests) == 2
    with serve(script[:1]) as server:
        limited = run(
            "ask", QUESTION, "--model", "openai:scripted", "--base-url", server.url, "--max-turns", "1"
        )
        assert limited.returncode == 4
    with serve([error(401)]) as server:
        refused = run("ask", QUESTION, "--model", "openai:scripted", "--base-url", server.url)
        assert refused.returncode == 5


def test_a_huge_answer_is_refused(run: Run, tmp_path: Path) -> None:
    huge = tmp_path / "huge.json"
    huge.write_text('{"status": "answered", "text": "' + "x" * 20_000_000 + '"}', encoding="utf-8")
    for told in (run("replay", str(huge)), run("replay", "-", stdin=huge.read_text(encoding="utf-8"))):
        assert told.returncode == 2
        assert "at most 20,000,000 bytes" in told.stderr
