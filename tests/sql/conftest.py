from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from headwater.errors import AmbiguousError, NotFoundError
from headwater.sql import SeriesMember, SeriesRef, SqlEngine, TableRef

TEAMS = ["Brazil", "Germany", "Italy", "Côte d'Ivoire", "Nowhere"]


class Tables:
    """A catalog in memory: full names, and file names that are unique."""

    def __init__(self) -> None:
        self.tables: dict[str, TableRef | SeriesRef] = {}

    def names(self) -> list[str]:
        return list(self.tables)

    def resolve(self, reference: str) -> TableRef | SeriesRef:
        if reference in self.tables:
            return self.tables[reference]
        short = [name for name in self.tables if reference in (name.rsplit("/", 1)[-1], stem(name))]
        if len(short) > 1:
            raise AmbiguousError(f"{reference} fits {len(short)} tables.", nearest=short)
        if not short:
            raise NotFoundError(f"There is no table {reference!r}.")
        return self.tables[short[0]]


def stem(name: str) -> str:
    return name.rsplit("/", 1)[-1].split(".")[0]


def write_table(folder: Path, name: str, columns: dict[str, Any]) -> TableRef:
    table = pa.table(columns)
    rows = pa.array(range(1, table.num_rows + 1), pa.int64())
    lines = pa.array(range(2, table.num_rows + 2), pa.int64())
    path = folder / (name.replace("/", "_").replace("#", "_") + ".parquet")
    pq.write_table(table.add_column(0, "_line", lines).add_column(0, "_row", rows), path)
    names = tuple((column, "text") for column in table.column_names)
    return TableRef(name, name.rsplit("/", 1)[-1], (path,), names, table.num_rows)


def make_series(folder: Path) -> SeriesRef:
    """Three members: other names, other order, a missing column, numbers once as text."""
    first = write_table(folder, "census/2000.csv", {"State": ["TX", "NY"], "Population": [10, 20]})
    second = write_table(folder, "census/2001.csv", {"pop": [11.5], "state name": ["TX"], "area": [3]})
    third = write_table(folder, "census/2002.csv", {"State": ["NY"], "area": ["3 km"], "Population": [21]})
    maps = [
        {"state": "State", "population": "Population"},
        {"state": "state name", "population": "pop", "area": "area"},
        {"state": "State", "population": "Population", "area": "area"},
    ]
    members = tuple(
        SeriesMember(table, columns, {"_document": table.id, "year": stem(table.id)})
        for table, columns in zip((first, second, third), maps, strict=True)
    )
    return SeriesRef(
        "series:census",
        "census",
        (("state", "text"), ("area", "text"), ("population", "number")),
        (("_document", "text"), ("year", "integer")),
        members,
    )


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("parquet")


@pytest.fixture(scope="session")
def tables(folder: Path) -> Tables:
    found = Tables()
    goals = {
        "id": list(range(3000)),
        "team": [TEAMS[i % 5] for i in range(3000)],
        'odd "name"; --': [i % 7 for i in range(3000)],
        "minute": [None if i % 10 == 0 else float(i % 90) for i in range(3000)],
    }
    found.tables = {
        "cup/files/goals.csv": write_table(folder, "cup/files/goals.csv", goals),
        "cup/files/teams.csv": write_table(
            folder, "cup/files/teams.csv", {"name": TEAMS[:4], "coach": ["A", "B", "C", "D"]}
        ),
        "cup/book.xlsx#Sheet 1": write_table(folder, "cup/book.xlsx#Sheet 1", {"a": [1, 2], "b": ["x", "y"]}),
        "one/data.csv": write_table(folder, "one/data.csv", {"v": [1]}),
        "two/data.csv": write_table(folder, "two/data.csv", {"v": [2]}),
        "series:census": make_series(folder),
    }
    return found


@pytest.fixture(scope="session")
def engine(tables: Tables, folder: Path) -> Iterator[SqlEngine]:
    with SqlEngine(tables, read_roots=[folder]) as opened:
        yield opened


@pytest.fixture(scope="session")
def values(engine: SqlEngine) -> Callable[[str], list[list[Any]]]:
    """Run a statement and return its rows."""
    return lambda sql: engine.query(sql).rows
