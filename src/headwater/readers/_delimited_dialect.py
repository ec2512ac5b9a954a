"""How a delimited text file is written: delimiter, quotes, escapes, columns by position."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

SAMPLE = 20_000
"""Characters at the top from which the dialect is found."""

USUAL = (",", "\t", ";", "|")
"""Delimiters that are tried first, the more usual one before the other."""

SEVERAL = ("||", "::", ";;", "~|~", "|~|", "^|^", "|^|", "~~", "##", "%%", "$$", "<>", "\u0001|\u0001")
"""Delimiters of several characters."""

CLEAR = 0.8
"""Share of lines with the same number of fields from which a delimiter is taken without further tests."""

FAIR, EVEN = 0.5, 0.9
"""Share of lines with the same number of fields from which clevercsv is believed: a usual delimiter, another one."""

NO_DELIMITERS = "\"'.-_/:@()"
"""Marks that clevercsv takes for delimiters now and then, and that are none."""

FIELD_LIMIT = 1 << 30
"""Longest field in characters; the default of the csv module (131,072) loses long texts."""

_SEP_LINE = re.compile(r"\ufeff?\"?sep=(?P<delimiter>.)\"?\r?\n", re.IGNORECASE)
_LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(slots=True)
class Sniffed:
    """The way a text is written.

    Attributes:
        delimiter: one or more characters, "" for a single column.
        quote: quote character.
        escape: escape character, None where quotes are doubled.
        skip_blank: blanks behind a delimiter do not belong to the field.
        consistency: share of lines with the usual number of fields.
        columns: number of fields of most lines.
        stops: for columns by position, where each begins; else empty.
        skip: characters at the top that are no data (a "sep=" line).
    """

    delimiter: str = ","
    quote: str = '"'
    escape: str | None = None
    skip_blank: bool = False
    consistency: float = 0.0
    columns: int = 1
    stops: tuple[int, ...] = ()
    skip: int = 0

    def reader(self, lines: Iterator[str]) -> Iterator[list[str]]:
        """Return a reader of the csv module for this dialect (delimiters of one character only)."""
        csv.field_size_limit(FIELD_LIMIT)
        return csv.reader(
            lines,
            delimiter=self.delimiter or "\x1f",
            quotechar=self.quote,
            escapechar=self.escape,
            doublequote=True,
            skipinitialspace=self.skip_blank,
        )


def sniff(text: str) -> Sniffed:
    """Find the dialect of a text from its first 20,000 characters.

    The usual delimiters are tried by counting fields; where several or none fit, clevercsv decides (van den Burg
    et al., Wrangling messy CSV files by detecting row and type patterns, 2019).
    """
    if match := _SEP_LINE.match(text):
        found = _with_quotes(
            Sniffed(match["delimiter"], skip=match.end()), text[match.end() : match.end() + SAMPLE]
        )
        found.consistency, found.columns = _profile(text[match.end() : match.end() + SAMPLE], found)
        return found
    return replace(_sniff_sample(_whole_lines(text[: 50 * SAMPLE].lstrip("\r\n"))))


@lru_cache(maxsize=2)
def _sniff_sample(sample: str) -> Sniffed:
    """Find the dialect of a sample; remembered, as one who asks for the format of a file asks for its dialect next."""
    tried = []
    for delimiter in USUAL:
        if delimiter in sample:
            one = _with_quotes(Sniffed(delimiter), sample)
            one.consistency, one.columns = _profile(sample, one)
            tried.append(one)
    clear = [one for one in tried if one.columns > 1 and one.consistency >= CLEAR]
    if len(clear) == 1:
        return clear[0]
    if several := _several_characters(sample):
        return several
    if clear:
        return _clearest(sample, clear)
    if fixed := fixed_width(sample):
        return fixed
    guess = _ask_clevercsv(sample) if _may_be_delimited(sample) else None
    if (
        guess
        and guess.columns > 1
        and guess.consistency >= (FAIR if guess.delimiter in USUAL else EVEN)
        and _same_top(sample, guess)
    ):
        return guess
    lines = sample.splitlines()
    fair = [
        one
        for one in tried
        if one.columns > 1
        and (one.consistency >= 0.35 or sum(one.delimiter in line for line in lines) >= 0.8 * len(lines))
    ]
    if fair:
        return max(fair, key=lambda one: one.consistency)
    return _single(sample)


def _whole_lines(text: str) -> str:
    """Return the sample, cut at a line end if the text goes on."""
    if len(text) <= SAMPLE:
        return text
    cut = max(text.rfind("\n", 0, SAMPLE), text.rfind("\r", 0, SAMPLE))
    return text[: cut + 1] if cut > 0 else text[:SAMPLE]


def _with_quotes(found: Sniffed, sample: str) -> Sniffed:
    """Fill in quote, escape and blanks behind the delimiter."""
    mark = re.escape(found.delimiter)
    edge = rf"(?:^|{mark})[ ]?"
    double = len(re.findall(rf'{edge}"', sample, re.MULTILINE))
    if not double:
        single = len(re.findall(rf"{edge}'[^'\r\n]*'(?={mark}|\r?$)", sample, re.MULTILINE))
        starts = len(re.findall(rf"{edge}'", sample, re.MULTILINE))
        if single >= 2 and single >= 0.8 * starts:
            found.quote = "'"
    quote = found.quote
    if re.search(rf"\\{quote}(?!\s*(?:{mark}|$))", sample, re.MULTILINE):
        found.escape = "\\"
    found.skip_blank = found.delimiter != " " and f"{found.delimiter} {quote}" in sample
    return found


def _profile(sample: str, found: Sniffed) -> tuple[float, int]:
    """Return the share of lines that have the most usual number of fields, and that number."""
    try:
        rows = [row for row in found.reader(iter(sample.splitlines(keepends=True))) if any(row)]
    except csv.Error:
        return 0.0, 1
    if not rows:
        return 0.0, 1
    if len(rows) > 3 and len(sample) >= 0.9 * SAMPLE:
        rows.pop()  # may be cut
    widths = Counter(len(row) for row in rows)
    width, count = max(widths.items(), key=lambda item: (item[1], item[0]))
    return count / len(rows), width


def _clearest(sample: str, clear: list[Sniffed]) -> Sniffed:
    """Choose among delimiters that all give even rows."""
    best = max(clear, key=lambda one: one.consistency)
    even = [one for one in clear if one.consistency >= best.consistency - 0.05]
    if len(even) == 1:
        return best
    guess = _ask_clevercsv(sample)
    for one in even:
        if guess and one.delimiter == guess.delimiter:
            return one
    return max(even, key=lambda one: (one.consistency, one.columns))


def _may_be_delimited(sample: str) -> bool:
    """Tell whether any answer of clevercsv's could be believed: asking takes long, and prose is asked about in vain."""
    if any(rare in sample for rare in "\\~`"):
        return True
    first = next((line for line in sample.splitlines() if line), "")
    held = set(sample if '"' in first or "'" in first else first)  # what the first record may be parted by
    marks = {c for c in held if not c.isalnum() and c not in NO_DELIMITERS} | {
        c for c in USUAL if c in sample
    }
    for mark in marks:
        found = _with_quotes(Sniffed(mark), sample)
        for found.quote in "\"'":
            consistency, columns = _profile(sample, found)
            if columns > 1 and consistency >= (FAIR if mark in USUAL else EVEN):
                return True
    return False


