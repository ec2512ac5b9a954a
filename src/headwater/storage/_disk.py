"""A full disk becomes one clear error."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from headwater.errors import HeadwaterError, SetupError

_TEXTS = ("no space left on device", "database or disk is full", "disk quota exceeded")


def free_bytes(path: str | Path) -> int:
    """Return the free bytes of the disk that `path` is or would be on."""
    place = Path(path).absolute()
    while not place.exists() and place != place.parent:
        place = place.parent
    return shutil.disk_usage(place).free


def is_disk_full(error: BaseException) -> bool:
    """Tell whether an error of any library means that a disk or quota is full.

    SQLite, Arrow, DuckDB and tantivy have errors of their own for it; only their texts agree.
    """
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return True
    return any(text in str(error).lower() for text in _TEXTS)


@contextmanager
def disk_guard(path: str | Path) -> Iterator[None]:
    """Turn "the disk is full" from any library into one `SetupError` that names the disk.

    Args:
        path: the folder that is written to.

    Raises:
        SetupError: the disk or quota is full.
    """
    try:
        yield
    except Exception as error:
        if isinstance(error, HeadwaterError) or not is_disk_full(error):
            raise
        raise SetupError(
            f"The disk is full: {free_bytes(path) / 1e6:,.0f} MB are free where headwater writes.",
            where=str(path),
            hint="Free some space, or give another place with --state; then run the same command again. "
            "What was finished before is kept.",
        ) from error
