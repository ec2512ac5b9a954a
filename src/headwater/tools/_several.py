"""Several results of one call, and what looking for words in documents gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headwater.errors import HeadwaterError
from headwater.tools._names import matching
from headwater.tools._passages import Passage, best_passages, occurrences, words_of

if TYPE_CHECKING:
    from headwater.lake import Lake

MAX_ALSO = 8
"""Further queries, statements or documents of one call."""


@dataclass(frozen=True, slots=True)
class Several:
    """Results of one tool for several inputs; one that fails does not spoil the others.

    Attributes:
        asked: the inputs.
        results: for each its result, or the error.
    """

    asked: tuple[str, ...]
    results: tuple[Any, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return {"results": [{"asked", "ok", …}]}."""
        listed = []
        for asked, result in zip(self.asked, self.results, strict=True):
            good = not isinstance(result, HeadwaterError)
            body = result.to_dict()
            listed.append({"asked": asked, "ok": good, **(body if good else {"error": body})})
        return {"results": listed}


def each(call: Callable[[str], Any], first: str, also: Sequence[str] | None) -> Any:
    """Call with one input and return its result, or with several and return `Several`.

    Raises:
        UsageError: too many inputs.
        HeadwaterError: of the call, where there is one input, or where every one fails.
    """
    from headwater.errors import UsageError

    if not also:
        return call(first)
    if len(also) >= MAX_ALSO:
        raise UsageError(f"At most {MAX_ALSO} at once, not {len(also) + 1}.")
    results: list[Any] = []
    for one in (first, *also):
        try:
            results.append(call(one))
        except HeadwaterError as error:
            results.append(error)
    if all(isinstance(r, HeadwaterError) for r in results):
        raise results[0]
    return Several((first, *also), tuple(results))


@dataclass(frozen=True, slots=True)
class FoundIn:
    """Where words stand in one document.

    Attributes:
        document: its id.
        whole: how often the words stand there, together, as whole words.
        parts: how often they stand there, parts of longer words included.
        passages: the sentences that fit best.
        length: characters of the document.
    """

    document: str
    whole: int
    parts: int
    passages: tuple[Passage, ...]
    length: int


@dataclass(frozen=True, slots=True)
class Findings:
    """Where words stand in several documents."""

    find: str
    documents: tuple[FoundIn, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object."""
        listed = [
            {
                "document": d.document,
                "whole_words": d.whole,
                "in_all": d.parts,
                "length": d.length,
                "passages": [{"start": p.start, "end": p.end, "text": p.text} for p in d.passages],
            }
            for d in self.documents
        ]
        return {"find": self.find, "kind": "find", "documents": listed}


def find_in(lake: Lake, names: Sequence[str], find: str) -> Findings:
    """Look for words in documents.

    Args:
        lake: an opened lake.
        names: documents, or patterns with *.
        find: words; counted as they stand, and looked for in any order for the best sentences.

    Raises:
        NotFoundError: no document fits, or one holds no text.
        UsageError: nothing to find.
    """
    from headwater.errors import NotFoundError, UsageError

    if not words_of(find):
        raise UsageError("There is no telling word to find.")
    records = list({r.id: r for name in names for r in matching(lake.catalog, name)}.values())
    found = []
    for record in records:
        source = lake.catalog.document(record.duplicate_of) if record.duplicate_of else record
        text = (lake.catalog.body(source.content).text if source and source.content else None) or ""
        if not text:
            if len(records) == 1:
                raise NotFoundError(
                    f"{record.id} holds no running text.", hint="It is a table: query it with sql."
                )
            continue
        whole, parts = occurrences(text, find)
        passages = best_passages(text, find, 2 if len(records) > 3 else 4, 320)
        found.append(FoundIn(record.id, whole, parts, tuple(passages), len(text)))
    return Findings(find, tuple(found))
