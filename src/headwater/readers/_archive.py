"""Archives and compressed files.

A compressed file (gzip, bzip2, xz) is read as what is inside it; a ZIP or TAR archive is a list of members, each with
a state of its own. Nothing is ever unpacked under a member's own name, so that a name cannot lead out of the work
folder; a member whose name tries to is refused all the same, and links and devices are not followed. All unpacking
within one file draws on one budget of bytes, members and depth, whatever the sizes that the archive declares.
"""

from __future__ import annotations

import bz2
import gzip
import hashlib
import lzma
import re
import shutil
import stat
import struct
import tarfile
import tempfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Any

from headwater.errors import DocumentError, LimitError, ReadError, SkipDocument
from headwater.model import Member, ReadResult
from headwater.readers._signatures import SYSTEM_LITTER

if TYPE_CHECKING:
    from headwater.readers import ReadOptions

_CHUNK = 1 << 20
_MAX_RATIO = 1000
"""Unpacked to packed size at which a large stream is taken for a bomb; deflate itself ends at 1,032 to 1."""

_RATIO_FROM = 64 << 20
_DRIVE = re.compile(r"^[A-Za-z]:/")
_DAMAGE = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    gzip.BadGzipFile,
    ValueError,
)
_OPENERS: dict[bytes, Any] = {b"\x1f\x8b": gzip.open, b"BZ": bz2.open, b"\xfd7": lzma.open}
_SUFFIXES = (".gz", ".bz2", ".xz", ".gzip", ".bzip2", ".lzma", ".z")
_NAMES = {b"\x1f\x8b": "gzip", b"BZ": "bzip2", b"\xfd7": "xz"}


@dataclass
class _Budget:
    """What may still be unpacked within one file of the lake."""

    bytes_left: int
    members_left: int
    depth: int = 0


_budget: ContextVar[_Budget | None] = ContextVar("unpacking budget", default=None)


@contextmanager
def _level(options: ReadOptions, name: str) -> Iterator[_Budget]:
    """Enter an archive; the outermost one sets the budget up."""
    budget = _budget.get()
    token = None
    if budget is None:
        budget = _Budget(options.max_archive_bytes, options.max_members)
        token = _budget.set(budget)
    if budget.depth >= options.max_depth:
        raise ReadError(
            f"Archives are nested deeper than the limit of {options.max_depth} levels.", where=name
        )
    budget.depth += 1
    try:
        yield budget
    finally:
        budget.depth -= 1
        if token is not None:
            _budget.reset(token)


@contextmanager
def _scratch(options: ReadOptions) -> Iterator[Path]:
    """Give a folder for one unpacked member.

    It outlives the read only where the result keeps files in it, which lie in the caller's work folder then.
    """
    folder = Path(tempfile.mkdtemp(prefix="member-", dir=options.workdir))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def read_compressed(path: Path, name: str, options: ReadOptions) -> ReadResult:
    """Read what a gzip, bzip2 or xz file holds (all its streams).

    Returns:
        The result for the content; `metadata["compression"]` names the wrapping.

    Raises:
        ReadError: damaged, truncated, or larger than the limits.
    """
    from headwater.readers._dispatch import read_any

    with path.open("rb") as stream:
        mark = stream.read(2)
    inner = name.rsplit(".", 1)[0] if name.lower().endswith(_SUFFIXES) else name
    if name.lower().endswith((".tgz", ".tbz2", ".txz")):
        inner = name.rsplit(".", 1)[0] + ".tar"
    with _level(options, name) as budget, _scratch(options) as folder:
        target = folder / "content"
        try:
            with _OPENERS[mark](path, "rb") as source:
                _copy(source, target, path.stat().st_size, options, budget)
        except LimitError as error:
            raise ReadError(error.message, where=name) from error
        except EOFError as error:
            raise ReadError(
                "The compressed file is truncated: its stream ends unexpectedly.", where=name
            ) from error
        except (*_DAMAGE, OSError) as error:
            raise ReadError(
                f"The compressed file is corrupt (checksum or data): {error}.", where=name
            ) from error
        result = read_any(target, inner, options)
    result.metadata["compression"] = _NAMES[mark]
    return result


