"""Questions over a lake, the table not given."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

import headwater


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[headwater.Lake]:
    folder = tmp_path_factory.mktemp("lake")
    (folder / "bridges").mkdir()
    (folder / "bridges" / "bridges.csv").write_text(
        "bridge,country,length_m,opened\nArrow Bridge,Norway,410,1990\nBow Bridge,Chile,2750,2020\n"
        "Crane Bridge,Norway,900,2004\n",
        encoding="utf-8",
    )
    (folder / "owls").mkdir()
    (folder / "owls" / "notes.txt").write_text(
        "Owls of the north.\nThe snowy owl breeds on the tundra of Wrangel Island. Most owls hunt at night.\n",
        encoding="utf-8",
    )
    (folder / "profiles").mkdir()
    for code, name, share in (("da", "Denmark", 16), ("fi", "Finland", 74)):
        land = {"Land use": {"forest": {"text": f"{share}% (2023 est.)"}, "other": {"text": "3%"}}}
        notes = {str(i): f"{name} trades with others." for i in range(6)}
        profile = json.dumps({"Geography": land, "Economy": notes})
        (folder / "profiles" / f"{code}.json").write_text(profile, encoding="utf-8")
    headwater.ingest_lake(str(folder))
    with headwater.open(folder) as opened:
        yield opened


def test_finds_the_table_and_answers(lake: headwater.Lake) -> None:
    answer = lake.ask("Which bridge in Norway has the largest length?")
    assert answer.value == "Crane Bridge", answer.text
    assert answer.inputs[0]["document"] == "bridges/bridges.csv"
    assert answer.program is not None
    assert "t('bridges/bridges.csv')" in answer.program.source
    assert answer.replay().holds


def test_a_table_may_be_named(lake: headwater.Lake) -> None:
    assert lake.ask("how many bridges are in norway?", table="bridges.csv").value == 2


def test_says_what_it_found(lake: headwater.Lake) -> None:
    answer = lake.ask("What is the salary of the owl keeper in Chile?")
    assert answer.status == "abstained"
    assert answer.found


def test_quotes_the_one_sentence(lake: headwater.Lake) -> None:
    answer = lake.ask("Where does the snowy owl breed on the tundra?")
    if answer.status == "answered":
        assert answer.verification == "quoted"
        assert "Wrangel Island" in answer.value
        assert answer.replay().holds


def test_quotes_an_entry_of_a_tree(lake: headwater.Lake) -> None:
    answer = lake.ask("What share of the land of Finland is forest?")
    assert answer.value == "74%", answer.text
    assert answer.verification == "quoted"
    assert answer.evidence[0].document == "profiles/fi.json"
    assert answer.replay().holds
    assert lake.ask("What share of the land of Finland is desert?").status == "abstained"
