"""Bodies of routines, and SQL that is executed from a text."""

from __future__ import annotations

from headwater.graph.loaders._identifiers import Name, read_name
from headwater.graph.loaders._lexer import STRING, WORD, Token
from headwater.graph.loaders._statements import Statement

_OTHER_LANGUAGES = {
    "PLPYTHONU", "PLPYTHON3U", "JAVASCRIPT", "PYTHON", "JAVA", "SCALA", "C", "PLPERL", "PLPERLU", "PLV8", "INTERNAL", "PLTCL", "R",
}  # fmt: skip
_EVENTS = {"INSERT", "UPDATE", "DELETE"}


def trigger_table(statement: Statement) -> Name | None:
    """Return the table of the trigger whose body holds the statement."""
    header = statement.routine
    if header is None or not any(t.key == "TRIGGER" for t in header.tokens[:6]):
        return None
    on = [i for i, t in enumerate(header.tokens) if t.kind == WORD and t.key == "ON"]
    for i in on:
        if header.tokens[i - 1].key in _EVENTS or len(on) == 1 or i < 6:
            return read_name(header.tokens, i + 1)[0]
    return None


def string_body(statement: Statement) -> tuple[str, Token, bool] | None:
    """Return the body of a routine that is written as a string (AS $$ … $$), its token, and whether it has variables."""
    tokens = statement.tokens
    for i, token in enumerate(tokens):
        if (
            token.kind != STRING
            or token.text[0] not in "$'"
            or tokens[i - 1].key not in ("AS", "DO", "SQL", "PLPGSQL")
        ):
            continue
        words = {t.key for t in tokens if t.kind == WORD}
        words |= {t.text.strip("'").upper() for t in tokens if t.kind == STRING and len(t.text) < 20}
        if words & _OTHER_LANGUAGES:
            return None
        if token.text[0] == "'":
            inside = token.text[1:-1].replace("''", "'")
        else:
            quote = token.text.index("$", 1) + 1
            inside = token.text[quote:-quote]
        return inside, token, "PLPGSQL" in words or statement.word(0) == "DO"
    return None


def executed_text(statement: Statement, variables: bool) -> tuple[str, Token] | bool:
    """Return what a statement executes as SQL: a literal with its token; True if made at run time; False if none.

    Args:
        statement: one that begins with EXEC, EXECUTE or PREPARE.
        variables: it stands in a body where EXECUTE takes a text and not the name of a prepared statement.
    """
    tokens = statement.tokens
    if len(tokens) < 2:
        return False
    second = statement.word(1)
    runs = tokens[1].key == "(" or tokens[1].kind == STRING or second == "IMMEDIATE"
    runs = runs or any(t.key == "SP_EXECUTESQL" for t in tokens[1:6])
    runs = runs or (statement.word(0) == "PREPARE" and any(t.key == "FROM" for t in tokens))
    runs = runs or (variables and (second in ("FORMAT", "QUOTE_IDENT") or any(t.key == "||" for t in tokens)))
    if not runs:
        return False
    rest = [t for t in tokens[1:] if t.key not in ("(", ")", "IMMEDIATE", ",")]
    if len(rest) == 1 and rest[0].kind == STRING and rest[0].text.endswith("'"):
        text = rest[0].text
        return text[text.index("'") + 1 : -1].replace("''", "'"), rest[0]
    return True
