"""The relations of documents in the catalog: copies, series, joins, mentions, and links between datasets."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from typing import Any

RECORDS = "record"
"""Kind of a series whose members are documents of one record each."""


class Relations:
    """Reads and writes relations over the catalog's connection; a write replaces all of a kind.

    Relations are plain dicts: copies {document, of, kind, similarity, changed}; series {id, title, kind, columns,
    members}; joins {left, right (documents), document, other_document (tables), column, other_column, match_rate, fan_out, score …};
    mentions {page, title, document, column, weight}; links {dataset, other, weight, via}.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection

    def replace_copies(self, copies: Iterable[dict[str, Any]]) -> None:
        """Set the copies, revisions, parts and near duplicates."""
        self._db.execute("delete from copies")
        rows = [(c["document"], c["of"], c["kind"], json.dumps(c)) for c in copies]
        self._db.executemany("insert or replace into copies values (?,?,?,?)", rows)

    def copies(self, document: str) -> list[dict[str, Any]]:
        """Return what a document shares content with, same bytes first: [{document, kind, similarity, direction}]."""
        rows = self._db.execute(
            "select id, duplicate_of from documents where state = 'duplicate' and (duplicate_of = ?1 or id = ?1 or "
            "duplicate_of = (select duplicate_of from documents where id = ?1 and state = 'duplicate')) order by id",
            [document],
        ).fetchall()
        names = dict.fromkeys(n for r in rows for n in (r[1], r[0]) if n != document)
        found: list[dict[str, Any]] = [
            {"document": n, "kind": "same bytes", "similarity": 1.0} for n in names
        ]
        for row in self._db.execute(
            "select document, other, info from copies where document = ?1 or other = ?1 order by document, other",
            [document],
        ):
            info = json.loads(row[2])
            mine = row[0] == document
            kind = {
                "same": "same content",
                "same_other_order": "same content in another order",
                "revision": "revision of" if mine else "revised by",
                "part": "part of" if mine else "has the part",
                "near": "nearly the same text",
            }.get(info["kind"], info["kind"])
            other = info["of"] if mine else info["document"]
            found.append(
                {
                    "document": other,
                    "kind": kind,
                    "similarity": info["similarity"],
                    "changed": info["changed"],
                }
            )
        return found

    def replace_series(self, series: Iterable[dict[str, Any]]) -> None:
        """Set all series."""
        self._db.execute("delete from series")
        self.add_series(series)

    def add_series(self, series: Iterable[dict[str, Any]]) -> None:
        """Insert or replace some series."""
        rows = [(s["id"], json.dumps(s)) for s in series]
        self._db.executemany("insert or replace into series values (?,?)", rows)

    def series_kind(self, series_id: str) -> tuple[str, int]:
        """Return the kind of a series and the number of its members, ("", 0) for an id that is none."""
        row = self._db.execute(
            "select json_extract(info, '$.kind'), coalesce(json_array_length(info, '$.members'), 0) from series where id = ?",
            [series_id],
        ).fetchone()
        if row is None:
            return "", 0
        if row[0] != RECORDS:
            return row[0], row[1]
        counted = self._db.execute("select count(*) from sheet_rows where sheet = ?", [series_id]).fetchone()
        return RECORDS, counted[0]

    def series_ids(self) -> list[str]:
        """Return the ids of all series."""
        return [r[0] for r in self._db.execute("select id from series order by id")]

    def series(self, series_id: str) -> dict[str, Any] | None:
        """Return a series: id, title, kind, columns [[name, type]], members [{ref, document, label, columns}].

        The members of a series of records, of which there may be many thousand, are the rows of the sheet of its id.
        """
        row = self._db.execute("select info from series where id = ?", [series_id]).fetchone()
        series: dict[str, Any] | None = json.loads(row[0]) if row else None
        if series is not None and series["kind"] == RECORDS:
            rows = self._db.execute(
                "select document, label from sheet_rows where sheet = ? order by row", [series_id]
            )
            series["members"] = [
                {"ref": d, "document": d, "label": {"_file": label}, "columns": {}, "rows": 1}
                for d, label in rows
            ]
        return series

    def replace_joins(self, joins: Iterable[dict[str, Any]]) -> None:
        """Set all joins between columns of tables."""
        self._db.execute("delete from joins")
        rows = [
            (j["left"], j["right"], j["document"], j["column"], j["other_document"],
             j["other_column"], j["score"], json.dumps(j))
            for j in joins
        ]  # fmt: skip
        self._db.executemany("insert or replace into joins values (?,?,?,?,?,?,?,?)", rows)

    def joins(self, document: str) -> list[dict[str, Any]]:
        """Return the joins of a document's columns, best first: column, document, other_column, match_rate, fan_out.

        `match_rate` is the share of the document's records whose value is found in the other column if the document
        looks values up (`direction` "to"), else of the other's records ("from").
        """
        found = []
        rows = self._db.execute(
            "select left_document, info from joins where left_document = ?1 or right_document = ?1 order by score desc, info",
            [document],
        )
        for left, text in rows:
            j = json.loads(text)
            own = left == document
            here, there = ("document", "other_document") if own else ("other_document", "document")
            column, other = ("column", "other_column") if own else ("other_column", "column")
            found.append(
                {
                    "column": j[column],
                    "table": j[here],
                    "document": j[there],
                    "other_column": j[other],
                    "match_rate": j["match_rate"],
                    "fan_out": j["fan_out"],
                    "shared": j["shared"],
                    "score": j["score"],
                    "direction": "to" if own else "from",
                }
            )
        return found

    def replace_mentions(self, mentions: Iterable[dict[str, Any]]) -> None:
        """Set all mentions of a page's subject in tables and texts."""
        self._db.execute("delete from mentions")
        rows = [(m["page"], m["document"], m["weight"], json.dumps(m)) for m in mentions]
        self._db.executemany("insert or replace into mentions values (?,?,?,?)", rows)

    def mentions(self, document: str) -> list[dict[str, Any]]:
        """Return documents that mention this page, and pages that this document mentions, best first."""
        found = []
        for page, text in self._db.execute(
            "select page, info from mentions where page = ?1 or document = ?1 order by weight desc, page, document",
            [document],
        ):
            m = json.loads(text)
            own = page == document
            found.append(
                {
                    "document": m["document"] if own else page,
                    "entities": [m["title"]],
                    "column": m["column"],
                    "direction": "mentioned in" if own else "mentions",
                    "weight": m["weight"],
                }
            )
        return found

    def replace_links(self, links: Iterable[dict[str, Any]]) -> None:
        """Set the links between datasets."""
        self._db.execute("delete from links")
        rows = [(x["dataset"], x["other"], x["weight"], x["via"]) for x in links]
        self._db.executemany("insert or replace into links values (?,?,?,?)", rows)

    def has_links(self) -> bool:
        """Return whether any dataset is linked to anything."""
        return self._db.execute("select 1 from links limit 1").fetchone() is not None

    def links(self, dataset: str) -> list[dict[str, Any]]:
        """Return the links from a dataset, by the other dataset; the one to "" says which years it covers."""
        rows = self._db.execute(
            "select dataset, other, weight, via from links where dataset = ? order by other", [dataset]
        )
        return [_link(row) for row in rows]

    def periods(self, datasets: Iterable[str]) -> list[dict[str, Any]]:
        """Return of the links from some datasets those to "", which say what years they cover."""
        sql = "select dataset, other, weight, via from links where dataset = ? and other = ''"
        return [_link(row) for dataset in datasets for row in self._db.execute(sql, [dataset])]


def _link(row: sqlite3.Row) -> dict[str, Any]:
    return {"dataset": row[0], "other": row[1], "weight": row[2], "via": row[3]}
