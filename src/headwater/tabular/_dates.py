"""Reading dates and times as people print them, with the order of day and month left open until the column decides."""

from __future__ import annotations

import datetime as dt
import re
import zoneinfo
from functools import lru_cache
from typing import NamedTuple

from headwater.tabular._vocabulary import MONTHS


class DateText(NamedTuple):
    """The readings of a printed date.

    Attributes:
        day_first: the date if a leading number is the day (or the order is plain), else None.
        month_first: the date if a leading number is the month (or the order is plain), else None.
        format: the pattern, with %x/%x for an open order of day and month.
        time: time of day, or None where none is printed.
        zone: offset from UTC, or None where none is printed.
        zoned: a zone is printed.
        weak: a run of digits that is a date only among plainer ones.
    """

    day_first: dt.date | None
    month_first: dt.date | None
    format: str
    time: dt.time | None = None
    zone: dt.timedelta | None = None
    zoned: bool = False
    weak: bool = False

    def moment(self, day_first: bool) -> dt.datetime:
        """Return date and time under one order of day and month, in UTC where a zone is printed."""
        date = self.day_first if day_first else self.month_first
        assert date is not None
        moment = dt.datetime.combine(date, self.time or dt.time.min)
        return moment - self.zone if self.zone is not None else moment


_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_CLOCK = r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?P<fraction>[.,]\d{1,9})?)?\s*(?P<half>[ap]\.?m\.?)?"
_ZONE = r"(?P<zone>Z|UTC|GMT|[-+]\d{2}:?\d{2}|[-+]\d{2}(?!\d)|[A-Z][A-Za-z]+/[A-Z][A-Za-z_/]+)"
_TAIL = rf"(?:(?:\s*T\s*|,?\s+|(?<=\d)T){_CLOCK}\s*{_ZONE}?)?"
_WEEKDAY = r"(?:(?:mon|tue|tues|wed|thu|thur|thurs|fri|sat|sun)(?:day|nesday|sday|rsday|urday)?\.?,?\s+)?"

_ISO = re.compile(rf"(?P<y>\d{{4}})(?P<s>[-/.])(?P<m>\d{{1,2}})(?P=s)(?P<d>\d{{1,2}}){_TAIL}", re.IGNORECASE)
_NUMERIC = re.compile(
    rf"{_WEEKDAY}(?P<a>\d{{1,2}})(?P<s>[-/.])(?P<b>\d{{1,2}})(?P=s)(?P<y>\d{{4}}|\d{{2}}){_TAIL}",
    re.IGNORECASE,
)
_DAY_NAME = re.compile(
    rf"{_WEEKDAY}(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?P<s>[-\s/.]+|\s*of\s+)(?P<n>{_MONTH})\.?,?[-\s/.]+(?P<y>\d{{4}}|\d{{2}}){_TAIL}",
    re.IGNORECASE,
)
_NAME_DAY = re.compile(
    rf"{_WEEKDAY}(?P<n>{_MONTH})\.?[-\s]+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?:,\s*|[-\s]+)(?P<y>\d{{4}}){_TAIL}",
    re.IGNORECASE,
)
_YEAR_NAME = re.compile(
    rf"(?P<y>\d{{4}})[-\s/]+(?P<n>{_MONTH})\.?[-\s/]+(?P<d>\d{{1,2}}){_TAIL}", re.IGNORECASE
)
_COMPACT = re.compile(r"(?P<y>(?:18|19|20|21)\d{2})(?P<m>0[1-9]|1[0-2])(?P<d>0[1-9]|[12]\d|3[01])")
_TIME = re.compile(_CLOCK, re.IGNORECASE)
_SERIAL = re.compile(r"[1-9]\d{4}")

EXCEL_EPOCH = dt.date(1899, 12, 30)
"""Day 0 of the 1900 date system for serials above 60 (ECMA-376 part 1, 18.17.4.1)."""

PIVOT = 69
"""Two-digit years from here on are of the 1900s, those below of the 2000s (POSIX strptime)."""


def _year(text: str) -> int:
    value = int(text)
    return value if len(text) == 4 else value + (1900 if value >= PIVOT else 2000)


