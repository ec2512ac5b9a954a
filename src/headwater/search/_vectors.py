"""Vectors on local disk: immutable segments, scanned whole, the nearest rescored.

A segment is a folder of plain arrays: `docs` and `rids` (int64), `coarse` (float32, the leading dimensions) and, where
these are not all dimensions, `codes` (int8) with `scales` (float32 per row) for all of them. A query is one
matrix-vector product over the leading dimensions and an exact product for the best of that: an exact scan with a
quarter of the memory traffic, no index to build or to tune, and deletions are a mask.
"""

from __future__ import annotations

import shutil
import uuid
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.search._models import Rows
from headwater.search._store import Store

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SHORTLIST = 8
"""Rows rescored per row wanted. Of the 150 nearest of 100,000 short texts, 98.9 % are among the 8 x 150 that the
leading 96 of 256 principal components put first, and 99.8 % of the 20 nearest (with 64: 95.2 and 98.7 %)."""

ARRAYS = ("docs", "rids", "coarse", "codes", "scales")


class Segment:
    """One segment; its arrays are mapped at once, so that it stays readable after another process has merged it."""

    def __init__(self, folder: Path, rows: int, dead: bytes) -> None:
        import numpy as np

        self.folder = folder
        self.rows = rows
        self.dead = _unpacked(dead, rows)
        paths = {name: folder / f"{name}.npy" for name in ARRAYS}
        self.arrays: dict[str, NDArray[Any]] = {
            name: np.load(path, mmap_mode="r")
            for name, path in paths.items()
            if name in ARRAYS[:3] or path.exists()
        }

    def vectors(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return whole vectors of some rows."""
        import numpy as np

        if "codes" not in self.arrays:
            return np.asarray(self.arrays["coarse"][rows], dtype=np.float32)
        return np.asarray(
            self.arrays["codes"][rows].astype(np.float32) * self.arrays["scales"][rows, None],
            dtype=np.float32,
        )


def _unpacked(dead: bytes, rows: int) -> NDArray[np.bool_] | None:
    """Return a mask of the rows that have been deleted, None for none."""
    import numpy as np

    if not dead:
        return None
    return np.unpackbits(np.frombuffer(zlib.decompress(dead), dtype=np.uint8), count=rows).astype(bool)


def pack_mask(mask: NDArray[np.bool_]) -> bytes:
    """Return a mask as compressed bits."""
    import numpy as np

    return zlib.compress(np.packbits(mask).tobytes(), 1) if mask.any() else b""


def _largest(scores: NDArray[np.float32], count: int) -> NDArray[np.int64]:
    """Return the places of the `count` largest scores, unordered.

    The largest of small blocks bound the count-th score from below, so that only the few scores above that bound are
    sorted: one pass over the scores instead of a partition of all of them.
    """
    import numpy as np

    size = len(scores)
    block = size // (4 * count)
    if block < 4:
        return np.arange(size) if count >= size else np.argpartition(scores, size - count)[size - count :]
    heads = scores[: size // block * block].reshape(-1, block).max(axis=1)
    bound = np.partition(heads, len(heads) - count)[len(heads) - count]
    above = np.flatnonzero(scores >= bound)
    if len(above) <= count:
        return above
    return above[np.argpartition(scores[above], len(above) - count)[len(above) - count :]]


class VectorFolder:
    """All segments of an index.

    Args:
        folder: where they lie.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._open: dict[str, list[Segment]] = {}

    def reload(self, store: Store) -> None:
        """Open the segments that the store lists."""
        self._open = {}
        for name, space, rows, dead in store.segments():
            self._open.setdefault(space, []).append(Segment(self._folder / name, rows, dead))

    def spaces(self) -> list[str]:
        """Return the spaces that have vectors."""
        return sorted(self._open)

    def write(self, rows: Rows) -> str:
        """Write a segment and return its name; it counts once the store lists it."""
        import numpy as np

        name = uuid.uuid4().hex
        folder = self._folder / name
        folder.mkdir(parents=True)
        vectors = rows.vectors
        np.save(folder / "docs.npy", rows.docs)
        np.save(folder / "rids.npy", rows.rids)
        np.save(folder / "coarse.npy", np.ascontiguousarray(vectors[:, : rows.coarse_dim]))
        if rows.coarse_dim < vectors.shape[1]:
            scales = np.maximum(np.abs(vectors).max(axis=1), 1e-12) / 127
            np.save(folder / "codes.npy", np.rint(vectors / scales[:, None]).astype(np.int8))
            np.save(folder / "scales.npy", scales.astype(np.float32))
        return name

    def mark_dead(self, store: Store, removed: Iterable[int]) -> None:
        """Mark the rows of removed documents in the store."""
        import numpy as np

        gone = np.fromiter(removed, dtype=np.int64)
        if not gone.size:
            return
        for name, space, rows, dead in store.segments():
            segment = Segment(self._folder / name, rows, dead)
            hit = np.isin(segment.arrays["docs"], gone)
            if hit.any():
                gone_before = segment.dead if segment.dead is not None else False
                store.set_segment(name, space, rows, pack_mask(hit | gone_before))

    def nearest(
        self, space: str, query: NDArray[np.float32], limit: int, docs: NDArray[np.int64] | None = None
    ) -> list[tuple[int, int, float]]:
        """Return (rid, doc, cosine) of the nearest rows, best first.

        Args:
            space: which vectors.
            query: of length 1, shape (dim,).
            limit: number of rows.
            docs: only rows of these documents.
        """
        import numpy as np

        found: list[tuple[int, int, float]] = []
        for segment in self._open.get(space, []):
            coarse = segment.arrays["coarse"]
            scores = coarse @ query[: coarse.shape[1]]
            if segment.dead is not None:
                scores[segment.dead] = -np.inf
            if docs is not None:
                scores[~np.isin(segment.arrays["docs"], docs)] = -np.inf
            wanted = limit if coarse.shape[1] == query.shape[0] else limit * SHORTLIST
            rows = _largest(scores, wanted)
            rows = np.sort(rows[scores[rows] > -np.inf])
            exact = segment.vectors(rows) @ query
            best = np.argsort(-exact, kind="stable")[:limit]
            rids, owners = segment.arrays["rids"][rows[best]], segment.arrays["docs"][rows[best]]
            found += [(int(r), int(d), float(s)) for r, d, s in zip(rids, owners, exact[best], strict=True)]
        found.sort(key=lambda item: (-item[2], item[0]))
        return found[:limit]

    def merge(self, store: Store) -> list[str]:
        """Write the live rows of each space into one segment, list it in the store and return the names it replaces.

        The old folders must stay until the store's transaction is committed; then `discard` them.
        """
        import numpy as np

        listed: dict[str, list[tuple[str, Segment]]] = {}
        for name, space, rows, dead in store.segments():
            listed.setdefault(space, []).append((name, Segment(self._folder / name, rows, dead)))
        replaced: list[str] = []
        for space, members in listed.items():
            if len(members) < 2 and all(s.dead is None for _, s in members):
                continue
            live = [np.arange(s.rows) if s.dead is None else np.flatnonzero(~s.dead) for _, s in members]
            parts = {
                key: np.concatenate([s.arrays[key][rows] for (_, s), rows in zip(members, live, strict=True)])
                for key in members[0][1].arrays
            }
            replaced += [name for name, _ in members]
            store.drop_segments(name for name, _ in members)
            if len(parts["docs"]):
                name = uuid.uuid4().hex
                (self._folder / name).mkdir(parents=True)
                for key, array in parts.items():
                    np.save(self._folder / name / f"{key}.npy", array)
                store.set_segment(name, space, len(parts["docs"]), b"")
        return replaced

    def discard(self, store: Store) -> None:
        """Delete the folders that the store does not list."""
        kept = {name for name, *_ in store.segments()}
        if self._folder.exists():
            for folder in self._folder.iterdir():
                if folder.name not in kept:
                    shutil.rmtree(folder, ignore_errors=True)
