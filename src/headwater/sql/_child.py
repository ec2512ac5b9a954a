"""The process that runs the statements. It is started by path, on its own, and imports nothing of headwater.

It speaks over its standard input and output: a frame is the lengths of two parts (little-endian, 4 and 8 bytes), a
JSON object and raw bytes. The process confines itself before it loads DuckDB: no environment, an empty
working folder, no core dumps, no bytes written to files, an address-space limit, and where the kernel has Landlock
no way to open a file for writing, to start a program or to connect anywhere.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import queue
import resource
import signal
import struct
import sys
import threading
import time
import warnings
from typing import Any, BinaryIO

HEADER = struct.Struct("<IQ")
PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS = 1, 38
LANDLOCK_CREATE_RULESET, LANDLOCK_ADD_RULE, LANDLOCK_RESTRICT_SELF = 444, 445, 446
# Access rights of linux/landlock.h. Read rights are handled only where roots are named.
READ_FILE, READ_DIR = 1 << 2, 1 << 3
EXECUTE_AND_WRITE = (
    0b1_1111_1111_0011  # execute, write file, remove and make of every kind: bits 0, 1, 4 to 12
)
ABI_RIGHTS = ((2, 1 << 13), (3, 1 << 14), (5, 1 << 15))  # refer, truncate, ioctl on devices
SYSTEM_ROOTS = ("/usr", "/lib", "/lib64", "/proc", "/sys/fs/cgroup", "/etc/ld.so.cache", "/etc/localtime")
TEXT_TYPES = ("INTERVAL", "BIT", "BIGNUM", "VARIANT", "TIME WITH TIME ZONE", "GEOMETRY")
"""Types that Arrow cannot carry readably; they travel as text."""
MAX_ALLOWED_PATHS = 5_000


def confine(config: dict[str, Any]) -> list[str]:
    """Take away what a query never needs; return the names of the layers that hold."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    os.umask(0o777)
    for name, limit in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_AS, config["address_space"]),
    ):
        hard = resource.getrlimit(name)[1]
        limit = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        with contextlib.suppress(ValueError, OSError):  # macOS has no limit of the address space
            resource.setrlimit(name, (limit, limit))
    if sys.platform != "linux":
        return ["rlimits"]
    libc = ctypes.CDLL(None, use_errno=True)
    if config["parent_is_main_thread"]:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != config["parent"]:
            os._exit(0)
    confined = libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 and landlock(libc, config)
    return ["rlimits", "landlock"] if confined else ["rlimits"]


def landlock(libc: ctypes.CDLL, config: dict[str, Any]) -> bool:
    """Forbid writing, executing, connecting, and reading outside the given roots, if the kernel can."""
    abi = libc.syscall(LANDLOCK_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(1))
    if abi < 1:
        return False
    rights = EXECUTE_AND_WRITE
    for version, right in ABI_RIGHTS:
        rights |= right if abi >= version else 0
    roots = config["read_roots"]
    if roots:
        rights |= READ_FILE | READ_DIR
    network = 0b11 if abi >= 4 else 0
    scoped = 0b11 if abi >= 6 else 0
    attributes = struct.pack("<QQQ", rights, network, scoped)[: 24 if abi >= 6 else 16 if abi >= 4 else 8]
    ruleset = libc.syscall(
        LANDLOCK_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), ctypes.c_uint32(0)
    )
    if ruleset < 0:
        return False
    for root in (*roots, *SYSTEM_ROOTS, sys.prefix, sys.base_prefix, *config["packages"]) if roots else ():
        allow_reading(libc, ruleset, root)
    held = bool(libc.syscall(LANDLOCK_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0)) == 0)
    os.close(ruleset)
    return held


