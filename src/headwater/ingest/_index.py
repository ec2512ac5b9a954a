"""The search index follows the catalog: what changed since the index's generation goes in, what is gone goes out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from headwater.catalog import SHEET_COLUMNS, Body, Catalog, DatasetRecord, DocumentRecord, TableRecord

if TYPE_CHECKING:
    from headwater.search import Card, CardColumn, Index, Record

HEAD_CHARACTERS = 1500
"""Characters of a text that count as part of its card."""

YEARS = re.compile(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)")
MAX_YEARS = 150

DATASET_VALUES = 8
"""Values of a column on the card of a dataset."""

SHORT = 60
"""Characters of a value of a record up to which it may stand on the card of its dataset."""

KEPT_COLUMNS = 50_000
"""Columns of the cards that are kept in memory for the cards of their datasets; others are made again."""


def roll_forward(catalog: Catalog, index: Index, report: Callable[[int, int], None]) -> None:
    """Bring the index to the catalog's generation, in one commit; an index that is ahead is built anew.

    Args:
        catalog: opened catalog.
        index: opened for writing.
        report: called with documents done and documents to do.
    """
    since = index.generation
    if since == catalog.generation:
        return
    if since > catalog.generation or since == 0:
        remove, since = index.documents(), 0
    else:
        remove = catalog.removed_since(since)
    changed = [d.id for d in catalog.documents(since=since)]
    datasets = {d.dataset for d in catalog.documents(since=since)} | {
        d.id for d in catalog.datasets(since=since)
    }
    gone = catalog.removed_since(since, "dataset") if since else []
    alive = set(catalog.dataset_sizes())
    gone += sorted(datasets - alive)
    index.update(
        catalog.generation,
        _records(catalog, changed, sorted(datasets & alive), report),
        remove=remove,
        remove_datasets=gone,
    )


def _records(
    catalog: Catalog, changed: list[str], datasets: list[str], report: Callable[[int, int], None]
) -> Iterator[Record]:
    from headwater.search import Card

    kept: dict[str, Card] = {}
    room = KEPT_COLUMNS
    for done, document_id in enumerate(changed, 1):
        document = catalog.document(document_id)
        for record in document_records(catalog, document) if document is not None else ():
            if isinstance(record, Card) and room > 0:
                kept[document_id] = _shortened(record)
                room -= len(record.columns) + 1
            yield record
        if done % 20 == 0 or done == len(changed):
            report(done, len(changed))
    for dataset_id in datasets:
        dataset = catalog.dataset(dataset_id)
        if dataset is not None:
            yield dataset_record(catalog, dataset, kept)


def _shortened(card: Card) -> Card:
    """Return of a document's card what `dataset_record` takes from it."""
    columns = tuple(replace(c, values=c.values[:DATASET_VALUES]) for c in card.columns)
    return replace(card, columns=columns, text="", duplicate_of="")


def document_records(catalog: Catalog, document: DocumentRecord) -> Iterator[Record]:
    """Yield the card of a document and the passages of its text; nothing for files that were not taken in."""
    if document.state == "duplicate":
        source = catalog.document(document.duplicate_of)
        if source is not None and source.state == "ingested":
            yield _card(catalog, document, source, duplicate_of=source.id)
        return
    if (document.state != "ingested" and document.role != "archive") or document.role == "metadata":
        return  # what a metadata document says stands on the cards of its dataset
    body = catalog.body(document.content)
    yield _card(catalog, document, document, duplicate_of=document.duplicate_of, body=body)
    if document.duplicate_of:
        return
    yield from _passages(catalog, document, body)


def _card(
    catalog: Catalog,
    document: DocumentRecord,
    source: DocumentRecord,
    duplicate_of: str = "",
    body: Body | None = None,
) -> Card:
    from headwater.search import Card

    tables = [t for t in catalog.tables(source.id) if not t.sheet]  # of a record, the text says all
    body = body or catalog.body(source.content)
    head = "\n".join(
        part
        for part in (
            *(f"{t.name} {t.info['preamble']} {t.info['footer']}" for t in tables[:20]),
            (body.text or "")[:HEAD_CHARACTERS],
        )
        if part.strip()
    )
    return Card(
        dataset=document.dataset,
        document=document.id,
        kind="table" if source.kind == "table" else "text",
        format=source.format,
        title=document.title,
        columns=tuple(_columns(tables, body.values)),
        text=head,
        years=_years(document, tables),
        series=_series(catalog, document),
        duplicate_of=duplicate_of,
    )


