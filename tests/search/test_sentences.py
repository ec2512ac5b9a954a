"""Where sentences end."""

from __future__ import annotations

import pytest

from headwater.search import sentence_spans


def cut(text: str) -> list[str]:
    return [" ".join(text[a:b].split()) for a, b in sentence_spans(text)]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("It began in 1842 with Rev. Edward Sorin. It grew.", 2),
        ("Joshua C. Fjelstul, Ph.D. 1", 1),
        ("Share: 74.2% (2023 est.)\nNext: 5%", 2),
        ("He lives in the U.S. The city is big.", 2),
        ("The U.S. Army came. It left.", 2),
        ("See No. 5 and fig. 3. He said no. The end.", 3),
        ("They left (in 1999.) Then they came back.", 2),
        ('"Why?" he asked. "Because." She left.', 3),
        ("He won in 1999. 2000 was bad.", 2),
        ("About 3.2 km2) spread over a campus; Paris too. Next", 2),
        ("He met J. F. Kennedy Jr. in St. James St. yesterday", 1),
        ("東京は首都です。人口は多い。", 2),
        ("", 0),
        (" \n \n", 0),
    ],
)
def test_abbreviations_and_closing_marks(text: str, sentences: int) -> None:
    assert len(cut(text)) == sentences
    assert "".join("".join(cut(text)).split()) == "".join(text.split())


def test_a_wrapped_line_is_read_on() -> None:
    text = (
        "six years. In 2006 the president was elected again by the people of the land.\n"
        "The biggest countries of Europe are larger. The country is divided into \n"
        "six provinces, 15 regions and 432 municipalities. One of the provinces,\n"
        "an island, has a parliament of its own.\n\nNext part\n- one item that is long enough to be a wrapped line of it\n"
        "- another item\n"
    )
    found = cut(text)
    assert "The country is divided into six provinces, 15 regions and 432 municipalities." in found
    assert "One of the provinces, an island, has a parliament of its own." in found
    assert "Next part" in found and "- another item" in found


def test_lines_of_keys_and_values_stay_apart() -> None:
    lines = [f"birth / place / name {i} of a person whose life is told: Town number {i}" for i in range(5)]
    assert cut("\n".join(lines)) == lines


def test_long_texts_take_no_longer_than_their_length() -> None:
    for text in (
        " " * 300_000,
        "." * 300_000,
        " \n" * 150_000,
        "a. " * 100_000,
        "x/" * 150_000 + "\n" + "y " * 99,
    ):
        assert sentence_spans(text) is not None
