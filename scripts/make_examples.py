"""Make the files of examples/lake from the facts in scripts/facts.

Usage: python scripts/make_examples.py [FOLDER]

The facts are tables of text, one file each, so that they can be read and corrected. This script writes them in the
formats that people meet: that is all it does. What is prose (README files, notes, metadata of the publishers) is
written by hand and lies in examples/lake itself. Every run gives the same content; where a format carries the time
of writing, it is fixed.
"""

from __future__ import annotations

import csv
import datetime as dt
import gzip
import io
import json
import sys
import zipfile
from collections.abc import Callable, Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
FACTS = Path(__file__).parent / "facts"
LAKE = ROOT / "examples" / "lake"
WRITTEN = (2024, 1, 1, 0, 0, 0)
"""Time of writing in every format that has one."""

MAKERS: dict[str, Callable[[], bytes]] = {}
"""Path in the lake → function that returns the bytes."""


def makes(path: str) -> Callable[[Callable[[], bytes]], Callable[[], bytes]]:
    def register(function: Callable[[], bytes]) -> Callable[[], bytes]:
        MAKERS[path] = function
        return function

    return register


def facts(name: str) -> list[dict[str, str]]:
    with open(FACTS / f"{name}.tsv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def number(text: str) -> int | float | None:
    if not text:
        return None
    return float(text) if "." in text else int(text)


def delimited(rows: Iterable[Sequence[Any]], delimiter: str = ",", encoding: str = "utf-8") -> bytes:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\r\n" if delimiter == ";" else "\n").writerows(rows)
    return text.getvalue().encode(encoding)


def pretty(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()


def archive(members: dict[str, bytes], *, stored_first: bool = False) -> bytes:
    """Return a ZIP file; OpenDocument wants its first member stored."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for i, (name, content) in enumerate(members.items()):
            info = zipfile.ZipInfo(name, WRITTEN)
            info.compress_type = zipfile.ZIP_STORED if stored_first and i == 0 else zipfile.ZIP_DEFLATED
            file.writestr(info, content)
    return out.getvalue()


def repacked(content: bytes) -> bytes:
    """Return a ZIP file with fixed times."""
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        return archive({name: file.read(name) for name in file.namelist()})


# --- astronomy -------------------------------------------------------------------------------------------------


@makes("astronomy/planets/files/planeten.csv")
def planeten() -> bytes:
    """German spelling: semicolon, decimal comma, Windows-1252."""
    header = [
        "Planet",
        "Äquatordurchmesser (km)",
        "Masse (10^24 kg)",
        "Mittlere Dichte (kg/m³)",
        "Fallbeschleunigung (m/s²)",
    ]
    rows = [
        [
            p["german"],
            p["diameter_km"],
            p["mass_1e24kg"].replace(".", ","),
            p["density_kgm3"],
            p["gravity_ms2"].replace(".", ","),
        ]
        for p in facts("planets")
    ]
    return delimited([header, *rows], ";", "cp1252")


@makes("astronomy/planets/files/planets.xlsx")
def planets() -> bytes:
    """Two sheets, a title above the table, a header of two rows with merged cells."""
    from openpyxl import Workbook

    book = Workbook()
    book.remove(book.active)
    moment = dt.datetime(*WRITTEN)  # noqa: DTZ001 - the format has no time zone
    book.properties.created = book.properties.modified = moment
    for kind, title in (("terrestrial", "Terrestrial planets"), ("giant", "Giant planets")):
        sheet = book.create_sheet(title)
        sheet.append([title])
        sheet.append([])
        sheet.append(["Planet", "Body", None, "Orbit", None, None])
        sheet.append(
            [None, "Diameter (km)", "Mean temperature (°C)", "Distance (10^6 km)", "Period (days)", "Day (h)"]
        )
        for area in ("A3:A4", "B3:C3", "D3:F3"):
            sheet.merge_cells(area)
        columns = ("diameter_km", "temperature_c", "distance_1e6km", "period_d", "rotation_h")
        for p in facts("planets"):
            if p["kind"] == kind:
                sheet.append([p["name"], *(number(p[c]) for c in columns)])
    out = io.BytesIO()
    book.save(out)
    # The library stamps the time of saving into one member.
    with zipfile.ZipFile(out) as file:
        members = {name: file.read(name) for name in file.namelist()}
    start, _, rest = members["docProps/core.xml"].partition(b"<dcterms:modified")
    tail = rest.partition(b"</dcterms:modified>")[2]
    opening = rest.partition(b">")[0]
    members["docProps/core.xml"] = (
        start + b"<dcterms:modified" + opening + b">2024-01-01T00:00:00Z</dcterms:modified>" + tail
    )
    return archive(members)


@makes("astronomy/planets/files/moons.ndjson")
def moons() -> bytes:
    """One object a line, nested; the last line is cut off, as after a broken download."""
    lines = [
        json.dumps(
            {
                "moon": m["moon"],
                "planet": m["planet"],
                "discovery": {"year": int(m["year"]), "by": m["discoverer"]},
            }
        )
        for m in facts("moons")
    ]
    return ("\n".join(lines) + '\n{"moon": "Ner').encode()


@makes("astronomy/apollo/files/landings.json")
def landings() -> bytes:
    return pretty(
        [
            {
                "mission": a["mission"],
                "launched": a["launched"],
                "landed": a["landed"],
                "site": a["site"],
                "crew": {
                    "commander": a["commander"],
                    "lunar module pilot": a["module_pilot"],
                    "command module pilot": a["orbiter_pilot"],
                },
                "samples_kg": float(a["samples_kg"]),
            }
            for a in facts("apollo")
        ]
    )


# --- census ----------------------------------------------------------------------------------------------------


def population(year: int) -> Callable[[], bytes]:
    """One census: a title above the table, thousands separators, a total and a source line below."""

    def make() -> bytes:
        states = facts("states")
        counts = [int(s[f"p{year}"]) for s in states]
        rows = [[s["fips"], s["name"], f"{n:,}"] for s, n in zip(states, counts, strict=True)]
        return delimited(
            [
                [f"Resident population, census of April 1, {year}"],
                [],
                ["FIPS", "State", "Population"],
                *rows,
                ["", "Total", f"{sum(counts):,}"],
                ["Source: U.S. Census Bureau"],
            ]
        )

    return make


for _year in (1990, 2000, 2010, 2020):
    makes(f"census/resident-population/files/population-{_year}.csv")(population(_year))


@makes("census/resident-population/files/united-states.csv.gz")
def united_states() -> bytes:
    rows = [["census", "population"], *([c["year"], c["population"]] for c in facts("census"))]
    return gzip.compress(delimited(rows), mtime=0)


@makes("census/resident-population/files/census-and-house.pdf")
def census_and_house() -> bytes:
    """Two pages of text and a ruled table."""
    from reportlab.lib import colors
    from reportlab.lib.pagesizes import A4
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Spacer, Table

    styles = getSampleStyleSheet()
    title, *paragraphs = (FACTS / "census.txt").read_text(encoding="utf-8").splitlines()
    counts = [["Census", "Population"], *([c["year"], f"{int(c['population']):,}"] for c in facts("census"))]
    grid = Table(counts, style=[("GRID", (0, 0), (-1, -1), 0.5, colors.black)])
    story = [Paragraph(title, styles["Title"])]
    for text in paragraphs:
        story += [Paragraph(text, styles["BodyText"]), Spacer(1, 8)]
    story += [
        PageBreak(),
        Paragraph("Resident population of the United States, 1900 to 2020", styles["Heading2"]),
        grid,
    ]
    out = io.BytesIO()
    SimpleDocTemplate(out, pagesize=A4, title=title, author="", invariant=1).build(story)
    return out.getvalue()


@makes("census/states/files/states.csv")
def states() -> bytes:
    """The look-up table: codes with a leading zero that have to stay text."""
    columns = ["fips", "code", "name", "capital", "admitted", "region"]
    return delimited([columns, *([s[c] for c in columns] for s in facts("states"))])


@makes("census/states/files/states (1).csv")
def states_again() -> bytes:
    """An exact copy under the name that a browser gives it."""
    return states()


@makes("census/apportionment/files/seats.json")
def seats() -> bytes:
    """The rows and the description of their columns in one object, as Socrata gives them out."""
    columns = [
        ("state", "State", "text", "Name of the state."),
        ("seats_2010", "Seats 2010", "number", "Seats in the House after the census of 2010."),
        ("seats_2020", "Seats 2020", "number", "Seats in the House after the census of 2020."),
    ]
    view = {
        "name": "Seats in the House of Representatives",
        "description": "How the 435 seats were shared out among the states after the last two censuses.",
        "attribution": "U.S. Census Bureau",
        "attributionLink": "https://www.census.gov/topics/public-sector/congressional-apportionment.html",
        "columns": [
            {"id": i, "name": label, "fieldName": field, "dataTypeName": kind, "description": told}
            for i, (field, label, kind, told) in enumerate(columns, 1)
        ],
    }
    rows = [
        [s["name"], s["seats2010"], s["seats2020"]] for s in facts("states") if s["seats2020"]
    ]  # the District has none
    return pretty({"meta": {"view": view}, "data": rows})


# --- chemistry -------------------------------------------------------------------------------------------------

NOBLE = (2, 10, 18, 36, 54, 86, 118)
"""Atomic numbers at which a period ends."""


def elements() -> list[dict[str, Any]]:
    """Number, symbol, name, period, standard atomic weight."""
    out = []
    for z, e in enumerate(facts("elements"), 1):
        period = 1 + sum(z > end for end in NOBLE)
        out.append(
            {
                "number": z,
                "symbol": e["symbol"],
                "name": e["name"],
                "period": period,
                "atomic_weight": number(e["weight"]),
            }
        )
    return out


@makes("chemistry/elements/files/elements.csv")
def elements_csv() -> bytes:
    rows = elements()
    weights = [e["weight"] for e in facts("elements")]
    return delimited(
        [list(rows[0]), *([*list(e.values())[:-1], w] for e, w in zip(rows, weights, strict=True))]
    )


@makes("chemistry/elements/files/elements.json")
def elements_json() -> bytes:
    """The same table in another format."""
    return pretty(elements())


@makes("chemistry/elements/files/names.tsv")
def names() -> bytes:
    rows = [[e["symbol"], e["german"], e["japanese"], e["russian"]] for e in facts("elements") if e["german"]]
    return delimited([["symbol", "German", "Japanese", "Russian"], *rows], "\t")


@makes("chemistry/elements/files/elements-backup.parquet")
def elements_parquet() -> bytes:
    """A file whose end is missing: it cannot be read, and the lake has to say so."""
    return b"PAR1" + elements_csv()[:1500]


# --- geography -------------------------------------------------------------------------------------------------


@makes("geography/mountains/files/eight-thousanders.xls")
def eight_thousanders() -> bytes:
    import xlwt

    book = xlwt.Workbook()
    sheet = book.add_sheet("Mountains")
    for c, name in enumerate(("Mountain", "Height (m)", "Range", "First ascent")):
        sheet.write(0, c, name)
    for r, m in enumerate(facts("mountains"), 1):
        for c, value in enumerate((m["mountain"], int(m["height_m"]), m["range"], int(m["first_ascent"]))):
            sheet.write(r, c, value)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


@makes("geography/mountains/files/summits.geojson")
def summits() -> bytes:
    features = [
        {
            "type": "Feature",
            "properties": {
                "mountain": s["mountain"],
                "continent": s["continent"],
                "height_m": int(s["height_m"]),
            },
            "geometry": {"type": "Point", "coordinates": [float(s["lon"]), float(s["lat"])]},
        }
        for s in facts("summits")
    ]
    return pretty({"type": "FeatureCollection", "features": features})


@makes("geography/rivers/data/rivers.tsv")
def rivers() -> bytes:
    rows = [[r["river"], f"{int(r['length_mi']):,}", r["outflow"]] for r in facts("rivers")]
    return delimited([["River", "Length (mi)", "Outflow"], *rows], "\t")


@makes("geography/rivers/data/rivers-europe.csv")
def rivers_europe() -> bytes:
    """An empty file."""
    return b""


@makes("geography/national-parks/files/parks.parquet")
def parks() -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = facts("parks")
    table = pa.table(
        {
            "park": [p["park"] for p in rows],
            "state": [p["state"] for p in rows],
            "established": [dt.date.fromisoformat(p["established"]) for p in rows],
        }
    )
    out = io.BytesIO()
    pq.write_table(table, out)
    return out.getvalue()


@makes("geography/dams/files/dams.ods")
def dams() -> bytes:
    header = ["Dam", "River", "State", "Height (ft)", "Completed", "Owner"]
    rows = [
        [d["dam"], d["river"], d["state"], int(d["height_ft"]), int(d["completed"]), d["owner"]]
        for d in facts("dams")
    ]
    space = "urn:oasis:names:tc:opendocument:xmlns:"
    content = (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-content xmlns:office="{space}office:1.0" '
        f'xmlns:table="{space}table:1.0" xmlns:text="{space}text:1.0" office:version="1.2"><office:body>'
        f'<office:spreadsheet><table:table table:name="Dams">{"".join(map(_ods_row, [header, *rows]))}</table:table></office:spreadsheet>'
        "</office:body></office:document-content>"
    )
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    manifest = (
        f'<?xml version="1.0" encoding="UTF-8"?><manifest:manifest xmlns:manifest="{space}manifest:1.0" '
        f'manifest:version="1.2"><manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/>'
        '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>'
    )
    members = {"mimetype": kind, "content.xml": content, "META-INF/manifest.xml": manifest}
    return archive({name: text.encode() for name, text in members.items()}, stored_first=True)


def _ods_row(values: Sequence[str | int]) -> str:
    cells = []
    for value in values:
        kind = (
            f'office:value-type="float" office:value="{value}"'
            if isinstance(value, int)
            else 'office:value-type="string"'
        )
        cells.append(f"<table:table-cell {kind}><text:p>{escape(str(value))}</text:p></table:table-cell>")
    return f"<table:table-row>{''.join(cells)}</table:table-row>"


@makes("geography/dams/files/dams.docx")
def dams_page() -> bytes:
    """A text page that names the dams of the spreadsheet."""
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    body = []
    for i, line in enumerate((FACTS / "dams.txt").read_text(encoding="utf-8").splitlines()):
        style = "Title" if i == 0 else "Heading1" if line.startswith("# ") else ""
        told = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
        body.append(f"<w:p>{told}<w:r><w:t>{escape(line.removeprefix('# '))}</w:t></w:r></w:p>")
    document = (
        f'<?xml version="1.0" encoding="UTF-8"?><w:document xmlns:w="{space}"><w:body>{"".join(body)}</w:body>'
        "</w:document>"
    )
    package = "http://schemas.openxmlformats.org/package/2006"
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    types = (
        f'<?xml version="1.0" encoding="UTF-8"?><Types xmlns="{package}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{kind}"/></Types>'
    )
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    relations = (
        f'<?xml version="1.0" encoding="UTF-8"?><Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="rId1" Type="{office}" Target="word/document.xml"/></Relationships>'
    )
    members = {"[Content_Types].xml": types, "_rels/.rels": relations, "word/document.xml": document}
    return archive({name: text.encode() for name, text in members.items()})


# --- prizes, nations, standards --------------------------------------------------------------------------------


def prizes(prize: str) -> list[list[str]]:
    return [
        ["year", "laureates"],
        *([n["year"], n["laureates"]] for n in facts("nobel") if n["prize"] == prize),
    ]


@makes("nobel/prizes/files/literature.csv")
def literature() -> bytes:
    return delimited(prizes("literature"), encoding="utf-16")


@makes("nobel/prizes/files/science.zip")
def science() -> bytes:
    return archive({f"{p}.csv": delimited(prizes(p)) for p in ("physics", "chemistry")})


@makes("nobel/prizes/files/peace.html")
def peace() -> bytes:
    told = "Laureates of the Nobel Peace Prize since 2000. Several laureates of one year share the prize."
    return _page("Nobel Peace Prize", told, "Laureates by year", prizes("peace"))


@makes("nations/united-nations/files/growth.html")
def growth() -> bytes:
    told = "The United Nations began with 51 members in 1945. The latest to join was South Sudan in 2011."
    rows = [["Year", "Member States"], *([g["year"], g["members"]] for g in facts("growth"))]
    return _page("Growth in membership of the United Nations", told, "Number of members", rows)


@makes("nations/united-nations/files/admissions.csv")
def admissions() -> bytes:
    return delimited(
        [["iso3", "member", "admitted"], *([m["code"], m["name"], m["admitted"]] for m in facts("members"))],
        "|",
    )


@makes("nations/currencies/files/currencies.xml")
def currencies() -> bytes:
    entries = "".join(
        f"  <currency>\n    <code>{c['code']}</code>\n    <number>{c['number']}</number>\n"
        f"    <minorUnits>{c['minor_units']}</minorUnits>\n    <name>{c['name']}</name>\n  </currency>\n"
        for c in facts("currencies")
    )
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<currencies>\n{entries}</currencies>\n'.encode()


def _page(title: str, told: str, caption: str, rows: list[list[str]]) -> bytes:
    head, *body = (
        "<tr>" + "".join(f"<{tag}>{escape(c)}</{tag}>" for c in row) + "</tr>"
        for tag, row in zip(["th"] + ["td"] * len(rows), rows, strict=False)
    )
    lines = [
        f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{escape(title)}</title></head>',
        f"<body>\n<nav><a href='#'>Home</a></nav>\n<main>\n<h1>{escape(title)}</h1>\n<p>{escape(told)}</p>",
        f"<table>\n<caption>{escape(caption)}</caption>\n<thead>{head}</thead>\n<tbody>",
        *body,
        "</tbody>\n</table>\n</main>\n</body>\n</html>",
    ]
    return ("\n".join(lines) + "\n").encode()


def main(folder: Path = LAKE) -> None:
    """Write every file into a folder."""
    for path, make in MAKERS.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(make())
    print(f"{len(MAKERS)} files in {folder}")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
