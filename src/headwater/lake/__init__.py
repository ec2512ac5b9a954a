"""An opened lake: one object over catalog, index and SQL."""

from __future__ import annotations

from headwater.lake._doctor import diagnose_lake
from headwater.lake._inspect import Inspection, TableView
from headwater.lake._lake import Lake
from headwater.lake._related import Related
from headwater.lake._search import LakeSearch
from headwater.lake._subset import Subset
from headwater.lake._views import DatasetListing, DocumentListing, Reading, Status
from headwater.lake._window import Window, clip

__all__ = [
    "DatasetListing",
    "DocumentListing",
    "Inspection",
    "Lake",
    "LakeSearch",
    "Reading",
    "Related",
    "Status",
    "Subset",
    "TableView",
    "Window",
    "clip",
    "diagnose_lake",
]
