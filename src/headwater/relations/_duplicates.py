"""Copies told apart from revisions and parts: tables by the values of their columns, texts by their shingles.

Two tables are the same if their columns bear the same names and each column holds the same values the same number of
times; neither the file's format nor the order of rows and columns counts for that, but a different order is told. A
revision has the same columns and most of the same values; a part holds some of the other's rows and nothing else.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from headwater.relations._names import column_key, column_similarity
from headwater.relations._near import similar_pairs
from headwater.relations._sketch import ColumnSketch, TableSketch, TextSketch

Kind = Literal["same", "same_other_order", "revision", "part", "near"]

REVISION = 0.8
"""Least share of equal cells of a revision."""

NEAR_TEXT = 0.85
"""Least estimated Jaccard similarity of the word shingles of near-duplicate texts."""

ALL_PAIRS = 200
"""Tables with the same columns up to which all pairs are compared; a value in more of them raises no candidates."""

PROBES = 16
"""Values of each column by which tables that may belong together are found among more."""

CANDIDATES = 20
"""Tables that one is compared with then."""

FORMATS: tuple[str, ...] = (
    "csv", "tsv", "parquet", "ndjson", "jsonl", "json", "geojson", "xlsx", "ods", "xls", "xml", "yaml", "html", "markdown", "txt", "docx", "pdf",
)  # fmt: skip
"""Formats from the most to the least preferred copy: lines that evidence can point to first, then typed columns, then
nested and printed forms."""

_ENDING = re.compile(r"(?:\.[A-Za-z][A-Za-z0-9]{0,8})+(?=$|[!#])")
_COPY = re.compile(
    r"(?:\bcopy\b|\bkopie\b|\bcopie\b|\bcopia\b|[ _-]\(\d+\)|~|\.bak\b|\bbackup\b|\barchive/)", re.IGNORECASE
)
_PACKED = re.compile(r"\.(?:gz|bz2|xz|zst|zip)(?:$|!)|!", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Duplicate:
    """How a document relates to another one with the same or nearly the same content.

    Attributes:
        document: the copy, the later revision, or the part.
        of: the canonical copy, the earlier revision, or the whole.
        kind: "same" (another format, or bytes apart only), "same_other_order", "revision", "part", "near" (text).
        similarity: share of equal cells or shingles, 0 to 1.
        changed: cells that differ (revisions; an estimate where sketches hold only a part), else 0.
    """

    document: str
    of: str
    kind: Kind
    similarity: float
    changed: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON object."""
        return asdict(self)


def preference(document: str, format: str = "") -> tuple[int, int, int, int, str]:  # noqa: A002 - the word of the contract
    """Return a sort key that puts the canonical copy first.

    In this order: not called a copy or a backup and not in `archive/`; not packed; the preferred format (`FORMATS`); the
    shorter path; the path itself.
    """
    name = document.split("#")[0]
    kind = (format or _PACKED.sub("", name).rsplit(".", 1)[-1]).casefold()
    rank = FORMATS.index(kind) if kind in FORMATS else len(FORMATS)
    return (bool(_COPY.search(name)), bool(_PACKED.search(name)), rank, len(name), document)


def find_duplicates(tables: Sequence[TableSketch], texts: Sequence[TextSketch] = ()) -> list[Duplicate]:
    """Return the copies, revisions and parts among tables, and the near duplicates among texts.

    Copies point to the canonical one (`preference`); revisions and parts are told of canonical copies only, and only
    within a dataset or where the names of the files resemble each other.
    """
    out: list[Duplicate] = []
    canonical: list[TableSketch] = []
    for group in _same_content(tables):
        ordered = sorted(group, key=lambda t: preference(t.document, t.format))
        first = ordered[0]
        canonical.append(first)
        for other in ordered[1:]:
            kind: Kind = "same" if _same_order(first, other) else "same_other_order"
            out.append(Duplicate(other.document, first.document, kind, 1.0))
    out += _revisions(canonical)
    out += _near_texts(texts)
    return out


def _content_key(table: TableSketch) -> tuple[object, ...] | None:
    """Return what all copies of a table agree in, or None for a table that is too small or was not seen whole."""
    columns = [c for c in table.columns if c.missing < c.rows]
    if table.rows < 2 or len(columns) < 1 or any(not c.digest for c in columns):
        return None
    return (table.rows, *sorted((column_key(c.name), c.missing, c.digest) for c in columns))


def _same_content(tables: Sequence[TableSketch]) -> list[list[TableSketch]]:
    groups: dict[tuple[object, ...], list[TableSketch]] = {}
    alone: list[list[TableSketch]] = []
    for table in tables:
        key = _content_key(table)
        if key is None:
            alone.append([table])
        else:
            groups.setdefault(key, []).append(table)
    return [*groups.values(), *alone]


def _same_order(a: TableSketch, b: TableSketch) -> bool:
    return [column_key(c.name) for c in a.columns] == [column_key(c.name) for c in b.columns] and (
        a.order == b.order or 0 in (a.order, b.order)
    )


