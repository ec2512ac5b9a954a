"""What a scripted reply looks like in the formats of three providers: OpenAI's chat completions, Anthropic's messages,
Google's generateContent; each as one JSON object or as a stream of server-sent events."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Said:
    """A reply, whatever the format.

    Attributes:
        text: its words.
        calls: (tool, arguments); arguments that are a string are sent as they are, well-formed or not.
        tokens: sent (with those from and to the provider's cache) and received; None: not told.
        cached, written: tokens read from and written to the provider's cache.
        finish: stop, length, tool_calls or content_filter.
        thought: thinking and its signature, for providers that want it back.
    """

    text: str = ""
    calls: tuple[tuple[str, Any], ...] = ()
    tokens: tuple[int, int] | None = (10, 5)
    cached: int = 0
    written: int = 0
    finish: str = ""
    thought: tuple[str, str] | None = None

    @property
    def end(self) -> str:
        return self.finish or ("tool_calls" if self.calls else "stop")


def pieces(text: str) -> list[str]:
    """A text in parts, as a stream sends it."""
    return [text[i : i + 5] for i in range(0, len(text), 5)]


def raw(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def sse(events: Iterable[Mapping[str, Any]], *, named: bool = False, end: str = "") -> list[bytes]:
    """Server-sent events, one bytes object each."""
    out = [(f"event: {e['type']}\n" if named else "") + f"data: {json.dumps(e)}\n\n" for e in events]
    return [event.encode() for event in [*out, *([end] if end else [])]]


class OpenAI:
    """Chat completions."""

    @staticmethod
    def usage(said: Said) -> dict[str, Any]:
        assert said.tokens is not None
        sent, got = said.tokens
        told = {"prompt_tokens": sent, "completion_tokens": got, "total_tokens": sent + got}
        return told | ({"prompt_tokens_details": {"cached_tokens": said.cached}} if said.cached else {})

    @staticmethod
    def call(number: int, name: str, arguments: Any) -> dict[str, Any]:
        return {
            "id": f"call_{number}",
            "type": "function",
            "function": {"name": name, "arguments": raw(arguments)},
        }

    def whole(self, said: Said) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": said.text or None}
        if said.calls:
            message["tool_calls"] = [self.call(i, *c) for i, c in enumerate(said.calls)]
        value = {
            "id": "x",
            "object": "chat.completion",
            "created": 1,
            "model": "scripted",
            "choices": [{"index": 0, "message": message, "finish_reason": said.end}],
        }
        return value | ({"usage": self.usage(said)} if said.tokens else {})

    def stream(self, said: Said) -> list[bytes]:
        def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
            head = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
            return head | {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

        events = [chunk({"role": "assistant", "content": ""})]
        events += [chunk({"content": p}) for p in pieces(said.text)]
        for i, (name, arguments) in enumerate(said.calls):
            first = self.call(i, name, "")
            events.append(chunk({"tool_calls": [{"index": i, **first}]}))
            events += [
                chunk({"tool_calls": [{"index": i, "function": {"arguments": p}}]})
                for p in pieces(raw(arguments))
            ]
        events.append(chunk({}, said.end))
        if said.tokens:
            events.append(chunk({}) | {"choices": [], "usage": self.usage(said)})
        return sse(events, end="data: [DONE]\n\n")

    @staticmethod
    def failure(status: int, message: str, code: str) -> dict[str, Any]:
        return {"error": {"message": message, "type": "scripted", "code": code or None}}


class Anthropic:
    """Messages. Tokens from and to the cache are told beside `input_tokens`, not in it."""

    ENDS = {
        "stop": "end_turn",
        "length": "max_tokens",
        "tool_calls": "tool_use",
        "content_filter": "refusal",
    }

    def blocks(self, said: Said) -> list[dict[str, Any]]:
        blocks: list[dict[str, Any]] = []
        if said.thought:
            blocks.append({"type": "thinking", "thinking": said.thought[0], "signature": said.thought[1]})
        if said.text:
            blocks.append({"type": "text", "text": said.text})
        return blocks + [
            {"type": "tool_use", "id": f"toolu_{i}", "name": name, "input": arguments}
            for i, (name, arguments) in enumerate(said.calls)
        ]

    @staticmethod
    def head(said: Said) -> dict[str, Any]:
        sent, got = said.tokens or (0, 0)
        usage = {"input_tokens": sent - said.cached - said.written, "output_tokens": got}
        usage |= {"cache_read_input_tokens": said.cached, "cache_creation_input_tokens": said.written}
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "scripted",
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": usage,
        }

    def whole(self, said: Said) -> dict[str, Any]:
        return self.head(said) | {"content": self.blocks(said), "stop_reason": self.ENDS[said.end]}

    def stream(self, said: Said) -> list[bytes]:
        head = self.head(said)
        got = head["usage"]["output_tokens"]
        events: list[dict[str, Any]] = [
            {"type": "message_start", "message": head | {"usage": head["usage"] | {"output_tokens": 1}}}
        ]
        for i, block in enumerate(self.blocks(said)):
            empty, deltas = self.parts(block)
            events.append({"type": "content_block_start", "index": i, "content_block": empty})
            events += [{"type": "content_block_delta", "index": i, "delta": d} for d in deltas]
            events.append({"type": "content_block_stop", "index": i})
        ends = {"stop_reason": self.ENDS[said.end], "stop_sequence": None}
        events.append({"type": "message_delta", "delta": ends, "usage": {"output_tokens": got}})
        return sse([*events, {"type": "message_stop"}], named=True)

    @staticmethod
    def parts(block: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        if block["type"] == "text":
            return block | {"text": ""}, [{"type": "text_delta", "text": p} for p in pieces(block["text"])]
        if block["type"] == "tool_use":
            given = pieces(raw(block["input"]))
            return block | {"input": {}}, [{"type": "input_json_delta", "partial_json": p} for p in given]
        deltas = [{"type": "thinking_delta", "thinking": p} for p in pieces(block["thinking"])]
        signed = {"type": "signature_delta", "signature": block["signature"]}
        return block | {"thinking": "", "signature": ""}, [*deltas, signed]

    @staticmethod
    def failure(status: int, message: str, code: str) -> dict[str, Any]:
        return {"type": "error", "error": {"type": code or "api_error", "message": message}}


class Google:
    """generateContent and streamGenerateContent. Arguments are objects; malformed ones are told by a reason to stop."""

    ENDS = {"stop": "STOP", "length": "MAX_TOKENS", "tool_calls": "STOP", "content_filter": "SAFETY"}
    STATUS = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND"} | {
        429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED"
    }  # fmt: skip

    def told(self, said: Said, parts: list[dict[str, Any]], *, last: bool) -> dict[str, Any]:
        candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}, "index": 0}
        value: dict[str, Any] = {"candidates": [candidate], "modelVersion": "scripted", "responseId": "r"}
        if last:
            spoilt = any(isinstance(a, str) for _, a in said.calls)
            candidate["finishReason"] = "MALFORMED_FUNCTION_CALL" if spoilt else self.ENDS[said.end]
        if last and said.tokens:
            sent, got = said.tokens
            usage = {"promptTokenCount": sent, "candidatesTokenCount": got, "totalTokenCount": sent + got}
            value["usageMetadata"] = usage | ({"cachedContentTokenCount": said.cached} if said.cached else {})
        return value

    def calls(self, said: Said) -> list[dict[str, Any]]:
        parts: list[dict[str, Any]] = [
            {"functionCall": {"name": n, "args": a}} for n, a in said.calls if not isinstance(a, str)
        ]
        if said.thought and parts:
            parts[0]["thoughtSignature"] = base64.b64encode(said.thought[1].encode()).decode()
        return parts

    def whole(self, said: Said) -> dict[str, Any]:
        words = [{"text": said.text}] if said.text else []
        return self.told(said, words + self.calls(said), last=True)

    def stream(self, said: Said) -> list[bytes]:
        words = [self.told(said, [{"text": p}], last=False) for p in pieces(said.text)]
        return sse([*words, self.told(said, self.calls(said), last=True)])

    @staticmethod
    def failure(status: int, message: str, code: str) -> dict[str, Any]:
        named = code or Google.STATUS.get(status, "UNKNOWN")
        return {"error": {"code": status, "message": message, "status": named}}


Wire = OpenAI | Anthropic | Google


def wire_of(path: str) -> Wire:
    """The format that is spoken at a path."""
    if path.endswith("/chat/completions"):
        return OpenAI()
    return Anthropic() if path.endswith("/messages") else Google()
