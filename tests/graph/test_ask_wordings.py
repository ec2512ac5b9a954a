"""Many ways to ask for the same thing, over three schemas."""

from __future__ import annotations

import pytest
from tests.graph._schemas import bookshop, clinic, layered
from tests.graph.wordings import WORDINGS

from headwater.graph import SchemaGraph, ask

BOOKSHOP, LAYERED, CLINIC = bookshop(), layered(), clinic()
PAIRS: dict[str, list[tuple[SchemaGraph, str, str]]] = {
    "lineage.direct_targets": [(BOOKSHOP, "Orders", ""), (LAYERED, "stg_tickets_clean", ""), (CLINIC, "drug_use", "")],
    "lineage.direct_sources": [(BOOKSHOP, "DimBook", ""), (LAYERED, "fact_call", ""), (CLINIC, "drug_span", "")],
    "lineage.descendants": [(BOOKSHOP, "sales.OrderLine", ""), (LAYERED, "raw_agents", ""), (CLINIC, "visit", "")],
    "lineage.ancestors": [(BOOKSHOP, "BoardReport", ""), (LAYERED, "mart_queue_report", ""), (CLINIC, "drug_year", "")],
    "lineage.reaches": [(BOOKSHOP, "Orders", "BoardReport"), (LAYERED, "raw_agents", "mart_fill_level")],
    "lineage.directed_edge": [(BOOKSHOP, "Book", "DimBook"), (LAYERED, "raw_agents", "fact_call")],
    "lineage.common": [(BOOKSHOP, "DimBuyer", "DimPlace"), (LAYERED, "stg_tickets_clean", "stg_agents_checked")],
    "impact.closure+fk_children(source_expanded)": [(BOOKSHOP, "App.geo.City", ""), (CLINIC, "visit", "")],
    "impact.closure+fk_neighbours(source_expanded)": [(LAYERED, "raw_tickets", ""), (BOOKSHOP, "Book", "")],
    "fk.directed_edge": [(BOOKSHOP, "Orders", "Buyer"), (BOOKSHOP, "DimBook", "FactSales"), (CLINIC, "note", "person")],
    "fk.children": [(BOOKSHOP, "DimDay", ""), (CLINIC, "person", "")],
    "fk.parents": [(BOOKSHOP, "FactSales", ""), (CLINIC, "drug_use", "")],
    "path.shortest_undirected:fk": [(BOOKSHOP, "OrderLine", "Nation"), (CLINIC, "drug_use", "location")],
    "path.length_undirected:fk": [(BOOKSHOP, "BookAuthor", "Branch"), (CLINIC, "note", "provider")],
    "path.length_undirected:fk+lineage": [(BOOKSHOP, "Buyer", "FactReturns"), (LAYERED, "raw_shelves", "mart_parcel_delay")],
}  # fmt: skip
ANY_TABLE = [
    (BOOKSHOP, "DimBook", "Ticket"),
    (LAYERED, "stg_parcels_joined", "dim_agent"),
    (CLINIC, "visit", "person"),
]
CASES = [
    pytest.param(kind, wording, *pair, id=f"{kind}-{i}-{n}")
    for kind, wordings in WORDINGS.items()
    for i, wording in enumerate(wordings)
    for n, pair in enumerate(PAIRS.get(kind, ANY_TABLE))
]
ENDS = {"fk.directed_edge": ("child", "parent"), "lineage.reaches": ("source", "target"), "lineage.directed_edge": ("source", "target")}  # fmt: skip


@pytest.mark.parametrize(("kind", "wording", "graph", "x", "y"), CASES)
def test_wording_is_read_as_meant(kind: str, wording: str, graph: SchemaGraph, x: str, y: str) -> None:
    answer = ask(graph, wording.replace("{x}", x).replace("{y}", y))
    assert answer.status == "answered", answer.missing
    wanted, _, edges = kind.partition(":")
    assert answer.semantics.startswith(wanted), answer.reading
    assert not edges or answer.args["edges"] == edges
    named = {name.rsplit(".", 1)[-1] for name in answer.args.values() if isinstance(name, str)}
    assert "{x}" not in wording or x.rsplit(".", 1)[-1] in named
    assert "{y}" not in wording or y in named
    if kind in ENDS:
        assert [answer.args[end].rsplit(".", 1)[-1] for end in ENDS[kind]] == [x, y]
