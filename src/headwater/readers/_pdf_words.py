"""Words of a PDF page with their places, as lines of cells."""

from __future__ import annotations

import ctypes
import re
from dataclasses import dataclass, field
from typing import Any

_GAP = 0.85
"""Blank between two cells of a line, in heights of its type; words of a text stand about a third apart."""

_LEADER = re.compile(r"[.…·_]+")
_LEAST_DOTS = 4
_CURRENCY = frozenset("$€£¥")
_MAX_CHARACTERS = 40_000


@dataclass(slots=True)
class Cell:
    """Words of a line that stand together; places in points from the left and the top."""

    x0: float
    x1: float
    text: str


@dataclass(slots=True)
class Line:
    """Cells on one baseline, from left to right."""

    top: float
    bottom: float
    cells: list[Cell] = field(default_factory=list)

    @property
    def height(self) -> float:
        """Height of the line in points."""
        return self.bottom - self.top

    @property
    def text(self) -> str:
        """Text of the whole line."""
        return " ".join(cell.text for cell in self.cells)


@dataclass(slots=True)
class Word:
    """A word and its place in points from the left and the top."""

    x0: float
    x1: float
    top: float
    bottom: float
    text: str


def characters(textpage: Any) -> str:
    """Return one character for each place that PDFium counts, whatever its text leaves out."""
    count = textpage.count_chars()
    text: str = textpage.get_text_range()
    if len(text) == count:
        return text
    import pypdfium2.raw as raw

    codes = (raw.FPDFText_GetUnicode(textpage.raw, index) for index in range(count))
    return "".join(
        chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd" for code in codes
    )


def page_words(page: Any) -> list[Word]:
    """Return the words of a page in drawing order."""
    textpage = page.get_textpage()
    try:
        return _words(page, textpage)
    finally:
        textpage.close()


def _words(page: Any, textpage: Any) -> list[Word]:
    import pypdfium2.raw as raw

    count = textpage.count_chars()
    if count > _MAX_CHARACTERS:
        return []
    text = characters(textpage)
    numbers = [ctypes.c_double() for _ in range(4)]
    left, right, bottom, top = numbers
    references = [ctypes.byref(number) for number in numbers]
    box_of, handle = raw.FPDFText_GetCharBox, textpage.raw
    turn = Turn(page)
    words: list[Word] = []
    now: Word | None = None
    for index, char in enumerate(text):
        if char in " \r\n\t\xa0\x02\ufffe":
            now = None
            continue
        if not box_of(handle, index, *references):
            continue
        x0, y0, x1, y1 = turn(left.value, bottom.value, right.value, top.value)
        if now is not None:
            height, gap, shift = now.bottom - now.top, x0 - now.x1, y1 - now.bottom
            if (
                -1 < gap < 0.6 * (height if height > 5 else 5)
                and -0.5 * height - 1 < shift < 0.5 * height + 1
            ):
                now.text += char
                now.x1 = x1 if x1 > now.x1 else now.x1
                now.top = y0 if y0 < now.top else now.top
                now.bottom = y1 if y1 > now.bottom else now.bottom
                continue
        now = Word(x0, x1, y0, y1, char)
        words.append(now)
    return _once(words)


def _once(words: list[Word]) -> list[Word]:
    """Leave out words drawn again on the same place, as some programs do for bold type."""
    seen: set[tuple[str, int, int]] = set()
    out = []
    for word in words:
        x, y = round(word.x0 / 2), round(word.top / 2)
        if not any((word.text, x + dx, y + dy) in seen for dx in (-1, 0, 1) for dy in (-1, 0, 1)):
            out.append(word)
        seen.add((word.text, x, y))
    return out


class Turn:
    """Turns page space (origin bottom left, before rotation) into what the reader sees (origin top left)."""

    def __init__(self, page: Any) -> None:
        self._box = page.get_bbox()
        self._rotation = page.get_rotation()

    def __call__(
        self, left: float, bottom: float, right: float, top: float
    ) -> tuple[float, float, float, float]:
        x0, y0, x1, y1 = self._box
        match self._rotation:
            case 90:
                return bottom - y0, left - x0, top - y0, right - x0
            case 180:
                return x1 - right, bottom - y0, x1 - left, top - y0
            case 270:
                return y1 - top, x1 - right, y1 - bottom, x1 - left
        return left - x0, y1 - top, right - x0, y1 - bottom


def lines_of(words: list[Word]) -> list[Line]:
    """Return the lines that words make, from top to bottom."""
    lines: list[tuple[Line, list[Word]]] = []
    for word in sorted(words, key=lambda w: (w.bottom, w.x0)):
        for line, members in reversed(lines[-4:]):
            overlap = min(line.bottom, word.bottom) - max(line.top, word.top)
            if overlap > 0.5 * min(word.bottom - word.top, line.height) or abs(line.bottom - word.bottom) < 2:
                members.append(word)
                line.top, line.bottom = min(line.top, word.top), max(line.bottom, word.bottom)
                break
        else:
            lines.append((Line(word.top, word.bottom), [word]))
    for line, members in lines:
        line.cells = _cells(sorted(members, key=lambda w: w.x0))
    return sorted((line for line, _ in lines), key=lambda item: item.top)


def _cells(words: list[Word]) -> list[Cell]:
    """Cut a line into cells; dots that lead from one to the next are none."""
    dots = [word for word in words if _LEADER.fullmatch(word.text)]
    if sum(len(word.text) for word in dots) >= _LEAST_DOTS and len(dots) < len(words):
        words = [word for word in words if not _LEADER.fullmatch(word.text)]
    heights = sorted(word.bottom - word.top for word in words)
    height = max(heights[len(heights) // 2], 5.0)
    cells: list[Cell] = []
    for word in words:
        if cells:
            before = cells[-1]
            gap = word.x0 - before.x1
            unit = (
                before.text in _CURRENCY
                and gap < 12 * height
                or word.text in (")", "%", ")%")
                and gap < 2 * height
            )
            if gap < _GAP * height or unit:
                glue = "" if unit or gap < 0.08 * height else " "
                before.text, before.x1 = f"{before.text}{glue}{word.text}", max(before.x1, word.x1)
                continue
        cells.append(Cell(word.x0, word.x1, word.text))
    return cells
