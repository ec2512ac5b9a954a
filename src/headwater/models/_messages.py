"""What goes to a chat model and what comes back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, Protocol


@dataclass(frozen=True, slots=True)
class Usage:
    """What calls cost; None is unknown, and a sum with an unknown part is unknown.

    Attributes:
        calls: calls that were paid for.
        input_tokens: tokens sent, as the provider counts them.
        output_tokens: tokens received.
        usd: price in US dollars by the price table.
        seconds: time spent waiting.
    """

    calls: int = 0
    input_tokens: int | None = 0
    output_tokens: int | None = 0
    usd: float | None = 0.0
    seconds: float = 0.0

    def __add__(self, other: Usage) -> Usage:
        def both(a: Any, b: Any) -> Any:
            return None if a is None or b is None else a + b

        return Usage(
            self.calls + other.calls,
            both(self.input_tokens, other.input_tokens),
            both(self.output_tokens, other.output_tokens),
            both(self.usd, other.usd),
            self.seconds + other.seconds,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as a JSON object."""
        return asdict(self)

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Usage:
        """Return the usage that `to_dict` gave."""
        return cls(**{name: value[name] for name in cls.__dataclass_fields__ if name in value})


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's wish to call a tool.

    Attributes:
        id: the provider's id of the call.
        name: name of the tool.
        arguments: the arguments, or None where they are no JSON object.
        problem: what is wrong with them, for the model to read; "" if nothing.
    """

    id: str
    name: str
    arguments: dict[str, Any] | None
    problem: str = ""
    raw: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation; a tool's result carries the id of the call it answers."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool a model may call: name, one sentence, and the JSON Schema of its arguments."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A request in full: whatever changes the reply is in here, and so in the key of the cache.

    Attributes:
        messages: the conversation so far.
        tools: tools that may be called.
        schema: JSON Schema that the reply has to follow, or None for text.
        temperature: 0 for the likeliest reply.
        max_tokens: output tokens at most.
        seed: for providers that take one.
        repeat: number of the repetition; not sent, but repetitions are never answered from each other's cache.
    """

    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] = ()
    schema: Mapping[str, Any] | None = None
    temperature: float = 0.0
    max_tokens: int = 2048
    seed: int | None = None
    repeat: int = 0

    def with_messages(self, *messages: Message) -> ChatRequest:
        """Return the request with further messages at the end."""
        return replace(self, messages=(*self.messages, *messages))

    def key(self, model: str) -> str:
        """Return the hash (SHA-256, hexadecimal) of the whole request to `model`."""
        content = json.dumps([model, asdict(self)], sort_keys=True, ensure_ascii=False, default=dict)
        return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()

    def rough_tokens(self) -> int:
        """Return an estimate of the input tokens, for limits that must hold before the call: 3 bytes a token."""
        told = sum(len(m.content.encode("utf-8", "replace")) + 12 for m in self.messages)
        told += sum(len(call.raw) for m in self.messages for call in m.tool_calls)
        extra = json.dumps([[t.name, t.description, t.parameters] for t in self.tools], default=dict)
        extra += json.dumps(self.schema, default=dict) if self.schema else ""
        return (told + len(extra)) // 3 + 1


@dataclass(frozen=True, slots=True)
class ChatReply:
    """A model's reply.

    Attributes:
        text: its words; "" if it only calls tools.
        tool_calls: the calls it asks for, malformed ones included.
        usage: tokens and money of the call as first made; a reply from the cache keeps them.
        model: name of the model as the provider reports it.
        finish: why it stopped: "stop", "length", "tool_calls" …
        cached: whether it came from the cache and cost nothing now.
        data: the JSON value of a reply that had to follow a schema; None if it does not.
        problem: why `data` is None.
    """

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    finish: str = "stop"
    cached: bool = False
    data: Any = None
    problem: str = ""

    def message(self) -> Message:
        """Return the reply as a message, to go on with the conversation."""
        return Message("assistant", self.text, self.tool_calls)

    def to_dict(self) -> dict[str, Any]:
        """Return the reply as a JSON object that `from_dict` reads."""
        value = asdict(self)
        del value["cached"]
        return value

    @classmethod
    def from_dict(cls, value: Mapping[str, Any], *, cached: bool = False) -> ChatReply:
        """Return the reply that `to_dict` gave."""
        fields = dict(value)
        fields["usage"] = Usage.from_dict(fields.get("usage", {}))
        fields["tool_calls"] = tuple(ToolCall(**call) for call in fields.get("tool_calls", ()))
        return cls(**fields, cached=cached)


class ChatModel(Protocol):
    """Anything that replies to a request."""

    @property
    def id(self) -> str:
        """What identifies the model, for instance "openai:gpt-x"; part of the key of the cache."""
        ...

    def complete(self, request: ChatRequest, *, deadline: float | None = None) -> ChatReply:
        """Reply to a request.

        Args:
            request: the request.
            deadline: time of `time.monotonic` after which the call is given up.

        Raises:
            ModelError: the provider cannot be reached, or keeps failing.
            SetupError: the key is missing or refused.
            LimitError: the deadline has passed.
        """
        ...

    def usd_at_most(self, request: ChatRequest) -> float | None:
        """Return what the call can cost at most, in US dollars; None if no price is known."""
        ...
