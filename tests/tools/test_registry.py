"""The registry: schemas from signatures, checked arguments, helpful errors; and both sets of tools over a lake."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.lakes import make_lake

from headwater.errors import HeadwaterError, LimitError, NotFoundError, UsageError
from headwater.ingest import ingest_lake
from headwater.lake import Lake
from headwater.tools import LAKEQA_TOOLS, TOOLS, LakeQaSession


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = make_lake(tmp_path_factory.mktemp("tools") / "lake", datasets=3)
    ingest_lake(made)
    return made


@pytest.fixture
def lake(root: Path):
    with Lake.find(root) as opened:
        yield opened


def test_schemas_come_from_signatures() -> None:
    schema = TOOLS["search"].input_schema()
    assert schema["required"] == ["query"]
    assert schema["properties"]["mode"]["enum"] == ["lexical", "vector", "hybrid"]
    assert schema["properties"]["year"]["type"] == "integer"
    assert schema["properties"]["k"]["default"] == 10
    assert all(
        p["description"] for t in (*TOOLS, *LAKEQA_TOOLS) for p in t.input_schema()["properties"].values()
    )
    assert all(t.description and t.title for t in (*TOOLS, *LAKEQA_TOOLS))


def test_only_the_tools_that_write_say_so() -> None:
    assert all(t.read_only for t in TOOLS)
    assert [t.name for t in LAKEQA_TOOLS if not t.read_only] == ["download", "execute_code", "submit_answer"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "needs query"),
        ({"query": 5}, "of type string"),
        ({"query": "x", "mode": "fuzzy"}, "one of lexical, vector, hybrid"),
        ({"query": "x", "colour": "red"}, "no argument 'colour'"),
        ({"query": "x", "k": True}, "of type integer"),
        ({"query": None}, "query must be of type string, not None"),
        ({"query": "x", "k": None}, "k must be of type integer, at least 1, at most 1,000, not None"),
        ({"query": "x", "k": 0}, "k must be of type integer, at least 1"),
        ({"query": "x", "also": ["y", None]}, "also must be a list of strings"),
        ({"query": "x", "year": 10**30}, "year is too large"),
        ({"query": "x", "year": float("nan")}, "year must be a finite number, not nan"),
        ({"query": "x\ud800"}, "query is no valid text: half a character stands at position 2"),
        ({"query": "x", "also": ["\udfff"]}, "also is no valid text"),
        ({"query": "x", "mode": "y" * 10_000}, r"hybrid, not 'y{78}….$"),
        ({"query": "x", "k": [10**5_000]}, "k must be of type integer"),
    ],
)
def test_bad_arguments_are_named(lake: Lake, arguments: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        TOOLS["search"].call(lake, arguments)


def test_null_stands_for_what_is_left_out_where_nothing_is_the_default(lake: Lake) -> None:
    assert TOOLS["search"].call(lake, {"query": "water", "format": None, "year": None, "also": None}).hits


@pytest.mark.parametrize("seconds", [float("inf"), float("-inf"), float("nan"), 10**400])
def test_no_number_without_an_end_passes(lake: Lake, seconds: float) -> None:
    with pytest.raises(UsageError, match="deadline_s"):
        TOOLS["sql"].call(lake, {"statement": "select 1", "deadline_s": seconds})


def test_an_unknown_tool_names_the_nearest() -> None:
    with pytest.raises(NotFoundError) as caught:
        TOOLS["serch"]
    assert caught.value.nearest[0] == "search"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search", {"query": "water board"}),
        ("list", {}),
        ("list", {"dataset": "basin-01", "limit": 2}),
        ("inspect", {"document": "water/basin-01/files/levels_2020.csv"}),
        ("read", {"document": "water/basin-01/files/notes.txt", "limit": 50}),
        ("related", {"document": "water/basin-01/files/levels_2020.csv"}),
        ("sql", {"statement": "select count(*) from t('water/basin-01/files/levels_2020.csv')"}),
        ("status", {}),
    ],
)
def test_every_tool_answers_with_json(lake: Lake, tool: str, arguments: dict[str, object]) -> None:
    import json

    assert json.dumps(TOOLS[tool].call(lake, arguments).to_dict())


def test_a_list_says_what_it_leaves_out(lake: Lake) -> None:
    found = TOOLS["list"].call(lake, {"dataset": "basin-01", "limit": 2}).to_dict()
    assert found["window"] == {"offset": 0, "shown": 2, "total": 8, "left_out": 6}


def test_names_that_do_not_exist_name_the_nearest(lake: Lake) -> None:
    with pytest.raises(NotFoundError) as caught:
        lake.inspect("water/basin-01/files/levels_2030.csv")
    assert "water/basin-01/files/levels_2020.csv" in caught.value.nearest
    with pytest.raises(HeadwaterError) as ambiguous:
        lake.read("levels_2020.csv")
    assert len(ambiguous.value.nearest) == 3


def test_the_baseline_set_follows_the_paper(lake: Lake, tmp_path: Path) -> None:
    session = LakeQaSession(lake, tmp_path)
    call = lambda name, **arguments: LAKEQA_TOOLS[name].call(session, arguments).to_dict()  # noqa: E731
    found = call("search", prefixes=["basin-0"])
    assert [r["dataset_id"] for r in found["results"]] == ["basin-00", "basin-01", "basin-02"]
    assert call("search", prefixes=["Basin"])["count"] == 0  # case-sensitive
    with pytest.raises(UsageError):
        call("search", prefixes=["b"])
    title = next(d.title for d in lake.catalog.datasets() if d.id == "water/basin-02")
    assert call("search_keyword", keywords=[title])["results"][0]["dataset_id"] == "basin-02"
    listed = call("list_files", dataset_ids=["basin-01", "nowhere"])
    assert listed["datasets"]["basin-01"] == {"count": 8, "truncated": False}
    assert "unknown" in listed["datasets"]["nowhere"]["error"]
    seen = call("inspect_file", dataset_id="basin-01", file_path="files/levels_2020.csv")
    assert seen["header_columns"] == ["station", "measured_on", "level_m"] and seen["delimiter_guess"] == ","
    wanted = {"dataset_id": "basin-01", "file_path": "files/levels_2020.csv"}
    copied = call("download", files=[wanted])
    assert (tmp_path / copied["downloaded"][0]["local_path"]).read_bytes()
    with pytest.raises(LimitError):
        call("download", files=[wanted] * 6)
    with pytest.raises(UsageError, match="a list, each an object with dataset_id, file_path"):
        call("download", files=[{"dataset_id": "basin-01"}])
    ran = call("execute_code", code="print(len(pd.read_csv(FILES[0]))); open('kept.txt', 'w').write('x')")
    assert (ran["output"].strip(), ran["success"]) == ("12", True)
    assert ran["files"] == ["basin-01/files/levels_2020.csv", "kept.txt"] and ran["dataset_ids"] == [
        "basin-01"
    ]
    failed = call("execute_code", code="print(open('kept.txt').read()); 1 / 0")
    assert failed["output"].startswith("x") and "ZeroDivisionError" in failed["error"]
    assert session.retrieved == {"basin-00", "basin-01", "basin-02"} and session.accessed == {"basin-01"}
    call("submit_answer", answer="[42]")
    assert session.submitted and session.submitted["answer"] == "[42]"
