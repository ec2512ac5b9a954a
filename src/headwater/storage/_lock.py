"""One writer at a time, and who it is."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import socket
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Any

from headwater.errors import SetupError

_NO_FLOCK = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL)


class Lock:
    """An exclusive lock on a folder, for a writer; readers take none.

    It is the kernel's lock on an open file (flock(2)), so it ends with its process however that ends. Where a file
    system has none, the lock is the existence of a file, which is taken over when its process is gone.

    Args:
        folder: an existing folder.
        name: what is locked.
        wait_s: seconds to wait for another holder.

    Raises:
        SetupError: on entering, if another process holds the lock; the message names it.
    """

    def __init__(self, folder: str | Path, name: str = "writer", *, wait_s: float = 0.0) -> None:
        self.path = Path(folder) / f"{name}.lock"
        self._wait_s = wait_s
        self._handle: int | None = None
        self._by_existence: Path | None = None

    def __enter__(self) -> Lock:
        self.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    @property
    def held(self) -> bool:
        """True while this object holds the lock."""
        return self._handle is not None or self._by_existence is not None

    def acquire(self) -> None:
        """Take the lock."""
        until = time.monotonic() + self._wait_s
        while not self._try():
            if time.monotonic() >= until:
                raise self._refusal()
            time.sleep(0.05)

    def release(self) -> None:
        """Give the lock back; harmless when it is not held."""
        if self._handle is not None:
            os.ftruncate(self._handle, 0)
            os.close(self._handle)
            self._handle = None
        if self._by_existence is not None:
            self._by_existence.unlink(missing_ok=True)
            self._by_existence = None

    def holder(self) -> dict[str, Any] | None:
        """Return what the last holder wrote of itself: pid, host, since, command."""
        for path in (self.path, self._existence_path):
            try:
                found = json.loads(path.read_text(encoding="utf-8"))
            except (OSError, ValueError):
                continue
            if isinstance(found, dict):
                return found
        return None

    @property
    def _existence_path(self) -> Path:
        return self.path.with_suffix(".held")

    def _try(self) -> bool:
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(handle)
            if error.errno in _NO_FLOCK:
                return self._try_by_existence()
            if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
                return False
            raise
        try:
            os.ftruncate(handle, 0)
            os.pwrite(handle, _self_description(), 0)
        except OSError:  # a full disk
            os.close(handle)
            raise
        self._handle = handle
        return True

    def _try_by_existence(self) -> bool:
        path = self._existence_path
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        except FileExistsError:
            holder = self.holder()
            if holder and holder.get("host") == socket.gethostname() and not _alive(int(holder["pid"])):
                path.unlink(missing_ok=True)
            return False
        self._by_existence = path
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_self_description())
        except OSError:
            self.release()
            raise
        return True

    def _refusal(self) -> SetupError:
        holder = self.holder() or {}
        pid, host = holder.get("pid", "unknown"), holder.get("host", "unknown host")
        since = holder.get("since", "an unknown time")
        return SetupError(
            f"Another headwater is writing here: process {pid} on {host}, since {since}.",
            where=str(self.path),
            hint=f"Wait until it is done, or stop it (kill {pid} on {host}), then run the same command again. "
            "Searching and reading are possible meanwhile.",
        )


def _self_description() -> bytes:
    command = " ".join([Path(sys.argv[0] or "python").name, *sys.argv[1:2]])
    since = time.strftime("%Y-%m-%dT%H:%M:%S%z")
    return json.dumps(
        {"pid": os.getpid(), "host": socket.gethostname(), "since": since, "command": command}
    ).encode()


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
