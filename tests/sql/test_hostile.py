"""The handed hostile statements, at the engine itself; the command line has its own check."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from headwater.errors import HeadwaterError, NotFoundError
from headwater.sql import SqlEngine, TableRef

CASES = Path(__file__).parents[2].parent / "shared" / "data" / "hostile" / "sql.jsonl"
SLOW = {"time", "spill"}


def cases() -> list[Any]:
    if not CASES.exists():
        return [pytest.param(None, marks=pytest.mark.skip(reason="the handed data is not here"))]
    lines = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    return [pytest.param(line, id=line["id"]) for line in lines]


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[SqlEngine, Path]]:
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "outside").mkdir()
    (folder / "outside" / "secret.txt").write_text("canary4711", encoding="utf-8")
    numbers = list(range(1, 1001))
    path = folder / "lake_table.parquet"
    pq.write_table(pa.table({"_row": numbers, "_line": numbers, "v": numbers}), path)
    table = TableRef("lake_table.csv", "lake_table", (path,), (("v", "integer"),), 1000)

    class One:
        def names(self) -> list[str]:
            return ["lake_table"]

        def resolve(self, reference: str) -> TableRef:
            if reference != "lake_table":
                raise NotFoundError(f"There is no table {reference!r}.")
            return table

    with SqlEngine(One(), deadline_s=15.0) as engine:
        yield engine, folder


@pytest.mark.handed
@pytest.mark.parametrize("case", cases())
def test_every_line_holds(lake: tuple[SqlEngine, Path], case: dict[str, Any]) -> None:
    engine, folder = lake
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    deadline = 3.0 if case["group"] in SLOW else None
    try:
        answer = json.dumps(engine.query(case["sql"], deadline_s=deadline).to_dict())
        answered = True
    except HeadwaterError as error:
        answer, answered = json.dumps(error.to_dict()), False
    assert "canary4711" not in answer
    assert str(folder) not in answer
    if case.get("control"):
        assert answered
    if case["safe_outcome"].startswith("refused with"):
        assert not answered
    assert before == {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert engine.query("select count(*) from lake_table").rows == [[1000]]
