"""Small schemas of our own for the tests: a bookshop with a warehouse, and a layered warehouse with groups."""

from __future__ import annotations

import json
from pathlib import Path

from headwater.graph import ForeignKey, GraphColumn, GraphTable, LineageEdge, SchemaGraph

HANDED = Path(__file__).parents[2].parent / "shared" / "data" / "dw-bench"

BOOKSHOP_KEYS = """
App.sales.Orders > App.sales.Buyer; App.sales.Orders > App.sales.Branch; App.sales.OrderLine > App.sales.Orders
App.sales.OrderLine > App.stock.Book; App.stock.Book > App.stock.Publisher; App.stock.BookAuthor > App.stock.Book
App.stock.BookAuthor > App.stock.Author; App.sales.Buyer > App.geo.City; App.sales.Branch > App.geo.City
App.geo.City > App.geo.Nation; App.stock.Author > App.geo.Nation; App.stock.Publisher > App.geo.City
DW.mart.FactSales > DW.mart.DimBuyer; DW.mart.FactSales > DW.mart.DimBook; DW.mart.FactSales > DW.mart.DimDay
DW.mart.FactSales > DW.mart.DimDay; DW.mart.DimBook > DW.mart.DimPublisher; DW.mart.FactReturns > DW.mart.DimBook
DW.mart.FactReturns > DW.mart.DimDay; DW.mart.DimBuyer > DW.mart.DimPlace; DW.mart.DimPlace > DW.mart.DimPlace
Legacy.old.Ticket > Legacy.old.Agent
"""
BOOKSHOP_FLOWS = """
App.sales.Buyer > DW.mart.DimBuyer; App.geo.City > DW.mart.DimBuyer; App.geo.City > DW.mart.DimPlace
App.geo.Nation > DW.mart.DimPlace; App.stock.Book > DW.mart.DimBook; App.stock.Author > DW.mart.DimBook
App.stock.BookAuthor > DW.mart.DimBook; App.stock.Publisher > DW.mart.DimPublisher; App.sales.Orders > DW.mart.FactSales
App.sales.OrderLine > DW.mart.FactSales; DW.mart.FactSales > DW.mart.SalesByPlace; DW.mart.DimPlace > DW.mart.SalesByPlace
DW.mart.SalesByPlace > DW.mart.BoardReport; DW.mart.DimBook > DW.mart.BookRanking; DW.mart.FactSales > DW.mart.BookRanking
"""
BOOKSHOP_LOOSE = "App.dbo.AuditTrail; DW.dbo.AuditTrail; DW.mart.StagingLeftover"

LAYERED_FLOWS = """
raw_tickets > stg_tickets_clean; raw_agents > stg_tickets_clean; raw_agents > stg_agents_checked
stg_tickets_clean > dim_queue; stg_tickets_clean > fact_call; stg_agents_checked > dim_agent; stg_agents_checked > fact_call
dim_agent > mart_agent_load; fact_call > mart_agent_load; dim_queue > mart_queue_report; fact_call > mart_queue_report
raw_shelves > stg_shelves_mapped; raw_parcels > stg_parcels_joined; raw_shelves > stg_parcels_joined
stg_shelves_mapped > dim_shelf; stg_parcels_joined > dim_parcel; stg_parcels_joined > fact_move; stg_shelves_mapped > fact_move
dim_shelf > mart_fill_level; fact_move > mart_fill_level; dim_parcel > mart_parcel_delay
"""
LAYERED_KEYS = "fact_call > dim_agent; fact_call > dim_queue; fact_move > dim_shelf; fact_move > dim_parcel"
_DEPOT = ("shelf", "shelves", "parcel", "parcels", "move", "fill")
_LAYERS = {"raw": "raw", "stg": "staging", "dim": "core", "fact": "core", "mart": "mart"}

CLINIC_KEYS = """
visit > person; visit > provider; note > visit; note > person; cost > visit; provider > location; person > location
item > note; store > location; drug_use > person; drug_use > visit; relationship > domain
"""
CLINIC_FLOWS = (
    "note > note_words; visit > drug_use; drug_use > drug_span; drug_span > drug_year; person > drug_span"
)


def _pairs(text: str) -> list[tuple[str, str]]:
    found = []
    for part in text.replace("\n", ";").split(";"):
        if part.strip():
            left, _, right = part.partition(">")
            found.append((left.strip(), right.strip()))
    return found


def build(keys: str, flows: str, loose: str = "") -> SchemaGraph:
    graph = SchemaGraph()
    names = sorted({name for pair in (*_pairs(keys), *_pairs(flows)) for name in pair})
    for name in [*names, *(part.strip() for part in loose.split(";") if part.strip())]:
        graph.add_table(GraphTable(name, [GraphColumn("id", "int")]))
    for child, parent in _pairs(keys):
        graph.add_foreign_key(
            ForeignKey("", child, (parent.split(".")[-1].lower() + "_id",), parent, ("id",))
        )
    for source, target in _pairs(flows):
        graph.add_lineage(LineageEdge(source, target))
    return graph


def bookshop() -> SchemaGraph:
    return build(BOOKSHOP_KEYS, BOOKSHOP_FLOWS, BOOKSHOP_LOOSE)


def layered() -> SchemaGraph:
    graph = build(LAYERED_KEYS, LAYERED_FLOWS)
    for table in graph.tables.values():
        words = table.name.split("_")
        table.layer = _LAYERS[words[0]]
        table.group = "depot" if any(word in _DEPOT for word in words) else "support"
    graph.version += 1
    return graph


def clinic() -> SchemaGraph:
    return build(CLINIC_KEYS, CLINIC_FLOWS, "metadata")


def handed(dataset: str, names: dict[str, str] | None = None) -> SchemaGraph:
    """Load a handed schema with a few lines of its own, with its tables renamed if names are given."""
    new = (names or {}).get
    schema = json.loads((HANDED / dataset / "schema.json").read_text(encoding="utf-8"))
    graph = SchemaGraph()
    for t in schema["tables"]:
        columns = [GraphColumn(c["name"], c.get("type", "")) for c in t["columns"]]
        name = new(t["name"], t["name"])
        graph.add_table(GraphTable(name, columns, t.get("group"), t.get("layer"), t.get("kind", "table")))
    for k in schema["foreign_keys"]:
        child, parent = new(k["child"], k["child"]), new(k["parent"], k["parent"])
        graph.add_foreign_key(
            ForeignKey(k["name"], child, tuple(k["child_columns"]), parent, tuple(k["parent_columns"]))
        )
    for e in schema["lineage"]:
        graph.add_lineage(LineageEdge(new(e["source"], e["source"]), new(e["target"], e["target"])))
    return graph
