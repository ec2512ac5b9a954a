"""The type of a column: chosen from the evidence of all its values, then applied to them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from headwater.model import Typing
from headwater.tabular._centuries import FIRST, NEWEST, Span, choose_century
from headwater.tabular._dates import Order, parse_date, parse_time
from headwater.tabular._numbers import is_missing, parse_number
from headwater.tabular._scan import AFFIXED_NUMBER, BOOLEANS, FEW, ISO_DATE, ISO_MOMENT, ColumnScan
from headwater.tabular._vocabulary import CURRENCIES, SCALES

if TYPE_CHECKING:
    from collections.abc import Callable

    from headwater.model.table import ColumnType

MAX_DIGITS = 38
"""Digits of decimal128."""

RARE = 0.025
"""Share of values up to which those that spoil a column's type are told as its damage, not as its nature."""

_VERSION_NAME = re.compile(
    r"(?:^|[^a-z])(?:version|release|revision|build|firmware)(?:$|[^a-z])", re.IGNORECASE
)
_DATE_NAME = re.compile(
    r"(?:^|[^a-z])(?:date|day|datum|fecha|dt|ymd|yyyymmdd)(?:$|[^a-z])|date$", re.IGNORECASE
)
_SPAN_NAME = re.compile(r"length|duration|elapsed|run\s*time|lap|split|pace", re.IGNORECASE)
_SPAN = re.compile(r"\d[\d.,]*\s*(?:[-/–—]\s*\d[\d.,]*|\+)")
_MASK = re.compile(r"(?:[<>≤≥~≈±]|less than|under|over|fewer than|more than|up to)\s*=?\s*\d", re.IGNORECASE)
_OFFSET_UTC = "UTC"
_ENDS_OF_MONTHS = frozenset({1, 15, 28, 29, 30, 31})


@dataclass(slots=True)
class Hints:
    """What the rest of the table says about open readings.

    Attributes:
        name: name of the column.
        decimal_comma: other columns need the decimal comma (True), the dot (False), or nothing is known (None).
        comma_locale: the file's delimiter is one of countries with a decimal comma.
        day_first: other columns have the day first (True), the month (False), or nothing is known (None).
        years: years of four digits in the dates and year columns of the table.
    """

    name: str = ""
    decimal_comma: bool | None = None
    comma_locale: bool = False
    day_first: bool | None = None
    years: list[Span] = field(default_factory=list)


@dataclass(slots=True)
class Plan:
    """The type of a column and how its texts are read.

    Attributes:
        type: name of the type.
        arrow: name of the Arrow type, see `arrow_type`.
        decimal_comma: the comma is the decimal mark.
        order: what the first number of a date is.
        since: first of the hundred years that two digits stand for.
        unit: unit printed in the cells, or None.
        report: report of the conversion.
        warnings: what the user should know about this column, without its name.
    """

    type: ColumnType = "text"
    arrow: str = "string"
    decimal_comma: bool = False
    order: Order = "day"
    since: int = FIRST
    unit: str | None = None
    report: Typing = field(default_factory=Typing)
    warnings: list[str] = field(default_factory=list)


def arrow_type(name: str) -> Any:
    """Return the Arrow type of a name: string, int64, float64, bool, date32, time64, timestamp[@zone], decimal:scale."""
    import pyarrow as pa

    if name.startswith("timestamp"):
        return pa.timestamp("us", tz=name.partition("@")[2] or None)
    if name.startswith("decimal"):
        return pa.decimal128(MAX_DIGITS, int(name.partition(":")[2]))
    return (
        pa.bool_() if name == "bool" else getattr(pa, name)("us") if name == "time64" else getattr(pa, name)()
    )


def decide(scan: ColumnScan, hints: Hints | None = None) -> Plan:
    """Choose the type that every value fits, else text.

    Args:
        scan: evidence of all values of the column.
        hints: what the rest of the table says.
    """
    hints = hints or Hints()
    scan.settle()
    if scan.text or scan.values <= 0:
        return _text(scan)
    if scan.booleans == scan.values and scan.marks.total() < scan.values:
        return _typed(scan, Plan("boolean", "bool"))
    for attempt in (_as_date, _as_number, _as_time):
        plan = attempt(scan, hints)
        if plan is not None:
            return plan
    return _text(scan, told=True)


