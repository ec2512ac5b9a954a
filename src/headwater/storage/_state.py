"""Where headwater's own state for a lake lies, and which lake is meant."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from json import dumps
from pathlib import Path
from typing import Final

from headwater.errors import SetupError, UsageError
from headwater.storage._disk import disk_guard
from headwater.storage._lock import Lock
from headwater.storage._names import STATE_FOLDER, printable
from headwater.storage._trust import (
    MARKER,
    Record,
    marker_of,
    owns,
    record_of,
    registry,
    save,
    write_atomically,
)

STATE_VERSION: Final = 1
"""Version of the layout of a state folder, in its file VERSION."""

MIGRATIONS: Final[dict[int, Callable[[Path], None]]] = {}
"""From a version to the function that brings a folder of that version to the next one."""

_LEFTOVERS: Final = frozenset({f"{MARKER}.new", "writer.lock", "VERSION", ".gitignore"})
"""Files that a creation which was killed may leave behind."""


@dataclass(frozen=True, slots=True)
class LakeLocation:
    """A lake that was found.

    Attributes:
        url: absolute path of its root, or ``s3://bucket/prefix``.
        state: its state folder, which may not exist yet.
        origin: how it was found: "argument", "environment", "state" (its state folder was given) or "folder".
        notices: texts for the user, for instance about a foreign state folder that was passed over.
    """

    url: str
    state: Path
    origin: str
    notices: list[str] = field(default_factory=list)


def lake_url(place: str | Path) -> str:
    """Return the one way to write a lake: the real absolute path, or ``s3://bucket/prefix`` without "/" at the end.

    Raises:
        UsageError: another kind of URL.
    """
    text = os.fspath(place)
    if text.startswith("s3://"):
        if not re.match(r"s3://[^/]+", text):
            raise UsageError(f"{text} names no bucket.", hint="Write s3://bucket/prefix.")
        return text.rstrip("/")
    if text.startswith("file://"):
        from urllib.parse import unquote, urlsplit

        text = unquote(urlsplit(text).path)
    elif re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", text):
        raise UsageError(
            f"{printable(text)} is not a kind of place that headwater can read.",
            hint="Give a folder or s3://bucket/prefix.",
        )
    return os.path.realpath(os.path.expanduser(text))


def find_lake(
    start: str | Path | None = None,
    *,
    lake: str | Path | None = None,
    state: str | Path | None = None,
    environ: Mapping[str, str] = os.environ,
) -> LakeLocation:
    """Return the lake that is meant, found as git finds a repository.

    In this order: `lake`, the environment variable HEADWATER_LAKE, the nearest of `start` and its parents that has
    state which headwater made for it. A foreign `.headwater` on the way is passed over and told.

    Args:
        start: folder to begin at; the working folder if None.
        lake: folder or URL given by the user.
        state: state folder given by the user; else HEADWATER_STATE.
        environ: the environment.

    Raises:
        SetupError: there is none.
    """
    override = state or environ.get("HEADWATER_STATE") or None
    for given, origin in ((lake, "argument"), (environ.get("HEADWATER_LAKE"), "environment")):
        if given:
            url = lake_url(given)
            if not url.startswith("s3://") and not os.path.isdir(url):
                raise SetupError(f"There is no lake at {printable(url)}.", hint="Give an existing folder.")
            foreign = [] if override else foreign_state(url)
            return LakeLocation(url, state_dir(url, override), origin, foreign)
    notices: list[str] = []
    if override:
        chosen = Path(os.path.realpath(os.path.expanduser(override)))
        known = marker_of(chosen).get("url")
        if known:
            return LakeLocation(known, state_dir(known, chosen), "state", notices)
    first = Path(os.path.realpath(start or "."))
    for folder in (first, *first.parents):
        url = str(folder)
        if owns(folder / STATE_FOLDER, url) or marker_of(_cache_folder(url)).get("url") == url:
            return LakeLocation(url, state_dir(url, override), "folder", notices)
        notices += foreign_state(url)
    raise SetupError(
        "There is no lake here: neither this folder nor one above it was taken in by headwater."
        + (f" {notices[0]}" if notices else ""),
        where=str(first),
        hint="Run: headwater ingest FOLDER, or say which lake with --lake or HEADWATER_LAKE.",
    )


def state_dir(place: str | Path, override: str | Path | None = None, *, create: bool = False) -> Path:
    """Return the state folder of a lake.

    It is `override` or HEADWATER_STATE where given; else `.headwater` in the lake where that is our own or can be
    made; else, and for every lake on S3, a folder in the user's cache folder.

    Args:
        place: the lake.
        override: the folder the user chose.
        create: make it if need be, with its marker and VERSION; a folder of an older version is brought up to date.

    Raises:
        SetupError: it belongs to another lake, was made by a newer headwater, or cannot be made.
    """
    url = lake_url(place)
    chosen = override or os.environ.get("HEADWATER_STATE")
    if chosen:
        state = Path(os.path.realpath(os.path.expanduser(chosen)))
        _check_override(state, url)
        return _prepare(state, url, create)
    cached = _cache_folder(url)
    if url.startswith("s3://"):
        return _prepare(cached, url, create)
    inside = Path(url) / STATE_FOLDER
    if owns(inside, url):
        return _prepare(inside, url, create)
    if marker_of(cached) or not _is_free(inside) or not os.access(url, os.W_OK):
        return _prepare(cached, url, create)
    if create:
        try:
            return _prepare(inside, url, create)
        except PermissionError:
            return _prepare(cached, url, create)
    return inside


def foreign_state(place: str | Path) -> list[str]:
    """Return a notice if a lake holds a `.headwater` that is not our own, else nothing."""
    url = lake_url(place)
    inside = Path(url) / STATE_FOLDER
    if url.startswith("s3://") or _is_free(inside) or owns(inside, url):
        return []
    return [
        f"{printable(str(inside))} was not made for this lake by this user and is not used; "
        f"'headwater trust {printable(url)}' changes that."
    ]


def _prepare(state: Path, url: str, create: bool) -> Path:
    """Check or make a state folder."""
    marker = marker_of(state)
    if not marker:
        if create:
            _make(state, url)
        return state
    _check_version(state, create)
    if create and marker.get("url") != url:  # the lake was moved, or is trusted at another place
        with disk_guard(state):
            write_atomically(state / MARKER, dumps({**marker, "url": url}))
    return state


def _make(state: Path, url: str) -> None:
    """Make a state folder; safe against being killed in between and against another process doing the same."""
    try:
        with disk_guard(state):
            state.mkdir(parents=True, exist_ok=True)
            with Lock(state, wait_s=10):
                if marker_of(state):
                    return
                state_id = secrets.token_hex(16)
                if not url.startswith("s3://") and state == Path(url) / STATE_FOLDER:
                    registry().mkdir(parents=True, exist_ok=True, mode=0o700)
                    save(Record(url, state_id, record_of(url).config_sha256))
                (state / "VERSION").write_text(f"{STATE_VERSION}\n", encoding="ascii")
                (state / ".gitignore").write_text("*\n", encoding="ascii")
                created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
                marker = {"made_by": "headwater", "id": state_id, "url": url, "created": created}
                write_atomically(state / MARKER, dumps(marker))
    except PermissionError:
        raise
    except OSError as error:
        if error.errno == errno.EROFS:
            raise PermissionError(error.errno, error.strerror, str(state)) from error
        raise SetupError(
            f"The state folder cannot be made: {error.strerror}.",
            where=str(state),
            hint="Give a folder that can be written with --state or HEADWATER_STATE.",
        ) from error


def _check_version(state: Path, create: bool) -> None:
    try:
        version = int((state / "VERSION").read_text(encoding="ascii"))
    except (OSError, ValueError) as error:
        raise SetupError(
            "The state folder is damaged: its VERSION cannot be read.",
            where=str(state),
            hint="Delete the folder and ingest again; the lake itself is not touched.",
        ) from error
    if version > STATE_VERSION:
        raise SetupError(
            f"The state folder was made by a newer headwater (version {version}, this one knows {STATE_VERSION}).",
            where=str(state),
            hint="Update headwater, or give another folder with --state.",
        )
    if version == STATE_VERSION:
        return
    if not create:
        raise SetupError(
            f"The state folder has the older version {version}.",
            where=str(state),
            hint="Run headwater ingest once; it brings the folder up to date.",
        )
    with Lock(state), disk_guard(state):
        for step in range(version, STATE_VERSION):
            MIGRATIONS[step](state)
            write_atomically(state / "VERSION", f"{step + 1}\n")


def _check_override(state: Path, url: str) -> None:
    """Refuse a folder that is full of something else, or of another lake that still exists."""
    other = marker_of(state).get("url")
    if other is None:
        if not _is_free(state):
            raise SetupError(
                f"{printable(str(state))} is not empty and is no state folder of headwater.",
                hint="Give a new or empty folder with --state.",
            )
    elif other != url and (other.startswith("s3://") or os.path.isdir(other)):
        raise SetupError(
            f"{printable(str(state))} holds the state of another lake, {printable(other)}.",
            hint="Give another folder with --state.",
        )


def _is_free(state: Path) -> bool:
    """Tell whether a state folder can be made at this place: nothing there, or an empty folder of this user."""
    if state.is_symlink():
        return False
    try:
        mine = state.stat().st_uid == os.geteuid()
        with os.scandir(state) as found:
            return mine and all(e.name in _LEFTOVERS and e.is_file(follow_symlinks=False) for e in found)
    except FileNotFoundError:
        return True
    except OSError:
        return False


def _cache_folder(url: str) -> Path:
    import platformdirs

    digest = hashlib.sha256(url.encode("utf-8", "surrogateescape")).hexdigest()[:16]
    name = re.sub(r"[^A-Za-z0-9.-]+", "-", url.rsplit("/", 1)[-1])[:40].strip("-.") or "lake"
    return platformdirs.user_cache_path("headwater") / "lakes" / f"{name}-{digest}"
