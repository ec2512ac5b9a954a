"""Where a text was asked for that no row holds: the values that come near it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from headwater.sql._rewrite import Frame
from headwater.sql._scope import Projection, column_text, leaves, owner
from headwater.sql._tables import quote_text
from headwater.sql._tree import Tree, conjuncts, text_constant

MAX_PREDICATES = 5
MAX_VALUES = 200_000
NEAR = 0.85
"""Jaro-Winkler similarity from which a value counts as near."""

FOLD = "regexp_replace(strip_accents(lower({})), '[^\\p{{L}}\\p{{N}}]+', '', 'g')"


@dataclass(frozen=True, slots=True)
class Wanted:
    """A text that an expression over one table is asked to equal."""

    projection: Projection
    value: str

    @property
    def column(self) -> str:
        """The expression as text."""
        return column_text(self.projection.expressions[0])

    def nearest_sql(self, source: str) -> str:
        """Return the query for the values nearest to the wanted one, itself first if it exists.

        Its rows are (value, rows that have it, 1 if it is the wanted value). It looks at `MAX_VALUES` values at most.
        """
        wanted = quote_text(self.value)
        return (
            f"with v as (select cast(k0 as varchar) as v, count(*) as n from ({source}) where k0 is not null "
            f"group by all limit {MAX_VALUES}), "
            f"f as (select v, n, {FOLD.format('v')} as f, {FOLD.format(wanted)} as w from v), "
            "s as (select v, n, case when f = w then 3 when w <> '' and f <> '' and (contains(f, w) or contains(w, f)) "
            "then 1 + least(length(f), length(w)) / greatest(length(f), length(w)) "
            f"else jaro_winkler_similarity(f, w) end as score from f) "
            f"select v, n, cast(v = {wanted} as integer) from s where score >= {NEAR} "
            f"order by v = {wanted} desc, score desc, n desc limit 5"
        )


def find_wanted(frames: Sequence[Frame]) -> list[Wanted]:
    """Return the texts that the statement asks for by `=` or IN, at most `MAX_PREDICATES`."""
    found: list[Wanted] = []
    for frame in frames:
        sources = leaves(frame.node.get("from_table"), frame)
        for part in conjuncts(frame.node.get("where_clause")):
            for expression, value in _equalities(part):
                leaf = owner(expression, sources)
                if leaf is not None:
                    found.append(Wanted(Projection(leaf, (expression,), tuple(frame.ctes)), value))
    return found[:MAX_PREDICATES]


def _equalities(part: Tree) -> Iterator[tuple[Tree, str]]:
    if part.get("type") == "COMPARE_EQUAL":
        for one, other in ((part["left"], part["right"]), (part["right"], part["left"])):
            if (value := text_constant(other)) is not None:
                yield one, value
    elif part.get("type") == "COMPARE_IN":
        expression, *options = part.get("children", [])
        for option in options:
            if (value := text_constant(option)) is not None:
                yield expression, value


def describe_missing(wanted: Wanted, rows: Sequence[Sequence[Any]]) -> dict[str, Any] | None:
    """Return the diagnostic of a value from the rows of `nearest_sql`, None if the value exists."""
    if rows and rows[0][2] == 1:
        return None
    near = [str(row[0]) for row in rows]
    listed = ", ".join(f"{value!r} ({int(row[1]):,} rows)" for value, row in zip(near, rows, strict=True))
    return {
        "kind": "value",
        "level": "warning",
        "message": f"No row of {wanted.projection.leaf.label} has {wanted.column} = {wanted.value!r}; "
        + (f"near values: {listed}" if near else "no value comes near it"),
        "column": wanted.column,
        "value": wanted.value,
        "nearest": near,
    }
