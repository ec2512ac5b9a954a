"""How a document hangs together with others: copies, series, joins, mentions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from headwater.catalog import Catalog, Names
from headwater.lake._frames import Rows

MAX_JOINS = 30
MAX_MENTIONS = 30
MAX_DUPLICATES = 50
MAX_MEMBERS = 1_000


@dataclass(frozen=True, slots=True)
class Related(Rows):
    """Relations of one document.

    Attributes:
        document: its id.
        duplicates: [{document, kind}]: same bytes, same table in another format, near copies, revisions.
        series: {id, title, members [{document, ref, label}]} or None.
        joins: [{column, document, other_column, match_rate, fan_out, direction}], best first; "to": this document looks
            its values up in the other one, "from": the other one looks them up here.
        mentions: [{document, entities, column}], best first.
        left_out: how many of each are not shown.
    """

    document: str
    duplicates: tuple[dict[str, Any], ...] = ()
    series: dict[str, Any] | None = None
    joins: tuple[dict[str, Any], ...] = ()
    mentions: tuple[dict[str, Any], ...] = ()
    left_out: dict[str, int] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object."""
        return {
            "document": self.document,
            "duplicates": list(self.duplicates),
            "series": self.series,
            "joins": list(self.joins),
            "mentions": list(self.mentions),
            "left_out": self.left_out,
        }

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the relations one a row: relation, document, column, other_column, match_rate, fan_out, detail."""
        empty = dict.fromkeys(("column", "other_column", "match_rate", "fan_out", "detail"))
        rows = [
            {**empty, "relation": "copy", "document": d["document"], "detail": d["kind"]}
            for d in self.duplicates
        ]
        for member in self.series["members"] if self.series else ():
            label = ", ".join(map(str, member["label"].values()))
            rows.append({**empty, "relation": "series", "document": member["document"], "detail": label})
        for join in self.joins:
            kept = {k: join[k] for k in ("document", "column", "other_column", "match_rate", "fan_out")}
            detail = "looks up" if join["direction"] == "to" else "is looked up by"
            rows.append({**empty, "relation": "join", **kept, "detail": detail})
        for mention in self.mentions:
            kept = {"document": mention["document"], "other_column": mention["column"] or None}
            rows.append({**empty, "relation": "mention", **kept, "detail": ", ".join(mention["entities"])})
        order = ("relation", "document", *empty)
        return [{k: row[k] for k in order} for row in rows]


def related_to(catalog: Catalog, name: str) -> Related:
    """Return the relations of a document.

    Raises:
        NotFoundError: there is no such document.
        AmbiguousError: the short name fits several.
    """
    document = Names(catalog).document(name)
    source = document.duplicate_of if document.state == "duplicate" else document.id
    series = catalog.relations.series(document.series) if document.series else None
    members = series["members"] if series else []
    copies = catalog.relations.copies(document.id)
    joins = _one_way(catalog.relations.joins(source))
    mentions = catalog.relations.mentions(source)
    kept = {
        "duplicates": (copies, MAX_DUPLICATES),
        "members": (members, MAX_MEMBERS),
        "joins": (joins, MAX_JOINS),
        "mentions": (mentions, MAX_MENTIONS),
    }
    return Related(
        document.id,
        tuple(copies[:MAX_DUPLICATES]),
        {**{k: series[k] for k in ("id", "title", "kind")}, "members": members[:MAX_MEMBERS]}
        if series
        else None,
        tuple(joins[:MAX_JOINS]),
        tuple(mentions[:MAX_MENTIONS]),
        {k: len(items) - limit for k, (items, limit) in kept.items() if len(items) > limit},
    )


def _one_way(joins: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return joins without those that are the way back of another one: a pair of keys is found from both sides."""
    forth = {_ends(join) for join in joins if join["direction"] == "to"}
    return [join for join in joins if join["direction"] == "to" or _ends(join) not in forth]


def _ends(join: dict[str, Any]) -> tuple[str, ...]:
    return join["table"], join["column"], join["document"], join["other_column"]
