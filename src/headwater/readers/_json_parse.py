"""From the text of a JSON file to values: one document, JSON Lines, or several documents one after another.

Follows RFC 8259, and says what it had to put up with. Numbers keep their digits: an integer is a Python int of any
size, a number whose spelling a double does not give back is an `Exact` that knows it.
"""

from __future__ import annotations

import ast
import json
import math
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from headwater.errors import ReadError
from headwater.model import Quarantined

_BLANK = " \t\r\n\x1e"
_SPACE = re.compile(r"[ \t\r\n\x1e]*")
_JSONP = re.compile(
    r"\s*(?:/\*.*?\*/\s*)?(?:[A-Za-z_$][\w.$]*\s*=\s*|[A-Za-z_$][\w.$]*\s*\(\s*)(?=[\[{])", re.DOTALL
)
_LONE = re.compile(
    r"(?<!\\)((?:\\\\)*)(?:\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F][0-9a-fA-F]{2})"
)
_TOKEN = re.compile(
    r"""(?P<string>"(?:[^"\\]|\\.)*")|(?P<single>'(?:[^'\\]|\\.)*')|(?P<comment>//[^\n]*|/\*.*?\*/|\#[^\n]*)"""
    r"""|(?P<word>\b(?:True|False|None)\b)|(?P<comma>,(?=\s*[\]}]))""",
    re.DOTALL,
)
_WORDS = {"True": "true", "False": "false", "None": "null"}
_LITERAL_LIMIT = 4 << 20
"""Size up to which a printed Python value is tried; its parser needs about fifty times the text in memory."""


class Exact(float):
    """A number together with its spelling in the source."""

    __slots__ = ("literal",)
    literal: str


@dataclass
class Parsed:
    """Values of a JSON file.

    Attributes:
        values: the top-level values; of an array its elements.
        lines: physical line of each value, from 1.
        single: the file is one document that is no array; then `values` has one item.
        kind: "json" or "ndjson".
        quarantined: lines or documents that could not be parsed.
        warnings: what had to be put up with.
    """

    values: list[Any]
    lines: list[int]
    single: bool = False
    kind: str = "json"
    quarantined: list[Quarantined] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


class _Decoder:
    """The standard library's scanner with hooks that lose nothing."""

    def __init__(self, strict: bool = True) -> None:
        self.doubled: Counter[str] = Counter()
        self._decoder = json.JSONDecoder(
            object_pairs_hook=self._object, parse_float=_number, parse_int=_integer, strict=strict
        )

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) != len(pairs):
            self.doubled.update({key for key, value in pairs if value != made[key]})
        return made

    def scan(self, text: str, start: int) -> tuple[Any, int]:
        return self._decoder.raw_decode(text, start)


def _number(literal: str) -> float:
    value = float(literal)
    if repr(value) == literal:
        return value
    exact = Exact(value)
    exact.literal = literal
    return exact


def _integer(literal: str) -> int | float:
    if len(literal) <= 4000:  # Python refuses to convert longer ones by default (CVE-2020-10735)
        return int(literal) if literal != "-0" else 0
    exact = Exact(math.inf)
    exact.literal = literal
    return exact


def parse(text: str, name: str, *, lines_hint: bool = False) -> Parsed:
    """Parse the text of a file.

    Args:
        text: the whole text, without a byte order mark.
        name: the document, for messages.
        lines_hint: the name says that every line is a document.

    Raises:
        ReadError: it is no JSON, and no repair that could be told helps; with line and column.
    """
    notes: list[str] = []
    if "\\u" in text and _LONE.search(text):
        text, count = _LONE.subn("\\1\ufffd", text)
        notes.append(f"{count} halves of surrogate pairs are no characters and were replaced.")
    try:
        parsed = _parse(text, name, lines_hint, notes)
    except RecursionError:
        raise ReadError("The JSON is nested too deeply (more than about 1,000 levels).", where=name) from None
    parsed.warnings = notes + parsed.warnings
    return parsed


