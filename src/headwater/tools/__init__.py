"""The registry of tools that command line, agents and MCP share."""

from __future__ import annotations

from headwater.tools._code import lent_names
from headwater.tools._graph import graph_tools
from headwater.tools._lake import TOOLS
from headwater.tools._lakeqa import LAKEQA_TOOLS, LakeQaSession
from headwater.tools._names import full_names
from headwater.tools._passages import Passage, alike, best_passages, occurrences, sentences, words_of
from headwater.tools._plain import told_error
from headwater.tools._quoting import quote
from headwater.tools._registry import Parameter, Registry, Result, Tool
from headwater.tools._session import (
    LONGEST_OUTPUT,
    Observation,
    Session,
    bounded,
    series_documents,
    session_folder,
)
from headwater.tools._several import Findings, Several

__all__ = [
    "LAKEQA_TOOLS",
    "LONGEST_OUTPUT",
    "TOOLS",
    "Findings",
    "LakeQaSession",
    "Observation",
    "Parameter",
    "Passage",
    "Registry",
    "Result",
    "Session",
    "Several",
    "Tool",
    "alike",
    "best_passages",
    "bounded",
    "full_names",
    "graph_tools",
    "lent_names",
    "occurrences",
    "quote",
    "sentences",
    "series_documents",
    "session_folder",
    "told_error",
    "words_of",
]
