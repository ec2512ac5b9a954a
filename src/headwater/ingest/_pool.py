"""Work on untrusted input in child processes, so that one bad task costs that task alone."""

from __future__ import annotations

import contextlib
import os
import pickle
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, Final, Generic, Literal, TypeVar

from headwater.errors import SetupError
from headwater.ingest import _zygote as zygote

Task = TypeVar("Task")

OutcomeKind = Literal["ok", "error", "crashed", "timed_out", "out_of_memory"]

_SHORT_S: Final = 0.02  # a worker with tasks shorter than this gets its next one before it asks
_SMALL: Final = 32 << 10  # bytes of a task that surely fit the buffer of a socket
_GROWN: Final = 0.5  # share of the memory limit that a worker may grow by over its tasks
_MAX_STARTS: Final = 4
_START_S: Final = 60.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one task ended.

    Attributes:
        kind: "ok", "error" (the function raised), "crashed" (the process died), "timed_out", "out_of_memory".
        value: what the function returned, for "ok".
        error: what it raised, for "error".
        traceback: where, as text.
        signal: number of the signal that ended the process, for "crashed".
        exit_code: its exit code, for "crashed" without a signal.
        seconds: time spent in the task.
        peak_bytes: the most memory seen while it ran, where a limit was met; else 0.
    """

    kind: OutcomeKind
    value: Any = None
    error: BaseException | None = None
    traceback: str = ""
    signal: int | None = None
    exit_code: int | None = None
    seconds: float = 0.0
    peak_bytes: int = 0

    @property
    def ok(self) -> bool:
        """True if the function returned."""
        return self.kind == "ok"

    @property
    def reason(self) -> str:
        """Why there is no value, one sentence without a full stop; "" for "ok"."""
        if self.kind == "error":
            return f"{type(self.error).__name__}: {self.error}"
        if self.kind == "timed_out":
            return f"it took too long and was stopped after {self.seconds:.0f} seconds"
        if self.kind == "out_of_memory":
            seen = f" ({self.peak_bytes / 1e6:,.0f} MB)" if self.peak_bytes else ""
            return f"it needed more memory than allowed{seen}"
        if self.kind == "crashed":
            return f"its process died ({_death(self.signal, self.exit_code)})"
        return ""


@dataclass(slots=True)
class _Running(Generic[Task]):
    number: int
    task: Task
    attempts: int = 0


@dataclass(slots=True)
class _WorkerEnd(Generic[Task]):
    """The main process's view of one worker: its socket, and the tasks it holds, the first of them running."""

    number: int
    connection: Connection
    running: deque[_Running[Task]] = field(default_factory=deque)
    finished: int = 0
    last_s: float = 1.0
    retire: bool = False
    gone: bool = False

    @property
    def takes_more(self) -> bool:
        """True if it is idle, or at a task that will not take long."""
        return not self.running or (len(self.running) == 1 and self.last_s < _SHORT_S)


