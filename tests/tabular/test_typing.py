from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.model import MemoryData, Table
from headwater.tabular import build_table, parse_number, type_columns


def typed(values: list[Any], name: str = "x", **options: Any) -> tuple[str, list[Any], str | None]:
    column = type_columns([values], [name], **options)[0]
    return column.type, column.typed.to_pylist(), column.unit


@pytest.mark.parametrize(
    ("text", "dot", "comma", "unit"),
    [
        ("1,234", "1234", "1.234", ""),
        ("1.234", "1.234", "1234", ""),
        ("1.234,5", None, "1234.5", ""),
        ("12 %", "12", "12", "percent"),
        ("$(3.4)m", "-3.4", None, "USD million"),
        ("(£45.50)", "-45.50", None, "GBP"),
        ("250.00-", "-250.00", None, ""),
        ("29,470 [r]", "29470", "29.470", ""),
        ("1'234'567", "1234567", "1234567", ""),
        ("12,34,567", "1234567", None, ""),
        ("１２３", "123", "123", ""),
        ("١٢٣", "123", "123", ""),
        ("\u22121,234", "-1234", "-1.234", ""),
        ("5 km", "5", "5", "km"),
        ("£-", "0", "0", "GBP"),
    ],
)
def test_printed_numbers(text: str, dot: str | None, comma: str | None, unit: str) -> None:
    number = parse_number(text)
    assert number is not None
    assert (number.dot, number.comma, number.unit) == (dot, comma, unit)


@pytest.mark.parametrize(
    "text", ["12A", "1.2.3", "2013-14", "(01632) 960 001", "<=5", "1-2", "", "abc", "200011-", "1,23,4"]
)
def test_texts_that_are_no_numbers(text: str) -> None:
    assert parse_number(text) is None


@pytest.mark.parametrize(
    ("values", "want"),
    [
        (["1", "2", ""], ("integer", [1, 2, None], None)),
        (["1,204", "88", ".."], ("integer", [1204, 88, None], None)),
        (["43.1%", "[c]", "(0.3%)"], ("number", [43.1, None, -0.3], "percent")),
        (["00123", "04567"], ("text", ["00123", "04567"], None)),
        (["NA", "NO"], ("text", ["NA", "NO"], None)),
        (["NA", "3"], ("integer", [None, 3], None)),
        (["12,5", "1.234,5"], ("number", [12.5, 1234.5], None)),
        (["1E5", "2E7"], ("text", ["1E5", "2E7"], None)),
        (["true", "FALSE"], ("boolean", [True, False], None)),
        (["Yes", "No"], ("text", ["Yes", "No"], None)),
        (
            ["2024-03-01", "13/03/2024", "45474"],
            ("date", [dt.date(2024, 3, 1), dt.date(2024, 3, 13), dt.date(2024, 7, 1)], None),
        ),
        (["02/04/2024", "13/03/2024"], ("date", [dt.date(2024, 4, 2), dt.date(2024, 3, 13)], None)),
        (["07:30", "18:05"], ("time", [dt.time(7, 30), dt.time(18, 5)], None)),
        (["9007199254740993"], ("integer", [9007199254740993], None)),
        (["18446744073709551615"], ("integer", [Decimal("18446744073709551615")], None)),
        (
            ["0.1", "12345678901234.123456789"],
            ("number", [Decimal("0.1"), Decimal("12345678901234.123456789")], None),
        ),
        (["5 kg", "7 kg"], ("integer", [5, 7], "kg")),
        (["£5", "€6"], ("text", ["£5", "€6"], None)),
        (["1", "x"], ("text", ["1", "x"], None)),
        ([1, 2.5, None], ("number", [1.0, 2.5, None], None)),
        ([1, 2, None], ("integer", [1, 2, None], None)),
        ([True, None], ("boolean", [True, None], None)),
        ([dt.date(2024, 1, 2), None], ("date", [dt.date(2024, 1, 2), None], None)),
        (
            [1 << 53, (1 << 53) + 1, 0.5],
            ("number", [Decimal(1 << 53), Decimal((1 << 53) + 1), Decimal("0.5")], None),
        ),
    ],
)
def test_types_of_columns(values: list[Any], want: tuple[str, list[Any], str | None]) -> None:
    assert typed(values) == want


