"""What an answer rests on: numbers written into a program, gaps in the chain, sources, and what is said about it."""

from __future__ import annotations

import json

import pytest
from tests.agents.conftest import QUESTION

from headwater.agents import replay, submit
from headwater.lake import Lake
from headwater.tools import Session

AGE = "How many centimetres above 100 was the highest level? Return only the number."


def run(session: Session, *statements: str) -> None:
    for statement in statements:
        assert session.call("sql", {"statement": statement}).error is None


@pytest.mark.parametrize(
    "statement",
    [
        "select max(level_cm) * 0 + 1400 + 50 as n from t('levels_2021.csv')",
        "select 1400 + 50 as n from t('levels_2021.csv') limit 1",
        "with v as (select 1400 + 50 as n) select n from v, t('levels_2021.csv') limit 1",
        "select n + 50 as n from (values (1400)) as v(n), t('levels_2021.csv') limit 1",
        "select max(1449) + 1 as n from t('levels_2021.csv')",
    ],
)
def test_a_value_made_of_numbers_that_nothing_says_is_unverified(session: Session, statement: str) -> None:
    run(session, statement)
    told = submit(session, "[1450]", ["levels_2021.csv"], question=AGE)
    assert told.answer.verification == "unverified"
    assert any("computes with" in w and ("1400" in w or "1449" in w) for w in told.warnings)


def test_code_is_held_to_the_same(session: Session) -> None:
    code = "import pandas as pd\npd.read_csv('rivers.csv')\nprint(1400 + 50)"
    session.call("run_code", {"code": code, "files": ["rivers.csv"]})
    told = submit(session, "[1450]", ["rivers.csv"], question=AGE)
    assert told.answer.verification == "unverified" and "1400" in told.warnings[0]
    counted = "import pandas as pd\nprint(len(pd.read_csv('rivers.csv')) * 100 / 2 - 1 * 12)"
    session.call("run_code", {"code": counted, "files": ["rivers.csv"]})
    assert submit(session, "[488]", ["rivers.csv"], question=AGE).answer.verification == "replayed"


def test_numbers_of_the_question_of_results_and_of_units_may_be_computed_with(
    session: Session, lake: Lake
) -> None:
    run(session, "select max(level_cm) - 100 as n from t('levels_2021.csv')")
    told = submit(session, "[555]", ["levels_2021.csv"], question=AGE)
    assert (told.answer.verification, told.warnings) == ("replayed", [])
    run(session, "select max(level_cm) as n from t('levels_2022.csv')", "select 655 - 530 as n")
    told = submit(session, "[125]", ["levels_2021.csv"], question="By how much did the level fall?")
    assert (
        told.answer.verification == "unverified"
    )  # 655 was not looked up: only what stands in a result counts
    run(session, "select max(level_cm) as n from t('levels_2021.csv')")
    told = submit(session, "[125]", ["levels_2021.csv"], question="By how much did the level fall?")
    assert (told.answer.verification, told.warnings) == ("replayed", [])
    assert replay(told.answer.to_dict(), lake).holds
    run(session, "select max(level_cm) / 10.0 * 60 as n from t('levels_2021.csv')")
    assert (
        submit(session, "[3930]", ["levels_2021.csv"], question="How many?").answer.verification == "replayed"
    )


def test_a_factor_can_be_stated(session: Session) -> None:
    run(session, "select round(max(level_cm) / 30.48, 1) as feet from t('levels_2021.csv')")
    bare = submit(session, "[21.5]", ["levels_2021.csv"], question="How many feet?")
    assert "30.48" in bare.warnings[0] and "--assume" in bare.warnings[0]
    told = submit(session, "[21.5]", ["levels_2021.csv"], ["1 foot is 30.48 cm"], question="How many feet?")
    assert (told.answer.verification, told.warnings) == ("replayed", [])
    assert "Assumed: 1 foot is 30.48 cm" in told.plain()


def test_a_text_put_together_in_the_statement_is_no_proof(session: Session) -> None:
    run(session, "select 'Harlow' || ' County' as county from t('rivers.csv') limit 1")
    assert submit(session, "[Harlow County]", ["rivers.csv"]).answer.verification == "unverified"


def test_a_statement_without_a_table_is_not_helped_by_its_neighbours(session: Session) -> None:
    session.call(
        "sql", {"statement": "select count(*) from t('rivers.csv')", "also": ["select 1400 + 50 as n"]}
    )
    assert submit(session, "[1450]", ["rivers.csv"], question=AGE).answer.verification == "unverified"


def test_a_gap_in_the_chain_is_named(session: Session) -> None:
    run(session, "select gauge, level_cm from t('levels_2021.csv') order by level_cm desc limit 1")
    told = submit(session, "[Harlow County]", ["levels_2021.csv", "Millford/content.txt"])
    assert told.answer.verification == "quoted" and not told.warnings
    assert told.doubts == [
        "Nothing looked up connects the results of your queries (G8) with Millford/content.txt: "
        "join or find what names both (a table of codes, a text) and cite it."
    ]
    assert "Check: Nothing looked up connects" in told.plain()
    run(session, "select town from t('rivers.csv') where gauge = 'G8'")
    told = submit(session, "[Harlow County]", ["levels_2021.csv", "rivers.csv", "Millford/content.txt"])
    assert not told.doubts


def test_a_chain_through_texts_alone_has_no_gap(session: Session) -> None:
    session.call("read", {"document": "Millford/content.txt", "find": "seat county"})
    assert not submit(session, "[Harlow County]", ["Millford/content.txt"]).doubts


