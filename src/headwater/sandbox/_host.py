"""The process that forks one confined child for every piece of code, and watches over it.

It is started afresh with an empty environment, never runs the code itself, and ends, with its child and its folder, when
the process that started it does. Messages on standard input and output are a length (4 bytes, little-endian) and JSON.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import select
import signal
import struct
import sys
import time
from dataclasses import dataclass, field
from typing import IO, Any, Final

from headwater.sandbox._confine import Confinement, confine, die_with, hide, limit_resources
from headwater.sandbox._execute import execute
from headwater.sandbox._folders import folder_size, remove
from headwater.sandbox._usage import passed_limit

LENGTH: Final = struct.Struct("<I")
_WATCH_S: Final = 0.02
_DISK_EVERY: Final = 10
_LONGEST_RESULT: Final = 4_000_000
_WARM: Final = {"numpy": "numpy", "pandas": "pandas", "pyplot": "matplotlib.pyplot"}
"""Libraries that are imported before forking if the code names them: a word in it, and the module."""


def read_message(stream: IO[bytes]) -> dict[str, Any] | None:
    """Return the next message, None at the end of the stream."""
    head = _exactly(stream, LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    value = json.loads(_exactly(stream, LENGTH.unpack(head)[0]))
    return value if isinstance(value, dict) else None


def _exactly(stream: IO[bytes], size: int) -> bytes:
    """Return so many bytes, fewer at the end; a pipe without a buffer gives no more at once than it holds."""
    parts = []
    while size > 0 and (part := stream.read(size)):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def write_message(stream: IO[bytes], message: dict[str, Any]) -> None:
    """Write a message."""
    body = json.dumps(message).encode()
    stream.write(LENGTH.pack(len(body)) + body)
    stream.flush()


def main(root: str, base: str, parent: int) -> None:
    """Serve until the parent goes away; then remove `base`, the folder of all runs."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    hide(True)
    if parent:
        die_with_care(parent)
    os.umask(0o077)
    os.environ["MPLCONFIGDIR"] = os.path.join(base, ".matplotlib")
    control_in = os.fdopen(os.dup(0), "rb", buffering=0)
    control_out = os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    sys.path[:] = [entry for entry in sys.path if entry and os.path.realpath(entry) != os.path.realpath(root)]
    try:
        while (request := read_message(control_in)) is not None:
            if "leave" in request:
                os._exit(0)
            reply = _serve(request, control_in.fileno())
            if reply is None:
                break
            write_message(control_out, reply)
    except (BrokenPipeError, ConnectionResetError):
        pass
    remove(base)  # not after an error of its own: the parent is there then and goes on


def die_with_care(parent: int) -> None:
    """End when the parent has gone already; later its end is seen on standard input, which leaves time to clean up."""
    if os.getppid() != parent:
        os._exit(1)


@dataclass(slots=True)
class _Child:
    pid: int
    pidfd: int
    output_fd: int
    result_fd: int
    began: float
    output: bytearray = field(default_factory=bytearray)
    more: int = 0
    result: bytearray = field(default_factory=bytearray)
    killed: str = ""


def _serve(request: dict[str, Any], control: int) -> dict[str, Any] | None:
    """Run one piece of code; None if the parent went away meanwhile."""
    code, setup = str(request["code"]), str(request["setup"])
    for word, module in _WARM.items():
        if (word in code or word in setup) and module not in sys.modules:
            with contextlib.suppress(ImportError):
                importlib.import_module(module)
    child = _fork(request, code)
    alive = _watch(child, request, control)
    _, status = os.waitpid(child.pid, 0)
    for fd in (child.output_fd, child.result_fd, child.pidfd):
        os.close(fd)
    if not alive:
        return None
    return {
        "result": ""
        if child.killed
        else bytes(child.result).decode("utf-8", "replace"),  # parsed by nobody here
        "killed": child.killed,
        "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0,
        "output": bytes(child.output).decode("utf-8", "replace"),
        "more": child.more,
        "seconds": time.monotonic() - child.began,
    }


def _fork(request: dict[str, Any], code: str) -> _Child:
    output_read, output_write = os.pipe()
    result_read, result_write = os.pipe()
    host = os.getpid()
    pid = os.fork()
    if pid == 0:
        try:
            _be_child(request, code, host, output_write, result_write)
        finally:
            os._exit(70)
    os.close(output_write)
    os.close(result_write)
    for fd in (output_read, result_read):
        os.set_blocking(fd, False)
    return _Child(pid, os.pidfd_open(pid), output_read, result_read, time.monotonic())


def _be_child(request: dict[str, Any], code: str, host: int, output: int, result: int) -> None:
    """Confine this process, run the code, write the outcome and end. Nothing of the host stays open."""
    for signal_number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signal_number, signal.SIG_DFL)
    work = str(request["work"])
    os.chdir(work)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.dup2(result, 3)
    os.closerange(4, 1 << 16)
    os.environ.clear()
    os.environ |= {
        "HOME": work,
        "TMPDIR": work,
        "MPLCONFIGDIR": os.path.join(work, ".matplotlib"),
        **request["environment"],
    }
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - lives as long as the process
    sys.stdout = open(1, "w", encoding="utf-8", errors="replace", buffering=1, closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="replace", buffering=1, closefd=False)  # noqa: SIM115
    sys.argv = ["code"]
    plan = Confinement(**{**request["plan"], "read": tuple(request["plan"]["read"])})
    if request["confined"]:
        confine(plan, host)
    else:
        hide(False)
        die_with(host)
        limit_resources(plan)
    _write(3, json.dumps(execute(code, str(request["setup"]))).encode())
    os._exit(0)


def _write(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def _watch(child: _Child, request: dict[str, Any], control: int) -> bool:
    """Read what the child writes until it ends; kill it at a limit. False if the parent went away."""
    limits, folder = request["limits"], str(request["folder"])
    ends = child.began + float(limits["seconds"])
    turn, looks, open_fds = 0, child.began, {child.output_fd, child.result_fd}
    while True:
        ready, _, _ = select.select([*open_fds, child.pidfd, control], [], [], _WATCH_S)
        for fd in (child.output_fd, child.result_fd):
            if fd in ready and not _drain(child, fd, int(limits["output"])):
                open_fds.discard(fd)
        if control in ready:  # it only ever closes while code runs
            os.kill(child.pid, signal.SIGKILL)
            return False
        if child.pidfd in ready:
            for fd in open_fds:
                while _drain(child, fd, int(limits["output"])):
                    pass
            if not child.killed and folder_size(folder, int(limits["disk"])) > int(limits["disk"]):
                child.killed = "disk"
            return True
        if child.killed or (now := time.monotonic()) < looks:
            continue
        turn, looks = turn + 1, now + _WATCH_S
        seen = folder if turn % _DISK_EVERY == 0 else ""
        child.killed = passed_limit(child.pid, limits, ends, seen, int(request["plan"]["file"]))
        if child.killed:
            os.kill(child.pid, signal.SIGKILL)


def _drain(child: _Child, fd: int, most: int) -> bool:
    """Take what is in a pipe, keep it up to a limit; False at its end or when it is empty."""
    try:
        data = os.read(fd, 1 << 16)
    except BlockingIOError:
        return False
    if fd == child.result_fd:
        child.result += data[: max(0, _LONGEST_RESULT - len(child.result))]
    else:
        kept = data[: max(0, most - len(child.output))]
        child.output += kept
        child.more += len(data) - len(kept)
    return bool(data)
