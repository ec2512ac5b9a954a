"""Markdown: its text as written, pipe tables (GitHub Flavored Markdown, 4.10) and HTML tables as tables."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.model import ReadResult, Table
from headwater.readers._names import name_tables
from headwater.readers._text import clean, decode_text, whole
from headwater.tabular import build_table

if TYPE_CHECKING:
    from headwater.readers import ReadOptions

_FRONT = re.compile(r"\A---\s*\n(.*?)\n(?:---|\.\.\.)\s*\n", re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_HEADING = re.compile(r"^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
_UNDERLINE = re.compile(r"^ {0,3}(=+|-{3,})\s*$")
_SEPARATOR = re.compile(r"^ {0,3}\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_HTML_TABLE = re.compile(r"<table\b.*?</table\s*>", re.DOTALL | re.IGNORECASE)
_CODE_SPAN = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_IMAGE = re.compile(r"!\[([^\]]*)\]\([^)]*\)")
_LINK = re.compile(r"\[([^\]]+)\]\([^)\s]*(?:\s+\"[^\"]*\")?\)")
_STRESS = re.compile(r"(\*\*\*|\*\*|__|~~)(?=\S)(.+?)(?<=\S)\1")
_STRESS_ONE = re.compile(r"(?<![\w*])\*(?=\S)([^*]+?)(?<=\S)\*(?![\w*])|(?<!\w)_(?=\S)([^_]+?)(?<=\S)_(?!\w)")
_PIPE = "\ue000"


def read_markdown(path: Path, name: str, options: ReadOptions) -> ReadResult:
    """Read a Markdown document; a front matter in YAML becomes metadata."""
    decoded = decode_text(whole(path, name))
    text = clean(decoded.text)
    result = ReadResult(format="markdown", encoding=decoded.encoding)
    front = _FRONT.match(text)
    lines_before = 0
    if front:
        result.metadata.update(_front_matter(front.group(1)))
        lines_before = text.count("\n", 0, front.end())
        text = text[front.end() :]
    if decoded.replaced:
        result.warnings.append(f"{decoded.replaced} characters could not be decoded as {decoded.encoding}.")
    visible = _COMMENT.sub(lambda found: "\n" * found.group().count("\n"), text)
    result.text = visible.strip("\n") or None
    result.tables, title = _tables(visible, lines_before)
    if "<table" in visible.lower():
        result.tables += _html_tables(visible, options)
    name_tables(result.tables)
    if title:
        result.metadata.setdefault("title", title)
    return result


def _front_matter(text: str) -> dict[str, Any]:
    from headwater.errors import ReadError
    from headwater.readers._yaml import load

    try:
        values = load(text, "front matter")[0]
    except ReadError:
        return {}
    first = values[0] if values else None
    return {str(k): v for k, v in first.items() if v is not None} if isinstance(first, dict) else {}


def _html_tables(text: str, options: ReadOptions) -> list[Table]:
    from headwater.readers._html import html_result

    return [table for block in _HTML_TABLE.findall(text) for table in html_result(block, options).tables]


def _tables(text: str, lines_before: int) -> tuple[list[Table], str]:
    """Return the pipe tables and the title of a document."""
    lines = text.split("\n")
    tables: list[Table] = []
    heading = title = ""
    fence = ""
    i = 0
    while i < len(lines):
        line = lines[i]
        mark = _FENCE.match(line)
        if mark:
            fence = "" if fence and line.strip().startswith(fence) else fence or mark.group(1)
        elif not fence:
            found = _heading(lines, i)
            if found:
                heading = plain(found)
                title = title or heading
            elif "|" in line and i + 1 < len(lines) and _is_table(line, lines[i + 1]):
                end = i + 2
                while end < len(lines) and lines[end].strip() and "|" in lines[end]:
                    end += 1
                tables.append(_table(lines, i, end, heading, lines_before))
                i = end
                continue
        i += 1
    return tables, title


def _heading(lines: list[str], i: int) -> str:
    found = _HEADING.match(lines[i])
    if found:
        return found.group(2)
    if (
        lines[i].strip()
        and i + 1 < len(lines)
        and _UNDERLINE.match(lines[i + 1])
        and (i == 0 or not lines[i - 1].strip())
    ):
        return lines[i].strip() if "|" not in lines[i] else ""
    return ""


def _is_table(header: str, separator: str) -> bool:
    return (
        bool(_SEPARATOR.match(separator))
        and "-" in separator
        and len(split_row(header)) == len(split_row(separator))
    )


def split_row(line: str) -> list[str]:
    """Split a row at its pipes; escaped ones, and those inside code, are text."""
    text = line.strip().replace("\\|", _PIPE)
    text = _CODE_SPAN.sub(lambda found: found.group().replace("|", _PIPE), text)
    text = text.removeprefix("|").removesuffix("|")
    return [cell.strip().replace(_PIPE, "|") for cell in text.split("|")]


def _table(lines: list[str], start: int, end: int, heading: str, lines_before: int) -> Table:
    header = [plain(cell) for cell in split_row(lines[start])]
    rows = [[plain(cell) or None for cell in split_row(line)] for line in lines[start + 2 : end]]
    wide = sum(len(row) > len(header) for row in rows)
    width = max([len(header), *map(len, rows)])
    grid: list[list[str | None]] = [[*header], *rows]
    for row in grid:
        row += [None] * (width - len(row))
    numbers = [lines_before + start + 1, *range(lines_before + start + 3, lines_before + end + 1)]
    table = build_table(grid, name=heading, header_rows=1, lines=numbers)
    if wide:
        table.warnings.append(
            f"{wide} rows have more cells than the header; the extra ones are kept in further columns."
        )
    return table


def plain(text: str) -> str:
    """Return the text of a cell or heading without its marks."""
    if not any(mark in text for mark in "*_`[<~&\\!"):
        return text
    from html import unescape

    text = _LINK.sub(r"\1", _IMAGE.sub(r"\1", text))
    text = _STRESS.sub(r"\2", text)
    text = _STRESS_ONE.sub(lambda found: found.group(1) or found.group(2), text)
    text = _CODE_SPAN.sub(lambda found: found.group(2).strip(), text)
    text = re.sub(r"</?(?:br|sup|sub|b|i|em|strong|code|kbd|span|small|a)\b[^>]*>", " ", text)
    return " ".join(unescape(re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text)).split())
