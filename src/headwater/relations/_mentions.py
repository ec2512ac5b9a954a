"""Text pages linked to the tables and texts that mention them: a page's title found in cells and in other texts."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headwater.relations._entities import entity_key
from headwater.relations._sketch import TableSketch, TextSketch

if TYPE_CHECKING:
    import numpy as np

_GENERIC = frozenset(
    {
        "data",
        "dataset",
        "datasets",
        "read me",
        "readme",
        "codebook",
        "code book",
        "data dictionary",
        "description",
        "overview",
    }
    | {
        "introduction",
        "contents",
        "table contents",
        "table",
        "index",
        "about",
        "note",
        "notes",
        "source",
        "sources",
        "home",
    }
    | {
        "summary",
        "abstract",
        "preface",
        "appendix",
        "references",
        "license",
        "changelog",
        "untitled",
        "main page",
        "report",
    }
)
"""Keys of titles that are parts of documents rather than names of things."""

MAX_PER_PAGE = 40
"""Documents kept that mention one page."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A document that mentions the subject of a page.

    Attributes:
        page: document of the page.
        page_dataset: its dataset.
        title: of the page.
        document: that mentions it.
        dataset: of that document.
        column: where it stands in a table, "" for a text.
        weight: 0 to 1: how sure the name is (`title_keys`) times how rare it is among the documents.
    """

    page: str
    page_dataset: str
    title: str
    document: str
    dataset: str
    column: str
    weight: float

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON object."""
        return {name: getattr(self, name) for name in Mention.__dataclass_fields__}


def find_mentions(
    pages: Sequence[TextSketch],
    tables: Sequence[TableSketch],
    texts: Sequence[TextSketch],
    *,
    limit: int = MAX_PER_PAGE,
) -> list[Mention]:
    """Return which tables and texts mention which pages, page by page, best first.

    To add to what is known, call it with new pages against all tables and texts, and with old pages against the new
    tables and texts; the weights then rest on the documents of that call.

    Args:
        pages: whose titles are looked for, as far as the title is the name of what the page is about: the page speaks of
            it at once, or its file or folder is named after it. Titles that many documents bear ("Codebook") are not.
        tables: in whose cells.
        texts: in which other texts.
        limit: documents kept for one page.
    """
    import numpy as np

    pages = [page for page in pages if _is_subject(page)]
    keys = sorted({key for page in pages for key in page.titles})
    if not keys:
        return []
    wanted = np.array(keys, dtype=np.uint64)
    places = _places(wanted, tables, texts)
    documents = max(len(tables) + len(texts), 1)
    out: list[Mention] = []
    for page in pages:
        found: dict[tuple[str, str], Mention] = {}
        for key, weight in page.titles.items():
            where = places.get(key, [])
            rarity = math.log(1 + documents / (1 + len({d for d, _, _ in where}))) / math.log(1 + documents)
            for document, dataset, column in where:
                if document == page.document:
                    continue
                strength = round(weight * rarity * (1.0 if column else 0.6), 4)
                mention = Mention(
                    page.document, page.dataset, page.title, document, dataset, column, strength
                )
                old = found.get((document, column))
                if old is None or old.weight < strength:
                    found[document, column] = mention
        best = sorted(found.values(), key=lambda m: (-m.weight, m.document, m.column))
        out += _one_per_document(best)[:limit]
    return out


def _is_subject(page: TextSketch) -> bool:
    title = entity_key(page.title)
    if title in _GENERIC:
        return False
    stem = re.sub(r"\.\w{1,8}$", "", page.document.rsplit("/", 1)[-1])
    names = {
        entity_key(name.replace("_", " ").replace("-", " "))
        for name in (stem, page.dataset.rsplit("/", 1)[-1])
    }
    return page.subject or entity_key(page.title.replace("-", " ")) in names


def _one_per_document(mentions: list[Mention]) -> list[Mention]:
    seen: set[str] = set()
    return [m for m in mentions if not (m.document in seen or seen.add(m.document))]  # type: ignore[func-returns-value]


def _places(
    wanted: np.ndarray[Any, Any], tables: Sequence[TableSketch], texts: Sequence[TextSketch]
) -> dict[int, list[tuple[str, str, str]]]:
    """Return key → (document, dataset, column) of every place that holds it."""
    import numpy as np

    out: dict[int, list[tuple[str, str, str]]] = {}

    def look(hashes: np.ndarray[Any, Any], document: str, dataset: str, column: str) -> None:
        if not len(hashes):
            return
        few, many = (hashes, wanted) if len(hashes) < len(wanted) else (wanted, hashes)
        at = np.minimum(np.searchsorted(many, few), len(many) - 1)
        for key in few[many[at] == few].tolist():
            out.setdefault(key, []).append((document, dataset, column))

    for table in tables:
        for column in (*table.columns, *table.joined):
            look(column.entities, table.document, table.dataset, column.name)
    for text in texts:
        look(text.phrases, text.document, text.dataset, "")
    return out
