"""Finding documents: passages, cards, vectors, one index protocol.

Ingest hands in records (`Card`, `Passage`) through `Index.update`; `Index.search` gives a `SearchResult`. `LocalIndex`
is the index of one machine, `LanceIndex` (extra `scale`) the one on object storage. Modules below import tantivy,
numpy and lancedb only when they are used.
"""

from __future__ import annotations

from headwater.search._embedders import (
    Embedder,
    EndpointEmbedder,
    HashedEmbedder,
    StaticEmbedder,
    load_embedder,
)
from headwater.search._index import Index, IndexStats
from headwater.search._lance import LanceIndex
from headwater.search._local import LocalIndex
from headwater.search._plain import PassageHit, best_passages
from headwater.search._records import (
    PASSAGE_OVERLAP,
    PASSAGE_WORDS,
    Card,
    CardColumn,
    Passage,
    Record,
    dataset_card,
    split_passages,
)
from headwater.search._results import (
    LAKEQA_FUSION,
    DatasetHit,
    Filters,
    Hit,
    SearchOptions,
    SearchResult,
)
from headwater.search._sentences import sentence_spans

__all__ = [
    "LAKEQA_FUSION",
    "PASSAGE_OVERLAP",
    "PASSAGE_WORDS",
    "Card",
    "CardColumn",
    "DatasetHit",
    "Embedder",
    "EndpointEmbedder",
    "Filters",
    "HashedEmbedder",
    "Hit",
    "Index",
    "IndexStats",
    "LanceIndex",
    "LocalIndex",
    "Passage",
    "PassageHit",
    "Record",
    "SearchOptions",
    "SearchResult",
    "StaticEmbedder",
    "best_passages",
    "dataset_card",
    "load_embedder",
    "sentence_spans",
    "split_passages",
]
