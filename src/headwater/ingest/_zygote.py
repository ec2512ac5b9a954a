"""The process that worker processes are forked from, and that watches over them.

It is started afresh, so it inherits nothing large, imports the readers' libraries once, and then forks a worker in
milliseconds. It stands outside the workers: it kills one whose task runs over its deadline or takes too much memory,
also while the main process is busy with something else. It ends, and its workers with it, when the main process does.
Each worker has a temporary folder of its own, which is emptied behind it, however it ended.

Messages on the control socket have fixed sizes: `REQUEST` in, `REPORT` out. Tasks and results do not pass here, they
go through one socket per worker, handed over with the request to fork.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import mmap
import os
import pickle
import resource
import select
import shutil
import signal
import socket
import struct
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, Final

REQUEST: Final = struct.Struct("!cq")
"""`FORK` with the number of the worker (and its socket), or `KILL` with it."""

REPORT: Final = struct.Struct("!qqcqqd")
"""A worker ended: its number, wait status, reason, the task it was at (0: none), peak bytes, seconds in that task."""

TASK: Final = struct.Struct("!qd")
"""Head of a task for a worker: its number (from 1) and deadline in seconds; the pickled task follows."""

RESULT: Final = struct.Struct("!qcdq")
"""Head of a result: number of the task, kind, seconds, bytes the worker has grown by; a pickle follows."""

FORK, KILL = b"F", b"K"
BY_ITSELF, OVER_TIME, OVER_MEMORY, ON_REQUEST = b"-", b"t", b"m", b"k"
VALUE, ERROR, NO_MEMORY = b"v", b"e", b"m"

_SLOT: Final = struct.Struct(
    "qdd"
)  # task (0: idle), when it began, its deadline; written by the worker alone
_MAX_WORKERS: Final = 256
_WATCH_S: Final = 0.02
_PR_SET_PDEATHSIG: Final = 1


@dataclass(slots=True)
class _Child:
    number: int
    slot: int
    reason: bytes = BY_ITSELF
    peak: int = 0


def main(control_fd: int) -> None:
    """Serve the main process on the socket `control_fd` until it goes away."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the main process to handle
    control = socket.socket(fileno=control_fd)
    setup = Connection(os.dup(control_fd))
    preload, left_out = pickle.loads(setup.recv_bytes())
    sys.meta_path.insert(0, _LeftOut(left_out))
    for module in preload:
        with contextlib.suppress(ImportError):
            importlib.import_module(module)
    frozen, memory_bytes, scratch = setup.recv_bytes(), int(setup.recv_bytes()), setup.recv_bytes()
    try:
        function = pickle.loads(frozen)
    except (ImportError, AttributeError, pickle.UnpicklingError) as error:
        setup.send_bytes(f"{type(error).__name__}: {error}".encode())
        return
    setup.send_bytes(b"ready")
    setup.close()
    gc.collect()
    gc.freeze()  # keeps the collector from touching, and so copying, the pages shared with the workers
    _Zygote(control, function, memory_bytes, os.fsdecode(scratch)).serve()


class _LeftOut:
    """Says of some modules that they are not installed."""

    def __init__(self, modules: Sequence[str]) -> None:
        self._modules = frozenset(modules)

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name in self._modules:
            raise ModuleNotFoundError(f"{name} is left out in worker processes", name=name)


