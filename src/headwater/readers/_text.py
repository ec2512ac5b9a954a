"""Plain text: prose, and tables set with blanks."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.errors import ReadError
from headwater.model import ReadResult
from headwater.readers._aligned import find_tables
from headwater.readers._detect import looks_utf16
from headwater.readers._encoding import Decoded, decode
from headwater.readers._invisible import strip_tags
from headwater.readers._names import name_tables

if TYPE_CHECKING:
    from headwater.readers import ReadOptions

_RULE_LINE = re.compile(r"^[=\-~*#_]{3,}\s*$")
_TITLE_LENGTH = 120

MAX_BYTES = 256 << 20
"""Size of a text up to which it is read whole; parsed it takes about five times as much memory."""


def read_text(path: Path, name: str, options: ReadOptions) -> ReadResult:
    """Read a text; blocks of lines whose columns are set with blanks are tables as well."""
    result = read_code(path, name, options)
    text = result.text or ""
    result.tables, covers = find_tables(text)
    name_tables(result.tables)
    title = title_of(text)
    if title and not covers:
        result.metadata["title"] = title
    if covers:
        result.text = None
    return result


def read_code(path: Path, name: str, options: ReadOptions) -> ReadResult:
    """Read a text in which no table is looked for: programs, configuration, subtitles."""
    decoded = decode_text(whole(path, name))
    result = ReadResult(format="txt", encoding=decoded.encoding, text=clean(decoded.text))
    if decoded.replaced:
        result.warnings.append(f"{decoded.replaced} characters could not be decoded as {decoded.encoding}.")
    return result


def whole(path: Path, name: str, limit: int = MAX_BYTES) -> bytes:
    """Return the bytes of a file that has to be held whole to be read.

    Raises:
        ReadError: it is larger than the limit.
    """
    size = path.stat().st_size
    if size > limit:
        raise ReadError(
            f"The file is too large to be read whole: {size:,} bytes, the limit for its format is {limit:,}.",
            where=name,
            hint="Split it, or convert it to CSV or Parquet, which are read in parts.",
        )
    return path.read_bytes()


def decode_text(data: bytes) -> Decoded:
    """Decode a text, UTF-16 without a mark included."""
    if looks_utf16(data[:4096]) and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16-be" if data[0] == 0 else "utf-16-le"
        text = data.decode(encoding, errors="replace")
        return Decoded(text, encoding, text.count("\ufffd"))
    return decode(data)


def clean(text: str) -> str:
    """Return a text with plain line ends, without byte order mark and tag characters."""
    return strip_tags(text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"))


def title_of(text: str) -> str:
    """Return the title of a text: a short first line that stands alone or is underlined, or ""."""
    lines = text.lstrip("\n").split("\n", 3)
    first = lines[0].strip().strip("=#").strip()
    if not first or len(first) > _TITLE_LENGTH or first[-1] in ",;:":
        return ""
    alone = len(lines) > 1 and (not lines[1].strip() or _RULE_LINE.match(lines[1]))
    return first if alone and not (first.endswith(".") and first.count(" ") > 8) else ""
