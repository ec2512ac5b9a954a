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
        calls: calls that were paid for, those included whose reply broke off after it had begun.
        input_tokens: tokens sent, as the provider counts them, with those from and to its cache.
        output_tokens: tokens received, thinking included.
        usd: price in US dollars, see `ModelInfo.price`.
        seconds: time spent waiting.
        cached_tokens: of the tokens sent, those that the provider read from its cache.
        written_tokens: of the tokens sent, those that it wrote to its cache.
    """

    calls: int = 0
    input_tokens: int | None = 0
    output_tokens: int | None = 0
    usd: float | None = 0.0
    seconds: float = 0.0
    cached_tokens: int | None = 0
    written_tokens: int | None = 0

    @property
    def tokens(self) -> int | None:
        """Tokens sent and received together."""
        if self.input_tokens is None or self.output_tokens is None:
            return None
        return self.input_tokens + self.output_tokens

    def __add__(self, other: Usage) -> Usage:
        def both(a: Any, b: Any) -> Any:
            return None if a is None or b is None else a + b

        return Usage(
            self.calls + other.calls,
            both(self.input_tokens, other.input_tokens),
            both(self.output_tokens, other.output_tokens),
            both(self.usd, other.usd),
            self.seconds + other.seconds,
            both(self.cached_tokens, other.cached_tokens),
            both(self.written_tokens, other.written_tokens),
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
    """One message of a conversation.

    Attributes:
        role: who speaks.
        content: the words.
        tool_calls: of the assistant.
        tool_call_id: of a tool: the call whose result this is.
        native: of the assistant: the reply as its provider wants it back (`ChatReply.native`).
    """

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
    native: Mapping[str, Any] | None = None


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
        one_call: the model is asked for one tool call at a time, where the provider knows how to.
        tool_choice: "required" where the reply must be a call of a tool, "auto" where the model is free.
        repeat: number of the repetition; not sent, but repetitions are never answered from each other's cache.
    """

    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] = ()
    schema: Mapping[str, Any] | None = None
    temperature: float = 0.0
    max_tokens: int = 2048
    seed: int | None = None
    repeat: int = 0
    one_call: bool = False
    tool_choice: Literal["auto", "required"] = "auto"

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
        told += sum(len(json.dumps(m.native, default=dict)) for m in self.messages if m.native)
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
        cached: whether it came from our own cache and cost nothing now.
        data: the JSON value of a reply that had to follow a schema; None if it does not.
        problem: what is wrong with the reply, for the model to read: why `data` is None, or that its call cannot be read.
        native: where a provider wants more back than words and calls (thinking and its signature): that, as JSON.
    """

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    finish: str = "stop"
    cached: bool = False
    data: Any = None
    problem: str = ""
    native: Mapping[str, Any] | None = None

    def message(self) -> Message:
        """Return the reply as a message, to go on with the conversation."""
        return Message("assistant", self.text, self.tool_calls, native=self.native)

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


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What is known of a model before it is called.

    Attributes:
        price: what dollars are counted by, in words; "" if no price is known.
        context: tokens that a request and its reply may have together, None if that is not known.
    """

    price: str = ""
    context: int | None = None


class Watch(Protocol):
    """Follows a reply while it arrives. Its methods are called from another thread, one at a time."""

    def text(self, piece: str) -> None:
        """More of the reply's words."""
        ...

    def again(self, reason: str) -> None:
        """The call failed and is made again; words shown so far are void."""
        ...


class ChatModel(Protocol):
    """Anything that replies to a request."""

    @property
    def id(self) -> str:
        """What identifies the model, for instance "openai:gpt-x"; part of the key of the cache."""
        ...

    @property
    def info(self) -> ModelInfo:
        """What is known of the model without calling it."""
        ...

    def complete(
        self, request: ChatRequest, *, deadline: float | None = None, watch: Watch | None = None
    ) -> ChatReply:
        """Reply to a request.

        Args:
            request: the request.
            deadline: time of `time.monotonic` after which the call is given up.
            watch: follows the reply as it arrives; without one it is not streamed.

        Raises:
            ModelError: the provider cannot be reached, or keeps failing.
            ContextError: the request is longer than the model takes.
            SetupError: the key is missing or refused, the model does not exist, or a package is missing.
            DeadlineError: the deadline has passed.
        """
        ...

    def usd_at_most(self, request: ChatRequest) -> float | None:
        """Return what the call can cost at most, in US dollars; None if no price is known."""
        ...
