"""The graph tools as entries of a registry; they take a schema graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headwater.tools._registry import Registry

if TYPE_CHECKING:
    from headwater.graph import SchemaGraph

_MEANINGS = {
    "source": "a table",
    "target": "a table",
    "table": "a table; a short name will do where only one has it",
    "tables": "tables to connect",
    "limit": "items listed at most; the total is told",
    "depth": "steps at most",
    "direction": "forward: what is derived from it; reverse: what it is derived from",
    "keys": "which foreign keys carry a change on",
    "edges": "over foreign keys, lineage, or both",
    "question": "in plain words",
    "row_id": "number of the row",
}


@dataclass(frozen=True, slots=True)
class GraphResult:
    """What a graph tool gives, as it is."""

    body: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object."""
        return self.body


def graph_tools(graph: SchemaGraph) -> Registry:
    """Return the published graph tools and those that this project adds, for a graph of a session."""
    from headwater.graph import tools_for

    registry = Registry()
    for name, bound in tools_for(graph).items():
        function = getattr(bound, "func", bound)
        title = name.replace("_", " ").capitalize()
        registry.add_function(
            f"graph_{name}", title, function, needs="graph", meanings=_MEANINGS, wrap=GraphResult
        )
    return registry
