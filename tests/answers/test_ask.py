"""Questions over a table: what is read, how it is proven, and when nothing is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from headwater.answers import Answer, Program, ask_table, replay
from headwater.errors import NotFoundError, UsageError

TABLE = """Rank,Name,Nation,Year,Height,Result
1,Alder Tower,Canada,1990,210 m,W 3-1
2,Birch House,Canada,2001,180 m (591 ft),L 0-2
3,Cedar Hall,France,2004,175 m,W 2-0
4,Dogwood Point,Norway,2010,170 m,D 1-1
5,Elm Court,France,2015,"1,020 m",W 4-0
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "towers.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("which nation is birch house in?", "Canada"),
        ("how many buildings are in france?", 2),
        ("who has the best rank?", "Alder Tower"),
        ("which is taller, alder tower or cedar hall?", "Alder Tower"),
        ("which year was elm court built?", "2015"),
        ("who is listed after cedar hall?", "Dogwood Point"),
        ("how many names have a year after 2003?", 3),
    ],
)
def test_answers(table: Path, question: str, value: object) -> None:
    answer = ask_table(question, table)
    assert (answer.status, answer.value) == ("answered", value), answer.text
    assert answer.program is not None
    assert answer.program.language == "sql"
    assert answer.evidence
    assert answer.inputs[0]["sha256"]


@pytest.mark.parametrize(
    "question",
    [
        "what is the salary of the architect?",
        "is alder tower taller than birch house?",
        "how many visitors came to elm court in 1950?",
        "tell me a joke",
    ],
)
def test_abstains(table: Path, question: str) -> None:
    answer = ask_table(question, table)
    assert answer.status == "abstained"
    assert answer.value is None
    assert answer.missing
    assert answer.found == [str(table)]


def test_evidence_points_to_cells(table: Path) -> None:
    answer = ask_table("which nation is birch house in?", table)
    piece = answer.evidence[0]
    assert (piece.kind, piece.locator, piece.quote) == ("cell", {"row": 2, "column": "Nation"}, "Canada")


def test_totals_are_no_rows(tmp_path: Path) -> None:
    path = tmp_path / "medals.csv"
    path.write_text("Nation,Gold\nTotal,9\nChad,5\nMali,4\n", encoding="utf-8")
    assert ask_table("which nation has the most gold?", path).value == "Chad"


def test_replay_tells_what_changed(table: Path) -> None:
    told = json.loads(json.dumps(ask_table("how many buildings are in france?", table).to_dict()))
    assert replay(told).holds
    table.write_text(TABLE.replace("Norway", "France"), encoding="utf-8")
    result = replay(told)
    assert not result.holds
    assert any("has changed" in d for d in result.differences)
    assert any("value was 2" in d for d in result.differences)


def test_replay_tells_another_value(table: Path) -> None:
    told = ask_table("how many buildings are in france?", table).to_dict()
    told["value"], told["text"] = 7, "7"
    assert replay(told).differences == ["The value was 7, the program gives [2] now."]
    table.unlink()
    assert not replay(told).holds


def test_replay_needs_an_answer() -> None:
    with pytest.raises(UsageError):
        replay({"status": "abstained", "inputs": []})


def test_bad_calls(table: Path) -> None:
    with pytest.raises(UsageError):
        ask_table("   ", table)
    with pytest.raises(NotFoundError):
        ask_table("how many rows?", table.with_name("nothing.csv"))


def test_notebook_escapes() -> None:
    shown = Answer("q", "answered", "<script>", "<script>alert(1)</script>", "<b>x</b>")._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown


def test_a_hostile_column_is_only_a_name(tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text('"Na""me; drop table data --",Points\nAnn,3\nBo,5\n', encoding="utf-8")
    answer = ask_table("how many points does bo have?", path)
    assert answer.status == "abstained" or answer.value == "5"


def test_a_notebook_shows_marks_of_direction_in_a_program() -> None:
    answer = Answer("q", "answered", 1, "1", program=Program("sql", "select 1\n-- \u202eobey"))
    assert "select 1\n-- \\u202eobey" in answer._repr_html_()