def _parse(text: str, name: str, lines_hint: bool, notes: list[str]) -> Parsed:
    decoder = _Decoder()
    if lines_hint or _looks_like_lines(text, decoder):
        decoder.doubled.clear()
        parsed = _parse_lines(text, name, decoder)
    else:
        try:
            parsed = _parse_whole(text, decoder)
        except json.JSONDecodeError as error:
            parsed, decoder = _repair(text, name, error, notes)
    if decoder.doubled:
        keys = ", ".join(repr(key) for key, _ in decoder.doubled.most_common(5))
        notes.append(
            f"{sum(decoder.doubled.values())} objects have a key twice ({keys}); the last value is kept."
        )
    return parsed


def _looks_like_lines(text: str, decoder: _Decoder) -> bool:
    """Tell JSON Lines: of the first lines at least two, and most, are whole objects or arrays."""
    good = seen = 0
    start = 0
    while seen < 8 and start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        line = text[start:end].strip(_BLANK)
        start = end + 1
        if not line:
            continue
        seen += 1
        if line[0] not in "{[":
            continue
        try:
            good += decoder.scan(line, 0)[1] == len(line)
        except json.JSONDecodeError:
            continue
    return good >= 2 and good * 2 > seen


def _parse_lines(text: str, name: str, decoder: _Decoder) -> Parsed:
    parsed = Parsed([], [], kind="ndjson")
    for number, line in enumerate(text.split("\n"), 1):
        line = line.strip(_BLANK)
        if not line:
            continue
        try:
            start = 0
            while start < len(line):
                value, start = decoder.scan(line, start)
                parsed.values.append(value)
                parsed.lines.append(number)
                start = _skip(line, start)
        except json.JSONDecodeError as error:
            cut = error.pos >= len(line) or error.msg.startswith("Unterminated")
            why = "The line is cut off" if cut else "The line is no valid JSON"
            parsed.quarantined.append(
                Quarantined(number, f"{why}: {error.msg}, column {error.colno}.", line[:2000])
            )
    if not parsed.values or len(parsed.quarantined) > len(parsed.values):
        first = parsed.quarantined[0] if parsed.quarantined else None
        raise ReadError(
            f"Invalid JSON in {len(parsed.quarantined)} of {len(parsed.quarantined) + len(parsed.values)} lines"
            + (f", first in line {first.line}: {first.reason}" if first else "."),
            where=name,
        )
    return parsed


def _parse_whole(text: str, decoder: _Decoder) -> Parsed:
    start = _skip(text, 0)
    if text.startswith("[", start):
        parsed, start = _parse_array(text, start, decoder)
        if start >= len(text):
            return parsed
        parsed.values, parsed.lines = list(parsed.values), list(parsed.lines)
    else:
        value, end = decoder.scan(text, start)
        parsed = Parsed([value], [1 + text.count("\n", 0, start)], single=True)
        start = _skip(text, end)
    while start < len(text):  # several documents one after another
        if text[start] == "," and parsed.values:
            start = _skip(text, start + 1)
        if not text.startswith(("{", "["), start) or not isinstance(parsed.values[0], dict | list):
            raise json.JSONDecodeError("Extra data", text, start)
        parsed.single, parsed.kind = False, "ndjson"
        line = parsed.lines[-1] if parsed.lines else 1
        try:
            if text.startswith("[", start):
                more, end = _parse_array(text, start, decoder)
                parsed.values += more.values
                parsed.lines += more.lines
            else:
                value, end = decoder.scan(text, start)
                parsed.values.append(value)
                parsed.lines.append(1 + text.count("\n", 0, start))
        except json.JSONDecodeError as error:
            if not _is_cut(text, error):
                raise
            parsed.quarantined.append(
                Quarantined(
                    max(line, error.lineno), "The last document is cut off.", text[start : start + 2000]
                )
            )
            parsed.warnings.append("The file is truncated: its last record is cut off and was set aside.")
            break
        start = _skip(text, end)
    return parsed


