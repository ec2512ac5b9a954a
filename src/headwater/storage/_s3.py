"""A bucket, or a prefix of one, as a lake."""

from __future__ import annotations

import hashlib
import os
import random
import re
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import IO, Any, Final

from headwater.errors import NotFoundError, ReadError, RefusedError, SetupError
from headwater.storage._disk import disk_guard
from headwater.storage._entry import Entry
from headwater.storage._names import STATE_FOLDER, bytes_from_id, hidden_part, id_from_bytes, printable
from headwater.storage._s3_client import (
    EXPIRED,
    S3Options,
    code_of,
    explain,
    is_about_credentials,
    make_client,
)

_DOWNLOAD_ATTEMPTS: Final = 5
_CHUNK: Final = 1 << 20
_PAGE_KEYS: Final = 1000
_COLD: Final = frozenset({"GLACIER", "DEEP_ARCHIVE"})


class S3Storage:
    """Objects below ``s3://bucket/prefix``; see `Storage` for the methods.

    Can be pickled; clients are shared by all stores of one process that reach a bucket alike. Credentials come from the usual chain at every call. If the first
    call is refused and the same call without credentials is not, the bucket is public and the credentials are
    unrelated: the rest goes on without them, with a notice.

    Args:
        url: ``s3://bucket`` or ``s3://bucket/prefix``.
        options: how to reach it.
        scratch: folder for temporary downloads; the system's if None.
    """

    def __init__(self, url: str, options: S3Options | None = None, *, scratch: Path | None = None) -> None:
        self.notices: list[str] = []
        self._bucket, _, prefix = url.removeprefix("s3://").partition("/")
        self._prefix = prefix.rstrip("/") + "/" if prefix.strip("/") else ""
        self._options = options or S3Options()
        self._scratch = scratch

    @property
    def _door(self) -> _Door:
        return _door(os.getpid(), self._bucket, self._options)

    @property
    def url(self) -> str:
        """``s3://bucket/prefix``."""
        return f"s3://{self._bucket}/{self._prefix}".rstrip("/")

    def list(self) -> Iterator[Entry]:
        """Yield every object in the order of the server (of the keys' bytes, on S3).

        A prefix without a single object is an error, as a folder that does not exist is: it is a slip of the pen
        more often than a lake whose files were all deleted.
        """
        told, empty = set[str](), bool(self._prefix)
        request: dict[str, Any] = {"Bucket": self._bucket, "Prefix": self._prefix, "MaxKeys": _PAGE_KEYS}
        while True:
            page = self._call("list_objects_v2", **request)
            for found in page.get("Contents", ()):
                empty = False
                entry = self._entry(found)
                if entry and not (entry.kind == "folder" and entry.path in told):
                    if entry.kind == "folder":
                        told.add(entry.path)
                    yield entry
            if not page.get("IsTruncated"):
                break
            request["ContinuationToken"] = page["NextContinuationToken"]
        if empty:
            raise SetupError(f"There is nothing below {self.url}.", where=self.url, hint="Check the prefix.")

    def stat(self, path: str) -> Entry | None:
        """Return the entry of one object, None if there is no such object."""
        try:
            head = self._call("head_object", path, Bucket=self._bucket, Key=self._key(path))
        except NotFoundError:
            return None
        return self._file(path, head["ContentLength"], head)

    def exists(self, path: str) -> bool:
        """Tell whether there is an object with this id."""
        return self.stat(path) is not None

    @contextmanager
    def local_copy(self, path: str) -> Iterator[Path]:
        """Lend a temporary download, whole and of one version of the object."""
        suffix = re.search(r"\.[A-Za-z0-9]{1,8}$", path)
        folder = str(self._scratch) if self._scratch else None
        if self._scratch:
            self._scratch.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix="headwater-", suffix=suffix[0] if suffix else "", dir=folder)
        copy = Path(name)
        try:
            with disk_guard(copy.parent), os.fdopen(handle, "w+b") as file:
                self._download(path, file)
            yield copy
        finally:
            copy.unlink(missing_ok=True)

    def open_range(self, path: str, start: int, length: int) -> bytes:
        """Return up to `length` bytes from byte `start`."""
        if length <= 0:
            return b""
        wanted = f"bytes={start}-{start + length - 1}"
        for attempt in range(_DOWNLOAD_ATTEMPTS):
            try:
                answer = self._call(
                    "get_object",
                    path,
                    ok=("InvalidRange", "416"),
                    Bucket=self._bucket,
                    Key=self._key(path),
                    Range=wanted,
                )
                return bytes(answer["Body"].read()) if answer else b""
            except _stream_errors():
                _pause(attempt)
        raise ReadError("The transfer broke off again and again.", where=path)

    def _download(self, path: str, file: IO[bytes]) -> None:
        """Fetch an object into `file`, going on where a transfer broke off as long as it is the same version.

        Raises:
            ReadError: the object keeps changing or the transfer keeps failing.
        """
        etag, sums = "", set[str]()
        for attempt in range(_DOWNLOAD_ATTEMPTS):
            request = {"Bucket": self._bucket, "Key": self._key(path)}
            done = file.tell() if etag else 0
            if etag:
                request |= {"IfMatch": etag, "Range": f"bytes={done}-"} if done else {"IfMatch": etag}
            answer = self._call(
                "get_object", path, ok=("PreconditionFailed", "412", "InvalidRange"), **request
            )
            if answer is None:  # another version has taken its place: begin again with that
                etag = ""
                _restart(file)
                continue
            etag = answer["ETag"]
            try:
                for chunk in answer["Body"].iter_chunks(_CHUNK):
                    file.write(chunk)
            except _stream_errors():
                _pause(attempt)
                continue
            size = done + answer["ContentLength"]
            if file.tell() == size and _sum_fits(file, answer, sums):
                file.flush()
                return
            etag = ""
            _restart(file)
        raise ReadError(
            f"The object could not be fetched whole and unchanged in {_DOWNLOAD_ATTEMPTS} attempts.",
            where=path,
        )

    def _entry(self, found: dict[str, Any]) -> Entry | None:
        key = found["Key"][len(self._prefix) :]
        size = found["Size"]
        if not key or (key.endswith("/") and size == 0):
            return None  # a marker that stands for a folder
        path = id_from_bytes(key.encode())
        if path.split("/")[0] == STATE_FOLDER:
            return None
        if any(part in ("", ".", "..") for part in key.split("/")):
            reason = "its key is no path (an empty part, '.' or '..'): such names could lead out of the lake"
            return Entry(path, kind="key", problem=reason, failed=True)
        hidden = hidden_part(path)
        if hidden:
            return Entry(hidden[0], kind="file" if hidden[0] == path else "folder", problem=hidden[1])
        if found.get("StorageClass") in _COLD:
            reason = f"archived ({found['StorageClass']}): restore the object first"
            return Entry(path, kind="key", problem=reason, failed=True)
        return self._file(path, size, found)

    def _file(self, path: str, size: int, facts: dict[str, Any]) -> Entry:
        modified = facts.get("LastModified")
        mtime_ns = int(modified.timestamp() * 1e9) if modified else None
        etag = str(facts.get("ETag", "")).strip('"')
        return Entry(path, size, mtime_ns, f"{etag or mtime_ns}-{size:x}")

    def _key(self, path: str) -> str:
        key = bytes_from_id(path).decode("utf-8", "replace")
        if any(part in ("", ".", "..") for part in key.split("/")):
            raise RefusedError(
                f"{printable(path)} is not the path of a document.",
                hint="Paths begin at the root of the lake and have no '..' in them.",
            )
        return self._prefix + key

    def _call(self, operation: str, path: str = "", *, ok: tuple[str, ...] = (), **request: Any) -> Any:
        """Call the server; errors come out as headwater's own, but for the codes in `ok`, which give None."""
        door = self._door
        try:
            answer = door.call(operation, request)
        except _s3_errors() as error:
            if code_of(error) in ok:
                return None
            answer = self._second_chance(door, operation, request, error)
            if answer is None:
                raise explain(error, url=self.url, operation=operation, key=path) from error
        door.proven = True
        if door.notice and door.notice not in self.notices:
            self.notices.append(door.notice)
        return answer

    def _second_chance(self, door: _Door, operation: str, request: dict[str, Any], error: Exception) -> Any:
        """Try again with fresh credentials if they expired, or with none if these were never accepted."""
        unsigned = door.unsigned
        if code_of(error) in EXPIRED and door.proven:
            door.reset(unsigned=unsigned)
        elif is_about_credentials(error) and not door.proven:
            door.reset(unsigned=True)
        else:
            return None
        try:
            answer = door.call(operation, request)
        except _s3_errors():
            door.reset(unsigned=unsigned)
            return None
        if door.unsigned and not unsigned:
            door.notice = (
                f"{self.url} was read without credentials: it is public, and the credentials of this machine were "
                f"refused ({code_of(error)}). Set 'anonymous' to say so from the start."
            )
        return answer


