"""A folder of this machine as a lake."""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
import tempfile
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from headwater.errors import HeadwaterError, NotFoundError, ReadError, RefusedError, SetupError
from headwater.storage._entry import Entry, Kind
from headwater.storage._names import (
    STATE_FOLDER,
    bytes_from_id,
    hidden_part,
    id_from_bytes,
    printable,
    reason_to_leave_out,
)

_Found = tuple[bytes, os.DirEntry[bytes] | None]

_SPECIAL: Final[dict[int, tuple[Kind, str]]] = {
    stat.S_IFIFO: ("fifo", "named pipe: opening it would wait for ever"),
    stat.S_IFSOCK: ("socket", "socket, not a file"),
    stat.S_IFCHR: ("device", "device, not a file"),
    stat.S_IFBLK: ("device", "device, not a file"),
}

_UTF8: Final = sys.getfilesystemencoding().lower() == "utf-8"
_EFFECTIVE: Final = os.access in os.supports_effective_ids

# Characters that some library takes for something else than a name: a glob, a line end, a URL.
_AWKWARD: Final = re.compile("[\x00-\x1f\x7f*?\\[\\]{}\udc80-\udcff]|^-|://")


class LocalStorage:
    """A folder; see `Storage` for the methods.

    Links are never followed out of the folder, and folders behind links never entered, so there are no cycles. Each
    is told: a link to a file of the lake names its `target`. A link to a file inside the lake that is itself left
    out (git-annex and DVC keep contents in hidden folders) stands for that file.

    Args:
        root: the folder.
        exclude: folders inside it that are no part of the lake, for instance a state folder.

    Raises:
        SetupError: it does not exist, is no folder or may not be listed.
    """

    def __init__(self, root: str | Path, *, exclude: tuple[Path, ...] = ()) -> None:
        self.notices: list[str] = []
        self._root = os.path.realpath(os.fsencode(root))
        self._exclude = frozenset(os.path.realpath(os.fsencode(p)) for p in exclude)
        try:
            found = os.stat(self._root)
        except OSError as error:
            shown = printable(os.fsdecode(root))
            absent = isinstance(error, FileNotFoundError)
            raise SetupError(
                f"There is no lake at {shown}." if absent else f"{shown} cannot be opened: {error.strerror}.",
                where=self.url,
                hint="Give the folder that holds the data.",
            ) from error
        if not stat.S_ISDIR(found.st_mode):
            raise SetupError(
                f"{printable(os.fsdecode(root))} is a file; a lake is a folder.",
                where=self.url,
                hint="Give the folder that holds the file.",
            )
        self._identity = (found.st_dev, found.st_ino)

    @property
    def url(self) -> str:
        """Absolute path of the folder."""
        return os.fsdecode(self._root)

    def list(self) -> Iterator[Entry]:
        """Yield everything in the order of the whole paths' bytes, the order in which S3 lists keys."""
        pending: deque[_Found] = deque([(b"", None)])
        while pending:
            path, found = pending.pop()
            if found is None or self._is_open_folder(path, found):
                try:
                    pending.extend(self._children(path))
                except OSError as error:
                    self._check_root()
                    if error.errno not in (errno.ENOENT, errno.ENOTDIR):
                        yield _failed_folder(path, error)
                    elif not path:
                        raise self._vanished() from error
            else:
                entry = self._entry(path, found)
                if entry:
                    yield entry
        self._check_root()

    def stat(self, path: str) -> Entry | None:
        """Return the entry of one file, None if there is no such file."""
        full = self._full(path)
        try:
            status = os.stat(full)
        except (FileNotFoundError, NotADirectoryError):
            self._check_root()
            return None
        except OSError as error:
            return Entry(path, problem=f"cannot be read: {error.strerror}", failed=True)
        return _file_entry(path, full, status) if stat.S_ISREG(status.st_mode) else None

    def exists(self, path: str) -> bool:
        """Tell whether there is a file with this id."""
        return self.stat(path) is not None

    @contextmanager
    def local_copy(self, path: str) -> Iterator[Path]:
        """Lend the file itself, under a harmless name where its own would confuse a library."""
        full = self._full(path)
        os.close(self._open(path))
        text = os.fsdecode(full)
        if not _AWKWARD.search(text) and (_UTF8 or text.isascii()):
            yield Path(text)
            return
        suffix = re.search(r"\.[A-Za-z0-9]{1,8}$", path)
        with tempfile.TemporaryDirectory(prefix="headwater-") as folder:
            alias = Path(folder) / f"document{suffix[0] if suffix else ''}"
            os.symlink(full, os.fsencode(alias))
            yield alias

    def open_range(self, path: str, start: int, length: int) -> bytes:
        """Return up to `length` bytes from byte `start`."""
        handle = self._open(path)
        try:
            with os.fdopen(handle, "rb", closefd=False) as file:
                file.seek(start)
                return file.read(length)
        except OSError as error:
            raise ReadError(f"The file cannot be read: {error.strerror}.", where=path) from error
        finally:
            os.close(handle)

    def _children(self, folder: bytes) -> Iterable[_Found]:
        """Return what lies in a folder, last name first. A folder sorts as if "/" ended its name."""
        prefix = folder + b"/" if folder else b""
        with os.scandir(os.path.join(self._root, folder)) as found:
            named = [(e.name + b"/" if e.is_dir(follow_symlinks=False) else e.name, e) for e in found]
        named.sort(key=lambda pair: pair[0], reverse=True)
        return [(prefix + entry.name, entry) for _, entry in named]

    def _is_open_folder(self, path: bytes, found: os.DirEntry[bytes]) -> bool:
        return (
            found.is_dir(follow_symlinks=False)
            and found.path not in self._exclude
            and path != STATE_FOLDER.encode()
            and reason_to_leave_out(id_from_bytes(found.name), folder=True) is None
        )

    def _entry(self, path: bytes, found: os.DirEntry[bytes]) -> Entry | None:
        if found.path in self._exclude or path == STATE_FOLDER.encode():
            return None
        name = id_from_bytes(path)
        try:
            status = found.stat(follow_symlinks=False)
        except FileNotFoundError:
            return None  # deleted since its folder was listed
        except OSError as error:
            return Entry(name, problem=f"cannot be read: {error.strerror}", failed=True)
        if stat.S_ISLNK(status.st_mode):
            return self._link(name, path)
        folder = stat.S_ISDIR(status.st_mode)
        reason = reason_to_leave_out(id_from_bytes(found.name), folder=folder)
        if reason:
            return Entry(name, kind="folder" if folder else "file", problem=reason)
        if stat.S_ISREG(status.st_mode):
            return _file_entry(name, os.path.join(self._root, path), status)
        kind, reason = _SPECIAL.get(stat.S_IFMT(status.st_mode), ("device", "not a file"))
        return Entry(name, kind=kind, problem=reason)

    def _link(self, name: str, path: bytes) -> Entry:
        try:
            real = os.path.realpath(os.path.join(self._root, path), strict=True)
            status = os.stat(real)
        except OSError as error:
            why = "leads in a circle" if error.errno == errno.ELOOP else f"leads nowhere: {error.strerror}"
            return Entry(name, kind="symlink", problem=f"link that {why}", failed=True)
        if not _within(real, self._root):
            return Entry(name, kind="symlink", problem="link that leads out of the lake: not followed")
        inside = os.path.relpath(real, self._root)
        target = "" if inside == b"." else id_from_bytes(inside)
        own_state = inside.split(b"/")[0] == STATE_FOLDER.encode()
        if own_state or any(_within(real, p) for p in self._exclude):
            return Entry(name, kind="symlink", problem="link into the state of headwater: not followed")
        if stat.S_ISDIR(status.st_mode):
            shown = printable(target) or "the lake itself"
            return Entry(
                name, kind="symlink", problem=f"link to a folder of the lake ({shown}): not followed"
            )
        if not stat.S_ISREG(status.st_mode):
            return Entry(name, kind="symlink", problem="link to something that is not a file")
        if hidden_part(target):
            entry = _file_entry(name, real, status)
            return Entry(
                name, entry.size, entry.mtime_ns, entry.version, "symlink", entry.problem, entry.failed
            )
        return Entry(name, kind="symlink", target=target)

    def _full(self, path: str) -> bytes:
        """Return the place of an id, refusing ids that lead out of the lake."""
        raw = bytes_from_id(path)
        if b"\0" in raw or any(part in (b"", b".", b"..") for part in raw.split(b"/")):
            raise RefusedError(
                f"{printable(path)} is not the path of a document.",
                hint="Paths begin at the root of the lake and have no '..' in them.",
            )
        full = os.path.join(self._root, raw)
        if not _within(os.path.realpath(full), self._root):
            raise RefusedError(f"{printable(path)} leads out of the lake.", where=self.url)
        return full

    def _open(self, path: str) -> int:
        """Open a file for reading; never waits on a pipe that took the file's place."""
        try:
            handle = os.open(self._full(path), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except (FileNotFoundError, NotADirectoryError) as error:
            self._check_root()
            raise NotFoundError(f"There is no file {printable(path)} in the lake.", where=self.url) from error
        except OSError as error:
            self._check_root()
            raise ReadError(f"The file cannot be opened: {error.strerror}.", where=path) from error
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise ReadError("This is not a file.", where=path)
            if not _within(_place_of(handle, self._root), self._root):
                raise RefusedError(f"{printable(path)} leads out of the lake.", where=self.url)
        except HeadwaterError:
            os.close(handle)
            raise
        return handle

    def _check_root(self) -> None:
        """Raise if the folder went away or another one took its place (a disk was unmounted)."""
        try:
            found = os.stat(self._root)
        except OSError as error:
            raise self._vanished() from error
        if (found.st_dev, found.st_ino) != self._identity:
            raise self._vanished()

    def _vanished(self) -> SetupError:
        return SetupError(
            f"The lake {printable(self.url)} went away while it was being read.",
            where=self.url,
            hint="Bring the folder or disk back and run the same command again; nothing was taken out of the catalog.",
        )


def _place_of(handle: int, default: bytes) -> bytes:
    """Return where an open file really lies, which a link that was changed in between cannot hide (Linux)."""
    try:
        return os.readlink(f"/proc/self/fd/{handle}".encode())
    except OSError:
        return default


def _file_entry(name: str, full: bytes, status: os.stat_result) -> Entry:
    """Return the entry of a regular file.

    The token holds the time of the last change of the inode too, which a tool that restores modification times
    cannot set.
    """
    version = f"{status.st_size:x}-{status.st_mtime_ns:x}-{status.st_ctime_ns:x}-{status.st_ino:x}"
    readable = os.access(full, os.R_OK, effective_ids=_EFFECTIVE)
    problem = None if readable else "no permission to read this file"
    return Entry(name, status.st_size, status.st_mtime_ns, version, problem=problem, failed=not readable)


def _failed_folder(path: bytes, error: OSError) -> Entry:
    if not path:
        raise SetupError(f"The lake cannot be listed: {error.strerror}.") from error
    reason = f"this folder cannot be listed, what it holds is not known: {error.strerror}"
    return Entry(id_from_bytes(path), kind="folder", problem=reason, failed=True)


def _within(path: bytes, root: bytes) -> bool:
    return path == root or path.startswith(root.rstrip(b"/") + b"/")
