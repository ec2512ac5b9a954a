"""From the user's syntax tree to one that DuckDB can run: names of the lake become views.

Every query node that selects is a *frame*: it has the tables of its FROM clause, the stars that expand over them and
the qualifiers used in it. A frame that mentions `_row` or `_line` gets views that have these columns, and its
stars leave them out again; all other frames get views without them. So hidden columns stay hidden whatever the statement
does with its stars, and cost nothing where they are not asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from headwater.errors import RefusedError, UsageError
from headwater.sql._tables import HIDDEN, SeriesRef, TableRef, column_names
from headwater.sql._tree import Tree, base_table, function_name, is_query, select, star, text, text_constant

LakeTable = TableRef | SeriesRef

T_HINT = "Write the name as plain text: t('path'), t('path#name') or t('series:ID')."


@dataclass(slots=True)
class Use:
    """A table of the lake at one place in a statement.

    Attributes:
        node: its node in the tree; becomes the reference to the view.
        ref: what it resolved to.
        aliases: names it may go by where the user gave none, best first.
        plain: the place cannot take hidden columns (under PIVOT, NATURAL JOIN, the right of a semi join).
        alias: the name it goes by.
        hidden: whether its view has `_row` and `_line`.
    """

    node: Tree
    ref: LakeTable
    aliases: list[str]
    plain: bool
    alias: str = ""
    hidden: bool = False

    @property
    def columns(self) -> list[str]:
        """Columns of the view."""
        return column_names(self.ref) + (list(HIDDEN) if self.hidden else [])


@dataclass(slots=True)
class Frame:
    """One selecting query node, and what stands directly in it."""

    node: Tree
    parent: Frame | None
    ctes: list[Tree]
    uses: list[Use] = field(default_factory=list)
    stars: list[Tree] = field(default_factory=list)
    qualifiers: set[str] = field(default_factory=set)
    wants_hidden: bool = False

    def mark_hidden(self) -> None:
        """Note that `_row` or `_line` is mentioned here: they may belong to this frame or, correlated, to an outer one."""
        frame: Frame | None = self
        while frame is not None:
            frame.wants_hidden = True
            frame = frame.parent

    def mark_qualifier(self, name: str) -> None:
        """Note a name that qualifies a column here."""
        frame: Frame | None = self
        while frame is not None:
            frame.qualifiers.add(name.lower())
            frame = frame.parent


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the walk is: the frame, the CTEs in sight, and whether a table here must do without hidden columns."""

    frame: Frame | None
    names: frozenset[str] = frozenset()
    ctes: tuple[Tree, ...] = ()
    plain: bool = False