def _series(catalog: Catalog, document: DocumentRecord) -> str:
    """Return the series that stands once among hits; records, which are of a thing each, stand for themselves."""
    return "" if document.series and catalog.sheets.holds(document.series) else document.series


def _columns(tables: list[TableRecord], values: list[tuple[int, str, list[str]]]) -> Iterator[CardColumn]:
    from headwater.search import CardColumn

    texts = {(position, name): found for position, name, found in values}
    for table in tables:
        for column in table.columns:
            told = " ".join(p for p in (column["description"], column["unit"]) if p)
            found = tuple(texts.get((table.position, column["name"]), ()))
            yield CardColumn(name=column["name"], description=told, values=found)


def _years(document: DocumentRecord, tables: list[TableRecord]) -> tuple[int, ...]:
    """Return the years a document speaks of: its tables' period, else those in its name and title."""
    found: set[int] = set()
    for table in tables:
        time = table.info["profile"].get("time")
        if time:
            found |= set(range(time["start"], min(time["end"], time["start"] + MAX_YEARS) + 1))
    if not found:
        found = {int(y) for y in YEARS.findall(f"{document.id} {document.title}")}
    return tuple(sorted(found))


def _passages(catalog: Catalog, document: DocumentRecord, body: Body) -> Iterator[Record]:
    from headwater.search import Passage, split_passages

    text = body.text or ""
    starts = _page_starts(body.pages)
    years = tuple(sorted({int(y) for y in YEARS.findall(f"{document.id} {document.title}")}))
    series = _series(catalog, document)
    for number, (start, words) in enumerate(split_passages(text)):
        yield Passage(
            dataset=document.dataset,
            document=document.id,
            number=number,
            text=words,
            start=start,
            page=next((page for offset, page in reversed(starts) if offset <= start), None),
            title=document.title,
            kind="table" if document.kind == "table" else "text",
            format=document.format,
            years=years,
            series=series,
        )


def _page_starts(pages: list[tuple[int, str]] | None) -> list[tuple[int, int]]:
    """Return (offset in the text, page): the text of paged documents is their pages joined by form feeds."""
    starts, offset = [], 0
    for page, text in pages or []:
        starts.append((offset, page))
        offset += len(text) + 1
    return starts


def dataset_record(catalog: Catalog, dataset: DatasetRecord, kept: Mapping[str, Card]) -> Card:
    """Return the card of a dataset as a whole; `kept` holds cards of documents that need not be made again."""
    from headwater.layout import DatasetMetadata
    from headwater.search import dataset_card

    metadata = DatasetMetadata.from_dict(dataset.metadata) if dataset.metadata else None
    cards = []
    for document in catalog.documents(dataset=dataset.id):
        source = catalog.document(document.duplicate_of) if document.state == "duplicate" else document
        if source is not None and source.state == "ingested" and document.role != "metadata":
            cards.append(kept.get(document.id) or _card(catalog, document, source))
    cards += [_sheet_card(catalog, dataset.id, sheet) for sheet in catalog.sheets.of_dataset(dataset.id)]
    resources = (
        [f"{r.title or r.name} {r.description}".strip() for r in metadata.resources] if metadata else []
    )
    return dataset_card(
        dataset.id,
        cards,
        title=dataset.title,
        description=metadata.description if metadata else "",
        publisher=metadata.publisher if metadata else "",
        tags=metadata.tags if metadata else (),
        text="\n".join(resources),
        max_values=DATASET_VALUES,
    )


def _sheet_card(catalog: Catalog, dataset: str, sheet: str) -> Card:
    """Return what a sheet of records adds to the card of its dataset: the names of the fields, with a short value each."""
    from headwater.search import Card, CardColumn

    whole = catalog.sheets.whole(sheet)
    assert whole is not None  # noqa: S101 - the id comes from the catalog
    fields = list(zip(whole.columns, whole.info["profile"]["columns"], strict=True))[SHEET_COLUMNS:]
    columns = [
        CardColumn(
            name=column["name"],
            description=column["unit"] or "",
            values=tuple(str(value) for value, _ in figures["top"][:1] if len(str(value)) <= SHORT)
            if column["type"] == "text"
            else (),
        )
        for column, figures in fields
    ]
    return Card(dataset=dataset, document=sheet, kind="table", columns=tuple(columns))
