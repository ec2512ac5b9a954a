"""Statements that write to several tables at once, taken apart into ones that write to one."""

from __future__ import annotations

from headwater.graph.loaders._identifiers import Name, matching, read_name
from headwater.graph.loaders._lexer import QUOTED, WORD, Token

_AFTER_OUTPUT = {"SELECT", "VALUES", "FROM", "WHERE", "DEFAULT", "WHEN", "EXEC", "EXECUTE", "WITH", "OPTION"}
_AFTER_SELECT = {
    "WHERE",
    "GROUP",
    "HAVING",
    "ORDER",
    "SORT",
    "CLUSTER",
    "DISTRIBUTE",
    "LIMIT",
    "LATERAL",
    "WINDOW",
}


def output_clause(tokens: list[Token], text: str) -> tuple[list[Token], str, Name | None]:
    """Take T-SQL's OUTPUT clause out of a statement.

    Returns:
        The tokens without the clause; an INSERT that does what OUTPUT … INTO does, or ""; the table whose rows its
        `inserted` and `deleted` are.
    """
    start = _at_depth(tokens, {"OUTPUT"})
    if start < 1:
        return tokens, "", None
    into = _at_depth(tokens, {"INTO", *_AFTER_OUTPUT}, start + 1)
    if into < 0:
        return tokens[:start], "", None
    if tokens[into].key != "INTO":
        return tokens[:start] + tokens[into:], "", None
    target, end = read_name(tokens, into + 1)
    if end < len(tokens) and tokens[end].key == "(":
        end = matching(tokens, end) + 1
    if not target.parts or into == start + 1:
        return tokens, "", None
    rows = text[tokens[start + 1].start : tokens[into - 1].end]
    goal = text[tokens[into + 1].start : tokens[end - 1].end]
    return tokens[:start] + tokens[end:], f"INSERT INTO {goal} SELECT {rows}", _written(tokens)


def _written(tokens: list[Token]) -> Name | None:
    """Return the table a statement writes; T-SQL may name it by an alias of its FROM clause."""
    verb = _at_depth(tokens, {"INSERT", "UPDATE", "DELETE", "MERGE"})
    at = verb + 1
    while (
        at < len(tokens) and tokens[at].key in ("INTO", "FROM", "TOP", "(", ")") or tokens[at].text.isdigit()
    ):
        at += 1
    name, _ = read_name(tokens, at)
    for i in range(at + 1, len(tokens)):
        if tokens[i].kind == WORD and tokens[i].key in ("FROM", "JOIN", "USING") and len(name.parts) == 1:
            table, after = read_name(tokens, i + 1)
            after += after < len(tokens) and tokens[after].key == "AS"
            if after < len(tokens) and tokens[after].kind in (WORD, QUOTED):
                alias = tokens[after].key if tokens[after].kind == QUOTED else tokens[after].text
                if alias.casefold() == name.parts[0].casefold() and table.parts:
                    return table
    return name if name.parts else None


def hive_inserts(tokens: list[Token]) -> list[list[Token]]:
    """Take Hive's FROM s INSERT … SELECT … INSERT … SELECT … apart: each insert gets the source for itself."""
    starts = []
    at = _at_depth(tokens, {"INSERT"})
    while at >= 0:
        starts.append(at)
        at = _at_depth(tokens, {"INSERT"}, at + 1)
    if not starts:
        return []
    source = tokens[: starts[0]]
    parts = []
    for start, end in zip(starts, [*starts[1:], len(tokens)], strict=True):
        part = tokens[start:end]
        select = _at_depth(part, {"SELECT"})
        cut = _at_depth(part, _AFTER_SELECT, select + 1) if select >= 0 else -1
        cut = len(part) if cut < 0 else cut
        parts.append(part[:cut] + source + part[cut:])
    return parts


def _at_depth(tokens: list[Token], words: set[str], start: int = 0) -> int:
    """Return the index of the first of some keywords outside brackets, or -1."""
    depth = 0
    for i in range(start, len(tokens)):
        token = tokens[i]
        if token.key == "(":
            depth += 1
        elif token.key == ")":
            depth -= 1
        elif depth == 0 and token.kind == WORD and token.key in words:
            return i
    return -1
