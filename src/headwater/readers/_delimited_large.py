"""Delimited files too large for memory: one pass to text Parquet, types from all rows."""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.model import Dialect, Quarantined, ReadResult
from headwater.readers._delimited_dialect import Sniffed, sniff
from headwater.readers._delimited_parse import parse
from headwater.readers._encoding import _BOMS, guess_encoding
from headwater.tabular import Parts, StreamTable, take_apart

if TYPE_CHECKING:
    from headwater.readers import ReadOptions

HEAD_BYTES = 1 << 20
"""Bytes at the top from which dialect, header and preamble are found."""

CHUNK_BYTES = 4 << 20
"""Bytes read at a time."""

SLOW_ROWS = 50_000
"""Records of a batch on the slow route."""

MAX_ODD = 1000
"""Records of another width that the fast route sets aside; with more of them the slow route pads and widens."""

MAX_QUARANTINED = 1000
"""Records that are kept in quarantine one by one; the others are counted."""


@dataclass(slots=True)
class _Source:
    """A file as UTF-8 without NUL characters, and what one pass over its bytes told."""

    path: Path
    encoding: str
    warnings: list[str] = field(default_factory=list)
    rows: int | None = None


class _TooOdd(Exception):
    """The fast route meets more odd records than it sets aside."""


def read_large(path: Path, name: str, options: ReadOptions) -> ReadResult | None:
    """Read a delimited file of any size in bounded memory.

    Returns:
        The result with one table whose cells lie in Parquet files in `options.workdir`; None where the file needs
        the reader for small files (columns by position, delimiters of several characters, several tables at the top).
    """
    workdir = options.workdir or Path(tempfile.mkdtemp(prefix="headwater-"))
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    source = _prepare(path, head, workdir)
    text = _head_text(source.path)
    found = sniff(text)
    if found.stops or len(found.delimiter) != 1:
        return None
    parsed = parse(text, found)
    first = min(len(parsed.rows), 400)
    parts = take_apart(parsed.rows[:first], parsed.lines[:first], None, True)
    skip = parts.lines[0] - 1 if parts.lines and parts.lines[0] else 0
    above = sum(line <= skip for line in parsed.lines[:first])
    for listed in (parts.headers, parts.units, parts.kinds):
        del listed[parts.width :]
    parts.records, parts.numbers, parts.lines, parts.quarantined = [], [], [], []
    parts.footer, parts.footer_rows = [], 0
    parts.warnings = [
        warning for warning in parts.warnings if "header" in warning and "repeated" not in warning
    ]
    try:
        table = _stream(source, found, parts, skip, workdir, fast=True)
    except _TooOdd:
        table = _stream(source, found, parts, skip, workdir, fast=False)
    finally:
        if source.path != path:
            source.path.unlink(missing_ok=True)
    if source.rows is not None:
        table.source_records = source.rows - above - table.extra["blank"] - table.extra["repeats"]
        loaded = table.data.row_count + table.extra["quarantined"] + table.extra["footer_rows"]
        if table.source_records != loaded:
            table.warnings.append(
                f"{table.source_records} records were counted in the file, {loaded} were read"
            )
    return ReadResult(
        format="tsv" if found.delimiter == "\t" else "csv",
        encoding=source.encoding,
        tables=[table],
        warnings=source.warnings,
    )


def _head_text(path: Path) -> str:
    """Return the text of the first whole lines."""
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
        more = bool(file.read(1))
    if more and b"\n" in head:
        head = head[: head.rfind(b"\n") + 1]
    return head.removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="replace")


def _prepare(path: Path, head: bytes, workdir: Path) -> _Source:
    """Find the encoding from all bytes; write a UTF-8 copy where the file is in another one, or holds NUL characters."""
    encoding = next((name for mark, name in _BOMS if head.startswith(mark)), "utf-8")
    if encoding in ("utf-8", "utf-8-sig"):
        checked = _check_utf8(path)
        if checked.clean and not (b"\r" in head and b"\n" not in head):
            return _Source(path, encoding, rows=checked.rows)
        if not checked.utf8:
            encoding = guess_encoding(checked.sample)
    source = _Source(workdir / "source.utf8.csv", encoding)
    replaced = nuls = 0
    with (
        path.open(encoding=encoding, errors="replace", newline=None) as reader,
        source.path.open("w", encoding="utf-8", newline="\n") as out,
    ):
        while text := reader.read(CHUNK_BYTES):
            replaced += text.count("\ufffd")
            nuls += text.count("\0")
            out.write(text.replace("\0", ""))
    if replaced:
        source.warnings.append(f"{replaced} characters do not fit the encoding {encoding} and were replaced")
    if nuls:
        source.warnings.append(f"{nuls} NUL characters were taken out")
    source.rows = _check_utf8(source.path).rows
    return source


@dataclass(slots=True)
class _Checked:
    utf8: bool = True
    nul: bool = False
    sample: bytes = b""
    rows: int | None = 0

    @property
    def clean(self) -> bool:
        return self.utf8 and not self.nul


