"""One page of a PDF through PDFium: its text, the text nobody sees, and whether it looks like it holds a table."""

from __future__ import annotations

import ctypes
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from headwater.readers._html_tree import superscript
from headwater.readers._pdf_words import characters

_TEXT, _PATH, _IMAGE, _FORM = 1, 2, 3, 5
_INVISIBLE_MODES = (3, 7)
"""Text render modes that paint nothing (ISO 32000-1, table 106)."""

_WHITE = 250
_TINY = 1.3
"""Points; nobody reads text of this height."""

_RAISED = 0.78
"""Ratio of sizes below which a piece right after another one is a footnote mark."""

_STRANGE = re.compile("[\x01\x03-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffd\ue000-\uf8ff]")
_HYPHEN = "\x02"
_SAMPLES = 24
_CELL_GAP = 0.8
"""Blank between cells in heights of the type; see `headwater.readers._pdf_words`."""

_TITLE_LETTERS = 6
_TITLE_LENGTH = 160
_MAX_OBJECTS = 200_000


@dataclass(slots=True)
class Piece:
    """A text object: where it is drawn and how.

    Attributes:
        box: left, bottom, right, top in page space, or None inside a form, whose space is its own.
        size: font size in points after scaling.
        hidden: nothing of it shows, as far as the object itself tells.
        white: drawn in white; whether it shows depends on what is under it.
    """

    box: tuple[float, float, float, float] | None
    size: float
    hidden: bool
    white: bool


@dataclass(slots=True)
class PageText:
    """What was read of a page.

    Attributes:
        text: in reading order.
        hidden: texts that do not show.
        unmapped: characters whose font does not say what they are.
        characters: all characters.
        images: share of the page that pictures cover.
        ocr: the text is an invisible layer over a picture.
        looks_tabular: several lines are cut into cells.
        ruled: lines are drawn both ways, as in a grid.
        title: text in the page's largest type.
    """

    text: str = ""
    hidden: list[str] = field(default_factory=list)
    unmapped: int = 0
    characters: int = 0
    images: float = 0.0
    paths: int = 0
    ocr: bool = False
    looks_tabular: bool = False
    ruled: bool = False
    title: str = ""


class _Objects:
    """The drawing objects of a page, looked over once."""

    def __init__(self, page: Any) -> None:
        import pypdfium2.raw as raw

        self._raw = raw
        self.pieces: dict[int, Piece] = {}
        self.order: list[int] = []
        self.images = 0.0
        self.horizontal = self.vertical = self.paths = 0
        self._floats = [ctypes.c_float() for _ in range(4)]
        self._colour = [ctypes.c_uint() for _ in range(4)]
        self._matrix = raw.FS_MATRIX()
        self._size = ctypes.c_float()
        self.width, self.height = page.get_size()
        self.bounds = page.get_bbox()
        count = raw.FPDFPage_CountObjects(page.raw)
        for index in range(min(count, _MAX_OBJECTS)):
            self._look(raw.FPDFPage_GetObject(page.raw, index), 0)

    def _look(self, item: Any, depth: int) -> None:
        raw = self._raw
        kind = raw.FPDFPageObj_GetType(item)
        if kind == _TEXT:
            self._add_text(item, depth)
        elif kind == _PATH:
            self.paths += 1
            box = self._box(item)
            if box and depth == 0:
                wide, high = box[2] - box[0], box[3] - box[1]
                self.horizontal += high < 3 and wide > 20 or wide > 20 and high > 8
                self.vertical += wide < 3 and high > 6 or wide > 20 and high > 8
        elif kind == _IMAGE:
            box = self._box(item)
            if box and self.width * self.height:
                self.images += (
                    max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1]) / (self.width * self.height)
                )
        elif kind == _FORM and depth < 4:
            for index in range(min(raw.FPDFFormObj_CountObjects(item), _MAX_OBJECTS)):
                self._look(raw.FPDFFormObj_GetObject(item, index), depth + 1)

    def _box(self, item: Any) -> tuple[float, float, float, float] | None:
        a, b, c, d = self._floats
        if not self._raw.FPDFPageObj_GetBounds(item, a, b, c, d):
            return None
        return a.value, b.value, c.value, d.value

    def _add_text(self, item: Any, depth: int) -> None:
        raw = self._raw
        red, green, blue, alpha = self._colour
        known = raw.FPDFPageObj_GetFillColor(item, red, green, blue, alpha)
        mode = raw.FPDFTextObj_GetTextRenderMode(item)
        raw.FPDFTextObj_GetFontSize(item, self._size)
        raw.FPDFPageObj_GetMatrix(item, self._matrix)
        m = self._matrix
        scale = max(abs(m.a) + abs(m.b), abs(m.c) + abs(m.d)) or 1.0
        box = self._box(item) if depth == 0 else None
        size = self._size.value * scale
        clear = bool(known) and alpha.value == 0 and mode == 0
        left, bottom, right, top = self.bounds
        off = box is not None and (box[2] < left or box[0] > right or box[3] < bottom or box[1] > top)
        white = bool(known) and mode == 0 and min(red.value, green.value, blue.value) >= _WHITE
        key = ctypes.addressof(item.contents)
        self.pieces[key] = Piece(
            box, size, mode in _INVISIBLE_MODES or clear or off or 0 < size < _TINY, white
        )
        self.order.append(key)


