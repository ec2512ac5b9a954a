"""A chat model behind an address: limits, deadline, retries and prices around the calls of the adapter."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from headwater.errors import HeadwaterError, MissingExtraError, SetupError
from headwater.models._errors import ContextError, DeadlineError, ModelError
from headwater.models._limiter import RateLimiter
from headwater.models._messages import ChatReply, ChatRequest, ModelInfo, Usage, Watch
from headwater.models._prices import Pricing, at_most
from headwater.models._providers import OWN_KEY, key_names

if TYPE_CHECKING:
    from headwater.models._adapter import Adapter, Failure

_FIRST_WAIT_S, _LONGEST_WAIT_S = 0.5, 60.0
_LONGEST_RETRY_AFTER_S = 600.0
_SHORTEST_KEY = 8
"""Characters of a key that is worth covering; shorter ones are placeholders, and parts of plain words."""

_importing = threading.Lock()


@dataclass(frozen=True, slots=True)
class ClientOptions:
    """How calls are made.

    Attributes:
        timeout: seconds for one try, from sending to the last byte.
        retries: tries after the first, for time-outs, broken connections and streams, and status 408, 409, 425, 429, 5xx.
        structured: how a reply is made to follow a schema: "json_schema" hands the schema to the server where the
            provider takes one, "prompt" always writes it into the last message.
    """

    timeout: float = 120.0
    retries: int = 5
    structured: str = "json_schema"


class RemoteModel:
    """A model of a provider, or of a server that speaks like one. Safe to use from several threads.

    Args:
        provider: name in `PROVIDERS`; says what is spoken.
        name: the model's name there.
        base_url: address, for OpenAI-compatible servers up to and without "/chat/completions".
        key: the API key, or ""; sent as a header and kept out of every message, repr and error.
        price: puts a price on usage, or None if none is known.
        limiter: limits per minute, shared between models of one address.
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
        price: Pricing | None = None,
        limiter: RateLimiter | None = None,
        options: ClientOptions | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._provider, self._name, self._url = provider, name, base_url.rstrip("/")
        self._key, self._price, self._sleep = key, price, sleep
        self._limiter, self._options = limiter or RateLimiter(), options or ClientOptions()
        self._made: Adapter | None = None

    def __repr__(self) -> str:
        return f"RemoteModel({self.id!r})"

    @property
    def id(self) -> str:
        """Provider and name: "openai:NAME"."""
        return f"{self._provider}:{self._name}"

    @property
    def info(self) -> ModelInfo:
        """The model's price and context, as far as they are known."""
        return ModelInfo(self._price.told if self._price else "", self._adapter().context)

    def usd_at_most(self, request: ChatRequest) -> float | None:
        """Return the price of the estimated input and of as many output tokens as are allowed."""
        return at_most(self._price, request.rough_tokens(), request.max_tokens) if self._price else None

    def complete(
        self, request: ChatRequest, *, deadline: float | None = None, watch: Watch | None = None
    ) -> ChatReply:
        """Reply to a request, see `ChatModel.complete`. A call whose stream broke off is made again without streaming."""
        adapter, lost = self._adapter(), Usage()
        from headwater.models._adapter import Failure
        from headwater.models._loop import run

        rough = request.rough_tokens() + request.max_tokens
        for attempt in range(self._options.retries + 1):
            ticket = self._limiter.acquire(rough, deadline)
            began = time.monotonic()
            try:
                reply = run(adapter.ask(request, self._seconds(deadline), watch))
            except Failure as found:
                failure = found
                lost += self._priced(failure.usage, began)
            else:
                usage = self._priced(reply.usage, began)
                if usage.tokens is not None:
                    self._limiter.settle(ticket, usage.tokens)
                return self._without_key(replace(reply, usage=lost + usage))
            problem = self._clean(failure.problem)
            if failure.kind not in ("passing", "broken"):
                raise self._error(failure.kind, problem) from None
            if attempt < self._options.retries:
                if watch is not None:
                    watch.again(problem)
                watch = watch if failure.kind == "passing" else None
                self._wait(attempt, failure, deadline)
        raise ModelError(
            f"{self.id} failed {self._options.retries + 1} times, the last time so: {problem}",
            where=self._place(),
            hint="Try again later, with fewer calls at a time or a limit of calls per minute.",
        )

    def _adapter(self) -> Adapter:
        with _importing:  # large packages that import each other: never from two threads at once
            if self._made is None:
                try:
                    from headwater.models._adapter import Adapter

                    self._made = Adapter(
                        self._provider, self._name, self._url, self._key, self._options.structured
                    )
                except ImportError as error:
                    raise MissingExtraError.for_group(error.name or "pydantic-ai-slim", "models") from error
        return self._made

    def _seconds(self, deadline: float | None) -> float:
        """Seconds that a try may take."""
        left = self._options.timeout if deadline is None else deadline - time.monotonic()
        if left <= 0:
            raise DeadlineError("There is no time left for a call.", hint="Give more time.")
        return min(left, self._options.timeout)

    def _priced(self, usage: Usage, began: float) -> Usage:
        """Return usage with its price and the time since `began`; no usage stays none."""
        if not usage.calls:
            return usage
        usd = self._price.usd(usage) if self._price else None
        return replace(usage, usd=usd, seconds=round(time.monotonic() - began, 4))

    def _wait(self, attempt: int, failure: Failure, deadline: float | None) -> None:
        """Wait as the server says, else twice as long each time with jitter (AWS Architecture Blog, 2015)."""
        if failure.wait is not None:
            wait = min(failure.wait, _LONGEST_RETRY_AFTER_S) + random.uniform(0, 0.25)  # noqa: S311 - no secret
        else:
            spread = random.uniform(0.5, 1.0) * _FIRST_WAIT_S * 2**attempt  # noqa: S311
            wait = min(spread, _LONGEST_WAIT_S)
        if deadline is not None and time.monotonic() + wait > deadline:
            problem = self._clean(failure.problem)
            raise DeadlineError(
                f"{self.id} failed ({problem}), and there is no time left to wait {wait:.0f} s and try again.",
                where=self._place(),
            )
        self._sleep(wait)

    def _place(self) -> str:
        """The address without anything that may be secret in it."""
        parts = urlsplit(self._url)
        port = f":{parts.port}" if parts.port else ""
        return f"{parts.scheme}://{parts.hostname or ''}{port}{parts.path}"

    def _without_key(self, reply: ChatReply) -> ChatReply:
        """Return a reply in which the server does not repeat the key: replies are kept in traces and caches."""
        if len(self._key) < _SHORTEST_KEY:
            return reply
        return ChatReply.from_dict(_masked(reply.to_dict(), self._key), cached=reply.cached)

    def _clean(self, text: str) -> str:
        """Return a text of the server without the key, on one line and short."""
        if self._key:
            text = text.replace(self._key, "***")
        return " ".join(text.split())[:500]

    def _error(self, kind: str, problem: str) -> HeadwaterError:
        where = self._place()
        if kind == "key":
            names = key_names(self._url)
            hint = f"Set {' or '.join(names)} to a key that is valid there."
            if names == (OWN_KEY,):
                hint += " Keys of providers are sent to their own address only."
            return SetupError(f"{self.id} refuses the key ({problem}).", where=where, hint=hint)
        if kind == "absent":
            hint = "Start the server, or give its address with --base-url."
            return SetupError(f"Nothing answers for {self.id} ({problem}).", where=where, hint=hint)
        if kind == "missing":
            hint = "Check the name of the model and --base-url (it often ends in /v1)."
            return SetupError(f"{self.id} was not found ({problem}).", where=where, hint=hint)
        if kind == "context":
            hint = "Take a model or a server setting with a larger context."
            return ContextError(f"The request is too long for {self.id}: {problem}", where=where, hint=hint)
        if kind == "senseless":
            return ModelError(
                f"{self.id} replied with what is no reply of a chat model: {problem}", where=where
            )
        return ModelError(f"{self.id} refuses the request: {problem}", where=where)


def _masked(value: Any, key: str) -> Any:
    """Return a JSON value in whose texts and names the key is covered."""
    if isinstance(value, str):
        return value.replace(key, "***")
    if isinstance(value, dict):
        return {_masked(name, key): _masked(part, key) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_masked(part, key) for part in value]
    return value
