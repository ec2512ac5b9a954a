from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.bench.gauge_lake import gauge_lake, gauges  # noqa: F401 - fixtures

SHARED = Path(__file__).parents[2].parent / "shared" / "data" / "dw-bench"

SCHEMA = {
    "dataset": "shop",
    "tables": [
        {"name": n} for n in ("raw_orders", "stg_orders", "DimItem", "DimItemGroup", "FactOrder", "Log")
    ],
    "foreign_keys": [
        {
            "name": "fk1",
            "child": "FactOrder",
            "child_columns": ["item"],
            "parent": "DimItem",
            "parent_columns": ["id"],
        },
        {
            "name": "fk2",
            "child": "DimItem",
            "child_columns": ["grp"],
            "parent": "DimItemGroup",
            "parent_columns": ["id"],
        },
        {
            "name": "fk3",
            "child": "FactOrder",
            "child_columns": ["log"],
            "parent": "Log",
            "parent_columns": ["id"],
        },
        {
            "name": "fk4",
            "child": "Log",
            "child_columns": ["grp"],
            "parent": "DimItemGroup",
            "parent_columns": ["id"],
        },
    ],
    "lineage": [
        {"source": "raw_orders", "target": "stg_orders"},
        {"source": "stg_orders", "target": "FactOrder"},
    ],
}


def question(id, subtype, text, answer, answer_type, **more):
    return {
        "id": id, "dataset": "shop", "tier": 1, "condition": "original", "category": "", "subtype": subtype, "difficulty": "",
        "question": text, "answer": answer, "answer_type": answer_type, "args": {}, "semantics": "x", **more,
    }  # fmt: skip


QUESTIONS = [
    question("shop_1", "forward", "Which tables are directly derived from raw_orders?", ["stg_orders"], "list"),
    question("shop_2", "direct_fk", "Does FactOrder have a direct foreign key to DimItem?", True, "boolean"),
    question(
        "shop_3", "join_path", "What is the shortest join path between FactOrder and DimItemGroup?",
        ["FactOrder", "DimItem", "DimItemGroup"], "ordered_list", args={"source": "FactOrder", "target": "DimItemGroup", "edges": "fk"},
    ),
    question("shop_4", "count", "How many disconnected data silos (connected components) exist in this schema?", 1, "integer"),
]  # fmt: skip


@pytest.fixture
def shop(tmp_path):
    """A small dataset in our layout; the folder that holds it."""
    folder = tmp_path / "source" / "shop"
    folder.mkdir(parents=True)
    (folder / "schema.json").write_text(json.dumps(SCHEMA), encoding="utf-8")
    write(folder / "questions.jsonl", QUESTIONS)
    return folder.parent


def write(path, questions):
    path.write_text("".join(json.dumps(q) + "\n" for q in questions), encoding="utf-8")


@pytest.fixture
def handed():
    if not SHARED.is_dir():
        pytest.skip("the handed data is not here")
    return SHARED
