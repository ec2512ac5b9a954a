"""A loaded graph kept on disk between calls, as its own export."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.errors import SetupError

if TYPE_CHECKING:
    from headwater.graph._model import SchemaGraph

GRAPH_FILE = "graph.json"


def save_graph(graph: SchemaGraph, folder: Path) -> Path:
    """Keep a graph in a state folder, in place of the one that was there; return the file."""
    from headwater.graph._export import graph_to_dict

    target = folder / GRAPH_FILE
    fresh = target.with_suffix(".new")
    fresh.write_text(json.dumps(graph_to_dict(graph), ensure_ascii=False), encoding="utf-8")
    os.replace(fresh, target)
    return target


def saved_graph(folder: Path) -> SchemaGraph:
    """Return the graph kept in a state folder.

    Raises:
        SetupError: none was loaded.
    """
    from headwater.graph.loaders import load_graph

    path = folder / GRAPH_FILE
    if not path.is_file():
        raise SetupError(
            "No graph was loaded here.",
            hint="Run: headwater graph load SOURCE…, or say --from SOURCE with this verb.",
        )
    return load_graph([str(path)])
