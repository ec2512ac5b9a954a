"""What scripts define: tables, views, keys, and what later statements change about them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from headwater.graph._model import ForeignKey, GraphColumn, GraphTable, LineageEdge, Origin, SchemaGraph
from headwater.graph.loaders._alter import AlterAction, alter_table
from headwater.graph.loaders._ddl import KeyDef, TableDef
from headwater.graph.loaders._identifiers import Name, read_name
from headwater.graph.loaders._names import Names
from headwater.graph.loaders._scriptfile import ScriptFile, comment_before
from headwater.graph.loaders._statements import Statement

if TYPE_CHECKING:
    from headwater.graph.loaders._lineage import Job

# A comment right before a definition may say to which group and layer the table belongs.
_LABELS = re.compile(r"\b(silo|group|domain|layer)\s*[:=]\s*([\w-]+)", re.I)


@dataclass(slots=True)
class _PendingKey:
    """A key whose parent is sought once everything is read; `inline` keys stand in CREATE TABLE."""

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


class Definitions:
    """Collects definitions; `finish` resolves what they refer to.

    Attributes:
        jobs: statements whose data flow is sought at the end.
        automatic: columns by table that the database fills by itself.
    """

    def __init__(self, graph: SchemaGraph, names: Names) -> None:
        self._graph, self._names = graph, names
        self.jobs: list[Job] = []
        self.automatic: dict[str, set[str]] = {}
        self._keys: list[_PendingKey] = []
        self._copies: list[_Copy] = []
        self._databases: dict[str, str] = {}  # spelling by folded name

    # --- CREATE

    def table(self, table: TableDef, statement: Statement, here: ScriptFile) -> Name:
        """Add a table; return the name it has in the graph."""
        origin = here.origin(statement)
        name = self._define(table.name, here)
        made = self._graph.add_table(
            GraphTable(name.text, table.columns, origin=origin, primary_key=table.primary_key)
        )
        made.kind = "table"
        for label, value in _LABELS.findall(comment_before(statement)):
            if label.lower() == "layer":
                made.layer = made.layer or value
            else:
                made.group = made.group or value
        self.automatic[name.text] = table.identity
        self._note_keys(name.text, table, statement, here, True)
        if table.like is not None:
            self._copies.append(_Copy(name.text, table.like, table.clones, origin))
        return name

    def view(self, name: Name, columns: list[str], statement: Statement, here: ScriptFile) -> Name:
        """Add a view; return the name it has in the graph."""
        known = self._define(name, here)
        table = GraphTable(
            known.text, [GraphColumn(c) for c in columns], kind="view", origin=here.origin(statement)
        )
        self._graph.add_table(table)
        return known

    def exists(self, name: Name) -> bool:
        """Return whether a table of exactly this name is defined."""
        known = self._graph.tables.get(name.text)
        return known is not None and not known.placeholder

    def _define(self, name: Name, here: ScriptFile) -> Name:
        """Note a table that is defined here; its spelling counts, not that of an earlier mention."""
        if here.database:
            self._databases[here.database.casefold()] = here.database
        elsewhere = self._names.defined_elsewhere(name, here.database)
        if elsewhere is not None:  # two databases hold a table of one name
            if elsewhere in self._graph.tables:
                other = self._names.database_of(elsewhere)
                self._call(
                    self._graph.tables[elsewhere],
                    Name((self._databases.get(other, other), *elsewhere.split("."))),
                )
            name = Name((here.database, *name.parts))
        self._forget(name)
        known = self._names.add(name, here.database)
        mentioned = self._graph.tables.get(known)
        if known != name.text and mentioned is not None and mentioned.placeholder:
            self._call(mentioned, name)
            return name
        return name if known == name.text else Name((known,))

    def _forget(self, name: Name) -> None:
        """Drop what an earlier definition of the same name said: the later one counts."""
        if not self.exists(name):
            return
        known = self._graph.tables[name.text]
        known.columns, known.primary_key = [], ()
        self._keys = [k for k in self._keys if not (k.child == name.text and k.inline)]
        self.jobs = [j for j in self.jobs if j.target is None or j.target.text != name.text]

    def _call(self, table: GraphTable, name: Name) -> None:
        """Give a table another name wherever it is known."""
        old = table.name
        self._names.rename(old, name)
        table.name = self._names.add(name)
        del self._graph.tables[old]
        self._graph.tables[table.name] = table
        self.automatic[table.name] = self.automatic.pop(old, set())
        for pending in self._keys:
            if pending.child == old:
                pending.child = table.name

    def _note_keys(
        self, name: str, table: TableDef, statement: Statement, here: ScriptFile, inline: bool
    ) -> None:
        for key in table.keys:
            origin = Origin(here.tool, here.name, here.lines.at(key.position), statement.number)
            self._keys.append(_PendingKey(name, key, origin, here.database, inline))

    # --- ALTER and RENAME

    def alter(self, statement: Statement, here: ScriptFile) -> None:
        """Apply an ALTER TABLE."""
        parsed = alter_table(statement)
        if parsed is None or parsed[0].name.parts[-1].startswith("#"):
            return
        change, actions = parsed
        self.tell(statement, change, here)
        name = self._names.find_or_add(change.name, database=here.database)
        self._note_keys(name, change, statement, here, False)
        table = self._graph.tables.get(name)
        if table is None:
            table = GraphTable(name, placeholder=True, origin=here.origin(statement))
            if change.keys or change.columns or change.primary_key:
                self._graph.add_table(table)
        known = {c.name.casefold() for c in table.columns}
        if not table.placeholder:
            table.columns += [c for c in change.columns if c.name.casefold() not in known]
        table.primary_key = self._spelled(name, change.primary_key) or table.primary_key
        self.automatic.setdefault(name, set()).update(change.identity)
        for action in actions:
            self._apply(table, action, statement, here)

    def _apply(self, table: GraphTable, action: AlterAction, statement: Statement, here: ScriptFile) -> None:
        if action.kind == "drop_column":
            gone = action.names[0].casefold()
            table.columns = [c for c in table.columns if c.name.casefold() != gone]
        elif action.kind == "drop_constraint":
            gone = action.names[0].casefold()
            self._keys = [
                k for k in self._keys if not (k.child == table.name and k.key.name.casefold() == gone)
            ]
        elif action.kind == "rename_column":
            self._rename_column(table, *action.names)
        elif action.kind == "rename" and action.other is not None:
            self._rename(table, action.other)
        elif action.kind in ("move", "receive") and action.other is not None:
            other = self._names.find_or_add(action.other)
            source, target = (table.name, other) if action.kind == "move" else (other, table.name)
            self._graph.add_lineage(LineageEdge(source, target, origin=here.origin(statement)))

    def _rename_column(self, table: GraphTable, old: str, new: str) -> None:
        for column in table.columns:
            if column.name.casefold() == old.casefold():
                column.name = new
        for pending in self._keys:
            if pending.child == table.name:
                pending.key.columns = tuple(
                    new if c.casefold() == old.casefold() else c for c in pending.key.columns
                )

    def _rename(self, table: GraphTable, new: Name) -> None:
        """Give a table a new name; a short one stays in its schema."""
        if not table.placeholder and table.name in self._graph.tables:
            parts = new.parts if len(new.parts) > 1 else (*table.name.split(".")[:-1], *new.parts)
            self._call(table, Name(parts))

    def rename_tables(self, statement: Statement) -> None:
        """Apply MySQL's RENAME TABLE a TO b, c TO d."""
        at = 2
        while at < len(statement.tokens):
            old, at = read_name(statement.tokens, at)
            new, after = read_name(statement.tokens, at + 1)
            table = self._graph.tables.get(self._names.find(old) or "")
            if table is not None and new.parts:
                self._rename(table, new)
            at = after + 1

    def tell(self, statement: Statement, table: TableDef, here: ScriptFile) -> None:
        """Note what could not be read of a definition."""
        for position, message in table.problems:
            self._graph.add_problem(here.name, here.lines.at(position), f"{statement.title!r}: {message}")

    # --- the end

    def finish(self) -> None:
        """Resolve copies and keys, and write them into the graph."""
        for copy in self._copies:
            self._finish_copy(copy)
        seen: set[tuple[str, ...]] = set()
        for pending in self._keys:
            self._finish_key(pending, seen)
        for table in self._graph.tables.values():
            for column in table.columns if table.primary_key else ():
                if column.name in table.primary_key:
                    column.nullable = False
        self._keys, self._copies = [], []

    def _finish_copy(self, copy: _Copy) -> None:
        parent = self._names.find_or_add(copy.like, copy.table)
        table, model = self._graph.tables.get(copy.table), self._graph.tables.get(parent)
        if model is not None and table is not None:
            known = {c.name.casefold() for c in table.columns}
            inherited = [
                GraphColumn(c.name, c.type, c.nullable)
                for c in model.columns
                if c.name.casefold() not in known
            ]
            table.columns = inherited + table.columns
            table.primary_key = table.primary_key or model.primary_key
        if copy.clones:
            pairs = tuple((c.name, c.name) for c in model.columns) if model is not None else ()
            self._graph.add_lineage(LineageEdge(parent, copy.table, pairs, origin=copy.origin))

    def _finish_key(self, pending: _PendingKey, seen: set[tuple[str, ...]]) -> None:
        key = pending.key
        parent = self._names.find_or_add(key.parent, pending.child, pending.database)
        table = self._graph.tables.get(parent)
        parents = self._spelled(parent, key.parent_columns or (table.primary_key if table else ()))
        columns = self._spelled(pending.child, key.columns)
        same = (key.name, pending.child, *columns, "->", parent, *parents)
        if same not in seen:  # a script may be given twice
            seen.add(same)
            self._graph.add_foreign_key(
                ForeignKey(key.name, pending.child, columns, parent, parents, pending.origin)
            )

    def _spelled(self, table: str, columns: tuple[str, ...]) -> tuple[str, ...]:
        """Return column names in the spelling of the table's definition."""
        known = self._graph.tables.get(table)
        if known is None or not known.columns:
            return columns
        exact = {c.name for c in known.columns}
        if exact.issuperset(columns):
            return columns
        spelling = {c.name.casefold(): c.name for c in known.columns}
        return tuple(c if c in exact else spelling.get(c.casefold(), c) for c in columns)
