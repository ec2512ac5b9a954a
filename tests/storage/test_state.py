"""Where state lies, what of a lake is trusted, and who may write."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from headwater.errors import SetupError, UsageError
from headwater.storage import (
    Lock,
    _lock,
    _state,
    diagnose,
    disk_guard,
    find_lake,
    is_trusted,
    lake_url,
    open_storage,
    state_dir,
    trust,
    untrust,
)


@pytest.fixture(autouse=True)
def user(own_home):
    return own_home


@pytest.fixture
def lake(tmp_path):
    folder = tmp_path / "lake"
    (folder / "a" / "b").mkdir(parents=True)
    (folder / "a" / "t.csv").write_text("k\n1\n")
    return folder


def forge(lake: Path, **marker: str) -> Path:
    """Put a state folder into a lake as a stranger would ship it."""
    state = lake / ".headwater"
    state.mkdir()
    (state / "VERSION").write_text("1\n")
    facts = {"made_by": "headwater", "id": "f" * 32, "url": str(lake)}
    (state / "LAKE.json").write_text(json.dumps(facts | marker))
    (state / "catalog.sqlite").write_text("evil")
    return state


class TestWhere:
    def test_in_the_lake_and_found_from_below(self, lake, monkeypatch):
        state = state_dir(lake, create=True)
        assert state == lake / ".headwater" and (state / "VERSION").read_text() == "1\n"
        monkeypatch.chdir(lake / "a" / "b")
        found = find_lake()
        assert (found.url, found.state, found.origin) == (str(lake), state, "folder")
        assert state_dir(lake, create=True) == state_dir(lake) == state

    def test_looking_makes_nothing(self, lake, user):
        assert state_dir(lake) == lake / ".headwater"
        assert not (lake / ".headwater").exists() and not list(user.rglob("*.json"))

    def test_s3_goes_to_the_cache_folder(self, user):
        state = state_dir("s3://bucket/prefix/", create=True)
        assert state.is_relative_to(user / "cache") and state == state_dir("s3://bucket/prefix")
        assert state != state_dir("s3://bucket/other")

    def test_lake_that_cannot_be_written(self, user):
        with tempfile.TemporaryDirectory() as name:
            lake = Path(name, "lake")
            lake.mkdir()
            _open_to_all(Path(name), user)
            os.chmod(lake, 0o555)
            with _nobody():
                state = state_dir(lake, create=True)
                assert state.is_relative_to(user / "cache") and state.is_dir()
                assert find_lake(lake).state == state == state_dir(lake)
            os.chmod(lake, 0o755)

    def test_chosen_by_argument_and_environment(self, lake, tmp_path, monkeypatch):
        chosen = state_dir(lake, tmp_path / "one", create=True)
        assert chosen == tmp_path / "one" and not (lake / ".headwater").exists()
        monkeypatch.setenv("HEADWATER_STATE", str(tmp_path / "two"))
        assert state_dir(lake) == tmp_path / "two"
        found = find_lake(tmp_path, state=chosen)
        assert (found.url, found.origin, found.state) == (str(lake), "state", chosen)

    def test_chosen_folder_that_is_full_of_other_things(self, lake, tmp_path):
        (tmp_path / "home").mkdir()
        (tmp_path / "home" / "letter").write_text("dear")
        with pytest.raises(SetupError, match="not empty"):
            state_dir(lake, tmp_path / "home", create=True)

    def test_chosen_folder_of_another_lake(self, lake, tmp_path):
        state_dir(lake, tmp_path / "state", create=True)
        (tmp_path / "other").mkdir()
        with pytest.raises(SetupError, match="another lake"):
            state_dir(tmp_path / "other", tmp_path / "state")

    def test_lake_given_beats_environment_beats_folder(self, lake, tmp_path, monkeypatch):
        for name in ("one", "two"):
            (tmp_path / name).mkdir()
        state_dir(lake, create=True)
        environ = {"HEADWATER_LAKE": str(tmp_path / "two")}
        assert find_lake(lake, lake=tmp_path / "one", environ=environ).url == str(tmp_path / "one")
        assert find_lake(lake, environ=environ).url == str(tmp_path / "two")
        assert find_lake(lake, environ={}).url == str(lake)

    def test_none(self, tmp_path):
        with pytest.raises(SetupError, match="no lake here"):
            find_lake(tmp_path, environ={})
        with pytest.raises(SetupError):
            find_lake(tmp_path, lake=tmp_path / "missing")

    def test_urls(self, lake, monkeypatch):
        monkeypatch.chdir(lake.parent)
        assert lake_url("lake/") == lake_url(f"file://{lake}") == lake_url(lake / "a" / "..") == str(lake)
        assert lake_url("s3://b/p/") == "s3://b/p"
        for bad in ("gs://bucket", "s3://", "https://host/x"):
            with pytest.raises(UsageError):
                lake_url(bad)
        with pytest.raises(UsageError):
            open_storage(lake, anonymous=True)


class TestTrust:
    def test_foreign_state_is_passed_over(self, lake, monkeypatch):
        forge(lake)
        monkeypatch.chdir(lake)
        with pytest.raises(SetupError, match="was not made for this lake by this user"):
            find_lake(environ={})
        state = state_dir(lake, create=True)
        assert state != lake / ".headwater" and not (state / "catalog.sqlite").exists()
        assert (lake / ".headwater" / "catalog.sqlite").read_text() == "evil"
        assert "headwater trust" in find_lake(lake, lake=lake).notices[0]
        assert any(c.name == "foreign state" for c in diagnose(lake))

    def test_foreign_state_below_the_root_does_not_catch_a_search_for_the_lake(self, lake):
        state = state_dir(lake, create=True)
        forge(lake / "a")
        found = find_lake(lake / "a" / "b", environ={})
        assert found.state == state and "is not used" in found.notices[0]

    def test_state_copied_with_a_lake_is_foreign(self, lake, tmp_path):
        state_dir(lake, create=True)
        shutil.copytree(lake, tmp_path / "copy")
        assert state_dir(tmp_path / "copy") != tmp_path / "copy" / ".headwater"

    def test_state_moves_with_its_lake(self, lake, tmp_path):
        state_dir(lake, create=True)
        lake.rename(tmp_path / "moved")
        found = find_lake(tmp_path / "moved" / "a", environ={})
        assert found.url == str(tmp_path / "moved") and found.state == tmp_path / "moved" / ".headwater"
        state_dir(found.url, create=True)
        assert json.loads((found.state / "LAKE.json").read_text())["url"] == found.url

    def test_made_by_another_user_of_the_machine(self, lake, monkeypatch, tmp_path):
        state_dir(lake, create=True)
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "other-user"))
        assert state_dir(lake) != lake / ".headwater"

    def test_trust_and_untrust(self, lake):
        state = forge(lake)
        (done,) = trust(lake)
        assert str(state) in done and state_dir(lake) == state and find_lake(lake).state == state
        untrust(lake)
        assert state_dir(lake) != state

    def test_nothing_to_trust(self, lake):
        assert trust(lake) == []

    @pytest.mark.parametrize("what", ["folder", "marker"])
    def test_links_are_never_state(self, lake, tmp_path, what):
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir()
        if what == "folder":
            forge(elsewhere)
            (lake / ".headwater").symlink_to(elsewhere / ".headwater")
        else:
            state = forge(lake)
            (state / "LAKE.json").rename(elsewhere / "LAKE.json")
            (state / "LAKE.json").symlink_to(elsewhere / "LAKE.json")
        assert trust(lake) == []
        assert state_dir(lake, create=True) != lake / ".headwater"

    def test_planted_link_is_not_written_through(self, lake, tmp_path):
        precious = tmp_path / "precious"
        precious.write_text("keep")
        (lake / ".headwater").mkdir()
        for name in ("VERSION", "writer.lock", "LAKE.json.new"):
            (lake / ".headwater" / name).symlink_to(precious)
        state = state_dir(lake, create=True)
        assert state != lake / ".headwater" and precious.read_text() == "keep"

    def test_configuration_is_trusted_for_its_content(self, lake):
        config = lake / "headwater.toml"
        config.write_text("quiet = true\n")
        assert not is_trusted(config, lake)
        trust(lake)
        assert is_trusted(config, lake)
        config.write_text("quiet = false\n")
        assert not is_trusted(config, lake)


class TestVersions:
    def test_newer(self, lake):
        (state_dir(lake, create=True) / "VERSION").write_text("999\n")
        with pytest.raises(SetupError, match="newer headwater"):
            state_dir(lake)

    def test_damaged(self, lake):
        (state_dir(lake, create=True) / "VERSION").write_text("x")
        with pytest.raises(SetupError, match="damaged"):
            state_dir(lake)

    def test_older_is_brought_up_to_date_step_by_step(self, lake, monkeypatch):
        state = state_dir(lake, create=True)
        done = []
        monkeypatch.setattr(_state, "STATE_VERSION", 3)
        monkeypatch.setattr(_state, "MIGRATIONS", {1: lambda p: done.append(1), 2: lambda p: done.append(2)})
        with pytest.raises(SetupError, match="older version"):
            state_dir(lake)
        assert state_dir(lake, create=True) == state
        assert done == [1, 2] and (state / "VERSION").read_text() == "3\n"

    def test_creation_that_was_killed_is_begun_again(self, lake):
        (lake / ".headwater").mkdir()
        (lake / ".headwater" / "LAKE.json.new").write_text("{")
        assert state_dir(lake, create=True) == lake / ".headwater" == find_lake(lake).state

    def test_two_that_make_it_at_once_agree(self, lake):
        code = f"from headwater.storage import state_dir; print(state_dir({str(lake)!r}, create=True))"
        both = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) for _ in range(4)]
        said = {process.communicate()[0].decode().strip() for process in both}
        assert said == {str(lake / ".headwater")} and state_dir(lake) == lake / ".headwater"


HOLD = """
import sys, time
from headwater.storage import Lock, _lock
if sys.argv[2] == "existence":
    Lock._try = Lock._try_by_existence