def allow_reading(libc: ctypes.CDLL, ruleset: int, root: str) -> None:
    """Let the process read below `root`; a root that does not exist is passed over."""
    try:
        handle = os.open(root, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    rights = READ_FILE | READ_DIR if os.path.isdir(root) else READ_FILE
    rule = struct.pack("<Qi", rights, handle)
    libc.syscall(LANDLOCK_ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(1), rule, ctypes.c_uint32(0))
    os.close(handle)


class Refused(Exception):
    """The statement is not one that reads."""


class Runner:
    """Holds the database and answers requests; one DuckDB instance as long as no new file is needed."""

    def __init__(self, config: dict[str, Any]) -> None:
        import duckdb

        self.duckdb = duckdb
        self.config = config
        self.paths: set[str] = set()
        self.views: set[str] = set()
        self.parser = self._connect()
        self.connection = self.parser

    def _connect(self, paths: set[str] = frozenset()) -> Any:  # type: ignore[assignment]
        options = {
            "memory_limit": f"{self.config['memory_mb']}MB",
            "threads": self.config["threads"],
            "temp_directory": "",
            "python_enable_replacements": False,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "allow_community_extensions": False,
        }
        connection = self.duckdb.connect(":memory:", config=options)
        if paths:
            listed = ", ".join("'" + path.replace("'", "''") + "'" for path in sorted(paths))
            connection.execute(f"set allowed_paths=[{listed}]").fetchall()
        connection.execute("set enable_external_access=false").fetchall()
        connection.execute("set lambda_syntax='ENABLE_SINGLE_ARROW'").fetchall()
        connection.execute("set lock_configuration=true").fetchall()
        return connection

    def prepare(self, paths: list[str], views: list[list[str]]) -> None:
        """Make the named views exist, over a database that may read exactly the files asked for so far."""
        new = set(paths) - self.paths
        if new:
            wanted = self.paths | new if len(self.paths) + len(new) <= MAX_ALLOWED_PATHS else set(paths)
            if self.connection is not self.parser:
                self.connection.close()
            self.connection, self.paths, self.views = self._connect(wanted), wanted, set()
        for name, sql in views:
            if name not in self.views:
                self.connection.execute(f'create or replace view "{name}" as {sql}').fetchall()
                self.views.add(name)

    def parse(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the syntax tree of a statement as JSON text, or the parser's complaint."""
        statements = self.duckdb.extract_statements(request["sql"])
        if len(statements) != 1:
            return {"statements": len(statements)}
        kind = statements[0].type.name
        if kind != "SELECT":
            return {"statements": 1, "kind": kind}
        tree = self.parser.execute(
            "select json_serialize_sql(?, skip_default := true, skip_empty := true, skip_null := true)",
            [request["sql"]],
        ).fetchall()[0][0]
        return {"statements": 1, "kind": kind, "tree": tree}

    def text(self, tree: str) -> str:
        """Return the SQL of a syntax tree, checked to be one statement that reads."""
        sql = str(self.parser.execute("select json_deserialize_sql(?)", [tree]).fetchall()[0][0])
        statements = self.duckdb.extract_statements(sql)
        if len(statements) != 1 or statements[0].type.name != "SELECT":
            raise Refused("only one SELECT statement can be run")
        return sql

    def run(self, request: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        """Run the statement; return columns, counts and the rows as an Arrow stream."""
        sql = self.text(request["tree"])
        self.prepare(request["paths"], request["views"])
        relation = self.connection.sql(sql)
        types = [str(kind) for kind in relation.types]
        names = list(relation.columns)
        if any(kind in TEXT_TYPES for kind in types):
            items = ", ".join(
                f"cast(#{i} as varchar) as {quote(name)}" if kind in TEXT_TYPES else f"#{i} as {quote(name)}"
                for i, (name, kind) in enumerate(zip(names, types, strict=True), 1)
            )
            relation = self.connection.sql(f"select {items} from ({sql})")
        table, cut = read_table(relation, request["max_rows"], request["max_bytes"])
        row_count: int | None = table.num_rows
        if cut:
            row_count = self.count(request["count_tree"])
        body = pack(narrow_integers(table, types)) if table.num_columns else b""
        columns = [[name, kind] for name, kind in zip(names, types, strict=True)]
        return {"columns": columns, "shown": table.num_rows, "row_count": row_count, "cut": cut}, body

    def count(self, tree: str) -> int | None:
        """Return the number of rows of a statement, None if the deadline comes first."""
        try:
            sql = f"select count(*) from ({self.text(tree)})"
            return int(self.connection.execute(sql).fetchall()[0][0])
        except (self.duckdb.InterruptException, self.duckdb.OutOfMemoryException, MemoryError):
            return None

    def rows(self, request: dict[str, Any]) -> dict[str, Any]:
        """Run SQL made by headwater itself and return its rows as JSON values."""
        self.prepare(request["paths"], request["views"])
        found = self.connection.execute(request["sql"]).fetchall()
        return {
            "rows": [
                [value if isinstance(value, (int, float, str)) else None for value in row] for row in found
            ]
        }

    def render(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the SQL of several syntax trees."""
        return {"sql": [self.text(tree) for tree in request["trees"]]}

    def explain(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the plan of the statement as text."""
        sql = self.text(request["tree"])
        self.prepare(request["paths"], request["views"])
        found = self.connection.execute(f"explain {sql}").fetchall()
        return {"plan": "\n".join(str(row[-1]) for row in found)}

    def answer(self, request: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        """Answer one request within its time; an error becomes an object with its type and text."""
        # The timer must not outlive the request, or it would interrupt the next one.
        timer = threading.Timer(max(request["seconds"], 0.01), self.interrupt)
        timer.daemon = True
        timer.start()
        started = time.monotonic()
        try:
            if request["op"] == "run":
                reply, body = self.run(request)
            else:
                reply, body = getattr(self, request["op"])(request), b""
        except (Refused, self.duckdb.Error, MemoryError, ValueError, OSError, RuntimeError) as error:
            kind = next(
                (c.__name__ for c in type(error).__mro__ if c.__name__ == "MemoryError"), type(error).__name__
            )
            reply, body = {"error": kind, "message": str(error)}, b""
        finally:
            timer.cancel()
        reply["seconds"] = time.monotonic() - started
        return reply, body

    def interrupt(self) -> None:
        """Stop what is running."""
        self.parser.interrupt()
        self.connection.interrupt()


def quote(name: str) -> str:
    """Return `name` as a quoted identifier."""
    return '"' + name.replace('"', '""') + '"'


def read_table(relation: Any, max_rows: int, max_bytes: int) -> tuple[Any, str]:
    """Return the first rows as an Arrow table, and "rows", "bytes" or "" for what cut it."""
    import pyarrow as pa

    reader = relation.to_arrow_reader(min(max_rows + 1, 2048))
    batches, rows, size = [], 0, 0
    for batch in reader:
        batches.append(batch)
        rows += batch.num_rows
        size += batch.nbytes
        if rows > max_rows or size > max_bytes:
            break
    table = pa.Table.from_batches(batches, schema=reader.schema)
    cut = "rows" if rows > max_rows else ""
    table = table.slice(0, max_rows)
    if size > max_bytes and table.nbytes > max_bytes:
        fitting = fitting_rows(table, max_bytes)
        if not fitting:
            raise Refused("a single row is larger than the byte limit")
        table, cut = table.slice(0, fitting), "bytes"
    elif size > max_bytes and not cut:
        # Fewer bytes than the limit once sliced, yet rows may follow that were not read.
        cut = "bytes"
    return table, cut


def fitting_rows(table: Any, max_bytes: int) -> int:
    """Return how many rows fit, by bisection on the size of the slice."""
    low, high = 0, table.num_rows
    while low < high:
        middle = (low + high + 1) // 2
        if table.slice(0, middle).nbytes <= max_bytes:
            low = middle
        else:
            high = middle - 1
    return low


def narrow_integers(table: Any, types: list[str]) -> Any:
    """Return the table with HUGEINT columns (sums of integers) as int64 where their values fit."""
    import pyarrow as pa

    for i, kind in enumerate(types):
        if kind in ("HUGEINT", "UHUGEINT"):
            try:
                column = table.column(i).cast(pa.int64())
            except pa.ArrowInvalid:
                continue
            table = table.set_column(i, table.schema.names[i], column)
    return table


def pack(table: Any) -> bytes:
    """Return a table as an Arrow stream."""
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(memoryview(sink.getvalue()))


def send(stream: BinaryIO, reply: dict[str, Any], body: bytes) -> None:
    """Write one frame."""
    head = json.dumps(reply).encode()
    stream.write(HEADER.pack(len(head), len(body)) + head + body)
    stream.flush()


def receive(stream: BinaryIO, requests: queue.SimpleQueue[dict[str, Any]]) -> None:
    """Queue the requests as they come; end the process when the parent is gone, whatever is running."""
    while header := stream.read(HEADER.size):
        head, body = HEADER.unpack(header)
        requests.put(json.loads(stream.read(head)))
        stream.read(body)
    os._exit(0)


def main() -> None:
    """Confine this process, load DuckDB and answer until the parent closes the pipe."""
    config = json.loads(sys.argv[1])
    os.environ.clear()
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    layers = confine(config)
    sys.path.extend(config["packages"])
    warnings.simplefilter("ignore")
    requests: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=receive, args=(sys.stdin.buffer, requests), daemon=True).start()
    runner = Runner(config)
    send(output, {"ready": True, "layers": layers}, b"")
    while True:
        reply, body = runner.answer(requests.get())
        send(output, reply, body)


if __name__ == "__main__":
    main()
