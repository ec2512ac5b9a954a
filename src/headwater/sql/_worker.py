"""The parent's side of the process that runs the statements: start, ask, kill at the deadline, replace."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import selectors
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headwater.errors import MissingExtraError, SetupError
from headwater.sql import _child

GRACE_S = 2.0
"""Time between interrupting a statement and killing the process that runs it."""

START_S = 60.0
"""Time a new process gets to load its libraries, on a busy machine."""

ADDRESS_SPACE_FACTOR = 3
BASE_ADDRESS_SPACE_MB = 250
"""The address space is three times DuckDB's own limit, plus what the interpreter and the libraries map."""


class WorkerDied(Exception):
    """The process ended in the middle of a request; `late` if it was killed at the deadline."""

    def __init__(self, *, late: bool) -> None:
        super().__init__("the query process ended")
        self.late = late


class WorkerError(Exception):
    """The process answered with an error: the class name DuckDB or Python gives it, and its text."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message


@dataclass(slots=True)
class Worker:
    """One query process at a time, started when first asked and again after it died.

    Attributes:
        memory_mb: DuckDB's memory limit.
        threads: DuckDB's threads.
        read_roots: the only folders, besides the system's, that the process may read; none: no such bound.
        layers: what the running process has been confined by ("rlimits", "landlock").
    """

    memory_mb: int
    threads: int
    read_roots: Sequence[Path] = ()
    layers: list[str] = field(default_factory=list)
    _process: subprocess.Popen[bytes] | None = None
    _ready: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def pid(self) -> int | None:
        """Process id, None while there is no process."""
        return self._process.pid if self._process else None

    def start(self) -> bool:
        """Start the process if there is none, without waiting until it is ready; return whether one was started."""
        if self._process is not None and self._process.poll() is None:
            return False
        self._close()
        config = {
            "memory_mb": self.memory_mb,
            "threads": self.threads,
            "address_space": (ADDRESS_SPACE_FACTOR * self.memory_mb + BASE_ADDRESS_SPACE_MB) << 20,
            "read_roots": [str(root) for root in self.read_roots],
            "packages": _package_folders(),
            "parent": os.getpid(),
            # The kernel ties the death signal to the thread that forked, so only the main thread may ask for it.
            "parent_is_main_thread": threading.current_thread() is threading.main_thread(),
        }
        # Isolated and without site: half the start-up time, and no file of the user is run on the way.
        command = [sys.executable, "-I", "-S", "-B", str(Path(_child.__file__)), json.dumps(config)]
        folder = tempfile.mkdtemp(prefix="headwater-")
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=folder,
                env={},
                close_fds=True,
            )
        except OSError as error:
            raise SetupError(f"The query process cannot be started: {error.strerror}.") from error
        finally:
            # The process keeps the removed folder as its working folder: nothing can be created in it.
            os.rmdir(folder)
        self._ready = False
        return True

    def ask(self, request: dict[str, Any], seconds: float) -> tuple[dict[str, Any], bytes]:
        """Send one request and return the reply, an object and raw bytes.

        Raises:
            WorkerDied: the process did not live to answer.
            WorkerError: it answered with an error.
        """
        with self._lock:
            try:
                self.start()
                self._wait_until_ready()
                self._write(request | {"seconds": seconds})
                reply, body = self._read(seconds + GRACE_S)
            except BaseException:
                self._close()  # a reply that nobody waited for, after Ctrl-C for instance, would be taken for the next one
                raise
        if "error" in reply:
            raise WorkerError(reply["error"], reply["message"])
        return reply, body

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._close()

    def _wait_until_ready(self) -> None:
        if self._ready:
            return
        try:
            reply, _ = self._read(START_S)
        except WorkerDied as died:
            raise SetupError(
                "The query process does not start.",
                hint=f"Does this work: {sys.executable} -c 'import duckdb, pyarrow'?",
            ) from died
        self.layers = reply["layers"]
        self._ready = True

    def _write(self, request: dict[str, Any]) -> None:
        assert self._process is not None and self._process.stdin is not None  # noqa: S101
        try:
            _child.send(self._process.stdin, request, b"")  # type: ignore[arg-type]
        except BrokenPipeError as error:
            self._close()
            raise WorkerDied(late=False) from error

    def _read(self, seconds: float) -> tuple[dict[str, Any], bytes]:
        deadline = time.monotonic() + seconds
        header = self._read_exactly(_child.HEADER.size, deadline)
        head, body = _child.HEADER.unpack(header)
        reply: dict[str, Any] = json.loads(self._read_exactly(head, deadline))
        return reply, self._read_exactly(body, deadline)

    def _read_exactly(self, size: int, deadline: float) -> bytes:
        assert self._process is not None and self._process.stdout is not None  # noqa: S101
        stream = self._process.stdout.fileno()
        parts: list[bytes] = []
        with selectors.DefaultSelector() as selector:
            selector.register(stream, selectors.EVENT_READ)
            while size:
                left = deadline - time.monotonic()
                if left <= 0 or not selector.select(left):
                    self._close()
                    raise WorkerDied(late=True)
                part = os.read(stream, min(size, 1 << 20))
                if not part:
                    self._close()
                    raise WorkerDied(late=False)
                parts.append(part)
                size -= len(part)
        return b"".join(parts)

    def _close(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()


def _package_folders() -> list[str]:
    folders = []
    for package in ("duckdb", "pyarrow"):
        spec = importlib.util.find_spec(package)
        if spec is None or spec.origin is None:
            raise MissingExtraError(f"SQL needs the package {package}, which is not installed.")
        folders.append(str(Path(spec.origin).parent.parent))
    return list(dict.fromkeys(folders))
