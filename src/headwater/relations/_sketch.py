"""Sketches: what is kept of a table or a text so that it can be related to others without reading it again."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from headwater.layout import clean_text
from headwater.model import Table
from headwater.profiles import ColumnProfile, TableProfile, TableValues, profile_table, table_values
from headwater.relations._entities import entity_key, phrases, title_keys
from headwater.relations._hashing import hash_columns, hash_key_sets, hash_keys, hash_values
from headwater.relations._large import bottom_hashes
from headwater.relations._packing import pack_arrays, unpack_arrays

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from headwater.profiles import ColumnValues
    from headwater.relations._hashing import Hashes

MAX_HASHES = 16_384
"""Hashes kept of one column: the smallest ones (bottom-k sketch, Cohen and Kaplan 2007)."""

MAX_ENTITIES = 20_000
"""Names kept of one column for mentions."""

MAX_PHRASES = 5_000
"""Names kept of one text."""

MAX_TEXT = 400_000
"""Characters of a text in which names are looked for."""

_LEAD = 1_000
_SURE = 0.7
_GIVEN = ("first", "given", "forename")
_FAMILY = ("last", "family", "surname")
_NAMING = frozenset({"ID", "Categorical", "Embedded numbers", "List"})


@dataclass(slots=True)
class ColumnSketch:
    """What is kept of a column.

    Attributes:
        name: of the column.
        type: of the column.
        feature_type: by its profile.
        rows: records of the table.
        missing: records without a value.
        distinct: number of distinct values.
        unique: no value occurs twice.
        trivial: its values say nothing by being shared: flags, small whole numbers, measures, long texts.
        low: least value of a number or date as text, "" else.
        high: largest value.
        digest: hash of all values with their counts, independent of their order; 0 if not all were seen.
        hashes: hashes of normalised distinct values, ascending; all of them or the smallest `MAX_HASHES`.
        counts: records of each of `hashes`.
        entities: hashes of the names in the cells (`entity_key`), ascending; empty for columns that name nothing.
    """

    name: str
    type: str
    feature_type: str
    rows: int
    missing: int
    distinct: int
    unique: bool
    trivial: bool
    low: str
    high: str
    digest: int
    hashes: Hashes
    counts: np.ndarray[Any, Any]
    entities: Hashes

    @property
    def complete(self) -> bool:
        """True if `hashes` holds all distinct values."""
        return len(self.hashes) >= self.distinct or (self.digest != 0 and len(self.hashes) < MAX_HASHES)


@dataclass(slots=True)
class TableSketch:
    """What is kept of a table.

    Attributes:
        document: id, `path#name` for one of several tables.
        dataset: id of its dataset.
        rows: number of records.
        columns: sketches of its columns, in order.
        order: hash of the rows at the top and bottom in their order and with their columns in order.
        format: of the file, for the choice among copies.
        title: of the table or document.
        joined: columns made by joining a given and a family name, for mentions only.
    """

    document: str
    dataset: str
    rows: int
    columns: list[ColumnSketch]
    order: int = 0
    format: str = ""
    title: str = ""
    joined: list[ColumnSketch] = field(default_factory=list)

    def to_bytes(self) -> bytes:
        """Return the sketch in a compact form."""
        head = {k: getattr(self, k) for k in ("document", "dataset", "rows", "order", "format", "title")}
        arrays: list[Hashes] = []
        for part in ("columns", "joined"):
            head[part] = [[getattr(column, k) for k in _PLAIN] for column in getattr(self, part)]
            arrays += [getattr(column, k) for column in getattr(self, part) for k in _ARRAYS]
        return pack_arrays(head, arrays)

    @classmethod
    def from_bytes(cls, data: bytes) -> TableSketch:
        """Return the sketch that `to_bytes` was made from."""
        head, arrays = unpack_arrays(data)
        rest = iter(arrays)
        for part in ("columns", "joined"):
            head[part] = [ColumnSketch(*[*plain, *(next(rest) for _ in _ARRAYS)]) for plain in head[part]]
        return cls(**head)


_PLAIN = (
    "name",
    "type",
    "feature_type",
    "rows",
    "missing",
    "distinct",
    "unique",
    "trivial",
    "low",
    "high",
    "digest",
)
_ARRAYS = ("hashes", "counts", "entities")


@dataclass(slots=True)
class TextSketch:
    """What is kept of a text document.

    Attributes:
        document: id.
        dataset: id of its dataset.
        title: as printed.
        titles: hash of each key of the title (`title_keys`) → weight.
        phrases: hashes of the names in the text, ascending.
        subject: the text speaks of its title in its first lines, as a page about one thing does.
        words: number of words.
        shape: MinHash signature of the text's word shingles.
    """

    document: str
    dataset: str
    title: str
    titles: dict[int, float]
    phrases: Hashes
    subject: bool = False
    words: int = 0
    shape: Hashes | None = None

    def to_bytes(self) -> bytes:
        """Return the sketch in a compact form."""
        head = {k: getattr(self, k) for k in ("document", "dataset", "title", "subject", "words")}
        head["titles"] = list(self.titles.items())
        return pack_arrays(head, [self.phrases] if self.shape is None else [self.phrases, self.shape])

    @classmethod
    def from_bytes(cls, data: bytes) -> TextSketch:
        """Return the sketch that `to_bytes` was made from."""
        head, (names, *shape) = unpack_arrays(data)
        head["titles"] = dict(head["titles"])
        return cls(**head, phrases=names, shape=shape[0] if shape else None)


def column_sketch(
    values: pa.Array, counts: np.ndarray[Any, Any] | None = None, limit: int = MAX_HASHES
) -> tuple[Hashes, np.ndarray[Any, Any], int]:
    """Return the smallest hashes of distinct values in ascending order, their counts, and the digest of all values."""
    return _bottom(hash_values(values), counts, limit)


def _bottom(
    hashes: Hashes, counts: np.ndarray[Any, Any] | None, limit: int = MAX_HASHES
) -> tuple[Hashes, np.ndarray[Any, Any], int]:
    import numpy as np

    if counts is None or len(counts) != len(hashes):
        counts = np.ones(len(hashes), dtype=np.uint32)
    order = np.argsort(hashes)
    hashes, totals = hashes[order], counts[order].astype(np.uint64)
    first = np.ones(len(hashes), dtype=bool)
    first[1:] = hashes[1:] != hashes[:-1]
    if not first.all():  # values that differ in case alone, and the like
        starts = np.flatnonzero(first)
        hashes, totals = hashes[starts], np.add.reduceat(totals, starts)
    with np.errstate(over="ignore"):
        digest = int((hashes * (totals * np.uint64(2) + np.uint64(1))).sum(dtype=np.uint64))
    return hashes[:limit], totals[:limit].astype(np.uint32), digest or 1


def sketch_table(
    table: Table,
    document: str,
    dataset: str,
    *,
    profile: TableProfile | None = None,
    values: TableValues | None = None,
    format: str = "",  # noqa: A002 - the word of the contract
    title: str = "",
) -> TableSketch:
    """Return the sketch of a table; give `profile` and `values` where they are at hand, else they are computed."""
    values = values or table_values(table)
    profile = profile or profile_table(table, values=values)
    pairs = list(zip(values.columns, profile.columns, strict=True))
    hashed = hash_columns([source.values for source, _ in pairs])
    named = hash_key_sets([_entity_keys(source, figures) for source, figures in pairs])
    columns = [
        _sketch_column(table, source, figures, hashes, names)
        for (source, figures), hashes, names in zip(pairs, hashed, named, strict=True)
    ]
    sketch = TableSketch(
        document,
        dataset,
        values.rows,
        columns,
        _order_hash(values),
        format,
        clean_text(title, one_line=True, limit=200),
    )
    sketch.joined = _joined_names(values)
    return sketch


def _sketch_column(
    table: Table, source: ColumnValues, figures: ColumnProfile, hashed: Hashes | None, names: Hashes
) -> ColumnSketch:
    import numpy as np

    trivial = _trivial(source, figures)
    if hashed is not None:
        hashes, kept, digest = _bottom(hashed, source.counts)
    else:
        # Too many values to have been counted: without a digest; nothing is kept of columns that no join would use.
        if trivial:
            hashes, kept = np.empty(0, np.uint64), np.empty(0, np.uint32)
        else:
            hashes, kept = bottom_hashes(table, source, MAX_HASHES)
        digest = 0
    return ColumnSketch(
        source.name,
        source.type,
        figures.feature_type,
        source.rows,
        source.missing,
        source.distinct,
        figures.unique,
        trivial,
        "" if figures.min is None else str(figures.min),
        "" if figures.max is None else str(figures.max),
        digest,
        hashes,
        kept,
        names,
    )


def _entity_keys(source: ColumnValues, figures: ColumnProfile) -> set[str]:
    if source.values is None or source.type != "text" or figures.feature_type not in _NAMING:
        return set()
    if figures.evidence.get("words", 0) > 10:
        return set()
    keys: set[str] = set()
    listed = figures.feature_type == "List"
    for text in source.values.slice(0, MAX_ENTITIES).to_pylist():
        for item in re.split(r"[;,|]", text) if listed else (text,):
            key = entity_key(item[:120])
            if len(key) >= 3 and not key.isdigit():
                keys.add(key)
    return keys


def _trivial(source: ColumnValues, figures: ColumnProfile) -> bool:
    """Tell whether shared values of the column say nothing about a relation."""
    if source.distinct < 4 or source.type in {"boolean", "list", "object", "number"}:
        return True
    if figures.feature_type in {"Sentence", "Numbers with unit", "Numbers with sign"}:
        return True
    return source.type == "integer" and figures.feature_type not in {"ID", "Formatted ID"}


def _order_hash(values: TableValues) -> int:
    """Return a hash of the first 20 values of each column in order, 0 where rows are not at hand."""
    import numpy as np

    total, heads = 0, []
    for column in values.columns:
        if column.array is None:
            return 0
        heads.append(column.array.slice(0, 20).combine_chunks())
    for position, head in enumerate(hash_columns(heads)):
        assert head is not None
        places = np.arange(1, len(head) + 1, dtype=np.uint64) * np.uint64(2 * position + 1)
        with np.errstate(over="ignore"):
            total += int((head * places).sum(dtype=np.uint64))
    return total & (2**63 - 1)


def _joined_names(values: TableValues) -> list[ColumnSketch]:
    """Return a column of full names where a given and a family name stand in two columns."""
    import numpy as np
    import pyarrow.compute as pc

    by_rest: dict[str, dict[str, ColumnValues]] = {}
    for column in values.columns:
        words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", column.name).casefold()
        for role, marks in (("given", _GIVEN), ("family", _FAMILY)):
            mark = next((m for m in marks if re.search(rf"(?<![a-z]){m}|{m}(?![a-z])", words)), None)
            if mark and column.type == "text":
                by_rest.setdefault(
                    re.sub(r"[\W_]+", "", words.replace(mark, "").replace("name", "")), {}
                ).setdefault(role, column)
    out: list[ColumnSketch] = []
    for pair in by_rest.values():
        given, family = pair.get("given"), pair.get("family")
        if given is None or family is None or given.array is None or family.array is None:
            continue
        full = pc.unique(pc.binary_join_element_wise(given.array, family.array, " ")).drop_null()
        keys = {entity_key(text) for text in full.slice(0, MAX_ENTITIES).to_pylist()}
        hashes = np.unique(hash_keys(key for key in keys if " " in key))
        empty = np.empty(0, np.uint64)
        out.append(
            ColumnSketch(
                f"{given.name} {family.name}",
                "text",
                "ID",
                given.rows,
                0,
                len(full),
                False,
                True,
                "",
                "",
                0,
                empty,
                empty.astype(np.uint32),
                hashes,
            )
        )
    return out


def sketch_text(document: str, dataset: str, title: str, text: str) -> TextSketch:
    """Return the sketch of a text document; without a title its first line is one."""
    import numpy as np

    from headwater.relations._near import minhash

    text = text[:MAX_TEXT]
    title = title or next((line.strip(" #=*_") for line in text.split("\n") if line.strip()), "")[:200]
    keys = title_keys(title)
    return TextSketch(
        document,
        dataset,
        clean_text(title, one_line=True, limit=200),
        dict(zip(hash_keys(key for key, _ in keys).tolist(), (weight for _, weight in keys), strict=True)),
        np.unique(hash_keys(phrases(text, MAX_PHRASES))),
        _speaks_of(text, title),
        len(text.split()),
        minhash(text),
    )


def _speaks_of(text: str, title: str) -> bool:
    """Tell whether the title stands in the text right after the line of the title itself; an empty text may have any."""
    body = text.strip()
    if not body:
        return True
    first, _, rest = body.partition("\n")
    if entity_key(first.strip(" #=*_")) == entity_key(title):
        body = rest
    keys = {key for key, weight in title_keys(title) if weight >= _SURE}
    return not keys.isdisjoint(phrases(body[:_LEAD], MAX_PHRASES))