def _date(year: int, month: int, day: int) -> dt.date | None:
    try:
        return dt.date(year, month, day)
    except ValueError:
        return None


def _clock(match: re.Match[str]) -> tuple[dt.time | None, bool]:
    """Return the time of day in a match and whether it is a possible one."""
    if match["hour"] is None:
        return None, True
    hour, minute, second = int(match["hour"]), int(match["minute"]), int(match["second"] or 0)
    if match["half"]:
        if not 1 <= hour <= 12:
            return None, False
        hour = hour % 12 + (12 if match["half"][0] in "pP" else 0)
    fraction = (match["fraction"] or ".0")[1:].ljust(6, "0")
    micro = int(fraction[:6])
    if hour > 23 or minute > 59 or second > 59 or fraction[6:].strip("0"):
        return None, False
    return dt.time(hour, minute, second, micro), True


def _zone(text: str | None, moment: dt.datetime) -> dt.timedelta | None:
    """Return the offset of a zone at a local time; ZoneInfoNotFoundError (a KeyError) for a name that is none."""
    if not text:
        return None
    if "/" in text:
        return zoneinfo.ZoneInfo(text).utcoffset(moment)
    if text[0] not in "+-":
        return dt.timedelta(0)
    digits = text[1:].replace(":", "").ljust(4, "0")
    offset = dt.timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return -offset if text[0] == "-" else offset


def _make(
    match: re.Match[str], day_first: dt.date | None, month_first: dt.date | None, form: str
) -> DateText | None:
    time, possible = _clock(match)
    if not possible or (day_first is None and month_first is None):
        return None
    if time is not None:
        form += " %H:%M" + (":%S" if match["second"] else "")
    try:
        zone = _zone(
            match["zone"], dt.datetime.combine(day_first or month_first or EXCEL_EPOCH, time or dt.time.min)
        )
    except (KeyError, ValueError):
        return None
    return DateText(
        day_first, month_first, form + (" %z" if match["zone"] else ""), time, zone, zone is not None
    )


@lru_cache(maxsize=1 << 16)
def parse_date(text: str) -> DateText | None:
    """Read one printed date, with or without a time of day.

    Args:
        text: the trimmed cell.

    Returns:
        Its readings, or None if it is no date.
    """
    if not 5 <= len(text) <= 48:
        return None
    if match := _ISO.fullmatch(text):
        date = _date(int(match["y"]), int(match["m"]), int(match["d"]))
        return _make(match, date, date, f"%Y{match['s']}%m{match['s']}%d")
    if match := _NUMERIC.fullmatch(text):
        first, second, year, sign = int(match["a"]), int(match["b"]), _year(match["y"]), match["s"]
        if len(match["y"]) == 2 and sign != "/" and len(match["a"]) + len(match["b"]) < 4:
            return None  # 10-5-12 may be a score, 1.2.10 a version
        month_first = None if sign == "." else _date(year, first, second)
        return _make(
            match,
            _date(year, second, first),
            month_first,
            f"%x{sign}%x{sign}%{'Y' if len(match['y']) == 4 else 'y'}",
        )
    for pattern, form in ((_DAY_NAME, "%d %b %Y"), (_NAME_DAY, "%b %d, %Y"), (_YEAR_NAME, "%Y %b %d")):
        if match := pattern.fullmatch(text):
            date = _date(_year(match["y"]), MONTHS[match["n"].lower()], int(match["d"]))
            return _make(match, date, date, form)
    if match := _COMPACT.fullmatch(text):
        date = _date(int(match["y"]), int(match["m"]), int(match["d"]))
        return DateText(date, date, "%Y%m%d", weak=True) if date else None
    if _SERIAL.fullmatch(text) and 20_000 <= int(text) <= 60_000:
        date = EXCEL_EPOCH + dt.timedelta(days=int(text))
        return DateText(date, date, "Excel serial", weak=True)
    return None


@lru_cache(maxsize=1 << 14)
def parse_time(text: str) -> dt.time | None:
    """Read a time of day printed as 07:30, 07:30:15 or 7:30 pm; a bare 7:30 may be a duration and is none."""
    match = _TIME.fullmatch(text)
    if match is None or not (match["half"] or len(match["hour"]) == 2):
        return None
    return _clock(match)[0]
