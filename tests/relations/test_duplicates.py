from __future__ import annotations

from pathlib import Path

import pytest
from tests.tables import make_parquet_table, make_table

from headwater.model import Table
from headwater.relations import Duplicate, TableSketch, find_duplicates, preference, sketch_table, sketch_text
from headwater.relations._duplicates import ALL_PAIRS

SHARED = Path(__file__).parents[2].parent / "shared"

STATIONS = [f"S{i:02d}" for i in range(30)]
LEVELS = [f"{1.5 + i * 0.37:.2f}" for i in range(30)]
DAYS = [f"2021-03-{i + 1:02d}" for i in range(30)]


def _base(rows: slice = slice(None), **change: list[str]) -> Table:
    columns = {"station": STATIONS[rows], "level": LEVELS[rows], "day": DAYS[rows]}
    return make_table({**columns, **change})


def _sketch(table: Table, name: str, dataset: str = "ns/rivers") -> TableSketch:
    return sketch_table(table, f"{dataset}/{name}", dataset)


def _kinds(*sketches: TableSketch) -> dict[str, tuple[str, str, int]]:
    return {
        d.document.rsplit("/", 1)[1]: (d.kind, d.of.rsplit("/", 1)[1], d.changed)
        for d in find_duplicates(sketches)
    }


def test_same_table_in_other_types_and_formats(tmp_path: Path) -> None:
    as_text = make_table(
        {"station": STATIONS, "level": LEVELS, "day": DAYS},
        types=dict.fromkeys(("station", "level", "day"), "text"),
    )
    found = _kinds(_sketch(_base(), "a.json"), _sketch(_base(), "a.csv"), _sketch(as_text, "a.parquet"))
    assert found == {"a.json": ("same", "a.csv", 0), "a.parquet": ("same", "a.csv", 0)}


def test_other_order_of_rows_and_columns_is_told() -> None:
    turned = make_table({"day": DAYS[::-1], "station": STATIONS[::-1], "level": LEVELS[::-1]})
    assert _kinds(_sketch(_base(), "a.csv"), _sketch(turned, "b.csv")) == {
        "b.csv": ("same_other_order", "a.csv", 0)
    }


def test_revision_counts_the_cells_that_changed() -> None:
    levels = ["99.9", *LEVELS[1:-1], "98.1"]
    assert _kinds(_sketch(_base(), "a.csv"), _sketch(_base(level=levels), "a_v2.csv")) == {
        "a_v2.csv": ("revision", "a.csv", 2)
    }


def test_parts_point_to_the_whole() -> None:
    found = _kinds(
        _sketch(_base(), "a.csv"),
        _sketch(_base(slice(0, 12)), "a_part1.csv"),
        _sketch(_base(slice(12, 30)), "a_part2.csv"),
    )
    assert found == {"a_part1.csv": ("part", "a.csv", 0), "a_part2.csv": ("part", "a.csv", 0)}


def test_tables_of_other_values_are_left_alone() -> None:
    other = make_table(
        {
            "station": [f"T{i}" for i in range(30)],
            "level": [f"{9 + i * 1.1:.1f}" for i in range(30)],
            "day": DAYS,
        }
    )
    assert not _kinds(_sketch(_base(), "a.csv"), _sketch(other, "b.csv"))


def test_revisions_are_not_sought_across_unrelated_datasets() -> None:
    changed = _base(level=["7.7", *LEVELS[1:]])
    assert not _kinds(_sketch(_base(), "gauges.csv"), _sketch(changed, "bridges.csv", "ns/bridges"))


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("d/base.csv", "d/base.json"),
        ("d/base.csv", "d/base.csv.gz"),
        ("d/base.json", "d/base copy (2).csv"),
        ("d/files/x.csv", "d/archive/x.csv"),
        ("d/a.parquet", "d/a.xlsx"),
        ("d/a.csv", "d/deeper/a.csv"),
        ("d/x.json", "d/all.zip!x.csv"),
    ],
)
def test_preference_among_copies(better: str, worse: str) -> None:
    assert preference(better) < preference(worse)


