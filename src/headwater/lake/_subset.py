"""A part of a lake, seen as a lake of its own: same files and tables, a catalog that shows only some documents."""

from __future__ import annotations

import hashlib
import os
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.catalog import Catalog
from headwater.lake._lake import Lake

if TYPE_CHECKING:
    from headwater.search import LocalIndex


class Subset(Lake):
    """Some documents of a lake, opened for reading. Nothing is copied; only its search index is its own.

    Args:
        lake: the whole lake.
        documents: ids of the documents; members come with their archive, the original with its exact copy.
        folder: where the index is kept, made when it is first needed and used again for the same documents.
    """

    def __init__(self, lake: Lake, documents: Iterable[str], folder: Path) -> None:
        super().__init__(lake.url, lake.state)
        self._chosen = sorted(set(documents))
        digest = hashlib.sha256("\n".join(self._chosen).encode("utf-8", "surrogatepass")).hexdigest()
        self.digest = digest[:16]
        self._folder = folder

    @property
    def catalog(self) -> Catalog:
        """The catalog, opened for reading, with nothing but the chosen documents."""
        if self._catalog is None:
            self._catalog = Catalog(self.state)
            self._catalog.restrict(self._chosen)
        return self._catalog

    @property
    def index(self) -> LocalIndex:
        """The search index of the chosen documents."""
        if self._index is None:
            from headwater.search import LocalIndex, load_embedder

            place = self._folder / f"index-{self.digest}-{self.catalog.generation}"
            if not place.exists():
                _build(self.catalog, place)
            self._index = LocalIndex(place, embedder=load_embedder())
        return self._index


def _build(catalog: Catalog, place: Path) -> None:
    """Make the index beside its place and move it there whole; whoever comes second is content with the first one's."""
    import shutil

    from headwater.ingest import roll_forward
    from headwater.search import LocalIndex, load_embedder

    draft = place.with_name(f"{place.name}.{uuid.uuid4().hex}.part")
    draft.mkdir(parents=True)
    with LocalIndex(draft, write=True, embedder=load_embedder()) as index:
        roll_forward(catalog, index, lambda _done, _total: None)
        index.optimize()
    try:
        os.rename(draft, place)
    except OSError:
        if not place.exists():
            raise
        shutil.rmtree(draft, ignore_errors=True)
