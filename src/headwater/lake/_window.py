"""Bounded views: every list says how much of how much it shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Window(Generic[T]):
    """A part of a longer list.

    Attributes:
        items: what is shown.
        offset: place of the first item in the whole, from 0.
        total: length of the whole.
    """

    items: tuple[T, ...]
    offset: int
    total: int

    @property
    def left_out(self) -> int:
        """Number of items after the last one shown."""
        return max(0, self.total - self.offset - len(self.items))

    def told(self, noun: str) -> str:
        """Return "3 of 1,203 files (from 21)" or "" if everything is shown."""
        if len(self.items) == self.total:
            return ""
        start = f" (from {self.offset + 1:,})" if self.offset else ""
        return f"{len(self.items):,} of {self.total:,} {noun}{start}"

    def to_dict(self) -> dict[str, Any]:
        """Return the counts, for JSON."""
        return {
            "offset": self.offset,
            "shown": len(self.items),
            "total": self.total,
            "left_out": self.left_out,
        }


def window(items: Sequence[T], offset: int, limit: int) -> Window[T]:
    """Return at most `limit` items from `offset` on."""
    offset = max(0, offset)
    return Window(tuple(items[offset : offset + max(0, limit)]), offset, len(items))


def clip(text: str, limit: int) -> str:
    """Return `text`, cut to `limit` characters with "…" if it is longer."""
    return text if len(text) <= limit else text[: max(0, limit - 1)].rstrip() + "…"
