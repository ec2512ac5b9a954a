"""What `headwater doctor` adds to the storage's own checks: does the index hold what the catalog holds?"""

from __future__ import annotations

from pathlib import Path

from headwater.errors import HeadwaterError
from headwater.lake._lake import Lake
from headwater.storage import Check, diagnose


def diagnose_lake(
    place: str | Path | None = None,
    *,
    state: str | Path | None = None,
    anonymous: bool = False,
    endpoint: str | None = None,
) -> list[Check]:
    """Check this machine and a lake.

    Args:
        place: a folder or `s3://bucket/prefix`; the lake at hand if None.
        state: its state folder.
        anonymous: S3: send no credentials.
        endpoint: S3: URL of the server.
    """
    from headwater.storage import find_lake

    try:
        found = find_lake(lake=place, state=state)
    except HeadwaterError as error:
        return [Check("lake", False, error.message, error.hint)]
    checks = diagnose(found.url, state=found.state, anonymous=anonymous, endpoint=endpoint)
    with Lake(found.url, found.state) as lake:
        try:
            return [*checks, _coverage(lake), _canary(lake)]
        except HeadwaterError as error:
            return [*checks, Check("catalog", False, error.message, error.hint)]


def _coverage(lake: Lake) -> Check:
    status = lake.status()
    whole = status.covered == status.documents
    detail = f"covers {status.covered:,} of {status.documents:,} documents"
    return Check("index", whole, detail, "" if whole else "Run: headwater ingest")


def _canary(lake: Lake) -> Check:
    """Search a dataset for the title of one of its documents: an index that is empty or broken shows here."""
    from headwater.search import Filters, SearchOptions

    ingested = (
        d for d in lake.catalog.documents() if d.state == "ingested" and not d.duplicate_of and d.title
    )
    document = next(ingested, None)
    if document is None:
        return Check("search", True, "there is no document to search for")
    options = SearchOptions(mode="lexical", filters=Filters(datasets=(document.dataset,)))
    good = bool(lake.index.search(document.title, options).hits)
    hint = "" if good else "Remove the folder `index` in the state folder and run: headwater ingest"
    return Check(
        "search",
        good,
        f"{document.title!r} is {'found' if good else 'in the catalog but is not found'}",
        hint,
    )
