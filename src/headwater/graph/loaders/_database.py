"""What the loaders of databases share: URLs without credentials, and writing catalog rows into a graph."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from headwater.errors import SetupError
from headwater.graph._model import ForeignKey, GraphColumn, GraphTable, Origin, SchemaGraph
from headwater.graph.loaders._identifiers import Name
from headwater.graph.loaders._script import SqlLoader


def public_place(url: str) -> str:
    """Return host, port and database of a URL: the part that may be shown.

    Everything up to the last @ is left out, so that a password with unescaped signs in it does not show either.
    """
    scheme, _, rest = url.partition("://")
    rest = rest.rsplit("@", 1)[-1].split("?", 1)[0].split("#", 1)[0]
    return f"{scheme}://{rest}"


def secrets_of(url: str) -> list[str]:
    """Return the texts of a URL that must not show in a message: user and password, as written and decoded."""
    rest = url.partition("://")[2]
    user_info = rest.rsplit("@", 1)[0] if "@" in rest else ""
    parts = [p for p in (user_info, *user_info.split(":", 1)) if p]
    query = urlsplit(url).query
    parts += [
        value for pair in query.split("&") if (value := pair.partition("=")[2]) and "pass" in pair.lower()
    ]
    return sorted({*parts, *(unquote(p) for p in parts)}, key=len, reverse=True)


def connection_error(url: str, error: BaseException) -> SetupError:
    """Return the error for a database that cannot be reached, without any credential in it."""
    text = " ".join(str(error).split())
    for secret in secrets_of(url):
        text = text.replace(secret, "***")
    return SetupError(
        f"The database at {public_place(url)} cannot be read: {text[:300]}",
        where=public_place(url),
        hint="Check that the server runs, and the host, port, database, user and password of the URL.",
    )


@dataclass(slots=True)
class Catalog:
    """Rows of a database's catalog on their way into a graph.

    Attributes:
        graph: where to.
        sql: the scope of names that scripts share.
        origin: what read it, and the place.
        default: the schema whose tables are named without it.
    """

    graph: SchemaGraph
    sql: SqlLoader
    origin: Origin
    default: str

    def name(self, schema: str, table: str) -> str:
        """Return the name of a table in the graph."""
        return self.sql.names.add(Name((table,) if schema == self.default else (schema, table)))

    def add_table(self, schema: str, table: str, kind: str) -> GraphTable:
        """Add a table or view."""
        return self.graph.add_table(GraphTable(self.name(schema, table), kind=kind, origin=self.origin))

    def add_columns(self, rows: Iterable[tuple[str, str, str, str, bool]]) -> None:
        """Add (schema, table, column, type, may be null) rows, in order."""
        for schema, table, column, kind, nullable in rows:
            known = self.graph.tables.get(self.name(schema, table))
            if known is not None:
                known.columns.append(GraphColumn(column, kind, nullable))

    def add_keys(self, rows: Iterable[tuple[str, str, str, str, str, str, str]]) -> None:
        """Add (name, schema, table, column, parent schema, parent table, parent column) rows, one a column, in order."""
        keys: dict[tuple[str, str, str], tuple[str, str, list[str], list[str]]] = {}
        for name, schema, table, column, parent_schema, parent, parent_column in rows:
            key = keys.setdefault((schema, table, name), (parent_schema, parent, [], []))
            key[2].append(column)
            key[3].append(parent_column)
        for (schema, table, name), (parent_schema, parent, columns, parents) in keys.items():
            self.graph.add_foreign_key(
                ForeignKey(
                    name,
                    self.name(schema, table),
                    tuple(columns),
                    self.name(parent_schema, parent),
                    tuple(parents),
                    self.origin,
                )
            )

    def add_view(self, schema: str, view: str, query: str | None, dialect: str) -> None:
        """Note the query of a view for its lineage."""
        if query:
            parts = (view,) if schema == self.default else (schema, view)
            self.sql.add_query(query, Name(parts), self.origin.file, dialect)
        else:
            self.graph.add_problem(
                self.origin.file,
                0,
                f"the query of view {self.name(schema, view)} may not be read by this user",
            )
