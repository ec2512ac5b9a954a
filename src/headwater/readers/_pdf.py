"""PDF: text by page in reading order, tables with their page, form fields, attachments, hidden text told.

PDFium reads the text. Pages that look tabular are read for tables, by the lines drawn or by the places of the words
(`headwater.readers._pdf_tables`): in a hundredth of the time that pdfplumber takes.
"""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.errors import DocumentError, ReadError, SkipDocument
from headwater.model import Member, Page, ReadResult
from headwater.readers._invisible import describe_invisible, hidden_warning, is_message
from headwater.readers._names import name_tables
from headwater.readers._pdf_page import PageText, read_page
from headwater.readers._pdf_tables import TableFinder

if TYPE_CHECKING:
    from headwater.readers import ReadOptions

_HYPHEN = "\x02"
_BROKEN = re.compile(r"(\w*)\x02\s*(\w*)")
_WORD = re.compile(r"\w+-\w+")
_DATE = re.compile(r"D:(\d{4})(\d\d)?(\d\d)?")
_KEYS = {
    "Title": "title",
    "Author": "author",
    "Subject": "description",
    "Keywords": "keywords",
    "CreationDate": "created",
    "ModDate": "modified",
}
_POOR_TITLES = re.compile(
    r"^(?:untitled|microsoft word - .*|.*\.\w{2,4}|document\d*|slide \d+|[\d\W_]+|\(anonymous\)|anonymous)$",
    re.IGNORECASE,
)
_MAX_ATTACHMENTS = 1000


def read_pdf(path: Path, name: str, options: ReadOptions) -> ReadResult:
    """Read a PDF document.

    Raises:
        ReadError: damaged, or encrypted with a password.
    """
    import pypdfium2 as pdfium

    data = _from_header(path)
    try:
        document = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        if "password" in str(error).lower():
            raise ReadError(
                "The PDF is encrypted with a password.", where=name, hint="Save a copy without a password."
            ) from error
        raise ReadError(
            "The PDF is damaged or truncated: no cross-reference table or trailer can be found.",
            where=name,
            hint="Download the file again.",
        ) from error
    try:
        return _read(document, name, options)
    finally:
        document.close()


def _from_header(path: Path) -> Path | bytes:
    """Return the path, or the bytes from the header on where something was saved before it."""
    with path.open("rb") as stream:
        head = stream.read(1024)
    start = head.find(b"%PDF-")
    return path if start <= 0 else path.read_bytes()[start:]


def _read(document: Any, name: str, options: ReadOptions) -> ReadResult:
    result = ReadResult(format="pdf", metadata=_metadata(document))
    want_title = "title" not in result.metadata
    pages: list[PageText] = []
    failed: list[int] = []
    finder = TableFinder(options)
    fields = _fields(document)
    for index in range(len(document)):
        page = _page(document, index, want_title and index == 0, finder)
        if page is None:
            failed.append(index + 1)
        pages.append(page or PageText())
    if not pages:
        raise ReadError("The PDF is damaged: it has no pages.", where=name)
    if len(failed) == len(pages):
        raise ReadError("The PDF is damaged: none of its pages can be read.", where=name)
    joined = _join_words([page.text for page in pages])
    result.pages = [Page(number, text) for number, text in enumerate(joined, 1)]
    for number, lines in fields.items():
        target = result.pages[min(number, len(pages)) - 1]
        target.text = "\n".join(filter(None, (target.text, *lines)))
    result.text = "\f".join(page.text for page in result.pages)
    result.tables = finder.tables()
    result.warnings += [*_warnings(pages, failed), *describe_invisible(result.text)]
    name_tables(result.tables)
    if want_title and pages[0].title:
        result.metadata["title"] = pages[0].title
    result.metadata["pages"] = len(pages)
    _attachments(document, result, name, options)
    return result


def _page(document: Any, index: int, want_title: bool, finder: TableFinder) -> PageText | None:
    import pypdfium2 as pdfium

    try:
        page = document[index]
    except pdfium.PdfiumError:
        return None
    try:
        read = read_page(page, want_title)
        if read.looks_tabular and not read.ocr:
            finder.look(page, index + 1, read.ruled)
        return read
    except (pdfium.PdfiumError, ValueError, OSError):
        return None
    finally:
        page.close()


def _join_words(texts: list[str]) -> list[str]:
    """Join words broken at line ends; the hyphen stays where the document writes the word with one elsewhere."""
    if not any(_HYPHEN in text for text in texts):
        return texts
    hyphenated = Counter(word.lower() for text in texts for word in _WORD.findall(text))

    def join(found: re.Match[str]) -> str:
        left, right = found.groups()
        kept = f"{left}-{right}"
        if kept.lower() in hyphenated or not right or not left or right[:1].isupper() or right[:1].isdigit():
            return kept
        return left + right

    return [_BROKEN.sub(join, text) for text in texts]


