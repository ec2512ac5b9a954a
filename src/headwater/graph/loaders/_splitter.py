"""Where one statement of a script ends and the next begins, terminators or not.

The rules are local: a keyword begins a statement unless the words around it, or what the current statement still waits
for, say that it goes on. Words that decide stand in the sets; no grammar of a dialect is needed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from headwater.graph.loaders._lexer import QUOTED, STRING, WORD, Token

_OBJECTS = {
    "TABLE", "VIEW", "PROCEDURE", "PROC", "FUNCTION", "TRIGGER", "PACKAGE", "INDEX", "SEQUENCE", "TYPE", "SCHEMA",
    "DATABASE", "SYNONYM", "UNIQUE", "MATERIALIZED", "GLOBAL", "TEMP", "TEMPORARY", "EXTERNAL", "CLUSTERED",
    "NONCLUSTERED", "COLUMNSTORE", "OR", "EDITIONABLE", "EXTENSION", "DOMAIN", "XML", "FULLTEXT", "USER", "ROLE",
    "STATISTICS", "DEFINER", "ALGORITHM", "SQL", "FORCE", "NONEDITIONABLE", "RECURSIVE", "SECURE", "LOCAL", "HYBRID",
    "ICEBERG", "COLUMN", "ROW", "MULTISET", "VOLATILE", "NO", "TRANSIENT", "UNLOGGED", "VIRTUAL", "DYNAMIC",
    "FOREIGN", "EVENT", "STAGE", "STREAM",
    "TASK", "FILE", "WAREHOUSE", "SPATIAL", "PRIMARY", "BITMAP", "LOGIN", "RULE", "AGGREGATE", "MACRO", "PUBLIC",
}  # fmt: skip
_ROUTINES = {"PROCEDURE", "PROC", "FUNCTION", "TRIGGER", "PACKAGE", "EVENT", "TASK", "MACRO"}
_SET_OPERATORS = {"UNION", "ALL", "DISTINCT", "EXCEPT", "INTERSECT", "MINUS", "NAME"}
# Words that start a statement of their own at the start of a line, in the dialect that needs no semicolon.
_TSQL_LINE = {
    "SET", "DECLARE", "EXEC", "EXECUTE", "PRINT", "IF", "ELSE", "WHILE", "RETURN", "USE", "RAISERROR", "THROW", "GRANT",
    "DENY", "REVOKE", "COMMIT", "ROLLBACK", "CHECKPOINT", "OPEN", "FETCH", "CLOSE", "DEALLOCATE", "BULK",
    "DBCC", "GOTO",
}  # fmt: skip
_SESSION_OPTIONS = {
    "NOCOUNT", "XACT_ABORT", "ANSI_NULLS", "ANSI_PADDING", "ANSI_WARNINGS", "QUOTED_IDENTIFIER",
    "IDENTITY_INSERT", "ROWCOUNT",
    "TRANSACTION", "DATEFORMAT", "DATEFIRST", "LANGUAGE", "ARITHABORT", "DEADLOCK_PRIORITY", "LOCK_TIMEOUT",
    "STATISTICS",
}  # fmt: skip
_ANY_LINE = {"COMMIT", "ROLLBACK", "ANALYZE", "VACUUM", "USE"}
_AWAIT_QUERY = {
    "INSERT", "WITH", "EXPLAIN", "REPLACE", "FROM", "DECLARE", "RETURN", "EXPORT", "FOR", "UPSERT",
}  # fmt: skip
_ALTERED = {
    "TABLE", "VIEW", "PROCEDURE", "PROC", "FUNCTION", "TRIGGER", "PACKAGE", "INDEX", "SEQUENCE", "TYPE",
    "SCHEMA", "DATABASE",
    "MATERIALIZED", "EXTERNAL", "FOREIGN", "DOMAIN", "USER", "ROLE", "TABLESPACE", "SESSION", "SYSTEM",
    "WAREHOUSE", "TASK",
}  # fmt: skip
# Words after INSERT and UPDATE, and before UPDATE, with which these are no statements: triggers, keys, MERGE, cursors.
_NO_INSERT = {"ON", "AS", "OR", "OF", "NOT", "VALUES", "ROW", "DEFAULT", ",", "(", "*", "UPDATE"}
_NO_UPDATE = {
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
}
_BEFORE_UPDATE = {"FOR", "ON", "DO", "KEY", "AFTER", "BEFORE", "OF", "OR", ",", "EXPLAIN", "NO"}
_TRANSACTIONS = {
    "TRAN", "TRANSACTION", "WORK", "DISTRIBUTED", "DEFERRED", "IMMEDIATE", "EXCLUSIVE", "CONCURRENT",
    "ISOLATION", "READ", ";", "",
}  # fmt: skip
_BEFORE_DELETE = {"ON", "FOR", "AFTER", "BEFORE", "OR", ",", "EXPLAIN"}
_NO_DELETE = {"ON", "AS", "OR", ",", "WHERE", "CASCADE", ""}
_BEFORE_QUERY = {"AS", "(", "FOR", "EXPLAIN", "IN", "QUERY", "ANALYZE", "OPEN", *_SET_OPERATORS}
_PERMISSIONS = {"GRANT", "REVOKE", "DENY", "COMMENT", "AUDIT", "NOAUDIT"}


class Splitter:
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
        return self._key(i + 1) in _ALTERED and (self._line_start(i) or not self.depth)

    def _inserts(self, i: int, last: str) -> bool:
        following, later = self._key(i + 1), self._key(i + 2)
        if self.depth or self.kind in _PERMISSIONS or last in ("EXPLAIN", "ANALYZE", "BULK"):
            return False
        main = following in ("INTO", "OVERWRITE") or (following == "OR" and self._key(i + 3) == "INTO")
        main = main or (following in ("ALL", "FIRST", "IGNORE", "LOW_PRIORITY") and later != "")
        if self.kind == "WITH" and self.waits:
            self.kind = "INSERT"  # it still waits for its query
            return False
        if self.kind == "FROM":
            return False
        named = following != "" and following not in _NO_INSERT
        return main or (named and self._line_start(i) and last not in ("THEN", "FOR", "AFTER", ","))

    def _updates(self, i: int, last: str) -> bool:
        if self.depth or self.kind in _PERMISSIONS or self._key(i + 1) in _NO_UPDATE:
            return False
        if self.kind == "WITH" and self.waits:
            self.waits = False
            return False
        return last not in _BEFORE_UPDATE

    def _deletes(self, i: int, last: str) -> bool:
        if self.depth or self.kind in _PERMISSIONS or last in _BEFORE_DELETE:
            return False
        if self.kind == "WITH" and self.waits:
            self.waits = False
            return False
        if self._key(i + 1) == "FROM":
            return True
        return self._line_start(i) and self.kind != "MERGE" and self._key(i + 1) not in _NO_DELETE

    def _merges(self, i: int, last: str) -> bool:
        if self.kind == "WITH" and self.waits:
            self.waits = False
            return False
        following = self._key(i + 1)
        return (
            not self.depth
            and (following == "INTO" or self._line_start(i))
            and following not in ("JOIN", "SEMI", "(")
        )

    def _selects(self, i: int, last: str) -> bool:
        if self.depth:
            return False
        if self.waits:
            self.waits = False
            return False
        if self.kind in _PERMISSIONS or last in _BEFORE_QUERY:
            return False
        return self._line_start(i) or self._key(i - 1) in ("THEN", "ELSE", "BEGIN")

    def _withs(self, i: int, last: str) -> bool:
        if self.depth or not self._line_start(i) or self.waits or last in ("AS", "FOR", "THEN"):
            return False
        j = i + (2 if self._key(i + 1) == "RECURSIVE" else 1)
        following = self._key(j + 1)
        if following == "AS":
            return self._key(j + 2) in ("(", "MATERIALIZED", "NOT")
        return following == "(" and self.tsql and self.kind in ("SELECT", "INSERT", "SET", "DECLARE")

    def _drops(self, i: int, last: str) -> bool:
        if self.depth or self.kind == "ALTER" or last in ("GRANT", ",", "ON"):
            return False
        return self._key(i + 1) in _OBJECTS

    def _truncates(self, i: int, last: str) -> bool:
        return (
            not self.depth
            and self._key(i + 1) == "TABLE"
            and last not in ("GRANT", ",", "ON", "BEFORE", "AFTER")
        )

    def _begins(self, i: int, last: str) -> bool:
        if self.depth or self.cases:
            return False
        return self.routine is not None or self.kind == "ROUTINE" or self._line_start(i)

    def _ends(self, i: int, last: str) -> bool:
        if self.depth or self.cases:
            return False
        return (self.routine is not None or self.tsql) and self._line_start(i)

    def _opens_body(self, i: int) -> bool:
        """Return whether a new statement starts after the word at `i`: a routine's body or a branch."""
        key, following = self.tokens[i].key, self._key(i + 1)
        if self.depth or self.cases:
            return False
        if key == "BEGIN":
            return i == self.start and following not in _TRANSACTIONS and following not in ("TRY", "CATCH")
        if key in ("AS", "IS"):
            # Not EXECUTE AS OWNER, and not a parameter: @day AS date.
            if (
                self.kind != "ROUTINE"
                or self._key(i - 1) in ("EXECUTE", "EXEC")
                or self.tokens[i - 1].text[0] == "@"
            ):
                return False
            named = i + 1 < len(self.tokens) and self.tokens[i + 1].kind in (WORD, QUOTED)
            return named and following not in ("TABLE", "NOT")
        if key in ("THEN", "ELSE") and self.kind in ("IF", "ELSE", "ELSIF", "ELSEIF"):
            return True
        if self.routine is None or self.kind in ("MERGE", "INSERT", "CREATE"):
            return False
        return following not in ("INSERT", "UPDATE", "DELETE")


_STARTERS = {
    "CREATE": Splitter._creates, "ALTER": Splitter._alters, "INSERT": Splitter._inserts,
    "UPDATE": Splitter._updates, "DELETE": Splitter._deletes, "MERGE": Splitter._merges,
    "SELECT": Splitter._selects, "WITH": Splitter._withs, "DROP": Splitter._drops,
    "TRUNCATE": Splitter._truncates, "BEGIN": Splitter._begins, "END": Splitter._ends,
}  # fmt: skip
