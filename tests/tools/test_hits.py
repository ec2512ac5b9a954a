"""What a search tells: enough to choose and to write the query, and little else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from headwater.errors import AmbiguousError, NotFoundError
from headwater.ingest import IngestOptions, ingest_lake
from headwater.lake import Lake
from headwater.tools import Session, full_names

LONG = "Bridge inspections by district - Ministry of Transport (2018).csv"


def write(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text, "utf-8")


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lake]:
    root = tmp_path_factory.mktemp("hits") / "lake"
    towns = ["Ashby", "Millford", "Corby", "Dunmore", "Elton", "Farley", "Garth", "Holt"]
    rows = "".join(f"{t},{1000 + i},{i}.5\n" for i, t in enumerate(towns))
    write(root, "towns/files/towns.csv", f"town,founded,toll\n{rows}")
    write(root, "towns/archive/old.csv", "town,founded,toll\n" + "".join(rows.splitlines(keepends=True)[:6]))
    wide = ["town", "opened", "story", *(f"span_{i}" for i in range(12)), "keeper"]
    story = "a long story of how the bridge was planned and paid for and built and broken and built again over many years"
    lines = "".join(
        f"{t},19{50 + i}-0{i + 1}-11,{story} in {t},{','.join(str(i * j) for j in range(12))},Keeper {i}\n"
        for i, t in enumerate(towns)
    )
    write(root, "bridges/files/bridges.csv", ",".join(wide) + "\n" + lines)
    write(
        root,
        f"inspections/files/{LONG}",
        "district,inspections\n" + "".join(f"D{i},{i * 3}\n" for i in range(9)),
    )
    write(root, "harbours/files/goals.csv", "harbour,ships\n" + "".join(f"H{i},{i}\n" for i in range(9)))
    write(root, "football/files/goals.csv", "player,goals\n" + "".join(f"P{i},{i}\n" for i in range(9)))
    people = [{"name": f"Person {i}", "terms": [{"start": f"19{i}0", "party": "red"}]} for i in range(1, 9)]
    write(root, "offices/files/people.json", json.dumps(people))
    for year, sign in ((2019, "R+"), (2020, "")):
        cells = "".join(f"{t},{sign}{i}\n" for i, t in enumerate(towns))
        write(root, f"leaning/files/leaning_{year}.csv", f"town,{year}\n{cells}")
    write(
        root,
        "text/Millford/content.txt",
        "Millford\n\nMillford has a stone bridge built in 1771. Rev. Hall blessed it.\n",
    )
    write(root, "shop/files/sales.csv", "item_id,sold\n" + "".join(f"X-{i},{i * 7}\n" for i in range(40)))
    write(
        root, "shop/files/items.csv", "item_id,item_name\n" + "".join(f"X-{i},Thing {i}\n" for i in range(40))
    )
    write(
        root,
        "mills/README.md",
        "# Watermills of the valley\n\nGrinding wheels, their millers and their output.\n",
    )
    write(root, "mills/files/wheels.csv", "w,o\n" + "".join(f"{i},{i * 2}\n" for i in range(5)))
    write(
        root,
        "reports/weir/metadata.json",
        json.dumps(
            {
                "dataset_id": "weir",
                "title": "Weirs and their keepers, a survey",
                "publisher": "Survey",
                "tags": [],
            }
        ),
    )
    write(root, "reports/weir/files/ab-017.txt", "The survey counts the weirs that leak: 41 of them.\n")
    ingest_lake(root, options=IngestOptions(workers=1))
    with Lake.find(root) as opened:
        yield opened


def search(lake: Lake, query: str, *also: str) -> str:
    return Session(lake).call("search", {"query": query, "also": list(also)}).text


def test_of_a_wide_table_what_the_query_speaks_of_and_dates_come_first(lake: Lake) -> None:
    columns = search(lake, "bridge keeper by town").split("[bridges]\n")[1].split("\n")[0]
    assert columns.index("keeper 'Keeper") < columns.index("numbers: span_0, span_1")
    assert "opened 1950-01-11..1957-08-11" in columns
    assert columns.rstrip().endswith("long text: story")


def test_a_table_that_holds_another_stands_for_it(lake: Lake) -> None:
    text = search(lake, "town founded toll")
    assert "t('towns.csv') 8 rows (holds old.csv too)" in text
    assert "t('old.csv')" not in text


def test_ids_without_names_say_where_these_are(lake: Lake) -> None:
    assert "names: item_id = items.csv.item_id (item_name)" in search(lake, "sales items sold")
    assert "names:" not in search(lake, "town founded toll")


def test_what_describes_a_dataset_names_its_tables(lake: Lake) -> None:
    text = search(lake, "grinding wheels millers output", "bridge keeper by town")
    assert "mills/README.md" in text and ("(on wheels.csv)" in text or "t('wheels.csv')" in text)


def test_a_text_whose_name_says_nothing_comes_with_the_title_of_its_dataset(lake: Lake) -> None:
    text = search(lake, "weirs that leak")
    assert "ab-017.txt «Weirs and their keepers, a survey»: «The survey counts" in text
    assert "Millford/content.txt: «" in search(lake, "Millford stone bridge built")


def test_joins_are_told_among_the_tables_that_are_shown(lake: Lake) -> None:
    text = search(lake, "town founded toll", "bridge keeper")
    assert text.split("\n")[-1].startswith("joins: ") and "towns.csv.town" in text.split("\n")[-1]
    assert "joins:" not in search(lake, "bridge keeper")


def test_lists_say_what_is_in_them_and_can_be_queried_as_the_page_says(lake: Lake) -> None:
    assert "terms list [{start, party}]" in search(lake, "offices of people terms")
    rows = lake.sql(
        "select f.name, u.x->>'start' as s from t('people.json') as f, unnest(from_json(f.terms, '[\"json\"]')) as u(x) "
        "order by 2 limit 1"
    ).rows
    assert rows == [["Person 1", "1910"]]


def test_a_series_of_numbers_and_texts_says_so(lake: Lake) -> None:
    text = search(lake, "leaning of towns")
    assert "column value, text such as 'R+0' in 2019, numbers in the others" in text


def test_a_text_comes_with_its_sentence_and_counts_as_quoted(lake: Lake) -> None:
    session = Session(lake)
    text = session.call("search", {"query": "Millford stone bridge built"}).text
    assert "Millford/content.txt: «Millford has a stone bridge built in 1771.»" in text
    assert session.brief.quoted == ["text/Millford/content.txt"]


def test_a_result_names_texts_about_its_first_row_once(lake: Lake) -> None:
    session = Session(lake)
    statement = "select town, toll from t('towns.csv') where founded = 1001"
    assert session.call("sql", {"statement": statement}).text.endswith("\ntexts: Millford/content.txt")
    again = session.call("sql", {"statement": statement})
    assert "texts:" not in again.text
    many = Session(lake).call("sql", {"statement": "select town from t('towns.csv'), range(5)"})
    assert "texts:" not in many.text


def test_long_headings_lose_their_middle_and_stay_apart(lake: Lake) -> None:
    wide = [
        f"(select max(founded) from t('towns.csv') where founded < {1000 + i} and toll > 0.001)"
        for i in (5, 6)
    ]
    head = Session(lake).call("sql", {"statement": f"select {', '.join(wide)}, 1 as one"}).text.split("\n")[0]
    first, second, one = head.split(" | ")
    assert "…" in first and first != second and one == "one" and len(head) < 110


def test_a_long_name_is_told_by_its_first_words(lake: Lake) -> None:
    text = search(lake, "inspections of districts")
    assert (
        "t('Bridge inspections') 9 rows «… by district - Ministry of Transport (2018)» [inspections]" in text
    )
    assert lake.sql("select count(*) from t('Bridge inspections')").rows == [[9]]
    whole = full_names("select 't(''x'')' from t('Bridge inspections')", lake.catalog)
    assert whole == f"select 't(''x'')' from t('inspections/files/{LONG}')"


@pytest.mark.parametrize(
    ("name", "document"),
    [
        ("harbours/goals.csv", "harbours/files/goals.csv"),
        ("Football/goals", "football/files/goals.csv"),
        ("towns/old.csv", "towns/archive/old.csv"),
        ("bridge inspections by district - ministry of transport (2018)", f"inspections/files/{LONG}"),
    ],
)
def test_a_name_with_some_folders_is_enough(lake: Lake, name: str, document: str) -> None:
    assert lake.names.document(name).id == document
    assert lake.names.table_ref(name) == document


def test_names_that_fit_several_or_none_are_refused(lake: Lake) -> None:
    with pytest.raises(AmbiguousError):
        lake.names.document("goals.csv")
    for name in ("files/harbours/goals.csv", "Bridge", "Bridge inspect"):
        with pytest.raises(NotFoundError):
            lake.names.document(name)


def test_every_told_name_leads_back(lake: Lake) -> None:
    session = Session(lake)
    for record in lake.catalog.documents():
        assert lake.names.document(session.brief.names.of(record.id)).id == record.id
        for table in lake.catalog.tables(record.id):
            assert lake.names.table_ref(session.brief.names.of(table.ref)) == table.ref


def test_a_series_can_be_inspected_read_and_related(lake: Lake) -> None:
    member = lake.catalog.document("leaning/files/leaning_2019.csv")
    assert member is not None and member.series
    name, session = f"series:{member.series}", Session(lake)
    inspected = session.call("inspect", {"document": name})
    assert f"t('{name}')" in inspected.text and "leaning_2019.csv" in inspected.text
    assert f"series t('{name}')" in session.call("related", {"document": name}).text
    rows = session.call("read", {"document": name, "offset": 6, "limit": 4})
    assert rows.text.split("\n")[1].startswith("_row | town | value") and "next: --offset 10" in rows.text
    assert rows.touched.opened == ["leaning/files/leaning_2019.csv", "leaning/files/leaning_2020.csv"]
    missing = session.call("read", {"document": "series:nothing"})
    assert missing.error is not None and "There is no series" in missing.text


def test_a_value_that_matched_stands_with_a_table_that_is_only_named(lake: Lake) -> None:
    text = search(lake, "Keeper 3 bridge spans of Dunmore", "Dunmore founded toll")
    assert "town 'Dunmore'" in text
