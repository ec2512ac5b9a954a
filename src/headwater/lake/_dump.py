"""The whole catalog as JSON lines: what other programs and the checks compare."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from headwater.catalog import Catalog, DocumentRecord, TableRecord
from headwater.lake._cells import read_rows, read_table


def dump_documents(
    catalog: Catalog, *, rows: int | None = None, raw: bool = False
) -> Iterator[dict[str, Any]]:
    """Yield one object for each document, by id, then one for each partitioned table (contract: `headwater dump --json`).

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

    for series_id in catalog.relations.series_ids():
        series = catalog.relations.series(series_id)
        if series is not None and series["kind"] == "partition":
            yield _partitioned(catalog, series, rows, raw)


def _partitioned(catalog: Catalog, series: dict[str, Any], rows: int | None, raw: bool) -> dict[str, Any]:
    """Return a partitioned table as one document: its members' rows with the keys as columns."""
    members = [(m, table) for m in series["members"] if (table := catalog.table(m["ref"]))]
    document = catalog.document(members[0][1].document) if members else None
    keys = list(series["members"][0]["label"])
    names = [n for n, _ in series["columns"]]
    types = dict(series["columns"])
    out: dict[str, Any] = {
        "name": "",
        "ref": f"series:{series['id']}",
        "page": None,
        "columns": [{"name": n, "type": t} for n, t in series["columns"]]
        + [{"name": k, "type": "text"} for k in keys],
        "row_count": sum(m["rows"] for m, _ in members),
        "rows": [],
        "preamble": "",
        "footer": "",
        "dialect": None,
        "quarantined": [],
    }
    if raw:
        out["raw_rows"] = []
    for member, table in members:
        own = [n for n in names if n in member["columns"]]
        for view, path in (("rows", table.typed_path), ("raw_rows", table.raw_path))[: 1 + raw]:
            for _, _, cells in read_rows(path, own, limit=rows):
                found = dict(zip(own, cells, strict=True))
                line = [found.get(n) for n in names]
                if view == "raw_rows":
                    line = [None if c is None else str(c) for c in line]
                else:
                    line = [
                        str(c) if c is not None and types[n] == "text" else c
                        for n, c in zip(names, line, strict=True)
                    ]
                out[view].append(line + [member["label"][k] for k in keys])
    return {
        "document": series["id"],
        "dataset": document.dataset if document else "",
        "state": "ingested",
        "reason": None,
        "duplicate_of": None,
        "format": document.format if document else "",
        "encoding": None,
        "title": series["title"],
        "warnings": series["warnings"],
        "metadata": {},
        "text": None,
        "pages": None,
        "tables": [out],
    }


def _metadata(catalog: Catalog, document: DocumentRecord) -> dict[str, Any]:
    dataset = catalog.dataset(document.dataset)
    return {**document.metadata, **({"dataset": dataset.metadata} if dataset and dataset.metadata else {})}


def _table(table: TableRecord, rows: int | None, raw: bool) -> dict[str, Any]:
    shown = ("name", "type", "unit", "description", "feature_type", "original_name")
    out: dict[str, Any] = {
        "name": table.name,
        "ref": table.ref,
        "page": table.info["page"],
        "columns": [{k: c[k] for k in shown} for c in table.columns],
        "row_count": table.row_count,
        "rows": [cells for _, _, cells in read_table(table, limit=rows)],
        "preamble": table.info["preamble"],
        "footer": table.info["footer"],
        "dialect": table.info["dialect"],
        "quarantined": [{"line": q["line"], "reason": q["reason"]} for q in table.info["quarantined"]],
    }
    if raw:
        out["raw_rows"] = [
            [None if c is None else str(c) for c in cells]
            for _, _, cells in read_table(table, raw=True, limit=rows)
        ]
    return out
