"""Which walls this machine can put around code: bubblewrap, else Landlock with seccomp, else none."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from headwater.errors import SetupError
from headwater.sandbox._confine import NOBODY, landlock_abi, missing_layers

ROOT = Path(__file__).resolve().parents[2]
"""Folder that holds the package."""

INSIDE = "/headwater-code"
"""Where the folder of the runs is seen inside bubblewrap."""

_BWRAP_ROOTS = ("/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/localtime", "/etc/fonts")


@dataclass(frozen=True, slots=True)
class Walls:
    """How the host process is started and what its children confine themselves to.

    Attributes:
        tier: "bubblewrap", "landlock" or "none".
        words: the command that comes before the interpreter; see `command`.
        landlock: whether children use Landlock.
        uid: user that children become, or -1.
        inside: path of the runs' folder as the host sees it, "" if it is the same.
    """

    tier: str
    words: tuple[str, ...] = ()
    landlock: bool = True
    uid: int = -1
    inside: str = ""

    def command(self, base: str) -> tuple[str, ...]:
        """Return the words before the interpreter, with `base` as the only folder that can be written to."""
        if not self.inside:
            return self.words
        return (*self.words, "--bind", base, self.inside, "--chdir", self.inside, "--remount-ro", "/")

    @property
    def once(self) -> bool:
        """Whether a host serves one run only: without Landlock, code can write to all that is the host's."""
        return bool(self.inside) and not self.landlock


def read_roots() -> tuple[str, ...]:
    """Return the folders of the interpreter and its packages."""
    roots = [sys.prefix, sys.base_prefix, sys.exec_prefix, *(p for p in sys.path if "-packages" in p)]
    real = [os.path.realpath(root) for root in roots]
    own = os.path.realpath(ROOT)
    return tuple(
        dict.fromkeys(p for p in (*roots, *real) if p and os.path.isdir(p) and p != own and p != "/")
    )


def choose_walls(tier: str = "auto") -> Walls:
    """Return the best walls that work here.

    Args:
        tier: "auto", "bubblewrap" or "landlock".

    Raises:
        SetupError: there are none; says what is missing and how to get it.
    """
    reasons = []
    if tier in ("auto", "bubblewrap"):
        problem = bubblewrap_problem()
        if not problem:
            return Walls("bubblewrap", _closed(), landlock_abi() > 0, -1, INSIDE)
        reasons.append(problem)
    if tier in ("auto", "landlock"):
        problem = missing_layers()
        if not problem:
            return Walls("landlock", uid=_other_user())
        reasons.append(problem)
    raise SetupError(
        f"Code cannot be confined on this machine: {'; '.join(reasons)}.",
        hint="Install bubblewrap and allow user namespaces, or use a Linux kernel with Landlock. "
        "--unsafe-python runs the code without protection: only for code you wrote yourself.",
    )


def _closed() -> tuple[str, ...]:
    """Return the words that start a process inside bubblewrap."""
    words = [
        "bwrap",
        "--unshare-all",
        "--die-with-parent",
        "--as-pid-1",  # with a reaper between them bubblewrap may end before it and leave it to the machine's
        "--new-session",
        "--clearenv",
        "--cap-drop",
        "ALL",
    ]
    words += ["--uid", str(NOBODY), "--gid", str(NOBODY)]
    words += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
    for root in dict.fromkeys((*_BWRAP_ROOTS, *read_roots(), str(ROOT))):  # one of them may lie in /tmp
        words += ["--ro-bind-try", root, root]
    return (*words, "--remount-ro", "/tmp", "--remount-ro", "/dev")


@functools.cache
def bubblewrap_problem() -> str:
    """Return why bubblewrap cannot be used, or ""; it is tried once."""
    if shutil.which("bwrap") is None:
        return "bubblewrap is not installed"
    probe = [*_closed(), sys.executable, "-I", "-c", "pass"]
    try:
        done = subprocess.run(probe, capture_output=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bubblewrap does not start: {error}"
    told = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return (
        "" if done.returncode == 0 else f"bubblewrap does not work: {told[-1] if told else done.returncode}"
    )


@functools.cache
def _other_user() -> int:
    """Return whom code runs as: nobody if this is root and nobody can read the interpreter, else the same user."""
    if os.geteuid() != 0:
        return -1
    places = [sys.executable, os.path.dirname(os.__file__), *read_roots()]
    return NOBODY if all(_open_to_all(place) for place in places) else -1


def _open_to_all(place: str) -> bool:
    path = Path(os.path.realpath(place))
    return all(parent.stat().st_mode & 0o001 for parent in path.parents) and bool(path.stat().st_mode & 0o004)
