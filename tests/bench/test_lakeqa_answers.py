"""Cleaning and exact match of LakeQA's harness, worked out by hand from its description."""

from __future__ import annotations

import pytest

from headwater.bench.lakeqa import clean, exact, lenient, normalise, strict, token_f1


@pytest.mark.parametrize(
    ("submitted", "cleaned"),
    [
        ("[Franklin County]", "Franklin County"),
        ("It is [A] or [B].", "A"),
        ("[]", ""),
        ("Answer: Ohio", "Ohio"),
        ("final answer:  'Ohio'", "Ohio"),
        ("[Final Answer: “Ohio”]", "Ohio"),
        ("The answer: Ohio", "The answer: Ohio"),  # only a leading one goes
        ("June 2014", "2014"),
        ("[12 counties]", "12"),
        ("[1,234]", "1234"),
        ("$1,234.50", "1234.50"),
        ("[-5]", "-5"),
        ("06/18", "06/18"),  # two numbers
        ("13,482,468, 1571", "13,482,468, 1571"),
        ("40,210 and more", "40210"),
        ("[no number [nested]]", "no number [nested"),
        ("", ""),
    ],
)
def test_cleaning(submitted: str, cleaned: str) -> None:
    assert clean(submitted) == cleaned


@pytest.mark.parametrize(
    ("submitted", "reference", "with_cleaning", "without"),
    [
        ("[28]", "28", True, True),
        ("1,234", "1234", True, False),
        ("1234", "1,234", False, False),  # the reference is not cleaned: "1,234" becomes "1 234"
        ("-5", "5", True, True),
        ("3.5", "3 5", True, True),
        ("3.50", 3.5, False, False),
        ("28", 28, True, True),
        ("28.0", 28, False, False),
        ("June 2014", "June 2014", False, True),  # cleaning leaves "2014"
        ("June 2014", "2014", True, False),
        ("[12 counties]", "12", True, False),
        ("FRANKLIN  county.", "Franklin County", True, True),
        ("São Paulo", "Sao Paulo", False, False),
        ("B, A", "A, B", False, False),
        ("New_York", "New York", False, False),  # the underscore is a word character
        ("", "", False, False),
        ("[]", "]", False, False),
        (None, "None", False, False),
    ],
)
def test_exact_match(submitted: object, reference: object, with_cleaning: bool, without: bool) -> None:
    assert exact(submitted, reference) is with_cleaning
    assert exact(submitted, reference, cleaned=False) is without
    assert strict(submitted, reference) is (with_cleaning or without)


def test_lenient_takes_variants() -> None:
    assert lenient("[Franklin]", ["Franklin County", "Franklin"])
    assert not lenient("Frank", ["Franklin County", "Franklin"])
    assert not lenient("", ["", "x"])


def test_token_f1_is_over_multisets() -> None:
    assert token_f1("[York, Castleford]", "York, Castleford, Leeds") == pytest.approx(2 * 2 / 5)
    assert token_f1("a a b", "a b b") == pytest.approx(2 * 2 / 6)
    assert token_f1("June 2014", "June 2014") == pytest.approx(2 / 3), "F1 is of the cleaned answer"
    assert token_f1(None, "x") == 0.0


def test_normalisation() -> None:
    assert normalise("  A-b\tC’d\n3.5 ") == "a b c d 3 5"
