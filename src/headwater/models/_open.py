"""From a spec string to a model."""

from __future__ import annotations

import importlib.util
import os
import threading
from collections.abc import Mapping

from headwater.errors import MissingExtraError
from headwater.models._limiter import RateLimiter
from headwater.models._messages import ChatModel
from headwater.models._prices import Price, Pricing, list_price
from headwater.models._providers import PROVIDERS, is_local, key_for, origin, parse_spec
from headwater.models._remote import ClientOptions, RemoteModel

_LOCAL_TIMEOUT_S = 600.0
"""A model on one's own machine may think for minutes, and nothing is gained by asking it again."""

_limiters: dict[tuple[str, int, int], RateLimiter] = {}
_lock = threading.Lock()


def open_model(
    spec: str,
    *,
    base_url: str | None = None,
    price: Price | None = None,
    calls_per_minute: int = 0,
    tokens_per_minute: int = 0,
    options: ClientOptions | None = None,
    environ: Mapping[str, str] | None = None,
) -> ChatModel:
    """Return the model that a spec string names: "openai:NAME", "anthropic:NAME", "ollama:NAME".

    The key is the one that belongs to the address (see `key_names`). Limits per minute are shared by all models of one
    address in this process. Where no price is given, a model on this machine costs nothing and another one what its
    provider lists for that name, also behind a `base_url`; a model without a listed price has none.

    Raises:
        UsageError: the spec names no model, or `base_url` is no address.
        SetupError: the provider needs a key and there is none, or the packages for models are missing.
    """
    provider, name = parse_spec(spec)
    url = base_url or PROVIDERS[provider].address
    key = key_for(url, os.environ if environ is None else environ)
    if importlib.util.find_spec("pydantic_ai") is None:
        raise MissingExtraError.for_group("pydantic-ai-slim", "models")
    limit = (":".join(map(str, origin(url))), calls_per_minute, tokens_per_minute)
    with _lock:
        limiter = _limiters.setdefault(limit, RateLimiter(calls_per_minute, tokens_per_minute))
    pricing = price or _known_price(provider, name, url)
    patience = ClientOptions(timeout=_LOCAL_TIMEOUT_S) if PROVIDERS[provider].local else ClientOptions()
    return RemoteModel(provider, name, url, key, price=pricing, limiter=limiter, options=options or patience)


def _known_price(provider: str, name: str, url: str) -> Pricing | None:
    if PROVIDERS[provider].local:
        passed_on = name.endswith("-cloud")  # Ollama hands these to a service of its own
        return Price(0.0, 0.0, origin="runs on this machine") if is_local(url) and not passed_on else None
    return list_price(provider, name)
