from __future__ import annotations

from tests.tables import make_table

from headwater.relations import (
    Link,
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
    return LinkGraph.of(
        dataset_links(find_joins([matches, towns]), find_mentions(pages, [matches, towns], pages))
    )


def test_links_go_both_ways_and_say_why() -> None:
    via = {link.other: link.via for link in _graph().links("open/matches")}
    assert via["open/towns"].startswith("join: ") and "city" in via["open/towns"]
    assert via["wiki/Lausanne"].startswith("mention: Lausanne in column city")
    assert any(link.other == "open/matches" for link in _graph().links("wiki/Lausanne"))


def test_links_are_read_of_the_datasets_on_the_way_alone() -> None:
    asked: list[str] = []

    def links_of(dataset: str) -> list[Link]:
        asked.append(dataset)
        return [Link(dataset, f"{dataset}{i}", 0.9 - i / 10, "join: …") for i in range(2)]

    graph = LinkGraph(links_of, lambda datasets: [])
    linked = linked_datasets(["a", "b"], graph, [{"a0": 3.0, "a00": 2.0, "zz": 9.0}])
    assert [dataset for dataset, _ in linked] == ["a0", "a00"]
    assert "zz" not in asked and len(asked) == len(set(asked))


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


def test_datasets_of_the_same_years_are_linked_weakly_and_only_where_a_clause_finds_them() -> None:
    years = [str(y) for y in range(1950, 2000)]
    storms = _table("storms", {"year": years, "damage": [str(i * 3.5) for i in range(50)]})
    work = _table("work", {"year": years[20:], "out_of_work": [str(i * 9.5) for i in range(30)]})
    early = _table(
        "early", {"year": [str(y) for y in range(1880, 1952)], "x": [str(i * 1.5) for i in range(72)]}
    )
    graph = LinkGraph.of(dataset_links(tables=[storms, work, early]))
    scores = [
        {
            "open/storms": 5.0,
            "open/work": 2.0,
            "open/early": 3.0,
            "wiki/1992_Summer_Olympics": 1.0,
            "wiki/1896_Olympics": 4.0,
        }
    ]
    linked = dict(linked_datasets(["open/storms"], graph, scores))
    assert set(linked) == {"open/work", "wiki/1992_Summer_Olympics"}
    assert linked["open/work"] == "join: years 1970-1999 in open/storms and open/work"
    assert linked_datasets(["open/storms"], graph) == []


def test_only_names_of_subjects_are_looked_for() -> None:
    table = _table(
        "words",
        {"word": ["Data", "Greetings", "Lausanne", "Codebook", "Oslo"], "n": ["1", "2", "3", "4", "5"]},
    )
    speech = sketch_text(
        "d/s/files/address.txt", "d/s", "", "Greetings\n\nMembers of the house, it is good to be here today."
    )
    readme = sketch_text("d/s/README.md", "d/s", "", "# Data\n\nData on words.")
    named = sketch_text("wiki/Oslo/content.txt", "wiki/Oslo", "", "Oslo\n\nA capital in the north.")
    told = sketch_text("pages/17.txt", "pages", "", "Lausanne\n\nLausanne is a city on a lake.")
    assert {m.title for m in find_mentions([speech, readme, named, told], [table], [])} == {
        "Oslo",
        "Lausanne",
    }
