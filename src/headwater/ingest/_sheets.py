"""Documents that are one record each become rows of sheets: alike ones together, and these are series.

Which documents go together is found here; a sheet is built in a worker process, while this one relates the documents.
"""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_left
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.catalog import RECORD, RECORDS, SHEET_COLUMNS, Catalog, RecordSource, Sheet
from headwater.ingest._assemble import table_path
from headwater.ingest._record import READER_VERSION
from headwater.model import ROW, MemoryData, Table

if TYPE_CHECKING:
    from headwater.ingest._pool import Outcome
    from headwater.relations import RecordGroup

MAX_SHEET_BYTES = 256 << 20
"""Size of the documents whose records are held in memory together; more alike ones become a sheet of their own."""

ROW_GROUP = 4_096
"""Rows that are read together when one of them is asked for."""

MEMORY_MB = 2_000
DEADLINE_S = 600.0


@dataclass(frozen=True, slots=True)
class SheetTask:
    """Build a sheet of the records of some contents.

    Attributes:
        state: the state folder.
        id, signature: of the sheet.
        rows: (label, document, content) of each record.
    """

    state: Path
    id: str
    signature: str
    rows: tuple[tuple[str, str, str], ...]


@dataclass(slots=True)
class SheetPlan:
    """The sheets that there are to be.

    Attributes:
        groups: the documents of each.
        sources: document → what the catalog knows of its record, and whether that is its main table.
        tasks: the sheets to be built; the others are as they were.
        changed: documents whose tables have to be added to again.
    """

    groups: list[RecordGroup]
    sources: dict[str, tuple[RecordSource, bool]]
    tasks: list[SheetTask]
    changed: set[str] = field(default_factory=set)

    @property
    def series(self) -> dict[str, str]:
        """Return document → series, for the sheets of several documents."""
        return {d.document: g.id for g in self.groups if len(g.documents) > 1 for d in g.documents}


def plan_sheets(catalog: Catalog, changed: set[str]) -> SheetPlan:
    """Find which documents' records go together, and which sheets are not yet what they say.

    Args:
        catalog: opened catalog, its documents up to date.
        changed: documents that were just written.
    """
    from headwater.relations import RecordSketch, group_records

    sources: dict[str, tuple[RecordSource, bool]] = {}
    sketches = []
    for found in catalog.sheets.sources():
        main, *fields = json.loads(found.sketch)
        sources[found.document] = found, main
        sketches.append(RecordSketch(found.document, found.dataset, tuple(fields)))
    groups = [
        group
        for whole in group_records(sketches)
        # lists of records tell a few things of themselves too: no record unless there are plain ones like it
        if any(sources[d.document][1] for d in whole.documents)
        for group in _bounded(whole, sources)
    ]
    before, tasks = catalog.sheets.signatures(), []
    for group in groups:
        rows = tuple(
            (label, d.document, sources[d.document][0].content)
            for d, label in zip(group.documents, group.labels, strict=True)
        )
        signature = _signature(rows)
        if before.get(group.id) != signature:
            tasks.append(SheetTask(catalog.folder, group.id, signature, rows))
    return SheetPlan(groups, sources, tasks, changed)


@contextmanager
def build_sheets(catalog: Catalog, changed: set[str]) -> Iterator[SheetPlan]:
    """Build the sheets beside the work of a `with` block, and write them at its end; part of the caller's transaction.

    The block may set all other relations; the series of records are added to them.
    """
    plan = plan_sheets(catalog, changed)
    with ThreadPoolExecutor(1) as beside:
        work = beside.submit(_build_all, plan.tasks)
        yield plan
        built = work.result()
    _write_sheets(catalog, plan, built)


def _build_all(tasks: list[SheetTask]) -> dict[str, Outcome]:
    """Return sheet → what came of building it."""
    from headwater.ingest._pool import WorkerPool

    if not tasks:
        return {}
    pool: WorkerPool[SheetTask] = WorkerPool(
        build_sheet,
        workers=1,
        memory_mb=MEMORY_MB,
        deadline_s=DEADLINE_S,
        preload=("headwater.readers._sheet", "headwater.profiles", "headwater.catalog", "pyarrow.parquet"),
        leave_out=("pandas",),
        scratch=tasks[0].state / "scratch",
        handle_sigint=False,
    )
    with pool:
        return {task.id: outcome for task, outcome in pool.run(tasks)}


