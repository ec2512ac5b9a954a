"""The protocol that every index follows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from headwater.search._records import Record
from headwater.search._results import SearchOptions, SearchResult


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexStats:
    """What an index holds.

    Attributes:
        generation: of the last complete commit.
        datasets, documents, passages: numbers of each.
        bytes: size on disk, 0 where unknown.
        pending: a commit was cut off; the next writer completes it.
        embedder, card_embedder: ids of the models behind the vectors, or "".
    """

    generation: int
    datasets: int
    documents: int
    passages: int
    bytes: int = 0
    pending: bool = False
    embedder: str = ""
    card_embedder: str = ""


class Index(Protocol):
    """Cards and passages, found by their words and by their meaning.

    One process writes, any number reads; a reader sees complete commits only. The generation is the caller's: the
    catalog commits first and passes its own generation to `update`, so that `generation` says how far the index has
    come. Where it is behind, what the catalog changed since is passed to `update` again; where it is ahead, or 0, the
    index is built anew.
    """

    @property
    def generation(self) -> int:
        """Generation of the last complete commit, 0 for a new index."""
        ...

    def update(
        self,
        generation: int,
        add: Iterable[Record] = (),
        *,
        remove: Iterable[str] = (),
        remove_datasets: Iterable[str] = (),
    ) -> None:
        """Take records in and out, in one commit: all of it or nothing.

        A document or dataset card that is added replaces what the index held of it, so all records of a document
        belong in one call. Records are consumed one by one; a generator keeps memory low.

        Args:
            generation: what `generation` is afterwards.
            add: records, those of a document in any order.
            remove: ids of documents; unknown ones are ignored.
            remove_datasets: ids of datasets whose own cards go; their documents are removed by `remove`.
        """
        ...

    def search(self, text: str, options: SearchOptions | None = None) -> SearchResult:
        """Search for documents and datasets.

        Raises:
            UsageError: the text holds nothing to search for.
        """
        ...

    def optimize(self) -> None:
        """Bring the index into its fastest form; after a large ingest."""
        ...

    def stats(self) -> IndexStats:
        """Return what the index holds."""
        ...

    def documents(self) -> list[str]:
        """Return the ids of all documents in the index, sorted."""
        ...

    def close(self) -> None:
        """Finish background work and close the files."""
        ...
