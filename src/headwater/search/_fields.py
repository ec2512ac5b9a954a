"""What of a record is searched: the fields of its terms, and the texts that vectors are made of."""

from __future__ import annotations

from collections.abc import Iterator

from headwater.search._records import HEAD_VALUES, PASSAGE_WORDS, Card, Passage, Record, split_passages
from headwater.search._store import Part
from headwater.search._text import name_words, normalise

TEXT_WORDS = 400
"""Words of a README or main text that count as part of a card: enough for its introduction, not for its appendix."""

EMBED_CHARS = 1200
"""Characters of a card's text given to an embedder, about the 256 tokens that small sentence models read."""

COMMON_NAMES = (
    "files",
    "data",
    "content",
    "archive",
    "readme",
    "index",
    "download",
    "downloads",
    "resources",
)
"""Parts of paths that say nothing of what is in a file."""


USUAL_WORDS = {
    "title": 5, "names": 3, "description": 60, "publisher": 4, "tags": 4, "columns": 50, "meanings": 50, "values": 150,
    "text": 250,
}  # fmt: skip
"""Words that a field of a card has, where it has any; see `padding`."""


def part_of(record: Record) -> Part:
    """Return the part of the index a record belongs to."""
    if isinstance(record, Passage):
        return "passages"
    return "documents" if record.document else "datasets"


def path_words(card: Card) -> str:
    """Return the telling words of a card's id: of the dataset's own, for a document of its path inside the dataset."""
    path = card.dataset.split("/", 1)[-1]
    if card.document:
        path = card.document.removeprefix(card.dataset).replace("!", "/").rsplit(".", 1)[0]
    parts = [p for p in path.split("/") if p and p.casefold() not in COMMON_NAMES]
    return " ".join(name_words(p) for p in parts)


def fields_of(record: Record) -> Iterator[dict[str, str]]:
    """Yield the field texts of a record, once for each entry it has in the text index.

    A passage has one entry with the field `body`. A card has one with the fields of `FIELD_WEIGHTS`, and further ones
    with `values` alone where a document has more distinct values than a card holds, so that each is found and the
    common ones are not drowned.
    """
    if isinstance(record, Passage):
        yield {"body": normalise(record.text)}
        return
    head = "\n".join(v for c in record.columns for v in c.values[:HEAD_VALUES])
    texts = {
        "title": record.title,
        "names": path_words(record),
        "description": record.description,
        "publisher": record.publisher,
        "tags": "\n".join(record.tags),
        "columns": "\n".join(name_words(c.name) for c in record.columns),
        "meanings": "\n".join(c.description for c in record.columns if c.description),
        "values": head,
        "text": " ".join(record.text.split(maxsplit=TEXT_WORDS)[:TEXT_WORDS]),
    }
    yield {name: normalise(text) for name, text in texts.items() if text}
    if record.document:
        rest = "\n".join(v for c in record.columns for v in c.values[HEAD_VALUES:])
        for _, window in split_passages(rest, words=PASSAGE_WORDS, overlap=0):
            yield {"values": normalise(window)}


def embedding_texts(record: Record) -> list[str]:
    """Return the texts whose vectors stand for a record.

    A dataset has up to three, each short enough to be about one thing: what it is called and said to be; its README;
    what its columns hold. A document's card and a passage have one.
    """
    if isinstance(record, Passage):
        return [f"{record.title}. {record.text}" if record.title else record.text]
    name = record.title or path_words(record)
    said = ". ".join(t for t in (name, record.description, ", ".join(record.tags)) if t)
    columns = "; ".join(
        f"{c.name} ({c.description})"
        if c.description
        else f"{c.name}: {', '.join(c.values[:3])}"
        if c.values
        else c.name
        for c in record.columns[:60]
    )
    held = f"{name}. {columns}" if columns else ""
    if record.document:
        return (
            [f"{said}. {columns}"[:EMBED_CHARS]]
            if columns or not record.text
            else [f"{said}. {record.text}"[:EMBED_CHARS]]
        )
    read = f"{name}. {record.text}" if record.text else ""
    return [t[:EMBED_CHARS] for t in (said, read, held) if t]
