"""The command that puts distractors beside a lake, over package lists made here."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from tests.scripts import load_script

from headwater.ingest import ingest_lake
from headwater.lake import Lake

COMMAND = Path(__file__).parents[2] / "benchmarks" / "distractors.py"


@pytest.fixture
def lists(tmp_path: Path) -> Path:
    """Package lists as apt keeps them, unpacked: 40 packages of ten sources, with long descriptions for all but one."""
    folder = tmp_path / "lists"
    folder.mkdir()
    found, translated = [], []
    for n in range(40):
        found.append(
            f"Package: tool{n}\nSource: tools{n % 10} (1.{n})\nVersion: 1.{n}\nInstalled-Size: {100 + n}\nSize: {9 * n}\n"
            f"Maintainer: The Keepers <keepers@example.org>\nArchitecture: all\nSection: utils\nPriority: optional\n"
            f"Depends: libc6 (>= 2.3), tool{(n + 1) % 40}\nDescription: helper number {n}\nDescription-md5: {n:032x}\n"
        )
        if n:
            translated.append(
                f"Package: tool{n}\nDescription-md5: {n:032x}\n"
                f"Description-en: helper number {n}\n It helps with the matter\n of number {n}.\n .\n And it is small.\n"
            )
    (folder / "mirror_dists_x_main_binary-all_Packages").write_text("\n".join(found))
    (folder / "mirror_dists_x_main_i18n_Translation-en").write_text("\n".join(translated))
    return folder


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    folder = tmp_path / "lake"
    (folder / "town" / "pools").mkdir(parents=True)
    (folder / "town" / "pools" / "pools.csv").write_text("pool,length\nNorth,50\nSouth,25\nEast,33\n")
    (folder / ".headwater").mkdir()
    (folder / ".headwater" / "catalog.sqlite").write_text("not of the lake")
    return folder


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, COMMAND, *map(str, arguments)], capture_output=True, text=True, check=False
    )


def contents(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_the_lake_stays_and_as_many_documents_as_asked_for_come_with_it(
    tmp_path: Path, lake: Path, lists: Path
) -> None:
    done = run(lake, tmp_path / "out", "--documents", 50, "--lists", lists)
    assert done.returncode == 0, done.stderr
    made = contents(tmp_path / "out")
    assert made.pop("town/pools/pools.csv") == (lake / "town/pools/pools.csv").read_bytes()
    assert not any(path.startswith(".headwater") for path in made)
    kinds = Counter(path.rsplit(".", 1)[1] for path in made if not path.endswith("/metadata.json"))
    assert sum(kinds.values()) == 50
    assert kinds["txt"] == 35 and kinds["json"] == 10 and kinds["csv"] == 5
    for path, content in made.items():
        if path.endswith(".json"):
            assert json.loads(content)


def test_the_same_seed_makes_the_same_files_and_another_one_others(
    tmp_path: Path, lake: Path, lists: Path
) -> None:
    for name, seed in (("a", 3), ("b", 3), ("c", 4)):
        assert run(lake, tmp_path / name, "--documents", 30, "--lists", lists, "--seed", seed).returncode == 0
    assert contents(tmp_path / "a") == contents(tmp_path / "b") != contents(tmp_path / "c")


def test_a_page_has_the_long_description(lists: Path) -> None:
    module = load_script("distractors", "benchmarks")
    found = {p["Package"]: p for p in module.packages(*module.lists(lists))}
    text = module.page(found["tool7"])
    assert "It helps with the matter of number 7.\n\nAnd it is small." in text
    assert module.page(found["tool0"]).startswith("tool0\n\nhelper number 0\n\ntool0 is in section utils")


def test_distractors_are_ingested_as_datasets_with_metadata(tmp_path: Path, lake: Path, lists: Path) -> None:
    assert run(lake, tmp_path / "out", "--documents", 50, "--lists", lists).returncode == 0
    report = ingest_lake(tmp_path / "out")
    assert report.counts["failed"] == 0
    with Lake.find(tmp_path / "out") as opened:
        assert opened.search("helper number 7", mode="lexical").hits
        records = [d for d in opened.catalog.datasets() if d.id.startswith("debian-records/")]
        titles = {d.title for d in records if d.metadata}
        assert titles and all(title.startswith("Package records of tools") for title in titles)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--documents", 5000], "the package lists make"),
        (["--lists", "nowhere"], "nowhere is not a folder"),
        (["--lists", "."], "No package lists were found"),
    ],
)
def test_what_cannot_be_done_is_told(
    tmp_path: Path, lake: Path, lists: Path, arguments: list[object], told: str
) -> None:
    given = arguments if "--lists" in arguments else [*arguments, "--lists", lists]
    empty = tmp_path / "empty"
    empty.mkdir()
    given = [empty if g == "." else g for g in given]
    done = run(lake, tmp_path / "out", *given)
    assert done.returncode != 0
    assert told in done.stderr
    assert not (tmp_path / "out").exists()


def test_the_lake_shares_no_file_with_what_is_made(tmp_path: Path, lake: Path, lists: Path) -> None:
    source = lake / "town/pools/pools.csv"
    source.chmod(0o444)
    source.parent.chmod(0o555)
    assert run(lake, tmp_path / "out", "--documents", 10, "--lists", lists).returncode == 0
    made = tmp_path / "out/town/pools/pools.csv"
    assert not made.samefile(source)
    made.chmod(0o644)
    (made.parent / "more.csv").write_text("a,b\n1,2\n")
    assert source.stat().st_mode & 0o777 == 0o444
    source.parent.chmod(0o755)


def test_nothing_that_is_there_is_written_over(tmp_path: Path, lake: Path, lists: Path) -> None:
    before = contents(lake)
    done = run(lake, lake, "--documents", 10, "--lists", lists)
    assert done.returncode != 0 and "is there already" in done.stderr
    assert contents(lake) == before
