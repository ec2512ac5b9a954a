"""Cards of documents and tables, made from what the catalog holds when someone looks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headwater.catalog import Catalog, DocumentRecord, TableRecord

if TYPE_CHECKING:
    from headwater.profiles import Card


def card_of(catalog: Catalog, document: DocumentRecord, table: TableRecord | None) -> Card:
    """Return the card of a table of a document, or of the document's text where `table` is None."""
    from headwater.layout import DatasetMetadata
    from headwater.profiles import TableProfile, make_card

    dataset = catalog.dataset(document.dataset)
    metadata = DatasetMetadata.from_dict(dataset.metadata) if dataset and dataset.metadata else None
    count = catalog.relations.series_kind(document.series)[1] if document.series else 0
    told: dict[str, Any] = {
        "format": document.format,
        "metadata": metadata,
        "warnings": document.warnings,
        "series": f"series:{document.series}, {count} members" if count else "",
    }
    if table is None:
        text = catalog.body(document.content).text if document.content else None
        card = make_card(document.id, document.dataset, title=document.title, text=text, **told)
        if card.description[:100] in card.excerpt:  # a README that describes the dataset
            card.description = ""
        return card
    return make_card(
        table.ref,
        document.dataset,
        title=table.name or document.title,
        table=_shape_of(table),
        profile=TableProfile.from_dict(table.info["profile"]),
        **told,
    )


def _shape_of(record: TableRecord) -> Any:
    """Return a table as the model knows it, without its cells."""
    from headwater.model import Column, Dialect, Quarantined, Table, Typing

    info = record.info
    columns = [
        Column(**{**c, "typing": Typing(**c["typing"]) if c["typing"] else None}) for c in record.columns
    ]
    return Table(
        record.name,
        columns,
        _Counted(record.row_count),
        info["page"],
        info["preamble"],
        info["footer"],
        Dialect(**info["dialect"]) if info["dialect"] else None,
        info["hidden"],
        [Quarantined(**q) for q in info["quarantined"]],
        warnings=info["warnings"],
    )


@dataclass(frozen=True, slots=True)
class _Counted:
    """Table data of which only the number of rows is known."""

    row_count: int

    def typed(self) -> Iterator[Any]:
        yield from ()

    def raw(self) -> Iterator[Any]:
        yield from ()
