"""Relations and scopes: what the fields of a query's result come from, and what a query can see."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

# (physical table, column); the column is "" where a value flows but it is not known from which column.
ColumnRef = tuple[str, str]

# Words that look like columns and are none.
PSEUDO_COLUMNS = {
    "rownum", "rowid", "level", "sysdate", "systimestamp", "user", "current_date", "current_timestamp", "current_user",
    "nextval", "currval", "ctid", "oid", "sequence", "default", "metadata$action", "metadata$isupdate",
    "_partitiontime", "_partitiondate", "_table_suffix", "_template_",
}  # fmt: skip


@dataclass(slots=True)
class Field:
    """An output column of a relation and the physical columns its value comes from."""

    name: str
    refs: tuple[ColumnRef, ...] = ()


@dataclass(slots=True)
class Relation:
    """The result of a query.

    Attributes:
        fields: known output columns in order.
        tables: every physical table read for it, in order of appearance.
        open: physical tables whose columns are unknown and all flow on through a star.
        unresolved: physical tables of which something read could not be resolved.
    """

    fields: list[Field] = field(default_factory=list)
    tables: dict[str, None] = field(default_factory=dict)
    open: tuple[str, ...] = ()
    unresolved: set[str] = field(default_factory=set)

    def find(self, name: str) -> Field | None:
        """Return the field of this name."""
        folded = name.casefold()
        return next((f for f in self.fields if f.name.casefold() == folded), None)

    def absorb(self, other: Relation) -> None:
        """Take over what `other` reads."""
        self.tables.update(other.tables)
        self.unresolved |= other.unresolved

    def refs(self) -> tuple[ColumnRef, ...]:
        """Return all physical columns of all fields."""
        return union(*(f.refs for f in self.fields), tuple((t, "") for t in self.open))

    def renamed(self, names: list[str]) -> Relation:
        """Return the relation with its first fields renamed."""
        if not names or self.open:
            return self
        fields = [Field(names[i] if i < len(names) else f.name, f.refs) for i, f in enumerate(self.fields)]
        return Relation(fields, dict(self.tables), self.open, set(self.unresolved))


def union(*parts: Iterable[ColumnRef]) -> tuple[ColumnRef, ...]:
    """Return the references of all parts, each once, in order."""
    return tuple(dict.fromkeys(ref for part in parts for ref in part))


@dataclass(slots=True)
class Scope:
    """What a query can see: its sources by alias, the names of common table expressions, and the scope around it."""

    sources: dict[str, Relation] = field(default_factory=dict)
    ctes: dict[str, Relation] = field(default_factory=dict)
    outer: Scope | None = None
    merged: dict[str, tuple[ColumnRef, ...]] = field(default_factory=dict)
    qualified: dict[str, str] = field(default_factory=dict)
    reads: Relation = field(default_factory=Relation)
    aliases: dict[str, tuple[ColumnRef, ...]] = field(default_factory=dict)
    windows: dict[str, Any] = field(default_factory=dict)


def combined(left: Relation, right: Relation, by_name: bool) -> Relation:
    """Return the union of two relations, their columns matched by position or by name."""
    out = Relation(
        [Field(f.name, f.refs) for f in left.fields], dict(left.tables), left.open, set(left.unresolved)
    )
    out.absorb(right)
    if by_name or left.open or right.open:
        for other in right.fields:
            mine = out.find(other.name)
            if mine is None:
                out.fields.append(Field(other.name, other.refs))
            else:
                mine.refs = union(mine.refs, other.refs)
    else:
        for mine, other in zip(out.fields, right.fields, strict=False):
            mine.refs = union(mine.refs, other.refs)
    out.open = tuple(dict.fromkeys(left.open + right.open))
    return out