class _Zygote:
    def __init__(
        self, control: socket.socket, function: Callable[[Any], Any], memory_bytes: int, scratch: str
    ) -> None:
        self._control = control
        self._function = function
        self._memory_bytes = memory_bytes
        self._scratch = scratch
        self._slots = mmap.mmap(-1, _SLOT.size * _MAX_WORKERS)
        self._free = list(range(_MAX_WORKERS))
        self._children: dict[int, _Child] = {}
        self._parent = os.getppid()

    def serve(self) -> None:
        wake, wake_in = socket.socketpair()
        for end in (wake, wake_in):
            end.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake_in.fileno(), warn_on_full_buffer=False)
        self._in_parent_only = (wake, wake_in)
        try:
            while os.getppid() == self._parent:
                timeout = _WATCH_S if self._children else 0.5
                readable, _, _ = select.select([self._control, wake], [], [], timeout)
                if wake in readable:
                    wake.recv(4096)
                if self._control in readable and not self._obey():
                    break
                self._watch()
                self._reap()
        except (BrokenPipeError, ConnectionResetError):
            pass  # the main process is gone
        finally:
            for pid in self._children:
                os.kill(pid, signal.SIGKILL)
            for pid in self._children:
                os.waitpid(pid, 0)
            shutil.rmtree(self._scratch, ignore_errors=True)

    def _obey(self) -> bool:
        data, handles, _, _ = socket.recv_fds(self._control, REQUEST.size, 1)
        if len(data) < REQUEST.size:
            return False
        what, number = REQUEST.unpack(data)
        if what == FORK:
            self._fork(number, handles[0])
            return True
        for pid, child in self._children.items():
            if child.number == number:
                self._kill(pid, child, ON_REQUEST)
        return True

    def _fork(self, number: int, handle: int) -> None:
        slot = self._free.pop()
        _SLOT.pack_into(self._slots, slot * _SLOT.size, 0, 0.0, 0.0)
        zygote = os.getpid()
        pid = os.fork()
        if pid:
            os.close(handle)
            self._children[pid] = _Child(number, slot)
            return
        code = 1
        try:
            self._become_worker(zygote, number)
            _Worker(handle, self._function, self._slots, slot * _SLOT.size).work()
            code = 0
        finally:
            os._exit(code)

    def _become_worker(self, zygote: int, number: int) -> None:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._control.close()
        for end in self._in_parent_only:
            end.close()
        with contextlib.suppress(OSError, AttributeError):  # Linux only
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != zygote:
            os._exit(0)
        with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
            file.write("1000")  # should the system run out of memory, this process goes first
        tempfile.tempdir = os.environ["TMPDIR"] = self._folder(number)
        with contextlib.suppress(OSError):  # a full disk; each task that needs the folder says so itself
            os.makedirs(tempfile.tempdir, exist_ok=True)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        _limit_address_space(self._memory_bytes)

    def _folder(self, number: int) -> str:
        return os.path.join(self._scratch, str(number))

    def _watch(self) -> None:
        """Kill what is over its limits. A worker between two tasks is left alone: its result is on its way."""
        now = time.monotonic()
        for pid, child in self._children.items():
            place = child.slot * _SLOT.size
            task, began, deadline = _SLOT.unpack_from(self._slots, place)
            if not task or child.reason != BY_ITSELF:
                continue
            held = anonymous_bytes(pid)
            child.peak = max(child.peak, held)
            reason = (
                OVER_MEMORY if held > self._memory_bytes else OVER_TIME if now - began > deadline else b""
            )
            if reason and _SLOT.unpack_from(self._slots, place)[:2] == (task, began):
                self._kill(pid, child, reason)

    def _kill(self, pid: int, child: _Child, reason: bytes) -> None:
        if child.reason == BY_ITSELF:
            child.reason = reason
            os.kill(pid, signal.SIGKILL)  # not yet reaped, so the number is still this child's

    def _reap(self) -> None:
        while self._children:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            child = self._children.pop(pid)
            task, began, _ = _SLOT.unpack_from(self._slots, child.slot * _SLOT.size)
            seconds = time.monotonic() - began if task else 0.0
            self._free.append(child.slot)
            shutil.rmtree(self._folder(child.number), ignore_errors=True)
            self._control.sendall(REPORT.pack(child.number, status, child.reason, task, child.peak, seconds))


class _Worker:
    def __init__(self, handle: int, function: Callable[[Any], Any], slots: mmap.mmap, place: int) -> None:
        self._connection = Connection(handle)
        self._function = function
        self._slots = slots
        self._place = place
        self._held_at_first = anonymous_bytes(os.getpid())

    def work(self) -> None:
        """Take tasks until the main process closes the socket."""
        while True:
            try:
                message = self._connection.recv_bytes()
            except (EOFError, OSError):
                return
            number, deadline = TASK.unpack_from(message)
            began = time.monotonic()
            _SLOT.pack_into(self._slots, self._place, 0, began, deadline)
            _SLOT.pack_into(self._slots, self._place, number, began, deadline)
            kind, payload = self._run(message)
            seconds = time.monotonic() - began
            grown = anonymous_bytes(os.getpid()) - self._held_at_first
            head = RESULT.pack(number, kind, seconds, grown)
            _SLOT.pack_into(self._slots, self._place, 0, 0.0, 0.0)
            try:
                self._connection.send_bytes(head + payload)
            except OSError:
                return

    def _run(self, message: bytes) -> tuple[bytes, bytes]:
        try:
            value = self._function(pickle.loads(memoryview(message)[TASK.size :]))
            return VALUE, pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        except MemoryError:
            return NO_MEMORY, b""
        except BaseException as error:  # noqa: BLE001 - the edge of the process: every error is a result
            return ERROR, _portable(error)


def _portable(error: BaseException) -> bytes:
    """Return a pickle of (error, traceback) that is sure to load: some exceptions do not survive the trip."""
    trace = "".join(traceback.format_exception(error))[-8000:]
    try:
        frozen = pickle.dumps((error, trace))
        pickle.loads(frozen)
    except Exception:  # noqa: BLE001 - whatever a foreign class raises there
        return pickle.dumps((RuntimeError(f"{type(error).__name__}: {error}"), trace))
    return frozen


def anonymous_bytes(pid: int) -> int:
    """Return the memory a process holds that no file backs, in bytes; 0 if that cannot be told.

    Pages of mapped files are left out: the system takes those back when it needs them.
    """
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:
            fields = file.read().split()
    except OSError:
        return 0
    return max(0, int(fields[1]) - int(fields[2])) * _PAGE


def _limit_address_space(memory_bytes: int) -> None:
    """Let one absurd allocation fail as MemoryError at once.

    The room is wide, since Arrow and DuckDB reserve far more addresses than they use; the limit that counts is the
    watch on the memory in use.
    """
    try:
        with open("/proc/self/statm", "rb") as file:
            mapped = int(file.read().split()[0]) * _PAGE
        limit = mapped + max(4 * memory_bytes, memory_bytes + (2 << 30))
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        if hard == resource.RLIM_INFINITY or limit < hard:
            resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    except (OSError, ValueError):
        return


_PAGE: Final = resource.getpagesize()

if __name__ == "__main__":
    main(int(sys.argv[1]))
