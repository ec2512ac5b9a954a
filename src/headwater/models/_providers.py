"""Who is asked, where they are, and which key belongs to which address."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from headwater.errors import SetupError, UsageError

OWN_KEY = "HEADWATER_MODEL_KEY"
"""Environment variable with the key of a server that --base-url names; the keys of providers are not sent there."""


@dataclass(frozen=True, slots=True)
class Provider:
    """A provider that a spec string may name.

    Attributes:
        wire: what is spoken there: OpenAI's chat completions, Anthropic's messages, Google's generateContent.
        address: where it is; --base-url overrides it.
        keys: environment variables that may hold its key, the first that is set counts.
        local: it runs on one's own machine: no key is needed, and a call there costs nothing.
    """

    wire: Literal["openai", "anthropic", "google"]
    address: str
    keys: tuple[str, ...] = (OWN_KEY,)
    local: bool = False


PROVIDERS = {
    "openai": Provider("openai", "https://api.openai.com/v1", ("OPENAI_API_KEY",)),
    "anthropic": Provider("anthropic", "https://api.anthropic.com", ("ANTHROPIC_API_KEY",)),
    "google": Provider(
        "google", "https://generativelanguage.googleapis.com", ("GOOGLE_API_KEY", "GEMINI_API_KEY")
    ),
    "deepseek": Provider("openai", "https://api.deepseek.com", ("DEEPSEEK_API_KEY",)),
    "ollama": Provider("openai", "http://127.0.0.1:11434/v1", local=True),
    "llamacpp": Provider("openai", "http://127.0.0.1:8080/v1", local=True),
    "vllm": Provider("openai", "http://127.0.0.1:8000/v1", local=True),
}

_ALIASES = {"gemini": "google"}


def parse_spec(spec: str) -> tuple[str, str]:
    """Return provider and name of a spec string such as "openai:gpt-x".

    Raises:
        UsageError: it names no model of a provider that is known.
    """
    provider, _, name = spec.partition(":")
    provider = _ALIASES.get(provider, provider)
    if not name or provider not in PROVIDERS:
        known = ", ".join(f"{p}:NAME" for p in PROVIDERS)
        raise UsageError(
            f"{spec!r} names no model.",
            hint=f"Write one of {known}; any other server like OpenAI's: openai:NAME with --base-url.",
        )
    return provider, name


def origin(url: str) -> tuple[str, str, int | None]:
    """Return scheme, host and port of an address.

    Raises:
        UsageError: it is no http or https address.
    """
    try:
        parts = urlsplit(url)
        port = parts.port or {"https": 443, "http": 80}[parts.scheme]
    except (ValueError, KeyError):
        parts, port = urlsplit(""), 0
    if not parts.hostname:
        raise UsageError(f"{url!r} is no address of a server.", hint="Write http://HOST:PORT/v1.")
    return parts.scheme, parts.hostname, port


def key_names(url: str) -> tuple[str, ...]:
    """Return the environment variables whose key may be sent to an address.

    A provider's key goes to that provider's own scheme, host and port and nowhere else; to any other address goes what
    HEADWATER_MODEL_KEY holds, if it is set.
    """
    for provider in PROVIDERS.values():
        if origin(provider.address) == origin(url):
            return provider.keys
    return (OWN_KEY,)


def key_for(url: str, environ: Mapping[str, str]) -> str:
    """Return the key to send to an address, "" if there is none.

    Raises:
        SetupError: a provider that needs a key is asked without one.
    """
    names = key_names(url)
    key = next((environ[name] for name in names if environ.get(name)), "")
    if not key and OWN_KEY not in names:
        raise SetupError(
            f"There is no key for {origin(url)[1]}.",
            hint=f"Set the environment variable {' or '.join(names)}.",
        )
    return key


def is_local(url: str) -> bool:
    """Whether an address is on this machine."""
    host = origin(url)[1]
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