def read_zip(path: Path, name: str, options: ReadOptions) -> ReadResult:
    """Read the members of a ZIP archive.

    Raises:
        ReadError: no directory of members can be found.
        SkipDocument: it has no members.
    """
    try:
        with _level(options, name) as budget, zipfile.ZipFile(path) as archive:
            result = ReadResult(format="zip")
            entries = [e for e in archive.infolist() if not e.is_dir()]
            names = _Names(result)
            for entry in entries:
                original = _zip_name(entry)
                if names.is_litter(original):
                    continue
                member = names.member(original, entry.file_size)
                result.members.append(member)
                if _stop(member, budget, options):
                    break
                if entry.flag_bits & 1:
                    _refuse(member, "failed", "The member is encrypted with a password.")
                elif stat.S_ISLNK(entry.external_attr >> 16):
                    _refuse(member, "skipped", "The member is a symbolic link, which is not followed.")
                elif member.state == "ingested":
                    _read_zip_member(archive, entry, member, name, options, budget)
    except (zipfile.BadZipFile, NotImplementedError, EOFError, struct.error) as error:
        raise ReadError(
            f"The ZIP archive is damaged or truncated (central directory): {error}.",
            where=name,
            hint="Download the archive again.",
        ) from error
    return _finished(result, name)


def _read_zip_member(
    archive: zipfile.ZipFile,
    entry: zipfile.ZipInfo,
    member: Member,
    name: str,
    options: ReadOptions,
    budget: _Budget,
) -> None:
    def copy(target: Path) -> None:
        with archive.open(entry) as source:
            _copy(source, target, entry.compress_size, options, budget, member)

    _take_in(member, name, options, copy)


def read_tar(path: Path, name: str, options: ReadOptions) -> ReadResult:
    """Read the members of a TAR archive.

    Raises:
        ReadError: it is damaged before its first member.
        SkipDocument: it has no members.
    """
    result = ReadResult(format="tar")
    names = _Names(result)
    with _level(options, name) as budget:
        try:
            with tarfile.open(path) as archive:
                for entry in archive:
                    if entry.isdir() or names.is_litter(entry.name):
                        continue
                    member = names.member(entry.name, entry.size)
                    result.members.append(member)
                    if _stop(member, budget, options):
                        break
                    if not entry.isreg():
                        kind = "link" if entry.issym() or entry.islnk() else "device or pipe"
                        _refuse(member, "skipped", f"The member is a {kind}, which is not followed.")
                    elif member.state == "ingested":
                        source = archive.extractfile(entry)
                        if source is not None:
                            copier = _Copier(source, entry.size, options, budget, member)
                            _take_in(member, name, options, copier)
        except (*_DAMAGE, OSError) as error:
            if not result.members:
                raise ReadError(f"The TAR archive is damaged: {error}.", where=name) from error
            result.warnings.append(
                f"The archive is damaged or truncated after member {result.members[-1].name!r}: {error}."
            )
    return _finished(result, name)


@dataclass
class _Copier:
    source: IO[bytes]
    packed: int
    options: ReadOptions
    budget: _Budget
    member: Member

    def __call__(self, target: Path) -> None:
        _copy(self.source, target, self.packed, self.options, self.budget, self.member)


def _take_in(member: Member, archive: str, options: ReadOptions, copy: Any) -> None:
    """Unpack and read one member; whatever goes wrong stays with it."""
    from headwater.readers._dispatch import read_any

    with _scratch(options) as folder:
        target = folder / "content"
        try:
            copy(target)
            member.result = read_any(target, f"{archive}!{member.name}", options)
        except SkipDocument as error:
            _refuse(member, "skipped", error.message)
        except (DocumentError, LimitError) as error:
            _refuse(member, "failed", error.message)
        except (*_DAMAGE, NotImplementedError, RuntimeError, OSError) as error:
            _refuse(member, "failed", f"The member is damaged: {error or type(error).__name__}.")


