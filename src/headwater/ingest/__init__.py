"""Taking a lake in: workers, resumption, one transaction for catalog and relations."""

from __future__ import annotations

from headwater.ingest._index import roll_forward
from headwater.ingest._lake import IngestReport, ingest_lake
from headwater.ingest._run import IngestOptions, Progress

__all__ = ["IngestOptions", "IngestReport", "Progress", "ingest_lake", "roll_forward"]
