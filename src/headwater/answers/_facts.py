"""Lookups in trees (JSON, YAML): the one entry whose path of keys holds what is asked, quoted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from headwater.answers._answer import Answer, Evidence
from headwater.answers._words import lexicon, root, stem, words

if TYPE_CHECKING:
    from headwater.lake import Lake
    from headwater.search import Hit

TREES = ("json", "yaml", "geojson")
"""Formats whose text is one line an entry: the keys from the top, joined by slashes, a colon, the value."""

TOPIC = 5
"""Times a word must stand in a document to be what the document is about."""

AHEAD = 2.0
"""How many times as often as in the next document."""

_ENTRY = re.compile(r"^(?P<path>[^:\n]{1,200}?(?: / [^\n]{1,120}?)*): (?P<value>[^\n]{1,200})$", re.M)
_NOTE = re.compile(r"\s*\([^)]*\)$")
_PERCENT = frozenset(map(stem, ("share", "percent", "percentage", "proportion", "part")))


@dataclass(frozen=True, slots=True)
class _Entry:
    document: str
    start: int
    end: int
    line: str
    value: str
    path: frozenset[str]


def best_fact(lake: Lake, question: str, hits: Sequence[Hit]) -> Answer | None:
    """Return an answer that quotes one entry of a tree, or None if none stands out.

    Every word of the question must be one of the entry's path, a percent sign, or what the document is about: a word
    that stands there several times, and much more often than in any other document found.
    """
    light, stop = lexicon().light, lexicon().stop
    asked = {stem(w) for w in words(question) if w not in stop and len(w) > 1 and root(w) not in light}
    texts: dict[str, str] = {}
    for hit in hits:
        document = lake.catalog.document(hit.document)
        if document is not None and document.format in TREES:
            texts[hit.document] = lake.catalog.body(document.content).text or ""
    counts = {name: Counter(stem(w) for w in words(text)) for name, text in texts.items()}
    found: list[tuple[int, int, _Entry]] = []
    for name, text in texts.items():
        others = [counts[n] for n in texts if n != name]
        topic = {
            w
            for w in asked
            if counts[name][w] >= TOPIC and all(counts[name][w] >= AHEAD * o[w] for o in others)
        }
        if not topic:
            continue
        for entry in _entries(name, text):
            unit = asked & _PERCENT if "%" in entry.value else frozenset()
            named = asked & entry.path - topic
            if named and asked <= entry.path | topic | unit:
                found.append((len(named), -len(entry.path), entry))
    found.sort(key=lambda f: f[:2], reverse=True)
    best = [f[2] for f in found if f[:2] == found[0][:2]]
    if len({e.value for e in best}) != 1:
        return None  # nothing, or several entries that say different things
    return _answer(lake, question, best[0])


def _entries(name: str, text: str) -> list[_Entry]:
    return [
        _Entry(name, m.start(), m.end(), m[0], m["value"], frozenset(stem(w) for w in words(m["path"])))
        for m in _ENTRY.finditer(text)
    ]


def _answer(lake: Lake, question: str, entry: _Entry) -> Answer:
    record = lake.catalog.document(entry.document)
    value = _NOTE.sub("", entry.value).strip() or entry.value
    return Answer(
        question, "answered", value, f"{value} ({entry.line})", "the entry whose keys are the words of the question",
        inputs=[{"document": entry.document, "sha256": record.sha256 if record else ""}],
        evidence=[Evidence(entry.document, "sentence", {"start": entry.start, "end": entry.end}, entry.line)],
        verification="quoted",
    )  # fmt: skip
