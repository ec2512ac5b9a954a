"""Agents over a lake: submitting with proof, replaying, and the explorer that a chat model drives."""

from __future__ import annotations

from headwater.agents._format import Wanted, problems, wanted
from headwater.agents._replay import replay
from headwater.agents._skill import skill
from headwater.agents._submit import Submitted, abstain, submit

__all__ = ["Submitted", "Wanted", "abstain", "problems", "replay", "skill", "submit", "wanted"]