class WorkerPool(Generic[Task]):
    """Runs a function on tasks in child processes with limits of time and memory.

    Processes start with the first task. A task that fails in any way costs itself alone; results that are finished
    are never lost. The first Ctrl-C stops taking new tasks (`interrupted` is then true, `run` ends after what is
    under way), the second one raises KeyboardInterrupt. Children die with this process, however it ends.

    Args:
        function: a top-level function of an importable module, or a `functools.partial` of one.
        workers: number of processes.
        memory_mb: memory that one worker may hold, in 10^6 bytes, pages of mapped files left out.
        deadline_s: seconds for one task, or a function that gives them for each.
        recycle_after: tasks after which a worker is replaced.
        preload: modules to import once, before workers are forked.
        leave_out: modules that are not there for workers, as if they were not installed.
        scratch: folder in which workers get their temporary folders; the system's if None.
        handle_sigint: install a handler for Ctrl-C from the first task until the pool is closed (main thread only).

    Raises:
        SetupError: on the first task, if processes cannot be started or the function cannot be imported there.
    """

    def __init__(
        self,
        function: Callable[[Task], Any],
        *,
        workers: int,
        memory_mb: float,
        deadline_s: float | Callable[[Task], float],
        recycle_after: int = 500,
        preload: Sequence[str] = (),
        leave_out: Sequence[str] = (),
        scratch: Path | None = None,
        handle_sigint: bool = True,
    ) -> None:
        self.interrupted = False
        self._frozen = pickle.dumps(function)
        self._target = workers
        self._memory = int(memory_mb * 1e6)
        self._deadline = deadline_s
        self._recycle_after = recycle_after
        self._modules = list(preload), list(leave_out)
        self._scratch = scratch
        self._temporary = ""
        self._handle_sigint = handle_sigint
        self._old_handler: Any = None
        self._stopping = False
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._selector = selectors.DefaultSelector()
        self._workers: dict[int, _WorkerEnd[Task]] = {}
        self._again: deque[_Running[Task]] = deque()
        self._done: deque[tuple[Task, Outcome]] = deque()
        self._last_number = 0
        self._last_worker = 0
        self._starts = 0

    def __enter__(self) -> WorkerPool[Task]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def stop(self) -> None:
        """Take no new tasks; `run` ends when those under way have."""
        self._stopping = True

    def close(self) -> None:
        """End all workers, at once, and forget what they were at."""
        self._end_processes()
        self._again.clear()
        if self._old_handler is not None:
            signal.signal(signal.SIGINT, self._old_handler)
            self._old_handler = None

    def run(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, Outcome]]:
        """Yield each task with its outcome, as they finish. `tasks` is drawn from only as workers become free."""
        source = iter(tasks)
        self._listen_to_sigint()
        while True:
            more = not self._stopping and self._feed(source)
            if self._done:
                yield self._done.popleft()
                self._wait(0)
            elif any(w.running for w in self._workers.values()):
                self._wait(None)
            elif not more:
                return

    # Feeding

    def _feed(self, source: Iterator[Task]) -> bool:
        """Give every worker that can take one a task; return False when there are no more."""
        while not self._stopping and self._has_room(alone=bool(self._again)):
            item = self._again.popleft() if self._again else self._draw(source)
            if item is None:
                return False
            self._send(self._choose(), item)
        return True

    def _draw(self, source: Iterator[Task]) -> _Running[Task] | None:
        try:
            task = next(source)
        except StopIteration:
            return None
        self._last_number += 1
        return _Running(self._last_number, task)

    def _alive(self) -> list[_WorkerEnd[Task]]:
        return [w for w in self._workers.values() if not (w.gone or w.retire)]

    def _has_room(self, *, alone: bool) -> bool:
        """Tell whether a worker can take a task; `alone`: one that was lost before and must not queue again."""
        alive = self._alive()
        return len(alive) < self._target or any(not w.running if alone else w.takes_more for w in alive)

    def _choose(self) -> _WorkerEnd[Task]:
        """Return an idle worker, a new one, or one that will be done in a moment."""
        alive = self._alive()
        idle = next((w for w in alive if not w.running), None)
        if idle is None and len(alive) < self._target:
            return self._fork()
        return idle or next(w for w in alive if w.takes_more)

    def _send(self, worker: _WorkerEnd[Task], item: _Running[Task]) -> None:
        deadline = self._deadline(item.task) if callable(self._deadline) else self._deadline
        message = zygote.TASK.pack(item.number, deadline) + pickle.dumps(item.task, pickle.HIGHEST_PROTOCOL)
        if worker.running and len(message) > _SMALL:
            # It may be blocked on a result for us: never block on it in turn.
            self._again.appendleft(item)
            worker.last_s = _SHORT_S
            return
        worker.running.append(item)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it died: the report of that comes
            worker.connection.send_bytes(message)

    # Hearing

    def _wait(self, timeout_s: float | None) -> None:
        for key, _ in self._selector.select(timeout_s):
            if key.data is None:
                self._read_report()
            elif not key.data.gone:
                self._read_results(key.data)

    def _read_results(self, worker: _WorkerEnd[Task]) -> None:
        """Take every result that lies in a worker's socket."""
        try:
            while worker.connection.poll():
                self._take(worker, worker.connection.recv_bytes())
        except (EOFError, OSError):
            self._hang_up(worker)

    def _take(self, worker: _WorkerEnd[Task], message: bytes) -> None:
        number, kind, seconds, grown = zygote.RESULT.unpack_from(message)
        item = worker.running.popleft()
        assert item.number == number, "a worker answers in the order it was asked"
        self._done.append((item.task, _outcome(kind, message[zygote.RESULT.size :], seconds)))
        worker.finished += 1
        worker.last_s = seconds
        if (
            kind == zygote.NO_MEMORY
            or worker.finished >= self._recycle_after
            or grown > _GROWN * self._memory
        ):
            worker.retire = True
        if worker.retire and not worker.running:
            del self._workers[worker.number]
            self._hang_up(worker)  # it sees its socket closed and ends

    def _read_report(self) -> None:
        """Take the news that a worker ended; what it had finished is taken first."""
        assert self._control is not None
        data = self._control.recv(zygote.REPORT.size, socket.MSG_WAITALL)
        if len(data) < zygote.REPORT.size:
            self._restart()
            return
        number, status, why, at, peak, seconds = zygote.REPORT.unpack(data)
        worker = self._workers.pop(number, None)
        if worker is None:
            return
        if not worker.gone:
            self._read_results(worker)
        self._hang_up(worker)
        if worker.running and worker.running[0].number == at:
            item = worker.running.popleft()
            self._done.append((item.task, _loss(status, why, peak, seconds)))
        self._try_again(worker, _loss(status, why, peak, seconds))

    def _try_again(self, worker: _WorkerEnd[Task], loss: Outcome) -> None:
        """Give tasks that were not begun to others; one that loses two processes so is taken for the cause."""
        for item in worker.running:
            item.attempts += 1
            if item.attempts > 1:
                self._done.append((item.task, loss))
            else:
                self._again.append(item)
        worker.running.clear()

    # Processes

    def _fork(self) -> _WorkerEnd[Task]:
        if self._control is None:
            self._start()
        assert self._control is not None
        ours, theirs = socket.socketpair()
        self._last_worker += 1
        with theirs:
            socket.send_fds(
                self._control, [zygote.REQUEST.pack(zygote.FORK, self._last_worker)], [theirs.fileno()]
            )
        worker: _WorkerEnd[Task] = _WorkerEnd(self._last_worker, Connection(ours.detach()))
        self._workers[worker.number] = worker
        self._selector.register(worker.connection, selectors.EVENT_READ, worker)
        return worker

    def _hang_up(self, worker: _WorkerEnd[Task]) -> None:
        if not worker.gone:
            worker.gone = True
            self._selector.unregister(worker.connection)
            worker.connection.close()

    def _start(self) -> None:
        self._starts += 1
        if self._starts > _MAX_STARTS:
            raise SetupError(
                "The worker processes keep being killed from outside.",
                hint="The machine may be out of memory: try fewer workers or a smaller memory limit.",
            )
        ours, theirs = socket.socketpair()
        path = [p for p in sys.path if p]  # never the working folder, which may be a lake
        code = f"import sys; sys.path[:] = {path!r}; from headwater.ingest._zygote import main; main({theirs.fileno()})"
        with theirs, tempfile.TemporaryFile() as log:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", code],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
                env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            )
            theirs.close()
            if self._scratch:
                self._scratch.mkdir(parents=True, exist_ok=True)
            self._temporary = tempfile.mkdtemp(prefix="headwater-workers-", dir=self._scratch)
            said = self._greet(ours, self._temporary)
            if said != b"ready":
                self._process.kill()
                self._end_processes()
                log.seek(0)
                lines = log.read().decode(errors="replace").strip().splitlines()
                ours.close()
                reason = said.decode() or (lines or ["no reason given"])[-1]
                raise SetupError(f"Worker processes cannot be started: {reason}")
        self._control = ours
        self._selector.register(ours, selectors.EVENT_READ, None)

    def _greet(self, control: socket.socket, scratch: str) -> bytes:
        connection = Connection(os.dup(control.fileno()))
        parts = (pickle.dumps(self._modules), self._frozen, str(self._memory).encode(), os.fsencode(scratch))
        try:
            for part in parts:
                connection.send_bytes(part)
            return connection.recv_bytes() if connection.poll(_START_S) else b"no answer"
        except (EOFError, OSError):
            return b""
        finally:
            connection.close()

    def _restart(self) -> None:
        """The process that forks was killed, its workers died with it: begin again with what they were at."""
        workers = list(self._workers.values())
        for worker in workers:
            if not worker.gone:
                self._read_results(worker)
        self._end_processes()
        for worker in workers:
            self._try_again(worker, Outcome("crashed", signal=int(signal.SIGKILL)))

    def _end_processes(self) -> None:
        for worker in self._workers.values():
            self._hang_up(worker)
        self._workers.clear()
        if self._control is not None:
            self._selector.unregister(self._control)
            self._control.close()  # the other side kills its children and ends
            self._control = None
        if self._process is not None:
            self._process.wait()
            self._process = None
            shutil.rmtree(self._temporary, ignore_errors=True)

    def _listen_to_sigint(self) -> None:
        main = threading.current_thread() is threading.main_thread()
        if self._handle_sigint and main and self._old_handler is None:
            self._old_handler = signal.signal(signal.SIGINT, self._on_sigint)

    def _on_sigint(self, number: int, frame: FrameType | None) -> None:
        if self.interrupted:
            raise KeyboardInterrupt
        self.interrupted = True
        self.stop()


