"""The index on object storage, or beyond one machine: LanceDB tables (extra `scale`).

The same terms as in the local index, made by the same analyzer and stored as words with spaces between, so that both
find the same. Every table has versions; a commit writes new versions of some and then one row into `head`, which names
the version of each. Readers open what `head` names, and a writer that finds newer versions goes back to them first, so
that a commit that was cut off leaves nothing behind.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headwater.errors import MissingExtraError, SetupError
from headwater.search._embedders import Embedder
from headwater.search._index import IndexStats
from headwater.search._lance_commit import HEADER, Commit, among, quoted, schema_of
from headwater.search._models import ROLES, Models, Space
from headwater.search._query import ParsedQuery
from headwater.search._rank import FIELDS, Match
from headwater.search._records import Record
from headwater.search._results import Filters, SearchOptions, SearchResult
from headwater.search._store import PARTS, Header, Part, Stored, unpack

if TYPE_CHECKING:
    pass

MAX_TOKEN_BYTES = 96
ANN_ROWS = 100_000
"""Vectors from which an approximate index is built (exact search below: 8 ms at 50,000)."""


class LanceIndex:
    """An index in a folder of a file system or a bucket. See `Index` for the methods.

    Args:
        uri: a folder, or s3://bucket/prefix.
        write: open for writing, creating it if need be. One process writes at a time; the caller sees to that.
        storage_options: for object storage, as LanceDB takes them (aws_endpoint, aws_region, …).
        embedder: vectors of every record; an embedder or a setting of `load_embedder`.
        card_embedder: vectors of the datasets' cards by a stronger model; likewise.
        offline: no embedder may fetch anything.

    Raises:
        MissingExtraError: lancedb is not installed.
        SetupError: there is no index, or it was built with another embedder.
    """

    def __init__(
        self,
        uri: str,
        *,
        write: bool = False,
        storage_options: dict[str, str] | None = None,
        embedder: Embedder | str | None = "static",
        card_embedder: Embedder | str | None = None,
        offline: bool = False,
    ) -> None:
        try:
            import lancedb
        except ImportError as error:
            raise MissingExtraError.for_group("lancedb", "scale") from error
        self._uri = str(uri)
        self._write = write
        self._db = lancedb.connect(self._uri, storage_options=storage_options)
        self.tables: dict[str, Any] = {}
        self._head: dict[str, Any] = {}
        self._terms: tuple[list[str], dict[str, int]] | None = None
        self._heads: Any
        if "head" in self._names():
            self._heads = self._db.open_table("head")
        elif write:
            self._heads = self._db.create_table("head", schema=schema_of("head"))
        else:
            raise SetupError(
                "There is no search index here.",
                where=self._uri,
                hint="Run `headwater ingest`, which builds it.",
            )
        self._noted: dict[str, str] = {}
        self._models = Models(
            {"texts": embedder, "cards": card_embedder},
            lambda key: str(self._noted.get(key) or self._head.get("notes", {}).get(key, "")),
            self._noted.__setitem__ if write else None,
            where=self._uri,
            offline=offline,
        )
        self.refresh()
        if write:
            self._go_back()

    def __enter__(self) -> LanceIndex:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Forget the tables."""
        self.tables = {}

    # state

    @property
    def generation(self) -> int:
        """Generation of the last complete commit, 0 for a new index."""
        return int(self._head.get("generation", 0))

    def refresh(self) -> None:
        """Move on to the last commit of any process; a search does so by itself."""
        self._heads.checkout_latest()
        rows = self._heads.search().select(["commit", "state"]).limit(None).to_list()
        newest = max(rows, key=lambda row: row["commit"], default=None)
        if newest is None or newest["commit"] == self._head.get("commit"):
            return
        self._head = {**json.loads(newest["state"]), "commit": newest["commit"]}
        self._terms = None
        for name, version in self._head["versions"].items():
            table = self.tables[name] = self._db.open_table(name)
            if table.version != version:
                table.checkout(version)

    def stats(self) -> IndexStats:
        """Return what the index holds."""
        texts, cards = self._models.known("texts"), self._models.known("cards")
        headers = self.tables.get("headers")
        rows = headers.search().select(["dataset", "document"]).limit(None).to_list() if headers else []
        return IndexStats(
            generation=self.generation,
            datasets=len({r["dataset"] for r in rows}),
            documents=sum(1 for r in rows if r["document"]),
            passages=self.tables["passages"].count_rows() if "passages" in self.tables else 0,
            embedder=(texts or {}).get("id", ""),
            card_embedder=(cards or {}).get("id", ""),
        )

    def documents(self) -> list[str]:
        """Return the ids of all documents in the index, sorted."""
        if "headers" not in self.tables:
            return []
        rows = (
            self.tables["headers"].search().where("document != ''").select(["document"]).limit(None).to_list()
        )
        return sorted(r["document"] for r in rows)

    # writing

    def update(
        self,
        generation: int,
        add: Iterable[Record] = (),
        *,
        remove: Iterable[str] = (),
        remove_datasets: Iterable[str] = (),
    ) -> None:
        """Take records in and out, in one commit. See `Index.update`."""
        if not self._write:
            raise SetupError("This index is open for reading.", where=self._uri)
        self.refresh()
        self._go_back()
        self._noted.clear()
        self._models.check()
        commit = Commit(self)
        try:
            commit.drop(remove, remove_datasets)
            for record in add:
                commit.take(record)
            commit.finish()
        except BaseException:
            self._models.forget()
            self._go_back()
            raise
        self._publish(generation, commit.next_doc, commit.next_rid)

    def optimize(self) -> None:
        """Compact the tables, bring the indexes up to date and fold the counts of terms."""
        import pyarrow as pa
        from lancedb.index import IvfHnswSq

        if "terms" in self.tables:
            counts = {t: n for t, n in self._vocabulary()[1].items() if n > 0}
            folded = pa.table(
                {"term": list(counts), "count": list(counts.values())}, schema=schema_of("terms")
            )
            self.tables["terms"].add(folded, mode="overwrite")
        for space in ROLES:
            table = self.tables.get(f"vectors_{space}")
            if table is not None and table.count_rows() >= ANN_ROWS and not table.list_indices():
                table.create_index(
                    "vector", config=IvfHnswSq(distance_type="cosine", m=16, ef_construction=100)
                )
        for table in self.tables.values():
            table.optimize()
        self._publish(self.generation, self._head.get("next_doc", 1), self._head.get("next_rid", 1))

    def table(self, name: str, dim: int = 0) -> Any:
        """Return a table, created with its indexes if need be."""
        if name not in self.tables:
            from lancedb.index import FTS, BTree

            schema = schema_of(name, dim)
            table = self.tables[name] = self._db.create_table(name, schema=schema, mode="overwrite")
            if name in PARTS:
                config = FTS(
                    with_position=True, stem=False, remove_stop_words=False, base_tokenizer="whitespace",
                    lower_case=False, ascii_folding=False, max_token_length=MAX_TOKEN_BYTES,
                )  # fmt: skip
                for field in FIELDS[name]:
                    table.create_index(field, config=config)
            for column in {"doc", "rid"} & set(schema.names):
                table.create_index(column, config=BTree())
        return self.tables[name]

    def next_numbers(self) -> tuple[int, int]:
        """Return the numbers of the next document and the next record."""
        return int(self._head.get("next_doc", 1)), int(self._head.get("next_rid", 1))

    @property
    def models(self) -> Models:
        """Return the embedders."""
        return self._models

    def _publish(self, generation: int, next_doc: int, next_rid: int) -> None:
        """Write the row that makes the new versions count."""
        import pyarrow as pa

        state = {
            "generation": generation,
            "versions": {name: table.version for name, table in self.tables.items()},
            "next_doc": next_doc,
            "next_rid": next_rid,
            "notes": {**self._head.get("notes", {}), **self._noted},
        }
        commit = int(self._head.get("commit", 0)) + 1
        self._heads.add(
            pa.table({"commit": [commit], "state": [json.dumps(state)]}, schema=schema_of("head"))
        )
        self._heads.delete(f"commit < {commit - 20}")
        self.refresh()
        self._go_back()

    def _go_back(self) -> None:
        """Make every table writable at the version that counts, dropping what a commit that was cut off wrote."""
        versions: Mapping[str, int] = self._head.get("versions", {})
        self.tables = {name: table for name, table in self.tables.items() if name in versions}
        for name, table in self.tables.items():
            table.checkout_latest()
            if table.version != versions[name]:
                table.restore(versions[name])

    def _names(self) -> list[str]:
        return list(self._db.list_tables(limit=100).tables)

    # searching

    def search(self, text: str, options: SearchOptions | None = None) -> SearchResult:
        """Search. See `Index.search`."""
        from headwater.search._search import run

        if not self._write:
            self.refresh()
        return run(self, text, options or SearchOptions())

    def lexical(self, part: Part, query: ParsedQuery, limit: int, docs: set[int] | None) -> list[Match]:
        """Return the best records of a part by their terms."""
        from importlib import import_module

        lance: Any = import_module("lancedb.query")  # its types take no account of defaults
        if part not in self.tables:
            return []
        fields = FIELDS[part]
        clauses: list[Any] = []
        for phrase in query.phrases:
            parts = [(lance.Occur.SHOULD, lance.PhraseQuery(" ".join(phrase), field)) for field in fields]
            clauses.append((lance.Occur.MUST, lance.BooleanQuery(parts)))
        for text in (t for term in query.terms for t in term.all if self.frequency(t)):
            one = (
                lance.MultiMatchQuery(text, list(fields), boosts=list(fields.values()))
                if len(fields) > 1
                else lance.MatchQuery(text, next(iter(fields)))
            )
            clauses.append((lance.Occur.SHOULD, one))
        if not clauses:
            return []
        found = self.tables[part].search(lance.BooleanQuery(clauses), query_type="fts")
        if docs is not None:
            found = found.where(among("doc", docs), prefilter=True)
        rows = found.select(["rid", "doc", "_score", *fields]).limit(limit).to_list()
        matches = []
        for row in sorted(rows, key=lambda r: (-r["_score"], r["rid"])):
            held = {t for field in fields for t in (row[field] or "").split()}
            mask = sum(1 << bit for bit, term in enumerate(query.terms) if not held.isdisjoint(term.all))
            matches.append(Match(row["rid"], row["doc"], row["_score"], mask))
        return matches

    def nearest(
        self, space: Space, text: str, limit: int, docs: set[int] | None
    ) -> list[tuple[int, int, float]] | None:
        """Return (rid, doc, cosine) of the records nearest to a text, or None where there are no vectors."""
        table = self.tables.get(f"vectors_{space}")
        embedder = (
            self._models.get(ROLES[space])
            if table is not None and self._models.is_set(ROLES[space])
            else None
        )
        if table is None or embedder is None:
            return None
        query = embedder.embed_queries([text])[0]
        if not query.any():
            return []
        found = table.search(query, vector_column_name="vector").distance_type("cosine")
        if docs is not None:
            found = found.where(among("doc", docs), prefilter=True)
        rows = found.select(["rid", "doc", "_distance"]).limit(limit).to_list()
        return sorted(((r["rid"], r["doc"], 1 - r["_distance"]) for r in rows), key=lambda r: (-r[2], r[0]))

    def headers(self, docs: Iterable[int]) -> dict[int, Header]:
        """Return the headers of documents that exist."""
        return {h.doc: h for h in self.headers_where(among("doc", docs))}

    def headers_where(self, where: str) -> list[Header]:
        """Return the headers that fulfil a condition."""
        if "headers" not in self.tables:
            return []
        rows = self.tables["headers"].search().where(where).select(list(HEADER[:-1])).limit(None).to_list()
        return [Header(**{name: row[name] for name in HEADER[:-1]}) for row in rows]

    def stored(self, rids: Iterable[int]) -> dict[int, Stored]:
        """Return records with their text."""
        columns = ["rid", "doc", "part", "number", "start", "page", "body"]
        if "records" not in self.tables:
            return {}
        rows = self.tables["records"].search().where(among("rid", rids)).select(columns).limit(None).to_list()
        return {
            r["rid"]: Stored(
                r["rid"], r["doc"], r["part"], r["number"], r["start"], r["page"], unpack(r["body"])
            )
            for r in rows
        }

    def documents_of(self, dataset: str, limit: int) -> list[Header]:
        """Return documents of a dataset, tables first, duplicates last."""
        found = self.headers_where(f"dataset = {quoted(dataset)} and document != ''")
        return sorted(found, key=lambda h: (h.duplicate_of != "", h.kind != "table", h.document))[:limit]

    def duplicates_of(self, documents: Sequence[str]) -> dict[str, list[str]]:
        """Return the copies of documents."""
        found: dict[str, list[str]] = {}
        for header in sorted(self.headers_where(among("duplicate_of", documents)), key=lambda h: h.document):
            found.setdefault(header.duplicate_of, []).append(header.document)
        return found

    def matching(self, filters: Filters) -> set[int]:
        """Return the numbers of what passes the filters."""
        clauses = ["document != ''"]
        for column, wanted in (
            ("format", filters.formats), ("namespace", filters.namespaces), ("dataset", filters.datasets),
        ):  # fmt: skip
            if wanted:
                clauses.append(among(column, wanted))
        if filters.kind:
            clauses.append(f"kind = {quoted(filters.kind)}")
        if filters.years:
            clauses.append("(" + " or ".join(f"years like '%,{year},%'" for year in filters.years) + ")")
        documents = self.headers_where(" and ".join(clauses))
        datasets = {h.dataset for h in documents}
        cards = [h for h in self.headers_where("document = ''") if h.dataset in datasets]
        return {h.doc for h in (*documents, *cards)}

    def frequency(self, term: str) -> int:
        """Return the number of records that hold a term."""
        return self._vocabulary()[1].get(term, 0)

    def total(self) -> int:
        """Return the number of records."""
        return sum(self.tables[p].count_rows() for p in PARTS if p in self.tables)

    def similar(self, term: str, edits: int) -> Iterator[tuple[str, int]]:
        """Yield the terms with the same first letter, each with its frequency."""
        terms, counts = self._vocabulary()
        prefix = term[0]
        for at in range(bisect_left(terms, prefix), len(terms)):
            if not terms[at].startswith(prefix):
                return
            yield terms[at], counts[terms[at]]

    def embedder_id(self) -> str:
        """Return the id of the embedder of all records, or ""."""
        return str((self._models.known("texts") or {}).get("id", ""))

    def _vocabulary(self) -> tuple[list[str], dict[str, int]]:
        """Return all terms in order and their counts, summed over the commits since the last `optimize`."""
        if self._terms is None:
            counts: Counter[str] = Counter()
            if "terms" in self.tables:
                for row in self.tables["terms"].search().limit(None).to_list():
                    counts[row["term"]] += row["count"]
            self._terms = sorted(t for t, n in counts.items() if n > 0), dict(counts)
        return self._terms
