"""Which reader reads which format."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from headwater.model import ReadResult
    from headwater.readers import ReadOptions

Reader: TypeAlias = "Callable[[Path, str, ReadOptions], ReadResult]"
"""A function of the bytes' place, the document's name and the options. It raises `ReadError` and `SkipDocument`."""

BUILT_IN = {
    "csv": "_delimited:read_delimited",
    "xlsx": "_spreadsheet:read_spreadsheet",
    "xls": "_spreadsheet:read_spreadsheet",
    "ods": "_spreadsheet:read_spreadsheet",
    "json": "_json:read_json",
    "parquet": "_parquet:read_parquet",
    "arrow": "_parquet:read_arrow",
    "orc": "_parquet:read_orc",
    "html": "_html:read_html",
    "pdf": "_pdf:read_pdf",
    "docx": "_docx:read_docx",
    "yaml": "_yaml:read_yaml",
    "xml": "_xml:read_xml",
    "txt": "_text:read_text",
    "code": "_text:read_code",
    "markdown": "_markdown:read_markdown",
    "wikitext": "_wikitext:read_wikitext",
    "zip": "_archive:read_zip",
    "tar": "_archive:read_tar",
    "gzip": "_archive:read_compressed",
    "bzip2": "_archive:read_compressed",
    "xz": "_archive:read_compressed",
}
"""Module and function by format; a module is imported when a file of its format is met."""


@dataclass
class Sample:
    """What detection sees of a file.

    Attributes:
        path: where the bytes lie.
        name: the document's name.
        size: bytes of the whole file.
        head: its first bytes, at most 64 KiB.
        tail: its last 8 bytes.
    """

    path: Path
    name: str
    size: int
    head: bytes
    tail: bytes = b""
    whole: bool = field(init=False)

    def __post_init__(self) -> None:
        self.whole = len(self.head) == self.size

    @cached_property
    def extension(self) -> str:
        """The name's last extension in lower case without its dot, or ""."""
        base = self.name.rsplit("/", 1)[-1].rsplit("!", 1)[-1]
        return base.rsplit(".", 1)[-1].lower() if "." in base.lstrip(".") else ""

    @cached_property
    def text(self) -> str:
        """The head as text; characters cut by its end are left out."""
        from headwater.readers._encoding import decode

        head = self.head
        if not self.whole:
            for cut in range(4):  # a UTF-8 character has at most four bytes
                try:
                    return head[: len(head) - cut].decode("utf-8-sig")
                except UnicodeDecodeError:
                    continue
        return decode(head).text.removeprefix("\ufeff")


_added: dict[str, Reader] = {}
_detectors: list[tuple[str, Callable[[Sample], bool]]] = []


def register(format: str, reader: Reader, *, detect: Callable[[Sample], bool] | None = None) -> None:  # noqa: A002
    """Add a reader, or put another one in the place of a built-in one.

    Args:
        format: name of the format; results carry it.
        reader: see `Reader`.
        detect: tells whether a file is of this format; asked before the built-in rules, the last one added first.
            Without it the reader serves only a format that the built-in rules name.
    """
    _added[format] = reader
    if detect is not None:
        _detectors.insert(0, (format, detect))


def formats() -> list[str]:
    """Names of the formats that can be read."""
    return sorted({*BUILT_IN, *_added} - {"code"})


def registered_format(sample: Sample) -> str | None:
    """Return the format that an added detector claims, or None."""
    return next((name for name, detect in _detectors if detect(sample)), None)


def reader_for(name: str) -> Reader:
    """Return the reader of a format."""
    if name in _added:
        return _added[name]
    module, _, function = BUILT_IN[name].partition(":")
    found: Reader = getattr(importlib.import_module(f"headwater.readers.{module}"), function)
    return found
