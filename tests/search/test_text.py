"""Words, queries and snippets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.search._query import edit_distance, expand, nearest_term, parse_query, spelling_variants
from headwater.search._records import Card, CardColumn, dataset_card, split_passages
from headwater.search._snippets import Matcher, reasons, snippet
from headwater.search._text import PADDING, name_words, normalise, terms_of


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Café", "cafe"),
        ("Straße", "strasse"),
        ("ﬁle", "file"),
        ("soft\u00adware", "software"),
        ("zero\u200bwidth", "zerowidth"),
        ("ｆｕｌｌ", "full"),
        ("Ёлка", "елка"),
        ("مَدِينَة", "مدينه"),
        ("المدينة", "مدينة"),
        ("ｶﾞｽ", "ガス"),
        ("houses", "House"),
        ("städte", "STADTE"),
    ],
)
def test_spellings_of_one_word(one: str, other: str) -> None:
    assert terms_of(one) == terms_of(other) != []


def test_marks_that_change_the_letter_stay() -> None:
    assert terms_of("かき") != terms_of("がき")
    assert terms_of("हिन्दी") != terms_of("हन्द")


def test_runs_without_spaces_become_pairs() -> None:
    assert terms_of("東京都") == ["東京", "京都"]
    assert terms_of("in 東京 2020") == ["in", "東京", "2020"]
    assert set(terms_of("กรุงเทพ")) <= set(terms_of("กรุงเทพมหานคร"))


def test_padding_is_found_by_nothing() -> None:
    assert normalise(f"a{PADDING}b") == "ab"
    assert parse_query(PADDING).terms == ()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("home_team", {"home_team"}),
        ("homeTeam", {"home", "Team", "homeTeam"}),
        ("GDPPerCapita2014", {"GDP", "Per", "Capita", "2014", "GDPPerCapita2014"}),
    ],
)
def test_words_of_names(name: str, words: set[str]) -> None:
    assert set(name_words(name).split()) == words


@given(st.text(max_size=300))
def test_any_text_can_be_analyzed_and_asked(text: str) -> None:
    terms = terms_of(text)
    assert terms == terms_of(normalise(text)) or not text.isascii()
    parsed = parse_query(text)
    assert {t.text for t in parsed.terms} <= {t for w in parsed.words.values() for t in terms_of(w)}


def test_function_words_are_dropped_unless_alone() -> None:
    assert [t.text for t in parse_query("how many of the trees").terms] == ["tree"]
    assert [t.text for t in parse_query("The Who").terms] == ["the", "who"]


def test_phrases() -> None:
    parsed = parse_query('size of “class rooms” and "x"')
    assert parsed.phrases == (("class", "room"),)
    assert [t.text for t in parsed.terms] == ["size", "class", "room", "x"]


def test_a_long_query_is_cut_and_told() -> None:
    parsed = parse_query(" ".join(f"word{n}" for n in range(100)))
    assert len(parsed.terms) == 64
    assert parsed.notes


@pytest.mark.parametrize(
    ("word", "variant"),
    [
        ("colour", "color"),
        ("labor", "labour"),
        ("organisation", "organization"),
        ("centre", "center"),
        ("gray", "grey"),
    ],
)
def test_regular_spelling_differences(word: str, variant: str) -> None:
    assert variant in spelling_variants(word)


@pytest.mark.parametrize(
    ("a", "b", "distance"),
    [("word", "word", 0), ("word", "wodr", 1), ("word", "ward", 1), ("word", "words", 1), ("abcdef", "badcfe", 3), ("a", "xyz", 3)],
)  # fmt: skip
def test_edit_distance(a: str, b: str, distance: int) -> None:
    assert edit_distance(a, b, 5) == distance
    assert edit_distance(a, b, distance) == distance
    if distance:
        assert edit_distance(a, b, distance - 1) == distance


@given(st.text("abc", max_size=6), st.text("abc", max_size=6))
def test_edit_distance_is_symmetric_and_bounded(a: str, b: str) -> None:
    assert edit_distance(a, b, 9) == edit_distance(b, a, 9) <= max(len(a), len(b))


def test_the_nearest_term() -> None:
    held = {"econom": 5, "economi": 50, "ecolog": 9, "x": 1}

    def similar(term: str, edits: int) -> list[tuple[str, int]]:
        return [(t, n) for t, n in held.items() if t[0] == term[0]]

    assert nearest_term("econmi", similar) == "economi"
    assert nearest_term("abc", similar) is None
    assert nearest_term("2019", similar) is None
    parsed = expand(parse_query("econmi zzzz"), lambda t: held.get(t, 0), similar)
    assert [t.alternatives for t in parsed.terms] == [("economi",), ()]
    assert len(parsed.notes) == 1


@given(st.lists(st.text("ab \n", min_size=0, max_size=5), max_size=60), st.integers(2, 12), st.integers(0, 1))
def test_passages_cover_every_word(pieces: list[str], words: int, overlap: int) -> None:
    text = " ".join(pieces)
    windows = list(split_passages(text, words=words, overlap=overlap))
    assert all(text[start : start + len(window)] == window for start, window in windows)
    joined: list[str] = []
    for number, (_, window) in enumerate(windows):
        assert 0 < len(window.split()) <= words
        joined += window.split()[overlap if number else 0 :]
    assert joined == text.split()


def test_passages_of_the_paper() -> None:
    windows = [w.split() for _, w in split_passages(" ".join(map(str, range(2000))))]
    assert [(w[0], w[-1]) for w in windows] == [("0", "799"), ("700", "1499"), ("1400", "1999")]


def test_text_without_spaces_is_cut_too() -> None:
    assert len(list(split_passages("字" * 400_000))) == 3


def test_a_snippet_takes_the_place_with_most_terms() -> None:
    text = "apple " + "filler " * 100 + "Apples and pears, " + "filler " * 100
    line, marks = snippet(text, Matcher(frozenset(terms_of("apple pear"))), 80)
    assert [line[a:b] for a, b in marks] == ["Apples", "pears"]
    assert line.startswith("…")
    assert line.endswith("…")


@given(st.text(max_size=200), st.text(min_size=1, max_size=20), st.integers(10, 60))
def test_snippets_hold_for_any_text(text: str, query: str, length: int) -> None:
    line, marks = snippet(text, Matcher(parse_query(query).matched_terms()), length)
    assert len(line) <= length + 2
    assert "\n" not in line
    for a, b in marks:
        assert 0 <= a < b <= len(line)


def test_reasons_name_columns_and_values() -> None:
    card = Card(
        dataset="a/b", document="a/b/c.csv", title="Films", tags=("movies",),
        columns=(CardColumn(name="director", values=("Akira Kurosawa", "Agnès Varda")), CardColumn(name="box_office")),
    )  # fmt: skip
    assert reasons(card, Matcher(frozenset(terms_of("varda")))) == ["value of director: Agnès Varda"]
    assert reasons(card, Matcher(frozenset(terms_of("office film movie")))) == [
        "title: Films",
        "tag: movies",
        "column: box_office",
    ]
    assert reasons(card, Matcher(frozenset(["nothing"]))) == []


def test_a_dataset_card_speaks_of_every_document() -> None:
    many = [
        Card(dataset="d/d", document=f"d/d/{n}.csv", kind="table", years=(2000 + n,),
             columns=tuple(CardColumn(name=f"{n}-{c}", values=tuple("abcdefghijkl")) for c in range(50)))
        for n in range(10)
    ]  # fmt: skip
    card = dataset_card("d/d", many, title="T", max_columns=20, max_values=3)
    assert card.document == ""
    assert {c.name.split("-")[0] for c in card.columns} == {str(n) for n in range(10)}
    assert card.columns[0].values == ("a", "b", "c")
    assert card.years == tuple(range(2000, 2010))
    assert card.kind == "table"
