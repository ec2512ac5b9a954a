"""Questions that name no table: silos, groups and layers, orphans, structure."""

from __future__ import annotations

import re

from headwater.graph import _lexicon as lexicon
from headwater.graph._intents import Context, Query, Unclear
from headwater.graph._labels import Scope

_NO_TABLE = "No table is named in the question, and it does not read as one about the whole schema."


def parse(c: Context) -> list[Query]:
    """Return the readings of a question about the whole graph."""
    scope, shape = c.scope(), c.shape
    if c.any("CYCLE"):
        return [Query("lineage.cycles", {}, shape=shape)]
    if c.has("CUT"):
        return [Query("structure.cut_tables", {}, scope, shape)]
    if c.says(r"\bbridges\b"):
        return [Query("structure.bridges", {}, shape=shape)]
    if c.has("ORPHAN") and not c.has("COUNTS_PARTS"):
        if c.has("ONE_SIDED_LINKS"):
            raise Unclear(
                "Tables without links of one direction are not what an orphan is; ask for orphans or about one table."
            )
        return [Query(f"nodes.without_any_link({c.edges('fk+lineage')})", {}, scope, shape)]
    if c.has("LARGEST") and c.any("COMPONENT", "CONNECT"):
        if c.says(r"\bsecond\b|\bsmallest\b"):
            raise Unclear(
                "Only the largest component can be asked for by size; `headwater graph silos` lists all of them."
            )
        return [
            Query(
                "component.largest_members(fk+lineage)",
                {"largest": True},
                scope,
                "count" if shape == "count" else "list",
            )
        ]
    if c.has("ROOTS") and c.has("LIST") and not c.has("PIECES"):
        return [Query("lineage.roots", {}, scope, shape)]
    if c.negated:
        raise Unclear("The question is negated and names no table; say it without the negation.")
    if scope:
        return _labelled(c, scope, shape)
    if not c.has("PIECES"):
        _refuse_unknown_group(c)
    return _counts(c, shape)


def _refuse_unknown_group(c: Context) -> None:
    """Abstain where a group is named that the graph does not know, rather than answer without it."""
    if c.says(
        rf"\bin (?:the |our )?(?!this|our|the\b)\w+ {lexicon.LABEL_NOUNS}\b|\bof (?:the )?(?!this\b|all\b|whole\b)\w+ (?:silo|domain|group)\b"
    ):
        known = ", ".join(c.labels.groups) or "none"
        raise Unclear(f"No group of that name is known. Groups: {known}.")


def _labelled(c: Context, scope: Scope, shape: str) -> list[Query]:
    busy = c.any("IMPACT", "FK", "CONNECT") or c.has("FLOW_WORDS")
    if (
        busy
        or not re.fullmatch(r"(?:the |all |every |my )*(?:(?:[GLSD]\d+|'s|of|in|-|and) ?)+[?.!]?", c.text)
        and not c.has("LABELLED_THINGS")
    ):
        raise Unclear(_NO_TABLE)
    if scope.groups and len(scope.groups) > 1:
        raise Unclear("Several groups are named; ask about one at a time.")
    if not scope.groups:
        _refuse_unknown_group(c)
    words = "size" if shape == "count" else "members"
    if scope.groups and scope.layers:
        return [
            Query(
                f"group.layer_{words}", {"layer": min(scope.layers), "group": min(scope.groups)}, scope, shape
            )
        ]
    if scope.groups:
        return [Query(f"group.{words}", {"group": min(scope.groups)}, scope, shape)]
    return [Query(f"layer.{words}", {"what": "tables"}, scope, shape)]


def _counts(c: Context, shape: str) -> list[Query]:
    components = Query("component.count(fk+lineage)", {"what": "components"}, shape="count")
    if c.has("PIECES") or c.has("COMPONENT"):
        if shape == "count" or c.has("ASKS_HOW_MANY_PARTS"):
            if (
                c.says(r"\b(?:business|data) (?:domains?|areas?|groups?)\b")
                and c.labels.groups
                and not c.has("PIECES")
            ):
                return [Query("group.count", {}, shape="count")]
            if c.has("PER_PART"):
                raise Unclear(
                    "The size of every component is a table of its own: `headwater graph silos` lists it."
                )
            groups = (
                [Query("group.count", {}, shape="count")] if c.labels.groups and not c.has("PIECES") else []
            )
            return [components, *groups]
        if c.has("ASKS_IF_WHOLE") and c.has("BOOLEAN"):
            return [Query("component.single(fk+lineage)", {}, shape="")]
        raise Unclear("Say which component is meant, through one of its tables or as the largest one.")
    if c.says(r"\b(?:connected|in one piece|hang together)\b") and c.has("BOOLEAN") and c.has("WHOLE_SCHEMA"):
        return [Query("component.single(fk+lineage)", {}, shape="")]
    if c.says(r"\bdomains?\b|\bgroups\b") and shape == "count" and c.labels.groups:
        return [Query("group.count", {}, shape="count")]
    if c.has("ASKS_SCHEMA_SIZE"):
        return [Query("schema.size", {}, shape="count")]
    raise Unclear(_NO_TABLE)
