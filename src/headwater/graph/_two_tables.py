"""Questions that name two tables or more: keys between them, paths, silos, data flow, joins."""

from __future__ import annotations

import re

from headwater.graph._direction import flow_between, votes
from headwater.graph._intents import Context, Query, Unclear
from headwater.graph._phrases import KEY_ROLES, TROUBLE, TROUBLE_REVERSED

_SYMMETRIC = r"\bbetween (?:the )?T\d+ and T\d+|\bT\d+ (?:and|&|with|or) T\d+\b|\bshare an? (?:direct )?fk\b|\b(?:linked|connected|related|tied|joined) (?:\w+ ){0,2}?(?:to|with) T\d"
_MORE = "Name exactly two tables; {n} were recognised: {tables}."


def parse(c: Context) -> list[Query]:
    """Return the readings of a question about two or more tables."""
    if len(c.mentions.tables) > 2:
        return _several(c)
    a, b = c.mentions.tables.values()
    if c.has("LINKED_TO_BOTH"):
        raise Unclear(
            "Neighbours of two tables at once are asked for; ask about one table, or for a path between the two."
        )
    polarity = c.has("DIFFERENT")
    if c.negated and not (polarity or c.has("ORPHAN") and polarity):
        raise Unclear("The question is negated; ask it without the negation.")
    for rule in (_many_paths, _hops, _common, _path_list, _direct_key, _flow, _component, _path):
        found = rule(c, a, b)
        if found:
            if c.negated and not found[0].semantics.startswith("component."):
                raise Unclear("The question is negated; ask it without the negation.")
            return found
    if c.has("IMPACT"):
        raise Unclear(
            "Two tables are named; ask for the impact of one table at a time, or whether one affects the other."
        )
    raise Unclear(
        f"It is not clear what is asked about {a} and {b}: a join path, a foreign key, a data flow or their silo?"
    )


def _ends(c: Context, a: str, b: str) -> tuple[str, str]:
    """Return (from, to) as the wording has them."""
    match = re.search(r"\bto (T\d+)\b.*\bfrom (T\d+)\b", c.text)
    if match and match[1] != match[2] and not c.says(r"\bfrom T\d+ to T\d+"):
        return c.mentions.tables[match[2]], c.mentions.tables[match[1]]
    return a, b


def _many_paths(c: Context, a: str, b: str) -> list[Query]:
    if not c.has("ALL_PATHS"):
        return []
    if not c.has("SHORTEST"):
        raise Unclear("Only shortest paths can be listed; ask for all shortest paths.")
    if c.says(r"\bhow many\b|\bnumber of\b"):
        return [
            Query("path.count_shortest", {"source": a, "target": b, "edges": c.edges("fk")}, shape="count")
        ]
    raise Unclear("All shortest paths are a list of lists: use `headwater graph path --all`.")


def _hops(c: Context, a: str, b: str) -> list[Query]:
    if not c.has("HOPS") and not (
        c.has("COUNT", "PATH") and c.says(r"\b(?:joins?|hops?|steps?|edges?|links?)\b")
    ):
        return []
    if c.says(r"\bhow many tables\b"):
        raise Unclear(
            "It is not clear whether the tables between the two or the joins are to be counted; ask for the number of joins."
        )
    if c.has("COUNTS_KEYS") and not c.has("ALONG_A_PATH"):
        raise Unclear(
            "It is not clear whether foreign keys between the two tables or steps on a path are to be counted."
        )
    source, target = _ends(c, a, b)
    args = {"source": source, "target": target}
    edges = c.edges("")
    if edges == "lineage":
        return [Query("path.length_directed", {**args, "edges": "lineage"}, shape="")]
    if edges:
        return [Query("path.length_undirected", {**args, "edges": edges}, shape="")]
    return [
        Query("path.length_undirected", {**args, "edges": kinds}, shape="") for kinds in ("fk+lineage", "fk")
    ]


