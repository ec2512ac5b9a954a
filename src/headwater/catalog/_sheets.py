"""Sheets: tables that are kept together for many documents of one record each, every document with one row of it.

A lake may hold many thousand files that are one object each. Their rows lie in one pair of Parquet files, whose columns
and figures are kept once; what the catalog holds of each document is which row is its own.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from headwater.catalog._records import TableRecord

RECORD = -2
"""Position among the sketches of a content that holds the names of its record's fields."""

FIRST = -3
"""Position of a record among the tables of its document: before the others, and none that a sketch has."""

SHEET_COLUMNS = 2
"""Columns of a sheet that tell its rows apart; the fields come after them."""

_KEPT = frozenset({"name", "type", "feature_type", "unit", "description", "place"})
"""Figures of a column that are true of each of its rows."""


class RecordSource(NamedTuple):
    """A document that is a record: its id, dataset, content key, size in bytes, and the names of its fields as JSON."""

    document: str
    dataset: str
    content: str
    size: int
    sketch: bytes


@dataclass(slots=True)
class Sheet:
    """A sheet as it is kept.

    Attributes:
        id: of the series, or of the only document's.
        signature: stands for all that it was made from.
        columns: as in `TableRecord`, those of `SHEET_COLUMNS` first.
        info: as in `TableRecord`.
        typed_path, raw_path: Parquet files below the state folder.
        rows: (document, label, whether it is a table of the document by the document's name) of each row, in order.
    """

    id: str
    signature: str
    columns: list[dict[str, Any]]
    info: dict[str, Any]
    typed_path: str
    raw_path: str
    rows: list[tuple[str, str, bool]] = field(default_factory=list)


