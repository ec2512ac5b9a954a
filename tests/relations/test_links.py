from __future__ import annotations

from tests.tables import make_table

from headwater.relations import (
    LinkGraph,
    TableSketch,
    TextSketch,
    dataset_links,
    entity_key,
    find_joins,
    find_mentions,
    linked_datasets,
    question_clauses,
    sketch_table,
    sketch_text,
    title_keys,
)


def _page(title: str, text: str = "") -> TextSketch:
    name = title.replace(" ", "_")
    return sketch_text(f"wiki/{name}/content.txt", f"wiki/{name}", title, text)


def _table(name: str, columns: dict[str, list[str]]) -> TableSketch:
    return sketch_table(make_table(columns), f"open/{name}/files/{name}.csv", f"open/{name}")


CITIES = ["Lausanne", "Zürich", "Basel", "Frankfort", "Springfield", "Toledo", "Geneva", "Bern", "Lugano"]


def test_a_page_is_found_in_cells_and_in_other_texts() -> None:
    matches = _table("matches", {"city": CITIES, "goals": [str(i) for i in range(9)]})
    pages = [
        _page("Lausanne"),
        _page("Lake Geneva", "The towns of Lausanne and Évian lie on it."),
        _page("Oslo"),
    ]
    found = {(m.title, m.document, m.column) for m in find_mentions(pages, [matches], pages)}
    assert ("Lausanne", matches.document, "city") in found
    assert ("Lausanne", "wiki/Lake_Geneva/content.txt", "") in found
    assert not any(title == "Oslo" for title, _, _ in found)


def test_weaker_forms_of_a_title_weigh_less() -> None:
    matches = _table("matches", {"city": CITIES, "goals": [str(i) for i in range(9)]})
    weights = {
        m.title: m.weight
        for m in find_mentions(
            [_page("Frankfort, Kentucky"), _page("Lausanne"), _page("Lake Geneva")], [matches], []
        )
    }
    assert weights["Lausanne"] > weights["Frankfort, Kentucky"] > weights["Lake Geneva"] > 0


def test_spelling_variants_meet() -> None:
    assert entity_key("John F. Kennedy International Airport") == entity_key("John F Kennedy Intl")
    assert entity_key("Luka Modrić") == entity_key("luka modric")
    assert dict(title_keys("Mercury_(planet)"))["mercury"] == 0.9
    assert not title_keys("1984")


def test_given_and_family_name_in_two_columns_make_one_name() -> None:
    table = _table(
        "awards",
        {
            "given_name": ["Luka", "Kylian", "Ada"],
            "family_name": ["Modrić", "Mbappé", "Hegerberg"],
            "n": ["1", "2", "4"],
        },
    )
    (mention,) = find_mentions([_page("Luka Modrić")], [table], [])
    assert mention.column == "given_name family_name"


def test_clauses_leave_out_the_request_for_a_format() -> None:
    clauses = question_clauses(
        "The match with the most goals was played in a Swiss city. How many stations does that city's metro system have? "
        "Return only the number in the format [Answer]."
    )
    assert clauses[1:] == [
        "The match with the most goals was played in a Swiss city.",
        "How many stations does that city's metro system have?",
    ]
    assert not any("format" in clause for clause in clauses)
    assert question_clauses("rivers") == ["rivers"]


def _graph() -> LinkGraph:
    matches = _table("matches", {"city": CITIES, "goals": [str(i) for i in range(9)]})
    towns = _table("towns", {"town": CITIES, "people": [str(i * 1000) for i in range(9)]})
    pages = [_page(c, "A city on a hill with a Metro.") for c in CITIES] + [
        _page("Metro", "See the Metro of Lausanne.")
    ]
    return LinkGraph(
        dataset_links(find_joins([matches, towns]), find_mentions(pages, [matches, towns], pages))
    )


def test_links_go_both_ways_and_say_why() -> None:
    via = {link.other: link.via for link in _graph().links("open/matches")}
    assert via["open/towns"].startswith("join: ") and "city" in via["open/towns"]
    assert via["wiki/Lausanne"].startswith("mention: Lausanne in column city")
    assert any(link.other == "open/matches" for link in _graph().links("wiki/Lausanne"))


def test_linked_are_what_is_reached_and_fits_a_clause() -> None:
    scores = [
        {"open/matches": 9.0, "wiki/Oslo": 8.0},
        {"wiki/Oslo": 7.0, "wiki/Lausanne": 5.0, "wiki/Basel": 1.0},
    ]
    linked = linked_datasets(["open/matches"], _graph(), scores, limit=3)
    assert linked[0][0] == "wiki/Lausanne"
    assert "wiki/Oslo" not in dict(linked) and "open/matches" not in dict(linked)
    assert len(linked) <= 3


def test_two_steps_are_reached_over_a_linked_dataset() -> None:
    linked = dict(
        linked_datasets(["open/matches"], _graph(), [{"wiki/Metro": 3.0, "wiki/Lausanne": 2.0}], limit=10)
    )
    assert "; then " in linked["wiki/Metro"]


def test_without_scores_the_strongest_links_come_first() -> None:
    linked = linked_datasets(["open/matches"], _graph(), limit=2)
    assert len(linked) == 2
    assert linked_datasets([], _graph()) == []


def test_text_sketch_survives_bytes() -> None:
    page = _page("Lake Geneva", "The towns of Lausanne and Évian lie on it. " * 5)
    again = TextSketch.from_bytes(page.to_bytes())
    assert again.titles == page.titles and again.phrases.tolist() == page.phrases.tolist()
    assert again.shape is not None and page.shape is not None and again.shape.tolist() == page.shape.tolist()
