"""The parts of a reading: kinds of cells, comparisons, periods, SQL."""

from __future__ import annotations

import pytest

from headwater.answers._cells import kind_of, number_of
from headwater.answers._link import _comparisons, _periods
from headwater.answers._words import header_words, lexicon, numeral, plain, root, words


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["1,200", "3 km", "$4.5"], "number"),
        (["3-1", "2-2", "0-4"], "text"),
        (["8:17.73", "9:01.2"], "duration"),
        (["5 March 2009", "12 May 2010"], "date"),
        (["1990", "1991-92", "2004 (est.)"], "year"),
        (["Oslo", "Bergen"], "text"),
        (["-", ""], "text"),
    ],
)
def test_kinds(cells: list[str], kind: str) -> None:
    assert kind_of(cells)[0] == kind


@pytest.mark.parametrize(
    ("text", "number"), [("1,234 m", 1234), ("−5", -5), (".22", 0.22), ("none", None), ("4–1", 4)]
)
def test_first_number(text: str, number: float | None) -> None:
    assert number_of(text) == number


@pytest.mark.parametrize(
    ("question", "sign", "value", "until"),
    [
        ("more than 30,000 people", ">", 30000, None),
        ("50 or fewer", "<=", 50, None),
        ("after 1990", ">", 1990, None),
        ("between 1990 and 1995", ">=", 1990, 1995),
        ("in the 1980's", ">=", 1980, 1989),
        ("from 1997-2014", ">=", 1997, 2014),
    ],
)
def test_comparisons(question: str, sign: str, value: float, until: float | None) -> None:
    found = next(_comparisons(plain(question), words(question)))
    assert (found.sign, found.value, found.until) == (sign, value, until)


def test_times_are_no_numbers() -> None:
    question = "a time above 1:00"
    assert not list(_comparisons(plain(question), words(question)))


@pytest.mark.parametrize(
    ("text", "period"),
    [
        ("july 2020", ("2020-07-01", "2020-08-01")),
        ("december 2019", ("2019-12-01", "2020-01-01")),
        ("may 4, 1999", ("1999-05-04", "1999-05-05")),
    ],
)
def test_periods(text: str, period: tuple[str, str]) -> None:
    tokens = words(text)
    assert next(_periods(tokens, [numeral(w) for w in tokens])).period == period


def test_words() -> None:
    assert words("The 3rd Café's 1,200") == ("the", "3", "cafe", "1,200")
    assert header_words("playerID") == ("player", "id")
    assert root("played") == root("plays") == root("playing")


def test_lexicon_is_whole() -> None:
    vocabulary = lexicon()
    assert list(vocabulary.forms)[-1] == "other"
    assert vocabulary.nations[("german",)] == vocabulary.nations[("germany",)]
    assert not vocabulary.stop & {"may", "most"}