with Lock(sys.argv[1]):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize("kind", ["flock", "existence"])
class TestLock:
    @pytest.fixture(autouse=True)
    def way(self, kind, monkeypatch):
        if kind == "existence":
            monkeypatch.setattr(_lock.Lock, "_try", _lock.Lock._try_by_existence)

    @pytest.fixture
    def holder(self, kind, tmp_path):
        process = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path), kind], stdout=subprocess.PIPE)
        assert process.stdout.readline() == b"held\n"
        yield process
        process.kill()
        process.wait()
        process.stdout.close()

    def test_names_its_holder(self, holder, tmp_path):
        with pytest.raises(SetupError) as caught, Lock(tmp_path):
            pass
        assert str(holder.pid) in caught.value.message and socket.gethostname() in caught.value.message

    def test_outlives_no_holder(self, holder, tmp_path):
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        with Lock(tmp_path, wait_s=5) as lock:
            assert lock.held and lock.holder()["pid"] == os.getpid()
        assert not lock.held

    def test_one_after_the_other(self, tmp_path):
        for _ in range(3):
            with Lock(tmp_path), Lock(tmp_path, "other"), pytest.raises(SetupError), Lock(tmp_path):
                pass


@pytest.mark.parametrize("way", ["_try", "_try_by_existence"])
def test_lock_that_cannot_be_written_is_not_held(tmp_path, monkeypatch, way):
    monkeypatch.setattr(_lock.Lock, "_try", getattr(_lock.Lock, way))

    def full():
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(_lock, "_self_description", full)
        with pytest.raises(OSError, match="space"), Lock(tmp_path):
            pass
    with Lock(tmp_path) as lock:
        assert lock.held


