"""The catalog: one SQLite file in WAL mode, one writer, many readers in many processes."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from headwater.catalog._connection import open_for_reading, open_for_writing
from headwater.catalog._records import Body, DatasetRecord, DocumentRecord, FileRecord, TableRecord
from headwater.catalog._relations import Relations
from headwater.catalog._restrict import restrict
from headwater.catalog._schema import SCHEMA, SCHEMA_VERSION
from headwater.catalog._sheets import Sheets
from headwater.errors import SetupError

_DOCUMENT_COLUMNS = (
    "id, parent, dataset, content, sha256, size, state, reason, duplicate_of, kind, role, format, encoding, title, "
    "warnings, metadata, digest, series, text_length, revision"
)
_JSON_FIELDS = ("warnings", "metadata")
_TOTALS = {
    "datasets": "select count(distinct dataset) from documents where state in ('ingested', 'duplicate')",
    "documents": "select count(*) from documents where state = 'ingested'",
    "tables": "select count(*) from tables",
}


def pack(value: Any) -> bytes:
    """Return `value` as compressed JSON."""
    return zlib.compress(
        json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass"), 1
    )


def pack_read(record: dict[str, Any], body: Body) -> tuple[bytes, bytes]:
    """Return what a reader found in a content in the form the catalog keeps it in, so that workers can make it."""
    return pack(record), pack([body.text, body.pages, body.values])


def unpack(blob: bytes) -> Any:
    """Return what `pack` was given."""
    return json.loads(zlib.decompress(blob).decode("utf-8", "surrogatepass"))


class Catalog:
    """What is known of a lake.

    Every write happens inside `transaction`, which moves `generation` on by one. A connection sees one consistent
    state for each statement, and for the whole of a `snapshot`.

    Args:
        folder: the state folder; the file is `catalog.sqlite` in it.
        write: open for writing; the caller holds the lake's writer lock.

    Raises:
        SetupError: there is no catalog or it is damaged (when reading), or it is of a newer version. A damaged one is
            made anew when writing.
    """

    def __init__(self, folder: Path, *, write: bool = False) -> None:
        self.folder = folder
        path = folder / "catalog.sqlite"
        if write:
            self._db = open_for_writing(path)
            self._create()
        else:
            if not path.exists() or not path.stat().st_size:
                raise SetupError(
                    "This lake has not been ingested yet.",
                    where=str(folder.name),
                    hint="Run: headwater ingest PATH",
                )
            self._db = open_for_reading(path)
        self._db.row_factory = sqlite3.Row
        version = int(self.meta("schema", str(SCHEMA_VERSION)))
        if version != SCHEMA_VERSION:
            raise SetupError(
                f"The catalog has version {version}, this program reads version {SCHEMA_VERSION}.",
                hint="Run headwater ingest, which brings an older one up to date; a newer one needs the newer program.",
            )

    def _create(self) -> None:
        """Make the tables; those of an older version are dropped, as the lake itself holds everything in them."""
        names = [r[0] for r in self._db.execute("select name from sqlite_master where type = 'table'")]
        if "meta" in names and int(self.meta("schema", "0")) >= SCHEMA_VERSION:
            return
        drops = "".join(f'drop table "{n}";' for n in names if not n.startswith("sqlite_"))
        self._db.executescript("begin immediate;" + drops + SCHEMA + "commit;")
        self._db.execute("insert or ignore into meta values ('schema', ?)", [str(SCHEMA_VERSION)])
        self._db.execute("insert or ignore into meta values ('generation', '0')")

    def __enter__(self) -> Catalog:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._db.close()

    def restrict(self, documents: Iterable[str]) -> None:
        """Show only some documents from now on, what belongs to them, and relations between them; once, for reading."""
        restrict(self._db, documents)

    # -- meta and transactions -------------------------------------------------------------------------------------

    def meta(self, key: str, default: str = "") -> str:
        """Return a named value, or `default`."""
        row = self._db.execute("select value from meta where key = ?", [key]).fetchone()
        return str(row[0]) if row else default

    def set_meta(self, key: str, value: str) -> None:
        """Set a named value."""
        self._db.execute("insert or replace into meta values (?, ?)", [key, value])

    @property
    def generation(self) -> int:
        """Number of the last committed transaction that changed documents."""
        return int(self.meta("generation", "0"))

    @contextmanager
    def transaction(self, *, advance: bool = False) -> Iterator[int]:
        """Run a block in one transaction; with `advance` it yields and commits the next generation."""
        self._db.execute("begin immediate")
        try:
            generation = self.generation + (1 if advance else 0)
            if advance:
                self.set_meta("generation", str(generation))
            yield generation
        except BaseException:
            self._db.execute("rollback")
            raise
        self._db.execute("commit")

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let every read of the block see the same state."""
        self._db.execute("begin")
        try:
            yield
        finally:
            self._db.execute("rollback")

    # -- files and reads -------------------------------------------------------------------------------------------

    def files(self) -> dict[str, FileRecord]:
        """Return all files as last seen, by path."""
        rows = self._db.execute("select path, size, version, sha256, state, reason, seconds from files")
        return {r[0]: FileRecord(*r) for r in rows}

    def put_files(self, files: Iterable[FileRecord]) -> None:
        """Insert or replace files."""
        self._db.executemany(
            "insert or replace into files (path, size, version, sha256, state, reason, seconds) values (?,?,?,?,?,?,?)",
            [(f.path, f.size, f.version, f.sha256, f.state, f.reason, f.seconds) for f in files],
        )

    def remove_files(self, paths: Iterable[str]) -> None:
        """Forget files that are no longer in the lake."""
        self._db.executemany("delete from files where path = ?", [(p,) for p in paths])

    def has_read(self, content: str, reader: int) -> bool:
        """Tell whether a content was read by this version of the readers."""
        found = self._db.execute("select 1 from reads where content = ? and reader = ?", [content, reader])
        return found.fetchone() is not None

    def put_read(self, content: str, reader: int, record: bytes, body: bytes) -> None:
        """Keep what a reader found in a content, as `pack_read` made it."""
        self._db.execute(
            "insert or replace into reads (content, reader, record, body) values (?,?,?,?)",
            [content, reader, record, body],
        )

    def read_record(self, content: str) -> dict[str, Any] | None:
        """Return what a reader found in a content, without its text."""
        row = self._db.execute("select record from reads where content = ?", [content]).fetchone()
        return unpack(row[0]) if row else None

    def contents(self) -> list[str]:
        """Return the keys of all contents that were read."""
        return [r[0] for r in self._db.execute("select content from reads")]

    def remove_reads(self, contents: Iterable[str]) -> None:
        """Drop what was read from contents that no file has any more."""
        gone = [(c,) for c in contents]
        self._db.executemany("delete from reads where content = ?", gone)
        self._db.executemany("delete from sketches where content = ?", gone)

    def put_sketches(self, content: str, sketches: Iterable[tuple[int, bytes]]) -> None:
        """Keep the sketches of a content: (table position, or -1 for the text; sketch)."""
        self._db.execute("delete from sketches where content = ?", [content])
        self._db.executemany("insert into sketches values (?,?,?)", [(content, *s) for s in sketches])

    def sketches(self, content: str) -> dict[int, bytes]:
        """Return the sketches of a content by table position, -1 for the text."""
        return dict(
            self._db.execute("select position, sketch from sketches where content = ?", [content]).fetchall()
        )

    def body(self, content: str) -> Body:
        """Return the text, pages and values of a content."""
        row = self._db.execute("select body from reads where content = ?", [content]).fetchone()
        if row is None:
            return Body()
        text, pages, values = unpack(row[0])
        return Body(
            text, [(int(n), t) for n, t in pages] if pages is not None else None, [tuple(v) for v in values]
        )

    # -- documents -------------------------------------------------------------------------------------------------

    def document(self, document_id: str) -> DocumentRecord | None:
        """Return one document by its exact id."""
        row = self._db.execute(
            f"select {_DOCUMENT_COLUMNS} from documents where id = ?", [document_id]
        ).fetchone()  # noqa: S608
        return _document(row) if row else None

    def documents(
        self, *, dataset: str | None = None, parent: str | None = None, since: int | None = None
    ) -> Iterator[DocumentRecord]:
        """Yield documents by id: all, of one dataset, of one archive, or changed after a generation."""
        where, values = ["1=1"], []
        for column, operator, value in (
            ("dataset", "=", dataset),
            ("parent", "=", parent),
            ("revision", ">", since),
        ):
            if value is not None:
                where.append(f"{column} {operator} ?")
                values.append(value)
        sql = f"select {_DOCUMENT_COLUMNS} from documents where {' and '.join(where)} order by id"  # noqa: S608
        for row in self._db.execute(sql, values):
            yield _document(row)

    def digests(self, datasets: Iterable[str] | None = None) -> dict[str, tuple[str, str]]:
        """Return id → (dataset, digest) of all documents, or of those of some datasets."""
        if datasets is None:
            rows: Iterable[Any] = self._db.execute("select id, dataset, digest from documents")
        else:
            rows = [
                r
                for d in datasets
                for r in self._db.execute("select id, dataset, digest from documents where dataset = ?", [d])
            ]
        return {r[0]: (r[1], r[2]) for r in rows}

    def put_document(self, document: DocumentRecord, tables: list[TableRecord]) -> None:
        """Insert or replace a document with its tables."""
        values = [getattr(document, c.strip()) for c in _DOCUMENT_COLUMNS.split(",")]
        names = [c.strip() for c in _DOCUMENT_COLUMNS.split(",")]
        row = [
            json.dumps(v, ensure_ascii=False) if n in _JSON_FIELDS else v
            for n, v in zip(names, values, strict=True)
        ]
        marks = ",".join("?" * len(names))
        self._db.execute(f"insert or replace into documents ({_DOCUMENT_COLUMNS}) values ({marks})", row)  # noqa: S608
        self._db.execute("delete from tombstones where kind = 'document' and id = ?", [document.id])
        self._db.execute("delete from tables where document = ?", [document.id])
        for table in tables:
            self._db.execute(
                "insert into tables (document, position, ref, name, row_count, info, typed_path, raw_path) values (?,?,?,?,?,?,?,?)",
                [
                    table.document,
                    table.position,
                    table.ref,
                    table.name,
                    table.row_count,
                    json.dumps({"columns": table.columns, "info": table.info}, ensure_ascii=False),
                    self._relative(table.typed_path),
                    self._relative(table.raw_path),
                ],
            )

    def remove_documents(self, ids: Iterable[str], generation: int) -> None:
        """Remove documents; a tombstone tells the index."""
        for document_id in ids:
            self._db.execute("delete from documents where id = ?", [document_id])
            self._db.execute("delete from tables where document = ?", [document_id])
            self._db.execute(
                "insert or replace into tombstones values ('document', ?, ?)", [document_id, generation]
            )

    def removed_since(self, generation: int, kind: str = "document") -> list[str]:
        """Return ids of documents, or of datasets, that were removed after a generation."""
        rows = self._db.execute(
            "select id from tombstones where kind = ? and revision > ?", [kind, generation]
        )
        return [r[0] for r in rows]

    def inputs(self) -> dict[str, str]:
        """Return dataset → signature of the files and reads it was last assembled from."""
        return {r[0]: r[1] for r in self._db.execute("select dataset, signature from inputs")}

    def put_inputs(self, signatures: dict[str, str], gone: Iterable[str] = ()) -> None:
        """Set signatures of datasets, and forget those of datasets that are gone."""
        self._db.executemany("insert or replace into inputs values (?, ?)", signatures.items())
        self._db.executemany("delete from inputs where dataset = ?", [(d,) for d in gone])

    def put_aliases(self, aliases: dict[str, str]) -> None:
        """Keep old ids of moved documents; older aliases that led to them lead on."""
        for old, new in aliases.items():
            self._db.execute("update aliases set new = ? where new = ?", [new, old])
            self._db.execute("insert or replace into aliases values (?, ?)", [old, new])
            self._db.execute("delete from aliases where old = ?", [new])

    def set_relations(self, series: dict[str, str], canonical: dict[str, str], generation: int) -> None:
        """Set the series (document → series) and the copy that stands for it (document → document) of every document.

        Exact duplicates keep what they have. Documents that change get `generation` as their revision.
        """
        rows = self._db.execute(
            "select id, series, duplicate_of from documents where state != 'duplicate'"
        ).fetchall()
        changed = [
            (series.get(i, ""), canonical.get(i, ""), generation, i)
            for i, old_series, old_copy in rows
            if (series.get(i, ""), canonical.get(i, "")) != (old_series, old_copy)
        ]
        self._db.executemany(
            "update documents set series = ?, duplicate_of = ?, revision = ? where id = ?", changed
        )

    # -- tables, datasets, counts ----------------------------------------------------------------------------------

    def positions(self, document_id: str) -> list[tuple[int, str]]:
        """Return (position, reference) of the tables of a document in reading order."""
        sql = "select position, ref from tables where document = ? order by position"
        return [(r[0], r[1]) for r in self._db.execute(sql, [document_id])]

    def tables(self, document_id: str | None = None, *, within: str = "%") -> list[TableRecord]:
        """Return the tables of a document in reading order, or all, or those of documents whose id is like `within`."""
        columns = "document, position, ref, name, row_count, info, typed_path, raw_path"
        if document_id is None:
            rows = self._db.execute(
                f"select {columns} from tables where document like ? order by document, position",  # noqa: S608
                [within],
            )
        else:
            rows = self._db.execute(
                f"select {columns} from tables where document = ? order by position", [document_id]
            )  # noqa: S608
        return [self._table(r) for r in rows]

    def table(self, ref: str) -> TableRecord | None:
        """Return one table by its exact reference."""
        row = self._db.execute(
            "select document, position, ref, name, row_count, info, typed_path, raw_path from tables where ref = ?",
            [ref],
        ).fetchone()
        return self._table(row) if row else None

    def table_refs(self) -> list[tuple[str, str, str]]:
        """Return (reference, document, name) of all tables."""
        return [tuple(r) for r in self._db.execute("select ref, document, name from tables order by ref")]

    def table_files(self) -> Iterator[tuple[str, Path, Path]]:
        """Yield (document, typed file, raw file) of all tables that have files of their own."""
        sql = "select document, typed_path, raw_path from tables where typed_path != ''"
        for document, typed, raw in self._db.execute(sql):
            yield document, self.folder / typed, self.folder / raw

    def dataset(self, dataset_id: str) -> DatasetRecord | None:
        """Return one dataset by its exact id."""
        row = self._db.execute(
            "select id, title, metadata, digest, revision from datasets where id = ?", [dataset_id]
        ).fetchone()
        return _dataset(row) if row else None

    def datasets(self, *, since: int | None = None) -> Iterator[DatasetRecord]:
        """Yield datasets by id: all, or changed after a generation."""
        sql = "select id, title, metadata, digest, revision from datasets where revision > ? order by id"
        for row in self._db.execute(sql, [-1 if since is None else since]):
            yield _dataset(row)

    def put_dataset(self, dataset: DatasetRecord) -> None:
        """Insert or replace a dataset."""
        self._db.execute("delete from tombstones where kind = 'dataset' and id = ?", [dataset.id])
        self._db.execute(
            "insert or replace into datasets (id, title, metadata, digest, revision) values (?,?,?,?,?)",
            [
                dataset.id,
                dataset.title,
                json.dumps(dataset.metadata, ensure_ascii=False),
                dataset.digest,
                dataset.revision,
            ],
        )

    def remove_datasets(self, ids: Iterable[str], generation: int) -> None:
        """Remove datasets that have no documents left; a tombstone tells the index."""
        for dataset_id in ids:
            self._db.execute("delete from datasets where id = ?", [dataset_id])
            self._db.execute(
                "insert or replace into tombstones values ('dataset', ?, ?)", [dataset_id, generation]
            )

    @property
    def relations(self) -> Relations:
        """Copies, series, joins, mentions and links."""
        return Relations(self._db)

    @cached_property
    def sheets(self) -> Sheets:
        """Tables of documents that are one record each."""
        return Sheets(self._db, self.folder, self.read_record)

    def dataset_sizes(self) -> dict[str, int]:
        """Return dataset → number of its documents, by id; a folder of nothing but skipped files is no dataset."""
        rows = self._db.execute(
            "select dataset, count(*) from documents group by dataset having max(state != 'skipped') order by dataset"
        )
        return {r[0]: int(r[1]) for r in rows}

    def problems(self) -> list[tuple[str, str, int, str]]:
        """Return (state, reason, number, first document) of documents that were not taken in, most frequent first."""
        rows = self._db.execute(
            "select state, reason, count(*) as n, min(id) from documents where state in ('failed', 'skipped') "
            "group by state, reason order by state, n desc, reason"
        )
        return [(r[0], r[1], int(r[2]), r[3]) for r in rows]

    def not_plain(self) -> list[tuple[str, str, str, str]]:
        """Return (document, state, reason, duplicate_of) of every document that is not plainly ingested, by id."""
        rows = self._db.execute(
            "select id, state, reason, duplicate_of from documents where state != 'ingested' order by id"
        )
        return [(r[0], r[1], r[2], r[3]) for r in rows]

    def warned(self) -> int:
        """Return the number of documents with warnings."""
        return int(self._db.execute("select count(*) from documents where warnings != '[]'").fetchone()[0])

    def counts(self) -> dict[str, int]:
        """Return the number of files in each state."""
        found = dict(
            self._db.execute(
                "select state, count(*) from documents where parent = '' group by state"
            ).fetchall()
        )
        return {s: int(found.get(s, 0)) for s in ("ingested", "duplicate", "skipped", "failed")}

    def totals(self) -> dict[str, int]:
        """Return the number of datasets, documents (ingested, with archive members) and tables."""
        generation, *kept = self.meta("totals", "-").split()
        if generation == str(self.generation):
            return dict(zip(_TOTALS, map(int, kept), strict=True))
        return self._count_totals()

    def keep_totals(self) -> None:
        """Note the totals with the generation; part of the transaction that changes documents, as its last step.

        Counting reads every document, which a search of a large lake should not have to.
        """
        self.set_meta("totals", " ".join(map(str, (self.generation, *self._count_totals().values()))))

    def _count_totals(self) -> dict[str, int]:
        return {name: int(self._db.execute(sql).fetchone()[0]) for name, sql in _TOTALS.items()}

    def _relative(self, path: Path) -> str:
        return path.relative_to(self.folder).as_posix() if path.is_absolute() else path.as_posix()

    def _table(self, row: sqlite3.Row) -> TableRecord:
        info = json.loads(row["info"])
        if "sheet" in info:
            return self.sheets.table(row)
        return TableRecord(
            row["document"],
            row["position"],
            row["ref"],
            row["name"],
            row["row_count"],
            info["columns"],
            self.folder / row["typed_path"],
            self.folder / row["raw_path"],
            info["info"],
        )

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection, for the modules of this room."""
        return self._db


def _document(row: sqlite3.Row) -> DocumentRecord:
    values = dict(row)
    for name in _JSON_FIELDS:
        values[name] = json.loads(values[name])
    return DocumentRecord(**values)


def _dataset(row: sqlite3.Row) -> DatasetRecord:
    return DatasetRecord(row["id"], row["title"], json.loads(row["metadata"]), row["digest"], row["revision"])
