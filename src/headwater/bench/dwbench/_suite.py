"""DW-Bench as a suite: items from questions, agents, scores."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.bench._model import (
    Agent,
    AgentSetup,
    Item,
    Loaded,
    Metric,
    Prediction,
    Problem,
    Published,
)
from headwater.bench.dwbench._load import find_source, graph_key, item_id, load_graphs
from headwater.bench.dwbench._questions import Question, difficulty_of, has_groups, read_question
from headwater.bench.dwbench._scoring import Scorer, score

if TYPE_CHECKING:
    from headwater.graph import SchemaGraph
    from headwater.lake import Lake

_STRICT, _PUBLISHED = "1", "1"


class DwBench:
    """Questions on the topology of warehouses (arXiv 2604.18964), and on the lineage of rows."""

    name = "dw-bench"
    version = "1"
    agents: Mapping[str, str] = {
        "exact": "headwater's own reading and computing of the question; no model",
        "flat": "the whole schema as text in the prompt",
        "vector": "the 15 tables whose text is nearest to the question",
        "graph-aug": "the neighbourhood, three steps wide, of the tables that the question names",
        "tools": "graph tools, three calls",
        "code": "Python over the graph in a sandbox, five rounds",
        "oracle": "the answer stands in the prompt: what is lost by form alone",
    }
    needs_model = frozenset(agents) - {"exact"}
    outcomes: Mapping[str, str] = {}
    over_lake = False
    slices: Sequence[str] = ("kind", "difficulty", "dataset", "category", "condition", "tier", "gold")
    metrics: Sequence[Metric] = (
        Metric("em_micro", "em", _STRICT, help="share of questions answered exactly, strict; deterministic"),
        Metric("em_macro", "em", _STRICT, macro="kind", help="the same, mean over kinds of question"),
        Metric("f1_micro", "f1", _STRICT, help="F1 over sets of names, strict"),
        Metric("f1_macro", "f1", _STRICT, macro="kind", help="the same, mean over kinds of question"),
        Metric(
            "published_em_micro",
            "published_em",
            _PUBLISHED,
            help="share exact as the public scorer counts it",
        ),
        Metric(
            "published_em_macro",
            "published_em",
            _PUBLISHED,
            macro="kind",
            digits=4,
            help="the same, mean over kinds",
        ),
        Metric("published_f1_micro", "published_f1", _PUBLISHED, help="F1 as the public scorer counts it"),
        Metric(
            "published_f1_macro",
            "published_f1",
            _PUBLISHED,
            macro="kind",
            digits=4,
            help="the same, mean over kinds",
        ),
        Metric("answered", "answered", "1", help="share of questions answered at all"),
    )

    def load(self, source: Path) -> Loaded:
        """Read questions and the graphs they are about; see `find_source` for the layouts."""
        found = find_source(source)
        graphs, problems = load_graphs(found.graphs)
        items = [_item(question, graphs.get(graph_key(question))) for question in found.questions]
        return Loaded(items, [*found.problems, *problems])

    def save(self, source: Path, items: Sequence[Item], folder: Path) -> None:
        """Write questions and graphs in our layout: one folder a graph, with `questions.jsonl` and `schema.json` or rows."""
        places = find_source(source).graphs
        by_graph: dict[str, list[Question]] = {}
        for item in items:
            question = question_of(item)
            by_graph.setdefault(graph_key(question), []).append(question)
        for key, questions in by_graph.items():
            target = folder / key
            target.mkdir(parents=True, exist_ok=True)
            write_questions(target / "questions.jsonl", questions)
            if key in places:
                copy_graph(places[key], target, rows=key.endswith("_rows"))

    def settle(
        self, agent: str, parameters: Mapping[str, Any], source: Path, lake: Lake | None
    ) -> dict[str, Any]:
        """Return the parameters as they are: the data of a run hold everything else."""
        return dict(parameters)

    def agent(self, name: str, setup: AgentSetup) -> Agent:
        """Make one of `agents`."""
        from headwater.bench.dwbench._agents import make_agent

        return make_agent(name, setup, self.graphs(setup.data))

    def scorer(self, data: Path) -> Callable[[Item, Prediction | None], dict[str, float]]:
        """Return the scores in both modes over the graphs of `data`."""
        graphs = self.graphs(data)
        scorers = {key: Scorer(graph) for key, graph in graphs.items()}
        bare = Scorer(None)

        def scored(item: Item, prediction: Prediction | None) -> dict[str, float]:
            question = question_of(item)
            status = prediction.status if prediction else "failed"
            value = prediction.value if prediction else None
            return dict(score(scorers.get(graph_key(question), bare), question, status, value))

        return scored

    def published(self) -> Published:
        """Return the figures of the paper."""
        text = (
            resources.files("headwater.bench.dwbench").joinpath("published.json").read_text(encoding="utf-8")
        )
        told = json.loads(text)
        bars = [
            (f"{model}, {agent}", value)
            for table, model, agent, _, value in told["figures"]
            if table == "micro"
        ]
        tables = [("", told["columns"], told["figures"])]
        return Published(
            told["source"], "published_em_micro", "Exact match, scored as published", bars, tables
        )

    def row(self, score: Mapping[str, Any]) -> Sequence[str]:
        """Return nothing: the published table has one figure a line, which the chart shows."""
        return ()

    def graphs(self, data: Path) -> dict[str, SchemaGraph]:
        """Load the graphs of a folder by key."""
        return load_graphs(find_source(data).graphs)[0]


def question_of(item: Item) -> Question:
    """Return the question that an item was made from."""
    return read_question(item.details)


def _item(question: Question, graph: SchemaGraph | None) -> Item:
    membership = question.subtype == "membership" and question.answer_type == "string"
    slices = {
        "kind": question.subtype,
        "difficulty": difficulty_of(question, graph),
        "dataset": question.dataset,
        "category": question.category,
        "condition": question.condition,
        "tier": str(question.tier),
        "gold": "label of a group" if membership else "empty list" if question.answer == [] else "graph",
    }
    return Item(
        item_id(question),
        question.question,
        question.answer,
        question.answer_type,
        slices,
        question.to_dict(),
    )


def write_questions(path: Path, questions: Sequence[Question]) -> None:
    """Write `questions.jsonl`."""
    lines = (json.dumps(question.to_dict(), ensure_ascii=False) + "\n" for question in questions)
    path.write_text("".join(lines), encoding="utf-8")


def copy_graph(place: Path, target: Path, *, rows: bool) -> None:
    """Copy a graph into a folder: our files as they are, anything else as the `schema.json` of what was loaded."""
    if rows:
        for name in ("manifest.json", "row_lineage.csv", "lineage_map.json", "value_data/_manifest.json"):
            if (place / name).is_file():
                (target / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(place / name, target / name)
        found = place / "lineage_data" / "lineage_map.json"
        if found.is_file():
            shutil.copyfile(found, target / "lineage_map.json")
        return
    if place.name == "schema.json":
        shutil.copyfile(place, target / "schema.json")
        return
    from headwater.graph import load_graph

    write_schema(target / "schema.json", load_graph([str(place)]))


def write_schema(path: Path, graph: SchemaGraph) -> None:
    """Write a graph as `schema.json`."""
    value: dict[str, Any] = graph.to_dict()
    value["counts"] = {"tables": len(graph.tables), "grouped": has_groups(graph)}
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1, default=str) + "\n", encoding="utf-8")


__all__ = ["DwBench", "Problem", "copy_graph", "question_of", "write_questions", "write_schema"]
