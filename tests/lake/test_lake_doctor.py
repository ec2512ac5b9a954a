"""What doctor says of a lake's index."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from headwater.ingest import ingest_lake
from headwater.lake import diagnose_lake
from headwater.search import LocalIndex, load_embedder


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """A lake with many documents of one title; the one that is first by name came into the index last."""
    root = tmp_path / "lake"
    for n in [*range(1, 120), 0]:
        folder = root / "notes" / f"set{n:03d}"
        folder.mkdir(parents=True)
        (folder / "notes.txt").write_text(f"Packages\n\nOf set {n}.\n", encoding="utf-8")
        if n in {119, 0}:
            ingest_lake(root)
    return root


def search_check(root: Path) -> tuple[bool, str]:
    check = next(c for c in diagnose_lake(root) if c.name == "search")
    return check.ok, check.detail


def test_one_of_many_documents_of_a_title_is_found(lake: Path) -> None:
    assert search_check(lake) == (True, "'Packages' is found")


def test_an_index_that_lost_its_records_is_told(lake: Path) -> None:
    folder = lake / ".headwater" / "index"
    shutil.rmtree(folder)
    LocalIndex(folder, embedder=load_embedder(), write=True).close()
    ok, detail = search_check(lake)
    assert not ok and "is not found" in detail
