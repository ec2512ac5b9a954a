"""Which table a name in a script means."""

from __future__ import annotations

from headwater.graph.loaders._identifiers import Name

_MAX_QUALIFIERS = 4
_DEFAULT_SCHEMAS = {"dbo", "public", "main"}


class Names:
    """The names of the tables seen so far, found by any usual spelling.

    A name is looked up as written, then without regard to case, then with or without its qualifiers: a short name
    means the only table that ends in it (of the same schema as the statement's own table, if there are several);
    a longer name means a shorter one if the rest is a default schema or the database the script has selected.
    """

    def __init__(self) -> None:
        self._exact: set[str] = set()
        self._folded: dict[tuple[str, ...], list[str]] = {}
        self._tails: dict[tuple[str, ...], list[str]] = {}
        self._database: dict[str, str] = {}
        self._qualifier: dict[str, str] = {}
        self._synonyms: dict[tuple[str, ...], Name] = {}

    def add(self, name: Name, database: str = "") -> str:
        """Note a table and return the name it is known by: the first spelling seen."""
        folded = tuple(p.casefold() for p in name.parts)
        text = name.text
        if text in self._exact:
            return text
        known = self._folded.get(folded)
        if known:
            return known[0]
        self._exact.add(text)
        self._folded.setdefault(folded, []).append(text)
        for i in range(max(1, len(folded) - _MAX_QUALIFIERS), len(folded)):
            self._tails.setdefault(folded[i:], []).append(text)
        if database:
            self._database[text] = database.casefold()
        return text

    def rename(self, old: str, new: Name) -> None:
        """Note that the table `old` is now called `new`; the old name means it until another table takes that name."""
        self._exact.discard(old)
        folded = tuple(p.casefold() for p in old.split("."))
        for index in (self._folded, self._tails):
            for key in [folded[i:] for i in range(len(folded))]:
                if old in index.get(key, []):
                    index[key].remove(old)
        self._synonyms[folded] = new

    def synonym(self, name: Name, target: Name) -> None:
        """Note that `name` is another name of `target`."""
        self._synonyms[tuple(p.casefold() for p in name.parts)] = target

    def defined_elsewhere(self, name: Name, database: str) -> str | None:
        """Return the table of this name that another selected database defines."""
        known = self._folded.get(tuple(p.casefold() for p in name.parts), [])
        other = self._database.get(known[0], "") if known else ""
        return known[0] if other and database and other != database.casefold() else None

    def database_of(self, table: str) -> str:
        """Return the database that was selected where a table was defined, folded, or ""."""
        return self._database.get(table, "")

    def find(self, name: Name, near: str = "", database: str = "") -> str | None:
        """Return the table that `name` means in a statement about table `near` of a selected database, or None."""
        text = name.text
        if text in self._exact:
            return text
        folded = tuple(p.casefold() for p in name.parts)
        same = self._folded.get(folded)
        if same:
            return same[0]
        if folded in self._synonyms:
            target = self._synonyms.pop(folded)
            try:
                return self.find(target, near, database) or target.text
            finally:
                self._synonyms[folded] = target
        longer = self._tails.get(folded, [])
        if len(longer) > 1 and database:
            longer = [t for t in longer if t.split(".")[0].casefold() == database.casefold()] or longer
        if len(longer) > 1:
            schema = near.rsplit(".", 1)[0].casefold() if "." in near else ""
            inside = [t for t in longer if t.rsplit(".", 1)[0].casefold() == schema]
            inside = inside or [t for t in longer if t.split(".")[-2].casefold() in _DEFAULT_SCHEMAS]
            longer = inside if len(inside) == 1 else []
        if longer:
            return longer[0]
        return self._shorter(folded)

    def _shorter(self, folded: tuple[str, ...]) -> str | None:
        for i in range(1, len(folded)):
            for text in self._folded.get(folded[i:], []):
                dropped = folded[:i]
                if len(folded) - i == 1 and dropped[-1] in _DEFAULT_SCHEMAS:
                    return text
                database = self._database.get(text)
                if len(dropped) == 1 and len(folded) - i > 1 or database == dropped[0]:
                    if database is None:
                        # Without a USE the first database named for a table is taken to be its own.
                        database = self._qualifier.setdefault(text, dropped[0])
                    if database == dropped[0]:
                        return text
        return None

    def find_or_add(self, name: Name, near: str = "", database: str = "") -> str:
        """Return the table that `name` means; a name never defined is kept as it stands."""
        return self.find(name, near, database) or self.add(name)
