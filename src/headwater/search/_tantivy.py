"""The text indexes of a local index: their columns, and what tantivy's Python side leaves to do."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from headwater.errors import SetupError
from headwater.search._rank import FIELDS
from headwater.search._store import Part
from headwater.search._text import analyzer

if TYPE_CHECKING:
    import tantivy

ANALYZER = "headwater"


def open_part(folder: Path, part: Part, *, write: bool) -> tantivy.Index:
    """Open the text index of a part, created if `write`.

    Raises:
        SetupError: it cannot be opened.
    """
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("doc", indexed=True, fast=True)
    builder.add_unsigned_field("rid", indexed=True, fast=True)
    for name in FIELDS[part]:
        builder.add_text_field(name, tokenizer_name=ANALYZER, index_option="position")
    if write:
        folder.mkdir(parents=True, exist_ok=True)
    try:
        index = tantivy.Index(builder.build(), path=str(folder)) if write else tantivy.Index.open(str(folder))
    except (OSError, ValueError) as error:
        raise SetupError(
            f"The text index cannot be opened: {error}",
            where=str(folder),
            hint="Remove the index folder and run `headwater ingest` again; the lake itself is not touched.",
        ) from error
    index.register_tokenizer(ANALYZER, analyzer())
    index.config_reader("manual")
    return index


def numbers(searcher: tantivy.Searcher, name: str, addresses: list[tantivy.DocAddress]) -> list[int]:
    """Return the values of a numeric field that every record has."""
    return [int(v) for v in searcher.fast_field_values(name, addresses) if v is not None]


def rolled_back(writer: tantivy.IndexWriter) -> bool:
    """Forget what a writer was given; False if it cannot go on (its thread has died)."""
    try:
        writer.rollback()
    except ValueError:
        return False
    return True
