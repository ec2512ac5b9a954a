"""What the tables of a graph are labelled with, and restrictions by such labels."""

from __future__ import annotations

import re
import weakref
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from headwater.graph import _lexicon as lexicon
from headwater.graph._names import split_words

if TYPE_CHECKING:
    from headwater.graph._model import GraphTable, SchemaGraph

NAME = r"[^\W\d][\w$#]*"
"""A plain identifier."""

LONGEST_PHRASE = 7
"""Names of more words are not looked for in plain words."""

_PLAIN = re.compile(rf"{NAME}(?:\.{NAME})*")
_MOST_ODD_NAMES = 5_000


@dataclass(frozen=True)
class Scope:
    """A restriction of the tables asked for. Empty parts do not restrict; the parts that are there must all hold."""

    layers: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()
    prefixes: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.layers or self.groups or self.prefixes or self.roles or self.kinds)


class Labels:
    """What the tables of a graph are labelled with: layers, groups, databases and schemas, roles."""

    def __init__(self, graph: SchemaGraph) -> None:
        self.tables = graph.tables
        self.stated = any(t.layer for t in graph.tables.values())
        self.layers = sorted({layer for t in graph.tables.values() if (layer := self.layer(t))})
        self.groups = sorted({t.group for t in graph.tables.values() if t.group})
        self.qualifiers: dict[str, set[str]] = defaultdict(set)
        last_parts = (split_words(name.rsplit(".", 1)[-1]) for name in graph.tables)
        self.roles = {parts[0] for parts in last_parts if len(parts) > 1} & set(lexicon.ROLE_WORDS.values())
        for name in graph.tables:
            parts = name.split(".")
            for end in range(1, len(parts)):
                prefix = ".".join(parts[:end])
                self.qualifiers[parts[end - 1].lower()].add(prefix + ".")
                self.qualifiers[prefix.lower()].add(prefix + ".")
        self.layer_words = {layer.lower(): layer for layer in self.layers}
        for words in lexicon.LAYERS.values():
            present = [layer for layer in self.layers if layer.lower() in words]
            if present:
                for word in words:
                    self.layer_words.setdefault(word, present[0])

    def layer(self, table: GraphTable) -> str | None:
        """Return the stated layer of a table, or the one its name implies in a graph that states none."""
        if self.stated or table.layer:
            return table.layer
        words = split_words(table.name.rsplit(".", 1)[-1])
        first = [*split_words(table.name.split(".", 1)[0])[:1], *words[:1]]
        return next(
            (lexicon.LAYER_PREFIXES[w] for w in first if w in lexicon.LAYER_PREFIXES and len(words) > 1), None
        )

    def passes(self, name: str, scope: Scope) -> bool:
        """Tell whether a table lies in a scope."""
        table = self.tables[name]
        words = split_words(name.rsplit(".", 1)[-1])
        return (
            (not scope.layers or self.layer(table) in scope.layers)
            and (not scope.groups or table.group in scope.groups)
            and (not scope.prefixes or name.startswith(tuple(scope.prefixes)))
            and (not scope.roles or (bool(words) and words[0] in scope.roles))
            and (not scope.kinds or table.kind in scope.kinds)
        )

    @cached_property
    def odd_names(self) -> re.Pattern[str] | None:
        """A pattern for the names that are not plain identifiers (with blanks, hyphens …), longest first; None without any."""
        odd = sorted((name for name in self.tables if not _PLAIN.fullmatch(name)), key=len, reverse=True)
        if not odd:
            return None
        return re.compile(
            "|".join(rf"(?<![\w.]){re.escape(name)}(?![\w])" for name in odd[:_MOST_ODD_NAMES]), re.I
        )

    @cached_property
    def phrases(self) -> dict[tuple[str, ...], list[str]]:
        """Names of two words and more by their words in any order, for tables described in plain words."""
        found: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for name in sorted(self.tables):
            words = split_words(name.rsplit(".", 1)[-1])
            if 2 <= len(words) <= LONGEST_PHRASE:
                found[tuple(sorted(map(stem, words)))].append(name)
        return found


_CACHE: weakref.WeakKeyDictionary[SchemaGraph, tuple[int, Labels]] = weakref.WeakKeyDictionary()


def labels_of(graph: SchemaGraph) -> Labels:
    """Return the labels of a graph, rebuilt only if the graph has changed since."""
    cached = _CACHE.get(graph)
    if cached is None or cached[0] != graph.version:
        cached = graph.version, Labels(graph)
        _CACHE[graph] = cached
    return cached[1]


def stem(word: str) -> str:
    """Bring a word into singular, and into the short form that names use for it."""
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith("s") and not word.endswith("ss") and len(word) > 3:
        word = word[:-1]
    return lexicon.WORD_FORMS.get(word, word)