def test_versions_and_spans_are_no_numbers_and_times() -> None:
    assert typed(["1.10", "1.9"], "version")[0] == "text"
    assert typed(["03:45", "04:10"], "Length")[0] == "text"


def test_whole_numbers_are_dates_only_under_a_name_that_says_so() -> None:
    assert typed(["20240617", "20240618"], "date")[0] == "date"
    assert typed(["20240617", "20240618"], "id")[0] == "integer"


def test_open_readings_follow_the_other_columns() -> None:
    columns = [
        ["01/02/2024", "03/04/2024"],
        ["28/02/2024", "01/03/2024"],
        ["1,234", "2,500"],
        ["3,5", "4,25"],
    ]
    first, _, third, _ = type_columns(columns, ["a", "b", "c", "d"])
    assert first.typed.to_pylist() == [dt.date(2024, 2, 1), dt.date(2024, 4, 3)]
    assert third.typed.to_pylist() == [1.234, 2.5]
    assert first.report is not None and first.report.ambiguous


@pytest.mark.parametrize(
    ("values", "options", "told"),
    [
        (["01/02/2024", "03/04/2024"], {}, "day and month"),
        (["1.234", "12.500"], {"comma_locale": True}, "three digits"),
        (["2024-01-01T00:00:00Z", "2024-01-01 10:00:00"], {}, "zone"),
        (["<=5", "0", "7"], {}, "<=5"),
        (["1,5", "1.25"], {}, "commas"),
        ([*map(str, range(99)), "12A"], {}, "12A"),
    ],
)
def test_what_is_open_is_told(values: list[str], options: dict[str, Any], told: str) -> None:
    warnings = type_columns([values], ["x"], **options)[0].warnings
    assert any(told in warning for warning in warnings)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**12), max_value=10**12),
        min_size=2,
    )
)
def test_printed_decimals_come_back_exactly(values: list[Decimal]) -> None:
    for grouped in ("", ","):
        kind, got, _ = typed([format(value, f"{grouped}f") for value in values])
        assert kind == "number"
        assert [Decimal(str(value)) for value in got] == values


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(-(10**30), 10**30), min_size=1), st.integers(0, 300))
def test_integers_keep_their_digits_in_small_and_large_batches(values: list[int], more: int) -> None:
    whole = values + list(range(more))
    kind, got, _ = typed([str(value) for value in whole])
    assert (kind, [int(value) for value in got]) == ("integer", whole)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.dates(dt.date(1900, 1, 1), dt.date(2100, 1, 1)), min_size=1),
    st.sampled_from(["%Y-%m-%d", "%d %B %Y", "%B %d, %Y"]),
)
def test_printed_dates_come_back(values: list[dt.date], form: str) -> None:
    assert typed([value.strftime(form) for value in values]) == ("date", values, None)


def dates_of(years: list[int], form: str = "%m/%d/%y") -> list[str]:
    """Return two printed dates in each year, with many days above 12."""
    return [dt.date(year, month, 10 + month + year % 8).strftime(form) for year in years for month in (3, 11)]


def years_read(values: list[str], name: str = "date", **beside: list[str]) -> tuple[list[int], list[str]]:
    column = type_columns([values, *beside.values()], [name, *beside])[0]
    return sorted({value.year for value in column.typed.to_pylist()}) if column.type == "date" else [], [
        *column.warnings,
        *(column.report.notes if column.report else []),
    ]


@settings(max_examples=60, deadline=None)
@given(st.integers(1930, 2029), st.integers(0, 60), st.sampled_from(["%m/%d/%y", "%d-%b-%y", "%d.%m.%y"]))
def test_two_digit_years_of_one_period_come_back(last: int, length: int, form: str) -> None:
    years = [*range(max(last - length, 1930), last + 1)]
    assert years_read(dates_of(years, form)) == (
        years,
        [f"years of two digits were read as {years[0]} to {years[-1]}"],
    )