def test_sketches_survive_bytes_and_still_match() -> None:
    sketch = _sketch(_base(), "a.csv")
    again = TableSketch.from_bytes(sketch.to_bytes())
    assert again.document == sketch.document and again.rows == 30
    assert (again.columns[0].hashes == sketch.columns[0].hashes).all()
    again.document = "ns/rivers/b.csv"
    assert [d.kind for d in find_duplicates([sketch, again])] == ["same"]


def test_near_duplicate_texts() -> None:
    text = " ".join(
        f"On day {i} the gauge at mile {i * 7} stood at {i % 13} feet and the ferry did not run."
        for i in range(60)
    )
    other = " ".join(
        f"In case {i} the court of district {i * 3} found for the owner of lot {i % 17} and closed the file."
        for i in range(60)
    )
    texts = [
        sketch_text(f"d/{n}.txt", "d", "", t)
        for n, t in (("a", text), ("b", text.replace("day 30", "day thirty")), ("c", other))
    ]
    assert [(d.document, d.of, d.kind) for d in find_duplicates([], texts)] == [
        ("d/b.txt", "d/a.txt", "near")
    ]


def test_large_and_small_sketch_agree(tmp_path: Path) -> None:
    table = _base()
    large = sketch_table(make_parquet_table(table, tmp_path), "d/b.parquet", "d")
    small = sketch_table(table, "d/a.csv", "d")
    assert [d.kind for d in find_duplicates([small, large])] == ["same"]


@pytest.mark.handed
def test_handed_copies_revision_and_parts() -> None:
    from headwater.readers import read

    folder = SHARED / "data" / "messy" / "dup"
    if not folder.is_dir():
        pytest.skip("the handed data are not here")
    sketches = []
    for path in sorted(folder.iterdir()):
        result = read(path, path.name)
        found = [*result.tables, *(t for m in result.members if m.result for t in m.result.tables)]
        sketches += [sketch_table(t, path.name, ".", format=result.format) for t in found]
    kinds: dict[str, Duplicate] = {d.document: d for d in find_duplicates(sketches)}
    same = {d for d, found in kinds.items() if found.kind == "same" and found.of == "base.csv"}
    assert same == {
        "base.tsv",
        "base.json",
        "base.jsonl",
        "base.parquet",
        "base.xlsx",
        "base.html",
        "base.csv.gz",
        "base copy (2).csv",
    }
    assert {d for d, f in kinds.items() if f.kind == "same_other_order"} == {
        "base_rows_shuffled.csv",
        "base_columns_moved.csv",
    }
    assert (kinds["base_v2_revised.csv"].kind, kinds["base_v2_revised.csv"].changed) == ("revision", 1)
    assert {d for d, f in kinds.items() if f.kind == "part"} == {"base_part1.csv", "base_part2.csv"}


def test_a_part_is_found_among_very_many_tables_of_the_same_columns() -> None:
    def station_table(n: int, rows: int = 12) -> Table:
        held = {"station": [f"T{n}-{i}" for i in range(rows)], "level": [f"{n}.{i}5" for i in range(rows)]}
        return make_table(held | {"state": ["open"] * rows})

    many = [_sketch(station_table(n), f"t{n:03d}.csv", f"ns/d{n}") for n in range(ALL_PAIRS + 20)]
    part = _sketch(station_table(7, 6), "some.csv", "ns/d7")
    changed = make_table(
        {
            "station": [f"T9-{i}" for i in range(12)],
            "level": [f"9.{i}5" for i in range(11)] + ["0.5"],
            "state": ["open"] * 12,
        }
    )
    assert _kinds(*many, part, _sketch(changed, "t009_v2.csv", "ns/d9")) == {
        "some.csv": ("part", "t007.csv", 0),
        "t009_v2.csv": ("revision", "t009.csv", 1),
    }
