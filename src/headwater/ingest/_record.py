"""What a worker makes of one file: a compact record for the catalog, and Parquet files in a staging folder.

The record is plain JSON data, so that the catalog can keep it, and nothing large travels between processes.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.catalog import RECORD
from headwater.errors import DocumentError, SkipDocument
from headwater.model import Column, Member, MemoryData, ParquetData, ReadResult, Record, Table

if TYPE_CHECKING:
    import pyarrow as pa

    from headwater.profiles import TableValues

READER_VERSION = 6
"""Grows when readers, typing or profiles give other results; contents read by an older version are read again."""

MAX_TEXT = 50_000_000
"""Characters of main text kept for one document; more is cut and told."""

MAX_VALUES = 5_000
"""Distinct values of a column that search finds a table by."""

MAX_VALUE_CHARACTERS = 400_000
"""Characters of such values for one table."""

MAX_CELL = 200
"""Characters of one such value."""

MIN_SKETCHED = 40
"""Characters of text below which a document is not compared with others."""


SMALL_TABLE = 20_000
"""Cells of a table below which its Parquet file is written plainly."""


@dataclass(slots=True)
class ContentRecord:
    """One content (a file or a member of an archive) as read.

    Attributes:
        content: key: hash of the bytes and the suffix of the name it was read under.
        sha256, size: of the bytes.
        record: for `Catalog.put_read`.
        text, pages: main text.
        values: (table position, column name, distinct texts) for finding tables by what is in their cells.
        sketches: (table position, or -1 for the text; sketch) for finding relations.
    """

    content: str
    sha256: str
    size: int
    record: dict[str, Any]
    text: str | None = None
    pages: list[tuple[int, str]] | None = None
    values: list[tuple[int, str, list[str]]] = field(default_factory=list)
    sketches: list[tuple[int, bytes]] = field(default_factory=list)


def content_key(sha256: str, name: str) -> str:
    """Return the key of a content.

    What a name tells a reader is part of it: its suffix, and whether it names a metadata document. So a file that is
    renamed is read again exactly where that may matter.
    """
    from headwater.layout import metadata_rank

    tail = name.rsplit("/", 1)[-1]
    suffix = tail.rsplit(".", 1)[-1].lower() if "." in tail else ""
    rank = metadata_rank(name)
    return f"{sha256}.{suffix[:12]}" + ("" if rank is None else f".m{rank}")


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a file as hexadecimal digits."""
    with path.open("rb") as f:
        return hashlib.file_digest(f, "sha256").hexdigest()


def read_content(path: Path, name: str, sha256: str, size: int, staging: Path) -> list[ContentRecord]:
    """Read one file and give the records of it and of the members it holds, the file's own first.

    Args:
        path: where its bytes lie.
        name: its id in the lake.
        sha256: hash of its bytes.
        size: its size in bytes.
        staging: folder for the Parquet files; they are named after content and position.
    """
    from headwater.readers import ReadOptions, read

    workdir = Path(
        tempfile.mkdtemp(prefix="read-", dir=staging)
    )  # one a document: readers name files as they like
    try:
        result = read(path, name, ReadOptions(workdir=workdir))
        return list(_records(result, name, sha256, size, staging))
    except DocumentError as error:
        return [_failure(content_key(sha256, name), sha256, size, error, name)]
    finally:
        shutil.rmtree(workdir, ignore_errors=True)


def _failure(content: str, sha256: str, size: int, error: DocumentError, name: str) -> ContentRecord:
    state = "skipped" if isinstance(error, SkipDocument) else "failed"
    reason = " ".join(
        p
        for p in (error.message, f"({error.where})" if error.where not in ("", name) else "", error.hint)
        if p
    )
    return ContentRecord(content, sha256, size, {"state": state, "reason": reason})


def _records(result: ReadResult, name: str, sha256: str, size: int, staging: Path) -> Iterator[ContentRecord]:
    content = content_key(sha256, name)
    tables: list[dict[str, Any]] = []
    values: list[tuple[int, str, list[str]]] = []
    sketches: list[tuple[int, bytes]] = []
    for position, table in enumerate(result.tables):
        record, texts, sketch = _table_record(table, content, position, staging)
        tables.append(record)
        values += [(position, column, column_texts) for column, column_texts in texts]
        sketches.append((position, sketch))
    members: list[dict[str, Any]] = []
    below: list[ContentRecord] = []
    for member in result.members:
        entry, records = _member(member, name, staging)
        members.append(entry)
        below += records
    text, warnings = result.text, list(result.warnings)
    if text is not None and len(text) > MAX_TEXT:
        warnings.append(f"Only the first {MAX_TEXT:,} of {len(text):,} characters of text are kept.")
        text = text[:MAX_TEXT]
    if text and len(text) >= MIN_SKETCHED:
        from headwater.relations import sketch_text

        title = str(result.metadata.get("title") or "")
        sketches.append((-1, sketch_text("", "", title, text).to_bytes()))
    if result.record:
        sketches.append((RECORD, field_names(result.record)))
    yield ContentRecord(
        content,
        sha256,
        size,
        {
            "state": "ingested",
            "reason": "",
            "format": result.format,
            "encoding": result.encoding,
            "warnings": warnings,
            "metadata": result.metadata,
            "tables": tables,
            "members": members,
            "text_length": len(text or ""),
            **({"record": asdict(result.record)} if result.record else {}),
        },
        text,
        [(p.page, p.text) for p in result.pages] if result.pages is not None else None,
        values,
        sketches,
    )
    yield from below


