from __future__ import annotations

from tests.tables import make_table

from headwater.relations import Series, TableSketch, find_duplicates, find_series, sketch_table


def _table(
    path: str,
    seed: int,
    columns: tuple[str, ...] = ("district", "pupils", "teachers"),
    dataset: str = "ns/schools",
) -> TableSketch:
    values = {
        c: [f"{c[0].upper()}{seed}-{i}" if k == 0 else str(seed * 100 + i * (k + 3)) for i in range(12)]
        for k, c in enumerate(columns)
    }
    return sketch_table(make_table(values), f"{dataset}/{path}", dataset)


def _one(*tables: TableSketch) -> Series:
    (series,) = find_series(tables)
    return series


def test_by_year_with_labels_in_order() -> None:
    series = _one(*(_table(f"files/schools-{y}.csv", i) for i, y in enumerate((2020, 2018, 2019))))
    assert series.kind == "year"
    assert [m.label for m in series.members] == ["2018", "2019", "2020"]
    assert series.columns == ["district", "pupils", "teachers"]


def test_id_stays_when_a_member_comes_or_goes() -> None:
    tables = [_table(f"files/schools-{y}.csv", i) for i, y in enumerate((2018, 2019, 2020, 2021))]
    assert _one(*tables).id == _one(*tables[:2]).id == _one(*tables[2:]).id


def test_by_state_in_words() -> None:
    series = _one(
        _table("files/schools_ohio.csv", 1),
        _table("files/schools_new_york.csv", 2),
        _table("files/schools_utah.csv", 3),
    )
    assert (series.kind, [m.label for m in series.members]) == ("state", ["New York", "Ohio", "Utah"])


def test_by_country_code() -> None:
    series = _one(*(_table(f"files/{code}.csv", i) for i, code in enumerate(("br", "se", "nz", "us"))))
    assert (series.kind, len(series.members)) == ("country", 4)


def test_across_datasets_named_by_year() -> None:
    tables = [_table("files/data.csv", i, dataset=f"ns/schools-{y}") for i, y in enumerate((2018, 2019))]
    assert [m.dataset for m in _one(*tables).members] == ["ns/schools-2018", "ns/schools-2019"]


def test_renamed_columns_are_aligned_where_that_is_safe() -> None:
    series = _one(
        _table("files/s-2018.csv", 1, ("district", "pupils", "teacher_count", "budget_2018")),
        _table("files/s-2019.csv", 2, ("District", "pupils", "teacher count", "budget_2019")),
        _table("files/s-2020.csv", 3, ("district", "pupils", "teacher_counts", "budget_2020")),
    )
    last = {m.label: m.columns for m in series.members}
    assert last["2019"]["district"] == "District"
    assert set(last["2018"].values()) == {"district", "pupils", "teacher_count", "budget_2018"}
    assert set(last["2020"].values()) == {"district", "pupils", "teacher_counts", "budget_2020"}
    budget = next(k for k, v in last["2018"].items() if v == "budget_2018")
    assert last["2019"][budget] == "budget_2019"


def test_several_runs_of_one_dataset_stay_apart() -> None:
    found = find_series(
        [
            _table(f"files/{what}_{y}.csv", i * 10 + y)
            for i, what in enumerate(("births", "deaths"))
            for y in (2018, 2019)
        ]
    )
    assert sorted([m.document.rsplit("/", 1)[1] for m in s.members] for s in found) == [
        ["births_2018.csv", "births_2019.csv"],
        ["deaths_2018.csv", "deaths_2019.csv"],
    ]
    assert len({s.id for s in found}) == 2


def test_year_in_the_columns_labels_members_whose_names_lack_it() -> None:
    tables = [
        _table(f"files/lean_{n}.csv", i, ("state_name", str(y)))
        for i, (n, y) in enumerate((("a", 2018), ("b", 2020), ("c", 2021)))
    ]
    series = _one(*tables)
    assert (series.kind, [m.label for m in series.members]) == ("year", ["2018", "2020", "2021"])
    assert [list(m.columns.values()) for m in series.members] == [
        ["state_name", "2018"],
        ["state_name", "2020"],
        ["state_name", "2021"],
    ]


def test_tables_of_other_columns_or_grain_are_no_series() -> None:
    assert not find_series([_table("files/a.csv", 1), _table("files/b.csv", 2, ("river", "level", "day"))])
    assert not find_series([_table("files/annual.csv", 1), _table("files/monthly.csv", 2)])


def test_copies_and_the_whole_of_its_parts_are_left_out() -> None:
    values = {
        "k": [f"K{i}" for i in range(40)],
        "v": [str(i * 7) for i in range(40)],
        "w": [str(i * i) for i in range(40)],
    }

    def part(rows: slice, name: str) -> TableSketch:
        return sketch_table(make_table({c: v[rows] for c, v in values.items()}), f"ns/d/{name}", "ns/d")

    tables = [
        part(slice(None), "all.csv"),
        part(slice(0, 20), "x_part1.csv"),
        part(slice(20, 40), "x_part2.csv"),
        part(slice(None), "all.json"),
    ]
    (series,) = find_series(tables, find_duplicates(tables))
    assert (series.kind, [m.document for m in series.members]) == (
        "part",
        ["ns/d/x_part1.csv", "ns/d/x_part2.csv"],
    )
