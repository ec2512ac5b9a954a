"""Pictures of a schema graph: SVG, and HTML with the same picture and a list for readers of text.

A picture starts small: the surroundings of one table, or at most `limit` tables, and says how many it leaves out. Names come
from files of others, so every text is escaped, and there is no script.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from headwater.graph._layering import Layout, layered
from headwater.graph._topology import Topology

if TYPE_CHECKING:
    from headwater.graph._index import EdgeKinds
    from headwater.graph._model import GraphTable, SchemaGraph

DEFAULT_LIMIT = 120
"""Most tables drawn: more cannot be read on one page."""

_ROW, _BOX, _GAP, _MARGIN = 38, 24, 64, 20
_CHARACTER = 6.6
_LONGEST_LABEL = 34
_PALETTE = ("#dbe9f6", "#e3f1de", "#fdebd0", "#eadcf4", "#fadbd8", "#d9f2ef", "#f6f0c9", "#e4e4e4")
_NEUTRAL = "#eef1f4"
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")

_STYLE = """
text{font:11px system-ui,sans-serif;fill:#1c2733}
.q{fill:#6a7785;font-size:9px}
.n rect{stroke:#8593a1;stroke-width:1}
.n.focus rect{stroke:#c0392b;stroke-width:2.5}
.n.placeholder rect{stroke-dasharray:3 3}
.e{fill:none;stroke-width:1.1;opacity:.75}
.fk{stroke:#7a8794;stroke-dasharray:4 3}
.lineage{stroke:#1f6fb2}
""".strip()


@dataclass(frozen=True)
class _Selection:
    names: list[str]
    total: int
    focus: str | None
    note: str


def render_svg(
    graph: SchemaGraph,
    focus: str | None = None,
    depth: int = 1,
    *,
    edges: EdgeKinds = "fk+lineage",
    limit: int = DEFAULT_LIMIT,
) -> str:
    """Return a picture as SVG text.

    Args:
        graph: what to draw.
        focus: a table (any spelling that leaves no doubt) whose surroundings are drawn; None draws the graph.
        depth: how many steps around the focus.
        edges: which edges are drawn and followed.
        limit: most tables drawn; the nearest to the focus, or the best connected, come first.

    Lineage runs from left to right in blue; foreign keys are dashed, their arrow points to the referenced table.
    """
    return _svg(graph, _select(graph, focus, depth, edges, limit), edges)


def render_html(
    graph: SchemaGraph,
    focus: str | None = None,
    depth: int = 1,
    *,
    edges: EdgeKinds = "fk+lineage",
    limit: int = DEFAULT_LIMIT,
) -> str:
    """Return the picture of `render_svg` as a page of its own, with a list of its tables and edges below."""
    chosen = _select(graph, focus, depth, edges, limit)
    heading = f"{chosen.focus} and its surroundings" if chosen.focus else "Schema graph"
    rows = []
    keys, flows = _edges(graph, set(chosen.names), edges)
    out: dict[str, list[str]] = defaultdict(list)
    for child, parent in keys:
        out[child].append(f"references {parent}")
    for source, target in flows:
        out[source].append(f"feeds {target}")
    for name in sorted(chosen.names):
        table = graph.tables[name]
        facts = (name, table.group or "", table.layer or "", "; ".join(sorted(out[name])))
        rows.append("<tr>" + "".join(f"<td>{_text(fact)}</td>" for fact in facts) + "</tr>")
    return (
        "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
        "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{_text(heading)}</title><style>body{{font:14px system-ui,sans-serif;margin:1.5rem;color:#1c2733}}"
        ".picture{overflow:auto;border:1px solid #d5dbe1}table{border-collapse:collapse;margin-top:1rem}"
        "td,th{text-align:left;vertical-align:top;padding:.2rem .8rem .2rem 0;border-bottom:1px solid #e6eaee}</style></head>"
        f"<body><h1>{_text(heading)}</h1><p>{_text(chosen.note)}</p>"
        f"<div class='picture'>{_svg(graph, chosen, edges)}</div>"
        "<table><thead><tr><th>Table</th><th>Group</th><th>Layer</th><th>Edges in this picture</th></tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table></body></html>\n"
    )


def _select(graph: SchemaGraph, focus: str | None, depth: int, edges: EdgeKinds, limit: int) -> _Selection:
    """Choose the tables: the nearest to the focus, or, without one, the best connected and what hangs on them."""
    from headwater.graph._traverse import ball

    topology = Topology(graph)
    index = topology.index
    total = index.n
    if focus is not None:
        name = topology.resolve(focus)
        order, _ = ball(index.csr(edges, "both"), index.ids[name], max(depth, 0))
        names = [index.names[i] for i in order[:limit].tolist()]
        around = (
            f"{len(names)} of {len(order)} tables within {depth} step{'' if depth == 1 else 's'} of {name}"
        )
        return _Selection(names, total, name, f"{around}; {total} tables in all.")
    ids = _best_connected(topology, edges, limit) if total > limit else list(range(total))
    names = [index.names[i] for i in ids]
    note = f"{len(names)} of {total} tables."
    if len(names) < total:
        note = f"{note[:-1]}, the best connected first; name a table to see its surroundings."
    return _Selection(names, total, None, note)


def _best_connected(topology: Topology, edges: EdgeKinds, limit: int) -> list[int]:
    """Walk from the table with the most neighbours outwards until the limit is reached."""
    import numpy as np

    from headwater.graph._traverse import search

    both = topology.index.csr(edges, "both")
    order = np.argsort(-np.diff(both.indptr), kind="stable")
    chosen: dict[int, None] = {}
    for start in order.tolist():
        if start not in chosen:
            chosen.update(dict.fromkeys(search(both, start)[0][:limit].tolist()))
        if len(chosen) >= limit:
            break
    return sorted(list(chosen)[:limit])


def _edges(
    graph: SchemaGraph, names: set[str], edges: EdgeKinds
) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    keys = {(k.child, k.parent) for k in graph.foreign_keys if k.child in names and k.parent in names}
    flows = {(e.source, e.target) for e in graph.lineage if e.source in names and e.target in names}
    return sorted(keys) if "fk" in edges else [], sorted(flows) if "lineage" in edges else []


def _svg(graph: SchemaGraph, chosen: _Selection, edges: EdgeKinds) -> str:
    keys, flows = _edges(graph, set(chosen.names), edges)
    linked = sorted({name for pair in (*keys, *flows) for name in pair if pair[0] != pair[1]})
    loose = sorted(set(chosen.names) - set(linked))
    number = {name: i for i, name in enumerate(linked)}
    # a referenced table stands left of the tables that reference it, as a source stands left of its targets
    arrows = [(number[p], number[c]) for c, p in keys if c != p] + [
        (number[s], number[t]) for s, t in flows if s != t
    ]
    layout = layered(len(linked), arrows)
    boxes, width, height = _boxes(linked, layout)
    lines = [_edge(layout, boxes, number[p], number[c], "fk", backwards=True) for c, p in keys if c != p]
    lines += [
        _edge(layout, boxes, number[s], number[t], "lineage", backwards=False) for s, t in flows if s != t
    ]
    colours = _colours([graph.tables[name] for name in chosen.names])
    nodes = [_node(graph.tables[n], boxes[i], colours, chosen.focus) for n, i in number.items()]
    below, height, width = _loose(graph, loose, colours, height, width, chosen.focus)
    legend, height = _legend(colours, chosen.note, height)
    width = max(width, 560)
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{width:.0f}' height='{height:.0f}' "
        f"viewBox='0 0 {width:.0f} {height:.0f}' role='img'><title>{_text(chosen.note)}</title><style>{_STYLE}</style>"
        "<defs><marker id='a' viewBox='0 0 8 8' refX='8' refY='4' markerWidth='6' markerHeight='6' "
        "orient='auto-start-reverse'><path d='M0 0L8 4L0 8z' fill='#4c5a67'/></marker></defs>"
        "<rect width='100%' height='100%' fill='#fff'/>"
        + "".join((*lines, *nodes, *below, legend))
        + "</svg>"
    )


_Box = tuple[float, float, float]
"""Left, middle and width of a table's box."""


def _boxes(names: list[str], layout: Layout) -> tuple[list[_Box], float, float]:
    """Give each rank a column as wide as its longest label."""
    widths: dict[int, float] = defaultdict(lambda: 60.0)
    for name, rank in zip(names, layout.rank, strict=True):
        widths[rank] = max(widths[rank], _CHARACTER * len(_label(name)[1]) + 18)
    left, at = {}, float(_MARGIN)
    for rank in range(max(layout.rank, default=-1) + 1):
        left[rank] = at
        at += widths[rank] + _GAP
    boxes = [
        (left[r], _MARGIN + _BOX + y * _ROW, widths[r]) for r, y in zip(layout.rank, layout.y, strict=True)
    ]
    lowest = [*layout.y] + [y for bend in layout.bends.values() for _, y in bend]
    return boxes, at, 2 * _MARGIN + _BOX + (max(lowest) * _ROW + _BOX if lowest else 0)


def _edge(layout: Layout, boxes: list[_Box], a: int, b: int, kind: str, *, backwards: bool) -> str:
    """Draw an edge from the left table a to the right table b as a smooth curve through its bends."""
    columns = {rank: (box[0], box[2]) for rank, box in zip(layout.rank, boxes, strict=True)}
    (xa, ya, wa), (xb, yb, wb) = boxes[a], boxes[b]
    rightwards = layout.rank[a] < layout.rank[b]
    points = [(xa + wa if rightwards else xa, ya)]
    for rank, y in layout.bends[a, b]:
        x, w = columns[rank]
        height = _MARGIN + _BOX + y * _ROW
        points += [(x, height), (x + w, height)] if rightwards else [(x + w, height), (x, height)]
    points.append((xb if rightwards else xb + wb, yb))
    path = f"M{points[0][0]:.0f} {points[0][1]:.0f}"
    for (x1, y1), (x2, y2) in zip(points, points[1:], strict=False):
        middle = (x1 + x2) / 2
        path += f"C{middle:.0f} {y1:.0f} {middle:.0f} {y2:.0f} {x2:.0f} {y2:.0f}"
    end = "start" if backwards else "end"
    return f"<path class='e {kind}' marker-{end}='url(#a)' d='{path}'/>"


def _node(table: GraphTable, box: _Box, colours: dict[str, str], focus: str | None) -> str:
    x, y, width = box
    qualifier, label = _label(table.name)
    classes = "n" + (" focus" if table.name == focus else "") + (" placeholder" if table.placeholder else "")
    above = (
        f"<text class='q' x='{x + 3:.0f}' y='{y - _BOX / 2 - 1:.0f}'>{_text(qualifier)}</text>"
        if qualifier
        else ""
    )
    return (
        f"<g class='{classes}'><title>{_text(_facts(table))}</title>{above}"
        f"<rect x='{x:.0f}' y='{y - _BOX / 2:.0f}' width='{width:.0f}' height='{_BOX}' rx='4' "
        f"fill='{colours.get(_category(table), _NEUTRAL)}'/>"
        f"<text x='{x + 9:.0f}' y='{y + 4:.0f}'>{_text(label)}</text></g>"
    )


def _loose(
    graph: SchemaGraph, names: list[str], colours: dict[str, str], top: float, width: float, focus: str | None
) -> tuple[list[str], float, float]:
    """Set the tables without an edge in rows below the picture."""
    if not names:
        return [], top, width
    nodes = [f"<text class='q' x='{_MARGIN}' y='{top + 4:.0f}'>without edges here</text>"]
    x, y, right = float(_MARGIN), top + 30, max(width, 760.0)
    for name in names:
        size = _CHARACTER * len(_label(name)[1]) + 18
        if x > _MARGIN and x + size > right - _MARGIN:
            x, y = float(_MARGIN), y + _ROW + 6
        nodes.append(_node(graph.tables[name], (x, y, size), colours, focus))
        x += size + 14
    return nodes, y + 2 * _MARGIN, right


def _legend(colours: dict[str, str], note: str, top: float) -> tuple[str, float]:
    parts = [
        f"<text x='{_MARGIN}' y='{top + 6:.0f}'>{_text(note)}</text>",
        f"<path class='e lineage' marker-end='url(#a)' d='M{_MARGIN} {top + 24:.0f}h34'/>"
        f"<text x='{_MARGIN + 42}' y='{top + 28:.0f}'>feeds</text>",
        f"<path class='e fk' marker-end='url(#a)' d='M{_MARGIN + 100} {top + 24:.0f}h34'/>"
        f"<text x='{_MARGIN + 142}' y='{top + 28:.0f}'>references</text>",
    ]
    x = float(_MARGIN)
    for category, colour in colours.items():
        parts.append(
            f"<rect x='{x:.0f}' y='{top + 40:.0f}' width='12' height='12' fill='{colour}' stroke='#8593a1'/>"
            f"<text x='{x + 17:.0f}' y='{top + 50:.0f}'>{_text(category)}</text>"
        )
        x += 40 + _CHARACTER * len(category)
    return "".join(parts), top + 64


def _category(table: GraphTable) -> str:
    if table.group or table.layer:
        return table.group or table.layer or ""
    return "source file" if table.kind == "source_file" else table.name.rpartition(".")[0]


def _colours(tables: list[GraphTable]) -> dict[str, str]:
    """Give the most frequent groups (else layers, else schemas) a colour each."""
    counts: dict[str, int] = defaultdict(int)
    for table in tables:
        if category := _category(table):
            counts[category] += 1
    frequent = sorted(counts, key=lambda name: (-counts[name], name))[: len(_PALETTE)]
    return dict(zip(sorted(frequent), _PALETTE, strict=False))


def _label(name: str) -> tuple[str, str]:
    qualifier, _, last = name.rpartition(".")
    return _shortened(qualifier), _shortened(last or name)


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_LABEL else text[: _LONGEST_LABEL - 1] + "…"


def _facts(table: GraphTable) -> str:
    columns = ", ".join(column.name for column in table.columns[:12])
    more = f" … {len(table.columns)} columns" if len(table.columns) > 12 else ""
    return table.name + (f": {columns}{more}" if columns else "")


def _text(text: str) -> str:
    """Escape for XML, without the characters that XML forbids."""
    return escape(_CONTROL.sub("", text), quote=True)