def field_names(record: Record) -> bytes:
    """Return the sketch of a record: whether it is the document's main table, and the names of its fields, as JSON."""
    return json.dumps([record.main, *record.fields], ensure_ascii=False).encode("utf-8", "surrogatepass")


def _member(member: Member, archive: str, staging: Path) -> tuple[dict[str, Any], list[ContentRecord]]:
    key = content_key(
        member.sha256 or hashlib.sha256(member.name.encode("utf-8", "surrogatepass")).hexdigest(), member.name
    )
    entry = {"name": member.name, "content": key, "sha256": member.sha256, "size": member.size}
    if member.result is None:
        record = {"state": member.state, "reason": member.reason}
        return entry, [ContentRecord(key, member.sha256, member.size, record)]
    return entry, list(
        _records(member.result, f"{archive}!{member.name}", member.sha256, member.size, staging)
    )


def _table_record(
    table: Table, content: str, position: int, staging: Path
) -> tuple[dict[str, Any], list[tuple[str, list[str]]], bytes]:
    from headwater.profiles import profile_table, table_values
    from headwater.relations import sketch_table

    values = table_values(table)
    profile = profile_table(table, values=values)
    sketch = sketch_table(table, "", "", profile=profile, values=values)
    typed, raw = _stage(
        table, f"{content}.{position}", staging
    )  # last: it takes the files of a large table away
    columns = [_shallow(c) | {"typing": asdict(c.typing) if c.typing else None} for c in table.columns]
    info = {
        "page": table.page,
        "preamble": table.preamble,
        "footer": table.footer,
        "dialect": asdict(table.dialect) if table.dialect else None,
        "hidden": table.hidden,
        "quarantined": [asdict(q) for q in table.quarantined[:1000]],
        "quarantined_count": _quarantined(table),
        "warnings": _told(table),
        "profile": profile.to_dict(),
        "extra": table.extra,
    }
    record = {
        "name": table.name,
        "columns": columns,
        "row_count": table.data.row_count,
        "info": info,
        "typed": typed,
        "raw": raw,
    }
    return record, searchable_values(values), sketch.to_bytes()


def _shallow(column: Column) -> dict[str, Any]:
    return {name: getattr(column, name) for name in Column.__dataclass_fields__}


def searchable_values(values: TableValues) -> list[tuple[str, list[str]]]:
    """Return the distinct texts of the text columns of a table, the most frequent first, within bounds.

    Numbers, dates and the like are left out: nobody looks for a table by one of its measurements, and they would
    drown the names. Cells longer than a sentence are prose and are cut.
    """
    found, room = [], MAX_VALUE_CHARACTERS
    for column in values.columns:
        if column.type != "text" or room <= 0:
            continue
        if column.values is None or column.counts is None:
            texts = list(dict.fromkeys(column.sample))
        else:
            order = (-column.counts).argsort(kind="stable")[:MAX_VALUES]
            texts = column.values.take(order).to_pylist()
        kept: list[str] = []
        for text in texts[:MAX_VALUES]:
            cell = " ".join(str(text).split())[:MAX_CELL]
            if not cell:
                continue
            room -= len(cell)
            if room < 0:
                break
            kept.append(cell)
        if kept:
            found.append((column.name, kept))
    return found


def _quarantined(table: Table) -> int:
    """Return the number of records set aside; of very many only the first are listed."""
    return int(table.extra.get("quarantined", len(table.quarantined)))


def _told(table: Table) -> list[str]:
    """Return the table's warnings, with a difference between source and loaded records if there is one."""
    warnings = list(table.warnings)
    if table.source_records is not None:
        apart = _quarantined(table) + int(table.extra.get("footer_rows", 0))
        loaded = table.data.row_count + apart
        missing = table.source_records - loaded
        if missing > 0 and not any("record" in w for w in warnings):
            warnings.append(
                f"{missing} of {table.source_records} records of the source are not among the rows."
            )
    return warnings


def _stage(table: Table, stem: str, staging: Path) -> tuple[str, str]:
    """Write both views to Parquet; return the file names. One file serves where the views do not differ."""
    typed, raw = staging / f"{stem}.parquet", staging / f"{stem}.raw.parquet"
    data = table.data
    if isinstance(data, ParquetData):
        data.typed_path.replace(typed)
        if data.raw_path == data.typed_path:
            return typed.name, typed.name
        data.raw_path.replace(raw)
        return typed.name, raw.name
    if not isinstance(data, MemoryData):
        raise TypeError(f"table data of kind {type(data).__name__} cannot be cached")
    _write(data.typed_table, typed)
    if data.raw_table is data.typed_table or data.raw_table.equals(data.typed_table):
        return typed.name, typed.name
    _write(data.raw_table, raw)
    return typed.name, raw.name


def _write(table: pa.Table, path: Path) -> None:
    """Write a Parquet file; of a small one, which most are, every part has its price, and nothing is gained by any."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with pa.OSFile(str(path), "wb") as sink:
        if table.num_rows * table.num_columns < SMALL_TABLE:
            pq.write_table(table, sink, compression="snappy", use_dictionary=False, write_statistics=False)
        else:
            pq.write_table(table, sink, compression="zstd")
