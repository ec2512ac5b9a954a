"""Wikitext of MediaWiki: text with its templates rendered, ``{|`` tables with spans, categories as metadata."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.model import ReadResult, Table
from headwater.readers._grid import Cell, Grid, build, lay_out
from headwater.readers._names import name_tables
from headwater.readers._text import clean, decode_text, whole
from headwater.readers._wiki_render import render

if TYPE_CHECKING:
    from headwater.readers import ReadOptions

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_REDIRECT = re.compile(r"^\s*#redirect\s*:?\s*\[\[([^\]|]+)", re.IGNORECASE)
_CATEGORY = re.compile(r"\[\[\s*category\s*:\s*([^\]|]+)(?:\|[^\]]*)?\]\]", re.IGNORECASE)
_DESCRIPTION = re.compile(r"\{\{\s*short description\s*\|([^{}|]+)", re.IGNORECASE)
_HEADING = re.compile(r"^(={1,6})\s*(.+?)\s*\1\s*$", re.MULTILINE)
_TABLE_EDGE = re.compile(r"^[ \t:*]*\{\||^[ \t]*\|\}(?!\})", re.MULTILINE)
_UNIT = re.compile(r"\(([^()]+)\)\s*$")
_HIDDEN = {"|": "\ue001", "!": "\ue002", "\n": "\ue003"}
_SHOWN = str.maketrans({shown: hidden for hidden, shown in _HIDDEN.items()})
_ATTRIBUTE = re.compile(r"\b(colspan|rowspan|scope)\s*=\s*[\"']?\s*(\w+)", re.IGNORECASE)


def read_wikitext(path: Path, name: str, options: ReadOptions) -> ReadResult:
    """Read a page of wikitext."""
    decoded = decode_text(whole(path, name))
    text = _COMMENT.sub("", clean(decoded.text))
    result = ReadResult(format="wikitext", encoding=decoded.encoding, metadata=_metadata(text))
    text = _CATEGORY.sub("", text)
    pieces, tables = _split(text)
    body = []
    heading = ""
    for piece, is_table in pieces:
        if is_table:
            table = _table(piece, heading, options.merged)
            if table is not None:
                tables.append(table)
                body.append(f"[Table: {table.name}]" if table.name else "[Table]")
            continue
        headings = _HEADING.findall(piece)
        heading = render(headings[-1][1]) if headings else heading
        body.append(render(_HEADING.sub(lambda found: f"\n{found.group(2)}\n", piece)))
    result.text = re.sub(r"\n{3,}", "\n\n", "\n".join(body)).strip() or None
    result.tables = tables
    name_tables(tables)
    if decoded.replaced:
        result.warnings.append(f"{decoded.replaced} characters could not be decoded as {decoded.encoding}.")
    return result


def _metadata(text: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    redirect = _REDIRECT.match(text)
    if redirect:
        found["redirect"] = redirect.group(1).strip()
    described = _DESCRIPTION.search(text)
    if described:
        found["description"] = described.group(1).strip()
    categories = [category.strip() for category in _CATEGORY.findall(text)]
    if categories:
        found["keywords"] = categories
    return found


def _split(text: str) -> tuple[list[tuple[str, bool]], list[Table]]:
    """Cut a page into prose and tables; a table inside a table stays in it."""
    pieces: list[tuple[str, bool]] = []
    depth, start = 0, 0
    for edge in _TABLE_EDGE.finditer(text):
        opens = edge.group().rstrip().endswith("{|")
        if opens and depth == 0:
            pieces.append((text[start : edge.start()], False))
            start = edge.start()
        if not opens and depth == 1:
            pieces.append((text[start : edge.end()], True))
            start = edge.end()
        depth = depth + 1 if opens else max(0, depth - 1)
    pieces.append((text[start:], depth > 0))
    return pieces, []


def _shield(text: str) -> str:
    """Hide the marks of a table inside templates, links, references and inner tables."""
    out: list[str] = []
    depth = 0
    for token in re.split(
        r"(\{\{|\}\}|\[\[|\]\]|<ref[^>/]*>|</ref>|<nowiki>|</nowiki>|<math>|</math>|(?<=\n)\{\||(?<=\n)\|\}(?!\}))",
        text,
    ):
        if token in ("{{", "[[", "<nowiki>", "<math>", "{|") or token.startswith("<ref"):
            depth += 1
            out.append(token if token != "{|" else token.translate(_hide()))
        elif token in ("}}", "]]", "</nowiki>", "</math>", "</ref>", "|}"):
            out.append(token.translate(_hide()) if depth and token == "|}" else token)
            depth = max(0, depth - 1)
        else:
            out.append(token.translate(_hide()) if depth else token)
    return "".join(out)


def _hide() -> dict[int, str]:
    return {ord(mark): hidden for mark, hidden in _HIDDEN.items()}


def _table(source: str, heading: str, merged: str) -> Table | None:
    """Build a table from its source (MediaWiki, Help:Tables)."""
    inner = re.sub(r"^[ \t:*]*\{\|[^\n]*\n?", "", source, count=1)
    inner = re.sub(r"\n?[ \t]*\|\}\s*\Z", "", inner)
    grid = Grid()
    rows: list[tuple[str, list[Cell]]] = []
    raw_cells: list[tuple[str, bool]] = []

    def close_row() -> None:
        if raw_cells:
            rows.append(("tbody", [_cell(text, is_header) for text, is_header in raw_cells]))
            raw_cells.clear()

    in_caption = False
    for line in _shield(inner).split("\n"):
        stripped = line.strip()
        if stripped.startswith("|-"):
            close_row()
            in_caption = False
        elif stripped.startswith("|+"):
            grid.caption, in_caption = stripped[2:], True
        elif stripped.startswith("!"):
            in_caption = False
            raw_cells += [(piece, True) for piece in re.split(r"!!|\|\|", stripped[1:])]
        elif stripped.startswith("|"):
            in_caption = False
            raw_cells += [(piece, False) for piece in stripped[1:].split("||")]
        elif raw_cells:
            text, is_header = raw_cells[-1]
            raw_cells[-1] = (f"{text}\n{line}", is_header)
        elif in_caption:
            grid.caption += f" {stripped}"
    close_row()
    grid.caption = _cell(grid.caption, True).text
    if not rows or not lay_out(rows, grid, merged) or not grid.cells or not any(map(any, grid.cells)):
        return None
    _drop_repeated_units(grid)
    return build(grid, heading)


def _cell(source: str, is_header: bool) -> Cell:
    """Read one cell: attributes, a pipe, its content."""
    head, mark, rest = source.partition("|")
    if not (mark and ("=" in head or not head.strip()) and not set("[{<") & set(head.split("=", 1)[0])):
        head, rest = "", source
    spans = {key.lower(): value for key, value in _ATTRIBUTE.findall(head)}
    text = render(rest.translate(_SHOWN))
    text = (
        " ".join(text.split())
        if is_header
        else "\n".join(" ".join(line.split()) for line in text.split("\n") if line.strip())
    )
    return Cell(text, is_header, _span(spans.get("colspan")), _span(spans.get("rowspan")))


def _span(text: str | None) -> int:
    return max(1, min(int(text), 1000)) if text and text.isdigit() else 1


def _drop_repeated_units(grid: Grid) -> None:
    """Take a unit off the cells where the header states it: templates such as convert write it again."""
    for x, header in enumerate(grid.cells[0]):
        unit = _UNIT.search(header or "")
        if not unit:
            continue
        ending = re.compile(rf"(?<=\d)\s*{re.escape(unit.group(1).strip())}$")
        for row in grid.cells[1:]:
            if row[x]:
                row[x] = ending.sub("", row[x] or "")
