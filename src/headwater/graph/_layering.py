"""Layered layout of a small directed graph (Sugiyama, Tagawa and Toda 1981): ranks, few crossings, coordinates.

Everything here runs on a few hundred nodes at most; the caller caps the picture.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

_SWEEPS = 12
_STRAIGHTENING = 10


@dataclass(frozen=True)
class Layout:
    """Where things go.

    Attributes:
        rank: rank of each node, from 0.
        y: vertical position of each node, in units of one row.
        bends: for every edge the positions (rank, y) between its two ends, in the direction of the edge as given.
    """

    rank: list[int]
    y: list[float]
    bends: dict[tuple[int, int], list[tuple[int, float]]]


def layered(count: int, edges: Sequence[tuple[int, int]]) -> Layout:
    """Lay out nodes 0 … count - 1 so that most edges run from a lower rank to a higher one."""
    pairs = sorted({edge for edge in edges if edge[0] != edge[1]})
    forward = _acyclic(count, pairs)
    rank = _ranks(count, forward)
    chains, total, level = _subdivide(count, forward, rank)
    columns: list[list[int]] = [[] for _ in range(max(level, default=0) + 1)]
    for node in range(total):
        columns[level[node]].append(node)
    before: dict[int, list[int]] = defaultdict(list)
    after: dict[int, list[int]] = defaultdict(list)
    for chain in chains.values():
        for a, b in zip(chain, chain[1:], strict=False):
            after[a].append(b)
            before[b].append(a)
    _order(columns, before, after)
    y = _place(columns, before, after, total, count)
    bends = {}
    for a, b in pairs:
        chain = chains[a, b] if (a, b) in chains else chains[b, a][::-1]
        bends[a, b] = [(level[node], y[node]) for node in chain[1:-1]]
    return Layout(rank, y[:count], bends)


def _acyclic(count: int, pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Turn around the edges that close a cycle in a depth-first search."""
    heads: dict[int, list[int]] = defaultdict(list)
    incoming = [0] * count
    for a, b in pairs:
        heads[a].append(b)
        incoming[b] += 1
    state, result = [0] * count, set()
    for root in sorted(range(count), key=lambda n: (incoming[n], n)):
        stack = [(root, iter(heads[root]))] if not state[root] else []
        state[root] = state[root] or 1
        while stack:
            node, rest = stack[-1]
            head = next(rest, None)
            if head is None:
                state[node] = 2
                stack.pop()
                continue
            result.add((head, node) if state[head] == 1 else (node, head))
            if not state[head]:
                state[head] = 1
                stack.append((head, iter(heads[head])))
    return sorted(result)


def _ranks(count: int, edges: list[tuple[int, int]]) -> list[int]:
    """Rank by the longest path from a source, then pull sources close to what they lead to."""
    before: dict[int, list[int]] = defaultdict(list)
    after: dict[int, list[int]] = defaultdict(list)
    for a, b in edges:
        after[a].append(b)
        before[b].append(a)
    rank, waiting = [0] * count, [len(before[n]) for n in range(count)]
    queue = [n for n in range(count) if not waiting[n]]
    for node in queue:  # grows while it is read: a topological order
        for head in after[node]:
            rank[head] = max(rank[head], rank[node] + 1)
            waiting[head] -= 1
            if not waiting[head]:
                queue.append(head)
    for node in reversed(queue):
        if after[node] and not before[node]:
            rank[node] = min(rank[head] for head in after[node]) - 1
    return rank


def _subdivide(
    count: int, edges: list[tuple[int, int]], rank: list[int]
) -> tuple[dict[tuple[int, int], list[int]], int, list[int]]:
    """Cut edges over several ranks into steps over helper nodes; return the chains, the number of nodes, and their ranks."""
    level, chains = list(rank), {}
    for a, b in edges:
        chain = [a]
        for between in range(rank[a] + 1, rank[b]):
            chain.append(len(level))
            level.append(between)
        chains[a, b] = [*chain, b]
    return chains, max(len(level), count), level


def _order(columns: list[list[int]], before: dict[int, list[int]], after: dict[int, list[int]]) -> None:
    """Order each column by the mean position of the neighbours in the column before it, then after it, in sweeps."""
    place = {node: float(i) for column in columns for i, node in enumerate(column)}
    for sweep in range(_SWEEPS):
        down = sweep % 2 == 0
        neighbours = before if down else after
        for column in columns if down else reversed(columns):
            means = {
                node: sum(place[other] for other in neighbours[node]) / len(neighbours[node])
                if neighbours[node]
                else place[node]
                for node in column
            }
            column.sort(key=lambda node: (means[node], place[node]))
            for i, node in enumerate(column):
                place[node] = float(i)


def _place(
    columns: list[list[int]],
    before: dict[int, list[int]],
    after: dict[int, list[int]],
    total: int,
    count: int,
) -> list[float]:
    """Move nodes towards their neighbours while each column keeps its order and its gaps."""
    y = [0.0] * total
    for column in columns:
        for i, node in enumerate(column):
            y[node] = i - (len(column) - 1) / 2
    for sweep in range(_STRAIGHTENING):
        for column in columns if sweep % 2 == 0 else reversed(columns):
            wanted = []
            for node in column:
                others = before[node] + after[node]
                wanted.append(sum(y[o] for o in others) / len(others) if others else y[node])
            for node, value in zip(
                column, _spread(wanted, [1.0 if n < count else 0.45 for n in column]), strict=True
            ):
                y[node] = value
    top = min(y, default=0.0)
    return [value - top for value in y]


def _spread(wanted: list[float], height: list[float]) -> list[float]:
    """Return positions as close to the wanted ones as gaps allow (blocks merged by mean, as in isotonic regression)."""
    blocks: list[tuple[float, int]] = []
    offsets, at = [], 0.0
    for i, size in enumerate(height):
        at += (height[i - 1] + size) / 2 if i else 0.0
        offsets.append(at)
    for value, offset in zip(wanted, offsets, strict=True):
        blocks.append((value - offset, 1))
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] > blocks[-1][0] / blocks[-1][1]:
            total, size = blocks.pop()
            blocks[-1] = blocks[-1][0] + total, blocks[-1][1] + size
    flat = [total / size for total, size in blocks for _ in range(size)]
    return [base + offset for base, offset in zip(flat, offsets, strict=True)]
