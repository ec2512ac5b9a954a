"""Questions that must be refused, and words that must not be taken for tables."""

from __future__ import annotations

import pytest
from tests.graph._schemas import bookshop, clinic, layered

from headwater.graph import SchemaGraph, ask

BOOKSHOP, LAYERED, CLINIC = bookshop(), layered(), clinic()

REFUSED = [
    (BOOKSHOP, "Which tables are derived from Buyerr?", "Did you mean"),
    (BOOKSHOP, "Are DimBook and DimWidget connected?", "DimWidget"),
    (BOOKSHOP, "Is AuditTrail an orphan?", "2 tables"),
    (BOOKSHOP, "Which tables do not depend on DimBook?", "negated"),
    (BOOKSHOP, "Which tables are not derived from Orders?", "negated"),
    (BOOKSHOP, "Are DimBook and DimDay not in different silos?", "negated"),
    (BOOKSHOP, "If DimBook changes, which tables are not affected?", "negated"),
    (BOOKSHOP, "What columns does DimBook have?", "columns"),
    (BOOKSHOP, "Which columns of DimBook come from Book?", "columns"),
    (BOOKSHOP, "How many rows are in DimBook?", "rows"),
    (BOOKSHOP, "When was DimBook last loaded?", "times"),
    (BOOKSHOP, "Who owns DimBook?", "people"),
    (BOOKSHOP, "Why is DimBook connected to DimDay?", "reasons"),
    (BOOKSHOP, "Which table has the most foreign keys?", "rankings"),
    (BOOKSHOP, "What is the longest path from DimBook to DimDay?", "limit"),
    (BOOKSHOP, "Show the path from DimBook to DimDay avoiding FactSales", "exception"),
    (BOOKSHOP, "Which tables are within two hops of DimBook?", "steps"),
    (BOOKSHOP, "Which tables feed DimBook and Widget?", "Widget"),
    (BOOKSHOP, "Which tables feed DimBook except Author?", "exception"),
    (BOOKSHOP, "Which tables reference DimBook but not DimDay?", "negated"),
    (BOOKSHOP, "DimBook", "not clear"),
    (BOOKSHOP, "Tell me about DimBook", "not clear"),
    (BOOKSHOP, "hello", "No table"),
    (BOOKSHOP, "Is there a foreign key?", "No table"),
    (BOOKSHOP, "How do I join DimBook?", "DimBook"),
    (BOOKSHOP, "List all tables in the marketing silo.", "No group"),
    (LAYERED, "How many raw-layer tables are in the marketing domain?", "No group"),
    (LAYERED, "List all raw tables in the marketing domain", "No group"),
    (BOOKSHOP, "Write a SQL query joining DimBook and DimDay", "SQL"),
    (BOOKSHOP, "Average sales per buyer in FactSales?", "values"),
    (BOOKSHOP, "Which tables are in the second largest component?", "largest"),
    (BOOKSHOP, "If Orders or Buyer changes, what is affected?", "one table at a time"),
    (BOOKSHOP, "How many joins from DimBook to Ticket?", "different silos"),
    (BOOKSHOP, "Is it DimBook that feeds BookRanking or DimDay?", ""),
    (BOOKSHOP, "", "characters"),
    (CLINIC, "Which staging tables feed drug_span?", "staging"),
    (BOOKSHOP, "Is there a path from DimBook to DimDay of length 2?", "steps"),
    (BOOKSHOP, "Can I get from DimBook to DimDay in two joins?", "steps"),
    (BOOKSHOP, "Which tables are fed only by Orders?", "exclusive"),
    (BOOKSHOP, "Which tables have Orders as their only source?", "exclusive"),
    (BOOKSHOP, "Is DimBook the same as Book?", "not clear"),
    (BOOKSHOP, "Are DimBook and DimDay different tables?", "not clear"),
    (BOOKSHOP, "Are DimBook and DimDay in the same database?", "not clear"),
    (BOOKSHOP, "Do DimBook and DimDay have the same columns?", "columns"),
    (BOOKSHOP, "Is DimBook closer to DimDay or to Ticket?", "two tables"),
    (BOOKSHOP, "Does DimBook reference FactSales or does FactSales reference DimBook?", "both orders"),
    (BOOKSHOP, "Which tables are derived from Orders and reference DimDay?", ""),
    (BOOKSHOP, "Which tables are downstream of Orders and upstream of BoardReport?", ""),
    (BOOKSHOP, "What are the sources and targets of FactSales?", "not clear"),
    (BOOKSHOP, "What is the final table derived from Orders?", "ends of a chain"),
    (BOOKSHOP, "Should I join DimBook to DimDay?", "advice"),
    (BOOKSHOP, "Which tables are connected to DimBook and DimDay?", "two tables"),
    (BOOKSHOP, "If I delete a buyer, which tables lose rows?", ""),
    (BOOKSHOP, "Which views read from DimBook?", "views"),
    (BOOKSHOP, "Rename DimBook to DimTitle", "DimTitle"),
    (LAYERED, "List all tables outside the depot silo.", "negated"),
    (LAYERED, "Which silo does dim_agent not belong to?", "negated"),
    (LAYERED, "How many tables are in depot and support?", "one at a time"),
    (CLINIC, "What is the domain of visit?", ""),
    (LAYERED, "Which mart tables feed raw_agents?", "is that what is meant"),
    (LAYERED, "Which staging tables are not used by any core table?", "negated"),
    (LAYERED, "Does raw_tickets row_5 flow into mart_agent_load?", "No row lineage"),
    (LAYERED, "Which tables feed mart_agent?", "Did you mean"),
    (CLINIC, "Which person created the drug_use table?", ""),
    (CLINIC, "How many persons are there?", ""),
    (CLINIC, "What does the cost of a trip depend on?", ""),
    (CLINIC, "Which items are in the store?", ""),
    (CLINIC, "What does provider satisfaction depend on?", "ordinary word"),
]
ORDINARY_WORDS = [
    ("Note that I only need names: which tables are derived directly from visit?", "visit"),
    ("For some reason I need the tables derived directly from note.", "note"),
    ("In person I prefer short answers. Which tables are directly derived from visit?", "visit"),
    ('Which tables are directly derived from the table "note"?', "note"),
    ("Which tables store data derived directly from drug_use?", "drug_use"),
    ("At any cost, tell me what is derived directly from visit.", "visit"),
]


