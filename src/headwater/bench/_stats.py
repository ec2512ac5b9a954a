"""Means with their uncertainty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

RESAMPLES = 2_000
SEED = 42
_LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean over `n` items with its 95 % percentile bootstrap interval (Efron 1979)."""

    value: float
    low: float
    high: float
    n: int

    def to_dict(self, version: str) -> dict[str, Any]:
        """Return the figure in the form of the JSON contract."""
        return {"value": self.value, "low": self.low, "high": self.high, "n": self.n, "version": version}


def micro(scores: Sequence[float]) -> Interval | None:
    """Return the mean over items, resampled over items; None for no items."""
    return macro([scores]) if scores else None


def macro(groups: Sequence[Sequence[float]], digits: int | None = None) -> Interval | None:
    """Return the mean of the groups' means; items are resampled within their group, so that none goes missing.

    With `digits`, the groups' means and the value are rounded, as the published scorer does. 2,000 resamples with
    replacement, seeded, as the paper of DW-Bench announces (arXiv 2604.18964).
    """
    import numpy as np

    kept = [np.asarray(group, dtype=np.float64) for group in groups if len(group)]
    if not kept:
        return None
    random = np.random.default_rng(SEED)
    means = np.zeros(RESAMPLES)
    for group in kept:
        if group.min() == group.max():  # nothing to resample
            means += group[0]
            continue
        for start in range(0, RESAMPLES, 250):
            picked = random.integers(0, len(group), size=(250, len(group)))
            means[start : start + 250] += group[picked].mean(axis=1)
    means /= len(kept)
    tail = (1 - _LEVEL) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    value = float(
        np.mean([group.mean() if digits is None else round(float(group.mean()), digits) for group in kept])
    )
    value = value if digits is None else round(value, digits)
    return Interval(value, float(low), float(high), sum(len(group) for group in kept))
