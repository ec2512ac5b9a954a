"""An opened lake: one object over catalog, index and SQL."""

from __future__ import annotations

from headwater.lake._lake import Lake
from headwater.lake._views import DatasetListing, DocumentListing, Reading, Status
from headwater.lake._window import Window

__all__ = ["DatasetListing", "DocumentListing", "Lake", "Reading", "Status", "Window"]
