"""What calamine does not tell of an XLSX workbook: hidden rows, errors, formulas without results, number formats.

The parts are those of ECMA-376 part 1 (SpreadsheetML). Sheets are searched as bytes, since building trees of them
would take longer than reading the workbook.
"""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headwater.errors import ReadError

STYLED_CELLS = 20_000
"""Cells at the top of a sheet from which the number formats of its columns are judged."""

_REL = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_ROW = re.compile(rb"<(?:\w+:)?row\b([^>]*)>")
_NUMBER = re.compile(rb'\br="(\d+)"')
_HIDDEN = re.compile(rb'\bhidden="(?:1|true)"')
_COLUMN = re.compile(rb"<(?:\w+:)?col\b([^>]*)/?>")
_CELL_COLUMN = re.compile(rb'<(?:\w+:)?c\b[^>]*?\br="([A-Z]{1,3})\d')
_STYLED = re.compile(
    rb'<(?:\w+:)?c\b(?=[^>]*\br="([A-Z]{1,3})\d+")(?=[^>]*\bs="(\d+)")(?![^>]*\bt="(?:s|str|inlineStr|b|e)")[^>]*>\s*(?:<(?:\w+:)?f|<(?:\w+:)?v)'
)
_ERROR = re.compile(rb'<(?:\w+:)?c\b[^>]*\bt="e"')
_UNCACHED = re.compile(
    rb"(?:</(?:\w+:)?f>|<(?:\w+:)?f\b[^>]*/>)\s*(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v>\s*</(?:\w+:)?v>)?\s*</(?:\w+:)?c>"
)
_PADDED = re.compile(r"0{2,}")
_CURRENCY_CODE = re.compile(r"\[\$([^\]-]+)(?:-[0-9A-Fa-f]+)?\]")
_BUILT_IN = {
    9: "0%",
    10: "0.00%",
    5: '"$"#,##0',
    6: '"$"#,##0',
    7: '"$"#,##0.00',
    8: '"$"#,##0.00',
    42: '"$"#,##0',
    44: '"$"#,##0.00',
}


@dataclass(slots=True)
class SheetFacts:
    """Facts about one sheet; rows and columns count from 0.

    Attributes:
        hidden_rows: rows that are not shown.
        hidden_columns: columns that are not shown.
        errors: cells with an error value.
        uncached: formulas without a stored result.
        formats: number format that most numbers of a column have.
        rows: rows up to the last one that is written.
        columns: columns up to the last one that is written.
        comments: texts of cell comments by cell.
    """

    hidden_rows: list[int] = field(default_factory=list)
    hidden_columns: list[int] = field(default_factory=list)
    errors: int = 0
    uncached: int = 0
    formats: dict[int, str] = field(default_factory=dict)
    rows: int = 0
    columns: int = 0
    comments: dict[str, str] = field(default_factory=dict)


def column_index(letters: str) -> int:
    """Return the index from 0 of a column by its letters: A is 0, AA is 26."""
    index = 0
    for letter in letters:
        index = index * 26 + ord(letter) - 64
    return index - 1


def column_letters(index: int) -> str:
    """Return the letters of a column by its index from 0."""
    letters = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def workbook_facts(
    path: Path, name: str, max_part_bytes: int
) -> tuple[dict[str, SheetFacts], dict[str, Any]]:
    """Search a workbook.

    Args:
        path: the file; anything but an XLSX package gives no facts.
        name: its name, for messages.
        max_part_bytes: unpacked size at which a part is refused.

    Returns:
        Facts by name of sheet, and what the document says of itself.

    Raises:
        ReadError: a part unpacks to more than `max_part_bytes`.
    """
    if not zipfile.is_zipfile(path):
        return {}, {}
    try:
        with zipfile.ZipFile(path) as package:
            for part in package.infolist():
                if part.file_size > max_part_bytes:
                    raise ReadError(
                        f"A part of the workbook unpacks to {part.file_size:,} bytes, more than the limit of {max_part_bytes:,}.",
                        where=f"{name}, {part.filename}",
                    )
            if "xl/workbook.xml" not in package.namelist():
                return {}, {}
            formats = _formats(package)
            sheets = _sheet_parts(package)
            facts = {
                sheet: _search(package, part, formats)
                for sheet, part in sheets.items()
                if part in package.namelist()
            }
            return facts, _properties(package)
    except (zipfile.BadZipFile, OSError, EOFError, ValueError, NotImplementedError):
        return {}, {}  # the reader itself will say what is wrong


def _tree(package: zipfile.ZipFile, part: str) -> Any | None:
    from xml.etree.ElementTree import ParseError

    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    try:
        return fromstring(package.read(part))
    except (KeyError, ParseError, DefusedXmlException):
        return None


def _local(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]


def _relations(package: zipfile.ZipFile, part: str) -> dict[str, tuple[str, str]]:
    """Return type and target of the relations of a part, by id."""
    folder, _, file = part.rpartition("/")
    tree = _tree(package, f"{folder}/_rels/{file}.rels")
    found = {}
    for element in tree if tree is not None else ():
        target = element.get("Target", "")
        whole = (
            target.lstrip("/")
            if target.startswith("/")
            else posixpath.normpath(posixpath.join(folder, target))
        )
        found[element.get("Id", "")] = (element.get("Type", "").rpartition("/")[2], whole)
    return found


