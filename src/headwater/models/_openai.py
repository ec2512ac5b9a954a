"""A client for chat completions as OpenAI defines them, and as many servers speak them."""

from __future__ import annotations

import email.utils
import json
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headwater.errors import LimitError, MissingExtraError, SetupError
from headwater.models._errors import ModelError
from headwater.models._limiter import RateLimiter
from headwater.models._messages import ChatReply, ChatRequest, Message, ToolCall, Usage
from headwater.models._prices import Price
from headwater.models._schema import mismatch

if TYPE_CHECKING:
    import httpx

_RETRIED = {408, 409, 425, 429, 500, 502, 503, 504, 529}
_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.5, 60.0
_LONGEST_REPLY = 20_000_000
"""Bytes of a reply at most; more is no reply of a chat model."""


@dataclass(frozen=True, slots=True)
class ClientOptions:
    """How the client behaves.

    Attributes:
        timeout: seconds for one try, from sending to the last byte.
        retries: tries after the first, for time-outs, refused connections and status 408, 429 and 5xx.
        structured: how a reply is made to follow a schema: "json_schema" sends the schema to the server, "prompt" writes it
            into the last message, for servers without that.
    """

    timeout: float = 120.0
    retries: int = 5
    structured: str = "json_schema"


class OpenAIModel:
    """A chat model behind an OpenAI-compatible endpoint. Safe to use from several threads.

    Args:
        provider: what the spec string names, for the id and the price.
        name: the model's name.
        base_url: up to and without "/chat/completions".
        key: the API key, or ""; sent as a header and kept out of every message, repr and error.
        price: what it costs, or None if that is not known.
        limiter: limits per minute, shared between models of one endpoint.
        options: time-outs and retries.
        sleep: how to wait, for tests.
    """

    def __init__(
        self,
        provider: str,
        name: str,
        base_url: str,
        key: str = "",
        *,
        price: Price | None = None,
        limiter: RateLimiter | None = None,
        options: ClientOptions | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._provider, self._name, self._url = provider, name, base_url.rstrip("/") + "/chat/completions"
        self._key, self._price, self._sleep = key, price, sleep
        self._limiter, self._options = limiter or RateLimiter(), options or ClientOptions()
        self._client: httpx.Client | None = None

    def __repr__(self) -> str:
        return f"OpenAIModel({self.id!r})"

    @property
    def id(self) -> str:
        """Provider and name: "openai:NAME"."""
        return f"{self._provider}:{self._name}"

    def usd_at_most(self, request: ChatRequest) -> float | None:
        """Return the price of the estimated input and of as many output tokens as are allowed."""
        return self._price.usd(request.rough_tokens(), request.max_tokens) if self._price else None

    def complete(self, request: ChatRequest, *, deadline: float | None = None) -> ChatReply:
        """Reply to a request, see `ChatModel.complete`."""
        body = self._body(request)
        rough = request.rough_tokens() + request.max_tokens
        for attempt in range(self._options.retries + 1):
            ticket = self._limiter.acquire(rough, deadline)
            began = time.monotonic()
            try:
                status, headers, content = self._post(body, deadline)
            except _Transient as failure:
                status, headers, problem = 0, {}, str(failure)
            else:
                if status == 200:
                    reply = self._reply(content, request, time.monotonic() - began)
                    told = [reply.usage.input_tokens, reply.usage.output_tokens]
                    if None not in told:
                        self._limiter.settle(ticket, sum(t for t in told if t is not None))
                    return reply
                problem = self._problem(status, content)
                if status not in _RETRIED:
                    raise self._refusal(status, problem)
            if attempt < self._options.retries:
                self._wait(attempt, headers, deadline)
        hint = "Try again later, or lower --concurrency and the calls per minute."
        raise ModelError(
            f"{self.id} failed {self._options.retries + 1} times, the last time so: {problem}",
            where=self._place(),
            hint=hint,
        )

    def _place(self) -> str:
        """The endpoint without anything that may be secret in it."""
        from urllib.parse import urlsplit

        parts = urlsplit(self._url)
        return f"{parts.scheme}://{parts.hostname or ''}{f':{parts.port}' if parts.port else ''}{parts.path}"

    def _body(self, request: ChatRequest) -> dict[str, Any]:
        messages = [_sent(m) for m in request.messages]
        body: dict[str, Any] = {
            "model": self._name,
            "messages": messages,
            "temperature": request.temperature,
            "max_tokens": request.max_tokens,
        }
        if request.seed is not None:
            body["seed"] = request.seed
        if request.tools:
            body["tools"] = [
                {
                    "type": "function",
                    "function": {
                        "name": t.name,
                        "description": t.description,
                        "parameters": dict(t.parameters),
                    },
                }
                for t in request.tools
            ]
        if request.schema is not None and self._options.structured == "json_schema":
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "reply", "schema": dict(request.schema)},
            }
        elif request.schema is not None:
            told = f"\n\nReply with one JSON object that follows this JSON Schema, and nothing else:\n{json.dumps(request.schema)}"
            messages[-1]["content"] += told
        return body

    def _post(self, body: Mapping[str, Any], deadline: float | None) -> tuple[int, Mapping[str, str], bytes]:
        """Send a request; the time-out holds for the whole exchange, however slowly a server drips."""
        httpx = _httpx()
        if self._client is None:
            self._client = httpx.Client(follow_redirects=False, limits=httpx.Limits(max_connections=64))
        ends = time.monotonic() + self._options.timeout
        if deadline is not None:
            ends = min(ends, deadline)
        left = ends - time.monotonic()
        if left <= 0:
            raise LimitError(
                "The time for this item is used up.", hint="Give a longer one, e.g. --item-seconds 300."
            )
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        content = bytearray()
        try:
            with self._client.stream("POST", self._url, json=body, headers=headers, timeout=left) as answer:
                for chunk in answer.iter_bytes():
                    content += chunk
                    if time.monotonic() > ends:
                        raise _Transient("the reply did not end in time")
                    if len(content) > _LONGEST_REPLY:
                        raise ModelError(
                            f"{self.id} sent more than {_LONGEST_REPLY} bytes.", where=self._place()
                        )
                return answer.status_code, answer.headers, bytes(content)
        except httpx.TimeoutException as error:
            raise _Transient("no reply in time") from error
        except httpx.TransportError as error:
            raise _Transient(self._clean(f"no connection: {error}")) from error
        except (httpx.InvalidURL, httpx.DecodingError, UnicodeError) as error:
            raise ModelError(
                self._clean(f"The call of {self.id} is not possible: {error}"), where=self._place()
            ) from error

    def _wait(self, attempt: int, headers: Mapping[str, str], deadline: float | None) -> None:
        """Wait as the server says, else twice as long each time with full jitter (AWS Architecture Blog, 2015)."""
        told = _retry_after(headers.get("retry-after", ""))
        spread = random.uniform(0.5, 1.0) * _FIRST_WAIT_S * 2**attempt  # noqa: S311 - no secret
        wait = told + random.uniform(0, 0.25) if told is not None else min(spread, _LONGEST_WAIT_S)  # noqa: S311
        if deadline is not None and time.monotonic() + wait > deadline:
            raise LimitError(f"{self.id} asks to wait {wait:.0f} s, longer than this item has left.")
        self._sleep(wait)

    def _clean(self, text: str) -> str:
        """Return a text of the server without the key, on one line and short."""
        if self._key:
            text = text.replace(self._key, "***")
        return " ".join(text.split())[:500]

    def _problem(self, status: int, content: bytes) -> str:
        text = content.decode("utf-8", "replace")
        try:
            value = json.loads(text)
            text = str(value["error"]["message"] if isinstance(value["error"], dict) else value["error"])
        except (ValueError, KeyError, TypeError):
            pass
        return self._clean(f"status {status}: {text}")

    def _refusal(self, status: int, problem: str) -> SetupError | ModelError:
        if status in (401, 403):
            return SetupError(
                f"{self.id} refuses the key ({problem}).",
                where=self._place(),
                hint=f"Set {key_name(self._provider)}.",
            )
        if status == 404:
            hint = "Check the name of the model and --base-url."
            return SetupError(f"{self.id} was not found ({problem}).", where=self._place(), hint=hint)
        return ModelError(f"{self.id} refuses the request: {problem}", where=self._place())

    def _reply(self, content: bytes, request: ChatRequest, seconds: float) -> ChatReply:
        try:
            value = json.loads(content)
            choice = value["choices"][0]
            message = choice["message"]
            text = message.get("content") or ""
            calls = tuple(_tool_call(call) for call in message.get("tool_calls") or ())
        except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
            told = self._clean(content[:200].decode("utf-8", "replace"))
            raise ModelError(
                f"{self.id} replied with what is no chat completion: {told}", where=self._place()
            ) from error
        if not isinstance(text, str):
            text = "".join(part.get("text", "") for part in text if isinstance(part, dict))
        data, problem = (
            parse_json(text, request.schema) if request.schema is not None and not calls else (None, "")
        )
        usage = self._usage(value.get("usage"), seconds)
        finish = str(choice.get("finish_reason") or "stop")
        return ChatReply(text, calls, usage, str(value.get("model") or ""), finish, False, data, problem)

    def _usage(self, told: Any, seconds: float) -> Usage:
        counts = [
            told.get(name) if isinstance(told, dict) else None
            for name in ("prompt_tokens", "completion_tokens")
        ]
        sent, got = (n if isinstance(n, int) and not isinstance(n, bool) and n >= 0 else None for n in counts)
        known = self._price is not None and sent is not None and got is not None
        usd = (
            self._price.usd(sent, got)
            if known and self._price and sent is not None and got is not None
            else None
        )
        return Usage(1, sent, got, usd, round(seconds, 4))


