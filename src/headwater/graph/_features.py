"""Structural features of tables: degrees, betweenness, PageRank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from headwater.graph._traverse import step

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from headwater.graph._index import Csr, EdgeKinds, GraphIndex

    Floats = NDArray[np.float64]

EXACT_BETWEENNESS = 2_000
"""Up to so many tables betweenness is exact; beyond, it is estimated from so many sampled sources."""

_SAMPLED_SOURCES = 200
_DAMPING, _TOLERANCE, _ROUNDS = 0.85, 1e-10, 200


@dataclass(frozen=True)
class Features:
    """Features by table number, all over distinct directed pairs.

    Attributes:
        names: table names in order.
        in_degree: incoming pairs.
        out_degree: outgoing pairs.
        centrality: degree / (tables - 1).
        betweenness: share of shortest directed paths through a table, normalised by (n - 1)(n - 2) (Brandes 2001).
        pagerank: damping 0.85; tables without an outgoing edge spread evenly.
        exact: False if betweenness is estimated from a sample of sources.
    """

    names: list[str]
    in_degree: NDArray[np.int64]
    out_degree: NDArray[np.int64]
    centrality: Floats
    betweenness: Floats
    pagerank: Floats
    exact: bool

    def of(self, table: str) -> dict[str, float]:
        """Return the features of one table."""
        i = self.names.index(table)
        values = {key: getattr(self, key)[i] for key in ("in_degree", "out_degree")}
        values |= {key: float(getattr(self, key)[i]) for key in ("centrality", "betweenness", "pagerank")}
        return {key: int(v) if key.endswith("degree") else v for key, v in values.items()}


def features(index: GraphIndex, edges: EdgeKinds, seed: int = 0) -> Features:
    """Compute the features of every table over the given edge kinds."""
    import numpy as np

    out, into = index.csr(edges, "out"), index.csr(edges, "in")
    n = index.n
    exact = n <= EXACT_BETWEENNESS
    sources = (
        np.arange(n) if exact else np.random.default_rng(seed).choice(n, _SAMPLED_SOURCES, replace=False)
    )
    between = _betweenness(out, sources)
    if n > 2:
        between *= n / (len(sources) * (n - 1) * (n - 2))
    degrees = np.diff(into.indptr).astype(np.int64), np.diff(out.indptr).astype(np.int64)
    centrality = (degrees[0] + degrees[1]) / max(n - 1, 1)
    return Features(index.names, *degrees, centrality, between, pagerank(out), exact)


def pagerank(out: Csr) -> Floats:
    """Return the PageRank of every node by power iteration (Page et al. 1999)."""
    import numpy as np

    n = len(out.indptr) - 1
    if n == 0:
        return np.zeros(0)
    degree = np.diff(out.indptr)
    share = np.divide(1.0, degree, out=np.zeros(n), where=degree > 0)
    back = out.matrix.T.tocsr()
    rank = np.full(n, 1 / n)
    for _ in range(_ROUNDS):
        lost = rank[degree == 0].sum() / n
        following = (1 - _DAMPING) / n + _DAMPING * (back @ (rank * share) + lost)
        moved = np.abs(following - rank).sum()
        rank = following
        if moved < _TOLERANCE:
            break
    return rank


def _betweenness(out: Csr, sources: NDArray[np.int64]) -> Floats:
    """Sum the pair dependencies of Brandes (2001) over sources, a whole level of the search at a time."""
    import numpy as np

    n = len(out.indptr) - 1
    total = np.zeros(n)
    for source in sources.tolist():
        ways, depth, share = np.zeros(n), np.full(n, -1), np.zeros(n)
        ways[source], depth[source] = 1, 0
        frontier = np.array([source])
        levels = []
        while len(frontier):
            owner, heads = step(out, frontier)
            level = depth[frontier[0]] + 1
            fresh = depth[heads] < 0
            depth[heads[fresh]] = level
            onward = depth[heads] == level
            tails, heads = frontier[owner[onward]], heads[onward]
            np.add.at(ways, heads, ways[tails])
            levels.append((tails, heads))
            frontier = np.unique(heads)
        for tails, heads in reversed(levels):
            np.add.at(share, tails, ways[tails] / ways[heads] * (1 + share[heads]))
        share[source] = 0
        total += share
    return total
