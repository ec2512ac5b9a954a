"""How evidence is written: rows as they are quoted, and the hashes of what a value was computed from."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

QUOTE = 300
"""Characters of a quoted row."""


def quoted_row(cells: Sequence[Any]) -> str:
    """Return the cells of a row as they are quoted: those that are there, on one line, cut."""
    return " | ".join(" ".join(str(c).split()) for c in cells if c is not None)[:QUOTE]


def path_hash(path: Path) -> str:
    """Return the SHA-256 of a file, or of the names and hashes of all files below a folder."""
    if path.is_file():
        return file_hash(path)
    files = sorted(f for f in path.rglob("*") if f.is_file())
    told = "".join(f"{f.relative_to(path).as_posix()}\0{file_hash(f)}\n" for f in files)
    return hashlib.sha256(told.encode()).hexdigest()


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file's bytes in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
