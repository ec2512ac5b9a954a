"""A statement's text to sqlglot's syntax tree, with templates made readable and other dialects tried."""

from __future__ import annotations

import logging
import re
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import ErrorLevel, SqlglotError

from headwater.graph.loaders._lexer import PUNCT, QUOTED, STRING, TEMPLATE, WORD, Token

_JINJA_REF = re.compile(r"\{\{-?\s*ref\(\s*(?:['\"][^'\"]*['\"]\s*,\s*)?['\"]([^'\"]+)['\"].*?\}\}", re.S)
_JINJA_SOURCE = re.compile(
    r"\{\{-?\s*source\(\s*['\"]([^'\"]+)['\"]\s*,\s*['\"]([^'\"]+)['\"]\s*\).*?\}\}", re.S
)
_REPLACE = re.compile(r"^\s*(?:REPLACE|UPSERT)\s+(?:INTO\s+)?", re.I)  # inserts, as far as data flow goes
THIS = "__this__"
"""What `{{ this }}` is read as: the model's own table."""
_JINJA_THIS = re.compile(r"\{\{-?\s*this\s*-?\}\}")

# Dialects tried in turn where the script's own does not read a statement.
_OTHERS = ("", "postgres", "snowflake", "tsql", "mysql", "bigquery", "spark", "oracle", "duckdb")


class UnreadError(ValueError):
    """No dialect reads the statement; the message is the first parser error in one line."""


def readable(tokens: list[Token], text: str, dialect: str) -> str:
    """Return the text of tokens without comments and with templates replaced.

    A schema variable and the dot after it go; any other variable becomes a plain name.
    """
    out: list[str] = []
    last = tokens[0].start
    i = 0
    while i < len(tokens):
        token = tokens[i]
        gap = text[last : token.start] if token.start >= last else " "
        out.append(("\n" if "\n" in gap else " ") if gap.strip() else gap)
        replacement, used = _replacement(tokens, i, dialect)
        out.append(replacement if used else token.text)
        i += used or 1
        last = tokens[i - 1].end
    return "".join(out)


def _replacement(tokens: list[Token], i: int, dialect: str) -> tuple[str, int]:
    """Return what stands for the template at token `i`, and how many tokens it takes (0: no template)."""
    token = tokens[i]
    following = tokens[i + 1].key if i + 1 < len(tokens) else ""
    if token.kind == WORD and "{{" in token.text:
        if found := _JINJA_REF.fullmatch(token.text):
            return f'"{found.group(1)}"' if dialect not in _BACKTICKS else f"`{found.group(1)}`", 1
        if found := _JINJA_SOURCE.fullmatch(token.text):
            return ".".join(found.groups()), 1
        if _JINJA_THIS.fullmatch(token.text):
            return THIS, 1
    if token.kind in (WORD, QUOTED) and TEMPLATE.fullmatch(token.text if token.kind == WORD else token.key):
        if following == "." and not (i and tokens[i - 1].key == "."):
            return "", 3 if i + 2 < len(tokens) and tokens[i + 2].key == "." else 2
        if token.text.startswith("@"):
            return "", 0  # a variable, which the parser knows
        return "_template_", 1
    if token.kind == WORD and re.search(r"\$\{|\$\(|\{\{|\{\w", token.text):
        quote = "`" if dialect in _BACKTICKS else '"'
        return f"{quote}{token.text}{quote}", 1
    if token.key == ":" and following in ("NEW", "OLD"):
        return "", 1  # the row variables of an Oracle trigger
    if (
        token.key == ":"
        and token.kind == PUNCT
        and i + 2 < len(tokens)
        and tokens[i + 2].key == "."
        and (not i or tokens[i - 1].kind == WORD)
    ):
        return "", 3  # a psql variable as schema
    if token.kind == PUNCT and token.key in ("&", "%") and i + 1 < len(tokens) and tokens[i + 1].kind == WORD:
        used = 2
        while (
            i + used < len(tokens)
            and tokens[i + used].key in ("%", ".")
            and tokens[i + used].start == tokens[i + used - 1].end
        ):
            used += 1
        if used > 2 and tokens[i + used - 1].key == ".":
            return "", used
        if token.key == "&" and (not i or tokens[i - 1].kind not in (WORD, QUOTED, "number", STRING)):
            return "_template_", 2
    return "", 0


_BACKTICKS = {"mysql", "bigquery", "spark", "databricks", "hive"}


def parse(text: str, dialect: str) -> tuple[Any, str]:
    """Parse one statement; return its tree and the dialect that read it.

    Raises:
        UnreadError: no dialect reads it.
    """
    first = ""
    text = _REPLACE.sub("INSERT INTO ", text)
    # sqlglot logs what it does not know; here that is told as a problem of the graph instead.
    logging.getLogger("sqlglot").setLevel(logging.CRITICAL)
    for candidate in dict.fromkeys((dialect, *_OTHERS)):
        try:
            trees = [
                t
                for t in sqlglot.parse(text, read=candidate or None, error_level=ErrorLevel.IMMEDIATE)
                if t is not None
            ]
        except (SqlglotError, RecursionError) as error:
            first = (
                first or " ".join(re.sub(r"\x1b\[\d+m", "", str(error)).split())[:200] or type(error).__name__
            )
            continue
        if len(trees) == 1 and not isinstance(trees[0], exp.Command):
            return trees[0], candidate
        first = first or "the statement is not supported"
    raise UnreadError(first)
