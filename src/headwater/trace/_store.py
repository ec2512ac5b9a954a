"""Traces on disk: an append-only file of JSON lines, and a folder of the full results that its handles name.

Every event is one `write` of one line to a file opened with O_APPEND, so that several processes may write to one trace
and a killed process leaves only whole lines, apart from a last one, which the next writer closes and readers report. A line is with the system once
it is written and survives the end of the process; `fsync`, which guards against the loss of power too, is done where a
session begins, where a model was paid, and where an answer is submitted.
"""

from __future__ import annotations

import datetime as dt
import json
import math
import os
import re
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from headwater.errors import NotFoundError, UsageError

TRACE_ENV = "HEADWATER_SESSION"
"""Environment variable that names the session under which verbs are recorded."""

_DURABLE = frozenset({"begin", "model", "submit"})
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
_OBJECTS = ("arguments", "error", "record", "usage")
_LISTS = (
    *("retrieved", "opened", "retrieved_datasets", "opened_datasets", "sources"),
    *("described", "quoted", "led", "downloads"),
)
_NUMBERS, _TEXTS = ("characters", "seconds"), ("at", "tool", "handle")
_LONGEST_RESULT = 20_000_000
"""Characters of a stored result; a longer one is cut and says so."""


class Trace:
    """One trace, open for appending.

    Args:
        path: the JSONL file; its results lie beside it in a folder of the same stem.

    Attributes:
        path: the file.
        id: its stem, the id of the session.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.id = path.stem

    def __repr__(self) -> str:
        return f"Trace({str(self.path)!r})"

    @property
    def results(self) -> Path:
        """The folder of stored results."""
        return self.path.with_suffix("")

    def append(self, event: str, **fields: Any) -> None:
        """Append an event with the present time.

        Args:
            event: its kind: begin, call, model, submit, end, note.
            fields: JSON values.
        """
        now = dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds")
        line = json.dumps({"event": event, "at": now, **fields}, ensure_ascii=True, default=str)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            end = os.lseek(handle, 0, os.SEEK_END)
            cut = end > 0 and os.pread(handle, 1, end - 1) != b"\n"
            left = memoryview((b"\n" if cut else b"") + line.encode() + b"\n")
            while left:
                left = left[os.write(handle, left) :]
            if event in _DURABLE:
                os.fsync(handle)
        finally:
            os.close(handle)

    def events(self) -> list[dict[str, Any]]:
        """Return the events so far."""
        return list(read_events(self.path)) if self.path.exists() else []

    def keep(self, text: str) -> str:
        """Store the full text of a result and return its handle: "r1", "r2", …; handles are never given twice."""
        self.results.mkdir(parents=True, exist_ok=True)
        number = sum(1 for _ in self.results.iterdir()) + 1
        while True:
            try:
                with (self.results / f"r{number}").open(
                    "x", encoding="utf-8", errors="surrogatepass"
                ) as file:
                    file.write(text[:_LONGEST_RESULT])
                    if len(text) > _LONGEST_RESULT:
                        file.write(f"\n[cut after {_LONGEST_RESULT:,} of {len(text):,} characters]")
                return f"r{number}"
            except FileExistsError:
                number += 1

    def result(self, handle: str) -> str:
        """Return the stored text of a handle, with or without a leading "@".

        Raises:
            NotFoundError: there is no such result in this session.
        """
        name = handle.removeprefix("@")
        path = self.results / name
        if not re.fullmatch(r"r\d+", name) or not path.exists():
            known = (
                sorted((p.name for p in self.results.iterdir()), key=_number) if self.results.exists() else []
            )
            raise NotFoundError(f"There is no result {handle!r} in this session.", nearest=known[-5:])
        return path.read_text(encoding="utf-8", errors="surrogatepass")


def _number(name: str) -> int:
    return int(name[1:]) if name[1:].isdigit() else 0


def new_trace(folder: Path, question: str, **fields: Any) -> Trace:
    """Begin a trace in `folder` under a new id and return it.

    Args:
        folder: where traces live, the `traces` folder of a lake's state.
        question: what is asked.
        fields: further fields of the first event, for instance the lake and the version.

    Raises:
        UsageError: the question is empty.
    """
    if not question.strip():
        raise UsageError("A session needs its question.", hint='headwater session new "question"')
    stamp = dt.datetime.now(dt.UTC).strftime("%Y%m%d-%H%M%S")
    trace = Trace(folder / f"{stamp}-{secrets.token_hex(3)}.jsonl")
    trace.append("begin", id=trace.id, question=question, **fields)
    return trace


def find_trace(folder: Path, name: str | None = None) -> Trace:
    """Return the trace of an id or of a path to its file; without a name the latest one.

    Raises:
        NotFoundError: there is none.
        UsageError: the name is no id.
    """
    known = sorted(p.stem for p in folder.glob("*.jsonl")) if folder.exists() else []
    if name is None:
        if not known:
            raise NotFoundError("There is no trace yet.", hint='Begin one: headwater session new "question"')
        return Trace(folder / f"{known[-1]}.jsonl")
    if name.endswith(".jsonl") and Path(name).is_file():
        first = next(read_events(Path(name)), None)
        if first is None or first["event"] != "begin":
            raise UsageError(
                f"{name} is no trace: it does not begin with the start of a session.",
                hint=f"Set {TRACE_ENV} to what headwater session new prints.",
            )
        return Trace(Path(name))
    if not _ID.fullmatch(name):
        raise UsageError(
            f"{name!r} is no id of a session.", hint=f"Set {TRACE_ENV} to what headwater session new prints."
        )
    if name not in known:
        raise NotFoundError(
            f"There is no session {name!r} for this lake.", where=str(folder), nearest=known[-3:][::-1]
        )
    return Trace(folder / f"{name}.jsonl")


def read_events(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the events of a trace.

    A line that is no event, as a killed process may leave, is given as {"event": "damaged", "line"}; the last one, while
    it has no end yet, is passed over: it may still be written.

    Raises:
        NotFoundError: there is no such file.
    """
    try:
        lines = path.read_bytes().split(b"\n")
    except FileNotFoundError as error:
        raise NotFoundError(f"There is no trace {path}.") from error
    for number, line in enumerate(lines[:-1], 1):
        if not line.strip():
            continue
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            event = None
        yield event if _is_event(event) else {"event": "damaged", "line": number}


def _is_event(value: Any) -> bool:
    """Tell whether a value has the form that `append` gives events, so that readers need not ask again."""
    if not isinstance(value, dict) or not isinstance(value.get("event"), str):
        return False
    if not all(isinstance(value.get(name) or {}, dict) for name in _OBJECTS):
        return False
    record, usage = value.get("record") or {}, value.get("usage") or {}
    return (
        all(_is_list(value.get(name)) for name in _LISTS)
        and all(_is_number(value.get(name)) for name in _NUMBERS)
        and all(isinstance(value.get(name) or "", str) for name in _TEXTS)
        and _is_list(record.get("assumptions"))
        and all(_is_number(amount) for amount in usage.values())
    )


def _is_list(value: Any) -> bool:
    return value is None or (isinstance(value, list) and all(isinstance(part, str) for part in value))


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and math.isfinite(value))
