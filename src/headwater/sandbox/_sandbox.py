"""Runs Python that nobody has checked: no network, no files but its own, bounded time, memory, disk and output."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar

from headwater.errors import HeadwaterError, LimitError, SetupError, UsageError
from headwater.sandbox._canary import CANARY, judge
from headwater.sandbox._confine import Confinement
from headwater.sandbox._host import read_message, remove, write_message
from headwater.sandbox._walls import ROOT, Walls, choose_walls, read_roots

_PREFIX = "headwater-code-"
_KEEPER = 'base=$1; shift; "$@"; rm -rf -- "$base"'
"""Outlives a killed owner: inside its walls the host can empty the folder of the runs but not remove it."""
_GRACE_S = 30.0
"""How long the host may take beyond the code's own time, for instance to import a library first."""


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
    """

    seconds: float = 20.0
    memory: int = 800_000_000
    disk: int = 160_000_000
    output: int = 100_000


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
        self._base = tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-")
        self._runs = 0
        self._lock = threading.Lock()
        self._host: subprocess.Popen[bytes] | None = None
        self.layers: dict[str, Any] = {"tier": "none"}
        """What holds: the tier, and each thing the canary tried."""
        try:
            os.chmod(self._base, 0o711)  # another user has to pass through it to its own folder
            self._walls = Walls("none") if unsafe else choose_walls(self._base, tier)
            self._start()
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
        host, self._host = self._host, None
        if host is not None:
            with contextlib.suppress(OSError):
                if host.stdin:
                    host.stdin.close()
            try:
                host.wait(timeout=5)
            except subprocess.TimeoutExpired:
                host.kill()
                host.wait()
            if host.stdout:
                host.stdout.close()
        remove(self._base)

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

    # --- the host

    def _start(self) -> None:
        inside = self._walls.inside or self._base
        parent = 0 if self._walls.inside else os.getpid()
        start = (
            "import sys; sys.path.insert(0, sys.argv[1]); from headwater.sandbox._host import main; "
            "main(sys.argv[1], sys.argv[2], int(sys.argv[3]))"
        )
        command = [*self._walls.command, sys.executable, "-I", "-c", start, str(ROOT), inside, str(parent)]
        environment = {"PATH": os.environ.get("PATH", os.defpath)} if self._walls.command else {}
        if self._walls.inside:
            command = ["/bin/sh", "-c", _KEEPER, "sh", self._base, *command]
        try:
            self._host = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment | _ENVIRONMENT,
                cwd="/",
                start_new_session=True,
            )
        except OSError as error:
            raise SetupError(f"The process for code cannot be started: {error}.") from error

    def _ask(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Send a request to the host; one that does not reply in time is killed and started again."""
        if self._host is None or self._host.poll() is not None:
            self._start()
        host = self._host
        assert host is not None and host.stdin is not None and host.stdout is not None
        timer = threading.Timer(seconds + _GRACE_S, host.kill)
        timer.start()
        try:
            write_message(host.stdin, request)
            reply = read_message(host.stdout)
        except (BrokenPipeError, ValueError):
            reply = None
        finally:
            timer.cancel()
        if reply is None:
            host.kill()
            host.wait()
            return {
                "result": None,
                "killed": "",
                "signal": 0,
                "output": "",
                "more": 0,
                "seconds": seconds,
                "lost": True,
            }
        return reply

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
        work = Path(self._base, name)
        given = self._fill(work, files)
        inside = os.path.join(self._walls.inside or self._base, name)
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
            "confined": not self._unsafe,
            "environment": _ENVIRONMENT,
            "plan": {slot: getattr(plan, slot) for slot in Confinement.__slots__},
            "limits": {
                "seconds": time,
                "memory": limits.memory,
                "headroom": _HEADROOM,
                "disk": limits.disk + given,
                "output": limits.output,
            },
        }
        reply = self._ask(request, time)
        return self._result(reply, inside, collect(work, Path(self._base, f"out-{self._runs}"), files), time)

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
        self, reply: Mapping[str, Any], work: str, files: dict[str, Path], seconds: float
    ) -> CodeResult:
        told = _masked(_parsed(str(reply["result"] or "")), work)
        output, more = str(_masked(str(reply["output"]), work)), int(reply["more"])
        if more:
            output += f"\n… {more} more bytes were printed and are left out."
        error = self._error(reply, told, seconds)
        value = None if error else told.get("value")
        return CodeResult(output, value, files, more > 0, float(reply["seconds"]), error)

    def _error(
        self, reply: Mapping[str, Any], told: Mapping[str, Any], seconds: float
    ) -> HeadwaterError | None:
        limits = self._limits
        passed = {
            "time": LimitError(f"The code ran longer than {seconds:g} s and was stopped."),
            "memory": LimitError(
                f"The code used more than {limits.memory // 10**6} MB of memory and was stopped."
            ),
            "disk": LimitError(
                f"The code wrote more than {limits.disk // 10**6} MB or too many files and was stopped."
            ),
        }
        if reply["killed"] in passed:
            return passed[reply["killed"]]
        if told.get("memory"):
            return LimitError(
                f"The code asked for more memory than {limits.memory // 10**6} MB ({told['error']})."
            )
        if told and not told.get("ok"):
            where = f"line {told['line']}" if told.get("line") else ""
            trace = str(told.get("traceback") or "")
            return CodeError(
                str(told.get("error") or "the code failed"),
                where=where,
                hint=trace and f"Called from:\n{trace}".rstrip(),
            )
        if told.get("ok"):
            return None
        if reply.get("signal"):
            return CodeError(f"The code crashed its process (signal {reply['signal']}).")
        return CodeError("The code ended without a result.")

    # --- the canary

    def _try_walls(self) -> dict[str, Any]:
        outside = Path(f"{self._base}.canary")
        outside.write_text("outside", encoding="utf-8")
        outside.chmod(0o644)
        try:
            code = CANARY.replace("OUTSIDE", repr(str(outside)))
            result = self._run(code, {}, 30.0)
        finally:
            outside.unlink(missing_ok=True)
            written = Path(f"{outside}.written")
            was_written = written.exists()
            written.unlink(missing_ok=True)
        held = judge(result.value, was_written)
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
    return told if isinstance(told, dict) and _shallow(told, _DEEPEST) else {}


