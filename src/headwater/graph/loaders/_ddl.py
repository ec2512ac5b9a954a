"""What CREATE TABLE says, read from tokens without a grammar of any one dialect.

Only the parts a schema graph needs are read: names, columns with type and nullability, primary and foreign keys.
Everything else a dialect allows (storage, partitions, indexes, options) is stepped over by its brackets.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from headwater.graph._model import GraphColumn
from headwater.graph.loaders._identifiers import Name, matching, name_list, plain, read_name, split_items
from headwater.graph.loaders._lexer import NUMBER, PUNCT, QUOTED, STRING, WORD, Token
from headwater.graph.loaders._statements import Statement


@dataclass(slots=True)
class KeyDef:
    """A foreign key of a table; `parent_columns` is empty where the parent's primary key is meant."""

    name: str
    columns: tuple[str, ...]
    parent: Name
    parent_columns: tuple[str, ...]
    position: int


@dataclass(slots=True)
class TableDef:
    """What a CREATE TABLE says.

    Attributes:
        name: of the table.
        columns: in order.
        primary_key: its columns.
        keys: foreign keys.
        like: table whose columns it copies (LIKE, CLONE, PARTITION OF, INHERITS), if any.
        clones: it copies the rows of `like`, too.
        temporary: it lives for a session only.
        identity: columns whose values the database makes.
        query_at: position in the script of the query it is made from, or -1.
        problems: (position, message) of what could not be read.
    """

    name: Name
    columns: list[GraphColumn] = field(default_factory=list)
    primary_key: tuple[str, ...] = ()
    keys: list[KeyDef] = field(default_factory=list)
    like: Name | None = None
    clones: bool = False
    temporary: bool = False
    identity: set[str] = field(default_factory=set)
    query_at: int = -1
    problems: list[tuple[int, str]] = field(default_factory=list)


_TYPE_ENDS = {
    "NOT", "NULL", "DEFAULT", "CONSTRAINT", "PRIMARY", "UNIQUE", "REFERENCES", "FOREIGN", "CHECK", "COLLATE", "COMMENT",
    "AUTO_INCREMENT", "AUTOINCREMENT", "IDENTITY", "GENERATED", "AS", "ENCODE", "DISTKEY", "SORTKEY", "CHARSET", "ON",
    "KEY", "INVISIBLE", "VISIBLE", "VIRTUAL", "STORED", "PERSISTED", "SPARSE", "ROWGUIDCOL", "MASKED", "MASKING",
    "OPTIONS", "TAG", "ENABLE", "DISABLE", "DEFERRABLE", "INITIALLY", "STORAGE", "COMPRESSION", "SRID", "CODEC", "TTL",
    "MATERIALIZED", "ALIAS", "EPHEMERAL", "FORMAT", "TITLE", "CASESPECIFIC", "USING", "FIRST", "AFTER", "HIDDEN",
    "COMPRESS", "SORT", "ENCRYPT", "HEADER", "COLUMN_FORMAT", "PERIOD", "POLICY", "PROJECTION", "INLINE", "SCOPE",
    "AUTOINC", "DISTRIBUTED", "INHERITS", "BINARY_CHECKSUM", "ROWVERSION_ID", "START", "CLUSTERED", "NONCLUSTERED",
}  # fmt: skip
_TYPE_TAILS = {
    "PRECISION", "VARYING", "UNSIGNED", "SIGNED", "ZEROFILL", "WITH", "WITHOUT", "TIME", "ZONE", "LOCAL", "BYTE", "CHAR",
    "TO", "YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND", "CHARACTER", "LARGE", "OBJECT", "RAW", "BINARY",
    "ARRAY", "SET", "NATIONAL", "VARCHAR", "UNICODE", "ASCII", "SUB_TYPE", "BIT",
}  # fmt: skip
TYPE_WORDS = {
    "INT", "INTEGER", "BIGINT", "SMALLINT", "TINYINT", "VARCHAR", "VARCHAR2", "NVARCHAR", "CHAR", "TEXT", "DATE", "DATETIME",
    "TIMESTAMP", "NUMERIC", "DECIMAL", "NUMBER", "BOOLEAN", "BOOL", "FLOAT", "DOUBLE", "REAL", "STRING", "SERIAL", "UUID",
    "JSON", "JSONB", "BYTEA", "INT64", "FLOAT64", "BIT", "MONEY", "TIMESTAMPTZ", "CLOB", "BLOB", "DATETIME2", "NCHAR",
}  # fmt: skip


# Options that Teradata and ClickHouse write between the name and the columns.
_BEFORE_COLUMNS = {
    ",",
    "ON",
    "NO",
    "FALLBACK",
    "BEFORE",
    "AFTER",
    "JOURNAL",
    "CLUSTER",
    "PROTECTION",
    "CHECKSUM",
    "=",
    "DEFAULT",
    "DUAL",
    "LOG",
}