def read_page(page: Any, want_title: bool = False) -> PageText:
    """Read the text of a page."""
    textpage = page.get_textpage()
    try:
        return _read(page, textpage, want_title)
    finally:
        textpage.close()


def _read(page: Any, textpage: Any, want_title: bool) -> PageText:
    objects = _Objects(page)
    out = PageText(images=objects.images, paths=objects.paths)
    out.characters = textpage.count_chars()
    out.ruled = objects.horizontal >= 3 and objects.vertical >= 2
    pieces = objects.pieces
    hidden = [piece for piece in pieces.values() if piece.hidden]
    out.ocr = len(hidden) * 2 > len(pieces) > 0 and objects.images > 0.1
    if out.ocr:
        for piece in hidden:
            piece.hidden = False
    white = [piece for piece in pieces.values() if piece.white and not piece.hidden]
    if white:
        _judge_white(page, white)
    text = textpage.get_text_bounded()
    if any(piece.hidden for piece in pieces.values()) or _has_raised(objects):
        text = _corrected(text, _corrections(textpage, objects, out))
    if want_title:
        out.title = _title(textpage, objects)
    if _is_strange(textpage, text, out.characters):
        text = _mapped(textpage, out)
    rects = [textpage.get_rect(i) for i in range(min(textpage.count_rects(), 4000))]
    out.looks_tabular = _cell_lines(rects) >= 3
    if not out.looks_tabular or not out.ruled:
        text = _in_columns(textpage, rects, text, objects.width) if not out.hidden else text
    out.text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\ufffe", _HYPHEN).strip("\n")
    return out


def _judge_white(page: Any, pieces: list[Piece]) -> None:
    """Find the white texts that do not stand out: the page is drawn, and their places are of one colour."""
    try:
        bitmap = page.render(scale=2, grayscale=True)
        pixels = bitmap.to_numpy()
    except (RuntimeError, ValueError, MemoryError):
        return
    height, width = pixels.shape[:2]
    if page.get_rotation():
        return
    left, bottom, right, top = page.get_bbox()
    sx, sy = width / max(right - left, 1), height / max(top - bottom, 1)
    for piece in pieces:
        if piece.box is None:
            continue
        x0, y0, x1, y1 = piece.box
        part = pixels[
            max(0, int((top - y1) * sy)) : max(0, int((top - y0) * sy) + 1),
            max(0, int((x0 - left) * sx)) : max(0, int((x1 - left) * sx) + 1),
        ]
        if part.size and int(part.max()) - int(part.min()) < 8:
            piece.hidden = True


