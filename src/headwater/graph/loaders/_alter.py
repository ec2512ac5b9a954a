"""What ALTER TABLE says, read from tokens: the columns and keys it adds, and what it takes away or renames."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.graph.loaders._ddl import TYPE_WORDS, TableDef, read_item, read_list
from headwater.graph.loaders._identifiers import Name, matching, plain, read_name, split_items
from headwater.graph.loaders._lexer import WORD, Token
from headwater.graph.loaders._statements import Statement


@dataclass(slots=True)
class AlterAction:
    """One action of an ALTER TABLE.

    Attributes:
        kind: "add" (columns and keys of `added`), "drop_column", "drop_constraint", "rename", "rename_column",
            "move" (rows go to `other`) or "receive" (rows come from `other`).
        names: the names it acts on.
        other: another table.
    """

    kind: str
    names: tuple[str, ...] = ()
    other: Name | None = None


def alter_table(statement: Statement) -> tuple[TableDef, list[AlterAction]] | None:
    """Read an ALTER TABLE: the columns and keys it adds, and its other actions; None if it is something else."""
    tokens = statement.tokens
    i = next((k for k in range(1, min(4, len(tokens))) if tokens[k].key == "TABLE"), 0)
    if not i:
        return None
    i += 1
    if statement.word(i) == "IF":
        i += 2
    if statement.word(i) == "ONLY":
        i += 1
    name, i = read_name(tokens, i)
    if not name.parts:
        return None
    table = TableDef(name)
    actions: list[AlterAction] = []
    adding = False
    for item in split_items(tokens[i:]):
        adding = _read_action(table, item, actions, adding, statement.text)
    return table, actions


def _read_action(
    table: TableDef, item: list[Token], actions: list[AlterAction], adding: bool, text: str
) -> bool:
    """Read one action; return whether an item without a verb after it is added, too (T-SQL, Snowflake)."""
    while (
        item
        and item[0].key in ("*", "WITH", "CHECK", "NOCHECK")
        and (item[0].key != "CHECK" or _has_later_add(item))
    ):
        item = item[1:]
    if not item:
        return adding
    verb = item[0].key if item[0].kind == WORD else ""
    rest = item[1:]
    if verb == "ADD":
        if rest and rest[0].key in ("COLUMN", "COLUMNS") and len(rest) > 1 and rest[1].key not in TYPE_WORDS:
            rest = rest[1:]
        if rest and rest[0].key == "IF":
            rest = rest[3:]
        if rest and rest[0].key == "(":
            read_list(table, rest[1 : matching(rest, 0)], text)
        elif rest and rest[0].key not in ("PARTITION", "PERIOD", "SYSTEM", "SEARCH", "ROW", "INDEX", "KEY"):
            read_item(table, rest, text)
        return True
    if verb == "DROP":
        if rest and rest[0].key in ("CONSTRAINT", "FOREIGN"):
            rest = rest[2:] if rest[0].key == "FOREIGN" else rest[1:]
            kind = "drop_constraint"
        elif rest and rest[0].key in ("PRIMARY", "INDEX", "PARTITION", "CHECK", "KEY"):
            return False
        else:
            kind = "drop_column"
            rest = rest[1:] if rest and rest[0].key == "COLUMN" else rest
        if rest and rest[0].key == "IF":
            rest = rest[2:]
        if rest:
            actions.append(AlterAction(kind, (plain(rest[0]),)))
        return False
    if verb == "RENAME" and rest:
        _read_rename(rest, actions)
    elif verb in ("CHANGE",) and len(rest) > 2:
        rest = rest[1:] if rest[0].key == "COLUMN" else rest
        actions.append(AlterAction("rename_column", (plain(rest[0]), plain(rest[1]))))
    elif verb in ("SWITCH", "EXCHANGE"):
        at = next((k for k, t in enumerate(item) if t.key in ("TO", "TABLE")), -1)
        if at >= 0:
            other, _ = read_name(item, at + 1)
            actions.append(AlterAction("move" if verb == "SWITCH" else "receive", (), other))
    elif adding and verb not in ("ALTER", "MODIFY", "SET", "VALIDATE", "ENABLE", "DISABLE", "OWNER"):
        read_item(table, item, text)
        return True
    return False


def _has_later_add(item: list[Token]) -> bool:
    return any(t.key in ("ADD", "CONSTRAINT") for t in item[1:3])


def _read_rename(rest: list[Token], actions: list[AlterAction]) -> None:
    if rest[0].key in ("TO", "AS") and len(rest) > 1:
        name, _ = read_name(rest, 1)
        actions.append(AlterAction("rename", name.parts, name))
    elif rest[0].key == "COLUMN" or (len(rest) > 2 and rest[1].key == "TO"):
        rest = rest[1:] if rest[0].key == "COLUMN" else rest
        if len(rest) > 2 and rest[1].key == "TO":
            actions.append(AlterAction("rename_column", (plain(rest[0]), plain(rest[2]))))
