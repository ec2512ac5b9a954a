"""From what was read to what the lake is made of: documents, duplicates, datasets, descriptions on columns.

Everything here is a function of the files of the lake and of what was read from them, never of the order in which
they were read; so a run that was killed and resumed ends with the catalog of an undisturbed one.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.catalog import Catalog, DatasetRecord, DocumentRecord, FileRecord, State, TableRecord
from headwater.ingest._record import READER_VERSION, content_key

if TYPE_CHECKING:
    from headwater.layout import DatasetMetadata

_WORST: tuple[State, ...] = ("failed", "skipped", "duplicate", "ingested")
_TABLE_FORMATS = frozenset(
    {"csv", "tsv", "xlsx", "xls", "ods", "parquet", "json", "ndjson", "geojson", "yaml", "xml"}
)
PACKED = re.compile(r"\.(?:gz|bz2|xz|zst)$", re.IGNORECASE)
FORMAL_RANK = 3
"""Largest `metadata_rank` of a document that is about data and holds none itself; a README is read like any text."""

_TEXT_SHARE = 2000
"""Characters of main text from which a document with tables in a prose format counts as text."""


@dataclass(slots=True)
class Assembled:
    """A dataset as assembled: its record and its documents with their tables."""

    dataset: DatasetRecord
    documents: list[tuple[DocumentRecord, list[TableRecord]]] = field(default_factory=list)


def canonical_copies(files: Iterable[FileRecord]) -> dict[str, str]:
    """Return path → path of the copy that stands for it, for files with equal bytes.

    Which of equal files is canonical is the rule of `headwater.relations.preference`. Links name their target
    themselves. Files of a partitioned table are never copies: equal rows under another key are other rows.
    """
    from headwater.ingest._partitions import PARTITION
    from headwater.relations import preference

    groups: dict[tuple[str, int], list[str]] = defaultdict(list)
    for f in files:
        if f.state == "ingested" and f.sha256 and f.size and not PARTITION.search(f.path):
            groups[f.sha256, f.size].append(f.path)
    copies: dict[str, str] = {}
    for paths in groups.values():
        if len(paths) > 1:
            first, *others = sorted(paths, key=preference)
            copies |= dict.fromkeys(others, first)
    return copies


class Assembler:
    """Builds the records of datasets from the catalog's files and reads."""

    def __init__(self, catalog: Catalog, files: dict[str, FileRecord], copies: dict[str, str]) -> None:
        self._catalog = catalog
        self._files = files
        self._copies = copies

    def dataset(self, dataset_id: str, paths: list[str]) -> Assembled:
        """Return a dataset with all its documents, sorted by id."""
        from headwater.layout import merge_metadata

        found: list[tuple[FileRecord, str, dict[str, Any] | None]] = []
        for path in sorted(paths):
            file = self._files[path]
            content = content_of(file)
            found.append((file, content, self._catalog.read_record(content) if content else None))
        metadata = merge_metadata(list(_metadata(found, dataset_id)))
        title = (metadata.title if metadata else "") or _title_from(dataset_id)
        info = metadata.to_dict() if metadata else {}
        record = DatasetRecord(dataset_id, title, info, digest=_digest([title, info]))
        assembled = Assembled(record)
        for file, content, read in found:
            assembled.documents += list(self._documents(file, content, read, record, metadata))
        return assembled

    def _documents(
        self,
        file: FileRecord,
        content: str,
        read: dict[str, Any] | None,
        dataset: DatasetRecord,
        metadata: DatasetMetadata | None,
    ) -> Iterator[tuple[DocumentRecord, list[TableRecord]]]:
        base = DocumentRecord(
            file.path,
            dataset.id,
            sha256=file.sha256,
            size=file.size,
            content=content,
            state=file.state,
            reason=file.reason,
        )
        copy_of = self._copies.get(file.path) or (file.reason if file.state == "duplicate" else "")
        if read is None or read["state"] != "ingested" or copy_of:
            if copy_of:
                base.state, base.duplicate_of, base.reason = (
                    "duplicate",
                    copy_of,
                    f"same content as {copy_of}",
                )
                base.format = (read or {}).get("format", "")
                base.encoding = (read or {}).get("encoding")
            elif read is not None:
                base.state, base.reason = read["state"], read["reason"]
            base.title = _title_from(file.path)
            base.digest = _digest([_fields(base)])
            yield base, []
            return
        yield from self._expand(base, read, metadata, dataset.digest)

    def _expand(
        self, base: DocumentRecord, read: dict[str, Any], metadata: DatasetMetadata | None, told: str
    ) -> Iterator[tuple[DocumentRecord, list[TableRecord]]]:
        """Yield a document and its members; `told` stands for the metadata in the digest, `content` for what was read."""
        from headwater.layout import metadata_rank

        below: list[tuple[DocumentRecord, list[TableRecord]]] = []
        states: list[State] = ["ingested"]
        for member in read["members"]:
            child = DocumentRecord(
                f"{base.id}!{member['name']}", base.dataset, parent=base.id, sha256=member["sha256"]
            )
            child.size, child.content = member["size"], member["content"]
            inner = self._catalog.read_record(member["content"])
            if inner is None or inner["state"] != "ingested":
                child.state = inner["state"] if inner else "failed"
                child.reason = inner["reason"] if inner else "The member was not read."
                child.title = _title_from(member["name"])
                child.digest = _digest([_fields(child)])
                expanded: list[tuple[DocumentRecord, list[TableRecord]]] = [(child, [])]
            else:
                expanded = list(self._expand(child, inner, metadata, told))
            states.append(expanded[0][0].state)
            below += expanded
        tables = _table_records(base, read, self._catalog.folder, metadata)
        base.format, base.encoding, base.metadata = read["format"], read["encoding"], read["metadata"]
        base.text_length = read["text_length"]
        base.kind = "table" if _is_table(read) or read.get("record") else "text"
        rank = metadata_rank(base.id)
        base.role = "archive" if read["members"] else "data"
        if base.role == "data" and rank is not None and rank <= FORMAL_RANK and read.get("dataset_metadata"):
            base.role = "metadata"
        base.warnings = [*read["warnings"], *(w for t in tables for w in _named(t))]
        worst = next(s for s in _WORST if s in states)
        if worst in ("failed", "skipped"):
            bad = [d for d, _ in below if d.parent == base.id and d.state == worst]
            base.state = worst
            base.reason = f"{len(bad)} of {len(read['members'])} members {worst}: {bad[0].id.split('!')[-1]}: {bad[0].reason}"
        base.title = _document_title(base, tables, metadata)
        base.digest = _digest([_fields(base), READER_VERSION, told])
        yield base, tables
        yield from below


