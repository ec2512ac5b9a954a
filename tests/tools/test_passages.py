"""The sentences that fit, how often words occur, and what `read` with find tells."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from headwater.errors import NotFoundError
from headwater.ingest import IngestOptions, ingest_lake
from headwater.lake import Lake
from headwater.tools import Session, best_passages

LAND = """Land

The land has a democratic constitution of 1790.
Its democracy is old. The forest covers 74.2% of the land (2023 est.) and grows.

basedam

Property damage in millions of 2014 dollars
"""


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lake]:
    root = tmp_path_factory.mktemp("passages") / "lake"
    for name in ("North", "South"):
        (root / f"text/{name}").mkdir(parents=True)
    (root / "text/North/content.txt").write_text(LAND, "utf-8")
    (root / "text/South/content.txt").write_text(
        "South\n\nThe south has no trees, only 3 forests.\n", "utf-8"
    )
    (root / "notes/files").mkdir(parents=True)
    for i in range(70):
        told = "The word mentioned here is opioid." if i % 10 == 0 else "Nothing."
        (root / f"notes/files/note{i:02}.txt").write_text(f"Note {i}\n\n{told}\n", "utf-8")
    table = "| code | what |\n| --- | --- |\n" + "".join(f"| c{i} | thing {i} |\n" for i in range(5))
    (root / "notes/README.md").write_text(f"# Notes\n\nThe prose says who wrote them.\n\n{table}", "utf-8")
    (root / "notes/files/table.csv").write_text("a,b\n1,2\n3,4\n", "utf-8")
    ingest_lake(root, options=IngestOptions(workers=1))
    with Lake.find(root) as opened:
        yield opened


def told(lake: Lake, document: str, find: str | list[str], *also: str) -> str:
    seen = Session(lake).call("read", {"document": document, "find": find, "also": list(also)})
    return seen.text


def test_the_word_itself_comes_before_another_form() -> None:
    assert best_passages(LAND, "democracy")[0].text == "Its democracy is old."


def test_a_term_comes_with_what_it_means() -> None:
    assert best_passages(LAND, "basedam")[0].text == "basedam Property damage in millions of 2014 dollars"


def test_beside_a_sentence_with_all_words_lesser_ones_are_not_told() -> None:
    found = best_passages(LAND, "forest land share covers", 4)
    assert [p.words for p in found] == [3]
    assert found[0].text.endswith("(2023 est.) and grows.")


def test_the_same_fact_in_two_sections_is_told_once() -> None:
    text = "Geography / Land use / forest: 74%\nEnvironment / Land use / forest: 74%\nEnvironment / Land use / field: 7%\n"
    assert len(best_passages(text, "land use forest", 4)) == 1


def test_a_word_is_counted_and_several_are_quoted(lake: Lake) -> None:
    assert told(lake, "North/content.txt", "democracy") == "North/content.txt: 1 time «Its democracy is old.»"
    several = told(lake, "North/content.txt", "old democracy unicorn")
    assert several == "North/content.txt: «Its democracy is old.» (nowhere there: unicorn)"


def test_no_match_is_said(lake: Lake) -> None:
    assert told(lake, "North/content.txt", "unicorn") == "0 times: North/content.txt"
    assert told(lake, "North/content.txt", "unicorn dragon") == "no match: North/content.txt"


def test_another_form_of_the_word_is_said_to_be_one(lake: Lake) -> None:
    text = told(lake, "North/content.txt", "constitutional")
    assert text.startswith(
        "North/content.txt: 0 times; another form: «The land has a democratic constitution"
    )


def test_sentences_with_few_of_the_words_are_said_to_be_such(lake: Lake) -> None:
    text = told(lake, "South/content.txt", "unicorn dragon griffin phoenix trees")
    assert text.startswith("no sentence holds more than 1 of the 5 words\nSouth/content.txt: «")


def test_language_comes_before_trees_of_files() -> None:
    text = "├── report_fiscal_year_total.csv\n\nThe report tells the total of a fiscal year.\n"
    assert best_passages(text, "fiscal year total report count", 1)[0].text.startswith("The report tells")


def test_the_few_that_a_pattern_leaves_out_are_told(lake: Lake) -> None:
    text = told(lake, "notes/files/note[0-5]*.txt", "opioid")
    assert text.endswith(
        "texts there that do not fit the pattern: "
        + ", ".join(f"note{n}.txt" for n in range(60, 66))
        + " … 10 in all"
    )
    for chosen in ("notes/files/note0*.txt", "notes/files/*.txt"):
        assert "do not fit" not in told(lake, chosen, "opioid")


def test_several_finds_in_several_documents(lake: Lake) -> None:
    text = told(lake, "North/content.txt", ["forest covers", "trees"], "South/content.txt")
    first, second = text.split("== trees\n")
    assert first.startswith("== forest covers\nNorth/content.txt: «The forest covers")
    assert "less fitting: South/content.txt" in first
    assert (
        second.startswith("South/content.txt: 1 time «The south has no trees")
        and "0 times: North/content.txt" in second
    )


def test_names_that_fit_nothing_do_not_stop_the_others(lake: Lake) -> None:
    text = told(lake, "Nort/content.txt", "trees", "South/content.txt", "Nowhere.txt", "table.csv")
    assert text.startswith("South/content.txt: 1 time «The south has no trees")
    assert "Nort/content.txt: not found; nearest: text/North/content.txt" in text
    assert "Nowhere.txt: not found" in text and "table.csv: no running text" in text
    alone = Session(lake).call("read", {"document": "Nort/content.txt", "find": "trees"})
    assert isinstance(alone.error, NotFoundError)


def test_words_that_only_ask_are_not_missed(lake: Lake) -> None:
    assert "nowhere" not in told(lake, "South/content.txt", "how many trees in the year")


def test_a_pattern_for_many_documents_tells_all_of_them(lake: Lake) -> None:
    session = Session(lake)
    seen = session.call("read", {"document": "notes/files/*.txt", "find": "opioid"})
    assert "note60.txt 1" in seen.text and "63 more documents hold none of it" in seen.text
    assert len(seen.touched.opened) == 7
    assert len(seen.result.to_dict()["documents"]) == 7


def test_a_table_has_no_text_to_look_into(lake: Lake) -> None:
    seen = Session(lake).call("read", {"document": "table.csv", "find": "x1"})
    assert isinstance(seen.error, NotFoundError) and "ilike" in seen.text


def test_a_text_with_a_table_is_read_as_text(lake: Lake) -> None:
    seen = Session(lake).call("read", {"document": "notes/README.md"})
    assert (
        "The prose says who wrote them." in seen.text and "tables: t('notes/README.md') 5 rows" in seen.text
    )
    rows = Session(lake).call("read", {"document": "README.md", "raw": True})
    assert "c0 | thing 0" in rows.text
