"""The form that models answer in, and how an answer is read from what they write."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

FIELDS: Final = {
    "list": "answer_list",
    "ordered_list": "answer_list",
    "integer": "answer_int",
    "boolean": "answer_bool",
    "string": "answer_str",
}
"""Which field of the reply holds the answer, by declared type."""

_TYPES: Final = {
    "answer_list": "a list of names",
    "answer_int": "a whole number",
    "answer_bool": "true or false",
    "answer_str": "a text",
}

_THINKING = re.compile(r"<think>.*?(?:</think>|$)", re.DOTALL)
_FENCE = re.compile(r"```(?:json)?\s*\n?(.*?)```", re.DOTALL)
_CUT_LIST = re.compile(r'"answer_list"\s*:\s*\[([^\]]*)$', re.DOTALL)
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_PATTERNS: Final = {
    "answer_int": re.compile(r'"?answer_int"?\s*[:=]\s*(-?\d+)'),
    "answer_bool": re.compile(r'"?answer_bool"?\s*[:=]\s*(true|false)', re.IGNORECASE),
    "answer_str": re.compile(r'"?answer_str"?\s*[:=]\s*"([^"]*)"'),
}


def instructions(answer_type: str) -> str:
    """Return the words that tell a model how to answer."""
    field = FIELDS[answer_type]
    order = ", in the order of the path" if answer_type == "ordered_list" else ""
    return (
        "Reply with one JSON object and nothing else. It has five fields: answer_list, answer_int, answer_bool, answer_str and "
        f"reasoning. This question wants {_TYPES[field]}{order}: put it in {field}, set the other answer fields to null, and say in "
        "one sentence in reasoning how you found it. Write names exactly as they are given and leave none out."
    )


def read_answer(text: str, answer_type: str) -> Any:
    """Return the answer in a reply, or None if there is none of its type.

    Tried in turn: the whole text as JSON, a fenced block, the largest balanced object, names behind a list that was cut off,
    and the field's name followed by a value. A plain list comes back sorted, since its order means nothing.
    """
    field = FIELDS[answer_type]
    bare = _THINKING.sub("", text).strip()
    for candidate in _candidates(bare):
        try:
            value = json.loads(candidate)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and _fits(value.get(field), field):
            return _finished(value[field], answer_type)
    return _finished(_from_pieces(bare, field), answer_type)


def _candidates(text: str) -> Iterator[str]:
    yield text
    yield from (block.strip() for block in _FENCE.findall(text))
    yield from sorted(_objects(text), key=len, reverse=True)[:3]


def _objects(text: str) -> Iterator[str]:
    """Yield the outermost balanced {…} of a text; braces inside strings do not count."""
    depth, start, quoted, escaped = 0, 0, False, False
    for position, char in enumerate(text):
        if quoted:
            quoted, escaped = not (char == '"' and not escaped), char == "\\" and not escaped
        elif char == '"' and depth:
            quoted = True
        elif char == "{":
            start = position if depth == 0 else start
            depth += 1
        elif char == "}" and depth:
            depth -= 1
            if depth == 0:
                yield text[start : position + 1]


def _fits(value: Any, field: str) -> bool:
    if field == "answer_list":
        return isinstance(value, list)
    if field == "answer_int":
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, bool if field == "answer_bool" else str)


def _from_pieces(text: str, field: str) -> Any:
    if field == "answer_list":
        cut = _CUT_LIST.search(text)
        return _QUOTED.findall(cut[1]) or None if cut else None
    found = _PATTERNS[field].search(text)
    if found is None:
        return None
    if field == "answer_bool":
        return found[1].lower() == "true"
    return int(found[1]) if field == "answer_int" else found[1]


def _finished(value: Any, answer_type: str) -> Any:
    if isinstance(value, list):
        names = [name if isinstance(name, str) else str(name) for name in value]
        return sorted(names) if answer_type == "list" else names
    return value
