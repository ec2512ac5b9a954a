"""Names of columns that happen to be words of SQL: `select ceil(x) hours` means `select ceil(x) "hours"`.

DuckDB takes any word after `as`, but without it not its own (hour, months, left …). Quoting such a word changes nothing
else, so it is done where that alone lets the statement be read.
"""

from __future__ import annotations

import re

MOST = 8
"""Names quoted in one statement."""

EXCERPT = 24
"""Characters of the statement shown before and after the place of an error."""

_NEAR = re.compile(r'syntax error at or near "(?P<word>[^\W\d]\w*)"')
_LINE = re.compile(r"\nLINE (?P<number>\d+): (?P<text>[^\n]*)\n(?P<pad>[^^\n]*)\^")
_VALUE_BEFORE = re.compile(r"""[\w"')\]]\s+\Z""")
_NO_VALUE_BEFORE = re.compile(
    r"\b(?:all|and|as|asc|between|by|case|cross|desc|distinct|else|end|except|filter|from|full|group|having|in|inner|"
    r"intersect|is|join|left|like|limit|natural|not|offset|on|or|order|outer|over|right|select|semi|then|union|using|"
    r"values|when|where|window|with|within)\s+\Z",
    re.IGNORECASE,
)
"""A word of SQL after which no name of a column can stand."""


def place_of(sql: str, message: str) -> int | None:
    """Return where in a statement the parser stumbled, from its message; None if it does not tell."""
    told = _LINE.search(message)
    if told is None:
        return None
    lines = sql.split("\n")
    number = int(told["number"]) - 1
    text, column = told["text"], len(told["pad"]) - len(f"LINE {told['number']}: ")
    if text.startswith("..."):
        text, column = text[3:], column - 3
    text = text.removesuffix("...")
    if number >= len(lines) or (start := lines[number].find(text)) < 0:
        return None
    return sum(len(line) + 1 for line in lines[:number]) + start + column


def quoted_alias(sql: str, message: str) -> str | None:
    """Return the statement with the word in quotes at which the parser stumbled, if it can be the name of a column.

    Args:
        sql: the statement.
        message: the parser's complaint.
    """
    near, place = _NEAR.search(message), place_of(sql, message)
    if near is None or place is None:
        return None
    word, before = near["word"], sql[max(0, place - 200) : place]
    found = sql[place : place + len(word)]
    if found.casefold() != word.casefold() or not _VALUE_BEFORE.search(before):
        return None
    if _NO_VALUE_BEFORE.search(before):
        return None
    return f'{sql[:place]}"{found}"{sql[place + len(word) :]}'


def excerpt(sql: str, message: str) -> str:
    """Return the text around the place of the error, with a mark before it; "" if the parser tells no place."""
    place = place_of(sql, message)
    if place is None:
        return ""
    before, after = sql[max(0, place - EXCERPT) : place], sql[place : place + EXCERPT]
    head, tail = "…" if place > EXCERPT else "", "…" if place + EXCERPT < len(sql) else ""
    return f"{head}{before}→{after}{tail}"