def test_what_a_search_quoted_need_not_be_read_again_but_must_be_named(session: Session) -> None:
    session.call("search", {"query": "seat of Millford county"})
    assert submit(session, "[Harlow County]", ["Ashby/content.txt"]).answer.verification == "unverified"
    told = submit(session, "[Harlow County]", ["Millford/content.txt"])
    assert (told.answer.verification, told.doubts) == ("quoted", [])
    assert "Harlow County: Millford/content.txt says «It is the seat of Harlow County.»" in told.plain()


def test_sources_may_be_a_series_and_idle_ones_are_named(session: Session, lake: Lake) -> None:
    record = lake.catalog.document("water/gauges/files/levels_2021.csv")
    assert record is not None and record.series
    run(session, f"select max(level_cm) as top from t('series:{record.series}')")
    told = submit(
        session, "[655]", [f"series:{record.series}", "t('rivers.csv')"], question="How high was it?"
    )
    assert {i["document"] for i in told.answer.inputs} >= {
        f"water/gauges/files/levels_{y}.csv" for y in (2020, 2021, 2022)
    }
    assert told.doubts == ["Nothing was looked up in rivers.csv."]
    assert "655: computed from levels_2020.csv, levels_2021.csv, levels_2022.csv" in told.plain()


def test_the_program_names_its_tables_in_full(session: Session, lake: Lake) -> None:
    run(session, "select max(level_cm) as top from t('gauges/levels_2021.csv')")
    told = submit(session, "[655]", ["levels_2021.csv"], question=QUESTION)
    assert told.answer.program is not None
    step = json.loads(told.answer.program.source)[0]
    assert "t('water/gauges/files/levels_2021.csv')" in step["arguments"]["statement"]
    assert replay(told.answer.to_dict(), lake).holds


def test_counts_of_several_words_are_steps_of_their_own(session: Session, lake: Lake) -> None:
    session.call("read", {"document": "text/*/content.txt", "find": ["seat", "bridge"]})
    told = submit(session, "[1]", ["Millford/content.txt"], question="How often is a bridge named?")
    assert told.answer.verification in ("replayed", "quoted")
    assert replay(told.answer.to_dict(), lake).holds


def test_a_computed_value_is_shown_down_to_its_rows(session: Session, lake: Lake) -> None:
    run(
        session,
        "select town, count(*) as n, max(gauge) as last from t('rivers.csv') group by town order by n desc limit 1",
    )
    told = submit(session, "[9]", ["rivers.csv"], question="How many rivers flow through Ashby?")
    rows = told.answer.evidence
    assert [(e.kind, e.document, e.locator["row"]) for e in rows] == [
        ("row", "water/rivers/files/rivers.csv", n) for n in (1, 2, 3)
    ]
    assert rows[0].quote == "G0 | River 0 | Ashby"
    notes = [d["message"] for d in told.answer.diagnostics if d["kind"] == "evidence"]
    assert notes == ["9 is computed from 9 rows of water/rivers/files/rivers.csv; 3 of them are quoted."]
    assert replay(told.answer.to_dict(), lake).holds
    spoilt = told.answer.to_dict()
    spoilt["evidence"][0]["quote"] = "G0 | River 0 | Corby"
    assert not replay(spoilt, lake).holds


def test_a_value_of_a_series_is_shown_in_its_member(session: Session, lake: Lake) -> None:
    record = lake.catalog.document("water/gauges/files/levels_2021.csv")
    assert record is not None
    statement = f"select max(level_cm) as m from t('series:{record.series}') where year in (2021, 2022)"
    run(session, statement)
    told = submit(session, "[655]", [f"series:{record.series}"], question="How high was it?")
    assert [(e.document, e.locator["column"], e.quote) for e in told.answer.evidence] == [
        ("water/gauges/files/levels_2021.csv", "level_cm", "655")
    ]
    assert [i["document"] for i in told.answer.inputs] == [
        "water/gauges/files/levels_2021.csv",
        "water/gauges/files/levels_2022.csv",
    ]


def test_what_code_printed_has_no_cell_and_says_so(session: Session) -> None:
    session.call(
        "run_code",
        {"code": "print(sum(1 for _ in open('rivers.csv')) - 1)", "files": ["rivers.csv"]},
    )
    told = submit(session, "[10]", ["rivers.csv"], question="How many rivers?")
    assert told.answer.verification == "replayed" and not told.answer.evidence
    assert any("output of code" in d["message"] for d in told.answer.diagnostics)


def test_what_was_read_and_not_cited_is_added(session: Session) -> None:
    run(
        session,
        "select max(level_cm) as m from t('levels_2021.csv')",
        "select count(*) as n from t('rivers.csv')",
    )
    told = submit(session, "[655]", ["levels_2021.csv"], question="How high was it?")
    assert "Added to the sources: rivers.csv" in told.plain()


def test_one_of_several_rows_is_a_doubt_unless_the_query_chooses_it(session: Session) -> None:
    question = "How high was G3?"
    run(session, "select gauge, level_cm from t('levels_2021.csv') where level_cm < 130")
    told = submit(session, "[121]", ["levels_2021.csv"], question=question)
    assert told.doubts == [
        "121 is one of 5 rows of your query, and nothing in it chooses this row: filter or order."
    ]
    for chosen in (
        "select gauge, level_cm from t('levels_2021.csv') where level_cm < 130 and gauge >= 'G3' order by gauge",
        "select level_cm from t('levels_2021.csv') where gauge = 'G3'",
    ):
        run(session, chosen)
        assert not submit(session, "[121]", ["levels_2021.csv"], question=question).doubts


def test_a_sentence_that_nothing_showed_is_said_to_be_new(session: Session) -> None:
    told = submit(session, "[Harlow County]", ["Millford/content.txt"])
    assert "Harlow County: Millford/content.txt (not looked into before) says «It is" in told.plain()
