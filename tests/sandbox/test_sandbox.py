"""What code can do in the sandbox, and what it cannot."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from headwater.errors import LimitError, SetupError, UsageError
from headwater.sandbox import CodeError, CodeLimits, Sandbox, _folders, _walls
from headwater.sandbox._confine import missing_layers

pytestmark = pytest.mark.skipif(bool(missing_layers()), reason=f"no walls here: {missing_layers()}")


@pytest.fixture(scope="module")
def outside(tmp_path_factory):
    folder = tmp_path_factory.mktemp("outside")
    (folder / "secret.txt").write_text("canary", encoding="utf-8")
    (folder / "secret.txt").chmod(0o644)
    return folder / "secret.txt"


TIERS = ("landlock", "bubblewrap", "bubblewrap without Landlock")


@pytest.fixture(scope="module", params=TIERS)
def box(request):
    tier = request.param.partition(" ")[0]
    if tier == "bubblewrap" and (problem := _walls.bubblewrap_problem()):
        pytest.skip(problem)
    limits = CodeLimits(seconds=8, memory=300_000_000, disk=20_000_000)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HEADWATER_CANARY", "canary")
        with pytest.MonkeyPatch.context() as kernel:
            if request.param == TIERS[2]:
                kernel.setattr(_walls, "landlock_abi", lambda: 0)
            made = Sandbox({"data.csv": b"a,b\n1,2\n3,4\n"}, limits, tier=tier)
        with made:
            yield made


class TestWhatWorks:
    @pytest.mark.parametrize(
        ("code", "value"),
        [
            ("1 + 1", 2),
            ("x = 5\nresult = {'a': [x, None]}", {"a": [5, None]}),
            ("import statistics\nstatistics.mean([1, 2, 3])", 2),
            ("import csv\nsum(int(r['a']) for r in csv.DictReader(open('data.csv')))", 4),
            ("float('nan')", None),
            ("{3, 1}", [1, 3]),
            ("import datetime\ndatetime.date(2024, 2, 29)", "2024-02-29"),
            ("import asyncio\nasync def f():\n    await asyncio.sleep(0)\n    return 7\nasyncio.run(f())", 7),
            ("import concurrent.futures as c\nlist(c.ThreadPoolExecutor(2).map(abs, [-1, 2]))", [1, 2]),
            ("import duckdb\nduckdb.sql('select sum(a) from \"data.csv\"').fetchall()[0][0]", 4),
            ("import numpy as np\nnp.arange(3)", [0, 1, 2]),
            (
                "import tempfile, os\nwith tempfile.TemporaryDirectory() as d:\n    open(d + '/x', 'w').write('1')",
                None,
            ),
        ],
    )
    def test_value(self, box, code, value):
        result = box.run(code)
        assert result.error is None
        assert result.value == value

    def test_long_code(self, box):
        assert box.run(f"len({'x' * 900_000!r})").value == 900_000

    def test_pandas_gives_a_table(self, box):
        pytest.importorskip("pandas")
        result = box.run("import pandas as pd\npd.read_csv('data.csv')")
        assert result.value == {"columns": ["a", "b"], "rows": [[1, 2], [3, 4]], "row_count": 2}

    def test_figures_are_saved(self, box):
        pytest.importorskip("matplotlib")
        result = box.run("import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.figure()\nplt.plot([2, 1])")
        assert list(result.files) == ["figure-1.png", "figure-2.png"]
        assert all(path.read_bytes().startswith(b"\x89PNG") for path in result.files.values())

    def test_output_and_files(self, box):
        result = box.run(
            "import sys\nprint('out')\nprint('err', file=sys.stderr)\nopen('made.txt', 'w').write('x')\n.5"
        )
        assert (result.output, result.value) == ("out\nerr\n", 0.5)
        assert result.files["made.txt"].read_text() == "x"

    def test_what_a_run_leaves_above_its_folder_is_gone(self, box):
        code = "import os\nfor n in ('../left', '../run-9/left'):\n    try: os.makedirs(os.path.dirname(n), exist_ok=True); open(n, 'w')\n    except OSError: pass"
        assert box.run(code).error is None
        assert not list(Path(box._work).glob("[!.]*"))
        assert box.run("1").value == 1

    def test_runs_do_not_see_each_other(self, box):
        box.run("left = 1\nopen('left.txt', 'w').write('x')\nopen('json.py', 'w').write('raise SystemExit')")
        result = box.run("import os, json\n('left' in dir(), sorted(os.listdir('.')), json.loads('[1]'))")
        assert result.value == [False, ["data.csv"], [1]]


class TestErrors:
    def test_exception_names_line_and_place(self, box):
        error = box.run("def f():\n    return 1 / 0\nf()").error
        assert isinstance(error, CodeError)
        assert error.message == "ZeroDivisionError: division by zero"
        assert error.where == "line 2"
        assert "line 3" in error.hint

    @pytest.mark.parametrize("code", ["import os\nos._exit(0)", "raise SystemExit('RESULT: 42')", "exit()"])
    def test_ending_is_no_result(self, box, code):
        result = box.run(code)
        assert result.value is None
        assert "without a result" in str(result.error)

    def test_syntax_error(self, box):
        assert box.run("x = = 1").error.where == "line 1"

    def test_crash_is_told(self, box):
        assert "signal 11" in str(box.run("import ctypes\nctypes.string_at(0)").error)

    def test_no_input(self, box):
        assert "EOFError" in str(box.run("input('password? ')").error)

    @pytest.mark.parametrize(
        "value", ["b'[' * 900 + b']' * 900", "b'NaN'", "b'[1e999]'", "b'-Infinity'", "b'9' * 5000"]
    )
    def test_forged_outcome_is_plain_data(self, box, value):
        code = 'import os\nos.write(3, b\'{"ok":true,"value":\' + ' + value + " + b'}')\nos._exit(0)"
        result = box.run(code)
        assert (result.value, str(result.error)) == (None, "The code ended without a result.")

    @pytest.mark.parametrize(
        ("told", "message"),
        [
            ('{"memory": true}', "more memory than 300 MB"),
            ('{"ok": false, "error": ["\\ud800"], "line": {"a": 1}, "traceback": 3}', "\\ufffd"),
            ('{"ok": false, "error": "' + "A" * 100_000 + '"}', "AAAA"),
        ],
    )
    def test_forged_failure_is_a_bounded_failure(self, box, told, message):
        error = box.run(f"import os\nos.write(3, {told.encode()!r})\nos._exit(0)").error
        assert message in str(error).encode("unicode_escape").decode()
        assert len(str(error)) < 10_000

    def test_halves_of_characters_become_text(self, box):
        assert box.run("'a\\ud800b'").value == "a\ufffdb"


class TestLimits:
    def test_time(self, box):
        result = box.run("while True: pass", seconds=0.3)
        assert isinstance(result.error, LimitError)

    def test_ignored_signals_do_not_help(self, box):
        code = (
            "import signal, time\nfor s in (15, 2, 14, 1): signal.signal(s, signal.SIG_IGN)\ntime.sleep(60)"
        )
        assert isinstance(box.run(code, seconds=0.3).error, LimitError)

    @pytest.mark.parametrize(
        "code",
        [
            "x = []\nwhile True: x.append(bytearray(10**7))",
            "s = 'ab'\nfor _ in range(40): s = s + s",
            "import mmap\nm = []\nwhile True:\n    n = mmap.mmap(-1, 10**7)\n    n.write(b'x' * 10**7)\n    m.append(n)",
            # shared pages that the process does not show but keeps
            "import mmap\nm = []\nwhile True:\n    n = mmap.mmap(-1, 10**7)\n    n.write(b'x' * 10**7)\n"
            "    n.madvise(mmap.MADV_DONTNEED)\n    m.append(n)",
        ],
    )
    def test_memory(self, box, code):
        assert isinstance(box.run(code).error, LimitError)

    @pytest.mark.parametrize(
        "code",
        [
            "for i in range(10):\n    open(f'f{i}', 'wb').write(b'0' * 9 * 2**20)\nimport time\ntime.sleep(5)",
            "import os, time\nk = []\nfor i in range(10):\n    f = open('f', 'wb'); f.write(b'0' * 9 * 2**20); f.flush(); os.unlink('f')"
            "; k.append(f)\ntime.sleep(5)",
            "for i in range(100_000): open(f'f{i}', 'w').close()",
            # removed and closed, but mapped
            "import mmap, os, time\nk = []\nfor i in range(10):\n    f = open('f', 'w+b'); f.write(b'0' * 9 * 2**20); f.flush()"
            "\n    k.append(mmap.mmap(f.fileno(), 4096)); os.unlink('f'); f.close()\ntime.sleep(5)",
            # below more folders than a path can name
            "import os, time\nfor i in range(17): os.mkdir('d' * 250); os.chdir('d' * 250)\n"
            "for i in range(10): open(f'f{i}', 'wb').write(b'0' * 9 * 2**20)\ntime.sleep(5)",
            # where the first thread has ended and shows nothing any more
            "import ctypes, os, threading, time\ndef fill():\n    k = []\n    for i in range(10):\n        f = open('f', 'wb'); "
            "f.write(b'0' * 9 * 2**20); f.flush(); os.unlink('f'); k.append(f)\n    time.sleep(5)\n"
            "threading.Thread(target=fill).start()\nctypes.CDLL(None).pthread_exit(None)",
            "for i in range(5): open(f'f{i}', 'wb').write(b'0' * 9 * 2**20)",  # ends before anybody looks
        ],
    )
    def test_disk(self, box, code):
        assert isinstance(box.run(code).error, LimitError)

    def test_threads(self, box):
        code = "import threading, time\nthreading.stack_size(32768)\nwhile True: threading.Thread(target=time.sleep, args=(9,)).start()"
        assert "threads" in str(box.run(code).error)

    def test_files_with_holes_are_not_blown_up(self, box):
        result = box.run("for i in range(50):\n    with open(f'f{i:02}', 'wb') as f: f.truncate(9 * 2**20)")
        assert list(result.files) == ["f00", "f01"]
        assert "48 files are left out" in result.output

    @pytest.mark.parametrize("levels", [100, 1900])
    def test_deep_folders_are_removed(self, box, levels):
        code = f"import os\nfor _ in range({levels}): os.mkdir('d'); os.chdir('d')"
        assert isinstance(box.run(code).error, LimitError)
        assert not list(Path(box._work).glob("[!.]*"))
        assert box.run("1").value == 1

    def test_one_large_file(self, box):
        assert "OSError" in str(box.run("open('f', 'wb').write(b'0' * 15 * 2**20)").error)

    def test_output(self, box):
        result = box.run("print('A' * 5_000_000)")
        assert result.truncated
        assert len(result.output) < 101_000
        assert "more bytes" in result.output

    def test_limits_cannot_be_raised(self, box):
        code = "import resource\nresource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)"
        assert box.run(code).error is not None


ESCAPES = {
    "read": "open(OUT).read()",
    "read over the parent folder": "open('../../../../etc/passwd').read()",
    "read over proc": "open('/proc/self/root/etc/passwd').read()",
    "environment of the parent": "import os\nopen(f'/proc/{os.getppid()}/environ', 'rb').read()",
    "list": "import os\nos.listdir(os.path.dirname(OUT))",
    "folders of other runs": "import os\nassert len(os.listdir('..')) > 1",
    "append": "open(OUT, 'a').write('x')",
    "create beside": "open(OUT + '.new', 'w').write('x')",
    "truncate": "import os\nos.truncate(OUT, 0)",
    "rename": "import os\nos.rename(OUT, 'x')",
    "remove": "import os\nos.unlink(OUT)",
    "hard link": "import os\nos.link(OUT, 'x')\nopen('x').read()",
    "symbolic link": "import os\nos.symlink(OUT, 'x')\nopen('x').read()",
    "pipe with a name": "import os\nos.mkfifo('p')",
    "own libraries": "import json, os\nopen(os.path.join(os.path.dirname(json.__file__), 'x.py'), 'w')",
    "TCP": "import socket\nsocket.socket().connect(('127.0.0.1', 9))",
    "listening": "import socket\nsocket.socket().bind(('127.0.0.1', 0))",
    "names": "import socket\nsocket.getaddrinfo('localhost', 80)",
    "datagrams to local sockets": "import socket\na, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)\na.sendto(b'x', '/dev/log')",
    "raw sockets, which are datagrams to local sockets":
        "import socket\na, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_RAW)\na.sendto(b'x', '/dev/log')",
    "files hidden in a message": "import socket\na, b = socket.socketpair()\nsocket.send_fds(a, [b'x'], [0])",
    "attributes of a library": "import fcntl, os, struct\nf = os.open(os.__file__, os.O_RDONLY)\n"
    "fcntl.ioctl(f, 0x40086602, struct.pack('<Q', 0x80040))",
    "lease of a library": "import fcntl, os\nfcntl.fcntl(os.open(os.__file__, os.O_RDONLY), fcntl.F_SETLEASE, fcntl.F_RDLCK)",
    "outliving the host": "import ctypes\nassert ctypes.CDLL(None).prctl(1, 0, 0, 0, 0) == 0",
    "hiding from the host": "import ctypes\nassert ctypes.CDLL(None).prctl(4, 0, 0, 0, 0) == 0",
    "open files of one thread": "import ctypes\nassert ctypes.CDLL(None).close_range(200, 255, 2) == 0",
    "memory of the host": "import os\nopen(f'/proc/{os.getppid()}/mem', 'r+b')",
    "temporary folder": "open('/tmp/x', 'w')",
    "shared memory": "open('/dev/shm/x', 'w')",
    "fork": "import os\nos.fork()",
    "program": "import subprocess\nsubprocess.run(['id'])",
    "exec": "import os\nos.execv('/bin/true', ['true'])",
    "kill": "import os\nos.kill(os.getppid(), 0)",
    "kill over a file's owner": "import fcntl, os\nfcntl.fcntl(os.pipe()[0], fcntl.F_SETOWN, os.getppid())",
    "limits of the parent": "import os, resource\nresource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (1, 1))",
    "memory file": "import os\nos.memfd_create('x')",
    "root": "import os\nos.setuid(0)\nassert os.getuid() != 0",
    "32-bit calls": "import ctypes, mmap\nm = mmap.mmap(-1, 4096, prot=7)\nm.write(b'\\xb8\\x14\\x00\\x00\\x00\\xcd\\x80\\xc3')\n"
    "ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(m)))()",
    "x32 calls": "import ctypes\nctypes.CDLL(None).syscall(0x40000000 + 39)",
}  # fmt: skip


@pytest.mark.parametrize("name", ESCAPES)
def test_no_way_out(box, outside, name):
    before = outside.stat()
    result = box.run(ESCAPES[name].replace("OUT", repr(str(outside))))
    assert result.error is not None
    assert not isinstance(result.error, LimitError)
    assert "canary" not in result.output + str(result.value)
    assert outside.read_text(encoding="utf-8") == "canary"
    assert os.listdir(outside.parent) == [outside.name]
    assert (outside.stat().st_mode, outside.stat().st_mtime_ns, outside.stat().st_uid) == (
        before.st_mode,
        before.st_mtime_ns,
        before.st_uid,
    )


def test_changes_of_modes_and_times_stay_without_effect(box, outside):
    before = outside.stat()
    path = repr(str(outside))
    box.run(f"import os\nos.chmod({path}, 0o777)\nos.utime({path}, (1, 1))\nos.chown({path}, 1, 1)")
    after = outside.stat()
    assert (after.st_mode, after.st_mtime_ns, after.st_uid) == (
        before.st_mode,
        before.st_mtime_ns,
        before.st_uid,
    )


def test_environment_is_empty_of_secrets(box):
    result = box.run("import os\nprint(dict(os.environ), os.getuid())")
    assert "canary" not in result.output
    assert "KEY" not in result.output
    assert not result.output.rstrip().endswith(" 0")


def test_places_of_the_machine_do_not_show(box):
    result = box.run(
        "import os, sys\nprint(os.getcwd(), os.__file__, sys.path)\n{'a': [sys.prefix, os.path.abspath('x')]}"
    )
    for place in (sys.prefix, sys.base_prefix, str(Path.home()), tempfile.gettempdir() + "/headwater"):
        assert place not in result.output + json.dumps(result.value)
    assert result.value["a"][1] == "./x"
    assert str(Path.home()) not in str(
        box.run("import os\nopen(os.path.join(os.path.dirname(os.__file__), 'no'))").error
    )


def test_links_and_folders_are_no_outputs(box):
    result = box.run(
        "import os\nos.mkdir('d')\nopen('a', 'w').write('1')\nos.link('a', 'b')\nopen('.h', 'w').write('1')\nopen('c', 'w')"
    )
    assert list(result.files) == ["c"]


def test_given_files_are_copies(tmp_path):
    source = tmp_path / "lake.csv"
    source.write_text("a\n1\n", encoding="utf-8")
    with Sandbox({"lake.csv": source}) as box:
        box.run("import os\nos.unlink('lake.csv')\nopen('lake.csv', 'w').write('tampered')")
        assert box.run("open('lake.csv').read()").value == "a\n1\n"
    assert source.read_text(encoding="utf-8") == "a\n1\n"


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf"), 1e30])
def test_time_that_is_no_time_is_refused(seconds):
    with pytest.raises(UsageError, match="seconds"):
        CodeLimits(seconds=seconds)


@pytest.mark.parametrize("name", ["../x", "a/b", ".hidden", ""])
def test_names_of_given_files_are_checked(name):
    with pytest.raises(UsageError):
        Sandbox({name: b""})


def test_nothing_is_left_behind():
    with Sandbox() as box:
        box.run("import os\nos.mkdir('d')\nopen('d/f', 'w')")
        base, host = box._base, box._host.pid
    assert not os.path.exists(base)
    assert not os.path.exists(f"/proc/{host}")


@pytest.mark.parametrize("tier", ["bubblewrap", "landlock"])
def test_a_killed_owner_leaves_nothing(tier):
    if problem := (_walls.bubblewrap_problem() if tier == "bubblewrap" else _walls.missing_layers()):
        pytest.skip(problem)
    script = (
        "from headwater.sandbox import CodeLimits, Sandbox\n"
        f"box = Sandbox(tier={tier!r}, limits=CodeLimits(seconds=90))\n"
        "print(box._base, box._host.pid, flush=True)\n"
        'box.run(\'import time\\nopen("late", "w")\\ntime.sleep(80)\')'
    )
    owner = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    base, host = owner.stdout.readline().split()
    deadline = time.monotonic() + 30
    while not list(Path(base).glob("runs/*/late")) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert list(Path(base).glob("runs/*/late"))
    owner.send_signal(signal.SIGKILL)
    owner.wait()
    deadline = time.monotonic() + 30
    while (os.path.exists(base) or os.path.exists(f"/proc/{host}")) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not os.path.exists(base)
    assert not os.path.exists(f"/proc/{host}")


@pytest.mark.parametrize("what", ["the process", "what it starts"])
def test_a_lost_host_is_replaced(box, what):
    kept = box.run("open('kept', 'w').write('x')").files["kept"]
    box._host.start()
    pid = box._host.pid
    started = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split()
    for number in [pid] if what == "the process" or not started else map(int, started):
        os.kill(number, signal.SIGKILL)
    time.sleep(0.5)  # until the kernel has ended what was started by it
    assert box.run("40 + 2").value == 42
    assert kept.read_text() == "x"


def test_folders_of_dead_owners_are_swept_and_of_living_ones_not(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    dead = tmp_path / f"{_folders.PREFIX}999999999-x"
    dead.mkdir()
    young = tmp_path / f"{_folders.PREFIX}{os.getpid()}-x"
    young.mkdir()
    reused = tmp_path / f"{_folders.PREFIX}{os.getpid()}-y"
    reused.mkdir()
    os.utime(reused, (1, 1))
    (tmp_path / f"{_folders.PREFIX}999999999-link").symlink_to(tmp_path / "other")
    base, mark = _folders.make_base()
    unseen = (
        tmp_path / f"{_folders.PREFIX}999999999-z"
    )  # of another container, where its owner has another number
    os.rename(base, unseen)
    os.utime(unseen, (1, 1))
    _folders.sweep()
    os.close(mark)
    assert {p.name for p in tmp_path.iterdir()} == {
        young.name,
        unseen.name,
        f"{_folders.PREFIX}999999999-link",
    }


def test_a_wall_that_does_not_hold_stops_everything(monkeypatch):
    monkeypatch.setattr("headwater.sandbox._sandbox.CANARY", "tried = {'read outside': True}\ntried")
    before = set(os.listdir(tempfile.gettempdir()))
    with pytest.raises(SetupError, match="read outside"):
        Sandbox()
    assert not {
        n
        for n in set(os.listdir(tempfile.gettempdir())) - before
        if n.startswith(f"headwater-code-{os.getpid()}-")
    }


def test_without_walls_it_refuses_and_says_how_to_get_them(monkeypatch):
    monkeypatch.setattr("headwater.sandbox._walls.missing_layers", lambda: "the kernel has no Landlock")
    monkeypatch.setattr("headwater.sandbox._walls.bubblewrap_problem", lambda: "bubblewrap is not installed")
    with pytest.raises(SetupError) as caught:
        Sandbox()
    assert "Landlock" in caught.value.message
    assert "bubblewrap" in caught.value.hint
    assert "--unsafe-python" in caught.value.hint


def test_unsafe_runs_without_walls(outside):
    with Sandbox(unsafe=True) as box:
        assert box.run(f"open({str(outside)!r}).read()").value == "canary"
        assert box.layers == {"tier": "none"}


class TestCommand:
    def run(self, code, *arguments):
        command = [sys.executable, "-m", "headwater", "run-code", "--json", *arguments]
        done = subprocess.run(command, input=code, capture_output=True, text=True, check=False)
        return done.returncode, json.loads(done.stdout)

    def test_success(self):
        code, reply = self.run("print('hi')\n6 * 7")
        assert code == 0
        assert {k: reply[k] for k in ("schema", "ok", "output", "value", "files", "truncated")} == {
            "schema": "headwater.run-code/1", "ok": True, "output": "hi\n", "value": 42, "files": [], "truncated": False,
        }  # fmt: skip

    def test_failure_and_limit(self):
        assert self.run("1 / 0")[0] == 1
        code, reply = self.run("while True: pass", "--seconds", "300ms")
        assert code == 4
        assert (reply["ok"], reply["error"]["kind"]) == (False, "limit")

    def test_files_are_kept_where_asked(self, tmp_path):
        _, reply = self.run("open('a.txt', 'w').write('x')", "--out", str(tmp_path / "kept"))
        assert reply["files"] == [{"name": "a.txt", "bytes": 1, "path": str(tmp_path / "kept" / "a.txt")}]
        assert (tmp_path / "kept" / "a.txt").read_text() == "x"
