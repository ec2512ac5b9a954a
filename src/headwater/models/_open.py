"""From a spec string to a model."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping

from headwater.errors import SetupError, UsageError
from headwater.models._limiter import RateLimiter
from headwater.models._messages import ChatModel
from headwater.models._openai import ClientOptions, OpenAIModel, key_name
from headwater.models._prices import Price, price_of

ENDPOINTS = {
    "openai": "https://api.openai.com/v1",
    "ollama": "http://127.0.0.1:11434/v1",
    "deepseek": "https://api.deepseek.com/v1",
    "gemini": "https://generativelanguage.googleapis.com/v1beta/openai",
}
"""Providers that a spec string may name, and where they are; --base-url overrides it."""

_KEYLESS = frozenset({"ollama"})
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
    """Return the model that a spec string names: "openai:NAME", "ollama:NAME".

    The key is taken from the provider's environment variable (OPENAI_API_KEY …). Limits per minute are shared by all
    models of one endpoint in this process. With `base_url` the listed price still goes by name and is nominal.

    Raises:
        UsageError: the spec has no provider or an unknown one.
        SetupError: the provider needs a key and there is none.
    """
    provider, _, name = spec.partition(":")
    if not name or provider not in ENDPOINTS:
        known = ", ".join(f"{p}:NAME" for p in ENDPOINTS)
        raise UsageError(
            f"{spec!r} names no model.",
            hint=f"Write one of {known}; other servers: openai:NAME with --base-url.",
        )
    env = os.environ if environ is None else environ
    key = env.get(key_name(provider), "")
    if not key and provider not in _KEYLESS and base_url is None:
        raise SetupError(
            f"There is no key for {provider}.", hint=f"Set the environment variable {key_name(provider)}."
        )
    url = base_url or ENDPOINTS[provider]
    limit = (url, calls_per_minute, tokens_per_minute)
    with _lock:
        limiter = _limiters.setdefault(limit, RateLimiter(calls_per_minute, tokens_per_minute))
    return OpenAIModel(
        provider, name, url, key, price=price or price_of(provider, name), limiter=limiter, options=options
    )
