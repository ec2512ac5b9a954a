"""Tasks of LakeQA, as published (a JSON file each) and as JSON lines, in one form.

Published: `k-<hops>-d-<fan-out>/task_<n>.json` with `question_id`, `datasets_used` that includes documents of metadata,
and nodes whose `fact` is a program or a quotation. As lines: `id`, only needed documents, and further fields: variants
of the answer, equivalent documents, `K`. Fields that a task lacks are derived where they can be.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headwater.bench._model import Problem
from headwater.errors import NotFoundError

_FOLDER = re.compile(r"k-(\d+)-d-(\d+)")


@dataclass(frozen=True, slots=True)
class Task:
    """One question over a lake.

    Attributes:
        id: `question_id` or `id`.
        question: what an agent is asked.
        answer: the reference answer.
        variants: further answers that a lenient comparison accepts.
        kind: numeric, temporal, entity, list, or "" if the task does not say.
        documents: gold documents, paths below the lake's root.
        datasets: their datasets.
        equivalent: for a gold document, others with the same content; any of them stands for it.
        hops: number of hops of reasoning, 0 if unknown.
        fan_out: most nodes of one hop, 0 if unknown.
        nodes: by their number: {source, subquestion, fact, answer}.
        steps: the hops: [{hop, node_ids, reasoning, answer}].
    """

    id: str
    question: str
    answer: str | int | float
    variants: tuple[str, ...] = ()
    kind: str = ""
    documents: tuple[str, ...] = ()
    datasets: tuple[str, ...] = ()
    equivalent: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    hops: int = 0
    fan_out: int = 0
    nodes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    steps: tuple[Mapping[str, Any], ...] = ()

    @property
    def accepted(self) -> set[str]:
        """Gold documents and those that stand for them."""
        return {*self.documents, *(e for others in self.equivalent.values() for e in others)}

    @property
    def accepted_datasets(self) -> set[str]:
        """Datasets of the gold documents and of those that stand for them."""
        return {*self.datasets, *(dataset_of(d) for d in self.accepted - set(self.documents))}

    def to_dict(self) -> dict[str, Any]:
        """Return the task as an object that `read_task` reads."""
        return {
            "id": self.id, "question": self.question, "answer": self.answer, "answer_variants": list(self.variants),
            "answer_kind": self.kind, "datasets_used": list(self.documents), "gold_documents": list(self.documents),
            "gold_datasets": list(self.datasets), "equivalent_documents": {k: list(v) for k, v in self.equivalent.items()},
            "K": len(self.documents), "hops": self.hops, "fan_out": self.fan_out, "nodes": dict(self.nodes),
            "reasoning_hops": list(self.steps),
        }  # fmt: skip


def dataset_of(document: str) -> str:
    """Return the dataset of a key `<namespace>/<dataset>/<path>`."""
    return "/".join(document.split("/")[:2])


def load_tasks(source: Path) -> tuple[list[Task], list[Problem]]:
    """Read the tasks of a file (JSON or JSON lines) or of all such files below a folder, by path.

    Whatever cannot be used is reported, with file and line, and the rest goes on. A file without any task, as may lie
    beside the tasks, is reported once.

    Raises:
        NotFoundError: there is no such file or folder.
    """
    if not source.exists():
        raise NotFoundError(f"There are no tasks at {source}.")
    files = [source] if source.is_file() else sorted(source.rglob("*.json*"), key=_natural)
    tasks: dict[str, Task] = {}
    problems: list[Problem] = []
    for path in files:
        if path.suffix not in (".json", ".jsonl") or not path.is_file():
            continue
        name = path.name if path == source else path.relative_to(source).as_posix()
        found, wrong = 0, []
        for line, value in _objects(path):
            where = f"{name}, line {line}"
            try:
                if isinstance(value, ValueError):
                    raise value
                task = read_task(value, path)
                if task.id in tasks:
                    raise ValueError(f"There is another task {task.id}")
            except ValueError as error:
                wrong.append(Problem(where, f"{error}."))
                continue
            tasks[task.id] = task
            found += 1
        problems += (
            wrong if found or len(wrong) < 2 else [Problem(name, f"No task in it: {wrong[0].message}")]
        )
    return list(tasks.values()), problems


def _natural(path: Path) -> list[tuple[int, str]]:
    """Sort key that puts task_2 before task_10."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", path.as_posix())]


def _objects(path: Path) -> Iterator[tuple[int, Any]]:
    """Yield (line, value) of the JSON in a file; a value that cannot be read is a ValueError."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        yield 1, ValueError(f"Cannot be read: {error}")
        return
    pieces = [(1, text)] if path.suffix == ".json" else list(enumerate(text.split("\n"), 1))
    for line, piece in pieces:
        if not piece.strip():
            continue
        try:
            value = json.loads(piece)
        except json.JSONDecodeError as error:
            yield line + error.lineno - 1, ValueError(f"Not JSON: {error.msg} at column {error.colno}")
            continue
        except RecursionError:
            yield line, ValueError("Nested too deeply")
            continue
        yield from ((line, v) for v in (value if isinstance(value, list) else [value]))


def read_task(value: Any, path: Path | None = None) -> Task:
    """Return a task from its JSON object.

    Args:
        value: the object.
        path: its file; the folder's name tells hops and fan-out.

    Raises:
        ValueError: a field is missing or of the wrong type; the message names it.
    """
    if not isinstance(value, dict):
        raise ValueError("A task must be a JSON object")
    task_id, question = value.get("question_id", value.get("id")), value.get("question")
    answer, documents = value.get("answer"), value.get("gold_documents", value.get("datasets_used"))
    if not isinstance(task_id, str) or not task_id:
        raise ValueError("question_id or id must be a text")
    if not isinstance(question, str) or not question.strip():
        raise ValueError(f"Task {task_id}: question must be a text")
    if not isinstance(answer, str | int | float) or isinstance(answer, bool):
        raise ValueError(f"Task {task_id}: answer must be a text or a number")
    if not isinstance(documents, list) or not _texts(documents):
        raise ValueError(f"Task {task_id}: datasets_used must be a list of keys")
    folder = _FOLDER.fullmatch(path.parent.name) if path else None
    steps = tuple(s for s in value.get("reasoning_hops") or () if isinstance(s, dict))
    wide = max((len(s.get("node_ids") or ()) for s in steps), default=0)
    datasets = value.get("gold_datasets") or [dataset_of(d) for d in documents]
    equivalent = value.get("equivalent_documents") or {}
    nodes = value.get("nodes")
    return Task(
        task_id, question, answer, tuple(str(v) for v in value.get("answer_variants") or ()),
        str(value.get("answer_kind") or ""), tuple(dict.fromkeys(documents)), tuple(dict.fromkeys(datasets)),
        {str(k): tuple(v) for k, v in equivalent.items() if _texts(v)} if isinstance(equivalent, dict) else {},
        int(folder[1]) if folder else int(value.get("hops") or len(steps)),
        int(folder[2]) if folder else int(value.get("fan_out") or wide),
        {str(k): v for k, v in nodes.items() if isinstance(v, dict)} if isinstance(nodes, dict) else {},
        steps,
    )  # fmt: skip


def _texts(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(v, str) for v in value)