def _same_top(sample: str, found: Sniffed) -> bool:
    """Tell whether the first line has the usual number of fields; for the usual delimiters it may be a title."""
    first = next((row for row in found.reader(iter(sample.splitlines(keepends=True))) if any(row)), [])
    return found.delimiter in USUAL or len(first) == found.columns


def _ask_clevercsv(sample: str) -> Sniffed | None:
    import clevercsv

    if sample.count("\n") + sample.count("\r") < 2:
        return None  # nothing to compare, and slow on long lines
    try:
        dialect = clevercsv.Sniffer().sniff(sample)
    except (clevercsv.Error, ValueError, IndexError, re.error):
        return None
    if (
        dialect is None
        or not dialect.delimiter
        or dialect.delimiter.isalnum()
        or dialect.delimiter in NO_DELIMITERS
    ):
        return None
    found = _with_quotes(Sniffed(dialect.delimiter), sample)
    if dialect.quotechar:
        found.quote = dialect.quotechar
    if dialect.escapechar and dialect.escapechar == "\\":
        found.escape = dialect.escapechar
    found.consistency, found.columns = _profile(sample, found)
    return found


def _several_characters(sample: str) -> Sniffed | None:
    """Return a delimiter of several characters that comes equally often in every line."""
    lines = [line for line in sample.splitlines() if line.strip()]
    for delimiter in SEVERAL:
        counts = Counter(line.count(delimiter) for line in lines)
        count, share = max(counts.items(), key=lambda item: item[1]) if counts else (0, 0)
        if count and share >= 0.9 * len(lines) and len(lines) > 1:
            return Sniffed(delimiter, consistency=share / len(lines), columns=count + 1)
    return None


def fixed_width(sample: str) -> Sniffed | None:
    """Return columns by position if every line has blanks at the same places, two or more of them in some line."""
    lines = [line.expandtabs(8) for line in sample.splitlines() if line.strip()]
    if not len(lines) >= 3:
        return None
    head, lines = lines[0], lines[1:]
    width = max(map(len, lines))
    if width > 2000 or sum("  " in line.strip() for line in lines) < 0.5 * len(lines):
        return None
    used = [False] * width
    for line in lines:
        for index, char in enumerate(line):
            used[index] = used[index] or char != " "
    stops = [index for index in range(width) if used[index] and (index == 0 or not used[index - 1])]
    if len(stops) > len(
        head.split()
    ):  # a single blank at the same place in every line may stand inside a field
        stops = [index for index in stops if index < 2 or not used[index - 2]]
    if len(stops) < 2:
        return None
    fields = [
        sum(bool(line[start:end].strip()) for line in lines)
        for start, end in zip(stops, [*stops[1:], None], strict=True)
    ]
    if min(fields) < 0.5 * len(lines) or len(stops) > 0.5 * width:
        return None
    if len(head.split()) != len(stops) and len(re.split(r"\s{2,}", head.strip())) != len(stops):
        return None
    return Sniffed("", consistency=1.0, columns=len(stops), stops=tuple(stops))


def _single(sample: str) -> Sniffed:
    """Return the dialect of a single column."""
    found = _with_quotes(Sniffed("\x1f"), sample)
    found.delimiter, found.consistency = "", 1.0
    return found


def line_ends(text: str) -> Counter[str]:
    """Count the line ends of a text by kind."""
    both = text.count("\r\n")
    return Counter({"\r\n": both, "\n": text.count("\n") - both, "\r": text.count("\r") - both})
