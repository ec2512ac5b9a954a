"""LakeQA's retriever: windows of every document's text, found by BM25, or by BM25 and vectors fused (section 5).

What the paper does not say is settled here and stated with every result (`settings`): the first words of a text are
taken; the text of a table is its header and rows; a hit is a document with its best window; the rank constant is 60;
vectors come from whatever embedder is set and are scanned exactly.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

from headwater.tools import LAKEQA_TOOLS, LakeQaSession, Registry

if TYPE_CHECKING:
    from headwater.lake import Lake
    from headwater.search import LocalIndex, Passage

WORDS = 10_000
"""Words taken of a document."""

HITS, MOST_HITS = 10, 50
"""Documents that the tool returns if the model does not say how many, and at most."""

TOOL = "retrieve"


def settings(mode: str, embedder: str) -> dict[str, Any]:
    """Return the choices that results of a retriever depend on."""
    from headwater.search import LAKEQA_FUSION
    from headwater.search import PASSAGE_OVERLAP as OVERLAP
    from headwater.search import PASSAGE_WORDS as WINDOW

    told = {
        "mode": mode, "words": WORDS, "taken": "first words", "window": WINDOW, "overlap": OVERLAP, "hit": "document",
        "hits": HITS, "words_index": "tantivy BM25, English stems, stop words left out of queries",
    }  # fmt: skip
    if mode == "hybrid":
        weight, constant = LAKEQA_FUSION
        told |= {
            "embedder": embedder,
            "vector_weight": weight,
            "rank_constant": constant,
            "vectors": "exact scan",
        }
    return told


class Retriever:
    """The index of windows, made once for the documents that a lake shows.

    Args:
        lake: an opened lake, or a part of one.
        folder: where the index is kept.
        told: `settings`.
    """

    def __init__(self, lake: Lake, folder: Path, told: Mapping[str, Any]) -> None:
        from headwater.search import LocalIndex, load_embedder

        self._told = dict(told)
        embedder = load_embedder(str(told["embedder"])) if told["mode"] == "hybrid" else None
        key = json.dumps([self._told, lake.catalog.generation, getattr(lake, "digest", "")], sort_keys=True)
        place = folder / f"windows-{hashlib.sha256(key.encode()).hexdigest()[:16]}"
        if not place.exists():
            draft = place.with_name(f"{place.name}.{uuid.uuid4().hex}.part")
            draft.mkdir(parents=True)
            with LocalIndex(draft, write=True, embedder=embedder) as index:
                index.update(1, windows(lake))
                index.optimize()
            try:
                os.rename(draft, place)
            except OSError:  # another thread or process was first
                if not place.exists():
                    raise
                shutil.rmtree(draft, ignore_errors=True)
        self._index: LocalIndex = LocalIndex(place, embedder=embedder)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._index.close()

    def find(self, query: str, k: int) -> list[dict[str, Any]]:
        """Return the k best documents: dataset, document, title, text.

        Raises:
            UsageError: the query holds no word.
        """
        from headwater.search import LAKEQA_FUSION, best_passages

        hits = best_passages(self._index, query, k, mode=self._told["mode"], fusion=LAKEQA_FUSION)
        return [
            {"dataset": h.dataset, "document": h.document, "title": h.title, "text": h.snippet} for h in hits
        ]


def windows(lake: Lake) -> Iterator[Passage]:
    """Yield the windows of all documents; members of an archive count as text of the archive."""
    from headwater.search import Passage, split_passages

    parents = {d.id: d.parent for d in lake.catalog.documents()}
    numbers: dict[str, int] = {}
    for record in lake.catalog.documents():
        if record.state != "ingested":
            continue
        root = record.id
        while parents.get(root):
            root = parents[root]
        for start, text in split_passages(text_of(lake, record.id)):
            number = numbers[root] = numbers.get(root, -1) + 1
            yield Passage(
                dataset=record.dataset, document=root, number=number, text=text, start=start, title=record.title,
                kind="table" if record.kind == "table" else "text", format=record.format,
            )  # fmt: skip


def text_of(lake: Lake, document: str) -> str:
    """Return the first `WORDS` words of an ingested document: its text, or its tables as header and rows."""
    record = lake.catalog.document(document)
    text = lake.catalog.body(record.content).text if record else None
    return " ".join(text.split(maxsplit=WORDS)[:WORDS] if text else islice(_words(lake, document), WORDS))


def _words(lake: Lake, document: str) -> Iterator[str]:
    """Yield the words of the tables of a document, header first."""
    for table in lake.catalog.tables(document):
        reading = lake.read(table.ref, limit=max(1, WORDS // len(table.columns)), raw=True)
        yield from (word for name in reading.columns for word in name.split())
        for _, _, cells in reading.rows:
            yield from (word for cell in cells if cell is not None for word in str(cell).split())


@dataclass
class RetrieverSession(LakeQaSession):
    """An episode that has the retriever too."""

    retriever: Retriever | None = None


@dataclass(frozen=True, slots=True)
class Retrieved:
    """Documents that were found, best first."""

    results: list[dict[str, Any]]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object."""
        return {"results": self.results, "count": len(self.results)}


def tools_with_retriever() -> Registry:
    """Return LakeQA's tools and one more, `retrieve(query, k)`."""
    registry = Registry()
    for tool in LAKEQA_TOOLS:
        registry.include(tool)
    registry.add(TOOL, "Retrieve documents", needs="lakeqa")(retrieve)
    return registry


def retrieve(
    session: RetrieverSession,
    *,
    query: Annotated[str, "what the text of the document is about, in words"],
    k: Annotated[int, "documents at most"] = HITS,
) -> Retrieved:
    """Find documents by their text, best first: dataset_id and file_path as the other tools want them, with a fitting place."""
    from headwater.errors import SetupError

    if session.retriever is None:
        raise SetupError("This episode has no retriever.")
    found = session.retriever.find(query, min(max(k, 1), MOST_HITS))
    listed = [
        {
            "dataset_id": hit["dataset"].rsplit("/", 1)[-1],
            "file_path": hit["document"].removeprefix(f"{hit['dataset']}/"),
            "title": hit["title"],
            "text": hit["text"],
        }
        for hit in found
    ]
    session.retrieved |= {hit["dataset_id"] for hit in listed}
    return Retrieved(listed)
