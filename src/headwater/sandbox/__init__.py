"""A sandbox for Python that a model or a stranger wrote. The wall is the operating system, not a list of forbidden words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from headwater.sandbox._sandbox import CodeError, CodeLimits, CodeResult, Sandbox

_NAMES = ("CodeError", "CodeLimits", "CodeResult", "Sandbox")


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("headwater.sandbox._sandbox"), name)


__all__ = ["CodeError", "CodeLimits", "CodeResult", "Sandbox"]
