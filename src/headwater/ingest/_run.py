"""One ingest: list, read what is new, assemble what changed, bring the index along.

Stages and what a kill between them leaves:

1. Reading commits every few seconds; a file that was read is never read again.
2. Assembling writes documents, relations and the next generation in one transaction.
3. The index follows to that generation. It carries its generation itself, so an index that was left behind is rolled
   forward from the catalog, here or by whoever opens the lake next for writing.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.catalog import Catalog, FileRecord
from headwater.errors import HeadwaterError, NotFoundError, SetupError
from headwater.ingest._assemble import content_of
from headwater.ingest._record import READER_VERSION
from headwater.ingest._task import Address, ReadOutcome, ReadTask, read_file

if TYPE_CHECKING:
    from headwater.ingest._pool import Outcome, WorkerPool
    from headwater.storage import Entry, Storage

COMMIT_SECONDS = 2.0
DEADLINE_BYTES = 256 << 20
"""Bytes of a file that one deadline is meant for."""

COMMIT_FILES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestOptions:
    """Limits of one ingest.

    Attributes:
        workers: processes that read; 0: one per core.
        memory_mb: resident memory at which a reading process is stopped.
        deadline_s: seconds after which reading one file is stopped; a file larger than `DEADLINE_BYTES` has so many more.
        recycle_after: files after which a process is replaced.
        retry: read files again that failed before, even if they did not change.
        allow_empty: believe that a lake that held files is empty now.
    """

    workers: int = 0
    memory_mb: float = 1200
    deadline_s: float = 300.0
    recycle_after: int = 400
    retry: bool = False
    allow_empty: bool = False


@dataclass(slots=True)
class Progress:
    """Where an ingest stands: `stage` is "listing", "reading", "assembling" or "indexing"."""

    stage: str
    done: int = 0
    total: int = 0
    failed: int = 0
    bytes: int = 0


@dataclass(slots=True)
class Plan:
    """What a listing asks for."""

    known: dict[str, FileRecord]
    read: list[Entry] = field(default_factory=list)
    settled: list[FileRecord] = field(default_factory=list)
    vanished: list[str] = field(default_factory=list)
    bytes: int = 0
    files: int = 0


def plan(
    storage: Storage, catalog: Catalog, options: IngestOptions, report: Callable[[Progress], None]
) -> Plan:
    """List the lake and compare with the catalog.

    Raises:
        SetupError: the lake cannot be listed to its end, or held files and is empty now, as an unmounted disk is;
            nothing is taken for deleted.
    """
    known = catalog.files()
    again = catalog.meta("reader", "0") != str(READER_VERSION)
    contents = set(catalog.contents())
    made = Plan(known)
    seen: set[str] = set()
    hidden: list[Entry] = []
    for entry in storage.list():
        seen.add(entry.path)
        made.files += 1
        made.bytes += entry.size
        old = known.get(entry.path)
        if entry.problem is not None or entry.target:
            if entry.failed and entry.kind == "folder":
                hidden.append(entry)
            record = _settled(entry)
            if record != old:
                made.settled.append(record)
        elif (
            old is None
            or again
            or old.version != entry.version
            or (options.retry and old.state == "failed")
            or (old.sha256 and content_of(old) not in contents)
        ):
            made.read.append(entry)
        if made.files % 1000 == 0:
            report(Progress("listing", made.files))
    if not seen and known and not options.allow_empty:
        raise SetupError(
            f"The lake is empty now, it held {len(known):,} files. Nothing was changed.",
            where=storage.url,
            hint="Is the disk mounted? If it is meant to be empty: headwater ingest --allow-empty",
        )
    made.vanished = [p for p in known if p not in seen and not any(h.hides(p) for h in hidden)]
    return made


def _settled(entry: Entry) -> FileRecord:
    """Return the record of something that is not to be read."""
    if entry.target and entry.problem is None:
        return FileRecord(entry.path, entry.size, entry.version, "", "duplicate", entry.target)
    return FileRecord(
        entry.path,
        entry.size,
        entry.version,
        "",
        "failed" if entry.failed else "skipped",
        entry.problem or "",
    )


def read_all(
    catalog: Catalog,
    entries: list[Entry],
    lake: Address,
    options: IngestOptions,
    report: Callable[[Progress], None],
) -> bool:
    """Read files in worker processes and commit what they found every few seconds; return True if Ctrl-C stopped it."""
    staging = lake.staging
    _empty(staging)
    versions = {e.path: e for e in entries}
    progress = Progress("reading", 0, len(entries))
    waiting: list[tuple[FileRecord, ReadOutcome | None]] = []
    last = time.monotonic()
    lake.scratch.mkdir(parents=True, exist_ok=True)
    tasks = [ReadTask(e.path, lake, e.size) for e in entries]
    pool = _pool(len(tasks), options, lake.scratch)
    try:
        for task, outcome in pool.run(tasks):
            entry = versions[task.path]
            if isinstance(outcome.error, SetupError):
                raise outcome.error  # not this file's fault: the lake, the disk or the way there is gone
            if isinstance(outcome.error, NotFoundError):
                catalog.remove_files([task.path])  # deleted since it was listed
                progress.done += 1
                continue
            record = FileRecord(
                entry.path, entry.size, entry.version, "", "failed", seconds=round(outcome.seconds, 3)
            )
            value: ReadOutcome | None = outcome.value
            if value is not None:
                record.sha256, record.size, record.state = value.sha256, value.size, "ingested"
                if value.reads:
                    record.state, record.reason = value.reads[0].state, value.reads[0].reason
            else:
                record.reason = _reason(outcome)
            waiting.append((record, value))
            progress.done += 1
            progress.bytes += entry.size
            progress.failed += record.state == "failed"
            report(progress)
            if len(waiting) >= COMMIT_FILES or time.monotonic() - last > COMMIT_SECONDS:
                _commit(catalog, waiting, staging)
                waiting, last = [], time.monotonic()
    finally:
        pool.close()
        _commit(catalog, waiting, staging)
        _empty(staging)
    return pool.interrupted


def _pool(tasks: int, options: IngestOptions, scratch: Path) -> WorkerPool[ReadTask]:
    import os

    from headwater.ingest._pool import WorkerPool

    workers = options.workers or max(1, os.cpu_count() or 1)
    return WorkerPool(
        read_file,
        workers=max(1, min(workers, tasks)),
        memory_mb=options.memory_mb,
        deadline_s=lambda task: options.deadline_s * max(1.0, task.size / DEADLINE_BYTES),
        recycle_after=options.recycle_after,
        scratch=scratch,
        preload=(
            "headwater.readers",
            "headwater.tabular",
            "headwater.profiles",
            "headwater.relations",
            "headwater.layout",
            "headwater.catalog",
            "pyarrow.parquet",
            "pyarrow.compute",
            "clevercsv",
            "selectolax.lexbor",
        ),
        leave_out=("pandas",),  # Arrow would import it to see whether a list is one of its arrays
    )


def _reason(outcome: Outcome) -> str:
    """Return why a task gave nothing: the error's own words, or what happened to its process."""
    if isinstance(outcome.error, HeadwaterError):
        return " ".join(p for p in (outcome.error.message, outcome.error.hint) if p)
    return f"The reader gave up: {outcome.reason}."


def _commit(catalog: Catalog, waiting: list[tuple[FileRecord, ReadOutcome | None]], staging: Path) -> None:
    """Move the Parquet files of finished reads into the cache, then write the reads and files in one transaction."""
    if not waiting:
        return
    for _, outcome in waiting:
        for read in outcome.reads if outcome else []:
            for name in read.parquet:
                _adopt(staging / name, catalog.folder)
    with catalog.transaction():
        for record, outcome in waiting:
            for read in outcome.reads if outcome else []:
                catalog.put_read(read.content, READER_VERSION, read.record, read.body)
                catalog.put_sketches(read.content, read.sketches)
            if outcome and not outcome.reads:
                known = catalog.read_record(outcome.content) or {"state": "ingested", "reason": ""}
                record.state, record.reason = known["state"], known["reason"]
        catalog.put_files(record for record, _ in waiting)


def _adopt(path: Path, folder: Path) -> None:
    from headwater.ingest._assemble import table_path

    target = folder / "tables" / table_path(path.name)
    if path.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        path.replace(target)


def _empty(folder: Path) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
