"""Worker processes: one bad task costs that task alone, and nothing finished is lost."""

from __future__ import annotations

import functools
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from headwater.errors import ReadError, SetupError
from headwater.ingest._pool import Outcome, WorkerPool


class Unpicklable(Exception):
    def __init__(self, one, two):
        super().__init__(f"{one}{two}")


class LoadsBadly:
    def __reduce__(self):
        return int, ("not a number",)


def act(task):
    """Do what a task says; the tasks are (verb, argument)."""
    verb, argument = task
    return getattr(Acts, verb)(argument)


class Acts:
    echo = staticmethod(lambda x: x)
    sleep = staticmethod(time.sleep)
    signal = staticmethod(lambda number: os.kill(os.getpid(), number))
    exit = staticmethod(os._exit)
    pid = staticmethod(lambda _: os.getpid())
    blob = staticmethod(lambda size: b"x" * size)
    length = staticmethod(len)
    badly = staticmethod(lambda _: LoadsBadly())
    thread_lock = staticmethod(lambda _: __import__("threading").Lock())
    leave = staticmethod(lambda _: sys.exit(3))

    @staticmethod
    def fail(message):
        raise ReadError(message, where="line 3", hint="mend it")

    @staticmethod
    def fail_oddly(_):
        raise Unpicklable("a", "b")

    @staticmethod
    def spin(_):
        while True:
            pass

    @staticmethod
    def eat(step):
        held = []
        while True:
            held.append(b"x" * step)

    @staticmethod
    def hold(size):
        Acts.held = b"x" * size
        return os.getpid()

    @staticmethod
    def litter(then):
        with tempfile.NamedTemporaryFile(delete=False) as file:
            file.write(b"x")
        Acts.spin(0) if then == "spin" else None
        return file.name

    @staticmethod
    def mark(path):
        Path(path).write_bytes(str(os.getpid()).encode())
        time.sleep(60)


def shout(text, task):
    return f"{task}{text}"


def make(**options):
    defaults = {"workers": 2, "memory_mb": 200, "deadline_s": 30.0}
    return WorkerPool(act, **(defaults | options))


def run(tasks, **options) -> dict[object, Outcome]:
    with make(**options) as pool:
        pairs = list(pool.run(tasks))
    assert len(pairs) == len(tasks)
    return dict(pairs)


GOOD = [("echo", i) for i in range(20)]


def test_every_task_has_its_own_value():
    found = run([("echo", i) for i in range(3000)])
    assert all(outcome.ok and outcome.value == task[1] for task, outcome in found.items())
    assert len(found) == 3000


@pytest.mark.parametrize(
    ("task", "kind", "said"),
    [
        (("fail", "broken"), "error", "ReadError: broken"),
        (("fail_oddly", 0), "error", "Unpicklable: ab"),
        (("leave", 0), "error", "SystemExit: 3"),
        (("badly", 0), "error", "ValueError"),
        (("thread_lock", 0), "error", "pickle"),
        (("signal", signal.SIGSEGV), "crashed", "SIGSEGV"),
        (("signal", signal.SIGKILL), "crashed", "want of memory"),
        (("exit", 7), "crashed", "exit code 7"),
        (("exit", 0), "crashed", "exit code 0"),
        (("eat", 5_000_000), "out_of_memory", "more memory"),
        (("eat", 10**13), "out_of_memory", "more memory"),
    ],
)
def test_a_bad_task_costs_itself_alone(task, kind, said):
    found = run([*GOOD[:10], task, *GOOD[10:]])
    assert found[task].kind == kind and said in found[task].reason
    assert all(found[good].value == good[1] for good in GOOD)


@pytest.mark.parametrize("task", [("sleep", 1000), ("spin", 0)])
def test_deadline_is_enforced_from_outside(task):
    found = run([task, *GOOD], deadline_s=0.5)
    assert found[task].kind == "timed_out" and found[task].seconds >= 0.5
    assert all(found[good].ok for good in GOOD)


def test_deadline_by_task():
    found = run([("sleep", 0.6), ("sleep", 1000)], deadline_s=lambda task: 0.3 if task[1] > 1 else 30)
    assert [o.kind for o in found.values()].count("ok") == 1 and found["sleep", 1000].kind == "timed_out"


def test_limits_hold_while_the_main_process_is_busy():
    with make(deadline_s=0.3) as pool:
        results = pool.run([("echo", 1), ("spin", 0)])
        first, _ = next(results)
        time.sleep(1.5)
        (task, outcome), *rest = list(results)
    assert (first, task, rest) == (("echo", 1), ("spin", 0), [])
    assert outcome.kind == "timed_out" and outcome.seconds < 1.2


def test_errors_keep_what_they_carry():
    error = run([("fail", "broken")])["fail", "broken"].error
    assert isinstance(error, ReadError) and (error.where, error.hint) == ("line 3", "mend it")


def test_traceback_is_told():
    assert "in fail_oddly" in run([("fail_oddly", 0)])["fail_oddly", 0].traceback


def test_large_tasks_and_values_pass():
    sizes = [("blob", 30_000_000), ("blob", 1), ("blob", 2_000_000)]
    assert all(len(outcome.value) == task[1] for task, outcome in run(sizes).items())
    found = run([("length", "x" * 3_000_000 + str(i)) for i in range(6)])
    assert {o.value for o in found.values()} == {3_000_001}


def test_many_crashes_are_survived():
    tasks = [("exit", i % 3 + 1) if i % 2 else ("echo", i) for i in range(60)]
    with make() as pool:
        outcomes = [outcome.kind for _, outcome in pool.run(tasks)]
    assert outcomes.count("ok") == 30 and outcomes.count("crashed") == 30


