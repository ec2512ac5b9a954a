"""Which loader a source needs, found from its content."""

from __future__ import annotations

import glob
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from headwater.errors import HeadwaterError, NotFoundError, ReadError
from headwater.graph._model import SchemaGraph
from headwater.graph.loaders import _dwbench
from headwater.graph.loaders._content import as_json, csv_rows, kind_of, read_text
from headwater.graph.loaders._dbt import Manifest, is_manifest
from headwater.graph.loaders._dialect import normal_dialect
from headwater.graph.loaders._openlineage import is_event, load_events
from headwater.graph.loaders._plain import is_edge_table, load_edge_table, load_schema
from headwater.graph.loaders._pt import load_pt
from headwater.graph.loaders._script import SqlLoader

_URL = re.compile(r"^([a-z][a-z0-9+]*)://", re.I)
_SERVERS = {"postgresql", "postgres", "mysql", "mariadb"}
_FILES = {"sqlite", "duckdb", "file"}
# Names of the files that are looked into in a folder; a single file is looked into whatever its name.
_SUFFIXES = {
    ".sql", ".ddl", ".hql", ".bq", ".psql", ".tsql", ".pks", ".pkb", ".prc", ".trg", ".vw", ".tab", ".json", ".jsonl",
    ".ndjson", ".pt", ".csv", ".tsv", ".db", ".sqlite", ".sqlite3", ".duckdb", ".ddb",
}  # fmt: skip
_NO_GRAPH = "holds questions or results of a benchmark and no graph"

lake_loader: Callable[[SchemaGraph, Path], None] | None = None
"""Loads a lake (a folder with `.headwater`) into a graph; set by the room that knows lakes."""


class Loading:
    """One call of `load_graph`: the graph, and what its sources share."""

    def __init__(self, dialect: str | None) -> None:
        self.graph = SchemaGraph()
        self.sql = SqlLoader(self.graph)
        self.dialect = dialect
        self.samplers: list[Any] = []

    # --- sources

    def source(self, source: str) -> None:
        """Load one source."""
        url = _URL.match(source)
        if url and url.group(1).lower().split("+")[0] in _SERVERS:
            self._server(source, url.group(1).lower().split("+")[0])
            return
        if url and url.group(1).lower() in _FILES:
            source = re.sub(r"^/(?=/|[A-Za-z]:)", "", source[url.end() :].split("?", 1)[0]) or source
        path = Path(source).expanduser()
        if path.is_dir():
            self.folder(path)
        elif path.exists():
            self.file(path, alone=True)
        else:
            self._glob(source)

    def _glob(self, source: str) -> None:
        found = sorted(Path(p) for p in glob.glob(source, recursive=True)) if glob.has_magic(source) else []
        if not found:
            known = _URL.match(source)
            hint = "Give a file, a folder, a glob, or a URL of postgresql, mysql, sqlite or duckdb."
            what = f"{known.group(1)}://…" if known else source  # a URL may hold a password
            raise NotFoundError(f"There is nothing at {what!r}.", hint=hint)
        for path in found:
            if path.is_dir():
                self.folder(path)
            else:
                self._tolerant(path)

    def _server(self, url: str, scheme: str) -> None:
        if scheme in ("postgresql", "postgres"):
            from headwater.graph.loaders._postgres import load_postgres as load
        else:
            from headwater.graph.loaders._mysql import load_mysql as load
        # SQLAlchemy names a driver in the scheme (postgresql+psycopg://…); the drivers themselves do not know that.
        self.samplers.append(load(self.graph, self.sql, scheme + url[url.index("://") :]))

    def folder(self, folder: Path) -> None:
        """Load a folder: a lake, a data set of the benchmark, a row-level data set, or whatever its files hold."""
        if (folder / ".headwater").is_dir() and lake_loader is not None:
            lake_loader(self.graph, folder)
            return
        if (folder / "row_lineage.csv").is_file() and (folder / "manifest.json").is_file():
            self._rows(folder)
            return
        if _dwbench.is_dataset(folder):
            _dwbench.load_dataset(self.graph, self.sql, folder)
            self._rows(folder)
            return
        files = sorted(
            p
            for p in folder.rglob("*")
            if p.suffix.lower() in _SUFFIXES and p.is_file() and not _hidden(p, folder)
        )
        if not files:
            self.graph.add_problem(folder.name, 0, "the folder holds no file of a kind that is read here")
        scripts = [p for p in files if p.suffix.lower() not in (".csv", ".tsv")]
        for path in scripts or files:
            self._tolerant(path)

    def _tolerant(self, path: Path) -> None:
        """Load one of several files: what is wrong with it is told, and the others are still loaded."""
        try:
            self.file(path)
        except HeadwaterError as error:
            self.graph.add_problem(path.name, 0, error.message)

    # --- files

    def file(self, path: Path, *, alone: bool = False) -> None:
        """Load one file.

        Raises:
            ReadError: it is damaged, empty or nothing a graph can be made of.
            LimitError: it is too large.
        """
        kind = kind_of(path)
        if kind == "empty":
            self.graph.add_problem(path.name, 0, "the file is empty")
        elif kind == "binary":
            raise ReadError(f"{path.name} is a binary file of no kind that is read here.", where=path.name)
        elif kind == "pt":
            load_pt(self.graph, path)
        elif kind == "sqlite":
            from headwater.graph.loaders._sqlite import load_sqlite

            self.samplers.append(load_sqlite(self.graph, self.sql, path))
        elif kind == "duckdb":
            from headwater.graph.loaders._duckdb import load_duckdb

            self.samplers.append(load_duckdb(self.graph, self.sql, path))
        else:
            self._text(path, alone)

    def _text(self, path: Path, alone: bool) -> None:
        if _dwbench.triple_part(path):
            _dwbench.load_triple(self.graph, self.sql, path)
            return
        text = read_text(path)
        value = as_json(text, path.name)
        if value is not None:
            if not self._json(value, path):
                message = (
                    f"{path.name} {_NO_GRAPH}."
                    if _is_questions(value)
                    else f"{path.name} is JSON of no kind that is read here."
                )
                if alone:
                    raise ReadError(
                        message, where=path.name, hint="A schema.json has tables, foreign_keys and lineage."
                    )
                if not _is_questions(value):
                    self.graph.add_problem(path.name, 0, message)
            return
        if path.suffix.lower() in (".csv", ".tsv") or is_edge_table(text):
            rows = csv_rows(text)
            if rows is not None:
                self._csv(rows, path)
                return
        self.sql.add(text, path.name, self.dialect)

    def _rows(self, folder: Path) -> None:
        """Attach row lineage where a folder holds any; without usable links the tables of its manifest remain."""
        from headwater.graph._rows import attach_rows, has_rows, load_rows

        try:
            if has_rows(folder):
                attach_rows(self.graph, load_rows(folder), folder.name)
                return
        except ReadError as error:
            self.graph.add_problem(folder.name, 0, error.message)
        if (folder / "manifest.json").is_file():
            _dwbench.load_rows_folder(self.graph, folder)

    def _json(self, value: Any, path: Path) -> bool:
        """Load a JSON value; return whether it is of a known kind."""
        file = path.name
        if isinstance(value, list):
            if value and all(is_event(v) for v in value[:1]):
                load_events(self.graph, value, file)
                return True
            if (
                value
                and isinstance(value[0], dict)
                and ("child" in value[0] or ("name" in value[0] and "columns" in value[0]))
            ):
                key = "foreign_keys" if "child" in value[0] else "tables"
                load_schema(self.graph, {key: value}, file)
                return True
            return _dwbench.load_list(self.graph, self.sql, value, file)
        if not isinstance(value, dict):
            return False
        if is_manifest(value):
            Manifest(self.graph, value, file, self.sql).load()
        elif is_event(value):
            load_events(self.graph, [value], file)
        elif _dwbench.is_row_manifest(value) and "foreign_keys" not in value:
            self._rows(path.parent)
        elif any(isinstance(value.get(k), list) for k in ("tables", "foreign_keys", "lineage")):
            load_schema(self.graph, value, file)
        else:
            return _dwbench.load_value_manifest(self.graph, value, file) or _dwbench.load_lineage_map(
                self.graph, value, file
            )
        return True

    def _csv(self, rows: list[dict[str, str]], path: Path) -> None:
        if load_edge_table(self.graph, rows, path.name):
            return
        from headwater.graph.loaders._inferred import CsvSampler

        self.samplers.append(CsvSampler(self.graph, rows, path))


