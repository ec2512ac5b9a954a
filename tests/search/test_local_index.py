"""What only the local index does: resuming a commit, segments of vectors, one writer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.errors import SetupError
from headwater.search import Card, HashedEmbedder, LocalIndex, Passage, SearchOptions
from headwater.search._models import Rows
from headwater.search._store import Store
from headwater.search._vectors import VectorFolder, _largest

LEXICAL = SearchOptions(mode="lexical")

KILLED = """
import os, sys
from pathlib import Path
from headwater.search import LocalIndex, HashedEmbedder, Passage
import headwater.search._local as local

stop = int(sys.argv[2])
index = LocalIndex(Path(sys.argv[1]), write=True, embedder=HashedEmbedder())
calls = 0

class Dying:
    def __init__(self, writer):
        self.writer = writer
    def __getattr__(self, name):
        global calls
        if name == "commit":
            calls += 1
            if calls == stop:
                os._exit(9)
        return getattr(self.writer, name)

for part in local.PARTS:
    index._writers[part] = Dying(index._writer(part))
index.update(
    2,
    [Passage(dataset="n/new", document="n/new/t.txt", number=0, text="quicksilver"),
     Passage(dataset="o/old", document="o/old/t.txt", number=0, text="granite")],
    remove=["g/gone/t.txt"],
)
"""


def found(index: LocalIndex, text: str) -> list[str]:
    return [h.document for h in index.search(text, LEXICAL).hits]


@pytest.mark.parametrize("stop", [1, 2, 3])
def test_a_commit_that_was_killed_is_completed(tmp_path: Path, stop: int) -> None:
    old = [
        Passage(dataset="o/old", document="o/old/t.txt", number=0, text="marble"),
        Passage(dataset="g/gone", document="g/gone/t.txt", number=0, text="sandstone"),
        Passage(dataset="k/kept", document="k/kept/t.txt", number=0, text="slate"),
    ]
    with LocalIndex(tmp_path, write=True, embedder=HashedEmbedder()) as index:
        index.update(1, old)
    killed = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path), str(stop)], check=False)
    assert killed.returncode == 9
    with LocalIndex(tmp_path, embedder=HashedEmbedder()) as reader:
        assert reader.generation == 1
        assert reader.stats().pending
    with LocalIndex(tmp_path, write=True, embedder=HashedEmbedder()) as index:
        assert index.generation == 2
        assert not index.stats().pending
        assert found(index, "quicksilver") == ["n/new/t.txt"]
        assert found(index, "granite") == ["o/old/t.txt"]
        assert found(index, "slate") == ["k/kept/t.txt"]
        for gone in ("marble", "sandstone"):
            assert found(index, gone) == []
        held = {part: searcher.num_docs for part, searcher in index._searchers.items()}
        assert held == {"datasets": 0, "documents": 0, "passages": 3}


def test_there_is_one_writer(tmp_path: Path) -> None:
    with LocalIndex(tmp_path, write=True, embedder=None) as index:
        index.update(1, [Card(dataset="a/b", title="Stones")])
        with (
            LocalIndex(tmp_path, write=True, embedder=None) as other,
            pytest.raises(SetupError, match="written"),
        ):
            other.update(2, [Card(dataset="a/c", title="Trees")])
        assert index.generation == 1


def test_another_layout_is_refused(tmp_path: Path) -> None:
    LocalIndex(tmp_path, write=True, embedder=None).close()
    store = Store(tmp_path / "records.sqlite", write=True)
    store.set_meta("format", "0")
    store.close()
    with pytest.raises(SetupError, match="layout"):
        LocalIndex(tmp_path)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "records.sqlite", write=True)


def rows(count: int, dim: int, coarse: int, first: int = 0) -> Rows:
    rng = np.random.default_rng(first)
    vectors = rng.normal(size=(count, dim)).astype(np.float32) * np.linspace(2, 0.1, dim, dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    numbers = np.arange(first, first + count, dtype=np.int64)
    return Rows(numbers, numbers + 1000, vectors, coarse)


@pytest.mark.parametrize("coarse", [32, 12])
def test_nearest_vectors(tmp_path: Path, store: Store, coarse: int) -> None:
    folder = VectorFolder(tmp_path / "vectors")
    parts = [rows(3000, 32, coarse), rows(500, 32, coarse, first=3000)]
    for part in parts:
        store.set_segment(folder.write(part), "texts", len(part.docs), b"")
    folder.reload(store)
    every = np.concatenate([p.vectors for p in parts])
    query = every[17]
    exact = [int(i) for i in np.argsort(-(every @ query), kind="stable")[:10]]
    near = folder.nearest("texts", query, 10)
    assert near[0][:2] == (1017, 17)
    assert near[0][2] == pytest.approx(1, abs=0.01)
    assert len({d for _, d, _ in near} & set(exact)) >= (10 if coarse == 32 else 7)
    assert [s for *_, s in near] == sorted((s for *_, s in near), reverse=True)

    folder.mark_dead(store, [17, 3001])
    folder.reload(store)
    assert 17 not in {d for _, d, _ in folder.nearest("texts", query, 3000)}
    chosen = np.array([5, 17, 3400])
    assert {d for _, d, _ in folder.nearest("texts", query, 10, chosen)} == {5, 3400}

    before = folder.nearest("texts", query, 20)
    folder.merge(store)
    folder.reload(store)
    folder.discard(store)
    assert len(store.segments()) == len(list((tmp_path / "vectors").iterdir())) == 1
    after = folder.nearest("texts", query, 20)
    assert after[0] == before[0]
    if coarse == 32:
        assert after == before


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=400), st.integers(1, 20))
def test_the_largest_scores(scores: list[int], count: int) -> None:
    array = np.array(scores, np.float32)
    places = _largest(array, count)
    assert len(set(places.tolist())) == min(count, len(scores))
    assert sorted(array[places].tolist()) == sorted(map(float, scores))[-count:]


def test_segments_are_merged_in_passing(tmp_path: Path) -> None:
    with LocalIndex(tmp_path, write=True, embedder=HashedEmbedder()) as index:
        for n in range(40):
            index.update(
                n + 1, [Passage(dataset="a/b", document=f"a/b/{n % 20}.txt", number=0, text=f"stone{n}")]
            )
        assert len(list((tmp_path / "vectors").iterdir())) <= 33
        vector = SearchOptions(mode="vector", k=30)
        assert {h.document for h in index.search("stone", vector).hits} == {f"a/b/{n}.txt" for n in range(20)}
        assert index.search("stone37", vector).hits[0].document == "a/b/17.txt"


def test_years_of_a_killed_passage_survive(tmp_path: Path) -> None:
    from headwater.search import Filters

    with LocalIndex(tmp_path, write=True, embedder=None) as index:
        index.update(1, [Passage(dataset="a/b", document="a/b/c.txt", number=0, text="stone", years=(1999,))])
        only = SearchOptions(mode="lexical", filters=Filters(years=(1999,)))
        assert [h.document for h in index.search("stone", only).hits] == ["a/b/c.txt"]


def test_what_was_removed_leaves_the_text_index(tmp_path: Path) -> None:
    with LocalIndex(tmp_path, write=True, embedder=None) as index:
        index.update(
            1, [Passage(dataset="a/b", document=f"a/b/{n}.txt", number=0, text="stone") for n in range(5)]
        )
        index.update(
            2, [Passage(dataset="a/b", document="a/b/0.txt", number=0, text="wood")], remove=["a/b/1.txt"]
        )
        assert index._searchers["passages"].num_docs == 4
