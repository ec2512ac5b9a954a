"""The one place where the library for models (pydantic-ai) is used: our requests in, our replies and failures out.

This module and `_adapter_messages` import the library and are imported with the first call only.
"""

from __future__ import annotations

import asyncio
import logging
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import httpx2
from pydantic_ai import direct, exceptions
from pydantic_ai.messages import PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta

from headwater.models._adapter_messages import (
    read_response,
    sent_messages,
    sent_parameters,
    sent_settings,
    with_schema,
)  # fmt: skip
from headwater.models._messages import Usage
from headwater.models._providers import OWN_KEY, PROVIDERS, is_local, key_names

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import Model, StreamedResponse

    from headwater.models._messages import ChatReply, ChatRequest, Watch

# Of settings that a model does not take, such as a temperature, the library says so at each call, on standard error.
warnings.filterwarnings("ignore", category=UserWarning, module=r"pydantic_ai\.")

_PASSING = (
    exceptions.ModelRateLimitError, exceptions.ModelUnavailableError, exceptions.ModelServerError,
    exceptions.ModelConnectionError, exceptions.ModelRequestTimeout,
)  # fmt: skip
_PASSING_STATUS = {408, 409, 425, 429}
_TOO_LONG = frozenset({"exceed_context_size_error"})
"""Types of error with which llama.cpp's server refuses a request that is too long; the library knows those of others."""

_KEY_HEADERS = {"authorization", "x-api-key", "x-goog-api-key"}
_PLAIN_HEADERS = {
    "host", "connection", "accept", "accept-encoding", "content-type", "content-length", "transfer-encoding",
    "user-agent", "anthropic-version", "anthropic-beta",
}  # fmt: skip


@dataclass(eq=False)
class Failure(Exception):
    """A call that failed.

    Attributes:
        problem: what the provider or the network says; may hold anything, the key included.
        kind: "passing" (another try may succeed), "broken" (so too, and the reply had begun), "context" (too long),
            "absent" (no server runs there), "key", "missing" (no such model), "refused" or "senseless" (no reply at all).
        wait: seconds that the provider asks to wait, None if it does not say.
        usage: of a reply that broke off.
    """

    problem: str
    kind: str
    wait: float | None = None
    usage: Usage = field(default_factory=Usage)


class Adapter:
    """One model of one provider behind the library.

    Args:
        provider: name in `PROVIDERS`.
        name: of the model.
        url: address of the provider or of another server that speaks like it.
        key: sent to that address as the provider wants it; "" sends none.
        structured: "prompt" writes schemas into the message, "json_schema" hands them to the server where it takes them.
    """

    def __init__(self, provider: str, name: str, url: str, key: str, structured: str) -> None:
        self._model = _model(provider, name, url, key)
        self._structured = structured
        self._one_call = PROVIDERS[provider].wire != "google" and OWN_KEY not in key_names(url)

    @property
    def context(self) -> int | None:
        """Tokens of request and reply together, if the library knows."""
        return self._model.profile.get("context_window")

    async def ask(self, request: ChatRequest, seconds: float, watch: Watch | None) -> ChatReply:
        """Make one call.

        Raises:
            Failure: it did not succeed within `seconds`, from sending to the last byte.
        """
        streamed: list[StreamedResponse] = []
        try:
            async with asyncio.timeout(seconds):
                response = await self._call(request, seconds, watch, streamed)
        except TimeoutError:
            failure = Failure("no reply in time", "passing")
        except exceptions.AgentRunError as error:
            failure = self._failure(error)
        except (exceptions.UserError, httpx2.HTTPError, httpx2.InvalidURL) as error:
            failure = Failure(str(error), "refused")
        except (TypeError, ValueError, LookupError, AttributeError, AssertionError) as error:
            # What a nonsensical body makes of the code of a provider's package.
            failure = Failure(f"{type(error).__name__}: {error}", "senseless")
        else:
            return self._checked(response, request, streamed=bool(streamed))
        if streamed and failure.kind == "passing":
            failure = Failure(failure.problem, "broken", failure.wait, _lost(streamed[0].get(), request))
        raise failure from None

    def _failure(self, error: exceptions.AgentRunError) -> Failure:
        """Return a failure of the library in our terms."""
        if isinstance(error, exceptions.UnexpectedModelBehavior):
            return Failure(str(error), "senseless")
        if not isinstance(error, exceptions.ModelAPIError):
            return Failure(str(error), "refused")
        if isinstance(error, exceptions.ModelConnectionError):
            told = f"no connection: {_root(error)}"
            refused = error.phase == "connect" and not isinstance(error, exceptions.ModelTimeoutError)
            return Failure(told, "absent" if refused and is_local(str(self._model.base_url)) else "passing")
        status = getattr(error, "status_code", None)
        problem = _told(error.body) or error.message
        return Failure(
            f"status {status}: {problem}" if status else problem, _kind(error, status), error.retry_after
        )

    async def _call(
        self, request: ChatRequest, seconds: float, watch: Watch | None, streamed: list[StreamedResponse]
    ) -> ModelResponse:
        native = self._structured == "json_schema" and self._model.profile.get(
            "supports_json_schema_output", False
        )
        if not native:
            request = with_schema(request)
        messages, parameters = sent_messages(request), sent_parameters(request, native=native)
        settings = sent_settings(request, seconds, one_call=request.one_call and self._one_call)
        if watch is None:
            return await direct.model_request(
                self._model, messages, model_settings=settings, model_request_parameters=parameters
            )
        async with direct.model_request_stream(
            self._model, messages, model_settings=settings, model_request_parameters=parameters
        ) as events:
            async for event in events:
                if not streamed:
                    streamed.append(events)
                piece = _words(event)
                if piece:
                    watch.text(piece)
            return events.get()

    def _checked(self, response: ModelResponse, request: ChatRequest, *, streamed: bool) -> ChatReply:
        """Return the reply if it came to its end."""
        told = "finish_reason" in (response.provider_details or {})
        if streamed and not told and response.finish_reason != "content_filter":
            raise Failure("the reply broke off", "broken", usage=_lost(response, request))
        if response.finish_reason is None:
            raise Failure("it holds neither words nor a reason to stop", "senseless")
        return read_response(response, request)


