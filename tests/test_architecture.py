"""The rooms import only what architecture.toml allows, no file outgrows its purpose, start-up stays light."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "headwater"
RULES = tomllib.loads((ROOT / "architecture.toml").read_text(encoding="utf-8"))
FILES = sorted(PACKAGE.rglob("*.py"))
OPEN = {"errors", "model", "text"}
HEAVY = {
    "numpy", "scipy", "pyarrow", "duckdb", "tantivy", "sqlglot", "pandas", "polars", "pdfplumber", "pypdfium2",
    "selectolax", "tokenizers", "boto3", "rich", "clevercsv", "lancedb", "yaml",
    "pydantic", "pydantic_ai", "openai", "anthropic", "genai_prices", "httpx2",
}  # fmt: skip


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports_of(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import in line {node.lineno}"
            found.add(node.module or "")
            if node.module == "headwater":
                found |= {f"headwater.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


def test_every_room_is_declared() -> None:
    rooms = {room_of(f) for f in FILES} - {"__init__", "__main__"}
    assert rooms == set(RULES["rooms"])


def test_rules_go_one_way() -> None:
    order = list(RULES["rooms"])
    for room, allowed in RULES["rooms"].items():
        for other in allowed:
            assert order.index(other) < order.index(room), (
                f"{room} may not import {other}, which comes after it"
            )


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.relative_to(PACKAGE).as_posix())
def test_imports_follow_the_rules(path: Path) -> None:
    room = room_of(path)
    if room in ("__init__", "__main__"):
        return
    allowed = OPEN | {room} | set(RULES["rooms"][room])
    for name in imports_of(path):
        parts = name.split(".")
        if parts[0] != "headwater" or len(parts) == 1 or parts[1].startswith("__"):
            continue
        assert parts[1] in allowed, f"{room} imports {name}"
        private = [p for p in parts[2:] if p.startswith("_")]
        assert not private or parts[1] == room, f"{path.name} reaches into {name}"


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.relative_to(PACKAGE).as_posix())
def test_files_stay_small(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").count("\n")
    assert lines <= RULES["size"]["lines"], f"{lines} lines: does the file still have one purpose?"


def test_start_up_imports_nothing_heavy() -> None:
    code = "import sys, headwater.cli.app; print(*sorted({m.split('.')[0] for m in sys.modules}))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not HEAVY & set(out.stdout.split())
