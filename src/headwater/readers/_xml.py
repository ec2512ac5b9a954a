"""XML: regular elements become records; entities are not expanded, nothing outside the file is fetched."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.errors import ReadError
from headwater.model import ReadResult, Table
from headwater.readers._encoding import decode
from headwater.readers._names import name_tables
from headwater.readers._shape import count_leaves, shape_of
from headwater.readers._text import MAX_BYTES, whole
from headwater.tabular import build_table

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from headwater.readers import ReadOptions

_DECLARED = re.compile(rb"^\s*<\?xml[^>]*?encoding\s*=\s*[\"']([\w.-]+)[\"']")
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_ERRORS = {"error", "errors", "exceptionreport", "serviceexceptionreport", "fault", "exception"}
_ERROR_LEAVES = 12
_SHEET = "{urn:schemas-microsoft-com:office:spreadsheet}"


def read_xml(path: Path, name: str, options: ReadOptions) -> ReadResult:
    """Read an XML file.

    An element becomes an object: its attributes and children by local name, repeated children as an array, its own
    text as ``value`` beside them. See `headwater.readers._shape` for what of it becomes a table.

    Raises:
        ReadError: not well-formed (with line and column), or it declares entities.
    """
    root, encoding = _parse(whole(path, name, MAX_BYTES // 2), name)
    if root.tag == f"{_SHEET}Workbook":
        result = ReadResult(format="xml", encoding=encoding, tables=_sheets(root))
        name_tables(result.tables)
        return result
    value = _value(root)
    if _local(root.tag).casefold() in _ERRORS and count_leaves(value) <= _ERROR_LEAVES:
        said = " ".join(" ".join(root.itertext()).split())
        raise ReadError(
            f"The file is not data but the error message of a server in XML: {said[:200]!r}.",
            where=name,
            hint="Download the data again.",
        )
    if isinstance(value, dict) and len(value) == 1:  # the list of records is what the file is about
        only = next(iter(value.values()))
        value = only if isinstance(only, list) else value
    shape = shape_of(value)
    text = shape.text()
    prose = _is_prose(root)
    if prose:
        text = "\n".join(" ".join(piece.split()) for piece in root.itertext() if piece.strip())
    return ReadResult(
        format="xml",
        encoding=encoding,
        text=text or None,
        tables=shape.tables,
        metadata={**shape.metadata, "root": _local(root.tag)},
        record=None if prose else shape.record,
    )


def _parse(data: bytes, name: str) -> tuple[Element, str]:
    from xml.etree.ElementTree import ParseError

    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    declared = _DECLARED.match(data)
    encoding = declared.group(1).decode("ascii").lower() if declared else ""
    try:
        if encoding and encoding not in ("utf-16", "utf16"):
            text = data.decode(encoding)
        else:
            decoded = decode(data)
            text, encoding = decoded.text, decoded.encoding
    except (UnicodeDecodeError, LookupError):
        decoded = decode(data)
        text, encoding = decoded.text, decoded.encoding
    try:
        return fromstring(_DECLARATION.sub("", text.removeprefix("\ufeff"), count=1)), encoding
    except ParseError as error:
        line, column = error.position
        raise ReadError(
            f"The XML is not well-formed or cut off at line {line}, column {column + 1}: {str(error).split(':')[0]}.",
            where=f"{name}, line {line}",
        ) from error
    except DefusedXmlException as error:
        raise ReadError(
            "The XML declares entities, which could be used to attack; it is refused.", where=name
        ) from error
    except RecursionError as error:
        raise ReadError("The XML is nested too deeply.", where=name) from error


def _local(tag: str) -> str:
    return tag.rsplit("}", 1)[-1]


def _value(element: Element, depth: int = 0) -> Any:
    """Return an element as a tree of objects, arrays and texts."""
    text = (element.text or "").strip()
    if not len(element) and not element.attrib:
        return text or None
    if depth > 200:
        return " ".join("".join(element.itertext()).split())
    out: dict[str, Any] = {_local(key): value for key, value in element.attrib.items()}
    for child in element:
        key, value = _local(str(child.tag)), _value(child, depth + 1)
        if key in element.attrib:
            key = f"{key}_"
        if key not in out:
            out[key] = value
        elif isinstance(out[key], _Repeated):
            out[key].append(value)
        else:
            out[key] = _Repeated([out[key], value])
    if text:
        out["value" if "value" not in out else "text_"] = text
    return {key: list(v) if isinstance(v, _Repeated) else v for key, v in out.items()}


class _Repeated(list[Any]):
    """Values of children with one name; apart from a child whose value is itself an array."""


def _is_prose(root: Element) -> bool:
    """Tell documents, where text stands between elements, from records."""
    tails = sum(len((e.tail or "").strip()) for e in root.iter())
    inside = sum(len((e.text or "").strip()) for e in root.iter())
    return tails * 5 > inside


def _sheets(root: Element) -> list[Table]:
    """Read the sheets of an XML workbook of Excel 2003."""
    tables = []
    for sheet in root.iter(f"{_SHEET}Worksheet"):
        grid: list[list[str | None]] = []
        for row in sheet.iter(f"{_SHEET}Row"):
            index = int(row.get(f"{_SHEET}Index", len(grid) + 1))
            grid += [[] for _ in range(min(index - 1 - len(grid), 1000))]
            cells: list[str | None] = []
            for cell in row.iter(f"{_SHEET}Cell"):
                at = int(cell.get(f"{_SHEET}Index", len(cells) + 1))
                cells += [None] * min(at - 1 - len(cells), 1000)
                data = cell.find(f"{_SHEET}Data")
                cells.append("".join(data.itertext()) if data is not None else None)
                cells += [None] * min(int(cell.get(f"{_SHEET}MergeAcross", 0)), 1000)
            grid.append(cells)
        if any(grid):
            width = max(map(len, grid))
            padded = [[*row, *[None] * (width - len(row))] for row in grid]
            tables.append(build_table(padded, name=sheet.get(f"{_SHEET}Name", "")))
    return tables
