"""From what a user types to one document, table, series or dataset: exactly, or refused with the candidates."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from headwater.catalog._catalog import Catalog
from headwater.catalog._records import DocumentRecord
from headwater.errors import AmbiguousError, NotFoundError

MAX_COMPARED = 500
"""Names whose spelling is compared with a name that fits none."""


def fold(name: str) -> str:
    """Return a name without regard to case, Unicode form and the kind of separator."""
    return re.sub(r"[\W_]+", " ", unicodedata.normalize("NFKC", name).casefold()).strip()


def nearest(name: str, names: Iterable[str], limit: int = 5) -> list[str]:
    """Return the existing names most like `name`: those that hold all its words first, then by spelling."""
    pool = _resembling(name, list(dict.fromkeys(names)))
    words = set(fold(name).split())
    holding = [n for n in pool if words and words <= set(fold(n).split())]
    if len(holding) >= limit:
        return sorted(holding, key=lambda n: (len(n), n))[:limit]
    folded: dict[str, list[str]] = {}
    for n in pool:
        for key in {fold(n), *map(fold, n.rsplit("/", 2)[-2:])}:
            folded.setdefault(key, []).append(n)
    close = difflib.get_close_matches(fold(name), folded, n=limit * 2, cutoff=0.6)
    found = [*sorted(holding, key=lambda n: (len(n), n)), *(n for key in close for n in folded[key])]
    return list(dict.fromkeys(found))[:limit]


def _resembling(name: str, pool: list[str]) -> list[str]:
    """Return the names of a large pool that share most runs of three letters with `name`: spelling is slow to compare."""
    if len(pool) <= MAX_COMPARED:
        return pool
    text = f" {fold(name)} "
    runs = {text[i : i + 3].strip() for i in range(len(text) - 2)}
    shared = {n: sum(run in low for run in runs) for n in pool if (low := n.casefold())}
    return sorted(shared, key=lambda n: (-shared[n], len(n), n))[:MAX_COMPARED]


def _holding(name: str, ids: list[str]) -> list[str]:
    """Return the ids that hold all words of a name as letters in a row: what `fold` can tell equal is among them."""
    if not name.isascii():
        return ids
    words = fold(name).split()
    return [i for i in ids if not i.isascii() or all(map(i.lower().__contains__, words))]


def names_only_table(name: str) -> bool:
    """Tell whether a name ends in "#table 1" or "#1", by which the only table of a document can be told from its text."""
    return name.rpartition("#")[2].casefold() in ("1", "table 1") and "#" in name


@dataclass(slots=True)
class Names:
    """Resolves names over one state of the catalog.

    A name is tried, in this order: the exact id; an id that a moved file used to have; the same without regard to
    case and separators; the tail of exactly one id ("data/rivers.tsv", "rivers.tsv", "rivers"); a file's name with some
    of its folders ("geography/rivers.tsv"); the first words of exactly one file's name ("Seats of government").
    """

    catalog: Catalog

    def document(self, name: str) -> DocumentRecord:
        """Return the document of that name.

        Raises:
            NotFoundError: nothing has that name; `nearest` holds similar ones.
            AmbiguousError: several have it; `nearest` holds them.
        """
        name = name.removeprefix("./")
        exact = self.catalog.document(name) or self._moved(name)
        if exact is not None:
            return exact
        if "#" in name:
            refs = [name, *(r[0] for r in self.catalog.table_refs() if r[0].endswith(f"/{name}"))]
            tables = [table for ref in refs if (table := self.catalog.table(ref))]
            name = tables[0].document if len(tables) == 1 else name
            if names_only_table(name):
                return self.document(name.rsplit("#", 1)[0])
        ids = [r[0] for r in self.catalog.connection.execute("select id from documents order by id")]
        found = self._pick(name, ids, "document")
        document = self.catalog.document(found)
        assert document is not None  # noqa: S101 - ids come from the same table
        return document

    def table_ref(self, name: str) -> str:
        """Return the reference of the table of that name (raises as `document`)."""
        name = name.removeprefix("./")
        if self.catalog.table(name):
            return name
        moved = self._moved(name.split("#")[0])
        refs = [r[0] for r in self.catalog.table_refs()]
        if moved is not None:
            name = moved.id + name[len(name.split("#")[0]) :]
            if name in refs:
                return name
        duplicate = self.catalog.document(name.split("#")[0])
        if duplicate is not None and duplicate.state == "duplicate":
            return self.table_ref(duplicate.duplicate_of + name[len(name.split("#")[0]) :])
        if duplicate is not None:
            own = [r for r in refs if r.startswith(duplicate.id + "#")]
            if own and "#" not in name:
                raise AmbiguousError(
                    f"{name} holds {len(own)} tables.",
                    hint="Name one of them: t('path#name').",
                    nearest=own[:10],
                )
            if not own and duplicate.state != "ingested":
                raise NotFoundError(f"{name} holds no table: {duplicate.state} ({duplicate.reason}).")
        try:
            return self._pick(name, refs, "table")
        except NotFoundError as error:
            return self._table_of(name, error)

    def _table_of(self, name: str, error: NotFoundError) -> str:
        """Return the only table of the document of that name, or say why there is none."""
        try:
            document = self.document(name)
        except (NotFoundError, AmbiguousError):
            raise error from None
        own = [t.ref for t in self.catalog.tables(document.id)]
        if len(own) == 1 and ("#" not in name or names_only_table(name)):
            return own[0]
        if own and "#" not in name:
            raise AmbiguousError(
                f"{name} holds {len(own)} tables.", hint="Name one of them: t('path#name').", nearest=own[:10]
            )
        why = f": {document.state} ({document.reason})" if document.state != "ingested" else ""
        if own:
            raise error
        raise NotFoundError(f"{name} holds no table{why}.")

    def dataset(self, name: str) -> str:
        """Return the id of the dataset of that name (raises as `document`)."""
        name = name.strip("/")
        ids = [
            r[0] for r in self.catalog.connection.execute("select distinct dataset from documents order by 1")
        ]
        return name if name in ids else self._pick(name, ids, "dataset")

    def _moved(self, name: str) -> DocumentRecord | None:
        row = self.catalog.connection.execute("select new from aliases where old = ?", [name]).fetchone()
        return self.catalog.document(row[0]) if row else None

    def _pick(self, name: str, ids: list[str], kind: str) -> str:
        folded, plain = fold(name), name.strip("/")
        tests: list[Callable[[str], bool]] = [
            lambda i: i.endswith(("/" + plain, "!" + plain)),
            lambda i: fold(i) == folded,
            lambda i: _stem(i) == plain,
            lambda i: fold(_stem(i)) == folded or fold(_tail(i)) == folded,
            lambda i: "#" in i and i.rsplit("#", 1)[-1] == plain,
            lambda i: "/" in plain and _leads_to(plain, i),
            lambda i: "/" in plain and _leads_to(plain.casefold(), i.casefold()),
            lambda i: " " in plain and _tail(i).startswith(plain) and not _tail(i)[len(plain)].isalnum(),
        ]
        possible = _holding(name, ids)
        for test in tests if folded else []:
            found = [i for i in possible if test(i)]
            if len(found) == 1:
                return found[0]
            if found:
                raise AmbiguousError(
                    f"{name!r} fits {len(found)} {kind}s.",
                    hint="Use the longer name of one of them.",
                    nearest=found[:10],
                )
        near = nearest(name, ids)
        known = "headwater list shows what there is." if ids else f"There is no {kind} in this lake yet."
        hint = "Nearest: " + ", ".join(near) if near else known
        raise NotFoundError(f"There is no {kind} {name!r}.", hint=hint, nearest=near)


def _tail(identifier: str) -> str:
    return re.split(r"[/!]", identifier)[-1]


def _stem(identifier: str) -> str:
    tail = _tail(identifier).split("#")[0]
    return tail.split(".")[0] if not tail.startswith(".") else tail


def _leads_to(name: str, identifier: str) -> bool:
    """Tell whether a name is a file (or its stem) after some of its folders, in their order."""
    *folders, file = name.split("/")
    above = iter(re.split(r"[/!]", identifier)[:-1])
    return file in (_tail(identifier), _stem(identifier)) and all(f in above for f in folders)
