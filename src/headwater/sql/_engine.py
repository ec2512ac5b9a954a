"""The one door to SQL over a lake."""

from __future__ import annotations

import hashlib
import json
import os
import re
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from headwater.errors import NotFoundError, RefusedError, UsageError
from headwater.model import Behind
from headwater.sql._aliases import MOST as MOST_QUOTED
from headwater.sql._aliases import quoted_alias
from headwater.sql._behind import Question, documents_question, questions
from headwater.sql._diagnose import Diagnostician, finds_nothing
from headwater.sql._gate import check_statement, check_tree
from headwater.sql._literals import literals_of
from headwater.sql._problems import Context, explain_failure, nearest
from headwater.sql._result import Column, SqlResult, contract_type
from headwater.sql._rewrite import LakeTable, Rewriter, Use
from headwater.sql._tables import TableCatalog, data_paths, view_sql
from headwater.sql._texts import texts_compared
from headwater.sql._tree import Tree, limited, statement
from headwater.sql._worker import Worker, WorkerDied, WorkerError

MEMORY_MB = 600
DEADLINE_S = 15.0
LONGEST_S = 3_600
MAX_ROWS = 1_000
MAX_BYTES = 8_000_000
MAX_THREADS = 4
MAX_STATEMENT = 1_000_000
LISTED_NAMES = 50_000
ROWS_BEHIND = 3
# DuckDB takes a table's name after DESCRIBE and SUMMARIZE, or a query, but not a function.
DESCRIBE_T = re.compile(r"(?is)\A((?:\s|--[^\n]*\n|/\*.*?\*/)*(?:describe|desc|summarize)\s+)(?=t\s*\()")
VIEW_AS = re.compile(r"\bview_[0-9a-f]{24} AS ")


@dataclass(slots=True)
class Plan:
    """A statement ready to run: its tree over views, what the views need, and constants that enter its result."""

    sql: str
    node: Tree
    rewriter: Rewriter
    views: dict[str, str]
    paths: list[str]
    context: Context
    literals: list[str]

    def request(self, op: str, **fields: Any) -> dict[str, Any]:
        """Return a request to the query process about this statement."""
        return {"op": op, "views": list(self.views.items()), "paths": self.paths} | fields

    def shown(self, name: str) -> str:
        """Return the name of a column without the names of views, as an unnamed subquery is named by its text."""
        return VIEW_AS.sub("", name) if "view_" in name else name


