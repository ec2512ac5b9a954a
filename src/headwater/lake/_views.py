"""What people and agents see of a lake's parts: lists and reading windows, each bounded and saying what it leaves out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from headwater.catalog import Catalog, DocumentRecord, Names, TableRecord, names_only_table
from headwater.errors import NotFoundError, UsageError
from headwater.lake._cells import read_table
from headwater.lake._frames import Rows
from headwater.lake._window import Window, window

READ_CHARACTERS = 6000
"""Characters of text that one `read` shows."""

READ_ROWS = 40
"""Rows of a table that one `read` shows."""


@dataclass(frozen=True, slots=True)
class DatasetListing(Rows):
    """Datasets of a lake: (id, title, documents)."""

    datasets: Window[tuple[str, str, int]]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object."""
        return {"datasets": self.to_dicts(), "window": self.datasets.to_dict()}

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the datasets as dictionaries."""
        return [{"dataset": d, "title": t, "documents": n} for d, t, n in self.datasets.items]

    def _caption(self) -> str:
        return self.datasets.told("datasets")


@dataclass(frozen=True, slots=True)
class DocumentListing(Rows):
    """Documents of a dataset."""

    dataset: str
    title: str
    description: str
    documents: Window[DocumentRecord]
    shapes: dict[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object."""
        return {
            "dataset": self.dataset,
            "title": self.title,
            "description": self.description,
            "documents": self.to_dicts(),
            "window": self.documents.to_dict(),
        }

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the documents as dictionaries."""
        return [
            {
                "document": d.id,
                "state": d.state,
                "reason": d.reason or None,
                "format": d.format,
                "kind": d.kind,
                "bytes": d.size,
                "title": d.title,
                "shape": self.shapes.get(d.id),
                "series": d.series or None,
            }
            for d in self.documents.items
        ]

    def _caption(self) -> str:
        return self.documents.told("documents")


def list_datasets(catalog: Catalog, *, prefix: str = "", offset: int = 0, limit: int = 50) -> DatasetListing:
    """Return the datasets whose id begins with `prefix`."""
    rows = window(
        [item for item in catalog.dataset_sizes().items() if item[0].startswith(prefix)], offset, limit
    )
    titled = tuple((d, record.title if (record := catalog.dataset(d)) else d, n) for d, n in rows.items)
    return DatasetListing(Window(titled, rows.offset, rows.total))


def list_documents(catalog: Catalog, dataset: str, *, offset: int = 0, limit: int = 50) -> DocumentListing:
    """Return the documents of a dataset.

    Raises:
        NotFoundError: there is no such dataset.
        AmbiguousError: the short name fits several.
    """
    dataset_id = Names(catalog).dataset(dataset)
    record = catalog.dataset(dataset_id)
    documents = window(list(catalog.documents(dataset=dataset_id)), offset, limit)
    shapes = {d.id: shape(catalog.tables(d.id), d) for d in documents.items}
    told = record.metadata.get("description", "") if record else ""
    return DocumentListing(dataset_id, record.title if record else dataset_id, told, documents, shapes)


def shape(tables: list[TableRecord], document: DocumentRecord) -> str:
    """Return "1,203 rows x 14 columns", "3 tables", "18,204 characters" or ""."""
    if len(tables) == 1:
        return f"{tables[0].row_count:,} rows x {len(tables[0].columns)} columns"
    if tables:
        return f"{len(tables)} tables, {sum(t.row_count for t in tables):,} rows"
    return f"{document.text_length:,} characters" if document.text_length else ""


@dataclass(frozen=True, slots=True)
class Reading(Rows):
    """A window of a document's content.

    Attributes:
        document: its id.
        kind: "text", "page" or "rows".
        text: characters from `start` to `end` of the main text, or of one page.
        start, end, length: where the window lies in the text, in characters.
        page, pages: number of the page shown and of all pages, for paged documents.
        table: reference of the table shown.
        columns: its columns.
        rows: (row, line, cells).
        row_count: rows of the table.
        next: what to pass to see the following part, or None at the end.
    """

    document: str
    kind: str
    text: str = ""
    start: int = 0
    end: int = 0
    length: int = 0
    page: int | None = None
    pages: int | None = None
    table: str = ""
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[int, int | None, list[Any]], ...] = ()
    row_count: int = 0
    next: dict[str, int] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object."""
        out: dict[str, Any] = {"document": self.document, "kind": self.kind, "next": self.next}
        if self.kind == "rows":
            rows = [{"row": r, "line": n, "cells": c} for r, n, c in self.rows]
            return out | {
                "table": self.table,
                "columns": self.columns,
                "rows": rows,
                "row_count": self.row_count,
            }
        return out | {
            "text": self.text,
            "page": self.page,
            "pages": self.pages,
            "start": self.start,
            "end": self.end,
            "length": self.length,
        }

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the rows shown, with `_row` and `_line`, or the text shown as one row."""
        if self.kind != "rows":
            return [{"document": self.document, "page": self.page, "text": self.text}]
        return [
            {"_row": row, "_line": line, **dict(zip(self.columns, cells, strict=True))}
            for row, line, cells in self.rows
        ]

    def _caption(self) -> str:
        if self.kind != "rows":
            return f"characters {self.start:,} to {self.end:,} of {self.length:,}"
        return f"rows {self.start + 1:,} to {self.end:,} of {self.row_count:,}"


def read_document(
    catalog: Catalog,
    name: str,
    *,
    page: int | None = None,
    offset: int = 0,
    limit: int | None = None,
    table: str | None = None,
    raw: bool = False,
) -> Reading:
    """Return a window of a document: a page, a stretch of text, or rows of a table.

    Args:
        catalog: opened catalog.
        name: the document, or `path#name` for one of its tables.
        page: page of a paged document, from 1.
        offset: first character or row, from 0.
        limit: characters or rows at most.
        table: name of one of its tables.
        raw: rows as text, as they stand in the source.

    Raises:
        NotFoundError: no such document, page or table, or nothing was read from it.
        UsageError: `page` for a document that has none.
    """
    names = Names(catalog)
    document = names.document(name)
    if document.state == "duplicate":
        document = names.document(document.duplicate_of)
    if document.state != "ingested" and document.role != "archive":
        raise NotFoundError(f"Nothing was read from {document.id}: {document.state} ({document.reason}).")
    tables = catalog.tables(document.id)
    wanted = table or (name.split("#", 1)[1] if "#" in name and not catalog.document(name) else None)
    rows = page is None and tables and document.kind == "table" and (raw or not document.text_length)
    if wanted is not None or rows:
        return _rows(document, tables, wanted, offset, limit or READ_ROWS, raw)
    body = catalog.body(document.content)
    if page is not None:
        return _page(document, body.pages, page, offset, limit or READ_CHARACTERS)
    text = body.text or ""
    end = min(len(text), offset + (limit or READ_CHARACTERS))
    more = {"offset": end} if end < len(text) else None
    return Reading(
        document.id,
        "text",
        text[offset:end],
        offset,
        end,
        len(text),
        pages=len(body.pages) if body.pages else None,
        next=more,
    )


def _page(
    document: DocumentRecord, pages: list[tuple[int, str]] | None, page: int, offset: int, limit: int
) -> Reading:
    if not pages:
        raise UsageError(f"{document.id} has no pages.", hint="Leave --page out, or use --offset.")
    found = dict(pages)
    if page not in found:
        raise NotFoundError(f"{document.id} has pages 1 to {max(found)}, not {page}.")
    text = found[page]
    end = min(len(text), offset + limit)
    more = (
        {"page": page, "offset": end}
        if end < len(text)
        else {"page": page + 1}
        if page + 1 in found
        else None
    )
    return Reading(document.id, "page", text[offset:end], offset, end, len(text), page, len(pages), next=more)


def _rows(
    document: DocumentRecord,
    tables: list[TableRecord],
    wanted: str | None,
    offset: int,
    limit: int,
    raw: bool,
) -> Reading:
    first = wanted is None or (len(tables) == 1 and names_only_table(f"#{wanted}"))
    found = tables[0] if first and tables else next((t for t in tables if t.name == wanted), None)
    if found is None:
        listed = [t.name for t in tables]
        raise NotFoundError(f"{document.id} has no table {wanted!r}.", nearest=listed[:10])
    columns = tuple(c["name"] for c in found.columns)
    rows = tuple(read_table(found, raw=raw, offset=offset, limit=limit))
    end = offset + len(rows)
    more = {"offset": end} if end < found.row_count else None
    return Reading(
        document.id,
        "rows",
        table=found.ref,
        columns=columns,
        rows=rows,
        row_count=found.row_count,
        start=offset,
        end=end,
        next=more,
    )


@dataclass(frozen=True, slots=True)
class Status(Rows):
    """What is in a lake, what is not and why, and how much of it search covers.

    Attributes:
        counts: files in each state.
        datasets, documents, tables, passages: what is in.
        covered: documents that the index holds in their present state.
        problems: (state, reason, number, example) of files that are not in, the most frequent first.
        warned: documents with warnings.
    """

    counts: dict[str, int]
    datasets: int
    documents: int
    tables: int
    passages: int
    covered: int
    problems: tuple[tuple[str, str, int, str], ...]
    warned: int
    embedder: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object."""
        return {
            "counts": self.counts,
            "index": {"documents": self.documents, "covered": self.covered, "embedder": self.embedder},
            "datasets": self.datasets,
            "documents": self.documents,
            "tables": self.tables,
            "passages": self.passages,
            "warned": self.warned,
            "problems": self.to_dicts(),
        }

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return why files are not in, the most frequent cause first."""
        return [{"state": s, "reason": r, "files": n, "example": e} for s, r, n, e in self.problems]

    def _caption(self) -> str:
        counts = ", ".join(f"{n:,} {state}" for state, n in self.counts.items())
        return f"{counts}; search covers {self.covered:,} of {self.documents:,} documents"
