from __future__ import annotations

import io
import json
from typing import Any

import openpyxl
import pytest

from headwater.layout import (
    DatasetMetadata,
    FieldDoc,
    clean_text,
    describe_columns,
    is_metadata_file,
    merge_metadata,
    parse_metadata,
)


def _read(value: Any, name: str = "metadata.json") -> DatasetMetadata:
    found = parse_metadata(name, json.dumps(value).encode())
    assert found is not None
    return found


def test_ckan_package_also_wrapped_as_an_api_answer() -> None:
    package = {
        "title": "Street trees",
        "notes": "Trees <b>along</b> streets &amp; squares.",
        "organization": {"title": "Parks Office", "name": "parks"},
        "license_title": "CC0",
        "tags": [{"name": "trees", "display_name": "Trees"}],
        "metadata_modified": "2020-05-01",
        "extras": [
            {"key": "spatial", "value": "Springfield"},
            {"key": "temporal", "value": "2010/2019"},
            {"key": "bureau", "value": "7"},
        ],
        "resources": [
            {
                "name": "trees.csv",
                "format": "CSV",
                "url": "https://x.example/trees.csv",
                "description": "one row a tree",
            }
        ],
    }
    for value in (package, {"success": True, "result": package}, {"data_gov_metadata": package, "id": "1"}):
        meta = _read(value)
        assert (meta.kind, meta.title, meta.publisher, meta.license) == (
            "ckan",
            "Street trees",
            "Parks Office",
            "CC0",
        )
        assert meta.description == "Trees along streets & squares."
        assert (meta.spatial, meta.temporal, meta.modified, meta.tags) == (
            "Springfield",
            "2010/2019",
            "2020-05-01",
            ["Trees"],
        )
        assert meta.extra == {"bureau": "7"}
        assert meta.resources[0].description == "one row a tree"


def test_socrata_view_with_hidden_columns() -> None:
    view = {
        "name": "Permits",
        "attribution": "City",
        "rowsUpdatedAt": 1_600_000_000,
        "columns": [
            {"name": "sid", "dataTypeName": "meta_data", "fieldName": ":sid"},
            {
                "name": "Permit #",
                "dataTypeName": "text",
                "fieldName": "permit_no",
                "description": "Number of the permit",
                "cachedContents": {"top": []},
            },
        ],
    }
    for value in (view, {"meta": {"view": view}, "data": [[1, "A"]]}):
        meta = _read(value, "rows.json")
        assert (meta.kind, meta.title, meta.publisher, meta.modified) == (
            "socrata",
            "Permits",
            "City",
            "2020-09-13",
        )
        assert describe_columns(meta, "rows.json", ["Permit #"]) == {"Permit #": "Number of the permit"}
        assert describe_columns(meta, "rows.csv", ["permit_no"]) == {"permit_no": "Number of the permit"}


def test_project_open_data_catalogue_of_many_datasets() -> None:
    def entry(n: int) -> dict[str, Any]:
        return {
            "title": f"Set {n}",
            "description": "about",
            "accessLevel": "public",
            "keyword": ["a", "b"],
            "publisher": {"name": "Agency"},
            "distribution": [{"downloadURL": f"https://x.example/{n}.csv", "mediaType": "text/csv"}],
        }

    meta = _read(
        {"conformsTo": "https://project-open-data.cio.gov/v1.1/schema", "dataset": [entry(1), entry(2)]},
        "data.json",
    )
    assert [d.title for d in meta.datasets] == ["Set 1", "Set 2"]
    assert meta.datasets[0].publisher == "Agency" and meta.datasets[0].resources[0].url.endswith("1.csv")


