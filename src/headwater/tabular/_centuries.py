"""Which century the years of two digits in a column of dates are of: a function of the table, never of today's date.

The two-digit years of a column lie on a circle of a hundred. The column's period begins after the largest gap on that
circle, and is placed as late as it can be without ending after the newest plausible year.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

NEWEST = 2029
"""Newest year that two digits stand for where nothing speaks of later ones (the cut-off of spreadsheets, from which most
such dates come: ECMA-376 leaves it to the program, and Excel and OLE Automation take 00-29 as 2000-2029)."""

FIRST = 1969
"""First of the hundred years that two digits stand for in POSIX (strptime, %y): the reading where nothing decides."""

LEAST_GAP = 5
"""Years without a date that a column needs at least; one that runs through the whole circle may span more than a century."""

_YEARS = re.compile(r"(?:^|[^a-z])years?(?:$|[^a-z])|year$", re.IGNORECASE)
_PAST = re.compile(
    r"(?:^|[^a-z])(?:born|birth|birthday|dob|died|death|deceased|founded)(?:$|[^a-z])", re.IGNORECASE
)
_FUTURE = re.compile(
    r"matur|expir|(?:^|[^a-z])(?:due|target|forecast|projected|deadline|until)(?:$|[^a-z])", re.IGNORECASE
)


class Span(NamedTuple):
    """First and last year of four digits in a column, both included."""

    first: int
    last: int


class Century(NamedTuple):
    """How the two-digit years of a column are read.

    Attributes:
        since: first of the hundred years that they stand for.
        first: first year of the column in this reading.
        last: last year of the column in this reading.
        open: another century would fit the column as well.
    """

    since: int
    first: int
    last: int
    open: bool = False


def names_years(name: str, span: Span) -> bool:
    """Tell whether a column of whole numbers is one of years, by its name and its bounds."""
    return 1000 <= span.first <= span.last <= 2200 and _YEARS.search(name) is not None


def choose_century(
    years: Iterable[int], name: str = "", *, beside: Iterable[Span] = (), leap: bool = False
) -> Century | None:
    """Choose the hundred years that the two-digit years of a column stand for, None where that cannot be told.

    Args:
        years: the years, 0 to 99; at least one.
        name: of the column; births lie no later than the other dates of the table, and what matures may be to come.
        beside: years of four digits in this column and in other columns of the table.
        leap: 29 February 00 is among the dates, which 2000 had and 1900 had not.
    """
    used, spans = sorted(set(years)), list(beside)
    told = max((span.last for span in spans), default=NEWEST)
    past, future = _PAST.search(name) is not None, told > NEWEST or _FUTURE.search(name) is not None
    start, gap, second = _largest_gap(used)
    since, doubt = _latest(start, 100 - gap, FIRST + 99), False
    last = since + 99 - gap
    if past:
        since = _latest(start, 100 - gap, min(NEWEST, told))
    elif since > NEWEST and not future:
        since -= 100
    elif last > NEWEST and not future:
        doubt = True  # 2020 to 2045, or 1920 to 1945
    if gap < 2 * second and any(NEWEST % 100 < year < FIRST % 100 for year in used):  # the gaps say little
        fitting = {span.first for span in spans if _within(used, span)}
        if len(fitting) == 1:
            since, doubt = fitting.pop(), False
        elif gap < LEAST_GAP:
            return None
        else:
            since, doubt = FIRST if future else NEWEST - 99, True
    since = max(since, 1901) if leap else since
    read = [since + (year - since) % 100 for year in used]
    return Century(since, min(read), max(read), doubt)


def _largest_gap(used: list[int]) -> tuple[int, int, int]:
    """Return the year after the largest gap on the circle, the size of that gap and of the next largest one."""
    gaps = sorted(
        ((year - before - 1) % 100 + 1, year) for before, year in zip([used[-1], *used], used, strict=False)
    )
    size, start = gaps[-1]
    return start, size, gaps[-2][0] if len(gaps) > 1 else 0


def _latest(start: int, length: int, limit: int) -> int:
    """Return the latest year with two last digits `start` from which `length` years end by `limit`."""
    return limit - length - (limit - length - start) % 100


def _within(used: list[int], span: Span) -> bool:
    """Tell whether a period of less than a hundred years holds all two-digit years."""
    first, last = span
    return last - first < 100 and all(first + (year - first) % 100 <= last for year in used)
