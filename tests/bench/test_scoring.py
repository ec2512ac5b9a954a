"""Both modes of scoring, rule by rule (sections 8 and 13 of the definitions)."""

from __future__ import annotations

import pytest
from tests.bench.conftest import question

from headwater.bench._stats import macro, micro
from headwater.bench.dwbench._questions import read_question
from headwater.bench.dwbench._scoring import Scorer, is_contested, score
from headwater.errors import ReadError
from headwater.graph import load_graph

PATH = ["FactOrder", "DimItem", "DimItemGroup"]
OTHER = ["FactOrder", "Log", "DimItemGroup"]


@pytest.fixture
def scorer(shop):
    return Scorer(load_graph([str(shop / "shop" / "schema.json")]))


def ask(kind, gold, answer_type, subtype="x", **more):
    return read_question(question("q", subtype, kind, gold, answer_type, **more))


class TestPublished:
    @pytest.mark.parametrize(
        ("gold", "kind", "answer", "right"),
        [
            (True, "boolean", "Yes ", 1), (True, "boolean", True, 1), (True, "boolean", 1, 0), (False, "boolean", "false", 1),
            (False, "boolean", 0, 0), (True, "boolean", None, 0),
            (5, "integer", "5", 1), (5, "integer", "5.0", 0), (5, "integer", 5.9, 1), (1, "integer", True, 1), (5, "integer", None, 0),
            (5, "integer", [5], 0), (5, "integer", float("inf"), 0),
            ("hr", "string", " HR ", 1), ("hr", "string", None, 0), ("5", "string", 5, 1), ("5", "string", 5.0, 0),
        ],
    )  # fmt: skip
    def test_single_values(self, scorer, gold, kind, answer, right):
        assert scorer.published(ask("?", gold, kind), answer) == (right, right)

    @pytest.mark.parametrize(
        ("gold", "answer", "exact", "f1"),
        [
            (["a", "b"], ["b", "a", "a"], 1, 1), (["a", "b"], ["a "], 0, 0.6667), (["a"], ["A"], 0, 0), (["a"], "a", 0, 0),
            ([], ["anything"], 1, 1), ([], None, 1, 1), (["a"], [], 0, 0), (["a", "b"], [["a"], "b"], 0, 0.5),
            (["t:row_5"], ["t: rows [5]"], 1, 1), (["t:row_5"], ["t row_5"], 1, 1), (["s.t:row_5"], ["s.t: rows [5]"], 0, 0),
            (["s.t:row_5"], ["s.t row_5"], 1, 1),
        ],
    )  # fmt: skip
    def test_lists(self, scorer, gold, answer, exact, f1):
        assert scorer.published(ask("?", gold, "list"), answer) == (exact, f1)

    @pytest.mark.parametrize(
        ("answer", "exact"),
        [
            (PATH, 1), (PATH[::-1], 1), (["DimItem", "FactOrder", "DimItemGroup"], 1), (OTHER, 1), (OTHER[::-1], 0),
            (["FactOrder", "stg_orders", "DimItemGroup"], 0), (["FactOrder", "DimItemGroup"], 0),
        ],
    )  # fmt: skip
    def test_paths_are_sets_or_alternatives(self, scorer, answer, exact):
        assert scorer.published(ask("?", PATH, "ordered_list"), answer)[0] == exact

    def test_declared_form_decides(self, scorer):
        asked = ask("?", PATH, "ordered_list", upstream_answer_type="list")
        assert scorer.published(asked, OTHER)[0] == 0

    def test_sorted_gold_refuses_a_real_path_over_other_tables(self, scorer):
        asked = ask("?", PATH, "ordered_list", upstream_answer=sorted(PATH))
        assert scorer.published(asked, PATH)[0] == 1
        assert scorer.published(asked, OTHER)[0] == 0


