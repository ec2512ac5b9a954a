"""What is in a document, before opening it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from headwater.catalog import Catalog, DocumentRecord, Names, TableRecord
from headwater.lake._card import card_of
from headwater.lake._cells import read_table
from headwater.lake._frames import Rows
from headwater.lake._window import clip
from headwater.profiles import TableProfile

SERIES = "series:"
SAMPLE_ROWS = 3
MAX_TABLES = 12
CARD_TOKENS = 1200
GROUPS = 8


@dataclass(frozen=True, slots=True)
class TableView:
    """A table as inspected.

    Attributes:
        ref: name for SQL.
        name: within the document.
        rows: number of records.
        columns: dicts with name, type, unit, description, feature_type, missing, distinct, examples, min, max,
            groups (values that stand for several of the others, "" for rows without a value).
        keys: columns whose values identify a record.
        sample: first rows, cells as JSON values.
        preamble, footer: notes above and below.
        quarantined: (line, reason) of records set aside; the first ones.
        quarantined_count: number of all of them.
        page: page of a PDF.
        hidden: a hidden sheet.
        notes: what was sampled or bounded, and what is good to know.
    """

    ref: str
    name: str
    rows: int
    columns: tuple[dict[str, Any], ...]
    keys: tuple[tuple[str, ...], ...]
    sample: tuple[tuple[Any, ...], ...]
    preamble: str = ""
    footer: str = ""
    quarantined: tuple[tuple[int, str], ...] = ()
    quarantined_count: int = 0
    page: int | None = None
    hidden: bool = False
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object."""
        return {
            "ref": self.ref,
            "name": self.name,
            "row_count": self.rows,
            "columns": list(self.columns),
            "candidate_keys": [list(k) for k in self.keys],
            "sample": [list(r) for r in self.sample],
            "preamble": self.preamble,
            "footer": self.footer,
            "quarantined": [{"line": n, "reason": r} for n, r in self.quarantined],
            "quarantined_count": self.quarantined_count,
            "page": self.page,
            "hidden": self.hidden,
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True)
class Inspection(Rows):
    """A document as inspected: its record, card, tables and the beginning of its text."""

    document: DocumentRecord
    card: str
    tables: tuple[TableView, ...]
    table_count: int
    excerpt: str = ""
    pages: int | None = None
    dataset_title: str = ""
    publisher: str = ""
    members: tuple[str, ...] = field(default_factory=tuple)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object."""
        d = self.document
        return {
            "document": d.id,
            "dataset": d.dataset,
            "dataset_title": self.dataset_title,
            "publisher": self.publisher,
            "state": d.state,
            "reason": d.reason or None,
            "duplicate_of": d.duplicate_of or None,
            "format": d.format,
            "encoding": d.encoding,
            "bytes": d.size,
            "sha256": d.sha256,
            "title": d.title,
            "card": self.card,
            "series": d.series or None,
            "warnings": d.warnings,
            "tables": [t.to_dict() for t in self.tables],
            "table_count": self.table_count,
            "pages": self.pages,
            "text_length": d.text_length,
            "excerpt": self.excerpt,
            "members": list(self.members),
        }

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the columns of the tables shown, one a row."""
        return [{"table": t.ref, **column} for t in self.tables for column in t.columns]

    def _caption(self) -> str:
        return " / ".join(line for line in self.card.splitlines() if not line.startswith("- "))


