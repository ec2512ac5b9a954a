"""The six baselines over a scripted model: what they show, what they allow, and how they read replies."""

from __future__ import annotations

import json

import pytest
from tests.models.scripted import answer, calls, serve, text

from headwater.bench import RunOptions, continue_run, open_suite, score_run, start_run
from headwater.bench.dwbench._context import neighbourhood_text, substring_anchors
from headwater.bench.dwbench._contract import read_answer
from headwater.bench.dwbench._scoring import named_tables
from headwater.graph import load_graph
from headwater.models import RemoteModel

GOLD = {
    "derived": ["stg_orders"],
    "direct foreign key": True,
    "join path": ["FactOrder", "DimItem", "DimItemGroup"],
    "silos": 1,
}


def by_question(body, then=answer):
    asked = next(m["content"] for m in body["messages"] if m["role"] == "user")
    return then(next(gold for words, gold in GOLD.items() if words in asked.rsplit("Question", 1)[-1]))


def run(shop, tmp_path, agent, script, **parameters):
    suite = open_suite("dw-bench")
    with serve(script) as server:
        model = RemoteModel("openai", "scripted", server.url)
        made = start_run(suite, shop, tmp_path / "run", agent, model, parameters, RunOptions())
        continue_run(suite, made, model, RunOptions(concurrency=2))
    return score_run(suite, made), server.requests, list(made.records())


@pytest.mark.parametrize("agent", ["flat", "vector", "graph-aug"])
def test_context_agents(shop, tmp_path, agent):
    result, requests, records = run(shop, tmp_path, agent, by_question)
    assert result["metrics"]["em_micro"]["value"] == 1.0
    assert len(requests) == 4
    assert all("raw_orders feeds stg_orders" in r["messages"][1]["content"] for r in requests)
    assert records[0]["trace"][0]["role"] == "system"


def test_flat_text_has_every_edge_and_no_columns(shop, tmp_path):
    _, requests, _ = run(shop, tmp_path, "flat", by_question)
    shown = requests[0]["messages"][1]["content"]
    for line in (
        "FactOrder references DimItem",
        "DimItem references DimItemGroup",
        "stg_orders feeds FactOrder",
        "Log",
    ):
        assert line in shown.splitlines()
    assert "grp" not in shown


def test_oracle_is_given_the_gold_in_words(shop, tmp_path):
    def script(body):
        asked = body["messages"][1]["content"]
        return (
            by_question(body, lambda gold: text(json.dumps({"reasoning": "", "answer": gold})))
            if "Right answer:" in asked
            else text("?")
        )

    result, requests, _ = run(shop, tmp_path, "oracle", script)
    assert result["metrics"]["em_micro"]["value"] == 1.0
    assert any(
        "Right answer: FactOrder, DimItem, DimItemGroup" in r["messages"][1]["content"] for r in requests
    )


class TestTools:
    def test_calls_are_answered_and_counted(self, shop, tmp_path):
        def script(body):
            turns = sum(m["role"] == "assistant" for m in body["messages"])
            if turns < 10 and body.get("tools"):
                return calls(("get_lineage_forward", {"source": "raw_orders"}))
            return by_question(body)

        result, requests, records = run(shop, tmp_path, "tools", script)
        assert result["metrics"]["em_micro"]["value"] == 1.0
        assert len(requests) == 4 * 4  # three calls, then the answer is forced
        last = requests[-1]
        assert "tools" not in last
        results = [json.loads(m["content"]) for m in last["messages"] if m["role"] == "tool"]
        assert results == [{"tables": ["stg_orders"], "total": 1}] * 3
        assert {t["function"]["name"] for t in requests[0]["tools"]} == {
            "shortest_path", "connected_components", "check_fk_adjacency", "get_lineage_forward", "get_lineage_reverse",
            "transitive_lineage", "get_component_of", "get_fk_neighbors", "list_tables",
        }  # fmt: skip

    @pytest.mark.parametrize(
        ("call", "problem"),
        [
            (("nothing", {}), "no tool 'nothing'"),
            (("get_lineage_forward", '{"source": '), "not JSON"),
            (("get_lineage_forward", {}), "lacks source"),
            (("get_lineage_forward", {"source": 3}), "type string"),
            (("get_lineage_forward", {"source": "raw_orders", "x": 1}), "unknown fields"),
            (("get_lineage_forward", {"source": "nowhere"}), "no table called"),
            (
                ("transitive_lineage", {"source": "raw_orders", "direction": "up"}),
                "one of 'forward', 'reverse'",
            ),
        ],
    )
    def test_a_bad_call_says_why_and_costs_one(self, shop, tmp_path, call, problem):
        def script(body):
            return by_question(body) if any(m["role"] == "tool" for m in body["messages"]) else calls(call)

        result, requests, _ = run(shop, tmp_path, "tools", script)
        told = [m["content"] for r in requests for m in r["messages"] if m["role"] == "tool"]
        assert len(told) == 4
        assert all(problem in content for content in told)
        assert result["metrics"]["em_micro"]["value"] == 1.0

    def test_our_tools_leave_out_the_one_that_answers(self, shop, tmp_path):
        _, requests, _ = run(shop, tmp_path, "tools", by_question, tools="all")
        names = {t["function"]["name"] for t in requests[0]["tools"]}
        assert {"impact", "find_paths"} <= names
        assert "explain" not in names


