"""Questions that name one table: lineage, impact, silo, neighbours."""

from __future__ import annotations

import re

from headwater.graph import _lexicon as lexicon
from headwater.graph._intents import Context, Query, Unclear, direction, flow_query

_WHICH_WAY = "It is not clear whether the tables that feed {table} are meant or those that it feeds."


def parse(c: Context) -> list[Query]:
    """Return the readings of a question about one table."""
    args = {"table": c.mentions.tables["T1"]}
    if c.has("ORPHAN") and c.has("T_ALONE") and c.has("BOOLEAN"):
        if c.says(r"\bnot (?:an )?(?:orphan|isolated)"):
            raise Unclear("The question is negated; ask whether the table is an orphan.")
        return [Query("node.is_orphan(fk+lineage)", args, shape="")]
    if c.has("BOOLEAN") and c.has("T_LINKED_TO_ANY") and not c.negated:
        return [Query("node.has_link(fk+lineage)", args, shape="")]
    groups = re.findall(r"\bG\d+\b", c.text)
    if (
        len(groups) == 1
        and c.has("BOOLEAN")
        and c.says(r"\bT1 (?:\w+ ){0,4}?(?:in|to|of) (?:the )?G1\b")
        and not c.negated
    ):
        return [Query("group.has_member", {**args, "group": min(c.scope(groups).groups)}, shape="")]
    silo = _silo(c, args)
    if silo:
        return silo
    if c.negated:
        raise Unclear(
            "The question is negated, and the complement of an answer may not be what is meant; ask it without the negation."
        )
    if c.has("T_AND_WORD") and _second_name(c):
        raise Unclear(f"A second table seems to be named ({_second_name(c)!r}), but no table is called so.")
    return _impact(c, args) or _keys(c, args) or _lineage(c, args)


def _second_name(c: Context) -> str:
    match = re.search(r"\bT1\b (and|or|to|->|vs|versus|&|with) (?!T\d|L\d|G\d|S\d)([^\W\d]\w+)", c.text)
    if match is None or match[2] in lexicon.STOP_WORDS or match[2].endswith(("ing", "ly", "ed")):
        return ""
    return (
        ""
        if match[1] in {"and", "to", "with", "or"}
        and re.search(rf"\b{match[2]} (?:T\d|the|a|its|which|what)\b", c.text)
        else match[2]
    )


def _silo(c: Context, args: dict[str, str]) -> list[Query]:
    member_words = c.has("MEMBERS") and c.any("COMPONENT", "CONNECT") and not c.any("IMPACT")
    named = rf"\b(?:which|what) (?:\w+ )?{lexicon.LABEL_NOUNS}\b|\bwhich of (?:the|our|these|all) {lexicon.LABEL_NOUNS}\b|\b{lexicon.LABEL_NOUNS} (?:of|for) T1\b|\bT1 's (?:\w+ )?{lexicon.LABEL_NOUNS} ?(?:\?|$|label|name)|\bT1 (?:\w+ ){{0,4}}(?:which|what) (?:\w+ )?{lexicon.LABEL_NOUNS}|\b(?:the|its) (?:\w+ )?{lexicon.LABEL_NOUNS} (?:that |which )?T1 (?:belong|is|sit|live)|^T1 : (?:which|what) {lexicon.LABEL_NOUNS}"
    component = r"\b(?:which|what) (?:\w+ )?(?:component|island|cluster)\b(?! mates)"
    members = Query("component.members_except_self(fk+lineage)", args, c.scope(), c.shape)
    asks_tables = c.has("ASKS_FOR_MEMBERS") and not c.says(r"\btable T1\b")
    if c.says(named) and not c.has("ASKS_FOR_TABLES_BESIDE_T"):
        if c.says(r"\bhow many\b"):
            raise Unclear("It is not clear what is to be counted.")
        if c.negated:
            raise Unclear("The question is negated; ask it without the negation.")
        if c.labels.groups:
            return [Query("group.label_of", args, shape="")]
        if not c.says(r"\bsilos?\b"):
            raise Unclear(
                "The tables of this graph carry no groups; ask for the silo or the component of a table."
            )
        return [members]
    if c.says(component) and not asks_tables:
        return [members]
    if (
        not member_words
        or (c.any("FK") and c.has("DIRECT"))
        or c.has("NEIGHBOURS")
        and not c.has("COMPONENT")
    ):
        return []
    if c.has("DIFFERENT") and not c.has("SAME"):
        raise Unclear("Tables outside a component are asked for; name the component that is meant instead.")
    component_word = c.has("COMPONENT") and c.has("COMPONENT_NOUN")
    connected = c.has("CONNECTED_WORD") and (c.has("BY_ANY_CHAIN"))
    if not component_word and (not connected or c.edges("fk+lineage") == "lineage"):
        return []
    if c.has("COUNT"):
        whole = Query("component.size(fk+lineage)", args, c.scope(), "")
        return (
            [Query("component.members_except_self(fk+lineage)", args, c.scope(), "count")]
            if c.says(r"\bother\b|\belse\b")
            else [whole]
        )
    edges = c.edges("fk+lineage")
    if edges != "fk+lineage" and connected and not component_word:
        return [Query(f"component.members_except_self({edges})", args, c.scope(), c.shape)]
    if c.has("WHOLE_COMPONENT_OF_T") and not re.search(
        r"\bother\b|\belse\b|\brest\b|\bmates?\b|\bsame\b|\bleave\b|\bwith T1\b|\b(?:besides|except|without|minus|apart from|excluding) (?:for )?T1\b",
        c.mentions.text,
    ):
        return [Query("component.members(fk+lineage)", args, c.scope(), c.shape)]
    return [members]


