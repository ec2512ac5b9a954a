"""The command line as a whole: exit codes, one shape of errors, flags in any place, nothing but JSON with --json."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import headwater

ROOT = Path(__file__).parents[2]
LAKE = ROOT / "examples" / "lake"


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cli") / "state"
    headwater.ingest_lake(LAKE, state=folder)
    return folder


def call(*arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    env = {k: v for k, v in os.environ.items() if not k.startswith("HEADWATER_")}
    return subprocess.run(
        [sys.executable, "-m", "headwater", *arguments], capture_output=True, encoding="utf-8", env=env | environ, cwd=ROOT
    )  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nothing"], "No such command 'nothing'."),
        (["search"], "Missing argument 'query'."),
        (["search", "x", "--nope"], "No such option: --nope"),
        (["search", "x", "-k", "0"], "'-k' / '--limit'"),
        (["status", "y"], "extra argument"),
        (["graph", "nothing"], "No such command 'nothing'."),
        (["search", "x", "--lake"], "--lake needs a value."),
    ],
)
def test_a_wrong_call_is_a_usage_error(arguments: list[str], told: str) -> None:
    done = call(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("Error: ") and told in done.stderr.splitlines()[0]
    machine = call(*arguments, "--json")
    found = json.loads(machine.stdout)
    assert (machine.returncode, found["ok"], found["error"]["kind"]) == (2, False, "usage")


def test_version() -> None:
    assert call("--version").stdout == f"headwater {headwater.__version__}\n"


@pytest.mark.parametrize("arguments", [[], ["graph"], ["--help"], ["search", "-h"]])
def test_help(arguments: list[str]) -> None:
    done = call(*arguments)
    assert done.returncode == 0
    assert done.stdout.startswith("Usage: headwater")


def test_flags_stand_before_or_after_the_verb(state: Path) -> None:
    flags = ["--lake", str(LAKE), f"--state={state}", "--json"]
    before, after = call(*flags, "status"), call("status", *flags)
    by_environment = call("status", "--json", HEADWATER_LAKE=str(LAKE), HEADWATER_STATE=str(state))
    assert before.returncode == after.returncode == by_environment.returncode == 0
    assert json.loads(before.stdout) == json.loads(after.stdout) == json.loads(by_environment.stdout)
    assert before.stderr == ""


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["search", "dams"], 0, ""),
        (["search", "qqqzzz", "--mode", "lexical"], 1, ""),
        (["inspect", "nothing-like-it"], 1, "There is no document 'nothing-like-it'."),
        (["inspect", "README.md"], 0, ""),
        (["inspect", "metadata.json"], 2, "fits"),
        (["read", "planets.xlsx#Giant planets"], 0, ""),
        (["sql", "select count(*) from t('planets.xlsx')"], 2, "holds 2 tables"),
        (["sql", "select 1 from t('elements-backup.parquet')"], 1, "holds no table: failed"),
        (["sql", "select Populaton from t('population-2020.csv')"], 1, "Populaton"),
        (["sql", "drop table x"], 2, "DROP"),
        (["status", "--lake", "nowhere"], 5, "There is no lake"),
    ],
)
def test_exit_codes(state: Path, arguments: list[str], code: int, told: str) -> None:
    done = call(*arguments, HEADWATER_LAKE=str(LAKE), HEADWATER_STATE=str(state))
    assert done.returncode == code, done.stderr
    assert told in done.stderr
    assert ("Error" in done.stderr) == (code > 0 and told != "")


def test_trust_says_what_it_did(tmp_path: Path) -> None:
    (tmp_path / "headwater.toml").write_text("[search]\nlimit = 3\n", encoding="utf-8")
    home = {"XDG_STATE_HOME": str(tmp_path / "home")}
    assert "headwater.toml" in call("trust", str(tmp_path), **home).stdout
    assert (
        call("trust", str(tmp_path), "--revoke", **home).stdout
        == "Nothing in this lake is trusted any more.\n"
    )
    (tmp_path / "headwater.toml").unlink()
    assert call("trust", str(tmp_path), **home).stdout == "There is nothing in this lake to trust.\n"


def test_errors_show_control_characters_of_names(state: Path) -> None:
    done = call("inspect", "no\x1b[31m\u202esuch", "--lake", str(LAKE), "--state", str(state))
    assert "\\x1b[31m\\u202esuch" in done.stderr
    assert "\x1b" not in done.stderr
