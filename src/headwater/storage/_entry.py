"""What a store of files tells about one of them, and what every store can do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

Kind = Literal["file", "symlink", "folder", "fifo", "socket", "device", "key"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing found in a lake.

    Attributes:
        path: its id: the path from the root of the lake, valid Unicode and unique (rule in `storage._names`).
        size: bytes; 0 where there is a problem.
        mtime_ns: time of the last change, nanoseconds since 1970 (UTC), or None.
        version: token that changes when the content may have changed. Equal tokens: not read again.
        kind: what it is; what is to be read has neither a problem nor a target.
        problem: why it cannot or shall not be read, or None.
        failed: with a problem: True for an error (no permission, damaged), False for one left out on purpose.
        target: for a link to a file of the same lake, the id of that file: the link is a duplicate of it.
    """

    path: str
    size: int = 0
    mtime_ns: int | None = None
    version: str = ""
    kind: Kind = "file"
    problem: str | None = None
    failed: bool = False
    target: str = ""

    def hides(self, path: str) -> bool:
        """Tell whether nothing is known about `path` because this folder could not be listed.

        What an earlier listing found there must be kept, not taken for deleted.
        """
        return self.failed and self.kind == "folder" and path.startswith(self.path + "/")


class Storage(Protocol):
    """A folder or bucket that is read and never written to."""

    notices: list[str]
    """Texts for the user about how the store was opened."""

    @property
    def url(self) -> str:
        """Absolute path of the folder, or ``s3://bucket/prefix``."""
        ...

    def list(self) -> Iterator[Entry]:
        """Yield everything there is, each once, in one fixed order.

        Raises:
            SetupError: the lake is not there, or went away while it was listed. What was not yielded by then is
                unknown, not deleted.
        """
        ...

    def stat(self, path: str) -> Entry | None:
        """Return the entry of one file, None if there is no such file."""
        ...

    def exists(self, path: str) -> bool:
        """Tell whether there is a file with this id."""
        ...

    def local_copy(self, path: str) -> AbstractContextManager[Path]:
        """Lend the file as a path on this machine that any library can open; it is not to be written to.

        Raises:
            NotFoundError: there is no such file any more.
            ReadError: this file cannot be read (permission, damaged in transfer).
            SetupError: the whole lake cannot be reached, or the disk is full.
        """
        ...

    def open_range(self, path: str, start: int, length: int) -> bytes:
        """Return up to `length` bytes from byte `start`; fewer at the end of the file. Errors as `local_copy`."""
        ...
