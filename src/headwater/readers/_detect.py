"""What a file is, judged by its content; the name decides only between readings that the content allows."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from typing import NamedTuple

from headwater.errors import ReadError, SkipDocument
from headwater.readers._registry import Sample, registered_format
from headwater.readers._signatures import CODE_EXTENSIONS, LEFT_OUT, READ

_HEAD = 64 * 1024
_LONGEST_LINE = 1 << 20
_WIDEST = 80
_LIKELY, _SURE, _CONSISTENT = 0.5, 0.7, 0.95
"""Scores of `looks_delimited`, and share of lines of one width, from which a text is taken for a table."""


_HTML = re.compile(
    r"\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--.*?-->\s*)*"
    r"<(?:!doctype\s+html|html|head|body|title|meta|table|tbody|thead|tr|frameset|form|main|article|section|nav|ul|ol"
    r"|div|p|h[1-6]|span|script|style|center|font)\b",
    re.IGNORECASE | re.DOTALL,
)
_XML = re.compile(r"\s*(?:<\?xml\b|<!DOCTYPE\s|(?:<!--.*?-->\s*)*<([A-Za-z_][\w.:-]*)[\s>/])", re.DOTALL)
_HTML_ONLY = re.compile(r"<(?:br|td|img|hr|li|p)\b", re.IGNORECASE)
_SVG = re.compile(r"\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--.*?-->\s*|<!DOCTYPE\s+svg[^>]*>\s*)*<svg\b", re.DOTALL)
_JSON = re.compile(
    r'\s*(?:\x1e\s*)?(?:\{\s*(?:"(?:[^"\\]|\\.)*"\s*:|\}\s*(?:$|[\{\[]))'
    r"|\[\s*(?:\{\s*[\"'}]|\[\s*[\[\]{\"'\dtfn-]|\"(?:[^\"\\]|\\.)*\"\s*[,\]]"
    r"|(?:-?\d[\d.eE+-]*|true|false|null|NaN)\s*[,\]]|\]\s*$))"
)
_JSONP = re.compile(r"\s*(?:/\*.*?\*/\s*)?[A-Za-z_$][\w.$]*\s*\(\s*[\[{]", re.DOTALL)
_YAML = re.compile(r"\s*(?:%YAML|---\s*\n\s*(?:- |[\w\"' .-]+:(?:\s|$)))")
_WIKI_TABLE = re.compile(r"^\{\|.*$\n(?:.*\n)*?\|-", re.MULTILINE)
_WIKI_MARKS = (
    re.compile(r"^={2,5}[^=\n]+={2,5}\s*$", re.MULTILINE),
    re.compile(r"\[\[[^\[\]\n]+\]\]"),
    re.compile(r"\{\{[^{}]+\}\}"),
    re.compile(r"'''[^'\n]+'''"),
)
_PIPE_TABLE = re.compile(r"^ {0,3}\|?.*\|.*\n {0,3}\|? *:?-+:? *(?:\| *:?-+:? *)+\|? *$", re.MULTILINE)
_HEADINGS = re.compile(r"^#{1,6} +\S", re.MULTILINE)
_LFS = b"version https://git-lfs.github.com/spec/"

_JSON_NAMES = {
    "json",
    "geojson",
    "topojson",
    "ndjson",
    "jsonl",
    "geojsonl",
    "jsonlines",
    "json5",
    "webmanifest",
}
_DELIMITED_NAMES = {"csv", "tsv", "tab", "psv", "ssv"}
_HTML_NAMES = {"html", "htm", "xhtml", "shtml"}
_MARKDOWN_NAMES = {"md", "markdown", "mdown", "mkd", "qmd"}
_WIKI_NAMES = {"wikitext", "wiki", "mediawiki", "mw"}


class Detected(NamedTuple):
    """The format that a file was found to be, and the sample it was judged by."""

    format: str
    sample: Sample


def detect(path: Path, name: str) -> Detected:
    """Find the format of a file.

    Returns:
        The name of a registered format.

    Raises:
        SkipDocument: it is empty, or of a kind that is left out.
        ReadError: it is a stand-in for the file, not the file.
    """
    sample = take_sample(path, name)
    if not sample.size:
        raise SkipDocument("The file is empty (0 bytes).", where=name)
    return Detected(registered_format(sample) or _binary_format(sample) or _text_format(sample), sample)


def take_sample(path: Path, name: str) -> Sample:
    """Read head and tail of a file."""
    with path.open("rb") as stream:
        head = stream.read(_HEAD)
        size = stream.seek(0, 2)
        stream.seek(max(0, size - 8))
        return Sample(path, name, size, head, stream.read(8))


def _binary_format(sample: Sample) -> str | None:
    head = sample.head
    if head.startswith(_LFS):
        raise ReadError(
            "This is a Git LFS pointer, not the data itself.",
            where=sample.name,
            hint="Fetch the real file with: git lfs pull",
        )
    if b"%PDF-" in head[:1024] and not head.lstrip().startswith((b"{", b"[")):
        return "pdf"
    for mark, offset, found in READ:
        if head.startswith(mark, offset):
            return _inside(sample, found)
    for mark, offset, words in LEFT_OUT:
        if head.startswith(mark, offset) and (len(mark) > 3 or _is_binary(head)):
            raise SkipDocument(f"The file is {words}.", where=sample.name)
    if sample.tail.endswith(b"PAR1") and _is_binary(head):
        return "parquet"
    if _is_binary(head):
        if not head.strip(b"\x00"):
            raise SkipDocument("The file holds only zero bytes.", where=sample.name)
        raise SkipDocument("The file is binary data of an unknown kind.", where=sample.name)
    return None


def _inside(sample: Sample, found: str) -> str:
    if found == "zip":
        return _zip_kind(sample)
    if found == "ole":
        return _ole_kind(sample)
    if found in ("bzip2", "orc") and not _is_binary(sample.head):
        return _text_format(sample)
    return found


def _zip_kind(sample: Sample) -> str:
    """Tell office documents, which are zip archives with fixed member names (ISO/IEC 29500-2, ODF 1.2 part 3)."""
    try:
        with zipfile.ZipFile(sample.path) as archive:
            names = set(archive.namelist())
            kind = archive.read("mimetype")[:100].decode("latin-1") if "mimetype" in names else ""
    except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError, EOFError, ValueError):
        # a damaged archive; its own reader tells what is wrong
        return {"xlsx": "xlsx", "xlsm": "xlsx", "docx": "docx", "ods": "ods"}.get(sample.extension, "zip")
    if "xl/workbook.xml" in names or "xl/workbook.bin" in names:
        return "xlsx"
    if "word/document.xml" in names:
        return "docx"
    if "opendocument.spreadsheet" in kind:
        return "ods"
    if "opendocument.text" in kind:
        raise SkipDocument("The file is an OpenDocument text, which is not read.", where=sample.name)
    if "ppt/presentation.xml" in names or "opendocument.presentation" in kind:
        raise SkipDocument("The file is a presentation, which is not read.", where=sample.name)
    if "epub" in kind:
        raise SkipDocument("The file is an e-book, which is not read.", where=sample.name)
    return "zip"


def _ole_kind(sample: Sample) -> str:
    """Tell the documents kept in OLE compound files by the UTF-16 names of their streams ([MS-CFB] 2.6.1)."""
    data = sample.path.read_bytes() if sample.size < 1 << 28 else sample.head

    def has(stream: str) -> bool:
        return stream.encode("utf-16-le") in data

    if has("EncryptedPackage"):
        raise ReadError(
            "The document is encrypted with a password.",
            where=sample.name,
            hint="Save a copy without a password.",
        )
    if has("Workbook") or has("Book"):
        return "xls"
    if has("WordDocument"):
        raise SkipDocument("The file is a Word 97-2003 document, which is not read.", where=sample.name)
    if has("PowerPoint Document"):
        raise SkipDocument(
            "The file is a PowerPoint 97-2003 presentation, which is not read.", where=sample.name
        )
    if sample.extension in ("xls", "xlt"):
        return "xls"
    raise SkipDocument("The file is an OLE compound file of an unknown kind.", where=sample.name)


def _is_binary(head: bytes) -> bool:
    """Tell binary data: many control characters, in none of the wide encodings of text."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")):
        return False
    controls = len(head) - len(head.translate(None, _CONTROLS))
    zeros = head.count(0)
    if controls * 50 <= len(head) or (controls == zeros and zeros * 5 <= len(head) and b"\n" in head):
        return False  # a few stray control characters, or NUL bytes in lines, are no reason to refuse a text
    return not looks_utf16(head)


