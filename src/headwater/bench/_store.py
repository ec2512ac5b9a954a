"""The folder of a run: `run.json`, `items.jsonl`, `calls.jsonl`, `sessions.jsonl`, and the data it was run on.

Files of lines are append-only. A line that a kill cut off is passed over; nothing is ever rewritten or removed.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from headwater.errors import LimitError, NotFoundError, UsageError
from headwater.models import ReplyCache, Usage, append_line, read_lines

FORMAT = 1


def config_hash(
    suite: str, version: str, agent: str, model: str | None, parameters: Mapping[str, Any]
) -> str:
    """Return the hash that keys results: whatever changes an answer is in it."""
    content = json.dumps([suite, version, agent, model, dict(parameters)], sort_keys=True, default=str)
    return hashlib.sha256(content.encode()).hexdigest()[:16]


class Run:
    """An opened run folder.

    Attributes:
        folder: the folder.
        info: the content of `run.json`.
        session: number of this session, from 1; every line carries the one that wrote it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        path = folder / "run.json"
        try:
            self.info: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise NotFoundError(
                "This is no folder of a run: it has no run.json.",
                where=str(folder),
                hint="Give the folder that `bench run` named.",
            ) from None
        except ValueError as error:
            raise UsageError(f"run.json is not JSON: {error}.", where=str(path)) from error
        if self.info.get("format") != FORMAT:
            raise UsageError(
                f"run.json has format {self.info.get('format')!r}; this version reads {FORMAT}.",
                where=str(path),
            )
        self._lock = threading.Lock()
        self.session = 0
        self._began = 0.0

    @classmethod
    def create(cls, folder: Path, info: Mapping[str, Any]) -> Run:
        """Make a new run folder.

        Raises:
            UsageError: there is one already, or something else.
        """
        if folder.exists() and any(child.name != "data" for child in folder.iterdir()):
            raise UsageError(
                f"{folder} is not empty.", hint=f"Go on with it by --resume {folder}, or name another folder."
            )
        folder.mkdir(parents=True, exist_ok=True)
        draft = folder / "run.json.part"
        draft.write_text(
            json.dumps({"format": FORMAT, **info}, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
        )
        draft.rename(folder / "run.json")
        return cls(folder)

    @property
    def data(self) -> Path:
        """The folder of the suite's data."""
        return self.folder / "data"

    @contextlib.contextmanager
    def writing(self, host: Mapping[str, Any]) -> Iterator[ReplyCache]:
        """Hold the run for one process; note the session and what it runs on.

        Raises:
            LimitError: another process holds it.
        """
        import fcntl

        with (self.folder / "run.lock").open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise LimitError("Another process is at this run.", where=str(self.folder)) from None
            self.session = 1 + sum(1 for _ in read_lines(self.folder / "sessions.jsonl"))
            self._began = time.monotonic()
            append_line(
                self.folder / "sessions.jsonl",
                {"session": self.session, "started": now(), "pid": os.getpid(), **host},
            )
            yield ReplyCache(self.folder / "calls.jsonl")

    def stamp(self) -> dict[str, Any]:
        """Return what marks a line: session, seconds since it began, time of day."""
        return {"session": self.session, "at": round(time.monotonic() - self._began, 3), "time": now()}

    def add(self, record: Mapping[str, Any]) -> None:
        """Append a record to `items.jsonl`."""
        with self._lock:
            append_line(self.folder / "items.jsonl", {**record, **self.stamp()})

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield all records of attempts, oldest first."""
        yield from read_lines(self.folder / "items.jsonl")

    def calls(self) -> Iterator[dict[str, Any]]:
        """Yield all paid calls, oldest first."""
        yield from read_lines(self.folder / "calls.jsonl")

    def paid(self) -> Usage:
        """Return what all attempts cost together, killed ones included."""
        return sum((Usage.from_dict(call["reply"].get("usage", {})) for call in self.calls()), Usage())

    def seconds(self) -> float:
        """Return the time of all sessions, each up to the last line it wrote."""
        last: dict[int, float] = {}
        for line in (*self.records(), *self.calls()):
            session, at = int(line.get("session", 0)), float(line.get("at", 0.0))
            last[session] = max(last.get(session, 0.0), at)
        return sum(last.values())


def now() -> str:
    """Return the time of day, UTC, to the second."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