def _check_utf8(path: Path) -> _Checked:
    """Check all bytes of a file and count its records, blank ones too: lines, those in double quotes left out."""
    checked, inside, lines = _Checked(), False, 0
    with path.open("rb") as file:
        rest = b""
        while chunk := file.read(CHUNK_BYTES):
            chunk = rest + chunk
            cut = chunk.rfind(b"\n") + 1
            chunk, rest = (chunk[:cut], chunk[cut:]) if cut else (b"", chunk)
            counted, inside = _inspect(chunk, inside, checked)
            lines += counted
        counted, inside = _inspect(rest + b"\n" if rest else b"", inside, checked)
        lines += counted
    checked.rows = None if inside else lines
    return checked


def _inspect(chunk: bytes, inside: bool, checked: _Checked) -> tuple[int, bool]:
    """Return the records that end in a chunk of whole lines and whether it ends inside quotes."""
    if not chunk.isascii() and checked.utf8:
        try:
            chunk.decode("utf-8")
        except UnicodeDecodeError as error:
            checked.utf8 = False
            checked.sample = chunk[max(0, error.start - HEAD_BYTES) : error.start + HEAD_BYTES]
    checked.nul = checked.nul or b"\0" in chunk
    if b'"' not in chunk:
        outside = b"" if inside else chunk
    else:
        pieces = chunk.split(b'"')
        outside = b"".join(pieces[1::2] if inside else pieces[::2])
        inside = inside != (len(pieces) % 2 == 0)
    return outside.count(b"\n"), inside


def _stream(source: _Source, found: Sniffed, parts: Parts, skip: int, workdir: Path, *, fast: bool) -> Any:
    """Stream the records into Parquet files by the fast or the slow route."""
    width = len(parts.headers)
    odd = _OddRecords(width)
    if not fast:
        wide = max((len(row) for row, _ in _slow_rows(source.path, found, skip)), default=width)
        if wide > width:
            parts.widen(wide)
            width = wide
    collected = StreamTable(parts, workdir, "table")
    before = parts.set_aside
    batches = (
        _fast_batches(source.path, found, width, skip, odd)
        if fast
        else _slow_batches(source.path, found, width, skip, odd)
    )
    for columns, lines in batches:
        collected.add(*_without_repeats(columns, lines, parts))
    _move_notes(odd, parts, collected.last_line)
    parts.quarantined = odd.records
    dialect = Dialect(found.delimiter, found.quote, found.escape, parts.header_rows)
    table = collected.finish(dialect=dialect, warnings=odd.warnings())
    table.extra |= {"quarantined": odd.count, "blank": odd.blank, "repeats": parts.set_aside - before}
    return table


def _move_notes(odd: _OddRecords, parts: Parts, last_line: int) -> None:
    """Take single fields below the last record for notes."""
    while (
        odd.records
        and odd.records[-1].line > last_line
        and "instead" in odd.records[-1].reason
        and odd.records[-1].reason.startswith("1 ")
    ):
        parts.footer.insert(0, odd.records.pop().text)
        parts.footer_rows += 1
        odd.count -= 1


@dataclass(slots=True)
class _OddRecords:
    """Records of another width than the header's."""

    width: int
    count: int = 0
    padded: int = 0
    wide: int = 0
    blank: int = 0
    records: list[Quarantined] = field(default_factory=list)

    def set_aside(self, line: int, fields: int, text: str) -> None:
        self.count += 1
        if len(self.records) < MAX_QUARANTINED:
            self.records.append(Quarantined(line, f"{fields} fields instead of {self.width}", text[:2000]))

    def warnings(self) -> list[str]:
        told = []
        if self.count > len(self.records):
            told.append(f"{self.count} records were set aside, the first {len(self.records)} are listed")
        if self.padded:
            told.append(f"{self.padded} records are short and were padded")
        if self.wide:
            told.append(
                f"{self.wide} records have more than {self.width} fields; the rest is in added columns"
            )
        return told


def _without_repeats(columns: Sequence[Any], lines: Any, parts: Parts) -> tuple[Sequence[Any], Any]:
    """Take out rows that repeat the header."""
    import pyarrow.compute as pc

    if not parts.header_rows or not columns or not parts.headers[0]:
        return columns, lines
    same = pc.equal(columns[0], parts.headers[0])
    if not pc.any(same).as_py():
        return columns, lines
    for column, header in zip(columns[1:], parts.headers[1:], strict=True):
        same = pc.and_(same, pc.equal(pc.utf8_trim_whitespace(column), header))
    repeats = pc.sum(same).as_py() or 0
    if repeats:
        parts.set_aside += repeats
        parts.warnings.append(
            f"the header is repeated on {repeats} lines from {lines.filter(same)[0]} on; these rows were left out"
        )
        keep = pc.fill_null(pc.invert(same), True)
        return [column.filter(keep) for column in columns], lines.filter(keep)
    return columns, lines