@dataclass(slots=True)
class Rewriter:
    """Rewrites one tree in place.

    Attributes:
        resolve: from a reference to a table of the lake; raises if there is none.
        list_names: references of all tables, for SHOW TABLES.
        view_name: from a table and whether it has its hidden columns to the name of the view.
        frames: the frames found.
    """

    resolve: Callable[[str], LakeTable]
    list_names: Callable[[], list[str]]
    view_name: Callable[[LakeTable, bool], str]
    frames: list[Frame] = field(default_factory=list)
    _todo: list[tuple[Any, _Place]] = field(default_factory=list)

    def rewrite(self, node: Tree) -> None:
        """Rewrite the query node of a statement."""
        self._todo.append((node, _Place(None)))
        while self._todo:
            value, place = self._todo.pop()
            if isinstance(value, list):
                self._todo.extend((item, place) for item in value)
            elif isinstance(value, dict):
                self._visit(value, place)
        for frame in self.frames:
            self._finish(frame)

    @property
    def uses(self) -> list[Use]:
        """All uses of tables of the lake."""
        return [use for frame in self.frames for use in frame.uses]

    def _visit(self, node: Tree, place: _Place) -> None:
        kind = node.get("type")
        if is_query(node):
            self._visit_query(node, place)
        elif kind == "BASE_TABLE":
            self._visit_table(node, place)
        elif kind == "TABLE_FUNCTION":
            self._visit_table_function(node, place)
        elif kind == "SHOW_REF":
            self._visit_show(node, place)
        elif kind == "JOIN":
            natural = node.get("ref_type") == "NATURAL"
            one_sided = node.get("join_type") in ("SEMI", "ANTI")
            for key, value in node.items():
                plain = place.plain or natural or (one_sided and key == "right")
                self._push(value, place, plain=plain)
        elif kind == "PIVOT":
            for value in node.values():
                self._push(value, place, plain=True)
        else:
            if place.frame is not None and "class" in node:
                _note_expression(node, place.frame)
            for value in node.values():
                self._push(value, place, plain=place.plain)

    def _push(self, value: Any, place: _Place, *, plain: bool) -> None:
        if isinstance(value, (dict, list)):
            self._todo.append((value, _Place(place.frame, place.names, place.ctes, plain)))

    def _visit_query(self, node: Tree, place: _Place) -> None:
        names, ctes = place.names, place.ctes
        for entry in node.get("cte_map", {}).get("map", []):
            self._todo.append((entry["value"], _Place(place.frame, names, ctes)))
            names |= {str(entry["key"]).lower()}
            ctes = (*ctes, entry)
        if node["type"] in ("RECURSIVE_CTE_NODE", "CTE_NODE") and "cte_name" in node:
            names |= {str(node["cte_name"]).lower()}
        frame = place.frame
        if node["type"] == "SELECT_NODE":
            frame = Frame(node, place.frame, list(ctes))
            self.frames.append(frame)
        inner = _Place(frame, names, ctes)
        self._todo.extend((value, inner) for key, value in node.items() if key != "cte_map")

    def _visit_table(self, node: Tree, place: _Place) -> None:
        path = [str(part) for part in node.get("qualified_name", {}).get("path", [])] or [
            str(node["table_name"])
        ]
        if len(path) == 1 and path[0].lower() in place.names:
            return
        if "at_clause" in node:
            raise RefusedError("AT (VERSION …) is not supported: a lake has one state.")
        # `from goals.csv` without quotes reads as schema.table; the name as a whole may well exist.
        reference = ".".join(path)
        self._replace(node, self.resolve(reference), _aliases(reference), place)

    def _visit_table_function(self, node: Tree, place: _Place) -> None:
        function = node["function"]
        if function_name(function) != "t":
            for value in function.values():
                self._push(value, place, plain=place.plain)
            return
        arguments = function.get("arguments", [])
        reference = text_constant(arguments[0].get("expression", {})) if len(arguments) == 1 else None
        if reference is None or arguments[0].get("name") or node.get("with_ordinality"):
            raise UsageError("t() takes one table name, written as text.", hint=T_HINT)
        self._replace(node, self.resolve(reference), ["t", *_aliases(reference)], place)

    def _replace(self, node: Tree, ref: LakeTable, aliases: list[str], place: _Place) -> None:
        assert place.frame is not None  # noqa: S101 - table references stand in query nodes that select
        given = node.get("alias", "")
        kept = {key: node[key] for key in ("column_name_alias", "sample", "query_location") if key in node}
        node.clear()
        node.update(base_table("", given) | kept)
        place.frame.uses.append(Use(node, ref, [given] if given else aliases, place.plain))

    def _visit_show(self, node: Tree, place: _Place) -> None:
        if node.get("show_type") == "SHOW_SPECIAL":
            name = str(node.get("table_name", "")).strip('"').lower()
            if name not in ("tables", "__show_tables_expanded"):
                raise RefusedError(
                    f"SHOW {name} is not supported.", hint="SHOW TABLES lists the tables of the lake."
                )
            values = [[text(name)] for name in self.list_names()] or [[text("")]]
            node.clear()
            node.update(
                {"type": "EXPRESSION_LIST", "alias": "tables", "expected_names": ["name"], "values": values}
            )
            return
        if "query" not in node:  # SHOW goals
            table = base_table(str(node.get("table_name", "")))
            node.clear()
            node.update({"type": "SHOW_REF", "show_type": "DESCRIBE", "query": select([star()], table)})
        self._push(node["query"], place, plain=False)

    def _finish(self, frame: Frame) -> None:
        # The walk meets them in no order; names are given in the order of the text.
        frame.uses.sort(key=lambda use: int(use.node.get("query_location", 0)))
        open_uses = {id(use.node) for use in frame.uses if len(use.aliases) > 1}
        taken = {name.lower() for node, name in _named_sources(frame.node) if id(node) not in open_uses}
        for use in frame.uses:
            free = [name for name in use.aliases if name.lower() not in taken] or use.aliases
            use.alias = next((name for name in free if name.lower() in frame.qualifiers), free[0])
            taken.add(use.alias.lower())
            use.hidden = frame.wants_hidden and not use.plain
            name = self.view_name(use.ref, use.hidden)
            use.node.update(alias=use.alias, table_name=name, qualified_name={"path": [name]})
        hidden = [use.alias for use in frame.uses if use.hidden]
        for node in frame.stars:
            relation = str(node.get("relation_name", "")).lower()
            left_out = [
                {"table": alias, "column": column}
                for alias in hidden
                if not relation or relation == alias.lower()
                for column in HIDDEN
            ]
            if left_out:
                node["qualified_exclude_list"] = node.get("qualified_exclude_list", []) + left_out


def _named_sources(node: Tree) -> list[tuple[Tree, str]]:
    """Return what stands in a FROM clause, with the names given to it."""
    found, stack = [], [node.get("from_table", {})]
    while stack:
        source = stack.pop()
        if source.get("type") == "JOIN":
            stack += [source["left"], source["right"]]
        elif name := source.get("alias") or source.get("table_name"):
            found.append((source, str(name)))
    return found


def _note_expression(node: Tree, frame: Frame) -> None:
    if node["class"] == "STAR":
        frame.stars.append(node)
        if node.get("relation_name"):
            frame.mark_qualifier(str(node["relation_name"]))
        # Leaving out what does not show anyway is no mistake.
        if "exclude_list" in node:
            node["exclude_list"] = [name for name in node["exclude_list"] if str(name).lower() not in HIDDEN]
    elif node["class"] == "COLUMN_REF":
        names = [str(name) for name in node.get("column_names", [])]
        if any(name.lower() in HIDDEN for name in names):
            frame.mark_hidden()
        if len(names) > 1:
            frame.mark_qualifier(names[0])
    elif node["class"] == "FUNCTION" and function_name(node) == "t":
        raise RefusedError(
            "t('…') stands for a table, not for a value.", hint="Write: select … from t('path')"
        )


def _aliases(reference: str) -> list[str]:
    """Return the names an unaliased table goes by: as written, its file's name, that without its ending."""
    path, _, name = reference.partition("#")
    file = PurePosixPath(path.removeprefix("series:")).name
    stem = file.split(".")[0]
    short = [name, stem, file] if name else [stem, file]
    return list(dict.fromkeys([*([reference] if "/" not in reference else short), *short, reference]))
