"""Folders that code has filled as it liked: measured, collected from and removed without following anything in them."""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import stat
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO, Final

PREFIX: Final = "headwater-code-"
_MOST_KEPT: Final = 200
"""Files of a run that are kept; the first ones by name."""
_MOST_FILES: Final = 2_000
_DEEPEST: Final = 40
"""Folders within each other; so a path stays far below the longest that the system opens."""
_YOUNG_S: Final = 60.0
"""Age under which a folder may belong to a process that is not seen from here and has not marked it yet."""


def make_base() -> tuple[str, int]:
    """Make a folder for the runs of a sandbox; return it and a handle whose lock says that its owner lives."""
    base = tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-")
    handle = os.open(base, os.O_RDONLY | os.O_DIRECTORY)
    with contextlib.suppress(OSError):  # not every file system has locks
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return base, handle


def sweep() -> None:
    """Remove folders that a killed process of this user has left behind."""
    with contextlib.suppress(OSError):
        for entry in os.scandir(tempfile.gettempdir()):
            if entry.name.startswith(PREFIX) and entry.is_dir(follow_symlinks=False) and _left(entry):
                remove(entry.path)


def _left(entry: os.DirEntry[str]) -> bool:
    found = entry.stat(follow_symlinks=False)
    if found.st_uid != os.getuid():
        return False
    owner = entry.name.removeprefix(PREFIX).partition("-")[0]
    if os.path.exists(f"/proc/{owner}") and time.time() - found.st_mtime < _YOUNG_S:
        return False
    handle = os.open(entry.path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(handle)
    return True


def remove(folder: str) -> None:
    """Remove a folder however deep it is and whatever modes it has; nothing outside it is touched.

    What cannot be removed stays, without an error. Folders are emptied into the topmost one before they are removed, so
    that neither the depth of the stack nor the length of a path can end this halfway.
    """
    with contextlib.suppress(OSError):
        top = _opened(folder, None)
        try:
            gone = 1
            while gone:
                gone = sum(_remove_entry(name, top) for name in os.listdir(top))
        finally:
            os.close(top)
        os.rmdir(folder)


def _remove_entry(name: str, top: int) -> bool:
    """Remove a file, or a folder whose own folders move up beside it; return whether it is gone."""
    try:
        if not _is_folder(name, top):
            os.unlink(name, dir_fd=top)
            return True
        inner = _opened(name, top)
        try:
            for entry in os.listdir(inner):
                if _is_folder(entry, inner):
                    os.close(_opened(entry, inner))  # moving a folder takes the right to write to it
                    os.rename(entry, f".{secrets.token_hex(12)}", src_dir_fd=inner, dst_dir_fd=top)
                else:
                    os.unlink(entry, dir_fd=inner)
        finally:
            os.close(inner)
        os.rmdir(name, dir_fd=top)
    except OSError:
        return False
    return True


def _is_folder(name: str, within: int) -> bool:
    return stat.S_ISDIR(os.stat(name, dir_fd=within, follow_symlinks=False).st_mode)


def _opened(name: str, within: int | None) -> int:
    """Open a folder, never a link, and give its owner all rights to it."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
    try:
        handle = os.open(name, flags, dir_fd=within)
    except PermissionError:
        os.chmod(name, 0o700, dir_fd=within)
        handle = os.open(name, flags, dir_fd=within)
    with contextlib.suppress(OSError):
        os.fchmod(handle, 0o700)
    return handle


def folder_size(folder: str, most: int) -> int:
    """Return the bytes of files below a folder, or a number above `most` if there are too many or they lie too deep."""
    total = files = 0
    stack = [(folder, 0)]
    while stack:
        place, depth = stack.pop()
        if depth > _DEEPEST or len(place) > 3000:
            return most + 1
        with contextlib.suppress(OSError), os.scandir(place) as entries:
            for entry in entries:
                files += 1
                if files > _MOST_FILES:
                    return most + 1
                with contextlib.suppress(OSError):
                    if entry.is_dir(follow_symlinks=False):
                        stack.append((entry.path, depth + 1))
                    else:
                        total += entry.stat(follow_symlinks=False).st_blocks * 512
    return total


def collect(work: Path, target: Path, given: Mapping[str, object], most: int) -> tuple[dict[str, Path], int]:
    """Move the plain files that code left from its folder to `target`; links and anything special are left out.

    Hidden files, folders and the files that were given are no outputs.

    Returns:
        the files by name, and how many did not fit in `most` bytes or were too many.
    """
    found: dict[str, Path] = {}
    left_out = 0
    target.mkdir(mode=0o700)
    try:
        handle = os.open(work, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except FileNotFoundError:  # a host that was lost took it along
        return found, left_out
    try:
        for name in sorted(os.listdir(handle)):
            if name.startswith(".") or name in given:
                continue
            try:
                fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=handle)
            except OSError:
                continue
            told = os.fstat(fd)
            if not stat.S_ISREG(told.st_mode) or told.st_nlink != 1:
                os.close(fd)
                continue
            with open(fd, "rb") as source:
                if told.st_size > most or len(found) == _MOST_KEPT:
                    left_out += 1
                    continue
                # A file with holes is small on the disk and large once it is copied: its size counts, not its blocks.
                most -= told.st_size
                found[name] = target / name
                with found[name].open("wb") as copy:
                    _copy(source, copy, told.st_size)
    finally:
        os.close(handle)
        remove(str(work))
    return found, left_out


def _copy(source: BinaryIO, copy: BinaryIO, size: int) -> None:
    while size > 0 and (block := source.read(min(size, 1 << 20))):
        size -= copy.write(block)
