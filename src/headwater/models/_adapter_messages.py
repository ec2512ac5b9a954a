"""Our requests in the library's terms, and its responses in ours."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)  # fmt: skip
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.settings import CacheConfig, ModelSettings
from pydantic_ai.tools import ToolDefinition

from headwater.models._messages import ChatReply, ChatRequest, Message, ToolCall, Usage
from headwater.models._schema import parse_json

_NATIVE = ("parts", "kind", "model_name", "provider_name", "canonical_system")
"""What is kept of a response that has to go back as it came."""

_ENDS = {"tool_call": "tool_calls"}


def sent_messages(request: ChatRequest) -> list[ModelMessage]:
    """Return the conversation."""
    out: list[ModelMessage] = []
    tools = {c.id: c.name for m in request.messages for c in m.tool_calls}
    for message in request.messages:
        if message.role == "assistant":
            out.append(_response(message))
            continue
        part = _part(message, tools)
        if out and isinstance(out[-1], ModelRequest):
            out[-1] = replace(out[-1], parts=[*out[-1].parts, part])
        else:
            out.append(ModelRequest(parts=[part]))
    return out


def _part(message: Message, tools: Mapping[str, str]) -> ModelRequestPart:
    if message.role == "system":
        return SystemPromptPart(message.content)
    if message.role == "tool":
        name = tools.get(message.tool_call_id, "tool")
        return ToolReturnPart(name, message.content, message.tool_call_id)
    return UserPromptPart(message.content)


def _response(message: Message) -> ModelResponse:
    """Return a message of the model; calls that were dropped from it are dropped from its native form too."""
    kept = {call.id for call in message.tool_calls}
    if message.native is not None:
        [response] = ModelMessagesTypeAdapter.validate_python([dict(message.native)])
        assert isinstance(response, ModelResponse)
        parts = [p for p in response.parts if not isinstance(p, ToolCallPart) or p.tool_call_id in kept]
        return replace(response, parts=parts)
    words = [TextPart(message.content)] if message.content else []
    calls = [
        ToolCallPart(c.name, c.raw if c.raw else json.dumps(c.arguments or {}), c.id)
        for c in message.tool_calls
    ]
    return ModelResponse(parts=[*words, *calls])


def with_schema(request: ChatRequest) -> ChatRequest:
    """Return the request with its schema written into the last message, for servers that take none."""
    if request.schema is None:
        return request
    told = "Reply with one JSON object that follows this JSON Schema, and nothing else:"
    *before, last = request.messages
    asked = replace(last, content=f"{last.content}\n\n{told}\n{json.dumps(request.schema, default=dict)}")
    return replace(request, messages=(*before, asked))


def sent_parameters(request: ChatRequest, *, native: bool) -> ModelRequestParameters:
    """Return the tools and, if `native`, the schema that the reply has to follow."""
    tools = [
        ToolDefinition(name=t.name, description=t.description, parameters_json_schema=dict(t.parameters))
        for t in request.tools
    ]
    if request.schema is None or not native:
        return ModelRequestParameters(function_tools=tools)
    wanted = OutputObjectDefinition(json_schema=dict(request.schema), name="reply")
    return ModelRequestParameters(function_tools=tools, output_mode="native", output_object=wanted)


def sent_settings(request: ChatRequest, seconds: float, *, one_call: bool) -> ModelSettings:
    """Return the settings of a call that has `seconds`; `one_call` asks for one tool call at a time."""
    settings = ModelSettings(
        temperature=request.temperature, max_tokens=request.max_tokens, timeout=seconds, max_retries=0
    )
    if request.seed is not None:
        settings["seed"] = request.seed
    if request.tools:
        # The tools and the system text stay the same from round to round; the rest does not.
        settings["cache"] = CacheConfig(messages=False)
        if one_call:
            settings["parallel_tool_calls"] = False
        if request.tool_choice == "required":
            settings["tool_choice"] = "required"
    return settings


def read_response(response: ModelResponse, request: ChatRequest) -> ChatReply:
    """Return a reply; tokens are told, money is not."""
    text = "".join(p.content for p in response.parts if isinstance(p, TextPart))
    calls = tuple(_tool_call(p) for p in response.parts if isinstance(p, ToolCallPart))
    data, problem = None, ""
    if request.schema is not None and not calls:
        data, problem = parse_json(text, request.schema)
    elif response.finish_reason == "error":
        why = (response.provider_details or {}).get("finish_reason", "an error")
        problem = f"The provider could not read your reply ({why}). Call one tool with one JSON object."
    finish = str(response.finish_reason or "stop")
    return ChatReply(
        text, calls, _usage(response), response.model_name or "", _ENDS.get(finish, finish), False, data, problem,
        _native(response),
    )  # fmt: skip


def _tool_call(part: ToolCallPart) -> ToolCall:
    """Read a tool call; one whose arguments are no JSON object is kept and says so."""
    given = part.args if isinstance(part.args, str) else json.dumps(part.args or {})
    try:
        arguments = json.loads(given or "{}")
        problem = "" if isinstance(arguments, dict) else "the arguments are no JSON object"
    except ValueError as error:
        arguments, problem = None, f"the arguments are not JSON: {error}"
    return ToolCall(part.tool_call_id, part.tool_name, None if problem else arguments, problem, given or "{}")


def _usage(response: ModelResponse) -> Usage:
    told = response.usage
    if told.unmeasured_requests:
        return Usage(1, None, None, None, 0.0, None, None)
    return Usage(
        1, told.input_tokens, told.output_tokens, None, 0.0, told.cache_read_tokens, told.cache_write_tokens
    )


def _native(response: ModelResponse) -> dict[str, Any] | None:
    """Return the response as it has to go back, if words and calls are not all of it."""
    plain = all(
        isinstance(p, TextPart | ToolCallPart) and not p.provider_details and not p.id for p in response.parts
    )
    if plain and not any(isinstance(p, ThinkingPart) for p in response.parts):
        return None
    [whole] = ModelMessagesTypeAdapter.dump_python([response], mode="json")
    kept = {name: whole[name] for name in _NATIVE if whole.get(name) is not None}
    kept["parts"] = [{k: v for k, v in part.items() if v is not None} for part in kept["parts"]]
    return kept
