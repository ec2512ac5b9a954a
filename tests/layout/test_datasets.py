from __future__ import annotations

from pathlib import Path

import pytest

from headwater.layout import ROOT_DATASET, Layout, dataset_of

SHARED = Path(__file__).parents[2].parent / "shared"


@pytest.mark.parametrize(
    ("path", "dataset"),
    [
        ("wikipedia/Lausanne/content.txt", "wikipedia/Lausanne"),
        ("datagov/permits/files/rows.txt", "datagov/permits"),
        ("datagov/permits/files/2019/may/a.csv", "datagov/permits"),
        ("datagov/permits/archive/a.csv", "datagov/permits"),
        ("datagov/permits/signed-metadata.txt", "datagov/permits"),
        ("open_canada/abc-1/data/x.csv", "open_canada/abc-1"),
        ("open_canada/abc-1/3/codes/code_0.py", "open_canada/abc-1"),
        ("portals/eu/energy/files/x.csv", "portals/eu/energy"),
        ("weather/files/x.csv", "weather"),
        ("weather/x.csv", "weather"),
        ("data/x.csv", "data"),
        ("data/weather/x.csv", "data/weather"),
        ("files/weather/x.csv", "files/weather"),
        ("x.csv", ROOT_DATASET),
        ("a/b/all.zip!inner/deep/x.csv", "a/b"),
        ("all.zip!x.csv", ROOT_DATASET),
        ("a/b/c/d/e.csv", "a/b"),
    ],
)
def test_rules_without_metadata(path: str, dataset: str) -> None:
    assert dataset_of(path) == dataset


def test_a_folder_with_a_metadata_document_is_a_dataset() -> None:
    paths = [
        "gov/us/epa/air/datapackage.json",
        "gov/us/epa/air/2019/x.csv",
        "gov/us/epa/water/x.csv",
        "gov/us/epa/air/sub/README.md",
    ]
    layout = Layout(paths)
    assert layout.datasets(paths) == {
        "gov/us/epa/air": [
            "gov/us/epa/air/2019/x.csv",
            "gov/us/epa/air/datapackage.json",
            "gov/us/epa/air/sub/README.md",
        ],
        "gov/us": ["gov/us/epa/water/x.csv"],
    }


def test_a_readme_or_a_document_below_files_makes_no_dataset() -> None:
    layout = Layout(["a/b/files/c/metadata.json", "a/b/d/README.md", "README.md", "metadata.json"])
    assert layout.dataset_of("a/b/files/c/x.csv") == "a/b"
    assert layout.dataset_of("a/b/d/x.csv") == "a/b"
    assert layout.dataset_of("a/x.csv") == "a"


@pytest.mark.handed
def test_datasets_of_the_handed_lake() -> None:
    lake = SHARED / "data" / "lake"
    if not lake.is_dir():
        pytest.skip("the handed data are not here")
    paths = [p.relative_to(lake).as_posix() for p in lake.rglob("*") if p.is_file()]
    datasets = Layout(paths).datasets(paths)
    assert set(datasets) == {p.relative_to(lake).as_posix() for p in lake.glob("*/*") if p.is_dir()}