def _typed(scan: ColumnScan, plan: Plan) -> Plan:
    plan.report.converted = scan.values
    plan.report.missing_marks = dict(scan.marks)
    return plan


def _text(scan: ColumnScan, told: bool = False, warning: str = "") -> Plan:
    """Return the plan for text; `told` adds the report on values that nearly had a type."""
    values = scan.values + scan.marks.total()
    plan = Plan(report=Typing(converted=values))
    if warning:
        plan.warnings.append(warning)
    elif told and not scan.coded:
        best, kind = max((scan.number.fits, "number"), (scan.date.fits, "date"))
        failing = scan.values - best
        if failing and best >= 0.5 * scan.values:
            plan.report.samples = list(scan.samples)
            plan.report.formats = {f"{kind}: {best} of {scan.values}": best}
            plan.warnings.extend(_near_miss(scan, best, failing, kind))
    return plan


def _near_miss(scan: ColumnScan, best: int, failing: int, kind: str) -> list[str]:
    """Tell of a column that is text only because of a few values that look like damaged ones of its kind."""
    samples = [*scan.samples, *(scan.numbers if kind == "date" else [])]
    odd = [text for text in samples if any(map(str.isdigit, text)) and sum(map(str.isalpha, text)) < 2]
    odd = [text for text in odd if not _SPAN.fullmatch(text)]
    masked = odd and all(_MASK.match(text) for text in scan.samples)
    if not odd or not (masked or failing <= RARE * scan.values):
        return []
    shown = ", ".join(repr(text[:40]) for text in odd[:3])
    return [
        f"{best} of {scan.values} values are a {kind}, {failing} are not ({shown}): the column is kept as text"
    ]


def _as_date(scan: ColumnScan, hints: Hints) -> Plan | None:
    kind = scan.date
    if kind.fits != scan.values:
        return None
    if kind.weak == kind.fits:
        if set(scan.formats) != {"%Y%m%d"} or not _DATE_NAME.search(hints.name):
            return None
    elif 2 * kind.weak > kind.fits:
        return None
    first, second = kind.first == kind.fits, kind.second == kind.fits
    by_year = year_leads(scan, hints.name)
    if not by_year and _year_could_lead(scan):
        if not (first or second):
            return _text(scan)
        if _days_trail(scan):
            return _text(
                scan,
                warning="whether dates of six digits begin or end with the year cannot be told: "
                "the column is kept as text",
            )
    if not (first or second or by_year):
        return _text(
            scan,
            warning="dates with the day first and dates with the month first are mixed: the column is kept as text",
        )
    dates_only = scan.moments == 0 or (scan.moments == scan.midnights and scan.moments < kind.fits)
    if scan.zoned and scan.zoned != kind.fits and not dates_only:
        return _text(scan, warning="times with and without a zone are mixed: the column is kept as text")
    plan = Plan("date", "date32")
    if not dates_only:
        plan.type, plan.arrow = "datetime", "timestamp"
        if scan.zoned:
            plan.arrow += "@" + (_OFFSET_UTC if len(scan.zones) != 1 else _offset(next(iter(scan.zones))))
    plan.order = "year" if by_year else "day" if first else "month"
    if first and second and not by_year and any("%x" in form for form in scan.formats):
        plan.report.ambiguous = True
        if hints.day_first is None:
            return _undecided(scan)
        plan.order = "day" if hints.day_first else "month"
    plan.report.formats = {_named(form, plan.order): count for form, count in scan.formats.items()}
    if scan.trailing and not _set_century(plan, scan, hints):
        return _text(
            scan,
            warning="the years of two digits run through a whole century, so which one cannot be told: "
            "the column is kept as text",
        )
    return _typed(scan, plan)


def _year_could_lead(scan: ColumnScan) -> bool:
    return bool(scan.trailing) and scan.date.third == scan.date.fits


