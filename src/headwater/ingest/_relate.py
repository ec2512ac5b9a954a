"""Third step of publishing: how documents hang together, from the sketches made when they were read."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from headwater.catalog import Catalog, DocumentRecord
from headwater.ingest._partitions import partitioned_tables, widest_type

if TYPE_CHECKING:
    from headwater.relations import Duplicate, Series, TableSketch, TextSketch


def relate(catalog: Catalog, generation: int, record_series: dict[str, str]) -> None:
    """Find copies, series, joins and mentions among all documents and write them; part of the caller's transaction.

    `record_series` says of which series of records a document is; those series are written elsewhere.
    Documents whose series or canonical copy changes get the generation as their revision, so that the index follows.
    """
    from headwater.relations import dataset_links, find_duplicates, find_joins, find_mentions, find_series

    documents = [d for d in catalog.documents() if d.state == "ingested"]
    tables, texts, pages, owner = _sketches(catalog, documents)
    duplicates = find_duplicates(tables, texts)
    canonical = _canonical(documents, duplicates, owner)
    first = [t for t in tables if owner[t.document] not in canonical]
    kept_texts = [t for t in texts if t.document not in canonical]
    partitioned = partitioned_tables(catalog.tables(within="%=%/%"))
    parts = {m["ref"] for group in partitioned for m in group["members"]}
    series = find_series([t for t in tables if t.document not in parts], duplicates)
    joins = find_joins(first)
    mentions = find_mentions([p for p in pages if p.document not in canonical], first, kept_texts)
    relations = catalog.relations
    relations.replace_copies(
        {**d.to_dict(), "document": owner.get(d.document, d.document), "of": owner.get(d.of, d.of)}
        for d in duplicates
    )
    relations.replace_series([*(_series(catalog, s, owner) for s in series), *partitioned])
    relations.replace_joins(
        {**j.to_dict(), "left": owner[j.document], "right": owner[j.other_document]} for j in joins
    )
    relations.replace_mentions(
        {**m.to_dict(), "document": owner.get(m.document, m.document)} for m in mentions
    )
    relations.replace_links(x.to_dict() for x in dataset_links(joins, mentions, series, first))
    members = {owner[m.document]: s.id for s in series for m in s.members} | record_series
    members |= {m["document"]: group["id"] for group in partitioned for m in group["members"]}
    catalog.set_relations(members, canonical, generation)


def _sketches(
    catalog: Catalog, documents: list[DocumentRecord]
) -> tuple[list[TableSketch], list[TextSketch], list[TextSketch], dict[str, str]]:
    """Return the sketches of tables and texts, those of pages (texts about one thing), and table reference → document."""
    from headwater.relations import TableSketch, TextSketch

    tables: list[TableSketch] = []
    texts: list[TextSketch] = []
    pages: list[TextSketch] = []
    owner: dict[str, str] = {}
    for document in documents:
        if document.role == "metadata":
            continue
        stored = catalog.sketches(document.content)
        for position, ref in catalog.positions(document.id):
            if position in stored:
                sketch = TableSketch.from_bytes(stored[position])
                sketch.document, sketch.dataset = ref, document.dataset
                sketch.format, sketch.title = document.format, document.title
                owner[ref] = document.id
                tables.append(sketch)
        if -1 in stored:
            text = TextSketch.from_bytes(stored[-1])
            text.document, text.dataset = document.id, document.dataset
            texts.append(text)
            if document.kind == "text":
                pages.append(text)
    return tables, texts, pages, owner


def _canonical(
    documents: list[DocumentRecord], duplicates: list[Duplicate], owner: dict[str, str]
) -> dict[str, str]:
    """Return document → document with the same content in another form, where all its tables say so.

    A document of prose is never taken for a copy of a table that it shows.
    """
    same: dict[str, set[str]] = defaultdict(set)
    counted: dict[str, int] = defaultdict(int)
    held: dict[str, int] = defaultdict(int)
    for document in owner.values():
        held[document] += 1
    for d in duplicates:
        if d.kind == "same" and owner[d.document] != owner[d.of]:
            same[owner[d.document]].add(owner[d.of])
            counted[owner[d.document]] += 1
    tables = {d.id for d in documents if d.kind == "table"}
    found = {
        document: next(iter(others))
        for document, others in same.items()
        if len(others) == 1 and counted[document] == held[document] and document in tables
    }
    return {document: other for document, other in found.items() if other not in found}


def _series(catalog: Catalog, series: Series, owner: dict[str, str]) -> dict[str, Any]:
    """Return a series for the catalog, with the widest type that its members have for each column."""
    types: dict[str, set[str]] = defaultdict(set)
    members = []
    for member in series.members:
        table = catalog.table(member.document)
        kinds = {c["name"]: c["type"] for c in table.columns} if table else {}
        for name, own in member.columns.items():
            types[name].add(kinds.get(own, "text"))
        members.append(
            {
                "ref": member.document,
                "document": owner[member.document],
                "label": {series.kind: member.label},
                "columns": member.columns,
                "rows": member.rows,
            }
        )
    columns = [[name, widest_type(types[name])] for name in series.columns]
    return {
        "id": series.id,
        "title": series.title,
        "kind": series.kind,
        "columns": columns,
        "members": members,
    }
