"""SQL text to tokens, tolerant of every dialect and of templates.

A general parser stops at the first thing it does not know. The loaders therefore cut a script into tokens here,
with only as much knowledge of the dialect as quoting needs, and decide later what a statement means.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cache
from typing import NamedTuple

WORD = "word"
QUOTED = "quoted"
STRING = "string"
NUMBER = "number"
PUNCT = "punct"

# Schema variables as they are found in scripts: ${x}, $(x), {{ x }}, {x}, @x, :x, :"x", &x, %x%
TEMPLATE = re.compile(
    r"\$\{[^}\n]*\}|\$\([\w. ]+\)|\{\{.*?\}\}|\{\w+\}|@\w+|:\"?\w+\"?|&&?\w+\.?|%\w+%", re.S
)

_NESTED_COMMENTS = {"postgres", "redshift", "tsql", "duckdb", "fabric", ""}
_BACKSLASH = {"mysql", "bigquery", "spark", "databricks", "hive", "snowflake"}
_DOUBLE_QUOTED_STRINGS = {"mysql", "bigquery", "spark", "databricks", "hive"}
_HASH_COMMENTS = {"mysql", "bigquery"}
_NO_DOLLAR_QUOTES = {"tsql", "fabric", "mysql", "bigquery", "oracle", "sqlite"}
_NO_BRACKETS = {
    "postgres",
    "redshift",
    "mysql",
    "bigquery",
    "oracle",
    "snowflake",
    "spark",
    "databricks",
    "duckdb",
}


class Token(NamedTuple):
    """One token: its kind, its upper-case key (the text without quotes for a quoted name), and where it stands."""

    kind: str
    key: str
    text: str
    start: int
    end: int


class Lexed(NamedTuple):
    """Tokens of a script, and (line, message) of the quotes and comments that are never closed."""

    tokens: list[Token]
    broken: list[tuple[int, str]]


class Lines:
    """Line numbers of a text."""

    def __init__(self, text: str, first: int = 1) -> None:
        self._starts = [0, *(m.end() for m in re.finditer("\n", text))]
        self._first = first

    def at(self, position: int) -> int:
        """Return the line of a position."""
        return bisect_right(self._starts, position) - 1 + self._first


@cache
def _pattern(dialect: str) -> re.Pattern[str]:
    backslash = dialect in _BACKSLASH
    body = r"(?:[^'\\]|\\.|'')*" if backslash else r"[^']*(?:''[^']*)*"
    wide = r"(?:[^\"\\]|\\.|\"\")*" if backslash else r'[^"]*(?:""[^"]*)*'
    strings = [r"[eE]'(?:[^'\\]|\\.|'')*'"]
    if dialect == "oracle":
        strings.insert(0, r"[nN]?[qQ]'(?:\[.*?\]|\{.*?\}|\(.*?\)|<.*?>|(?P<oq>[^\s\[\{\(<]).*?(?P=oq))'")
    if dialect == "bigquery":
        strings[:0] = [r"[rRbB]{0,2}'''.*?'''", r'[rRbB]{0,2}""".*?"""', r"[rR][bB]?'[^']*'"]
    if dialect not in _NO_DOLLAR_QUOTES:
        strings.append(r"\$(?P<tag>[A-Za-z_]\w*|)\$.*?\$(?P=tag)\$")
    strings.append(rf"(?:[nNbBxXrR]|[uU]&|_\w+\s?)?'{body}'")
    quoted = [r"`[^`]*(?:``[^`]*)*`"]
    (strings if dialect in _DOUBLE_QUOTED_STRINGS else quoted).append(f'"{wide}"')
    if dialect not in _NO_BRACKETS:
        # An opening bracket after a name or a closing bracket is an index or an array type.
        quoted.append(r"(?<![\w\])])\[(?!\s*\])[^\]]*(?:\]\][^\]]*)*\]")
    dash = r"--(?=\s|\Z)[^\n]*|--[^\n]*" if dialect == "mysql" else r"--[^\n]*"
    comments = [dash, r"\{#.*?#\}", r"\{%.*?%\}"]
    if dialect in _HASH_COMMENTS:
        comments.append(r"#[^\n]*")
    if dialect == "mysql":
        comments += [r"/\*M?!\d*", r"\*/"]  # conditional comments are executed
    if dialect in _NESTED_COMMENTS:
        comments.append(r"/\*(?:[^*/]|\*(?!/)|/(?!\*))*\*/")
    else:
        comments.append(r"/\*.*?\*/")
    directive = (
        r"(?:(?<![^\n])|(?<=\n )|(?<=\n  )|(?<=\n    )|(?<=\n\t))(?:(?:REM|REMARK|PROMPT|SPOOL|WHENEVER)\b|:(?:setvar|r|on|out|error|connect|list)\b"
        r"|\\(?:[a-zA-Z!?.]|\.)|\.[a-z]+(?=\s|$)|@@?[\w/\\]+\.sql\b)[^\n]*"
    )
    template = r"\$\{[^}\n]*\}|\$\([\w. ]+\)|\{\{.*?\}\}|\{[A-Za-z_]\w*\}"
    word = rf"(?:{template}|[^\W\d]|[@#])(?:{template}|[\w$#@])*"
    return re.compile(
        rf"\s*(?:(?P<skip>{'|'.join(comments)}|(?i:{directive}))"
        rf"|(?P<string>{'|'.join(strings)})"
        rf"|(?P<quoted>{'|'.join(quoted)})"
        rf"|(?P<word>{word})"
        r"|(?P<number>\d[\w.]*)"
        r"|(?P<open>/\*|['\"`\[])"
        r"|(?P<punct>::|:=|\|\||<=|>=|<>|!=|=>|->>?|\S))",
        re.S,
    )


@cache
def _literal_rows(dialect: str) -> re.Pattern[str]:
    """Rows of literals after VALUES: data that dumps are full of and that say nothing about the schema."""
    text = r"'(?:[^'\\]|\\.|'')*'" if dialect in _BACKSLASH else r"'[^']*(?:''[^']*)*'"
    row = rf"\((?:[\s,\d.+\-]|(?i:null|default|true|false|e[+-]?\d|0x[0-9a-f]+)|[nNxX]?{text})*\)"
    return re.compile(rf"(?>\s*{row}(?:\s*,\s*{row})*)(?!\s*,)")


def _inserts(tokens: list[Token]) -> bool:
    """Return whether the last token, VALUES, belongs to a plain INSERT: what follows is data of a dump."""
    for i in range(len(tokens) - 2, -1, -1):
        key = tokens[i].key
        if key in ("INSERT", "REPLACE") and tokens[i].kind == WORD:
            return not (i and tokens[i - 1].key == "THEN")
        if tokens[i].kind == WORD and key in ("SELECT", "FROM", "USING", "AS", "WITH", "VALUES") or key == ";":
            return False
    return False


_UNQUOTE = {'"': '""', "`": "``", "[": "]]"}
# What starts a statement of a script, seen inside a string or comment, says that its end was forgotten.
_SWALLOWED = re.compile(r"\n[ \t]*(?:CREATE|ALTER|DROP|INSERT)\s+(?:\w+\s+)?(?:TABLE|VIEW|INTO)\b", re.I)


def lex(text: str, dialect: str = "", first_line: int = 1) -> Lexed:
    """Cut `text` into tokens.

    A quote or comment that is never closed ends at the end of its line and is told, so that one slip does not
    swallow the rest of the script.
    """
    cut_short: set[int] = set()
    while True:
        lexed, suspect = _lex(text, dialect, first_line, cut_short)
        if suspect is None:
            return lexed
        cut_short.add(suspect)


def _lex(text: str, dialect: str, first_line: int, cut_short: set[int]) -> tuple[Lexed, int | None]:
    """Lex once; the second value is a quote that must have lost its end, if the quotes do not add up."""
    broken: list[tuple[int, str]] = []
    tokens: list[Token] = []
    pattern, literals, position = _pattern(dialect), _literal_rows(dialect), 0
    add = tokens.append
    while True:
        for match in pattern.finditer(text, position):
            kind = str(match.lastgroup)
            if kind == "skip":
                continue
            start, end = match.span(kind)
            if kind == "open" or start in cut_short:
                position, closed = _open_end(text, start)
                if not closed:
                    if text[start] != "/" and (suspect := _swallower(tokens, cut_short)) is not None:
                        return Lexed([], []), suspect
                    what = "comment" if text[start] == "/" else "quote"
                    line = text.count("\n", 0, start) + first_line
                    broken.append((line, f"the {what} {text[start:position].strip()[:60]!r} is never closed"))
                    if what == "quote":
                        add(Token(STRING, "", text[start:position], start, position))
                elif text[start] == "[":
                    add(Token(PUNCT, "[", "[", start, position))
                break
            part = text[start:end]
            if kind == WORD:
                key = part.upper()
                add(Token(WORD, key, part, start, end))
                if key == "VALUES" and (rows := literals.match(text, end)) and _inserts(tokens):
                    position = rows.end()
                    break
            elif kind == QUOTED:
                add(Token(QUOTED, _unquote(part), part, start, end))
            else:
                add(Token(kind, "" if kind == STRING else part, part, start, end))
        else:
            return Lexed(tokens, broken), None


def _unquote(text: str) -> str:
    double = _UNQUOTE[text[0]]
    return text[1:-1].replace(double, double[1])


def _swallower(tokens: list[Token], known: set[int]) -> int | None:
    """Return the first quoted token that holds the start of another statement."""
    quoted = (
        t.start
        for t in tokens
        if t.kind in (STRING, QUOTED) and t.text[0] in "'\"`nN" and _SWALLOWED.search(t.text)
    )
    return next((start for start in quoted if start not in known), None)


def _open_end(text: str, start: int) -> tuple[int, bool]:
    """Return the end of an opening that the pattern could not close, and whether it is closed after all."""
    if text.startswith("/*", start):
        depth, position = 0, start
        for mark in re.finditer(r"/\*|\*/", text[start:]):
            depth += 1 if mark.group() == "/*" else -1
            position = start + mark.end()
            if depth == 0:
                return position, True
        plain = text.find("*/", start)
        if plain >= 0:  # an opener inside a comment that does not nest
            return plain + 2, True
    elif text[start] == "[":
        return start + 1, True
    line = text.find("\n", start)
    return (len(text) if line < 0 else line), False
