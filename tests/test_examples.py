"""The example lake: made by its script, as the facts say, read whole, and the demo runs on it."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import headwater
from tests.scripts import load_script

ROOT = Path(__file__).parents[1]
LAKE = ROOT / "examples" / "lake"
make_examples = load_script("make_examples")

EXACT = {".csv", ".tsv", ".json", ".ndjson", ".geojson", ".html", ".xml"}
"""Formats whose bytes are the same on every machine."""


@pytest.mark.parametrize("path", make_examples.MAKERS)
def test_the_script_makes_what_is_committed(path: str) -> None:
    made, kept = make_examples.MAKERS[path](), (LAKE / path).read_bytes()
    ending = Path(path).suffix
    if ending in EXACT:
        assert made == kept
    else:
        assert contents(made, ending) == contents(kept, ending)


def contents(data: bytes, ending: str) -> object:
    """Return what a file says, without what libraries write differently from one version to the next."""
    if ending == ".gz":
        import gzip

        return gzip.decompress(data)
    if ending == ".zip":
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            return {name: file.read(name) for name in file.namelist()}
    if ending in (".xlsx", ".xls", ".ods"):
        from python_calamine import CalamineWorkbook

        book = CalamineWorkbook.from_filelike(io.BytesIO(data))
        return {name: book.get_sheet_by_name(name).to_python() for name in book.sheet_names}
    if ending == ".docx":
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            return file.read("word/document.xml")
    if ending == ".parquet":
        import pyarrow.parquet as pq

        return data if data[-4:] != b"PAR1" else pq.read_table(io.BytesIO(data)).to_pylist()
    if ending == ".pdf":
        import pypdf

        return [page.extract_text() for page in pypdf.PdfReader(io.BytesIO(data)).pages]
    raise AssertionError(f"no comparison for {ending}")


def test_figures_add_up() -> None:
    states, census = make_examples.facts("states"), make_examples.facts("census")
    assert len(states) == 51
    for year in (1990, 2000, 2010, 2020):
        country = next(int(c["population"]) for c in census if c["year"] == str(year))
        assert sum(int(s[f"p{year}"]) for s in states) == country
    for year in (2010, 2020):
        assert sum(int(s[f"seats{year}"] or 0) for s in states) == 435
    joined = Counter(m["admitted"] for m in make_examples.facts("members"))
    members = {g["year"]: int(g["members"]) for g in make_examples.facts("growth")}
    # Czechoslovakia left the list in 1993; the seat of Yugoslavia, vacant in fact, ended in 2000.
    assert members["1995"] - members["1990"] == sum(joined[str(y)] for y in range(1991, 1996)) - 1
    assert members["2000"] - members["1995"] == joined["1999"] + joined["2000"] - 1
    assert members["2011"] - members["2000"] == joined["2002"] + joined["2006"] + joined["2011"]
    assert len(make_examples.elements()) == 118
    assert [e["symbol"] for e in make_examples.elements() if e["period"] == 2][-1] == "Ne"


def test_size_and_sources() -> None:
    files = [f for f in LAKE.rglob("*") if f.is_file()]
    assert 30 <= len(files) <= 60
    assert sum(f.stat().st_size for f in files) < 600_000
    for folder in sorted({f.parents[1] for f in files if f.parent.name in ("files", "data")}):
        told = [f for f in folder.rglob("*") if f.name in ("metadata.json", "datapackage.json", "README.md")]
        assert any("ource" in f.read_text() or '"url"' in f.read_text() or "landingPage" in f.read_text() for f in told), (
            f"{folder} names no source"
        )  # fmt: skip


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[headwater.Lake]:
    state = tmp_path_factory.mktemp("examples") / "state"
    headwater.ingest_lake(LAKE, state=state, options=headwater.IngestOptions(workers=2))
    with headwater.open(LAKE, state=state) as opened:
        yield opened


def test_every_format_is_there_and_read(lake: headwater.Lake) -> None:
    documents = list(lake.dump(rows=0))
    formats = {d["format"] for d in documents if d["state"] == "ingested"}
    assert formats >= {
        "csv", "tsv", "xlsx", "xls", "ods", "json", "ndjson", "geojson", "parquet", "html", "pdf", "docx", "yaml", "xml",
        "txt", "markdown", "wikitext", "zip",
    }  # fmt: skip
    states = Counter(d["state"] for d in documents if "!" not in d["document"])
    assert states == {"ingested": len(list(documents)) - 5, "duplicate": 1, "skipped": 1, "failed": 1}
    assert lake.status().covered == lake.status().documents


def test_what_the_lake_was_made_to_show(lake: headwater.Lake) -> None:
    copies = {d["kind"] for name in ("states.csv", "elements.csv") for d in lake.related(name).duplicates}
    assert copies == {"same bytes", "same content"}
    series = lake.related("population-2020.csv").series
    assert series is not None
    assert [m["label"]["year"] for m in series["members"]] == ["1990", "2000", "2010", "2020"]
    total = lake.sql(f"select year, sum(Population) from t('series:{series['id']}') group by 1 order by 1")
    assert [row[1] for row in total.rows] == [248709873, 281421906, 308745538, 331449281]
    assert {m["document"] for m in lake.related("denali.md").mentions} == {
        "geography/mountains/files/summits.geojson",
        "geography/national-parks/files/parks.parquet",
    }
    planets = lake.sql("select * from t('planeten.csv') where Planet = 'Erde'").to_dicts()
    assert planets[0]["Masse (10^24 kg)"] == 5.97
    codes = lake.sql("select min(fips) from t('states.csv')").rows
    assert codes == [["01"]]
    (moons,) = lake.inspect("moons.ndjson").tables
    assert moons.quarantined_count == 1
    descriptions = {c["name"]: c["description"] for c in lake.inspect("states.csv").tables[0].columns}
    assert descriptions["code"] == "Postal abbreviation, two letters"


@pytest.mark.parametrize(
    ("query", "document"),
    [
        ("dams on the Colorado River", "geography/dams/files/dams.docx"),
        ("moons discovered by Galileo", "astronomy/planets/files/moons.ndjson"),
        ("水素", "chemistry/elements/files/names.tsv"),
        ("водород", "chemistry/elements/files/names.tsv"),
        ("Montana seats in the House", "census/apportionment/files/seats.json"),
        ("currency code of the Swiss Franc", "nations/currencies/files/currencies.xml"),
    ],
)
def test_searches(lake: headwater.Lake, query: str, document: str) -> None:
    assert document in [hit.document for hit in lake.search(query, 3).hits]


def test_facts_are_plain_tables() -> None:
    for path in sorted((ROOT / "scripts" / "facts").glob("*.tsv")):
        rows = list(
            csv.reader(io.StringIO(path.read_text(encoding="utf-8")), delimiter="\t", quoting=csv.QUOTE_NONE)
        )
        assert {len(row) for row in rows} == {len(rows[0])}, path.name
    for path in LAKE.rglob("*.json"):
        json.loads(path.read_text(encoding="utf-8"))


def test_the_demo_runs(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "demo.py"), str(tmp_path / "state")],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert "331449281" in done.stdout
    asked = done.stdout.split("# Questions")[1]
    of_table, of_text, of_graph, replayed = asked.split("$ headwater")[1:5]
    assert "\nCalifornia\n" in of_table
    assert "row 5: State = California, Population = 39538223" in of_table
    assert "verification  agreed by two" in of_table
    assert "apollo-13.txt" in of_text
    assert "\n11 April 1970 (Apollo 13 was launched on 11 April 1970" in of_text
    assert "verification  quoted" in of_text
    assert "core.run → mart.punctuality" in of_graph
    assert "The answer holds." in asked.split("$ headwater replay")[1]
    assert replayed.startswith(" ask") and "--json" in replayed
    assert not (LAKE / ".headwater").exists()
