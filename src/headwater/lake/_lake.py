"""An opened lake: one object over catalog, index and SQL, for Python callers, tools and commands alike."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self

from headwater.catalog import Catalog, Names
from headwater.errors import SetupError
from headwater.lake._dump import dump_documents
from headwater.lake._views import (
    DatasetListing,
    DocumentListing,
    Reading,
    Status,
    list_datasets,
    list_documents,
    read_document,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from headwater.ingest import IngestOptions, IngestReport, Progress
    from headwater.lake._inspect import Inspection
    from headwater.lake._related import Related
    from headwater.lake._search import LakeSearch
    from headwater.model import Behind
    from headwater.search import LocalIndex
    from headwater.sql import SqlEngine, SqlResult

Mode = Literal["lexical", "vector", "hybrid"]


class Lake:
    """A lake that was ingested, opened for reading.

    Catalog, index and the SQL process are opened when first needed. Use it as a context manager, or call `close`.

    Args:
        url: the folder or `s3://bucket/prefix`.
        state: its state folder.

    Raises:
        SetupError: the lake has not been ingested.
    """

    def __init__(self, url: str, state: Path) -> None:
        self.url = url
        self.state = state
        self.notices: list[str] = []
        self._catalog: Catalog | None = None
        self._index: LocalIndex | None = None
        self._engine: SqlEngine | None = None

    @classmethod
    def find(cls, lake: str | Path | None = None, *, state: str | Path | None = None) -> Self:
        """Open the lake that is named, else that of HEADWATER_LAKE, else the nearest one above the working folder.

        Raises:
            SetupError: there is none, or it has not been ingested.
        """
        from headwater.storage import find_lake

        found = find_lake(lake=lake, state=state)
        opened = cls(found.url, found.state)
        opened.notices = list(found.notices)
        return opened

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Lake({self.url!r})"

    def close(self) -> None:
        """Close the catalog, the index and the SQL process."""
        for part in (self._engine, self._index, self._catalog):
            if part is not None:
                part.close()
        self._engine = self._index = self._catalog = None

    @property
    def catalog(self) -> Catalog:
        """The catalog, opened for reading."""
        if self._catalog is None:
            self._catalog = Catalog(self.state)
        return self._catalog

    @property
    def index(self) -> LocalIndex:
        """The search index, opened for reading."""
        if self._index is None:
            from headwater.search import LocalIndex, load_embedder

            folder = self.state / "index"
            if not folder.exists():
                raise SetupError("This lake has no search index.", hint="Run: headwater ingest")
            self._index = LocalIndex(folder, embedder=load_embedder())
        return self._index

    @property
    def names(self) -> Names:
        """Resolves what users type to documents, tables and datasets."""
        return Names(self.catalog)

    def ingest(
        self, options: IngestOptions | None = None, *, report: Callable[[Progress], None] | None = None
    ) -> IngestReport:
        """Take in what changed since the last time (see `headwater.ingest.ingest_lake`)."""
        from headwater.ingest import ingest_lake

        self.close()
        return ingest_lake(self.url, state=self.state, options=options, report=report)

    def status(self) -> Status:
        """Return what is in, what is not and why, and what share of it search covers."""
        totals = self.catalog.totals()
        index = self.index if (self.state / "index").exists() else None  # a first run may have been stopped
        stats = index.stats() if index else None
        since = index.generation if index else 0
        behind = sum(1 for d in self.catalog.documents(since=since) if d.state == "ingested")
        return Status(
            counts=self.catalog.counts(),
            datasets=totals["datasets"],
            documents=totals["documents"],
            tables=totals["tables"],
            passages=stats.passages if stats else 0,
            covered=totals["documents"] - behind,
            problems=tuple(self.catalog.problems()),
            warned=self.catalog.warned(),
            embedder=stats.embedder if stats else "",
        )

    def search(
        self,
        query: str,
        k: int = 10,
        *,
        mode: Mode = "hybrid",
        format: str | None = None,  # noqa: A002 - the word of the command line
        namespace: str | None = None,
        year: int | None = None,
        kind: Literal["table", "text"] | None = None,
    ) -> LakeSearch:
        """Find documents and datasets for a query in plain words.

        Args:
            query: words; those in quotation marks must stand together.
            k: hits, and datasets, at most.
            mode: by words, by meaning (vectors), or both fused.
            format: only documents of this format.
            namespace: only datasets below this folder.
            year: only what speaks of this year.
            kind: only tables or only texts.
        """
        from headwater.lake._search import search_lake

        return search_lake(
            self, query, k, mode=mode, format=format, namespace=namespace, year=year, kind=kind
        )

    def sql(
        self, statement: str, *, max_rows: int | None = None, deadline_s: float | None = None
    ) -> SqlResult:
        """Run one read-only statement; tables are `t('path')`, `t('path#name')`, `t('series:ID')`.

        Args:
            statement: DuckDB SQL.
            max_rows: rows given back at most; `row_count` is the true total.
            deadline_s: seconds after which the query is stopped.

        Raises:
            RefusedError: the statement does more than read tables of the lake.
            NotFoundError: a table, column or value does not exist; the nearest are named.
            LimitError: time or memory ran out.
        """
        limits: dict[str, Any] = {"max_rows": max_rows, "deadline_s": deadline_s}
        return self._sql.query(statement, **{k: v for k, v in limits.items() if v is not None})

    def rows_behind(self, statement: str, names: list[str], row: list[Any], column: int) -> list[Behind]:
        """Return the rows of tables that one cell of a query's result rests on, as far as that can be told.

        Args:
            statement: the query.
            names: columns of its result.
            row: a row of its result.
            column: position of the cell in that row.
        """
        return self._sql.behind(statement, names, row, column)

    def documents_behind(self, statement: str) -> dict[str, list[str]]:
        """Return, for each series that a statement selects from, the documents whose rows pass its conditions."""
        return self._sql.documents_behind(statement)

    def explain(self, statement: str) -> str:
        """Return the engine's plan of a statement as text (see `sql` for what it may be)."""
        return self._sql.explain(statement)

    @property
    def _sql(self) -> SqlEngine:
        if self._engine is None:
            from headwater.lake._tables import CatalogTables
            from headwater.sql import SqlEngine

            self._engine = SqlEngine(CatalogTables(self.catalog), read_roots=[self.state / "tables"])
        return self._engine

    def datasets(self, *, prefix: str = "", offset: int = 0, limit: int = 50) -> DatasetListing:
        """List the datasets whose id begins with `prefix`."""
        return list_datasets(self.catalog, prefix=prefix, offset=offset, limit=limit)

    def documents(self, dataset: str, *, offset: int = 0, limit: int = 50) -> DocumentListing:
        """List the documents of a dataset."""
        return list_documents(self.catalog, dataset, offset=offset, limit=limit)

    def inspect(self, document: str) -> Inspection:
        """Return what is in a document: cards, columns, samples, warnings, relations."""
        from headwater.lake._inspect import inspect_document

        return inspect_document(self.catalog, document)

    def read(
        self,
        document: str,
        *,
        page: int | None = None,
        table: str | None = None,
        offset: int = 0,
        limit: int | None = None,
        raw: bool = False,
    ) -> Reading:
        """Return a page, a stretch of text, or rows of a table (see `headwater.lake.Reading`)."""
        return read_document(
            self.catalog, document, page=page, offset=offset, limit=limit, table=table, raw=raw
        )

    def related(self, document: str) -> Related:
        """Return duplicates, series, joinable columns and mentions of a document."""
        from headwater.lake._related import related_to

        return related_to(self.catalog, document)

    def dump(self, *, rows: int | None = None, raw: bool = False) -> Iterator[dict[str, Any]]:
        """Yield everything the catalog holds, one object a document."""
        return dump_documents(self.catalog, rows=rows, raw=raw)