def column_list(tokens: list[Token], i: int) -> tuple[list[str], int]:
    """Return the column names of the bracket at token `i`, and the index after it."""
    close = matching(tokens, i)
    return list(name_list(tokens[i + 1 : close])), close + 1


def create_table(statement: Statement) -> TableDef | None:
    """Read a CREATE TABLE; None if the statement is something else."""
    tokens = statement.tokens
    i = 1
    while i < len(tokens) and tokens[i].kind == WORD and tokens[i].key != "TABLE" and i < 8:
        i += 1
    if i >= len(tokens) or tokens[i].key != "TABLE":
        return None
    words = {t.key for t in tokens[1:i]}
    i += 1
    if statement.word(i) == "IF":
        i += 3
    name, after = read_name(tokens, i)
    if not name.parts:
        return None
    table = TableDef(
        name, temporary=bool(words & {"TEMP", "TEMPORARY", "VOLATILE"}) or name.parts[-1].startswith("#")
    )
    i = after
    while i < len(tokens) and tokens[i].key in _BEFORE_COLUMNS:
        i += 2 if tokens[i].key == "CLUSTER" else 1
    if i < len(tokens) and tokens[i].key == "(" and not _is_query(tokens, i + 1):
        i = read_columns(table, tokens, i, statement)
    _read_tail(table, tokens, i, words, statement.text)
    return table


def read_columns(table: TableDef, tokens: list[Token], i: int, statement: Statement) -> int:
    """Read the columns and constraints in the bracket at token `i`; return the index after it."""
    close = matching(tokens, i)
    if close == len(tokens):
        table.problems.append((tokens[i].start, "its bracket is never closed"))
    read_items(table, tokens[i + 1 : close], statement)
    return close + 1


def _is_query(tokens: list[Token], i: int) -> bool:
    return i < len(tokens) and tokens[i].key in ("SELECT", "WITH") and tokens[i].kind == WORD


def _read_tail(table: TableDef, tokens: list[Token], i: int, words: set[str], text: str) -> None:
    """Read what follows the columns: LIKE, CLONE, INHERITS, PARTITION OF, USING module(…), AS query."""
    first = i
    while i < len(tokens):
        key = tokens[i].key if tokens[i].kind == WORD else ""
        if key in ("LIKE", "CLONE", "COPY") and i == first and not table.columns:
            table.like, _ = read_name(
                tokens, i + (2 if tokens[i + 1 : i + 2] and tokens[i + 1].key == "OF" else 1)
            )
            table.clones = key != "LIKE"
            return
        if key == "PARTITION" and i + 1 < len(tokens) and tokens[i + 1].key == "OF":
            table.like, i = read_name(tokens, i + 2)
            continue
        if key == "PARTITIONED" and i + 2 < len(tokens) and tokens[i + 2].key == "(":
            _partition_columns(table, tokens[i + 3 : matching(tokens, i + 2)], text)
        if key == "INHERITS" and i + 2 < len(tokens):
            table.like, _ = read_name(tokens, i + 2)
        elif key == "USING" and "VIRTUAL" in words and i + 2 < len(tokens) and tokens[i + 2].key == "(":
            inside = tokens[i + 3 : matching(tokens, i + 2)]
            table.columns = [
                GraphColumn(plain(c[0]))
                for c in split_items(inside)
                if c and not (len(c) > 1 and c[1].key == "=")
            ]
            return
        if key in ("SELECT", "WITH") and (key == "SELECT" or (i and tokens[i - 1].key == "AS")):
            table.query_at = tokens[i].start
            return
        if (
            key == "AS"
            and i + 1 < len(tokens)
            and tokens[i + 1].key in ("TABLE", "FROM", "VALUES", "PIVOT", "(", "COPY", "CLONE")
        ):
            if tokens[i + 1].key in ("COPY", "CLONE"):
                table.like, _ = read_name(tokens, i + (3 if tokens[i + 2].key == "OF" else 2))
                table.clones = True
            else:
                table.query_at = tokens[i + 1].start
            return
        if i < len(tokens) and tokens[i].key == "(" and tokens[i].kind == PUNCT:
            if _is_query(tokens, i + 1):
                table.query_at = tokens[i].start
                return
            i = matching(tokens, i)
        i += 1


def _partition_columns(table: TableDef, body: list[Token], text: str) -> None:
    """Add the columns Hive and Spark define in PARTITIONED BY (day STRING); a plain name means one that is there."""
    known = {c.name.casefold() for c in table.columns}
    for item in split_items(body):
        if len(item) > 1 and item[1].kind == WORD and plain(item[0]).casefold() not in known:
            _read_column(table, item, text)