class SqlEngine:
    """Runs read-only SQL over the tables of a lake, in a confined process of its own.

    A table is named `t('path')`, `t('path#name')`, `t('series:ID')`, or by a short name that is unique. The
    statement passes a gate by its syntax tree; it then runs in a child process without environment, without access to
    files but the tables it names, bounded in memory and killed at the deadline. The process is started at the first
    query and used again.

    Args:
        catalog: resolves the names.
        memory_mb: DuckDB's memory limit in MB; the process gets three times that as address space.
        deadline_s: time limit of one statement in seconds.
        max_rows: rows a result holds at most.
        max_bytes: size of a result at most, in bytes of Arrow data.
        read_roots: folders that hold the Parquet files; if given, the kernel keeps the process from reading elsewhere.

    One engine may be used from several threads; their statements run one after another.
    """

    def __init__(
        self,
        catalog: TableCatalog,
        *,
        memory_mb: int = MEMORY_MB,
        deadline_s: float = DEADLINE_S,
        max_rows: int = MAX_ROWS,
        max_bytes: int = MAX_BYTES,
        read_roots: Sequence[Path] = (),
    ) -> None:
        self.catalog = catalog
        self.memory_mb = memory_mb
        self.deadline_s = deadline_s
        self.max_rows = max_rows
        self.max_bytes = max_bytes
        self._worker = Worker(memory_mb, min(os.cpu_count() or 1, MAX_THREADS), tuple(read_roots))
        self._diagnostician = Diagnostician()
        self._lock = threading.RLock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the query process."""
        self._worker.close()

    def warm_up(self) -> None:
        """Start the query process without waiting for it."""
        self._worker.start()

    @property
    def layers(self) -> list[str]:
        """What the running query process is confined by, beyond DuckDB's own settings."""
        return list(self._worker.layers)

    def query(
        self,
        sql: str,
        *,
        max_rows: int | None = None,
        max_bytes: int | None = None,
        deadline_s: float | None = None,
        diagnose: bool = True,
    ) -> SqlResult:
        """Run one SELECT (also FROM …, VALUES, WITH, DESCRIBE, SUMMARIZE, SHOW TABLES) and return its rows.

        Args:
            sql: the statement, in DuckDB's dialect.
            max_rows: instead of the engine's own.
            max_bytes: instead of the engine's own.
            deadline_s: instead of the engine's own.
            diagnose: whether to measure the joins and to look for near values where nothing was found.

        Raises:
            UsageError: the statement cannot be read or makes no sense.
            NotFoundError: a table, column or function does not exist; `nearest` holds those that do.
            AmbiguousError: a short name fits several tables.
            RefusedError: the statement does more than read.
            LimitError: time, memory or size ran out.
        """
        seconds = self.deadline_s if deadline_s is None else deadline_s
        rows = self.max_rows if max_rows is None else max_rows
        if not 0 < seconds <= LONGEST_S or rows < 0:
            raise UsageError(
                f"A query gets more than 0 and at most {LONGEST_S:,} seconds, and 0 rows or more; not {seconds} and {rows}."
            )
        deadline = time.monotonic() + seconds
        with self._lock:
            if self._worker.start():
                import pyarrow.ipc  # noqa: F401 - needed for the rows; loads while the process starts
            plan = self._plan(sql, deadline, seconds)
            request = plan.request(
                "run",
                tree=_dumps(statement(limited(plan.node, rows + 1))),
                count_tree=_dumps(statement(plan.node)),
                max_rows=rows,
                max_bytes=max_bytes or self.max_bytes,
            )
            reply, body = self._ask(request, plan.context, deadline)
            result = SqlResult(
                sql=sql,
                columns=[
                    Column(plan.shown(name), contract_type(kind), kind) for name, kind in reply["columns"]
                ],
                row_count=reply["row_count"],
                shown=reply["shown"],
                truncated=reply["row_count"] is None or reply["row_count"] > reply["shown"],
                tables=list(dict.fromkeys(use.ref.id for use in plan.rewriter.uses)),
                literals=plan.literals,
                seconds=reply["seconds"],
                ipc=body,
            )
            if diagnose:
                result.diagnostics = self._diagnose(plan, result, deadline)
        return result

    def behind(self, sql: str, names: Sequence[str], row: Sequence[Any], column: int) -> list[Behind]:
        """Return the rows of the lake that one cell of a statement's result rests on; none where that cannot be told.

        Told are statements that select directly from tables or series: for a cell that stands so in a table its rows, for a
        computed one the first of the rows that were gathered.

        Args:
            sql: the statement.
            names: columns of its result.
            row: a row of its result.
            column: position of the cell in that row.

        Raises:
            UsageError: and others, as `query` does: the statement cannot be run any more.
        """
        with self._lock:
            node, uses = self._selecting(sql)
            for asked in questions(node, uses, names, column, row) if node else ():
                found = [b for question in asked if (b := self._behind(question))]
                if found:
                    return found
        return []

    def _behind(self, question: Question) -> Behind | None:
        try:
            found = self.query(self._text(question.tree), max_rows=ROWS_BEHIND, diagnose=False)
        except (UsageError, NotFoundError, RefusedError):
            return None
        places = question.places(found.rows)
        return Behind(question.use.ref.id, places, found.row_count, question.exact) if places else None

    def documents_behind(self, sql: str) -> dict[str, list[str]]:
        """Return, for each series in a statement, the documents whose rows pass its conditions (raises as `query`)."""
        found: dict[str, list[str]] = {}
        with self._lock:
            node, uses = self._selecting(sql)
            for use in uses:
                if node and use.ref.id.startswith("series:"):
                    rows = self.query(self._text(documents_question(node, use)), diagnose=False).rows
                    found[use.ref.id] = sorted(str(r[0]) for r in rows)
        return found

    def _selecting(self, sql: str) -> tuple[Tree | None, list[Use]]:
        """Return the tree of a statement that selects, as parsed, and the tables in its FROM clause."""
        deadline = time.monotonic() + self.deadline_s
        plan = self._plan(sql, deadline, self.deadline_s)
        reply = self._parse(sql, Context(self.memory_mb, self.deadline_s, sql=sql), deadline)
        node = json.loads(reply["tree"])["statements"][0]["node"]
        if node["type"] != "SELECT_NODE":
            return None, []
        frames = [f for f in plan.rewriter.frames if f.node is plan.node]
        return node, [use for f in frames for use in f.uses if not use.plain]

    def _text(self, tree: Tree) -> str:
        request = {"op": "render", "trees": [_dumps(statement(tree))]}
        try:
            return str(self._worker.ask(request, self.deadline_s)[0]["sql"][0])
        except (WorkerError, WorkerDied) as error:
            raise explain_failure(error, Context(self.memory_mb, self.deadline_s)) from None

    def explain(self, sql: str) -> str:
        """Return DuckDB's plan of a statement as text (raises as `query`)."""
        deadline = time.monotonic() + self.deadline_s
        with self._lock:
            plan = self._plan(sql, deadline, self.deadline_s)
            reply, _ = self._ask(
                plan.request("explain", tree=_dumps(statement(plan.node))), plan.context, deadline
            )
        text = str(reply["plan"])
        for view, name in plan.context.names.items():
            text = text.replace(view, name)
        for path in plan.paths:
            text = text.replace(path, Path(path).name)
        return text

    def _plan(self, sql: str, deadline: float, seconds: float) -> Plan:
        """Parse, check and rewrite a statement."""
        if len(sql) > MAX_STATEMENT:
            raise UsageError(f"The statement is longer than {MAX_STATEMENT:,} characters.")
        try:
            sql.encode()
        except UnicodeEncodeError as error:
            raise UsageError(
                f"The statement is no valid text: half a character stands at position {error.start + 1}."
            ) from None
        context = Context(self.memory_mb, seconds, sql=sql)
        reply = self._parse(DESCRIBE_T.sub(r"\1from ", sql), context, deadline)
        check_statement(reply["statements"], reply.get("kind", ""))
        try:
            tree = json.loads(reply["tree"])
        except RecursionError:
            raise RefusedError(
                "The statement is nested too deeply.", hint="Break it up with WITH … AS."
            ) from None
        if tree.get("error"):
            raise RefusedError(f"This statement cannot be checked: {tree.get('error_message', '')}")
        check_tree(tree)
        node = tree["statements"][0]["node"]
        rewriter = Rewriter(self._resolve, self._list_names, _ViewNames(context))
        plan = Plan(sql, node, rewriter, {}, [], context, literals_of(node))
        plan.rewriter.rewrite(node)
        for use in plan.rewriter.uses:
            plan.views[use.node["table_name"]] = view_sql(use.ref, hidden=use.hidden)
        plan.paths = sorted({str(path) for use in plan.rewriter.uses for path in data_paths(use.ref)})
        context.uses, context.paths = plan.rewriter.uses, plan.paths
        return plan

    def _parse(self, sql: str, context: Context, deadline: float) -> dict[str, Any]:
        """Return the syntax tree of a statement; a name that is a word of SQL is quoted where that lets it be read."""
        tried = sql
        for _ in range(MOST_QUOTED):
            try:
                return self._parse_once(tried, context, deadline)
            except WorkerError as error:
                tried = quoted_alias(tried, error.message) or ""
                if not tried:
                    break
        try:
            return self._parse_once(sql, context, deadline)
        except WorkerError as error:
            raise explain_failure(error, context) from None

    def _parse_once(self, sql: str, context: Context, deadline: float) -> dict[str, Any]:
        request = {"op": "parse", "sql": sql}
        try:
            return self._worker.ask(request, max(deadline - time.monotonic(), 0.05))[0]
        except WorkerDied as died:
            if died.late:
                raise explain_failure(died, context) from None
        # The process may have died long since, for any reason; if a fresh one dies too, it is the statement.
        try:
            return self._worker.ask(request, max(deadline - time.monotonic(), 0.05))[0]
        except WorkerDied as died:
            raise explain_failure(died, context) from None

    def _diagnose(self, plan: Plan, result: SqlResult, deadline: float) -> list[dict[str, Any]]:
        def ask(request: dict[str, Any], seconds: float) -> dict[str, Any]:
            return self._worker.ask(plan.request(**request), seconds)[0]

        frames = plan.rewriter.frames
        found = self._diagnostician.joins(frames, ask, deadline - time.monotonic())
        found += texts_compared(plan.node, result.columns, result.rows)
        if finds_nothing(result.row_count, lambda: result.rows):
            found += self._diagnostician.values(frames, ask, deadline - time.monotonic())
        if result.row_count is None:
            found.append(
                {"kind": "count", "level": "warning", "message": "The rows could not be counted in time."}
            )
        return found

    def _ask(
        self, request: dict[str, Any], context: Context, deadline: float
    ) -> tuple[dict[str, Any], bytes]:
        try:
            return self._worker.ask(request, max(deadline - time.monotonic(), 0.05))
        except (WorkerError, WorkerDied) as error:
            raise explain_failure(error, context) from None

    def _resolve(self, reference: str) -> LakeTable:
        try:
            return self.catalog.resolve(reference)
        except NotFoundError as error:
            if error.nearest:
                raise
            near = nearest(reference, self.catalog.names())
            hint = f"Did you mean {', '.join(near[:3])}?" if near else "SHOW TABLES lists the tables."
            raise NotFoundError(error.message, hint=hint, nearest=near) from None

    def _list_names(self) -> list[str]:
        return list(self.catalog.names())[:LISTED_NAMES]


class _ViewNames:
    """Names views by what they are made of, so that a view of a file that has changed is another view."""

    def __init__(self, context: Context) -> None:
        self.context = context

    def __call__(self, ref: LakeTable, hidden: bool) -> str:
        digest = hashlib.sha256(view_sql(ref, hidden=hidden).encode())
        for path in data_paths(ref):
            try:
                status = path.stat()
            except OSError:
                continue  # the query process reports the missing file
            digest.update(f"{status.st_mtime_ns} {status.st_size}".encode())
        name = "view_" + digest.hexdigest()[:24]
        self.context.names[name] = ref.name
        return name


def _dumps(tree: Tree) -> str:
    return json.dumps(tree, ensure_ascii=False)
