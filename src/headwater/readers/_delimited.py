"""Delimited and fixed-width text tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from headwater.errors import ReadError
from headwater.model import Dialect, ReadResult, Table
from headwater.readers._delimited_dialect import Sniffed, sniff
from headwater.readers._delimited_parse import Parsed, parse
from headwater.readers._encoding import Decoded, decode
from headwater.tabular import build_table, split_rows

if TYPE_CHECKING:
    from headwater.readers import ReadOptions

__all__ = ["looks_delimited", "read_delimited", "read_delimited_text"]


def looks_delimited(sample_text: str) -> float:
    """Return how likely it is, from 0 to 1, that a text is a delimited table.

    Args:
        sample_text: the first part of a text, some kilobytes.
    """
    lines = [line for line in sample_text.splitlines() if line.strip()]
    if not lines:
        return 0.0
    if lines[0].lstrip()[0] in "{<":
        return 0.05  # JSON or markup
    found = sniff(sample_text)
    if found.stops:
        return 0.6
    if found.columns < 2 or not found.delimiter:
        return 0.1
    score = found.consistency * (1 - 1 / (2 * found.columns))
    if len(lines) < 3:
        score *= 0.8
    if found.delimiter == " ":
        score *= 0.4
    if found.delimiter == "," and found.columns < 4 and _reads_like_prose(lines):
        score *= 0.3
    return score


def _reads_like_prose(lines: list[str]) -> bool:
    """Tell whether commas are followed by blanks and lines end like sentences."""
    commas = sum(line.count(",") for line in lines)
    spaced = sum(line.count(", ") + line.rstrip().endswith(",") for line in lines)
    return (
        commas > 0
        and spaced > 0.8 * commas
        and sum(line.rstrip()[-1] in ".!?:;," for line in lines) > 0.3 * len(lines)
    )


def read_delimited(path: Path, name: str, options: ReadOptions) -> ReadResult:
    """Read a delimited text file, whatever its delimiter and encoding.

    A file above `options.memory_table_bytes` is streamed to Parquet files in `options.workdir`.

    Raises:
        ReadError: the file is empty or holds no table.
    """
    size = path.stat().st_size
    if size > options.memory_table_bytes:
        from headwater.readers._delimited_large import read_large

        result = read_large(path, name, options)
        if result is not None:
            return result
    return read_delimited_text(decode(path.read_bytes()), name)


def read_delimited_text(decoded: Decoded, name: str) -> ReadResult:
    """Read the decoded text of a delimited file.

    Args:
        decoded: the text and its encoding.
        name: name of the file, for messages.

    Raises:
        ReadError: the text is empty, or nothing but blank lines.
    """
    text, told = _clean(decoded)
    if not text:
        raise ReadError("The file is empty (0 bytes of text).", where=name)
    if text.isspace():
        raise ReadError("The file holds no data: nothing but blank lines.", where=name)
    found = sniff(text)
    parsed = parse(text, found)
    tables = _tables(parsed, found)
    if not tables:
        raise ReadError("The file holds no data: all its fields are blank.", where=name)
    return ReadResult(
        format="tsv" if found.delimiter == "\t" else "csv",
        encoding=decoded.encoding,
        tables=tables,
        warnings=told + parsed.warnings,
    )


def _clean(decoded: Decoded) -> tuple[str, list[str]]:
    """Take out NUL characters and say what was replaced in decoding."""
    text, warnings = decoded.text, []
    if decoded.replaced:
        warnings.append(
            f"{decoded.replaced} bytes do not fit the encoding {decoded.encoding} and were read as best they could"
        )
    if nuls := text.count("\0"):
        text = text.replace("\0", "")
        warnings.append(f"{nuls} NUL characters were taken out")
    return text, warnings


def _tables(parsed: Parsed, found: Sniffed) -> list[Table]:
    """Build the tables of a file: one, or several set apart by blank lines with headers of their own."""
    spans = split_rows(parsed.rows)
    tables = []
    for index, (start, end) in enumerate(spans):
        dialect = Dialect(found.delimiter, found.quote, found.escape)
        table = build_table(
            parsed.rows[start:end],
            name=f"table {index + 1}" if len(spans) > 1 else "",
            lines=parsed.lines[start:end],
            dialect=dialect,
        )
        dialect.header_rows = table.extra["header_rows"]
        if table.columns:
            tables.append(table)
    if tables:
        tables[0].quarantined = parsed.quarantined + tables[0].quarantined
        _compare_counts(tables, parsed)
    return tables


def _compare_counts(tables: list[Table], parsed: Parsed) -> None:
    """Compare the records counted in the source with those loaded, and say if they differ."""
    if parsed.counted is None:
        return
    aside = sum(table.extra["set_aside"] for table in tables)
    loaded = sum(
        table.data.row_count + len(table.quarantined) + table.extra["footer_rows"] for table in tables
    )
    if len(tables) == 1:
        tables[0].source_records = parsed.counted - aside
    else:
        for table in tables:
            table.source_records = table.data.row_count + len(table.quarantined) + table.extra["footer_rows"]
    if parsed.counted - aside != loaded:
        tables[0].warnings.append(
            f"{parsed.counted - aside} records were counted in the file, {loaded} were read"
        )