def _impact(c: Context, args: dict[str, str]) -> list[Query]:
    if not c.has("IMPACT"):
        return []
    scope, shape = c.scope(), c.shape
    way = direction(c, "T1")
    wide = c.any("FK_CHILDREN", "FK_LINKED") or c.says(r"\bfk\b|\bkeys?\b")
    closure = Query("lineage.descendants", args, scope, shape)
    affected = c.has("ASKS_WHO_SUFFERS")
    if way == "up" and c.has("ASKS_ORIGIN"):
        return []  # trouble in the table is the reason to ask where it comes from
    if not affected and way and not (wide and c.has("LINEAGE")):
        return []  # the change is only the setting: "X is getting a new column. Which table is loaded from it?"
    if not affected and not wide and not c.has("ASKS_WHAT_HAPPENS"):
        return []
    if c.has("SOMETHING_AFFECTS_T") and not c.has("T_CHANGES"):
        return _upstream_of_trouble(c, args)
    if way == "up" and c.says(r"\bif any of\b|\bwhat could\b"):
        return _upstream_of_trouble(c, args)
    if c.has("ONLY_LINEAGE"):
        return [closure]
    if c.has("ONLY_FK") and not c.has("LINEAGE"):
        if c.says(r"\bindirect\w*|\btransitive\w*"):
            raise Unclear("Only direct foreign keys are followed for an impact by keys alone.")
        return [Query("fk.children", args, scope, shape)]
    if wide:
        return _widened(c, args)
    if c.has("DIRECT") and not c.has("TRANSITIVE"):
        if c.says(r"\bdownstream\b|\blineage\b|\bderiv\w*|\bload\w*"):
            return [Query("lineage.direct_targets", args, scope, shape)]
        raise Unclear(
            "Say whether tables derived from it directly are meant, or those that reference it by a foreign key."
        )
    if scope.layers or c.any("LINEAGE", "STALE", "TRANSITIVE") or c.says(r"\bflows?\b|\bfeed\w*|\bripple\w*"):
        return [closure]
    return [Query("impact.closure+fk_children(source_expanded)", args, scope, shape)]


def _upstream_of_trouble(c: Context, args: dict[str, str]) -> list[Query]:
    if c.any("FK") and not c.has("LINEAGE"):
        return [Query("fk.parents", args, c.scope(), c.shape)]
    if c.has("HYPOTHETICAL"):
        return [Query("lineage.ancestors", args, c.scope(), c.shape)]
    raise Unclear(_WHICH_WAY.format(table=args["table"]))


