"""Questions about single rows, and about data reaching from table to table where row lineage is loaded."""

from __future__ import annotations

import re

from headwater.graph._direction import flow_between, votes
from headwater.graph._intents import Context, Query, Unclear, direction
from headwater.graph._labels import Scope

_FLOW = r"\b(?:flow\w*|propagat\w+|reach\w*|feeds?|fed|end(?:s|ed)? up|contribut\w+|go(?:es)? into|land\w*|arriv\w+|mak\w+ (?:its|their) way|com(?:e|es) from|deriv\w*|depend\w*|originat\w*|trace\w*|find\w* (?:its|their) way|leak\w*|contain\w*|includ\w*|cross\w*|pass\w*|travel\w*|influenc\w+|enter\w*|draw\w*|pull\w*|use\w*|consum\w+|get\w* (?:data|rows)|receiv\w+|load\w*|source[ds]?)\b"


_INWARD = re.compile(
    r"com(?:e|es) from|deriv\w*|depend\w*|originat\w*|trace\w*|draw\w*|pull\w*|use\w*|consum\w+|get\w*.*|receiv\w+|load\w*|"
    r"source[ds]?|fed|contain\w*|includ\w*"
)
"""Of these verbs the subject is the target of the data."""


def applies(c: Context) -> bool:
    """Tell whether a question without a row number is one about data moving."""
    groups = [code for code in re.findall(r"\b[GLS]\d+\b", c.text) if code[0] in "GS"]
    if not c.mentions.tables:
        return (
            len(set(groups)) >= 1
            and c.has("BOOLEAN")
            and c.says(_FLOW)
            and len(re.findall(r"\b[GLS]\d+\b", c.text)) >= 2
        )
    if c.says(r"\bfk\b|\bkeys?\b|\bjoin\w*|\breferenc\w+") or c.any("COMPONENT"):
        return False
    if len(c.mentions.tables) == 2:
        return (c.has("BOOLEAN") and c.says(_FLOW)) or (
            c.has("COMMON") and bool(_flow_words(c)) and not c.has("BOOLEAN")
        )
    return False


def _flow_words(c: Context) -> bool:
    return c.says(_FLOW) or c.has("ROW_SOURCE_NOUNS")


def parse(c: Context) -> list[Query]:
    """Return the readings of a question about rows."""
    if c.negated:
        raise Unclear("The question is negated; ask it without the negation.")
    rows = re.findall(r"(T\d+) (R\d+)", c.text)
    if len(re.findall(r"\bR\d+\b", c.text)) != len(rows):
        raise Unclear("A row is named without its table.")
    if len(set(rows)) == 1:
        return _one_row(c, *rows[0])
    if len(set(rows)) > 1:
        return _two_rows(c, sorted(set(rows), key=rows.index))
    if not c.mentions.tables:
        return _groups(c)
    return _two_tables(c)


def _one_row(c: Context, code: str, row_code: str) -> list[Query]:
    table, row = c.mentions.tables[code], c.mentions.rows[row_code]
    args = {"table": table, "row": row}
    others = [name for name in c.mentions.tables.values() if name != table]
    if others:
        return _row_and_table(c, code, args, others)
    way = direction(c, code) or direction(_without_rows(c), code)
    trouble = c.has("ROW_TROUBLE")
    if trouble and not (way == "up" and not c.says(r"\bif\b|\bdelet|\bremov|\baffect|\blose")):
        way = "down"
    if not way and c.has("ROW_DOWN"):
        way = "down"
    if not way and c.has("ROW_UP"):
        way = "up"
    if not way:
        raise Unclear(
            f"It is not clear whether what row {row} of {table} was made from is meant, or what was made from it."
        )
    if c.has("ROW_WENT_INTO_T") and not trouble:
        way = "up"
    return _row_sets(c, args, way)


def _without_rows(c: Context) -> Context:
    mentions = c.mentions
    plain = type(mentions)(re.sub(r" R\d+\b", "", mentions.text), mentions.tables, {}, mentions.scopes)
    return Context(plain, c.labels, c.has_rows)


