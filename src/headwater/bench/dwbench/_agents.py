"""The agents of the suite by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from headwater.bench._model import Agent, AgentSetup, Item, Prediction
from headwater.bench.dwbench._load import graph_key
from headwater.bench.dwbench._questions import read_question
from headwater.errors import SetupError, UsageError

if TYPE_CHECKING:
    from headwater.graph import SchemaGraph
    from headwater.models import ChatModel


def make_agent(name: str, setup: AgentSetup, graphs: Mapping[str, SchemaGraph]) -> Agent:
    """Return an agent over the graphs.

    Raises:
        UsageError: there is no agent of that name.
    """
    if name == "exact":
        return ExactAgent(graphs)
    from headwater.bench.dwbench._baselines import BASELINES

    if name not in BASELINES:
        raise UsageError(f"There is no agent {name!r}.", nearest=["exact", *BASELINES])
    return BASELINES[name](setup, graphs)


def graph_of(item: Item, graphs: Mapping[str, SchemaGraph]) -> SchemaGraph:
    """Return the graph an item is about.

    Raises:
        SetupError: it was not found beside the questions.
    """
    key = graph_key(read_question(item.details))
    if key not in graphs:
        raise SetupError(
            f"There is no schema for {key}.", hint=f"Put {key}/schema.json beside the questions."
        )
    return graphs[key]


class ExactAgent:
    """Headwater's own answer: the question is read by a grammar and computed on the graph, or it abstains."""

    def __init__(self, graphs: Mapping[str, SchemaGraph]) -> None:
        self._graphs = graphs

    def answer(
        self, item: Item, model: ChatModel | None, *, repeat: int = 0, deadline: float | None = None
    ) -> Prediction:
        """Answer as `headwater graph ask` does; the trace holds reading and semantics."""
        from headwater.graph import ask

        found = ask(graph_of(item, self._graphs), item.question)
        step = {
            "semantics": found.semantics,
            "reading": found.reading,
            "missing": found.missing,
            "args": found.args,
        }
        return Prediction(found.status, found.answer, found.reading or found.missing, [step])
