"""A script to statements, as scripts are found: GO batches, own delimiters, missing terminators, routine bodies."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from headwater.graph.loaders._lexer import QUOTED, STRING, WORD, Lines, Token, lex

_OBJECTS = {
    "TABLE", "VIEW", "PROCEDURE", "PROC", "FUNCTION", "TRIGGER", "PACKAGE", "INDEX", "SEQUENCE", "TYPE", "SCHEMA",
    "DATABASE", "SYNONYM", "UNIQUE", "MATERIALIZED", "GLOBAL", "TEMP", "TEMPORARY", "EXTERNAL", "CLUSTERED",
    "NONCLUSTERED", "COLUMNSTORE", "OR", "EDITIONABLE", "EXTENSION", "DOMAIN", "XML", "FULLTEXT", "USER", "ROLE",
    "STATISTICS", "DEFINER", "ALGORITHM", "SQL", "FORCE", "NONEDITIONABLE", "RECURSIVE", "SECURE", "LOCAL", "HYBRID",
    "ICEBERG", "COLUMN", "ROW", "MULTISET", "VOLATILE", "NO", "TRANSIENT", "UNLOGGED", "VIRTUAL", "DYNAMIC", "FOREIGN", "EVENT", "STAGE", "STREAM",
    "TASK", "FILE", "WAREHOUSE", "SPATIAL", "PRIMARY", "BITMAP", "LOGIN", "RULE", "AGGREGATE", "MACRO", "PUBLIC",
}  # fmt: skip
_ROUTINES = {"PROCEDURE", "PROC", "FUNCTION", "TRIGGER", "PACKAGE", "EVENT", "TASK", "MACRO"}
_SET_OPERATORS = {"UNION", "ALL", "DISTINCT", "EXCEPT", "INTERSECT", "MINUS", "NAME"}
# Words that start a statement of their own at the start of a line, in the dialect that needs no semicolon.
_TSQL_LINE = {
    "SET", "DECLARE", "EXEC", "EXECUTE", "PRINT", "IF", "ELSE", "WHILE", "RETURN", "USE", "RAISERROR", "THROW", "GRANT",
    "DENY", "REVOKE", "COMMIT", "ROLLBACK", "CHECKPOINT", "OPEN", "FETCH", "CLOSE", "DEALLOCATE", "BULK", "DBCC", "GOTO",
}  # fmt: skip
_SESSION_OPTIONS = {
    "NOCOUNT", "XACT_ABORT", "ANSI_NULLS", "ANSI_PADDING", "ANSI_WARNINGS", "QUOTED_IDENTIFIER", "IDENTITY_INSERT", "ROWCOUNT",
    "TRANSACTION", "DATEFORMAT", "DATEFIRST", "LANGUAGE", "ARITHABORT", "DEADLOCK_PRIORITY", "LOCK_TIMEOUT", "STATISTICS",
}  # fmt: skip
_ANY_LINE = {"COMMIT", "ROLLBACK", "ANALYZE", "VACUUM", "USE"}
_AWAIT_QUERY = {
    "INSERT",
    "WITH",
    "EXPLAIN",
    "REPLACE",
    "FROM",
    "DECLARE",
    "RETURN",
    "EXPORT",
    "FOR",
    "UPSERT",
}
_TRANSACTIONS = {
    "TRAN",
    "TRANSACTION",
    "WORK",
    "DISTRIBUTED",
    "DEFERRED",
    "IMMEDIATE",
    "EXCLUSIVE",
    "CONCURRENT",
    "ISOLATION",
    "READ",
    ";",
    "",
}
_PERMISSIONS = {"GRANT", "REVOKE", "DENY", "COMMENT", "AUDIT", "NOAUDIT"}


@dataclass(slots=True)
class Statement:
    """One statement of a script.

    Attributes:
        tokens: its tokens, without the terminator; never empty.
        text: the whole script (positions of the tokens are positions in it).
        line: line of its first token, from 1.
        number: number in the script, from 1.
        routine: header of the routine whose body holds it, or None.
        inside: it stands in a block (BEGIN … END).
    """

    tokens: list[Token]
    text: str
    line: int
    number: int
    routine: Statement | None = None
    inside: bool = False

    @property
    def source(self) -> str:
        """The statement's own text."""
        return self.text[self.tokens[0].start : self.tokens[-1].end]

    @property
    def title(self) -> str:
        """Its first words, to name it in a message."""
        return re.sub(r"\s+", " ", self.text[self.tokens[0].start : self.tokens[-1].end][:200])[:70]

    def word(self, index: int) -> str:
        """Return the keyword at `index`, or "" for anything else."""
        if index < len(self.tokens) and self.tokens[index].kind == WORD:
            return self.tokens[index].key
        return ""


