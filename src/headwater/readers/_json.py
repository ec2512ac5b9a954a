"""JSON in its variants: arrays and objects, JSON Lines, concatenated documents, GeoJSON, Socrata, JSONP."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.errors import ReadError
from headwater.model import ReadResult, Table
from headwater.readers._detect import looks_utf16
from headwater.readers._encoding import Decoded, decode
from headwater.readers._json_parse import parse
from headwater.readers._shape import count_leaves, leaves, shape_of
from headwater.readers._text import MAX_BYTES, whole

if TYPE_CHECKING:
    from headwater.readers import ReadOptions

_LINES_NAMES = (".ndjson", ".jsonl", ".geojsonl", ".jsonlines")
_ERROR_KEYS = {"error", "errors", "fault", "exception"}
_MESSAGE_KEYS = ("message", "detail", "error_description", "error", "title", "reason", "msg")
_ERROR_LEAVES = 12
"""An answer with more values than this is more than an error message."""


def read_json(path: Path, name: str, options: ReadOptions) -> ReadResult:
    """Read a JSON file; see `headwater.readers._shape` for what becomes a table.

    Raises:
        ReadError: no JSON (with line and column), or the error message of a server in the place of data.
    """
    decoded = decode_json(whole(path, name, MAX_BYTES // 2))
    text = decoded.text.removeprefix("\ufeff")
    parsed = parse(text, name, lines_hint=name.lower().endswith(_LINES_NAMES) and text.count("\n") > 0)
    value: Any = parsed.values[0] if parsed.single else parsed.values
    _refuse_error_body(value, name)
    shape = shape_of(value, None if parsed.single else parsed.lines)
    result = ReadResult(
        format="geojson" if shape.format == "geojson" else parsed.kind,
        encoding=decoded.encoding,
        text=shape.text(),
        tables=shape.tables,
        warnings=parsed.warnings,
        metadata=shape.metadata,
        record=shape.record,
    )
    if decoded.replaced:
        result.warnings.append(f"{decoded.replaced} characters could not be decoded as {decoded.encoding}.")
    _count_records(result.tables, parsed.quarantined, len(parsed.values), parsed.single)
    if not result.tables and result.text is None:
        result.text = text.strip() or None
        if not value:
            result.warnings.append("The document is valid JSON but holds no records.")
    elif parsed.kind == "ndjson" and parsed.quarantined and not parsed.warnings:
        result.warnings.append(f"{len(parsed.quarantined)} lines are no valid JSON and were set aside.")
    return result


def decode_json(data: bytes) -> Decoded:
    """Decode JSON, which may be UTF-16 without a mark (the pattern of zero bytes of RFC 4627, section 3)."""
    if looks_utf16(data[:4096]) and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16-be" if data[0] == 0 else "utf-16-le"
        text = data.decode(encoding, errors="replace")
        return Decoded(text, encoding, text.count("\ufffd"))
    return decode(data)


def _count_records(tables: list[Table], quarantined: list[Any], values: int, single: bool) -> None:
    """Let the top-level table account for every value of the file."""
    if tables and not single and len(tables) == 1:
        tables[0].quarantined += quarantined
        if tables[0].source_records == values:
            tables[0].source_records = values + len(quarantined)


def _refuse_error_body(value: Any, name: str) -> None:
    """Refuse the error message of a web interface: an object with an error or a status and message, and no records."""
    if not isinstance(value, dict) or any(isinstance(v, list) and len(v) > 1 for v in value.values()):
        return
    keys = {str(key).casefold(): inner for key, inner in value.items()}
    status = keys.get("status", keys.get("code", keys.get("statuscode")))
    failed = (
        isinstance(status, int)
        and 400 <= status < 600
        or str(status).casefold() in ("error", "fail", "failed")
    )
    named = [
        inner
        for key, inner in keys.items()
        if key in _ERROR_KEYS and inner not in (None, False, "", 0, [], {})
    ]
    if not (named or failed and any(key in keys for key in _MESSAGE_KEYS)):
        return
    if count_leaves(value) > _ERROR_LEAVES:
        return
    said = _message(named[0] if named else value) or _message(value)
    raise ReadError(
        f"The file is not data but the error message of a server in JSON: {said[:200]!r}.",
        where=name,
        hint="Download the data again.",
    )


def _message(value: Any) -> str:
    if isinstance(value, list) and value:
        return _message(value[0])
    if isinstance(value, dict):
        found = {str(key).casefold(): inner for key, inner in value.items()}
        for key in _MESSAGE_KEYS:
            if isinstance(found.get(key), str):
                return str(found[key])
        return "; ".join(str(leaf) for leaf in leaves(value) if leaf is not None)
    return str(value) if value is not None else ""