def content_of(file: FileRecord) -> str:
    """Return the key under which the content of a file was read, "" if it was not."""
    return content_key(file.sha256, file.path) if file.sha256 else ""


def _metadata(
    found: list[tuple[FileRecord, str, dict[str, Any] | None]], dataset_id: str
) -> Iterator[DatasetMetadata]:
    """Yield the metadata documents of a dataset, the most formal first."""
    from headwater.layout import DatasetMetadata, metadata_rank

    ranked = []
    for file, _, read in found:
        if read and read.get("dataset_metadata"):
            rank = metadata_rank(file.path)
            inside = file.path.removeprefix(dataset_id + "/").count("/")
            ranked.append((9 if rank is None else rank, inside, file.path, read["dataset_metadata"]))
    for *_, value in sorted(ranked, key=lambda r: r[:3]):
        yield DatasetMetadata.from_dict(value)


def _table_records(
    document: DocumentRecord, read: dict[str, Any], folder: Path, metadata: DatasetMetadata | None
) -> list[TableRecord]:
    from headwater.layout import column_docs

    records, used = [], set()
    several = len(read["tables"]) > 1 or (read.get("record") or {}).get("main", False)
    for position, table in enumerate(read["tables"]):
        name = table["name"] or (f"table {position + 1}" if several else "")
        unique, n = name, 2
        while unique in used:
            unique, n = f"{name} ({n})", n + 1
        used.add(unique)
        columns = [dict(c) for c in table["columns"]]
        described = column_docs(metadata, document.id, [c["name"] for c in columns]) if metadata else {}
        for column in columns:
            told = described.get(column["name"])
            if told is not None:
                column["description"] = told.description or told.label or column["description"]
                column["unit"] = column["unit"] or told.unit or None
        ref = f"{document.id}#{unique}" if several else document.id
        typed, raw = (
            folder / "tables" / table_path(table["typed"]),
            folder / "tables" / table_path(table["raw"]),
        )
        records.append(
            TableRecord(
                document.id, position, ref, unique, table["row_count"], columns, typed, raw, table["info"]
            )
        )
    return records


def table_path(name: str) -> str:
    """Return where below `tables/` a Parquet file of the cache lies: two levels, by its hash."""
    return f"{name[:2]}/{name}"


def _named(table: TableRecord) -> Iterator[str]:
    label = f"{table.name}: " if table.name else ""
    quarantined = table.info.get("quarantined_count", 0)
    if quarantined:
        yield f"{label}{quarantined} records do not fit and were set aside."
    for warning in table.info["warnings"]:
        yield label + warning


def _is_table(read: dict[str, Any]) -> bool:
    return bool(read["tables"]) and (read["format"] in _TABLE_FORMATS or read["text_length"] < _TEXT_SHARE)


def _document_title(
    document: DocumentRecord, tables: list[TableRecord], metadata: DatasetMetadata | None
) -> str:
    """Return the best title there is: the publisher's for this resource, the document's own, or the file's name."""
    name = document.id.split("!")[-1].rsplit("/", 1)[-1]
    for resource in metadata.resources if metadata else []:
        told = resource.title
        if told and name in (
            resource.path.rsplit("/", 1)[-1],
            resource.name,
            resource.url.rsplit("/", 1)[-1],
        ):
            return told
    own = str(document.metadata.get("title") or "").strip()
    if own and document.role != "metadata":
        return " ".join(own.split())[:200]
    if len(tables) == 1 and tables[0].name:
        return tables[0].name
    return _title_from(document.id)


def _title_from(identifier: str) -> str:
    name = identifier.split("!")[-1].rstrip("/").rsplit("/", 1)[-1]
    name = PACKED.sub("", name) or name
    stem = name.rsplit(".", 1)[0] if "." in name.lstrip(".") else name
    return " ".join(stem.replace("_", " ").replace("-", " ").split()) or name


def _fields(document: DocumentRecord) -> dict[str, Any]:
    return {name: getattr(document, name) for name in DocumentRecord.__dataclass_fields__}


def _digest(value: Any) -> str:
    return hashlib.sha256(
        json.dumps(value, sort_keys=True, default=str).encode("utf-8", "surrogatepass")
    ).hexdigest()[:24]
