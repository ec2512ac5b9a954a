"""The shortest names that still fit one thing: what an output writes instead of long paths."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from headwater.errors import HeadwaterError, NotFoundError
from headwater.tools._quoting import line_of

if TYPE_CHECKING:
    from headwater.catalog import Catalog, DocumentRecord


LONG_NAME, SHORTEST = 40, 16
"""Characters beyond which a file's name is told by its first words, and those that these have at least."""

_SAYS_NOTHING = frozenset({"content", "readme", "index", "data", "metadata", "table"})
"""Names of files that are told with their folder, even if no other file has them."""

_T = re.compile(r"\bt\(\s*'((?:[^']|'')+)'\s*\)", re.IGNORECASE)


@dataclass(slots=True)
class ShortNames:
    """Short names over one state of a catalog; every one is resolved by `headwater.catalog.Names` to the same thing."""

    catalog: Catalog
    _files: dict[str, list[str]] = field(default_factory=dict)
    _sorted: list[str] = field(default_factory=list)

    def of(self, name: str) -> str:
        """Return the shortest name that only this document or table has, as it is told.

        That is the first words of a long file name ("Seats of government"), or the end of the path
        ("rivers.tsv", "data/rivers.tsv").
        """
        return line_of(name if "'" in name else self._shortest(name))

    def _shortest(self, name: str) -> str:
        if not self._files:
            for (one,) in self.catalog.connection.execute("select id from documents"):
                self._files.setdefault(_tails(one)[0], []).append(one)
        document, mark, table = name.partition("#")
        tails = _tails(document)
        alike = self._files.get(tails[0], [])
        if (
            len(alike) == 1
            and len(tails[0]) > LONG_NAME
            and not mark
            and (short := self._beginning(tails[0]))
        ):
            return short
        rest = [a for a in alike if a != document]
        tails = tails[1:] if tails[0].split(".")[0].lower() in _SAYS_NOTHING and len(tails) > 1 else tails
        return (
            next((t for t in tails if not any(a == t or a.endswith(f"/{t}") for a in rest)), document)
            + mark
            + table
        )

    def _beginning(self, file: str) -> str:
        """Return the first words of a file's name that begin no other's, or ""."""
        self._sorted = self._sorted or sorted(self._files)
        place = bisect_left(self._sorted, file)
        beside = [*self._sorted[max(0, place - 1) : place], *self._sorted[place + 1 : place + 2]]
        for end in (i for i, c in enumerate(file) if c == " "):
            start = file[:end].rstrip(" (-,;&–")
            whole = start.count("(") == start.count(")") and start[-1:].isalnum()
            if (
                len(start) >= SHORTEST
                and " " in start
                and whole
                and not any(b.startswith(start) for b in beside)
            ):
                return start
        return ""


def full_names(statement: str, catalog: Catalog) -> str:
    """Return a statement with the whole name of every table in it, so that it means the same in a larger lake."""
    from headwater.catalog import Names

    def whole(found: re.Match[str]) -> str:
        name = found[1].replace("''", "'")
        try:
            full = name if name.startswith("series:") else Names(catalog).table_ref(name)
        except HeadwaterError:
            full = name
        return "t('" + full.replace("'", "''") + "')"

    return _T.sub(whole, statement)


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
    records = (catalog.document(i) for i in found)
    return [r for r in records if r is not None]


def left_out(catalog: Catalog, patterns: Sequence[str], found: Sequence[DocumentRecord]) -> list[str]:
    """Return the few texts that patterns of one dataset's files leave out, perhaps by mistake.

    They have the same ending as those found and are no more than these; else the pattern is meant to choose.
    """
    telling = [p for p in patterns if "*" in p and not p.rsplit("/", 1)[-1].startswith("*.")]
    datasets, endings = {r.dataset for r in found}, {r.id.rsplit(".", 1)[-1] for r in found}
    if not telling or len(datasets) != 1 or len(endings) != 1:
        return []
    ids, ending = {r.id for r in found}, f".{endings.pop()}"
    others = [
        d.id
        for d in catalog.documents(dataset=datasets.pop())
        if d.id not in ids
        and d.kind == "text"
        and d.role == "data"
        and d.state == "ingested"
        and d.id.endswith(ending)
    ]
    return others if len(others) <= len(ids) else []