class TestStrict:
    @pytest.mark.parametrize(
        ("gold", "kind", "answer", "right"),
        [
            (True, "boolean", True, 1), (True, "boolean", "yes", 0), (True, "boolean", 1, 0),
            (5, "integer", 5, 1), (5, "integer", 5.0, 1), (5, "integer", 5.9, 0), (5, "integer", "5", 0), (1, "integer", True, 0),
            ("hr", "string", "HR", 1), ("hr", "string", "h r", 0), ("5", "string", 5, 0),
        ],
    )  # fmt: skip
    def test_types_are_as_asked(self, scorer, gold, kind, answer, right):
        assert scorer.strict(ask("?", gold, kind), answer) == (right, right)

    @pytest.mark.parametrize(
        ("gold", "answer", "exact"),
        [
            (["DimItem"], ["dimitem"], 1), (["DimItem"], ["DimItem", "DimItem"], 1), (["DimItem"], ["DimItem", "Log"], 0),
            ([], [], 1), ([], ["DimItem"], 0), ([], None, 0), (["DimItem"], "DimItem", 0), (["nowhere"], ["NOWHERE"], 1),
            (["Log:row_5", "Log:row_6"], ["Log: rows [5, 6]"], 1), (["Log:row_5"], ["log row_5"], 1), (["Log:row_5"], ["Log:row_50"], 0),
        ],
    )  # fmt: skip
    def test_lists(self, scorer, gold, answer, exact):
        assert scorer.strict(ask("?", gold, "list"), answer)[0] == exact

    def test_membership_leaves_the_asked_table_out(self, scorer):
        asked = ask("Who is with DimItem?", ["Log"], "list", subtype="membership")
        assert scorer.strict(asked, ["Log", "DimItem"])[0] == 1
        assert scorer.strict(ask("Who is with DimItem?", ["Log"], "list"), ["Log", "DimItem"])[0] == 0

    @pytest.mark.parametrize(
        ("answer", "exact"),
        [
            (PATH, 1), (OTHER, 1), (["factorder", "log", "DIMITEMGROUP"], 1), (PATH[::-1], 0), (["DimItem", "FactOrder", "DimItemGroup"], 0),
            (["FactOrder", "DimItemGroup"], 0), (["FactOrder", "Log", "DimItemGroup", "DimItem", "DimItemGroup"], 0), ([], 0), ("x", 0),
            (["FactOrder", "nowhere", "DimItemGroup"], 0),
        ],
    )  # fmt: skip
    def test_paths_are_checked_on_the_graph(self, scorer, answer, exact):
        assert scorer.strict(ask("?", PATH, "ordered_list"), answer)[0] == exact

    def test_the_gold_is_not_trusted_to_be_shortest(self, scorer):
        long = ["FactOrder", "Log", "DimItemGroup", "DimItem"]
        assert scorer.strict(ask("?", long, "ordered_list"), long)[0] == 0
        assert scorer.strict(ask("?", long, "ordered_list"), ["FactOrder", "DimItem"])[0] == 1

    def test_reversed_by_option(self, shop):
        lenient = Scorer(load_graph([str(shop / "shop" / "schema.json")]), accept_reversed=True)
        assert lenient.strict(ask("?", PATH, "ordered_list"), OTHER[::-1])[0] == 1

    def test_edges_of_the_question(self, scorer):
        asked = ask("?", ["raw_orders", "stg_orders"], "ordered_list", args={"edges": "fk+lineage"})
        assert scorer.strict(asked, ["raw_orders", "stg_orders"])[0] == 1
        assert (
            scorer.strict(
                ask("?", ["raw_orders", "stg_orders"], "ordered_list"), ["raw_orders", "stg_orders"]
            )[0]
            == 0
        )

    def test_without_a_graph_the_gold_is_the_measure(self):
        bare = Scorer(None)
        assert bare.strict(ask("?", PATH, "ordered_list"), PATH)[0] == 1
        assert bare.strict(ask("?", PATH, "ordered_list"), OTHER)[0] == 0

    def test_text_that_contradicts_its_gold(self, scorer):
        graph = scorer._graph
        text = "Are raw_orders and DimItem connected through any chain of foreign key relationships?"
        asked = ask(text, True, "boolean", subtype="isolation")
        assert is_contested(asked, graph)
        assert "em" not in score(scorer, asked, "answered", True)
        assert score(scorer, asked, "answered", True)["published_em"] == 1
        agreed = ask(text.replace("raw_orders", "Log"), True, "boolean", subtype="isolation")
        assert not is_contested(agreed, graph)


def test_no_answer(scorer):
    assert score(scorer, ask("?", [], "list"), "failed", None) == {
        "em": 0.0, "f1": 0.0, "published_em": 1.0, "published_f1": 1.0, "answered": 0.0,
    }  # fmt: skip
    assert score(scorer, ask("?", ["a"], "list"), "abstained", ["a"])["published_em"] == 0


class TestPublishedForm:
    def read(self, **more):
        return read_question(
            {"id": "1", "dataset": "d", "subtype": "count", "question": "?", "type": "silo", **more}
        )

    def test_digits_and_words_become_values(self):
        number = self.read(answer="5", answer_type="number")
        assert (number.answer, number.answer_type, number.published) == (5, "integer", ("5", "number"))
        truth = self.read(answer="no", answer_type="boolean")
        assert (truth.answer, truth.published) == (False, ("no", "boolean"))
        path = self.read(subtype="join_path", answer=["a", "b"], answer_type="list")
        assert (path.answer_type, path.published[1]) == ("ordered_list", "list")

    @pytest.mark.parametrize(
        ("answer", "kind"),
        [
            ("many", "number"),
            ("maybe", "boolean"),
            ("x", "list"),
            ([1], "list"),
            (True, "integer"),
            ("x", "poem"),
            (5, "string"),
        ],
    )
    def test_what_does_not_fit_is_refused(self, answer, kind):
        with pytest.raises(ReadError):
            self.read(answer=answer, answer_type=kind)


class TestIntervals:
    def test_seeded_and_around_the_value(self):
        scores = [1.0] * 70 + [0.0] * 30
        one, two = micro(scores), micro(scores)
        assert one == two
        assert one.value == pytest.approx(0.7)
        # the binomial interval at n = 100 is 0.61 to 0.79
        assert 0.58 < one.low < 0.64
        assert 0.76 < one.high < 0.82

    def test_macro_weights_groups_alike_and_keeps_all(self):
        found = macro([[1.0] * 100, [0.0, 1.0]])
        assert found.value == pytest.approx(0.75)
        assert found.low == pytest.approx(0.5)
        assert found.n == 102

    def test_published_rounding(self):
        assert macro([[1.0, 0.0, 0.0], [1.0]], 4).value == round((0.3333 + 1) / 2, 4)

    def test_nothing(self):
        assert micro([]) is None
        assert macro([[], []]) is None
