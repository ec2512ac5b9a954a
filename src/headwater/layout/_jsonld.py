"""Metadata in JSON-LD: schema.org `Dataset`, Croissant 1.0 (MLCommons), DCAT.

Prefixes ("sc:", "cr:", "schema:", full addresses) are cut off the keys; a document's `@graph` is searched for its
datasets, and references by `@id` to other nodes are followed once.
"""

from __future__ import annotations

from typing import Any

from headwater.layout._metadata import DatasetMetadata, FieldDoc
from headwater.layout._parts import (
    MAX_ITEMS,
    coded_values,
    dicts,
    first,
    object_of,
    resource_of,
    tags_of,
    text_of,
)

_LINKED = frozenset(
    {
        "publisher",
        "creator",
        "distribution",
        "license",
        "temporalCoverage",
        "spatialCoverage",
        "temporal",
        "spatial",
    }
)


def is_jsonld(data: dict[str, Any]) -> bool:
    """Tell whether an object is JSON-LD about a dataset or a catalogue."""
    if "@graph" in data:
        return any(_types(node) & {"Dataset", "DataCatalog", "Catalog"} for node in dicts(data["@graph"]))
    return (
        ("@type" in data or "@context" in data)
        and bool(_types(data) & {"Dataset", "DataCatalog", "Catalog"})
        and "tableSchema" not in data
    )


def _local(name: str) -> str:
    if name.startswith("@"):
        return name
    return name.rsplit("/", 1)[-1].rsplit("#", 1)[-1].rsplit(":", 1)[-1]


def _types(node: dict[str, Any]) -> set[str]:
    value = node.get("@type") or node.get("type") or []
    return {_local(v) for v in (value if isinstance(value, list) else [value]) if isinstance(v, str)}


def _plain(value: Any, depth: int = 0) -> Any:
    """Return the value with local names as keys and typed literals unwrapped."""
    if isinstance(value, dict) and depth < 12:
        if "@value" in value:
            return value["@value"]
        return {_local(str(k)): _plain(v, depth + 1) for k, v in value.items() if k != "@context"}
    if isinstance(value, list) and depth < 12:
        items = [_plain(item, depth + 1) for item in value[:MAX_ITEMS]]
        return items[0] if len(items) == 1 and not isinstance(items[0], dict) else items
    return value


def from_jsonld(data: dict[str, Any]) -> DatasetMetadata | None:
    """Return what a JSON-LD document says; a catalogue has its datasets in `datasets`."""
    nodes = [_plain(node) for node in (dicts(data["@graph"]) if "@graph" in data else [data])]
    by_id = {node["@id"]: node for node in nodes if isinstance(node.get("@id"), str)}
    for node in nodes:
        for key in _LINKED & node.keys():
            node[key] = _follow(node[key], by_id)
    catalogs = [n for n in nodes if _types(n) & {"DataCatalog", "Catalog"}]
    listed = [n for n in nodes if "Dataset" in _types(n)]
    for entry in catalogs:
        listed += [_follow(n, by_id) for n in dicts(_as_list(entry.get("dataset")))]
    found = [_dataset(node) for node in listed]
    if catalogs:
        meta = _dataset(catalogs[0])
        meta.kind, meta.datasets = "dcat", found
        return meta
    root = next((m for m, n in zip(found, listed, strict=True) if n.get("@id") in {"./", ""}), None)
    if root or len(found) == 1:
        return root or found[0]
    return DatasetMetadata(kind="schema.org", datasets=found) if found else None


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _follow(value: Any, by_id: dict[str, dict[str, Any]]) -> Any:
    if isinstance(value, list):
        return [_follow(item, by_id) for item in value]
    if isinstance(value, dict) and len(value) == 1 and value.get("@id") in by_id:
        return by_id[value["@id"]]
    return value


def _dataset(node: dict[str, Any]) -> DatasetMetadata:
    conforms = text_of(node.get("conformsTo"), "@id")
    record_sets = list(dicts(_as_list(node.get("recordSet"))))
    kind = "croissant" if record_sets or "croissant" in conforms else "schema.org"
    kind = "dcat" if {"landingPage", "theme", "accrualPeriodicity"} & node.keys() else kind
    meta = DatasetMetadata(
        kind=kind,
        title=first(node, "name", "title", "headline"),
        description=first(node, "description", "abstract"),
        publisher=text_of(
            node.get("publisher") or node.get("creator") or node.get("author") or node.get("provider")
        ),
        tags=tags_of(
            _as_list(node.get("keywords") or node.get("keyword"))
            if not isinstance(node.get("keywords"), str)
            else node["keywords"]
        ),
        license=text_of(node.get("license") or node.get("rights"), "name", "@id"),
        source=text_of(node.get("url") or node.get("landingPage") or node.get("sameAs"), "@id"),
        created=first(node, "datePublished", "dateCreated", "issued", "created"),
        modified=first(node, "dateModified", "modified"),
        temporal=text_of(node.get("temporalCoverage") or node.get("temporal"), "startDate"),
        spatial=text_of(node.get("spatialCoverage") or node.get("spatial"), "name"),
        frequency=first(node, "accrualPeriodicity"),
        language=first(node, "inLanguage", "language"),
    )
    meta.resources = [
        resource_of(item) for item in dicts(_as_list(node.get("distribution") or node.get("hasPart")))
    ]
    for records in record_sets:
        meta.fields += _record_set(records)
    for item in dicts(_as_list(node.get("variableMeasured"))):
        if first(item, "name"):
            meta.fields.append(
                FieldDoc(first(item, "name"), first(item, "description"), first(item, "unitText", "unitCode"))
            )
    return meta


def _record_set(records: dict[str, Any]) -> list[FieldDoc]:
    """Return the fields of a Croissant record set; a field's column name is what it extracts from the file."""
    out: list[FieldDoc] = []
    for item in dicts(_as_list(records.get("field"))):
        source = object_of(item.get("source"))
        extract = object_of(source.get("extract"))
        own = first(item, "name") or text_of(item.get("@id")).rsplit("/", 1)[-1]
        column = text_of(extract.get("column")) or own
        where = text_of(source.get("fileObject") or source.get("fileSet"), "@id")
        if column:
            doc = FieldDoc(
                column, first(item, "description"), label="" if own == column else own, resource=where
            )
            doc.type = _local(text_of(item.get("dataType"), "@id"))
            doc.values = coded_values(item.get("enumeration") or {})
            out.append(doc)
    return out
