"""The registry of tools that command line, agents and MCP share."""

from __future__ import annotations

from headwater.tools._lake import TOOLS
from headwater.tools._registry import Parameter, Registry, Result, Tool

__all__ = ["TOOLS", "Parameter", "Registry", "Result", "Tool"]
