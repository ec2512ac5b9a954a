"""The trace of a session: what was asked, called, retrieved, opened, paid and answered, one line an event."""

from __future__ import annotations

from headwater.trace._measure import BUCKETS, Evidence, Measures, bucket, evidence, measure
from headwater.trace._store import TRACE_ENV, Trace, find_trace, new_trace, read_events

__all__ = [
    "BUCKETS",
    "TRACE_ENV",
    "Evidence",
    "Measures",
    "Trace",
    "bucket",
    "evidence",
    "find_trace",
    "measure",
    "new_trace",
    "read_events",
]
