"""Rows of the catalog as plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

State = Literal["ingested", "duplicate", "skipped", "failed"]
STATES: tuple[State, ...] = ("ingested", "duplicate", "skipped", "failed")


@dataclass(slots=True)
class FileRecord:
    """One file of the lake as it was last seen; `version` is the storage's token for change detection."""

    path: str
    size: int
    version: str
    sha256: str
    state: State
    reason: str = ""
    seconds: float = 0.0


@dataclass(slots=True)
class TableRecord:
    """One cached table.

    Attributes:
        document: id of its document.
        position: from 0, in reading order.
        ref: stable name for SQL: the document's id, or "id#name" if the document has several tables.
        name: name within the document, "" for the only one.
        row_count: number of records.
        columns: [{name, type, original_name, unit, description, feature_type, typing}].
        info: everything else told of the table: page, preamble, footer, dialect, hidden, quarantined, warnings, profile.
        typed_path, raw_path: Parquet files with `_row`, `_line`, then the columns.
        sheet, row: the files are those of a sheet, of which only this row is the table's; "" and 0 for other tables.
    """

    document: str
    position: int
    ref: str
    name: str
    row_count: int
    columns: list[dict[str, Any]]
    typed_path: Path
    raw_path: Path
    info: dict[str, Any] = field(default_factory=dict)
    sheet: str = ""
    row: int = 0


@dataclass(slots=True)
class DocumentRecord:
    """One document: a file of the lake or a member of an archive.

    Attributes:
        id: path in the lake, "archive.zip!member.csv" for members.
        parent: the archive, "" for files.
        dataset: id of its dataset.
        content: key of what was read ("" if nothing was).
        sha256, size: of its bytes.
        state, reason, duplicate_of: the one state it is in.
        kind: "table" or "text".
        role: "data", "metadata" or "archive".
        revision: catalog generation in which it last changed.
    """

    id: str
    dataset: str
    parent: str = ""
    content: str = ""
    sha256: str = ""
    size: int = 0
    state: State = "ingested"
    reason: str = ""
    duplicate_of: str = ""
    kind: str = "text"
    role: str = "data"
    format: str = ""
    encoding: str | None = None
    title: str = ""
    warnings: list[str] = field(default_factory=list)
    metadata: dict[str, Any] = field(default_factory=dict)
    digest: str = ""
    series: str = ""
    text_length: int = 0
    revision: int = 0


@dataclass(slots=True)
class DatasetRecord:
    """A dataset: its title and what its publisher says of it."""

    id: str
    title: str
    metadata: dict[str, Any] = field(default_factory=dict)
    digest: str = ""
    revision: int = 0


@dataclass(slots=True)
class Body:
    """What of a content is too large for its record.

    Attributes:
        text: main text.
        pages: (page, text) for paged documents.
        values: (table position, column name, distinct texts) of the columns that search finds tables by.
    """

    text: str | None = None
    pages: list[tuple[int, str]] | None = None
    values: list[tuple[int, str, list[str]]] = field(default_factory=list)
