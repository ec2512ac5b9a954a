"""The page that teaches an agent to work with the verbs."""

from __future__ import annotations

from importlib import resources


def skill() -> str:
    """Return the page, plain Markdown."""
    return resources.files("headwater.agents").joinpath("skill.md").read_text(encoding="utf-8")
