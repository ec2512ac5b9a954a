"""Where each column of a query comes from, down to physical tables.

The method is scope resolution over the syntax tree, as in "Deriving Production Rules for Incremental View
Maintenance" and every lineage tool since: each query yields a relation whose fields carry the physical columns their
values are computed from; a common table expression, a derived table and a temporary table are just relations with a
name, so that they never show in the result. This module imports sqlglot and is itself imported only when needed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from headwater.graph.loaders._identifiers import Name
from headwater.graph.loaders._scopes import PSEUDO_COLUMNS, ColumnRef, Field, Relation, Scope, combined, union


class Resolver:
    """Resolves queries; `physical` tells what a table name means outside the query."""

    def __init__(self, physical: Callable[[Name], Relation]) -> None:
        self._physical = physical
        self.on_statement: Callable[[Any, Scope], Relation] | None = None

    # --- queries

    def query(
        self, node: Any, outer: Scope | None = None, ctes: dict[str, Relation] | None = None
    ) -> Relation:
        """Return the relation of a query node."""
        ctes = dict(ctes if ctes is not None else outer.ctes if outer else {})
        while (
            isinstance(node, (exp.Subquery, exp.Paren))
            and not node.args.get("joins")
            and not isinstance(node.this, exp.Table)
        ):
            self.add_ctes(node, ctes, outer)
            node = node.this
        self.add_ctes(node, ctes, outer)
        if isinstance(node, exp.SetOperation):
            return self._set_operation(node, outer, ctes)
        if isinstance(node, exp.Select):
            return self._select(node, Scope(ctes=ctes, outer=outer))
        if isinstance(node, exp.Values):
            return self._values(node, Scope(ctes=ctes, outer=outer))
        if isinstance(node, (exp.Table, exp.Subquery)):
            scope = Scope(ctes=ctes, outer=outer)
            self.add_source(node, scope)
            return self._star(scope, None, [])
        if isinstance(node, exp.Pivot) or not isinstance(node, exp.Expression):
            return Relation()
        if isinstance(node, (exp.Insert, exp.Update, exp.Delete, exp.Merge)) and self.on_statement:
            return self.on_statement(node, Scope(ctes=ctes, outer=outer))
        scope = Scope(ctes=ctes, outer=outer)
        found = [self.query(q, scope) for q in node.find_all(exp.Query) if q.parent_select is None]
        relation = Relation()
        for part in found:
            relation.absorb(part)
        return relation

    def add_ctes(self, node: Any, ctes: dict[str, Relation], outer: Scope | None) -> None:
        """Resolve the common table expressions of a node into `ctes`."""
        clause = node.args.get("with_") if isinstance(node, exp.Expression) else None
        for cte in clause.expressions if clause is not None else ():
            name = cte.alias.casefold()
            names = [c.name for c in cte.args["alias"].args.get("columns") or []]
            if any(
                t.name.casefold() == name and not t.db for t in cte.this.find_all(exp.Table)
            ) and isinstance(cte.this, exp.SetOperation):
                ctes[name] = self._recursive(cte, name, names, ctes, outer)
            else:
                ctes[name] = self.query(cte.this, outer, ctes).renamed(names)

    def _recursive(
        self, cte: Any, name: str, names: list[str], ctes: dict[str, Relation], outer: Scope | None
    ) -> Relation:
        """Resolve a common table expression that reads itself, until nothing new flows."""
        branches = self._branches(cte.this)
        anchors = [b for b in branches if not any(t.name.casefold() == name for t in b.find_all(exp.Table))]
        current = Relation()
        for branch in anchors or branches[:1]:
            current = (
                combined(current, self.query(branch, outer, {**ctes, name: Relation()}), False)
                if current.fields
                else self.query(branch, outer, {**ctes, name: Relation()})
            )
        current = current.renamed(names)
        for _ in range(len(current.fields) + 2):
            before = [f.refs for f in current.fields]
            for branch in branches:
                if branch not in anchors:
                    current = combined(current, self.query(branch, outer, {**ctes, name: current}), False)
            if [f.refs for f in current.fields] == before:
                break
        return current

    def _branches(self, node: Any) -> list[Any]:
        """Return the operands of a chain of set operations, without recursion: chains of thousands are found."""
        pending, out = [node], []
        while pending:
            node = pending.pop()
            inner = node
            while (
                isinstance(inner, (exp.Subquery, exp.Paren))
                and isinstance(inner.this, exp.SetOperation)
                and not inner.args.get("with_")
            ):
                inner = inner.this
            if isinstance(inner, (exp.Union, exp.Intersect)) and (
                inner is node or not inner.args.get("with_")
            ):
                pending += [inner.expression, inner.this]
            else:
                out.append(node)
        return out

    def _set_operation(self, node: Any, outer: Scope | None, ctes: dict[str, Relation]) -> Relation:
        relation: Relation | None = None
        filters = isinstance(node, exp.Except)
        branches = [node.this, node.expression] if filters else self._branches(node)
        for branch in branches:
            part = self.query(branch, outer, ctes)
            if relation is None:
                relation = part.renamed([f.name for f in part.fields])
            elif filters:
                relation.absorb(part)  # EXCEPT takes rows away, no value of them flows
            else:
                relation = combined(relation, part, bool(node.args.get("by_name")))
        return relation or Relation()

    def _values(self, node: Any, scope: Scope) -> Relation:
        relation = Relation()
        for row in node.expressions:
            cells = row.expressions if isinstance(row, exp.Tuple) else [row]
            for i, cell in enumerate(cells):
                if i == len(relation.fields):
                    relation.fields.append(Field(f"column{i + 1}"))
                relation.fields[i].refs = union(relation.fields[i].refs, self.refs(cell, scope))
        relation.absorb(scope.reads)
        return relation.renamed(
            [c.name for c in (node.args["alias"].args.get("columns") or [])] if node.args.get("alias") else []
        )

    # --- sources

    def _select(self, node: Any, scope: Scope) -> Relation:
        start = node.args.get("from_")
        if start is not None:
            self.add_source(start.this, scope)
        for join in node.args.get("joins") or []:
            self.add_join(join, scope)
        for lateral in node.args.get("laterals") or []:
            self.add_source(lateral, scope)
        out = Relation()
        scope.windows = {w.name.casefold(): w for w in node.args.get("windows") or []}
        if node.args.get("connect") is not None:
            scope.merged["level"] = ()
        for item in node.expressions:
            self._project(item, scope, out)
        for key in (
            "where",
            "having",
            "qualify",
            "group",
            "order",
            "connect",
            "distinct",
            "cluster",
            "sort",
            "windows",
        ):
            part = node.args.get(key)
            if part is not None:
                self.filter_by(part, scope)
        out.absorb(scope.reads)
        return out

    def filter_by(self, node: Any, scope: Scope) -> None:
        """Note the tables that sub-queries of a condition read."""
        for part in node if isinstance(node, list) else [node]:
            for query in part.find_all(exp.Query) if isinstance(part, exp.Expression) else ():
                if not isinstance(query, exp.Subquery) and self._outermost(query, part):
                    scope.reads.absorb(self.query(query, scope))

    def _outermost(self, query: Any, root: Any) -> bool:
        node = query.parent
        while node is not None and node is not root:
            if isinstance(node, exp.Query) and not isinstance(node, exp.Subquery):
                return False
            node = node.parent
        return not (root is not query and isinstance(root, exp.Query) and not isinstance(root, exp.Subquery))

    def add_join(self, join: Any, scope: Scope) -> None:
        """Add the source of a join and its merged columns."""
        before = dict(scope.sources)
        added = self.add_source(join.this, scope)
        using = [c.name for c in join.args.get("using") or []]
        if str(join.args.get("method") or "").upper() == "NATURAL":
            left = {f.name.casefold() for s in before.values() for f in s.fields}
            using = [f.name for s in added for f in s.fields if f.name.casefold() in left]
        side = str(join.args.get("side") or "").upper()
        for name in using:
            old = scope.merged.get(name.casefold()) or self._unqualified(name, before, scope)
            new = union(*(self._lookup(s, name, scope) for s in added))
            scope.merged[name.casefold()] = (
                union(old, new) if side == "FULL" else new if side == "RIGHT" else old
            )
        if join.args.get("on") is not None:
            self.filter_by(join.args["on"], scope)

    def add_source(self, node: Any, scope: Scope) -> list[Relation]:
        """Add a FROM or JOIN item to the scope; return the relations added."""
        alias = node.args.get("alias")
        name = node.alias if not isinstance(alias, str) else alias
        names = [c.name for c in alias.args.get("columns") or []] if isinstance(alias, exp.TableAlias) else []
        added: list[Relation] = []
        if isinstance(node, exp.Table) and not isinstance(node.this, exp.Func):
            relation = self._named(node, scope)
            name = name or node.name
            scope.qualified[name.casefold()] = ".".join(p.name for p in node.parts).casefold()
        elif (
            isinstance(node, (exp.Subquery, exp.Paren))
            and isinstance(node.this, (exp.Table, exp.Join, exp.Subquery))
            and not node.args.get("with_")
        ):
            # A join in brackets: its tables stay visible under their own names.
            added += self.add_source(node.this, scope)
            for join in node.args.get("joins") or []:
                before = len(scope.sources)
                self.add_join(join, scope)
                added += list(scope.sources.values())[before:]
            if not name:
                return added
            relation = added[0]
        elif isinstance(node, exp.Values):
            relation = self._values(node, scope)
        elif isinstance(node, (exp.Subquery, exp.Query)):
            relation = self.query(node, scope)
        elif isinstance(node, exp.Lateral) and isinstance(node.this, (exp.Subquery, exp.Query)):
            relation = self.query(node.this, scope)
        else:
            relation = self._function(
                node, scope, names or ([name] if isinstance(node, exp.Unnest) and name else [])
            )
            names = []
        if node.args.get("pivots"):
            for pivot in node.args["pivots"]:
                relation = self._pivot(relation, pivot, scope)
                name = pivot.alias or name
        relation = relation.renamed(names)
        scope.reads.absorb(relation)
        key = (name or f"_{len(scope.sources)}").casefold()
        while key in scope.sources:
            key += "'"
        scope.sources[key] = relation
        added.append(relation)
        for join in node.args.get("joins") or [] if isinstance(node, exp.Table) else []:
            self.add_join(join, scope)
        for lateral in node.args.get("laterals") or [] if not isinstance(node, exp.Query) else []:
            self.add_source(lateral, scope)
        return added

    def _named(self, node: Any, scope: Scope) -> Relation:
        key = node.name.casefold()
        if not node.db:
            around: Scope | None = scope
            while around is not None:
                if key in around.ctes:
                    return around.ctes[key]
                around = around.outer
        parts = tuple(p.name for p in node.parts)
        temporary = isinstance(node.this, exp.Identifier) and node.this.args.get("temporary")
        if temporary and not parts[-1].startswith("#"):
            parts = (*parts[:-1], "#" + parts[-1])
        if isinstance(node.this, exp.Parameter):  # a table variable
            parts = ("@" + node.this.name,)
        if not any(parts):
            return Relation()
        if node.db and (column := self._correlated(node, scope)) is not None:
            return column
        return self._physical(Name(tuple(p for p in parts if p)))

    def _correlated(self, node: Any, scope: Scope) -> Relation | None:
        """Return an array column written as a source: FROM orders o, o.items."""
        if len(node.parts) != 2 or node.db.casefold() not in scope.sources:
            return None
        return Relation(
            [
                Field(
                    node.alias or node.name, self._lookup(scope.sources[node.db.casefold()], node.name, scope)
                )
            ]
        )

    def _function(self, node: Any, scope: Scope, names: list[str]) -> Relation:
        """Return the relation of a table function: each of its columns comes from all its arguments."""
        refs = self.refs(node.this if isinstance(node, (exp.Lateral, exp.Table)) else node, scope)
        relation = Relation([Field(n, refs) for n in names])
        relation.fields.append(Field("*", refs))
        return relation

    def _pivot(self, relation: Relation, pivot: Any, scope: Scope) -> Relation:
        inner = Scope({"_": relation}, scope.ctes, scope)
        out = Relation([], dict(relation.tables), relation.open, set(relation.unresolved))
        used = {c.name.casefold() for c in pivot.find_all(exp.Column)}
        kept = [f for f in relation.fields if f.name.casefold() not in used]
        if pivot.args.get("unpivot"):
            made = []
            for item in pivot.args.get("fields") or []:
                refs = union(*(self.refs(e, inner) for e in item.expressions))
                made += [Field(item.this.name), *(Field(e.name, refs) for e in pivot.expressions)]
            out.fields = kept + made
        else:
            refs = union(*(self.refs(e, inner) for e in pivot.expressions))
            names = [c.name.strip("'") for c in pivot.args.get("columns") or []]
            out.fields = kept + [Field(n, refs) for n in names] + [Field("*", refs)]
        return out

    # --- columns

    def _project(self, item: Any, scope: Scope, out: Relation) -> None:
        star: Any = item if isinstance(item, exp.Star) else None
        table: str | None = None
        if isinstance(item, exp.Column) and isinstance(item.this, exp.Star):
            star, table = item.this, item.table.casefold()
        if star is not None and table is not None and not self._sees(scope, table):
            # The fields of a value that is a whole row: SELECT one.* FROM (SELECT array_agg(t)[0] AS one FROM t).
            for origin, column in self._unqualified(table, scope.sources, scope):
                if column:
                    out.fields.append(Field(column, ((origin, column),)))
                else:
                    out.open = tuple(dict.fromkeys((*out.open, origin)))
            return
        if star is not None:
            part = self._star(scope, table, star.args.get("except_") or star.args.get("except") or [])
            replaced = {e.alias.casefold(): self.refs(e, scope) for e in star.args.get("replace") or []}
            renamed = {e.this.name.casefold(): e.alias for e in star.args.get("rename") or []}
            for one in part.fields:
                key = one.name.casefold()
                out.fields.append(Field(renamed.get(key, one.name), replaced.get(key, one.refs)))
            out.open = tuple(dict.fromkeys(out.open + part.open))
            return
        if isinstance(item, exp.Aliases):
            refs = self.refs(item.this, scope)
            out.fields += [Field(a.name, refs) for a in item.args.get("expressions") or []]
            return
        name = _output_name(item)
        refs = self.refs(item.this if isinstance(item, exp.Alias) else item, scope)
        if isinstance(item, exp.Alias):
            scope.aliases.setdefault(name.casefold(), refs)
        out.fields.append(Field(name, refs))

    def _sees(self, scope: Scope, table: str) -> bool:
        return any(k == table or scope.qualified.get(k) == table for k in scope.sources)

    def _star(self, scope: Scope, table: str | None, dropped: list[Any]) -> Relation:
        """Return the columns a star stands for."""
        out = Relation()
        gone = {e.name.casefold() for e in dropped}
        seen: set[str] = set()
        chosen = (
            scope.sources
            if table is None
            else {k: v for k, v in scope.sources.items() if k == table or scope.qualified.get(k) == table}
        )
        for source in chosen.values():
            for one in source.fields:
                key = one.name.casefold()
                if key in gone or one.name == "*" or (table is None and key in scope.merged and key in seen):
                    continue
                seen.add(key)
                refs = scope.merged.get(key, one.refs) if table is None else one.refs
                out.fields.append(Field(one.name, refs))
            out.open = tuple(dict.fromkeys(out.open + source.open))
            out.absorb(source)
        return out

    def refs(self, node: Any, scope: Scope) -> tuple[ColumnRef, ...]:
        """Return the physical columns an expression's value is computed from; sub-queries are noted as read."""
        if isinstance(node, exp.Column):
            return self._column(node, scope)
        if isinstance(node, exp.Exists):
            self.filter_by(node, scope)
            return ()
        if isinstance(node, exp.In) and node.args.get("query") is not None:
            self.filter_by(node.args["query"], scope)
            return self.refs(node.this, scope)
        if isinstance(node, exp.Query):
            part = self.query(node, scope)
            scope.reads.absorb(part)
            return part.refs()
        if isinstance(node, exp.Count) and not any(True for _ in node.find_all(exp.Column)):
            return tuple((t, "") for s in scope.sources.values() for t in self._counted(s))
        if isinstance(node, exp.Window) and node.alias and node.alias.casefold() in scope.windows:
            named = scope.windows[node.alias.casefold()]
            parts = [
                *(named.args.get("partition_by") or []),
                *([named.args["order"]] if named.args.get("order") else []),
            ]
            return union(self.refs(node.this, scope), *(self.refs(part, scope) for part in parts))
        if isinstance(node, exp.Star):
            return union(*(s.refs() for s in scope.sources.values()))
        if isinstance(node, exp.Lambda):
            bound = {e.name.casefold() for e in node.expressions}
            inner = Scope({"_": Relation([Field(b) for b in bound])}, scope.ctes, scope)
            return self.refs(node.this, inner)
        if not isinstance(node, exp.Expression):
            return ()
        return union(*(self.refs(child, scope) for child in node.iter_expressions()))

    def _counted(self, source: Relation) -> tuple[str, ...]:
        """Return the tables whose rows a count of this source counts."""
        value = dict.fromkeys(t for t, _ in source.refs())
        return tuple(value) if value else tuple(source.tables)

    def _column(self, node: Any, scope: Scope) -> tuple[ColumnRef, ...]:
        if isinstance(node.this, exp.Star):
            return self._star(scope, node.table.casefold(), []).refs()
        if not node.table:
            return self._unqualified(node.name, scope.sources, scope)
        around: Scope | None = scope
        parts = [p.name for p in node.parts]
        while around is not None:
            # schema.table.column, alias.column, alias.struct.field, column.field
            for size in range(len(parts) - 1, 0, -1):
                key = ".".join(parts[:size]).casefold()
                for alias, source in around.sources.items():
                    full = around.qualified.get(alias, alias)
                    if alias == key or full == key or (size > 1 and full.endswith("." + key)):
                        return self._lookup(source, parts[size], around)
            around = around.outer
        return self._unqualified(parts[0], scope.sources, scope)

    def _lookup(self, source: Relation, name: str, scope: Scope) -> tuple[ColumnRef, ...]:
        found = source.find(name)
        if found is not None:
            return found.refs
        if len(source.open) == 1:
            return ((source.open[0], name),)
        if source.open:
            scope.reads.unresolved.update(source.open)
            return tuple((t, "") for t in source.open)
        anything = source.find("*")
        if anything is not None:
            return anything.refs
        if name.casefold() in PSEUDO_COLUMNS:
            return ()
        scope.reads.unresolved.update(source.tables)
        return tuple((t, "") for t in source.tables)

    def _unqualified(self, name: str, sources: dict[str, Relation], scope: Scope) -> tuple[ColumnRef, ...]:
        key = name.casefold()
        around: Scope | None = scope
        first = True
        while around is not None:
            here = sources if first else around.sources
            if key in around.merged and here is around.sources:
                return around.merged[key]
            known = [s for s in here.values() if s.find(name) is not None]
            if known:
                return known[0].find(name).refs  # type: ignore[union-attr]
            opened = [s for s in here.values() if s.open]
            if key in around.aliases and len(opened) != 1:
                return around.aliases[key]
            if len(opened) == 1 and len(here) >= 1:
                return self._lookup(opened[0], name, scope)
            if len(opened) > 1 and key not in PSEUDO_COLUMNS:
                tables = tuple(dict.fromkeys(t for s in opened for t in s.open))
                scope.reads.unresolved.update(tables)
                return tuple((t, "") for t in tables)
            functions = [s for s in here.values() if s.find("*") is not None]
            if len(functions) == 1:
                return functions[0].find("*").refs  # type: ignore[union-attr]
            if key in here:  # a whole row: SELECT t FROM t
                return here[key].refs()
            around, first = around.outer, False
        if key not in PSEUDO_COLUMNS and len(sources) == 1:
            read = [t for s in sources.values() for t in s.tables]
            scope.reads.unresolved.update(read)
            return tuple((t, "") for t in read)
        return ()


def _output_name(item: Any) -> str:
    """Return the name of an output column; one that is not named is called like its function."""
    if isinstance(item, (exp.Alias, exp.Column, exp.Subquery, exp.PropertyEQ)) or item.alias:
        return str(item.alias_or_name)
    if isinstance(item, exp.EQ) and isinstance(item.this, exp.Literal) and item.this.is_string:
        return str(item.this.this)  # T-SQL: SELECT 'name' = value
    if isinstance(item, exp.Dot):
        return str(item.expression.name)
    if isinstance(item, exp.Anonymous):
        return str(item.name).lower()
    return str(item.sql_name()).lower() if isinstance(item, exp.Func) else str(item.output_name)
