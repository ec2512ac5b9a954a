"""Graph searches over compressed rows: numbers in, numbers out.

Full searches from one node run in scipy's csgraph (compiled, linear); searches from a set of nodes and single steps are
vectorised over the frontier; a single path is a bidirectional search in plain Python, which visits few nodes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from headwater.graph._index import Csr, Ints

_MOST_VISITED_IN_PYTHON = 20_000
"""From here on a compiled search over the whole graph is cheaper than going on node by node."""


def search(csr: Csr, start: int) -> tuple[Ints, Ints]:
    """Breadth-first search: the nodes reached from `start` (itself first, in order of distance) and each node's predecessor.

    Returns:
        order [reached] and predecessors [n]; a negative predecessor is "none".
    """
    from scipy.sparse.csgraph import breadth_first_order

    order, before = breadth_first_order(csr.matrix, start, directed=True, return_predecessors=True)
    return order, before


def distances(csr: Csr, start: int) -> Ints:
    """Return the number of steps from `start` to every node, -1 where it cannot be reached.

    The order of a breadth-first search lists whole levels one after another and the positions of the predecessors
    never fall, so each level ends where the predecessors of the next one begin: no work per node.
    """
    import numpy as np

    order, before = search(csr, start)
    n = len(before)
    position = np.empty(n, dtype=np.int32)
    position[order] = np.arange(len(order), dtype=np.int32)
    parents = position[before[order[1:]]]
    levels = np.zeros(len(order), dtype=np.int32)
    begin, end, level = 0, 1, 0
    while end < len(order):
        level += 1
        begin, end = end, 1 + int(np.searchsorted(parents, end, "left"))
        levels[begin:end] = level
    out = np.full(n, -1, dtype=np.int32)
    out[order] = levels
    return out


def step(csr: Csr, nodes: NDArray[np.integer]) -> tuple[NDArray[np.int64], Ints]:
    """Follow every edge out of `nodes`; return for each edge the position in `nodes` it left from, and its head."""
    import numpy as np

    counts = csr.indptr[nodes + 1] - csr.indptr[nodes]
    return np.repeat(np.arange(len(nodes)), counts), heads_of(csr, nodes)


def heads_of(csr: Csr, nodes: NDArray[np.integer]) -> Ints:
    """Return the heads of every edge out of `nodes`, node by node, with repeats."""
    import numpy as np

    starts = csr.indptr[nodes]
    counts = csr.indptr[nodes + 1] - starts
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    return csr.indices[np.repeat(starts - ends + counts, counts) + np.arange(total)]


def ball(csr: Csr, start: int, depth: int) -> tuple[Ints, Ints]:
    """Search at most `depth` steps far; the same result as `search`, at the cost of the edges near `start` only."""
    import numpy as np

    n = len(csr.indptr) - 1
    before = np.full(n, -9999, dtype=np.int32)
    seen = np.zeros(n, dtype=bool)
    seen[start] = True
    frontier = np.array([start], dtype=np.int32)
    levels = [frontier]
    for _ in range(depth):
        owner, heads = step(csr, frontier)
        fresh = ~seen[heads]
        heads, first = np.unique(heads[fresh], return_index=True)
        if not len(heads):
            break
        before[heads] = frontier[owner[fresh][first]]
        seen[heads] = True
        frontier = heads
        levels.append(frontier)
    return np.concatenate(levels), before


def walk_back(before: Ints, node: int) -> list[int]:
    """Return the path from the start of a search to `node`."""
    path = [node]
    while (node := int(before[node])) >= 0:
        path.append(node)
    return path[::-1]


def shortest_path(forward: Csr, backward: Csr, source: int, target: int) -> list[int]:
    """Return one shortest path, both ends included, or [] if there is none.

    Args:
        forward: edges as they are followed.
        backward: the same edges reversed (the same object for an undirected search).
        source: number of the first table.
        target: number of the last table.
    """
    if source == target:
        return [source]
    ahead: dict[int, int] = {source: -1}
    behind: dict[int, int] = {target: -1}
    left, right = [source], [target]
    while left and right:
        if len(left) <= len(right):
            left, met = _advance(forward, left, ahead, behind)
        else:
            right, met = _advance(backward, right, behind, ahead)
        if met is not None:
            return _join(met, ahead, behind)
        if len(ahead) + len(behind) > _MOST_VISITED_IN_PYTHON:
            order, before = search(forward, source)
            return walk_back(before, target) if before[target] >= 0 else []
    return []


def _advance(
    csr: Csr, frontier: list[int], mine: dict[int, int], other: dict[int, int]
) -> tuple[list[int], int | None]:
    """Expand one level; return the next level and a node where both searches meet."""
    indptr, indices = csr.views
    following: list[int] = []
    for node in frontier:
        for head in indices[indptr[node] : indptr[node + 1]]:
            if head not in mine:
                mine[head] = node
                if head in other:
                    return following, head
                following.append(head)
    return following, None


def _join(met: int, ahead: dict[int, int], behind: dict[int, int]) -> list[int]:
    path, node = [], met
    while node >= 0:
        path.append(node)
        node = ahead[node]
    path.reverse()
    node = behind[met]
    while node >= 0:
        path.append(node)
        node = behind[node]
    return path


class PathDag:
    """All shortest paths between two tables: the edges that lie on one, level by level.

    Attributes:
        length: number of steps, -1 if the tables are not connected.
        count: exact number of shortest paths.
    """

    def __init__(self, forward: Csr, backward: Csr, source: int, target: int) -> None:
        import numpy as np

        self.source, self.target = source, target
        from_source = distances(forward, source)
        self.length = int(from_source[target])
        self._next: dict[int, list[int]] = {}
        self.count = 0
        if self.length < 0:
            return
        to_target = distances(backward, target)
        on_path = (from_source >= 0) & (to_target >= 0) & (from_source + to_target == self.length)
        nodes = np.flatnonzero(on_path)
        for node in nodes.tolist():
            heads = forward.row(node)
            keep = on_path[heads] & (from_source[heads] == from_source[node] + 1)
            self._next[node] = heads[keep].tolist()
        ways = {target: 1}
        for node in sorted(nodes.tolist(), key=lambda i: -int(from_source[i])):
            if node != target:
                ways[node] = sum(ways[head] for head in self._next[node])
        self.count = ways[source]

    def __iter__(self) -> Iterator[list[int]]:
        """Yield the paths in lexicographic order of their tables, one at a time."""
        if self.length < 0:
            return
        stack: list[list[int]] = [[self.source]]
        while stack:
            path = stack.pop()
            if path[-1] == self.target:
                yield path
            else:
                stack.extend([*path, head] for head in reversed(self._next[path[-1]]))


def components(csr: Csr) -> tuple[int, Ints]:
    """Return the number of weakly connected components and each node's component, numbered by smallest member."""
    import numpy as np
    from scipy.sparse.csgraph import connected_components

    count, labels = connected_components(csr.matrix, directed=True, connection="weak")
    # csgraph scans nodes in ascending order but may number components otherwise: renumber by first appearance
    first = np.full(count, len(labels), dtype=np.int64)
    np.minimum.at(first, labels, np.arange(len(labels)))
    rank = np.empty(count, dtype=np.int32)
    rank[np.argsort(first)] = np.arange(count, dtype=np.int32)
    return count, rank[labels]


