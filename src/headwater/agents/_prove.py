"""Where a submitted value comes from: the cells of a query, the output of code, or a sentence of a document."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from headwater.answers import Evidence
from headwater.errors import HeadwaterError, UsageError
from headwater.tools import Findings, Session, Several, alike, best_passages, sentences, words_of

if TYPE_CHECKING:
    from headwater.lake import Lake

_CONSTANTS = frozenset({"0", "1", "2", "10", "100", "1000"})
"""Numbers of a computation that no document has to say: shares, thousands, halves, rounding."""

STEPS = 12
"""Successful queries and pieces of code that a proof keeps, the latest ones."""

MAX_CELLS = 4
"""Cells quoted for one value."""

LONGEST_QUOTE = 600
"""Characters of a quoted sentence."""

_NUMBER = re.compile(r"[-+−]?\d[\d,]*(?:\.\d+)?")
_MEASURED = re.compile(r"([-+−]?\d[\d,]*(?:\.\d+)?)\s*[^\W\d_][\w/°³²µ ]{0,20}")
_GENERIC = frozenset(
    [
        "answer",
        "answers",
        "return",
        "give",
        "format",
        "value",
        "values",
        "question",
        "questions",
        "result",
        "right",
        "correct",
        "say",
        "state",
        "tell",
        "form",
        "list",
    ]
)
"""Words of any question, and of any instruction to answer in some way: they do not tie a sentence to a question."""


@dataclass(slots=True)
class Proof:
    """What stands behind one value.

    Attributes:
        value: as submitted.
        steps: positions in the list of steps whose result holds it.
        evidence: sentences that hold it.
        rounded: it was rounded from a computed one.
    """

    value: str
    steps: list[int] = field(default_factory=list)
    evidence: list[Evidence] = field(default_factory=list)
    rounded: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """A successful computation of a session: its tool and arguments, its documents, and what it gave."""

    tool: str
    arguments: dict[str, Any]
    documents: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...] = ()
    columns: tuple[str, ...] = ()
    output: str = ""
    quoted: bool = False

    @property
    def cells(self) -> tuple[Any, ...]:
        """All cells of its rows."""
        return tuple(cell for row in self.rows for cell in row)

    def to_dict(self) -> dict[str, Any]:
        """Return what is needed to run it again; `quoted`: it computes with numbers that the evidence quotes."""
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
        documents = tuple(event.get("opened") or ())
        found += list(_split(tool, arguments, body, documents))
    return found[-STEPS:]


def _split(
    tool: str, arguments: dict[str, Any], body: dict[str, Any], documents: tuple[str, ...]
) -> Iterator[Step]:
    if tool == "sql" and "results" in body:
        for part in body["results"]:
            if part.get("ok"):
                yield Step("sql", {"statement": part["asked"]}, documents, *_grid(part))
    elif tool == "sql":
        yield Step("sql", {"statement": arguments["statement"]}, documents, *_grid(body))
    elif tool == "run_code":
        output = f"{body.get('output') or ''}\n{json.dumps(body.get('value'), ensure_ascii=False)}"
        yield Step("run_code", arguments, documents, output=output)
    else:
        kept = {k: arguments[k] for k in ("document", "find", "also") if arguments.get(k)}
        counts = tuple((d["whole_words"], d["in_all"]) for d in body.get("documents", ()))
        yield Step("read", kept, documents, counts)


def _grid(body: dict[str, Any]) -> tuple[tuple[tuple[Any, ...], ...], tuple[str, ...]]:
    return tuple(map(tuple, body.get("rows") or ())), tuple(c["name"] for c in body.get("columns") or ())


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
    found = next(_split(tool, arguments, body, documents))
    return replace(found, quoted=bool(step.get("quoted")))


def holds(step: Step, value: str) -> str:
    """Return "equal", "rounded" or "": whether the result of a step holds a value.

    A step that was given the value itself shows nothing, nor does one that reads no document of the lake, unless
    sentences of documents hold the numbers it computes with.
    """
    if not (step.documents or step.quoted) or _given(step, value):
        return ""
    if step.output:
        return "equal" if pattern_of(value).search(step.output) else ""
    verdicts = {same(value, cell) for cell in step.cells}
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
    return _fold(value) in literals


def ties(sentence: str, value: str, question: str) -> bool:
    """Tell whether a sentence speaks of what is asked: it holds a telling word of the question besides the value."""
    own = [w for w in words_of(sentence) if w not in words_of(value)]
    asked = [w for w in words_of(question) if w not in _GENERIC and not w.isdigit() and len(w) > 2]
    return not asked or any(alike(w, o) for w in asked for o in own)


def cell_evidence(lake: Lake, step: Step, value: str) -> list[Evidence]:
    """Return the cells of a query's own tables that its result shows as they stand: those that hold a value.

    A row of the result is found again in a table by all columns that both have; a computed value has no such place,
    its program and the hashes of the inputs stand for it.
    """
    wanted = [
        (r, c)
        for r in step.rows
        for c, cell in zip(step.columns, r, strict=False)
        if same(value, cell) == "equal"
    ]
    found: list[Evidence] = []
    for row, column in wanted[:2]:
        for document in step.documents:
            for table in lake.catalog.tables(document)[:4]:
                names = {c["name"] for c in table.columns}
                if column in names and len(found) < MAX_CELLS:
                    found += _cells_like(
                        lake, table.ref, column, dict(zip(step.columns, row, strict=False)), names
                    )
    return found[:MAX_CELLS]


def _cells_like(lake: Lake, ref: str, column: str, row: dict[str, Any], names: set[str]) -> list[Evidence]:
    tests = [_equals(n, v) for n, v in row.items() if n in names]
    name = '"' + column.replace('"', '""') + '"'
    source = ref.replace("'", "''")
    try:
        statement = f"select _row, {name} from t('{source}') where {' and '.join(tests)} order by 1"  # noqa: S608
        hits = lake.sql(statement, max_rows=2).rows
    except HeadwaterError:
        return []
    return [Evidence(ref, "cell", {"row": r, "column": column}, str(v)) for r, v in hits]


def _equals(name: str, value: Any) -> str:
    column = '"' + name.replace('"', '""') + '"'
    if value is None:
        return f"{column} is null"
    if isinstance(value, bool | int | float):
        return f"{column} = {value}"
    literal = str(value).replace("'", "''")
    return f"cast({column} as varchar) = '{literal}'"


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


def sentence_with(lake: Lake, document: str, value: str, question: str) -> Evidence | None:
    """Return the sentence of a document that holds a value and most of the question's words, or None.

    A sentence with none of the question's words is no proof: that a text somewhere says "answer 7" shows nothing.
    """
    record = lake.catalog.document(document)
    source = lake.catalog.document(record.duplicate_of) if record and record.duplicate_of else record
    if source is None or not source.content:
        return None
    body = lake.catalog.body(source.content)
    text = body.text or ""
    pattern, best = pattern_of(value), None
    for start, end in sentences(text):
        if not pattern.search(text, start, end):
            continue
        if end - start > LONGEST_QUOTE:
            found = pattern.search(text, start, end)
            assert found is not None  # noqa: S101 - it was found above
            start, end = (
                max(start, found.start() - LONGEST_QUOTE // 2),
                min(end, found.end() + LONGEST_QUOTE // 2),
            )
        score = sum(p.score for p in best_passages(text[start:end], question, 1))
        if ties(text[start:end], value, question) and (best is None or score > best[0]):
            best = (score, start, end)
    if best is None:
        return None
    _, start, end = best
    quote = text[start:end].strip()
    start += len(text[start:end]) - len(text[start:end].lstrip())
    return Evidence(document, "sentence", {"start": start, "end": start + len(quote)}, quote)


def prove(
    session: Session, values: Sequence[str], sources: Sequence[str], question: str
) -> tuple[list[Proof], list[Step]]:
    """Return, for each value, what of the session holds it, and the steps that may be run again.

    Args:
        session: with its trace.
        values: as submitted.
        sources: documents named with the answer; sentences are looked for in these and in those that were opened.
        question: to choose among sentences.
    """
    steps = steps_of(session)
    opened = [d for s in steps for d in s.documents]
    read = [
        d
        for e in (session.trace.events() if session.trace else ())
        for d in e.get("opened") or ()
        if e.get("tool") in ("read", "inspect")
    ]
    places = list(dict.fromkeys([*sources, *read, *opened]))
    proofs = []
    for value in values:
        proof = Proof(value)
        for number, step in enumerate(steps):
            verdict = holds(step, value)
            if verdict:
                proof.steps.append(number)
                proof.rounded = proof.rounded or verdict == "rounded"
        for document in places:
            found = sentence_with(session.lake, document, value, question)
            if found is not None:
                proof.evidence.append(found)
                if len(proof.evidence) == 2 or not proof.steps:
                    break
        if not proof.steps and not proof.evidence:
            _derive(session.lake, proof, steps, places, question)
        proofs.append(proof)
    return proofs, steps


def _derive(lake: Lake, proof: Proof, steps: list[Step], places: Sequence[str], question: str) -> None:
    """Prove a value by a step that reads no document but computes with numbers that sentences of documents hold."""
    for number, step in enumerate(steps):
        if step.documents or step.tool != "sql" or not holds(replace(step, quoted=True), proof.value):
            continue
        literals = dict.fromkeys(re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])", step.arguments["statement"]))
        literals = {n: None for n in literals if n not in _CONSTANTS}
        sentences_of = [
            next((e for d in places if (e := sentence_with(lake, d, literal, question))), None)
            for literal in literals
        ]
        if literals and all(sentences_of):
            steps[number] = replace(step, quoted=True)
            proof.steps.append(number)
            proof.evidence += [
                e for n, e in enumerate(sentences_of) if e is not None and e not in sentences_of[:n]
            ]
            return
