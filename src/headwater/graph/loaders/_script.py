"""SQL scripts to a graph: what each statement is, and who deals with it."""

from __future__ import annotations

import re

from headwater.graph._model import GraphTable, Origin, SchemaGraph
from headwater.graph.loaders._ddl import TableDef, column_list, create_table, read_columns
from headwater.graph.loaders._definitions import Definitions
from headwater.graph.loaders._dialect import detect_dialect
from headwater.graph.loaders._identifiers import Name, read_name
from headwater.graph.loaders._lexer import WORD, Lines, Token, lex, without_rows
from headwater.graph.loaders._names import Names
from headwater.graph.loaders._rewrites import hive_inserts, output_clause
from headwater.graph.loaders._routines import executed_text, string_body, trigger_table
from headwater.graph.loaders._scriptfile import ScriptFile, without_tail
from headwater.graph.loaders._statements import Statement, split
from headwater.graph.loaders._words import CREATED_OBJECTS, DYNAMIC_SQL, SILENT_STATEMENTS

# In these the INTO of a SELECT fills variables, not a table.
_SELECT_INTO_VARIABLES = {"oracle", "mysql"}
_MOVES = {"INSERT", "MERGE", "UPDATE", "WITH", "REPLACE", "UPSERT", "FROM"}
_WRITES = {"INSERT", "UPDATE", "MERGE", "INTO", "DELETE"}
_ROUTINES = {"FUNCTION", "PROCEDURE", "PROC", "TRIGGER", "PACKAGE"}
_SETVAR = re.compile(r"^[ \t]*:setvar\s+(\w+)\s+\"?([^\"\n]+?)\"?[ \t]*$", re.I | re.M)
# What only a dbt model holds, and the parts of its template that stand for no SQL.
_JINJA = re.compile(r"\{\{-?\s*(?:config|ref|source)\s*\(")
_JINJA_BLOCKS = re.compile(r"\{%.*?%\}|\{#.*?#\}|\{\{-?\s*config\s*\(.*?\)\s*-?\}\}", re.S)


