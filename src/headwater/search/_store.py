"""What the local index holds beside its terms: documents, the text of every record, the list of vector segments.

One SQLite file in WAL mode: one writer, readers in other processes see the state of the last commit. It is the truth
about the index; the text index beside it is brought in line with it (see `_local`).
"""

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from headwater.errors import SetupError
from headwater.search._records import Card, CardColumn, Kind, Passage, Record
from headwater.search._results import Filters

FORMAT = "1"
"""Version of the layout on disk; an index of another one is built anew."""

Part = Literal["datasets", "documents", "passages"]
PARTS: tuple[Part, ...] = ("datasets", "documents", "passages")

_SCHEMA = """
create table if not exists meta (key text primary key, value text not null) without rowid;
create table if not exists documents (
    doc integer primary key autoincrement, dataset text not null, document text not null, kind text not null,
    format text not null, namespace text not null, title text not null, series text not null,
    duplicate_of text not null, years text not null, unique (document, dataset));
create index if not exists documents_by_dataset on documents (dataset);
create index if not exists documents_by_original on documents (duplicate_of) where duplicate_of != '';
create table if not exists records (
    rid integer primary key autoincrement, doc integer not null, part text not null, number integer not null,
    start integer not null, page integer, body blob not null);
create index if not exists records_by_doc on records (doc);
create table if not exists segments (
    name text primary key, space text not null, rows integer not null, dead blob not null);
create table if not exists pending (doc integer not null, added integer not null);
"""


@dataclass(frozen=True, slots=True)
class Header:
    """A row of `documents`: what ranking needs to know of a document (`document` is "" for a dataset's own card)."""

    doc: int
    dataset: str
    document: str
    kind: Kind
    format: str
    namespace: str
    title: str
    series: str
    duplicate_of: str


@dataclass(frozen=True, slots=True)
class Stored:
    """A row of `records` with its text unpacked."""

    rid: int
    doc: int
    part: Part
    number: int
    start: int
    page: int | None
    text: str

    def card(self, header: Header) -> Card:
        """Return the card stored here."""
        data = json.loads(self.text)
        columns = tuple(CardColumn(name=n, description=d, values=tuple(v)) for n, d, v in data.pop("columns"))
        return Card(
            dataset=header.dataset, document=header.document, kind=header.kind, format=header.format,
            title=header.title, series=header.series, duplicate_of=header.duplicate_of, columns=columns,
            tags=tuple(data.pop("tags")), years=tuple(data.pop("years")), **data,
        )  # fmt: skip

    def record(self, header: Header) -> Record:
        """Return the record stored here, for indexing it again."""
        if self.part != "passages":
            return self.card(header)
        return Passage(
            dataset=header.dataset, document=header.document, number=self.number, text=self.text, start=self.start,
            page=self.page, title=header.title, kind=header.kind, format=header.format, series=header.series,
            duplicate_of=header.duplicate_of,
        )  # fmt: skip


def packed(record: Record) -> tuple[Part, int, int, int | None, bytes]:
    """Return part, number, start, page and body of a record for the table `records`."""
    if isinstance(record, Passage):
        return "passages", record.number, record.start, record.page, _pack(record.text)
    body = {
        "description": record.description, "publisher": record.publisher, "tags": record.tags, "text": record.text,
        "years": record.years, "columns": [(c.name, c.description, c.values) for c in record.columns],
    }  # fmt: skip
    part: Part = "documents" if record.document else "datasets"
    return part, 0, 0, None, _pack(json.dumps(body, ensure_ascii=False))


def unpack(body: bytes) -> str:
    """Return the text of a body."""
    return zlib.decompress(body).decode("utf-8", "surrogatepass")


def _pack(text: str) -> bytes:
    return zlib.compress(text.encode("utf-8", "surrogatepass"), 1)


