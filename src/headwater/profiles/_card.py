"""Cards: what a person or a model sees of a document before opening it, within a budget of tokens."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from headwater.layout import DatasetMetadata, clean_text, describe_columns
from headwater.model import Table
from headwater.profiles._model import ColumnProfile, PlaceCoverage, TableProfile

DEFAULT_TOKENS = 600
"""Budget of a card's text where none is given."""

_TOKEN = re.compile(r"[A-Za-z]+|\d|[^\sA-Za-z\d]")
_MORE = "… {n} more columns"
_FULLNESS = ((4, 200), (2, 80), (0, 60))
"""Number of values and characters of the meaning on a column's line, from the fullest."""

_INLINE_TABLE = re.compile(r"\s?[^.|]{0,80}\|[^|]{0,120}?\s:?-{3,}:?\s*\|.*", re.DOTALL)
"""A table in Markdown that lost its line breaks, with all that follows."""


def estimate_tokens(text: str) -> int:
    """Return an upper-side estimate of the number of tokens of a text for a byte-pair tokenizer of English.

    Latin words count one token per five letters (rounded up), digits one per three in a row, every other character
    one; on English prose and tables this lies above the counts of common tokenizers, so a budget holds.
    """
    total, digits = 0, 0
    for match in _TOKEN.finditer(text):
        piece = match.group()
        if piece.isdigit() and len(piece) == 1 and piece.isascii():
            digits += 1
            total += digits % 3 == 1
            continue
        digits = 0
        total += -(-len(piece) // 5) if piece.isascii() else len(piece.encode("utf-8")) // 2 or 1
    return total


@dataclass(slots=True)
class CardColumn:
    """One column on a card: name, feature type, meaning, unit, example values, share of missing cells (0 to 1)."""

    name: str
    feature_type: str
    type: str = ""
    description: str = ""
    unit: str = ""
    values: list[str] = field(default_factory=list)
    missing: float = 0.0


@dataclass(slots=True)
class Card:
    """A card. All texts are clean: one line each, without control and invisible characters.

    Attributes:
        document: id of the document (or of one table of it, `path#name`).
        dataset: id of its dataset.
        kind: "table" or "text".
        title: of the table or document.
        description: what it is about.
        publisher: who gives the dataset out.
        format: of the file.
        rows: records, None for text.
        columns: of the table.
        time: period covered, for instance "1930-2022".
        places: what places it covers.
        tags: keywords.
        source: address that the dataset came from.
        license: of the dataset.
        series: the series it belongs to, for people.
        warnings: what to know before using it.
        excerpt: beginning of a text document.
    """

    document: str
    dataset: str
    kind: str
    title: str
    description: str = ""
    publisher: str = ""
    format: str = ""
    rows: int | None = None
    columns: list[CardColumn] = field(default_factory=list)
    time: str = ""
    places: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    source: str = ""
    license: str = ""
    series: str = ""
    warnings: list[str] = field(default_factory=list)
    excerpt: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON object; empty parts are left out."""
        return {k: v for k, v in asdict(self).items() if v not in (None, "", [])}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Card:
        """Return what `to_dict` was made from."""
        columns = [CardColumn(**column) for column in data.get("columns", [])]
        return cls(**{**data, "columns": columns})

    def text(self, max_tokens: int = DEFAULT_TOKENS) -> str:
        """Return the card as text of at most `max_tokens` tokens (`estimate_tokens`).

        Title, shape and warnings come first; the description is cut before the columns are; of the columns the last
        ones are left out, and the text says how many.
        """
        budget = _Budget(max_tokens)
        budget.add(f"{self.title} [{self.document}]" if self.title else self.document, cut=True)
        budget.add(self._shape())
        for warning in self.warnings[:5]:
            budget.add(f"Warning: {warning}", cut=True, share=0.15)
        budget.add(self.description, cut=True, share=0.35)
        facts = (
            ("Published by", self.publisher),
            ("Covers", self._coverage()),
            ("Series", self.series),
            ("Tags", ", ".join(self.tags[:12])),
        )
        for label, value in facts:
            if value:
                budget.add(f"{label}: {value}", cut=True, share=0.2)
        if self.excerpt:
            budget.add(self.excerpt, cut=True)
        if self.columns:
            self._add_columns(budget)
        return budget.text()

    def _shape(self) -> str:
        parts = [self.format.upper()] if self.format else []
        if self.rows is not None:
            parts.append(f"{self.rows:,} rows x {len(self.columns)} columns")
        parts.append(f"dataset {self.dataset}")
        return ", ".join(parts)

    def _coverage(self) -> str:
        return "; ".join(filter(None, (self.time, *self.places)))

    def _add_columns(self, budget: _Budget) -> None:
        short = [f"- {column.name} ({column.feature_type})" for column in self.columns]
        budget.add("Columns:")
        # What short lines leave over goes to the fuller lines of the first columns.
        spare = budget.left - sum(map(estimate_tokens, short))
        for position, line in enumerate(short):
            for values, width in _FULLNESS:
                full = _column_line(self.columns[position], values, width)
                more = estimate_tokens(full) - estimate_tokens(line)
                if more <= spare:
                    spare -= max(more, 0)
                    line = full
                    break
            rest = len(short) - position
            note = _MORE.format(n=rest)
            if (
                rest > 1
                and estimate_tokens(line) > budget.left - estimate_tokens(note)
                or not budget.add(line)
            ):
                budget.add(note)
                break


class _Budget:
    """Lines taken as long as they fit."""

    def __init__(self, tokens: int) -> None:
        self.left = tokens
        self._total = tokens
        self._lines: list[str] = []

    def add(self, line: str, *, cut: bool = False, share: float = 1.0) -> bool:
        """Take a line; with `cut` shorten it to what is left, at most `share` of the whole budget."""
        if not line:
            return True
        room = min(self.left, int(self._total * share))
        if estimate_tokens(line) > room:
            if not cut or room < 4:
                return False
            line = _shorten(line, room)
        self._lines.append(line)
        self.left -= estimate_tokens(line)
        return True

    def text(self) -> str:
        return "\n".join(self._lines)


def _shorten(text: str, tokens: int) -> str:
    """Return the longest beginning of a text, cut at a blank where there is one, that fits with its "…"."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if estimate_tokens(text[:middle]) <= tokens - 1:
            low = middle
        else:
            high = middle - 1
    cut = text[:low]
    blank = cut.rfind(" ")
    return (cut[:blank] if blank > low // 2 else cut).rstrip() + "…"


def _column_line(column: CardColumn, values: int, width: int = 200) -> str:
    line = f"- {column.name} ({column.feature_type}{', ' + column.unit if column.unit else ''})"
    if column.description:
        line += f": {column.description[:width]}"
    if column.values and values:
        line += f" e.g. {'; '.join(v[:40] for v in column.values[:values])}"
    if column.missing >= 0.01:
        line += f" [{column.missing:.0%} missing]"
    return line


def make_card(
    document: str,
    dataset: str,
    *,
    title: str = "",
    format: str = "",  # noqa: A002 - the word of the contract
    table: Table | None = None,
    profile: TableProfile | None = None,
    metadata: DatasetMetadata | None = None,
    text: str | None = None,
    series: str = "",
    warnings: Sequence[str] = (),
) -> Card:
    """Return the card of a document.

    Args:
        document: its id, `path#name` for one of several tables.
        dataset: id of its dataset.
        title: its own title; else the table's name, what the metadata calls the resource, the dataset's title or the
            file's name.
        format: of the file.
        table: the table, None for a text.
        profile: of the table.
        metadata: of the dataset (`merge_metadata`); its dictionary gives columns their meaning.
        text: main text of a text document.
        series: the series it belongs to, for people.
        warnings: of the document and the table.
    """
    card = Card(
        document,
        dataset,
        "table" if table is not None else "text",
        _title(document, title, table, metadata, text),
        format=format,
    )
    if metadata is not None:
        card.description = clean_text(_description(document, metadata), one_line=True, limit=2_000)
        card.publisher = clean_text(metadata.publisher, one_line=True, limit=200)
        card.tags = [clean_text(tag, one_line=True, limit=60) for tag in metadata.tags[:20]]
        card.source = clean_text(metadata.source, one_line=True, limit=300)
        card.license = clean_text(metadata.license, one_line=True, limit=200)
        card.time = clean_text(metadata.temporal, one_line=True, limit=80)
        card.places = [clean_text(metadata.spatial, one_line=True, limit=80)] if metadata.spatial else []
    if table is not None:
        _add_table(card, table, profile, metadata)
    if text and table is None:
        first, _, rest = text[:4_000].strip().partition("\n")
        body = rest if clean_text(first.strip(" #=*"), one_line=True) in card.title else text[:4_000]
        card.excerpt = clean_text(body, one_line=True, limit=1_500)
    card.series = clean_text(series, one_line=True, limit=300)
    card.warnings = [
        clean_text(w, one_line=True, limit=300) for w in dict.fromkeys([*card.warnings, *warnings])
    ][:10]
    return card


def _title(
    document: str, title: str, table: Table | None, metadata: DatasetMetadata | None, text: str | None
) -> str:
    own = title or (table.name if table is not None else "")
    shared = metadata.title if metadata is not None else ""
    if metadata is not None and not own:
        own = next(
            (
                r.title or r.description[:100]
                for r in metadata.resources
                if _same_file(r.path or r.name, document)
            ),
            "",
        )
    if not own and text and not shared:
        own = next((line.strip(" #=*") for line in text[:2_000].split("\n") if line.strip()), "")[:120]
    if shared and own and own.casefold() not in shared.casefold():
        own = f"{shared}: {own}"
    name = document.rsplit("/", 1)[-1]
    return clean_text(own or shared or name, one_line=True, limit=200)


def _same_file(path: str, document: str) -> bool:
    return (
        bool(path)
        and path.rsplit("/", 1)[-1].casefold() == document.split("#")[0].rsplit("/", 1)[-1].casefold()
    )


def _description(document: str, metadata: DatasetMetadata) -> str:
    shared = _INLINE_TABLE.sub("", metadata.description) or metadata.description
    own = next(
        (
            r.description
            for r in metadata.resources
            if _same_file(r.path or r.name, document) and r.description
        ),
        "",
    )
    if not own or not shared or own == metadata.description:
        return own or shared
    return f"{own if own.endswith(('.', '!', '?')) else f'{own}.'} {shared}"


def _add_table(
    card: Card, table: Table, profile: TableProfile | None, metadata: DatasetMetadata | None
) -> None:
    meanings = (
        describe_columns(metadata, card.document, [c.name for c in table.columns])
        if metadata is not None
        else {}
    )
    card.rows = table.data.row_count
    profiles: list[ColumnProfile | None] = (
        list(profile.columns) if profile is not None else [None] * len(table.columns)
    )
    for column, figures in zip(table.columns, profiles, strict=True):
        shown = CardColumn(
            clean_text(column.name, one_line=True, limit=200),
            (figures.feature_type if figures else column.feature_type) or column.type,
            column.type,
            clean_text(column.description or meanings.get(column.name, ""), one_line=True, limit=400),
            clean_text(column.unit or "", one_line=True, limit=40),
        )
        if figures is not None:
            shown.values = column_values(figures)
            shown.missing = round(figures.missing / card.rows, 4) if card.rows else 0.0
        card.columns.append(shown)
    if profile is not None:
        if profile.time is not None:
            card.time = (
                f"{profile.time.start}-{profile.time.end}"
                if profile.time.start != profile.time.end
                else str(profile.time.start)
            )
        card.places += [_place_text(p) for p in profile.places[:3]]
        card.warnings += profile.notes
    if not card.description and table.preamble:
        card.description = clean_text(table.preamble, one_line=True, limit=500)
    if table.quarantined:
        card.warnings.append(f"{len(table.quarantined):,} records were set aside")
    if table.hidden:
        card.warnings.append("the sheet is hidden")
    card.warnings += table.warnings


def _place_text(place: PlaceCoverage) -> str:
    label = {"country": "countries", "us_state": "U.S. states"}.get(place.kind, place.kind)
    named = f"{place.count} {label}" if place.count > 5 else ", ".join(place.names)
    return f"{named} ({clean_text(place.column, one_line=True, limit=60)})"


def column_values(column: ColumnProfile) -> list[str]:
    """Return the texts that show best what a column holds: its range, its frequent values, else examples."""
    if column.feature_type in {"Numerical", "Datetime"} and column.min is not None:
        low, high = _short(column.min), _short(column.max)
        return [low] if low == high else [f"{low} to {high}"]
    if column.feature_type == "Categorical":
        return [_short(value) for value, _ in column.top[:8]]
    return [clean_text(text, one_line=True, limit=60) for text in column.examples[:5]]


def _short(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return clean_text(str(value), one_line=True, limit=60)