def _hidden(path: Path, root: Path) -> bool:
    return any(
        part.startswith((".", "_")) and part != "_manifest.json" for part in path.relative_to(root).parts
    )


def _is_questions(value: Any) -> bool:
    first = value[0] if isinstance(value, list) and value else value
    return isinstance(first, dict) and bool({"question", "results", "original_to_obfuscated"} & set(first))


def load_graph(
    sources: str | Path | Sequence[str | Path], *, dialect: str | None = None, infer_keys: bool = False
) -> SchemaGraph:
    """Load one graph from one or several sources.

    Args:
        sources: one or several: files, folders, globs and database URLs: SQL scripts; `schema.json`, an exported graph; dbt's
            `manifest.json`; OpenLineage events; DW-Bench's files; SQLite and DuckDB files; `postgresql://…`, `mysql://…`.
        dialect: of SQL scripts; None detects it for every script.
        infer_keys: propose foreign keys that the sources lack, marked as inferred.

    Returns:
        The graph; what could not be used is in its `problems`.

    Raises:
        NotFoundError: a source does not exist.
        ReadError: a source given by its name is damaged or of no kind that is read.
        LimitError: a source is too large.
        UsageError: there is no such dialect.
        SetupError: a database cannot be reached, or its driver is not installed.
    """
    loading = Loading(None if dialect is None else normal_dialect(dialect))
    for source in [sources] if isinstance(sources, str | Path) else sources:
        loading.source(str(source))
    loading.sql.finish()
    if infer_keys:
        from headwater.graph.loaders._inferred import infer

        infer(loading.graph, loading.samplers)
    for sampler in loading.samplers:
        sampler.close()
    return loading.graph
