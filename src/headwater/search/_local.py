"""The index of one machine: tantivy for terms, plain arrays for vectors, SQLite for the rest.

A commit is one transaction of the SQLite file; what the text index has then still to do is noted in it. The text index
follows, and the generation moves once it has. A process killed in between leaves the note, and the next writer carries
it out; doing it twice does no harm, as records are numbered once and for all.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.errors import SetupError
from headwater.search._embedders import Embedder
from headwater.search._fields import USUAL_WORDS, fields_of, part_of
from headwater.search._index import IndexStats
from headwater.search._models import ROLES, Models, Space, VectorBatch
from headwater.search._query import ParsedQuery, QueryTerm
from headwater.search._rank import FIELDS, Match
from headwater.search._records import Record
from headwater.search._results import Filters, SearchOptions, SearchResult
from headwater.search._store import PARTS, Header, Part, Store, Stored
from headwater.search._tantivy import numbers, open_part, rolled_back
from headwater.search._text import padding
from headwater.search._vectors import VectorFolder

if TYPE_CHECKING:
    import tantivy

HEAP_BYTES = 64 << 20
"""Memory of a text index writer before it writes a segment."""

MAX_FREQUENCIES = 200_000
"""Frequencies of terms kept between commits."""

MAX_SEGMENTS = 32
"""Vector segments at which a commit merges them: each costs a scan of its own."""

MASK_BITS = 24
"""Terms whose presence fits into one float32 score exactly."""


class LocalIndex:
    """An index in a folder. See `Index` for the methods.

    Args:
        folder: where it lies.
        write: open for writing, creating it if need be; only one process at a time can.
        embedder: vectors of every record; an embedder or a setting of `load_embedder`.
        card_embedder: vectors of the datasets' cards by a stronger model; likewise.
        offline: no embedder may fetch anything.

    Raises:
        SetupError: there is no index, it cannot be opened, or it was built with another embedder.
    """

    def __init__(
        self,
        folder: Path,
        *,
        write: bool = False,
        embedder: Embedder | str | None = "static",
        card_embedder: Embedder | str | None = None,
        offline: bool = False,
    ) -> None:
        self._folder = Path(folder)
        self._store = Store(self._folder / "records.sqlite", write=write)
        self._vectors = VectorFolder(self._folder / "vectors")
        self._models = Models(
            {"texts": embedder, "cards": card_embedder},
            self._store.meta,
            self._store.set_meta if write else None,
            where=str(folder),
            offline=offline,
        )
        self._write = write
        self._indexes = {part: open_part(self._folder / part, part, write=write) for part in PARTS}
        self._writers: dict[Part, tantivy.IndexWriter] = {}
        self._searchers: dict[Part, tantivy.Searcher] = {}
        self._headers: dict[int, Header] = {}
        self._frequencies: dict[tuple[Part, str, str], int] = {}
        self._seen: tuple[int, int] | None = None
        self._commits = 0  # of this object: SQLite's own count tells of the others
        self._generation = 0
        self._copies = False
        self._lock = threading.Lock()
        if write:
            self._catch_up()
        self.refresh()

    def __enter__(self) -> LocalIndex:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Finish background work and close the files."""
        for writer in self._writers.values():
            writer.wait_merging_threads()
        self._writers = {}
        self._store.close()

    # state

    @property
    def generation(self) -> int:
        """Generation of the last complete commit, 0 for a new index."""
        return self._generation

    def stats(self) -> IndexStats:
        """Return what the index holds."""
        counts = self._store.counts()
        size = sum(f.stat().st_size for f in self._folder.rglob("*") if f.is_file())
        texts, cards = self._models.known("texts"), self._models.known("cards")
        return IndexStats(
            generation=self.generation, datasets=counts["datasets"], documents=counts["documents"],
            passages=counts["passages"], bytes=size, pending=any(self._store.pending()),
            embedder=(texts or {}).get("id", ""), card_embedder=(cards or {}).get("id", ""),
        )  # fmt: skip

    def documents(self) -> list[str]:
        """Return the ids of all documents in the index, sorted."""
        return self._store.all_documents()

    def refresh(self) -> None:
        """Move on to the last commit of any process; a search does so by itself."""
        with self._lock:
            seen = (self._store.version(), self._commits)
            if seen == self._seen:
                return
            self._generation = int(self._store.meta("generation", "0"))
            self._copies = self._store.has_duplicates()
            for part, index in self._indexes.items():
                index.reload()
                self._searchers[part] = index.searcher()
            for attempt in range(3):  # another process may merge segments between listing and opening them
                try:
                    self._vectors.reload(self._store)
                    break
                except FileNotFoundError:
                    if attempt == 2:
                        raise
            self._headers, self._frequencies = {}, {}
            self._seen = seen

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
        self._must_write()
        self._models.check()
        self._catch_up()
        removed: list[int] = []
        added: dict[tuple[str, str], int] = {}
        batch = VectorBatch(self._models)
        with self._writing():
            for document, dataset in [(d, "") for d in remove] + [("", d) for d in remove_datasets]:
                removed += self._drop(dataset, document)
            for record in add:
                key = (record.dataset if not record.document else "", record.document)
                if key not in added:
                    removed += self._drop(record.dataset, record.document)
                    added[key] = self._store.add_document(record)
                doc = added[key]
                rid = self._store.add_record(doc, record)
                self._add_terms(doc, rid, record)
                batch.add(doc, rid, record)
            for space, rows in batch.finish().items():
                name = self._vectors.write(rows)
                self._store.set_segment(name, space, len(rows.docs), b"")
            self._vectors.mark_dead(self._store, removed)
            merged = len(self._store.segments()) > MAX_SEGMENTS and self._vectors.merge(self._store)
            self._store.set_pending(removed, added.values())
            self._store.set_meta("next", str(generation))
        self._finish(removed, generation)
        if merged:
            self._vectors.discard(self._store)

    def _must_write(self) -> None:
        if not self._write:
            raise SetupError("This index is open for reading.", where=str(self._folder))

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Run a block in a transaction of the store; if it fails, the text index forgets what it was given too."""
        try:
            with self._store.transaction():
                yield
        except BaseException as error:
            self._models.forget()
            self._writers = {part: writer for part, writer in self._writers.items() if rolled_back(writer)}
            if isinstance(error, sqlite3.Error):
                raise self._unwritable(error) from error
            raise

    def _drop(self, dataset: str, document: str) -> list[int]:
        doc = self._store.doc_of(dataset, document)
        if doc is None:
            return []
        self._store.remove(doc)
        return [doc]

    def _add_terms(self, doc: int, rid: int, record: Record) -> None:
        import tantivy

        part = part_of(record)
        writer = self._writer(part)
        for fields in fields_of(record):
            entry = tantivy.Document()
            entry.add_unsigned("doc", doc)
            entry.add_unsigned("rid", rid)
            for name in FIELDS[part]:
                entry.add_text(name, fields.get(name) or padding(USUAL_WORDS.get(name, 0)))
            try:
                writer.add_document(entry)
            except ValueError as error:
                raise self._unwritable(error) from error

    def _finish(self, removed: Sequence[int], generation: int) -> None:
        """Commit the text index and move the generation."""
        for part in PARTS:
            self._delete(part, removed)
            self._commit(part)
        with self._store.transaction():
            self._store.set_pending((), ())
            self._store.set_meta("generation", str(generation))
        self._commits += 1
        self.refresh()

    def _commit(self, part: Part) -> None:
        try:
            self._writer(part).commit()
        except ValueError as error:
            self._writers.pop(part, None)
            raise self._unwritable(error) from error

    def _unwritable(self, error: Exception) -> SetupError:
        return SetupError(
            f"The search index cannot be written: {error}",
            where=str(self._folder),
            hint="Check that the disk has room; the next ingest goes on from the last complete state.",
        )

    def _delete(self, part: Part, docs: Sequence[int]) -> None:
        from tantivy import Query

        if docs:  # by query: tantivy's deletion by term takes an integer for a signed one and finds nothing
            chosen = Query.term_set_query(self._indexes[part].schema, "doc", list(docs))
            self._writer(part).delete_documents_by_query(chosen)

    def _catch_up(self) -> None:
        """Carry out what a killed process had noted."""
        removed, added = self._store.pending()
        if not removed and not added:
            return
        for part in PARTS:
            self._delete(part, [*removed, *added])
            self._commit(part)
        self._index_again(added)
        self._finish(removed, int(self._store.meta("next", "0")))

    def _index_again(self, docs: Iterable[int]) -> None:
        for doc in docs:
            header = self._store.headers([doc]).get(doc)
            if header is None:
                continue
            for stored in self._store.records_of(doc):
                self._add_terms(doc, stored.rid, stored.record(header))

    def optimize(self) -> None:
        """Merge vector segments and let the text index finish its merges."""
        self._must_write()
        with self._store.transaction():
            self._vectors.merge(self._store)
        self._commits += 1
        self._vectors.discard(self._store)
        for part in PARTS:
            writer = self._writer(part)
            writer.garbage_collect_files()
            writer.wait_merging_threads()
        self._writers = {}
        self.refresh()

    # searching

    def search(self, text: str, options: SearchOptions | None = None) -> SearchResult:
        """Search. See `Index.search`."""
        from headwater.search._search import run

        self.refresh()
        return run(self, text, options or SearchOptions())

    def lexical(self, part: Part, query: ParsedQuery, limit: int, docs: set[int] | None) -> list[Match]:
        """Return the best records of a part by their terms."""
        from tantivy import Occur, Query

        searcher, index = self._searchers[part], self._indexes[part]
        should = [(Occur.Should, q) for t in query.terms if (q := self._term(part, t))]
        must = [(Occur.Must, self._phrase(part, p)) for p in query.phrases]
        if not should and not must:
            return []
        if docs is not None:
            chosen = Query.term_set_query(index.schema, "doc", sorted(docs))
            must.append((Occur.Must, Query.const_score_query(chosen, 0.0)))
            if should:
                must.append((Occur.Must, Query.boolean_query(should)))
                should = []
        hits = searcher.search(Query.boolean_query([*should, *must]), limit, count=False).hits
        addresses = [address for _, address in hits]
        rids = numbers(searcher, "rid", addresses)
        owners = numbers(searcher, "doc", addresses)
        masks = self._masks(part, query.terms, rids)
        return [
            Match(rid, doc, score, masks.get(rid, 0))
            for (score, _), rid, doc in zip(hits, rids, owners, strict=True)
        ]

    def _term(self, part: Part, term: QueryTerm) -> tantivy.Query | None:
        """Return the query for one term, which counts in its best field."""
        from tantivy import Query

        schema = self._indexes[part].schema
        parts = []
        for text in term.all:
            for name, weight in FIELDS[part].items():
                if self._held(part, name, text):
                    query = Query.term_query(schema, name, text, "freq")
                    parts.append(query if weight == 1.0 else Query.boost_query(query, weight))
        if len(parts) < 2:
            return parts[0] if parts else None
        return Query.disjunction_max_query(parts)

    def _phrase(self, part: Part, words: tuple[str, ...]) -> tantivy.Query:
        from tantivy import Query

        schema = self._indexes[part].schema
        queries = [
            Query.boost_query(Query.phrase_query(schema, f, list(words)), w) for f, w in FIELDS[part].items()
        ]
        return Query.disjunction_max_query(queries)

    def _masks(self, part: Part, terms: Sequence[QueryTerm], rids: Sequence[int]) -> dict[int, int]:
        """Return which terms the records hold, as bits: each term's constant score is a power of two."""
        from tantivy import Occur, Query

        if not rids:
            return {}
        searcher, schema = self._searchers[part], self._indexes[part].schema
        chosen = Query.term_set_query(schema, "rid", list(rids))
        parts = [(Occur.Must, Query.const_score_query(chosen, 0.0))]
        for bit, term in enumerate(terms[:MASK_BITS]):
            held = [
                (Occur.Should, Query.term_query(schema, name, text, "basic"))
                for text in term.all
                for name in FIELDS[part]
                if self._held(part, name, text)
            ]
            if held:
                parts.append(
                    (Occur.Should, Query.const_score_query(Query.boolean_query(held), float(1 << bit)))
                )
        hits = searcher.search(Query.boolean_query(parts), 4 * len(rids), count=False).hits
        found: dict[int, int] = {}
        for (score, _), rid in zip(hits, numbers(searcher, "rid", [a for _, a in hits]), strict=True):
            found[rid] = found.get(rid, 0) | int(score)
        return found

    def nearest(
        self, space: Space, text: str, limit: int, docs: set[int] | None
    ) -> list[tuple[int, int, float]] | None:
        """Return (rid, doc, cosine) of the records nearest to a text, or None where there are no vectors."""
        import numpy as np

        if space not in self._vectors.spaces() or not self._models.is_set(ROLES[space]):
            return None
        embedder = self._models.get(ROLES[space])
        if embedder is None:
            return None
        query = embedder.embed_queries([text])[0]
        chosen = None if docs is None else np.fromiter(docs, dtype=np.int64)
        return self._vectors.nearest(space, query, limit, chosen) if query.any() else []

    def headers(self, docs: Iterable[int]) -> dict[int, Header]:
        """Return the headers of documents that exist; kept until the next commit."""
        wanted = set(docs)
        missing = wanted - self._headers.keys()
        if missing:
            self._headers.update(self._store.headers(missing))
        return {d: self._headers[d] for d in wanted if d in self._headers}

    def stored(self, rids: Iterable[int]) -> dict[int, Stored]:
        """Return records with their text."""
        return self._store.stored(rids)

    def documents_of(self, dataset: str, limit: int) -> list[Header]:
        """Return documents of a dataset, tables first."""
        return self._store.documents_of(dataset, limit)

    def duplicates_of(self, documents: Sequence[str]) -> dict[str, list[str]]:
        """Return the copies of documents."""
        return self._store.duplicates_of(documents) if self._copies else {}

    def matching(self, filters: Filters) -> set[int]:
        """Return the numbers of what passes the filters."""
        return self._store.matching(filters)

    def frequency(self, term: str) -> int:
        """Return the number of records that hold a term (the largest of the fields, summed over the parts)."""
        return sum(max(self._held(p, f, term) for f in FIELDS[p]) for p in PARTS)

    def _held(self, part: Part, name: str, term: str) -> int:
        """Return the number of records that hold a term in a field; kept until the next commit."""
        key = (part, name, term)
        count = self._frequencies.get(key)
        if count is None:
            if len(self._frequencies) > MAX_FREQUENCIES:
                self._frequencies.clear()
            count = self._frequencies[key] = self._searchers[part].doc_freq(name, term)
        return count

    def total(self) -> int:
        """Return the number of records."""
        return sum(self._searchers[p].num_docs for p in PARTS)

    def similar(self, term: str, edits: int) -> Iterator[tuple[str, int]]:
        """Yield the terms with the same first letter of the fields that hold something near; some come several times."""
        from tantivy import Query

        for part, fields in FIELDS.items():
            searcher, schema = self._searchers[part], self._indexes[part].schema
            for name in fields:
                near = Query.fuzzy_term_query(schema, name, term, edits)
                if searcher.search(near, 1, count=False).hits:
                    yield from searcher.terms_with_prefix(name, term[0])

    def embedder_id(self) -> str:
        """Return the id of the embedder of all records, or ""."""
        return str((self._models.known("texts") or {}).get("id", ""))

    # tantivy and the embedders

    def _writer(self, part: Part) -> tantivy.IndexWriter:
        if part not in self._writers:
            try:
                self._writers[part] = self._indexes[part].writer(HEAP_BYTES, num_threads=1)
            except (OSError, ValueError) as error:
                raise SetupError(
                    f"The text index cannot be written: {error}",
                    where=str(self._folder / part),
                    hint="Another process may be writing to it; wait for it to finish.",
                ) from error
        return self._writers[part]
