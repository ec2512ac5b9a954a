"""After the rows: measures the joins of a statement and explains an empty result, inside what is left of its time."""

from __future__ import annotations

import json
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from headwater.sql._joins import MAX_ROWS_MEASURED, Diagnostic, Join, describe, find_joins, not_measured
from headwater.sql._rewrite import Frame
from headwater.sql._scope import Projection
from headwater.sql._values import describe_missing, find_wanted
from headwater.sql._worker import WorkerDied, WorkerError

BUDGET_S = 2.0
"""Time for all diagnostics of a statement; less where its deadline is nearer."""

REMEMBERED = 256

Ask = Callable[[dict[str, Any], float], dict[str, Any]]
"""Sends a request to the query process, with a time limit in seconds."""


@dataclass(slots=True)
class Diagnostician:
    """Remembers what it measured: the names of views change with their data, so a measure stays true."""

    _measured: OrderedDict[str, list[list[Any]]] = field(default_factory=OrderedDict)

    def joins(self, frames: Sequence[Frame], ask: Ask, seconds: float) -> list[Diagnostic]:
        """Return one diagnostic for every join by equality."""
        deadline = time.monotonic() + min(BUDGET_S, seconds)
        return [self._join(join, ask, deadline) for join in find_joins(frames)]

    def values(self, frames: Sequence[Frame], ask: Ask, seconds: float) -> list[Diagnostic]:
        """Return one diagnostic for every text asked for that does not exist."""
        deadline = time.monotonic() + min(BUDGET_S, seconds)
        found = []
        for wanted in find_wanted(frames):
            try:
                (source,) = self._render([wanted.projection], ask, deadline)
                missing = describe_missing(wanted, self._rows(wanted.nearest_sql(source), ask, deadline))
            except (WorkerError, WorkerDied, TimeoutError):
                continue  # a hint that cannot be had in time is no loss
            if missing:
                found.append(missing)
        return found

    def _join(self, join: Join, ask: Ask, deadline: float) -> Diagnostic:
        rows = sum(leaf.row_count or 0 for leaf in (join.left, join.right))
        if rows > MAX_ROWS_MEASURED:
            return not_measured(join, f"as it has {rows:,} rows")
        try:
            sql = join.measure_sql(*self._render(join.projections(), ask, deadline))
            return describe(join, self._rows(sql, ask, deadline)[0])
        except (WorkerDied, TimeoutError):
            return not_measured(join, "as it takes too long")
        except WorkerError as error:
            costly = error.kind in ("InterruptException", "OutOfMemoryException", "MemoryError")
            return not_measured(join, "as it takes too long" if costly else "as a side depends on the other")

    def _render(self, projections: list[Projection], ask: Ask, deadline: float) -> list[str]:
        trees = [json.dumps(projection.tree(), ensure_ascii=False) for projection in projections]
        return [str(sql) for sql in ask({"op": "render", "trees": trees}, _left(deadline))["sql"]]

    def _rows(self, sql: str, ask: Ask, deadline: float) -> list[list[Any]]:
        if sql in self._measured:
            self._measured.move_to_end(sql)
            return self._measured[sql]
        rows: list[list[Any]] = ask({"op": "rows", "sql": sql}, _left(deadline))["rows"]
        self._measured[sql] = rows
        if len(self._measured) > REMEMBERED:
            self._measured.popitem(last=False)
        return rows


def finds_nothing(row_count: int | None, rows: Callable[[], list[list[Any]]]) -> bool:
    """Return whether a result is empty, or one row of nothing but zeros and missing values, as aggregates give."""
    if row_count == 0:
        return True
    return row_count == 1 and any(all(value in (0, None) for value in row) for row in rows())


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