def _revisions(tables: Sequence[TableSketch]) -> list[Duplicate]:
    """Return revisions and parts among tables with the same columns."""
    by_schema: dict[frozenset[str], list[TableSketch]] = {}
    for table in tables:
        schema = frozenset(column_key(c.name) for c in table.columns)
        if len(schema) == len(table.columns) >= 2:
            by_schema.setdefault(schema, []).append(table)
    out: list[Duplicate] = []
    for group in by_schema.values():
        group.sort(key=lambda t: (-t.rows, preference(t.document, t.format)))
        for table, candidates in zip(group, _candidates(group), strict=True):
            best: Duplicate | None = None
            for other in (group[j] for j in candidates):
                if not _akin(table, other):
                    continue
                found = _compare(table, other)
                if found and (
                    best is None
                    or (found.kind == "part", found.similarity) > (best.kind == "part", best.similarity)
                ):
                    best = found
            if best:
                out.append(best)
    return out


def _candidates(group: Sequence[TableSketch]) -> list[list[int]]:
    """Return for each table of a group with the same columns the places of earlier ones it may be a form of.

    In a large group these are the ones that hold most of a few values of each column: a part holds nothing else, a
    revision most of the same.
    """
    import numpy as np

    if len(group) <= ALL_PAIRS:
        return [list(range(i)) for i in range(len(group))]
    by_name: dict[str, list[ColumnSketch]] = {}
    for table in group:
        for column in table.columns:
            by_name.setdefault(column_key(column.name), []).append(column)
    shared: list[Counter[int]] = [Counter() for _ in group]
    for columns in by_name.values():
        hashes = np.concatenate([c.hashes for c in columns])
        order = np.argsort(hashes, kind="stable")
        hashes, owner = (
            hashes[order],
            np.repeat(np.arange(len(columns)), [len(c.hashes) for c in columns])[order],
        )
        for i, column in enumerate(columns):
            some = column.hashes[:PROBES]
            runs = zip(np.searchsorted(hashes, some), np.searchsorted(hashes, some, "right"), strict=True)
            for start, end in runs:
                if end - start <= ALL_PAIRS:
                    shared[i].update(j for j in owner[start:end].tolist() if j < i)
    return [sorted(j for j, _ in counter.most_common(CANDIDATES)) for counter in shared]


def _akin(a: TableSketch, b: TableSketch) -> bool:
    """Tell whether two tables can be revisions or parts of each other: of one dataset, or of files with like names."""
    if a.rows < 3 or min(a.rows, b.rows) * len(a.columns) < 10:
        return False
    names = [_ENDING.sub("", t.document.rsplit("/", 1)[-1]) for t in (a, b)]
    return a.dataset == b.dataset or column_similarity(*names) >= 0.6


def _compare(small: TableSketch, large: TableSketch) -> Duplicate | None:
    """Compare two tables of the same columns by the multisets of their columns' values."""
    theirs = {column_key(c.name): c for c in large.columns}
    pairs = [(c, theirs[column_key(c.name)]) for c in small.columns]
    shared = [_overlap(a, b) for a, b in pairs]
    cells = sum(a.rows for a, _ in pairs)
    if cells == 0:
        return None
    equal = sum(shared) / cells
    informative = any(a.distinct > 0.5 * a.rows for a, _ in pairs)
    if small.rows < large.rows and equal >= 0.999 and informative and small.rows >= 2:
        return Duplicate(small.document, large.document, "part", round(equal, 4))
    if large.rows - small.rows > 0.2 * large.rows or equal < REVISION or not informative:
        return None
    changed = sum(round(a.rows - s) for (a, _), s in zip(pairs, shared, strict=True)) + (
        large.rows - small.rows
    ) * len(pairs)
    older, newer = sorted((small, large), key=lambda t: _version(t.document))
    return Duplicate(newer.document, older.document, "revision", round(equal, 4), changed)


def _overlap(a: ColumnSketch, b: ColumnSketch) -> float:
    """Return how many records of `a` find their value in `b`, each record of `b` used once (missing ones too)."""
    import numpy as np

    shared, ia, ib = np.intersect1d(a.hashes, b.hashes, assume_unique=True, return_indices=True)
    both = float(np.minimum(a.counts[ia], b.counts[ib]).sum()) if len(shared) else 0.0
    seen = float(a.counts.sum())
    present = a.rows - a.missing
    if seen < present and seen > 0:
        both *= present / seen
    return both + min(a.missing, b.missing)


_VERSION = re.compile(
    r"\d{4}[-_.]?\d{2}[-_.]?\d{2}|\d{4}[-_.]\d{2}|(?<![a-z])v(?:ersion)?[-_ .]?(\d+(?:\.\d+)*)|(?:19|20)\d{2}|rev(?:is\w*)?|final|new|update\w*|correct\w*",
    re.IGNORECASE,
)


def _version(document: str) -> tuple[tuple[str, ...], int, str]:
    """Return a sort key that puts earlier versions first, by the dates and version marks in the file's name."""
    name = document.split("#")[0].rsplit("/", 1)[-1]
    marks = tuple(
        re.sub(r"\d+", lambda n: n.group().zfill(8), re.sub(r"[-_.]", "", m.group().casefold()))
        for m in _VERSION.finditer(name)
    )
    return marks, len(name), document


def _near_texts(texts: Sequence[TextSketch]) -> list[Duplicate]:
    ordered = sorted(texts, key=lambda t: (-t.words, preference(t.document)))
    out: list[Duplicate] = []
    told: set[int] = set()
    for i, j, score in similar_pairs([t.shape for t in ordered], NEAR_TEXT):
        if j not in told and i not in told:
            told.add(j)
            out.append(Duplicate(ordered[j].document, ordered[i].document, "near", round(score, 4)))
    return out