def test_workers_are_replaced_after_some_tasks():
    with make(workers=1, recycle_after=5) as pool:
        pids = [outcome.value for _, outcome in pool.run([("pid", i) for i in range(20)])]
    assert len(set(pids)) >= 4 and max(pids.count(pid) for pid in pids) <= 6


def test_workers_that_grew_are_replaced():
    with make(workers=1) as pool:
        grown, after = (o.value for _, o in pool.run([("hold", 150_000_000), ("pid", 1)]))
    assert grown != after


def test_second_run_uses_the_same_processes():
    with make(workers=1) as pool:
        (_, first), (_, second) = *pool.run([("pid", 1)]), *pool.run([("pid", 2)])
    assert first.value == second.value


def test_no_task_no_process():
    with make() as pool:
        assert list(pool.run([])) == [] and pool._process is None


def test_partial_functions():
    with WorkerPool(functools.partial(shout, "!"), workers=1, memory_mb=200, deadline_s=9) as pool:
        assert [o.value for _, o in pool.run(["hey"])] == ["hey!"]


def test_function_that_cannot_be_imported(tmp_path):
    shout.__module__, kept = "no_such_module", shout.__module__
    sys.modules["no_such_module"] = sys.modules[__name__]
    try:
        pool = WorkerPool(
            functools.partial(shout, "!"), workers=1, memory_mb=200, deadline_s=9, scratch=tmp_path
        )
        with pool, pytest.raises(SetupError, match="no_such_module"):
            list(pool.run(["hey"]))
        assert not list(tmp_path.iterdir())
    finally:
        del sys.modules["no_such_module"]
        shout.__module__ = kept


def test_tasks_are_drawn_as_needed():
    drawn = []

    def tasks():
        for i in range(1000):
            drawn.append(i)
            yield "sleep", 0.05

    with make() as pool:
        next(pool.run(tasks()))
        assert len(drawn) <= 6


def test_stop_finishes_what_is_under_way():
    with make() as pool:
        results = []
        for task, outcome in pool.run([("sleep", 0.1 + i / 1e6) for i in range(100)]):
            results.append((task, outcome))
            pool.stop()
        assert 1 <= len(results) <= 4 and all(o.ok for _, o in results)


def test_first_interrupt_stops_second_raises():
    with make() as pool:
        results = pool.run([("sleep", 0.2 + i / 1e6) for i in range(100)])
        next(results)
        os.kill(os.getpid(), signal.SIGINT)
        assert all(o.ok for _, o in results)
        assert pool.interrupted
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_forking_process_killed_from_outside(tmp_path):
    with make(scratch=tmp_path) as pool:
        results = pool.run([("sleep", 0.3), *GOOD])
        next(results)
        pool._process.kill()
        outcomes = dict(results)
        assert len(list(tmp_path.iterdir())) == 1
    assert not list(tmp_path.iterdir())
    assert all(o.ok for o in outcomes.values()) and len(outcomes) == len(GOOD)


MAIN = """
import sys
sys.path[:0] = {path!r}
from test_pool import make
with make(workers=2) as pool:
    list(pool.run([("mark", {folder!r} + "/0"), ("mark", {folder!r} + "/1")]))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_children_die_with_the_main_process(tmp_path, how):
    code = MAIN.format(path=[str(Path(__file__).parent)], folder=str(tmp_path))
    main = subprocess.Popen([sys.executable, "-c", code])
    marks = [tmp_path / "0", tmp_path / "1"]
    _until(lambda: all(mark.exists() and mark.read_text() for mark in marks))
    workers = [int(mark.read_text()) for mark in marks]
    zygotes = {int(_stat(pid)[1]) for pid in workers}
    main.send_signal(how)
    main.wait()
    _until(lambda: not any(_runs(pid) for pid in (*workers, *zygotes)))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_workers_die_with_the_process_that_forked_them(tmp_path):
    code = MAIN.format(path=[str(Path(__file__).parent)], folder=str(tmp_path))
    main = subprocess.Popen([sys.executable, "-c", code])
    mark = tmp_path / "0"
    try:
        _until(lambda: mark.exists() and mark.read_text())
        worker = int(mark.read_text())
        zygote = int(_stat(worker)[1])
        mark.unlink()
        os.kill(zygote, signal.SIGKILL)
        _until(lambda: not _runs(worker))
    finally:
        main.kill()
        main.wait()


def test_temporary_files_do_not_stay(tmp_path):
    with make(deadline_s=0.5, scratch=tmp_path) as pool:
        outcomes = dict(pool.run([("litter", "spin"), ("litter", "end")]))
        assert outcomes["litter", "spin"].kind == "timed_out"
        assert Path(outcomes["litter", "end"].value).is_relative_to(tmp_path)
        assert len(list(tmp_path.glob("*/*/*"))) == 1
    assert not list(tmp_path.iterdir())


def test_the_working_folder_is_not_imported_from(tmp_path, monkeypatch):
    """A lake may hold a file named like a module."""
    for name in ("pickle.py", "mmap.py", "headwater.py", "pyarrow.py"):
        (tmp_path / name).write_text("import os; open('pwned', 'w').close(); os._exit(1)")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    assert run(GOOD[:3], preload=["pyarrow"])["echo", 0].ok
    assert not (tmp_path / "pwned").exists()


def _stat(pid: int) -> list[str]:
    """State, parent and so on (proc(5)), after the name in brackets."""
    return Path(f"/proc/{pid}/stat").read_bytes().decode("utf-8", "replace").rsplit(")", 1)[1].split()


def _runs(pid: int) -> bool:
    try:
        return _stat(pid)[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def _until(condition, seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)
