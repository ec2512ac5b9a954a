"""Warehouse topology: foreign keys, lineage, silos, impact."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.graph._model import (
    ForeignKey,
    GraphColumn,
    GraphTable,
    LineageEdge,
    Origin,
    Problem,
    SchemaGraph,
)

if TYPE_CHECKING:
    from headwater.graph._answers import JoinTree, Path, Paths, ProofEdge, Reach, Silos
    from headwater.graph._ask import GraphAnswer, ask
    from headwater.graph._export import to_mermaid
    from headwater.graph._picture import render_html, render_svg
    from headwater.graph._rows import RowLineage, attach_rows, load_rows
    from headwater.graph._store import save_graph, saved_graph
    from headwater.graph._tools import tools_for
    from headwater.graph._topology import Topology
    from headwater.graph.loaders import load_graph

_LAZY = {
    "GraphAnswer": "_ask",
    "JoinTree": "_answers",
    "Path": "_answers",
    "Paths": "_answers",
    "ProofEdge": "_answers",
    "Reach": "_answers",
    "RowLineage": "_rows",
    "Silos": "_answers",
    "Topology": "_topology",
    "ask": "_ask",
    "attach_rows": "_rows",
    "load_graph": "loaders",
    "load_rows": "_rows",
    "render_html": "_picture",
    "save_graph": "_store",
    "saved_graph": "_store",
    "to_mermaid": "_export",
    "render_svg": "_picture",
    "tools_for": "_tools",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LAZY[name]}"), name)


__all__ = [
    "ForeignKey",
    "GraphAnswer",
    "GraphColumn",
    "GraphTable",
    "JoinTree",
    "LineageEdge",
    "Origin",
    "Path",
    "Paths",
    "Problem",
    "ProofEdge",
    "Reach",
    "RowLineage",
    "SchemaGraph",
    "Silos",
    "Topology",
    "ask",
    "attach_rows",
    "load_graph",
    "load_rows",
    "render_html",
    "render_svg",
    "tools_for",
    "to_mermaid",
    "save_graph",
    "saved_graph",
]
