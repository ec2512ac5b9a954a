"""Which loader a source needs, found from its content."""

from __future__ import annotations

import glob
import json
from collections.abc import Iterator
from pathlib import Path

from headwater.errors import NotFoundError, ReadError
from headwater.graph._model import SchemaGraph
from headwater.graph.loaders._dialect import normal_dialect
from headwater.graph.loaders._plain import load_schema
from headwater.graph.loaders._script import SqlLoader


def load_graph(sources: list[str], *, dialect: str | None = None, infer_keys: bool = False) -> SchemaGraph:
    """Load one graph from one or several sources.

    Args:
        sources: files, folders, globs and database URLs.
        dialect: of SQL scripts; None detects it for every script.
        infer_keys: propose foreign keys that the sources lack, marked as inferred.

    Returns:
        The graph; what could not be used is in its `problems`.

    Raises:
        NotFoundError: a source does not exist.
        ReadError: none of the sources holds anything a graph can be made of.
        UsageError: there is no such dialect.
        SetupError: a database cannot be reached.
    """
    graph = SchemaGraph()
    sql = SqlLoader(graph)
    chosen = None if dialect is None else normal_dialect(dialect)
    for source in sources:
        for path in _files(source):
            _load_file(graph, sql, path, chosen)
    sql.finish()
    return graph


def _files(source: str) -> Iterator[Path]:
    path = Path(source)
    if path.is_file():
        yield path
    elif path.is_dir():
        yield from sorted(p for p in path.rglob("*") if p.is_file())
    else:
        found = sorted(Path(p) for p in glob.glob(source, recursive=True))
        if not found:
            raise NotFoundError(f"There is no {source!r}.", hint="Give a file, a folder, a glob or a database URL.")
        yield from (p for p in found if p.is_file())


def _load_file(graph: SchemaGraph, sql: SqlLoader, path: Path, dialect: str | None) -> None:
    data = path.read_bytes()
    text = data.decode("utf-8", errors="replace")
    if text.lstrip()[:1] == "{":
        try:
            value = json.loads(text)
        except json.JSONDecodeError as error:
            raise ReadError(f"{path.name} is not valid JSON: {error.msg}", where=f"{path.name}:{error.lineno}") from error
        load_schema(graph, value, path.name)
    else:
        sql.add(text, path.name, dialect)
