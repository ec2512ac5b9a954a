from __future__ import annotations

import csv
import io
import string
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from headwater.readers import ReadOptions
from headwater.readers._delimited import read_delimited, read_delimited_text
from headwater.readers._encoding import decode

WORD = st.text(string.ascii_letters + " ,;|\"'\n-äöé", min_size=1, max_size=12).filter(
    lambda text: text.strip() == text and text
)
NAME = st.text(string.ascii_lowercase, min_size=3, max_size=8)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], list[list[str]]]:
    """A header of names and at least four records, the first column whole numbers, the others texts."""
    width = draw(st.integers(3, 5))
    names = draw(st.lists(NAME, min_size=width, max_size=width, unique=True))
    count = draw(st.integers(4, 12))
    rows = [[str(1000 + i), *(f"v{draw(WORD)}" for _ in range(width - 1))] for i in range(count)]
    return names, rows


def written(names: list[str], rows: list[list[str]], delimiter: str, quote: str, end: str) -> str:
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, quotechar=quote, lineterminator=end, quoting=csv.QUOTE_ALL)
    writer.writerows([names, *rows])
    return out.getvalue()


def raw_rows(table: Any) -> list[list[str | None]]:
    return [
        list(row)
        for batch in table.data.raw()
        for row in zip(*(column.to_pylist() for column in batch.columns[2:]), strict=True)
    ]


@settings(max_examples=120, deadline=None)
@given(tables(), st.sampled_from([",", ";", "\t", "|"]), st.sampled_from(["\n", "\r\n"]))
def test_a_table_comes_back_from_any_dialect(
    table: tuple[list[str], list[list[str]]], delimiter: str, end: str
) -> None:
    names, rows = table
    result = read_delimited_text(decode(written(names, rows, delimiter, '"', end).encode()), "t.csv")
    assert len(result.tables) == 1
    got = result.tables[0]
    assert [column.name for column in got.columns] == names
    assert raw_rows(got) == rows
    assert got.columns[0].type == "integer"
    assert got.source_records in (None, len(rows))


@settings(max_examples=60, deadline=None)
@given(tables(), st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le"]))
def test_a_table_comes_back_from_any_unicode_encoding(
    table: tuple[list[str], list[list[str]]], encoding: str
) -> None:
    names, rows = table
    result = read_delimited_text(decode(written(names, rows, ",", '"', "\n").encode(encoding)), "t.csv")
    assert raw_rows(result.tables[0]) == rows


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tables())
def test_both_routes_give_the_same(tmp_path: Path, table: tuple[list[str], list[list[str]]]) -> None:
    names, rows = table
    path = tmp_path / "t.csv"
    path.write_text(written(names, rows, ",", '"', "\n"), encoding="utf-8", newline="")
    small = read_delimited(path, "t.csv", ReadOptions()).tables[0]
    large = read_delimited(path, "t.csv", ReadOptions(workdir=tmp_path, memory_table_bytes=0)).tables[0]
    for view in ("raw", "typed"):
        one, other = (
            [row for batch in getattr(t.data, view)() for row in batch.to_pylist()] for t in (small, large)
        )
        assert one == other
    assert [(c.name, c.type, c.unit) for c in small.columns] == [
        (c.name, c.type, c.unit) for c in large.columns
    ]


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes_end_in_a_table_or_a_clear_error(data: bytes) -> None:
    from headwater.errors import ReadError

    try:
        result = read_delimited_text(decode(data), "t.csv")
    except ReadError as error:
        assert error.message
        return
    for table in result.tables:
        assert [batch.num_columns for batch in table.data.typed()] in ([], [len(table.columns) + 2])


@pytest.mark.parametrize("encoding", ["cp1252", "cp1251", "shift_jis", "gb18030", "iso8859-7", "koi8-r"])
def test_encodings_of_the_world(encoding: str) -> None:
    text = {
        "cp1252": "item,price\n“Café” set,€ 12\nGarçon,€ 3\n",
        "cp1251": "имя,город\nИван,Москва\nПётр,Казань\n",
        "shift_jis": "名前,都市\n田中太郎,東京\nスズキ,大阪\n",
        "gb18030": "城市,人口\n北京市,21540000\n上海市,24870000\n",
        "iso8859-7": "όνομα,πόλη\nΓιώργος,Αθήνα\n",
        "koi8-r": "имя,город\nИван,Москва\n",
    }[encoding]
    found = decode(text.encode(encoding))
    assert (found.text, found.replaced) == (text, 0)


def test_lines_in_two_encodings_are_repaired_and_counted() -> None:
    found = decode("id,name\n1,Café\n".encode() + "2,Café\n".encode("latin-1"))
    assert found.text == "id,name\n1,Café\n2,Café\n"
    assert (found.encoding, found.replaced) == ("utf-8", 1)
