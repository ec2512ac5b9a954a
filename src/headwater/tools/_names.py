"""The shortest names that still fit one thing: what an output writes instead of long paths."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from headwater.errors import NotFoundError

if TYPE_CHECKING:
    from headwater.catalog import Catalog, DocumentRecord

MAX_MATCHES = 60
"""Documents that a pattern with * may stand for."""


@dataclass(slots=True)
class ShortNames:
    """Short names over one state of a catalog; every one is resolved by `headwater.catalog.Names` to the same thing."""

    catalog: Catalog
    _tails: Counter[str] = field(default_factory=Counter)

    def of(self, name: str) -> str:
        """Return the shortest tail ("goals.csv", "files/goals.csv") that only this document or table has."""
        if not self._tails:
            rows = self.catalog.connection.execute("select id from documents")
            for one in {r[0] for r in rows}:
                self._tails.update(_tails(one))
        document, mark, table = name.partition("#")
        if "'" in name:
            return name
        return next((t for t in _tails(document) if self._tails[t] == 1), document) + mark + table


def _tails(path: str) -> list[str]:
    """Return the ends of a path at its slashes, shortest first; a slash after "!" belongs to a member's own name."""
    ends = [i for i, c in enumerate(path.split("!")[0]) if c == "/"]
    return [path[i + 1 :] for i in reversed(ends)] + [path]


def matching(catalog: Catalog, pattern: str) -> list[DocumentRecord]:
    """Return the documents that a name or a pattern with * stands for, by path.

    Raises:
        NotFoundError: none fits.
        AmbiguousError: a short name without * fits several.
    """
    from headwater.catalog import Names, nearest

    if "*" not in pattern:
        return [Names(catalog).document(pattern)]
    ids = [
        r[0]
        for r in catalog.connection.execute("select id from documents where state = 'ingested' order by id")
    ]
    found = [i for i in ids if fnmatchcase(i, pattern) or fnmatchcase(i, f"*/{pattern}")]
    if not found:
        raise NotFoundError(f"No document fits {pattern!r}.", nearest=nearest(pattern.replace("*", " "), ids))
    records = (catalog.document(i) for i in found[:MAX_MATCHES])
    return [r for r in records if r is not None]