class Sheets:
    """Reads and writes sheets over the catalog's connection."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        folder: Path,
        read_record: Callable[[str], dict[str, Any] | None],
    ) -> None:
        self._db = connection
        self._folder = folder
        self._read_record = read_record
        self._kept: dict[str, TableRecord] = {}

    def sources(self) -> Iterator[RecordSource]:
        """Yield the documents that are records, by id; copies and metadata documents are none."""
        rows = self._db.execute(
            "select d.id, d.dataset, d.content, d.size, s.sketch from documents d join sketches s on s.content = d.content "
            "where s.position = ? and d.state = 'ingested' and d.role = 'data' order by d.id",
            [RECORD],
        )
        for row in rows:
            yield RecordSource(*row)

    def signatures(self) -> dict[str, str]:
        """Return sheet → signature."""
        return dict(self._db.execute("select id, signature from sheets").fetchall())

    def put(self, sheet: Sheet) -> None:
        """Insert or replace a sheet with its rows."""
        told = json.dumps({"columns": sheet.columns, "info": sheet.info}, ensure_ascii=False)
        self._db.execute(
            "insert or replace into sheets (id, signature, info, typed_path, raw_path) values (?,?,?,?,?)",
            [sheet.id, sheet.signature, told, sheet.typed_path, sheet.raw_path],
        )
        self._kept.pop(sheet.id, None)
        self.put_rows(sheet.id, sheet.rows)

    def put_rows(self, sheet: str, rows: Iterable[tuple[str, str, bool]]) -> None:
        """Set which documents have which row of a sheet, and give those a table whose main table it is."""
        rows = list(rows)
        self._db.execute("delete from sheet_rows where sheet = ?", [sheet])
        self._db.executemany(
            "insert into sheet_rows (sheet, row, document, label) values (?,?,?,?)",
            [(sheet, row, document, label) for row, (document, label, _) in enumerate(rows, 1)],
        )
        tables = [
            (document, FIRST, document, json.dumps({"sheet": sheet, "row": row}))
            for row, (document, _, main) in enumerate(rows, 1)
            if main
        ]
        self._db.executemany(
            "insert or replace into tables (document, position, ref, name, row_count, info, typed_path, raw_path) "
            "values (?,?,?,'',1,?,'','')",
            tables,
        )

    def keep(self, ids: Iterable[str]) -> None:
        """Drop all other sheets, and rows of documents that are gone."""
        kept = set(ids)
        gone = [(i,) for i in self.signatures() if i not in kept]
        self._db.executemany("delete from sheets where id = ?", gone)
        self._db.execute("delete from sheet_rows where sheet not in (select id from sheets)")

    def forget_lost(self) -> None:
        """Drop the sheets whose files are gone from the cache, and what says that their datasets are up to date."""
        rows = self._db.execute("select id, typed_path, raw_path from sheets")
        lost = [(i,) for i, *paths in rows if not all((self._folder / path).exists() for path in paths)]
        self._db.executemany(
            "delete from inputs where dataset in (select d.dataset from documents d join sheet_rows r on r.document = d.id "
            "where r.sheet = ?)",
            lost,
        )
        self._db.executemany("delete from sheets where id = ?", lost)

    def files(self) -> set[str]:
        """Return the paths of all Parquet files of sheets, below the state folder."""
        return {path for row in self._db.execute("select typed_path, raw_path from sheets") for path in row}

    def count(self, sheet: str) -> int:
        """Return the number of documents of a sheet, 0 for an id that is none."""
        return int(self._db.execute("select count(*) from sheet_rows where sheet = ?", [sheet]).fetchone()[0])

    def holds(self, sheet: str) -> bool:
        """Tell whether there is such a sheet."""
        return self._db.execute("select 1 from sheets where id = ?", [sheet]).fetchone() is not None

    def rows(self, sheet: str) -> list[tuple[int, str, str]]:
        """Return (row, document, label) of a sheet, in order."""
        sql = "select row, document, label from sheet_rows where sheet = ? order by row"
        return [tuple(r) for r in self._db.execute(sql, [sheet])]

    def of_dataset(self, dataset: str) -> list[str]:
        """Return the sheets that hold at least two documents of a dataset."""
        sql = (
            "select r.sheet from sheet_rows r join documents d on d.id = r.document where d.dataset = ? "
            "group by r.sheet having count(*) > 1 order by r.sheet"
        )
        return [row[0] for row in self._db.execute(sql, [dataset])]

    def whole(self, sheet: str) -> TableRecord | None:
        """Return a sheet as one table, None if there is none of that id."""
        row = self._db.execute(
            "select signature, typed_path, raw_path from sheets where id = ?", [sheet]
        ).fetchone()
        if row is None:
            return None
        key = row[0]
        if sheet not in self._kept or self._kept[sheet].info["signature"] != key:
            told = json.loads(self._db.execute("select info from sheets where id = ?", [sheet]).fetchone()[0])
            rows = int(told["info"]["profile"]["rows"])
            self._kept[sheet] = TableRecord(
                "", 0, f"series:{sheet}", "", rows, told["columns"],
                self._folder / row[1], self._folder / row[2], {**told["info"], "signature": key},
            )  # fmt: skip
        return self._kept[sheet]

    def table(self, row: sqlite3.Row) -> TableRecord:
        """Return the table of one document: its row, and the columns that it fills; `row` is one of `tables`."""
        told = json.loads(row["info"])
        whole = self.whole(told["sheet"])
        assert whole is not None  # noqa: S101 - a row in `tables` goes with its sheet
        content = self._db.execute("select content from documents where id = ?", [row["document"]]).fetchone()
        read = self._read_record(content[0]) if content else None
        fields = ((read or {}).get("record") or {}).get("fields", {})
        columns: list[dict[str, Any]] = []
        figures: list[dict[str, Any]] = []
        for column, all_figures in zip(whole.columns, whole.info["profile"]["columns"], strict=True):
            if column["original_name"] in fields:
                columns.append(column)
                figures.append(_figures(all_figures, fields[column["original_name"]]))
        info: dict[str, Any] = {
            "page": None, "preamble": "", "footer": "", "dialect": None, "hidden": False, "quarantined": [],
            "quarantined_count": 0, "warnings": [], "profile": {"rows": 1, "columns": figures}, "extra": {"record": True},
        }  # fmt: skip
        return TableRecord(
            row["document"], row["position"], row["ref"], "", 1, columns, whole.typed_path, whole.raw_path,
            info, told["sheet"], told["row"],
        )  # fmt: skip


def _figures(of_all: dict[str, Any], text: str) -> dict[str, Any]:
    """Return the figures of a column in one row."""
    shown = " ".join(text[:200].split())
    kept = {k: v for k, v in of_all.items() if k in _KEPT}
    return kept | {"distinct": 1, "top": [[shown, 1]], "examples": [shown]}