def test_frictionless_package_describes_the_columns_of_each_file() -> None:
    package = {
        "name": "levels",
        "title": "Levels",
        "licenses": [{"name": "CC-BY", "title": "Attribution"}],
        "resources": [
            {
                "path": "data/day.csv",
                "schema": {
                    "fields": [
                        {"name": "value", "type": "number", "description": "mean of the day", "unit": "m"}
                    ]
                },
            },
            {
                "path": "data/hour.csv",
                "schema": {"fields": [{"name": "value", "title": "Value", "description": "reading"}]},
            },
        ],
    }
    meta = _read(package, "datapackage.json")
    assert (meta.kind, meta.license, meta.fields[0].unit) == ("frictionless", "Attribution", "m")
    assert describe_columns(meta, "ns/levels/files/day.csv", ["value"]) == {"value": "mean of the day"}
    assert describe_columns(meta, "ns/levels/files/hour.csv", ["Value"]) == {"Value": "reading"}
    assert describe_columns(meta, "ns/levels/files/month.csv", ["value"]) == {}, (
        "two files disagree, a third is none of them"
    )


def test_croissant_takes_the_column_a_field_extracts() -> None:
    meta = _read(
        {
            "@context": {"sc": "https://schema.org/", "cr": "http://mlcommons.org/croissant/"},
            "@type": "sc:Dataset",
            "conformsTo": "http://mlcommons.org/croissant/1.0",
            "name": "birds",
            "description": "Birds seen",
            "distribution": [{"@type": "cr:FileObject", "@id": "birds.csv", "contentUrl": "birds.csv"}],
            "recordSet": [
                {
                    "@type": "cr:RecordSet",
                    "field": [
                        {
                            "@id": "r/kind",
                            "name": "kind",
                            "description": "species",
                            "source": {
                                "fileObject": {"@id": "birds.csv"},
                                "extract": {"column": "SPECIES_CD"},
                            },
                        }
                    ],
                }
            ],
        },
        "croissant.json",
    )
    assert (meta.kind, meta.title) == ("croissant", "birds")
    assert describe_columns(meta, "x/birds.csv", ["species_cd"]) == {"species_cd": "species"}


def test_schema_org_graph_with_references() -> None:
    meta = _read(
        {
            "@context": "https://schema.org",
            "@graph": [
                {
                    "@id": "#d",
                    "@type": "Dataset",
                    "name": "Fish",
                    "publisher": {"@id": "#o"},
                    "variableMeasured": [{"name": "len", "description": "length", "unitText": "cm"}],
                },
                {"@id": "#o", "@type": "Organization", "name": "Sea Office"},
            ],
        },
        "x.jsonld",
    )
    assert (meta.title, meta.publisher, meta.fields[0].unit) == ("Fish", "Sea Office", "cm")


def test_csv_on_the_web() -> None:
    meta = _read(
        {
            "@context": "http://www.w3.org/ns/csvw",
            "url": "tree.csv",
            "dc:title": "Trees",
            "tableSchema": {
                "columns": [{"name": "gid", "titles": ["GID", "Id"], "dc:description": "An identifier"}]
            },
        },
        "tree.csv-metadata.json",
    )
    assert (meta.kind, meta.title) == ("csvw", "Trees")
    assert describe_columns(meta, "d/tree.csv", ["gid"]) == {"gid": "An identifier"}


def test_plain_record_and_columns_as_an_object() -> None:
    meta = _read(
        {
            "dataset_title": "Wells",
            "dataset_description": "Depths",
            "publisher": "Survey",
            "tags": "water, wells",
            "columns": {"d": "depth in m"},
            "version": 3,
        }
    )
    assert (meta.kind, meta.title, meta.tags, meta.extra) == (
        "record",
        "Wells",
        ["water", "wells"],
        {"version": "3"},
    )
    assert describe_columns(meta, "x.csv", ["D"]) == {"D": "depth in m"}


