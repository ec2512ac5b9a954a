"""From bytes to text."""

from __future__ import annotations

from typing import NamedTuple

_BOMS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)


class Decoded(NamedTuple):
    """Text of a file, the encoding it was in, and how many characters had to be replaced."""

    text: str
    encoding: str
    replaced: int


def decode(data: bytes) -> Decoded:
    """Decode the bytes of a whole file."""
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            text = data.decode(encoding, errors="replace")
            return Decoded(text, encoding, text.count("\ufffd"))
    try:
        return Decoded(data.decode("utf-8"), "utf-8", 0)
    except UnicodeDecodeError:
        text = data.decode("cp1252", errors="replace")
        return Decoded(text, "windows-1252", text.count("\ufffd"))
