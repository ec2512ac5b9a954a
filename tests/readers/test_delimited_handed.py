"""The handed lake: no table loses a record, gets a silly header, or warns without need."""

from __future__ import annotations

from pathlib import Path

import pytest

from headwater.readers import ReadOptions
from headwater.readers._delimited import read_delimited

LAKE = Path(__file__).parents[2].parent / "shared" / "data" / "lake"

pytestmark = [
    pytest.mark.handed,
    pytest.mark.skipif(not LAKE.exists(), reason="the handed data is not in ../shared"),
]


def test_tables_of_the_lake_are_whole_and_quiet() -> None:
    files = sorted([*LAKE.rglob("*.csv"), *LAKE.rglob("*.tsv")])
    warned, unnamed, different = [], [], []
    for path in files:
        result = read_delimited(path, path.name, ReadOptions())
        table = result.tables[0]
        if table.source_records is not None and len(result.tables) == 1:
            loaded = table.data.row_count + len(table.quarantined) + table.extra["footer_rows"]
            different += [path.name] * (table.source_records != loaded)
        unnamed += [path.name] * (table.extra["header_rows"] == 0)
        warned += [path.name] * bool(result.warnings or table.warnings)
    assert different == []
    assert unnamed == []
    assert len(warned) <= 0.05 * len(files)