def _parse_array(text: str, start: int, decoder: _Decoder) -> tuple[Parsed, int]:
    """Parse an array element by element, so that each record's line is known and a cut end costs one record."""
    parsed = Parsed([], [])
    line, counted = 1 + text.count("\n", 0, start), start
    position = _skip(text, start + 1)
    if text.startswith("]", position):
        return parsed, _skip(text, position + 1)
    while True:
        try:
            value, end = decoder.scan(text, position)
            line += text.count("\n", counted, position)
            counted = position
            end = _skip(text, end)
            if not text.startswith((",", "]"), end):
                raise json.JSONDecodeError("Expecting ',' delimiter", text, end)
        except json.JSONDecodeError as error:
            if not (parsed.values and isinstance(parsed.values[0], dict | list) and _is_cut(text, error)):
                raise
            line += text.count("\n", counted, position)
            parsed.quarantined.append(
                Quarantined(line, "The record is cut off.", text[position : position + 2000])
            )
            parsed.warnings.append(
                f"The file is truncated: it ends inside record {len(parsed.values) + 1}, which was set aside;"
                " there may have been more."
            )
            return parsed, len(text)
        parsed.values.append(value)
        parsed.lines.append(line)
        if text[end] == "]":
            return parsed, _skip(text, end + 1)
        position = _skip(text, end + 1)


def _skip(text: str, start: int) -> int:
    found = _SPACE.match(text, start)
    return found.end() if found else start


def _is_cut(text: str, error: json.JSONDecodeError) -> bool:
    return (
        error.pos >= len(text.rstrip())
        or error.msg.startswith("Unterminated")
        and '"' not in text[error.pos + 1 :]
    )


def _repair(text: str, name: str, error: json.JSONDecodeError, notes: list[str]) -> tuple[Parsed, _Decoder]:
    """Try readings of almost-JSON that can be told in a sentence; else raise the error with its place."""
    tried = text
    call = _JSONP.match(text)
    if call:
        tried = text[call.end() :].rstrip().rstrip(";").rstrip().removesuffix(")")
        notes.append("The JSON is wrapped in a JavaScript call or assignment, which was taken off.")
    candidates = [(tried, True, ""), (tried, False, "Control characters stand unescaped inside strings.")]
    if _TOKEN.search(tried):
        loose, told = _loosen(tried)
        candidates.append((loose, False, f"This is no strict JSON: {told}; it was read as meant."))
    for candidate, strict, note in candidates:
        if not candidate.lstrip().startswith(("{", "[")):
            continue
        decoder = _Decoder(strict)
        try:
            parsed = _parse_whole(candidate, decoder)
        except json.JSONDecodeError:
            continue
        if note:
            notes.append(note)
        return parsed, decoder
    literal = _python_literal(tried)
    if literal is not None:
        notes.append("This is a printed Python value, no JSON; it was read as meant.")
        values = literal if isinstance(literal, list) else [literal]
        return Parsed(values, [1] * len(values), single=not isinstance(literal, list)), _Decoder()
    raise _error(text, name, error)


def _loosen(text: str) -> tuple[str, str]:
    """Rewrite what JavaScript and Python allow and JSON does not; return the text and what was met."""
    met: dict[str, None] = {}

    def rewrite(found: re.Match[str]) -> str:
        token = found.group()
        match found.lastgroup:
            case "single":
                met["single quotes"] = None
                return json.dumps(
                    token[1:-1].replace("\\'", "'").replace('\\"', '"'), ensure_ascii=False
                ).replace("\\\\", "\\")
            case "comment":
                met["comments"] = None
                return " "
            case "word":
                met["Python words"] = None
                return _WORDS[token]
            case "comma":
                met["trailing commas"] = None
                return ""
        return token

    return _TOKEN.sub(rewrite, text), ", ".join(met) or "other spellings"


def _python_literal(text: str) -> Any:
    if len(text) > _LITERAL_LIMIT or not text.lstrip().startswith(("{", "[")):
        return None
    try:
        value = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None
    if not isinstance(value, dict | list):
        return None
    try:  # through JSON, so that only JSON's types remain
        return json.loads(json.dumps(value, default=str), parse_float=_number)
    except (ValueError, TypeError, RecursionError):
        return None


def _error(text: str, name: str, error: json.JSONDecodeError) -> ReadError:
    near = text[max(0, error.pos - 20) : error.pos + 20].replace("\n", " ")
    if _is_cut(text, error):
        message = f"Invalid JSON: truncated, unexpected end of the file at line {error.lineno}, column {error.colno} ({error.msg})."
    else:
        message = f"Invalid JSON at line {error.lineno}, column {error.colno}: {error.msg}, near {near!r}."
    return ReadError(
        message, where=f"{name}, line {error.lineno}", hint="Check whether the file was downloaded whole."
    )
