"""Metadata in XML: FGDC CSDGM, ISO 19139 and 19115-3, DCAT in RDF/XML, EML, DDI codebooks.

Elements are found by their local names, as publishers' namespaces vary.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from headwater.layout._clean import plain_text
from headwater.layout._metadata import DatasetMetadata, FieldDoc

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_TITLES = ("title", "titl")
_PARTS: dict[str, tuple[str, ...]] = {
    "title": _TITLES,
    "description": ("abstract", "description", "purpose"),
    "publisher": (
        "publish",
        "publisher",
        "organisationName",
        "organizationName",
        "origin",
        "producer",
        "distrbtr",
    ),
    "license": ("useconst", "license", "useLimitation", "intellectualRights", "rights"),
    "source": ("onlink", "landingPage", "linkage"),
    "created": ("pubdate", "issued", "pubDate", "prodDate"),
    "modified": ("metd", "modified", "dateStamp"),
    "spatial": ("placekey", "spatial", "geographicDescription", "geogCover"),
    "temporal": ("temporal", "timePrd"),
}
_ENTRIES: tuple[tuple[str, tuple[str, ...], tuple[str, ...], tuple[str, ...]], ...] = (
    ("attr", ("attrlabl",), ("attrdef",), ("attrunit",)),  # FGDC
    ("attribute", ("attributeName",), ("attributeDefinition",), ("standardUnit", "customUnit")),  # EML
    ("var", ("@name",), ("labl", "txt"), ()),  # DDI
    ("FC_FeatureAttribute", ("memberName",), ("definition",), ()),  # ISO 19110
)
_ROOTS = frozenset(
    {
        "metadata",
        "MD_Metadata",
        "MI_Metadata",
        "RDF",
        "Catalog",
        "Dataset",
        "eml",
        "codeBook",
        "FC_FeatureCatalogue",
        "GetRecordByIdResponse",
    }
)


def from_xml(data: bytes) -> DatasetMetadata | None:
    """Return what an XML document says, or None if it is not one of the known kinds or not well-formed."""
    from xml.etree.ElementTree import ParseError

    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    try:
        root = fromstring(data)
    except (ParseError, DefusedXmlException, ValueError):
        return None
    if _local(root) not in _ROOTS:
        return None
    nodes = list(root.iter())
    meta = DatasetMetadata(kind="xml")
    for part, names in _PARTS.items():
        setattr(
            meta,
            part,
            next((t for name in names for n in nodes if _local(n) == name and (t := _text(n))), ""),
        )
    meta.tags = list(
        dict.fromkeys(t for n in nodes if _local(n) in {"themekey", "keyword"} and (t := _text(n)))
    )[:100]
    begin = next((_text(n) for n in nodes if _local(n) in {"begdate", "beginPosition", "startDate"}), "")
    end = next((_text(n) for n in nodes if _local(n) in {"enddate", "endPosition", "endDate"}), "")
    if begin or end:
        meta.temporal = f"{begin} to {end}"
    meta.fields = list(_fields(nodes))
    return meta if meta.title or meta.fields else None


def _local(node: Element) -> str:
    return str(node.tag).rsplit("}", 1)[-1]


def _text(node: Element) -> str:
    return plain_text("".join(node.itertext()))[:5_000]


def _fields(nodes: list[Element]) -> Iterator[FieldDoc]:
    for node in nodes:
        for tag, names, meanings, units in _ENTRIES:
            if _local(node) != tag:
                continue
            inner = list(node.iter())

            def find(wanted: tuple[str, ...], node: Element = node, inner: list[Element] = inner) -> str:
                for name in wanted:
                    if name.startswith("@") and node.get(name[1:]):
                        return plain_text(node.get(name[1:]) or "")
                    found = next((t for n in inner if _local(n) == name and (t := _text(n))), "")
                    if found:
                        return found
                return ""

            name = find(names)
            if name:
                codes = [
                    n for n in inner if _local(n) in {"edom", "enumeratedDomain", "catgry", "codeDefinition"}
                ]
                yield FieldDoc(
                    name, find(meanings), find(units), values=dict(filter(None, map(_code, codes)))
                )


def _code(node: Element) -> tuple[str, str] | None:
    texts = [t for child in node if (t := _text(child))]
    return (texts[0], texts[1]) if len(texts) >= 2 else None
