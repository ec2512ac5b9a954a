"""Questions that name no table: silos, groups and layers, orphans, structure."""

from __future__ import annotations

import re

from headwater.graph import _lexicon as lexicon
from headwater.graph._intents import Context, Query, Unclear
from headwater.graph._mentions import Scope

_NO_TABLE = "No table is named in the question, and it does not read as one about the whole schema."


def parse(c: Context) -> list[Query]:
    """Return the readings of a question about the whole graph."""
    scope, shape = c.scope(), c.shape
    if c.any("CYCLE"):
        return [Query("lineage.cycles", {}, shape="exists" if c.has("BOOLEAN") else "list")]
    if c.has("CUT"):
        return [Query("structure.cut_tables", {}, scope, shape)]
    if c.says(r"\bbridges\b"):
        return [Query("structure.bridges", {}, shape=shape)]
    if c.has("ORPHAN") and not c.says(
        r"\bcomponents?\b|\bsilos?\b|\bhow many (?:\w+ )?(?:islands?|pieces|groups?|clusters?)\b"
    ):
        if c.says(
            r"\b(?:incoming|outgoing|inbound|outbound|upstream|downstream|parents?|children|sources?|targets?|referenc\w+)\b"
        ):
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
    if c.negated:
        raise Unclear("The question is negated and names no table; say it without the negation.")
    if scope:
        return _labelled(c, scope, shape)
    if c.says(
        rf"\bin (?:the |our )?(?!this|our|the\b)\w+ {lexicon.LABEL_NOUNS}\b|\bof (?:the )?(?!this\b|all\b|whole\b)\w+ (?:silo|domain|group)\b"
    ) and not c.has("PIECES"):
        known = ", ".join(c.labels.groups) or "none"
        raise Unclear(f"No group of that name is known. Groups: {known}.")
    if c.has("ROOTS") and c.has("LIST") and not c.has("PIECES"):
        return [Query("lineage.roots", {}, scope, shape)]
    return _counts(c, shape)


def _labelled(c: Context, scope: Scope, shape: str) -> list[Query]:
    busy = c.any("IMPACT", "FK", "CONNECT") or c.says(
        r"\b(?:feeds?|fed|flow\w*|derived|depend\w*|loaded from|populat\w+|upstream|downstream|sources? of|read|reads|built)\b"
    )
    if (
        busy
        or not re.fullmatch(r"(?:the |all |every |my )*(?:(?:[GLSD]\d+|'s|of|in|-|and) ?)+[?.!]?", c.text)
        and not c.says(
            r"\b(?:tables?|layer|members?|views?|files?|silo|domain|group|area|size|marts|contents?|in|of|all|has|have)\b"
        )
    ):
        raise Unclear(_NO_TABLE)
    if scope.groups and len(scope.groups) > 1:
        raise Unclear("Several groups are named; ask about one at a time.")
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
        if shape == "count" or c.says(
            r"\b(?:one|single|\d+) pieces?\b.*\bor\b|\bhow many\b|\bnumber of\b|\binto\b"
        ):
            if (
                c.says(r"\b(?:business|data) (?:domains?|areas?|groups?)\b")
                and c.labels.groups
                and not c.has("PIECES")
            ):
                return [Query("group.count", {}, shape="count")]
            if c.says(r"\btables?\b.*\bin (?:each|every)\b|\bper (?:silo|component)\b"):
                raise Unclear(
                    "The size of every component is a table of its own: `headwater graph silos` lists it."
                )
            groups = (
                [Query("group.count", {}, shape="count")] if c.labels.groups and not c.has("PIECES") else []
            )
            return [components, *groups]
        if c.says(
            r"\b(?:fully|all|entirely|completely|everything|whole|single|one)\b.*\b(?:connected|piece|component)\b"
        ) and c.has("BOOLEAN"):
            return [Query("component.single(fk+lineage)", {}, shape="")]
        raise Unclear("Say which component is meant, through one of its tables or as the largest one.")
    if (
        c.says(r"\b(?:connected|in one piece|hang together)\b")
        and c.has("BOOLEAN")
        and c.says(r"\b(?:everything|whole|entire|all|schema|fully)\b")
    ):
        return [Query("component.single(fk+lineage)", {}, shape="")]
    if c.says(r"\bdomains?\b|\bgroups\b") and shape == "count" and c.labels.groups:
        return [Query("group.count", {}, shape="count")]
    if c.says(
        r"^how many tables (?:are there|do we have|does (?:this|the) schema have|exist|are in (?:this|the) (?:schema|graph|database))(?: in (?:this|the) \w+)? ?\??$"
    ):
        return [Query("schema.size", {}, shape="count")]
    raise Unclear(_NO_TABLE)
