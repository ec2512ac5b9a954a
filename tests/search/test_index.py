"""One contract for every index; each test runs over the local one and over LanceDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from headwater.errors import SetupError, UsageError
from headwater.search import (
    Card,
    CardColumn,
    Filters,
    HashedEmbedder,
    LanceIndex,
    LocalIndex,
    Passage,
    Record,
    SearchOptions,
    dataset_card,
)

Open = Callable[..., Any]
LEXICAL = SearchOptions(mode="lexical")


@pytest.fixture(params=["local", "lance"])
def open_index(request: pytest.FixtureRequest, tmp_path: Path) -> Open:
    """Open the same index again and again."""
    if request.param == "lance":
        pytest.importorskip("lancedb")

    def opened(write: bool = True, embedder: Any = None, **rest: Any) -> Any:
        if request.param == "local":
            return LocalIndex(tmp_path / "index", write=write, embedder=embedder, **rest)
        return LanceIndex(str(tmp_path / "index"), write=write, embedder=embedder, **rest)

    return opened


def columns(**values: tuple[str, ...]) -> tuple[CardColumn, ...]:
    return tuple(CardColumn(name=name, values=held) for name, held in values.items())


def lake() -> list[Record]:
    """A small lake: tables with values, texts with passages, in several scripts."""
    rivers = Card(
        dataset="open/rivers", document="open/rivers/files/lengths.csv", kind="table", format="csv",
        title="Lengths of rivers", years=(2019, 2020), columns=columns(river_name=("Amazon", "Danube"), lengthKm=()),
    )  # fmt: skip
    schools = Card(
        dataset="gov/schools", document="gov/schools/files/class-size.csv", kind="table", format="csv",
        title="Class sizes", columns=columns(district=("Springfield", "Shelbyville"), class_size=()),
    )  # fmt: skip
    story = (
        "The lighthouse keeper counted ships at night. " * 30
        + "A zeppelin landed on the meadow. "
        + "Rain. " * 300
    )
    texts = [
        Passage(dataset="wiki/lighthouse", document="wiki/lighthouse/content.txt", number=0, text=story, page=3, start=40),
        Passage(dataset="wiki/tokyo", document="wiki/tokyo/content.txt", number=0, text="日本の首都は東京です。人口は多い。"),
        Passage(dataset="wiki/moskva", document="wiki/moskva/content.txt", number=0, text="В городах России живут люди"),
        Passage(dataset="wiki/cairo", document="wiki/cairo/content.txt", number=0, text="القاهرة مدينة كبيرة والسكان كثيرون"),
        Passage(dataset="wiki/krung", document="wiki/krung/content.txt", number=0, text="กรุงเทพมหานครเป็นเมืองหลวง"),
        Passage(dataset="wiki/malaga", document="wiki/malaga/content.txt", number=0, text="Ma\u00adla\u200bga, also Málaga, coloured labour"),
    ]  # fmt: skip
    return [
        dataset_card("open/rivers", [rivers], title="Rivers", description="Lengths of rivers of the world"),
        rivers,
        dataset_card("gov/schools", [schools], title="Schools", description="Average class size by district", tags=["education"]),
        schools,
        *texts,
    ]  # fmt: skip


def found(index: Any, text: str, options: SearchOptions = LEXICAL) -> list[str]:
    return [hit.document for hit in index.search(text, options).hits]


def test_a_new_index_is_empty(open_index: Open) -> None:
    index = open_index()
    assert index.generation == 0
    assert index.documents() == []
    assert found(index, "anything") == []
    assert index.search("anything", LEXICAL).datasets == []


def test_reading_needs_an_index(open_index: Open) -> None:
    with pytest.raises(SetupError):
        open_index(write=False)


def test_documents_and_datasets_are_found(open_index: Open) -> None:
    index = open_index()
    index.update(7, lake())
    assert index.generation == 7
    result = index.search("average class size in school districts", LEXICAL)
    assert result.datasets[0].dataset == "gov/schools"
    assert result.datasets[0].title == "Schools"
    assert result.hits[0].document == "gov/schools/files/class-size.csv"
    assert [d.rank for d in result.datasets] == list(range(1, len(result.datasets) + 1))
    assert result.mode == "lexical"


def test_a_value_in_a_cell_is_found_and_named(open_index: Open) -> None:
    index = open_index()
    index.update(1, lake())
    hit = index.search("Shelbyville", LEXICAL).hits[0]
    assert hit.document == "gov/schools/files/class-size.csv"
    assert "value of district: Shelbyville" in hit.why


def test_a_value_beyond_the_head_of_a_card_is_found(open_index: Open) -> None:
    names = tuple(f"village{n}" for n in range(3000))
    card = Card(dataset="a/b", document="a/b/v.csv", kind="table", columns=columns(place=names))
    index = open_index()
    index.update(1, [*lake(), card])
    hit = index.search("village2917", LEXICAL).hits[0]
    assert hit.document == "a/b/v.csv"
    assert "value of place: village2917" in hit.why


def test_a_snippet_shows_the_place(open_index: Open) -> None:
    index = open_index()
    index.update(1, lake())
    hit = index.search("zeppelins on meadows", LEXICAL).hits[0]
    assert [hit.snippet[a:b] for a, b in hit.marks] == ["zeppelin", "meadow"]
    assert len(hit.snippet) <= SearchOptions().snippet_chars + 2
    assert (hit.page, hit.start) == (3, 40)
    assert hit.why == ["text, page 3"]


@pytest.mark.parametrize(
    ("query", "document"),
    [
        ("東京", "wiki/tokyo/content.txt"),
        ("人口", "wiki/tokyo/content.txt"),
        ("город", "wiki/moskva/content.txt"),
        ("مدينه", "wiki/cairo/content.txt"),
        ("سكان", "wiki/cairo/content.txt"),
        ("กรุงเทพ", "wiki/krung/content.txt"),
        ("malaga", "wiki/malaga/content.txt"),
        ("ＭÁＬＡＧＡ", "wiki/malaga/content.txt"),
        ("mala\u200bga", "wiki/malaga/content.txt"),
        ("colored", "wiki/malaga/content.txt"),
        ("labor", "wiki/malaga/content.txt"),
        ("length km", "open/rivers/files/lengths.csv"),
        ("lengthkm", "open/rivers/files/lengths.csv"),
        ("springfeild", "gov/schools/files/class-size.csv"),
    ],
)
def test_spelling_and_script_do_not_hide_a_document(open_index: Open, query: str, document: str) -> None:
    index = open_index()
    index.update(1, lake())
    assert found(index, query)[:1] == [document]


def test_a_misspelt_word_is_told(open_index: Open) -> None:
    index = open_index()
    index.update(1, lake())
    notes = index.search("lighthose keeper", LEXICAL).notes
    assert len(notes) == 1
    assert "lighthose" in notes[0]


def test_quotes_ask_for_a_phrase(open_index: Open) -> None:
    index = open_index()
    near = Passage(dataset="a/near", document="a/near/t.txt", number=0, text="blue whale songs")
    far = Passage(
        dataset="a/far",
        document="a/far/t.txt",
        number=0,
        text="whale and blue sky, blue whale-free, a whale is blue",
    )
    index.update(1, [near, far])
    assert set(found(index, "whale songs")) == {"a/near/t.txt", "a/far/t.txt"}
    assert found(index, '"whale songs"') == ["a/near/t.txt"]
    result = index.search('"songs whale"', LEXICAL)
    assert result.hits and any("phrase" in note for note in result.notes)


@pytest.mark.parametrize(
    "query", ["field:x AND (", "'; drop table --", '"', "a*b?~2^", "NOT title:[a TO z]", "\\", "' OR 1=1"]
)
def test_a_query_is_words_and_nothing_else(open_index: Open, query: str) -> None:
    index = open_index()
    index.update(1, lake())
    try:
        index.search(query, LEXICAL)
    except UsageError as error:
        assert "no word" in error.message  # noqa: PT017


def test_an_update_replaces_and_removes(open_index: Open) -> None:
    index = open_index()
    index.update(1, lake())
    changed = Card(
        dataset="gov/schools", document="gov/schools/files/class-size.csv", kind="table", title="Bus routes"
    )
    index.update(
        2, [changed], remove=["wiki/tokyo/content.txt", "never/was.txt"], remove_datasets=["open/rivers"]
    )
    assert index.generation == 2
    assert found(index, "Shelbyville") == [
        "gov/schools/files/class-size.csv"
    ]  # the dataset's card still has it
    assert "value of district" not in " ".join(index.search("Shelbyville", LEXICAL).hits[0].why)
    assert found(index, "bus routes") == ["gov/schools/files/class-size.csv"]
    assert found(index, "東京") == []
    assert "wiki/tokyo/content.txt" not in index.documents()
    assert index.stats().documents == len(index.documents()) == 7
    assert found(index, "Danube") == ["open/rivers/files/lengths.csv"]
    index.update(3, remove=["open/rivers/files/lengths.csv"])
    assert found(index, "Danube") == []


def test_a_failed_update_leaves_nothing(open_index: Open) -> None:
    index = open_index(embedder=HashedEmbedder())
    index.update(1, lake())

    def broken() -> Any:
        yield Passage(dataset="x/y", document="x/y/z.txt", number=0, text="quicksilver " * 10)
        raise OSError("the lake is gone")

    with pytest.raises(OSError, match="gone"):
        index.update(2, broken(), remove=["wiki/tokyo/content.txt"])
    assert index.generation == 1
    assert found(index, "quicksilver") == []
    assert found(index, "東京") == ["wiki/tokyo/content.txt"]
    index.update(2, [Passage(dataset="x/y", document="x/y/z.txt", number=0, text="quicksilver")])
    assert found(index, "quicksilver") == ["x/y/z.txt"]


def test_readers_see_commits_and_nothing_else(open_index: Open) -> None:
    writer = open_index()
    writer.update(1, lake())
    reader = open_index(write=False)
    assert reader.generation == 1
    new = Passage(dataset="x/y", document="x/y/z.txt", number=0, text="quicksilver")
    seen: list[list[str]] = []

    def records() -> Any:
        yield new
        seen.append(found(reader, "quicksilver"))

    writer.update(2, records())
    assert seen == [[]]
    assert found(reader, "quicksilver") == ["x/y/z.txt"]
    assert reader.generation == 2
    writer.optimize()
    assert found(reader, "quicksilver") == ["x/y/z.txt"]
    with pytest.raises(SetupError):
        reader.update(3, [new])


def test_an_index_outlives_its_process(open_index: Open) -> None:
    with open_index(embedder=HashedEmbedder()) as index:
        index.update(5, lake())
        index.optimize()
    with open_index(embedder=HashedEmbedder()) as index:
        index.update(6, [Card(dataset="n/n", document="n/n/n.csv", title="Numismatics")])
        assert index.generation == 6
        assert found(index, "numismatics") == ["n/n/n.csv"]
        assert found(index, "Danube") == ["open/rivers/files/lengths.csv"]
        assert index.stats().embedder == "hashed-trigrams-64"


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Filters(formats=("csv",)), {"open/rivers/files/lengths.csv", "gov/schools/files/class-size.csv"}),
        (Filters(namespaces=("gov",)), {"gov/schools/files/class-size.csv"}),
        (Filters(years=(2020,)), {"open/rivers/files/lengths.csv"}),
        (Filters(years=(20,)), set()),
        (Filters(kind="text"), {"wiki/lighthouse/content.txt"}),
        (Filters(datasets=("open/rivers", "wiki/lighthouse")), {"open/rivers/files/lengths.csv", "wiki/lighthouse/content.txt"}),
        (Filters(kind="table", namespaces=("wiki",)), set()),
    ],
)  # fmt: skip
@pytest.mark.parametrize("mode", ["lexical", "hybrid"])
def test_filters(open_index: Open, filters: Filters, expected: set[str], mode: Any) -> None:
    index = open_index(embedder=HashedEmbedder() if mode == "hybrid" else None)
    index.update(1, lake())
    result = index.search("rivers, class sizes and a lighthouse", SearchOptions(mode=mode, filters=filters))
    hits = {hit.document for hit in result.hits}
    assert expected <= hits
    if mode == "lexical":
        assert hits == expected
    assert {d.dataset for d in result.datasets} == {hit.dataset for hit in result.hits}
    for hit in result.hits:
        assert not filters.formats or hit.format in filters.formats
        assert not filters.namespaces or hit.dataset.split("/")[0] in filters.namespaces
        assert not filters.kind or hit.kind == filters.kind


def test_copies_and_series_appear_once(open_index: Open) -> None:
    def card(name: str, **rest: Any) -> Card:
        return Card(dataset="s/s", document=f"s/s/{name}.csv", kind="table", title=f"Rainfall {name}", **rest)

    index = open_index()
    years = [card(str(y), series="rain") for y in (2001, 2002, 2003)]
    index.update(1, [*years, card("plain"), card("copy", duplicate_of="s/s/plain.csv")])
    hits = index.search("rainfall 2002", LEXICAL).hits
    assert len(hits) == 2
    series = next(h for h in hits if h.series)
    assert (series.document, series.series) == ("s/s/2002.csv", "rain")
    assert sorted(series.members) == ["s/s/2001.csv", "s/s/2003.csv"]
    plain = next(h for h in hits if not h.series)
    assert {plain.document, *plain.duplicates} == {"s/s/plain.csv", "s/s/copy.csv"}


def test_a_series_stands_as_the_member_that_the_query_names(open_index: Open) -> None:
    def card(year: int, title: str, *held: CardColumn) -> Card:
        document = f"s/s/rain-{year}.csv"
        return Card(dataset="s/s", document=document, kind="table", title=title, series="rain", columns=held)

    index = open_index()
    fuller = columns(station=("Springfield",), millimetres=("rainfall",))
    index.update(1, [card(2001, "Rainfall at stations", *fuller), card(2002, "Rain")])
    asked = "rainfall in millimetres at station Springfield"
    assert found(index, asked) == ["s/s/rain-2001.csv"]
    hit = index.search(f"{asked} in 2002", LEXICAL).hits[0]
    assert (hit.document, hit.members) == ("s/s/rain-2002.csv", ["s/s/rain-2001.csv"])


def test_datasets_can_be_ranked_alone(open_index: Open) -> None:
    index = open_index()
    index.update(1, lake())
    whole = index.search("rivers and schools", LEXICAL)
    alone = index.search("rivers and schools", SearchOptions(mode="lexical", with_hits=False))
    assert whole.hits and not alone.hits
    assert alone.datasets == whole.datasets != []


def test_vectors_find_what_shares_no_word(open_index: Open) -> None:
    index = open_index(embedder=HashedEmbedder(128))
    index.update(1, lake())
    vector = SearchOptions(mode="vector")
    assert found(index, "lighthousekeepers", vector)[0] == "wiki/lighthouse/content.txt"
    hybrid = index.search("lighthouse keeper", SearchOptions())
    assert hybrid.mode == "hybrid"
    assert hybrid.hits[0].document == "wiki/lighthouse/content.txt"
    assert hybrid.coverage["embedder"] == "hashed-trigrams-128"
    index.update(2, remove=["wiki/lighthouse/content.txt"])
    assert "wiki/lighthouse/content.txt" not in found(index, "lighthousekeepers", vector)


def test_without_vectors_hybrid_is_lexical_and_says_so(open_index: Open) -> None:
    index = open_index()
    index.update(1, lake())
    result = index.search("Danube", SearchOptions())
    assert result.mode == "lexical"
    assert any("no vectors" in note for note in result.notes)


def test_another_embedder_is_refused(open_index: Open) -> None:
    with open_index(embedder=HashedEmbedder(64)) as index:
        index.update(1, lake())
    for other in (HashedEmbedder(32), None):
        with open_index(embedder=other) as index, pytest.raises(SetupError, match="hashed-trigrams-64"):
            index.update(2, lake())
    with open_index(write=False, embedder=HashedEmbedder(32)) as index:
        with pytest.raises(SetupError, match="hashed-trigrams-64"):
            index.search("Danube")
        assert found(index, "Danube") == ["open/rivers/files/lengths.csv"]


def test_a_card_embedder_ranks_the_datasets(open_index: Open) -> None:
    class Oracle(HashedEmbedder):
        def __init__(self) -> None:
            super().__init__(8)
            self.id = "oracle"

        def embed_passages(self, texts: Any) -> Any:
            import numpy as np

            return np.array(
                [[float("Rivers" in t), float("Rivers" not in t)] + [0.0] * 6 for t in texts],
                np.float32,
            )

    index = open_index(embedder=HashedEmbedder(), card_embedder=Oracle())
    index.update(1, lake())
    result = index.search("Rivers", SearchOptions(mode="vector"))
    assert result.datasets[0].dataset == "open/rivers"
    assert index.search("schools", SearchOptions(mode="vector")).datasets[0].dataset == "gov/schools"
    assert index.stats().card_embedder == "oracle"


def test_k_bounds_hits_and_datasets(open_index: Open) -> None:
    index = open_index()
    index.update(1, lake())
    result = index.search("rivers class lighthouse 東京", SearchOptions(mode="lexical", k=2))
    assert len(result.hits) == len(result.datasets) == 2
    with pytest.raises(UsageError):
        index.search("rivers", SearchOptions(k=0))


@pytest.mark.parametrize("text", ["", "  ", "?!…"])
def test_an_empty_query_is_refused(open_index: Open, text: str) -> None:
    index = open_index()
    with pytest.raises(UsageError):
        index.search(text)


def test_a_result_serialises(open_index: Open) -> None:
    import json

    index = open_index()
    index.update(1, lake())
    data = json.loads(json.dumps(index.search("Danube", LEXICAL).to_dict()))
    assert {"hits", "datasets", "coverage"} <= data.keys()
    assert {"rank", "score", "dataset", "document", "kind", "title", "snippet", "why", "series"} <= data[
        "hits"
    ][0].keys()