def test_lock_of_another_host_is_left_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(_lock.Lock, "_try", _lock.Lock._try_by_existence)
    (tmp_path / "writer.held").write_text(json.dumps({"pid": 1, "host": "elsewhere"}))
    with pytest.raises(SetupError, match="process 1 on elsewhere"), Lock(tmp_path):
        pass


class TestFullDisk:
    def test_of_the_system(self, tmp_path):
        if not os.path.exists("/dev/full"):
            pytest.skip("no /dev/full")
        with (
            pytest.raises(SetupError, match="disk is full"),
            disk_guard(tmp_path),
            open("/dev/full", "wb") as file,
        ):
            file.write(b"x")
            file.flush()

    def test_of_libraries(self, tmp_path):
        for error in (
            sqlite3.OperationalError("database or disk is full"),
            RuntimeError("IO Error: write failed: No space left on device"),
            OSError(errno.EDQUOT, "Disk quota exceeded"),
        ):
            with pytest.raises(SetupError, match="disk is full"), disk_guard(tmp_path):
                raise error

    def test_other_errors_pass(self, tmp_path):
        with pytest.raises(KeyError), disk_guard(tmp_path):
            raise KeyError("x")

    def test_state_on_a_full_disk(self, lake, monkeypatch):
        def full(*args, **kwargs):
            raise OSError(errno.ENOSPC, "No space left on device")

        with monkeypatch.context() as patch:
            patch.setattr(_state, "write_atomically", full)
            with pytest.raises(SetupError, match="disk is full"):
                state_dir(lake, create=True)
        assert state_dir(lake, create=True) == lake / ".headwater"


def _open_to_all(*folders: Path) -> None:
    """Let any user into folders of this test."""
    for folder in folders:
        os.chmod(folder, 0o777)
        for parent in folder.parents:
            if parent == Path(tempfile.gettempdir()):
                break
            os.chmod(parent, 0o755)


class _nobody:
    """Without the rights of root, if we have them."""

    def __enter__(self):
        self.root = os.geteuid() == 0
        if self.root:
            os.seteuid(65534)

    def __exit__(self, *error):
        if self.root:
            os.seteuid(0)
