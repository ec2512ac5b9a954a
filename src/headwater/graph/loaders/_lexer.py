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
    strings.append(rf"(?:[nNbBxXrR]|[uU]&|_\w+\s?)?'{body}'")
    quoted = [r"`[^`]*(?:``[^`]*)*`"]
    (strings if dialect in _DOUBLE_QUOTED_STRINGS else quoted).append(f'"{wide}"')
    if dialect not in _NO_BRACKETS:
        # An opening bracket after a name or a closing bracket is an index or an array type.
        quoted.append(r"(?<![\w\])])\[(?!\s*\])[^\]\n]{0,300}(?:\]\][^\]\n]{0,300}){0,9}\]")
    dash = r"--(?=\s|\Z)[^\n]*|--[^\n]*" if dialect == "mysql" else r"--[^\n]*"
    comments = [dash, r"\{#(?:(?!\{#).)*?#\}", r"\{%(?:(?!\{%).)*?%\}"]
    if dialect in _HASH_COMMENTS:
        comments.append(r"#[^\n]*")
    if dialect == "mysql":
        comments += [r"/\*M?!\d*", r"\*/"]  # conditional comments are executed
    directive = (
        r"(?:(?<![^\n])|(?<=\n )|(?<=\n  )|(?<=\n    )|(?<=\n\t))(?:(?:REM|REMARK|PROMPT|SPOOL|WHENEVER)\b|:(?:setvar|r|on|out|error|connect|list)\b"
        r"|\\(?:[a-zA-Z!?.]|\.)|\.[a-z]+(?=\s|$)|@@?[\w/\\]+\.sql\b)[^\n]*"
    )
    template = r"\$\{[^{}\n]*\}|\$\([\w. ]+\)|\{\{(?:(?!\{\{).)*?\}\}|\{[A-Za-z_]\w*\}"
    dollar = r"(?!)" if dialect in _NO_DOLLAR_QUOTES else r"\$(?:[A-Za-z_]\w*)?\$"
    word = rf"(?:{template}|[^\W\d]|[@#])(?:{template}|[\w$#@])*"
    return re.compile(
        rf"\s*+(?:(?P<skip>{'|'.join(comments)}|(?i:{directive}))"
        rf"|(?P<comment>/\*)|(?P<dollar>{dollar})"
        rf"|(?P<string>{'|'.join(strings)})"
        rf"|(?P<quoted>{'|'.join(quoted)})"
        rf"|(?P<word>{word})"
        r"|(?P<number>\d[\w.]*)"
        r"|(?P<open>['\"`\[])"
        r"|(?P<punct>::|:=|\|\||<=|>=|<>|!=|=>|->>?|\S))",
        re.S,
    )


@cache
def _literal_rows(dialect: str) -> re.Pattern[str]:
    """Rows of literals after VALUES: data that dumps are full of and that say nothing about the schema."""
    text = r"'(?:[^'\\]|\\.|'')*'" if dialect in _BACKSLASH else r"'[^']*(?:''[^']*)*'"
    row = rf"\((?:[\s,\d.+\-]|(?i:null|default|true|false|e[+-]?\d|0x[0-9a-f]+)|[nNxX]?{text})*\)"
    return re.compile(rf"(?>\s*{row}(?:\s*,\s*{row})*)(?!\s*,)")


LONG_TEXT = 4_000_000
"""Characters of a script from which on rows of data are dropped before it is lexed."""


@cache
def _insert_statement(dialect: str) -> re.Pattern[str]:
    text = r"'(?:[^'\\]|\\.)*'" if dialect in _BACKSLASH else r"'[^']*'"
    head = r"^INSERT\s+INTO\s[^;'()]{1,300}(?:\([^;'()]{0,5000}\)\s*)?VALUES\s*"
    return re.compile(head + rf"(?>(?:[^;'\"]|{text})*);", re.I | re.M)


def without_rows(text: str, dialect: str) -> str:
    """Return a long script without its INSERT … VALUES statements, line numbers kept: dumps are mostly these."""

    def lines(match: re.Match[str]) -> str:
        whole = match.group()
        return whole if "select" in whole.lower() else "\n" * whole.count("\n")

    return _insert_statement(dialect).sub(lines, text) if len(text) > LONG_TEXT else text


def _inserts(tokens: list[Token]) -> bool:
    """Return whether the last token, VALUES, belongs to a plain INSERT: what follows is data of a dump."""
    for i in range(len(tokens) - 2, -1, -1):
        key = tokens[i].key
        if key in ("INSERT", "REPLACE") and tokens[i].kind == WORD:
            return not (i and tokens[i - 1].key == "THEN")
        if (
            tokens[i].kind == WORD
            and key in ("SELECT", "FROM", "USING", "AS", "WITH", "VALUES")
            or key == ";"
        ):
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
        lexer = _Lexer(text, dialect, first_line, cut_short)
        suspect = lexer.run()
        if suspect is None:
            return Lexed(lexer.tokens, lexer.broken)
        cut_short.add(suspect)


