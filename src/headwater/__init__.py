"""Headwater answers questions from data lakes, shows where each answer came from, and measures how often it is right.

    import headwater

    headwater.ingest_lake("data/")
    with headwater.open("data/") as lake:
        lake.search("average class size")
        lake.ask("Which school has the largest classes?")
        lake.sql("select count(*) from t('schools/classes/files/sizes.csv')").to_pandas()

Names are imported when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from headwater.answers import Answer, Lake
    from headwater.errors import (
        AmbiguousError,
        DocumentError,
        HeadwaterError,
        LimitError,
        MissingExtraError,
        NotFoundError,
        ReadError,
        RefusedError,
        SetupError,
        SkipDocument,
        UsageError,
    )
    from headwater.graph import SchemaGraph, Topology, load_graph
    from headwater.ingest import IngestOptions, IngestReport, ingest_lake
    from headwater.sql import SqlResult

__version__ = "0.1.0"

_ERRORS = (
    "AmbiguousError",
    "DocumentError",
    "HeadwaterError",
    "LimitError",
    "MissingExtraError",
    "NotFoundError",
    "ReadError",
    "RefusedError",
    "SetupError",
    "SkipDocument",
    "UsageError",
)
_LAZY = {
    **{name: ("headwater.errors", name) for name in _ERRORS},
    "IngestOptions": ("headwater.ingest", "IngestOptions"),
    "IngestReport": ("headwater.ingest", "IngestReport"),
    "Answer": ("headwater.answers", "Answer"),
    "Lake": ("headwater.answers", "Lake"),
    "SchemaGraph": ("headwater.graph", "SchemaGraph"),
    "SqlResult": ("headwater.sql", "SqlResult"),
    "Topology": ("headwater.graph", "Topology"),
    "ingest_lake": ("headwater.ingest", "ingest_lake"),
    "load_graph": ("headwater.graph", "load_graph"),
}
"""Public name → module and name there."""


def open(lake: str | Path | None = None, *, state: str | Path | None = None) -> Lake:  # noqa: A001
    """Open a lake that was ingested.

    Args:
        lake: a folder or `s3://bucket/prefix`; if left out, that of HEADWATER_LAKE, else the nearest one above the
            working folder.
        state: its state folder, where it is not the usual one.

    Raises:
        SetupError: there is no such lake, or it has not been ingested.
    """
    from headwater.answers import Lake

    return Lake.find(lake, state=state)


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    module, attribute = _LAZY[name]
    value = getattr(import_module(module), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


__all__ = [
    "AmbiguousError",
    "Answer",
    "DocumentError",
    "HeadwaterError",
    "IngestOptions",
    "IngestReport",
    "Lake",
    "LimitError",
    "MissingExtraError",
    "NotFoundError",
    "ReadError",
    "RefusedError",
    "SchemaGraph",
    "SetupError",
    "SkipDocument",
    "SqlResult",
    "Topology",
    "UsageError",
    "__version__",
    "ingest_lake",
    "load_graph",
    "open",
]
