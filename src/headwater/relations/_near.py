"""Near-duplicate texts: MinHash over word shingles (Broder 1997), candidates by banding (Leskovec et al., ch. 3)."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

PERMUTATIONS = 64
"""Length of a signature."""

BANDS = 16
"""Bands of four values: a pair of similarity 0.8 becomes a candidate with probability 0.9998, one of 0.3 with 0.12."""

SHINGLE = 5
"""Words of a shingle."""

_WORD = re.compile(r"\w+")
_ASCII_WORD = re.compile(rb"\w+")
_PRIME = (1 << 61) - 1


def minhash(text: str) -> np.ndarray[Any, np.dtype[np.uint64]] | None:
    """Return the MinHash signature of a text, or None if it has fewer than twice `SHINGLE` words."""
    import numpy as np

    words = _words(text.casefold())
    if len(words) < 2 * SHINGLE:
        return None
    tokens = np.fromiter(map(zlib.crc32, words), dtype=np.uint64, count=len(words))
    mixed = np.zeros(len(tokens) - SHINGLE + 1, dtype=np.uint64)
    with np.errstate(over="ignore"):
        for i in range(SHINGLE):
            mixed = mixed * np.uint64(0x100000001B3) + tokens[i : len(tokens) - SHINGLE + 1 + i]
        mixed = np.unique((mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9))
        factors = _factors()
        signature = np.full(PERMUTATIONS, np.iinfo(np.uint64).max, dtype=np.uint64)
        for start in range(0, len(mixed), 4_096):
            block = mixed[start : start + 4_096, None] * factors[None, :]
            signature = np.minimum(signature, block.min(axis=0))
    return signature


def _words(text: str) -> list[bytes]:
    if text.isascii():
        return _ASCII_WORD.findall(text.encode())
    return [word.encode("utf-8", "surrogatepass") for word in _WORD.findall(text)]


@cache
def _factors() -> np.ndarray[Any, np.dtype[np.uint64]]:
    """Return fixed odd multipliers: multiply-shift hashing stands in for permutations (Dietzfelbinger et al. 1997)."""
    import numpy as np

    rng = np.random.default_rng(20_231)
    with np.errstate(over="ignore"):
        return rng.integers(1, 2**63, PERMUTATIONS, dtype=np.uint64) * np.uint64(2) + np.uint64(1)


def similarity(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> float:
    """Return the estimated Jaccard similarity of two texts from their signatures."""
    return float((a == b).mean())


def similar_pairs(
    signatures: Sequence[np.ndarray[Any, Any] | None], threshold: float = 0.8
) -> list[tuple[int, int, float]]:
    """Return index pairs of texts with an estimated similarity of at least `threshold`, best first."""
    buckets: dict[tuple[int, bytes], list[int]] = {}
    rows = PERMUTATIONS // BANDS
    for i, signature in enumerate(signatures):
        if signature is None:
            continue
        for band in range(BANDS):
            buckets.setdefault((band, signature[band * rows : (band + 1) * rows].tobytes()), []).append(i)
    pairs: dict[tuple[int, int], float] = {}
    for members in buckets.values():
        for a, i in enumerate(members[:50]):
            for j in members[a + 1 : a + 50]:
                if (i, j) not in pairs:
                    left, right = signatures[i], signatures[j]
                    assert left is not None and right is not None
                    pairs[i, j] = similarity(left, right)
    return sorted(
        ((i, j, s) for (i, j), s in pairs.items() if s >= threshold), key=lambda p: (-p[2], p[0], p[1])
    )