class _Door:
    """The client through which one process reaches a bucket, and what was learnt about credentials."""

    def __init__(self, options: S3Options) -> None:
        self.unsigned = options.anonymous
        self.proven = options.anonymous
        self.notice = ""
        self._options = options
        self._client: Any = None

    def call(self, operation: str, request: dict[str, Any]) -> Any:
        if self._client is None:
            self._client = make_client(self._options, unsigned=self.unsigned)
        return getattr(self._client, operation)(**request)

    def reset(self, *, unsigned: bool) -> None:
        """Forget the client, and with it its copy of the credential chain."""
        self.unsigned = unsigned
        self._client = None


@lru_cache(maxsize=16)
def _door(pid: int, bucket: str, options: S3Options) -> _Door:
    """Return the one for this process: after a fork, sockets must not be shared."""
    return _Door(options)


def _restart(file: IO[bytes]) -> None:
    file.seek(0)
    file.truncate()


def _pause(attempt: int) -> None:
    """Wait with full jitter, up to 0.2, 0.4, 0.8 … seconds (Brooker, "Exponential Backoff and Jitter", 2015)."""
    time.sleep(random.uniform(0, 0.2 * 2**attempt))


def _sum_fits(file: IO[bytes], answer: dict[str, Any], seen: set[str]) -> bool:
    """Compare the download with its ETag where that is the MD5 of the object.

    It is not for uploads in parts and for keys of KMS, and a server may do as it likes: the same bytes twice are
    accepted whatever the ETag says.
    """
    etag = answer["ETag"].strip('"').lower()
    if not re.fullmatch(r"[0-9a-f]{32}", etag) or answer.get("ServerSideEncryption", "AES256") != "AES256":
        return True
    file.seek(0)
    found = hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()  # type: ignore[arg-type]
    file.seek(0, os.SEEK_END)
    if found == etag or found in seen:
        return True
    seen.add(found)
    return False


def _s3_errors() -> tuple[type[Exception], ...]:
    try:
        from botocore.exceptions import BotoCoreError, ClientError
    except ImportError:  # make_client tells
        return (SetupError,)
    return (BotoCoreError, ClientError)


def _stream_errors() -> tuple[type[Exception], ...]:
    """Errors of a body that breaks off, which botocore does not retry."""
    from botocore.exceptions import (
        HTTPClientError,
        IncompleteReadError,
        ReadTimeoutError,
        ResponseStreamingError,
    )
    from urllib3.exceptions import HTTPError

    broken = (HTTPClientError, IncompleteReadError, ReadTimeoutError, ResponseStreamingError, HTTPError)
    return (*broken, ConnectionError, TimeoutError)
