"""Joinable columns: containment of the distinct values of one column in another, measured.

Candidates come from one sorted run over (hash, column) pairs of all columns; each candidate pair is then measured on
the two sketches. Values that very many columns share (years, "yes") raise no candidates of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from headwater.layout import clean_text
from headwater.relations._names import column_similarity, column_words
from headwater.relations._sketch import ColumnSketch, TableSketch

MIN_MATCH = 0.5
"""Least share of the child's distinct values that have to be found in the parent."""

MIN_SHARED = 3
"""Least number of distinct values shared."""

MAX_COLUMNS_PER_VALUE = 400
"""A value in more columns than this raises no candidates."""

MAX_JOINS_PER_COLUMN = 20
"""Joins kept of one column, best first."""

_LENIENT = 0.8
_PAIRS_AT_ONCE = 4_000_000

_NUMBERING = frozenset({"id", "key", "index", "number", "row", "seq", "pk", "idx", "objectid", "fid"})
"""Words of columns that number rows: shared numbers say nothing between two of them."""

_FEW = 6
"""Fewer shared values than this say nothing unless the columns' names are alike."""

_DAYS = frozenset({"date", "datetime"})


@dataclass(frozen=True, slots=True)
class Join:
    """A join between two columns: `column` of `document` (child) looks its values up in the other one (parent).

    Attributes:
        document: of the child.
        dataset: of the child.
        column: of the child.
        other_document: of the parent.
        other_dataset: of the parent.
        other_column: of the parent.
        match_rate: share of the child's records with a value whose value is in the parent (0 to 1).
        value_match: share of the child's distinct values that are in the parent.
        fan_out: mean records of the parent for each matching value.
        shared: distinct values in both (an estimate where a sketch holds only a part).
        score: rank among joins, 0 to 1: containment, uniqueness of the parent, likeness of names, number of values.
    """

    document: str
    dataset: str
    column: str
    other_document: str
    other_dataset: str
    other_column: str
    match_rate: float
    value_match: float
    fan_out: float
    shared: int
    score: float

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON object."""
        return {name: getattr(self, name) for name in Join.__dataclass_fields__}


def find_joins(
    tables: Sequence[TableSketch],
    others: Sequence[TableSketch] | None = None,
    *,
    limit: int = MAX_JOINS_PER_COLUMN,
) -> list[Join]:
    """Return joins between tables, best first.

    Args:
        tables: sketches of tables.
        others: if given, only pairs of one of `tables` with one of `others` are looked at, both ways (for tables that
            are new to a lake: the new ones, then all the old ones), and pairs within `tables`.
        limit: joins kept for each child column.
    """
    new = len(tables)
    everything = [*tables, *(others or ())]
    columns = [(i, c) for i, t in enumerate(everything) for c in t.columns if _useful(c)]
    found: list[Join] = []
    for a, b, shared in _candidates(columns, new):
        (i, left), (j, right) = columns[a], columns[b]
        if not _compatible(left, right):
            continue
        known = left.complete and right.complete  # else the sketches are compared below a bound
        for child, c, parent, p in ((i, left, j, right), (j, right, i, left)):
            if known and shared is not None and shared < MIN_MATCH * len(c.hashes):
                continue
            join = _measure(everything[child], c, everything[parent], p)
            if join:
                found.append(join)
    return _best(found, limit)


def _useful(column: ColumnSketch) -> bool:
    return len(column.hashes) >= MIN_SHARED and (not column.trivial or column.type in _DAYS)


def _compatible(a: ColumnSketch, b: ColumnSketch) -> bool:
    """Days join days only, numbers join numbers only where the names of the columns are alike."""
    if (a.type in _DAYS) != (b.type in _DAYS) and "text" not in {a.type, b.type}:
        return False
    if a.type == "integer" or b.type == "integer":
        return column_similarity(a.name, b.name) >= 0.5 and not _row_numbers(a, b)
    return True


def _row_numbers(a: ColumnSketch, b: ColumnSketch) -> bool:
    """Tell whether both columns merely number the rows of their own tables."""
    return all(
        c.unique and c.type == "integer" and (_dense(c) or column_words(c.name) <= _NUMBERING) for c in (a, b)
    )


def _dense(column: ColumnSketch) -> bool:
    return column.low.lstrip("-").isdigit() and int(column.high) - int(column.low) + 1 == column.distinct


def _candidates(columns: list[tuple[int, ColumnSketch]], new: int) -> Iterable[tuple[int, int, int | None]]:
    """Yield pairs of columns of different tables, at least one of a new table, that may hold one another's values.

    All (hash, column) entries are sorted by hash; every run of equal hashes raises the pairs of its columns. Pairs are
    yielded whose number of shared hashes may reach `MIN_MATCH` of one of the two columns, with that number where all
    hashes of one of them could raise pairs, so that it is exact, else None.
    """
    import numpy as np

    lengths = np.array([len(c.hashes) for _, c in columns], dtype=np.int64)
    first_old = sum(1 for i, _ in columns if i < new)
    if len(columns) < 2 or first_old == 0:
        return
    hashes, owner = _entries(columns, lengths, first_old)
    starts = np.flatnonzero(np.r_[True, hashes[1:] != hashes[:-1]])
    sizes = np.diff(np.r_[starts, len(hashes)])
    usual = sizes <= MAX_COLUMNS_PER_VALUE
    told = np.bincount(
        owner[np.repeat(usual, sizes)], minlength=len(columns)
    )  # hashes that could raise a pair
    keys, shared = _shared(owner, starts[usual], sizes[usual], len(columns), first_old)
    left, right = keys // len(columns), keys % len(columns)
    if first_old < len(
        columns
    ):  # hashes of old columns were filtered by the new ones': only their whole length is known
        told[first_old:] = lengths[first_old:]
    enough = (shared >= MIN_SHARED) & (shared >= MIN_MATCH * _LENIENT * np.minimum(told[left], told[right]))
    exact = (told[left] == lengths[left]) | (told[right] == lengths[right]) & (first_old == len(columns))
    for a, b, n, sure in zip(*(x[enough].tolist() for x in (left, right, shared, exact)), strict=True):
        if columns[a][0] != columns[b][0]:
            yield a, b, n if sure else None


def _entries(columns: list[tuple[int, ColumnSketch]], lengths: Any, first_old: int) -> tuple[Any, Any]:
    """Return all hashes in ascending order and the column of each; of old columns only what new ones hold too."""
    import numpy as np

    hashes = np.concatenate([c.hashes for _, c in columns])
    owner = np.repeat(np.arange(len(columns), dtype=np.int64), lengths)
    if first_old < len(columns):
        border = int(lengths[:first_old].sum())
        wanted = np.unique(hashes[:border])
        at = np.minimum(np.searchsorted(wanted, hashes), len(wanted) - 1)
        keep = wanted[at] == hashes
        hashes, owner = hashes[keep], owner[keep]
    order = np.argsort(hashes, kind="stable")
    return hashes[order], owner[order]


def _shared(owner: Any, starts: Any, sizes: Any, width: int, first_old: int) -> tuple[Any, Any]:
    """Return pairs of columns (as left * width + right, left < right, left new) and how many hashes they share."""
    import numpy as np

    keys, shared = np.empty(0, np.int64), np.empty(0, np.int64)
    for size in np.unique(sizes[sizes > 1]).tolist():
        left, right = np.triu_indices(size, 1)
        at = starts[sizes == size]
        step = max(1, _PAIRS_AT_ONCE // len(left))
        for chunk in range(0, len(at), step):
            groups = owner[at[chunk : chunk + step, None] + np.arange(size)[None, :]]
            lefts = groups[:, left].ravel()
            pairs = lefts * width + groups[:, right].ravel()
            found, counts = np.unique(pairs[lefts < first_old], return_counts=True)
            keys, inverse = np.unique(np.concatenate([keys, found]), return_inverse=True)
            total = np.zeros(len(keys), np.int64)
            np.add.at(total, inverse, np.concatenate([shared, counts]))
            shared = total
    return keys, shared


def _measure(child: TableSketch, c: ColumnSketch, parent: TableSketch, p: ColumnSketch) -> Join | None:
    import numpy as np

    # Below the smaller of the two largest hashes both sketches hold everything: compare there (bottom-k estimate).
    bound = min((x.hashes[-1] for x in (c, p) if not x.complete), default=None)
    mine, theirs = c.hashes, p.hashes
    if bound is not None:
        mine, theirs = mine[mine <= bound], theirs[theirs <= bound]
    if len(mine) < MIN_SHARED:
        return None
    at = np.searchsorted(theirs, mine)
    hit = theirs[np.minimum(at, len(theirs) - 1)] == mine if len(theirs) else np.zeros(len(mine), bool)
    shared = int(hit.sum())
    value_match = shared / len(mine)
    if shared < MIN_SHARED or value_match < MIN_MATCH:
        return None
    if shared < _FEW and column_similarity(c.name, p.name) < 0.5:
        return None
    weights = c.counts[: len(mine)].astype(np.float64)
    match_rate = float(weights[hit].sum() / weights.sum())
    fan_out = float(p.counts[at[hit]].mean())
    total = round(value_match * c.distinct) if bound is not None else shared
    score = _score(c, p, value_match, fan_out, total)
    if score < 0.15:
        return None
    return Join(
        child.document, child.dataset, c.name, parent.document, parent.dataset, p.name,
        round(match_rate, 4), round(value_match, 4), round(fan_out, 3), total, round(score, 4),
    )  # fmt: skip


def _score(c: ColumnSketch, p: ColumnSketch, value_match: float, fan_out: float, shared: int) -> float:
    names = column_similarity(c.name, p.name)
    size = min(1.0, shared / 20)
    key = float(max(fan_out, 1.0) ** -0.25)
    score = value_match * (0.35 + 0.25 * names + 0.2 * size + 0.2 * key)
    return score * (0.6 if c.type in _DAYS else 1.0)


def _best(joins: list[Join], limit: int) -> list[Join]:
    joins.sort(key=lambda j: (-j.score, j.document, j.column, j.other_document, j.other_column))
    kept: list[Join] = []
    used: dict[tuple[str, str], int] = {}
    for join in joins:
        key = (join.document, join.column)
        used[key] = used.get(key, 0) + 1
        if used[key] <= limit:
            kept.append(join)
    return kept


def describe_join(join: Join) -> str:
    """Return a sentence on a join for people."""
    own, other = clean_text(join.column, one_line=True), clean_text(join.other_column, one_line=True)
    return f"{own} = {other} of {join.other_document} ({join.match_rate:.0%} of records match, fan-out {join.fan_out:.1f})"
