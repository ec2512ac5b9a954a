"""What run-code leaves and takes: a user's files stay as they are, and no document is lost to one of the same name."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from headwater.ingest import IngestOptions, ingest_lake
from headwater.sandbox._confine import missing_layers

pytestmark = pytest.mark.skipif(bool(missing_layers()), reason=f"no walls here: {missing_layers()}")


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("kept")
    for name, rows in (("north", "a,b\n1,2\n"), ("south", "a,b\n3,4\n5,6\n")):
        (root / name).mkdir()
        (root / name / "data.csv").write_text(rows, encoding="utf-8")
    ingest_lake(root, options=IngestOptions(workers=1))
    return root


def run(lake: Path, code: str, *more: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "headwater", "run-code", "--lake", str(lake), "--json", *more]
    done = subprocess.run(command, input=code, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_files_of_one_name_are_both_lent(lake: Path) -> None:
    code = "import os; print(sorted(n for n in os.listdir('.') if n.endswith('.csv')))"
    told = run(lake, code, "--file", "north/data.csv", "--file", "south/data.csv")
    assert told["output"].strip() == "['north__data.csv', 'south__data.csv']"


def test_a_file_that_is_there_is_not_replaced(lake: Path, tmp_path: Path) -> None:
    (tmp_path / "report.txt").write_text("mine", encoding="utf-8")
    outside = tmp_path.parent / f"{tmp_path.name}-outside.txt"
    (tmp_path / "2-report.txt").symlink_to(outside)
    told = run(lake, "open('report.txt', 'w').write('theirs')", "--out", str(tmp_path))
    assert [entry["path"] for entry in told["files"]] == [str(tmp_path / "3-report.txt")]
    assert (tmp_path / "report.txt").read_text(encoding="utf-8") == "mine"
    assert (tmp_path / "3-report.txt").read_text(encoding="utf-8") == "theirs"
    assert not outside.exists()