@pytest.mark.parametrize(
    "value",
    [
        [1, 2],
        {"type": "FeatureCollection", "features": []},
        {"a": 1},
        "text",
        [{"title": "row", "license": "x"}],
    ],
)
def test_data_are_not_metadata(value: Any) -> None:
    assert parse_metadata("rows.json", json.dumps(value)) is None


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[[[[", b"\x00\x01", b"<a><b>", b"PK\x03\x04broken", b'{"a": NaN' + b"[" * 5000]
)
def test_damaged_documents_are_none(content: bytes) -> None:
    for name in ("metadata.json", "metadata.xml", "metadata.yaml", "dictionary.xlsx"):
        assert parse_metadata(name, content) is None


def test_readme_with_tables_for_several_files() -> None:
    text = """[![build](https://x.example/b.svg)](https://x.example)
# Owls of the park

Counts of owls by night, taken by walkers with lamps.

- **Spatial Applicability**: Springfield
- **Last Modified**: May 2019

## `nights.csv`

Header | Definition | Data Type
---|---|---
`n` | number of owls \\| chicks | integer
seen_at | hour of the night | text

## walkers.csv

| Column | Definiton |
| --- | --- |
| n | walkers in the group |
"""
    meta = parse_metadata("README.md", text)
    assert meta is not None
    assert (meta.title, meta.spatial, meta.modified) == ("Owls of the park", "Springfield", "May 2019")
    assert meta.description.startswith("Counts of owls")
    assert describe_columns(meta, "d/files/nights.csv", ["n", "Seen At"]) == {
        "n": "number of owls | chicks",
        "Seen At": "hour of the night",
    }
    assert describe_columns(meta, "d/files/walkers.csv", ["n"]) == {"n": "walkers in the group"}


@pytest.mark.parametrize(
    "line",
    [
        "- `depth` - metres below ground",
        "* **depth**: metres below ground",
        "1. `depth` (number): metres below ground",
        "depth: metres below ground",
        "depth\tmetres below ground",
    ],
)
def test_lists_of_columns_in_prose(line: str) -> None:
    meta = parse_metadata("README.md", f"# Wells\n\nSome words on the wells.\n\n## Columns\n\n{line}\n")
    assert meta is not None
    assert describe_columns(meta, "wells.csv", ["Depth"]) == {"Depth": "metres below ground"}


def test_front_matter_counts() -> None:
    meta = parse_metadata(
        "README.md",
        "---\npretty_name: Wells\nlicense: mit\n---\n# Other title\n\nAll wells of the county are here.\n",
    )
    assert meta is not None and (meta.title, meta.license) == ("Wells", "mit")


def test_dictionary_as_csv_with_coded_values() -> None:
    text = 'Data dictionary for wells,,\nField Name,Description,Valid Values\nKIND,Kind of well,"1 = dug; 2 = drilled"\nDEPTH_M,Depth,\n'
    meta = parse_metadata("wells_data_dictionary.csv", text)
    assert meta is not None and meta.kind == "dictionary"
    assert meta.fields[0] == FieldDoc("KIND", "Kind of well", values={"1": "dug", "2": "drilled"})
    assert describe_columns(meta, "wells.csv", ["depth m", "kind"]) == {
        "depth m": "Depth",
        "kind": "Kind of well",
    }


def test_dictionary_as_workbook_with_one_row_a_code() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (
        ["Variable", "Definition", "Code", "Code meaning"],
        ["sex", "Sex of the animal", 1, "male"],
        [None, None, 2, "female"],
    ):
        sheet.append(row)
    buffer = io.BytesIO()
    book.save(buffer)
    meta = parse_metadata("codebook.xlsx", buffer.getvalue())
    assert meta is not None and len(meta.fields) == 1
    assert list(meta.fields[0].values.values()) == ["male", "female"]


def test_documentation_page() -> None:
    page = (
        b"<html><head><title>x</title></head><body><h2>Wells</h2><p>All wells of the county since 1900.</p>"
        + (
            b"<table><tr><td><code>depth</code></td><td>in metres</td></tr></table><dl><dt>kind</dt><dd>dug or drilled</dd></dl></body></html>"
        )
    )
    meta = parse_metadata("wells.html", page)
    assert meta is not None and meta.title == "Wells"
    assert describe_columns(meta, "wells.csv", ["depth", "kind"]) == {
        "depth": "in metres",
        "kind": "dug or drilled",
    }


def test_fgdc_xml_and_no_entity_expansion() -> None:
    xml = """<metadata><idinfo><citation><citeinfo><title>Parcels</title><origin>County</origin></citeinfo></citation>
    <descript><abstract>All parcels.</abstract></descript></idinfo><eainfo><detailed><attr><attrlabl>APN</attrlabl><attrdef>number</attrdef>
    </attr></detailed></eainfo></metadata>"""
    meta = parse_metadata("metadata.xml", xml)
    assert meta is not None and (meta.title, meta.publisher, meta.fields[0].description) == (
        "Parcels",
        "County",
        "number",
    )
    bomb = '<!DOCTYPE m [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><metadata><title>&b;</title></metadata>'
    assert parse_metadata("metadata.xml", bomb) is None


@pytest.mark.parametrize(
    ("name", "head", "expected"),
    [
        ("a/README.md", b"", True),
        ("a/readme.txt", b"", True),
        ("a/datapackage.json", b"", True),
        ("a/wells_dictionary.xlsx", b"", True),
        ("a/Data Dictionary.csv", b"", True),
        ("a/wells.csv", b"", False),
        ("a/dictionary.png", b"", False),
        ("a/rows.json", b'{"meta": {"view": {"name": "x"}}', True),
        ("a/rows.json", b'[{"name": "x"}]', False),
        ("a/x.xml", b"<?xml version='1.0'?><gmd:MD_Metadata xmlns", True),
    ],
)
def test_which_files_are_metadata(name: str, head: bytes, expected: bool) -> None:
    assert is_metadata_file(name, head) is expected


def test_matching_is_fuzzy_but_safe() -> None:
    meta = DatasetMetadata(
        kind="dictionary",
        fields=[
            FieldDoc("incidents_85_99", "early"),
            FieldDoc("temperatur_max", "warmest"),
            FieldDoc("lat", "latitude"),
        ],
    )
    found = describe_columns(meta, "x.csv", ["Incidents 85-99", "incidents_00_14", "temperature_max", "last"])
    assert found == {"Incidents 85-99": "early", "temperature_max": "warmest"}


def test_merge_prefers_formal_documents_and_keeps_all_columns() -> None:
    readme = DatasetMetadata(
        kind="readme", title="repo-name", description="long", fields=[FieldDoc("a", "x")]
    )
    record = DatasetMetadata(kind="record", title="Real title", fields=[FieldDoc("b", "y")])
    merged = merge_metadata([readme, record])
    assert merged is not None and (merged.kind, merged.title, merged.description) == (
        "record",
        "Real title",
        "long",
    )
    assert [f.name for f in merged.fields] == ["b", "a"]
    assert merge_metadata([]) is None
    assert DatasetMetadata.from_dict(json.loads(json.dumps(merged.to_dict()))) == merged


def test_clean_text() -> None:
    assert clean_text("a\u200bb\u202ec\x00d\r\ne  f", one_line=True) == "abcd e f"
    assert clean_text("abcdef", limit=4) == "abc…"
    assert clean_text("naïve 漢字") == "naïve 漢字"


def test_a_large_file_of_rows_gives_its_view_without_being_parsed() -> None:
    view = {"name": "Permits", "columns": [{"name": "A", "dataTypeName": "text", "description": "letter"}]}
    head = json.dumps({"meta": {"view": view}})[:-1]
    meta = parse_metadata("rows.json", head.encode() + b', "data": [' + b"[1, 2, 3], " * 1_000_000)
    assert meta is not None and (meta.kind, meta.title) == ("socrata", "Permits")
    assert (
        parse_metadata("rows.json", b'{"title": "x", "license": "y", "data": [' + b"[1, 2, 3], " * 1_000_000)
        is None
    )


@pytest.mark.parametrize(
    "text",
    [
        "# " + "#" * 200_000 + "x",
        "a|b\n" + " " * 200_000 + "|x",
        "![" * 100_000,
        "# " + "a" * 200_000,
        "<" * 200_000,
        "- `a` - " + "1=" * 100_000,
        "a" * 100_000 + ".",
    ],
    ids=["hashes", "blanks", "badges", "letters", "tags", "codes", "file"],
)
def test_patterns_do_not_run_away_on_hostile_prose(text: str) -> None:
    """With a quadratic pattern each of these takes minutes."""
    found = parse_metadata("README.md", text)
    assert found is None or all(not f.values for f in found.fields)
