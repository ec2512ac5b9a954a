"""The tool-use baseline: table names only, the published tools, a fixed number of calls."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from headwater.bench._model import AgentSetup, Item, Prediction
from headwater.bench.dwbench import _prompts as prompts
from headwater.bench.dwbench._agents import graph_of
from headwater.bench.dwbench._contract import instructions, read_answer
from headwater.bench.dwbench._talk import Talk
from headwater.errors import HeadwaterError
from headwater.models import Message, Tool, ToolCall, mismatch

if TYPE_CHECKING:
    from headwater.graph import SchemaGraph
    from headwater.models import ChatModel

CALLS, ROW_CALLS = 3, 5
_HIDDEN = {"graph", "limit"}
_OWN_ANSWER = "explain"
"""The tool that answers questions by itself: it is the exact agent, and no part of a baseline."""
_ROW_TOOLS = ("trace_row_lineage", "count_downstream", "list_tables", "describe_table")


class ToolAgent:
    """Lets the model call graph tools, at most `calls` times, and then asks for the answer.

    Parameters of the run: `calls` (3; 5 for questions about rows), `tools` ("published" or "all").
    """

    def __init__(self, setup: AgentSetup, graphs: Mapping[str, SchemaGraph]) -> None:
        self._setup, self._graphs = setup, graphs

    def answer(
        self, item: Item, model: ChatModel | None, *, repeat: int = 0, deadline: float | None = None
    ) -> Prediction:
        """Answer within the calls; a call that fails or is malformed counts and says why."""
        graph = graph_of(item, self._graphs)
        functions = self._functions(graph)
        tools = [described(name, function) for name, function in functions.items()]
        left = int(self._setup.parameters.get("calls") or (ROW_CALLS if graph.rows is not None else CALLS))
        talk = Talk(model, self._setup, deadline, prompts.TOOLS.format(calls=left), tools)
        wanted = instructions(item.answer_type)
        text = prompts.TOOLS_QUESTION.format(
            tables="\n".join(graph.tables), question=item.question, instructions=wanted
        )
        reply = talk.say(text)
        while reply.tool_calls and left > 0:
            results = []
            for call in reply.tool_calls:
                content = run_tool(functions, tools, call) if left > 0 else '{"error": "no calls are left"}'
                results.append(Message("tool", content, tool_call_id=call.id))
                left -= 1
            if left > 0:
                reply = talk.reply(*results, Message("user", prompts.TOOLS_LEFT.format(left=left)))
            else:
                reply = talk.reply(
                    *results, Message("user", prompts.TOOLS_DONE.format(instructions=wanted)), tools=False
                )
        return talk.prediction(read_answer(reply.text, item.answer_type), reply.text)

    def _functions(self, graph: SchemaGraph) -> dict[str, Callable[..., dict[str, Any]]]:
        from headwater.graph import tools_for

        published = self._setup.parameters.get("tools", "published") == "published"
        functions = tools_for(graph)
        if graph.rows is not None:
            return {name: functions[name] for name in _ROW_TOOLS} if published else _without_own(functions)
        return tools_for(graph, published_only=True) if published else _without_own(functions)


def _without_own(
    functions: Mapping[str, Callable[..., dict[str, Any]]],
) -> dict[str, Callable[..., dict[str, Any]]]:
    return {name: function for name, function in functions.items() if name != _OWN_ANSWER}


def described(name: str, function: Callable[..., Any]) -> Tool:
    """Return a function as a tool: the first lines of its docstring, and the JSON Schema of its signature."""
    bare = function.func if isinstance(function, partial) else function
    properties, required = {}, []
    for parameter in inspect.signature(bare).parameters.values():
        if parameter.name in _HIDDEN:
            continue
        properties[parameter.name] = _schema(str(parameter.annotation))
        if parameter.default is inspect.Parameter.empty:
            required.append(parameter.name)
    told = " ".join((inspect.getdoc(bare) or name).split())
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return Tool(name, told, schema)


_EDGE_KINDS = ["fk", "lineage", "fk+lineage"]
_NAMED: dict[str, dict[str, Any]] = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "bool": {"type": "boolean"},
    "Sequence[str]": {"type": "array", "items": {"type": "string"}},
    "EdgeKinds": {"type": "string", "enum": _EDGE_KINDS},
    "Keys": {"type": "string", "enum": ["children", "neighbours", "reachable", "none"]},
}


def _schema(annotation: str) -> dict[str, Any]:
    literal = re.fullmatch(r"Literal\[(.*)\]", annotation)
    if literal:
        return {"type": "string", "enum": re.findall(r"['\"]([^'\"]*)['\"]", literal[1])}
    return dict(_NAMED.get(annotation, {"type": "string"}))


def run_tool(functions: Mapping[str, Callable[..., Any]], tools: list[Tool], call: ToolCall) -> str:
    """Run a tool and return its result as JSON text; whatever is wrong with the call is an error for the model to read."""
    schema = next((tool.parameters for tool in tools if tool.name == call.name), None)
    if schema is None:
        return _error(f"there is no tool {call.name!r}", sorted(functions))
    problem = call.problem or mismatch(call.arguments, schema, "the arguments")
    if problem:
        return _error(problem)
    try:
        return json.dumps(functions[call.name](**(call.arguments or {})), ensure_ascii=False)
    except HeadwaterError as error:
        return _error(error.message, error.nearest)


def _error(message: str, nearest: list[str] | None = None) -> str:
    return json.dumps({"error": message, **({"nearest": nearest} if nearest else {})}, ensure_ascii=False)