def year_leads(scan: ColumnScan, name: str) -> bool:
    """Tell whether dates like 16/05/10 begin with the year: all could, and the last numbers must be days."""
    kind = scan.date
    if not _year_could_lead(scan):
        return False
    if kind.fits not in (kind.first, kind.second):
        return bool(_DATE_NAME.search(name)) or len(scan.leading) + len(scan.trailing) > 4
    return max(scan.trailing) > NEWEST % 100 and len(scan.trailing) > len(scan.leading)


def _days_trail(scan: ColumnScan) -> bool:
    """Tell whether the last numbers of dates vary as days do, and the first ones less; ends of months aside."""
    spread = min(scan.trailing) <= 5 and 25 <= max(scan.trailing) <= 31
    return (
        spread
        and len(scan.trailing) >= max(6, 2 * len(scan.leading))
        and not set(scan.leading) <= _ENDS_OF_MONTHS
    )


def _set_century(plan: Plan, scan: ColumnScan, hints: Hints) -> bool:
    """Let a plan read the years of two digits; False if their century cannot be told."""
    years = scan.leading if plan.order == "year" else scan.trailing
    century = choose_century(years, hints.name, beside=hints.years, leap=scan.leap)
    if century is None:
        return False
    plan.since, plan.report.ambiguous = century.since, plan.report.ambiguous or century.open
    told = f"years of two digits were read as {century.first} to {century.last}"
    if century.open:
        plan.warnings.append(f"{told}, but may be of another century")
    else:
        plan.report.notes.append(told)
    return True


def _undecided(scan: ColumnScan) -> Plan:
    plan = _text(
        scan, warning="day and month cannot be told apart (no value above 12): the column is kept as text"
    )
    plan.report.ambiguous = True
    plan.report.formats = {"%d %m or %m %d": scan.date.fits}
    return plan


def _named(form: str, order: Order) -> str:
    for part in {"day": ("%d", "%m", "%y"), "month": ("%m", "%d", "%y"), "year": ("%y", "%m", "%d")}[order]:
        form = form.replace("%x", part, 1)
    return form


def _offset(zone: Any) -> str:
    minutes = round(zone.total_seconds() / 60)
    return (
        _OFFSET_UTC
        if not minutes
        else f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"
    )


def _as_number(scan: ColumnScan, hints: Hints) -> Plan | None:
    kind = scan.number
    if kind.fits != scan.values or scan.coded or kind.weak == kind.fits:
        return None
    if scan.fraction_digits and _VERSION_NAME.search(hints.name):
        return None
    if mixed := _mixed_units(scan):
        return _text(scan, warning=mixed)
    dot, comma = kind.first == kind.fits, kind.second == kind.fits
    if not (dot or comma):
        return _text(scan, warning="decimal commas and decimal points are mixed: the column is kept as text")
    plan = Plan(unit=next(iter(scan.units), None), decimal_comma=not dot)
    if dot and comma and scan.grouped_only:
        plan.report.ambiguous = True
        plan.decimal_comma = bool(hints.decimal_comma)
        if hints.comma_locale and hints.decimal_comma is None:
            plan.warnings.append(
                "every value has exactly three digits after its mark, which may be decimals or thousands: "
                "read with the decimal point"
            )
    whole = scan.whole.second if plan.decimal_comma else scan.whole.first
    plan.report.stripped = dict(scan.stripped)
    if plan.decimal_comma:
        plan.report.formats = {"decimal comma": kind.fits}
    if whole == kind.fits and scan.integer_digits <= MAX_DIGITS:
        plan.type, plan.arrow = "integer", "int64" if scan.integer_digits <= 18 else "decimal:0"
    elif not scan.lossy:
        plan.type, plan.arrow = "number", "float64"
    elif scan.integer_digits + scan.fraction_digits <= MAX_DIGITS:
        plan.type, plan.arrow = "number", f"decimal:{scan.fraction_digits}"
    else:
        return _text(scan, warning=f"numbers have more than {MAX_DIGITS} digits: the column is kept as text")
    return _typed(scan, plan)


