"""A small lake with tasks in LakeQA's form, for the tests of that suite."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.agents.conftest import QUESTION, write_lake

from headwater.ingest import IngestOptions, ingest_lake
from headwater.lake import Lake

LEVELS, RIVERS, SEAT = (
    "water/gauges/files/levels_2021.csv",
    "water/rivers/files/rivers.csv",
    "text/Millford/content.txt",
)

TASKS: list[dict[str, Any]] = [
    {
        "id": "T1", "question": QUESTION, "answer": "Harlow County", "answer_variants": ["Harlow"], "answer_kind": "entity",
        "gold_documents": [LEVELS, RIVERS, SEAT], "gold_datasets": ["water/gauges", "water/rivers", "text/Millford"],
    },
    {
        "id": "T2", "question": "In which year was the bridge of the market town built? Return the year in the format [Answer].",
        "answer": "1771", "answer_kind": "temporal", "gold_documents": [SEAT], "gold_datasets": ["text/Millford"],
    },
    {
        "id": "T3", "question": "How many gauges did the board read in 2020? Return only the number in the format [Answer].",
        "answer": "10", "answer_kind": "numeric", "gold_documents": ["water/gauges/files/levels_2020.csv"],
        "gold_datasets": ["water/gauges"],
    },
]  # fmt: skip


def write_tasks(path: Path, tasks: Sequence[dict[str, Any]] = TASKS) -> Path:
    """Write tasks as JSON lines and return the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(t) + "\n" for t in tasks), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def gauges(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ingested lake; its folder."""
    made = write_lake(tmp_path_factory.mktemp("gauges") / "lake")
    ingest_lake(made, options=IngestOptions(workers=1))
    return made


@pytest.fixture
def gauge_lake(gauges: Path) -> Iterator[Lake]:
    """The lake, opened."""
    with Lake.find(gauges) as opened:
        yield opened
