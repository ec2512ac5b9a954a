"""The door of this room: one call that takes a lake in."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headwater.catalog import Catalog
from headwater.errors import SetupError
from headwater.ingest._index import roll_forward
from headwater.ingest._publish import forget_lost, publish, sweep
from headwater.ingest._record import READER_VERSION
from headwater.ingest._run import IngestOptions, Progress, plan, read_all
from headwater.ingest._task import Address


@dataclass(slots=True)
class IngestReport:
    """What an ingest did.

    Attributes:
        lake: where.
        counts: files of the lake in each state, after the run.
        files: (document, state, reason, duplicate_of) of every file that is not plainly ingested.
        read, changed, removed: files read, documents changed and removed by this run.
        seconds, bytes: duration, and size of the files read.
        interrupted: Ctrl-C stopped it; what was read is kept.
        notices: texts for the user.
    """

    lake: str
    counts: dict[str, int] = field(default_factory=dict)
    files: list[tuple[str, str, str, str]] = field(default_factory=list)
    read: int = 0
    changed: int = 0
    removed: int = 0
    seconds: float = 0.0
    bytes: int = 0
    interrupted: bool = False
    notices: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object."""
        files = [
            {"document": d, "state": s, "reason": r or None, "duplicate_of": o or None}
            for d, s, r, o in self.files
        ]
        return {
            "lake": self.lake,
            "counts": self.counts,
            "files": files,
            "read": self.read,
            "changed": self.changed,
            "removed": self.removed,
            "seconds": round(self.seconds, 3),
            "bytes": self.bytes,
            "interrupted": self.interrupted,
            "notices": self.notices,
        }


def ingest_lake(
    place: str | Path,
    *,
    state: str | Path | None = None,
    options: IngestOptions | None = None,
    report: Callable[[Progress], None] | None = None,
    anonymous: bool = False,
    endpoint: str | None = None,
    region: str | None = None,
    profile: str | None = None,
) -> IngestReport:
    """Take a folder or bucket in; only what changed since the last time is read.

    Args:
        place: a folder or `s3://bucket/prefix`; it is only read.
        state: where headwater keeps its own files; see `headwater.storage.state_dir`.
        options: limits.
        report: called with the progress.
        anonymous: S3: send no credentials.
        endpoint: S3: URL of the server.
        region: S3: region of the bucket.
        profile: S3: profile of the AWS configuration files.

    Raises:
        SetupError: the lake or the state folder cannot be reached, the disk is full, or another process is writing;
            what was read is kept.
    """
    from headwater.storage import Lock, disk_guard, lake_url, state_dir

    started, options, report = time.monotonic(), options or IngestOptions(), report or (lambda _: None)
    url = lake_url(place)
    folder = state_dir(url, state, create=True)
    lake = Address(url, folder, anonymous, endpoint, region, profile)
    with disk_guard(folder), Lock(folder), Catalog(folder, write=True) as catalog:
        storage = lake.open()
        if not catalog.generation:  # an index that is there follows a catalog that is gone
            shutil.rmtree(folder / "index", ignore_errors=True)
        forget_lost(catalog)
        todo = plan(storage, catalog, options, report)
        result = IngestReport(url, notices=list(storage.notices))
        with catalog.transaction():
            catalog.set_meta("url", url)
            if not todo.known:
                catalog.set_meta("reader", str(READER_VERSION))
            catalog.put_files(todo.settled)
            catalog.remove_files(todo.vanished)
        result.interrupted = read_all(catalog, todo.read, lake, options, report)
        if not result.interrupted:  # else the next run asks again for what an older version read
            catalog.set_meta("reader", str(READER_VERSION))
        result.read, result.bytes = len(todo.read), sum(e.size for e in todo.read)
        report(Progress("assembling"))
        published = publish(catalog)
        result.changed, result.removed = published.changed, published.removed
        with _open_index(folder) as index:
            roll_forward(catalog, index, lambda done, total: report(Progress("indexing", done, total)))
        if todo.known and (published.removed or published.changed):
            sweep(catalog)
        result.counts = catalog.counts()
        result.files = catalog.not_plain()
    result.seconds = time.monotonic() - started
    return result


@contextmanager
def _open_index(folder: Path) -> Iterator[Any]:
    """Open the index for writing; one that cannot be opened is built anew."""
    from headwater.search import LocalIndex, load_embedder

    embedder = load_embedder()
    try:
        index = LocalIndex(folder / "index", embedder=embedder, write=True)
    except SetupError:
        shutil.rmtree(folder / "index", ignore_errors=True)
        index = LocalIndex(folder / "index", embedder=embedder, write=True)
    try:
        yield index
    finally:
        index.close()
