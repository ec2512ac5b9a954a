"""Questions and schemas are found in the published layouts as in ours."""

from __future__ import annotations

import json
import shutil

import pytest

from headwater.bench import Prediction
from headwater.bench.dwbench import DwBench
from headwater.bench.dwbench._load import find_source, load_graphs

SETS = ["adventureworks", "omop_cdm", "syn_logistics", "tpc-di", "tpc-ds"]


@pytest.fixture
def published(handed):
    lines = (handed / "upstream_layout" / "tier1" / "test.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def check(folder, items, graphs):
    suite, source = DwBench(), find_source(folder)
    loaded = suite.load(folder)
    assert not loaded.problems
    assert len(loaded.items) == items
    assert set(source.graphs) == set(graphs)
    score = suite.scorer(folder)
    for item in loaded.items:
        assert set(score(item, Prediction("answered", item.gold)).values()) == {1.0}, item.id


@pytest.mark.handed
def test_hub(handed, published, tmp_path):
    (tmp_path / "tier1").mkdir()
    (tmp_path / "tier1" / "test.jsonl").write_text("\n".join(map(json.dumps, published)), encoding="utf-8")
    for name in SETS:
        (tmp_path / "schemas" / name).mkdir(parents=True)
        shutil.copyfile(
            handed / "pt" / f"{name}.schema_graph.pt", tmp_path / "schemas" / name / "schema_graph.pt"
        )
    check(tmp_path, 714, SETS)
    check(tmp_path / "tier1" / "test.jsonl", 714, SETS)


@pytest.mark.handed
def test_repository(handed, published, tmp_path):
    for name in SETS:
        folder = tmp_path / "datasets" / name
        folder.mkdir(parents=True)
        shutil.copyfile(handed / "pt" / f"{name}.schema_graph.pt", folder / "schema_graph.pt")
        own = [question for question in published if question["dataset"] == name]
        (folder / "qa_pairs.json").write_text(json.dumps(own), encoding="utf-8")
    check(tmp_path, 714, SETS)
    check(tmp_path / "datasets" / "tpc-ds", 127, ["tpc-ds"])


@pytest.mark.handed
def test_rows(handed, tmp_path):
    example = handed / "tier2_example"
    folder = tmp_path / "datasets" / "syn_mini"
    (folder / "value_data").mkdir(parents=True)
    shutil.copyfile(example / "lineage_map.upstream_layout.json", folder / "lineage_map.json")
    tables = json.loads((example / "manifest.json").read_text(encoding="utf-8"))["tables"]
    manifest = {
        t["name"]: {"rows": t["rows"], "columns": 5, "layer": t["layer"], "silo": t["group"], "file": "x.csv"}
        for t in tables
    }
    (folder / "value_data" / "_manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    lines = [
        json.loads(line) for line in (example / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    keys = ("id", "dataset", "tier", "subtype", "question", "answer", "answer_type", "difficulty")
    asked = [
        {key: line[key] for key in keys} | {"type": line["category"], "reasoning": "x"} for line in lines
    ]
    (folder / "qa_pairs_tier2.json").write_text(json.dumps(asked), encoding="utf-8")
    check(tmp_path, 32, ["syn_mini_rows"])
    graphs, _ = load_graphs(find_source(tmp_path).graphs)
    assert graphs["syn_mini_rows"].rows.link_count == 1194


@pytest.mark.handed
def test_obfuscated_graph_stands_for_obfuscated_questions(handed, tmp_path):
    folder = tmp_path / "datasets" / "tpc-ds"
    folder.mkdir(parents=True)
    shutil.copyfile(handed / "pt" / "tpc-ds.schema_graph.pt", folder / "schema_graph.pt")
    shutil.copyfile(handed / "pt" / "tpc-ds.schema_graph.pt", folder / "obfuscated_schema_graph.pt")
    asked = {
        "id": "x",
        "dataset": "tpc-ds",
        "subtype": "count",
        "question": "?",
        "answer": 1,
        "answer_type": "integer",
    }
    (folder / "qa_pairs.json").write_text(json.dumps([asked]), encoding="utf-8")
    (folder / "qa_pairs_obfuscated.json").write_text(json.dumps([asked]), encoding="utf-8")
    source = find_source(tmp_path)
    assert source.graphs["tpc-ds_obfuscated"].name == "obfuscated_schema_graph.pt"
    assert [item.id for item in DwBench().load(tmp_path).items] == ["x", "obfuscated/x"]


def test_an_array_with_a_bad_member(shop):
    good = json.loads((shop / "shop" / "questions.jsonl").read_text(encoding="utf-8").splitlines()[0])
    (shop / "shop" / "questions.jsonl").unlink()
    (shop / "shop" / "qa_pairs.json").write_text(json.dumps([good, 3, {"id": "y"}]), encoding="utf-8")
    loaded = DwBench().load(shop)
    assert len(loaded.items) == 1
    assert [p.where for p in loaded.problems] == ["qa_pairs.json, question 2", "qa_pairs.json, question 3"]


def test_not_text_at_all(shop):
    (shop / "shop" / "questions.jsonl").write_bytes(b"\xff\xfe\x00\x01")
    loaded = DwBench().load(shop)
    assert not loaded.items
    assert "cannot be read" in loaded.problems[0].message