@pytest.mark.parametrize(("graph", "question", "why"), REFUSED)
def test_refuses_and_says_why(graph: SchemaGraph, question: str, why: str) -> None:
    answer = ask(graph, question)
    assert answer.status == "abstained", (answer.semantics, answer.answer)
    assert answer.answer is None
    assert why in answer.missing
    assert answer.missing


@pytest.mark.parametrize(("question", "table"), ORDINARY_WORDS)
def test_ordinary_words_are_not_tables(question: str, table: str) -> None:
    answer = ask(CLINIC, question)
    assert (answer.semantics, answer.args) == ("lineage.direct_targets", {"table": table}), answer.missing


def test_a_word_beside_key_relationship_is_a_table_only_where_it_is_named() -> None:
    answer = ask(CLINIC, "Does relationship have a direct foreign key relationship to domain?")
    assert (answer.answer, answer.args) == (True, {"child": "relationship", "parent": "domain"})


def test_longest_name_wins() -> None:
    graph = bookshop()
    answer = ask(graph, "Which tables reference Book?")
    assert answer.args["table"] == "App.stock.Book"
    assert ask(graph, "Does BookAuthor reference Book?").args == {
        "child": "App.stock.BookAuthor",
        "parent": "App.stock.Book",
    }


def test_words_around_an_ambiguous_name_decide() -> None:
    assert ask(BOOKSHOP, "Is the DW AuditTrail an orphan?").args["table"] == "DW.dbo.AuditTrail"
    assert ask(BOOKSHOP, "Is App.dbo.AuditTrail an orphan?").args["table"] == "App.dbo.AuditTrail"


def test_names_in_plain_words() -> None:
    assert ask(LAYERED, "What feeds the agent load mart directly?").args["table"] == "mart_agent_load"
    assert ask(BOOKSHOP, "Does sales fact reference the book dimension?").answer is True


def test_readings_that_agree_are_answered() -> None:
    # one step and all steps are the same here, so "upstream" leaves no doubt
    assert ask(LAYERED, "What is upstream of stg_agents_checked?").answer == ["raw_agents"]
    assert "Either" in ask(LAYERED, "What is upstream of mart_agent_load?").missing


def test_only_keys_or_only_lineage() -> None:
    both = ask(
        BOOKSHOP, "Are App.geo.City and DimDay connected through any chain of foreign keys or lineage?"
    )
    keys = ask(BOOKSHOP, "Are App.geo.City and DimDay connected through any chain of foreign keys?")
    assert (both.answer, keys.answer) == (True, False)
    assert "once lineage counts" in keys.reading


def test_scopes_restrict_lists() -> None:
    assert ask(BOOKSHOP, "Which DW tables are derived directly from App.geo.City?").answer == [
        "DW.mart.DimBuyer",
        "DW.mart.DimPlace",
    ]
    answer = ask(LAYERED, "Which raw tables feed mart_agent_load?")
    assert (answer.semantics, answer.answer) == ("lineage.ancestors@layer", ["raw_agents", "raw_tickets"])
    assert ask(LAYERED, "How many raw tables are in the depot domain?").answer == 2
    assert ask(LAYERED, "List the core layer of support.").answer == ["dim_agent", "dim_queue", "fact_call"]
    assert ask(LAYERED, "Which silo does fact_move belong to?").answer == "depot"


def test_answer_carries_its_proof() -> None:
    answer = ask(BOOKSHOP, "How do I join OrderLine to Nation?")
    assert (answer.answer[0], answer.answer[-1]) == ("App.sales.OrderLine", "App.geo.Nation")
    steps = [{edge["source"], edge["target"]} for edge in answer.proof]
    assert steps == [set(pair) for pair in zip(answer.answer, answer.answer[1:], strict=False)]
    assert set(answer.to_dict()) >= {
        "status",
        "answer",
        "answer_type",
        "semantics",
        "reading",
        "proof",
        "missing",
    }


def test_several_tables() -> None:
    answer = ask(BOOKSHOP, "How do I join FactSales, FactReturns and DimPublisher?")
    assert answer.semantics == "join_tree.tables"
    assert set(answer.answer) == {
        "DW.mart.FactSales",
        "DW.mart.FactReturns",
        "DW.mart.DimPublisher",
        "DW.mart.DimBook",
    }


def test_markup_and_hostile_text_do_no_harm() -> None:
    for text in (
        "\x00" * 50,
        "T1 T2 L1 G1 R1 S1",
        "<script>alert(1)</script>",
        "row_1",
        "a" * 5_000,
        "((((" * 200,
        "?" * 300,
    ):
        assert ask(BOOKSHOP, text).status == "abstained"