@dataclass(slots=True)
class Script:
    """Statements of a script, its broken quotes as (line, message), and the databases its lines select."""

    statements: list[Statement]
    broken: list[tuple[int, str]]


_COPY_DATA = re.compile(r"^COPY\s[^;']*\sFROM\s+stdin\b[^;]*;[^\n]*\n(.*?)^\\\.\s*$", re.I | re.M | re.S)
_DELIMITER = re.compile(r"^[ \t]*DELIMITER[ \t]+(\S+)[ \t]*$", re.I | re.M)


def _blank(match: re.Match[str]) -> str:
    whole, start = match.group(), match.start(1) - match.start()
    return whole[:start] + re.sub(r"[^\n]", " ", whole[start:])


def _plain_delimiters(text: str) -> str:
    """Write the delimiters of a MySQL client script as semicolons, keeping every position."""
    out, last, current = [], 0, ";"
    marks = [*_DELIMITER.finditer(text), None]
    for mark in marks:
        part = text[last : mark.start() if mark else len(text)]
        out.append(part if current == ";" else part.replace(current, ";" + " " * (len(current) - 1)))
        if mark:
            out.append(" " * len(mark.group()))
            last, current = mark.end(), mark.group(1)
    return "".join(out)


def split(text: str, dialect: str = "", first_line: int = 1) -> Script:
    """Split a script into statements."""
    if "stdin" in text or "STDIN" in text:
        text = _COPY_DATA.sub(_blank, text)
    if dialect in ("mysql", "") and _DELIMITER.search(text):
        text = _plain_delimiters(text)
    lexed = lex(text, dialect, first_line)
    lines = Lines(text, first_line)
    splitter = _Splitter(lexed.tokens, text, dialect)
    statements: list[Statement] = []
    for tokens, routine in splitter.pieces():
        header = statements[routine] if routine is not None else None
        line = lines.at(tokens[0].start)
        statements.append(Statement(tokens, text, line, len(statements) + 1, header, splitter.blocks > 0))
    return Script(statements, lexed.broken)


