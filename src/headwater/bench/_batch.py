"""Many questions in one process: one JSON object a line in, one a line out, in the same order."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.errors import HeadwaterError, UsageError

if TYPE_CHECKING:
    from headwater.graph import SchemaGraph
    from headwater.lake import Lake


class Batch:
    """Answers lines that are searches (`query`) or questions (`question`; over a `graph`, a `table`, or the lake).

    Graphs are loaded once and kept; the lake is opened when a line needs it.

    Args:
        base: folder that relative paths are taken from.
        open_lake: opens the lake for searches.
    """

    def __init__(self, base: Path, open_lake: Callable[[], Lake]) -> None:
        self._base = base
        self._open = open_lake
        self._lake: Lake | None = None
        self._graphs: dict[str, SchemaGraph] = {}

    def close(self) -> None:
        """Close the lake if it was opened."""
        if self._lake is not None:
            self._lake.close()

    def answer(self, line: dict[str, Any]) -> dict[str, Any]:
        """Return `id` and the answer's fields; a line that fails has `status` "failed" and `error`."""
        try:
            return {"id": line.get("id"), **self._answer(line)}
        except HeadwaterError as error:
            return {"id": line.get("id"), "status": "failed", "error": error.to_dict()}

    def _answer(self, line: dict[str, Any]) -> dict[str, Any]:
        if "query" in line:
            result = self.lake.search(
                str(line["query"]), int(line.get("k", 10)), mode=line.get("mode", "hybrid")
            )
            return result.to_dict()
        if "question" in line and "graph" in line:
            from headwater.graph import ask

            return ask(self._graph(str(line["graph"])), str(line["question"])).to_dict()
        if "question" in line:
            return self._ask(str(line["question"]), line.get("table"))
        raise UsageError("A line needs `query` or `question`.", where=f"line with id {line.get('id')!r}")

    def _ask(self, question: str, table: str | None) -> dict[str, Any]:
        from headwater.answers import ask, ask_table

        if table is None:
            return ask(self.lake, question).to_dict()
        path = self._base / table
        return ask_table(
            question, path if path.is_file() else table, None if path.is_file() else self.lake
        ).to_dict()

    @property
    def lake(self) -> Lake:
        """The lake, opened at first use."""
        if self._lake is None:
            self._lake = self._open()
        return self._lake

    def _graph(self, source: str) -> SchemaGraph:
        if source not in self._graphs:
            from headwater.graph import load_graph

            place = source if "://" in source else str(self._base / source)
            self._graphs[source] = load_graph([place])
        return self._graphs[source]


def run_batch(source: Path, target: Path, open_lake: Callable[[], Lake]) -> dict[str, int]:
    """Answer every line of `source` into `target`; return the number of lines by status.

    Lines are written as they are answered, so an interrupted run keeps what it has.

    Raises:
        UsageError: a line is not a JSON object; line number and reason are told.
    """
    counts: dict[str, int] = {}
    batch = Batch(source.parent, open_lake)
    try:
        with target.open("w", encoding="utf-8") as out:
            for line in _lines(source):
                answer = batch.answer(line)
                status = str(answer.get("status", "answered"))
                counts[status] = counts.get(status, 0) + 1
                out.write(json.dumps(answer, ensure_ascii=False, default=str) + "\n")
                out.flush()
    finally:
        batch.close()
    return counts


def _lines(source: Path) -> Iterator[dict[str, Any]]:
    with source.open(encoding="utf-8") as lines:
        for number, text in enumerate(lines, 1):
            if not text.strip():
                continue
            try:
                line = json.loads(text)
            except ValueError as error:
                raise UsageError(f"Not JSON: {error}.", where=f"{source.name}, line {number}") from error
            if not isinstance(line, dict):
                raise UsageError("Each line must be a JSON object.", where=f"{source.name}, line {number}")
            yield line
