"""What names and cells of a lake may hold never reaches a terminal as it is: every verb, text and JSON, with a session and without."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.unseen import UNSEEN

from headwater.ingest import IngestOptions, ingest_lake

MARKS = "\x1b[31m\x1b]0;x\x07 \x9b31m \u202eabc \u200b \U000e0041"


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("marks") / "lake"
    for place in (f"gau{MARKS}ges", "towns"):
        (root / place).mkdir(parents=True)
    (root / f"gau{MARKS}ges" / f"lev{MARKS}els.csv").write_text(f"gauge,{MARKS}\nG1,4\n", "utf-8")
    metadata = {"title": f"Levels {MARKS}", "description": f"Of gauges {MARKS}"}
    (root / f"gau{MARKS}ges" / "metadata.json").write_text(json.dumps(metadata), "utf-8")
    (root / "towns" / "cells.csv").write_text(f'town,mayor\nMillford,"Ann {MARKS}"\n', "utf-8")
    (root / "towns" / "page.md").write_text(
        f"# Mill {MARKS}\n\nThe mayor of Millford is Ann {MARKS} Dunn.\n", "utf-8"
    )
    ingest_lake(root, options=IngestOptions(workers=1))
    return root


def run(lake: Path, *arguments: str, session: str = "") -> str:
    environment = {**os.environ, "HEADWATER_LAKE": str(lake), "HEADWATER_SESSION": session}
    command = [sys.executable, "-m", "headwater", *arguments]
    done = subprocess.run(command, capture_output=True, env=environment, check=False)
    return (done.stdout + done.stderr).decode("utf-8")


@pytest.mark.parametrize("flags", [[], ["--json"]])
@pytest.mark.parametrize("recorded", [False, True])
def test_no_verb_prints_what_a_terminal_obeys(lake: Path, flags: list[str], recorded: bool) -> None:
    session = run(lake, "session", "new", f"q {MARKS}").strip() if recorded else ""
    table = f"gau{MARKS}ges/lev{MARKS}els.csv"
    verbs = [
        ["list"],
        ["list", f"gau{MARKS}ges"],
        ["search", "levels gauge"],
        ["search", "mayor of Millford"],
        ["inspect", table],
        ["read", table],
        ["read", "towns/page.md"],
        ["related", table],
        ["sql", f"select * from t('{table}')"],
        ["sql", "select * from t('cells.csv')"],
        ["sql", f"select nothing from t('{table}')"],
        ["sql", f"select '{MARKS}' as x", "--explain"],
        ["inspect", f"levl{MARKS}"],
        ["ask", "Who is the mayor of Millford?"],
        *([["submit", f"Ann {MARKS}", "--source", table], ["trace", "show"]] if recorded else []),
    ]
    for verb in verbs:
        told = run(lake, *verb, *flags, session=session)
        assert not UNSEEN.search(told), (verb, UNSEEN.findall(told))
        assert told.strip()


def test_json_keeps_every_character(lake: Path) -> None:
    told = json.loads(run(lake, "sql", "select mayor from t('cells.csv')", "--json"))
    assert told["rows"] == [[f"Ann {MARKS}"]]
