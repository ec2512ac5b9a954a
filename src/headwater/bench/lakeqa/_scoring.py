"""Scores of one prediction, and the metrics that they become."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from headwater.bench._model import Metric, Prediction
from headwater.bench.lakeqa._answers import exact, lenient, strict, token_f1
from headwater.bench.lakeqa._evidence import bucket_of, scored_evidence
from headwater.bench.lakeqa._tasks import Task
from headwater.trace import BUCKETS, Measures

_WHAT = {
    "ret": ("D_ret", "documents that searches brought up"),
    "acc": ("D_acc", "documents that were opened"),
    "ret_dataset": ("D_ret", "datasets that searches brought up"),
    "acc_dataset": ("D_acc", "datasets that were opened"),
}

OUTCOMES: Mapping[str, str] = {
    **{f"bucket_{n}": f"bucket: {name}" for n, name in enumerate(BUCKETS)},
    "stopped": "stopped by a limit",
}
"""Scores of 0 or 1 and what they are called; the buckets exclude each other and take in every item."""

METRICS: tuple[Metric, ...] = (
    Metric("em", "em", "1", help="exact match after the harness's cleaning of the answer; deterministic"),
    Metric("em_uncleaned", "em_uncleaned", "1", help="exact match of the answer as submitted"),
    Metric(
        "strict", "strict", "1", help="one of the two: cleaning breaks some right answers and mends others"
    ),
    Metric(
        "lenient", "lenient", "1", help="the same against the reference and its variants; not LakeQA's figure"
    ),
    Metric("f1", "f1", "1", help="F1 over tokens of the cleaned answer and the reference"),
    Metric(
        "judge",
        "judge",
        "1",
        help="share that a judging model passes; numbers are checked again by program; only where judged",
    ),
    *(
        Metric(f"{what}_{figure}", f"{what}_{figure}", "1", help=f"{figure} of {name}: {told}")
        for what, (name, told) in _WHAT.items()
        for figure in ("precision", "recall", "f1")
    ),
    Metric("replays", "replays", "1", help="share of answers that come out again without a model"),
    Metric("answered", "answered", "1", help="share of questions answered at all"),
    Metric("seconds", "seconds", "1", help="wall clock a question, tools included", unit="s"),
    Metric("usd", "usd", "1", help="paid a question, without the judge", unit="USD"),
    Metric("calls", "calls", "1", help="calls of tools a question, submission not counted", unit="calls"),
    Metric("characters", "characters", "1", help="characters of tool output a question", unit="characters"),
)


def scores(task: Task, prediction: Prediction | None, judged: bool | None = None) -> dict[str, float]:
    """Return the scores of a prediction; an item without one gets 0, and no figures of cost.

    Args:
        task: what was asked.
        prediction: its answer, with the figures of its trace as the first entry of `trace`; None if it failed.
        judged: what a judge said.
    """
    kept: dict[str, Any] = dict(prediction.trace[0]) if prediction and prediction.trace else {}
    told = Measures(
        **{f.name: kept[f.name] for f in fields(Measures) if f.name in kept and f.name != "usage"}
    )
    answer = prediction.value if prediction and prediction.status == "answered" else None
    accepted = lenient(answer, [task.answer, *task.variants])
    found: dict[str, float] = {
        "em": exact(answer, task.answer),
        "em_uncleaned": exact(answer, task.answer, cleaned=False),
        "strict": strict(answer, task.answer),
        "lenient": accepted,
        "f1": token_f1(answer, task.answer),
        "answered": answer is not None,
        "stopped": answer is None and kept.get("stop_reason", "answer") not in ("answer", "abstained"),
    }
    for what, values in scored_evidence(task, told).items():
        found |= {f"{what}_{name}": value for name, value in values.items()}
    came = bucket_of(task, told, right=accepted)
    found |= {f"bucket_{n}": name == came for n, name in enumerate(BUCKETS)}
    found |= {
        name: float(kept[name])
        for name in ("seconds", "usd", "calls", "characters")
        if kept.get(name) is not None
    }
    if kept.get("replays") is not None:
        found["replays"] = kept["replays"]
    if judged is not None:
        found["judge"] = judged
    return {name: float(value) for name, value in found.items()}
