"""The registry of tools that command line, agents and MCP share."""

from __future__ import annotations

from headwater.tools._lake import TOOLS
from headwater.tools._lakeqa import LAKEQA_TOOLS, LakeQaSession
from headwater.tools._registry import Parameter, Registry, Result, Tool

__all__ = ["LAKEQA_TOOLS", "TOOLS", "LakeQaSession", "Parameter", "Registry", "Result", "Tool"]
