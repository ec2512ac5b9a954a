"""Which embedder makes which vectors of an index, and the vectors of the records that one commit takes in."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from headwater.errors import SetupError
from headwater.search._embedders import Embedder, load_embedder, normalised
from headwater.search._fields import embedding_texts, part_of
from headwater.search._records import Record

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Role = Literal["texts", "cards"]
Space = Literal["texts", "datasets", "cards"]

ROLES: Mapping[Space, Role] = {"texts": "texts", "datasets": "texts", "cards": "cards"}
"""Vector spaces and whose they are: `texts` has the documents' cards and the passages, `datasets` the datasets' own
cards, both by the embedder; `cards` has the datasets' cards by the card embedder."""

BATCH = 512
"""Texts that are embedded at once."""


class Models:
    """The two embedders of an index, loaded when first needed and held to what built the index.

    Args:
        settings: an embedder, a setting of `load_embedder`, or None, for each role.
        recall: returns what the index noted under a key, "" for nothing.
        note: notes something under a key; None for an index that is open for reading.
        where: the index, for messages.
        offline: nothing may be fetched.
    """

    def __init__(
        self,
        settings: Mapping[Role, Embedder | str | None],
        recall: Callable[[str], str],
        note: Callable[[str, str], None] | None,
        *,
        where: str,
        offline: bool = False,
    ) -> None:
        self._settings = settings
        self._recall = recall
        self._note = note
        self._where = where
        self._offline = offline
        self._loaded: dict[Role, Embedder | None] = {}

    def known(self, role: Role) -> dict[str, Any] | None:
        """Return id and dim of the embedder that built the index, or None."""
        found: dict[str, Any] | None = json.loads(self._recall(f"embedder:{role}") or "null")
        return found

    def forget(self) -> None:
        """Load and compare again; after a commit that failed."""
        self._loaded = {}

    def is_set(self, role: Role) -> bool:
        """Return whether an embedder is set for a role."""
        return self._settings[role] not in (None, "none")

    def check(self) -> None:
        """Refuse to write vectors of none where the index holds some: they would cover a part of it.

        Raises:
            SetupError: no embedder is set for a role whose vectors the index holds.
        """
        for role, setting in self._settings.items():
            if setting in (None, "none") and self.known(role):
                self.get(role)

    def get(self, role: Role) -> Embedder | None:
        """Return the embedder of a role, None if none is set.

        Raises:
            SetupError: it is not the one that built the index, or it cannot be had.
        """
        if role not in self._loaded:
            setting = self._settings[role]
            loaded = load_embedder(setting, offline=self._offline) if isinstance(setting, str) else setting
            known = self.known(role)
            here = {"id": loaded.id, "dim": loaded.dim} if loaded else None
            if known is None and here and self._note:
                self._note(f"embedder:{role}", json.dumps(here))
            elif known != here and (here or self._note):
                raise SetupError(
                    f"The index holds vectors of {_named(known)}; the embedder set is {_named(here)}.",
                    where=self._where,
                    hint="Set the same embedder again, or build the index anew with `headwater ingest --rebuild`.",
                )
            self._loaded[role] = loaded
        return self._loaded[role]


def _named(known: dict[str, Any] | None) -> str:
    return f"{known['id']} with {known['dim']} dimensions" if known else "none"


@dataclass(slots=True)
class Rows:
    """Vectors of one space: which documents and records they stand for, and the vectors (rows, dim)."""

    docs: NDArray[np.int64]
    rids: NDArray[np.int64]
    vectors: NDArray[np.float32]
    coarse_dim: int


@dataclass(slots=True)
class _Waiting:
    """Texts that wait to be embedded: for each record its document, its number and how many texts it has."""

    records: list[tuple[int, int, int]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)


class VectorBatch:
    """Collects the vectors of the records of one commit.

    A dataset's card has several texts; its vector is the direction of their sum, which ranks better than the best of
    them (docs/search.md).
    """

    def __init__(self, models: Models) -> None:
        self._models = models
        self._waiting: dict[Space, _Waiting] = {space: _Waiting() for space in ROLES}
        self._done: dict[Space, list[Rows]] = {space: [] for space in ROLES}

    def add(self, doc: int, rid: int, record: Record) -> None:
        """Take a record in."""
        spaces: tuple[Space, ...] = ("datasets", "cards") if part_of(record) == "datasets" else ("texts",)
        for space in spaces:
            if self._models.is_set(ROLES[space]):
                texts = embedding_texts(record)
                waiting = self._waiting[space]
                waiting.records.append((doc, rid, len(texts)))
                waiting.texts += texts
                if len(waiting.texts) >= BATCH:
                    self._embed(space)

    def finish(self) -> dict[Space, Rows]:
        """Return all vectors; texts without a word that the embedder knows have none."""
        import numpy as np

        found: dict[Space, Rows] = {}
        for space, done in self._done.items():
            self._embed(space)
            if done:
                rows = Rows(
                    np.concatenate([r.docs for r in done]),
                    np.concatenate([r.rids for r in done]),
                    np.concatenate([r.vectors for r in done]),
                    done[0].coarse_dim,
                )
                known = rows.vectors.any(axis=1)
                if known.any():
                    found[space] = Rows(
                        rows.docs[known], rows.rids[known], rows.vectors[known], rows.coarse_dim
                    )
        return found

    def _embed(self, space: Space) -> None:
        import numpy as np

        waiting = self._waiting[space]
        embedder = self._models.get(ROLES[space]) if waiting.texts else None
        if embedder is None:
            return
        vectors = embedder.embed_passages(waiting.texts)
        counts = np.array([n for *_, n in waiting.records])
        starts = np.cumsum(counts) - counts
        some = counts > 0
        summed = np.add.reduceat(vectors, starts[some], axis=0)
        docs, rids = (np.array([r[i] for r in waiting.records], np.int64)[some] for i in (0, 1))
        self._done[space].append(Rows(docs, rids, normalised(summed), embedder.coarse_dim))
        self._waiting[space] = _Waiting()
