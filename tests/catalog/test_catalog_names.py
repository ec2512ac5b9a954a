"""Names that fit nothing, among few and among very many."""

from __future__ import annotations

from pathlib import Path

import pytest

from headwater.catalog import Catalog, DocumentRecord, Names, nearest
from headwater.catalog._names import MAX_COMPARED
from headwater.errors import AmbiguousError, NotFoundError


@pytest.fixture
def names(tmp_path: Path) -> Names:
    """A catalog of more documents than are compared one by one."""
    catalog = Catalog(tmp_path, write=True)
    ids = [f"packages/tool{n}/content.txt" for n in range(2 * MAX_COMPARED)]
    with catalog.transaction(advance=True):
        for id_ in [*ids, "sport/world-cup/files/matches.csv", "sport/world-cup/files/Größe der Teams.csv"]:
            catalog.put_document(DocumentRecord(id_, id_.rsplit("/", 2)[0]), [])
    return Names(catalog)


@pytest.mark.parametrize("wrong", ["sport/world-cup/files/matchs.csv", "worldcup matches", "mathces.csv"])
def test_the_nearest_of_very_many_names_is_told(names: Names, wrong: str) -> None:
    with pytest.raises(NotFoundError) as caught:
        names.document(wrong)
    assert "sport/world-cup/files/matches.csv" in caught.value.nearest


@pytest.mark.parametrize(
    ("short", "whole"),
    [
        ("matches", "sport/world-cup/files/matches.csv"),
        ("files/matches.csv", "sport/world-cup/files/matches.csv"),
        ("MATCHES", "sport/world-cup/files/matches.csv"),
        ("sport world cup files matches csv", "sport/world-cup/files/matches.csv"),
        ("Größe der Teams", "sport/world-cup/files/Größe der Teams.csv"),
        ("größe-der-teams.csv", "sport/world-cup/files/Größe der Teams.csv"),
    ],
)
def test_short_names_lead_to_the_one_they_fit(names: Names, short: str, whole: str) -> None:
    assert names.document(short).id == whole


def test_a_name_that_fits_several_is_refused(names: Names) -> None:
    with pytest.raises(AmbiguousError) as caught:
        names.document("content.txt")
    assert len(caught.value.nearest) == 10


def test_nearest_of_nothing() -> None:
    assert nearest("matches", []) == []
