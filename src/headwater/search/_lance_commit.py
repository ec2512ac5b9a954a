"""Rows of a commit on their way into LanceDB tables, and what the tables look like."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from headwater.search._fields import fields_of, part_of
from headwater.search._models import VectorBatch
from headwater.search._rank import FIELDS
from headwater.search._records import Record
from headwater.search._store import PARTS, Header, packed
from headwater.search._text import analyzer

if TYPE_CHECKING:
    import pyarrow as pa

    from headwater.search._lance import LanceIndex

BATCH = 2_000
"""Records that are written at once."""

HEADER = (
    "doc",
    "dataset",
    "document",
    "kind",
    "format",
    "namespace",
    "title",
    "series",
    "duplicate_of",
    "years",
)


class Commit:
    """The rows of one commit, written in batches."""

    def __init__(self, index: LanceIndex) -> None:
        self._index = index
        self._rows: dict[str, list[dict[str, Any]]] = {}
        self._counts: Counter[str] = Counter()
        self._vectors = VectorBatch(index.models)
        self._docs: dict[tuple[str, str], int] = {}
        self.next_doc, self.next_rid = index.next_numbers()

    def drop(self, documents: Iterable[str], datasets: Iterable[str]) -> None:
        """Remove documents and datasets' cards."""
        parts = [among("document", documents)] + [f"(document = '' and {among('dataset', datasets)})"]
        self._remove(self._index.headers_where(" or ".join(parts)))

    def take(self, record: Record) -> None:
        """Add a record; the first of a document replaces what the index held of it."""
        key = (record.dataset if not record.document else "", record.document)
        if key not in self._docs:
            if record.document:
                old = f"document = {quoted(record.document)}"
            else:
                old = f"document = '' and dataset = {quoted(record.dataset)}"
            self._remove(self._index.headers_where(old))
            self._docs[key] = self.next_doc
            self._put("headers", _header_row(self.next_doc, record))
            self.next_doc += 1
        doc, rid, part = self._docs[key], self.next_rid, part_of(record)
        self.next_rid += 1
        name, number, start, page, body = packed(record)
        self._put(
            "records",
            {
                "rid": rid,
                "doc": doc,
                "part": name,
                "number": number,
                "start": start,
                "page": page,
                "body": body,
            },
        )
        for texts in fields_of(record):
            terms = {field: analyzer().analyze(text) for field, text in texts.items()}
            self._counts.update({t for found in terms.values() for t in found})
            self._put(part, {"doc": doc, "rid": rid, **{f: " ".join(terms.get(f, ())) for f in FIELDS[part]}})
        self._vectors.add(doc, rid, record)

    def finish(self) -> None:
        """Write what is left, the vectors and the counts of terms, and bring the indexes up to date."""
        import pyarrow as pa

        for name in list(self._rows):
            self._flush(name)
        for space, rows in self._vectors.finish().items():
            dim = rows.vectors.shape[1]
            vectors = pa.FixedSizeListArray.from_arrays(pa.array(rows.vectors.ravel()), dim)
            table = self._index.table(f"vectors_{space}", dim)
            table.add(
                pa.table(
                    {"doc": rows.docs, "rid": rows.rids, "vector": vectors}, schema=schema_of("vectors", dim)
                )
            )
        counts = {t: n for t, n in self._counts.items() if n}
        if counts:
            added = pa.table(
                {"term": list(counts), "count": list(counts.values())}, schema=schema_of("terms")
            )
            self._index.table("terms").add(added)
        for name in PARTS:  # a tail that is not indexed makes queries many times slower
            if name in self._index.tables:
                self._index.tables[name].optimize()

    def _remove(self, headers: Sequence[Header]) -> None:
        if not headers:
            return
        where = among("doc", [h.doc for h in headers])
        for part in PARTS:
            table = self._index.tables.get(part)
            if table is not None:
                for row in table.search().where(where).limit(None).to_list():
                    self._counts.subtract({t for field in FIELDS[part] for t in row[field].split()})
        for name, table in self._index.tables.items():
            if name != "terms":
                table.delete(where)

    def _put(self, name: str, row: dict[str, Any]) -> None:
        rows = self._rows.setdefault(name, [])
        rows.append(row)
        if len(rows) >= BATCH:
            self._flush(name)

    def _flush(self, name: str) -> None:
        import pyarrow as pa

        rows = self._rows.pop(name, [])
        if rows:
            self._index.table(name).add(pa.Table.from_pylist(rows, schema=schema_of(name)))


def schema_of(name: str, dim: int = 0) -> pa.Schema:
    """Return the columns of a table."""
    import pyarrow as pa

    numbers = [("doc", pa.int64()), ("rid", pa.int64())]
    if name == "head":
        return pa.schema([("commit", pa.int64()), ("state", pa.string())])
    if name == "terms":
        return pa.schema([("term", pa.string()), ("count", pa.int64())])
    if name == "headers":
        return pa.schema([("doc", pa.int64())] + [(column, pa.string()) for column in HEADER[1:]])
    if name == "records":
        rest = [
            ("part", pa.string()),
            ("number", pa.int64()),
            ("start", pa.int64()),
            ("page", pa.int64()),
            ("body", pa.binary()),
        ]
        return pa.schema(numbers + rest)
    if name in PARTS:
        return pa.schema(numbers + [(field, pa.string()) for field in FIELDS[name]])
    return pa.schema([*numbers, ("vector", pa.list_(pa.float32(), dim))])


def _header_row(doc: int, record: Record) -> dict[str, Any]:
    return {
        "doc": doc, "dataset": record.dataset, "document": record.document, "kind": record.kind,
        "format": record.format, "namespace": record.dataset.split("/", 1)[0], "title": record.title,
        "series": record.series, "duplicate_of": record.duplicate_of,
        "years": f",{','.join(map(str, record.years))},",
    }  # fmt: skip


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def among(column: str, values: Iterable[int] | Iterable[str]) -> str:
    """Return a condition that a column has one of the values."""
    listed = ", ".join(quoted(v) if isinstance(v, str) else str(v) for v in values)
    return f"{column} in ({listed})" if listed else "false"
