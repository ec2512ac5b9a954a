"""Parts of metadata objects: texts, lists, keywords, coded values, columns and resources in the shapes they come in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from headwater.layout._clean import plain_text
from headwater.layout._metadata import FieldDoc, Resource

MAX_TEXT = 20_000
"""Characters kept of one text."""

MAX_ITEMS = 5_000
"""Resources, columns or datasets kept of one document."""


def text_of(value: Any, *keys: str) -> str:
    """Return a text out of the shapes that metadata has: text, number, object with a name, language map, list."""
    if value is None or isinstance(value, bool):
        return ""
    if isinstance(value, str):
        return plain_text(value[:MAX_TEXT])
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, dict):
        wanted = (
            *keys,
            "title",
            "name",
            "fn",
            "label",
            "prefLabel",
            "@value",
            "en",
            "value",
            "@id",
            "path",
            "url",
            "identifier",
        )
        for key in wanted:
            found = text_of(value.get(key), *keys)
            if found:
                return found
        texts = [v for v in value.values() if isinstance(v, str) and v.strip()]
        return plain_text(texts[0][:MAX_TEXT]) if len(texts) == len(value) and texts else ""
    if isinstance(value, list | tuple):
        return ", ".join(filter(None, (text_of(item, *keys) for item in value[:20])))
    return str(value)


def first(data: dict[str, Any], *names: str) -> str:
    """Return the first of the keys that holds a text."""
    for name in names:
        found = text_of(data.get(name))
        if found:
            return found
    return ""


def object_of(value: Any) -> dict[str, Any]:
    """Return the value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def dicts(value: Any) -> Iterable[dict[str, Any]]:
    """Yield the objects of a list, or of the values of an object, at most `MAX_ITEMS`."""
    if isinstance(value, dict):
        value = [dict(v, name=v.get("name", k)) if isinstance(v, dict) else {} for k, v in value.items()]
    if isinstance(value, list | tuple):
        yield from (item for item in value[:MAX_ITEMS] if isinstance(item, dict))


def tags_of(value: Any) -> list[str]:
    """Return keywords from a list, a list of objects or a text with commas."""
    if isinstance(value, str):
        value = value.replace(";", ",").split(",")
    found = (text_of(item, "display_name", "name") for item in value) if isinstance(value, list) else ()
    return list(dict.fromkeys(tag for tag in found if tag))[:200]


def coded_values(value: Any) -> dict[str, str]:
    """Return code → meaning from an object, a list of objects or of plain values."""
    out: dict[str, str] = {}
    if isinstance(value, dict):
        out = {text_of(k): text_of(v) for k, v in list(value.items())[:MAX_ITEMS]}
    elif isinstance(value, list):
        for item in value[:MAX_ITEMS]:
            if isinstance(item, dict):
                code = first(item, "value", "code", "key", "name", "edomv")
                out[code] = first(item, "label", "description", "meaning", "title", "text", "edomvd")
            else:
                out[text_of(item)] = ""
    out.pop("", None)
    return out


def field_of(item: dict[str, Any], resource: str = "") -> FieldDoc | None:
    """Return a column's entry from an object of a schema, or None without a name."""
    name = first(
        item,
        "name",
        "fieldName",
        "field",
        "column",
        "column_name",
        "columnName",
        "variable",
        "id",
        "key",
        "title",
    )
    if not name:
        return None
    info, constraints = object_of(item.get("info")), object_of(item.get("constraints"))
    label = first(item, "title", "label", "alias", "titles", "displayName") or text_of(info.get("label"))
    return FieldDoc(
        name=name,
        description=first(
            item, "description", "definition", "notes", "desc", "meaning", "comment", "documentation"
        )
        or text_of(info.get("notes")),
        unit=first(item, "unit", "units", "unitText", "unitOfMeasure", "uom"),
        label="" if label == name else label,
        type=first(item, "type", "dataTypeName", "datatype", "dataType", "data_type"),
        values=coded_values(
            item.get("values") or item.get("codes") or item.get("categories") or constraints.get("enum")
        ),
        resource=resource,
    )


def fields_of(value: Any, resource: str = "") -> list[FieldDoc]:
    """Return the entries of a list of columns, or of an object column → text or object."""
    if isinstance(value, dict) and value and all(isinstance(v, str) for v in value.values()):
        return [
            FieldDoc(text_of(k), text_of(v), resource=resource) for k, v in list(value.items())[:MAX_ITEMS]
        ]
    return [found for item in dicts(value) if (found := field_of(item, resource))]


def resource_of(item: dict[str, Any]) -> Resource:
    """Return a resource from the object of a catalogue."""
    path = item.get("path") or item.get("file_name") or item.get("filename") or ""
    return Resource(
        name=first(item, "name", "file_name", "filename", "@id", "id"),
        title=first(item, "title", "file_title"),
        path=text_of(path[0] if isinstance(path, list) and path else path),
        url=first(item, "url", "downloadURL", "accessURL", "contentUrl"),
        format=first(item, "format", "mediaType", "mimetype", "encodingFormat"),
        description=first(item, "description", "file_description"),
    )
