"""Finds the questions and schemas of DW-Bench in a folder, in our layout and in the published ones."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.bench._model import Problem
from headwater.bench.dwbench._questions import Question, read_question
from headwater.errors import HeadwaterError, NotFoundError, ReadError

if TYPE_CHECKING:
    from headwater.graph import SchemaGraph

# Files of questions of the published layouts, relative to a dataset's folder or to the root of the hub's copy, with the
# condition that each stands for.
_PUBLISHED = {
    "qa_pairs.json": "original",
    "qa_pairs_obfuscated.json": "obfuscated",
    "qa_pairs_extended.json": "extended",
    "qa_pairs_tier2.json": "original",
    "tier1/test.jsonl": "original",
    "tier1/test_obfuscated.jsonl": "obfuscated",
    "tier1/test_extended.jsonl": "extended",
    "tier2/v2.jsonl": "original",
}
_SKIPPED = {"qa_pairs_all.json"}
_ROW_FILES = ("row_lineage.csv", "lineage_map.json", "lineage_data/lineage_map.json")


@dataclass(slots=True)
class Source:
    """Questions with the places of their graphs.

    Attributes:
        questions: what could be read.
        problems: what could not, line by line.
        graphs: by key of a graph (see `graph_key`) the file or folder it is loaded from.
    """

    questions: list[Question] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    graphs: dict[str, Path] = field(default_factory=dict)


def graph_key(question: Question) -> str:
    """Return which graph a question is about: obfuscated schemas and rows are graphs of their own."""
    suffix = "_obfuscated" if question.condition == "obfuscated" else ""
    return f"{question.dataset}{suffix}{'_rows' if question.tier == 2 else ''}"


def find_source(place: Path) -> Source:
    """Read all questions of a file or folder.

    A folder is one dataset or holds several; ours have `questions.jsonl`, the published ones `qa_pairs*.json` or
    `tier1/*.jsonl`. A line that cannot be used becomes a problem and the rest is read.

    Raises:
        NotFoundError: there is nothing, or no file of questions.
    """
    files = list(_question_files(place))
    if not files:
        hint = "Give a file of questions, or a folder with questions.jsonl, qa_pairs.json or tier1/test.jsonl in it."
        raise NotFoundError("There are no questions here.", where=str(place), hint=hint)
    source, names = Source(), dict[str, str]()
    for path, condition in files:
        copies = 0
        for where, line in _lines(path, source.problems):
            try:
                question = read_question({"condition": condition, **line})
            except ReadError as error:
                source.problems.append(Problem(where, error.message))
                continue
            if (known := names.get(item_id(question))) is not None:
                copies += known == question.question
                if known != question.question:
                    source.problems.append(
                        Problem(where, f"the id {question.id!r} is another question's; the first one counts")
                    )
                continue
            names[item_id(question)] = question.question
            source.questions.append(question)
            key = graph_key(question)
            if key not in source.graphs:
                found = _graph_of(question, path)
                if found is not None:
                    source.graphs[key] = found
        if copies:
            source.problems.append(
                Problem(path.name, f"{copies} questions were read from another file before")
            )
    for key in sorted({graph_key(q) for q in source.questions} - set(source.graphs)):
        source.problems.append(
            Problem(key, "no schema was found for this dataset; paths are compared with the gold")
        )
    return source


def item_id(question: Question) -> str:
    """Return the id of the item: the condition stands before it, since conditions share ids."""
    return question.id if question.condition == "original" else f"{question.condition}/{question.id}"


def _question_files(place: Path) -> Iterator[tuple[Path, str]]:
    if place.is_file():
        yield place, _condition(place)
        return
    folders = [place, *sorted(p for p in place.iterdir() if p.is_dir())] if place.is_dir() else []
    folders += sorted((place / "datasets").iterdir()) if (place / "datasets").is_dir() else []
    for folder in folders:
        if (folder / "questions.jsonl").is_file():
            yield folder / "questions.jsonl", "original"
        for name, condition in _PUBLISHED.items():
            if (folder / name).is_file() and not (
                condition != "original" and folder.name.endswith("_obfuscated")
            ):
                yield folder / name, condition
        if not (folder / "qa_pairs_tier2.json").is_file():
            yield from ((path, "original") for path in sorted(folder.glob("qa_pairs_v2*.json")))


def _condition(path: Path) -> str:
    return next((word for word in ("obfuscated", "extended") if word in path.stem), "original")


def _lines(path: Path, problems: list[Problem]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the JSON objects of a file (lines, or one array) with their places."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        problems.append(Problem(path.name, f"cannot be read: {error}"))
        return
    numbered: list[tuple[str, Any]] = []
    if text.lstrip().startswith("["):
        try:
            numbered = [(f"{path.name}, question {i}", value) for i, value in enumerate(json.loads(text), 1)]
        except ValueError as error:
            problems.append(Problem(path.name, f"not JSON: {error}"))
    else:
        for number, line in enumerate(text.splitlines(), 1):
            if not line.strip():
                continue
            try:
                numbered.append((f"{path.name}, line {number}", json.loads(line)))
            except ValueError as error:
                problems.append(Problem(f"{path.name}, line {number}", f"not JSON: {error}"))
    for where, value in numbered:
        if isinstance(value, dict):
            yield where, value
        else:
            problems.append(Problem(where, "not a JSON object"))


def _graph_of(question: Question, path: Path) -> Path | None:
    """Return where the graph of a question lies: beside its file, in `schemas/`, or in a folder above."""
    hidden = question.condition == "obfuscated"
    names = [f"{question.dataset}_obfuscated"] if hidden else []
    names.append(question.dataset)
    own = path.parent.name == question.dataset or not any(
        (p / question.dataset).is_dir() for p in path.parents[:3]
    )
    places = [path.parent] if own or path.name == "questions.jsonl" else []
    for base in path.parents[:3]:
        places += [base / sub / name for sub in ("", "schemas", "datasets") for name in names]
    for place in places:
        found = _graph_in(place, question, hidden)
        if found is not None:
            return found
    if question.tier == 2:
        return next((p for p in path.parents[:2] if any((p / name).is_file() for name in _ROW_FILES)), None)
    return None


def _graph_in(place: Path, question: Question, hidden: bool) -> Path | None:
    if question.tier == 2:
        return place if any((place / name).is_file() for name in _ROW_FILES) else None
    if hidden and not place.name.endswith("_obfuscated"):
        found = place / "obfuscated_schema_graph.pt"
        own = place / "schema.json"
        return found if found.is_file() else own if own.is_file() and _is_obfuscated(own) else None
    if (place / "schema.json").is_file():
        return place / "schema.json"
    has_graph = (
        any(place.glob("*schema_graph.pt"))
        or (place / "schema_ddl.json").is_file()
        or any(place.glob("*_Relationships.csv"))
    )
    return place if has_graph else None


def _is_obfuscated(path: Path) -> bool:
    """Whether a schema has only obfuscated names; looks at the first kilobytes."""
    with path.open(encoding="utf-8", errors="replace") as file:
        return re.search(r'"name":\s*"Table_[A-Z]\d*"', file.read(20_000)) is not None


def load_graphs(places: Mapping[str, Path]) -> tuple[dict[str, SchemaGraph], list[Problem]]:
    """Load graphs by key; one that cannot be loaded becomes a problem."""
    from headwater.graph import attach_rows, load_graph, load_rows

    graphs, problems = {}, []
    for key, place in places.items():
        try:
            graph = load_graph([str(place)])
            if key.endswith("_rows") and graph.rows is None:
                attach_rows(graph, load_rows(place), place.name)
            graphs[key] = graph
        except HeadwaterError as error:
            problems.append(Problem(key, error.message))
    return graphs, problems