def cuts(both: Csr) -> tuple[list[int], list[tuple[int, int]]]:
    """Return articulation points and bridges of an undirected graph (Tarjan 1972, Hopcroft and Tarjan 1973), iteratively.

    Self references are ignored; both lists ascend.
    """
    n = len(both.indptr) - 1
    indptr, indices = both.indptr.tolist(), both.indices.tolist()
    number, low, cursor = [-1] * n, [0] * n, indptr[:n]
    points: set[int] = set()
    bridges: list[tuple[int, int]] = []
    clock = 0
    for root in range(n):
        if number[root] >= 0:
            continue
        number[root] = low[root] = clock
        clock += 1
        stack, children = [(root, -1)], 0
        while stack:
            node, parent = stack[-1]
            at = cursor[node]
            if at < indptr[node + 1]:
                cursor[node] = at + 1
                head = indices[at]
                if head in (parent, node):
                    continue
                if number[head] >= 0:
                    low[node] = min(low[node], number[head])
                    continue
                number[head] = low[head] = clock
                clock += 1
                children += node == root
                stack.append((head, node))
                continue
            stack.pop()
            if parent < 0:
                continue
            low[parent] = min(low[parent], low[node])
            if low[node] > number[parent]:
                bridges.append((min(parent, node), max(parent, node)))
            if parent != root and low[node] >= number[parent]:
                points.add(parent)
        if children > 1:
            points.add(root)
    return sorted(points), sorted(bridges)


def cycles(csr: Csr) -> list[list[int]]:
    """Return one shortest cycle through the smallest node of every strongly connected component, closed (first = last)."""
    import numpy as np
    from scipy.sparse.csgraph import connected_components

    count, labels = connected_components(csr.matrix, directed=True, connection="strong")
    tails = np.repeat(np.arange(len(labels)), np.diff(csr.indptr))
    loops = set(tails[tails == csr.indices].tolist())
    _, smallest = np.unique(labels, return_index=True)
    shared = np.bincount(labels, minlength=count) > 1
    found: list[list[int]] = [[node, node] for node in loops]
    found += [_shortest_cycle(csr, int(node), labels) for node in smallest[shared] if int(node) not in loops]
    return sorted(found)


def _shortest_cycle(csr: Csr, start: int, labels: Ints) -> list[int]:
    before = {start: -1}
    queue = [start]
    for node in queue:  # grows while it is read: a breadth-first search inside one component
        for head in csr.row(node).tolist():
            if head == start:
                path = [start]
                while node >= 0:
                    path.append(node)
                    node = before[node]
                return path[::-1]
            if labels[head] == labels[start] and head not in before:
                before[head] = node
                queue.append(head)
    raise AssertionError(
        "a strongly connected component of two or more nodes has a cycle through each of them"
    )


def closure(csr: Csr, seeds: NDArray[np.integer]) -> Ints:
    """Return everything that can be reached from `seeds`, the seeds included, ascending."""
    import numpy as np

    seen = np.zeros(len(csr.indptr) - 1, dtype=bool)
    seen[seeds] = True
    frontier = np.unique(seeds)
    while len(frontier):
        heads = heads_of(csr, frontier)
        frontier = np.unique(heads[~seen[heads]])
        seen[frontier] = True
    return np.flatnonzero(seen).astype(np.int32)
