"""Tasks in the published form and as lines become the same; what cannot be used is told and the rest goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.bench.gauge_lake import TASKS, write_tasks

from headwater.bench import RunOptions, open_suite, start_run
from headwater.bench.lakeqa import load_tasks
from headwater.errors import NotFoundError

PUBLISHED: dict[str, Any] = {
    "question_id": "EQA000007",
    "question": "How many gauges? Return only the number in the format [Answer].",
    "answer": 10,
    "datasets_used": ["datagov/gauges/files/rows.txt", "datagov/gauges/signed-metadata.txt", "wikipedia/Rhine/content.txt"],
    "nodes": {
        "1": {"source": "datagov/gauges/files/rows.txt", "subquestion": "…", "fact": "answer = 10", "answer": 10},
        "2": {"source": "wikipedia/Rhine/content.txt", "subquestion": "…", "fact": "a quotation", "answer": "Rhine"},
        "3": {"source": "wikipedia/Rhine/content.txt", "subquestion": "<hop 1 answer>", "fact": "…", "answer": 1.5},
    },
    "reasoning_hops": [
        {"hop": 1, "node_ids": [1, 2], "reasoning": ["…"], "answer": "Rhine"},
        {"hop_id": 2, "node_ids": [3], "reasoning": ["…"], "answer": 10},
    ],
}  # fmt: skip


def publish(root: Path) -> Path:
    """A folder as released: two tasks, one file that is no JSON, one that lacks its answer."""
    folder = root / "lakeqa_mini" / "k-2-d-3"
    folder.mkdir(parents=True)
    for n, value in ((1, PUBLISHED), (10, PUBLISHED | {"question_id": "EQA000010", "answer": 2.5})):
        (folder / f"task_{n}.json").write_text(json.dumps(value, indent=1), encoding="utf-8")
    broken = json.dumps(PUBLISHED, indent=1).replace('"answer": 10,', '"answer": 10', 1)
    (folder / "task_2.json").write_text(broken, encoding="utf-8")
    (folder / "task_3.json").write_text(
        json.dumps({"question_id": "EQA000003", "question": "?"}), encoding="utf-8"
    )
    return root / "lakeqa_mini"


def test_the_published_form(tmp_path: Path) -> None:
    tasks, problems = load_tasks(publish(tmp_path))
    assert [(t.id, t.answer) for t in tasks] == [("EQA000007", 10), ("EQA000010", 2.5)]
    task = tasks[0]
    assert (task.hops, task.fan_out, len(task.nodes)) == (2, 3, 3), "from the name of the folder"
    assert task.datasets == ("datagov/gauges", "wikipedia/Rhine")
    assert task.steps[1]["hop_id"] == 2
    assert [p.where for p in problems] == ["k-2-d-3/task_2.json, line 5", "k-2-d-3/task_3.json, line 1"]
    assert "Not JSON" in problems[0].message and "EQA000003: answer" in problems[1].message


def test_lines_with_bad_ones_among_them(tmp_path: Path) -> None:
    path = write_tasks(tmp_path / "tasks.jsonl")
    bad = ['{"id": "X"', "[]", '{"id": "T1", "question": "again", "answer": "1", "datasets_used": []}', "7"]
    text = path.read_text(encoding="utf-8")
    path.write_text(text + "".join(f"{line}\n" for line in bad), encoding="utf-8")
    tasks, problems = load_tasks(path)
    assert [t.id for t in tasks] == ["T1", "T2", "T3"]
    assert [p.where.split(", ")[1] for p in problems] == ["line 4", "line 6", "line 7"]
    assert "another task T1" in problems[1].message


def test_a_file_without_tasks_is_told_once(tmp_path: Path) -> None:
    write_tasks(tmp_path / "tasks.jsonl")
    (tmp_path / "queries.jsonl").write_text('{"id": "q", "query": "x"}\n' * 9, encoding="utf-8")
    (tmp_path / "README.md").write_text("x", encoding="utf-8")
    tasks, problems = load_tasks(tmp_path)
    assert len(tasks) == 3 and [p.where for p in problems] == ["queries.jsonl"]
    with pytest.raises(NotFoundError):
        load_tasks(tmp_path / "nowhere")


def test_a_task_survives_saving(tmp_path: Path) -> None:
    suite = open_suite("lakeqa")
    for source in (publish(tmp_path / "a"), write_tasks(tmp_path / "b" / "tasks.jsonl")):
        loaded = suite.load(source)
        (target := tmp_path / f"data-{source.name}").mkdir()
        suite.save(source, loaded.items[:1], target)
        assert list(suite.load(target).items) == list(loaded.items[:1])
        gold = {d for i in loaded.items for d in i.details["datasets_used"]}
        assert {json.loads(x) for x in (target / "gold.txt").read_text().splitlines()} == gold, "of all tasks"


def test_a_run_notes_what_was_not_loaded(tmp_path: Path) -> None:
    made = start_run(
        open_suite("lakeqa"), publish(tmp_path), tmp_path / "run", "exact", None, {}, RunOptions()
    )
    assert (made.info["items"], len(made.info["problems"])) == (2, 2)


def test_slices(tmp_path: Path) -> None:
    many = [
        TASKS[0] | {"id": f"N{n}", "gold_documents": [f"a/b/{i}" for i in range(n)]}
        for n in (1, 8, 9, 13, 14, 18, 19)
    ]
    items = open_suite("lakeqa").load(write_tasks(tmp_path / "tasks.jsonl", many)).items
    assert [i.slices["documents"] for i in items] == [
        "1-8",
        "1-8",
        "9-13",
        "9-13",
        "14-18",
        "14-18",
        "19 or more",
    ]
    assert {i.slices["kind"] for i in items} == {"entity"}


@pytest.mark.handed
def test_the_handed_tasks(handed: Path) -> None:
    tasks, problems = load_tasks(handed.parent / "lake-tasks" / "dev.jsonl")
    assert (len(tasks), problems) == (25, [])
    assert sum(len(t.documents) for t in tasks) > 25 and all(t.hops and t.datasets for t in tasks)
