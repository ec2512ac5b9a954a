"""What the index takes in: cards of datasets and documents, and passages of text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import Literal

Level = Literal["dataset", "document", "passage"]
Kind = Literal["table", "text"]

PASSAGE_WORDS = 800
"""Words of a passage (LakeQA, section 4: windows of 800 words)."""

PASSAGE_OVERLAP = 100
"""Words that a passage shares with the one before it (LakeQA, section 4)."""

HEAD_VALUES = 40
"""Distinct values per column that count as part of a card; the rest are searched as passages of values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardColumn:
    """A column as a card shows it.

    Attributes:
        name: as users see it.
        description: its meaning and unit in words, or "".
        values: distinct cell values as text, the telling ones first. Give all that are to be found by search; numbers
            and other measures are best left out.
    """

    name: str
    description: str = ""
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """What is known of a document, or of a dataset as a whole, without opening it.

    Attributes:
        dataset: id of the dataset, for instance "newsroom/bechdel".
        document: id of the document; "" for the card of the dataset itself.
        kind: "table" or "text".
        format: csv, json, pdf …, or "".
        title: of the document (or dataset) itself.
        description: what publisher, README or data dictionary say about it.
        publisher: who published it.
        tags: keywords.
        columns: of all its tables, in order.
        text: first lines of the main text, or notes around a table; searched with less weight than the description.
        years: years that the data speak of, for the filter.
        series: id of the series it belongs to, or "".
        duplicate_of: the document it repeats, or "": such a card is found only through the original.
    """

    dataset: str
    document: str = ""
    kind: Kind = "text"
    format: str = ""
    title: str = ""
    description: str = ""
    publisher: str = ""
    tags: tuple[str, ...] = ()
    columns: tuple[CardColumn, ...] = ()
    text: str = ""
    years: tuple[int, ...] = ()
    series: str = ""
    duplicate_of: str = ""

    @property
    def level(self) -> Level:
        """Return "dataset" or "document"."""
        return "document" if self.document else "dataset"


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A window of a document's text.

    Attributes:
        dataset, document, kind, format, years, series, duplicate_of: as in `Card`.
        number: from 0, in reading order.
        text: the words of the window.
        start: offset of the window in the document's text, in characters.
        page: page on which it starts, from 1, or None.
        title: of the document.
    """

    dataset: str
    document: str
    number: int
    text: str
    start: int = 0
    page: int | None = None
    title: str = ""
    kind: Kind = "text"
    format: str = ""
    years: tuple[int, ...] = ()
    series: str = ""
    duplicate_of: str = ""

    @property
    def level(self) -> Level:
        """Return "passage"."""
        return "passage"


Record = Card | Passage


def split_passages(
    text: str, *, words: int = PASSAGE_WORDS, overlap: int = PASSAGE_OVERLAP
) -> Iterator[tuple[int, str]]:
    """Yield windows of `words` words, each sharing `overlap` words with the one before, as (offset, text).

    Words are runs without white space; a run longer than 200 characters counts as one word per 200 characters, so
    that text in scripts without spaces is cut as well. An empty text yields nothing.
    """
    starts = _word_starts(text)
    step = words - overlap
    for first in range(0, len(starts), step):
        last = first + words
        end = starts[last] if last < len(starts) else len(text)
        yield starts[first], text[starts[first] : end].rstrip()
        if last >= len(starts):
            return


def _word_starts(text: str) -> list[int]:
    import re

    return [match.start() for match in re.finditer(r"\S{1,200}", text)]


def dataset_card(
    dataset: str,
    documents: Iterable[Card],
    *,
    title: str = "",
    description: str = "",
    publisher: str = "",
    tags: Iterable[str] = (),
    text: str = "",
    max_columns: int = 400,
    max_values: int = 8,
) -> Card:
    """Return the combined card of a dataset: what is said of it, and all columns of its documents with some values.

    The columns of several documents are taken in turn, so that a bounded card still speaks of every document; columns
    of the same name are given once.

    Args:
        dataset: id of the dataset.
        documents: cards of its documents; duplicates are left out.
        title: of the dataset.
        description: what is said of the dataset as a whole.
        publisher: who published it.
        tags: keywords.
        text: its README.
        max_columns: columns kept.
        max_values: values kept per column.
    """
    cards = [c for c in documents if not c.duplicate_of]
    columns: dict[str, CardColumn] = {}
    for column in chain.from_iterable(zip_longest(*(c.columns for c in cards))):
        if column is None or column.name in columns:
            continue
        columns[column.name] = CardColumn(
            name=column.name, description=column.description, values=column.values[:max_values]
        )
        if len(columns) == max_columns:
            break
    return Card(
        dataset=dataset,
        kind="table" if any(c.kind == "table" for c in cards) else "text",
        title=title,
        description=description,
        publisher=publisher,
        tags=tuple(tags),
        columns=tuple(columns.values()),
        text=text,
        years=tuple(sorted({y for c in cards for y in c.years})),
    )