def read_items(table: TableDef, body: list[Token], statement: Statement) -> None:
    items = split_items(body)
    for number, item in enumerate(items):
        if not item:
            if number < len(items) - 1:
                following = next((i for i in items[number:] if i), body)
                table.problems.append((following[0].start, "a column is missing between two commas"))
            continue
        for part in _missing_comma(item, statement.text, table):
            read_item(table, part, statement.text)


def _missing_comma(item: list[Token], text: str, table: TableDef) -> list[list[Token]]:
    """Split a definition in which a comma was forgotten before a new line: `id int⏎ name text`."""
    if len(item) < 4 or item[0].key in (
        "CONSTRAINT",
        "PRIMARY",
        "FOREIGN",
        "UNIQUE",
        "CHECK",
        "KEY",
        "INDEX",
    ):
        return [item]
    depth = 0
    for j in range(1, len(item) - 1):
        token = item[j]
        depth += (token.key == "(") - (token.key == ")")
        if (
            depth
            or j < 2
            or token.kind not in (WORD, QUOTED)
            or "\n" not in text[item[j - 1].end : token.start]
        ):
            continue
        if token.kind == WORD and token.key in (_TYPE_ENDS | _TYPE_TAILS):
            continue
        if item[j - 1].key in (
            "DEFAULT",
            "CONSTRAINT",
            "REFERENCES",
            "COLLATE",
            "AS",
            "COMMENT",
            ".",
            "=",
            "ENCODE",
            "CHECK",
        ):
            continue
        if item[j + 1].key in TYPE_WORDS:
            table.problems.append((token.start, f"a comma is missing before column {plain(token)!r}"))
            return [item[:j], *_missing_comma(item[j:], text, table)]
    return [item]


def read_item(table: TableDef, item: list[Token], text: str) -> None:
    """Read one column or constraint into `table`."""
    first = item[0].key if item[0].kind == WORD else ""
    second = item[1].key if len(item) > 1 else ""
    if first == "CONSTRAINT":
        named = len(item) > 1 and second not in ("FOREIGN", "PRIMARY", "UNIQUE", "CHECK")
        name = plain(item[1]) if named else ""
        _read_constraint(table, item[2:] if named else item[1:], name)
    elif first == "LIKE" and len(item) > 1:
        table.like, _ = read_name(item, 1)
    elif _is_constraint(item, first, second):
        _read_constraint(table, item, "")
    elif item[0].kind in (WORD, QUOTED, STRING):
        _read_column(table, item, text)
    elif item[0].kind != PUNCT or item[0].key not in ("(", ")", "*"):
        table.problems.append((item[0].start, f"no column or constraint: {item[0].text!r}"))


def _is_constraint(item: list[Token], first: str, second: str) -> bool:
    if first in ("PRIMARY", "FOREIGN"):
        return second == "KEY"
    if first == "UNIQUE":
        return (
            second in ("KEY", "INDEX", "(", "CLUSTERED", "NONCLUSTERED", "NULLS")
            or len(item) > 2
            and item[2].key == "("
        )
    if first in ("CHECK", "EXCLUDE"):
        return second in ("(", "USING")
    if first == "PERIOD":
        return second == "FOR"
    if first in ("FULLTEXT", "SPATIAL"):
        return second in ("KEY", "INDEX", "(") or len(item) > 2 and item[2].key == "("
    if first in ("KEY", "INDEX"):  # a column may have this name: key varchar(10)
        if any(t.key == "TYPE" and t.kind == WORD for t in item[2:]):
            return True  # ClickHouse: INDEX name expression TYPE minmax
        bracket = next((j for j, t in enumerate(item) if t.key == "("), 0)
        typed = bracket == 2 and second in TYPE_WORDS and item[1].kind == WORD and item[3].kind == NUMBER
        return bool(bracket) and not typed
    return (
        first in ("SUPPLEMENTAL", "WATERMARK", "PROJECTION")
        and len(item) > 2
        and second in ("LOG", "FOR")
        or (first == "PROJECTION" and len(item) > 2 and item[2].key == "(")
    )


