"""LakeQA as a suite: tasks, agents over a lake or a part of it, scores, published figures."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.bench._model import Agent, AgentSetup, Item, Loaded, Prediction, Published
from headwater.bench.lakeqa._agents import AGENTS, RETRIEVERS, make_agent
from headwater.bench.lakeqa._judge import answer_key, read_verdicts
from headwater.bench.lakeqa._loop import Rules
from headwater.bench.lakeqa._retriever import settings as retriever_settings
from headwater.bench.lakeqa._scoring import METRICS, OUTCOMES, scores
from headwater.bench.lakeqa._tasks import Task, load_tasks, read_task
from headwater.bench.lakeqa._view import choose
from headwater.errors import SetupError, UsageError

if TYPE_CHECKING:
    from headwater.lake import Lake

BINS = ((8, "1-8"), (13, "9-13"), (18, "14-18"))
"""Last number of gold documents and name of a bin. The text of the paper names 8 as the end of the easiest region, 14 as
the beginning of the collapse and 18 as a further mark; the edges of its figure are not told."""

COLUMNS = ("model", "EM", "s", "$", "D_acc P", "R", "F1", "D_ret P", "R", "F1")


class LakeQa:
    """Exploratory questions over a lake (arXiv 2606.10460)."""

    name = "lakeqa"
    version = "1"
    agents = AGENTS
    needs_model = frozenset(AGENTS) - {"exact"}
    metrics = METRICS
    outcomes = OUTCOMES
    over_lake = True
    slices: Sequence[str] = ("kind", "documents", "K", "hops", "namespaces")

    def load(self, source: Path) -> Loaded:
        """Read tasks in either form; see `load_tasks`."""
        tasks, problems = load_tasks(source)
        return Loaded([_item(task) for task in tasks], problems)

    def save(self, source: Path, items: Sequence[Item], folder: Path) -> None:
        """Write the tasks as JSON lines, and beside them the gold documents of all tasks of the source."""
        lines = (json.dumps(read_task(i.details).to_dict(), ensure_ascii=False) + "\n" for i in items)
        (folder / "tasks.jsonl").write_text("".join(lines), encoding="utf-8", errors="surrogatepass")
        gold = _gold(load_tasks(source)[0])
        (folder / "gold.txt").write_text("".join(f"{json.dumps(g)}\n" for g in gold), encoding="utf-8")

    def settle(
        self, agent: str, parameters: Mapping[str, Any], source: Path, lake: Lake | None
    ) -> dict[str, Any]:
        """Return the parameters with defaults, the lake and its state, the documents seen, the choices of a retriever.

        Raises:
            UsageError: a parameter is unknown, or the documents asked for do not hold the gold ones.
            SetupError: there is no lake.
        """
        known: dict[str, Any] = {"seed": 0, "documents": 0}
        if agent != "exact":
            known |= asdict(Rules())
        if agent == "headwater":
            known |= {"tokens": 400_000, "context": 24_000, "second": True}
        if agent == "paper-hybrid":
            known["embedder"] = "static"
        unknown = sorted(parameters.keys() - known.keys())
        if unknown:
            raise UsageError(
                f"{agent} has no parameter {unknown[0]!r}.", hint=f"There are: {', '.join(known)}."
            )
        for name, value in parameters.items():
            kind = type(known[name])
            if isinstance(value, bool) != (kind is bool) or not isinstance(
                value, (int, float) if kind is float else kind
            ):
                raise UsageError(f"{name} must be like {known[name]!r}, not {value!r}.")
        if lake is None:
            raise SetupError("LakeQA is asked over a lake.", hint="Name it with --lake.")
        chosen = known | dict(parameters)
        view = choose(lake, _gold(load_tasks(source)[0]), chosen["documents"], chosen["seed"])
        if agent in RETRIEVERS:
            chosen["retriever"] = retriever_settings(RETRIEVERS[agent], str(chosen.get("embedder", "")))
        state = {"lake": lake.url, "state": str(lake.state), "generation": lake.catalog.generation}
        return chosen | state | {"view": view.to_dict()}

    def agent(self, name: str, setup: AgentSetup) -> Agent:
        """Make one of `agents`."""
        lines = (setup.data / "gold.txt").read_text(encoding="utf-8").splitlines()
        return make_agent(name, setup, [json.loads(line) for line in lines])

    def scorer(self, data: Path) -> Callable[[Item, Prediction | None], dict[str, float]]:
        """Return the function that scores a prediction, with the verdicts of a judge where there are any."""
        verdicts = read_verdicts(data.parent)

        def scored(item: Item, prediction: Prediction | None) -> dict[str, float]:
            answer = prediction.value if prediction and prediction.status == "answered" else None
            judged = None
            if verdicts and answer is None:
                judged = False
            elif (verdict := verdicts.get((item.id, answer_key(answer)))) is not None:
                judged = bool(verdict["passes"])
            return scores(read_task(item.details), prediction, judged)

        return scored

    def published(self) -> Published:
        """Return both leaderboards as they stood in June 2026."""
        text = (
            resources.files("headwater.bench.lakeqa").joinpath("published.json").read_text(encoding="utf-8")
        )
        told = json.loads(text)
        for table in told["tables"].values():
            table["rows"] = [[row[0], *(f"{value:.2f}" for value in row[1:])] for row in table["rows"]]
        bars = [
            (f"{name}: {row[0]}", float(row[1]))
            for name, table in told["tables"].items()
            for row in table["rows"]
        ]
        tables = [
            (f"{name}, {table['tasks']} tasks", COLUMNS, table["rows"])
            for name, table in told["tables"].items()
        ]
        return Published(told["source"], "em", "Exact match as the harness counts it", bars, tables)

    def row(self, score: Mapping[str, Any]) -> Sequence[str]:
        """Return a result as a row of the leaderboard, without the name."""
        from headwater.bench.lakeqa._leaderboard import FIGURES

        found = [score["metrics"].get(metric) for _, metric, _ in FIGURES]
        return [
            "–" if figure is None else f"{figure['value'] * factor:.2f}"
            for figure, (_, _, factor) in zip(found, FIGURES, strict=True)
        ]


def _gold(tasks: Iterable[Task]) -> list[str]:
    return sorted({document for task in tasks for document in task.accepted})


def _item(task: Task) -> Item:
    count = len(task.documents)
    told = task.to_dict()
    slices = {
        "kind": task.kind or ("numeric" if isinstance(task.answer, int | float) else "text"),
        "documents": next((name for last, name in BINS if count <= last), "19 or more"),
        "K": f"{count:02d}",
        "hops": str(task.hops) if task.hops else "",
        "namespaces": "+".join(sorted({d.split("/")[0] for d in task.documents})),
    }
    return Item(task.id, task.question, task.answer, task.kind or "text", slices, told)
