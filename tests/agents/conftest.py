"""A small lake whose questions take several hops."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from headwater.ingest import IngestOptions, ingest_lake
from headwater.lake import Lake
from headwater.tools import Session
from headwater.trace import Trace, new_trace

QUESTION = "Which gauge had the highest level, and in which county is the seat of its river's town? Return the county in the format [Answer]."


def write_lake(root: Path) -> Path:
    """Write gauges by year, a table of rivers, one of towns, and texts."""
    for folder in ("water/gauges/files", "water/rivers/files", "text/Millford", "text/Ashby"):
        (root / folder).mkdir(parents=True)
    for year, top in ((2020, 410), (2021, 655), (2022, 530)):
        rows = [f"G{i},{100 + i * 7 + (top - 156 if i == 8 else 0)}" for i in range(10)]
        (root / f"water/gauges/files/levels_{year}.csv").write_text(
            "gauge,level_cm\n" + "\n".join(rows) + "\n", "utf-8"
        )
    rivers = "\n".join(f"G{i},River {i},{'Millford' if i == 8 else 'Ashby'}" for i in range(10))
    (root / "water/rivers/files/rivers.csv").write_text(f"gauge,river,town\n{rivers}\n", "utf-8")
    (root / "text/Millford/content.txt").write_text(
        "Millford\n\nMillford is a market town. It is the seat of Harlow County. Its bridge was built in 1771.\n",
        "utf-8",
    )
    (root / "text/Ashby/content.txt").write_text("Ashby\n\nAshby is the seat of Dunn County.\n", "utf-8")
    return root


@pytest.fixture(scope="session")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = write_lake(tmp_path_factory.mktemp("agents") / "lake")
    ingest_lake(made, options=IngestOptions(workers=1))
    return made


@pytest.fixture
def lake(root: Path) -> Iterator[Lake]:
    with Lake.find(root) as opened:
        yield opened


@pytest.fixture
def trace(lake: Lake, tmp_path: Path) -> Trace:
    return new_trace(tmp_path, QUESTION)


@pytest.fixture
def session(lake: Lake, trace: Trace) -> Session:
    return Session(lake, trace)