def _widened(c: Context, args: dict[str, str]) -> list[Query]:
    """Read an impact over lineage and keys: which key step, and whether the changed table's own keys count."""
    scope, shape = c.scope(), c.shape
    if not c.any("LINEAGE") and c.has("AFFECTED_BY_KEY"):
        return [Query("fk.children", args, scope, shape)]
    if not c.any("LINEAGE", "REACHES_FURTHER") and c.has("KEYS_ALONE") and not c.has("KEYS_TOO"):
        return [Query("fk.children", args, scope, shape)]
    children = Query("impact.closure+fk_children(source_expanded)", args, scope, shape)
    neighbours = Query("impact.closure+fk_neighbours(source_expanded)", args, scope, shape)
    derived_only = Query("impact.closure+fk_children(source_not_expanded)", args, scope, shape)
    if c.has("KEYS_OF_DERIVED_ONLY"):
        return [derived_only]
    if c.any("BOTH_DIRECTIONS", "FK_LINKED"):
        return [neighbours]
    if c.has("FK_CHILDREN"):
        if c.has("KEYS_TO_THOSE") and not c.says(
            r"\b(?:affected|impacted|hit|touched)\b|\bT1 or\b|\bor (?:to |of |on )?T1\b"
        ):
            return [children, derived_only]
        return [children]
    return [children, neighbours]


def _keys(c: Context, args: dict[str, str]) -> list[Query]:
    """Read questions about the keys of one table."""
    scope, shape = c.scope(), c.shape
    if c.says(r"\bprimary\b"):
        return []
    to_it = c.has("KEYS_TO_T")
    from_it = c.has("KEYS_FROM_T")
    keys = c.says(r"\bfk\b|\bkeys?\b|\breferenc\w+|\bjoin\w*")
    if c.any("LINEAGE_EDGES") and not c.has("ONLY_FK") and not c.says(r"\bfk\b"):
        return []
    if c.has("NEIGHBOURS") or (c.has("JOINS_WITH_T") and not c.has("TRANSITIVE")):
        if c.any("TRANSITIVE", "IMPACT") or c.says(r"\bin the same\b"):
            return []
        edges = c.edges("fk+lineage" if c.has("NEIGHBOURS") and not keys else "fk")
        open_ = c.has("NEIGHBOURS") and not c.any("FK", "LINEAGE", "EITHER_KIND")
        found = [Query("neighbours", {**args, "edges": edges}, scope, shape)]
        return [*found, Query("neighbours", {**args, "edges": "fk"}, scope, shape)] if open_ else found
    if not keys and not c.says(r"\bpoint(?:s|ing)? (?:at|to)\b"):
        return []
    if c.has("TRANSITIVE") and not c.says(r"\bback to\b"):
        raise Unclear(
            "Foreign keys are followed one step at a time here; ask for a path, a silo or an impact for longer chains."
        )
    if c.has("INCOMING_KEYS"):
        return [Query("fk.children", args, scope, shape)]
    if c.says(r"\boutgoing\b|\boutbound\b"):
        return [Query("fk.parents", args, scope, shape)]
    if (
        c.has("COUNT")
        and c.says(r"\bhow many (?:\w+ )?fk\b|\bnumber of (?:\w+ )?fk\b")
        and from_it
        and not to_it
    ):
        return [Query("fk.count_declared", args, shape=""), Query("fk.parents", args, scope, "count")]
    if to_it and not (from_it and not c.has("TOWARDS_T")):
        return [Query("fk.children", args, scope, shape)]
    if from_it:
        return [Query("fk.parents", args, scope, shape)]
    if c.has("KEYS_EITHER_WAY"):
        return [Query("neighbours", {**args, "edges": "fk"}, scope, shape)]
    return []


def _lineage(c: Context, args: dict[str, str]) -> list[Query]:
    way = direction(c, "T1")
    if not way and c.says(r"T1 ->(?: \.\.\. ->)?(?: [LG]\d+)?"):
        way = "down"
    if not way and c.says(r"T1 <-"):
        way = "up"
    if not way and c.says(r"[LG]\d+ ->(?: \.\.\. ->)? T1"):
        way = "up"
    if not way and c.says(r"\bdownstream\b") != c.says(r"\bupstream\b"):
        way = "down" if c.says(r"\bdownstream\b") else "up"
    if not way:
        raise Unclear(
            _WHICH_WAY.format(table=args["table"])
            if c.any("LINEAGE", "FAR")
            else "It is not clear what is asked about " + args["table"] + "."
        )
    if c.says(r"\bfk\b") and not c.any("LINEAGE_EDGES", "ONLY_LINEAGE"):
        raise Unclear(
            "The question speaks of foreign keys in the words of a data flow; say which of the two is meant."
        )
    queries = flow_query(c, "T1", way)
    if c.says(r"->|<-"):
        queries = [q for q in queries if "descend" in q.semantics or "ancest" in q.semantics] or queries
    if c.has("ULTIMATE_SOURCES") and way == "up" and not c.scope():
        return [Query("lineage.roots_of", args, shape=c.shape)]
    return queries
