"""Reading dates and times as people print them, with the order of day and month left open until the column decides."""

from __future__ import annotations

import datetime as dt
import re
import zoneinfo
from functools import lru_cache
from typing import Literal, NamedTuple

from headwater.tabular._centuries import FIRST
from headwater.tabular._vocabulary import MONTHS

Order = Literal["day", "month", "year"]
"""What the first number of a date is."""


class DateText(NamedTuple):
    """The readings of a printed date.

    Attributes:
        day_first: the date if a leading number is the day (or the order is plain), else None.
        month_first: the date if a leading number is the month (or the order is plain), else None.
        year_first: the date if a leading number of two digits is the year (or the order is plain), else None.
        format: the pattern, with %x/%x/%x for an open order of day, month and a year of two digits.
        ends: first and last number where the year has two digits (the first is -1 where it cannot be the year), else
            None; the dates are then those of POSIX's century.
        time: time of day, or None where none is printed.
        zone: offset from UTC, or None where none is printed.
        zoned: a zone is printed.
        weak: a run of digits that is a date only among plainer ones.
    """

    day_first: dt.date | None
    month_first: dt.date | None
    year_first: dt.date | None
    format: str
    ends: tuple[int, int] | None = None
    time: dt.time | None = None
    zone: dt.timedelta | None = None
    zoned: bool = False
    weak: bool = False

    def on(self, order: Order, since: int) -> dt.date:
        """Return the date under one order, with a year of two digits among the hundred years from `since` on."""
        date = {"day": self.day_first, "month": self.month_first, "year": self.year_first}[order]
        assert date is not None
        return date.replace(year=since + (date.year - since) % 100) if self.ends else date

    def moment(self, order: Order, since: int) -> dt.datetime:
        """Return date and time in such a reading, in UTC where a zone is printed."""
        moment = dt.datetime.combine(self.on(order, since), self.time or dt.time.min)
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


def _year(text: str) -> int:
    value = int(text)
    return value if len(text) == 4 else FIRST + (value - FIRST) % 100


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
    match: re.Match[str], readings: tuple[dt.date | None, dt.date | None, dt.date | None], form: str
) -> DateText | None:
    """Return a date from its readings (day, month, year first); the year is the group `y`."""
    time, possible = _clock(match)
    some = next((date for date in readings if date is not None), None)
    if not possible or some is None:
        return None
    if time is not None:
        form += " %H:%M" + (":%S" if match["second"] else "")
    try:
        zone = _zone(match["zone"], dt.datetime.combine(some, time or dt.time.min))
    except (KeyError, ValueError):
        return None
    ends = None
    if len(match["y"]) == 2:
        ends = (int(match["a"]) if readings[2] is not None else -1, int(match["y"]))
    form += " %z" if match["zone"] else ""
    return DateText(*readings, form, ends, time, zone, zone is not None)


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
        return _make(match, (date, date, date), f"%Y{match['s']}%m{match['s']}%d")
    if match := _NUMERIC.fullmatch(text):
        return _numeric(match)
    for pattern, form in ((_DAY_NAME, "%d %b %Y"), (_NAME_DAY, "%b %d, %Y"), (_YEAR_NAME, "%Y %b %d")):
        if match := pattern.fullmatch(text):
            date = _date(_year(match["y"]), MONTHS[match["n"].lower()], int(match["d"]))
            if len(match["y"]) == 2:
                return _make(match, (date, date, None), form.replace("%Y", "%y"))
            return _make(match, (date, date, date), form)
    if match := _COMPACT.fullmatch(text):
        date = _date(int(match["y"]), int(match["m"]), int(match["d"]))
        return DateText(date, date, date, "%Y%m%d", weak=True) if date else None
    if _SERIAL.fullmatch(text) and 20_000 <= int(text) <= 60_000:
        date = EXCEL_EPOCH + dt.timedelta(days=int(text))
        return DateText(date, date, date, "Excel serial", weak=True)
    return None


def _numeric(match: re.Match[str]) -> DateText | None:
    """Read three numbers, the last or the first of which is the year."""
    first, second, year, sign = int(match["a"]), int(match["b"]), _year(match["y"]), match["s"]
    month_first = None if sign == "." else _date(year, first, second)
    if len(match["y"]) == 4:
        date = _date(year, second, first)
        return _make(match, (date, month_first, None), f"%x{sign}%x{sign}%Y")
    padded = len(match["a"]) + len(match["b"]) == 4
    if sign != "/" and not padded:
        return None  # 10-5-12 may be a score, 1.2.10 a version
    year_first = _date(_year(match["a"]), second, int(match["y"])) if padded else None
    return _make(match, (_date(year, second, first), month_first, year_first), f"%x{sign}%x{sign}%x")


@lru_cache(maxsize=1 << 14)
def parse_time(text: str) -> dt.time | None:
    """Read a time of day printed as 07:30, 07:30:15 or 7:30 pm; a bare 7:30 may be a duration and is none."""
    match = _TIME.fullmatch(text)
    if match is None or not (match["half"] or len(match["hour"]) == 2):
        return None
    return _clock(match)[0]
