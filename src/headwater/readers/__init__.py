"""From the bytes of one file to text, pages and tables.

`read(path, name)` is the only door. It finds the format from the content and hands the file to the module for it.
A reader raises `ReadError` for a file that is damaged and `SkipDocument` for one that is left out on purpose; what
it could not take in but could go around, it tells in `warnings` or `quarantined`.

`register` adds a reader for another format.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.model import ReadResult
from headwater.readers._registry import Reader, Sample, formats, register

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from headwater.model import Table

__all__ = ["ReadOptions", "Reader", "Sample", "formats", "read", "register", "sheet_table"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """Limits and choices for one read.

    Attributes:
        workdir: a folder for large intermediate files; the caller empties it. None: a temporary folder.
        merged: "fill" repeats the value of a merged cell over its range, "blank" leaves the rest missing.
        max_member_bytes: unpacked size at which a member of an archive is refused.
        max_archive_bytes: unpacked size of a whole archive at which unpacking stops.
        max_depth: nesting depth of archives.
        max_members: number of members at which unpacking stops.
        memory_table_bytes: size of a delimited file above which it is not held in memory.
    """

    workdir: Path | None = None
    merged: str = "fill"
    max_member_bytes: int = 1 << 30
    max_archive_bytes: int = 4 << 30
    max_depth: int = 3
    max_members: int = 100_000
    memory_table_bytes: int = 32 << 20


def read(path: Path, name: str, options: ReadOptions | None = None) -> ReadResult:
    """Read one file.

    Args:
        path: where its bytes lie on this machine.
        name: its id in the lake, for messages and as a weak hint for the format.
        options: limits and choices.

    Raises:
        ReadError: the file is damaged or not what it claims to be.
        SkipDocument: the file holds nothing to take in, with the reason.
    """
    from headwater.readers._dispatch import read_any

    return read_any(Path(path), name, options or ReadOptions())


def sheet_table(rows: Iterable[tuple[str, str, dict[str, str]]], fields: Iterable[Sequence[str]]) -> Table:
    """Return one table of documents that are one object each (`ReadResult.record`): a row a document, a column a field.

    The columns `_file` and `_document` come first, then the fields, those first that most documents have.

    Args:
        rows: for each document what is distinct of its path, its id, and its fields.
        fields: the names of the fields of each of these documents.
    """
    from headwater.readers._sheet import sheet_table as build

    return build(rows, fields)
