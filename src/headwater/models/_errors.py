"""What goes wrong with a provider."""

from __future__ import annotations

from typing import ClassVar

from headwater.errors import HeadwaterError


class ModelError(HeadwaterError):
    """The provider cannot be reached, keeps failing, or replies with what is no reply."""

    kind: ClassVar[str] = "model"
    exit_code: ClassVar[int] = 1