def _mixed_units(scan: ColumnScan) -> str:
    """Return what is wrong with the units in the cells, or ""."""
    if len(scan.units) > 1:
        return f"units are mixed ({', '.join(list(scan.units)[:4])}): the column is kept as text"
    unit = next(iter(scan.units), "")
    if unit and scan.bare and unit.split()[0] not in CURRENCIES.values():
        return f"only some values have the unit {unit}: the column is kept as text"
    if unit and scan.bare and unit.split()[-1] in SCALES.values():
        return f"only some values are in {unit}: the column is kept as text"
    return ""


def _as_time(scan: ColumnScan, hints: Hints) -> Plan | None:
    if scan.times != scan.values or _SPAN_NAME.search(hints.name):
        return None
    return _typed(scan, Plan("time", "time64"))


def convert(cells: Any, plan: Plan) -> Any:
    """Apply a plan to a batch of cells.

    Args:
        cells: Arrow string array.
        plan: the type and its reading.

    Returns:
        Arrow array of the plan's type; empty cells and missing marks are null.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if len(cells) <= FEW:
        texts = [cell.strip() if cell else "" for cell in cells.to_pylist()]
        if plan.type == "text":
            return pa.array([text or None for text in texts], pa.string())
        return pa.array([_one(text, plan) for text in texts], arrow_type(plan.arrow))
    trimmed = pc.utf8_trim_whitespace(cells)
    if plan.type == "text":
        return pc.if_else(pc.equal(trimmed, ""), pa.scalar(None, pa.string()), trimmed)
    encoded = trimmed.dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
        if isinstance(encoded, pa.ChunkedArray):
            encoded = encoded.chunk(0)
    return _convert_distinct(encoded.dictionary, plan).take(encoded.indices)


def _convert_distinct(texts: Any, plan: Plan) -> Any:
    """Convert distinct texts: the plain ones by Arrow in one go, the others one by one."""
    import pyarrow as pa
    import pyarrow.compute as pc

    target = arrow_type(plan.arrow)
    ready = None
    if plan.type in ("integer", "number") and not plan.decimal_comma:
        ready = pc.match_substring_regex(texts, AFFIXED_NUMBER)
    elif plan.arrow in ("date32", "timestamp"):
        ready = pc.match_substring_regex(texts, ISO_DATE if plan.arrow == "date32" else ISO_MOMENT)
    if ready is None or not pc.any(ready).as_py():
        return pa.array([_one(text, plan) for text in texts.to_pylist()], target)
    source = pc.if_else(ready, texts, pa.scalar(None, pa.string()))
    if plan.type in ("integer", "number"):
        source = pc.replace_substring_regex(source, "[+,£$€¥₹%]", "")
    converted = source.cast(target)
    if not pc.all(ready).as_py():
        others = pa.array([_one(text, plan) for text in texts.filter(pc.invert(ready)).to_pylist()], target)
        converted = pc.replace_with_mask(converted, pc.invert(ready), others)
    return converted


def _one(text: str | None, plan: Plan) -> Any:
    if not text or is_missing(text):
        return None
    return _READ[plan.type](text, plan)


def _read_number(text: str, plan: Plan) -> Any:
    number = parse_number(text)
    assert number is not None
    digits = number.comma if plan.decimal_comma else number.dot
    assert digits is not None
    if plan.arrow == "int64":
        return int(digits)
    return float(digits) if plan.arrow == "float64" else Decimal(digits)


def _read_date(text: str, plan: Plan) -> Any:
    date = parse_date(text)
    assert date is not None
    if plan.type == "date":
        return date.on(plan.order, plan.since)
    return date.moment(plan.order, plan.since)


_READ: dict[str, Callable[[str, Plan], Any]] = {
    "integer": _read_number,
    "number": _read_number,
    "date": _read_date,
    "datetime": _read_date,
    "time": lambda text, plan: parse_time(text),
    "boolean": lambda text, plan: BOOLEANS[text.lower()],
}