def _has_raised(objects: _Objects) -> bool:
    sizes = [(objects.pieces[key].size, objects.pieces[key].box) for key in objects.order]
    return any(
        after[0] < _RAISED * before[0]
        and before[1]
        and after[1]
        and after[1][1] > before[1][1]
        and after[1][2] - after[1][0] < 3 * before[0]
        for before, after in zip(sizes, sizes[1:], strict=False)
    )


def _corrections(textpage: Any, objects: _Objects, out: PageText) -> list[tuple[str, str, str]]:
    """Go through the characters with the objects that drew them.

    Returns:
        (characters before, characters, what to write for them) of each hidden and each raised run, in order.
    """
    import pypdfium2.raw as raw

    owner_of, handle = raw.FPDFText_GetTextObject, textpage.raw
    runs: list[tuple[str, str, bool]] = []
    before = ""
    last: Piece | None = None
    run: list[str] = []
    kind = ""
    for index, char in enumerate(characters(textpage)):
        if char.isspace():
            if kind == "hidden":
                run.append(" ")
            elif kind:
                runs.append((before, "".join(run), False))
                before, run, kind = before + "".join(run), [], ""
            before += char if before and not kind else ""
            continue
        item = owner_of(handle, index)
        piece = objects.pieces.get(ctypes.addressof(item.contents)) if item else None
        if piece is None:
            now = kind
        elif piece.hidden:
            now = "hidden"
        elif kind == "raised" and piece is last:
            now = "raised"
        else:
            now = "raised" if last is not None and piece is not last and _is_raised(last, piece) else ""
        if now != kind and run:
            runs.append((before, "".join(run), kind == "hidden"))
            before, run = before if kind == "hidden" else before + "".join(run), []
        kind = now
        if kind:
            run.append(char)
        else:
            before = before[-40:] + char
        last = piece if piece is not None and not piece.hidden else last
    if run:
        runs.append((before, "".join(run), kind == "hidden"))
    out.hidden = [text.strip() for _, text, is_hidden in runs if is_hidden]
    return [(b[-12:], text, "" if is_hidden else superscript(b, text)) for b, text, is_hidden in runs]


def _corrected(text: str, corrections: list[tuple[str, str, str]]) -> str:
    """Write the corrections into a text whose blanks and line ends may differ from those of the single characters."""
    at = 0
    for before, wrong, right in corrections:
        lead = _loosely(before[-6:])
        pattern = re.compile(f"({lead}\\s*)({_loosely(wrong)})")
        found = pattern.search(text, at) or pattern.search(text)
        if found and wrong.strip():
            text = text[: found.start(2)] + right + text[found.end(2) :]
            at = max(0, found.start(2) - 1)
    return text


def _loosely(text: str) -> str:
    return r"\s*".join(re.escape(char) for char in text if not char.isspace())


def _is_raised(before: Piece, after: Piece) -> bool:
    if after.size >= _RAISED * before.size or not before.box or not after.box:
        return False
    return (
        after.box[1] > before.box[1] + 0.1 * before.size and after.box[0] < before.box[2] + 0.5 * before.size
    )


def _title(textpage: Any, objects: _Objects) -> str:
    """Return the first run of text in the page's largest type, if there is less of it than of the text proper."""
    import pypdfium2.raw as raw

    whole = characters(textpage)
    sizes: list[float] = []
    for index, char in enumerate(whole):
        item = raw.FPDFText_GetTextObject(textpage.raw, index) if not char.isspace() else None
        piece = objects.pieces.get(ctypes.addressof(item.contents)) if item else None
        sizes.append(round(piece.size, 1) if piece is not None and not piece.hidden else 0.0)
    counts = Counter(size for size in sizes if size)
    largest = max((size for size, count in counts.items() if count >= 4), default=0.0)
    if not largest or largest <= counts.most_common(1)[0][0] * 1.1:
        return ""
    start = sizes.index(largest)
    end = start
    while end < len(whole) and (sizes[end] == largest or whole[end].isspace()):
        end += 1
    title = " ".join(whole[start:end].replace(_HYPHEN, "-").split())
    return (
        title if len(re.findall(r"[^\W\d_]", title)) >= _TITLE_LETTERS and len(title) <= _TITLE_LENGTH else ""
    )


