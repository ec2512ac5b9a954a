"""Prose with a table in it: the document is the text, its table has a name of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from headwater.errors import NotFoundError
from headwater.ingest import ingest_lake
from headwater.lake import Lake

README = """# River gauges

Levels are read at noon, from the quay.

| code | meaning |
|---|---|
| a | above |
| b | below |

Gaps are left as they are.
"""


@pytest.mark.parametrize("name", ["README.md#table 1", "gauges/rivers/README.md#1"])
def test_text_and_table_of_a_readme_are_both_at_hand(name: str, tmp_path: Path) -> None:
    (tmp_path / "gauges" / "rivers").mkdir(parents=True)
    (tmp_path / "gauges" / "rivers" / "README.md").write_text(README, encoding="utf-8")
    ingest_lake(tmp_path)
    with Lake.find(tmp_path) as lake:
        text = lake.read("README.md").text
        assert "read at noon" in text
        assert "Gaps are left" in text
        rows = lake.read(name)
        assert (rows.kind, [cells for _, _, cells in rows.rows]) == ("rows", [["a", "above"], ["b", "below"]])
        assert lake.sql(f"select meaning from t('{name}')").rows == [["above"], ["below"]]
        assert lake.sql("select count(*) from t('README.md')").rows == [[2]]
        with pytest.raises(NotFoundError):
            lake.sql("select * from t('README.md#table 2')")
        with pytest.raises(NotFoundError):
            lake.read("README.md#other")
