"""The computations of a session that an answer may rest on, run again on demand; and what counts as holding a value."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from headwater.errors import UsageError
from headwater.tools import Findings, Session, Several

STEPS = 12
"""Successful queries and pieces of code that a proof keeps, the latest ones."""

_NUMBER = re.compile(r"[-+−]?\d[\d,]*(?:\.\d+)?")
_MEASURED = re.compile(r"([-+−]?\d[\d,]*(?:\.\d+)?)\s*[^\W\d_][\w/°³²µ ]{0,20}")
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)


@dataclass(frozen=True, slots=True)
class Step:
    """A successful computation of a session.

    Attributes:
        tool, arguments: the call.
        documents: that it read.
        rows, columns, output: what it gave.
        literals: numbers and texts that it writes into its result itself.
        quoted: it reads no document but computes with numbers that the evidence quotes.
    """

    tool: str
    arguments: dict[str, Any]
    documents: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...] = ()
    columns: tuple[str, ...] = ()
    output: str = ""
    literals: tuple[str, ...] = ()
    quoted: bool = False

    @property
    def cells(self) -> tuple[Any, ...]:
        """All cells of its rows."""
        return tuple(cell for row in self.rows for cell in row)

    def to_dict(self) -> dict[str, Any]:
        """Return what is needed to run it again."""
        told = {"tool": self.tool, "arguments": self.arguments}
        return {**told, "quoted": True} if self.quoted else told


def number_of(text: Any) -> float | None:
    """Return the number that a text is, separators, currency and percent signs aside; None if it is none."""
    if isinstance(text, bool) or text is None:
        return None
    if isinstance(text, int | float):
        return float(text)
    bare = str(text).strip().strip("$€£%").strip().replace("−", "-")
    return float(bare.replace(",", "")) if _NUMBER.fullmatch(bare) else None


def same(value: str, cell: Any) -> str:
    """Return "equal", "rounded" (the cell rounds to the value) or ""; a unit after the value's number is set aside."""
    held = number_of(cell)
    if held is not None and (measured := _MEASURED.fullmatch(value.strip())):
        value = measured[1]
    number = number_of(value)
    if number is not None and held is not None:
        if abs(number - held) <= 1e-9 * max(1.0, abs(number)):
            return "equal"
        places = len(value.strip("$€£%").partition(".")[2])
        return (
            "rounded"
            if abs(number - held) <= 0.5000001 * 10**-places and places < 8 and abs(held) >= 1
            else ""
        )
    return "equal" if _fold(value) and _fold(value) == _fold(str(cell)) else ""


def _fold(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text.casefold()))


def steps_of(session: Session) -> list[Step]:
    """Return the successful queries, pieces of code and counts of a session, in order, from its trace."""
    found: list[Step] = []
    for event in session.trace.events() if session.trace else ():
        if event.get("event") != "call" or not event.get("ok"):
            continue
        tool, arguments = str(event.get("tool")), dict(event.get("arguments") or {})
        if tool not in ("sql", "run_code") and not (tool == "read" and arguments.get("find")):
            continue
        try:
            body = json.loads(session.trace.result(event["handle"])) if session.trace else {}
        except ValueError:
            continue
        found += list(_split(session, tool, arguments, body, tuple(event.get("opened") or ())))
    return found[-STEPS:]


def _split(
    session: Session, tool: str, arguments: dict[str, Any], body: dict[str, Any], documents: tuple[str, ...]
) -> Iterator[Step]:
    if tool == "sql":
        for part in body.get("results", [{**body, "asked": arguments.get("statement"), "ok": True}]):
            if part.get("ok"):
                yield _query(session, part)
    elif tool == "run_code":
        output = f"{body.get('output') or ''}\n{json.dumps(body.get('value'), ensure_ascii=False)}"
        literals = code_literals(str(arguments.get("code") or ""))
        yield Step("run_code", arguments, documents, output=output, literals=tuple(literals))
    else:
        for part in body.get("results", [body]):
            kept = {k: arguments[k] for k in ("document", "find", "also") if arguments.get(k)}
            kept["find"] = part.get("find", kept["find"])
            counts = tuple((d["whole_words"], d["in_all"]) for d in part.get("documents", ()))
            yield Step("read", kept, documents, counts)