def _read_constraint(table: TableDef, item: list[Token], name: str) -> None:
    for j, token in enumerate(item):
        if token.kind != WORD:
            continue
        if token.key == "PRIMARY":
            open_at = next((k for k in range(j, len(item)) if item[k].key == "("), len(item))
            table.primary_key = name_list(item[open_at + 1 : matching(item, open_at)])
            return
        if token.key == "FOREIGN":
            open_at = next((k for k in range(j, len(item)) if item[k].key == "("), len(item))
            close = matching(item, open_at)
            columns = name_list(item[open_at + 1 : close])
            if not name and open_at > j + 2 and item[j + 2].key != "IF":
                name = plain(item[j + 2])  # MySQL: FOREIGN KEY index_name (…)
            at = next((k for k in range(close, len(item)) if item[k].key == "REFERENCES"), -1)
            if at < 0 or not columns:
                table.problems.append(
                    (
                        token.start,
                        f"the foreign key {name!r} names no parent"
                        if columns
                        else "a foreign key names no column",
                    )
                )
                return
            _read_reference(table, item, at, name, columns)
            return
        if token.key in ("UNIQUE", "CHECK", "KEY", "INDEX", "FULLTEXT", "SPATIAL", "EXCLUDE", "PERIOD"):
            return


def _read_reference(table: TableDef, item: list[Token], at: int, name: str, columns: tuple[str, ...]) -> None:
    start = at + 1
    if start < len(item) and item[start].key == "WITH":  # Teradata: REFERENCES WITH NO CHECK OPTION t
        start = next((k + 1 for k in range(start, len(item)) if item[k].key == "OPTION"), start)
    parent, after = read_name(item, start)
    if not parent.parts:
        table.problems.append((item[at].start, "REFERENCES names no table"))
        return
    parents: tuple[str, ...] = ()
    if after < len(item) and item[after].key == "(":
        parents = name_list(item[after + 1 : matching(item, after)])
    if parents and len(parents) != len(columns):
        message = f"the foreign key {name or '(' + ', '.join(columns) + ')'} has {len(columns)} columns, its parent {len(parents)}"
        table.problems.append((item[at].start, message))
    table.keys.append(KeyDef(name, columns, parent, parents, item[at].start))


def _read_column(table: TableDef, item: list[Token], text: str) -> None:
    name = plain(item[0])
    end = _type_end(item)
    column = GraphColumn(name, text[item[1].start : item[end - 1].end] if end > 1 else "", True)
    column.type = re.sub(r"\s+", " ", column.type)
    constraint = ""
    listed: tuple[str, ...] = ()
    j = end
    while j < len(item):
        token = item[j]
        key = token.key if token.kind in (WORD, PUNCT) else ""
        if key == "(":
            j = matching(item, j)
        elif key == "CONSTRAINT" and j + 1 < len(item):
            if item[j + 1].key not in (
                "PRIMARY",
                "FOREIGN",
                "REFERENCES",
                "NOT",
                "NULL",
                "UNIQUE",
                "CHECK",
                "DEFAULT",
            ):
                constraint = plain(item[j + 1])
                j += 1
        elif key == "NULL":
            column.nullable = item[j - 1].key != "NOT"
        elif key == "PRIMARY":
            table.primary_key = _listed(item, j, 3) or (name,)
        elif key in ("IDENTITY", "AUTO_INCREMENT", "AUTOINCREMENT") or (
            key == "AS" and "(" in (t.key for t in item[j : j + 2])
        ):
            table.identity.add(name)
        elif key == "REFERENCES":
            _read_reference(table, item, j, constraint, listed or (name,))
            constraint, listed = "", ()
        elif key == "FOREIGN":
            listed = _listed(item, j, 2)
        elif key in ("UNIQUE", "CHECK", "DEFAULT"):
            constraint = ""
            if key == "DEFAULT" and j + 1 < len(item) and item[j + 1].key == "NULL":
                j += 1
        j += 1
    table.columns.append(column)


def _listed(item: list[Token], j: int, within: int) -> tuple[str, ...]:
    """Return the columns a constraint lists though the comma before it was forgotten: PRIMARY KEY [CLUSTERED] (a, b)."""
    for k in range(j + 1, min(j + 1 + within, len(item))):
        if item[k].key == "(":
            return name_list(item[k + 1 : matching(item, k)])
    return ()


def _type_end(item: list[Token]) -> int:
    """Return the index after a column's type."""
    j, angle = 1, 0
    while j < len(item):
        token = item[j]
        if token.kind == WORD and not angle and token.key in _TYPE_ENDS:
            break
        if (
            token.kind == WORD
            and token.key == "WITH"
            and not (j + 1 < len(item) and item[j + 1].key in ("TIME", "LOCAL"))
        ):
            break
        if token.kind == WORD and token.key == "CHARACTER" and j + 1 < len(item) and item[j + 1].key == "SET":
            break
        if token.kind == WORD and token.key == "BINARY" and j > 1:
            break
        if token.key == "(":
            j = matching(item, j)
        angle += (token.key == "<") - (token.key == ">")
        j += 1
    return min(j, len(item))


def read_list(table: TableDef, body: list[Token], text: str) -> None:
    """Read a list of columns and constraints."""
    for item in split_items(body):
        if item:
            read_item(table, item, text)
