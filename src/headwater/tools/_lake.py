"""The tools over a lake: search, list, inspect, read, related, sql, status."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from headwater.errors import UsageError
from headwater.tools._registry import Registry
from headwater.tools._several import each, find_in

if TYPE_CHECKING:
    from headwater.lake import Lake

TOOLS = Registry()
"""Headwater's own tools, for command line, MCP and agents."""

Mode = Literal["lexical", "vector", "hybrid"]
Kind = Literal["table", "text"]

FROM_0, FROM_1 = {"minimum": 0}, {"minimum": 1}
"""Bounds of numbers that count."""

READ_ROWS = 20
"""Rows of a series that are read where the caller does not say how many."""


@TOOLS.add("search", "Search the lake")
def search(
    lake: Lake,
    *,
    query: Annotated[str, "what you look for, in plain words; words in quotation marks must stand together"],
    k: Annotated[int, "hits at most", {"minimum": 1, "maximum": 1_000}] = 10,
    mode: Annotated[Mode, "by words, by meaning, or both"] = "hybrid",
    format: Annotated[str | None, "only this format, for instance csv"] = None,  # noqa: A002
    namespace: Annotated[str | None, "only datasets below this folder"] = None,
    year: Annotated[int | None, "only what speaks of this year"] = None,
    kind: Annotated[Kind | None, "only tables or only texts"] = None,
    also: Annotated[
        list[str] | None, "further queries, each answered on its own: one for each thing you need"
    ] = None,
) -> Any:
    """Find documents by what they say and by what is in their cells.

    A table comes with its columns, ranges and values, enough to write the SQL; a text with the sentences that fit
    best; a series with the name under which it is queried as a whole. Ask for several things in one call with `also`.
    """
    return each(
        lambda q: lake.search(q, k, mode=mode, format=format, namespace=namespace, year=year, kind=kind),
        query,
        also,
    )


@TOOLS.add("list", "List datasets or documents")
def list_(
    lake: Lake,
    *,
    dataset: Annotated[str | None, "a dataset; without one the datasets are listed"] = None,
    prefix: Annotated[str, "only datasets whose id begins so"] = "",
    offset: Annotated[int, "skip this many", FROM_0] = 0,
    limit: Annotated[int, "items at most", FROM_1] = 50,
) -> Any:
    """List the datasets of the lake, or the documents of one dataset with their shapes."""
    if dataset is None:
        return lake.datasets(prefix=prefix, offset=offset, limit=limit)
    return lake.documents(dataset, offset=offset, limit=limit)


@TOOLS.add("inspect", "Inspect a document")
def inspect(
    lake: Lake,
    *,
    document: Annotated[str, "path in the lake, path#table, series:ID, or a short unique name"],
) -> Any:
    """Show what is in a document: shape, columns with types, units, meanings and examples, notes, warnings.

    Of a series its first member is shown, with what tells the members apart; of a series of records their table.
    """
    return lake.inspect(document)


@TOOLS.add("read", "Read a part of a document")
def read(
    lake: Lake,
    *,
    document: Annotated[str, "path in the lake, path#table, or a short unique name"],
    page: Annotated[int | None, "page of a PDF, from 1", FROM_1] = None,
    table: Annotated[str | None, "one of its tables, by name"] = None,
    offset: Annotated[int, "first character or row, from 0", FROM_0] = 0,
    limit: Annotated[int | None, "characters or rows at most", FROM_1] = None,
    raw: Annotated[bool, "cells as they stand in the source"] = False,
    find: Annotated[
        str | list[str] | None,
        "words: count them and show the best sentences instead of the text; several are each looked for everywhere",
    ] = None,
    also: Annotated[
        list[str] | None, "with find: further documents, or patterns with * such as files/*.txt"
    ] = None,
) -> Any:
    """Read a page, a stretch of text, or rows of a table; `next` says how to see the following part.

    With `find`, count words in one or several texts and show the sentences that hold most of them.
    """
    if find:
        return find_in(lake, [document, *(also or ())], find)
    if also:
        raise UsageError("Several documents can only be read with find.", hint='read A B --find "words"')
    if document.startswith("series:"):
        return _rows_of(lake, document, offset, limit or READ_ROWS)
    return lake.read(document, page=page, table=table, offset=offset, limit=limit, raw=raw)


@TOOLS.add("related", "Find related documents")
def related(
    lake: Lake, *, document: Annotated[str, "path in the lake, series:ID, or a short unique name"]
) -> Any:
    """Show copies, the series, joinable columns with match rate and fan-out, and mentions of a document."""
    return lake.related(_member_of(lake, document))


@TOOLS.add("sql", "Query tables")
def sql(
    lake: Lake,
    *,
    statement: Annotated[str, "one DuckDB SELECT; tables are t('path'), t('path#name') or t('series:ID')"],
    max_rows: Annotated[int, "rows given back at most; row_count is the true total", FROM_0] = 100,
    deadline_s: Annotated[float | None, "seconds after which a statement is stopped"] = None,
    also: Annotated[list[str] | None, "further statements, each run on its own"] = None,
) -> Any:
    """Compute with one or several tables, read-only; joins report rows in and out, match rate and fan-out."""
    return each(lambda s: lake.sql(s, max_rows=max_rows, deadline_s=deadline_s), statement, also)


@TOOLS.add("status", "State of the lake")
def status(lake: Lake) -> Any:
    """Say what is in the lake, what is not and why, and what share of it search covers."""
    return lake.status()


def _member_of(lake: Lake, name: str) -> str:
    """Return the first member of a series named "series:ID", or the name as it is."""
    told = lake.catalog.relations.series(name.removeprefix("series:")) if name.startswith("series:") else None
    return str(told["members"][0]["document"]) if told else name


def _rows_of(lake: Lake, series: str, offset: int, limit: int) -> Any:
    """Return rows of a series, all its members as one table."""
    from headwater.lake import Reading

    source = series.replace("'", "''")
    found = lake.sql(
        f"select * from t('{source}') order by _document, _row limit {int(limit)} offset {int(offset)}"  # noqa: S608
    )
    total = int(lake.sql(f"select count(*) from t('{source}')").rows[0][0])  # noqa: S608
    rows: Any = tuple((offset + n, None, cells) for n, cells in enumerate(found.rows, 1))
    end = offset + len(rows)
    columns = tuple(c.name for c in found.columns)
    more = {"offset": end} if end < total else None
    return Reading(
        series,
        "rows",
        table=series,
        columns=columns,
        rows=rows,
        row_count=total,
        start=offset,
        end=end,
        next=more,
    )
