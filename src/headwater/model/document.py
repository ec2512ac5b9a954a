"""What a reader gives back for one file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from headwater.model.table import Table


@dataclass(slots=True)
class Page:
    """Text of one page of a paged document; `page` counts from 1."""

    page: int
    text: str


@dataclass(slots=True)
class Record:
    """The values of a document that is one object, a row of a table of such documents.

    Attributes:
        fields: dotted path → value as the source spells it; lists as JSON.
        main: these are most of the document's values; else its tables hold most.
    """

    fields: dict[str, str]
    main: bool = True


@dataclass(slots=True)
class Member:
    """A document inside an archive.

    Attributes:
        name: path inside the archive, with "/".
        result: what was read, None if it was not.
        state: "ingested", "skipped" or "failed".
        reason: why it was skipped or failed.
        sha256: hash of the member's bytes, "" where they could not be unpacked.
        size: unpacked size in bytes.
    """

    name: str
    result: ReadResult | None
    state: str = "ingested"
    reason: str = ""
    sha256: str = ""
    size: int = 0


@dataclass(slots=True)
class ReadResult:
    """Everything a reader found in one file.

    Attributes:
        format: csv, tsv, json, ndjson, geojson, xlsx, xls, ods, parquet, html, pdf, docx, yaml, xml, txt, markdown,
            wikitext, zip, gzip, bzip2 … : what the content is, whatever the file's name says.
        encoding: name of the character encoding for text formats ("utf-8", "windows-1252" …), else None.
        text: main text, or None for pure tables.
        pages: text by page for paged documents, else None; `text` is then their join with form feeds.
        tables: in reading order.
        members: documents of an archive, else empty.
        warnings: texts for the user about this document; those about one table stand with the table.
        metadata: what the file says of itself: title, author, dates …
        record: the values of a document that is one object, else None.
    """

    format: str
    encoding: str | None = None
    text: str | None = None
    pages: list[Page] | None = None
    tables: list[Table] = field(default_factory=list)
    members: list[Member] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    metadata: dict[str, Any] = field(default_factory=dict)
    record: Record | None = None
