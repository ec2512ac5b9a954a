"""Agents over a lake: submitting with proof, replaying, and the explorer that a chat model drives."""

from __future__ import annotations

from headwater.agents._budget import Budget, Spending
from headwater.agents._explorer import Progress, explore
from headwater.agents._format import Wanted, problems, wanted
from headwater.agents._replay import replay
from headwater.agents._skill import skill
from headwater.agents._submit import Submitted, abstain, submit
from headwater.agents._tools import AGENT_TOOLS

__all__ = [
    "AGENT_TOOLS",
    "Budget",
    "Progress",
    "Spending",
    "Submitted",
    "Wanted",
    "abstain",
    "explore",
    "problems",
    "replay",
    "skill",
    "submit",
    "wanted",
]
