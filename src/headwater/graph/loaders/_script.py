"""SQL scripts to a graph: what every statement defines, and where its data comes from."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from headwater.graph._model import ForeignKey, GraphColumn, GraphTable, Origin, SchemaGraph
from headwater.graph.loaders._ddl import AlterAction, KeyDef, Name, TableDef, alter_table, create_table, read_name
from headwater.graph.loaders._dialect import detect_dialect
from headwater.graph.loaders._lexer import WORD, Lines
from headwater.graph.loaders._names import Names
from headwater.graph.loaders._statements import Statement, split


@dataclass(slots=True)
class _File:
    """One script: its name, dialect, line numbers and session (temporary tables, selected database)."""

    name: str
    dialect: str
    lines: Lines
    database: str = ""
    temporary: dict[str, TableDef] = field(default_factory=dict)


@dataclass(slots=True)
class _PendingKey:
    child: str
    key: KeyDef
    origin: Origin


class SqlLoader:
    """Collects scripts, then writes what they say into a graph.

    Keys and lineage are resolved once all scripts are read, so that their order does not matter.
    """

    def __init__(self, graph: SchemaGraph) -> None:
        self.graph = graph
        self.names = Names()
        self._keys: list[_PendingKey] = []

    def add(self, text: str, file: str, dialect: str | None = None, first_line: int = 1) -> None:
        """Read one script.

        Args:
            text: the script.
            file: its name, for origins and problems.
            dialect: sqlglot's name of its dialect; None to detect it.
            first_line: number of its first line.
        """
        dialect = detect_dialect(text) if dialect is None else dialect
        script = split(text, dialect, first_line)
        here = _File(file, dialect, Lines(text, first_line))
        for line, message in script.broken:
            self.graph.add_problem(file, line, message)
        for statement in script.statements:
            self._statement(statement, here)

    def _statement(self, statement: Statement, here: _File) -> None:
        first = statement.word(0)
        if first == "CREATE":
            self._create(statement, here)
        elif first == "ALTER":
            self._alter(statement, here)
        elif first == "USE":
            name, _ = read_name(statement.tokens, 2 if statement.word(1) == "DATABASE" else 1)
            here.database = name.parts[0] if name.parts else ""

    def _create(self, statement: Statement, here: _File) -> None:
        table = create_table(statement)
        if table is None:
            return
        self._tell(statement, table, here)
        if table.temporary:
            here.temporary[table.name.text.casefold()] = table
            return
        name = self.names.add(table.name, here.database)
        origin = self._origin(statement, here)
        made = GraphTable(name, table.columns, origin=origin, primary_key=table.primary_key)
        self.graph.add_table(made)
        self._note_keys(name, table, statement, here)

    def _alter(self, statement: Statement, here: _File) -> None:
        parsed = alter_table(statement)
        if parsed is None:
            return
        change, actions = parsed
        self._tell(statement, change, here)
        name = self.names.find_or_add(change.name)
        self._note_keys(name, change, statement, here)
        table = self.graph.tables.get(name)
        if table is None:
            return
        known = {c.name.casefold() for c in table.columns}
        table.columns += [c for c in change.columns if c.name.casefold() not in known]
        table.primary_key = change.primary_key or table.primary_key
        for action in actions:
            self._apply(table, action)

    def _apply(self, table: GraphTable, action: AlterAction) -> None:
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

    def _note_keys(self, name: str, table: TableDef, statement: Statement, here: _File) -> None:
        for key in table.keys:
            origin = Origin(self._tool(here), here.name, here.lines.at(key.position), statement.number)
            self._keys.append(_PendingKey(name, key, origin))

    def _tell(self, statement: Statement, table: TableDef, here: _File) -> None:
        for position, message in table.problems:
            self.graph.add_problem(here.name, here.lines.at(position), f"{statement.title!r}: {message}")

    def _tool(self, here: _File) -> str:
        return f"ddl:{here.dialect or 'sql'}"

    def _origin(self, statement: Statement, here: _File) -> Origin:
        return Origin(self._tool(here), here.name, statement.line, statement.number)

    def finish(self) -> None:
        """Write the keys and the lineage of all scripts into the graph."""
        for pending in self._keys:
            self._finish_key(pending)

    def _finish_key(self, pending: _PendingKey) -> None:
        key = pending.key
        parent = self.names.find_or_add(key.parent, pending.child)
        table = self.graph.tables.get(parent)
        parent_columns = key.parent_columns or (table.primary_key if table else ())
        self.graph.add_foreign_key(
            ForeignKey(
                key.name, pending.child, self._spelled(pending.child, key.columns), parent,
                self._spelled(parent, parent_columns), pending.origin,
            )  # fmt: skip
        )

    def _spelled(self, table: str, columns: tuple[str, ...]) -> tuple[str, ...]:
        """Return column names in the spelling of the table's definition."""
        known = self.graph.tables.get(table)
        if known is None or not known.columns:
            return columns
        spelling = {c.name.casefold(): c.name for c in known.columns}
        exact = {c.name for c in known.columns}
        return tuple(c if c in exact else spelling.get(c.casefold(), c) for c in columns)
