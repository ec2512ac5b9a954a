"""Evidence for the type of a column, gathered batch by batch over all its values."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any

from headwater.tabular._centuries import Span
from headwater.tabular._dates import DateText, parse_date, parse_time
from headwater.tabular._numbers import NumberText, is_missing, parse_number

PLAIN_INTEGER = r"^[-+]?[0-9]{1,18}$"
PLAIN_NUMBER = r"^[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)$"
GROUPED_NUMBER = r"^[-+]?[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?$"
AFFIXED_NUMBER = r"^[-+]?[£$€¥₹]?(?:[0-9]+\.?[0-9]*|\.[0-9]+|[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?)%?$"
ISO_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
ISO_MOMENT = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,6})?$"
_CODE = r"^[-+]?0[0-9]"
_COMMA_THREE = r"^[-+]?[1-9][0-9]{0,2},[0-9]{3}$"
_DOT_THREE = r"^[-+]?[1-9][0-9]{0,2}\.[0-9]{3}$"

_DATE_DIGITS = r"^(?:[1-6][0-9]{4}|(?:18|19|20|21)[0-9]{6})$"

DATE_DIGITS_KEPT = 20_000
"""Distinct runs of digits that are kept as possible dates; a column with more of them holds no dates."""

BOOLEANS = {"true": True, "false": False}
"""Texts of truth values. Yes and no, Y and N, 0 and 1 stay what they are printed as."""

AFFIXES = {"$": "USD", "£": "GBP", "€": "EUR", "%": "percent"}
"""Signs that are worth taking off many values at once, and their units."""

SAMPLE = 5
"""Number of failing texts that are kept."""

FEW = 200
"""Cells of a batch up to which they are read one by one."""

PROBE = 400
"""Distinct odd texts after which a column in which hardly anything parses is text for good."""


@dataclass(slots=True)
class Kind:
    """Counts of the values that fit one type, and of those that fit only one reading of it."""

    fits: int = 0
    first: int = 0
    second: int = 0
    third: int = 0
    weak: int = 0


@dataclass(slots=True)
class ColumnScan:
    """What the values of one column look like, counted by cell.

    Attributes:
        cells: cells seen; `empty` of them hold nothing, `marks` a missing mark.
        number: fits of a number; first = decimal dot possible, second = decimal comma possible.
        date: fits of a date; first = day first possible, second = month first possible, third = year first possible.
        leading: first numbers of dates whose year has two digits, -1 where they cannot be the year.
        trailing: last numbers of such dates.
        years: first and last year of four digits in dates, or whole number of four digits.
        leap: a date is 29 February 00.
        samples: texts that fit nothing.
        numbers: some texts that are numbers.
        failed: cells that fit nothing.
        text: the column is text, whatever comes.
    """

    cells: int = 0
    empty: int = 0
    padded: int = 0
    marks: Counter[str] = field(default_factory=Counter)
    number: Kind = field(default_factory=Kind)
    date: Kind = field(default_factory=Kind)
    moments: int = 0
    midnights: int = 0
    zoned: int = 0
    times: int = 0
    booleans: int = 0
    whole: Kind = field(default_factory=Kind)
    coded: int = 0
    integer_digits: int = 0
    fraction_digits: int = 0
    lossy: bool = False
    grouped_only: int = 0
    units: Counter[str] = field(default_factory=Counter)
    bare: int = 0
    stripped: Counter[str] = field(default_factory=Counter)
    formats: Counter[str] = field(default_factory=Counter)
    zones: set[Any] = field(default_factory=set)
    leading: Counter[int] = field(default_factory=Counter)
    trailing: Counter[int] = field(default_factory=Counter)
    years: Span | None = None
    leap: bool = False
    numbers: list[str] = field(default_factory=list)
    samples: dict[str, int] = field(default_factory=dict)
    failed: int = 0
    text: bool = False
    _odd: int = 0
    _digit_runs: dict[str, int] = field(default_factory=dict)

    @property
    def values(self) -> int:
        """Cells that hold a value, missing marks not counted."""
        return self.cells - self.empty - self.marks.total()

    def add(self, cells: Any) -> None:
        """Take in a batch of cells (Arrow string array)."""
        import pyarrow.compute as pc

        self.cells += len(cells)
        if self.text:
            return
        if len(cells) <= FEW:
            self._add_few(cells.to_pylist())
            return
        trimmed = pc.utf8_trim_whitespace(cells)
        counted = pc.value_counts(trimmed)
        texts, counts = counted.field(0), counted.field(1)
        empty = pc.fill_null(pc.equal(texts, ""), True)
        self.empty += pc.sum(counts.filter(empty)).as_py() or 0
        keep = pc.invert(empty)
        texts, counts = texts.filter(keep), counts.filter(keep)
        if len(texts) > 4 * PROBE and self._odd == 0 and is_prose(texts.slice(0, PROBE).to_pylist()):
            self.text = True
            return
        texts, counts = self._affixed_numbers(texts, counts)
        texts, counts = self._plain_numbers(texts, counts)
        texts, counts = self._grouped_numbers(texts, counts)
        texts, counts = self._iso_dates(texts, counts)
        self._odd_texts(texts, counts)

    def _add_few(self, cells: list[str | None]) -> None:
        """Take in a small batch, for which Arrow is not worth its calls."""
        for cell, count in Counter(cells).items():
            text = cell.strip() if cell else ""
            if text:
                self._one(text, count)
            else:
                self.empty += count

    def _affixed_numbers(self, texts: Any, counts: Any) -> tuple[Any, Any]:
        """Count the texts like $1,234 and 12.5% where they are many; return the others."""
        import pyarrow.compute as pc

        for sign, unit in AFFIXES.items():
            if len(texts) < 64:  # the parser of single texts does as well
                return texts, counts
            marked = (
                pc.ends_with(texts, sign)
                if sign == "%"
                else pc.match_substring_regex(texts, rf"^[-+]?{re.escape(sign)}")
            )
            if not pc.any(marked).as_py():
                continue
            inner = pc.replace_substring(texts, sign, "", max_replacements=1)
            marked = pc.and_(marked, pc.match_substring_regex(inner, f"{PLAIN_NUMBER}|{GROUPED_NUMBER}"))
            weights = counts.filter(marked)
            seen = int(pc.sum(weights).as_py() or 0)
            self._grouped_numbers(*self._plain_numbers(inner.filter(marked), weights), least=1)
            self.bare -= seen
            self.units[unit] += seen
            self.stripped["%" if sign == "%" else "currency sign"] += seen
            rest = pc.invert(marked)
            texts, counts = texts.filter(rest), counts.filter(rest)
        return texts, counts

    def _plain_numbers(self, texts: Any, counts: Any) -> tuple[Any, Any]:
        """Count the texts that are plain decimal numbers; return the others."""
        import pyarrow.compute as pc

        if not len(texts):
            return texts, counts
        plain = pc.match_substring_regex(texts, PLAIN_NUMBER)
        if not pc.any(plain).as_py():
            return texts, counts
        numbers, weights = texts.filter(plain), counts.filter(plain)

        def total(mask: Any) -> int:
            return int(pc.sum(weights.filter(mask)).as_py() or 0)

        whole = pc.invert(pc.match_substring(numbers, "."))
        three = total(pc.match_substring_regex(numbers, _DOT_THREE))
        seen, whole_seen = int(pc.sum(weights).as_py()), total(whole)
        self.numbers = self.numbers or numbers.slice(0, SAMPLE).to_pylist()
        self.number.fits += seen
        self.number.first += seen
        self.number.second += whole_seen + three
        self.grouped_only += three
        self.whole.first += whole_seen
        self.whole.second += whole_seen + three
        self.bare += seen
        self.coded += total(pc.match_substring_regex(numbers, _CODE)) if whole_seen else 0
        self.coded += total(pc.match_substring_regex(numbers, r"^\+[0-9]{8,}$")) if whole_seen else 0
        self._measure(numbers, whole)
        if whole_seen:
            self._whole_dates(numbers.filter(whole), weights.filter(whole))
        rest = pc.invert(plain)
        return texts.filter(rest), counts.filter(rest)

    def _grouped_numbers(self, texts: Any, counts: Any, least: int = 64) -> tuple[Any, Any]:
        """Count the texts like 1,234,567.89 where they are many; return the others."""
        import pyarrow.compute as pc

        if len(texts) < least:  # the parser of single texts does as well
            return texts, counts
        grouped = pc.match_substring_regex(texts, GROUPED_NUMBER)
        if not pc.any(grouped).as_py():
            return texts, counts
        numbers, weights = texts.filter(grouped), counts.filter(grouped)
        seen = int(pc.sum(weights).as_py())
        open_ = int(pc.sum(weights.filter(pc.match_substring_regex(numbers, _COMMA_THREE))).as_py() or 0)
        numbers = pc.replace_substring(numbers, ",", "")
        whole = pc.invert(pc.match_substring(numbers, "."))
        self.number.fits += seen
        self.number.first += seen
        self.number.second += open_
        self.grouped_only += open_
        self.whole.first += int(pc.sum(weights.filter(whole)).as_py() or 0)
        self.bare += seen
        self.stripped["thousands separator"] += seen
        self._measure(numbers, whole)
        rest = pc.invert(grouped)
        return texts.filter(rest), counts.filter(rest)

    def _measure(self, numbers: Any, whole: Any) -> None:
        """Note the digits of plain numbers, and whether a double would lose some."""
        import pyarrow.compute as pc

        digits = pc.utf8_ltrim(numbers, "+-")
        length = pc.utf8_length(digits)
        longest = pc.max(length).as_py()
        if longest == 4 and pc.all(whole).as_py() and pc.min(length).as_py() == 4:
            bounds = pc.min_max(digits)
            self._span(int(bounds["min"].as_py()), int(bounds["max"].as_py()))
        if longest > 16:
            for text in numbers.filter(pc.greater(length, 16)).to_pylist():
                self._digits(text)
            numbers = numbers.filter(pc.less_equal(length, 16))
            if not len(numbers):
                return
            digits, length = pc.utf8_ltrim(numbers, "+-"), pc.utf8_length(pc.utf8_ltrim(numbers, "+-"))
        point = pc.find_substring(digits, ".")
        before = pc.if_else(pc.less(point, 0), length, point)
        after = pc.if_else(pc.less(point, 0), 0, pc.subtract(pc.subtract(length, point), 1))
        self.integer_digits = max(self.integer_digits, pc.max(before).as_py())
        self.fraction_digits = max(self.fraction_digits, pc.max(after).as_py())
        exact = pc.and_(
            pc.equal(length, 16), pc.less(point, 0)
        )  # 16 digits without a point: beyond 2^53 perhaps
        for text in numbers.filter(exact).to_pylist():
            self._digits(text)

    def _digits(self, text: str) -> None:
        """Note the digits of one decimal text."""
        try:
            value = Decimal(text)
        except InvalidOperation:
            return
        exponent = int(value.as_tuple().exponent)
        self.fraction_digits = max(self.fraction_digits, -exponent)
        self.integer_digits = max(self.integer_digits, value.adjusted() + 1)
        self.lossy = self.lossy or not holds(value)

    def _whole_dates(self, texts: Any, counts: Any) -> None:
        """Note whole numbers that would be dates among dates: 20240617, 45474."""
        import pyarrow.compute as pc

        maybe = pc.match_substring_regex(texts, _DATE_DIGITS)
        room = DATE_DIGITS_KEPT - len(self._digit_runs)
        few, weights = texts.filter(maybe).slice(0, room), counts.filter(maybe).slice(0, room)
        for text, count in zip(few.to_pylist(), weights.to_pylist(), strict=True):
            self._digit_runs[text] = self._digit_runs.get(text, 0) + count

    def settle(self) -> None:
        """Count the runs of digits as dates, if other values are dates or all are such runs."""
        if self.date.fits or sum(self._digit_runs.values()) == self.values:
            for text, count in self._digit_runs.items():
                if (date := parse_date(text)) is not None:
                    self._date(date, count)
        self._digit_runs.clear()

    def _iso_dates(self, texts: Any, counts: Any) -> tuple[Any, Any]:
        """Count the texts that are ISO dates and times without a zone; return the others."""
        import pyarrow as pa
        import pyarrow.compute as pc

        for pattern, form, arrow in (
            (ISO_DATE, "%Y-%m-%d", pa.date32()),
            (ISO_MOMENT, "%Y-%m-%d %H:%M:%S", pa.timestamp("us")),
        ):
            if len(texts) < 64:  # the parser of single texts does as well
                return texts, counts
            match = pc.match_substring_regex(texts, pattern)
            if not pc.any(match).as_py():
                continue
            dates, weights = texts.filter(match), counts.filter(match)
            try:
                values = dates.cast(arrow)
            except pa.ArrowInvalid:  # 30 February: one by one
                continue
            seen = int(pc.sum(weights).as_py())
            self.date.fits += seen
            self.date.first += seen
            self.date.second += seen
            self.date.third += seen
            bounds = pc.min_max(dates)
            self._span(int(bounds["min"].as_py()[:4]), int(bounds["max"].as_py()[:4]))
            self.formats[form] += seen
            if form != "%Y-%m-%d":
                self.moments += seen
                midnight = pc.equal(values, pc.floor_temporal(values, unit="day"))
                self.midnights += int(pc.sum(weights.filter(midnight)).as_py() or 0)
            rest = pc.invert(match)
            texts, counts = texts.filter(rest), counts.filter(rest)
        return texts, counts

    def _span(self, first: int, last: int) -> None:
        """Note years of four digits."""
        known = self.years or Span(first, last)
        self.years = Span(min(known.first, first), max(known.last, last))

    def _odd_texts(self, texts: Any, counts: Any) -> None:
        """Read the remaining distinct texts one by one."""
        for start in range(0, len(texts), 4096):
            chunk = texts.slice(start, 4096).to_pylist()
            for text, count in zip(chunk, counts.slice(start, 4096).to_pylist(), strict=True):
                self._odd += 1
                self._one(text, count)
                if self._odd == PROBE and self.failed > 0.7 * (self.values or 1):
                    self.text = True
                    return

    def _one(self, text: str, count: int) -> None:
        if is_missing(text):
            self.marks[text] += count
            return
        known = False
        number = parse_number(text) if len(text) <= 64 else None
        if number is not None:
            known = True
            self._number(number, count)
        date = parse_date(text)
        if date is not None:
            known = True
            self._date(date, count)
        elif known and len(self.numbers) < SAMPLE:
            self.numbers.append(text)
        if ":" in text and parse_time(text) is not None:
            known = True
            self.times += count
        if text.lower() in BOOLEANS:
            known = True
            self.booleans += count
        if not known:
            self.failed += count
            if len(self.samples) < SAMPLE or text in self.samples:
                self.samples[text] = self.samples.get(text, 0) + count

    def _number(self, number: NumberText, count: int) -> None:
        self.number.fits += count
        self.number.first += count if number.dot is not None else 0
        self.number.second += count if number.comma is not None else 0
        self.number.weak += count if number.weak else 0
        self.coded += count if number.coded else 0
        if number.dot != number.comma and number.dot is not None and number.comma is not None:
            self.grouped_only += count
        for reading, kind in ((number.dot, "first"), (number.comma, "second")):
            if reading is not None:
                self._digits(reading)
                if len(reading) == 4 and reading.isdigit():
                    self._span(int(reading), int(reading))
                if reading.lstrip("-").isdigit():
                    setattr(self.whole, kind, getattr(self.whole, kind) + count)
        if number.unit:
            self.units[number.unit] += count
        elif (number.dot or number.comma or "0").strip("-0.") != "":
            self.bare += count
        for what in number.stripped:
            self.stripped[what] += count

    def _date(self, date: DateText, count: int) -> None:
        self.date.fits += count
        self.date.first += count if date.day_first is not None else 0
        self.date.second += count if date.month_first is not None else 0
        self.date.third += count if date.year_first is not None else 0
        readings = [d for d in (date.day_first, date.month_first, date.year_first) if d is not None]
        if date.ends:
            self.leading[date.ends[0]] += count
            self.trailing[date.ends[1]] += count
            self.leap = self.leap or any((d.month, d.day, d.year % 100) == (2, 29, 0) for d in readings)
        elif not date.weak:
            self._span(readings[0].year, readings[0].year)
        self.date.weak += count if date.weak else 0
        self.formats[date.format] += count
        if date.time is not None:
            self.moments += count
            self.midnights += (
                count
                if not any((date.time.hour, date.time.minute, date.time.second, date.time.microsecond))
                else 0
            )
        if date.zoned:
            self.zoned += count
            self.zones.add(date.zone)


def is_prose(texts: list[str]) -> bool:
    """Tell whether nearly all of some distinct texts fit no type, so that no others need be looked at."""
    fitting = sum(
        parse_number(text) is not None
        or parse_date(text) is not None
        or is_missing(text)
        or parse_time(text) is not None
        or text.lower() in BOOLEANS
        for text in texts
        if len(text) <= 64
    )
    return fitting < 0.3 * len(texts)


def holds(value: Decimal) -> bool:
    """Tell whether a double keeps all digits of a decimal number, so that printing it gives them back."""
    digits = len(value.as_tuple().digits)
    if digits <= 15:
        return True
    if digits > 17:
        return Decimal(float(value)) == value
    return Decimal(format(float(value), f".{digits}g")) == value
