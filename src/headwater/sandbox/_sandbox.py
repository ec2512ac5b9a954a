"""Runs Python that nobody has checked: no network, no files but its own, bounded time, memory, disk and output."""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar

from headwater.errors import HeadwaterError, LimitError, SetupError, UsageError
from headwater.sandbox._canary import CANARY, judge
from headwater.sandbox._confine import Confinement
from headwater.sandbox._folders import collect, make_base, remove, sweep
from headwater.sandbox._process import ENVIRONMENT, Host
from headwater.sandbox._walls import Walls, choose_walls, read_roots

LONGEST_S = 3_600


class CodeError(HeadwaterError):
    """The code raised an exception, ended itself or crashed."""

    kind: ClassVar[str] = "code"


@dataclass(frozen=True, slots=True)
class CodeLimits:
    """What a piece of code may use.

    Attributes:
        seconds: wall-clock and processor time.
        memory: bytes of memory.
        disk: bytes of files in its folder; a single file may have half of it.
        output: bytes of printed text that are kept.

    Raises:
        UsageError: a limit is not above zero, or the time is more than an hour.
    """

    seconds: float = 20.0
    memory: int = 800_000_000
    disk: int = 160_000_000
    output: int = 100_000

    def __post_init__(self) -> None:
        if not 0 < self.seconds <= LONGEST_S:
            raise UsageError(f"Code gets more than 0 and at most {LONGEST_S:,} seconds, not {self.seconds}.")
        if min(self.memory, self.disk, self.output) <= 0:
            raise UsageError("The limits of code are above zero.")


