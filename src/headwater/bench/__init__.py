"""Loading, running, scoring and reporting benchmark suites."""

from __future__ import annotations

from headwater.bench._batch import Batch, run_batch

__all__ = ["Batch", "run_batch"]
