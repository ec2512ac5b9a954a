"""From scripts, catalogs, manifests and files to one `SchemaGraph`.

`load_graph(sources)` is the only door. It finds the loader for each source from its content. A loader keeps what it
could read and tells the rest as `Problem`s of the graph.
"""

from __future__ import annotations

from headwater.graph.loaders._sources import load_graph

__all__ = ["load_graph"]