def _query(session: Session, told: dict[str, Any]) -> Step:
    return Step(
        "sql",
        {"statement": told["asked"]},
        tuple(session.documents_read(told["asked"], told.get("tables") or ())),
        tuple(map(tuple, told.get("rows") or ())),
        tuple(c["name"] for c in told.get("columns") or ()),
        literals=tuple(told.get("literals") or ()),
    )


def code_literals(code: str) -> list[str]:
    """Return the numbers that Python code computes with by an operator, and its texts, each once."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError):
        return []
    found: dict[str, None] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, _ARITHMETIC):
            for side in (node.left, node.right):
                if isinstance(side, ast.Constant) and isinstance(side.value, int | float):
                    found.setdefault(str(side.value))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.setdefault(node.value)
    return list(found)


def run_step(session: Session, step: dict[str, Any]) -> Step:
    """Run a step again.

    Raises:
        HeadwaterError: it fails now.
    """
    tool, arguments = str(step.get("tool")), dict(step.get("arguments") or {})
    if tool not in ("sql", "run_code", "read"):
        raise UsageError(f"A step with {tool!r} is not replayed.")
    target = session if tool == "run_code" else session.lake
    result = session.registry[tool].call(target, arguments)
    documents = tuple(session.touched(tool, result).opened)
    body = json.loads(json.dumps(result.to_dict(), default=str))
    if isinstance(result, Several) or (tool == "read" and not isinstance(result, Findings)):
        return Step(tool, arguments, documents)
    found = next(_split(session, tool, arguments, body, documents))
    return replace(found, quoted=bool(step.get("quoted")))


def holds(step: Step, value: str) -> str:
    """Return "equal", "rounded" or "": whether the result of a step holds a value.

    A step that was given the value itself shows nothing, nor does one that reads no document of the lake, unless
    sentences of documents hold the numbers it computes with.
    """
    if not (step.documents or step.quoted) or _given(step, value):
        return ""
    if step.output and pattern_of(value).search(step.output):
        return "equal"
    numbers = _NUMBER.findall(step.output) if number_of(value) is not None else ()
    verdicts = {same(value, cell) for cell in (*step.cells, *numbers)}
    return "equal" if "equal" in verdicts else "rounded" if "rounded" in verdicts else ""


def _given(step: Step, value: str) -> bool:
    """Tell whether the text of a step holds the value as a literal: such a step only repeats it."""
    told = str(step.arguments.get("statement") or step.arguments.get("code") or "")
    if not told or len(_fold(value)) < 2:
        return False
    number = _MEASURED.fullmatch(value.strip())
    literals = [_fold(a or b) for a, b in re.findall(r"'((?:[^']|'')*)'|\"([^\"]*)\"", told)]
    bare = re.sub(r"'(?:[^']|'')*'|\"[^\"]*\"", " ", told)
    plain = number[1] if number else value
    if number_of(plain) is not None:
        digits = plain.strip("$€£%").replace(",", "")
        return bool(re.search(rf"(?<![\w.]){re.escape(digits)}(?![\w.])", bare)) or bool(
            {_fold(plain), _fold(value)} & set(literals)
        )
    written = set(_fold(" ".join(step.literals)).split())
    return _fold(value) in literals or written >= set(_fold(value).split())


def pattern_of(value: str) -> re.Pattern[str]:
    """Return a pattern that finds a value in text: a number with or without separators, words whatever stands between."""
    number = _NUMBER.fullmatch(value.strip().strip("$€£%"))
    if number:
        digits = number[0].replace(",", "").lstrip("+-−")
        whole, point, rest = digits.partition(".")
        body = ",?".join(re.escape(c) for c in whole) + (re.escape(point + rest) if point else "")
        return re.compile(rf"(?<![\d.,]){body}(?!\d|[.,]\d)|(?<=[^\d][.,]){body}(?!\d|[.,]\d)")
    words = re.findall(r"[^\W_]+", value)
    return (
        re.compile(r"(?<![^\W_])" + r"[\W_]+".join(map(re.escape, words)) + r"(?![^\W_])", re.IGNORECASE)
        if words
        else re.compile(r"(?!)")
    )