_CONTROLS = bytes(code for code in range(32) if code not in b"\x01\t\n\r\f\x0b\x1b\x1a\x1e\x1c\x1d\x1f")


def looks_utf16(head: bytes) -> bool:
    """Tell UTF-16 without a byte order mark: nearly every second byte is zero."""
    sample = head[: len(head) // 2 * 2][:4096]
    if len(sample) < 4:
        return False
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    half = len(sample) // 2
    return (odd > 0.7 * half and even < 0.05 * half) or (even > 0.7 * half and odd < 0.05 * half)


def _text_format(sample: Sample) -> str:
    text, extension = sample.text, sample.extension
    if not text.strip("\ufeff\x00 \t\r\n\f\x0b\x1a"):
        raise SkipDocument("The file holds nothing but blanks.", where=sample.name)
    if _SVG.match(text):
        raise SkipDocument("The file is an SVG image.", where=sample.name)
    marked = _markup_format(sample, text, extension)
    if marked:
        return marked
    if _is_one_line(sample):
        return "txt"
    if extension in _DELIMITED_NAMES:
        return "csv"
    if extension in CODE_EXTENSIONS:
        return "code"
    delimited = _looks_delimited(text)
    if extension in _JSON_NAMES:
        return "csv" if delimited and not text.lstrip().startswith(("{", "[")) else "json"
    if extension in ("yml", "yaml") or _YAML.match(text):
        return "yaml"
    if delimited:
        return "csv"
    return "markdown" if _looks_markdown(text, sample.name) else "txt"


def _looks_delimited(text: str) -> bool:
    """Tell a delimited or fixed-width table under a name that says nothing; prose has commas too."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < 2 or _is_prose(lines):
        return False
    from headwater.readers._delimited import looks_delimited
    from headwater.readers._delimited_dialect import sniff

    likely = looks_delimited(text)
    if likely < _LIKELY:
        return False
    if likely >= _SURE:
        return True
    found = sniff(text)
    if found.stops:
        ends = [*found.stops[1:], max(map(len, lines))]
        return all(end - start <= _WIDEST for start, end in zip(found.stops, ends, strict=True))
    return found.consistency >= _CONSISTENT


def _is_prose(lines: list[str]) -> bool:
    words = sum(line.count(" ") + 1 for line in lines) / len(lines)
    ended = sum(line.rstrip()[-1] in '.!?:;,)"”’' for line in lines) / len(lines)
    return words > 12 and ended > 0.5


def _is_one_line(sample: Sample) -> bool:
    """Tell a text without a line end in its first megabyte, which is no table whatever stands in it."""
    if sample.whole or b"\n" in sample.head or b"\r" in sample.head:
        return False
    with sample.path.open("rb") as stream:
        start = stream.read(_LONGEST_LINE)
    return b"\n" not in start and b"\r" not in start and not looks_utf16(start[:4096])


def _markup_format(sample: Sample, text: str, extension: str) -> str | None:
    start = text.lstrip()[:1]
    if start == "<":
        if extension in _MARKDOWN_NAMES and not re.match(r"\s*<(?:!doctype|html)\b", text, re.IGNORECASE):
            return "markdown"
        if _HTML.match(text) or extension in _HTML_NAMES:
            return "html"
        found = _XML.match(text)
        if found and found.group(1) and extension != "xml" and _HTML_ONLY.search(text):
            return "html"  # a fragment of a page that begins with a tag of its own making
        if found and (
            found.group(1) is None or f"</{found.group(1)}" in text or not sample.whole or "/>" in text
        ):
            return "html" if re.search(r"<html\b", text[:2000], re.IGNORECASE) else "xml"
    if extension in _WIKI_NAMES or _looks_wikitext(text):
        return "wikitext"
    if extension in _MARKDOWN_NAMES:
        return "markdown"
    if extension in CODE_EXTENSIONS and extension != "ipynb":
        return None
    if extension in _JSON_NAMES and start in ("{", "["):
        return "json"
    if _JSON.match(text) or _JSONP.match(text) and (extension in _JSON_NAMES or extension == "js"):
        return "json"
    return None


def _looks_wikitext(text: str) -> bool:
    if text.lstrip().startswith(("#REDIRECT", "#redirect")):
        return True
    marks = sum(bool(mark.search(text)) for mark in _WIKI_MARKS)
    return marks >= 3 or (marks >= 1 and bool(_WIKI_TABLE.search(text)))


def _looks_markdown(text: str, name: str) -> bool:
    is_readme = "readme" in name.rsplit("/", 1)[-1].lower()
    return bool(_PIPE_TABLE.search(text)) or (is_readme and len(_HEADINGS.findall(text)) >= 2)
