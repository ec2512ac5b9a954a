"""Where a submitted value comes from: the cells of a query, the output of code, or a sentence of a document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from headwater.agents._places import places_of
from headwater.agents._steps import Step, holds, number_of, pattern_of, same, steps_of
from headwater.answers import Evidence, grounded_columns, is_unit
from headwater.tools import Session, alike, best_passages, sentences, words_of

if TYPE_CHECKING:
    from headwater.lake import Lake

MAX_PLACES = 200
"""Documents in which sentences are looked for."""

LONGEST_QUOTE = 600
"""Characters of a quoted sentence."""

_GENERIC = frozenset(
    ("answer", "answers", "return", "give", "format", "value", "values", "question", "questions", "result")
    + ("right", "correct", "say", "state", "tell", "form", "list")
)
"""Words of any question, and of any instruction to answer in some way: they do not tie a sentence to a question."""


@dataclass(slots=True)
class Proof:
    """What stands behind one value.

    Attributes:
        value: as submitted.
        steps: positions in the list of steps whose result holds it.
        evidence: sentences that hold it, or numbers that it is computed from.
        rounded: it was rounded from a computed one.
        unknown: numbers that the program computes with and no source says; then no step counts.
    """

    value: str
    steps: list[int] = field(default_factory=list)
    evidence: list[Evidence] = field(default_factory=list)
    rounded: bool = False
    unknown: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Grounds:
    """What a value of a session may rest on.

    Attributes:
        lake: of the session.
        question: as asked.
        steps: its computations.
        places: documents in which sentences are looked for: the sources named, then those that were looked into.
        assumed: what was said to be taken as given.
    """

    lake: Lake
    question: str
    steps: Sequence[Step]
    places: Sequence[str]
    assumed: str = ""

    def sentence(self, value: str) -> Evidence | None:
        """Return the first place's sentence that holds a value."""
        return next(
            (e for d in self.places if (e := sentence_with(self.lake, d, value, self.question))), None
        )

    def origin(self, number: str, step: Step) -> tuple[bool, list[Evidence]] | None:
        """Return what says a number that a step computes with, or None if nothing does.

        Returns:
            Whether a document of the lake says it, and not only the question, an assumption or a unit; and the cells or
            the sentence, where these can be shown.
        """
        if is_unit(number_of(number) or 0.0):
            return False, []
        pattern = pattern_of(number)
        if pattern.search(self.question) or pattern.search(self.assumed):
            return False, []
        for other in self.steps:
            if other is not step and other.documents and any(same(number, c) == "equal" for c in other.cells):
                return True, places_of(self.lake, other, number)[0]
        found = self.sentence(number)
        return (True, [found]) if found else None


def ties(sentence: str, value: str, question: str) -> bool:
    """Tell whether a sentence speaks of what is asked: it holds a telling word of the question besides the value."""
    own = [w for w in words_of(sentence) if w not in words_of(value)]
    asked = [w for w in words_of(question) if w not in _GENERIC and not w.isdigit() and len(w) > 2]
    return not asked or any(alike(w, o) for w in asked for o in own)


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


def grounds_of(
    session: Session, sources: Sequence[str], question: str, assumed: Sequence[str] = ()
) -> Grounds:
    """Return what the values of a session may rest on.

    Args:
        session: with its trace.
        sources: documents named with the answer.
        question: to choose among sentences.
        assumed: what is taken as given.
    """
    steps = steps_of(session)
    seen: list[str] = []
    for event in session.trace.events() if session.trace else ():
        if event.get("tool") in ("read", "inspect"):
            seen += event.get("opened") or ()
    places = list(dict.fromkeys([*sources, *seen, *(d for s in steps for d in s.documents)]))
    return Grounds(session.lake, question, steps, places[:MAX_PLACES], "; ".join(assumed))


def prove(grounds: Grounds, values: Sequence[str]) -> tuple[list[Proof], list[Step]]:
    """Return, for each value, what of the session holds it, and the steps that may be run again."""
    steps, proofs = list(grounds.steps), []
    for value in values:
        proof = Proof(value)
        for number, step in enumerate(steps):
            verdict = holds(step, value) or (not step.documents and holds(replace(step, quoted=True), value))
            if verdict and _computed(grounds, proof, step):
                steps[number] = replace(step, quoted=not step.documents)
                proof.steps.append(number)
                proof.rounded = proof.rounded or verdict == "rounded"
        for document in grounds.places:
            found = sentence_with(grounds.lake, document, value, grounds.question)
            if found is not None:
                proof.evidence.append(found)
                if len(proof.evidence) == 2 or not proof.steps:
                    break
        proofs.append(proof)
    return proofs, steps


def _computed(grounds: Grounds, proof: Proof, step: Step) -> bool:
    """Tell whether all numbers that a step computes with come from somewhere; add what says them to the proof.

    One that reads no document must rest on at least one number that a document says.
    """
    if step.tool == "read":
        return bool(step.documents)
    numbers = [text for text in step.literals if number_of(text) is not None]
    origins = {n: grounds.origin(n, step) for n in numbers}
    unknown = [n for n, found in origins.items() if found is None]
    proof.unknown += [n for n in unknown if n not in proof.unknown]
    known = [found for found in origins.values() if found]
    if unknown or not (step.documents or any(said for said, _ in known)):
        return False
    if step.tool == "sql" and step.documents and not _flows(step, proof.value):
        return False
    proof.evidence += [e for _, shown in known for e in shown if e not in proof.evidence]
    return True


def _flows(step: Step, value: str) -> bool:
    """Tell whether a column of a query that holds a value flows from cells of its tables."""
    flowing = grounded_columns(step.arguments["statement"])
    if flowing is None or len(flowing) != len(step.columns):
        return True
    return any(
        flows and same(value, cell) for row in step.rows for flows, cell in zip(flowing, row, strict=True)
    )
