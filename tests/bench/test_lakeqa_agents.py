"""LakeQA's conditions against a scripted server over real HTTP. Its replies are a script, never results."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.agents.conftest import write_lake
from tests.bench.gauge_lake import LEVELS, RIVERS, SEAT, TASKS, write_tasks
from tests.models.scripted import Reply, calls, error, serve, text

from headwater.bench import Limits, Outcome, Run, RunOptions, continue_run, open_suite, score_run, start_run
from headwater.bench.lakeqa._loop import HEAD, TAIL, cut, used_in
from headwater.errors import SetupError, UsageError
from headwater.ingest import IngestOptions, ingest_lake
from headwater.lake import Lake
from headwater.models import ClientOptions, open_model

SUITE = open_suite("lakeqa")
SUBMIT = calls(("submit_answer", {"answer": "[1771]"}))
SEAT_FILE = {"dataset_id": "Millford", "file_path": "content.txt"}


def run_with(
    server: Any,
    lake: Lake,
    folder: Path,
    agent: str,
    *,
    tasks: list[dict[str, Any]] = TASKS[1:2],
    options: RunOptions = RunOptions(),  # noqa: B008
    **parameters: Any,
) -> tuple[Run, Outcome]:
    """Run an agent over tasks, from the start or where the folder left off."""
    model = (
        open_model("openai:scripted", base_url=server.url, options=ClientOptions(20.0, 0)) if server else None
    )
    if (folder / "run.json").exists():
        made = Run(folder)
    else:
        source = write_tasks(folder.parent / "tasks.jsonl", tasks)
        made = start_run(
            SUITE, source, folder, agent, model, SUITE.settle(agent, parameters, source, lake), options
        )
    return made, continue_run(SUITE, made, model, options)


def scores_of(run: Run) -> dict[str, float]:
    return {name: figure["value"] for name, figure in score_run(SUITE, run)["metrics"].items()}


def kept(run: Run) -> dict[str, Any]:
    (record,) = [r for r in run.records() if r["status"] in ("answered", "abstained")]
    return record["trace"][0] | {"status": record["status"], "answer": record["prediction"]}


def test_the_papers_loop(gauge_lake: Lake, tmp_path: Path) -> None:
    script = [
        calls(("search_keyword", {"keywords": ["Millford"]}), ("submit_answer", {"answer": "[1]"})),
        text("I should look at the files."),
        calls(("list_files", {"dataset_ids": ["Millford", "nowhere"]})),
        calls(("inspect_file", "{no JSON")),
        calls(("inspect_file", {"dataset_id": "Millford"})),
        calls(("nosuch", {})),
        calls(("inspect_file", SEAT_FILE)),
        calls(("download", {"files": [SEAT_FILE]})),
        SUBMIT,
    ]
    with serve(script) as server:
        run, outcome = run_with(server, gauge_lake, tmp_path / "run", "paper", rounds=10, forced=2)
    told, figures = scores_of(run), kept(run)
    assert (outcome.done, outcome.failed, figures["answer"]) == (1, 0, "[1771]")
    assert told["em"] == told["ret_dataset_recall"] == told["acc_recall"] == told["acc_dataset_f1"] == 1.0
    assert figures["retrieved_datasets"] == ["text/Millford"]
    assert figures["retrieved"] == [SEAT], "a listing brings up files, a search for names only datasets"
    assert (figures["calls"], figures["stop_reason"], figures["replays"]) == (7, "answer", None)
    sent = [r["messages"] for r in server.requests]
    assert len(sent) == 9 and [len(m) for m in sent] == list(range(2, 19, 2)), "the whole history each time"
    first = sent[1][2]["tool_calls"]
    assert [c["function"]["name"] for c in first] == ["search_keyword"], "one call a round"
    assert "no tool" in sent[2][-1]["content"]
    results = [json.loads(m["content"].splitlines()[0]) for m in sent[-1] if m["role"] == "tool"]
    assert "unknown" in results[1]["datasets"]["nowhere"]["error"]
    assert ["error" in r for r in results] == [False, False, True, True, True, False, False]
    assert "9 rounds and 4" in sent[1][-1]["content"] and "2 rounds" in sent[-1][-1]["content"]
    assert [r["tool_choice"] for r in server.requests] == ["auto"] * 8 + ["required"], (
        "forced in the last rounds"
    )
    names = {t["function"]["name"] for t in server.requests[0]["tools"]}
    assert len(names) == 8 and "retrieve" not in names
    assert not list((tmp_path / "run" / "work").glob("*.sandbox")), "the sandbox is deleted"


def test_code_over_downloads(gauge_lake: Lake, tmp_path: Path) -> None:
    code = "print(re.search(r'built in (\\d+)', Path('Millford/content.txt').read_text())[1])"
    script = [calls(("download", {"files": [SEAT_FILE]})), calls(("execute_code", {"code": code})), SUBMIT]
    with serve(script) as server:
        run, _ = run_with(server, gauge_lake, tmp_path / "run", "paper")
    assert '"output": "1771\\n"' in server.requests[2]["messages"][-1]["content"]
    assert kept(run)["analysed"] == [SEAT]


def test_used_in_code() -> None:
    held = {f: f"water/{f}" for f in ("gauges/files/one.csv", "gauges/files/two.csv", "rivers/three.csv")}
    assert used_in("open('gauges/files/one.csv')", held) == ["water/gauges/files/one.csv"]
    assert used_in("glob.glob('gauges/files/*')", held) == [
        "water/gauges/files/one.csv",
        "water/gauges/files/two.csv",
    ]
    assert used_in("print(1)", held) == []


def test_results_are_cut_as_the_harness_cuts() -> None:
    assert cut("x" * 4_000) == "x" * 4_000
    long = cut("a" * 5_000 + "b" * 5_000)
    assert (
        long.startswith("a" * HEAD + "\n") and long.endswith("\n" + "b" * TAIL) and "6,500 of 10,000" in long
    )


@pytest.mark.parametrize(
    ("parameters", "stop", "asked"),
    [({"rounds": 3, "forced": 1}, "rounds", 3), ({"seconds": 0.0}, "time", 0)],
)
def test_limits_score_as_empty(
    gauge_lake: Lake, tmp_path: Path, parameters: dict[str, Any], stop: str, asked: int
) -> None:
    with serve([calls(("search_keyword", {"keywords": ["Millford"]}))]) as server:
        run, outcome = run_with(server, gauge_lake, tmp_path / "run", "paper", **parameters)
    assert (kept(run)["stop_reason"], kept(run)["answer"], len(server.requests)) == (stop, None, asked)
    assert scores_of(run)["em"] == 0.0 and outcome.stopped is None
    assert score_run(SUITE, run)["failures"]["stopped by a limit"] == 1


def test_a_hanging_server_ends_by_the_clock(gauge_lake: Lake, tmp_path: Path) -> None:
    with serve([Reply(hang=60.0)]) as server:
        run, _ = run_with(server, gauge_lake, tmp_path / "run", "paper", seconds=0.5)
    assert {r["status"] for r in run.records()} <= {"abstained", "failed"}
    assert scores_of(run)["em"] == 0.0


@pytest.mark.parametrize("agent", ["paper-bm25", "paper-hybrid"])
def test_the_retriever(gauge_lake: Lake, tmp_path: Path, agent: str) -> None:
    script = [calls(("retrieve", {"query": "bridge of a market town", "k": 3})), SUBMIT]
    with serve(script) as server:
        run, _ = run_with(server, gauge_lake, tmp_path / "run", agent)
    found = json.loads(server.requests[1]["messages"][-1]["content"].splitlines()[0])
    assert {k: found["results"][0][k] for k in SEAT_FILE} == SEAT_FILE and found["count"] <= 3
    assert "bridge was built in 1771" in found["results"][0]["text"]
    assert kept(run)["retrieved"][0] == SEAT and scores_of(run)["ret_recall"] == 1.0
    told = run.info["parameters"]["retriever"]
    assert (told["words"], told["window"], told["overlap"]) == (10_000, 800, 100)
    hybrid = {"embedder": "static", "vector_weight": 0.7, "rank_constant": 60.0}
    assert ({k: told[k] for k in hybrid} == hybrid) if agent == "paper-hybrid" else "embedder" not in told
    assert len(list((run.folder / "work").glob("windows-*"))) == 1


def test_windows_hold_rows_of_tables(gauge_lake: Lake, tmp_path: Path) -> None:
    script = [calls(("retrieve", {"query": '"River 8"'})), SUBMIT]
    with serve(script) as server:
        run_with(server, gauge_lake, tmp_path / "run", "paper-bm25")
    found = json.loads(server.requests[1]["messages"][-1]["content"].splitlines()[0])
    assert [r["file_path"] for r in found["results"]] == ["files/rivers.csv"]


def test_bounds(gauge_lake: Lake, tmp_path: Path) -> None:
    with serve([calls(("download", {"files": [SEAT_FILE]})), SUBMIT]) as server:
        run, _ = run_with(server, gauge_lake, tmp_path / "a" / "run", "oracle")
    assert "Millford  content.txt" in server.requests[0]["messages"][1]["content"]
    assert scores_of(run)["acc_recall"] == 1.0
    with serve([text("I think it was [1771].")]) as server:
        run, _ = run_with(server, gauge_lake, tmp_path / "b" / "run", "closed-book")
    assert len(server.requests) == 1 and "tools" not in server.requests[0]
    assert scores_of(run)["em"] == 1.0 and scores_of(run)["acc_recall"] == 0.0


EXPLORE = [
    calls(("search", {"query": "gauge level", "also": ["rivers", "seat of Millford"]})),
    calls(("sql", {"statement": "select gauge from t('levels_2021.csv') order by level_cm desc limit 1"})),
    calls(("sql", {"statement": "select town from t('rivers.csv') where gauge = 'G8'"})),
    calls(("submit", {"answer": "[Harlow County]", "sources": [LEVELS, RIVERS, SEAT]})),
]


def test_headwaters_explorer(gauge_lake: Lake, tmp_path: Path) -> None:
    with serve(EXPLORE) as server:
        run, _ = run_with(server, gauge_lake, tmp_path / "run", "headwater", tasks=TASKS[:1], second=False)
    told = scores_of(run)
    assert told["em"] == told["acc_recall"] == told["ret_recall"] == told["replays"] == 1.0
    assert (told["calls"], kept(run)["stop_reason"]) == (3, "answer")
    assert (run.folder / kept(run)["trace"]).is_file() and "usd" not in told, "no price is known"


def test_a_provider_that_fails_is_no_wrong_answer(gauge_lake: Lake, tmp_path: Path) -> None:
    with serve([EXPLORE[0], error(500), *EXPLORE[1:]]) as server:
        given: dict[str, Any] = {"tasks": TASKS[:1], "second": False}
        run, first = run_with(server, gauge_lake, tmp_path / "run", "headwater", **given)
        assert first.failed == 1 and score_run(SUITE, run)["failures"]["api_failure"] == 1
        run, second = run_with(server, gauge_lake, tmp_path / "run", "headwater", **given)
    assert (second.failed, scores_of(run)["em"]) == (0, 1.0)
    assert len(server.requests) == len(EXPLORE) + 1, "what was paid is taken from the trace"


@pytest.mark.parametrize("agent", ["headwater", "paper"])
def test_a_limit_of_the_run_stops_it(gauge_lake: Lake, tmp_path: Path, agent: str) -> None:
    options = RunOptions(per_run=Limits(tokens=10))
    with serve([SUBMIT]) as server:
        run, outcome = run_with(server, gauge_lake, tmp_path / "run", agent, options=options)
    assert outcome.stopped is not None and server.requests == [] and list(run.records()) == []


def test_exact_mode(gauge_lake: Lake, tmp_path: Path) -> None:
    asked = [
        TASKS[0]
        | {
            "id": "X",
            "question": "What is the town of gauge G8?",
            "answer": "Millford",
            "gold_documents": [RIVERS],
        }
    ]
    run, outcome = run_with(None, gauge_lake, tmp_path / "run", "exact", tasks=asked)
    figures = kept(run)
    assert outcome.done == 1 and set(figures["opened"]) <= set(figures["retrieved"])
    assert (figures["replays"] is True) == (figures["status"] == "answered")


# --- parts of a lake


def test_a_part_of_a_lake(gauge_lake: Lake, tmp_path: Path) -> None:
    source = write_tasks(tmp_path / "tasks.jsonl")
    views = [SUITE.settle("paper", {"documents": n}, source, gauge_lake)["view"] for n in (4, 5, 0)]
    assert [v["documents"] for v in views] == [4, 5, 6] and len({v["digest"] for v in views}) == 3
    assert {(v["gold"], v["of"]) for v in views} == {(4, 6)} and views[0]["gold_missing"] == []
    with pytest.raises(UsageError, match="more than 3"):
        SUITE.settle("paper", {"documents": 3}, source, gauge_lake)
    for bad in ({"documnets": 4}, {"documents": "all"}, {"seconds": True}):
        with pytest.raises(UsageError):
            SUITE.settle("paper", bad, source, gauge_lake)
    with pytest.raises(SetupError):
        SUITE.settle("paper", {}, source, None)


def test_agents_see_nothing_else(gauge_lake: Lake, tmp_path: Path) -> None:
    script = [
        calls(("search", {"query": "Ashby seat of a county", "also": ["levels 2022"]})),
        calls(("read", {"document": "Ashby/content.txt"})),
        calls(("sql", {"statement": "select count(*) from t('levels_2022.csv')"})),
        calls(("submit", {"missing": "Ashby"})),
    ]
    with serve(script) as server:
        run, _ = run_with(
            server,
            gauge_lake,
            tmp_path / "run",
            "headwater",
            tasks=TASKS,
            options=RunOptions(limit=1),
            documents=4,
        )
    shown = "\n".join(m["content"] for m in server.requests[-1]["messages"] if m["role"] == "tool")
    assert "Dunn" not in shown and "levels_2022.csv')" not in shown
    assert shown.count("not_found") >= 2
    assert {*kept(run)["retrieved"]} <= {LEVELS, RIVERS, SEAT, "water/gauges/files/levels_2020.csv"}


def test_a_lake_that_changed_is_told(tmp_path: Path) -> None:
    root = write_lake(tmp_path / "lake")
    ingest_lake(root, options=IngestOptions(workers=1))
    with Lake.find(root) as lake, serve([error(500)]) as server:
        run_with(server, lake, tmp_path / "run", "paper")
        (root / "text" / "Ashby" / "more.txt").write_text("More about Ashby.\n", "utf-8")
        ingest_lake(root, options=IngestOptions(workers=1))
        with pytest.raises(SetupError, match="has changed"):
            run_with(server, lake, tmp_path / "run", "paper")


# --- killed and gone on with


def command(*arguments: str, **more: Any) -> subprocess.Popen[str]:
    told = [sys.executable, "-m", "headwater", *arguments]
    return subprocess.Popen(told, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


@pytest.mark.parametrize("killed_at", [1, 2, 4])
@pytest.mark.parametrize("agent", ["paper", "headwater"])
def test_killed_and_resumed_nothing_is_paid_twice(
    gauges: Path, tmp_path: Path, killed_at: int, agent: str
) -> None:
    steps: dict[str, list[Reply]] = {
        "paper": [
            calls(("search_keyword", {"keywords": ["Millford"]})),
            calls(("list_files", {"dataset_ids": ["Millford"]})),
            calls(("download", {"files": [SEAT_FILE]})),
            calls(("get_sandbox_info", {})),
            SUBMIT,
        ],
        "headwater": [*EXPLORE[:3], calls(("read", {"document": SEAT})), EXPLORE[3]],
    }
    task = TASKS[0] if agent == "headwater" else TASKS[1]
    source = write_tasks(tmp_path / "tasks.jsonl", [task])
    processes: list[subprocess.Popen[str]] = []
    asked: list[int] = []

    def script(body: dict[str, Any]) -> Reply:
        done = sum(1 for m in body["messages"] if m["role"] == "assistant")
        asked.append(done)
        if done == killed_at and asked.count(done) == 1:
            os.kill(processes[0].pid, signal.SIGKILL)
            return Reply(hang=0.2)
        return steps[agent][done]

    folder = tmp_path / "run"
    with serve(script) as server:
        told = [
            "bench",
            "run",
            "lakeqa",
            str(source),
            "--lake",
            str(gauges),
            "--agent",
            agent,
            "--out",
            str(folder),
        ]
        more = ["--parameter", "second=false"] if agent == "headwater" else []
        processes.append(
            command(*told, *more, "--model", "openai:scripted", "--base-url", server.url, "--retries", "0")
        )
        processes[0].communicate()
        resumed = command("bench", "run", "--resume", str(folder), "--retries", "0")
        _, errors = resumed.communicate()
    assert resumed.returncode == 0, errors
    assert sorted(asked) == sorted([*range(5), killed_at]), "each reply once, and the one that was on its way"
    run = Run(folder)
    assert scores_of(run)["em"] == 1.0 and run.paid().calls == 5
    if agent == "paper":
        last = server.requests[-1]["messages"][-1]["content"]
        assert "Millford/content.txt" in last, "the sandbox still holds what was downloaded before"


@pytest.fixture(scope="module")
def handed_lake(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Path]:
    """Make a lake of the gold documents of the handed tasks, and of those that stand for them."""

    def make(shared: Path) -> Path:
        root = tmp_path_factory.mktemp("handed") / "lake"
        lines = (shared / "lake-tasks" / "dev.jsonl").read_text("utf-8").splitlines()
        for task in map(json.loads, lines):
            others = [e for found in task["equivalent_documents"].values() for e in found]
            for document in [*task["gold_documents"], *others]:
                (root / document).parent.mkdir(parents=True, exist_ok=True)
                (root / document).write_bytes((shared / "lake" / document).read_bytes())
        ingest_lake(root, options=IngestOptions(workers=2))
        return root

    return make


@pytest.mark.handed
def test_the_handed_tasks_run_over_http(
    handed: Path, handed_lake: Callable[[Path], Path], tmp_path: Path
) -> None:
    """A model that knows the gold lists the datasets, downloads the files, and submits: figures must be full."""
    source = handed.parent / "lake-tasks" / "dev.jsonl"
    tasks = {t["question"]: t for t in map(json.loads, source.read_text("utf-8").splitlines())}

    def script(body: dict[str, Any]) -> Reply:
        task = tasks[body["messages"][1]["content"]]
        done = sum(1 for m in body["messages"] if m["role"] == "assistant")
        names = [tuple(d.split("/", 2)[1:]) for d in task["gold_documents"]]
        if done == 0:
            return calls(("search_keyword", {"keywords": [d.split("/")[-1] for d in task["gold_datasets"]]}))
        rest = names[5 * (done - 1) : 5 * done]
        if rest:
            return calls(("download", {"files": [{"dataset_id": d, "file_path": p} for d, p in rest]}))
        return calls(("submit_answer", {"answer": f"[{task['answer']}]"}))

    root = handed_lake(handed.parent)
    with Lake.find(root) as lake, serve(script) as server:
        model = open_model("openai:scripted", base_url=server.url, options=ClientOptions(60.0, 0))
        parameters = SUITE.settle("paper", {}, source, lake)
        made = start_run(SUITE, source, tmp_path / "run", "paper", model, parameters, RunOptions())
        outcome = continue_run(SUITE, made, model, RunOptions(concurrency=2))
    told = scores_of(made)
    assert (outcome.done, outcome.failed) == (25, 0) and parameters["view"]["gold_missing"] == []
    assert (
        told["em_uncleaned"]
        == told["acc_recall"]
        == told["acc_dataset_f1"]
        == told["ret_dataset_recall"]
        == 1.0
    )
    assert told["em"] == pytest.approx(22 / 25), "cleaning breaks three right answers"
    assert score_run(SUITE, made)["failures"] == {"bucket: right": 25}
