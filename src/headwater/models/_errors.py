"""What goes wrong with a provider."""

from __future__ import annotations

from typing import ClassVar

from headwater.errors import HeadwaterError, LimitError


class ModelError(HeadwaterError):
    """The provider cannot be reached, keeps failing, or replies with what is no reply."""

    kind: ClassVar[str] = "model"
    exit_code: ClassVar[int] = 1


class ContextError(ModelError):
    """The request is longer than the model takes; a shorter one may do."""


class DeadlineError(LimitError):
    """There is no time left for a call, or not enough to wait as the provider or a limit per minute asks."""