def _common(c: Context, a: str, b: str) -> list[Query]:
    if (
        not c.has("COMMON")
        or (c.has("BOOLEAN") and not c.has("LIST"))
        or c.any("PATH", "COMPONENT")
        and not c.says(r"\bboth\b|\bcommon\b")
    ):
        return []
    if c.says(r"\bcomponent\b|\bsilo\b|\bjoin\w*\b|\bpath\b"):
        return []
    if c.says(r"\breferenc\w+|\bfk\b|\bkeys?\b"):
        if c.has("REFERENCES_BOTH"):
            return [Query("fk.common_children", {"a": a, "b": b}, c.scope(), c.shape)]
        if c.has("REFERENCED_BY_BOTH"):
            return [Query("fk.common_parents", {"a": a, "b": b}, c.scope(), c.shape)]
        return []
    ways = {way for got in votes(c.text.replace(" both", "")).values() for way in got}
    if not ways and c.has("SOURCE_NOUNS"):
        ways = {"up"}
    elif not ways and c.has("TARGET_NOUNS"):
        ways = {"down"}
    if len(ways) != 1:
        return []
    up = ways == {"up"}
    words = (
        ("lineage.common_ancestors", "lineage.common_sources")
        if up
        else ("lineage.common_descendants", "lineage.common_targets")
    )
    args = {"a": a, "b": b}
    if c.has("DIRECT") and not c.has("TRANSITIVE"):
        order = [words[1]]
    elif c.any("TRANSITIVE", "FAR"):
        order = [words[0]]
    else:
        order = [words[1], words[0]] if not c.scope().layers else ["?" + words[0], words[1]]
    return [Query(s, args, c.scope(), c.shape) for s in order]


def _path_list(c: Context, a: str, b: str) -> list[Query]:
    """Read "which tables lie between", "how do I get from A to B"; yes-no questions are read later."""
    asks = c.has("ASKS_FOR_PATH")
    if not asks or not c.any("PATH", "CONNECT"):
        return []
    if (
        c.says(r"^(?:is|are|does|do|can|could)\b.*\bin the same\b")
        or c.has("COMPONENT")
        and not c.any("JOIN")
        and not c.says(r"\bpath|\broute|\bchain")
    ):
        return []
    if c.says(r"\b(?:number|count|length) of\b") or c.has("IMPACT") and not c.any("JOIN", "PATH"):
        return []
    return _path_query(c, a, b)


def _path(c: Context, a: str, b: str) -> list[Query]:
    if not c.any("PATH") and not c.has("FROM_TO"):
        return []
    if c.says(r"^(?:is|are|does|do|did|can|could|would|will)\b") and not c.any("ASKS_WHAT", "PATH_WH"):
        return [Query(f"component.same({c.edges('fk+lineage')})", {"a": a, "b": b}, shape="")]
    return _path_query(c, a, b)


def _path_query(c: Context, a: str, b: str) -> list[Query]:
    source, target = _ends(c, a, b)
    args = {"source": source, "target": target}
    edges = c.edges("")
    if edges == "lineage":
        return [Query("path.shortest_directed", {**args, "edges": "lineage"}, shape="")]
    if edges:
        return [Query("path.shortest_undirected", {**args, "edges": edges}, shape="")]
    found = [Query("path.shortest_undirected", {**args, "edges": "fk"}, shape="")]
    return [*found, Query("?path.shortest_undirected", {**args, "edges": "fk+lineage"}, shape="")]


