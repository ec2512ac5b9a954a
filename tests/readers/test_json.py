"""JSON: layouts, repairs, exact numbers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from headwater.errors import ReadError
from headwater.model import ReadResult, Table
from headwater.readers import read


@pytest.fixture
def take(tmp_path: Path) -> Any:
    def take(content: Any, name: str = "a.json") -> ReadResult:
        path = tmp_path / "bytes"
        data = content if isinstance(content, str | bytes) else json.dumps(content)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return read(path, name)

    return take


def rows(table: Table, view: str = "typed") -> list[list[Any]]:
    batches = pa.Table.from_batches(list(getattr(table.data, view)()))
    return [list(row.values())[2:] for row in batches.to_pylist()]


def names(table: Table) -> list[str]:
    return [column.name for column in table.columns]


LAYOUTS = {
    "array of objects": [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}],
    "array of arrays": [["a", "b"], [1, "x"], [2, "y"]],
    "columns": {"a": [1, 2], "b": ["x", "y"]},
    "split": {"columns": ["a", "b"], "index": [0, 1], "data": [[1, "x"], [2, "y"]]},
    "by column and index": {"a": {"0": 1, "1": 2}, "b": {"0": "x", "1": "y"}},
    "wrapped": {"meta": {"n": 2}, "result": {"items": [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]}},
    "about and records": [{"page": 1}, [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]],
    "rows with declared columns": {
        "meta": {
            "view": {
                "columns": [
                    {"name": "sid", "dataTypeName": "meta_data", "flags": ["hidden"]},
                    {"name": "a", "dataTypeName": "number"},
                    {"name": "b", "dataTypeName": "text"},
                ]
            }
        },
        "data": [["row-1", "1", "x"], ["row-2", "2", "y"]],
    },
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_give_one_table(layout: str, take: Any) -> None:
    (table,) = take(LAYOUTS[layout]).tables
    assert (names(table), rows(table)) == (["a", "b"], [[1, "x"], [2, "y"]])


def test_keys_become_a_column(take: Any) -> None:
    (table,) = take({"001": {"v": 1}, "002": {"v": 2}, "003": {"v": 3}}).tables
    assert names(table) == ["key", "v"]
    assert rows(table) == [["001", 1], ["002", 2], ["003", 3]]


def test_late_keys_are_kept(take: Any) -> None:
    lines = "\n".join(json.dumps({"a": i}) for i in range(30_000)) + '\n{"a": 30000, "late": "yes"}\n'
    (table,) = take(lines, "a.jsonl").tables
    assert names(table) == ["a", "late"]
    assert table.data.row_count == 30_001
    assert rows(table)[-1] == [30_000, "yes"]


def test_regular_objects_are_flattened_and_others_kept_as_json(take: Any) -> None:
    (table,) = take(
        [{"o": {"x": 1, "p": {"q": 2}}, "l": [1, {"z": 1.50}]}, {"o": {"x": 3, "p": None}, "l": []}]
    ).tables
    assert names(table) == ["o.x", "o.p.q", "l"]
    assert rows(table) == [[1, 2, '[1,{"z":1.5}]'], [3, None, "[]"]]
    (rare,) = take([{"a": 1}, {"a": 2}, {"a": 3, "extra": {"by": "crew"}}]).tables
    assert (names(rare), rare.columns[1].type) == (["a", "extra"], "object")


def test_numbers_keep_their_digits(take: Any) -> None:
    text = (
        '[{"i": 18446744073709551615, "d": 0.12345678901234567890, "f": 1.50}, {"i": 1, "d": 2, "f": 2.25}]'
    )
    (table,) = take(text).tables
    assert [str(cell) for cell in rows(table)[0]] == ["18446744073709551615", "0.12345678901234567890", "1.5"]
    assert rows(table, "raw")[0] == ["18446744073709551615", "0.12345678901234567890", "1.50"]


def test_mixed_kinds_stay_text_with_a_word(take: Any) -> None:
    (table,) = take([{"c": 1}, {"c": 1.5}, {"c": True}]).tables
    assert rows(table) == [["1"], ["1.5"], ["true"]]
    assert "1 true or false" in table.warnings[0]


def test_nan_is_missing_and_told(take: Any) -> None:
    (table,) = take('[{"v": NaN}, {"v": -Infinity}, {"v": 1.5}]').tables
    assert rows(table) == [[None], [None], [1.5]]
    assert rows(table, "raw") == [["NaN"], ["-Infinity"], ["1.5"]]
    assert table.warnings


def test_broken_lines_are_set_aside(take: Any) -> None:
    (table,) = take('{"a": 1}\n{"a": 2, \n\n{"a": 3}\n', "a.jsonl").tables
    assert rows(table) == [[1], [3]]
    assert [(q.line, q.text) for q in table.quarantined] == [(2, '{"a": 2,')]
    assert table.source_records == 3
    assert [b.column(1).to_pylist() for b in table.data.typed()] == [[1, 4]]


def test_cut_array_keeps_whole_records_and_says_so(take: Any) -> None:
    result = take('[{"a": 1},\n {"a": 2},\n {"a"')
    assert rows(result.tables[0]) == [[1], [2]]
    assert "truncated" in result.warnings[0]
    assert result.tables[0].quarantined[0].line == 3


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ('cb([{"a": 1}, {"a": 2}]);', "JavaScript"),
        ('[{"a": 1,}, {"a": 2},]', "trailing commas"),
        ("[{'a': 1, 'b': None}, {'a': 2}]", "single quotes"),
        ('[{"a": 1}, /* two */ {"a": 2}]', "comments"),
        ('[{"a": 1, "a": 5}, {"a": 2}]', "twice"),
    ],
)
def test_repairs_are_told(text: str, word: str, take: Any) -> None:
    result = take(text)
    assert [row[0] for row in rows(result.tables[0])] in ([1, 2], [5, 2])
    assert any(word in warning for warning in result.warnings)


def test_same_value_twice_is_no_matter(take: Any) -> None:
    assert take('[{"a": 1, "a": 1}]').warnings == []


@pytest.mark.parametrize("text", ["[1 2]", '{"a": }', "[" * 30_000, '{"a": 01}', "[1,,2]", '{"a": 1} x'])
def test_no_json_is_refused_with_its_place(text: str, take: Any) -> None:
    with pytest.raises(ReadError, match="line 1|nested too deeply"):
        take(text)


def test_error_message_of_a_server_is_no_data(take: Any) -> None:
    with pytest.raises(ReadError, match="quota exceeded"):
        take({"error": {"code": 403, "message": "quota exceeded"}})
    assert take({"error": None, "items": [{"a": 1}, {"a": 2}]}).tables


def test_features(take: Any) -> None:
    point = {"type": "Point", "coordinates": [1, 2]}
    features = [
        {"type": "Feature", "id": 7, "properties": {"n": "x"}, "geometry": point},
        {"type": "Feature", "properties": {"n": "y"}, "geometry": None},
    ]
    result = take({"type": "FeatureCollection", "features": features})
    assert result.format == "geojson"
    assert rows(result.tables[0]) == [["x", 7, '{"type":"Point","coordinates":[1,2]}'], ["y", None, None]]


def test_document_is_text(take: Any) -> None:
    result = take(
        {"Geography": {"Area": {"total": {"text": "756,102 sq km"}}}, "title": "Chile", "tags": ["a", "b"]}
    )
    assert result.tables == []
    assert result.text == "Geography / Area / total / text: 756,102 sq km\ntitle: Chile\ntags: a, b"
    assert result.metadata["title"] == "Chile"


def test_utf16_without_a_mark(take: Any) -> None:
    result = take('[{"ü": "é"}]'.encode("utf-16-le"))
    assert (result.encoding, names(result.tables[0])) == ("utf-16-le", ["ü"])


def test_lone_surrogates_do_no_harm(take: Any) -> None:
    result = take('[{"a": "x\\ud800y"}]')
    assert rows(result.tables[0]) == [["x\ufffdy"]]
    assert result.warnings