def _masked(value: Any, work: str) -> Any:
    """Return a value with the places of this machine that code can see put in general words.

    Who reads an answer need not learn where the interpreter or the user's files lie. It is a courtesy, no wall.
    """
    if isinstance(value, str):
        places = {
            work: ".",
            sys.prefix: "<environment>",
            sys.base_prefix: "<python>",
            str(Path.home()): "<home>",
        }
        for place in sorted(places, key=len, reverse=True):
            value = value.replace(place, places[place]) if len(place) > 1 else value
        return value
    if isinstance(value, dict):
        return {str(_masked(key, work)): _masked(part, work) for key, part in value.items()}
    return [_masked(part, work) for part in value] if isinstance(value, list) else value


def _shallow(value: Any, depth: int) -> bool:
    """Whether a value is nested so little that anything can work with it."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return depth > 0 and all(_shallow(part, depth - 1) for part in parts)


_ENVIRONMENT = {
    "LANG": "C.UTF-8",
    "MPLBACKEND": "Agg",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "POLARS_MAX_THREADS": "2",
    "PYTHONDONTWRITEBYTECODE": "1",
}
"""All that code sees of an environment."""

_HEADROOM = 200_000_000
"""Bytes that the interpreter and its libraries take before the code has done anything."""

_MOST_GIVEN = 2_000_000_000
_MOST_KEPT = 200
"""Files of a run that are kept; the first ones by name."""
_DEEPEST = 50


def collect(work: Path, target: Path, given: Mapping[str, Any]) -> dict[str, Path]:
    """Move the plain files that code left from its folder to `target`; links and anything special are left out.

    Hidden files, folders and the files that were given are no outputs.
    """
    found: dict[str, Path] = {}
    target.mkdir(mode=0o700)
    handle = os.open(work, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        for name in sorted(os.listdir(handle)):
            if name.startswith(".") or name in given:
                continue
            try:
                fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=handle)
            except OSError:
                continue
            try:
                if not _is_plain(os.fstat(fd)):
                    continue
                with open(fd, "rb", closefd=False) as source, (target / name).open("wb") as copy:
                    shutil.copyfileobj(source, copy)
            finally:
                os.close(fd)
            found[name] = target / name
            if len(found) == _MOST_KEPT:
                break
    finally:
        os.close(handle)
        remove(str(work))
    return found


def _is_plain(stat: os.stat_result) -> bool:
    import stat as kinds

    return kinds.S_ISREG(stat.st_mode) and stat.st_nlink == 1


def sweep() -> None:
    """Remove folders that a killed process of this user has left behind."""
    with contextlib.suppress(OSError):
        for entry in os.scandir(tempfile.gettempdir()):
            if not entry.name.startswith(_PREFIX) or not entry.is_dir(follow_symlinks=False):
                continue
            owner = entry.name.removeprefix(_PREFIX).partition("-")[0]
            if (
                owner.isdigit()
                and entry.stat(follow_symlinks=False).st_uid == os.getuid()
                and not os.path.exists(f"/proc/{owner}")
            ):
                remove(entry.path)
