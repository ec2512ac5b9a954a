"""Handed multi-hop tasks: a four-hop one runs to a cited answer, and the gold programs run in the sandbox."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.models.scripted import calls, serve

from headwater.agents import explore, replay
from headwater.ingest import IngestOptions, ingest_lake
from headwater.lake import Lake
from headwater.models import ClientOptions, RemoteModel
from headwater.sandbox import CodeLimits, Sandbox
from headwater.trace import evidence, measure, new_trace

DATA = Path(__file__).parents[2].parent / "shared" / "data"
TASKS: dict[str, dict[str, Any]] = (
    {t["id"]: t for t in map(json.loads, (DATA / "lake-tasks/dev.jsonl").read_text("utf-8").splitlines())}
    if DATA.exists()
    else {}
)

pytestmark = [pytest.mark.handed, pytest.mark.skipif(not TASKS, reason="the handed tasks are not there")]


def test_a_four_hop_task_runs_to_a_cited_answer(tmp_path: Path) -> None:
    task = TASKS["HWL-D024"]
    gold = task["gold_documents"]
    for document in gold:
        target = tmp_path / "lake" / document
        target.parent.mkdir(parents=True)
        shutil.copy(DATA / "lake" / document, target)
    ingest_lake(tmp_path / "lake", options=IngestOptions(workers=1))
    worst = (
        "select b.State, admission_date from t('bad-drivers.csv') b join t('states.csv') s on s.state = b.State order by "
        '"Percentage Of Drivers Involved In Fatal Collisions Who Were Alcohol-Impaired" desc limit 1'
    )
    script = [
        calls(
            (
                "search",
                {
                    "query": "alcohol-impaired drivers in fatal collisions by state",
                    "also": ["states admission date"],
                },
            )
        ),
        calls(("sql", {"statement": worst})),
        calls(("inspect", {"document": "executive.yaml"})),
        calls(("search", {"query": "Benjamin Harrison studied law university"})),
        calls(("read", {"document": "Benjamin_Harrison/content.txt", "find": "studied law university"})),
        calls(("submit", {"answer": f"[{task['answer']}]", "sources": gold})),
    ]
    trace = new_trace(tmp_path, task["question"])
    with Lake.find(tmp_path / "lake") as lake, serve(script) as server:
        model = RemoteModel("openai", "scripted", server.url, options=ClientOptions(20.0, 0))
        answer = explore(lake, task["question"], model, trace=trace, second=False)
        assert "Montana" in json.dumps(server.requests[2])
        assert (answer.status, answer.value) == ("answered", task["answer"])
        assert "wikipedia/Benjamin_Harrison/content.txt" in {e.document for e in answer.evidence}
        assert {i["document"] for i in answer.inputs} == set(gold)
        assert replay(answer.to_dict(), lake).holds
    told = measure(trace.events())
    assert evidence(told.opened, gold).recall == 1.0
    assert evidence(told.retrieved, gold).recall >= 0.75


def test_the_gold_programs_give_their_answers_in_the_sandbox() -> None:
    wrong = []
    for task in TASKS.values():
        nodes = task["nodes"]
        files: dict[str, Path | bytes] = {
            f"node{n}": DATA / "lake" / node["source"] for n, node in nodes.items()
        }
        with Sandbox(files, CodeLimits(seconds=30)) as box:
            for number, node in nodes.items():
                source = node["source"]
                place = f"import os\nos.makedirs({str(Path(source).parent)!r})\nos.rename('node{number}', {source!r})\n"
                outcome = box.run(f"{place}{node['fact']}\nresult = answer")
                same = json.dumps(outcome.value, default=str) == json.dumps(node["answer"])
                if outcome.error or not (same or str(outcome.value) == str(node["answer"])):
                    wrong.append((task["id"], number, node["answer"], outcome.value, str(outcome.error)))
    assert not wrong
