"""The host process as its owner sees it: started, asked, ended, and started again when it was lost."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import threading
from typing import Any, Final

from headwater.errors import SetupError
from headwater.sandbox._host import read_message, write_message
from headwater.sandbox._walls import ROOT, Walls

ENVIRONMENT: Final = {
    "LANG": "C.UTF-8",
    "MPLBACKEND": "Agg",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "POLARS_MAX_THREADS": "2",
    "PYTHONDONTWRITEBYTECODE": "1",
}
"""All that code sees of an environment."""

_START = (
    "import sys; sys.path.insert(0, sys.argv[1]); from headwater.sandbox._host import main; "
    "main(sys.argv[1], sys.argv[2], int(sys.argv[3]))"
)
_KEEPER = 'base=$1; shift; "$@"; exec >&-; cat > /dev/null; rm -rf -- "$base"'
"""Outlives a killed owner: inside its walls the host can empty the folder of the runs but not remove it.

It waits for the end of its input, the owner's, so that a host that ended by itself takes nothing of the owner's with it.
"""
_GRACE_S = 30.0
"""How long the host may take beyond the code's own time, for instance to import a library first."""
_LAST_S = 5.0
"""How long its processes may take to end."""


class Host:
    """A process that runs code behind walls.

    Args:
        walls: what confines it.
        base: folder that goes when the owner does.
        work: folder within it that the process sees and may write to.

    Raises:
        SetupError: it cannot be started.
    """

    def __init__(self, walls: Walls, base: str, work: str) -> None:
        self._walls, self._base, self._work = walls, base, work
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """Number of the process, or of its keeper; 0 while there is none."""
        return self._process.pid if self._process else 0

    def start(self) -> None:
        """Start the process, unless it is there.

        Raises:
            SetupError: it cannot be started.
        """
        if self._process is not None and not _ended(self._process):
            return
        self.kill()
        inside = self._walls.inside
        words = self._walls.command(self._work)
        owner = "0" if inside else str(os.getpid())
        command = [*words, sys.executable, "-I", "-c", _START, str(ROOT), inside or self._base, owner]
        if inside:
            command = ["/bin/sh", "-c", _KEEPER, "sh", self._base, *command]
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=({"PATH": os.environ.get("PATH", os.defpath)} if words else {}) | ENVIRONMENT,
                cwd="/",
                start_new_session=True,
            )
        except OSError as error:
            raise SetupError(f"The process for code cannot be started: {error}.") from error

    def ask(self, request: dict[str, Any], seconds: float) -> dict[str, Any] | None:
        """Send a request and return the reply, or None if the process ended or did not reply in time; it is gone then.

        Raises:
            SetupError: the process cannot be started.
        """
        self.start()
        process = self._process
        assert process is not None and process.stdin is not None and process.stdout is not None
        timer = threading.Timer(seconds + _GRACE_S, process.kill)
        timer.start()
        try:
            write_message(process.stdin, request)
            reply = read_message(process.stdout)
        except (BrokenPipeError, ValueError):
            reply = None
        finally:
            timer.cancel()
        if reply is None:
            self.kill()
        return reply

    def kill(self) -> None:
        """End the process at once, and wait until nothing of it is left; neither it nor its keeper cleans up."""
        if self._process is None:
            return
        # Behind walls the host may outlive its keeper for a while: it is told to leave things as they are, and its output ends
        # when it has gone.
        with contextlib.suppress(OSError, ValueError):
            if self._process.stdin:
                write_message(self._process.stdin, {"leave": True})
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        output = self._process.stdout.fileno() if self._process.stdout else -1
        while select.select([output], [], [], _LAST_S)[0] and os.read(output, 1 << 16):
            pass
        self.close()

    def close(self) -> None:
        """End the process, which then cleans up."""
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(OSError):
            if process.stdin:
                process.stdin.close()
        try:
            process.wait(timeout=_LAST_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout:
            process.stdout.close()


def _ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether it has gone, though its keeper may be there: before a request, nothing but the end is to be read."""
    assert process.stdout is not None  # noqa: S101 - it was started with a pipe
    return process.poll() is not None or bool(select.select([process.stdout], [], [], 0)[0])
