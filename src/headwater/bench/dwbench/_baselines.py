"""The six published baselines over any chat model, with their limits as the paper states them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from headwater.bench._model import Agent, AgentSetup, Item, Prediction
from headwater.bench.dwbench import _prompts as prompts
from headwater.bench.dwbench._agents import graph_of
from headwater.bench.dwbench._code_agent import CodeAgent
from headwater.bench.dwbench._context import (
    NEAREST_TABLES,
    chunks,
    flat_text,
    nearest_text,
    neighbourhood_text,
)
from headwater.bench.dwbench._contract import instructions, read_answer
from headwater.bench.dwbench._talk import Talk
from headwater.bench.dwbench._tool_agent import ToolAgent
from headwater.errors import SetupError
from headwater.models import parse_json

if TYPE_CHECKING:
    from headwater.graph import SchemaGraph
    from headwater.models import ChatModel
    from headwater.search import Embedder

Graphs = Mapping[str, "SchemaGraph"]


class ContextAgent:
    """Asks once, with a text about the schema in the prompt.

    Args:
        setup: the run's set-up; `max_tokens` is a parameter.
        graphs: graphs by key.
        show: what is shown of a graph for a question.
    """

    def __init__(self, setup: AgentSetup, graphs: Graphs, show: Callable[[str, SchemaGraph], str]) -> None:
        self._setup, self._graphs, self._show = setup, graphs, show

    def answer(
        self, item: Item, model: ChatModel | None, *, repeat: int = 0, deadline: float | None = None
    ) -> Prediction:
        """Answer in one call."""
        talk = Talk(model, self._setup, deadline, prompts.CONTEXT)
        context = self._show(item.question, graph_of(item, self._graphs))
        text = prompts.CONTEXT_QUESTION.format(
            context=context, question=item.question, instructions=instructions(item.answer_type)
        )
        reply = talk.say(text)
        return talk.prediction(read_answer(reply.text, item.answer_type), reply.text)


class _Nearest:
    """The tables whose text is nearest to a question, by the dot product of vectors of length 1."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._embedder: Embedder | None = None
        self._known: dict[int, tuple[dict[str, str], list[str], Any]] = {}

    def __call__(self, question: str, graph: SchemaGraph) -> str:
        with self._lock:
            embedder = self._loaded()
            if id(graph) not in self._known:
                texts = chunks(graph)
                self._known[id(graph)] = texts, list(texts), embedder.embed_passages(list(texts.values()))
            texts, names, vectors = self._known[id(graph)]
            scores = vectors @ embedder.embed_queries([question])[0]
        order = sorted(range(len(names)), key=lambda i: (-float(scores[i]), i))
        return nearest_text(graph, texts, [names[i] for i in order[:NEAREST_TABLES]])

    def _loaded(self) -> Embedder:
        if self._embedder is None:
            from headwater.search import load_embedder

            found = load_embedder()
            if found is None:
                raise SetupError("The vector baseline needs an embedder.")
            self._embedder = found
        return self._embedder


class OracleAgent:
    """Gives the right answer in words and asks for the form: what it loses, form alone loses."""

    def __init__(self, setup: AgentSetup, graphs: Graphs) -> None:
        self._setup = setup

    def answer(
        self, item: Item, model: ChatModel | None, *, repeat: int = 0, deadline: float | None = None
    ) -> Prediction:
        """Answer in one call."""
        talk = Talk(model, self._setup, deadline, prompts.ORACLE)
        text = prompts.ORACLE_QUESTION.format(
            kind=item.slices.get("kind", ""),
            question=item.question,
            gold=in_words(item.gold),
            form=prompts.ORACLE_FORMS[item.answer_type],
        )
        reply = talk.say(text)
        value, _ = parse_json(reply.text, {"type": "object", "required": ["answer"]})
        return talk.prediction(value["answer"] if value else None, reply.text)


def in_words(gold: Any) -> str:
    """Return an answer in words."""
    if isinstance(gold, bool):
        return "yes" if gold else "no"
    if isinstance(gold, list):
        return ", ".join(map(str, gold)) if gold else "none at all (an empty list)"
    return str(gold)


def _flat(_: str, graph: SchemaGraph) -> str:
    return flat_text(graph)


def _graph_augmented(setup: AgentSetup, graphs: Graphs) -> Agent:
    substrings = setup.parameters.get("anchors", "substring") == "substring"
    return ContextAgent(
        setup, graphs, lambda question, graph: neighbourhood_text(question, graph, substrings=substrings)
    )


BASELINES: Mapping[str, Callable[[AgentSetup, Graphs], Agent]] = {
    "flat": lambda setup, graphs: ContextAgent(setup, graphs, _flat),
    "vector": lambda setup, graphs: ContextAgent(setup, graphs, _Nearest()),
    "graph-aug": _graph_augmented,
    "tools": ToolAgent,
    "code": CodeAgent,
    "oracle": OracleAgent,
}
