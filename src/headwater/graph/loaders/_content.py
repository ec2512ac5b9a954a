"""What a file is, from its first bytes and its shape."""

from __future__ import annotations

import codecs
import csv
import io
import json
import zipfile
from pathlib import Path
from typing import Any

from headwater.errors import LimitError, ReadError

MAX_TEXT_BYTES = 1 << 29
"""Size above which a text file is refused."""

_BOMS = [
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
]


def kind_of(path: Path) -> str:
    """Return "sqlite", "duckdb", "pt", "binary", "empty" or "text", from the file's bytes.

    Raises:
        ReadError: the file cannot be opened.
    """
    try:
        with path.open("rb") as file:
            head = file.read(4096)
    except OSError as error:
        raise ReadError(f"{path.name} cannot be opened: {error.strerror}", where=path.name) from error
    if not head.strip():
        return "empty"
    if head.startswith(b"SQLite format 3\x00"):
        return "sqlite"
    if head[8:12] == b"DUCK":
        return "duckdb"
    if head.startswith(b"PK"):
        return "pt" if _holds_pickle(path) else "binary"
    if any(head.startswith(bom) for bom, _ in _BOMS):
        return "text"
    if b"\x00" in head:
        half = head[1::2].count(0), head[0::2].count(0)
        return "text" if max(half) > 0.4 * len(head) / 2 > min(half) * 4 else "binary"
    control = sum(byte < 32 and byte not in b"\t\n\r\f\x1a\x1b" for byte in head)
    return "binary" if control > len(head) // 20 else "text"


def _holds_pickle(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            return any(name.endswith("/data.pkl") for name in archive.namelist())
    except (zipfile.BadZipFile, OSError):
        return False


def read_text(path: Path) -> str:
    """Return a text file decoded: by its byte order mark, else UTF-8, else UTF-16 without a mark, else Windows-1252.

    Raises:
        LimitError: the file is larger than `MAX_TEXT_BYTES`.
    """
    size = path.stat().st_size
    if size > MAX_TEXT_BYTES:
        raise LimitError(
            f"{path.name} has {size:,} bytes; scripts and manifests are read up to {MAX_TEXT_BYTES:,}.",
            where=path.name,
            hint="Split it, or load the database it came from.",
        )
    return decode(path.read_bytes())


def decode(data: bytes) -> str:
    """Return bytes as text with plain line ends, see `read_text`."""
    return _decoded(data).replace("\r\n", "\n").replace("\r", "\n")


def _decoded(data: bytes) -> str:
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return data.decode(encoding, errors="replace")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("cp1252", errors="replace")
    if "\x00" in text[:4096]:
        text = data.decode("utf-16-le" if data[1:2] == b"\x00" else "utf-16-be", errors="replace")
    return text


def as_json(text: str, name: str) -> Any:
    """Return the value of a JSON text, the list of values of JSON lines, or None if the text is neither.

    Raises:
        ReadError: the text begins like JSON and is broken.
    """
    start = text.lstrip()
    if start[:1] not in ("{", "["):
        return None
    try:
        return json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        first: Exception = error
    lines = [line for line in text.splitlines() if line.strip()]
    values = []
    for number, line in enumerate(lines):
        try:
            values.append(json.loads(line))
        except (json.JSONDecodeError, RecursionError):
            if number and all(isinstance(v, dict) for v in values):
                raise ReadError(
                    f"{name} holds a line that is not JSON.",
                    where=f"{name}, record {number + 1}",
                    hint="Mend or remove it.",
                ) from first
            break
    else:
        if len(values) > 1:
            return values
    if start[:1] == "[" and start[1:].lstrip()[:1] not in ('"', "{", "[", "]") and not start[1:2].isdigit():
        return None  # a script that begins with a bracketed name
    if start.startswith("{{") or start.startswith("{%") or start.startswith("{#"):
        return None  # a template
    number = first.lineno if isinstance(first, json.JSONDecodeError) else 0
    raise ReadError(
        f"{name} is not valid JSON: {first}", where=f"{name}, line {number}", hint="Write it out again."
    )


def csv_rows(text: str) -> list[dict[str, str]] | None:
    """Return the rows of a delimited text with a header of plain names, or None if it is none."""
    first = text.lstrip("\ufeff").split("\n", 1)[0]
    delimiter = max(",;\t|", key=first.count)
    if not first.count(delimiter):
        return None
    reader = csv.reader(io.StringIO(text.lstrip("\ufeff")), delimiter=delimiter)
    try:
        rows = list(reader)
    except csv.Error:
        return None
    header = [cell.strip() for cell in rows[0]]
    if not all(header) or len(set(header)) != len(header):
        return None
    return [dict(zip(header, row, strict=False)) for row in rows[1:] if any(row)]
