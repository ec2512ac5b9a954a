"""One-object files from ingest to answers: a row each, one table together."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest

from headwater.errors import HeadwaterError
from headwater.ingest import _sheets, ingest_lake
from headwater.lake import Lake

NAMES = ("albania", "brazil", "chad", "denmark", "egypt")


def country(number: int, **more: Any) -> dict[str, Any]:
    land = {"forest": {"text": f"{10 * number}.5%"}, "other": {"text": f"{100 - 10 * number}.5%"}}
    return {
        "Names": {"short form": {"text": NAMES[number].title()}, "code": 100 + number},
        "Environment": {"Land use": land, **({"Islands": "many"} if number == 3 else {})},
        **more,
    }


def write(root: Path, number: int, **more: Any) -> None:
    folder = root / "atlas" / "countries" / "files" / ("west" if number % 2 else "east")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{NAMES[number]}.json").write_text(json.dumps(country(number, **more)), encoding="utf-8")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for number in range(5):
        write(tmp_path, number)
    (tmp_path / "atlas" / "countries" / "metadata.json").write_text(
        json.dumps({"title": "Atlas", "description": "Countries", "publisher": "P"}), encoding="utf-8"
    )
    (tmp_path / "atlas" / "countries" / "files" / "settings.yaml").write_text(
        "depth: 3\nname: plain\n", encoding="utf-8"
    )
    ingest_lake(tmp_path)
    return tmp_path


def series_of(lake: Lake, name: str) -> str:
    found = lake.related(name).series
    assert found is not None
    return str(found["id"])


def rows(lake: Lake, sql: str) -> list[Any]:
    return lake.sql(sql).rows


def test_a_document_is_a_row_and_the_documents_are_a_table(root: Path) -> None:
    with Lake.find(root) as lake:
        assert rows(lake, """select _row, "Names.short form", "Names.code" + 1 from t('chad.json')""") == [
            [1, "Chad", 103]
        ]
        series = series_of(lake, "chad")
        found = lake.sql(
            f"""select _file, _document, "Environment.Land use.forest" from t('series:{series}') order by 3 desc limit 2"""
        )
        assert found.rows == [
            ["east/egypt", "atlas/countries/files/east/egypt.json", 40.5],
            ["west/denmark", "atlas/countries/files/west/denmark.json", 30.5],
        ]
        assert rows(lake, f"select count(*), count(\"Environment.Islands\") from t('series:{series}')") == [
            [5, 1]
        ]
        with pytest.raises(HeadwaterError):
            lake.sql("""select "Environment.Islands" from t('chad.json')""")


def test_what_is_seen_of_a_record(root: Path) -> None:
    with Lake.find(root) as lake:
        view = lake.inspect("denmark").tables[0]
        assert [(c["name"], c["examples"]) for c in view.columns][-1] == ("Environment.Islands", ["many"])
        assert view.rows == 1
        assert lake.read("denmark").text.startswith("Names / short form / text: Denmark")
        dumped = {d["document"]: d for d in lake.dump(raw=True)}
        table = dumped["atlas/countries/files/east/chad.json"]["tables"][0]
        assert dict(zip((c["name"] for c in table["columns"]), table["rows"][0], strict=True)) == {
            "Names.short form": "Chad",
            "Names.code": 102,
            "Environment.Land use.forest": 20.5,
            "Environment.Land use.other": 80.5,
        }
        assert table["raw_rows"] == [["Chad", "102", "20.5%", "80.5%"]]
        assert dumped["atlas/countries/metadata.json"]["tables"] == []
        found = lake.search("land use forest share of countries", 5, mode="lexical")
        assert found.datasets[0].dataset == "atlas/countries"


def test_a_series_of_records_is_inspected_as_one_table(root: Path) -> None:
    with Lake.find(root) as lake:
        seen = lake.inspect(f"series:{series_of(lake, 'chad')}")
        (table,) = seen.tables
        assert (seen.document.dataset, table.rows) == ("atlas/countries", 5)
        figures = {c["name"]: (c["type"], c["unit"], c["missing"]) for c in table.columns}
        assert list(figures)[:3] == ["_file", "_document", "Names.short form"]
        assert figures["Environment.Land use.forest"] == ("number", "percent", 0)
        assert figures["Environment.Islands"] == ("text", None, 4)


def test_a_record_by_itself_is_a_row_and_no_series(root: Path) -> None:
    with Lake.find(root) as lake:
        assert rows(lake, "select depth, name from t('settings.yaml')") == [[3, "plain"]]
        assert lake.related("settings.yaml").series is None


def test_changes_reach_the_sheet_and_nothing_else_is_built_again(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[str] = []
    build_all = _sheets._build_all
    monkeypatch.setattr(
        _sheets, "_build_all", lambda tasks: built.extend(t.id for t in tasks) or build_all(tasks)
    )
    with Lake.find(root) as lake:
        series = series_of(lake, "chad")
    write(root, 2, Economy={"GDP": 5})
    (root / "atlas" / "countries" / "files" / "west" / "brazil.json").unlink()
    ingest_lake(root)
    assert built == [series]
    with Lake.find(root) as lake:
        assert series_of(lake, "chad") == series
        assert rows(lake, f"""select _file from t('series:{series}') where "Economy.GDP" = 5""") == [
            ["east/chad"]
        ]
        assert rows(lake, f"select count(*) from t('series:{series}')") == [[4]]
        assert rows(lake, "select \"Economy.GDP\" from t('chad')") == [[5]]


def test_metadata_that_changes_leaves_the_rows_in_place(root: Path) -> None:
    (root / "atlas" / "countries" / "metadata.json").write_text(
        json.dumps({"title": "New", "description": "Countries", "publisher": "P"}), encoding="utf-8"
    )
    ingest_lake(root)
    with Lake.find(root) as lake:
        assert rows(lake, "select \"Names.code\" from t('egypt')") == [[104]]


def test_a_cache_that_was_emptied_is_filled_again(root: Path) -> None:
    shutil.rmtree(root / ".headwater" / "tables")
    ingest_lake(root)
    with Lake.find(root) as lake:
        assert rows(lake, "select \"Names.code\" from t('egypt')") == [[104]]


def test_records_beside_lists_join_the_series_of_plain_ones_only(tmp_path: Path) -> None:
    pages = [
        {"page": n, "of": 3, "next": f"p{n}", "rows": [{"id": i, "v": i * n} for i in range(9)]}
        for n in range(3)
    ]
    for n, page in enumerate(pages):
        (tmp_path / f"page{n}.json").write_text(json.dumps(page), encoding="utf-8")
    for n in range(3):
        value = {"name": f"A{n}", "born": 1900 + n, "died": 1980, "town": "X"}
        places = [{"place": str(i), "from": i, "to": i} for i in range(9)]
        (tmp_path / f"artist{n}.json").write_text(
            json.dumps(value | ({"places": places} if n == 2 else {})), encoding="utf-8"
        )
    ingest_lake(tmp_path)
    with Lake.find(tmp_path) as lake:
        assert rows(lake, "select count(*), sum(v) from t('page2.json')") == [[9, 72]]
        series = series_of(lake, "artist0.json")
        assert rows(lake, f"select name, born from t('series:{series}') order by 1") == [
            ["A0", 1900],
            ["A1", 1901],
            ["A2", 1902],
        ]
        assert rows(lake, "select count(*) from t('artist2.json')") == [[9]]


def test_lists_in_a_record_are_tables_of_their_own(tmp_path: Path) -> None:
    stays = [{"place": name, "year": 1900 + n} for n, name in enumerate("abcd")]
    value = {"name": "Moore", **{f"field {n}": n for n in range(12)}, "stays": stays}
    (tmp_path / "moore.json").write_text(json.dumps(value), encoding="utf-8")
    with zipfile.ZipFile(tmp_path / "more.zip", "w") as archive:
        archive.writestr("turner.json", json.dumps(value | {"name": "Turner"}))
    ingest_lake(tmp_path)
    with Lake.find(tmp_path) as lake:
        assert [t.ref for t in lake.inspect("moore.json").tables] == ["moore.json", "moore.json#stays"]
        assert rows(lake, "select name, \"field 3\" from t('moore.json')") == [["Moore", 3]]
        assert rows(lake, "select count(*), max(year) from t('moore.json#stays')") == [[4, 1903]]
        assert rows(lake, "select name from t('more.zip!turner.json')") == [["Turner"]]
        series = series_of(lake, "moore.json")
        assert rows(lake, f"select _file, name from t('series:{series}') order by 1") == [
            ["moore", "Moore"],
            ["more.zip!turner", "Turner"],
        ]


def test_large_groups_are_cut_into_parts(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_sheets, "MAX_SHEET_BYTES", 600)
    shutil.rmtree(root / ".headwater")
    ingest_lake(root)
    with Lake.find(root) as lake:
        ids = [i for i in lake.catalog.relations.series_ids() if "-part-" in i]
        assert len(ids) > 1
        assert sum(rows(lake, f"select count(*) from t('series:{i}')")[0][0] for i in ids) == 5


def test_a_choice_of_documents_sees_its_own_rows_alone(root: Path) -> None:
    with Lake.find(root) as lake:
        series = series_of(lake, "chad")
        lake.catalog.restrict(
            ["atlas/countries/files/east/chad.json", "atlas/countries/files/east/egypt.json"]
        )
        assert rows(lake, f"select _row, \"Names.code\" from t('series:{series}') order by 1") == [
            [1, 102],
            [2, 104],
        ]
        found = lake.related("chad").series
        assert found is not None
        assert [m["label"] for m in found["members"]] == [{"_file": "east/chad"}, {"_file": "east/egypt"}]