def _write_sheets(catalog: Catalog, plan: SheetPlan, built: dict[str, Outcome]) -> None:
    kept: list[str] = []
    series: list[dict[str, Any]] = []
    for group in plan.groups:
        outcome = built.get(group.id)
        if outcome is not None and not outcome.ok:
            continue
        kept.append(group.id)
        rows = [
            (d.document, label, plan.sources[d.document][1])
            for d, label in zip(group.documents, group.labels, strict=True)
        ]
        if outcome is not None:
            catalog.sheets.put(replace(outcome.value, rows=rows))
        elif not plan.changed.isdisjoint(d.document for d in group.documents):
            catalog.sheets.put_rows(group.id, rows)
        if len(rows) > 1:
            whole = catalog.sheets.whole(group.id)
            columns = [[c["name"], c["type"]] for c in whole.columns[SHEET_COLUMNS:]] if whole else []
            series.append({"id": group.id, "title": group.title, "kind": RECORDS, "columns": columns})
    catalog.sheets.keep(kept)
    catalog.relations.add_series(series)


def _bounded(group: RecordGroup, sources: dict[str, tuple[RecordSource, bool]]) -> Iterator[RecordGroup]:
    """Yield a group, or its parts of bounded and about equal size in the order of the documents."""
    sizes = [sources[d.document][0].size for d in group.documents]
    parts = -(-sum(sizes) // MAX_SHEET_BYTES)
    if parts < 2:
        yield group
        return
    ends = list(accumulate(sizes))
    starts = sorted({bisect_left(ends, ends[-1] * part // parts) for part in range(parts)})
    for number, (start, end) in enumerate(zip(starts, [*starts[1:], None], strict=True), 1):
        yield replace(
            group,
            id=f"{group.id}-part-{number}",
            title=f"{group.title}, part {number} of {len(starts)}",
            documents=group.documents[start:end],
            labels=group.labels[start:end],
        )


def _signature(rows: tuple[tuple[str, str, str], ...]) -> str:
    lines = [str(READER_VERSION), *("\0".join(row) for row in rows)]
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()


def build_sheet(task: SheetTask) -> Sheet:
    """Build a sheet and write its Parquet files into the cache; its rows are left for the caller to fill in."""
    from headwater.profiles import profile_table
    from headwater.readers import sheet_table

    with Catalog(task.state) as catalog:
        fields = (json.loads(catalog.sketches(content)[RECORD])[1:] for *_, content in task.rows)
        records = (
            (label, document, (catalog.read_record(content) or {})["record"]["fields"])
            for label, document, content in task.rows
        )
        table = sheet_table(records, fields)
    profile = profile_table(table)
    typed, raw = _write(table, task)
    info = {
        "page": None, "preamble": "", "footer": "", "dialect": None, "hidden": False, "quarantined": [],
        "quarantined_count": 0, "warnings": table.warnings, "profile": profile.to_dict(), "extra": {"record": True},
    }  # fmt: skip
    columns = [
        {name: getattr(c, name) for name in type(c).__dataclass_fields__}
        | {"typing": asdict(c.typing) if c.typing else None}
        for c in table.columns
    ]
    return Sheet(task.id, task.signature, columns, info, typed, raw)


def _write(table: Table, task: SheetTask) -> tuple[str, str]:
    """Write both views into the cache; return their paths below the state folder."""
    import pyarrow.parquet as pq

    assert isinstance(table.data, MemoryData)  # noqa: S101 - `sheet_table` makes no other
    paths: list[str] = []
    for view, data in (("record", table.data.typed_table), ("record.raw", table.data.raw_table)):
        if paths and data.equals(table.data.typed_table):
            return paths[0], paths[0]
        path = f"tables/{table_path(f'{task.signature}.{view}.parquet')}"
        (task.state / path).parent.mkdir(parents=True, exist_ok=True)
        part = task.state / f"{path}.part"
        pq.write_table(
            data,
            part,
            compression="zstd",
            row_group_size=ROW_GROUP,
            use_dictionary=data.num_rows >= ROW_GROUP,
            write_statistics=[ROW],
        )
        part.replace(task.state / path)
        paths.append(path)
    return paths[0], paths[1]
