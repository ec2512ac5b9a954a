"""The gold as prediction scores 100 %, and so does the exact agent, on every handed dataset and in both modes."""

from __future__ import annotations

import pytest

from headwater.bench import Prediction, RunOptions, continue_run, open_suite, score_run, start_run
from headwater.bench.dwbench import DwBench

SETS = [
    "adventureworks",
    "tpc-ds",
    "tpc-di",
    "omop_cdm",
    "syn_logistics",
    "tier2_example",
    "paraphrases.jsonl",
    "upstream_layout",
]


@pytest.mark.handed
@pytest.mark.parametrize("name", SETS)
def test_gold_scores_full_marks_in_both_modes(handed, name):
    suite, source = DwBench(), handed / name
    loaded = suite.load(source)
    score = suite.scorer(source)
    assert loaded.items
    assert not loaded.problems
    for item in loaded.items:
        scores = score(item, Prediction("answered", item.gold))
        assert set(scores.values()) == {1.0}, (item.id, scores)


@pytest.mark.handed
@pytest.mark.parametrize(
    "name", ["adventureworks", "tpc-ds", "tpc-di", "omop_cdm", "syn_logistics", "tier2_example"]
)
def test_exact_agent_answers_the_handed_questions(handed, name, tmp_path):
    suite = open_suite("dw-bench")
    run = start_run(suite, handed / name, tmp_path / "run", "exact", None, {}, RunOptions())
    outcome = continue_run(suite, run, None, RunOptions())
    assert outcome.failed == 0
    result = score_run(suite, run)
    assert result["n"] == len(suite.load(handed / name).items)
    assert result["metrics"]["em_micro"]["value"] == 1.0
    assert result["metrics"]["answered"]["value"] == 1.0


@pytest.mark.handed
def test_difficulty_from_the_data_is_the_stored_one(handed):
    suite = DwBench()
    for name in SETS[:6]:
        for item in suite.load(handed / name).items:
            assert item.slices["difficulty"] == item.details["difficulty"], item.id


@pytest.mark.handed
def test_contested_questions_are_left_out_of_strict_mode(handed):
    suite = DwBench()
    score = suite.scorer(handed / "adventureworks")
    left_out = [
        item.id
        for item in suite.load(handed / "adventureworks").items
        if "em" not in score(item, Prediction("answered", item.gold))
    ]
    assert len(left_out) == 3  # section 3 of the definitions: three in AdventureWorks, three in TPC-DI
