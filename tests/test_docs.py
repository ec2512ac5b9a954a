"""The documentation says what the code does: generated pages are current, names exist, snippets run."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import headwater
from headwater.cli._emit import EXIT_CODES
from headwater.layout import _datasets
from headwater.settings import SETTINGS
from headwater.sql import _engine
from tests.scripts import load_script

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
make_docs = load_script("make_docs")


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs") / "state"
    headwater.ingest_lake(ROOT / "examples" / "lake", state=folder)
    return folder


@pytest.mark.parametrize("name", make_docs.PAGES)
def test_generated_pages_are_current(name: str) -> None:
    page = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert page == make_docs.PAGES[name](), "run: python scripts/make_docs.py"


def test_output_in_the_readme_is_real(state: Path) -> None:
    assert (ROOT / "README.md").read_text(encoding="utf-8") == make_docs.readme(state), (
        "run: python scripts/make_docs.py"
    )


def test_every_command_option_and_exit_code_is_documented() -> None:
    import typer

    from headwater.cli.app import _FLAGS, _OPTIONS, build

    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    sections = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", page, re.DOTALL | re.MULTILINE))
    found = list(make_docs.commands(typer.main.get_command(build()), "headwater"))
    assert len(found) > 20
    for name, command in found:
        section = sections[name.removeprefix("headwater ")]
        assert command.help and " ".join(command.help.split("Example:")[0].split()) in section
        for parameter in command.params:
            for written in parameter.opts if parameter.param_type_name == "option" else []:
                assert written in ("--help", "-h") or f"`{written}`" in section, (name, written)
                assert written in ("--help", "-h") or parameter.help, f"{name} {written} says nothing"
    for flag in {**_FLAGS, **_OPTIONS}:
        assert f"`{flag}`" in sections["Global flags"]
    for code, meaning in EXIT_CODES.items():
        assert f"| {code} | {meaning} |" in sections["Exit codes"]


def test_every_setting_is_documented() -> None:
    page = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    for setting in SETTINGS:
        assert f"`{setting.name}`" in page and f"`{setting.env}`" in page


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert target.startswith("https://") or (page.parent / target).exists(), f"{page.name}: {target}"


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p, "python")], ids=lambda p: p.name)
def test_python_snippets_run(page: Path, state: Path) -> None:
    code = "\n".join(blocks(page, "python"))
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env={**os.environ, "HEADWATER_STATE": str(state)},
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p, "sql")], ids=lambda p: p.name)
def test_sql_snippets_run(page: Path, state: Path) -> None:
    with headwater.open(ROOT / "examples" / "lake", state=state) as lake:
        for statement in blocks(page, "sql"):
            assert len(lake.sql(statement)) > 0


def test_json_page_names_the_fields_there_are(state: Path) -> None:
    page = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `([\w ]+)` \| (.+) \|$", page, re.MULTILINE))
    with headwater.open(ROOT / "examples" / "lake", state=state) as lake:
        made = {
            "status": lake.status().to_dict(),
            "search": lake.search("moons").to_dict(),
            "list": lake.datasets().to_dict() | lake.documents("chemistry/elements").to_dict(),
            "inspect": lake.inspect("states.csv").to_dict(),
            "read": lake.read("states.csv").to_dict() | lake.read("denali.md").to_dict(),
            "related": lake.related("states.csv").to_dict(),
            "sql": lake.sql("select 1").to_dict(),
            "dump": next(iter(lake.dump())),
        }
    for verb, result in made.items():
        for field in result:
            assert re.search(rf"\b{field}\b", rows[verb]), f"{verb}: {field} is not documented"
        for field in re.findall(r"`(\w+)`", rows[verb]):
            assert field in result, f"{verb}: {field} does not exist"


def test_error_object(state: Path) -> None:
    told = json.loads(blocks(ROOT / "docs" / "json.md", "json")[0])
    done = subprocess.run(
        [sys.executable, "-m", "headwater", "sql", "select * from t('nothing.csv')", "--json"],
        cwd=ROOT, capture_output=True, text=True,
        env={**os.environ, "HEADWATER_STATE": str(state), "HEADWATER_LAKE": "examples/lake"},
    )  # fmt: skip
    found = json.loads(done.stdout)
    assert done.returncode == 1
    assert found.keys() == told.keys() and found["error"].keys() == told["error"].keys()
    assert (found["schema"], found["error"]["kind"]) == (told["schema"], told["error"]["kind"])


def test_numbers_in_prose_are_those_of_the_code() -> None:
    sql = (ROOT / "docs" / "sql.md").read_text(encoding="utf-8")
    assert f"| {_engine.MAX_ROWS:,} |" in sql
    assert f"| {_engine.DEADLINE_S:.0f} s |" in sql
    assert f"| {_engine.MEMORY_MB} MB |" in sql
    assert f"| {_engine.MAX_BYTES // 1_000_000} MB |" in sql
    layout = (ROOT / "docs" / "layout.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in layout for name in _datasets.SORTING_FOLDERS)
