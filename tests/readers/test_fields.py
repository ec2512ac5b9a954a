"""Documents that are one object: which values are its fields, and the table of many such documents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.model import Record
from headwater.readers import read, sheet_table


@pytest.fixture
def record(tmp_path: Path) -> Any:
    def take(value: Any, name: str = "x.json") -> Record | None:
        text = value if isinstance(value, str) else json.dumps(value)
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return read(path, name).record

    return take


def test_nested_values_become_fields_and_a_key_for_the_value_is_left_out(record: Any) -> None:
    found = record(
        """{"Geography": {"Area": {"total ": {"text": "338,145 sq km"}, "note": null}, "Tags": ["a", "b"]},
        "code": 7, "exact": 0.10, "island": false, "empty": ""}"""
    )
    assert found == Record(
        {
            "Geography.Area.total": "338,145 sq km",
            "Geography.Tags": '["a","b"]',
            "code": "7",
            "exact": "0.10",
            "island": "false",
        }
    )


def test_fields_and_a_list_of_records(record: Any) -> None:
    few = [{"year": year, "place": "Leeds"} for year in (1920, 1921, 1924)]
    found = record({"name": "Moore", **{f"f{n}": n for n in range(9)}, "stays": few})
    assert (len(found.fields), found.main) == (10, True)
    assert "stays" not in found.fields
    assert not record({"name": "Moore", "born": 1898, "stays": few * 9}).main


@pytest.mark.parametrize(
    "value",
    [
        [{"a": 1, "b": 2}],
        {"only": 1},
        {"2019-01-01": 1, "2019-01-02": 2, "2019-01-03": 5},
        {str(n): f"v{n}" for n in range(9)},
        {f"word{'x' * n}": n for n in range(2_001)},
        {"type": "FeatureCollection", "features": []},
        {key: {"a": 1, "b": 2} for key in ("x", "y", "z")},
        "[]",
    ],
)
def test_lists_and_data_under_keys_are_no_records(value: Any, record: Any) -> None:
    assert record(value) is None


def test_yaml_and_xml_are_records_too(record: Any) -> None:
    assert record("name: Moore\nbirth:\n  year: 1898\n", "x.yaml").fields == {
        "name": "Moore",
        "birth.year": "1898",
    }
    text = '<artist id="4"><name>Moore</name><birth><year>1898</year></birth></artist>'
    assert record(text, "x.xml").fields == {"id": "4", "name": "Moore", "birth.year": "1898"}
    assert record("<p>Some <b>prose</b> with marks and <i>more</i> of it.</p>", "x.xml") is None


def test_objects_with_one_and_the_same_key_are_fields_and_no_table(tmp_path: Path) -> None:
    seats = {f"part {n}": {"text": f"{n} seats"} for n in range(9)}
    path = tmp_path / "x.json"
    path.write_text(
        json.dumps({"name": {"text": "X"}, "more": {f"f{n}": n for n in range(12)}, "parliament": seats})
    )
    found = read(path, "x.json")
    assert found.tables == []
    assert found.record is not None
    assert found.record.fields["parliament.part 3"] == "3 seats"


def test_a_sheet_has_the_fields_that_most_documents_have_first() -> None:
    records: list[dict[str, str]] = [
        {"rare": "x", "area": "5 km", "year": "1900", "tags": '["a"]', "open": "true"},
        {"area": "7 km", "year": "1901", "tags": '["b","c"]', "open": "false"},
        {"year": "1902", "area": "9 km", "_file": "own"},
    ]
    rows = [(f"l{n}", f"d/l{n}.json", fields) for n, fields in enumerate(records)]
    table = sheet_table(rows, records)
    shown = [(c.name, c.type, c.unit) for c in table.columns]
    assert shown == [
        ("_file", "text", None),
        ("_document", "text", None),
        ("area", "integer", "km"),
        ("year", "integer", None),
        ("tags", "list", None),
        ("open", "boolean", None),
        ("rare", "text", None),
        ("_file_2", "text", None),
    ]
    assert table.columns[-1].original_name == "_file"
    batch = next(iter(table.data.typed()))
    assert batch.column("_document").to_pylist() == ["d/l0.json", "d/l1.json", "d/l2.json"]
    assert batch.column("area").to_pylist() == [5, 7, 9]
    assert batch.column("rare").to_pylist() == ["x", None, None]


names = st.sampled_from([f"f{n}" for n in range(8)])


@given(st.lists(st.dictionaries(names, st.text(min_size=1, max_size=6), min_size=1), min_size=1, max_size=30))
def test_a_sheet_holds_every_value_as_it_was(records: list[dict[str, str]]) -> None:
    table = sheet_table([("l", str(n), fields) for n, fields in enumerate(records)], records)
    raw = next(iter(table.data.raw())).to_pylist()
    back = [
        {c.original_name: row[c.name] for c in table.columns[2:] if row[c.name] is not None} for row in raw
    ]
    assert back == records
