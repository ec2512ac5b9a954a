"""Opening the SQLite file of a catalog, whatever state it is in."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from headwater.errors import SetupError


def open_for_writing(path: Path) -> sqlite3.Connection:
    """Open for writing; a file that SQLite cannot use is replaced, since the next ingest finds again what it held."""
    try:
        return _connect(path)
    except sqlite3.OperationalError:  # locked, full, read-only: not the file's fault
        raise
    except sqlite3.DatabaseError:
        for suffix in ("", "-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        return _connect(path)


def _connect(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, isolation_level=None, timeout=30)
    try:
        db.execute("pragma journal_mode=wal")
        db.execute("pragma synchronous=normal")
        if db.execute("select 1 from sqlite_master where name = 'files'").fetchone():
            db.execute("select count(*) from files").fetchone()
    except sqlite3.Error:
        db.close()
        raise
    return db


def open_for_reading(path: Path) -> sqlite3.Connection:
    """Open read-only; a folder that cannot be written needs SQLite's immutable mode, as WAL wants its side files."""
    quoted = path.absolute().as_posix().replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    for mode in ("mode=ro", "mode=ro&immutable=1"):
        db = sqlite3.connect(
            f"file:{quoted}?{mode}", uri=True, isolation_level=None, timeout=30, check_same_thread=False
        )
        try:
            db.execute("select 1 from meta").fetchone()
            return db
        except sqlite3.DatabaseError as error:
            db.close()
            cause: Exception = error
    raise SetupError(
        f"The catalog cannot be read: {cause}.",
        where=str(path),
        hint="Run: headwater ingest PATH. It makes the catalog anew; the lake itself is not touched.",
    )
