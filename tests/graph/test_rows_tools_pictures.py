"""Row lineage, tools for agents, names, pictures."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from tests.graph._schemas import bookshop, layered
from tests.graph.wordings import ROW_WORDINGS

from headwater.errors import AmbiguousError, NotFoundError, ReadError, UsageError
from headwater.graph import (
    GraphTable,
    LineageEdge,
    SchemaGraph,
    Topology,
    ask,
    attach_rows,
    load_rows,
    render_html,
    render_svg,
    tools_for,
)

ROWS = """target_table,target_row,source_table,source_row
stg_tickets,0,raw_tickets,3
stg_tickets,0,raw_agents,1
stg_tickets,1,raw_tickets,3
mart_load,2,stg_tickets,0
mart_load,2,stg_tickets,1
mart_load,0,stg_tickets,1
mart_pay,0,stg_pay,0
mart_pay,2,stg_pay,0
stg_pay,0,raw_pay,3
stg_tickets,2,raw_pay,3
mart_load,0,stg_tickets,2
"""
TABLES = {
    "raw_tickets": (5, "raw", "support"), "raw_agents": (3, "raw", "support"), "raw_pay": (4, "raw", "finance"),
    "stg_tickets": (3, "staging", "support"), "stg_pay": (1, "staging", "finance"), "mart_load": (3, "mart", "support"),
    "mart_pay": (3, "mart", "finance"),
}  # fmt: skip


@pytest.fixture
def rows_folder(tmp_path: Path) -> Path:
    tables = [{"name": n, "rows": r, "layer": layer, "group": g} for n, (r, layer, g) in TABLES.items()]
    (tmp_path / "manifest.json").write_text(json.dumps({"tables": tables}), encoding="utf-8")
    (tmp_path / "row_lineage.csv").write_text(ROWS, encoding="utf-8")
    return tmp_path


@pytest.fixture
def with_rows(rows_folder: Path) -> SchemaGraph:
    return attach_rows(SchemaGraph(), load_rows(rows_folder))


def test_rows_by_hand(rows_folder: Path) -> None:
    rows = load_rows(rows_folder)
    assert (rows.row_count, rows.link_count) == (22, 11)
    assert rows.direct_sources("mart_load", 2) == ["stg_tickets:row_0", "stg_tickets:row_1"]
    assert rows.direct_targets("raw_tickets", 3) == ["stg_tickets:row_0", "stg_tickets:row_1"]
    assert rows.tables_of(rows.ancestors("mart_load", 2)) == ["raw_agents", "raw_tickets", "stg_tickets"]
    assert rows.count(rows.descendants("raw_tickets", 3)) == 4
    assert rows.first_row_sources("mart_load") == ["raw_pay", "raw_tickets", "stg_tickets"]
    with pytest.raises(NotFoundError, match="no row_9"):
        rows.number("mart_load", 9)
    with pytest.raises(NotFoundError):
        rows.number("nowhere", 0)


def test_links_beyond_the_manifest_extend_it(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"tables": []}', encoding="utf-8")
    (tmp_path / "row_lineage.csv").write_text(
        "target_table,target_row,source_table,source_row\na,1,b,7\n", encoding="utf-8"
    )
    assert [(t.name, t.rows) for t in load_rows(tmp_path).tables] == [("a", 2), ("b", 8)]


@pytest.mark.parametrize(
    "text",
    [
        "a,b\n1,2\n",
        "target_table,target_row,source_table,source_row\na,x,b,1\n",
        "target_table,target_row,source_table,source_row\na,-1,b,1\n",
    ],
)
def test_broken_row_lineage_is_told(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text('{"tables": []}', encoding="utf-8")
    (tmp_path / "row_lineage.csv").write_text(text, encoding="utf-8")
    with pytest.raises(ReadError):
        load_rows(tmp_path)


def test_missing_row_lineage_is_told(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="No row lineage"):
        load_rows(tmp_path)


ANSWERS = {
    "rows.direct_sources": ["stg_tickets:row_0", "stg_tickets:row_1"],
    "tables.ancestors@layer": {"raw": ["raw_agents", "raw_tickets"], "staging": ["stg_tickets"]},
    "tables.ancestors": ["raw_agents", "raw_tickets", "stg_tickets"],
    "tables.descendants@layer": ["mart_load"],
    "tables.descendants": ["mart_load", "stg_tickets"],
    "rows.descendants_count": 4,
    "rows.descendants_count@layer": 2,
    "tables.reaches": True,
    "groups.raw_reaches_mart": True,
    "tables.common_ancestors@layer": ["raw_pay"],
}


@pytest.mark.parametrize(("kind", "wording"), [(k, w) for k, ws in ROW_WORDINGS.items() for w in ws])
def test_row_wordings(with_rows: SchemaGraph, kind: str, wording: str) -> None:
    text = wording.format(m="mart_load", n="mart_pay", r="raw_tickets")
    text = re.sub(r"\bhr\b", "support", text)
    answer = ask(with_rows, text)
    assert answer.status == "answered", answer.missing
    assert answer.semantics.replace("(first_row)", "") == kind, answer.reading
    want = ANSWERS[kind]
    assert answer.answer == (want[answer.args["layer"]] if isinstance(want, dict) else want)


def test_groups_have_a_direction(with_rows: SchemaGraph) -> None:
    assert ask(with_rows, "Does data from finance raw tables reach support marts?").answer is True
    answer = ask(with_rows, "Does data from support raw tables reach finance marts?")
    assert (answer.answer, answer.args) == (False, {"source_group": "support", "target_group": "finance"})


def test_empty_answers_are_answers(with_rows: SchemaGraph) -> None:
    answer = ask(with_rows, "If raw_agents row_0 is deleted, which mart tables lose data?")
    assert (answer.status, answer.answer) == ("answered", [])
    assert "no row_99" in ask(with_rows, "Which rows directly contributed to mart_load row_99?").missing


def test_published_tools_keep_their_semantics() -> None:
    tools = tools_for(bookshop(), published_only=True)
    assert len(tools) == 9
    assert tools["shortest_path"]("App.sales.Buyer", "DW.mart.DimBuyer")["path"] == [
        "App.sales.Buyer",
        "DW.mart.DimBuyer",
    ]
    assert tools["check_fk_adjacency"]("Orders", "Buyer")["adjacent"] is True
    assert tools["check_fk_adjacency"]("Buyer", "Orders")["adjacent"] is False
    assert tools["get_lineage_forward"]("FactSales")["tables"] == [
        "DW.mart.BookRanking",
        "DW.mart.SalesByPlace",
    ]
    assert tools["get_lineage_reverse"]("BoardReport")["tables"] == ["DW.mart.SalesByPlace"]
    assert tools["transitive_lineage"]("BoardReport", "reverse")["total"] == 7
    assert tools["get_fk_neighbors"]("DimPublisher", 2)["tables"] == [
        "DW.mart.DimBook",
        "DW.mart.FactReturns",
        "DW.mart.FactSales",
    ]
    assert tools["get_component_of"]("Ticket") == {"size": 2, "tables": ["Legacy.old.Agent"], "total": 1}
    assert tools["connected_components"]()["count"] == 5
    assert tools["list_tables"](limit=2)["truncated"].startswith("2 of ")


def test_our_tools() -> None:
    graph = bookshop()
    tools = tools_for(graph)
    hit = tools["impact"]("Nation")
    assert hit["semantics"] == "impact.closure+fk_children(source_expanded)"
    assert hit["paths"]["DW.mart.BoardReport"][0] == "App.geo.Nation feeds DW.mart.DimPlace"
    assert tools["find_paths"]("Orders", "City")["total"] == 2
    assert tools["join_tree"](["Author", "Publisher", "OrderLine"])["exact"] is True
    assert tools["describe_table"]("DimBook")["references"] == ["DW.mart.DimPublisher"]
    assert tools["explain"]("What feeds DimBook?")["status"] == "answered"
    with pytest.raises(UsageError, match="row lineage"):
        tools["count_downstream"]("DimBook", 0)
    with pytest.raises(UsageError):
        tools["transitive_lineage"]("DimBook", "sideways")


def test_row_tools(with_rows: SchemaGraph) -> None:
    tools = tools_for(with_rows)
    assert tools["count_downstream"]("raw_tickets", 3) == {
        "total": 4,
        "by_table": {"mart_load": 2, "stg_tickets": 2},
    }
    assert tools["trace_row_lineage"]("mart_load", 2)["rows"] == ["stg_tickets:row_0", "stg_tickets:row_1"]


def test_names_resolve_or_say_what_is_near() -> None:
    topology = Topology(bookshop())
    assert topology.resolve("dimbook") == topology.resolve("mart.DimBook") == "DW.mart.DimBook"
    with pytest.raises(AmbiguousError) as both:
        topology.resolve("AuditTrail")
    assert both.value.nearest == ["App.dbo.AuditTrail", "DW.dbo.AuditTrail"]
    with pytest.raises(NotFoundError) as missing:
        topology.resolve("DimBok")
    assert missing.value.nearest[0] == "DW.mart.DimBook"


@pytest.mark.parametrize("focus", [None, "DimBook"])
def test_pictures_are_well_formed_and_told(focus: str | None) -> None:
    graph = bookshop()
    root = ET.fromstring(render_svg(graph, focus, depth=1))
    titles = {t.text for t in root.iter("{http://www.w3.org/2000/svg}title")}
    assert any(t and t.startswith("DW.mart.DimBook") for t in titles)
    total = len(graph.tables)
    assert (f"{total} of {total} tables." in titles) == (focus is None)
    paths = [p for p in root.iter("{http://www.w3.org/2000/svg}path") if p.get("class") == "e lineage"]
    topology = Topology(graph)
    shown = (
        set(graph.tables) if focus is None else {*topology.neighbours(focus, "fk+lineage"), "DW.mart.DimBook"}
    )
    near = {(e.source, e.target) for e in graph.lineage if {e.source, e.target} <= shown}
    assert len(paths) == len(near) + 1  # and one in the legend


def test_names_in_pictures_are_escaped() -> None:
    graph = SchemaGraph()
    graph.add_lineage(LineageEdge("<script>alert('x')</script>", 'b" onload="y\x01'))
    for text in (render_svg(graph), render_html(graph)):
        assert "<script>" not in text and 'onload="y' not in text and "\x01" not in text
    ET.fromstring(render_svg(graph))


def test_boxes_do_not_overlap() -> None:
    root = ET.fromstring(render_svg(layered()))
    boxes = []
    for group in root.iter("{http://www.w3.org/2000/svg}g"):
        rect = group.find("{http://www.w3.org/2000/svg}rect")
        assert rect is not None
        boxes.append([float(rect.get(k, "0")) for k in ("x", "y", "width", "height")])
    assert len(boxes) == len(layered().tables)
    for i, (x, y, w, h) in enumerate(boxes):
        for x2, y2, w2, h2 in boxes[i + 1 :]:
            assert x + w <= x2 or x2 + w2 <= x or y + h <= y2 or y2 + h2 <= y


def test_a_huge_graph_is_cut_and_an_empty_one_drawn() -> None:
    graph = SchemaGraph()
    for i in range(10_000):
        graph.add_lineage(LineageEdge(f"t{i // 7}", f"t{i + 1}"))
    text = render_svg(graph)
    assert "120 of 10001 tables" in text
    assert text.count("<g class='n") == 120
    assert "1 of 1 tables" not in render_svg(SchemaGraph())
    assert "0 of 0 tables" in render_html(SchemaGraph())
    alone = SchemaGraph()
    alone.add_table(GraphTable("only"))
    assert "1 of 1 tables" in render_svg(alone)
