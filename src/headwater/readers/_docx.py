"""DOCX (ISO/IEC 29500-1, WordprocessingML): text in order, headings, tables with merged cells, hidden text told."""

from __future__ import annotations

import zipfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.errors import ReadError
from headwater.model import ReadResult, Table
from headwater.readers._grid import Cell, Grid, build, lay_out
from headwater.readers._invisible import describe_invisible, hidden_warning, strip_tags
from headwater.readers._names import name_tables

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from headwater.readers import ReadOptions

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_STRICT = "{http://purl.oclc.org/ooxml/wordprocessingml/main}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_CORE = {"title", "creator", "subject", "description", "keywords", "created", "modified"}
_TINY = 4
"""Half-points; text of two points and less is not read by a person."""


@dataclass
class _Reading:
    """State of one document.

    Attributes:
        headings: level of each paragraph style that is a heading, 0 for captions.
        lines: text so far.
        tables: so far.
        hidden: texts that do not show.
        title: last heading or caption, the name of a table that follows.
    """

    options: ReadOptions
    headings: dict[str, int] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)
    title: str = ""
    first_heading: str = ""


def read_docx(path: Path, name: str, options: ReadOptions) -> ReadResult:
    """Read a Word document.

    Raises:
        ReadError: the package or its main part is damaged.
    """
    try:
        with zipfile.ZipFile(path) as package:
            parts = {part.lower(): part for part in package.namelist()}
            body = _part(package, parts, "word/document.xml", options, name)
            if body is None:
                raise ReadError("The Word document is damaged: its main part is missing.", where=name)
            reading = _Reading(
                options, _heading_styles(_part(package, parts, "word/styles.xml", options, name))
            )
            _blocks(body, reading)
            for notes in ("word/footnotes.xml", "word/endnotes.xml"):
                root = _part(package, parts, notes, options, name)
                if root is not None:
                    _notes(root, reading)
            core = _part(package, parts, "docprops/core.xml", options, name)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError) as error:
        raise ReadError(f"The Word document is damaged or truncated: {error}.", where=name) from error
    result = ReadResult(
        format="docx", text=strip_tags("\n".join(reading.lines)).strip() or None, tables=reading.tables
    )
    name_tables(result.tables)
    result.metadata = _metadata(core, reading.first_heading)
    result.warnings = [*describe_invisible("\n".join(reading.lines)), *hidden_warning(reading.hidden)]
    return result


def _part(
    package: zipfile.ZipFile, parts: dict[str, str], part: str, options: ReadOptions, name: str
) -> Element | None:
    from xml.etree.ElementTree import ParseError

    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    if part not in parts:
        return None
    if package.getinfo(parts[part]).file_size > options.max_member_bytes:
        raise ReadError(
            f"The Word document's part {part} is larger than the limit when unpacked.", where=name
        )
    try:
        return fromstring(package.read(parts[part]).replace(_STRICT[1:-1].encode(), _W[1:-1].encode()))
    except (ParseError, DefusedXmlException) as error:
        raise ReadError(f"The Word document is damaged: {part}: {error}.", where=name) from error


def _heading_styles(styles: Element | None) -> dict[str, int]:
    found: dict[str, int] = {}
    for style in styles if styles is not None else []:
        shown = style.find(f"{_W}name")
        label = (shown.get(f"{_W}val") or "").lower() if shown is not None else ""
        identifier = style.get(f"{_W}styleId") or ""
        if label.startswith("heading ") and label[8:].isdigit():
            found[identifier] = int(label[8:])
        elif label in ("title", "caption"):
            found[identifier] = 1 if label == "title" else 0
    return found


def _blocks(parent: Element, reading: _Reading) -> None:
    for node in parent:
        if node.tag == f"{_W}p":
            _paragraph(node, reading)
        elif node.tag == f"{_W}tbl":
            table = _table(node, reading)
            if table is not None:
                reading.tables.append(table)
                reading.lines.append(f"[Table: {table.name}]" if table.name else "[Table]")
        elif node.tag in (
            f"{_W}body",
            f"{_W}sdt",
            f"{_W}sdtContent",
            f"{_W}ins",
            f"{_MC}AlternateContent",
            f"{_MC}Choice",
            f"{_W}customXml",
        ):
            _blocks(node, reading)


def _paragraph(node: Element, reading: _Reading) -> None:
    text = _text(node, reading).strip()
    if not text:
        return
    style = node.find(f"{_W}pPr/{_W}pStyle")
    level = reading.headings.get(style.get(f"{_W}val") or "") if style is not None else None
    if level is not None:
        reading.title = text
        if level and not reading.first_heading:
            reading.first_heading = text
        if level and reading.lines:
            reading.lines.append("")
    elif node.find(f"{_W}pPr/{_W}numPr") is not None:
        text = f"- {text}"
    reading.lines.append(text)


