"""Sketches of columns with very many values, from Parquet or Arrow, in bounded memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.model import Table
from headwater.profiles import ColumnValues
from headwater.relations._hashing import hash_values

if TYPE_CHECKING:
    import numpy as np

    from headwater.relations._hashing import Hashes

_ROOM = 8
"""Hashes kept while scanning, in multiples of the sketch's size."""


def bottom_hashes(table: Table, source: ColumnValues, limit: int) -> tuple[Hashes, np.ndarray[Any, Any]]:
    """Return the `limit` smallest hashes of a column's values in ascending order, and their counts.

    The column is read in batches. Each batch's values are counted, hashed, and cut at a bound that falls as the scan
    goes on: a hash above the current `limit`-th smallest can never come into the sketch, so counts of those kept are
    exact.
    """
    import numpy as np

    kept = np.empty(0, np.uint64)
    counts = np.empty(0, np.uint64)
    bound = np.uint64(2**64 - 1)
    for batch in _batches(table, source):
        counted = batch.value_counts()
        values, number = counted.field(0), counted.field(1).to_numpy(zero_copy_only=False)
        if values.null_count:
            number = number[np.asarray(values.is_valid())]
        hashes = hash_values(values)
        below = hashes <= bound
        kept = np.concatenate([kept, hashes[below]])
        counts = np.concatenate([counts, number[below].astype(np.uint64)])
        if len(kept) > _ROOM * limit:
            kept, counts = _merge(kept, counts, limit)
            bound = kept[-1] if len(kept) == limit else bound
    kept, counts = _merge(kept, counts, limit)
    return kept, counts.astype(np.uint32)


def _merge(hashes: Hashes, counts: np.ndarray[Any, Any], limit: int) -> tuple[Hashes, np.ndarray[Any, Any]]:
    import numpy as np

    unique, inverse = np.unique(hashes, return_inverse=True)
    totals = np.zeros(len(unique), np.uint64)
    np.add.at(totals, inverse, counts)
    return unique[:limit], totals[:limit]


def _batches(table: Table, source: ColumnValues) -> Any:
    from headwater.model import ParquetData

    if isinstance(table.data, ParquetData):
        import pyarrow.parquet as pq

        # without pre_buffer, which keeps all that was read until the end
        file = pq.ParquetFile(table.data.typed_path, pre_buffer=False)
        for batch in file.iter_batches(65_536, columns=[source.name]):
            yield batch.column(0)
    elif source.array is not None:
        yield from source.array.chunks