def _metadata(document: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in document.get_metadata_dict(skip_empty=True).items():
        ours = _KEYS.get(key)
        value = " ".join(value.replace("\x00", "").split())
        if (
            not ours
            or not value
            or ours == "title"
            and _POOR_TITLES.match(value)
            or value.lower() in ("unspecified", "unknown", "anonymous")
        ):
            continue
        date = _DATE.match(value)
        found[ours] = "-".join(filter(None, date.groups())) if date else value
    return found


def _warnings(pages: list[PageText], failed: list[int]) -> list[str]:
    out = []
    if failed:
        out.append(f"{_pages(failed)} could not be read: damaged.")
    numbered = list(enumerate(pages, 1))
    empty = [n for n, p in numbered if not p.text.strip() and n not in failed and not p.unmapped]
    scans = [n for n in empty if pages[n - 1].images > 0.2]
    if len(empty) == len(pages) - len(failed):
        why = "a scan, which needs OCR" if scans else "a picture, a drawing or blank pages"
        out.append(f"The document has no text layer: {why}.")
    elif scans:
        out.append(f"{_pages(scans)} have no text layer: scans, which need OCR.")
    ocr = [n for n, p in numbered if p.ocr]
    if ocr:
        out.append(f"{_pages(ocr)}: the text is an OCR layer over a scan and may be misread.")
    unmapped = [(n, p.unmapped) for n, p in numbered if p.unmapped > max(3, 0.02 * p.characters)]
    if unmapped:
        total = sum(count for _, count in unmapped)
        out.append(
            f"{_pages([n for n, _ in unmapped])}: {total} characters cannot be recovered, for their fonts do not say what they are (OCR would be needed)."
        )
    hidden = [" ".join(text.split()) for page in pages for text in page.hidden]
    where = _pages([number for number, page in numbered if any(map(is_message, page.hidden))])
    out += hidden_warning(hidden, f", {where[:1].lower()}{where[1:]}")
    return out


def _pages(numbers: list[int]) -> str:
    """Return "Page 3" or "Pages 1-4, 9"."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    if not runs:
        return ""
    text = ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)
    return f"Page {text}" if len(set(numbers)) == 1 else f"Pages {text}"


def _fields(document: Any) -> dict[int, list[str]]:
    """Return the filled form fields as lines "name: value", by page."""
    if not document.get_formtype():
        return {}
    import ctypes

    import pypdfium2 as pdfium
    import pypdfium2.raw as raw

    def value_of(annotation: Any, key: bytes) -> str:
        length = raw.FPDFAnnot_GetStringValue(annotation, key, None, 0)
        if length <= 2:
            return ""
        buffer = ctypes.create_string_buffer(length)
        raw.FPDFAnnot_GetStringValue(
            annotation, key, ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), length
        )
        return buffer.raw[: length - 2].decode("utf-16-le", "replace")

    out: dict[int, list[str]] = {}
    for index in range(len(document)):
        try:
            page = document[index]
        except pdfium.PdfiumError:
            continue
        for number in range(raw.FPDFPage_GetAnnotCount(page.raw)):
            annotation = raw.FPDFPage_GetAnnot(page.raw, number)
            if raw.FPDFAnnot_GetSubtype(annotation) == raw.FPDF_ANNOT_WIDGET:
                label, value = value_of(annotation, b"T"), value_of(annotation, b"V")
                if value and value != "Off":
                    out.setdefault(index + 1, []).append(f"{label or 'field'}: {value}")
            raw.FPDFPage_CloseAnnot(annotation)
        page.close()
    return out


def _attachments(document: Any, result: ReadResult, name: str, options: ReadOptions) -> None:
    """Read the attached files as members of the document; those that are left out are named in the metadata."""
    import pypdfium2 as pdfium

    if options.max_depth <= 0:
        return
    inner = replace(options, max_depth=options.max_depth - 1)
    for index in range(min(document.count_attachments(), _MAX_ATTACHMENTS)):
        label = f"attachment {index + 1}"
        try:
            attachment = document.get_attachment(index)
            label = attachment.get_name().replace("\\", "/").rsplit("/", 1)[-1] or label
            data = bytes(attachment.get_data())
        except (pdfium.PdfiumError, ValueError, OSError) as error:
            result.warnings.append(f"The attachment {label!r} is damaged: {error}.")
            continue
        result.metadata.setdefault("attachments", []).append(label)
        _take_in(label, data, result, name, inner)


def _take_in(label: str, data: bytes, result: ReadResult, name: str, options: ReadOptions) -> None:
    from headwater.readers._dispatch import read_any

    with tempfile.TemporaryDirectory(dir=options.workdir) as folder:
        target = Path(folder) / "content"
        target.write_bytes(data)
        try:
            inner = read_any(target, f"{name}!{label}", options)
        except SkipDocument:
            return  # an image, say; it is named in the metadata
        except DocumentError as error:
            result.warnings.append(f"The attachment {label!r} cannot be read: {error.message}")
            return
    result.members.append(Member(label, inner, sha256=hashlib.sha256(data).hexdigest(), size=len(data)))
