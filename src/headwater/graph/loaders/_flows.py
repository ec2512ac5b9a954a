"""What a statement writes where: its target, and for each target column the physical columns it is computed from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp

from headwater.graph.loaders._identifiers import Name
from headwater.graph.loaders._relations import Resolver
from headwater.graph.loaders._scopes import ColumnRef, Field, Relation, Scope, union


@dataclass(slots=True)
class Flow:
    """Data written by one statement.

    Attributes:
        target: the table written, as named in the statement.
        fields: target columns with the physical columns their values come from.
        reads: everything the statement reads.
        kind: "insert", "update", "merge" or "create".
        temporary: the target lives in the session only.
    """

    target: Name
    fields: list[Field]
    reads: Relation
    kind: str = "insert"
    temporary: bool = False


@dataclass(slots=True)
class TableShape:
    """What is known of a target: its columns in order, and those the database fills by itself."""

    columns: list[str] = field(default_factory=list)
    automatic: set[str] = field(default_factory=set)


def table_name(node: Any) -> Name:
    """Return the name of a table node."""
    parts = tuple(p.name for p in node.parts if p.name)
    temporary = isinstance(node.this, exp.Identifier) and node.this.args.get("temporary")
    if temporary and parts and not parts[-1].startswith("#"):
        parts = (*parts[:-1], "#" + parts[-1])
    if isinstance(node.this, exp.Parameter):
        parts = ("@" + node.this.name,)
    return Name(parts)


class Flows:
    """Finds the flows of statements."""

    def __init__(self, resolver: Resolver, shape: Callable[[Name], TableShape]) -> None:
        self._resolver = resolver
        self._shape = shape
        self._found: list[Flow] = []
        resolver.on_statement = self._inner

    def of(self, tree: Any, rows: dict[str, Relation] | None = None) -> list[Flow]:
        """Return the flows of one statement; `rows` are the row variables of a trigger (new, old) by name."""
        self._found = []
        self._statement(tree, Scope(dict(rows or {})))
        return self._found

    def _inner(self, tree: Any, scope: Scope) -> Relation:
        """Handle a statement inside a common table expression; return the rows it hands on (RETURNING)."""
        self._statement(tree, scope)
        target = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
        inner = Scope(ctes=dict(scope.ctes))
        self._resolver.add_source(target.copy(), inner)
        returning = tree.args.get("returning")
        if returning is None:
            return Relation()
        return self._resolver.query(
            exp.Select(
                expressions=[e.copy() for e in returning.expressions], from_=exp.From(this=target.copy())
            ),
            None,
            scope.ctes,
        )

    def _statement(self, tree: Any, scope: Scope) -> None:
        if not isinstance(
            tree, (exp.Insert, exp.Update, exp.Merge, exp.MultitableInserts, exp.Query, exp.Create)
        ):
            return
        self._resolver.add_ctes(tree, scope.ctes, scope.outer)
        if isinstance(tree, exp.Insert):
            self._insert(tree, scope)
        elif isinstance(tree, exp.Update):
            self._update(tree, scope)
        elif isinstance(tree, exp.Merge):
            self._merge(tree, scope)
        elif isinstance(tree, exp.MultitableInserts):
            self._multi_insert(tree, scope)
        elif isinstance(tree, exp.Query):
            into = tree.find(exp.Into)
            relation = self._resolver.query(tree, scope, scope.ctes)
            if into is not None and isinstance(into.this, exp.Table):
                flow = Flow(
                    table_name(into.this),
                    named(relation),
                    relation,
                    "create",
                    bool(into.args.get("temporary")),
                )
                self._found.append(flow)

    # --- INSERT

    def _insert(self, tree: Any, scope: Scope) -> None:
        target, columns = _target(tree.this)
        source = tree.expression
        if target is None or source is None:
            return
        relation = self._resolver.query(source, scope, scope.ctes)
        names = (
            [] if tree.args.get("by_name") else columns or _partition_last(self._shape(target).columns, tree)
        )
        fields = assign(names, relation, self._shape(target), bool(columns), bool(tree.args.get("by_name")))
        conflict = tree.args.get("conflict")
        if conflict is not None:
            fields = fields + self._conflict(conflict, fields, scope)
        self._found.append(Flow(target, fields, relation))

    def _conflict(self, conflict: Any, fields: list[Field], scope: Scope) -> list[Field]:
        """Return what ON CONFLICT DO UPDATE or ON DUPLICATE KEY UPDATE adds to the inserted columns."""
        inserted = Relation(list(fields))
        extra = []
        for item in conflict.expressions or []:
            if not isinstance(item, exp.EQ) or not isinstance(item.this, exp.Column):
                continue
            inner = Scope({"excluded": inserted, "new": inserted}, scope.ctes)
            refs = self._resolver.refs(item.expression, inner)
            for call in item.expression.find_all(exp.Anonymous):  # MySQL: VALUES(column)
                if call.name.upper() == "VALUES":
                    refs = union(
                        refs,
                        *(
                            f.refs
                            for e in call.expressions
                            for f in inserted.fields
                            if f.name.casefold() == e.name.casefold()
                        ),
                    )
            extra.append(Field(item.this.name, refs))
        return extra

    def _multi_insert(self, tree: Any, scope: Scope) -> None:
        source = self._resolver.query(tree.args["source"], scope, scope.ctes)
        for item in tree.expressions:
            insert = item.this
            target, columns = _target(insert.this)
            if target is None:
                continue
            if isinstance(insert.expression, exp.Values):
                relation = self._resolver.query(
                    insert.expression, Scope({"_": source}, scope.ctes), scope.ctes
                )
                relation.absorb(source)
            else:
                relation = source
            shape = self._shape(target)
            self._found.append(
                Flow(
                    target, assign(columns or shape.columns, relation, shape, bool(columns), False), relation
                )
            )

    # --- UPDATE and MERGE

    def _update(self, tree: Any, scope: Scope) -> None:
        if not isinstance(tree.this, exp.Table):
            return
        inner = Scope(ctes=scope.ctes, outer=scope)
        start = tree.args.get("from_")
        names = _own_tables([tree.this, start])
        written = tree.this.alias_or_name.casefold()
        target = table_name(tree.this)
        if start is not None:
            self._resolver.add_source(start.this, inner)
        for join in tree.args.get("joins") or []:
            self._resolver.add_join(join, inner)
        aliased = _own_tables([start]).get(written)
        if aliased is not None and not tree.this.db and not tree.this.alias:
            target = aliased  # T-SQL names an alias of the FROM clause: UPDATE a SET … FROM t AS a
        else:
            self._resolver.add_source(tree.this, inner)
        assigned: dict[tuple[str, ...], list[Field]] = {}
        for item in tree.expressions:
            for qualifier, one in self._assignments(item, inner):
                own = not qualifier or qualifier.casefold() == written
                table = target if own else names.get(qualifier.casefold(), target)
                assigned.setdefault(table.parts, []).append(one)
        if tree.args.get("where") is not None:
            self._resolver.filter_by(tree.args["where"], inner)
        for parts, fields in assigned.items():
            self._found.append(Flow(Name(parts), fields, inner.reads, "update"))

    def _assignments(self, item: Any, scope: Scope) -> list[tuple[str, Field]]:
        """Return (qualifier, field) for one item of SET."""
        if not isinstance(item, exp.EQ):
            return []
        left, right = item.this, item.expression
        if isinstance(left, exp.Column):
            return [(left.table, Field(left.name, self._resolver.refs(right, scope)))]
        if not isinstance(left, (exp.Tuple, exp.Paren)):
            return []
        columns = left.expressions or [left.this]
        if isinstance(right, exp.Query):
            part = self._resolver.query(right, scope)
            scope.reads.absorb(part)
            values = [f.refs for f in part.fields]
        else:
            values = [self._resolver.refs(e, scope) for e in right.expressions or [right]]
        return [(c.table, Field(c.name, v)) for c, v in zip(columns, values, strict=False)]

    def _merge(self, tree: Any, scope: Scope) -> None:
        target = table_name(tree.this)
        inner = Scope(ctes=scope.ctes, outer=scope)
        self._resolver.add_source(tree.args["using"], inner)
        source = next(iter(inner.sources.values()), Relation())
        self._resolver.add_source(tree.this, inner)
        if tree.args.get("on") is not None:
            self._resolver.filter_by(tree.args["on"], inner)
        fields: list[Field] = []
        shape = self._shape(target)
        for when in tree.args["whens"].expressions:
            then = when.args.get("then")
            if when.args.get("condition") is not None:
                self._resolver.filter_by(when.args["condition"], inner)
            if isinstance(then, exp.Update):
                if any(isinstance(e, exp.Star) for e in then.expressions):
                    fields += assign(shape.columns, source, shape, False, True)
                for item in then.expressions:
                    fields += [one for _, one in self._assignments(item, inner)]
            elif isinstance(then, exp.Insert):
                fields += self._merge_insert(then, source, inner, shape)
        self._found.append(Flow(target, fields, inner.reads, "merge"))

    def _merge_insert(self, then: Any, source: Relation, scope: Scope, shape: TableShape) -> list[Field]:
        if isinstance(then.this, exp.Star) or then.expression is None:  # INSERT *, INSERT ROW
            return assign(shape.columns, source, shape, False, True)
        columns = (
            [c.name for c in then.this.expressions] if isinstance(then.this, (exp.Tuple, exp.Schema)) else []
        )
        values = then.expression
        if isinstance(values, exp.Values) and values.expressions:
            values = values.expressions[0]
        cells = (
            values.expressions
            if isinstance(values, exp.Tuple)
            else [values.this if isinstance(values, exp.Paren) else values]
        )
        # Unqualified names in VALUES mean the source; the target may still be named.
        own = {k: s for k, s in scope.sources.items() if s is source}
        inserted = Scope(own, scope.ctes, scope, qualified=scope.qualified, reads=scope.reads)
        refs = [self._resolver.refs(cell, inserted) for cell in cells]
        return [Field(c, r) for c, r in zip(columns or shape.columns, refs, strict=False)]


def _own_tables(clauses: list[Any]) -> dict[str, Name]:
    """Return the tables of clauses by alias, those of sub-queries left out."""
    names: dict[str, Name] = {}
    for clause in clauses:
        for table in clause.find_all(exp.Table) if clause is not None else ():
            if isinstance(table.this, exp.Identifier) and table.find_ancestor(exp.Subquery) is None:
                names.setdefault(table.alias_or_name.casefold(), table_name(table))
    return names


def _target(node: Any) -> tuple[Name | None, list[str]]:
    columns: list[str] = []
    if isinstance(node, exp.Schema):
        columns = [e.name for e in node.expressions if not isinstance(e, exp.Constraint)]
        node = node.this
    return (table_name(node), columns) if isinstance(node, exp.Table) else (None, [])


def _partition_last(columns: list[str], tree: Any) -> list[str]:
    """Return the columns an INSERT into a static partition fills: those whose value the partition fixes are left out."""
    partition = tree.this.args.get("partition") if isinstance(tree.this, exp.Table) else None
    fixed = set()
    if isinstance(partition, exp.Partition):
        fixed = {e.this.name.casefold() for e in partition.expressions if isinstance(e, exp.EQ)}
    return [c for c in columns if c.casefold() not in fixed]


def named(relation: Relation) -> list[Field]:
    """Return the fields of a relation that have a name of their own."""
    return [f for f in relation.fields if f.name and f.name != "*"]


def assign(
    names: list[str], relation: Relation, shape: TableShape, listed: bool, by_name: bool
) -> list[Field]:
    """Return target columns with the references of the source's fields that go into them.

    Args:
        names: target columns in order, or empty where unknown.
        relation: the source.
        shape: what is known of the target.
        listed: the statement lists the columns itself.
        by_name: columns are matched by name and not by position.
    """
    fields = [f for f in relation.fields if f.name != "*"]
    if not names:
        return named(relation)
    if by_name or relation.open:
        wanted = {n.casefold(): n for n in names}
        matched = [Field(wanted[f.name.casefold()], f.refs) for f in fields if f.name.casefold() in wanted]
        if by_name and len(relation.open) == 1:
            have = {f.name.casefold() for f in matched}
            matched += [Field(n, ((relation.open[0], n),)) for n in names if n.casefold() not in have]
        return matched
    if not listed and len(fields) != len(names):
        manual = [n for n in names if n not in shape.automatic]
        if len(manual) == len(fields):
            names = manual
        elif len(fields) > len(names):
            return named(relation)
    return [Field(n, f.refs) for n, f in zip(names, fields, strict=False)]


def pairs_by_source(fields: list[Field]) -> dict[str, tuple[tuple[str, str], ...]]:
    """Return for each physical table the pairs (its column, target column); tables with a flow of no known column have ()."""
    out: dict[str, dict[tuple[str, str], None]] = {}
    for one in fields:
        for table, column in one.refs:
            pairs = out.setdefault(table, {})
            if column and one.name:
                pairs[(column, one.name)] = None
    return {table: tuple(pairs) for table, pairs in out.items()}


def refs_of(fields: list[Field]) -> tuple[ColumnRef, ...]:
    """Return all references of the fields."""
    return union(*(f.refs for f in fields))
