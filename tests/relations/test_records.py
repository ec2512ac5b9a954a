"""Documents of one record each are put together by their fields."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from headwater.relations import RecordSketch, group_records

FIELDS = tuple(f"part{n % 4}.field{n}" for n in range(20))


def sketch(document: str, fields: tuple[str, ...] = FIELDS) -> RecordSketch:
    return RecordSketch(document, "/".join(document.split("/")[:2]), fields)


def test_documents_that_share_most_fields_are_one_group_with_short_labels() -> None:
    documents = [
        sketch("atlas/countries/files/europe/fi.json", FIELDS[:18]),
        sketch("atlas/countries/files/europe/lu.json", FIELDS[2:]),
        sketch("atlas/countries/files/africa/gh.json", (*FIELDS, "note.more")),
        sketch("atlas/countries/files/about.json", ("author", "licence", "version")),
    ]
    about, countries = sorted(group_records(documents), key=lambda g: len(g.documents))
    assert [d.document for d in about.documents] == ["atlas/countries/files/about.json"]
    assert countries.labels == ("africa/gh", "europe/fi", "europe/lu")
    assert countries.id.startswith("countries-")


def test_an_ending_stays_where_it_tells_two_documents_apart() -> None:
    (group,) = group_records([sketch("a/b/x.json"), sketch("a/b/x.yaml"), sketch("a/b/y.json")])
    assert group.labels == ("x.json", "x.yaml", "y.json")


def test_a_folder_for_each_record_makes_one_group_only_if_the_fields_tell_something() -> None:
    packages = [sketch(f"packages/{name}/package.json") for name in ("left", "right", "up")]
    assert [len(g.documents) for g in group_records(packages)] == [3]
    elsewhere = [sketch("other/left/package.json")]
    assert sorted(len(g.documents) for g in group_records(packages + elsewhere)) == [1, 3]
    few = [sketch(f"packages/{name}/package.json", ("id", "name")) for name in ("left", "right")]
    assert [len(g.documents) for g in group_records(few)] == [1, 1]


def test_the_id_stays_when_documents_come_and_go() -> None:
    documents = [sketch(f"atlas/countries/{n}.json", FIELDS[n % 3 :]) for n in range(9)]
    assert group_records(documents)[0].id == group_records(documents[3:])[0].id


subsets = st.lists(st.sampled_from(FIELDS), min_size=1, max_size=20, unique=True).map(tuple)


@given(st.lists(st.tuples(st.sampled_from(["a/x", "a/y", "b/z"]), subsets), max_size=25), st.randoms())
def test_groups_hold_every_document_once_whatever_the_order(
    found: list[tuple[str, tuple[str, ...]]], rng: random.Random
) -> None:
    documents = [sketch(f"{dataset}/{n}.json", fields) for n, (dataset, fields) in enumerate(found)]
    groups = group_records(documents)
    assert sorted(d.document for g in groups for d in g.documents) == sorted(d.document for d in documents)
    assert len({g.id for g in groups}) == len(groups)
    rng.shuffle(documents)
    assert group_records(documents) == groups
