"""Grids drawn on a PDF page: from its ruling lines to the cells between them.

Lines and the edges of rectangles are snapped to common places; lines that touch belong to one grid; two neighbouring
places of a grid are one cell where no line parts them.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from headwater.readers._pdf_words import Turn

_PATH, _FORM = 2, 5
_THIN = 2.5
"""Points up to which a filled rectangle is a line."""

_SNAP = 2.5
"""Points within which two lines are at one place; ruling lines are drawn in pieces."""

_SHORTEST = 5.0
_MAX_SEGMENTS = 20_000
_MAX_PLACES = 20_000


@dataclass(slots=True)
class Rule:
    """A horizontal or vertical line: its place, and where it begins and ends along the other direction (points)."""

    at: float
    start: float
    end: float


@dataclass(slots=True)
class Grid:
    """A drawn grid.

    Attributes:
        xs, ys: places of the lines from left to right and from top to bottom.
        cells: (row, column, rows down, columns across) of each cell.
    """

    xs: list[float]
    ys: list[float]
    cells: list[tuple[int, int, int, int]] = field(default_factory=list)


def find_grids(page: Any) -> list[Grid]:
    """Return the grids of a page from top to bottom that have at least two rows and two columns."""
    across, down = _rules(page)
    if len(across) < 2 or len(down) < 2:
        return []
    across, down = _merged(across), _merged(down)
    grids = []
    for horizontals, verticals in _touching(across, down):
        grid = _grid(horizontals, verticals)
        if grid is not None:
            grids.append(grid)
    return sorted(grids, key=lambda grid: grid.ys[0])


def _rules(page: Any) -> tuple[list[Rule], list[Rule]]:
    across: list[Rule] = []
    down: list[Rule] = []
    turn = Turn(page)
    for x0, y0, x1, y1 in _edges(page):
        left, top, right, bottom = turn(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))
        if bottom - top <= _THIN and right - left >= _SHORTEST:
            across.append(Rule((top + bottom) / 2, left, right))
        elif right - left <= _THIN and bottom - top >= _SHORTEST:
            down.append(Rule((left + right) / 2, top, bottom))
    return across, down


def _edges(page: Any) -> Iterator[tuple[float, float, float, float]]:
    """Yield the straight pieces of all paths of a page, in page space."""
    import pypdfium2.raw as raw

    budget = [_MAX_SEGMENTS]
    for index in range(raw.FPDFPage_CountObjects(page.raw)):
        item = raw.FPDFPage_GetObject(page.raw, index)
        kind = raw.FPDFPageObj_GetType(item)
        if kind == _PATH:
            yield from _path_edges(item, budget)
        if budget[0] <= 0:
            return


def _path_edges(item: Any, budget: list[int]) -> Iterator[tuple[float, float, float, float]]:
    import pypdfium2.raw as raw

    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    if not raw.FPDFPageObj_GetBounds(item, left, bottom, right, top):
        return
    wide, high = right.value - left.value, top.value - bottom.value
    if min(wide, high) <= _THIN:
        budget[0] -= 1
        yield left.value, bottom.value, right.value, top.value
        return
    if min(wide, high) < _SHORTEST:
        return
    matrix = raw.FS_MATRIX()
    raw.FPDFPageObj_GetMatrix(item, matrix)
    x, y = ctypes.c_float(), ctypes.c_float()
    start = last = None
    for number in range(min(raw.FPDFPath_CountSegments(item), budget[0])):
        budget[0] -= 1
        segment = raw.FPDFPath_GetPathSegment(item, number)
        raw.FPDFPathSegment_GetPoint(segment, x, y)
        here = (
            matrix.a * x.value + matrix.c * y.value + matrix.e,
            matrix.b * x.value + matrix.d * y.value + matrix.f,
        )
        kind = raw.FPDFPathSegment_GetType(segment)
        if kind == raw.FPDF_SEGMENT_MOVETO:
            start = here
        elif kind == raw.FPDF_SEGMENT_LINETO and last is not None:
            yield (*last, *here)
        last = here
        if raw.FPDFPathSegment_GetClose(segment) and start is not None:
            yield (*last, *start)
            last = start


def _merged(rules: list[Rule]) -> list[Rule]:
    """Snap lines to common places and join the pieces that touch."""
    out: list[Rule] = []
    rules = sorted(rules, key=lambda rule: rule.at)
    first = 0
    while first < len(rules):
        last = first
        while last + 1 < len(rules) and rules[last + 1].at - rules[first].at <= _SNAP:
            last += 1
        group = sorted(rules[first : last + 1], key=lambda rule: rule.start)
        place = sum(rule.at for rule in group) / len(group)
        now = Rule(place, group[0].start, group[0].end)
        for rule in group[1:]:
            if rule.start <= now.end + _SNAP:
                now.end = max(now.end, rule.end)
            else:
                out.append(now)
                now = Rule(place, rule.start, rule.end)
        out.append(now)
        first = last + 1
    return out


def _touching(across: list[Rule], down: list[Rule]) -> list[tuple[list[Rule], list[Rule]]]:
    """Group lines that cross or meet."""
    parents = list(range(len(across) + len(down)))

    def root(i: int) -> int:
        while parents[i] != i:
            parents[i] = parents[parents[i]]
            i = parents[i]
        return i

    for i, rule in enumerate(across):
        for j, other in enumerate(down, len(across)):
            meets = (
                rule.start - _SNAP <= other.at <= rule.end + _SNAP
                and other.start - _SNAP <= rule.at <= other.end + _SNAP
            )
            if meets:
                parents[root(i)] = root(j)
    groups: dict[int, tuple[list[Rule], list[Rule]]] = {}
    for i in range(len(parents)):
        group = groups.setdefault(root(i), ([], []))
        (group[0] if i < len(across) else group[1]).append(
            across[i] if i < len(across) else down[i - len(across)]
        )
    return [group for group in groups.values() if len(group[0]) >= 2 and group[1]]


def _grid(across: list[Rule], down: list[Rule]) -> Grid | None:
    xs = _places([rule.at for rule in down] + [min(r.start for r in across), max(r.end for r in across)])
    ys = _places([rule.at for rule in across] + [min(r.start for r in down), max(r.end for r in down)])
    if len(xs) < 3 or len(ys) < 3 or len(xs) * len(ys) > _MAX_PLACES:
        return None
    columns, rows = len(xs) - 1, len(ys) - 1
    owner = [[(r, c) for c in range(columns)] for r in range(rows)]
    for r in range(rows):
        middle = (ys[r] + ys[r + 1]) / 2
        for c in range(columns - 1):
            if not any(
                abs(rule.at - xs[c + 1]) <= _SNAP and rule.start <= middle <= rule.end for rule in down
            ):
                _unite(owner, (r, c), (r, c + 1))
    for c in range(columns):
        middle = (xs[c] + xs[c + 1]) / 2
        for r in range(rows - 1):
            if not any(
                abs(rule.at - ys[r + 1]) <= _SNAP and rule.start <= middle <= rule.end for rule in across
            ):
                _unite(owner, (r, c), (r + 1, c))
    groups: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for r in range(rows):
        for c in range(columns):
            groups.setdefault(_owner(owner, (r, c)), []).append((r, c))
    grid = Grid(xs, ys)
    for members in groups.values():
        top, left = min(r for r, _ in members), min(c for _, c in members)
        high, wide = max(r for r, _ in members) - top + 1, max(c for _, c in members) - left + 1
        grid.cells.append((top, left, high, wide))
    return grid


def _places(values: list[float]) -> list[float]:
    out: list[float] = []
    for value in sorted(values):
        if not out or value - out[-1] > _SNAP:
            out.append(value)
    return out


def _owner(owner: list[list[tuple[int, int]]], place: tuple[int, int]) -> tuple[int, int]:
    while owner[place[0]][place[1]] != place:
        place = owner[place[0]][place[1]]
    return place


def _unite(owner: list[list[tuple[int, int]]], one: tuple[int, int], other: tuple[int, int]) -> None:
    first, second = _owner(owner, one), _owner(owner, other)
    low, high = min(first, second), max(first, second)
    owner[high[0]][high[1]] = low