class SqlLoader:
    """Collects scripts, then writes what they say into a graph.

    Keys and lineage are resolved once all scripts are read, so that their order does not matter.
    """

    def __init__(self, graph: SchemaGraph) -> None:
        self.graph = graph
        self.names = Names()
        self._definitions = Definitions(graph, self.names)
        self._known = 0

    def add(self, text: str, file: str, dialect: str | None = None, first_line: int = 1) -> None:
        """Read one script.

        Args:
            text: the script.
            file: its name, for origins and problems.
            dialect: sqlglot's name of its dialect; None to detect it.
            first_line: number of its first line.
        """
        from headwater.graph.loaders._lineage import Session

        self._learn_names()
        dialect = detect_dialect(text) if dialect is None else dialect
        if _JINJA.search(text):
            self._template(text, file, dialect)
            return
        text = without_rows(text, dialect)
        settings = {f"$({name})": value for name, value in _SETVAR.findall(text)} if dialect == "tsql" else {}
        self._read(
            text, ScriptFile(file, dialect, Lines(text, first_line), Session(), settings=settings), first_line
        )

    def add_query(self, text: str, target: Name, file: str, dialect: str) -> None:
        """Note the query a view or model is made from, for its lineage; `target` is already in the graph."""
        from headwater.graph.loaders._lineage import Job, Session

        statements = split(text, dialect).statements
        if len(statements) != 1:
            self.graph.add_problem(
                file, 0, f"{target.text}: its query is {len(statements)} statements and was not read"
            )
            return
        one = statements[0]
        origin = Origin(f"sql:{dialect or 'sql'}", file, one.line, one.number)
        title = f"{target.text}: {one.title}"
        self._definitions.jobs.append(
            Job(without_tail(one.tokens), one.text, dialect, title, origin, Session(), target)
        )

    def finish(self) -> None:
        """Write the keys and the lineage of all scripts into the graph."""
        self._learn_names()
        self._definitions.finish()
        if self._definitions.jobs:
            from headwater.graph.loaders._lineage import LineageFinder

            LineageFinder(self.graph, self.names, self._definitions.automatic).run(self._definitions.jobs)
            self._definitions.jobs = []

    def _learn_names(self) -> None:
        """Note the tables that other loaders have added to the graph."""
        if len(self.graph.tables) != self._known:
            for name in self.graph.tables:
                self.names.add(Name(tuple(name.split("."))))
            self._known = len(self.graph.tables)

    def _template(self, text: str, file: str, dialect: str) -> None:
        """Read a dbt model: a query in Jinja whose result is called like its file."""
        text = _JINJA_BLOCKS.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)
        name = self.names.add(Name((file.rsplit("/", 1)[-1].split(".")[0],)))
        self.graph.add_table(GraphTable(name, kind="view", origin=Origin("dbt", file, 1, 1)))
        self.add_query(text, Name((name,)), file, dialect)

    def _read(self, text: str, here: ScriptFile, first_line: int) -> None:
        script = split(text, here.dialect, first_line)
        for line, message in script.broken:
            self.graph.add_problem(here.name, line, message)
        for statement in script.statements:
            self._statement(statement, here)

    def _statement(self, statement: Statement, here: ScriptFile) -> None:
        first, second = statement.word(0), statement.word(1)
        if first == "CREATE":
            self._create(statement, here)
        elif first == "ALTER":
            if any(t.key == "VIEW" or t.key in _ROUTINES for t in statement.tokens[1:3]):
                self._create(statement, here)
            else:
                self._definitions.alter(statement, here)
        elif (
            first in _MOVES
            or (first == "DELETE" and any(t.key == "OUTPUT" for t in statement.tokens))
            or (first == "SELECT" and self._selects_into(statement, here))
        ):
            self._move(statement, here)
        elif first == "USE" or (first == "SET" and second in ("SEARCH_PATH", "SCHEMA")):
            self._use(statement, here)
        elif first == "RENAME" and second == "TABLE":
            self._definitions.rename_tables(statement)
        elif first in DYNAMIC_SQL:
            self._execute(statement, here)
        elif first == "DECLARE":
            self._declare(statement, here)
        elif first == "DO":
            self._body(statement, here)
        elif len(statement.tokens) > 1 and statement.tokens[1].key in (":=", ":"):
            pass  # an assignment, or the label of a loop
        elif not (
            first in SILENT_STATEMENTS or statement.routine is not None or statement.inside or here.routine
        ):
            self._problem(statement, here, "the statement was not understood")

    def _use(self, statement: Statement, here: ScriptFile) -> None:
        """Note the selected database or schema: USE x, USE DATABASE x, SET search_path TO x."""
        words = {"USE", "SET", "SEARCH_PATH", "DATABASE", "SCHEMA", "CATALOG", "TO", "=", "LOCAL", "SESSION"}
        at = next(
            (
                i
                for i, t in enumerate(statement.tokens)
                if t.kind != WORD and t.key != "=" or t.key not in words
            ),
            0,
        )
        name, _ = read_name(statement.tokens, at)
        if at and name.parts and statement.word(1) not in ("ROLE", "WAREHOUSE", "SECONDARY"):
            here.database = here.settings.get(name.parts[-1], name.parts[-1])

    # --- definitions

    def _create(self, statement: Statement, here: ScriptFile) -> None:
        words = [t.key for t in statement.tokens[1:18] if t.kind == WORD]
        made = next((w for w in words if w in CREATED_OBJECTS), "")
        if made == "TABLE":
            self._create_table(statement, here)
        elif made in ("VIEW", "SNAPSHOT"):
            self._create_view(statement, here)
        elif made in _ROUTINES:
            self._body(statement, here)
        elif made in ("SYNONYM", "STREAM"):
            self._synonym(statement, made)
        elif not made:
            self._problem(statement, here, "the statement was not understood")

    def _synonym(self, statement: Statement, made: str) -> None:
        """Note another name of a table: CREATE SYNONYM a FOR b; CREATE STREAM a ON TABLE b (its changed rows)."""
        tokens = statement.tokens
        at = next(i for i, t in enumerate(tokens) if t.key == made) + 1
        name, after = read_name(tokens, at + 3 if statement.word(at) == "IF" else at)
        start = (
            next((i for i in range(after, len(tokens)) if tokens[i].key in ("FOR", "ON")), len(tokens)) + 1
        )
        target, _ = read_name(tokens, start + 1 if statement.word(start) in ("TABLE", "VIEW") else start)
        if name.parts and target.parts:
            self.names.synonym(name, target)

    def _create_table(self, statement: Statement, here: ScriptFile) -> None:
        table = create_table(statement)
        if table is None:
            self._problem(statement, here, "CREATE TABLE names no table")
            return
        self._definitions.tell(statement, table, here)
        if len(statement.tokens) < 6 and not table.columns and table.query_at < 0 and table.like is None:
            self._problem(statement, here, "CREATE TABLE has no columns")
        columns = [c.name for c in table.columns]
        if table.temporary and table.query_at < 0:
            self._temporary(here, table)
        elif table.temporary:
            self._query_job(statement, here, table.query_at, table.name, columns, True)
        elif statement.word(2) != "IF" or not self._definitions.exists(table.name):
            name = self._definitions.table(table, statement, here)
            if table.query_at >= 0:
                self._query_job(statement, here, table.query_at, name, columns)

    def _temporary(self, here: ScriptFile, table: TableDef) -> None:
        from headwater.graph.loaders._scopes import Field, Relation

        here.session.temporary[table.name.parts[-1].casefold()] = Relation(
            [Field(c.name) for c in table.columns]
        )

    def _declare(self, statement: Statement, here: ScriptFile) -> None:
        """Read a table variable: DECLARE @t TABLE (…)."""
        tokens = statement.tokens
        at = next((i for i, t in enumerate(tokens[:4]) if t.kind == WORD and t.key == "TABLE"), 0)
        if at and at + 1 < len(tokens) and tokens[at + 1].key == "(":
            table = TableDef(Name((tokens[1].text,)))
            read_columns(table, tokens, at + 1, statement)
            self._temporary(here, table)

    def _create_view(self, statement: Statement, here: ScriptFile) -> None:
        tokens = statement.tokens
        at = next(i for i, t in enumerate(tokens) if t.kind == WORD and t.key in ("VIEW", "SNAPSHOT")) + 1
        if statement.word(at) == "IF":
            at += 3
        name, at = read_name(tokens, at)
        columns: list[str] = []
        if at < len(tokens) and tokens[at].key == "(":
            columns, at = column_list(tokens, at)
        depth, start = 0, len(tokens)
        for i in range(at, len(tokens)):
            depth += (tokens[i].key == "(") - (tokens[i].key == ")")
            if depth == 0 and tokens[i].kind == WORD and tokens[i].key == "AS":
                start = i + 1
                break
        if not name.parts or start >= len(tokens):
            self._problem(statement, here, "CREATE VIEW has no query")
            return
        temporary = any(t.key in ("TEMP", "TEMPORARY") for t in tokens[1:5])
        if not temporary:
            name = self._definitions.view(name, columns, statement, here)
        self._query_job(statement, here, tokens[start].start, name, columns, temporary)

    # --- data flow

    def _query_job(
        self,
        statement: Statement,
        here: ScriptFile,
        start: int,
        target: Name,
        columns: list[str],
        temporary: bool = False,
    ) -> None:
        from headwater.graph.loaders._lineage import Job

        tokens = without_tail([t for t in statement.tokens if t.start >= start])
        self._definitions.jobs.append(
            Job(
                tokens,
                statement.text,
                here.dialect,
                statement.title,
                here.origin(statement),
                here.session,
                target,
                columns,
                temporary,
                trigger_table(statement),
                here.database,
            )  # fmt: skip
        )

    def _move(self, statement: Statement, here: ScriptFile) -> None:
        from headwater.graph.loaders._lineage import has_any

        first, tokens = statement.word(0), statement.tokens
        if first == "INSERT" and has_any(tokens, {"EXEC", "EXECUTE"}) and not has_any(tokens, {"SELECT"}):
            self._problem(
                statement, here, "rows of a procedure call are inserted; where they come from is not followed"
            )
            return
        tokens, logged, logged_rows = output_clause(tokens, statement.text)
        if logged:
            self._job(lex(logged, here.dialect).tokens, logged, statement, here, logged_rows)
        if first == "DELETE":
            return
        trigger = trigger_table(statement)
        reads = has_any(tokens, {"SELECT", "USING", "FROM", "TABLE"}) or first in ("MERGE", "FROM")
        if not reads and trigger is None and not (first == "UPDATE" and has_any(tokens, {"JOIN"})):
            return  # plain values
        if first == "WITH" and self._made_by_with(statement, here):
            return
        if first == "FROM":
            for part in hive_inserts(tokens):
                self._job(part, statement.text, statement, here, trigger)
        elif first != "WITH" or has_any(tokens, _WRITES):
            self._job(without_tail(tokens), statement.text, statement, here, trigger)

    def _job(
        self, tokens: list[Token], text: str, statement: Statement, here: ScriptFile, trigger: Name | None
    ) -> None:
        from headwater.graph.loaders._lineage import Job

        origin = here.origin(statement)
        job = Job(
            tokens,
            text,
            here.dialect,
            statement.title,
            origin,
            here.session,
            trigger=trigger,
            database=here.database,
        )
        self._definitions.jobs.append(job)

    def _made_by_with(self, statement: Statement, here: ScriptFile) -> bool:
        """Read WITH c AS (…) CREATE TABLE t AS SELECT …; return whether the statement is one."""
        depth = 0
        for i, token in enumerate(statement.tokens):
            depth += (token.key == "(") - (token.key == ")")
            if depth == 0 and token.kind == WORD and token.key == "CREATE":
                made = Statement(statement.tokens[i:], statement.text, statement.line, statement.number)
                self._create(made, here)
                jobs = self._definitions.jobs
                if jobs and jobs[-1].title == made.title:
                    jobs[-1].tokens = statement.tokens[:i] + jobs[-1].tokens
                return True
        return False

    def _selects_into(self, statement: Statement, here: ScriptFile) -> bool:
        """Return whether a SELECT makes a table, and note that table."""
        if here.dialect in _SELECT_INTO_VARIABLES or here.variables:
            return False
        depth = 0
        for i, token in enumerate(statement.tokens[:-1]):
            depth += (token.key == "(") - (token.key == ")")
            if depth or token.kind != WORD or token.key != "INTO":
                continue
            following = statement.tokens[i + 1]
            if following.text.startswith("@") or following.key in ("OUTFILE", "DUMPFILE", "STRICT"):
                return False
            temporary = following.key in ("TEMP", "TEMPORARY")
            name, _ = read_name(
                statement.tokens, i + (2 if temporary or following.key in ("TABLE", "UNLOGGED") else 1)
            )
            if (
                name.parts
                and not temporary
                and not name.parts[-1].startswith("#")
                and not self._definitions.exists(name)
            ):
                self._definitions.table(TableDef(name), statement, here)
            return bool(name.parts)
        return False

    # --- routines

    def _body(self, statement: Statement, here: ScriptFile) -> None:
        """Read the body of a routine that is written as a string."""
        found = string_body(statement)
        if found is not None:
            text, token, variables = found
            inner = here.inner(text, token.start, variables=variables)
            self._read(text, inner, here.lines.at(token.start))

    def _execute(self, statement: Statement, here: ScriptFile) -> None:
        """Follow SQL that is executed from a literal; SQL that is put together at run time is told."""
        found = executed_text(statement, here.variables)
        if isinstance(found, tuple):
            text, token = found
            self._read(text, here.inner(text, token.start), here.lines.at(token.start))
        elif found:
            self._problem(
                statement, here, "dynamic SQL is put together at run time; what it does is not followed"
            )

    def _problem(self, statement: Statement, here: ScriptFile, message: str) -> None:
        self.graph.add_problem(here.name, statement.line, f"{statement.title!r}: {message}")
