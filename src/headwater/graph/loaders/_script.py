"""SQL scripts to a graph: what every statement defines, and which of them move data."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from headwater.graph._model import ForeignKey, GraphColumn, GraphTable, LineageEdge, Origin, SchemaGraph
from headwater.graph.loaders._ddl import AlterAction, KeyDef, Name, TableDef, alter_table, column_list, create_table, read_columns, read_name
from headwater.graph.loaders._dialect import detect_dialect
from headwater.graph.loaders._lexer import STRING, WORD, Lines, Token
from headwater.graph.loaders._names import Names
from headwater.graph.loaders._statements import Statement, split
from headwater.graph.loaders._words import CREATED_OBJECTS, DYNAMIC_SQL, SILENT_STATEMENTS

if TYPE_CHECKING:
    from headwater.graph.loaders._lineage import Job, Session

# In these the INTO of a SELECT fills variables, not a table.
_SELECT_INTO_VARIABLES = {"oracle", "mysql"}
_MOVES = {"INSERT", "MERGE", "UPDATE", "WITH", "REPLACE", "UPSERT", "FROM"}


_SETVAR = re.compile(r"^\s*:setvar\s+(\w+)\s+\"?([^\"\n]+?)\"?\s*$", re.I | re.M)
# A comment right before a definition may say to which group and layer the table belongs.
_LABELS = re.compile(r"\b(silo|group|domain|layer)\s*[:=]\s*([\w-]+)", re.I)


@dataclass(slots=True)
class _File:
    """One script: its name, dialect, line numbers and session (temporary tables, selected database)."""

    name: str
    dialect: str
    lines: Lines
    session: Session
    database: str = ""
    settings: dict[str, str] = field(default_factory=dict)
    variables: bool = False
    routine: bool = False


@dataclass(slots=True)
class _PendingKey:
    child: str
    key: KeyDef
    origin: Origin
    database: str
    inline: bool


@dataclass(slots=True)
class _Copy:
    """A table that takes its columns from another: LIKE, CLONE, PARTITION OF, INHERITS."""

    table: str
    like: Name
    clones: bool
    origin: Origin


class SqlLoader:
    """Collects scripts, then writes what they say into a graph.

    Keys and lineage are resolved once all scripts are read, so that their order does not matter.
    """

    def __init__(self, graph: SchemaGraph) -> None:
        self.graph = graph
        self.names = Names()
        self.jobs: list[Job] = []
        self._keys: list[_PendingKey] = []
        self._copies: list[_Copy] = []
        self._automatic: dict[str, set[str]] = {}
        self._spelling: dict[str, str] = {}

    def add(self, text: str, file: str, dialect: str | None = None, first_line: int = 1) -> None:
        """Read one script.

        Args:
            text: the script.
            file: its name, for origins and problems.
            dialect: sqlglot's name of its dialect; None to detect it.
            first_line: number of its first line.
        """
        from headwater.graph.loaders._lineage import Session

        dialect = detect_dialect(text) if dialect is None else dialect
        settings = {f"$({name})": value for name, value in _SETVAR.findall(text)} if dialect == "tsql" else {}
        self._read(text, _File(file, dialect, Lines(text, first_line), Session(), settings=settings), first_line)

    def add_query(self, text: str, target: Name, file: str, dialect: str) -> None:
        """Note the query a view or model is made from, for its lineage; `target` is already in the graph."""
        from headwater.graph.loaders._lineage import Job, Session

        statements = split(text, dialect).statements
        if len(statements) != 1:
            return
        one = statements[0]
        origin = Origin(f"sql:{dialect or 'sql'}", file, one.line, one.number)
        tokens = _without_tail(one.tokens)
        self.jobs.append(Job(tokens, one.text, dialect, f"{target.text}: {one.title}", origin, Session(), target))

    def _read(self, text: str, here: _File, first_line: int) -> None:
        script = split(text, here.dialect, first_line)
        for line, message in script.broken:
            self.graph.add_problem(here.name, line, message)
        for statement in script.statements:
            self._statement(statement, here)

    def _statement(self, statement: Statement, here: _File) -> None:
        first, second = statement.word(0), statement.word(1)
        if first == "CREATE":
            self._create(statement, here)
        elif first == "ALTER":
            self._alter(statement, here)
        elif first in _MOVES or (first == "SELECT" and self._selects_into(statement, here)):
            self._move(statement, here)
        elif first == "USE" or (first == "SET" and second in ("SEARCH_PATH", "SCHEMA")):
            name, _ = read_name(statement.tokens, 2 if second in ("DATABASE", "SCHEMA", "CATALOG") else 1)
            here.database = here.settings.get(name.parts[0], name.parts[0]) if name.parts else ""
            self._spelling[here.database.casefold()] = here.database
        elif first == "RENAME" and second == "TABLE":
            self._rename(statement)
        elif first in DYNAMIC_SQL:
            self._dynamic(statement, here)
        elif first == "DECLARE":
            self._declare(statement, here)
        elif first == "DO":
            self._body(statement, here)
        elif len(statement.tokens) > 1 and statement.tokens[1].key in (":=", ":"):
            pass  # an assignment, or the label of a loop
        elif not (first in SILENT_STATEMENTS or statement.routine is not None or statement.inside or here.routine):
            self._problem(statement, here, "the statement was not understood")

    # --- definitions

    def _create(self, statement: Statement, here: _File) -> None:
        words = [t.key for t in statement.tokens[1:18] if t.kind == WORD]
        made = next((w for w in words if w in CREATED_OBJECTS), "")
        if made == "TABLE":
            self._create_table(statement, here)
        elif made in ("VIEW", "SNAPSHOT"):
            self._create_view(statement, here)
        elif made in ("FUNCTION", "PROCEDURE", "PROC", "TRIGGER", "PACKAGE"):
            self._body(statement, here)
        elif made == "SYNONYM":
            at = next(i for i, t in enumerate(statement.tokens) if t.key == "SYNONYM")
            name, after = read_name(statement.tokens, at + 1)
            target, _ = read_name(statement.tokens, after + 1)
            if name.parts and target.parts:
                self.names.synonym(name, target)
        elif made == "SCHEMA" or not made:
            if not made:
                self._problem(statement, here, "the statement was not understood")

    def _create_table(self, statement: Statement, here: _File) -> None:
        table = create_table(statement)
        if table is None:
            self._problem(statement, here, "CREATE TABLE names no table")
            return
        self._tell(statement, table, here)
        if not table.columns and table.query_at < 0 and table.like is None and statement.tokens[-1].key != ")":
            if len(statement.tokens) < 6:
                self._problem(statement, here, "CREATE TABLE has no columns")
        origin = self._origin(statement, here)
        if table.temporary:
            self._temporary(statement, table, here)
            return
        exists = self.graph.tables.get(table.name.text)
        if exists is not None and not exists.placeholder and statement.word(2) == "IF":
            return  # IF NOT EXISTS
        name = self._define(table.name, here)
        made = self.graph.add_table(GraphTable(name, table.columns, origin=origin, primary_key=table.primary_key))
        for label, value in _LABELS.findall(_comment_before(statement)):
            if label.lower() == "layer":
                made.layer = made.layer or value
            else:
                made.group = made.group or value
        self._automatic[name] = table.identity
        self._note_keys(name, table, statement, here, True)
        if table.like is not None:
            self._copies.append(_Copy(name, table.like, table.clones, origin))
        if table.query_at >= 0:
            self._query_job(statement, here, table.query_at, table.name, [c.name for c in table.columns])

    def _define(self, name: Name, here: _File) -> str:
        """Note a table that is defined here; its spelling counts, not that of an earlier mention."""
        self._forget(name)
        elsewhere = self.names.defined_elsewhere(name, here.database)
        if elsewhere is not None:  # two databases hold a table of one name
            if elsewhere in self.graph.tables:
                other = self.names.database_of(elsewhere)
                self._call(self.graph.tables[elsewhere], Name((self._spelling.get(other, other), *elsewhere.split("."))))
            name = Name((here.database, *name.parts))
        known = self.names.add(name, here.database)
        mentioned = self.graph.tables.get(known)
        if known != name.text and mentioned is not None and mentioned.placeholder:
            self._call(mentioned, name)
            return name.text
        return known

    def _forget(self, name: Name) -> None:
        """Drop what an earlier definition of the same name said: the later one counts."""
        known = self.graph.tables.get(name.text)
        if known is None or known.placeholder:
            return
        known.columns, known.primary_key = [], ()
        self._keys = [k for k in self._keys if not (k.child == name.text and k.inline)]
        self.jobs = [j for j in self.jobs if j.target is None or j.target.text != name.text]

    def _call(self, table: GraphTable, name: Name) -> None:
        """Give a table another name wherever it is known."""
        old = table.name
        self.names.rename(old, name)
        table.name = self.names.add(name)
        del self.graph.tables[old]
        self.graph.tables[table.name] = table
        self._automatic[table.name] = self._automatic.pop(old, set())
        for pending in self._keys:
            if pending.child == old:
                pending.child = table.name

    def _temporary(self, statement: Statement, table: TableDef, here: _File) -> None:
        from headwater.graph.loaders._relations import Field, Relation

        if table.query_at >= 0:
            self._query_job(statement, here, table.query_at, table.name, [c.name for c in table.columns], True)
        else:
            here.session.temporary[table.name.parts[-1].casefold()] = Relation([Field(c.name) for c in table.columns])

    def _declare(self, statement: Statement, here: _File) -> None:
        """Read a table variable: DECLARE @t TABLE (…)."""
        from headwater.graph.loaders._relations import Field, Relation

        tokens = statement.tokens
        at = next((i for i, t in enumerate(tokens[:4]) if t.kind == WORD and t.key == "TABLE"), 0)
        if at and at + 1 < len(tokens) and tokens[at + 1].key == "(":
            table = TableDef(Name((tokens[1].text,)))
            read_columns(table, tokens, at + 1, statement)
            here.session.temporary[tokens[1].text.casefold()] = Relation([Field(c.name) for c in table.columns])

    def _create_view(self, statement: Statement, here: _File) -> None:
        tokens = statement.tokens
        at = next(i for i, t in enumerate(tokens) if t.kind == WORD and t.key in ("VIEW", "SNAPSHOT")) + 1
        if statement.word(at) == "IF":
            at += 3
        name, at = read_name(tokens, at)
        columns: list[str] = []
        if at < len(tokens) and tokens[at].key == "(":
            columns, at = column_list(tokens, at)
        depth = 0
        start = -1
        for i in range(at, len(tokens)):
            depth += (tokens[i].key == "(") - (tokens[i].key == ")")
            if depth == 0 and tokens[i].kind == WORD and tokens[i].key == "AS":
                start = i + 1
                break
        if not name.parts or start < 0 or start >= len(tokens):
            self._problem(statement, here, "CREATE VIEW has no query")
            return
        temporary = any(t.key in ("TEMP", "TEMPORARY") for t in tokens[1:5])
        if not temporary:
            known = self._define(name, here)
            shown = [GraphColumn(c) for c in columns]
            self.graph.add_table(GraphTable(known, shown, kind="view", origin=self._origin(statement, here)))
        self._query_job(statement, here, tokens[start].start, name, columns, temporary)

    def _alter(self, statement: Statement, here: _File) -> None:
        if any(t.key in ("VIEW", "PROCEDURE", "PROC", "FUNCTION", "TRIGGER") for t in statement.tokens[1:3]):
            self._create(statement, here)
            return
        parsed = alter_table(statement)
        if parsed is None:
            return
        change, actions = parsed
        self._tell(statement, change, here)
        if change.name.parts[-1].startswith("#"):
            return
        name = self.names.find_or_add(change.name, database=here.database)
        self._note_keys(name, change, statement, here, False)
        table = self.graph.tables.get(name)
        if table is None:
            origin = self._origin(statement, here)
            table = GraphTable(name, placeholder=True, origin=origin)
            if change.keys or change.columns or change.primary_key:
                self.graph.add_table(table)
        known = {c.name.casefold() for c in table.columns}
        if not table.placeholder:
            table.columns += [c for c in change.columns if c.name.casefold() not in known]
        table.primary_key = self._spelled(name, change.primary_key) or table.primary_key
        self._automatic.setdefault(name, set()).update(change.identity)
        for action in actions:
            self._apply(table, action, statement, here)

    def _apply(self, table: GraphTable, action: AlterAction, statement: Statement, here: _File) -> None:
        if action.kind == "drop_column":
            gone = action.names[0].casefold()
            table.columns = [c for c in table.columns if c.name.casefold() != gone]
        elif action.kind == "drop_constraint":
            gone = action.names[0].casefold()
            self._keys = [k for k in self._keys if not (k.child == table.name and k.key.name.casefold() == gone)]
        elif action.kind == "rename_column":
            old, new = action.names
            for column in table.columns:
                if column.name.casefold() == old.casefold():
                    column.name = new
            for pending in self._keys:
                if pending.child == table.name:
                    pending.key.columns = tuple(new if c.casefold() == old.casefold() else c for c in pending.key.columns)
        elif action.kind == "rename" and action.other is not None:
            self._renamed(table, action.other)
        elif action.kind in ("move", "receive") and action.other is not None:
            other = self.names.find_or_add(action.other)
            source, target = (table.name, other) if action.kind == "move" else (other, table.name)
            self.graph.add_lineage(LineageEdge(source, target, origin=self._origin(statement, here)))

    def _renamed(self, table: GraphTable, new: Name) -> None:
        """Give a table a new name; a short one stays in its schema."""
        if table.placeholder or table.name not in self.graph.tables:
            return
        parts = new.parts if len(new.parts) > 1 else (*table.name.split(".")[:-1], *new.parts)
        self._call(table, Name(parts))

    def _rename(self, statement: Statement) -> None:
        """Read MySQL's RENAME TABLE a TO b, c TO d."""
        at = 2
        while at < len(statement.tokens):
            old, at = read_name(statement.tokens, at)
            new, after = read_name(statement.tokens, at + 1)
            table = self.graph.tables.get(self.names.find(old) or "")
            if table is not None and new.parts:
                self._renamed(table, new)
            at = after + 1

    def _note_keys(self, name: str, table: TableDef, statement: Statement, here: _File, inline: bool) -> None:
        for key in table.keys:
            origin = Origin(self._tool(here), here.name, here.lines.at(key.position), statement.number)
            self._keys.append(_PendingKey(name, key, origin, here.database, inline))

    # --- data flow

    def _query_job(
        self, statement: Statement, here: _File, start: int, target: Name, columns: list[str], temporary: bool = False
    ) -> None:
        from headwater.graph.loaders._lineage import Job

        tokens = _without_tail([t for t in statement.tokens if t.start >= start])
        self.jobs.append(
            Job(
                tokens, statement.text, here.dialect, statement.title, self._origin(statement, here), here.session,
                target, columns, temporary, self._trigger(statement),
            )  # fmt: skip
        )

    def _move(self, statement: Statement, here: _File) -> None:
        from headwater.graph.loaders._lineage import Job, has_any

        first = statement.word(0)
        if first == "INSERT" and has_any(statement.tokens, {"EXEC", "EXECUTE"}) and not has_any(statement.tokens, {"SELECT"}):
            self._problem(statement, here, "rows of a procedure call are inserted; where they come from is not followed")
            return
        trigger = self._trigger(statement)
        reads = has_any(statement.tokens, {"SELECT", "USING", "FROM", "TABLE"}) or first in ("MERGE", "FROM")
        if not reads and trigger is None and not (first == "UPDATE" and has_any(statement.tokens, {"JOIN"})):
            return  # plain values
        writes = {"INSERT", "UPDATE", "MERGE", "INTO", "DELETE"}
        if first in ("WITH", "FROM") and not has_any(statement.tokens, writes):
            return
        self.jobs.append(
            Job(
                _without_tail(statement.tokens), statement.text, here.dialect, statement.title,
                self._origin(statement, here), here.session, trigger=trigger,
            )  # fmt: skip
        )

    def _selects_into(self, statement: Statement, here: _File) -> bool:
        if here.dialect in _SELECT_INTO_VARIABLES or here.variables:
            return False
        depth = 0
        for i, token in enumerate(statement.tokens[:-1]):
            depth += (token.key == "(") - (token.key == ")")
            if depth == 0 and token.kind == WORD and token.key == "INTO":
                following = statement.tokens[i + 1]
                if following.text.startswith("@") or following.key in ("OUTFILE", "DUMPFILE", "STRICT"):
                    return False
                name, _ = read_name(statement.tokens, i + (2 if following.key in ("TEMP", "TEMPORARY", "TABLE", "UNLOGGED") else 1))
                if following.key not in ("TEMP", "TEMPORARY") and name.parts and not name.parts[-1].startswith("#"):
                    known = self.names.add(name, here.database)
                    self.graph.add_table(GraphTable(known, origin=self._origin(statement, here)))
                return True
        return False

    def _trigger(self, statement: Statement) -> Name | None:
        """Return the table of the trigger whose body holds the statement."""
        header = statement.routine
        if header is None or not any(t.key == "TRIGGER" for t in header.tokens[:6]):
            return None
        events = {"INSERT", "UPDATE", "DELETE"}
        on = [i for i, t in enumerate(header.tokens) if t.kind == WORD and t.key == "ON"]
        for i in on:
            if header.tokens[i - 1].key in events or len(on) == 1 or i < 6:
                return read_name(header.tokens, i + 1)[0]
        return None

    def _body(self, statement: Statement, here: _File) -> None:
        """Read the body of a routine that is written as a string: AS $$ … $$."""
        for i, token in enumerate(statement.tokens):
            if token.kind == STRING and token.text[0] in "$'" and statement.tokens[i - 1].key in ("AS", "DO", "SQL", "PLPGSQL"):
                words = {t.key for t in statement.tokens if t.kind in (WORD, STRING)} | {t.text.strip("'").upper() for t in statement.tokens[:40] if t.kind == STRING and len(t.text) < 20}
                if words & {"PLPYTHONU", "PLPYTHON3U", "JAVASCRIPT", "PYTHON", "JAVA", "SCALA", "C", "PLPERL", "PLV8", "INTERNAL"}:
                    return
                opening = token.text.index("$", 1) + 1 if token.text[0] == "$" else 1
                inside = token.text[opening:-opening]
                if token.text[0] == "'":
                    inside = inside.replace("''", "'")
                line = here.lines.at(token.start)
                plain = "PLPGSQL" not in words and statement.word(0) != "DO"
                nested = _File(here.name, here.dialect, Lines(inside, line), here.session, here.database, variables=not plain, routine=True)
                self._read(inside, nested, line)
                return

    def _dynamic(self, statement: Statement, here: _File) -> None:
        """Follow SQL that is executed from a literal; SQL that is put together at run time is told."""
        tokens = statement.tokens
        if len(tokens) < 2:
            return
        second = statement.word(1)
        prepared = statement.word(0) == "PREPARE" and any(t.key == "FROM" for t in tokens)
        rest = [t for t in tokens[1:] if t.key not in ("(", ")", "IMMEDIATE", ",")]
        runs = tokens[1].key == "(" or tokens[1].kind == STRING or second == "IMMEDIATE" or second.endswith("SP_EXECUTESQL") or prepared
        runs = runs or (any(t.key == "SP_EXECUTESQL" for t in tokens[1:6])) or (here.variables and second in ("FORMAT", "QUOTE_IDENT"))
        runs = runs or (here.variables and any(t.key == "||" for t in tokens))
        if not runs:
            return
        literal = [t for t in rest if t.kind == STRING]
        if len(rest) == 1 and literal:
            text = literal[0].text[literal[0].text.index("'") + 1 : -1] if "'" in literal[0].text else ""
            line = here.lines.at(literal[0].start)
            self._read(text.replace("''", "'"), _File(here.name, here.dialect, Lines(text, line), here.session, here.database), line)
            return
        self._problem(statement, here, "dynamic SQL is put together at run time; what it does is not followed")

    # --- messages

    def _problem(self, statement: Statement, here: _File, message: str) -> None:
        self.graph.add_problem(here.name, statement.line, f"{statement.title!r}: {message}")

    def _tell(self, statement: Statement, table: TableDef, here: _File) -> None:
        for position, message in table.problems:
            self.graph.add_problem(here.name, here.lines.at(position), f"{statement.title!r}: {message}")

    def _tool(self, here: _File) -> str:
        return f"ddl:{here.dialect or 'sql'}"

    def _origin(self, statement: Statement, here: _File) -> Origin:
        return Origin(self._tool(here), here.name, statement.line, statement.number)

    # --- the end

    def finish(self) -> None:
        """Write the keys and the lineage of all scripts into the graph."""
        for copy in self._copies:
            self._finish_copy(copy)
        seen: set[tuple[str, ...]] = set()
        for pending in self._keys:
            self._finish_key(pending, seen)
        for table in self.graph.tables.values():
            for column in table.columns if table.primary_key else ():
                if column.name in table.primary_key:
                    column.nullable = False
        if self.jobs:
            from headwater.graph.loaders._lineage import LineageFinder

            LineageFinder(self.graph, self.names, self._automatic).run(self.jobs)
        self._keys, self._copies, self.jobs = [], [], []

    def _finish_copy(self, copy: _Copy) -> None:
        parent = self.names.find_or_add(copy.like, copy.table)
        table, model = self.graph.tables[copy.table], self.graph.tables.get(parent)
        if model is not None:
            known = {c.name.casefold() for c in table.columns}
            inherited = [GraphColumn(c.name, c.type, c.nullable) for c in model.columns if c.name.casefold() not in known]
            table.columns = inherited + table.columns
            table.primary_key = table.primary_key or model.primary_key
        if copy.clones:
            pairs = tuple((c.name, c.name) for c in model.columns) if model is not None else ()
            self.graph.add_lineage(LineageEdge(parent, copy.table, pairs, origin=copy.origin))

    def _finish_key(self, pending: _PendingKey, seen: set[tuple[str, ...]]) -> None:
        key = pending.key
        parent = self.names.find_or_add(key.parent, pending.child, pending.database)
        table = self.graph.tables.get(parent)
        parent_columns = key.parent_columns or (table.primary_key if table else ())
        columns, parent_columns = self._spelled(pending.child, key.columns), self._spelled(parent, parent_columns)
        same = (key.name, pending.child, *columns, "->", parent, *parent_columns)
        if same not in seen:  # a script may be given twice
            seen.add(same)
            self.graph.add_foreign_key(ForeignKey(key.name, pending.child, columns, parent, parent_columns, pending.origin))

    def _spelled(self, table: str, columns: tuple[str, ...]) -> tuple[str, ...]:
        """Return column names in the spelling of the table's definition."""
        known = self.graph.tables.get(table)
        if known is None or not known.columns:
            return columns
        spelling = {c.name.casefold(): c.name for c in known.columns}
        exact = {c.name for c in known.columns}
        return tuple(c if c in exact else spelling.get(c.casefold(), c) for c in columns)


# Clauses after the query of a view or table that are no part of it.
_TAILS = (
    ("WITH", "CHECK", "OPTION"), ("WITH", "CASCADED", "CHECK", "OPTION"), ("WITH", "LOCAL", "CHECK", "OPTION"),
    ("WITH", "READ", "ONLY"), ("WITH", "NO", "DATA"), ("WITH", "DATA"), ("WITH", "NO", "SCHEMA", "BINDING"),
)  # fmt: skip


def _comment_before(statement: Statement) -> str:
    """Return the line comments that stand right before a statement."""
    lines = statement.text[max(0, statement.tokens[0].start - 500) : statement.tokens[0].start].split("\n")[:-1]
    out: list[str] = []
    while lines and lines[-1].lstrip().startswith("--"):
        out.append(lines.pop())
    return "\n".join(out)


def _without_tail(tokens: list[Token]) -> list[Token]:
    for tail in _TAILS:
        if len(tokens) > len(tail) and tuple(t.key for t in tokens[-len(tail) :]) == tail:
            return tokens[: -len(tail)]
    return tokens