class _Splitter:
    """Cuts tokens into statements; `routine` is the number of the statement that is the current routine's header."""

    def __init__(self, tokens: list[Token], text: str, dialect: str) -> None:
        self.tokens, self.text = tokens, text
        self.tsql, self.mysql = dialect in ("tsql", "fabric"), dialect == "mysql"
        self.start = 0  # first token of the current statement
        self.depth = self.cases = 0
        self.kind = ""  # first keyword of the current statement
        self.routine: int | None = None
        self.waits = False  # the current statement still waits for its query
        self.emitted = 0
        self.blocks = 0  # open BEGIN … END
        # A routine of these ends with its batch, one of the others with its last END.
        self.batches = self.tsql or dialect == "oracle"

    def pieces(self) -> Iterator[tuple[list[Token], int | None]]:
        tokens = self.tokens
        for i, token in enumerate(tokens):
            key = token.key
            if token.kind == WORD:
                if i == self.start:
                    self._begin(i)
                elif self._separates(i):
                    yield from self._cut(i)
                    self._begin(i)
                if key == "BEGIN" and self._key(i + 1) not in _TRANSACTIONS:
                    self.blocks += 1
                if key == "CASE":
                    self.cases += 1
                elif key == "VALUES" and not self.depth:
                    self.waits = False
                elif key == "AS" and self.kind in ("CREATE", "ALTER") and not self.depth:
                    self.waits = True
                elif key == "END" and self.cases:
                    self.cases -= 1
                elif key == "END" and self._key(i + 1) not in (
                    "IF",
                    "LOOP",
                    "CASE",
                    "WHILE",
                    "REPEAT",
                    "FOR",
                ):
                    self.blocks = max(0, self.blocks - 1)
                elif i == self.start and key == "GO" and self._alone(token):
                    counted = self._key(i + 1).isdigit() and not self._line_start(i + 1)
                    self.start = i + (2 if counted else 1)
                    self.routine, self.depth, self.cases, self.blocks = None, 0, 0, 0
                elif key in ("AS", "IS", "BEGIN", "THEN", "ELSE", "LOOP", "DO") and self._opens_body(i):
                    yield from self._cut(i + 1)
            elif token.kind == "punct":
                if key == "(":
                    self.depth += 1
                elif key == ")":
                    self.depth = max(0, self.depth - 1)
                elif key == ";":
                    yield from self._cut(i)
                    self.start = i + 1
                    if not self.blocks and not self.batches:
                        self.routine = None
                elif key == "/" and self._alone(token):
                    yield from self._cut(i)
                    self.start, self.routine, self.blocks = i + 1, None, 0
        yield from self._cut(len(tokens))

    def _cut(self, end: int) -> Iterator[tuple[list[Token], int | None]]:
        piece = self.tokens[self.start : end]
        self.start, self.depth, self.cases, self.waits = end, 0, 0, False
        if not piece:
            return
        is_header = piece[0].key in ("CREATE", "ALTER") and any(
            t.key in _ROUTINES for t in piece[1:6] if t.kind == WORD
        )
        if is_header:
            self.routine = None
        yield piece, self.routine
        self.emitted += 1
        if is_header:
            self.routine = self.emitted - 1

    def _begin(self, i: int) -> None:
        """Note what kind of statement starts at token `i`."""
        self.kind = self.tokens[i].key
        if self.kind in ("CREATE", "ALTER"):
            ahead = {t.key for t in self.tokens[i + 1 : i + 7] if t.kind == WORD}
            self.kind = "ROUTINE" if ahead & _ROUTINES and not ahead & {"TABLE", "VIEW"} else self.kind
        self.waits = self.kind in _AWAIT_QUERY or (self.kind == "CREATE" and self.mysql)

    def _alone(self, token: Token) -> bool:
        text = self.text
        before = text[text.rfind("\n", 0, token.start) + 1 : token.start]
        end = text.find("\n", token.end)
        after = text[token.end : len(text) if end < 0 else end].strip()
        return not before.strip() and bool(re.fullmatch(r"(\d+)?\s*;?\s*(--.*)?", after))

    def _line_start(self, i: int) -> bool:
        return "\n" in self.text[self.tokens[i - 1].end : self.tokens[i].start]

    def _key(self, i: int) -> str:
        return self.tokens[i].key if 0 <= i < len(self.tokens) and self.tokens[i].kind != STRING else ""

    def _separates(self, i: int) -> bool:
        """Return whether the keyword at `i` starts a new statement though no terminator stands before it."""
        check = _STARTERS.get(self.tokens[i].key)
        key, last = self.tokens[i].key, self._key(i - 1)
        if last == "." or self._key(i + 1) == ".":
            return False
        if key == "GO":
            return self._alone(self.tokens[i])
        if check is not None:
            return check(self, i, last)
        if self.depth or self.cases or not self._line_start(i):
            return False
        if key == "SET" and (self._key(i + 1).startswith("@") or self._key(i + 1) in _SESSION_OPTIONS):
            return self.tsql
        if key == "SET" and (
            self.kind in ("UPDATE", "MERGE", "ALTER", "WITH", "INSERT") or last in ("UPDATE", "DELETE")
        ):
            return False
        if key == "IF" and (last in ("TABLE", "VIEW", "COLUMN", "SELECT", ",", "ADD") or self.kind == "DROP"):
            return False
        if key in ("EXEC", "EXECUTE") and (self.kind == "INSERT" and self.waits or last == "WITH"):
            return False
        return (
            key in (_TSQL_LINE if self.tsql else _ANY_LINE)
            and self.kind != "ROUTINE"
            and last not in (",", "(")
        )

    def _creates(self, i: int, last: str) -> bool:
        following = self._key(i + 1)
        if following not in _OBJECTS or last in ("GRANT", "REVOKE", "DENY", ",") or self.kind == "GRANT":
            return False
        if self.kind == "WITH" and self.waits and not self.depth:
            return False  # WITH c AS (…) CREATE TABLE t AS SELECT …
        return self._line_start(i) or not self.depth

    def _alters(self, i: int, last: str) -> bool:
        if last in ("GRANT", "REVOKE", "DENY", ",", "OR"):
            return False
        return self._key(i + 1) in _OBJECTS and (self._line_start(i) or not self.depth)

    def _inserts(self, i: int, last: str) -> bool:
        following, later = self._key(i + 1), self._key(i + 2)
        if self.depth or self.kind in _PERMISSIONS or last in ("EXPLAIN", "ANALYZE", "BULK"):
            return False
        main = following in ("INTO", "OVERWRITE") or (
            following in ("ALL", "FIRST", "IGNORE", "LOW_PRIORITY") and later
        )
        main = bool(main) or (following == "OR" and self._key(i + 3) == "INTO")
        if self.kind == "WITH" and self.waits:
            self.kind = "INSERT"  # it still waits for its query
            return False
        if self.kind == "FROM":
            return False
        named = following and following not in {
            "ON",
            "AS",
            "OR",
            "OF",
            "NOT",
            "VALUES",
            "ROW",
            "DEFAULT",
            ",",
            "(",
            "*",
            "UPDATE",
        }
        return main or bool(named and self._line_start(i) and last not in ("THEN", "FOR", "AFTER", ","))

    def _updates(self, i: int, last: str) -> bool:
        if (
            self.depth
            or self.kind in _PERMISSIONS
            or self._key(i + 1)
            in (
                "SET",
                "ON",
                "CASCADE",
                "OF",
                "OR",
                ",",
                "AS",
                "(",
                "NO",
                "RESTRICT",
                ";",
                "NOWAIT",
                "SKIP",
                "WAIT",
                "",
            )
        ):
            return False
        if self.kind == "WITH" and self.waits:
            self.waits = False
            return False
        return last not in ("FOR", "ON", "DO", "KEY", "AFTER", "BEFORE", "OF", "OR", ",", "EXPLAIN", "NO")

    def _deletes(self, i: int, last: str) -> bool:
        if (
            self.depth
            or self.kind in _PERMISSIONS
            or last in ("ON", "FOR", "AFTER", "BEFORE", "OR", ",", "EXPLAIN")
        ):
            return False
        if self.kind == "WITH" and self.waits:
            self.waits = False
            return False
        if self._key(i + 1) == "FROM":
            return True
        return (
            self._line_start(i)
            and self.kind != "MERGE"
            and self._key(i + 1) not in ("ON", "AS", "OR", ",", "WHERE", "CASCADE", "")
        )

    def _merges(self, i: int, last: str) -> bool:
        if self.kind == "WITH" and self.waits:
            self.waits = False
            return False
        return (
            not self.depth
            and (self._key(i + 1) == "INTO" or self._line_start(i))
            and self._key(i + 1) not in ("JOIN", "SEMI", "(")
        )

    def _selects(self, i: int, last: str) -> bool:
        if self.depth:
            return False
        if self.waits:
            self.waits = False
            return False
        if (
            self.kind in _PERMISSIONS
            or last in _SET_OPERATORS
            or last in ("AS", "(", "FOR", "EXPLAIN", "IN", "QUERY", "ANALYZE", "OPEN")
        ):
            return False
        return self._line_start(i) or self._key(i - 1) in ("THEN", "ELSE", "BEGIN")

    def _withs(self, i: int, last: str) -> bool:
        if self.depth or not self._line_start(i) or self.waits or last in ("AS", "FOR", "THEN"):
            return False
        j = i + (2 if self._key(i + 1) == "RECURSIVE" else 1)
        names = self._key(j + 1)
        return (
            names == "AS"
            and self._key(j + 2) in ("(", "MATERIALIZED", "NOT")
            or (names == "(" and self.tsql and self.kind in ("SELECT", "INSERT", "SET", "DECLARE"))
        )

    def _drops(self, i: int, last: str) -> bool:
        return (
            not self.depth
            and self._key(i + 1) in _OBJECTS
            and self.kind != "ALTER"
            and last not in ("GRANT", ",", "ON")
        )

    def _truncates(self, i: int, last: str) -> bool:
        return (
            not self.depth
            and self._key(i + 1) == "TABLE"
            and last not in ("GRANT", ",", "ON", "BEFORE", "AFTER")
        )

    def _begins(self, i: int, last: str) -> bool:
        return (
            not self.depth
            and not self.cases
            and (self.routine is not None or self.kind == "ROUTINE" or self._line_start(i))
        )

    def _ends(self, i: int, last: str) -> bool:
        return (
            not self.depth
            and not self.cases
            and (self.routine is not None or self.tsql)
            and self._line_start(i)
        )

    def _opens_body(self, i: int) -> bool:
        """Return whether a new statement starts after the word at `i`: a routine's body or a branch."""
        key, following = self.tokens[i].key, self._key(i + 1)
        if self.depth or self.cases:
            return False
        if key == "BEGIN":
            return (
                i == self.start and following not in _TRANSACTIONS and following not in ("TRY", "CATCH", "")
            )
        if key in ("AS", "IS"):
            if (
                self.kind != "ROUTINE"
                or self._key(i - 1) in ("EXECUTE", "EXEC")
                or self.tokens[i - 1].text.startswith("@")
            ):
                return False
            return (
                i + 1 < len(self.tokens)
                and self.tokens[i + 1].kind in (WORD, QUOTED)
                and following not in ("TABLE", "NOT")
            )
        return (
            self.routine is not None
            and self.kind not in ("MERGE", "INSERT", "CREATE")
            and following not in ("INSERT", "UPDATE", "DELETE")
            or key in ("THEN", "ELSE")
            and self.kind in ("IF", "ELSE", "ELSIF", "ELSEIF")
        )


_STARTERS = {
    "CREATE": _Splitter._creates, "ALTER": _Splitter._alters, "INSERT": _Splitter._inserts,
    "UPDATE": _Splitter._updates, "DELETE": _Splitter._deletes, "MERGE": _Splitter._merges,
    "SELECT": _Splitter._selects, "WITH": _Splitter._withs, "DROP": _Splitter._drops,
    "TRUNCATE": _Splitter._truncates, "BEGIN": _Splitter._begins, "END": _Splitter._ends,
}  # fmt: skip