def _row_sets(c: Context, args: dict[str, object], way: str) -> list[Query]:
    scope = c.scope()
    far = "ancestors" if way == "up" else "descendants"
    near = "direct_sources" if way == "up" else "direct_targets"
    counted = c.has("COUNT")
    what = re.search(
        r"\b(?:which|what|how many|count|list|name|show|give|all|number of|count of|enumerate|find|identify)\b((?: \S+){0,6}?) (tables?|rows?|records?|views?|marts?|tuples?)\b",
        c.text,
    )
    noun = what[2] if what else ""
    asks_rows = noun.startswith(("row", "record", "tuple")) or (
        not noun and c.says(r"\brows?\b|\brecords?\b")
    )
    asks_tables = (
        noun.startswith(("table", "view", "mart"))
        or (not noun and bool(scope) and not asks_rows)
        or (not noun and c.says(r"\btables\b"))
    )
    if counted and asks_rows:
        return [Query(f"rows.{far}_count", args, scope, "")]
    if counted and asks_tables:
        return [Query(f"tables.{far}", args, scope, "count")]
    if counted:
        raise Unclear("Say whether rows or tables are to be counted.")
    if asks_tables:
        if c.has("DIRECT") and not c.has("TRANSITIVE"):
            return [Query(f"tables.of_{near}", args, scope)]
        return [Query(f"tables.{far}", args, scope)]
    if asks_rows or c.says(r"\bwhat\b"):
        if c.has("TRANSITIVE") or c.says(r"\ball\b.*\bdownstream\b|\ball\b.*\bupstream\b"):
            return [Query(f"rows.{far}", args, scope)]
        if c.has("DIRECT"):
            return [Query(f"rows.{near}", args, scope)]
        return [Query(f"rows.{near}", args, scope), Query(f"rows.{far}", args, scope)]
    raise Unclear("Say whether rows or tables are asked for.")


def _row_and_table(c: Context, code: str, args: dict[str, object], others: list[str]) -> list[Query]:
    other = others[0]
    codes = {name: key for key, name in c.mentions.tables.items()}
    pair = flow_between(re.sub(r" R\d+\b", "", c.text), code, codes[other])
    if len(others) > 1 or not c.has("BOOLEAN") or pair is None:
        raise Unclear(
            "A row of one table and other tables are named; ask whether data of the one reaches the other."
        )
    far = "descendants" if pair[0] == code else "ancestors"
    return [Query(f"tables.{far}_include", {**args, "other": other}, shape="")]


def _two_rows(c: Context, rows: list[tuple[str, str]]) -> list[Query]:
    if len(rows) > 2 or len({code for code, _ in rows}) != 2:
        raise Unclear("Name one row, or one row of each of two tables.")
    (a, row_a), (b, row_b) = rows
    pair = flow_between(re.sub(r" R\d+\b", "", c.text), a, b)
    if pair is None or not c.has("BOOLEAN"):
        raise Unclear(
            "It is not clear what is asked about the two rows; ask whether one went into the other."
        )
    number = {a: c.mentions.rows[row_a], b: c.mentions.rows[row_b]}
    source, target = pair
    return [
        Query(
            "rows.reaches",
            {
                "source": c.mentions.tables[source],
                "source_row": number[source],
                "target": c.mentions.tables[target],
                "target_row": number[target],
            },
            shape="",
        )
    ]


def _two_tables(c: Context) -> list[Query]:
    a, b = c.mentions.tables.values()
    if c.has("COMMON") and not c.says(r"^(?:does|do|is|are|can)\b"):
        ways = {way for got in votes(c.text.replace(" both", "")).values() for way in got}
        if ways == {"down"} or c.says(r"\b(?:derived|loaded|built|fed) from both\b"):
            raise Unclear(
                "Shared targets are not traced over rows; ask for the sources that two tables share."
            )
        return [Query("tables.common_ancestors(first_row)", {"a": a, "b": b}, c.scope(), c.shape)]
    codes = {name: code for code, name in c.mentions.tables.items()}
    pair = flow_between(c.text, codes[a], codes[b])
    if pair is None:
        raise Unclear(f"It is not clear in which direction data would move between {a} and {b}.")
    source, target = (c.mentions.tables[code] for code in pair)
    return [Query("tables.reaches(first_row)", {"source": source, "target": target}, shape="")]


def _groups(c: Context) -> list[Query]:
    """Read "does any data from G1's raw tables flow into G2's mart tables"."""
    verb = re.search(_FLOW, c.text)
    assert verb is not None
    left = re.findall(r"\b[GLS]\d+\b", c.text[: verb.start()])
    right = re.findall(r"\b[GLS]\d+\b", c.text[verb.end() :])
    if not left and re.search(r"\bfrom\b.*\b(?:in)?to\b", c.text[verb.end() :]):
        first, second = re.split(r"\b(?:in)?to\b", c.text[verb.end() :], maxsplit=1)
        left, right = (re.findall(r"\b[GLS]\d+\b", part) for part in (first, second))
    if not left or not right:
        raise Unclear("Say from which group or layer to which the data would move.")
    inward = _INWARD.fullmatch(verb.group()) and not re.match(r" (?:in)?to\b", c.text[verb.end() :])
    if inward:
        left, right = right, left
    source, target = c.scope(left), c.scope(right)
    layers = c.labels.layer_words
    if source.groups and not source.layers and "raw" in layers:
        source = Scope(frozenset({layers["raw"]}), source.groups, source.prefixes)
    if target.groups and not target.layers and "mart" in layers:
        target = Scope(frozenset({layers["mart"]}), target.groups, target.prefixes)
    args = {
        "source_group": min(source.groups, default=""),
        "target_group": min(target.groups, default=""),
        "source": source,
        "target": target,
    }
    return [Query("groups.raw_reaches_mart(first_row)", args, shape="")]
