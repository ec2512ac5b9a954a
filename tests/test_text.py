"""Text of unknown origin: what does not show is an escape on a terminal and to a model, and left out in a notebook."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from headwater.text import clean_text, html_table, visible

UNSEEN = "\x1b\x07\x9b\u202e\u200b\ufe0f\U000e0101\u115f\u3164\uffa0\u180b\u034f\U000e0041\u2066\ud800"


@pytest.mark.parametrize("mark", UNSEEN, ids=lambda c: f"{ord(c):x}")
def test_what_does_not_show_is_an_escape_or_left_out(mark: str) -> None:
    assert visible(f"a{mark}b") == f"a{ascii(mark)[1:-1]}b"
    assert clean_text(f"a{mark}b") == "ab"
    shown = html_table([f"a{mark}b"], [[f"a{mark}b"], [[f"a{mark}b"]]], f"a{mark}b")
    assert mark not in shown and shown.count(">ab<") == 4


def test_what_shows_stays() -> None:
    text = "naïve 漢字 Ελλάδα हिन्दी 각 … ﷺ «x» 👍🏽"
    assert visible(text) == text == clean_text(text)
    assert visible("a\nb\r\t", lines=True) == "a\nb\\r\\t"
    assert visible("a\nb") == "a\\nb"
    assert visible(None) == ""


def test_every_character_that_shows_nothing_is_an_escape() -> None:
    hidden = [c for c in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(c) in ("Cc", "Cf", "Cs")]
    assert all(c not in visible(c) for c in hidden)


def test_markup_is_escaped() -> None:
    shown = html_table(["<script>"], [["<img onerror=x>"], [None]], "a & b")
    assert "<script" not in shown and "<img" not in shown and "<p>a &amp; b</p>" in shown
