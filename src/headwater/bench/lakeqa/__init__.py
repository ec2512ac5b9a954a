"""LakeQA (arXiv 2606.10460): questions over a lake that take several documents; tasks, agents, scores."""

from __future__ import annotations

from headwater.bench.lakeqa._answers import clean, exact, lenient, normalise, strict, token_f1
from headwater.bench.lakeqa._judge import judge_run
from headwater.bench.lakeqa._leaderboard import leaderboard
from headwater.bench.lakeqa._sessions import ScoredSession, score_sessions
from headwater.bench.lakeqa._suite import LakeQa
from headwater.bench.lakeqa._tasks import Task, load_tasks, read_task

__all__ = [
    "LakeQa",
    "ScoredSession",
    "Task",
    "clean",
    "exact",
    "judge_run",
    "leaderboard",
    "lenient",
    "load_tasks",
    "normalise",
    "read_task",
    "score_sessions",
    "strict",
    "token_f1",
]