@pytest.mark.parametrize(
    ("years", "name", "beside", "want", "told"),
    [
        ([1938, 1945, 1961, 1974, 1990, 1997, 2009], "effective", {}, None, "1938 to 2009"),
        ([2020, 2030, 2045], "date", {}, None, "another century"),
        ([1920, 1930, 1945], "birth_date", {}, None, "1920 to 1945"),
        ([1910, 1915, 1926], "born", {"died": ["1960-01-02", "1985-03-04"]}, None, "1910 to 1926"),
        ([2030, 2060], "maturity", {}, None, "2030 to 2060"),
        ([2030, 2060], "date", {"year": ["2030", "2060"]}, None, "2030 to 2060"),
        ([1912, 1955, 1985], "date", {"year": ["1912", "1985"]}, None, "1912 to 1985"),
        ([1955, 1985, 2012], "date", {}, None, "another century"),
        ([*range(1906, 2010)], "date", {}, [], "kept as text"),
    ],
)
def test_the_century_follows_the_data(
    years: list[int], name: str, beside: dict[str, list[str]], want: list[int] | None, told: str
) -> None:
    values = dates_of(years)
    more = {key: (cells * len(values))[: len(values)] for key, cells in beside.items()}
    read, notes = years_read(values, name, **more)
    assert read == (years if want is None else want)
    assert any(told in note for note in notes)


def test_a_leap_day_tells_the_century() -> None:
    assert years_read(["2/29/00"], "born", died=["1950-01-02"])[0] == [2000]


def test_dates_that_begin_with_a_year_of_two_digits() -> None:
    days = [dt.date(year, 5, day) for year in range(2006, 2024) for day in range(1, 32)]
    assert typed([day.strftime("%y/%m/%d") for day in days], "updated") == ("date", days, None)
    assert typed(["85-03-12", "99-12-01"], "date")[1] == [dt.date(1985, 3, 12), dt.date(1999, 12, 1)]
    assert typed(["85-03-12", "99-12-01"], "code")[0] == "text"
    few = [day for day in days if day.day < 29]
    assert typed([day.strftime("%y/%m/%d") for day in few])[0] == "date"
    fewer = [dt.date(2016, 5, day) for day in range(2, 28)]
    column = type_columns([[day.strftime("%y/%m/%d") for day in fewer]], ["x"])[0]
    assert (column.type, len(column.warnings)) == ("text", 1)


def test_a_plain_number_among_dates_is_named() -> None:
    column = type_columns([["9/24/06", *["3/13/07"] * 99, "1930"]], ["date"])[0]
    assert column.type == "text"
    assert "'1930'" in column.warnings[0]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.one_of(st.none(), st.text(max_size=20)), min_size=1))
def test_any_texts_can_be_typed_and_text_is_kept(values: list[str | None]) -> None:
    column = type_columns([values], ["x"])[0]
    assert column.raw.to_pylist() == values
    if column.type == "text":
        assert column.typed.to_pylist() == [(value or "").strip() or None for value in values]


def rows_of(table: Table) -> list[tuple[Any, ...]]:
    assert isinstance(table.data, MemoryData)
    return [tuple(row.values())[2:] for row in table.data.typed_table.to_pylist()]


def test_given_columns_and_no_inference() -> None:
    table = build_table([["1", None], ["2", "x"]], column_names=["a", "b"], infer=False)
    assert [(column.name, column.type) for column in table.columns] == [("a", "text"), ("b", "text")]
    assert rows_of(table) == [("1", None), ("2", "x")]


def test_given_header_rows() -> None:
    assert [c.name for c in build_table([["1", "2"], ["3", "4"]], header_rows=0).columns] == [
        "column_1",
        "column_2",
    ]
    table = build_table([["g", "g"], ["a", "b"], ["1", "2"]], header_rows=2)
    assert [c.name for c in table.columns] == ["g / a", "g / b"]


def test_nothing_gives_a_table_without_columns() -> None:
    assert build_table([[None, ""], []]).columns == []
