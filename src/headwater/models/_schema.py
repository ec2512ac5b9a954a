"""Structured output: JSON in a reply, and a check against the part of JSON Schema that it uses."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


def parse_json(text: str, schema: Mapping[str, Any]) -> tuple[Any, str]:
    """Return the JSON value in a reply and what is wrong with it ("" if nothing); a fence around it is taken off."""
    bare = text.strip()
    if bare.startswith("```"):
        bare = bare.strip("`").removeprefix("json").strip()
    try:
        value = json.loads(bare)
    except ValueError as error:
        return None, f"the reply is not JSON: {error}"
    problem = mismatch(value, schema)
    return (None, problem) if problem else (value, "")


def mismatch(value: Any, schema: Mapping[str, Any], where: str = "reply") -> str:
    """Return what is wrong with `value`, for a model to read, or "" if it follows the schema.

    Checked are `type`, `enum`, `properties`, `required`, `additionalProperties: false`, `items` and `anyOf`.
    """
    options = schema.get("anyOf")
    if options:
        found = [mismatch(value, option, where) for option in options]
        return "" if "" in found else found[0]
    kinds = schema.get("type")
    if kinds is not None:
        kinds = [kinds] if isinstance(kinds, str) else list(kinds)
        if not any(_is(value, kind) for kind in kinds):
            return f"{where} must be of type {' or '.join(kinds)}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{where} must be one of {', '.join(map(repr, schema['enum']))}"
    if isinstance(value, dict):
        return _object(value, schema, where)
    if isinstance(value, list) and isinstance(schema.get("items"), Mapping):
        return next(
            filter(None, (mismatch(v, schema["items"], f"{where}[{i}]") for i, v in enumerate(value))), ""
        )
    return ""


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, _TYPES.get(kind, ()))


def _object(value: dict[str, Any], schema: Mapping[str, Any], where: str) -> str:
    properties = schema.get("properties", {})
    missing = [name for name in schema.get("required", ()) if name not in value]
    if missing:
        return f"{where} lacks {', '.join(missing)}"
    unknown = [name for name in value if name not in properties]
    if unknown and schema.get("additionalProperties") is False:
        return f"{where} has unknown fields: {', '.join(unknown)}"
    parts = (mismatch(v, properties[k], f"{where}.{k}") for k, v in value.items() if k in properties)
    return next(filter(None, parts), "")