_MAX_RESTARTS = 20
_MAX_SEARCHES = 1_000  # for ends that are not there; a text with more of them is no script


class _Lexer:
    """One pass over a text; the quotes that start at `cut_short` end with their line."""

    def __init__(self, text: str, dialect: str, first_line: int, cut_short: set[int]) -> None:
        self.text, self.first_line, self.cut_short = text, first_line, cut_short
        self.tokens: list[Token] = []
        self.broken: list[tuple[int, str]] = []
        self._pattern, self._literals = _pattern(dialect), _literal_rows(dialect)
        self._nests = dialect in _NESTED_COMMENTS
        self._searches = 0
        # White space at the end is cut off: the pattern would try each of its places in vain.
        self._end = len(text.rstrip())

    def run(self) -> int | None:
        """Lex the text; return a quote that must have lost its end if the quotes do not add up."""
        position: int | None = 0
        while position is not None:
            position = self._some(position)
            if position is not None and position < 0:
                return -position - 1
        return None

    def _some(self, position: int) -> int | None:
        """Lex up to a place where the pattern alone does not know how to go on; return where to go on, None at the end.

        A negative number asks for a restart with the quote at that place (minus one) cut short.
        """
        text, add = self.text, self.tokens.append
        for match in self._pattern.finditer(text, position, self._end):
            kind = str(match.lastgroup)
            if kind == "skip":
                continue
            start, end = match.span(kind)
            if kind == "comment":
                return self._comment(start)
            if kind == "open" or start in self.cut_short:
                return self._open(start)
            part = text[start:end]
            if kind == WORD:
                key = part.upper()
                add(Token(WORD, key, part, start, end))
                if key == "VALUES" and (rows := self._literals.match(text, end)) and _inserts(self.tokens):
                    return rows.end()
            elif kind == QUOTED:
                add(Token(QUOTED, _unquote(part), part, start, end))
            elif kind == "dollar":
                return self._dollar(part, start, end)
            else:
                add(Token(kind, "" if kind == STRING else part, part, start, end))
        return None

    def _comment(self, start: int) -> int:
        """Return the end of a block comment."""
        plain = self.text.find("*/", start + 2)
        if plain < 0:
            return self._line_end(start, "comment")
        if not self._nests or self.text.find("/*", start + 2, plain) < 0:
            return plain + 2
        depth = 0
        for count, mark in enumerate(re.compile(r"/\*|\*/").finditer(self.text, start)):
            depth += 1 if mark.group() == "/*" else -1
            if depth == 0:
                return mark.end()
            if count > _MAX_SEARCHES:
                break
        return plain + 2  # an opener inside a comment that does not nest

    def _dollar(self, tag: str, start: int, end: int) -> int:
        """Read a dollar-quoted text; a tag that does not come again is no quote."""
        close = self.text.find(tag, end) if self._searches < _MAX_SEARCHES else -1
        if close < 0:
            self._searches += 1
            self.tokens.append(Token(PUNCT, tag, tag, start, end))
            return end
        close += len(tag)
        self.tokens.append(Token(STRING, "", self.text[start:close], start, close))
        return close

    def _open(self, start: int) -> int:
        """Go on after a quote that the pattern could not close."""
        if self.text[start] == "[":
            self.tokens.append(Token(PUNCT, "[", "[", start, start + 1))
            return start + 1
        if (
            len(self.cut_short) < _MAX_RESTARTS
            and (suspect := _swallower(self.tokens, self.cut_short)) is not None
        ):
            return -suspect - 1
        end = self._line_end(start, "quote")
        self.tokens.append(Token(STRING, "", self.text[start:end], start, end))
        return end

    def _line_end(self, start: int, what: str) -> int:
        """Return the end of the line, and note that what starts here is never closed."""
        line = self.text.find("\n", start)
        end = len(self.text) if line < 0 else line
        number = self.text.count("\n", 0, start) + self.first_line
        self.broken.append((number, f"the {what} {self.text[start:end].strip()[:60]!r} is never closed"))
        return end


def _unquote(text: str) -> str:
    double = _UNQUOTE[text[0]]
    return text[1:-1].replace(double, double[1])


def _swallower(tokens: list[Token], known: set[int]) -> int | None:
    """Return the first quoted token that holds the start of another statement."""
    for token in tokens:
        if (
            token.kind in (STRING, QUOTED)
            and token.text[0] in "'\"`nN"
            and token.start not in known
            and _SWALLOWED.search(token.text)
        ):
            return token.start
    return None
