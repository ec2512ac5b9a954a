"""The process that runs the statements: what it cannot do, and how it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from headwater.errors import LimitError, UsageError
from headwater.sql import SqlEngine
from headwater.sql._worker import WorkerError

ENDLESS = "select count(*) from range(1000000) a, range(1000000) b where (a.range * b.range) % 7 = 3"
needs_proc = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")


def pid_of(engine: SqlEngine) -> int:
    engine.query("select 1")
    pid = engine._worker.pid
    assert pid is not None
    return pid


def ungated(engine: SqlEngine, sql: str, paths: list[Path]) -> list[list[Any]]:
    """Run SQL past the gate, as if it had a hole."""
    request = {"op": "rows", "sql": sql, "paths": [str(path) for path in paths], "views": []}
    rows: list[list[Any]] = engine._worker.ask(request, 10)[0]["rows"]
    return rows


def wait_until(condition: Callable[[], bool]) -> bool:
    for _ in range(100):
        if condition():
            return True
        time.sleep(0.1)
    return False


def gone(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0]
    except OSError:
        return True
    return state in "ZX"


@needs_proc
def test_it_has_no_environment_no_folder_and_no_files(tables: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER_CANARY", "canary4711")
    with SqlEngine(tables) as engine:
        pid = pid_of(engine)
        assert Path(f"/proc/{pid}/environ").read_bytes() == b""
        assert os.readlink(f"/proc/{pid}/cwd").endswith(" (deleted)")
        open_files = [os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")]
        assert not [name for name in open_files if name.startswith("/") and name != "/dev/null"]
        with pytest.raises(WorkerError):
            ungated(engine, "select getenv('HEADWATER_CANARY')", [])


def test_past_the_gate_it_still_writes_nothing(engine: SqlEngine, tables: Any, tmp_path: Path) -> None:
    (path,) = tables.resolve("goals").paths
    before = path.read_bytes()
    assert ungated(engine, f"select count(*) from read_parquet('{path}')", [path]) == [[3000]]
    if "landlock" not in engine.layers:
        pytest.skip("this kernel has no Landlock")
    for sql in (
        f"copy (select 1) to '{path}' (use_tmp_file false)",
        f"with a as (copy (select 1) to '{path}' (use_tmp_file false)) select 1",
        f"copy (select 1) to '{tmp_path / 'new.csv'}'",
        "copy (select 1) to 'here.csv'",
    ):
        with pytest.raises(WorkerError):
            ungated(engine, sql, [path])
    assert path.read_bytes() == before
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "sql",
    [
        "from read_text('/etc/hostname')",
        "from read_text('/proc/self/environ')",
        "from glob('/etc/*')",
        "attach '/tmp/x.db'",
        "set enable_external_access = true",
        "set memory_limit = '9GB'",
        "load httpfs",
        "from read_csv('http://127.0.0.1:9/a.csv')",
    ],
)
def test_past_the_gate_duckdb_itself_is_locked(engine: SqlEngine, sql: str) -> None:
    with pytest.raises(WorkerError):
        ungated(engine, sql, [])


def test_it_reads_no_table_that_was_not_asked_for(engine: SqlEngine, tables: Any, tmp_path: Path) -> None:
    other = tmp_path / "other.parquet"
    other.write_bytes(tables.resolve("goals").paths[0].read_bytes())
    with pytest.raises(WorkerError, match="Permission"):
        ungated(engine, f"from read_parquet('{other}')", [])


def test_a_statement_past_its_time_is_stopped_and_the_process_lives(engine: SqlEngine) -> None:
    pid = pid_of(engine)
    with pytest.raises(LimitError, match=r"stopped after 0\.3 s"):
        engine.query(ENDLESS, deadline_s=0.3)
    assert engine.query("select 1").rows == [[1]]
    assert pid_of(engine) == pid


def test_a_process_that_does_not_answer_is_killed_and_replaced(
    tables: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("headwater.sql._worker.GRACE_S", 0.3)
    with SqlEngine(tables) as engine:
        pid = pid_of(engine)
        os.kill(pid, signal.SIGSTOP)
        with pytest.raises(LimitError, match="time limit"):
            engine.query("select 1", deadline_s=0.2)
        assert engine.query("select 2").rows == [[2]]
        assert pid_of(engine) != pid


def test_a_process_that_is_killed_is_replaced(tables: Any) -> None:
    with SqlEngine(tables) as engine:
        pid = pid_of(engine)
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: gone(pid))
        assert engine.query("select count(*) from goals").rows == [[3000]]
        assert pid_of(engine) != pid


@needs_proc
def test_it_ends_with_the_engine(tables: Any) -> None:
    with SqlEngine(tables) as engine:
        pid = pid_of(engine)
    assert gone(pid)


@needs_proc
def test_it_dies_with_its_parent_even_in_the_middle_of_a_statement() -> None:
    script = f"""
        import threading, time
        from headwater.sql import SqlEngine
        class Nothing:
            def names(self): return []
            def resolve(self, reference): raise LookupError
        engine = SqlEngine(Nothing())
        engine.query("select 1")
        threading.Thread(target=engine.query, args=({ENDLESS!r},), daemon=True).start()
        time.sleep(0.3)
        print(engine._worker.pid, flush=True)
        time.sleep(60)
    """
    with subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert not gone(pid)
        parent.kill()
    assert wait_until(lambda: gone(pid))


def test_threads_take_turns(engine: SqlEngine) -> None:
    found: dict[int, Any] = {}

    def ask(i: int) -> None:
        found[i] = engine.query(f"select {i}, count(*) from goals where id < {i}").rows

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {i: [[i, i]] for i in range(8)}


def test_a_table_that_was_written_anew_is_read_anew(tables: Any, tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from headwater.sql import TableRef

    class One:
        def names(self) -> list[str]:
            return ["x"]

        def resolve(self, reference: str) -> TableRef:
            return TableRef("x", "x", (tmp_path / "x.parquet",), (("a", "integer"),), 1)

    with SqlEngine(One()) as engine:
        for columns in ({"a": [1]}, {"b": ["new"], "a": [2]}):
            table = pa.table({"_row": [1], "_line": [2], **columns})
            pq.write_table(table, tmp_path / "next")
            (tmp_path / "next").replace(tmp_path / "x.parquet")
            assert engine.query("from x").to_dicts() == [{name: cells[0] for name, cells in columns.items()}]


def test_importing_the_room_loads_no_heavy_library() -> None:
    code = "import sys, headwater.sql; print(*({'duckdb', 'pyarrow', 'numpy', 'pandas'} & set(sys.modules)))"
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert output.strip() == ""


@pytest.mark.parametrize("seconds", [float("inf"), float("nan"), 1e30, 0, -1])
def test_time_that_is_no_time_is_refused(tables: Any, seconds: float) -> None:
    with SqlEngine(tables) as engine:
        with pytest.raises(UsageError, match="seconds"):
            engine.query("select 1", deadline_s=seconds)
        assert engine.query("select 2").rows == [[2]]


def test_a_reply_nobody_waited_for_is_not_taken_for_the_next(
    tables: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with SqlEngine(tables) as engine:
        engine.query("select 1")

        def interrupted(*_: object) -> Any:
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(type(engine._worker), "_read", interrupted)
            with pytest.raises(KeyboardInterrupt):
                engine.query("select 2")
        assert engine.query("select 3").rows == [[3]]


def test_half_a_character_is_told(tables: Any) -> None:
    with SqlEngine(tables) as engine, pytest.raises(UsageError, match="position 9"):
        engine.query("select '\ud800'")


def test_no_rows_can_be_asked_for(tables: Any) -> None:
    with SqlEngine(tables) as engine:
        result = engine.query("select 0", max_rows=0)
        assert (result.rows, result.row_count, result.truncated) == ([], 1, True)
