"""Ingest over a small lake: states, change, movement, deletion, kill and resume, readers beside a writer."""

from __future__ import annotations

import errno
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.lakes import make_lake

from headwater.errors import AmbiguousError, SetupError, UsageError
from headwater.ingest import IngestOptions, _lake, _publish, _record, _run, _task, ingest_lake
from headwater.ingest._task import Address, ReadTask, read_file
from headwater.lake import Lake
from headwater.readers import ReadOptions
from headwater.relations import TableSketch


def dump(root: Path, state: Path | None = None) -> list[dict[str, Any]]:
    with Lake.find(root, state=state) as lake:
        return list(lake.dump(raw=True))


def relations(root: Path) -> list[Any]:
    with Lake.find(root) as lake:
        return [lake.related(d.id).to_dict() for d in lake.catalog.documents()]


def searches(root: Path) -> list[Any]:
    with Lake.find(root) as lake:
        found = [
            lake.search(q, 10, mode="lexical") for q in ("station ST-03-004", "glacier tide", "readings 2021")
        ]
    return [[(h.document, round(h.score, 6)) for h in f.hits] for f in found]


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    root = make_lake(tmp_path / "lake")
    ingest_lake(root)
    return root


def test_totals_follow_every_change(lake: Path) -> None:
    def totals() -> tuple[dict[str, int], dict[str, int]]:
        with Lake.find(lake) as opened:
            documents = [d for d in opened.catalog.documents() if d.state == "ingested"]
            datasets = {d.dataset for d in opened.catalog.documents() if d.state in ("ingested", "duplicate")}
            counted = {
                "datasets": len(datasets),
                "documents": len(documents),
                "tables": len(opened.catalog.tables()),
            }
            return opened.catalog.totals(), counted

    told, counted = totals()
    assert told == counted
    (lake / "water/basin-00/files/levels_2021.csv").unlink()
    ingest_lake(lake)
    told, fewer = totals()
    assert told == fewer != counted


def test_every_file_is_in_exactly_one_state(lake: Path) -> None:
    files = {
        p.relative_to(lake).as_posix() for p in lake.rglob("*") if p.is_file() and ".headwater" not in p.parts
    }
    documents = {d["document"]: d for d in dump(lake)}
    assert set(documents) == files
    assert documents["water/basin-00/files/copy.csv"]["state"] == "duplicate"
    assert (
        documents["water/basin-00/files/copy.csv"]["duplicate_of"] == "water/basin-00/files/levels_2020.csv"
    )
    assert documents["water/basin-01/files/broken.xlsx"]["state"] == "failed"
    assert documents["water/basin-01/files/broken.xlsx"]["reason"]
    assert documents["water/basin-01/files/empty.csv"]["state"] == "skipped"
    assert {d["state"] for d in documents.values()} == {"ingested", "duplicate", "failed", "skipped"}


def test_yearly_tables_are_one_series_and_join_their_lookup(lake: Path) -> None:
    with Lake.find(lake) as opened:
        found = opened.related("water/basin-02/files/levels_2021.csv")
        assert found.series is not None
        years = [m["label"]["year"] for m in found.series["members"]]
        assert years == ["2020", "2021", "2022"]
        rows = opened.sql(
            f"select year, count(*) as n from t('series:{found.series['id']}') group by 1 order by 1"
        ).rows
        assert rows == [[2020, 12], [2021, 12], [2022, 12]]
        joins = [j for j in found.joins if j["document"].endswith("stations.json")]
        assert joins and joins[0]["column"] == "station" and joins[0]["match_rate"] == 1.0


def test_a_second_run_reads_nothing(lake: Path) -> None:
    before = dump(lake)
    report = ingest_lake(lake)
    assert (report.read, report.changed, report.removed) == (0, 0, 0)
    assert dump(lake) == before


def test_changes_moves_and_deletions_reach_catalog_and_index(lake: Path) -> None:
    files = lake / "water" / "basin-03" / "files"
    (files / "levels_2022.csv").write_text(
        "station,measured_on,level_m\nZEBRAFISH,2022-01-01,1.5\n", encoding="utf-8"
    )
    (files / "levels_2021.csv").unlink()
    moved = lake / "water" / "basin-04" / "files" / "renamed.json"
    (files / "stations.json").rename(moved)
    report = ingest_lake(lake)
    assert report.read == 2  # the changed file, and the moved one, whose content is known
    documents = {d["document"]: d for d in dump(lake)}
    assert documents["water/basin-03/files/levels_2022.csv"]["tables"][0]["rows"] == [
        ["ZEBRAFISH", "2022-01-01", 1.5]
    ]
    assert "water/basin-03/files/levels_2021.csv" not in documents
    with Lake.find(lake) as opened:
        assert (
            opened.inspect("water/basin-03/files/stations.json").document.id
            == "water/basin-04/files/renamed.json"
        )
        assert [h.document for h in opened.search("zebrafish", mode="lexical").hits] == [
            "water/basin-03/files/levels_2022.csv"
        ]
        status = opened.status()
        assert status.covered == status.documents


