"""The whole catalog as JSON lines: what other programs and the checks compare."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from headwater.catalog import Catalog, DocumentRecord, TableRecord
from headwater.lake._cells import printed_columns, read_rows


def dump_documents(
    catalog: Catalog, *, rows: int | None = None, raw: bool = False
) -> Iterator[dict[str, Any]]:
    """Yield one object for each document, by id (contract: `headwater dump --json`).

    Args:
        catalog: opened catalog.
        rows: rows of each table at most; None: all.
        raw: add `raw_rows`, the same cells as text.
    """
    for document in catalog.documents():
        body = catalog.body(document.content) if document.state != "duplicate" and document.content else None
        yield {
            "document": document.id,
            "dataset": document.dataset,
            "state": document.state,
            "reason": document.reason or None,
            "duplicate_of": document.duplicate_of or None,
            "format": document.format,
            "encoding": document.encoding,
            "title": document.title,
            "warnings": document.warnings,
            "metadata": _metadata(catalog, document),
            "text": body.text if body else None,
            "pages": [{"page": n, "text": t} for n, t in body.pages]
            if body and body.pages is not None
            else None,
            "tables": [_table(t, rows, raw) for t in catalog.tables(document.id)],
        }


def _metadata(catalog: Catalog, document: DocumentRecord) -> dict[str, Any]:
    dataset = catalog.dataset(document.dataset)
    return {**document.metadata, **({"dataset": dataset.metadata} if dataset and dataset.metadata else {})}


def _table(table: TableRecord, rows: int | None, raw: bool) -> dict[str, Any]:
    names = [c["name"] for c in table.columns]
    shown = ("name", "type", "unit", "description", "feature_type", "original_name")
    out: dict[str, Any] = {
        "name": table.name,
        "ref": table.ref,
        "page": table.info["page"],
        "columns": [{k: c[k] for k in shown} for c in table.columns],
        "row_count": table.row_count,
        "rows": [
            cells
            for _, _, cells in read_rows(table.typed_path, names, limit=rows, printed=printed_columns(table))
        ],
        "preamble": table.info["preamble"],
        "footer": table.info["footer"],
        "dialect": table.info["dialect"],
        "quarantined": [{"line": q["line"], "reason": q["reason"]} for q in table.info["quarantined"]],
    }
    if raw:
        out["raw_rows"] = [
            [None if c is None else str(c) for c in cells]
            for _, _, cells in read_rows(table.raw_path, names, limit=rows)
        ]
    return out