def _copy(
    source: Any,
    target: Path,
    packed: int,
    options: ReadOptions,
    budget: _Budget,
    member: Member | None = None,
) -> None:
    """Unpack into a file, counting what really comes out."""
    size = 0
    digest = hashlib.sha256()
    with target.open("wb") as out:
        while chunk := source.read(_CHUNK):
            size += len(chunk)
            budget.bytes_left -= len(chunk)
            if size > options.max_member_bytes:
                raise LimitError(
                    f"Too large: more than the limit of {options.max_member_bytes:,} bytes when unpacked."
                )
            if budget.bytes_left < 0:
                raise LimitError(
                    f"The archive unpacks to more than the budget of {options.max_archive_bytes:,} bytes."
                )
            if size > _RATIO_FROM and size > _MAX_RATIO * max(packed, 1):
                raise LimitError(f"Unpacks to more than {_MAX_RATIO} times its size, as a bomb does.")
            digest.update(chunk)
            out.write(chunk)
    if member is not None:
        member.size, member.sha256 = size, digest.hexdigest()


def _refuse(member: Member, state: str, reason: str) -> None:
    member.state, member.reason, member.result = state, reason, None


def _stop(member: Member, budget: _Budget, options: ReadOptions) -> bool:
    """Count a member; true if the archive has more of them than is allowed."""
    budget.members_left -= 1
    if budget.members_left < 0:
        _refuse(
            member,
            "failed",
            f"The archive has more than {options.max_members:,} members; this and the rest are left out.",
        )
        return True
    return False


class _Names:
    """Gives members names that are safe, and unique within their archive."""

    def __init__(self, result: ReadResult) -> None:
        self._result = result
        self._taken: Counter[str] = Counter()

    def is_litter(self, name: str) -> bool:
        """Tell files that an operating system leaves behind; they are named in the metadata."""
        base = PurePosixPath(name).name
        if name.startswith(SYSTEM_LITTER[0]) or base.startswith(SYSTEM_LITTER[1:]):
            self._result.metadata.setdefault("ignored", []).append(name)
            return True
        return False

    def member(self, name: str, size: int) -> Member:
        """Return the member for a name, refused if the name leads out of the archive."""
        plain = name.replace("\\", "/")
        steps = plain.split("/")
        if plain.startswith("/") or ".." in steps or _DRIVE.match(plain) or "\x00" in plain:
            shown = "/".join(step for step in _DRIVE.sub("", plain).split("/") if step not in ("", ".", ".."))
            member = Member(self._unique(shown or "member"), None, size=size)
            _refuse(member, "skipped", f"The name {name!r} leads out of the archive; the member is refused.")
            return member
        return Member(
            self._unique("/".join(step for step in steps if step not in ("", "."))), None, size=size
        )

    def _unique(self, name: str) -> str:
        self._taken[name] += 1
        count = self._taken[name]
        if count == 1:
            return name
        self._result.warnings.append(
            f"Several members are named {name!r}; number {count} is listed with its number."
        )
        path = PurePosixPath(name)
        return self._unique(str(path.with_name(f"{path.stem} ({count}){path.suffix}")))


def _zip_name(entry: zipfile.ZipInfo) -> str:
    """Return a member's name; without the UTF-8 flag it is code page 437 unless its bytes are UTF-8 all the same."""
    name = entry.orig_filename
    if entry.flag_bits & 0x800 or name.isascii():
        return name
    try:
        return name.encode("cp437").decode("utf-8")
    except (UnicodeEncodeError, UnicodeDecodeError):
        return name


def _finished(result: ReadResult, name: str) -> ReadResult:
    if not result.members:
        ignored = len(result.metadata.get("ignored", []))
        raise SkipDocument(
            "The archive is empty: it has no members" + (f" but {ignored} system files." if ignored else "."),
            where=name,
        )
    return result
