"""The registry: one description of each tool for command line, MCP and agents.

A tool is a plain function whose first argument is an opened lake and whose other arguments are keyword-only and
annotated with `Annotated[type, "what it means"]`, and with bounds in the words of JSON Schema where a number has any:
`Annotated[int, "…", {"minimum": 0}]`. Its result has `to_dict()`, the JSON contract's object without the
envelope. From the signature comes the JSON Schema of the arguments, so that no description is written twice.
"""

from __future__ import annotations

import inspect
import math
import re
import sys
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import (
    Annotated,
    Any,
    Literal,
    Protocol,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from headwater.errors import NotFoundError, UsageError

LARGEST = 2**53 - 1
"""The largest integer that every program reads alike in JSON (RFC 7493, section 2.2); no argument is larger."""

_SHOWN = 80
"""Characters of a wrong value that an error repeats."""

_HALF = re.compile("[\ud800-\udfff]")
_JSON_TYPES: dict[type, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}


class Result(Protocol):
    """What every tool gives back."""

    def to_dict(self) -> dict[str, Any]:
        """Return the object of the JSON contract, without `schema` and `ok`."""
        ...


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of a tool, as told to a model or a person."""

    name: str
    schema: dict[str, Any]
    description: str
    required: bool
    default: Any


@dataclass(frozen=True, slots=True)
class Tool:
    """A named function with its typed arguments.

    Attributes:
        name: as used by every door.
        title: a few words for people.
        description: what it does, what it gives, what it leaves out.
        function: takes the lake and keyword arguments.
        parameters: in order.
        needs: "lake", "graph", "session" or "lakeqa": what the first argument is.
        read_only: it changes nothing.
        open_world: it reaches beyond the lake: a model, a network.
    """

    name: str
    title: str
    description: str
    function: Callable[..., Result]
    parameters: tuple[Parameter, ...]
    needs: str = "lake"
    read_only: bool = True
    open_world: bool = False

    def input_schema(self) -> dict[str, Any]:
        """Return the JSON Schema (2020-12) of the arguments."""
        properties = {p.name: {**p.schema, "description": p.description} for p in self.parameters}
        for p in self.parameters:
            if not p.required and p.default is not None:
                properties[p.name]["default"] = p.default
        return {
            "type": "object",
            "properties": properties,
            "required": [p.name for p in self.parameters if p.required],
            "additionalProperties": False,
        }

    def check(self, arguments: dict[str, Any]) -> None:
        """Check the arguments of a call.

        Raises:
            UsageError: an argument is missing, unknown, of the wrong type or out of bounds, or holds what no JSON text
                can carry; the message names it.
        """
        known = {p.name: p for p in self.parameters}
        for name, value in arguments.items():
            if name not in known:
                raise UsageError(
                    f"{self.name} has no argument {_shown(name)}.", hint=f"It takes: {', '.join(known)}."
                )
            if value is None and not known[name].required and known[name].default is None:
                continue
            if problem := _problem(value, known[name].schema):
                raise UsageError(f"{self.name}: {name} {problem}")
        missing = [p.name for p in self.parameters if p.required and p.name not in arguments]
        if missing:
            raise UsageError(f"{self.name} needs {', '.join(missing)}.")

    def call(self, target: Any, arguments: dict[str, Any]) -> Result:
        """Check the arguments and call the function (raises as `check` and as the function does)."""
        self.check(arguments)
        return self.function(target, **arguments)


class Registry:
    """Tools by name, in the order in which they were added."""

    def __init__(self) -> None:
        self._tools: dict[str, Tool] = {}

    def add(
        self, name: str, title: str, *, needs: str = "lake", read_only: bool = True, open_world: bool = False
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Return a decorator that registers a function under `name`; its docstring's first part is the description."""

        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            text = inspect.getdoc(function) or ""
            self._tools[name] = Tool(
                name=name,
                title=title,
                description=" ".join(text.split("\n\nArgs:")[0].split()),
                function=function,
                parameters=tuple(_parameters(function)),
                needs=needs,
                read_only=read_only,
                open_world=open_world,
            )
            return function

        return register

    def add_function(
        self,
        name: str,
        title: str,
        function: Callable[..., Any],
        *,
        needs: str,
        meanings: Mapping[str, str],
        wrap: Callable[[Any], Result],
    ) -> None:
        """Add a read-only function that is written without the registry in mind.

        Args:
            name: of the tool.
            title: a few words for people.
            function: its first argument is the target.
            needs: what the target is.
            meanings: what each argument means, by its name.
            wrap: from what the function gives to a result.
        """
        parameters = tuple(
            replace(p, description=p.description or meanings[p.name]) for p in _parameters(function)
        )
        text = " ".join((inspect.getdoc(function) or "").split())

        def call(subject: Any, /, **given: Any) -> Result:
            return wrap(function(subject, **given))

        self._tools[name] = Tool(name, title, text, call, parameters, needs)

    def include(self, tool: Tool) -> None:
        """Add a tool of another registry."""
        self._tools[tool.name] = tool

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def __contains__(self, name: str) -> bool:
        return name in self._tools

    def __getitem__(self, name: str) -> Tool:
        if name not in self._tools:
            import difflib

            near = difflib.get_close_matches(name, self._tools, n=3)
            raise NotFoundError(
                f"There is no tool {name!r}.", hint=f"Tools: {', '.join(self._tools)}.", nearest=near
            )
        return self._tools[name]


def _parameters(function: Callable[..., Any]) -> Iterator[Parameter]:
    signature = inspect.signature(function)
    first, *names = signature.parameters
    # The target's own type stays unevaluated: importing it here would make every door pay for it at start-up.
    texts = {n: a for n, a in function.__annotations__.items() if n in names}
    hints = get_type_hints(
        type(first, (), {"__annotations__": texts}),
        vars(sys.modules[function.__module__]),
        include_extras=True,
    )
    for name in names:
        parameter = signature.parameters[name]
        annotation = hints[name]
        description, bounds = "", dict[str, int]()
        if get_origin(annotation) is Annotated:
            annotation, description, *more = get_args(annotation)
            bounds = {key: value for part in more for key, value in part.items()}
        required = parameter.default is inspect.Parameter.empty
        schema = _schema(annotation) | bounds
        yield Parameter(name, schema, description, required, None if required else parameter.default)


def _schema(annotation: Any) -> dict[str, Any]:
    origin = get_origin(annotation)
    if annotation in _JSON_TYPES:
        return {"type": _JSON_TYPES[annotation]}
    if origin is Literal:
        return {"type": "string", "enum": list(get_args(annotation))}
    if is_typeddict(annotation):
        properties = {name: _schema(told) for name, told in get_type_hints(annotation).items()}
        return {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }
    if origin in (list, Sequence):
        return {"type": "array", "items": _schema(get_args(annotation)[0])}
    if origin in (Union, types.UnionType):
        parts = [_schema(a) for a in get_args(annotation) if a is not type(None)]
        return parts[0] if len(parts) == 1 else {"anyOf": parts}
    raise TypeError(f"a tool argument of type {annotation!r} has no JSON Schema")


def _problem(value: Any, schema: dict[str, Any]) -> str:
    """Return what is wrong with an argument, as the rest of a sentence that begins with its name; "" if nothing is."""
    if isinstance(value, float) and not math.isfinite(value):
        return f"must be a finite number, not {value}."
    if isinstance(value, int) and abs(value) > LARGEST:
        return f"is too large: a number has {LARGEST:,} at most."
    if not _fits(value, schema):
        return f"must be {_spoken(schema)}, not {_shown(value)}."
    if (place := _half_character(value)) is not None:
        return f"is no valid text: half a character stands at position {place + 1}."
    return ""


def _half_character(value: Any) -> int | None:
    """Return where half a character (a lone surrogate) stands in a text or in a text of a list or object, or None."""
    if isinstance(value, str):
        return found.start() if (found := _HALF.search(value)) else None
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return next((place for part in parts if (place := _half_character(part)) is not None), None)


def _fits(value: Any, schema: dict[str, Any]) -> bool:
    if "anyOf" in schema:
        return any(_fits(value, s) for s in schema["anyOf"])
    kind = schema["type"]
    if kind == "array":
        return isinstance(value, list) and all(_fits(v, schema["items"]) for v in value)
    if kind == "object":
        known = schema["properties"]
        return (
            isinstance(value, dict)
            and value.keys() == known.keys()
            and all(_fits(v, known[n]) for n, v in value.items())
        )
    if kind == "string":
        return isinstance(value, str) and ("enum" not in schema or value in schema["enum"])
    if kind == "boolean":
        return isinstance(value, bool)
    if isinstance(value, bool) or not isinstance(value, int if kind == "integer" else int | float):
        return False
    return bool(schema.get("minimum", -math.inf) <= value <= schema.get("maximum", math.inf))


def _shown(value: Any) -> str:
    """Return a value as it is told in an error."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # an integer of thousands of digits, a list that lies in itself
        text = "this"
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _spoken(schema: dict[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_spoken(s) for s in schema["anyOf"])
    if "enum" in schema:
        return "one of " + ", ".join(schema["enum"])
    kind = schema["type"]
    if kind == "object":
        return f"an object with {', '.join(schema['properties'])}"
    if kind == "array" and schema["items"]["type"] == "object":
        return f"a list, each {_spoken(schema['items'])}"
    if kind == "array":
        return f"a list of {schema['items']['type']}s"
    words = {"minimum": "at least", "maximum": "at most"}
    return ", ".join(
        [f"of type {kind}", *(f"{told} {schema[k]:,}" for k, told in words.items() if k in schema)]
    )