def _is_strange(textpage: Any, text: str, count: int) -> bool:
    if _STRANGE.search(text):
        return True
    import pypdfium2.raw as raw

    step = max(1, count // _SAMPLES)
    return any(raw.FPDFText_HasUnicodeMapError(textpage.raw, index) == 1 for index in range(0, count, step))


def _mapped(textpage: Any, out: PageText) -> str:
    """Return the text without the characters whose font gives no meaning for them."""
    import pypdfium2.raw as raw

    whole = characters(textpage)
    failed = raw.FPDFText_HasUnicodeMapError
    kept = [char for index, char in enumerate(whole) if failed(textpage.raw, index) != 1]
    out.unmapped = len(whole) - len(kept)
    return _STRANGE.sub("", "".join(kept))


def _cell_lines(rects: list[tuple[float, float, float, float]]) -> int:
    """Count the lines with a gap that no word space is; the rectangles are those of PDFium's text runs."""
    lines: dict[int, list[tuple[float, float, float]]] = {}
    for left, bottom, right, top in rects:
        lines.setdefault(round((bottom + top) / 6), []).append((left, right, top - bottom))
    count = 0
    for runs in lines.values():
        if len(runs) > 1:
            runs.sort()
            count += any(
                b[0] - a[1] > _CELL_GAP * max(a[2], b[2], 5.0) for a, b in zip(runs, runs[1:], strict=False)
            )
    return count


def _in_columns(
    textpage: Any, rects: list[tuple[float, float, float, float]], text: str, width: float
) -> str:
    """Read two columns of prose one after the other where the file draws them line by line across."""
    if len(rects) < 12 or not width:
        return text
    gutter = _gutter(rects, width)
    if gutter is None:
        return text
    low, high, jumps = gutter
    if jumps < 6:
        return text
    both = [r for r in rects if r[0] < low and r[2] > high]
    top = max(r[3] for r in rects) + 1
    bottom = min(r[1] for r in rects) - 1
    edges = sorted({top, bottom, *(r[3] for r in both), *(r[1] for r in both)}, reverse=True)
    out = []
    middle = (low + high) / 2
    for upper, lower in zip(edges, edges[1:], strict=False):
        spanning = any(abs(r[3] - upper) < 0.1 and abs(r[1] - lower) < 0.1 for r in both)
        parts = [(None, None)] if spanning else [(None, middle), (middle, None)]
        for left, right in parts:
            out.append(textpage.get_text_bounded(left=left, bottom=lower, right=right, top=upper).strip())
    ordered = "\n".join(filter(None, out))
    # what stands across the gutter would be cut: the page then keeps its own order
    return ordered if Counter("".join(ordered.split())) == Counter("".join(text.split())) else text


def _gutter(rects: list[tuple[float, float, float, float]], width: float) -> tuple[float, float, int] | None:
    """Find the blank strip between two columns of prose, and how often the drawing order jumps over it."""
    wide = [r for r in rects if r[2] - r[0] > 0.22 * width]
    lefts = [r for r in wide if r[2] < 0.58 * width]
    rights = [r for r in wide if r[0] > 0.42 * width]
    if len(lefts) < 6 or len(rights) < 6 or len(lefts) + len(rights) < 0.6 * len(wide):
        return None
    low, high = max(r[2] for r in lefts), min(r[0] for r in rights)
    if high - low < 4 or any(low < r[0] < high and low < r[2] < high for r in rects):
        return None
    sides = [0 if r in lefts else 1 for r in wide if r in lefts or r in rights]
    return low, high, sum(a != b for a, b in zip(sides, sides[1:], strict=False))
