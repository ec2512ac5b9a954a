"""The work of one worker process: one file of the lake in, its records out."""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.errors import HeadwaterError, ReadError
from headwater.ingest._record import READER_VERSION, ContentRecord, content_key, hash_file, read_content

if TYPE_CHECKING:
    from headwater.catalog import Catalog, State
    from headwater.storage import Storage

METADATA_BYTES = 32 << 20
"""Metadata documents larger than this are not parsed as such (a portal's whole catalogue is smaller)."""


@dataclass(frozen=True, slots=True)
class Address:
    """How to open a lake, in any process.

    Attributes:
        url: absolute path of a folder, or `s3://bucket/prefix`.
        state: the state folder.
        anonymous, endpoint, region, profile: for S3.
    """

    url: str
    state: Path
    anonymous: bool = False
    endpoint: str | None = None
    region: str | None = None
    profile: str | None = None

    def open(self) -> Storage:
        """Open the lake's storage."""
        from headwater.storage import open_storage

        return open_storage(
            self.url,
            anonymous=self.anonymous,
            endpoint=self.endpoint,
            region=self.region,
            profile=self.profile,
            exclude=(self.state,),
        )

    @property
    def scratch(self) -> Path:
        """Folder for what reading processes need for a moment."""
        return self.state / "scratch"

    @property
    def staging(self) -> Path:
        """Folder for Parquet files that no catalog knows yet."""
        return self.state / "staging"


@dataclass(frozen=True, slots=True)
class ReadTask:
    """Read the file with the id `path` of a lake; its catalog tells which contents are known already.

    `size` in bytes, as far as the listing knows it, is what the time it may take is measured by.
    """

    path: str
    lake: Address
    size: int = 0


@dataclass(slots=True)
class ReadOutcome:
    """What came of a task: the hash, and the records unless the content was known."""

    path: str
    sha256: str
    size: int
    content: str
    reads: list[PackedRead] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class PackedRead:
    """A content as read, ready for the catalog: its key, state and reason, its Parquet files, and all else packed."""

    content: str
    state: State
    reason: str
    parquet: tuple[str, ...]
    record: bytes
    body: bytes
    sketches: list[tuple[int, bytes]]

    @classmethod
    def of(cls, read: ContentRecord) -> PackedRead:
        """Pack the record of a content."""
        from headwater.catalog import Body, pack_read

        files = {t[view]: None for t in read.record.get("tables", []) for view in ("typed", "raw")}
        record, body = pack_read(read.record, Body(read.text, read.pages, read.values))
        return cls(
            read.content,
            read.record["state"],
            read.record["reason"],
            tuple(files),
            record,
            body,
            read.sketches,
        )


def read_file(task: ReadTask) -> ReadOutcome:
    """Read one file of the lake in this process.

    A file that changes while it is read is read once more; if it changes again it fails.

    Raises:
        SetupError: the lake went away, or the disk of the state folder is full.
        HeadwaterError: the file cannot be reached.
    """
    from headwater.storage import disk_guard

    storage = _storage(task.lake)
    try:
        with disk_guard(task.lake.state), storage.local_copy(task.path) as local:
            for _ in range(2):
                before = _stamp(local)
                outcome = _read(task, local)
                if _stamp(local) == before:
                    return outcome
    except OSError as error:
        with storage.local_copy(task.path):
            pass  # it raises if the file, or the whole lake, has gone away meanwhile
        raise ReadError(f"The file cannot be read: {error.strerror or error}.", where=task.path) from error
    raise ReadError(
        "The file keeps changing while it is read.", where=task.path, hint="Ingest again when it is at rest."
    )


def _read(task: ReadTask, local: Path) -> ReadOutcome:
    from headwater.layout import is_metadata_file, parse_metadata

    sha256, size = hash_file(local), local.stat().st_size
    content = content_key(sha256, task.path)
    outcome = ReadOutcome(task.path, sha256, size, content)
    catalog = _catalog(task.lake.state)
    if catalog is not None and catalog.has_read(content, READER_VERSION):
        return outcome
    records = read_content(local, task.path, sha256, size, task.lake.staging)
    if 0 < size <= METADATA_BYTES:
        with local.open("rb") as f:
            head = f.read(8192)
        if is_metadata_file(task.path, head):
            metadata = parse_metadata(task.path, local.read_bytes())
            if metadata is not None:
                records[0].record["dataset_metadata"] = metadata.to_dict()
    outcome.reads = [PackedRead.of(record) for record in records]
    return outcome


def _stamp(path: Path) -> tuple[int, int, int]:
    found = os.stat(path)
    return found.st_size, found.st_mtime_ns, found.st_ino


@functools.cache
def _storage(lake: Address) -> Storage:
    return lake.open()


@functools.cache
def _catalog(state: Path) -> Catalog | None:
    from headwater.catalog import Catalog

    try:
        return Catalog(state)
    except HeadwaterError:
        return None
