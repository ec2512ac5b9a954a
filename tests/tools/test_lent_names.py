"""Names under which documents lie beside code."""

from __future__ import annotations

import pytest

from headwater.tools import lent_names


@pytest.mark.parametrize(
    ("documents", "names"),
    [
        (["x/a.csv", "y/b.csv"], {"a.csv": "x/a.csv", "b.csv": "y/b.csv"}),
        (["x/a.csv", "y/a.csv"], {"x__a.csv": "x/a.csv", "y__a.csv": "y/a.csv"}),
        (["x/a.csv", "x/a.csv"], {"a.csv": "x/a.csv"}),
        (["x/.a", "x/..a"], None),
        (["x/a.csv", "y/a.csv", "x__a.csv"], None),
        (["x__a.csv", "2-x__a.csv", "x/a.csv", "y/a.csv"], None),
        (["x/..", "x/."], None),
    ],
)
def test_no_document_loses_its_name_to_another(documents: list[str], names: dict[str, str] | None) -> None:
    found = lent_names(documents)
    assert sorted(found.values()) == sorted(set(documents))
    assert all(name and "/" not in name and name not in (".", "..") for name in found)
    if names is not None:
        assert found == names
