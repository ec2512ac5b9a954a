"""Metadata in JSON (or YAML) objects: CKAN, Socrata, DCAT and Project Open Data, Frictionless, plain records.

Sources: CKAN action API `package_show`; Socrata views API; Project Open Data metadata schema 1.1 (DCAT-US);
Frictionless Data Package 1 and Table Schema; Hugging Face `dataset_info.json`; DataGovBench `metadata.json`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.layout._metadata import DatasetMetadata, Resource
from headwater.layout._parts import dicts, field_of, fields_of, first, resource_of, tags_of, text_of

_WRAPPERS = ("result", "data_gov_metadata", "package", "dataset", "metadata", "data", "info")


def ckan(data: dict[str, Any]) -> DatasetMetadata:
    """Read a package of CKAN, also with its license_title and url alone."""
    extras = {first(e, "key"): text_of(e.get("value")) for e in dicts(data.get("extras"))}
    meta = DatasetMetadata(
        kind="ckan",
        title=first(data, "title", "name"),
        description=first(data, "notes", "description"),
        publisher=text_of(data.get("organization"))
        or extras.get("publisher", "")
        or first(data, "author", "maintainer"),
        tags=tags_of(data.get("tags")),
        license=first(data, "license_title", "license_id", "license"),
        source=first(data, "url", "source") or extras.get("landingPage", ""),
        created=extras.get("issued", "") or first(data, "metadata_created", "issued"),
        modified=extras.get("modified", "") or first(data, "metadata_modified", "revision_timestamp"),
        temporal=extras.get("temporal", "") or first(data, "temporal_coverage", "temporal"),
        spatial=extras.get("spatial", "") or first(data, "spatial_coverage", "spatial"),
        frequency=extras.get("accrualPeriodicity", "") or first(data, "frequency", "update_frequency"),
        language=first(data, "language"),
    )
    for item in dicts(data.get("resources")):
        resource = resource_of(item)
        meta.resources.append(resource)
        schema = item.get("schema")
        listed = (
            schema.get("fields")
            if isinstance(schema, dict)
            else item.get("datadictionary") or item.get("fields")
        )
        meta.fields += fields_of(listed, resource.path or resource.name)
    used = {"publisher", "issued", "modified", "temporal", "spatial", "accrualPeriodicity", "landingPage"}
    meta.extra = {k: v[:300] for k, v in extras.items() if k and v and k not in used}
    return meta


def socrata(view: dict[str, Any]) -> DatasetMetadata:
    """Read a view of Socrata (of the API, or under `meta` of its JSON rows); hidden columns are left out."""
    listed = view.get("columns")
    meta = DatasetMetadata(
        kind="socrata",
        title=first(view, "name"),
        description=first(view, "description"),
        publisher=first(view, "attribution") or text_of(view.get("owner"), "displayName", "screenName"),
        tags=tags_of(view.get("tags")) + [t for t in [first(view, "category")] if t],
        license=text_of(view.get("license")) or first(view, "licenseId"),
        source=first(view, "attributionLink"),
        created=_moment(view.get("createdAt") or view.get("publicationDate")),
        modified=_moment(view.get("rowsUpdatedAt") or view.get("viewLastModified")),
    )
    for item in dicts(listed):
        if str(item.get("dataTypeName") or "").startswith("meta_data"):
            continue
        doc = field_of(item)
        if doc:
            doc.label = first(item, "fieldName") if first(item, "fieldName") != doc.name else ""
            doc.values = {}
            meta.fields.append(doc)
    nested = view.get("metadata")
    custom = nested.get("custom_fields") if isinstance(nested, dict) else None
    for group in custom.values() if isinstance(custom, dict) else ():
        if isinstance(group, dict):
            meta.extra |= {text_of(k): text_of(v)[:300] for k, v in group.items() if text_of(v)}
    return meta


def _moment(value: Any) -> str:
    import datetime

    if isinstance(value, int | float) and 0 < value < 4e9:
        return datetime.datetime.fromtimestamp(value, datetime.UTC).date().isoformat()
    return text_of(value)


def dcat(data: dict[str, Any]) -> DatasetMetadata:
    """Read a dataset of Project Open Data or DCAT in JSON."""
    meta = DatasetMetadata(
        kind="dcat",
        title=first(data, "title", "dct:title", "dcterms:title"),
        description=first(data, "description", "dct:description", "dcterms:description"),
        publisher=text_of(
            data.get("publisher") or data.get("dct:publisher") or data.get("dcterms:publisher")
        ),
        tags=tags_of(data.get("keyword") or data.get("dcat:keyword") or data.get("keywords") or []),
        license=first(data, "license", "dct:license", "rights"),
        source=first(data, "landingPage", "dcat:landingPage", "identifier", "@id"),
        created=first(data, "issued", "dct:issued"),
        modified=first(data, "modified", "dct:modified"),
        temporal=first(data, "temporal", "dct:temporal"),
        spatial=first(data, "spatial", "dct:spatial"),
        frequency=first(data, "accrualPeriodicity", "dct:accrualPeriodicity"),
        language=first(data, "language"),
    )
    meta.resources = [
        resource_of(item) for item in dicts(data.get("distribution") or data.get("dcat:distribution"))
    ]
    return meta


def catalog(data: dict[str, Any]) -> DatasetMetadata:
    """Read a catalogue of many datasets."""
    meta = DatasetMetadata(
        kind="dcat",
        title=first(data, "title", "name"),
        description=first(data, "description"),
        publisher=text_of(data.get("publisher")),
    )
    meta.datasets = [
        found
        for item in dicts(data.get("dataset") or data.get("dcat:dataset"))
        if (found := from_object(item))
    ]
    return meta


def frictionless(data: dict[str, Any]) -> DatasetMetadata:
    """Read a Data Package or one tabular resource."""
    sources = [first(s, "title", "path", "web") for s in dicts(data.get("sources"))]
    people = [first(p, "title", "name") for p in dicts(data.get("contributors") or data.get("publishers"))]
    meta = DatasetMetadata(
        kind="frictionless",
        title=first(data, "title", "name"),
        description=first(data, "description"),
        publisher=first(data, "publisher", "author", "organization")
        or ", ".join(filter(None, people or sources)),
        tags=tags_of(data.get("keywords") or data.get("tags") or []),
        license=", ".join(
            filter(None, (first(item, "title", "name", "path") for item in dicts(data.get("licenses"))))
        )
        or first(data, "license"),
        source=first(data, "homepage", "source")
        or ", ".join(first(s, "path", "web") for s in dicts(data.get("sources"))),
        created=first(data, "created"),
        modified=first(data, "last_updated", "modified", "updated"),
        temporal=first(data, "temporal"),
        spatial=first(data, "spatial"),
        extra={k: v for k in ("version", "name") if (v := text_of(data.get(k)))},
    )
    for item in dicts(data.get("resources")) if "resources" in data else [data]:
        resource = resource_of(item)
        meta.resources.append(resource)
        schema = item.get("schema")
        if isinstance(schema, dict):
            meta.fields += fields_of(schema.get("fields"), resource.path or resource.name)
    return meta


def csvw(data: dict[str, Any]) -> DatasetMetadata:
    """Read CSV on the Web metadata (W3C Recommendation 2015-12-17): one table or a group of tables."""
    meta = DatasetMetadata(
        kind="csvw",
        title=first(data, "dc:title", "dcterms:title", "rdfs:label", "schema:name"),
        description=first(data, "dc:description", "dcterms:description", "schema:description"),
        publisher=text_of(data.get("dc:publisher") or data.get("dcterms:publisher"), "schema:name"),
        license=first(data, "dc:license", "dcterms:license"),
        modified=first(data, "dc:modified", "dcterms:modified"),
        tags=tags_of(data.get("dcat:keyword") or []),
    )
    for table in dicts(data.get("tables")) if "tables" in data else [data]:
        url = first(table, "url")
        meta.resources.append(
            Resource(
                name=url, path=url, title=first(table, "dc:title"), description=first(table, "dc:description")
            )
        )
        schema = table.get("tableSchema")
        for item in dicts(schema.get("columns") if isinstance(schema, dict) else None):
            item = dict(
                item,
                description=first(
                    item, "dc:description", "dcterms:description", "rdfs:comment", "description"
                ),
            )
            doc = field_of(item, url)
            if doc:
                meta.fields.append(doc)
    return meta


def record(data: dict[str, Any]) -> DatasetMetadata:
    """Read a plain record: whatever it says under the usual names."""
    meta = DatasetMetadata(
        kind="record",
        title=first(data, "title", "dataset_title", "name", "pretty_name"),
        description=first(
            data, "description", "dataset_description", "notes", "abstract", "summary", "about"
        ),
        publisher=first(
            data,
            "publisher",
            "organization",
            "organisation",
            "author",
            "authors",
            "creator",
            "provider",
            "agency",
            "owner",
        ),
        tags=tags_of(
            data.get("tags") or data.get("keywords") or data.get("keyword") or data.get("topics") or []
        ),
        license=first(data, "license", "licence", "license_title", "licenses", "rights"),
        source=first(data, "source", "landingPage", "url", "source_url", "homepage", "link", "website"),
        created=first(data, "created", "published", "issued", "date", "release_date", "date_published"),
        modified=first(data, "modified", "updated", "last_updated", "last_modified", "date_modified"),
        temporal=first(data, "temporal", "temporal_coverage", "period", "time_period", "years"),
        spatial=first(data, "spatial", "spatial_coverage", "geography", "location", "country", "region"),
        frequency=first(data, "frequency", "update_frequency", "accrualPeriodicity"),
        language=first(data, "language", "lang"),
    )
    meta.resources = [
        resource_of(item)
        for item in dicts(data.get("distribution") or data.get("resources") or data.get("files"))
    ]
    for name in (
        "columns",
        "fields",
        "variables",
        "schema",
        "data_dictionary",
        "dictionary",
        "features",
        "attributes",
    ):
        value = data.get(name)
        meta.fields += fields_of(value.get("fields", value) if isinstance(value, dict) else value)
    known = _RECORD_KEYS | {"columns", "fields", "variables", "schema"}
    extra = {
        k: text_of(v)[:300] for k, v in data.items() if k not in known and isinstance(v, str | int | float)
    }
    meta.extra = {k: v for k, v in list(extra.items())[:30] if v}
    return meta


_DATASET_WORDS = frozenset(
    {
        "title",
        "dataset_title",
        "description",
        "dataset_description",
        "notes",
        "abstract",
        "publisher",
        "organization",
    }
    | {
        "license",
        "licence",
        "license_title",
        "tags",
        "keywords",
        "source",
        "landingPage",
        "distribution",
        "language",
    }
)
_RECORD_KEYS = _DATASET_WORDS | frozenset(
    {
        "name",
        "summary",
        "author",
        "creator",
        "url",
        "keyword",
        "resources",
        "modified",
        "created",
        "published",
        "issued",
    }
    | {"temporal", "spatial", "frequency"}
)


def _has_list(data: dict[str, Any], name: str) -> bool:
    value = data.get(name)
    return isinstance(value, list) and any(isinstance(item, dict) for item in value)


def _is_frictionless(data: dict[str, Any]) -> bool:
    package = str(data.get("profile") or data.get("$schema") or "")
    resources = data.get("resources")
    tabular = (
        any("schema" in r or "path" in r for r in dicts(resources))
        and not {"notes", "organization", "license_title"} & data.keys()
    )
    single = (
        isinstance(data.get("schema"), dict)
        and isinstance(data["schema"].get("fields"), list)
        and "path" in data
    )
    return (
        "data-package" in package
        or "datapackage" in package
        or "data-resource" in package
        or tabular
        or single
    )


def _is_ckan(data: dict[str, Any]) -> bool:
    signs = {
        "notes",
        "organization",
        "license_title",
        "extras",
        "num_resources",
        "owner_org",
        "resources",
        "metadata_modified",
    }
    return len(signs & data.keys()) >= 2 and bool(
        {"notes", "license_title", "num_resources", "owner_org"} & data.keys()
    )


def _is_socrata(data: dict[str, Any]) -> bool:
    return _has_list(data, "columns") and any("dataTypeName" in item for item in dicts(data["columns"]))


def _is_dcat(data: dict[str, Any]) -> bool:
    has = data.keys()
    return (
        ("distribution" in has or "dcat:distribution" in has)
        and bool({"accessLevel", "keyword", "dcat:keyword", "contactPoint", "issued"} & has)
        or ("accessLevel" in has and "title" in has)
    )


_FORMS: tuple[tuple[Callable[[dict[str, Any]], bool], Callable[[dict[str, Any]], DatasetMetadata]], ...] = (
    (_is_socrata, socrata),
    (
        lambda d: (
            "tableSchema" in d
            or (_has_list(d, "tables") and any("tableSchema" in t for t in dicts(d["tables"])))
        ),
        csvw,
    ),
    (lambda d: _has_list(d, "dataset") or _has_list(d, "dcat:dataset"), catalog),
    (_is_frictionless, frictionless),
    (_is_ckan, ckan),
    (_is_dcat, dcat),
)


def from_object(data: Any, depth: int = 0) -> DatasetMetadata | None:
    """Return what a JSON value says of a dataset, or None if it is no metadata (but data)."""
    from headwater.layout._jsonld import from_jsonld, is_jsonld

    if not isinstance(data, dict) or depth > 3:
        return None
    view = data.get("meta", {}).get("view") if isinstance(data.get("meta"), dict) else None
    if isinstance(view, dict):
        return socrata(view)
    if is_jsonld(data):
        return from_jsonld(data)
    for fits, read in _FORMS:
        if fits(data):
            return read(data)
    if len(_DATASET_WORDS & data.keys()) >= 2 and text_of(
        data.get("title") or data.get("dataset_title") or data.get("name") or data.get("description")
    ):
        return record(data)
    for name in _WRAPPERS:
        found = from_object(data.get(name), depth + 1)
        if found:
            return found
    return None
