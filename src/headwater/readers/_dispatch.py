"""Finds the format of a file, has it read and looks over the result."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from headwater.errors import ReadError, SkipDocument
from headwater.model import ReadResult
from headwater.readers._detect import Detected, detect
from headwater.readers._invisible import invisible_warnings
from headwater.readers._registry import reader_for
from headwater.readers._signatures import DATA_EXTENSIONS

if TYPE_CHECKING:
    from headwater.readers import ReadOptions

_TEXT_FORMATS = {
    "csv",
    "tsv",
    "json",
    "ndjson",
    "geojson",
    "yaml",
    "xml",
    "txt",
    "markdown",
    "wikitext",
    "html",
}


_BINARY = {"pdf", "docx", "xlsx", "xls", "ods", "parquet", "zip", "gz"}
_LONGEST_MESSAGE = 1000
_WRAPPINGS = {"gzip", "bzip2", "xz", "zip", "tar"}


def read_any(path: Path, name: str, options: ReadOptions) -> ReadResult:
    """Read a file of whatever format.

    Raises:
        ReadError: it is damaged or not what it claims to be.
        SkipDocument: it is left out, with the reason.
    """
    try:
        detected = detect(path, name)
        result = reader_for(detected.format)(path, name, options)
    except OSError as error:
        raise ReadError(f"The file cannot be read: {error.strerror or error}.", where=name) from error
    except (MemoryError, RecursionError) as error:
        raise ReadError(
            f"The file is too large or too deeply nested to read ({type(error).__name__}).", where=name
        ) from error
    _look_over(result, detected)
    return result


def _look_over(result: ReadResult, detected: Detected) -> None:
    """Tell invisible characters and a name that promises something else."""
    sample = detected.sample
    if detected.format in _WRAPPINGS:
        return  # what is inside has been looked over by itself
    if result.format in _TEXT_FORMATS:
        result.warnings += invisible_warnings(sample.path)
    if result.format == "html" and sample.extension in DATA_EXTENSIONS and not result.tables:
        _refuse_page(result, sample.extension, sample.name)
    elif sample.extension in _BINARY and result.format in _TEXT_FORMATS and not result.tables:
        _refuse_message(result, sample.extension, sample.name)


def _refuse_message(result: ReadResult, extension: str, name: str) -> None:
    """A short text in the place of a document is the message of a program that failed to make it."""
    text = " ".join((result.text or "").split())
    if len(text) < _LONGEST_MESSAGE:
        raise ReadError(
            f"The file is not a {extension.upper()} but {result.format.upper()} text: {text[:120]!r}.",
            where=name,
            hint="Download the file again.",
        )
    result.warnings.append(f"The name says {extension}, but the file is plain {result.format} text.")


def _refuse_page(result: ReadResult, extension: str, name: str) -> None:
    """A web page in the place of data is mostly the message of a server: a login form, an error."""
    title = str(result.metadata.get("title") or "").strip()
    shown = f' with the title "{title}"' if title else ""
    if result.metadata.get("login_form") or len(result.text or "") < 600:
        raise ReadError(
            f"The file is not {extension.upper()} but an HTML page{shown}, as a server sends for a login or an error.",
            where=name,
            hint="Download the data again.",
        )
    if not result.text:
        raise SkipDocument("The file is an HTML page without text.", where=name)
    result.warnings.append(f"The name says {extension}, but the file is an HTML page{shown} without a table.")
