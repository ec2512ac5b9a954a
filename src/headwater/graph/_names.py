"""Table names as people write them: exact, unqualified, in another case, misspelt."""

from __future__ import annotations

import re
import weakref
from collections import defaultdict
from typing import TYPE_CHECKING

from headwater.errors import AmbiguousError, NotFoundError

if TYPE_CHECKING:
    from headwater.graph._model import SchemaGraph

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_A-Za-z]+")
_NEAREST = 5
_MOST_COMPARED = 20_000
"""Beyond so many tables only names that share a beginning are compared for "did you mean"."""


def split_words(name: str) -> list[str]:
    """Split an identifier into lower-case words at dots, underscores, blanks and changes of case."""
    return [word.lower() for word in _WORD.findall(name)]


class Names:
    """Looks tables up by any spelling that leaves no doubt.

    An exact name wins over a name in another case, which wins over a name without its leading qualifiers
    (`DimCustomer` or `dbo.DimCustomer` for `DW.dbo.DimCustomer`).
    """

    def __init__(self, graph: SchemaGraph) -> None:
        self.tables = graph.tables
        self.lower: dict[str, list[str]] = defaultdict(list)
        self.suffix: dict[str, list[str]] = defaultdict(list)
        for name in sorted(graph.tables):
            folded = name.lower()
            self.lower[folded].append(name)
            parts = folded.split(".")
            for start in range(1, len(parts)):
                self.suffix[".".join(parts[start:])].append(name)

    def candidates(self, text: str) -> list[str]:
        """Return every table the text may name, from the first of the three ways that finds any."""
        if text in self.tables:
            return [text]
        folded = text.lower()
        return self.lower.get(folded) or self.suffix.get(folded) or []

    def resolve(self, text: str) -> str:
        """Return the one table that `text` names.

        Raises:
            NotFoundError: no table is called so; `nearest` has names close to it.
            AmbiguousError: several are; `nearest` lists them.
        """
        found = self.candidates(text.strip())
        if len(found) == 1:
            return found[0]
        if found:
            listed = found[:_NEAREST]
            raise AmbiguousError(
                f"{text!r} names {len(found)} tables: {', '.join(listed)}{' …' if len(found) > len(listed) else ''}.",
                hint="Write the qualified name.",
                nearest=listed,
            )
        near = self.nearest(text)
        hint = (
            f"Did you mean {' or '.join(near[:3])}?"
            if near
            else "List the tables with `headwater graph show`."
        )
        raise NotFoundError(f"There is no table called {text!r}.", hint=hint, nearest=near)

    def nearest(self, text: str, most: int = _NEAREST) -> list[str]:
        """Return existing names close to `text`, best first."""
        from difflib import SequenceMatcher

        wanted = text.lower().rsplit(".", 1)[-1]
        pool = sorted(self.tables)
        if len(pool) > _MOST_COMPARED:
            pool = [name for name in pool if name.lower().rsplit(".", 1)[-1][:2] == wanted[:2]]
        matcher = SequenceMatcher(b=wanted, autojunk=False)
        scored = []
        for name in pool[:_MOST_COMPARED]:
            matcher.set_seq1(name.lower().rsplit(".", 1)[-1])
            if matcher.real_quick_ratio() >= 0.6 and matcher.quick_ratio() >= 0.6:
                ratio = matcher.ratio()
                if ratio >= 0.6:
                    scored.append((-ratio, name))
        return [name for _, name in sorted(scored)[:most]]


_CACHE: weakref.WeakKeyDictionary[SchemaGraph, tuple[int, Names]] = weakref.WeakKeyDictionary()


def names_of(graph: SchemaGraph) -> Names:
    """Return the name lookup of a graph, rebuilt only if the graph has changed since."""
    cached = _CACHE.get(graph)
    if cached is None or cached[0] != graph.version:
        cached = graph.version, Names(graph)
        _CACHE[graph] = cached
    return cached[1]
