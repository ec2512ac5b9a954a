"""One door for metadata documents of every form."""

from __future__ import annotations

import io
import json
import re
from typing import Any

from headwater.layout._clean import plain_text
from headwater.layout._dictionary import fields_from_rows
from headwater.layout._files import metadata_rank
from headwater.layout._json import from_object, record
from headwater.layout._metadata import DatasetMetadata, Resource, merge_metadata
from headwater.layout._parts import fields_of

MAX_BYTES = 64 << 20
"""A larger document is not read as metadata."""

_WHOLE_JSON = 8 << 20
"""A larger JSON document holds data; only a view of Socrata at its top is read."""

_VIEW = re.compile(r'^\s*\{\s*"meta"\s*:\s*\{\s*"view"\s*:\s*(?=\{)')


def parse_metadata(name: str, content: bytes | str) -> DatasetMetadata | None:
    """Read a metadata document.

    Args:
        name: its path in the lake; a hint for the form, the content decides.
        content: its bytes (or decoded text).

    Returns:
        What it says, or None if it holds no metadata in a form that is known here. Damaged documents give None too:
        what a reader can still make of them is told by the reader.
    """
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    if not data.strip() or len(data) > MAX_BYTES:
        return None
    ending = name.casefold().rsplit("/", 1)[-1].rpartition(".")[2]
    rank = metadata_rank(name)
    start = data.lstrip(b"\xef\xbb\xbf \t\r\n")[:512]
    prose = ending in {"md", "markdown", "rst", "txt"} or rank == 4
    if start[:1] in (b"{", b"["):
        meta = _from_json(name, data, rank)
        if meta or not prose:
            return meta
    if data[:4] == b"PK\x03\x04" or data[:4] == b"\xd0\xcf\x11\xe0":
        return _from_workbook(data)
    if start[:1] == b"<":
        meta = _from_markup(data, start)
        if meta or not prose:
            return meta
    if ending in {"yml", "yaml"}:
        return _from_yaml(data)
    text = _decode(data)
    if "\x00" in text:
        return None
    if ending in {"csv", "tsv", "tab"}:
        return _dictionary(fields_from_rows(_delimited(text)))
    return _from_text(text, rank)


def _decode(data: bytes) -> str:
    for encoding in ("utf-8-sig", "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8", "cp1252"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")


def _from_json(name: str, data: bytes, rank: int | None) -> DatasetMetadata | None:
    if len(data) > _WHOLE_JSON:
        return _from_head(data)
    try:
        value: Any = json.loads(_decode(data))
    except (ValueError, RecursionError):
        return None
    meta = from_object(value)
    if meta is None and rank == 5:
        meta = _dictionary(fields_of(value))
    return meta


def _from_head(data: bytes) -> DatasetMetadata | None:
    """Read the view of Socrata at the top of a large file of rows without parsing the rows."""
    head = data[:_WHOLE_JSON].decode("utf-8", "replace")
    match = _VIEW.search(head)
    if not match:
        return None
    try:
        view, _ = json.JSONDecoder().raw_decode(head, match.end())
    except (ValueError, RecursionError):
        return None
    return from_object({"meta": {"view": view}})


def _from_yaml(data: bytes, *, front: bool = False) -> DatasetMetadata | None:
    import yaml

    try:
        value: Any = yaml.load(
            _decode(data), getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        )  # safe loaders both
    except (yaml.YAMLError, RecursionError, ValueError):
        return None
    return from_object(value) or (record(value) if front and isinstance(value, dict) else None)


def _from_workbook(data: bytes) -> DatasetMetadata | None:
    from python_calamine import CalamineError, CalamineWorkbook

    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(data))
        fields = []
        for sheet in book.sheet_names:
            rows = [
                ["" if v is None else str(v) for v in row]
                for row in book.get_sheet_by_name(sheet).to_python(nrows=20_000)
            ]
            fields += fields_from_rows(rows)
    except (CalamineError, ValueError, OSError):
        return None
    return _dictionary(fields)


def _from_markup(data: bytes, start: bytes) -> DatasetMetadata | None:
    from headwater.layout._readme import from_html
    from headwater.layout._xml import from_xml

    lowered = start.lower()
    if b"<!doctype html" in lowered or b"<html" in lowered or b"<body" in lowered or b"<table" in lowered:
        meta = from_html(data)
        return meta if meta.fields else None
    return from_xml(data)


def _delimited(text: str) -> list[list[str]]:
    import csv

    head = text.split("\n", 1)[0]
    delimiter = max(",;\t|", key=head.count)
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error:
        return []


def _from_text(text: str, rank: int | None) -> DatasetMetadata | None:
    from headwater.layout._readme import from_markdown, front_matter

    head, text = front_matter(text)
    rows = [line.split("\t") for line in text.split("\n")[:5_000]] if text.count("\t") > 3 else []
    fields = fields_from_rows(rows)
    if fields and rank == 5:
        return _dictionary(fields)
    meta = from_markdown(text, dictionary=rank == 5)
    stated = _from_yaml(head.encode(), front=True) if head else None
    if stated:
        meta = merge_metadata([stated, meta]) or meta
    if rank is None and len(meta.fields) < 2:
        return None
    return meta if meta.fields or meta.title or meta.description else None


def _dictionary(fields: list[Any]) -> DatasetMetadata | None:
    if not fields:
        return None
    names = dict.fromkeys(plain_text(f.resource) for f in fields if f.resource)
    return DatasetMetadata(kind="dictionary", fields=fields, resources=[Resource(name=n) for n in names])
