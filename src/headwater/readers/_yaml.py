"""YAML, by the core schema of YAML 1.2: `no` is a word, `012` a code and `12:30` a time, not false, 10 and 750."""

from __future__ import annotations

import math
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.errors import ReadError
from headwater.model import ReadResult
from headwater.readers._json_parse import Exact
from headwater.readers._shape import shape_of
from headwater.readers._text import MAX_BYTES, clean, decode_text, whole

if TYPE_CHECKING:
    from headwater.readers import ReadOptions

_RESOLVERS = (
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", r"[-+]?(?:0|[1-9][0-9]*)", list("-+0123456789")),
    (
        "float",
        r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.inf|\.nan",
        list("-+.0123456789"),
    ),
    ("merge", r"<<", ["<"]),
)
_MAX_NODES = 5_000_000
"""Values after all aliases are written out; more is taken for an attack on memory."""


def read_yaml(path: Path, name: str, options: ReadOptions) -> ReadResult:
    """Read a YAML file; see `headwater.readers._shape` for what becomes a table.

    Raises:
        ReadError: it is no YAML (with line and column), or its aliases multiply without bound.
    """
    decoded = decode_text(whole(path, name, MAX_BYTES // 16))
    values, lines, warnings = load(clean(decoded.text), name)
    single = len(values) == 1
    value = values[0] if single else values
    shape = shape_of(value, lines if isinstance(value, list) else None)
    result = ReadResult(
        format="yaml",
        encoding=decoded.encoding,
        text=shape.text(),
        tables=shape.tables,
        warnings=warnings,
        metadata=shape.metadata,
        record=shape.record,
    )
    if not result.tables and result.text is None:
        result.text = decoded.text.strip() or None
    return result


def load(text: str, name: str) -> tuple[list[Any], list[int] | None, list[str]]:
    """Load all documents of a YAML text without running anything it names.

    Returns:
        The values; the line of each item if there is one document and it is a list, else of each document; warnings.
    """
    import yaml

    doubled: Counter[str] = Counter()
    tags: Counter[str] = Counter()
    loader = _loader_class(doubled, tags)(text)
    values, lines = [], []
    try:
        while loader.check_node():
            node = loader.get_node()
            items = node.value if isinstance(node, yaml.SequenceNode) else []
            lines.append([item.start_mark.line + 1 for item in items] or [node.start_mark.line + 1])
            values.append(loader.construct_document(node))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise ReadError(
            f"Invalid YAML{place}: {getattr(error, 'problem', None) or error}.", where=name
        ) from error
    except (ValueError, RecursionError) as error:
        raise ReadError(f"Invalid YAML: {error}.", where=name) from error
    finally:
        loader.dispose()
    if _size(values) > _MAX_NODES:
        raise ReadError("The aliases of the YAML multiply to more than five million values.", where=name)
    warnings = []
    if doubled:
        keys = ", ".join(map(repr, list(doubled)[:5]))
        warnings.append(
            f"{sum(doubled.values())} keys stand twice in one mapping ({keys}); the last value is kept."
        )
    if tags:
        warnings.append(f"Tags that name a type of a program are not followed: {', '.join(list(tags)[:5])}.")
    flat = lines[0] if len(values) == 1 and isinstance(values[0], list) else [first[0] for first in lines]
    return values, flat, warnings


def _loader_class(doubled: Counter[str], tags: Counter[str]) -> Any:
    import yaml

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class Loader(base):  # type: ignore[misc]
        yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            self.flatten_mapping(node)
            made: dict[str, Any] = {}
            for key_node, value_node in node.value:
                key = self.construct_object(key_node, deep=True)
                text = key if isinstance(key, str) else _key_text(key)
                value = self.construct_object(value_node, deep=deep)
                if text in made and made[text] != value:
                    doubled[text] += 1
                made[text] = value
            return made

        def construct_yaml_map(self, node: Any) -> Any:
            made: dict[str, Any] = {}
            yield made
            made.update(self.construct_mapping(node))

    for tag, pattern, first in _RESOLVERS:
        Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"^(?:{pattern})$"), first)
    Loader.add_constructor("tag:yaml.org,2002:map", Loader.construct_yaml_map)
    Loader.add_constructor("tag:yaml.org,2002:int", lambda self, node: _integer(self.construct_scalar(node)))
    Loader.add_constructor("tag:yaml.org,2002:float", lambda self, node: _float(self.construct_scalar(node)))
    Loader.add_constructor("tag:yaml.org,2002:timestamp", lambda self, node: self.construct_scalar(node))

    def unknown(self: Any, node: Any) -> Any:
        tags[node.tag] += 1
        if isinstance(node, yaml.MappingNode):
            return self.construct_mapping(node, deep=True)
        return (
            self.construct_sequence(node, deep=True)
            if isinstance(node, yaml.SequenceNode)
            else self.construct_scalar(node)
        )

    Loader.add_constructor(None, unknown)
    return Loader


def _key_text(key: Any) -> str:
    return "" if key is None else {True: "true", False: "false"}[key] if isinstance(key, bool) else str(key)


def _integer(text: str) -> int | float:
    return int(text) if len(text) < 4000 else _float(text)


def _float(text: str) -> float:
    lowered = text.lower()
    if lowered.endswith((".inf", ".nan")):
        return math.nan if lowered.endswith("n") else math.copysign(math.inf, -1 if text[0] == "-" else 1)
    value = float(text)
    if repr(value) == text:
        return value
    exact = Exact(value)
    exact.literal = text
    return exact


def _size(value: Any, known: dict[int, int] | None = None, above: frozenset[int] = frozenset()) -> int:
    """Count the values of a tree with shared parts counted each time, in one visit of every part."""
    if not isinstance(value, dict | list):
        return 1
    known = {} if known is None else known
    mark = id(value)
    if mark in above:
        return _MAX_NODES + 1  # a part that holds itself
    if mark not in known:
        inner = value.values() if isinstance(value, dict) else value
        known[mark] = 1 + sum(_size(item, known, above | {mark}) for item in inner)
    return known[mark]
