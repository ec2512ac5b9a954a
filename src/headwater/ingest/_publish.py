"""Second stage: bring documents, datasets and relations of the catalog to what the files say, in one transaction."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from headwater.catalog import Catalog, FileRecord
from headwater.ingest._assemble import Assembler, canonical_copies
from headwater.ingest._record import READER_VERSION
from headwater.ingest._relate import relate
from headwater.ingest._sheets import build_sheets


@dataclass(slots=True)
class Published:
    """What changed: numbers of documents, and the generation that holds the change."""

    generation: int
    changed: int = 0
    removed: int = 0


def publish(catalog: Catalog) -> Published:
    """Assemble every dataset whose inputs changed since it was last assembled.

    The inputs of a dataset are its files (hash, state) and which copy stands for each; their signature is kept, so
    that a run that was killed before this stage is caught up, and a run without changes costs one pass over the files.
    """
    from headwater.layout import Layout

    files = catalog.files()
    copies = canonical_copies(files.values())
    groups = Layout(files).datasets(files)
    signatures = {d: _signature(paths, files, copies) for d, paths in groups.items()}
    before = catalog.inputs()
    dirty = [d for d, s in signatures.items() if before.get(d) != s]
    gone = [d for d in before if d not in signatures]
    if not dirty and not gone:
        return Published(catalog.generation)
    assembler = Assembler(catalog, files, copies)
    with catalog.transaction(advance=True) as generation:
        report = Published(generation)
        old = catalog.digests([*dirty, *gone])
        new: dict[str, str] = {}
        changed: set[str] = set()
        for dataset in dirty:
            assembled = assembler.dataset(dataset, groups[dataset])
            for document, tables in assembled.documents:
                new[document.id] = document.sha256
                if old.get(document.id, ("", ""))[1] != document.digest:
                    document.revision = generation
                    catalog.put_document(document, tables)
                    changed.add(document.id)
            kept = catalog.dataset(dataset)
            if kept is None or kept.digest != assembled.dataset.digest:
                assembled.dataset.revision = generation
                catalog.put_dataset(assembled.dataset)
        removed = [i for i in old if i not in new]
        catalog.put_aliases(_moves(catalog, removed, {i: s for i, s in new.items() if i not in old}))
        catalog.remove_documents(removed, generation)
        catalog.remove_datasets(gone, generation)
        catalog.put_inputs({d: signatures[d] for d in dirty}, gone)
        report.changed, report.removed = len(changed), len(removed)
        with build_sheets(catalog, changed) as sheets:
            relate(catalog, generation, sheets.series)
        catalog.keep_totals()
    return report


def _signature(paths: Iterable[str], files: dict[str, FileRecord], copies: dict[str, str]) -> str:
    lines = [f"{READER_VERSION}"]
    for path in sorted(paths):
        file = files[path]
        lines.append("\0".join((path, file.sha256, file.state, file.reason, copies.get(path, ""))))
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _moves(catalog: Catalog, removed: list[str], added: dict[str, str]) -> dict[str, str]:
    """Return old id → new id for documents whose bytes went to exactly one new place."""
    places: dict[str, list[str]] = defaultdict(list)
    for document_id, sha256 in added.items():
        if sha256:
            places[sha256].append(document_id)
    moves = {}
    for document_id in removed:
        document = catalog.document(document_id)
        targets = places.get(document.sha256, []) if document and document.sha256 else []
        if len(targets) == 1:
            moves[document_id] = targets[0]
    return moves


def sweep(catalog: Catalog, *, grace_s: float = 3600.0) -> int:
    """Drop reads that no file needs, and Parquet files that no read names; return the number of files removed.

    Parquet files stay for `grace_s` seconds after they were last touched, for queries that are still running.
    """
    import time

    from headwater.ingest._assemble import content_of, table_path

    needed, todo = set(), [c for f in catalog.files().values() if (c := content_of(f))]
    named = {path.removeprefix("tables/") for path in catalog.sheets.files()}
    while todo:
        content = todo.pop()
        if content in needed:
            continue
        record = catalog.read_record(content)
        if record is None:
            continue
        needed.add(content)
        todo += [m["content"] for m in record.get("members", [])]
        named |= {table_path(t[view]) for t in record.get("tables", []) for view in ("typed", "raw")}
    with catalog.transaction():
        catalog.remove_reads(c for c in catalog.contents() if c not in needed)
    removed, now = 0, time.time()
    root = catalog.folder / "tables"
    for path in root.glob("??/*.parquet"):
        if path.relative_to(root).as_posix() not in named and now - path.stat().st_mtime > grace_s:
            path.unlink(missing_ok=True)
            removed += 1
    return removed


def forget_lost(catalog: Catalog) -> None:
    """Drop the reads whose Parquet files are gone from the cache, so that their files are read again; sheets as well."""
    with catalog.transaction():
        catalog.sheets.forget_lost()
    lost = {d for d, typed, raw in catalog.table_files() if not (typed.exists() and raw.exists())}
    contents: set[str] = set()
    for document_id in lost:
        document = catalog.document(document_id)
        while document is not None:  # a member, and the archive that holds it
            contents.add(document.content)
            document = catalog.document(document.parent) if document.parent else None
    if contents:
        with catalog.transaction():
            catalog.remove_reads(contents)