def _direct_key(c: Context, a: str, b: str) -> list[Query]:
    if not c.any("REFERENCE") or c.any("COMPONENT") and not c.says(r"\bfk\b|\breferenc"):
        return []
    chained = c.has("ANY_CHAIN") and not c.has("DIRECT") and not c.says(r"\breferenc(?:e|es)\b")
    if c.has("OVER_A_CHAIN") or chained:
        return []
    if not c.has("BOOLEAN") and not c.has("KEY_STATEMENT") or c.has("STARTS_WITH_WH"):
        return []
    if c.has("EITHER_KIND") and not c.has("DIRECT"):
        return []
    if c.has("LINEAGE_EDGES") and not c.says(r"\bfk\b|\breferenc\w+|\bkeys?\b"):
        return []
    found: list[tuple[str, str]] = []
    text = re.sub(r"\b(?:directly|straight|direct|actually|really|itself|explicitly) ", "", c.text)
    for pattern in KEY_ROLES:
        roles = {(match["c"], match["p"]) for match in re.finditer(pattern, text) if match["c"] != match["p"]}
        if roles:
            found = [(c.mentions.tables[child], c.mentions.tables[parent]) for child, parent in sorted(roles)]
            break
    if found and len(set(found)) == 1:
        child, parent = found[0]
        args = {"child": child, "parent": parent}
        columns = [name for code, name in c.mentions.columns if c.mentions.tables[code] == child]
        return [Query("fk.directed_edge", {**args, "column": columns[0]} if columns else args, shape="")]
    if found:
        raise Unclear("The question names the two tables as child and parent in both orders.")
    direct = c.has("DIRECT") or c.has("ONE_KEY")
    if direct and re.search(_SYMMETRIC, text) and c.says(r"\bfk\b|\bkeys?\b|\breferenc"):
        return [Query("fk.edge_either_way", {"a": a, "b": b}, shape="")]
    return []


def _flow(c: Context, a: str, b: str) -> list[Query]:
    """Read whether data of one table reaches the other."""
    if not c.has("BOOLEAN") and not c.has("IMPACT"):
        return []
    if c.any("COMPONENT") and c.has("SAME"):
        return []
    if c.has("LINEAGE_PATH") and not c.says(r"\bfk\b|\bkeys?\b"):
        source, target = _ends(c, a, b)
        return [Query("lineage.reaches", {"source": source, "target": target}, shape="")]
    codes = {name: code for code, name in c.mentions.tables.items()}
    pair = flow_between(re.sub(r"\breach\w*", "", c.text), codes[a], codes[b])
    reach = re.search(r"\b(T\d+) (?:\w+ ){0,3}?reach(?:es)? (T\d+)", c.text)
    if pair is None and reach and c.edges("") == "lineage":
        pair = reach[1], reach[2]
    if pair is None and c.has("IMPACT") and c.has("BOOLEAN"):
        pair = _trouble(c)
    if pair is None:
        return []
    source, target = (c.mentions.tables[code] for code in pair)
    args = {"source": source, "target": target}
    if c.has("DIRECT") and not c.has("TRANSITIVE"):
        return [Query("lineage.directed_edge", args, shape="")]
    flows = [Query("lineage.reaches", args, shape="")]
    depends = c.has("DEPENDS")
    if c.any("FK") and not c.any("LINEAGE_EDGES"):
        if depends:
            return [Query("fk.directed_edge", {"child": target, "parent": source}, shape="")]
        raise Unclear(
            "The question speaks of foreign keys in the words of a data flow; say which of the two is meant."
        )
    if depends and not c.any("LINEAGE_EDGES"):
        return [*flows, Query("impact.reaches", args, shape="")]
    return flows


def _trouble(c: Context) -> tuple[str, str] | None:
    """Read "does a change in A affect B", "if A breaks, does B break" as (A, B)."""
    for pattern in (*TROUBLE, *TROUBLE_REVERSED):
        match = re.search(pattern, c.text)
        if match and match[1] != match[2]:
            swapped = pattern in TROUBLE_REVERSED
            return (match[2], match[1]) if swapped else (match[1], match[2])
    return None