def _text(node: Element, reading: _Reading) -> str:
    """Return the visible text of a paragraph; deleted and hidden runs are left out."""
    out: list[str] = []
    stack: list[Any] = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            out.append(item)
            continue
        tag = item.tag
        if tag == f"{_W}r" and _is_hidden(item):
            text = " ".join(t.text or "" for t in item.iter(f"{_W}t")).strip()
            if text:
                reading.hidden.append(text)
        elif tag == f"{_W}t":
            out.append(item.text or "")
        elif tag in (f"{_W}tab", f"{_W}ptab"):
            out.append("\t")
        elif tag in (f"{_W}br", f"{_W}cr"):
            out.append("\n")
        elif tag == f"{_W}noBreakHyphen":
            out.append("-")
        elif tag == f"{_W}p" and item is not node:  # a text box
            stack.append("\n")
            stack += reversed(list(item))
        elif tag not in (
            f"{_W}del",
            f"{_W}moveFrom",
            f"{_MC}Fallback",
            f"{_W}instrText",
            f"{_W}pPr",
            f"{_W}rPr",
        ):
            stack += reversed(list(item))
    return "".join(out)


def _is_hidden(run: Element) -> bool:
    look = run.find(f"{_W}rPr")
    if look is None:
        return False
    vanish = look.find(f"{_W}vanish")
    if vanish is not None and (vanish.get(f"{_W}val") or "1") not in ("0", "false", "off"):
        return True
    size, colour = look.find(f"{_W}sz"), look.find(f"{_W}color")
    if (
        size is not None
        and (size.get(f"{_W}val") or "").isdigit()
        and int(size.get(f"{_W}val") or 99) <= _TINY
    ):
        return True
    white = colour is not None and (colour.get(f"{_W}val") or "").upper() == "FFFFFF"
    return (
        white and look.find(f"{_W}shd") is None and look.find(f"{_W}highlight") is None and not _in_shade(run)
    )


def _in_shade(run: Element) -> bool:
    """Tell whether a shaded table cell may stand behind a run; its cell marks it (see `_cell_text`)."""
    return run.get("shaded") == "1"


def _table(node: Element, reading: _Reading) -> Table | None:
    grid = Grid()
    rows: list[tuple[str, list[Cell]]] = []
    starts: dict[int, Cell] = {}
    for row in node.iter(f"{_W}tr"):
        cells: list[Cell] = []
        x = 0
        is_header = row.find(f"{_W}trPr/{_W}tblHeader") is not None
        for cell in row.findall(f"{_W}tc") + row.findall(f"{_W}sdt/{_W}sdtContent/{_W}tc"):
            span = cell.find(f"{_W}tcPr/{_W}gridSpan")
            width = max(1, min(int(span.get(f"{_W}val") or 1), 1000)) if span is not None else 1
            merge = cell.find(f"{_W}tcPr/{_W}vMerge")
            if merge is not None and merge.get(f"{_W}val") != "restart" and x in starts:
                starts[x].rowspan += 1
            else:
                made = Cell(_cell_text(cell, reading), is_header, width, 1)
                cells.append(made)
                starts.pop(x, None)
                if merge is not None:
                    starts[x] = made
            x += width
        rows.append(("thead" if is_header else "tbody", cells))
    if not rows or not lay_out(rows, grid, reading.options.merged) or not any(map(any, grid.cells)):
        return None
    return build(grid, reading.title)


def _cell_text(cell: Element, reading: _Reading) -> str:
    shade = cell.find(f"{_W}tcPr/{_W}shd")
    if shade is not None and (shade.get(f"{_W}fill") or "auto").lower() not in ("auto", "ffffff"):
        for run in cell.iter(f"{_W}r"):
            run.set("shaded", "1")
    return "\n".join(filter(None, (_text(p, reading).strip() for p in cell.iter(f"{_W}p"))))


def _notes(root: Element, reading: _Reading) -> None:
    for note in root:
        if (note.get(f"{_W}type") or "normal") == "normal":
            text = " ".join(filter(None, (_text(p, reading).strip() for p in note.iter(f"{_W}p"))))
            if text:
                reading.lines.append(f"[{note.get(f'{_W}id')}] {text}")


def _metadata(core: Element | None, heading: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for item in core if core is not None else []:
        key = item.tag.rsplit("}", 1)[-1]
        if key in _CORE and (item.text or "").strip():
            found[{"creator": "author"}.get(key, key)] = (item.text or "").strip()
    if heading and "title" not in found:
        found["title"] = heading
    return found