def inspect_document(catalog: Catalog, name: str) -> Inspection:
    """Return what is in a document or table (`path`, `path#name`, or a short unique name).

    Of a series of records (`series:ID`) the common table is shown, of another series its first member.

    Raises:
        NotFoundError: there is no such document.
        AmbiguousError: several fit.
    """
    names = Names(catalog)
    if name.startswith(SERIES) and (series := catalog.relations.series(name.removeprefix(SERIES))):
        name = series["members"][0]["document"]
        if whole := catalog.sheets.whole(series["id"]):
            return _inspect_sheet(catalog, whole, names.document(name), series["title"])
    document = names.document(name)
    source = names.document(document.duplicate_of) if document.state == "duplicate" else document
    tables = catalog.tables(source.id)
    one = (
        [t for t in tables if t.ref == name or t.ref.endswith(f"#{name.partition('#')[2]}")]
        if "#" in name
        else []
    )
    body = catalog.body(source.content) if source.content and source.state != "failed" else None
    dataset = catalog.dataset(document.dataset)
    shown = one or tables
    card = card_of(catalog, source, shown[0] if shown else None) if source.state == "ingested" else None
    return Inspection(
        document,
        card.text(CARD_TOKENS) if card else "",
        tuple(view(t) for t in shown[:MAX_TABLES]),
        len(tables),
        clip(" ".join((body.text or "")[:2000].split()), 600) if body else "",
        len(body.pages) if body and body.pages else None,
        dataset.title if dataset else "",
        dataset.metadata.get("publisher", "") if dataset else "",
        tuple(d.id for d in catalog.documents(parent=source.id)) if source.role == "archive" else (),
    )


def _inspect_sheet(catalog: Catalog, whole: TableRecord, first: DocumentRecord, title: str) -> Inspection:
    """Return a series of records as inspected, as if it were a document of the dataset of its first one."""
    document = replace(
        first, id=whole.ref, title=title, sha256="", size=0, text_length=0, warnings=whole.info["warnings"]
    )
    dataset = catalog.dataset(first.dataset)
    return Inspection(
        document,
        card_of(catalog, document, whole).text(CARD_TOKENS),
        (view(whole),),
        1,
        dataset_title=dataset.title if dataset else "",
        publisher=dataset.metadata.get("publisher", "") if dataset else "",
    )


def view(table: TableRecord) -> TableView:
    """Return a cached table as inspected, with its first rows."""
    profile = TableProfile.from_dict(table.info["profile"])
    columns = []
    for column, figures in zip(table.columns, profile.columns, strict=True):
        columns.append(
            {
                "name": column["name"],
                "type": column["type"],
                "unit": column["unit"],
                "description": column["description"],
                "feature_type": column["feature_type"],
                "missing": figures.missing,
                "distinct": figures.distinct,
                "min": figures.min,
                "max": figures.max,
                "examples": [clip(str(e), 60) for e in figures.examples[:3]],
                "groups": figures.groups,
            }
        )
    rows = tuple(tuple(_short(c) for c in cells) for _, _, cells in read_table(table, limit=SAMPLE_ROWS))
    info = table.info
    return TableView(
        table.ref,
        table.name,
        table.row_count,
        tuple(columns),
        tuple(tuple(k) for k in profile.candidate_keys),
        rows,
        clip(info["preamble"], 600),
        clip(info["footer"], 600),
        tuple((q["line"], q["reason"]) for q in info["quarantined"][:5]),
        info["quarantined_count"],
        info["page"],
        info["hidden"],
        (*profile.notes, *_notes(table), *_group_notes(profile)),
    )


def _notes(table: TableRecord) -> Iterator[str]:
    """Yield what is good to know of a table and is no cause for a warning."""
    if table.columns and table.info["extra"].get("header_rows") == 0:
        yield "the source has no header: the columns are numbered"
    for column in table.columns:
        typing = column["typing"] or {}
        formats = typing.get("formats", {})
        for note in typing.get("notes", ()):
            yield f"column {column['name']!r}: {note}"
        if column["type"] in ("date", "datetime") and len(formats) > 1:
            yield f"column {column['name']!r}: dates are written in {len(formats)} ways ({', '.join(formats)}), all were read"


def _group_notes(profile: TableProfile) -> Iterator[str]:
    """Yield in which columns some values stand for several of the others, so that sums would count twice."""
    for figures in profile.columns:
        named = [repr(clip(g, 40)) for g in figures.groups if g]
        if named:
            more = f" and {len(named) - GROUPS} more" if len(named) > GROUPS else ""
            yield f"column {figures.name!r} also holds groups of its other values: {', '.join(named[:GROUPS])}{more}"
        if "" in figures.groups:
            yield f"rows without {figures.name!r} are totals of the others"


def _short(value: Any) -> Any:
    return clip(value, 120) if isinstance(value, str) else value
