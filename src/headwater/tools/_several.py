"""Several results of one call, and what looking for words in documents gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from headwater.errors import HeadwaterError
from headwater.tools._names import left_out, matching
from headwater.tools._passages import Passage, best_passages, missing_words, occurrences, words_of

if TYPE_CHECKING:
    from headwater.catalog import DocumentRecord
    from headwater.lake import Lake

MAX_ALSO = 8
"""Further queries, statements or documents of one call."""

MAX_SEARCHED = 2_000
"""Documents of a pattern that are looked through for words."""

FEW_SEARCHED = 60
"""Documents up to which each that was looked through is named, whether it holds a word or not."""


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
        missing: those of the words that stand nowhere in it, in no form.
    """

    document: str
    whole: int
    parts: int
    passages: tuple[Passage, ...]
    length: int
    missing: tuple[str, ...] = ()

    @property
    def words(self) -> int:
        """How many of the words its best sentence holds."""
        return max((p.words for p in self.passages), default=0)


@dataclass(frozen=True, slots=True)
class Findings:
    """Where words stand in several documents.

    Attributes:
        find: the words.
        documents: what was looked through, those of a pattern for many documents only if they hold a word.
        without: how many more were looked through and hold none.
        unread: how many fit the names and were not looked through, being too many.
        apart: texts of the same dataset and kind of file that a pattern leaves out.
        failed: names that fit no document or one without text, and why.
    """

    find: str
    documents: tuple[FoundIn, ...]
    without: int = 0
    unread: int = 0
    apart: tuple[str, ...] = ()
    failed: tuple[tuple[str, str], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object."""
        listed = [
            {
                "document": d.document,
                "whole_words": d.whole,
                "in_all": d.parts,
                "length": d.length,
                "missing": list(d.missing),
                "passages": [{"start": p.start, "end": p.end, "text": p.text} for p in d.passages],
            }
            for d in self.documents
        ]
        return {
            "find": self.find, "kind": "find", "documents": listed, "without": self.without, "unread": self.unread,
            "apart": list(self.apart), "failed": [{"name": n, "reason": r} for n, r in self.failed],
        }  # fmt: skip


def find_in(lake: Lake, names: Sequence[str], find: str | Sequence[str]) -> Any:
    """Look for words in documents.

    Args:
        lake: an opened lake.
        names: documents, or patterns with *.
        find: words; counted as they stand, and looked for in any order for the best sentences. Several are looked
            for one after the other, each in every document.

    Returns:
        `Findings`, or `Several` of them.

    Raises:
        NotFoundError: no document fits, or the only one holds no text.
        UsageError: nothing to find.
    """
    from headwater.errors import NotFoundError, UsageError

    asked = [find] if isinstance(find, str) else list(find)
    if not asked or not all(words_of(f) for f in asked):
        raise UsageError("There is no telling word to find.")
    records, failed = _documents(lake, names)
    texts: dict[str, str] = {}
    for record in records[:MAX_SEARCHED]:
        source = lake.catalog.document(record.duplicate_of) if record.duplicate_of else record
        text = lake.catalog.body(source.content).text if source and source.content else None
        if text:
            texts[record.id] = text
        elif record.id in names or len(records) <= len(names):
            failed.append((record.id, "no running text: query it with sql, where column ilike '%word%'"))
    if not texts:
        listed = "; ".join(f"{name}: {why}" for name, why in failed[:3]) or "None of them"
        raise NotFoundError(f"There is no text to look through. {listed}.")
    apart, unread = tuple(left_out(lake.catalog, names, records)), max(0, len(records) - MAX_SEARCHED)
    return each(
        lambda f: replace(_found(texts, f), unread=unread, apart=apart, failed=tuple(failed)),
        asked[0],
        asked[1:],
    )


def _documents(lake: Lake, names: Sequence[str]) -> tuple[list[DocumentRecord], list[tuple[str, str]]]:
    """Return the documents of several names, each once, and the names that fit none or too many, with the reason.

    Raises:
        NotFoundError: the only name fits none.
        AmbiguousError: the only name fits several.
    """
    found: dict[str, DocumentRecord] = {}
    failed: list[tuple[str, str]] = []
    for name in names:
        try:
            found.update((r.id, r) for r in matching(lake.catalog, name))
        except HeadwaterError as error:
            if len(names) == 1:
                raise
            near = ", ".join(error.nearest[:3])
            failed.append(
                (
                    name,
                    ("fits several" if error.kind == "ambiguous" else "not found")
                    + (f"; nearest: {near}" if near else ""),
                )
            )
    return list(found.values()), failed


def _found(texts: dict[str, str], find: str) -> Findings:
    limit, width = (3, 260) if len(texts) == 1 else (2, 260) if len(texts) < 4 else (1, 200)
    found = []
    for document, text in texts.items():
        whole, parts = occurrences(text, find)
        passages = tuple(best_passages(text, find, limit, width))
        if parts or passages or len(texts) <= FEW_SEARCHED:
            missing = tuple(missing_words(text, find)) if passages else ()
            found.append(FoundIn(document, whole, parts, passages, len(text), missing))
    return Findings(find, tuple(found), len(texts) - len(found))