def _fast_batches(
    path: Path, found: Sniffed, width: int, skip: int, odd: _OddRecords
) -> Iterator[tuple[list[Any], Any]]:
    """Yield batches as the Arrow reader parses them; records of another width are set aside."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.csv as pcsv

    place = _Lines(skip + 1)

    def aside(row: Any) -> str:
        place.skipped(row.number, row.actual_columns, row.text or "")
        return "skip" if len(place.odd) <= MAX_ODD else "error"

    names = [f"c{index}" for index in range(width)]
    try:
        reader = pcsv.open_csv(
            path,
            read_options=pcsv.ReadOptions(
                column_names=names, skip_rows=skip, block_size=CHUNK_BYTES, use_threads=False
            ),
            parse_options=pcsv.ParseOptions(
                delimiter=found.delimiter,
                quote_char=found.quote,
                escape_char=found.escape or False,
                newlines_in_values=True,
                ignore_empty_lines=False,
                invalid_row_handler=aside,
            ),
            convert_options=pcsv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()),
                strings_can_be_null=False,
                quoted_strings_can_be_null=False,
            ),
        )
        for batch in reader:
            lines = place.of(batch)
            columns = list(batch.columns)
            blank = pc.equal(columns[0], "")
            if pc.any(blank).as_py():  # a blank line is a row of blanks here
                for column in columns[1:]:
                    blank = pc.and_(blank, pc.equal(column, ""))
                odd.blank += pc.sum(blank).as_py() or 0
                keep = pc.invert(blank)
                columns, lines = [column.filter(keep) for column in columns], lines.filter(keep)
            yield columns, lines
    except pa.ArrowInvalid as error:
        raise _TooOdd from error
    place.flush()
    for line, fields, text in place.told:
        odd.set_aside(line, fields, text)


class _Lines:
    """Finds the line of every record while some records are left out and fields hold line ends."""

    def __init__(self, first: int) -> None:
        self.line = first
        self.record = first - 1  # the reader numbers records from 1, the lines skipped before them included
        self.odd: list[tuple[int, int, str]] = []
        self.told: list[tuple[int, int, str]] = []

    def skipped(self, number: int, fields: int, text: str) -> None:
        """Note a record that the reader leaves out: its number, fields and text."""
        self.odd.append((number, fields, text))

    def of(self, batch: Any) -> Any:
        """Return the lines of the records of a batch."""
        import numpy as np
        import pyarrow as pa
        import pyarrow.compute as pc

        spans = np.ones(batch.num_rows, dtype=np.int64)
        for column in batch.columns:
            if pc.any(pc.match_substring(column, "\n")).as_py():
                spans += pc.count_substring(column, "\n").to_numpy(zero_copy_only=False)
        ends = np.cumsum(spans)
        starts = self.line + ends - spans
        used = 0
        for number, fields, text in self.odd:
            before = number - self.record - 1 - used  # records of this batch above the one left out
            if before > batch.num_rows:
                break
            extra = 1 + text.count("\n")
            line = (
                int(starts[before])
                if before < len(starts)
                else self.line + int(ends[-1] if len(ends) else 0) + self._shift(used)
            )
            if text.strip():
                self.told.append((line, fields, text))
            starts[before:] += extra
            used += 1
        self.record += batch.num_rows + used
        shift = self._shift(used)
        self.line += int(ends[-1] if len(ends) else 0) + shift
        del self.odd[:used]
        return pa.array(starts, pa.int64())

    def _shift(self, count: int) -> int:
        return sum(1 + text.count("\n") for _, _, text in self.odd[:count])

    def flush(self) -> None:
        """Place the records that were left out behind the last batch."""
        for _, fields, text in self.odd:
            if text.strip():
                self.told.append((self.line, fields, text))
            self.line += 1 + text.count("\n")
        self.odd.clear()


def _slow_rows(path: Path, found: Sniffed, skip: int) -> Iterator[tuple[list[str], int]]:
    """Yield records with their lines by the csv module."""
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        for _ in range(skip):
            file.readline()
        reader = found.reader(file)
        line = skip + 1
        try:
            for row in reader:
                yield row, line
                line = skip + reader.line_num + 1  # type: ignore[attr-defined]
        except csv.Error:
            return


def _slow_batches(
    path: Path, found: Sniffed, width: int, skip: int, odd: _OddRecords
) -> Iterator[tuple[list[Any], Any]]:
    """Yield batches by the csv module: short records padded, wide ones in added columns."""
    import pyarrow as pa

    rows: list[Sequence[str | None]] = []
    lines: list[int] = []

    def batch() -> tuple[list[Any], Any]:
        columns = [pa.array(column, pa.string()) for column in zip(*rows, strict=True)]
        return columns, pa.array(lines, pa.int64())

    for row, line in _slow_rows(path, found, skip):
        if not any(row):
            odd.blank += 1
            continue
        if len(row) < width:
            odd.padded += len(row) < odd.width
            odd.wide += len(row) > odd.width
            rows.append([*row, *[None] * (width - len(row))])
        else:
            odd.wide += len(row) > odd.width
            rows.append(row)
        lines.append(line)
        if len(rows) == SLOW_ROWS:
            yield batch()
            rows, lines = [], []
    if rows:
        yield batch()
