"""From delimited text to rows of cells, with the line of each, and with what is broken repaired and told."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from headwater.model import Quarantined
from headwater.readers._delimited_dialect import USUAL, Sniffed, line_ends

MAX_SPAN = 500
"""Most lines of one record in a file with stray quotes."""

MAX_MENDED = 1000
"""Lines with stray quotes after which no line is joined with those below it any more: the file is not worth the time."""

_HELD = "\ue00a"
"""Stands for a line feed inside a record while records are cut at CRLF (a private character)."""

_SMART = {"“": "”", "„": "“", "«": "»", "‘": "’"}


@dataclass(slots=True)
class Parsed:
    """Rows of a text.

    Attributes:
        rows: cells of every line or record; a blank line is an empty row.
        lines: physical line where each row begins, from 1.
        counted: rows that are not blank, counted another way, or None where there is none.
        warnings: what was repaired.
        quarantined: lines set aside.
    """

    rows: list[list[str]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    counted: int | None = None
    warnings: list[str] = field(default_factory=list)
    quarantined: list[Quarantined] = field(default_factory=list)


def parse(text: str, dialect: Sniffed) -> Parsed:
    """Parse a text by its dialect."""
    offset = text.count("\n", 0, dialect.skip)
    text = text[dialect.skip :] if dialect.skip else text
    if dialect.stops:
        return _by_position(text, dialect.stops, offset)
    if len(dialect.delimiter) > 1:
        return _by_several(text, dialect.delimiter, offset)
    try:
        parsed = _by_csv(text, dialect)
        width = _usual(parsed.rows)
        if _quotes_astray(parsed, text, dialect, width):
            parsed = _line_by_line(text, dialect, width)
        elif width > 1 and _uneven(parsed.rows, width):
            parsed = _hold_line_feeds(parsed, text, dialect, width)
    except csv.Error:
        parsed = _line_by_line(text, dialect, dialect.columns)
    _resplit(parsed, dialect, _usual(parsed.rows))
    if offset:
        parsed.lines = [line + offset for line in parsed.lines]
    return parsed


def _usual(rows: Sequence[Sequence[str]]) -> int:
    """Return the most usual number of fields."""
    widths = Counter(map(len, rows))
    del widths[0]
    return max(widths.items(), key=lambda item: (item[1], item[0]))[0] if widths else 0


def _uneven(rows: Sequence[Sequence[str]], width: int) -> int:
    """Return the number of rows of another width."""
    return sum(len(row) not in (0, width) for row in rows)


def split_lines(text: str) -> list[str]:
    """Split at CRLF, LF and CR only (str.splitlines also splits at form feeds and others), ends kept."""
    if "\r" not in text:
        return text.split("\n") if not text.endswith("\n") else text[:-1].split("\n")
    lines = re.split(r"\r\n|\n|\r", text)
    return lines[:-1] if lines and not lines[-1] else lines


def _feed(text: str) -> Iterator[str]:
    """Yield the physical lines with their ends, for the csv module."""
    import io

    return io.StringIO(text, newline="")


def _by_csv(text: str, dialect: Sniffed) -> Parsed:
    reader = dialect.reader(_feed(text))
    rows, lines = [], []
    line = 1
    number = reader.line_num  # type: ignore[attr-defined]
    for row in reader:
        rows.append(row)
        lines.append(line)
        number = reader.line_num  # type: ignore[attr-defined]
        line = number + 1
    counted = count_records(text, dialect)
    parsed = sum(1 for row in rows if row and not (len(row) == 1 and not row[0].strip()))
    if counted is not None and counted != parsed:
        counted = count_by_pattern(text, dialect)
        if counted != parsed and _loose(text, dialect):
            counted = None  # quotes inside quoted fields: only the parser itself can tell where those end
    return Parsed(rows, lines, counted)


def count_records(text: str, dialect: Sniffed) -> int | None:
    """Count the records that are not blank without parsing: line ends outside quotes.

    Returns:
        The number, or None where quotes are escaped by another character or do not pair.
    """
    if dialect.quote not in text:
        outside = text
    elif dialect.escape or text.count(dialect.quote) % 2:
        return None
    else:
        outside = "x".join(text.split(dialect.quote)[::2])
    if "\r" in outside:
        outside = outside.replace("\r\n", "\n").replace("\r", "\n")
    lines = outside.split("\n")
    return sum(1 for line in lines if not _is_blank_line(line, dialect.delimiter))


def _is_blank_line(line: str, delimiter: str) -> bool:
    """Tell whether a line holds nothing; one of delimiters alone is a record, be they tabs or blanks."""
    return not line or (line.isspace() and (not delimiter or delimiter not in line))


def count_by_pattern(text: str, dialect: Sniffed) -> int:
    """Count the records that are not blank in a text that has quotes inside unquoted fields too."""
    quote = re.escape(dialect.quote)
    edge = rf"(^|{re.escape(dialect.delimiter or chr(31))}|[\r\n])"
    bare = re.sub(rf"{edge} ?{quote}(?:[^{quote}]|{quote}{quote})*{quote}", r"\1x", text)
    return sum(1 for line in split_lines(bare) if not _is_blank_line(line, dialect.delimiter))


def _quotes_astray(parsed: Parsed, text: str, dialect: Sniffed, width: int) -> bool:
    """Tell whether a stray quote has swallowed records: quotes do not pair, or a field holds lines that are records."""
    if dialect.quote not in text:
        return False
    odd = not dialect.escape and text.count(dialect.quote) % 2 == 1
    starts = parsed.lines
    total = starts[-1] if starts else 0
    if total <= len(starts) and not (parsed.rows and any("\n" in c or "\r" in c for c in parsed.rows[-1])):
        return odd and _uneven(parsed.rows, width) > 0  # an inch mark in an unquoted field does no harm
    if odd:
        return True
    if width < 3:
        return False
    if not _uneven(parsed.rows, width):
        return _loose(text, dialect) and _swallows(parsed, split_lines(text), dialect.delimiter, width)
    suspicious = 0
    for row, line, following in zip(parsed.rows, starts, [*starts[1:], total + 2], strict=True):
        if following - line > 1:
            for cell in row:
                if "\n" in cell or "\r" in cell:
                    inner = split_lines(cell)[1:-1] or []
                    suspicious += sum(piece.count(dialect.delimiter) == width - 1 for piece in inner)
            if len(row) != width and suspicious == 0 and following - line > 2:
                suspicious += 1
    return suspicious > 0


def _swallows(parsed: Parsed, lines: Sequence[str], delimiter: str, width: int) -> bool:
    """Tell whether a record goes over lines that have as many delimiters as a record by themselves."""
    ends = [*parsed.lines[1:], len(lines) + 1]
    return any(
        lines[number - 1].count(delimiter) == width - 1
        for start, end in zip(parsed.lines, ends, strict=True)
        if end - start > 1
        for number in range(start + 1, min(end, len(lines) + 1))
    )


def _loose(text: str, dialect: Sniffed) -> bool:
    """Tell whether a text has quotes at places where the format has none (behind a closing quote)."""
    try:
        for _ in csv.reader(
            _feed(text),
            delimiter=dialect.delimiter or "\x1f",
            quotechar=dialect.quote,
            escapechar=dialect.escape,
            skipinitialspace=dialect.skip_blank,
            strict=True,
        ):
            pass
    except csv.Error:
        return True
    return False


def _fields(line: str, dialect: Sniffed) -> list[str] | None:
    """Parse one line strictly; None if its quotes are not closed or stand inside a field."""
    try:
        rows = list(
            csv.reader(
                [line],
                delimiter=dialect.delimiter or "\x1f",
                quotechar=dialect.quote,
                escapechar=dialect.escape,
                skipinitialspace=dialect.skip_blank,
                strict=True,
            )
        )
    except csv.Error:
        return None
    return rows[0] if rows else []


def _line_by_line(text: str, dialect: Sniffed, width: int) -> Parsed:
    """Parse a text with stray quotes: a record goes over several lines only if that makes it whole."""
    parsed = Parsed()
    lines = split_lines(text)
    width = _usual([fields for line in lines if (fields := _fields(line, dialect))]) or width
    mended: list[int] = []
    index = 0
    while index < len(lines):
        row, used, clean = _next_record(
            lines, index, dialect, width, MAX_SPAN if len(mended) < MAX_MENDED else 1
        )
        if not clean:
            mended.append(index + 1)
        parsed.rows.append(row)
        parsed.lines.append(index + 1)
        index += used
    if mended:
        shown = ", ".join(map(str, mended[:5])) + (" …" if len(mended) > 5 else "")
        parsed.warnings.append(
            f"stray quotes in line{'s' if len(mended) > 1 else ''} {shown}: read without them, please check"
        )
    return parsed


def _next_record(
    lines: Sequence[str], index: int, dialect: Sniffed, width: int, span: int
) -> tuple[list[str], int, bool]:
    """Return the record that begins at a line, the lines it takes, and whether its quotes were in order."""
    line = lines[index]
    fields = _fields(line, dialect)
    if fields is not None:
        return fields, 1, True
    text = line
    for count in range(1, min(span, len(lines) - index)):
        following = lines[index + count]
        alone = _fields(following, dialect)
        if alone is not None and len(alone) == width and width > 1:
            break  # the next line is a record of its own
        text += "\n" + following
        if dialect.quote not in following:
            continue
        fields = _fields(text, dialect)
        if fields is not None:
            if len(fields) == width:
                return fields, count + 1, True
            break
    return _mend(line, dialect, width), 1, False


def _mend(line: str, dialect: Sniffed, width: int) -> list[str]:
    """Read a line with a stray quote: without the one quote that makes it whole, else without regard to quotes."""
    places = [index for index, char in enumerate(line) if char == dialect.quote]
    for place in places[:50]:
        fields = _fields(line[:place] + line[place + 1 :], dialect)
        if fields is not None and len(fields) == width:
            return fields
    try:
        loose = list(dialect.reader(iter([line])))
    except csv.Error:
        loose = []
    if loose and len(loose[0]) == width:
        return loose[0]
    return [cell.strip(dialect.quote) for cell in line.split(dialect.delimiter or "\x1f")]


def _hold_line_feeds(parsed: Parsed, text: str, dialect: Sniffed, width: int) -> Parsed:
    """Cut records at CRLF alone where that makes all rows whole: bare line feeds then belong to the fields."""
    ends = line_ends(text)
    if not ends["\r\n"] or not ends["\n"] or ends["\r"] or _HELD in text:
        return parsed
    held = re.sub(r"(?<!\r)\n", _HELD, text)
    again = _by_csv(held, dialect)
    if not again.rows or _uneven(again.rows, _usual(again.rows)) or _usual(again.rows) < 2:
        return parsed
    line = 1
    for index, row in enumerate(again.rows):
        again.lines[index] = line
        line += 1 + sum(cell.count(_HELD) + cell.count("\n") for cell in row)
        again.rows[index] = [cell.replace(_HELD, "\n") for cell in row]
    return again


def _resplit(parsed: Parsed, dialect: Sniffed, width: int) -> None:
    """Mend single rows: another delimiter than the rest, or typographic quotes around a delimiter."""
    if width < 2:
        return
    other: list[int] = []
    smart: list[int] = []
    for index, row in enumerate(parsed.rows):
        if len(row) == width or not row:
            continue
        if len(row) == 1:
            for delimiter in USUAL:
                if delimiter != dialect.delimiter and row[0].count(delimiter) >= width - 1:
                    fields = _fields(row[0], Sniffed(delimiter, dialect.quote, dialect.escape))
                    if fields is not None and len(fields) == width:
                        parsed.rows[index] = fields
                        other.append(parsed.lines[index])
                        break
        elif len(row) > width:
            joined = _join_smart(row, dialect.delimiter)
            if len(joined) == width:
                parsed.rows[index] = joined
                smart.append(parsed.lines[index])
    if other and len(other) <= max(3, 0.1 * len(parsed.rows)):
        parsed.warnings.append(
            f"another delimiter is used in line {', '.join(map(str, other[:5]))}; the fields were taken from there"
        )
    if smart:
        parsed.warnings.append(
            f"typographic quotes hold a delimiter in line {', '.join(map(str, smart[:5]))}; read as one field"
        )


def _join_smart(row: Sequence[str], delimiter: str) -> list[str]:
    """Join the cells between typographic quotes."""
    joined: list[str] = []
    closing = ""
    for cell in row:
        if closing:
            joined[-1] += delimiter + cell
            if cell.rstrip().endswith(closing):
                closing = ""
            continue
        joined.append(cell)
        opening = cell.lstrip()[:1]
        if opening in _SMART and not cell.rstrip().endswith(_SMART[opening]):
            closing = _SMART[opening]
    return joined


def _by_position(text: str, stops: Sequence[int], offset: int) -> Parsed:
    parsed = Parsed()
    spans = list(zip(stops, [*stops[1:], None], strict=True))
    first = True
    for number, line in enumerate(split_lines(text), 1 + offset):
        line = line.expandtabs(8)
        if first and line.strip():
            names = re.split(r"\s{2,}", line.strip())
            parsed.rows.append(names if len(names) == len(stops) else line.split())
            first = False
        else:
            parsed.rows.append([line[start:end].strip() for start, end in spans] if line.strip() else [])
        parsed.lines.append(number)
    return parsed


def _by_several(text: str, delimiter: str, offset: int) -> Parsed:
    parsed = Parsed()
    for number, line in enumerate(split_lines(text), 1 + offset):
        parsed.rows.append(line.split(delimiter) if line.strip() else [])
        parsed.lines.append(number)
    return parsed
