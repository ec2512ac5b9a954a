"""Folders as lakes: every name, every kind of file, and nothing outside."""

from __future__ import annotations

import json
import os
import runpy
import shutil
import socket
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.errors import NotFoundError, ReadError, RefusedError, SetupError
from headwater.storage import bytes_from_id, id_from_bytes, open_storage, printable

MESSY = Path(__file__).parents[2].parent / "shared" / "data" / "messy"


def listing(folder: Path) -> dict[str, object]:
    entries = list(open_storage(folder).list())
    assert len({e.path for e in entries}) == len(entries)
    return {e.path: e for e in entries}


def write(folder: Path, *names: str | bytes, body: bytes = b"k\n1\n") -> None:
    for name in names:
        path = os.path.join(os.fsencode(folder), os.fsencode(name))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(body)


@contextmanager
def powerless():
    """Lose the rights of root for a while, if we have them."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


class TestNames:
    @given(st.binary(max_size=12))
    def test_ids_are_valid_and_lead_back(self, name: bytes):
        found = id_from_bytes(name)
        found.encode("utf-8")
        assert bytes_from_id(found) == name

    @given(
        st.text(alphabet="\\x5ce9\udce9\u00e9", max_size=8),
        st.text(alphabet="\\x5ce9\udce9\u00e9", max_size=8),
    )
    def test_no_two_names_share_an_id(self, one: str, other: str):
        first, second = (name.encode("utf-8", "surrogateescape") for name in (one, other))
        assert (id_from_bytes(first) == id_from_bytes(second)) == (first == second)

    def test_escapes_only_where_needed(self):
        assert id_from_bytes(b"latin\xe9.csv") == r"latin\xe9.csv"
        assert id_from_bytes(rb"latin\xe9.csv") == r"latin\x5cxe9.csv"
        assert id_from_bytes(rb"back\slash\xyz.csv") == r"back\slash\xyz.csv"
        assert id_from_bytes("50%20é\n".encode()) == "50%20é\n"

    def test_printable_keeps_one_line_and_shows_marks(self):
        assert printable("a\nb\u202eg\x1b[31m\u200b é") == "a\\nb\\u202eg\\x1b[31m\\u200b é"

    def test_a_name_typed_raw_is_found(self, tmp_path):
        write(tmp_path, b"latin\xe9.csv")
        assert open_storage(tmp_path).exists(os.fsdecode(b"latin\xe9.csv"))


class TestListing:
    def test_order_is_that_of_whole_paths(self, tmp_path):
        write(tmp_path, "b/c.csv", "b.csv", "a/z", "a!", "B.csv", "b/a/x")
        assert list(listing(tmp_path)) == ["B.csv", "a!", "a/z", "b.csv", "b/a/x", "b/c.csv"]

    def test_twins_are_kept_apart(self, tmp_path):
        write(tmp_path, "caf\u00e9.csv", "cafe\u0301.csv", "Data.csv", "data.csv")
        assert len(listing(tmp_path)) == len(os.listdir(tmp_path))

    @pytest.mark.parametrize(
        ("name", "said"),
        [
            (".hidden.csv", "hidden file"),
            (".git/config", "hidden folder"),
            ("~$open.xlsx", "lock file"),
            ("x.csv.part", "unfinished"),
            ("d/_SUCCESS", "marker"),
            ("__MACOSX/a", "resource forks"),
        ],
    )
    def test_left_out_by_name(self, tmp_path, name, said):
        write(tmp_path, name)
        (entry,) = listing(tmp_path).values()
        assert said in entry.problem and not entry.failed
        assert entry.path in (name, name.split("/")[0])

    def test_dots_alone_do_not_hide(self, tmp_path):
        write(tmp_path, "..csv", "...", "....x/a.csv")
        assert [e.problem for e in listing(tmp_path).values()] == [None] * 3

    def test_own_state_is_no_content(self, tmp_path):
        write(tmp_path, ".headwater/catalog", "a.csv", "state/x")
        store = open_storage(tmp_path, exclude=(tmp_path / "state",))
        assert [e.path for e in store.list()] == ["a.csv"]

    def test_special_files_are_told_and_never_opened(self, tmp_path):
        os.mkfifo(tmp_path / "pipe.csv")
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(tmp_path / "s.sock"))
            found = listing(tmp_path)
        assert {p: e.kind for p, e in found.items()} == {"pipe.csv": "fifo", "s.sock": "socket"}
        assert all(e.problem and not e.failed for e in found.values())
        with pytest.raises(ReadError), open_storage(tmp_path).local_copy("pipe.csv"):
            pass

    def test_version_changes_with_the_file(self, tmp_path):
        write(tmp_path, "a.csv", "b.csv")
        before = listing(tmp_path)
        assert listing(tmp_path) == before
        status = os.stat(tmp_path / "a.csv")
        write(tmp_path, "a.csv", body=b"k\n2\n")
        os.utime(tmp_path / "a.csv", ns=(status.st_atime_ns, status.st_mtime_ns))
        after = listing(tmp_path)
        assert after["a.csv"].version != before["a.csv"].version
        assert after["b.csv"] == before["b.csv"]
        assert open_storage(tmp_path).stat("a.csv") == after["a.csv"]


class TestLinks:
    @pytest.fixture
    def lake(self, tmp_path):
        write(tmp_path, "outside/secret.csv", "lake/data.csv", "lake/sub/x.csv", "lake/.annex/objects/1")
        return tmp_path / "lake"

    @pytest.mark.parametrize("target", ["../outside/secret.csv", "../outside", "/etc/passwd", "/"])
    def test_out_of_the_lake(self, lake, target):
        (lake / "link.csv").symlink_to(target)
        entry = listing(lake)["link.csv"]
        assert "out of the lake" in entry.problem
        assert not any(p.startswith("link.csv/") for p in listing(lake))
        store = open_storage(lake)
        for path in ("link.csv", "link.csv/secret.csv"):
            with pytest.raises(RefusedError):
                store.open_range(path, 0, 1)

    def test_chain_that_ends_outside(self, lake):
        (lake / "one.csv").symlink_to("two.csv")
        (lake / "two.csv").symlink_to("../outside/secret.csv")
        assert "out of the lake" in listing(lake)["one.csv"].problem

    def test_sibling_with_the_same_beginning_is_outside(self, lake):
        write(lake.parent, "lake-secret/a.csv")
        (lake / "link").symlink_to("../lake-secret/a.csv")
        assert "out of the lake" in listing(lake)["link"].problem

    def test_inside_names_its_target(self, lake):
        (lake / "link.csv").symlink_to("data.csv")
        entry = listing(lake)["link.csv"]
        assert (entry.target, entry.problem) == ("data.csv", None)

    def test_folders_and_circles_are_not_entered(self, lake):
        (lake / "loop").symlink_to(".")
        (lake / "sub" / "up").symlink_to("..")
        (lake / "self").symlink_to("self")
        found = listing(lake)
        assert [p for p, e in found.items() if e.problem is None] == ["data.csv", "sub/x.csv"]
        assert "circle" in found["self"].problem and found["self"].failed

    def test_dangling(self, lake):
        (lake / "link.csv").symlink_to("nowhere")
        assert listing(lake)["link.csv"].failed

    def test_content_kept_in_a_hidden_folder_is_not_lost(self, lake):
        (lake / "annexed.csv").symlink_to(".annex/objects/1")
        entry = listing(lake)["annexed.csv"]
        assert entry.problem is None and not entry.target and entry.size == 4
        with open_storage(lake).local_copy("annexed.csv") as path:
            assert path.read_bytes() == b"k\n1\n"

    def test_into_the_state_folder(self, lake):
        write(lake, ".headwater/catalog")
        (lake / "link").symlink_to(".headwater/catalog")
        assert "state of headwater" in listing(lake)["link"].problem

    def test_lake_reached_through_a_link(self, lake, tmp_path):
        (tmp_path / "alias").symlink_to(lake)
        assert open_storage(tmp_path / "alias").url == str(lake)


class TestReading:
    @pytest.mark.parametrize(
        "name", ["*.csv", "[ab]?.csv", "line\nbreak.csv", b"latin\xe9.csv", "plain.csv", "-rf.csv"]
    )
    def test_lends_a_path_that_any_library_takes(self, tmp_path, name):
        write(tmp_path, "a1.csv", "other.csv", body=b"other")
        write(tmp_path, name, body=b"this")
        import duckdb

        with open_storage(tmp_path).local_copy(id_from_bytes(os.fsencode(name))) as path:
            assert path.read_bytes() == b"this"
            found = duckdb.execute("select content from read_blob(?)", [str(path)]).fetchall()
        assert found == [(b"this",)]

    @pytest.mark.parametrize("path", ["../x", "/etc/passwd", "a/../../x", "", ".", "a//b", "a\0b"])
    def test_refuses_what_is_no_id(self, tmp_path, path):
        with pytest.raises(RefusedError):
            open_storage(tmp_path).open_range(path, 0, 1)

    def test_ranges(self, tmp_path):
        write(tmp_path, "a", body=b"0123456789")
        store = open_storage(tmp_path)
        assert [store.open_range("a", *r) for r in ((2, 3), (8, 9), (20, 1), (0, 0))] == [
            b"234",
            b"89",
            b"",
            b"",
        ]

    def test_link_that_is_changed_between_check_and_opening(self, tmp_path, monkeypatch):
        write(tmp_path, "outside/secret", "lake/a/data")
        store = open_storage(tmp_path / "lake")
        monkeypatch.setattr(store, "_full", lambda path: os.fsencode(tmp_path / "outside" / "secret"))
        with pytest.raises(RefusedError):
            store.open_range("a/data", 0, 1)

    def test_missing(self, tmp_path):
        store = open_storage(tmp_path)
        assert not store.exists("a/b")
        with pytest.raises(NotFoundError), store.local_copy("a/b"):
            pass

    def test_no_permission_for_a_file_and_a_folder(self):
        with tempfile.TemporaryDirectory() as name:
            lake = Path(name)
            os.chmod(lake, 0o755)
            write(lake, "locked.csv", "shut/a.csv", "fine.csv")
            os.chmod(lake / "locked.csv", 0)
            os.chmod(lake / "shut", 0)
            with powerless():
                found = listing(lake)
                with pytest.raises(ReadError), open_storage(lake).local_copy("locked.csv"):
                    pass
            os.chmod(lake / "shut", 0o755)
        assert list(found) == ["fine.csv", "locked.csv", "shut"]
        assert "no permission" in found["locked.csv"].problem and found["locked.csv"].failed
        assert found["shut"].hides("shut/a.csv") and not found["shut"].hides("shutter.csv")


class TestVanishing:
    def test_before(self, tmp_path):
        with pytest.raises(SetupError, match="no lake"):
            open_storage(tmp_path / "none")
        write(tmp_path, "file")
        with pytest.raises(SetupError, match="is a file"):
            open_storage(tmp_path / "file")

    @pytest.mark.parametrize("at", [0, 1, 3])
    def test_half_way(self, tmp_path, at):
        lake = tmp_path / "lake"
        write(lake, "a/1", "a/2", "b/3", "c/4")
        entries = open_storage(lake).list()
        for _ in range(at):
            next(entries)
        lake.rename(tmp_path / "gone")
        with pytest.raises(SetupError, match="went away"):
            list(entries)

    def test_another_folder_in_its_place(self, tmp_path):
        lake = tmp_path / "lake"
        write(lake, "a/1", "b/2")
        entries = open_storage(lake).list()
        next(entries)
        lake.rename(tmp_path / "gone")
        lake.mkdir()
        with pytest.raises(SetupError, match="went away"):
            list(entries)

    def test_one_folder_deleted_meanwhile_is_no_error(self, tmp_path):
        write(tmp_path, "a/1", "b/2", "c/3")
        entries = open_storage(tmp_path).list()
        assert next(entries).path == "a/1"
        shutil.rmtree(tmp_path / "b")
        assert [e.path for e in entries] == ["c/3"]

    def test_file_of_a_vanished_lake_is_no_missing_file(self, tmp_path):
        lake = tmp_path / "lake"
        write(lake, "a")
        store = open_storage(lake)
        lake.rename(tmp_path / "gone")
        for use in (lambda: store.exists("a"), lambda: store.open_range("a", 0, 1)):
            with pytest.raises(SetupError):
                use()


@pytest.mark.handed
def test_handed_names(tmp_path, monkeypatch, capsys):
    script = MESSY / "make_names.py"
    if not script.exists():
        pytest.skip("handed data is not here")
    monkeypatch.setattr(sys, "argv", [str(script), str(tmp_path / "names")])
    runpy.run_path(str(script), run_name="__main__")
    lake = tmp_path / "names" / "lake"
    found = listing(lake)
    store = open_storage(lake)
    cases = [
        json.loads(line) for line in (tmp_path / "names" / "names.jsonl").read_text("utf-8").splitlines()
    ]
    for case in cases:
        if case["made"] is not True:
            continue
        name = case["name"].replace("\\udce9", "\\xe9")
        covering = [e for p, e in found.items() if p == name or name.startswith(p + "/")]
        assert covering, f"{name!r} is not accounted for"
        entry = covering[0]
        outcome = case["outcome"]
        if outcome.startswith("listed"):
            assert entry.problem is None and entry.path == name
        if "skipped" in outcome.split(";")[0] and " or " not in outcome:
            assert entry.problem
        if "refused" in outcome or "warning" in outcome:
            assert entry.problem
    for entry in found.values():
        if entry.problem is None and not entry.target:
            with store.local_copy(entry.path) as path:
                assert b"CANARY" not in path.read_bytes()