class _Transient(Exception):
    """A failure that another try may not have."""


def _httpx() -> Any:
    try:
        import httpx
    except ImportError as error:
        raise MissingExtraError.for_group("httpx", "models") from error
    return httpx


def _sent(message: Message) -> dict[str, Any]:
    value: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        value["tool_calls"] = [
            {
                "id": c.id,
                "type": "function",
                "function": {"name": c.name, "arguments": c.raw or json.dumps(c.arguments or {})},
            }
            for c in message.tool_calls
        ]
    if message.tool_call_id:
        value["tool_call_id"] = message.tool_call_id
    return value


def _tool_call(call: Any) -> ToolCall:
    """Read a tool call; one whose arguments are no JSON object is kept and says so."""
    function = call.get("function") or {}
    raw, name = function.get("arguments"), str(function.get("name") or "")
    given = json.dumps(raw) if isinstance(raw, dict) else str(raw or "{}")
    try:
        arguments = json.loads(given)
        problem = "" if isinstance(arguments, dict) else "the arguments are no JSON object"
    except ValueError as error:
        arguments, problem = None, f"the arguments are not JSON: {error}"
    return ToolCall(str(call.get("id") or ""), name, None if problem else arguments, problem, given)


def parse_json(text: str, schema: Mapping[str, Any]) -> tuple[Any, str]:
    """Return the JSON value in a reply and what is wrong with it ("" if nothing); a fence around it is taken off."""
    bare = text.strip()
    if bare.startswith("```"):
        bare = bare.strip("`").removeprefix("json").strip()
    try:
        value = json.loads(bare)
    except ValueError as error:
        return None, f"the reply is not JSON: {error}"
    problem = mismatch(value, schema)
    return (None, problem) if problem else (value, "")


def _retry_after(text: str) -> float | None:
    """Return the seconds of a Retry-After header (RFC 9110, section 10.2.3): a number or a date."""
    try:
        return min(max(0.0, float(text)), 600.0)
    except ValueError:
        pass
    try:
        return min(max(0.0, email.utils.parsedate_to_datetime(text).timestamp() - time.time()), 600.0)
    except (ValueError, TypeError):
        return None


def key_name(provider: str) -> str:
    """Return the environment variable that holds the key of a provider."""
    return f"{provider.upper().replace('-', '_')}_API_KEY"