@dataclass(frozen=True, slots=True)
class CodeResult:
    """The outcome of a piece of code.

    Attributes:
        output: what it printed, errors included, up to the limit.
        value: value of its last line, or of the variable `result`, as JSON.
        files: files it left, figures included: name to path. They are kept until the sandbox is closed.
        truncated: whether output was cut.
        seconds: how long it ran.
        error: what went wrong, or None.
    """

    output: str
    value: Any = None
    files: Mapping[str, Path] = field(default_factory=dict)
    truncated: bool = False
    seconds: float = 0.0
    error: HeadwaterError | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the outcome in the form of the JSON contract; files by name and size."""
        files = [
            {"name": name, "bytes": path.stat().st_size, "path": str(path)}
            for name, path in self.files.items()
        ]
        body = {"output": self.output, "value": self.value, "files": files, "truncated": self.truncated}
        return {**body, "seconds": round(self.seconds, 3)}


class Sandbox:
    """A place to run code in. Every run is a process of its own in a fresh folder; nothing of one run reaches the next.

    Use it as a context manager. A canary tries the walls when it starts; if one does not hold, no code is run.

    Args:
        files: what every run finds in its folder, name to a path (copied) or to bytes.
        limits: limits of every run.
        unsafe: run without walls, in the caller's own rights; limits of time and memory still hold.
        tier: "auto", "bubblewrap" or "landlock".

    Raises:
        SetupError: this machine cannot confine code, or a wall does not hold.
        UsageError: a name of a file is no plain file name.
    """

    def __init__(
        self,
        files: Mapping[str, Path | bytes] | None = None,
        limits: CodeLimits | None = None,
        *,
        unsafe: bool = False,
        tier: str = "auto",
    ) -> None:
        self._files, self._limits, self._unsafe = dict(files or {}), limits or CodeLimits(), unsafe
        for name in self._files:
            if name != os.path.basename(name) or name in ("", ".", "..") or name.startswith("."):
                raise UsageError(f"{name!r} is no plain file name.")
        sweep()
        self._walls = Walls("none") if unsafe else choose_walls(tier)
        self._base, self._mark = make_base()
        self._work = os.path.join(self._base, "runs")
        self._runs = 0
        self._lock = threading.Lock()
        self._host = Host(self._walls, self._base, self._work)
        self.layers: dict[str, Any] = {"tier": "none"}
        """What holds: the tier, and each thing the canary tried."""
        try:
            os.chmod(self._base, 0o711)  # another user has to pass through it to its own folder
            self._make_work()
            self._host.start()
            self.layers = {"tier": self._walls.tier} | ({} if unsafe else self._try_walls())
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the host and remove all folders and files of the runs."""
        self._host.close()
        remove(self._base)
        mark, self._mark = self._mark, -1
        if mark >= 0:
            os.close(mark)

    def run(self, code: str, *, seconds: float | None = None, setup: str = "") -> CodeResult:
        """Run `code` and return its outcome; an exception of the code is in `error`, not raised.

        Args:
            code: Python; pandas, numpy, polars, duckdb and matplotlib can be imported where they are installed.
            seconds: a shorter time for this run.
            setup: trusted code that runs before, under the same names.

        Raises:
            SetupError: the host process cannot be started.
            LimitError: the files do not fit the limit of disk.
        """
        with self._lock:
            return self._run(code, self._files, seconds, setup)

    # --- runs

    def _run(
        self, code: str, files: Mapping[str, Path | bytes], seconds: float | None, setup: str = ""
    ) -> CodeResult:
        limits = self._limits
        time = min(seconds, limits.seconds) if seconds is not None else limits.seconds
        if time <= 0:
            return CodeResult("", error=LimitError("There is no time left to run the code."))
        self._runs += 1
        name = f"run-{self._runs}"
        work = Path(self._work, name)
        try:
            self._host.start()  # what is left of a lost one is gone before there is anything to clean up
            given = self._fill(work, files)
        except OSError as error:
            raise SetupError(f"The folder for the code cannot be made: {error.strerror}.") from error
        inside = os.path.join(self._walls.inside or self._work, name)
        plan = Confinement(
            work=inside,
            read=read_roots(),
            memory=limits.memory + _HEADROOM,
            file=max(limits.disk // 2, 1),
            cpu=int(time) + 1,
            uid=self._walls.uid,
            landlock=self._walls.landlock,
        )
        request = {
            "code": code,
            "setup": setup,
            "work": inside,
            "folder": self._walls.inside if self._walls.once else inside,
            "confined": not self._unsafe,
            "environment": ENVIRONMENT,
            "plan": {slot: getattr(plan, slot) for slot in Confinement.__slots__},
            "limits": {
                "seconds": time,
                "memory": limits.memory,
                "headroom": _HEADROOM,
                "disk": limits.disk + given,
                "output": limits.output,
            },
        }
        reply = self._host.ask(request, time) or _LOST | {"seconds": time}
        if self._walls.once:
            self._host.kill()
        kept, left_out = collect(work, Path(self._base, f"out-{self._runs}"), files, limits.disk)
        if self._walls.once:
            remove(self._work)
            self._make_work()
        return self._result(reply, inside, kept, left_out, time)

    def _make_work(self) -> None:
        os.mkdir(self._work)
        os.chmod(self._work, 0o711)

    def _fill(self, work: Path, files: Mapping[str, Path | bytes]) -> int:
        """Make the folder of a run with copies of the files; return their bytes."""
        work.mkdir(mode=0o700)
        total = 0
        for name, source in files.items():
            size = len(source) if isinstance(source, bytes) else source.stat().st_size
            total += size
            if total > _MOST_GIVEN:
                raise LimitError(
                    f"The files given to the code have more than {_MOST_GIVEN} bytes.",
                    hint="Give fewer of them.",
                )
            if isinstance(source, bytes):
                (work / name).write_bytes(source)
            else:
                shutil.copyfile(source, work / name)
            (work / name).chmod(0o444)
        if self._walls.uid >= 0:
            os.chown(work, self._walls.uid, self._walls.uid)
        return total

    def _result(
        self, reply: Mapping[str, Any], work: str, files: dict[str, Path], left_out: int, seconds: float
    ) -> CodeResult:
        told = _masked(_parsed(str(reply["result"] or "")), work)
        output, more = str(_masked(str(reply["output"]), work)), int(reply["more"])
        if more:
            output += f"\n… {more} more bytes were printed and are left out."
        if left_out:
            output += f"\n… {left_out} files are left out: they are too many or too large."
        error = self._error(reply, told, seconds)
        value = None if error else told.get("value")
        return CodeResult(output, value, files, more > 0, float(reply["seconds"]), error)

    def _error(
        self, reply: Mapping[str, Any], told: Mapping[str, Any], seconds: float
    ) -> HeadwaterError | None:
        limits = self._limits
        if reply["killed"]:
            return self._passed(str(reply["killed"]), seconds)
        if told.get("memory"):
            return LimitError(
                f"The code asked for more memory than {limits.memory // 10**6} MB ({_cut(told.get('error')) or 'MemoryError'})."
            )
        if told and not told.get("ok"):
            where = f"line {told['line']}" if isinstance(told.get("line"), int) and told["line"] else ""
            trace = _cut(told.get("traceback"))
            return CodeError(
                _cut(told.get("error")) or "the code failed",
                where=where,
                hint=trace and f"Called from:\n{trace}".rstrip(),
            )
        if told.get("ok"):
            return None
        if reply.get("signal"):
            return CodeError(f"The code crashed its process (signal {reply['signal']}).")
        return CodeError("The code ended without a result.")

    def _passed(self, limit: str, seconds: float) -> LimitError:
        limits = self._limits
        told = {
            "time": LimitError(f"The code ran longer than {seconds:g} s and was stopped."),
            "memory": LimitError(
                f"The code used more than {limits.memory // 10**6} MB of memory and was stopped."
            ),
            "threads": LimitError("The code started too many threads and was stopped."),
            "disk": LimitError(
                f"The code wrote more than {limits.disk // 10**6} MB or too many files and was stopped."
            ),
        }
        return told[limit]

    # --- the canary

    def _try_walls(self) -> dict[str, Any]:
        outside = Path(self._base, "outside")
        outside.write_text("outside", encoding="utf-8")
        outside.chmod(0o644)
        written = Path(f"{outside}.written")
        result = self._run(CANARY.replace("OUTSIDE", repr(str(outside))), {}, 30.0)
        held = judge(result.value, written.exists())
        broken = [name for name, holds in held.items() if not holds]
        if broken or result.error:
            told = ", ".join(broken) or str(result.error)
            raise SetupError(
                f"The walls around code do not hold on this machine: {told}.",
                hint="No code is run. --unsafe-python runs it without protection: only for code you wrote yourself.",
            )
        return {"canary": held, "uid": self._walls.uid}


def _parsed(text: str) -> dict[str, Any]:
    """Read what a child wrote as its outcome. The code could have written it, so it is no more than JSON of some size."""
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) and _proper(told, _DEEPEST) else {}


