"""Joinable columns: containment of the distinct values of one column in another, measured.

Candidates come from one sorted run over (hash, column) pairs of all columns; each candidate pair is then measured on
the two sketches. Values that very many columns share (years, "yes") raise no candidates of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from headwater.layout import clean_text
from headwater.relations._names import column_similarity, column_words
from headwater.relations._sketch import ColumnSketch, TableSketch

if TYPE_CHECKING:
    import numpy as np

MIN_MATCH = 0.5
"""Least share of the child's distinct values that have to be found in the parent."""

MIN_SHARED = 3
"""Least number of distinct values shared."""

MAX_COLUMNS_PER_VALUE = 400
"""A value in more columns than this raises no candidates."""

MAX_JOINS_PER_COLUMN = 20
"""Joins kept of one column, best first."""

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
        return asdict(self)


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
    for a, b in _candidates(columns, new):
        (i, left), (j, right) = columns[a], columns[b]
        if not _compatible(left, right):
            continue
        for child, c, parent, p in ((i, left, j, right), (j, right, i, left)):
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


def _candidates(columns: list[tuple[int, ColumnSketch]], new: int) -> Iterable[tuple[int, int]]:
    """Yield pairs of columns of different tables, at least one of a new table, that share `MIN_SHARED` values."""
    import numpy as np

    if len(columns) < 2:
        return
    hashes = np.concatenate([c.hashes for _, c in columns])
    owner = np.repeat(np.arange(len(columns), dtype=np.int64), [len(c.hashes) for _, c in columns])
    order = np.argsort(hashes, kind="stable")
    hashes, owner = hashes[order], owner[order]
    starts = np.flatnonzero(np.r_[True, hashes[1:] != hashes[:-1]])
    sizes = np.diff(np.r_[starts, len(hashes)])
    pairs: list[np.ndarray[Any, Any]] = []
    width = len(columns)
    for size in np.unique(sizes[(sizes > 1) & (sizes <= MAX_COLUMNS_PER_VALUE)]):
        at = starts[sizes == size]
        if size > 30:  # frequent values: a part of them is enough to raise the pairs
            at = at[:: max(1, len(at) * int(size) ** 2 // 4_000_000)]
        groups = owner[at[:, None] + np.arange(size)[None, :]]
        left, right = np.triu_indices(size, 1)
        keys = (groups[:, left] * width + groups[:, right]).ravel()
        unique, counts = np.unique(keys, return_counts=True)
        pairs.append(np.stack([unique, counts]))
    if not pairs:
        return
    merged = np.concatenate(pairs, axis=1)
    keys, inverse = np.unique(merged[0], return_inverse=True)
    shared = np.zeros(len(keys), dtype=np.int64)
    np.add.at(shared, inverse, merged[1])
    for key in keys[shared >= MIN_SHARED].tolist():
        a, b = divmod(key, width)
        i, j = columns[a][0], columns[b][0]
        if i != j and (i < new or j < new):
            yield a, b


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
