"""OpenLineage events: datasets with their columns, what a job reads and writes, and its column lineage facet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from headwater.graph._model import GraphColumn, GraphTable, LineageEdge, Origin, SchemaGraph

_USER_INFO = re.compile(r"//[^/@\s]*@")


def is_event(value: Any) -> bool:
    """Return whether a JSON value is an OpenLineage run, job or dataset event."""
    return (
        isinstance(value, dict)
        and ("inputs" in value or "outputs" in value)
        and ("job" in value or "run" in value)
    )


class Events:
    """Collects events; `finish` writes one edge for each pair of datasets.

    A dataset is called by its name; only where two namespaces hold the same name the namespace stands before it.
    """

    def __init__(self, graph: SchemaGraph, file: str) -> None:
        self._graph, self._file = graph, file
        self._namespaces: dict[str, dict[str, None]] = {}
        self._columns: dict[tuple[str, str], dict[str, str]] = {}
        self._edges: dict[tuple[tuple[str, str], tuple[str, str]], dict[tuple[str, str], None]] = {}
        self._values: dict[tuple[tuple[str, str], tuple[str, str]], bool] = {}
        self._jobs: dict[tuple[tuple[str, str], tuple[str, str]], str] = {}

    def add(self, event: Mapping[str, Any], number: int) -> None:
        """Read one event; those of runs that failed wrote nothing."""
        if str(event.get("eventType", "")).upper() in ("FAIL", "ABORT"):
            return
        job = event.get("job") if isinstance(event.get("job"), dict) else {}
        inputs = self._datasets(event.get("inputs"), number)
        outputs = self._datasets(event.get("outputs"), number)
        for output, facets in outputs:
            facet = facets.get("columnLineage")
            fields = facet.get("fields") if isinstance(facet, dict) else None
            told = self._fields(output, fields) if isinstance(fields, dict) else {}
            for source, _ in inputs:
                told.setdefault(source, {})
            for source, pairs in told.items():
                if source == output:
                    continue
                key = (source, output)
                self._edges.setdefault(key, {}).update(pairs)
                # Where the facet tells the columns, a source without one is only read for its rows.
                value = bool(pairs) or not any(told.values())
                self._values[key] = self._values.get(key, False) or value
                self._jobs.setdefault(key, str((job or {}).get("name") or ""))

    def _datasets(self, items: Any, number: int) -> list[tuple[tuple[str, str], dict[str, Any]]]:
        out = []
        for item in items if isinstance(items, list) else ():
            name = item.get("name") if isinstance(item, dict) else None
            if not isinstance(name, str) or not name:
                self._graph.add_problem(self._file, number, "a dataset of the event has no name")
                continue
            facets = item.get("facets") if isinstance(item.get("facets"), dict) else {}
            key = self._dataset(item.get("namespace"), name)
            schema = facets.get("schema")
            for column in (schema.get("fields") or []) if isinstance(schema, dict) else []:
                if isinstance(column, dict) and isinstance(column.get("name"), str):
                    self._columns[key].setdefault(column["name"], str(column.get("type") or ""))
            out.append((key, facets))
        return out

    def _dataset(self, namespace: Any, name: str) -> tuple[str, str]:
        space = _USER_INFO.sub("//", namespace) if isinstance(namespace, str) else ""
        self._namespaces.setdefault(name, {})[space] = None
        self._columns.setdefault((space, name), {})
        return space, name

    def _fields(
        self, output: tuple[str, str], fields: Mapping[str, Any]
    ) -> dict[tuple[str, str], dict[tuple[str, str], None]]:
        told: dict[tuple[str, str], dict[tuple[str, str], None]] = {}
        for column, entry in fields.items():
            self._columns[output].setdefault(column, "")
            for item in (entry.get("inputFields") or []) if isinstance(entry, dict) else []:
                if not isinstance(item, dict) or not isinstance(item.get("name"), str):
                    continue
                source = self._dataset(item.get("namespace"), item["name"])
                pairs = told.setdefault(source, {})
                kinds = [t.get("type") for t in item.get("transformations") or [] if isinstance(t, dict)]
                if isinstance(item.get("field"), str) and (not kinds or "DIRECT" in kinds or None in kinds):
                    pairs[(item["field"], column)] = None
        return told

    def finish(self) -> None:
        """Write tables and edges into the graph."""
        for key, columns in self._columns.items():
            self._graph.add_table(
                GraphTable(
                    self._name(key),
                    [GraphColumn(n, t) for n, t in columns.items()],
                    origin=Origin("openlineage", self._file, note=key[0]),
                )
            )
        for (source, target), pairs in self._edges.items():
            origin = Origin("openlineage", self._file, note=f"job {self._jobs[source, target]}".strip())
            self._graph.add_lineage(
                LineageEdge(
                    self._name(source),
                    self._name(target),
                    tuple(pairs),
                    self._values[source, target],
                    origin=origin,
                )
            )

    def _name(self, key: tuple[str, str]) -> str:
        space, name = key
        return name if len(self._namespaces[name]) == 1 or not space else f"{space}/{name}"


def load_events(graph: SchemaGraph, events: Iterable[Any], file: str) -> None:
    """Read OpenLineage events into the graph."""
    found = Events(graph, file)
    for number, event in enumerate(events, 1):
        if is_event(event):
            found.add(event, number)
        else:
            graph.add_problem(file, number, "the record is no OpenLineage event")
    found.finish()
