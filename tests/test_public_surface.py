"""The public names, the signatures that people write against, and what results turn into."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import headwater

LAKE = Path(__file__).parents[1] / "examples" / "lake"

NAMES = {
    "AmbiguousError", "Answer", "DocumentError", "HeadwaterError", "IngestOptions", "IngestReport", "Lake", "LimitError",
    "MissingExtraError", "NotFoundError", "ReadError", "RefusedError", "SchemaGraph", "SetupError", "SkipDocument",
    "SqlResult", "Topology", "UsageError", "__version__", "ingest_lake", "load_graph", "open",
}  # fmt: skip

SIGNATURES = {
    "open": "(lake=None, *, state=None)",
    "ingest_lake": "(place, *, state=None, options=None, report=None, anonymous=False, endpoint=None, region=None, profile=None)",
    "load_graph": "(sources, *, dialect=None, infer_keys=False)",
    "IngestOptions": "(*, workers=0, memory_mb=1200, deadline_s=300.0, recycle_after=400, retry=False, allow_empty=False)",
    "Lake.ask": "(self, question, *, table=None)",
    "Lake.search": "(self, query, k=10, *, mode='hybrid', format=None, namespace=None, year=None, kind=None)",
    "Lake.sql": "(self, statement, *, max_rows=None, deadline_s=None)",
    "Lake.datasets": "(self, *, prefix='', offset=0, limit=50)",
    "Lake.documents": "(self, dataset, *, offset=0, limit=50)",
    "Lake.inspect": "(self, document)",
    "Lake.read": "(self, document, *, page=None, table=None, offset=0, limit=None, raw=False)",
    "Lake.related": "(self, document)",
    "Lake.status": "(self)",
    "Lake.dump": "(self, *, rows=None, raw=False)",
    "Lake.ingest": "(self, options=None, *, report=None)",
    "Lake.close": "(self)",
    "SqlResult.to_arrow": "(self)",
    "SqlResult.to_pandas": "(self)",
    "SqlResult.to_polars": "(self)",
    "SqlResult.to_dicts": "(self)",
}


def test_names() -> None:
    assert set(headwater.__all__) == NAMES
    assert dir(headwater) == sorted(NAMES)
    for name in NAMES:
        assert getattr(headwater, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = headwater.nothing


@pytest.mark.parametrize("path", SIGNATURES)
def test_signature(path: str) -> None:
    found = headwater
    for part in path.split("."):
        found = getattr(found, part)
    signature = inspect.signature(found)
    bare = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    assert str(signature.replace(parameters=bare, return_annotation=signature.empty)) == SIGNATURES[path]


def test_every_error_is_one_of_ours() -> None:
    errors = [getattr(headwater, name) for name in NAMES if name.endswith("Error") or name == "SkipDocument"]
    assert len(errors) == 11
    assert all(issubclass(error, headwater.HeadwaterError) for error in errors)


def test_importing_is_light() -> None:
    code = "import sys, headwater; print(*sorted(m for m in sys.modules if m.startswith('headwater')))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.split() == ["headwater"]


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[headwater.Lake]:
    state = tmp_path_factory.mktemp("surface") / "state"
    report = headwater.ingest_lake(LAKE, state=state, options=headwater.IngestOptions(workers=2))
    assert report.counts["failed"] == 1
    with headwater.open(LAKE, state=state) as opened:
        yield opened


def results(lake: headwater.Lake) -> dict[str, object]:
    return {
        "search": lake.search("dams on the Colorado River", 3),
        "sql": lake.sql("select name, capital from t('states.csv') order by admitted limit 3"),
        "datasets": lake.datasets(limit=3),
        "documents": lake.documents("chemistry/elements"),
        "rows": lake.read("rivers.tsv", limit=3),
        "text": lake.read("solar-system.txt", limit=30),
        "related": lake.related("parks.parquet"),
        "inspect": lake.inspect("planets.xlsx"),
        "status": lake.status(),
    }


def test_results_convert(lake: headwater.Lake) -> None:
    lengths = {
        "search": 3, "sql": 3, "datasets": 3, "documents": 6, "rows": 3, "text": 1, "inspect": 12, "status": 2
    }  # fmt: skip
    for name, result in results(lake).items():
        rows = result.to_dicts()
        assert len(rows) == lengths.get(name, len(rows)) > 0, name
        arrow, pandas, polars = result.to_arrow(), result.to_pandas(), result.to_polars()
        assert arrow.num_rows == len(pandas) == polars.height == len(rows), name
        assert arrow.column_names == list(pandas.columns) == polars.columns == list(rows[0]), name
        assert result._repr_html_().startswith("<table>"), name


def test_an_empty_result_converts(lake: headwater.Lake) -> None:
    empty = lake.related("solar-system.txt")
    assert empty.to_dicts() == []
    assert empty.to_arrow().num_rows == len(empty.to_pandas()) == empty.to_polars().height == 0
    assert "<td>" not in empty._repr_html_()


def test_what_comes_from_a_lake_is_no_markup(tmp_path: Path) -> None:
    folder = tmp_path / "lake"
    folder.mkdir()
    marked = "<script>alert(1)</script>\u202eevil"
    (folder / "a.csv").write_text(f"id,{marked}\n1,{marked}\n2,b\n", encoding="utf-8")
    (folder / "notes.txt").write_text(f"{marked} is a text about whales.\n", encoding="utf-8")
    headwater.ingest_lake(folder, state=tmp_path / "state")
    with headwater.open(folder, state=tmp_path / "state") as lake:
        shown = [
            lake.search("whales"), lake.read("a.csv"), lake.read("notes.txt"), lake.inspect("a.csv"),
            lake.documents("."), lake.sql("select * from t('a.csv')"),
        ]  # fmt: skip
        pages = [result._repr_html_() for result in shown]
    assert all("<script>" not in page for page in pages)
    assert sum("&lt;script&gt;" in page for page in pages) >= 4
    assert all("\u202e" not in page for page in pages[:-1])


def test_open_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(headwater.SetupError) as caught, headwater.open(tmp_path) as lake:
        lake.status()
    assert "headwater ingest" in caught.value.hint


def test_load_graph_takes_one_source_or_several() -> None:
    folder = LAKE.parent / "warehouse"
    whole = headwater.load_graph(folder)
    parts = headwater.load_graph([folder / "schema.sql", str(folder / "etl.sql"), folder / "views.sql"])
    assert whole.problems == parts.problems == []
    assert set(whole.tables) == set(parts.tables)
    assert (len(whole.tables), len(whole.foreign_keys), len(whole.lineage)) == (18, 9, 26)
    assert headwater.Topology(whole).silos().count == 2
