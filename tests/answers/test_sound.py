"""What no answer may pass over, and other words for what cells hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from headwater.answers import ask_table
from headwater.answers._quote import _narrower

RACES = """Race,Winner,Nation,Laps,Year
Autumn Cup,Ash,Kenya,10,2001
Beacon Run,Bell,Norway,40,1999
Coast Loop,Cole,Kenya,25,2003
Dale Dash,Drew,Norway,10,2005
"""


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("which race is on top in laps?", "Laps"),
        ("how many laps were there in norway?", "Laps"),
        ("how many races are listed with a banner?", "condition"),
        ("what was the earliest race held?", "Year"),
    ],
)
def test_passes_over_no_condition(tmp_path: Path, question: str, missing: str) -> None:
    path = tmp_path / "races.csv"
    path.write_text(RACES, encoding="utf-8")
    answer = ask_table(question, path)
    assert (answer.status, answer.value) == ("abstained", None)
    assert missing in answer.missing


def test_states_are_known_by_their_codes(tmp_path: Path) -> None:
    path = tmp_path / "dams.csv"
    path.write_text("Dam,State\nFort Peck,MT\nHoover,NV\nHungry Horse,MT\n", encoding="utf-8")
    assert ask_table("how many dams are in montana?", path).value == 2


def test_a_sentence_that_says_less_is_no_answer() -> None:
    sentence = "Titan, the largest moon of Saturn, followed in 1655."
    assert _narrower(sentence, "What is the largest moon?")
    assert not _narrower(sentence, "What is the largest moon of Saturn?")


def test_an_address_is_no_place(tmp_path: Path) -> None:
    path = tmp_path / "quakes.csv"
    path.write_text("Place,Mag\nhttps://q.example/1,5\nhttps://q.example/2,7\n", encoding="utf-8")
    assert ask_table("which place has the largest mag?", path).status == "abstained"
