"""Minimum-join trees: the fewest edges that connect several tables (the Steiner tree of an unweighted graph)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.graph._traverse import distances, heads_of, step

if TYPE_CHECKING:
    from headwater.graph._index import Csr, Ints

EXACT_TERMINALS = 7
"""Up to so many tables the tree is exact; the work grows with 3^terminals."""

_MOST_LEVELS = 2_000
"""Longest tree that is solved exactly; each level of it costs a pass over the tables."""

_FAR = 1 << 29


def steiner_tree(both: Csr, terminals: list[int]) -> tuple[list[tuple[int, int]], bool]:
    """Return the edges of a smallest tree over connected terminals, and whether it is proven smallest.

    Exact by Dreyfus and Wagner (1971) over whole distance arrays; beyond the limits of this module by the shortest-path
    heuristic of Takahashi and Matsuyama (1980), which stays within 2 (1 - 1/k) of the optimum for k terminals.
    """
    terminals = sorted(set(terminals))
    approximate = _grow(both, terminals)
    if len(terminals) <= 2 or len(approximate) <= len(terminals) - 1:
        return approximate, True
    if len(terminals) > EXACT_TERMINALS or len(approximate) > _MOST_LEVELS:
        return approximate, False
    return _dreyfus_wagner(both, terminals, len(approximate)), True


def _grow(both: Csr, terminals: list[int]) -> list[tuple[int, int]]:
    """Grow a tree from the first terminal, each time by a shortest path to the nearest terminal outside."""
    import numpy as np

    n = len(both.indptr) - 1
    tree, missing = {terminals[0]}, set(terminals[1:])
    edges: list[tuple[int, int]] = []
    while missing:
        before = np.full(n, -2, dtype=np.int64)
        frontier = np.array(sorted(tree), dtype=np.int64)
        before[frontier] = -1
        hit: list[int] = []
        while not hit:
            owner, heads = step(both, frontier)
            fresh = before[heads] == -2
            heads, first = np.unique(heads[fresh], return_index=True)
            before[heads] = frontier[owner[fresh][first]]
            frontier = heads.astype(np.int64)
            hit = sorted(missing.intersection(heads.tolist()))
        node = hit[0]
        missing.discard(node)
        while (previous := int(before[node])) >= 0:
            edges.append((previous, node))
            tree.add(node)
            node = previous
    return sorted((min(e), max(e)) for e in edges)


def _dreyfus_wagner(both: Csr, terminals: list[int], bound: int) -> list[tuple[int, int]]:
    import numpy as np

    *others, root = terminals
    best: dict[int, Ints] = {}
    for bit, terminal in enumerate(others):
        steps = distances(both, terminal)
        best[1 << bit] = np.where(steps < 0, _FAR, steps).astype(np.int32)
    full = (1 << len(others)) - 1
    for mask in range(1, full + 1):
        if mask in best:
            continue
        values = np.full(len(both.indptr) - 1, _FAR, dtype=np.int32)
        for part in _halves(mask):
            np.minimum(values, best[part] + best[mask ^ part], out=values)
        best[mask] = _relax(both, values, bound)
    edges: set[tuple[int, int]] = set()
    pending = [(full, root)]
    while pending:
        mask, node = pending.pop()
        here = int(best[mask][node])
        if here == 0:
            continue
        split = next((p for p in _halves(mask) if int(best[p][node] + best[mask ^ p][node]) == here), 0)
        if split:
            pending += [(split, node), (mask ^ split, node)]
            continue
        head = next(h for h in both.row(node).tolist() if int(best[mask][h]) == here - 1)
        edges.add((min(node, head), max(node, head)))
        pending.append((mask, head))
    return sorted(edges)


def _halves(mask: int) -> list[int]:
    """Return the proper parts of a set of bits that hold its lowest bit: one of each pair of complements."""
    lowest = mask & -mask
    return [part for part in range(1, mask) if part & mask == part and part & lowest]


def _relax(both: Csr, values: Ints, bound: int) -> Ints:
    """Let values spread along edges, one step at a cost of one, up to `bound`."""
    import numpy as np

    for level in range(int(values.min()), bound):
        frontier = np.flatnonzero(values == level)
        if len(frontier):
            heads = heads_of(both, frontier)
            farther = heads[values[heads] > level + 1]
            values[farther] = level + 1
    return values