class TestCode:
    def test_rounds_in_the_sandbox(self, shop, tmp_path):
        def script(body):
            shown = body["messages"][-1]["content"]
            if "runs are left" not in shown:
                return text(
                    "I look.\n```python\nresult = sorted(b for a, b in lineage if a == 'raw_orders')\nprint(len(tables))\n```"
                )
            assert 'result = ["stg_orders"]' in shown
            assert "Printed:\n6" in shown
            return by_question(body)

        result, requests, records = run(shop, tmp_path, "code", script)
        assert result["metrics"]["em_micro"]["value"] == 1.0
        assert len(requests) == 8
        assert all(any("sandbox" in step for step in r["trace"]) for r in records)

    def test_errors_are_shown_and_the_rounds_end(self, shop, tmp_path):
        def script(body):
            return (
                by_question(body)
                if "No runs are left" in body["messages"][-1]["content"]
                else text("```python\n1 / 0\n```")
            )

        result, requests, _ = run(shop, tmp_path, "code", script)
        assert len(requests) == 4 * 6  # five runs, then the answer
        assert any(
            "ZeroDivisionError: division by zero (line 1)" in r["messages"][-1]["content"] for r in requests
        )
        assert result["metrics"]["em_micro"]["value"] == 1.0


def test_an_unreadable_reply_is_an_abstention(shop, tmp_path):
    result, _, records = run(shop, tmp_path, "flat", [text("I do not know.")])
    assert result["failures"] == {"abstained": 4}
    assert result["metrics"]["em_micro"]["value"] == 0.0
    assert all("no answer" in r["trace"][-1]["problem"] for r in records)


@pytest.mark.parametrize(
    ("reply", "kind", "value"),
    [
        ('{"answer_list": ["b", "a"]}', "list", ["a", "b"]),
        ('{"answer_list": ["b", "a"]}', "ordered_list", ["b", "a"]),
        ('<think>{"answer_int": 9}</think>{"answer_int": 3}', "integer", 3),
        ('Sure:\n```json\n{"answer_bool": false}\n```', "boolean", False),
        ('so {"x": 1} and then {"answer_str": "hr", "reasoning": "a } b"} done', "string", "hr"),
        ('{"answer_list": ["a", "b", "c', "list", ["a", "b"]),
        ("answer_int: 12", "integer", 12),
        ('"answer_bool": True', "boolean", True),
        ('{"answer_bool": "true"}', "boolean", None),
        ('{"answer_int": true}', "integer", None),
        ('{"answer_int": null}', "integer", None),
        ("[" * 5000, "list", None),
        ("", "list", None),
    ],
)
def test_reading_replies(reply, kind, value):
    assert read_answer(reply, kind) == value


def test_anchors_as_published_and_as_meant(shop):
    graph = load_graph([str(shop / "shop" / "schema.json")])
    question = "Which tables reference DimItemGroup?"
    assert substring_anchors(question, graph) == ["DimItem", "DimItemGroup"]
    assert named_tables(question, graph) == ["DimItemGroup"]
    shown = neighbourhood_text("How are raw_orders and Log connected?", graph)
    assert (
        "Shortest path over keys and lineage from raw_orders to Log: raw_orders, stg_orders, FactOrder, Log"
        in shown
    )
    assert "1. DimItem, DimItemGroup, FactOrder, Log, raw_orders, stg_orders" in shown