def _root(error: BaseException) -> str:
    """What the first of the errors that led to this one says; the later ones say less."""
    while error.__cause__ is not None and str(error.__cause__):
        error = error.__cause__
    return str(error)


def _words(event: Any) -> str:
    """The words that an event of a stream adds to the reply."""
    if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
        return event.part.content
    if isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
        return event.delta.content_delta
    return ""


def _lost(response: ModelResponse, request: ChatRequest) -> Usage:
    """What a reply that broke off did cost: as far as the provider has told, else by estimate (3 bytes a token)."""
    told = response.usage
    got = sum(
        len(str(getattr(part, "content", None) or getattr(part, "args", ""))) for part in response.parts
    )
    sent = told.input_tokens or request.rough_tokens()
    return Usage(
        1, sent, max(told.output_tokens, got // 3), None, 0.0, told.cache_read_tokens, told.cache_write_tokens
    )


def _kind(error: exceptions.ModelAPIError, status: int | None) -> str:
    if isinstance(error, exceptions.ModelQuotaExceededError):
        return "refused"
    if isinstance(error, _PASSING) or status in _PASSING_STATUS:
        return "passing"
    if (
        isinstance(error, exceptions.ModelContextWindowExceededError)
        or error.provider_error_type in _TOO_LONG
    ):
        return "context"
    if isinstance(error, exceptions.ModelAuthenticationError):
        return "key"
    if isinstance(error, exceptions.ModelNotFoundError):
        return "missing"
    return "refused" if status else "senseless"


def _told(body: Any) -> str:
    """The message in the body of an error: {"message"}, {"error": {"message"}}, {"error": "…"} or text."""
    if isinstance(body, dict):
        inner = body.get("error", body)
        return str(inner.get("message") or inner) if isinstance(inner, dict) else str(inner)
    return body if isinstance(body, str) else ""


def _model(provider: str, name: str, url: str, key: str) -> Model[Any]:
    wire = PROVIDERS[provider].wire
    client = _client(url, key)
    sent = key or "none"
    if wire == "anthropic":
        from anthropic import AsyncAnthropic
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        base = url.removesuffix("/v1")
        made = AsyncAnthropic(api_key=sent, base_url=base, http_client=client, max_retries=0)
        return AnthropicModel(name, provider=AnthropicProvider(anthropic_client=made))
    if wire == "google":
        from pydantic_ai.models.google import GoogleModel
        from pydantic_ai.providers.google import GoogleProvider

        logging.getLogger("google_genai").setLevel(logging.ERROR)
        base = url.removesuffix("/v1beta")
        return GoogleModel(name, provider=GoogleProvider(api_key=sent, base_url=base, http_client=client))
    return _openai(provider, name, url, sent, client)


def _openai(provider: str, name: str, url: str, key: str, client: httpx2.AsyncClient) -> Model[Any]:
    """Return a model behind chat completions: OpenAI's own, or another server's that is like them."""
    from openai import AsyncOpenAI

    from headwater.models._adapter_openai import TolerantModel

    made = AsyncOpenAI(api_key=key, base_url=url, http_client=client, max_retries=0)
    if provider == "openai" and key_names(url) == PROVIDERS["openai"].keys:
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.providers.openai import OpenAIProvider

        return OpenAIChatModel(name, provider=OpenAIProvider(openai_client=made))
    return TolerantModel.of(provider, name, made)


def _client(url: str, key: str) -> httpx2.AsyncClient:
    """Return a client that follows no redirects, and to other servers than a provider's own sends no more than it must.

    The packages of the providers add headers from the environment (organisation, project, custom ones); these are for
    the provider alone.
    """
    kept = _PLAIN_HEADERS | (_KEY_HEADERS if key else set())
    own = OWN_KEY not in key_names(url)

    async def only_what_is_needed(request: httpx2.Request) -> None:
        for name in [] if own else [n for n in request.headers if n.lower() not in kept]:
            del request.headers[name]

    return httpx2.AsyncClient(
        timeout=httpx2.Timeout(600, connect=10),
        limits=httpx2.Limits(max_connections=64),
        follow_redirects=False,
        trust_env=not is_local(url),
        event_hooks={"request": [only_what_is_needed]},
    )