def _cut(text: Any) -> str:
    return str(text or "")[:_LONGEST_ERROR]


def _masked(value: Any, work: str) -> Any:
    """Return a value with the places of this machine that code can see put in general words.

    Who reads an answer need not learn where the interpreter or the user's files lie. It is a courtesy, no wall. Places that
    are the same on every machine stay, since they may as well be data; so do words that merely hold one. Halves of characters
    that no text can carry are replaced.
    """
    if isinstance(value, str):
        places = {
            work: ".",
            sys.prefix: "<environment>",
            sys.base_prefix: "<python>",
            str(Path.home()): "<home>",
        }
        for place in sorted(places, key=len, reverse=True):
            if place not in _COMMON:
                value = re.sub(rf"(?<![\w.-]){re.escape(place)}(?![\w-])", lambda _: places[place], value)  # noqa: B023
        return re.sub("[\ud800-\udfff]", "\ufffd", value)
    if isinstance(value, dict):
        return {str(_masked(key, work)): _masked(part, work) for key, part in value.items()}
    return [_masked(part, work) for part in value] if isinstance(value, list) else value


def _proper(value: Any, depth: int) -> bool:
    """Whether a value is nested so little that anything can work with it, and holds no number that JSON has no form for."""
    if isinstance(value, float):
        return math.isfinite(value)
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return depth > 0 and all(_proper(part, depth - 1) for part in parts)


_HEADROOM = 200_000_000
"""Bytes that the interpreter and its libraries take before the code has done anything."""

_MOST_GIVEN = 2_000_000_000
_LOST: dict[str, Any] = {"result": "", "killed": "", "signal": 0, "output": "", "more": 0}
"""What is known of a run whose host was lost."""

_COMMON = ("/", "/usr", "/usr/local", "/root")
_LONGEST_ERROR = 4_000
_DEEPEST = 50