def _component(c: Context, a: str, b: str) -> list[Query]:
    if c.has("STARTS_WITH_WH"):
        return []
    if not c.any("CONNECT", "COMPONENT", "SAME", "DIFFERENT"):
        return []
    if not c.has("BOOLEAN") and not c.says(
        r"\bconnected\b|\bsame\b|\bone\b|\b(?:different|separate)\b|\bconnection\b"
    ):
        return []
    if not c.any("CONNECT", "COMPONENT_NOUN", "APART") and not (c.labels.groups and c.has("GROUP")):
        return []  # "the same database", "different tables"
    if c.says(r"\b(?:is|are) (?:it |they )?not\b.*\bor\b"):
        raise Unclear("Ask either whether they are connected or whether they are not.")
    kinds = c.edges("fk+lineage")
    if c.has("DIRECT") and not c.has("COMPONENT"):
        if kinds == "fk+lineage":
            return [Query("edge.any", {"a": a, "b": b}, shape="")]
        return [Query("fk.edge_either_way", {"a": a, "b": b}, shape="")] if kinds == "fk" else []
    both = c.has("BOTH_POLARITIES")
    different = c.has("DIFFERENT")
    if both:
        first_same = c.text.find("same") if "same" in c.text else c.text.find("connected")
        others = [
            i
            for i in (c.text.find(w) for w in ("different", "separate", "disconnected", "isolated"))
            if i >= 0
        ]
        different = bool(others) and min(others) < first_same
        if c.says(r"\bor\b"):
            raise Unclear("Two opposite things are asked at once; a yes could mean either. Ask one of them.")
    if different and c.negated and c.has("NOT_DIFFERENT"):
        raise Unclear("The question is negated twice; ask it plainly.")
    word = "different" if different else "same"
    if different and c.has("NEGATED_QUESTION"):
        raise Unclear("A yes to a negated question could mean either; ask it plainly.")
    component_word = c.has("COMPONENT") and c.says(r"\b(?:components?|silos?|islands?|clusters?)\b")
    edges = "fk+lineage" if component_word and not c.has("ONLY_FK", "ONLY_LINEAGE") else kinds
    labelled = (
        c.labels.groups and c.says(r"\b(?:silos?|domains?|groups?|areas?)\b") and not c.has("STRUCTURAL_PART")
    )
    found = [Query(f"component.{word}({edges})", {"a": a, "b": b}, shape="")]
    if edges == "fk" and not c.has("NAMES_KEYS"):  # "can they be joined": perhaps loosely meant
        found.append(Query(f"component.{word}(fk+lineage)", {"a": a, "b": b}, shape=""))
    if labelled and edges == "fk+lineage":
        found.append(Query(f"group.{word}", {"a": a, "b": b}, shape=""))
    return found


def _several(c: Context) -> list[Query]:
    names = list(c.mentions.tables.values())
    if c.negated or c.has("IMPACT"):
        raise Unclear(_MORE.format(n=len(names), tables=", ".join(names[:6])))
    if c.any("SAME", "COMPONENT") and c.has("BOOLEAN") and not c.any("JOIN", "DIFFERENT"):
        return [Query("component.all_same(fk+lineage)", {"tables": names}, shape="")]
    if c.has("THROUGH_A_TABLE"):
        raise Unclear("A path through a given table is not a shortest path; ask for the two parts of it.")
    listed = c.has("ENUMERATION")
    if listed and c.any("JOIN", "PATH", "CONNECT") and not c.any("COMMON", "LINEAGE_EDGES", "DIFFERENT"):
        edges = c.edges("fk")
        if c.any("HOPS", "COUNT"):
            return [Query("join_tree.size", {"tables": names, "edges": edges}, shape="")]
        if c.says(r"^(?:are|is|do|does)\b"):
            return [Query(f"component.all_same({c.edges('fk+lineage')})", {"tables": names}, shape="")]
        return [Query("join_tree.tables", {"tables": names, "edges": edges}, shape="")]
    raise Unclear(_MORE.format(n=len(names), tables=", ".join(names[:6])))
