"""Which words mean nearly the same, by the vectors of the search's own static embedder."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from headwater.search import Embedder

ALIKE = 0.6
"""Cosine from which two words count as alike: "killed" and "fatalities" have 0.61, "salary" and "religion" 0.2."""


def alike(word: str, others: Iterable[str]) -> str | None:
    """Return the word that is most like another, or None if none is like it; a word the vectors do not know is like none."""
    best, found = ALIKE, None
    for other in others:
        likeness = float(_vector(word) @ _vector(other))
        if likeness >= best:
            best, found = likeness, other
    return found


@lru_cache(maxsize=50_000)
def _vector(word: str) -> NDArray[np.float32]:
    vector: NDArray[np.float32] = _embedder().embed_queries([word])[0]
    return vector


@cache
def _embedder() -> Embedder:
    from headwater.search import StaticEmbedder

    return StaticEmbedder()