class Store:
    """The SQLite file of a local index.

    Args:
        path: the file; created if `write`.
        write: open for writing.

    Raises:
        SetupError: there is no index, or it cannot be opened.
    """

    def __init__(self, path: Path, *, write: bool) -> None:
        try:
            if write:
                path.parent.mkdir(parents=True, exist_ok=True)
                self._db = sqlite3.connect(path, isolation_level=None, timeout=30, check_same_thread=False)
                self._db.execute("pragma journal_mode = wal")
                self._db.execute("pragma synchronous = normal")
                self._db.executescript(_SCHEMA)
                self._db.execute("insert or ignore into meta values ('format', ?)", [FORMAT])
            else:
                self._db = _opened_for_reading(path)
            found = self.meta("format")
        except sqlite3.Error as error:
            self_hint = "Run `headwater ingest` on the lake, which builds the index."
            raise SetupError(
                f"The search index cannot be opened: {error}", where=str(path), hint=self_hint
            ) from error
        if found != FORMAT:
            raise SetupError(
                f"The search index has the layout {found or 'of no version'}, this version of headwater reads {FORMAT}.",
                where=str(path),
                hint="Remove the folder and run `headwater ingest` again; the lake itself is not touched.",
            )

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run a block in one transaction."""
        self._db.execute("begin immediate")
        try:
            yield
        except BaseException:
            self._db.execute("rollback")
            raise
        self._db.execute("commit")

    def version(self) -> int:
        """Return a number that changes when another connection commits."""
        return int(self._db.execute("pragma data_version").fetchone()[0])

    def meta(self, key: str, default: str = "") -> str:
        """Return a value of the table `meta`."""
        row = self._db.execute("select value from meta where key = ?", [key]).fetchone()
        return str(row[0]) if row else default

    def set_meta(self, key: str, value: str) -> None:
        """Set a value of the table `meta`."""
        self._db.execute("insert or replace into meta values (?, ?)", [key, value])

    # documents and records

    def add_document(self, record: Record) -> int:
        """Add the row of the document (or dataset card) that a record belongs to, and return its number."""
        kind = record.kind
        document = record.document
        row = [
            record.dataset, document, kind, record.format, record.dataset.split("/", 1)[0], record.title,
            record.series, record.duplicate_of, f",{','.join(map(str, record.years))},",
        ]  # fmt: skip
        cursor = self._db.execute(
            "insert into documents (dataset, document, kind, format, namespace, title, series, duplicate_of, years) "
            "values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            row,
        )
        return int(cursor.lastrowid or 0)

    def add_record(self, doc: int, record: Record) -> int:
        """Add a record and return its number; numbers are never used twice."""
        cursor = self._db.execute(
            "insert into records (doc, part, number, start, page, body) values (?, ?, ?, ?, ?, ?)",
            [doc, *packed(record)],
        )
        return int(cursor.lastrowid or 0)

    def doc_of(self, dataset: str, document: str) -> int | None:
        """Return the number of a document, by its id alone, or of a dataset's card (`document` is "")."""
        sql = "select doc from documents where document = ?" + ("" if document else " and dataset = ?")
        row = self._db.execute(sql, [document] if document else [document, dataset]).fetchone()
        return int(row[0]) if row else None

    def remove(self, doc: int) -> None:
        """Remove a document and its records."""
        self._db.execute("delete from records where doc = ?", [doc])
        self._db.execute("delete from documents where doc = ?", [doc])

    def headers(self, docs: Iterable[int]) -> dict[int, Header]:
        """Return the headers of those of the documents that exist."""
        columns = "doc, dataset, document, kind, format, namespace, title, series, duplicate_of"
        found: dict[int, Header] = {}
        for part in _slices(list(docs)):
            marks = ",".join("?" * len(part))
            for row in self._db.execute(f"select {columns} from documents where doc in ({marks})", part):
                found[row[0]] = Header(*row)
        return found

    def stored(self, rids: Iterable[int]) -> dict[int, Stored]:
        """Return those of the records that exist."""
        found: dict[int, Stored] = {}
        for part in _slices(list(rids)):
            marks = ",".join("?" * len(part))
            for row in self._db.execute(f"select {_RECORD} from records where rid in ({marks})", part):
                found[row[0]] = _stored(row)
        return found

    def records_of(self, doc: int) -> list[Stored]:
        """Return the records of a document."""
        return [
            _stored(r)
            for r in self._db.execute(f"select {_RECORD} from records where doc = ? order by rid", [doc])
        ]

    def all_docs(self) -> list[int]:
        """Return the numbers of all documents and dataset cards."""
        return [r[0] for r in self._db.execute("select doc from documents order by doc")]

    def documents_of(self, dataset: str, limit: int) -> list[Header]:
        """Return documents of a dataset, tables first, duplicates last."""
        sql = (
            "select doc from documents where dataset = ? and document != '' "
            "order by duplicate_of != '', kind != 'table', document limit ?"
        )
        return list(self.headers(r[0] for r in self._db.execute(sql, [dataset, limit])).values())

    def duplicates_of(self, documents: Sequence[str]) -> dict[str, list[str]]:
        """Return the documents that repeat each of the given ones."""
        found: dict[str, list[str]] = {}
        for part in _slices(list(documents)):
            marks = ",".join("?" * len(part))
            sql = (  # the second condition lets SQLite use the index of duplicates
                f"select duplicate_of, document from documents where duplicate_of in ({marks}) and duplicate_of != '' "
                "order by document"
            )
            for original, copy in self._db.execute(sql, part):
                found.setdefault(original, []).append(copy)
        return found

    def has_duplicates(self) -> bool:
        """Return whether any document repeats another."""
        return (
            self._db.execute("select 1 from documents where duplicate_of != '' limit 1").fetchone()
            is not None
        )

    def matching(self, filters: Filters) -> set[int]:
        """Return the documents that pass the filters, and the cards of the datasets that hold one of them."""
        clauses, values = ["document != ''"], list[Any]()
        for column, wanted in (
            ("format", filters.formats),
            ("namespace", filters.namespaces),
            ("dataset", filters.datasets),
        ):
            if wanted:
                clauses.append(f"{column} in ({','.join('?' * len(wanted))})")
                values += wanted
        if filters.kind:
            clauses.append("kind = ?")
            values.append(filters.kind)
        if filters.years:
            clauses.append(f"({' or '.join(['instr(years, ?) > 0'] * len(filters.years))})")
            values += [f",{year}," for year in filters.years]
        where = " and ".join(clauses)
        sql = (
            f"select doc from documents where {where} union all select doc from documents "
            f"where document = '' and dataset in (select dataset from documents where {where})"
        )
        return {r[0] for r in self._db.execute(sql, values * 2)}

    def counts(self) -> dict[str, int]:
        """Return the numbers of datasets, documents, passages and records."""
        db = self._db
        documents = db.execute("select count(*) from documents where document != ''").fetchone()[0]
        datasets = db.execute("select count(distinct dataset) from documents").fetchone()[0]
        parts = dict(db.execute("select part, count(*) from records group by part").fetchall())
        return {
            "datasets": datasets, "documents": documents, "passages": parts.get("passages", 0),
            "records": sum(parts.values()),
        }  # fmt: skip

    def all_documents(self) -> list[str]:
        """Return the ids of all documents."""
        rows = self._db.execute("select document from documents where document != '' order by document")
        return [r[0] for r in rows]

    # what is still to be done in the text index

    def pending(self) -> tuple[list[int], list[int]]:
        """Return the documents that the text index has still to drop and to take in."""
        rows = self._db.execute("select doc, added from pending").fetchall()
        return [d for d, added in rows if not added], [d for d, added in rows if added]

    def set_pending(self, removed: Iterable[int], added: Iterable[int]) -> None:
        """Note what the text index has to do; nothing clears it."""
        self._db.execute("delete from pending")
        rows = [(d, 0) for d in removed] + [(d, 1) for d in added]
        self._db.executemany("insert into pending values (?, ?)", rows)

    # vector segments

    def segments(self) -> list[tuple[str, str, int, bytes]]:
        """Return name, space, number of rows and dead rows (packed bits, compressed) of all vector segments."""
        return list(self._db.execute("select name, space, rows, dead from segments order by name"))

    def set_segment(self, name: str, space: str, rows: int, dead: bytes) -> None:
        """Add or change a segment."""
        self._db.execute("insert or replace into segments values (?, ?, ?, ?)", [name, space, rows, dead])

    def drop_segments(self, names: Iterable[str]) -> None:
        """Forget segments."""
        self._db.executemany("delete from segments where name = ?", [(n,) for n in names])


def _opened_for_reading(path: Path) -> sqlite3.Connection:
    """Open for reading; where not even SQLite's own side files can be written, as a file that does not change."""
    uri = path.resolve().as_uri()
    for mode in ("mode=ro", "immutable=1"):
        db = sqlite3.connect(
            f"{uri}?{mode}", uri=True, isolation_level=None, timeout=30, check_same_thread=False
        )
        try:
            db.execute("select 1 from meta").fetchone()
        except sqlite3.OperationalError:
            db.close()
            if mode != "mode=ro" or not path.exists() or os.access(path.parent, os.W_OK):
                raise
        else:
            return db
    raise sqlite3.OperationalError("unable to open database file")


_RECORD = "rid, doc, part, number, start, page, body"


def _stored(row: Any) -> Stored:
    return Stored(
        row[0],
        row[1],
        row[2],
        row[3],
        row[4],
        row[5],
        unpack(row[6]),
    )


def _slices(items: list[Any], size: int = 500) -> Iterator[list[Any]]:
    for at in range(0, len(items), size):
        yield items[at : at + size]
