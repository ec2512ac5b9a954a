"""The lineage of scripts: queries of views and tables, and the statements that write."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from headwater.graph._model import GraphColumn, GraphTable, LineageEdge, Origin, SchemaGraph
from headwater.graph.loaders._flows import Flow, Flows, TableShape, named, pairs_by_source
from headwater.graph.loaders._identifiers import Name, read_name
from headwater.graph.loaders._lexer import QUOTED, WORD, Token
from headwater.graph.loaders._names import Names
from headwater.graph.loaders._parse import THIS, UnreadError, parse, readable
from headwater.graph.loaders._relations import Resolver
from headwater.graph.loaders._scopes import Field, Relation, Scope

_ROW_VARIABLES = ("inserted", "deleted", "new", "old", "new_table", "old_table")


@dataclass(slots=True)
class Session:
    """What lives as long as one script: its temporary tables and views, and those of them that nothing has read yet."""

    temporary: dict[str, Relation] = field(default_factory=dict)
    unread: dict[str, tuple[Flow, Job]] = field(default_factory=dict)


@dataclass(slots=True)
class Job:
    """A statement whose data flow is to be found.

    Attributes:
        tokens: of the query (if `target` is given) or of the whole statement.
        text: the script.
        dialect: of the script.
        title: the first words, for messages.
        origin: file, line and statement.
        session: of the script.
        target: what the query makes; None if the statement itself says where it writes.
        columns: names the target gives to the query's columns.
        temporary: the target lives in the session only.
        trigger: table whose rows the statement of a trigger sees.
        database: the database or schema that is selected where it stands.
    """

    tokens: list[Token]
    text: str
    dialect: str
    title: str
    origin: Origin
    session: Session
    target: Name | None = None
    columns: list[str] = field(default_factory=list)
    temporary: bool = False
    trigger: Name | None = None
    database: str = ""


class LineageFinder:
    """Runs jobs and writes their edges into the graph.

    Args:
        graph: the graph; tables defined in scripts are already in it.
        names: the names of its tables.
        automatic: columns by table that the database fills by itself.
    """

    def __init__(self, graph: SchemaGraph, names: Names, automatic: dict[str, set[str]]) -> None:
        self._graph, self._names, self._automatic = graph, names, automatic
        self._makers: dict[str, Job] = {}
        self._done: set[int] = set()
        self._job: Job | None = None

    def run(self, jobs: list[Job]) -> None:
        """Find the lineage of all jobs. Those whose result another one reads come first."""
        for job in jobs:
            if job.target is not None and not job.temporary:
                self._makers.setdefault(self._names.find_or_add(job.target), job)
        for job in jobs:
            self._run_after_sources(job)
        for session in {id(job.session): job.session for job in jobs}.values():
            self._show_unread(session)

    def _run_after_sources(self, job: Job) -> None:
        """Run what makes the sources of a job before it, without recursion: chains of thousands of views are found."""
        pending, seen = [(job, False)], {id(job)}
        while pending:
            current, ready = pending.pop()
            if ready or current.target is None:
                self._run(current)
                continue
            pending.append((current, True))
            for name in _scan_names(current.tokens)[1]:
                maker = self._makers.get(self._names.find(name, current.target.text, current.database) or "")
                if maker is not None and id(maker) not in seen and id(maker) not in self._done:
                    seen.add(id(maker))
                    pending.append((maker, False))

    def _show_unread(self, session: Session) -> None:
        """Show the temporary tables a script ends in: nothing else tells where their data comes from."""
        for key, (flow, job) in session.unread.items():
            relation = session.temporary[key]
            columns = [] if relation.open else [GraphColumn(f.name) for f in relation.fields if f.name]
            name = self._names.add(flow.target)
            origin = Origin(
                job.origin.tool, job.origin.file, job.origin.line, job.origin.statement, "temporary"
            )
            self._graph.add_table(GraphTable(name, columns, origin=origin))
            self._edges(name, Flow(flow.target, relation.fields, relation), origin)

    def _run(self, job: Job) -> None:
        if id(job) in self._done:
            return
        self._done.add(id(job))
        before, self._job = self._job, job
        try:
            self._follow(job)
        except RecursionError:
            self._problem(job, "the statement is nested too deeply to follow its data")
            self._scan(job)
        finally:
            self._job = before

    def _follow(self, job: Job) -> None:
        try:
            tree, dialect = parse(readable(job.tokens, job.text, job.dialect), job.dialect)
        except UnreadError as error:
            self._problem(job, f"the data flow could not be read: {error}")
            self._scan(job)
            return
        resolver = Resolver(self._physical)
        flows = Flows(resolver, self._shape)
        rows = {}
        if job.trigger is not None:
            rows = {name: self._physical(job.trigger) for name in _ROW_VARIABLES}
        if job.target is None:
            for flow in flows.of(tree, rows):
                self._write(flow, job, dialect)
            return
        relation = resolver.query(tree, Scope(dict(rows)))
        fields = [
            Field(job.columns[i] if i < len(job.columns) else f.name, f.refs)
            for i, f in enumerate(named(relation))
        ]
        self._write(Flow(job.target, fields, relation, "create"), job, dialect, _types(tree, dialect))

    # --- what names mean

    def _physical(self, name: Name) -> Relation:
        job = self._job
        if job is not None:
            if name.text == THIS and job.target is not None:
                name = job.target
            if job.trigger is not None and len(name.parts) == 1 and name.text.casefold() in _ROW_VARIABLES:
                return self._physical(job.trigger)
            temporary = job.session.temporary.get(name.parts[-1].casefold())
            if temporary is not None:
                job.session.unread.pop(name.parts[-1].casefold(), None)
                return temporary
        return self.relation_of(self._names.find_or_add(name, self._near(), self._database()))

    def relation_of(self, table: str) -> Relation:
        """Return the relation of a physical table."""
        maker = self._makers.get(table)
        known = self._graph.tables.get(table)
        if maker is not None and (known is None or not known.columns):
            self._run(maker)
            known = self._graph.tables.get(table)
        if known is None or not known.columns:
            return Relation(tables={table: None}, open=(table,))
        return Relation([Field(c.name, ((table, c.name),)) for c in known.columns], {table: None})

    def _near(self) -> str:
        return self._job.target.text if self._job is not None and self._job.target is not None else ""

    def _database(self) -> str:
        return self._job.database if self._job is not None else ""

    def _shape(self, name: Name) -> TableShape:
        if self._job is not None and (
            temporary := self._job.session.temporary.get(name.parts[-1].casefold())
        ):
            return TableShape([f.name for f in temporary.fields if f.name != "*"])
        table = self._graph.tables.get(self._names.find(name, self._near(), self._database()) or "")
        if table is None:
            return TableShape()
        return TableShape([c.name for c in table.columns], self._automatic.get(table.name, set()))

    # --- edges

    def _write(self, flow: Flow, job: Job, dialect: str, types: dict[str, str] | None = None) -> None:
        key = flow.target.parts[-1].casefold()
        if (
            job.temporary
            or flow.temporary
            or key.startswith(("#", "@"))
            or (flow.kind != "create" and key in job.session.temporary)
        ):
            _remember(job.session, key, flow)
            if not key.startswith("@") and flow.reads.tables:
                job.session.unread[key] = (flow, job)
            return
        target = self._names.find_or_add(flow.target, database=job.database)
        origin = Origin(f"sql:{dialect or 'sql'}", job.origin.file, job.origin.line, job.origin.statement)
        if flow.kind == "create":
            columns = (
                []
                if flow.reads.open and not job.columns
                else [GraphColumn(f.name, (types or {}).get(f.name, "")) for f in flow.fields]
            )
            self._graph.add_table(GraphTable(target, columns, origin=job.origin))
        self._edges(target, flow, origin)

    def _edges(self, target: str, flow: Flow, origin: Origin) -> None:
        pairs = pairs_by_source(flow.fields)
        spelling = (
            {c.name.casefold(): c.name for c in self._graph.tables[target].columns}
            if target in self._graph.tables
            else {}
        )
        opened = set(flow.reads.open)
        for source in {**flow.reads.tables, **dict.fromkeys(pairs)}:
            value = source in pairs or source in opened
            unresolved = source in flow.reads.unresolved or source in opened
            # A table that is copied into its successor, which then takes its name, is no source of itself.
            renamed = flow.target.text.casefold() != target.casefold() and not target.casefold().endswith(
                "." + flow.target.text.casefold()
            )
            if source == target and (renamed or not value or flow.kind not in ("insert", "create")):
                continue
            note = "unresolved star" if source in opened else "unresolved column" if unresolved else ""
            columns = tuple((a, spelling.get(b.casefold(), b)) for a, b in pairs.get(source, ()))
            self._graph.add_lineage(
                LineageEdge(
                    source,
                    target,
                    columns,
                    value,
                    unresolved,
                    Origin(origin.tool, origin.file, origin.line, origin.statement, note),
                )  # fmt: skip
            )

    def _problem(self, job: Job, message: str) -> None:
        self._graph.add_problem(job.origin.file, job.origin.line, f"{job.title!r}: {message}")

    def _scan(self, job: Job) -> None:
        """Write table edges for a statement no parser reads: the names after INTO, FROM, JOIN and USING."""
        targets, sources = _scan_names(job.tokens)
        target = job.target or (targets[0] if targets else None)
        if target is None:
            return
        reads = Relation()
        for name in sources:
            relation = self._physical(name)
            reads.tables.update(relation.tables)
            reads.unresolved.update(relation.tables)
        fields = [Field("", tuple((t, "") for t in reads.tables))]
        self._write(
            Flow(target, fields, reads, "insert" if job.target is None else "create"), job, job.dialect
        )


def _types(tree: object, dialect: str) -> dict[str, str]:
    """Return the types of columns a query casts to, as CREATE TABLE … AS SELECT CAST(NULL AS integer) AS id defines them."""
    types = {}
    for item in getattr(tree, "selects", ()):
        value = item.unalias()
        if value.key == "cast":
            types[item.alias_or_name] = value.args["to"].sql(dialect or None)
    return types


def _remember(session: Session, key: str, flow: Flow) -> None:
    """Add a flow into a temporary table to what the session knows of it."""
    known = session.temporary.get(key)
    if known is None or flow.kind == "create":
        session.temporary[key] = Relation(
            list(flow.fields), dict(flow.reads.tables), flow.reads.open, set(flow.reads.unresolved)
        )
        return
    merged = Relation(
        [Field(f.name, f.refs) for f in known.fields],
        dict(known.tables),
        tuple(dict.fromkeys(known.open + flow.reads.open)),
        set(known.unresolved),
    )
    if flow.kind != "update":  # an update adds no rows: what it reads only reaches the columns it sets
        merged.absorb(flow.reads)
    for one in flow.fields:
        mine = merged.find(one.name)
        if mine is None:
            merged.fields.append(one)
        else:
            mine.refs = tuple(dict.fromkeys(mine.refs + one.refs))
    session.temporary[key] = merged


def _scan_names(tokens: list[Token]) -> tuple[list[Name], list[Name]]:
    targets: list[Name] = []
    sources: list[Name] = []
    ctes = {
        t.key.casefold()
        for i, t in enumerate(tokens[:-2])
        if tokens[i + 1].key == "AS" and tokens[i + 2].key == "("
    }
    for i, token in enumerate(tokens):
        if token.kind != WORD or token.key not in (
            "INTO",
            "FROM",
            "JOIN",
            "USING",
            "MERGE",
            "UPDATE",
            "TABLE",
        ):
            continue
        at = (
            i + 2
            if i + 1 < len(tokens) and tokens[i + 1].key in ("INTO", "TABLE", "ONLY", "LATERAL")
            else i + 1
        )
        if at >= len(tokens) or tokens[at].kind not in (WORD, QUOTED) or tokens[at].key in ("SELECT", "SET"):
            continue
        name, after = read_name(tokens, at)
        called = after < len(tokens) and tokens[after].key == "(" and token.key in ("FROM", "JOIN")
        if not name.parts or called or (len(name.parts) == 1 and name.parts[0].casefold() in ctes):
            continue
        (sources if token.key in ("FROM", "JOIN", "USING") else targets).append(name)
    return targets, sources


def has_any(tokens: Iterable[Token], words: set[str]) -> bool:
    """Return whether a keyword of `words` occurs."""
    return any(t.kind == WORD and t.key in words for t in tokens)