def _sheet_parts(package: zipfile.ZipFile) -> dict[str, str]:
    """Return the part of each sheet by its name."""
    tree = _tree(package, "xl/workbook.xml")
    relations = _relations(package, "xl/workbook.xml")
    parts = {}
    for element in tree.iter() if tree is not None else ():
        if _local(element) == "sheet":
            kind, target = relations.get(element.get(_REL + "id", ""), ("", ""))
            if kind == "worksheet":
                parts[element.get("name", "")] = target
    return parts


def _formats(package: zipfile.ZipFile) -> list[str]:
    """Return the number format of every cell style."""
    tree = _tree(package, "xl/styles.xml")
    codes: dict[int, str] = dict(_BUILT_IN)
    styles: list[str] = []
    for element in tree.iter() if tree is not None else ():
        if _local(element) == "numFmt":
            codes[int(element.get("numFmtId", "0"))] = element.get("formatCode", "")
        elif _local(element) == "cellXfs":
            styles = [codes.get(int(style.get("numFmtId", "0")), "") for style in element]
    return styles


def _search(package: zipfile.ZipFile, part: str, styles: list[str]) -> SheetFacts:
    """Search the bytes of one sheet."""
    data = package.read(part)
    facts = SheetFacts(errors=len(_ERROR.findall(data)))
    if b"<f" in data or b":f" in data:
        facts.uncached = len(_UNCACHED.findall(data))
    row = -1
    for match in _ROW.finditer(data):
        number = _NUMBER.search(match[1])
        row = int(number[1]) - 1 if number else row + 1
        if _HIDDEN.search(match[1]):
            facts.hidden_rows.append(row)
        facts.rows = max(facts.rows, row + 1)
    letters = set(_CELL_COLUMN.findall(data))
    facts.columns = max((column_index(text.decode()) + 1 for text in letters), default=0)
    for match in _COLUMN.finditer(data[: data.find(b"sheetData")] if b"sheetData" in data else b""):
        if _HIDDEN.search(match[1]):
            low, high = (int(re.search(rb'\b%s="(\d+)"' % key, match[1])[1]) for key in (b"min", b"max"))  # type: ignore[index]
            facts.hidden_columns.extend(range(low - 1, min(high, low + 1000)))
    facts.formats = _column_formats(data, styles)
    facts.comments = _comments(package, part)
    return facts


def _column_formats(data: bytes, styles: list[str]) -> dict[int, str]:
    """Return the format that at least four of five numbers at the top of a column have."""
    if not any(styles):
        return {}
    seen: dict[int, Counter[str]] = {}
    for count, match in enumerate(_STYLED.finditer(data)):
        if count >= STYLED_CELLS:
            break
        style = int(match[2])
        seen.setdefault(column_index(match[1].decode()), Counter())[
            styles[style] if style < len(styles) else ""
        ] += 1
    common = {column: counts.most_common(1)[0] + (counts.total(),) for column, counts in seen.items()}
    return {column: code for column, (code, count, total) in common.items() if code and count >= 0.8 * total}


def _comments(package: zipfile.ZipFile, part: str) -> dict[str, str]:
    """Return the comments of a sheet by cell."""
    found = {}
    for kind, target in _relations(package, part).values():
        tree = _tree(package, target) if kind == "comments" else None
        for element in tree.iter() if tree is not None else ():
            if _local(element) == "comment":
                found[element.get("ref", "")] = "".join(
                    t.text or "" for t in element.iter() if _local(t) == "t"
                ).strip()
    return found


def _properties(package: zipfile.ZipFile) -> dict[str, Any]:
    """Return title, author and dates of the document (Dublin Core in docProps/core.xml)."""
    tree = _tree(package, "docProps/core.xml")
    names = {
        "title": "title",
        "subject": "subject",
        "creator": "author",
        "description": "description",
        "keywords": "keywords",
    }
    names |= {"created": "created", "modified": "modified"}
    found = {}
    for element in tree if tree is not None else ():
        text = (element.text or "").strip()
        if text and _local(element) in names:
            found[names[_local(element)]] = text
    return found


def format_unit(code: str) -> str | None:
    """Return the unit that a number format shows: a fraction shown as percent, or a currency."""
    from headwater.tabular import unit_name

    if "%" in code:
        return "fraction (shown as percent)"
    if match := _CURRENCY_CODE.search(code):
        return unit_name(match[1])
    first = code.partition(";")[0].replace('"', "").replace("\\", "").replace("_", "")
    for sign in ("US$", "$", "£", "€", "¥", "₹"):
        if sign in first:
            return unit_name(sign)
    return None


def padded_width(code: str) -> int:
    """Return the number of digits that a format pads whole numbers to, as for codes; 0 if it does not."""
    return len(code) if _PADDED.fullmatch(code) else 0
