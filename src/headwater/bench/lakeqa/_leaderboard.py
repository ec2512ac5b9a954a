"""Rows in the format of LakeQA's leaderboard: one object a system, percentages with two decimals, best EM first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

FIGURES = (
    ("em", "em", 100),
    ("runtime_s", "seconds", 1),
    ("cost_usd", "usd", 1),
    ("dacc_p", "acc_dataset_precision", 100),
    ("dacc_r", "acc_dataset_recall", 100),
    ("dacc_f1", "acc_dataset_f1", 100),
    ("dret_p", "ret_dataset_precision", 100),
    ("dret_r", "ret_dataset_recall", 100),
    ("dret_f1", "ret_dataset_f1", 100),
)
"""Fields in their order, the metric behind each, and its factor. Evidence is by dataset, as the harness counts it."""


def leaderboard(
    scored: Iterable[tuple[str, str, Mapping[str, Any]]], *, source: str = "", notes: str = ""
) -> list[dict[str, Any]]:
    """Return the rows of some systems; a figure that is not known is null.

    Args:
        scored: name of the system, month (YYYY-MM), and the result of `score_run`.
        source: link to paper or traces.
        notes: of all rows.
    """
    rows: list[dict[str, Any]] = []
    for name, month, score in scored:
        found = {field: _figure(score["metrics"].get(metric), factor) for field, metric, factor in FIGURES}
        rows.append({"model": name, **found, "reported": month, "source": source, "notes": notes})
    rows.sort(key=lambda row: (-(row["em"] or 0.0), row["model"]))
    return [{"rank": rank, **row} for rank, row in enumerate(rows, 1)]


def _figure(figure: Mapping[str, Any] | None, factor: int) -> float | None:
    return None if figure is None else round(figure["value"] * factor, 2)
