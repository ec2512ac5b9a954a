"""Loading, running, scoring and reporting benchmark suites."""

from __future__ import annotations

from headwater.bench._batch import Batch, run_batch
from headwater.bench._budget import Limits
from headwater.bench._model import (
    Agent,
    AgentSetup,
    Item,
    Loaded,
    Metric,
    Prediction,
    Problem,
    Published,
    Suite,
)
from headwater.bench._report import write_report
from headwater.bench._runner import (
    Outcome,
    RunOptions,
    check_agent_name,
    continue_run,
    start_run,
)
from headwater.bench._score import score_run
from headwater.bench._store import Run
from headwater.bench._suites import SUITES, open_suite

__all__ = [
    "SUITES",
    "Agent",
    "AgentSetup",
    "Batch",
    "Item",
    "Limits",
    "Loaded",
    "Metric",
    "Outcome",
    "Prediction",
    "Problem",
    "Published",
    "Run",
    "RunOptions",
    "Suite",
    "check_agent_name",
    "continue_run",
    "open_suite",
    "run_batch",
    "score_run",
    "start_run",
    "write_report",
]
