"""Exact mode: a question in plain words → a typed plan → SQL → an answer with evidence, or none. No model is used.

`Lake` is the opened lake with a method `ask`. `ask` takes a lake, `ask_table` one table (also a file outside any lake), `ask_graph` a graph; `replay` computes an answer
again. How it works and what it can read is told in docs/ask.md; vocabulary is data in lexicon.toml, the weights of the
scoring in weights.json.
"""

from __future__ import annotations

from headwater.answers._answer import Answer, Evidence, Program
from headwater.answers._ask import ask, ask_table
from headwater.answers._evidence import quoted_row
from headwater.answers._graph import ask_graph
from headwater.answers._lake import Lake
from headwater.answers._origin import grounded_columns, is_unit
from headwater.answers._replay import Replay, check_places, replay
from headwater.answers._told import values_told

__all__ = [
    "Answer",
    "Evidence",
    "Lake",
    "Program",
    "Replay",
    "ask",
    "ask_graph",
    "ask_table",
    "check_places",
    "grounded_columns",
    "is_unit",
    "quoted_row",
    "replay",
    "values_told",
]
