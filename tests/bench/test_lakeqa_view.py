"""A part of a lake shows its documents and nothing else; the baseline's retriever ranks windows plainly."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.lakes import make_lake

from headwater.bench.lakeqa._retriever import Retriever, settings, text_of
from headwater.bench.lakeqa._view import choose
from headwater.errors import HeadwaterError, UsageError
from headwater.ingest import IngestOptions, ingest_lake
from headwater.lake import Lake, Subset
from headwater.search import LAKEQA_FUSION, HashedEmbedder, LocalIndex, Passage, best_passages


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = make_lake(tmp_path_factory.mktemp("part") / "lake")
    ingest_lake(made, options=IngestOptions(workers=1))
    return made


@pytest.fixture
def lake(root: Path) -> Iterator[Lake]:
    with Lake.find(root) as opened:
        yield opened


def test_the_choice_is_by_seed_and_grows(lake: Lake) -> None:
    gold = ["water/basin-01/files/levels_2020.csv", "water/nowhere/x.csv"]
    views = {n: choose(lake, gold, n, 1) for n in (8, 12, 20)}
    chosen = {n: set(v.documents or ()) for n, v in views.items()}
    assert [len(c) for c in chosen.values()] == [8, 12, 20] and chosen[8] < chosen[12] < chosen[20]
    assert {gold[0], "water/basin-01/metadata.json"} <= chosen[8], "metadata of gold datasets come along"
    assert (views[8].gold, views[8].missing) == (1, (gold[1],))
    assert (
        choose(lake, gold, 12, 1) == views[12] and choose(lake, gold, 12, 2).documents != views[12].documents
    )
    whole = choose(lake, gold, 0, 1)
    assert whole.documents is None and whole.to_dict()["documents"] == whole.of > 20
    with pytest.raises(UsageError):
        choose(lake, gold, 1, 1)


def test_nothing_of_the_rest_shows(lake: Lake, tmp_path: Path) -> None:
    everything = {d.id for d in lake.catalog.documents()}
    wanted = choose(lake, ["water/basin-01/files/levels_2020.csv"], 14, 3).documents
    assert wanted is not None
    with Subset(lake, wanted, tmp_path) as part:
        shown = {d.id for d in part.catalog.documents()}
        hidden = everything - shown
        assert set(wanted) <= shown and hidden
        told = [part.status().to_dict(), part.search("levels of stations by basin", 20).to_dict()]
        told += [part.related(d).to_dict() for d in sorted(shown)]
        told += [part.catalog.relations.series(s) or {} for s in part.catalog.relations.series_ids()]
        told += list(part.dump(rows=0))
        listed = json.dumps(told, default=str)
        assert [d for d in hidden if f'"{d}"' in listed or f'"{d}#' in listed] == []
        assert part.status().covered == part.status().documents > 0
        for document in sorted(hidden):
            with pytest.raises(HeadwaterError):
                part.read(document)
        tables = [ref for ref, document, _ in lake.catalog.table_refs() if document in hidden]
        with pytest.raises(HeadwaterError):
            part.sql(f"select * from t('{tables[0]}')")
        gold = "water/basin-01/files/levels_2020.csv"
        assert (
            part.sql(f"select count(*) from t('{gold}')").rows
            == lake.sql(f"select count(*) from t('{gold}')").rows
        )
    with Subset(lake, wanted, tmp_path) as again:
        assert {h.document for h in again.search("basin", 20)} <= shown
    assert len(list(tmp_path.iterdir())) == 1, "the index is made once"


def test_windows_are_indexed_once(lake: Lake, tmp_path: Path) -> None:
    for _ in range(2):
        with Retriever(lake, tmp_path, settings("lexical", "")) as retriever:
            assert retriever.find("stations measured", 3)
    assert len(list(tmp_path.iterdir())) == 1
    assert text_of(lake, "water/basin-01/files/levels_2020.csv").startswith(
        "station measured_on level_m ST-01-000"
    )
    assert text_of(lake, "nowhere") == ""


def passages() -> Iterator[Passage]:
    texts = {
        "a": ["the river rose and the river fell", "nothing of note"],
        "b": ["a river"],
        "c": ["bridges over the river Kwai " + "and more words " * 60],
    }
    for document, windows in texts.items():
        for number, words in enumerate(windows):
            yield Passage(dataset="d", document=document, number=number, text=words, title=document)


def test_plain_retrieval(tmp_path: Path) -> None:
    with LocalIndex(tmp_path / "index", write=True, embedder=HashedEmbedder()) as index:
        index.update(1, passages())

        def order(query: str, mode: str, k: int = 9) -> list[str]:
            return [h.document for h in best_passages(index, query, k, mode=mode, fusion=LAKEQA_FUSION)]  # type: ignore[arg-type]

        assert order("river", "lexical")[-1] == "c", "BM25 holds length against a passage"
        assert order("bridges", "lexical") == ["c"] and len(order("river", "lexical", 2)) == 2
        assert sorted(order("river bridges", "vector")) == ["a", "b", "c"], "each document once"
        with pytest.raises(UsageError):
            order("…", "lexical")
    with LocalIndex(tmp_path / "bare", write=True, embedder=None) as bare:
        bare.update(1, passages())
        with pytest.raises(UsageError, match="no vectors"):
            best_passages(bare, "river", 3, mode="hybrid", fusion=LAKEQA_FUSION)


def test_fusion_is_by_reciprocal_ranks(tmp_path: Path) -> None:
    with LocalIndex(tmp_path / "index", write=True, embedder=HashedEmbedder()) as index:
        index.update(1, (p for p in passages() if p.number == 0))

        def found(mode: str) -> dict[str, float]:
            hits = best_passages(index, "river bridges", 9, mode=mode, fusion=(0.7, 60.0))  # type: ignore[arg-type]
            return {h.document: h.score for h in hits}

        words, near = list(found("lexical")), list(found("vector"))
        expected = {d: 0.3 / (61 + words.index(d)) + 0.7 / (61 + near.index(d)) for d in "abc"}
        assert found("hybrid") == pytest.approx(expected)