def _outcome(kind: bytes, payload: bytes, seconds: float) -> Outcome:
    if kind == zygote.NO_MEMORY:
        return Outcome("out_of_memory", seconds=seconds)
    try:
        value = pickle.loads(payload)
    except Exception as error:  # noqa: BLE001 - whatever a class raises when it is loaded
        return Outcome("error", error=error, seconds=seconds)
    if kind == zygote.ERROR:
        return Outcome("error", error=value[0], traceback=value[1], seconds=seconds)
    return Outcome("ok", value, seconds=seconds)


def _loss(status: int, why: bytes, peak: int, seconds: float) -> Outcome:
    if why == zygote.OVER_TIME:
        return Outcome("timed_out", seconds=seconds, peak_bytes=peak)
    if why == zygote.OVER_MEMORY:
        return Outcome("out_of_memory", seconds=seconds, peak_bytes=peak)
    if os.WIFSIGNALED(status):
        return Outcome("crashed", signal=os.WTERMSIG(status), seconds=seconds, peak_bytes=peak)
    return Outcome("crashed", exit_code=os.waitstatus_to_exitcode(status), seconds=seconds, peak_bytes=peak)


def _death(number: int | None, exit_code: int | None) -> str:
    if number is None:
        return f"exit code {exit_code}"
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = str(number)
    return f"signal {name}" + (", perhaps for want of memory" if number == signal.SIGKILL else "")
