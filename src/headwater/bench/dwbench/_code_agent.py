"""The code baseline: the model writes Python over the graph, which runs in the sandbox, for a fixed number of rounds."""

from __future__ import annotations

import importlib.util
import json
import re
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from headwater.bench._model import AgentSetup, Item, Prediction
from headwater.bench.dwbench import _prompts as prompts
from headwater.bench.dwbench._agents import graph_of
from headwater.bench.dwbench._contract import instructions, read_answer
from headwater.bench.dwbench._talk import Talk
from headwater.errors import LimitError

if TYPE_CHECKING:
    from headwater.graph import SchemaGraph
    from headwater.models import ChatModel
    from headwater.sandbox import CodeResult

ROUNDS = 5
_SAMPLE = 20
_SHOWN = 8_000
_CODE = re.compile(r"```(?:python|py)\s*\n(.*?)```", re.DOTALL)


class CodeAgent:
    """Runs what the model writes and shows it the outcome, at most `rounds` times (5)."""

    def __init__(self, setup: AgentSetup, graphs: Mapping[str, SchemaGraph]) -> None:
        self._setup, self._graphs = setup, graphs
        self._files: dict[int, bytes] = {}
        self._networkx = importlib.util.find_spec("networkx") is not None

    def answer(
        self, item: Item, model: ChatModel | None, *, repeat: int = 0, deadline: float | None = None
    ) -> Prediction:
        """Answer within the rounds; code that fails counts and its error is shown."""
        from headwater.sandbox import CodeLimits, Sandbox

        graph = graph_of(item, self._graphs)
        left = int(self._setup.parameters.get("rounds") or ROUNDS)
        wanted = instructions(item.answer_type)
        talk = Talk(model, self._setup, deadline, self._system(graph, left))
        reply = talk.say(_question(item, graph, wanted))
        if id(graph) not in self._files:
            self._files[id(graph)] = graph_file(graph)
        with Sandbox({"graph.json": self._files[id(graph)]}, CodeLimits(seconds=20.0)) as box:
            talk.trace.append({"sandbox": box.layers})
            while left > 0 and (code := _code_in(reply.text)) is not None:
                seconds = None if deadline is None else deadline - time.monotonic()
                if seconds is not None and seconds <= 0:
                    raise LimitError("The time for this item is used up.")
                result = box.run(code, seconds=seconds, setup=prompts.PREAMBLE)
                left -= 1
                form = prompts.CODE_OUTPUT if left else prompts.CODE_DONE
                reply = talk.say(form.format(outcome=_outcome(result), left=left, instructions=wanted))
        return talk.prediction(read_answer(reply.text, item.answer_type), reply.text)

    def _system(self, graph: SchemaGraph, rounds: int) -> str:
        graphs = prompts.CODE_GRAPHS if self._networkx else ""
        rows = prompts.CODE_ROWS if graph.rows is not None else ""
        return prompts.CODE.format(rounds=rounds, graphs=graphs, rows=rows)


def _question(item: Item, graph: SchemaGraph, wanted: str) -> str:
    return prompts.CODE_QUESTION.format(
        tables=len(graph.tables),
        keys=len({(k.child, k.parent) for k in graph.foreign_keys}),
        flows=len({(e.source, e.target) for e in graph.lineage}),
        sample=", ".join(list(graph.tables)[:_SAMPLE]),
        question=item.question,
        instructions=wanted,
    )


def graph_file(graph: SchemaGraph) -> bytes:
    """Return what the code finds as graph.json."""
    value: dict[str, Any] = {
        "tables": list(graph.tables),
        "fk": list(dict.fromkeys((k.child, k.parent) for k in graph.foreign_keys)),
        "lineage": list(dict.fromkeys((e.source, e.target) for e in graph.lineage)),
    }
    if graph.rows is not None:
        value["row_links"] = [
            [table.name, row, *_parts(source)]
            for table in graph.rows.tables
            for row in range(table.rows)
            for source in graph.rows.direct_sources(table.name, row)
        ]
    return json.dumps(value).encode()


def _parts(label: str) -> tuple[str, int]:
    table, _, row = label.rpartition(":row_")
    return table, int(row)


def _code_in(text: str) -> str | None:
    """Return the code in a reply; a reply that holds an answer too is an answer."""
    found = _CODE.search(text)
    return (
        found[1] if found and not re.search(r'"answer_(?:list|int|bool|str)"', text[found.end() :]) else None
    )


def _outcome(result: CodeResult) -> str:
    parts = []
    if result.output:
        parts.append(f"Printed:\n{_cut(result.output)}")
    if result.value is not None:
        parts.append(f"result = {_cut(json.dumps(result.value, ensure_ascii=False))}")
    if result.error:
        parts.append(
            f"Error: {result.error.message}{f' ({result.error.where})' if result.error.where else ''}"
        )
    return "\n\n".join(parts) or "Nothing was printed and `result` was not set."


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}\n… {len(text) - _SHOWN} more characters"
