"""The same lake through S3 gives the same catalog, with the command line as a user runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

HANDED = Path(__file__).parents[2].parent / "shared" / "data" / "lake"


def headwater(*arguments: str, code: int | None = 0) -> str:
    command = [sys.executable, "-c", "from headwater.cli import main; main()", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=600)
    assert code is None or done.returncode == code, done.stderr
    return done.stdout


def catalog(lake: str, code: int = 0) -> tuple[dict, list[dict], dict]:
    counts = json.loads(headwater("ingest", lake, "--json", code=code))["counts"]
    dump = [json.loads(line) for line in headwater("dump", "--lake", lake, "--json", "--raw").splitlines()]
    status = json.loads(headwater("status", "--lake", lake, "--json"))
    return counts, dump, {name: status[name] for name in ("index", "datasets", "tables", "passages")}


@pytest.fixture
def folder(tmp_path, own_home):
    files = {
        "a/people.csv": "name,age\nAda,36\nGrace,85\n",
        "a/copy of people.csv": "name,age\nAda,36\nGrace,85\n",
        "a/README.md": "# People\n\nWho they were.\n",
        "a.csv": "k;v\n1;2\n",
        "日本/表.json": '[{"k": 1, "v": "あ"}]',
        "broken.json": '{"k": ',
        ".hidden/x.csv": "k\n1\n",
        "x.csv.part": "k\n",
    }
    for name, text in files.items():
        (tmp_path / "lake" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "lake" / name).write_text(text, encoding="utf-8")
    return tmp_path / "lake"


def test_same_catalog(folder, s3_server, monkeypatch):
    s3_server.upload("lake-small", folder)
    s3_server.use(monkeypatch, s3_server.reader)
    local = catalog(str(folder), code=3)
    assert local[0]["failed"] == 1 and local[0]["duplicate"] == 1
    assert local == catalog("s3://lake-small", code=3)


def test_second_run_reads_nothing_third_what_changed(folder, s3_server, monkeypatch):
    (folder / "broken.json").unlink()
    s3_server.upload("lake-again", folder)
    s3_server.use(monkeypatch, s3_server.reader)
    first, dump, _ = catalog("s3://lake-again")
    assert json.loads(headwater("ingest", "s3://lake-again", "--json"))["read"] == 0
    client = s3_server.client()
    client.put_object(Bucket="lake-again", Key="a.csv", Body=b"k;v\n1;3\n")
    client.delete_object(Bucket="lake-again", Key="a/README.md")
    third, changed, _ = catalog("s3://lake-again")
    assert third["ingested"] == first["ingested"] - 1
    assert {d["document"] for d in dump} - {d["document"] for d in changed} == {"a/README.md"}
    assert next(d for d in changed if d["document"] == "a.csv")["tables"][0]["rows"] == [[1, 3]]


def test_refusal_is_an_exit_code_and_a_hint(s3_server, folder, monkeypatch):
    s3_server.upload("lake-shut", folder)
    s3_server.use(monkeypatch, s3_server.stranger)
    error = json.loads(headwater("ingest", "s3://lake-shut", "--json", code=5))["error"]
    assert error["kind"] == "setup" and "headwater doctor" in error["hint"]


@pytest.mark.handed
def test_handed_lake(s3_server, own_home, monkeypatch):
    if not HANDED.is_dir():
        pytest.skip("handed data is not here")
    s3_server.upload("lake-handed", HANDED)
    s3_server.use(monkeypatch, s3_server.reader)
    monkeypatch.setenv("HEADWATER_STATE", str(own_home / "local"))
    local = json.loads(headwater("ingest", str(HANDED), "--json", code=None))
    monkeypatch.setenv("HEADWATER_STATE", str(own_home / "remote"))
    remote = json.loads(headwater("ingest", "s3://lake-handed", "--json", code=None))
    assert local["counts"] == remote["counts"] and local["files"] == remote["files"]