def test_an_incremental_catalog_equals_a_fresh_one(lake: Path, tmp_path: Path) -> None:
    files = lake / "water" / "basin-05" / "files"
    (files / "levels_2023.csv").write_text(
        (files / "levels_2022.csv").read_text().replace("2022", "2023"), encoding="utf-8"
    )
    (files / "notes.txt").unlink()
    ingest_lake(lake)
    fresh = tmp_path / "fresh"
    ingest_lake(lake, state=fresh)
    assert dump(lake) == dump(lake, fresh)


def start(root: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "headwater", "ingest", str(root), "--json", "--workers", "2"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@pytest.mark.parametrize("seed", range(5))
def test_killed_runs_end_with_the_catalog_of_an_undisturbed_one(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    whole, broken = make_lake(tmp_path / "whole"), make_lake(tmp_path / "broken")
    ingest_lake(whole)
    for _ in range(4):
        run = start(broken)
        time.sleep(rng.uniform(0.1, 2.5))
        run.send_signal(signal.SIGKILL)
        run.wait()
    ingest_lake(broken)
    assert dump(broken) == dump(whole)
    assert relations(broken) == relations(whole)
    assert searches(broken) == searches(whole)


READER = """
import sys
from headwater.lake import Lake
from headwater.readers import ReadOptions
from headwater.relations import TableSketch
for _ in range(3):
    with Lake.find(sys.argv[1]) as lake:
        assert lake.search("water board", 5, mode="lexical").hits
        assert lake.status().documents > 20
        assert lake.read("water/basin-00/files/levels_2020.csv").row_count == 12
"""


def test_twenty_processes_read_while_an_ingest_runs(lake: Path) -> None:
    command = [sys.executable, "-c", READER, str(lake)]
    readers = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(20)]
    for n in range(3):
        target = lake / "water" / "basin-05" / "files" / f"extra_{n}.csv"
        target.write_text(f"station,level_m\nX{n},1.0\n", encoding="utf-8")
        ingest_lake(lake)
    failed = [err for r in readers if (err := r.communicate(timeout=120)[1]) or r.returncode]
    assert not failed, failed[:2]


def test_a_second_writer_is_told_who_holds_the_lock(lake: Path) -> None:
    from headwater.storage import Lock, state_dir

    with Lock(state_dir(lake)), pytest.raises(SetupError) as caught:
        ingest_lake(lake)
    assert str(os.getpid()) in f"{caught.value.message} {caught.value.where} {caught.value.hint}"


def test_a_lake_that_is_gone_deletes_nothing(lake: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    ingest_lake(lake, state=state)
    before = dump(lake, state)
    lake.rename(tmp_path / "elsewhere")
    with pytest.raises(SetupError):
        ingest_lake(lake, state=state)
    (tmp_path / "elsewhere").rename(lake)
    assert dump(lake, state) == before


def test_the_report_follows_the_contract(tmp_path: Path) -> None:
    root = make_lake(tmp_path / "lake", datasets=2)
    out = subprocess.run(
        [sys.executable, "-m", "headwater", "ingest", str(root), "--json"], capture_output=True, text=True
    )
    assert out.returncode == 3  # one file failed
    report = json.loads(out.stdout)
    assert report["schema"] == "headwater.ingest/1" and report["ok"] is True
    assert report["counts"] == {"ingested": 12, "duplicate": 1, "skipped": 1, "failed": 1}
    assert {f["document"] for f in report["files"]} == {
        "water/basin-00/files/copy.csv",
        "water/basin-01/files/broken.xlsx",
        "water/basin-01/files/empty.csv",
    }
    assert report["seconds"] > 0 and report["bytes"] > 0


def test_options_bound_a_reader(tmp_path: Path) -> None:
    root = tmp_path / "lake"
    root.mkdir()
    (root / "a.csv").write_text("k,v\na,1\n", encoding="utf-8")
    (root / "b.csv").write_text("k,v\n" + "b,2\n" * 400_000, encoding="utf-8")
    report = ingest_lake(root, options=IngestOptions(workers=1, deadline_s=0.05))
    states = {d["document"]: d["state"] for d in dump(root)}
    assert states["b.csv"] == "failed"
    assert report.counts["failed"] >= 1
    ingest_lake(root, options=IngestOptions(workers=1, retry=True))
    assert {d["document"]: d["state"] for d in dump(root)} == {"a.csv": "ingested", "b.csv": "ingested"}


def test_partition_folders_are_one_table_with_their_keys(tmp_path: Path) -> None:
    root = tmp_path / "lake"
    for month, body in (("01", "id,v\n1,10\n2,20\n"), ("02", "id,v,extra\n003,30.5,x\n")):
        folder = root / "readings" / "sensors" / f"month={month}"
        folder.mkdir(parents=True)
        (folder / "part-0.csv").write_text(body, encoding="utf-8")
    ingest_lake(root)
    with Lake.find(root) as opened:
        result = opened.sql("select month, id, v, extra from t('readings/sensors') order by month, id")
        assert result.rows == [["01", "1", 10.0, None], ["01", "2", 20.0, None], ["02", "003", 30.5, "x"]]
    whole = next(d for d in dump(root) if d["document"] == "readings/sensors")
    assert whole["tables"][0]["row_count"] == 3
    assert any("extra" in w for w in whole["warnings"]) and any("'id'" in w for w in whole["warnings"])


def test_partitions_with_equal_rows_are_not_copies(tmp_path: Path) -> None:
    for region, quantity in (("north", 1), ("south", 1), ("east", 2)):
        folder = tmp_path / "lake" / "sales" / f"region={region}"
        folder.mkdir(parents=True)
        (folder / "part-0.csv").write_text(f"item,quantity\nA,{quantity}\nB,2\n")
    assert ingest_lake(tmp_path / "lake").counts["duplicate"] == 0
    with Lake.find(tmp_path / "lake") as lake:
        rows = lake.sql("select region, sum(quantity) from t('series:sales') group by 1 order by 1").rows
    assert rows == [["east", 4], ["north", 3], ["south", 3]]


def test_a_file_that_becomes_metadata_by_its_new_name_is_taken_for_it(tmp_path: Path) -> None:
    root = tmp_path / "lake" / "queues"
    root.mkdir(parents=True)
    told = {
        "title": "Waiting times",
        "description": "How long people wait",
        "resources": [{"path": "waits.csv"}],
    }
    (root / "about-this.json").write_text(json.dumps(told))
    (root / "waits.csv").write_text("minutes,people\n1,2\n2,3\n")
    ingest_lake(tmp_path / "lake")
    (root / "about-this.json").rename(root / "datapackage.json")
    ingest_lake(tmp_path / "lake")
    with Lake.find(tmp_path / "lake") as lake:
        assert lake.documents("queues").title == "Waiting times"


def test_a_folder_of_skipped_files_is_no_dataset(tmp_path: Path) -> None:
    root = tmp_path / "lake"
    (root / "full").mkdir(parents=True)
    (root / "full" / "a.csv").write_text("k,v\na,1\n")
    (root / "nothing").mkdir()
    (root / "nothing" / ".keep").write_text("")
    ingest_lake(root)
    with Lake.find(root) as lake:
        assert [d for d, *_ in lake.datasets().datasets.items] == ["full"]
        assert [d.dataset for d in lake.search("nothing a k v").datasets] == ["full"]
    (root / "full" / "a.csv").unlink()
    (root / "nothing" / "b.csv").write_text("k,v\na,1\n")
    ingest_lake(root)
    with Lake.find(root) as lake:
        assert [d.dataset for d in lake.search("full nothing k v").datasets] == ["nothing"]


def test_status_before_there_is_an_index(tmp_path: Path) -> None:
    root = make_lake(tmp_path / "lake", datasets=2)
    ingest_lake(root)
    shutil.rmtree(root / ".headwater" / "index")
    with Lake.find(root) as lake:
        status = lake.status()
        assert status.counts["ingested"] > 0
        assert (status.covered, status.passages) == (0, 0)


def test_new_readers_reach_files_that_a_killed_run_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make_lake(tmp_path / "lake", datasets=2)
    ingest_lake(root)
    newer = _record.READER_VERSION + 1
    for module in (_record, _run, _lake, _publish):
        monkeypatch.setattr(module, "READER_VERSION", newer)
    with monkeypatch.context() as killed:
        killed.setattr(_lake, "read_all", _die)
        with pytest.raises(KeyboardInterrupt):
            ingest_lake(root)
    assert ingest_lake(root).read > 0


def _die(*_: object) -> bool:
    raise KeyboardInterrupt


@pytest.mark.parametrize("damage", ["cut", "garbage", "empty", "no index", "index cut", "no tables"])
def test_a_damaged_state_is_told_and_made_anew(tmp_path: Path, damage: str) -> None:
    root = make_lake(tmp_path / "lake", datasets=2)
    ingest_lake(root)
    before, state = dump(root), root / ".headwater"
    catalog = state / "catalog.sqlite"
    if damage == "cut":
        os.truncate(catalog, 3000)
    elif damage == "garbage":
        catalog.write_bytes(random.Random(1).randbytes(50_000))
    elif damage == "empty":
        os.truncate(catalog, 0)
    elif damage == "index cut":
        for path in (p for p in (state / "index").rglob("*") if p.is_file()):
            os.truncate(path, path.stat().st_size // 2)
    else:
        shutil.rmtree(state / ("index" if damage == "no index" else "tables"))
    with pytest.raises(SetupError) as told, Lake.find(root) as lake:
        list(lake.dump())
        lake.search("station")
    assert "ingest" in told.value.hint
    ingest_lake(root)
    assert dump(root) == before
    assert all(searches(root))


def test_a_lake_that_goes_away_while_a_file_is_read_is_not_the_file_s_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make_lake(tmp_path / "lake", datasets=2)
    task = ReadTask("water/basin-00/files/notes.txt", Address(str(root), tmp_path / "state"))

    def vanish(*_: object) -> None:
        root.rename(tmp_path / "elsewhere")
        raise FileNotFoundError(2, "No such file or directory")

    monkeypatch.setattr(_task, "read_content", vanish)
    with pytest.raises(SetupError, match="went away"):
        read_file(task)


def test_a_full_disk_is_not_the_file_s_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make_lake(tmp_path / "lake", datasets=2)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(_task, "read_content", full)
    with pytest.raises(SetupError, match="disk is full"):
        read_file(ReadTask("water/basin-00/files/notes.txt", Address(str(root), tmp_path / "state")))


def test_short_names_reach_members_of_archives_and_are_refused_if_several_fit(tmp_path: Path) -> None:
    root = tmp_path / "lake"
    root.mkdir()
    with zipfile.ZipFile(root / "a.zip", "w") as archive:
        archive.writestr("m.csv", "p,q\n9,9\n")
        archive.writestr("in/m.csv", "p,q\n1,2\n")
    ingest_lake(root)
    with Lake.find(root) as lake:
        with pytest.raises(AmbiguousError) as told:
            lake.sql("select * from t('m.csv')")
        assert told.value.nearest == ["a.zip!in/m.csv", "a.zip!m.csv"]
        assert lake.sql("select * from t('in/m.csv')").rows == [[1, 2]]


def test_an_unknown_kind_or_mode_of_search_is_a_usage_error(lake: Path) -> None:
    with Lake.find(lake) as opened:
        assert opened.search("station", format="CSV").hits
        with pytest.raises(UsageError, match="kind"):
            opened.search("station", kind="zz")  # type: ignore[arg-type]
        with pytest.raises(UsageError, match="mode"):
            opened.search("station", mode="zz")  # type: ignore[arg-type]


def test_a_copy_among_the_hits_shows_the_shape_of_what_it_copies(lake: Path) -> None:
    with Lake.find(lake) as opened:
        found = opened.search("copy", mode="lexical")
    assert found.hits[0].document.endswith("copy.csv")
    assert found.cards[found.hits[0].document].startswith("12 rows x 3 columns")


def test_a_table_streamed_to_parquet_is_sketched_before_its_files_are_moved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("headwater.readers.ReadOptions", partial(ReadOptions, memory_table_bytes=1_000))
    path = tmp_path / "large.csv"
    lines = [f"S-{i:05d},{i % 7},{i / 8}" for i in range(3_000)]
    path.write_text("\n".join(["station,kind,level", *lines]) + "\n", encoding="utf-8")
    staging = tmp_path / "staging"
    staging.mkdir()
    (read,) = _record.read_content(path, path.name, "0" * 64, path.stat().st_size, staging)
    (table,) = read.record["tables"]
    assert table["row_count"] == 3_000
    assert (staging / table["typed"]).exists() and (staging / table["raw"]).exists()
    sketch = TableSketch.from_bytes(read.sketches[0][1])
    assert len(sketch.columns[0].hashes) == 3_000
