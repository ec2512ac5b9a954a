"""What a process that runs code uses, seen from outside and against its will."""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Mapping
from typing import Any, Final

from headwater.sandbox._folders import folder_size

_MOST_THREADS: Final = 256


def passed_limit(pid: int, limits: Mapping[str, Any], ends: float, folder: str = "", largest: int = 0) -> str:
    """Return which limit a process has passed: "time", "threads", "memory", "disk", or "".

    Args:
        pid: of the process.
        limits: bytes of "memory", "headroom" and "disk".
        ends: when its time is over, by the monotonic clock.
        folder: where it may write; "" leaves the disk unchecked.
        largest: bytes that one file may have.
    """
    if time.monotonic() > ends:
        return "time"
    tasks = _threads(pid)
    if len(tasks) > _MOST_THREADS:
        return "threads"
    for place in tasks:
        resident = _resident(place)
        if resident:
            break
    else:  # it is ending
        return ""
    nameless, removed = _mapped(place, folder)
    if resident + nameless > int(limits["memory"]) + int(limits["headroom"]):
        return "memory"
    most = int(limits["disk"])
    if folder and _disk_used(pid, place, folder, most) + removed * largest > most:
        return "disk"
    return ""


def _threads(pid: int) -> list[str]:
    """Return the places in /proc of the threads. The first one may have ended before the others; then it shows nothing."""
    try:
        return [f"/proc/{pid}/task/{name}" for name in os.listdir(f"/proc/{pid}/task")]
    except OSError:
        return []


def _resident(place: str) -> int:
    """Return the bytes of private memory, swapped out or not, and of files; shared memory is counted by its mappings."""
    try:
        with open(f"{place}/status", encoding="utf-8", errors="replace") as file:
            told = dict(
                line.split(":", 1) for line in file if line.startswith(("RssAnon", "RssFile", "VmSwap"))
            )
        return sum(int(value.split()[0]) * 1024 for value in told.values())
    except (OSError, IndexError, ValueError):
        return 0


def _mapped(place: str, folder: str) -> tuple[int, int]:
    """Return the bytes of shared memory without a name, and how many removed files of the folder live on as mappings.

    Neither shows otherwise: pages of shared memory can be taken out of a process and stay in use.
    """
    nameless, removed = 0, set()
    with (
        contextlib.suppress(OSError, ValueError),
        open(f"{place}/maps", encoding="utf-8", errors="replace") as file,
    ):
        for line in file:
            if not line.endswith("(deleted)\n"):
                continue
            span, _, _, _, inode, path = line.split(maxsplit=5)
            if path.startswith("/dev/zero"):
                start, end = span.split("-")
                nameless += int(end, 16) - int(start, 16)
            elif folder and path.startswith(folder):
                removed.add(inode)
    return nameless, len(removed)


def _disk_used(pid: int, place: str, folder: str, most: int) -> int:
    """Return the bytes of files in the folder, and of files that are removed but still open.

    What was written in all counts a tenth, so that no file escapes that is seen in neither way.
    """
    total = folder_size(folder, most)
    try:
        for name in os.listdir(f"{place}/fd"):
            with contextlib.suppress(OSError):
                found = os.stat(f"{place}/fd/{name}")
                total += found.st_blocks * 512 if found.st_nlink == 0 and stat.S_ISREG(found.st_mode) else 0
        with open(f"/proc/{pid}/io", encoding="ascii") as file:
            written = next(int(line.split()[1]) for line in file if line.startswith("write_bytes"))
    except (OSError, StopIteration, ValueError):
        return total
    return max(total, written // 10)
