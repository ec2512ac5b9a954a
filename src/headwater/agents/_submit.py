"""Submitting an answer: its form is checked, its sources resolved, its value traced back, its program run again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from headwater.agents._format import problems, unbracketed, values_in, wanted
from headwater.agents._outcome import doubts_of, said, unheld
from headwater.agents._places import places_of
from headwater.agents._prove import Proof, grounds_of, prove
from headwater.agents._steps import Step, holds, number_of, run_step
from headwater.answers import Answer, Evidence, Program
from headwater.errors import HeadwaterError, UsageError
from headwater.tools import full_names, series_documents

if TYPE_CHECKING:
    from headwater.lake import Lake
    from headwater.tools import Session
    from headwater.trace import Measures

LANGUAGE = "steps"
"""Name of the language of a program that is a list of tool calls."""


@dataclass(frozen=True, slots=True)
class Submitted:
    """A recorded answer.

    Attributes:
        answer: with its proof.
        warnings: what is wrong with it.
        checks: what stands behind each value, in words.
        doubts: what could not be seen to hold together; it may be right all the same.
    """

    answer: Answer
    warnings: list[str] = field(default_factory=list)
    checks: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object."""
        return {
            **self.answer.to_dict(),
            "warnings": self.warnings,
            "checks": self.checks,
            "doubts": self.doubts,
        }

    def plain(self) -> str:
        """Return the outcome as text."""
        return "\n".join(
            [
                f"Recorded: {self.answer.text} ({self.answer.verification})",
                *self.checks,
                *(f"Assumed: {a}" for a in self.answer.assumptions),
                *(f"Warning: {w}" for w in self.warnings),
                *(f"Check: {d}" for d in self.doubts),
            ]
        )


def submit(
    session: Session,
    answer: str,
    sources: Sequence[str] = (),
    assumptions: Sequence[str] = (),
    *,
    question: str = "",
    keep: bool = True,
) -> Submitted:
    """Check an answer, trace its values back, record it and return it with its proof.

    An answer that nothing in the session holds is recorded all the same, as unverified and with a warning.

    Args:
        session: the session; with a trace it is recorded there.
        answer: as the question wants it; what stands in square brackets counts.
        sources: documents that it rests on; short unique names will do.
        assumptions: whatever was taken in place of what the question asks for.
        question: if the trace does not tell.
        keep: record it; otherwise `record` does that later.

    Raises:
        UsageError: the answer is empty.
        NotFoundError: a source does not exist.
        AmbiguousError: a source's name fits several documents.
    """
    if not unbracketed(answer):
        raise UsageError(
            "An answer cannot be empty.", hint="If the lake does not hold it: submit --missing WHAT."
        )
    told = _measures(session)
    question = question or told.question
    resolved = _resolved(session, sources)
    form = wanted(question)
    values = values_in(answer, form)
    grounds = grounds_of(session, resolved, question, assumptions)
    proofs, steps = prove(grounds, values)
    if not form.parts and not _proven(proofs) and "," in values[0]:
        pieces = [v.strip() for v in values[0].split(",") if v.strip()]
        retried, steps = prove(grounds, pieces)
        proofs = retried if all(p.steps or p.evidence for p in retried) else proofs
    warnings = problems(answer, form)
    built = _answer(session, question, values, resolved, proofs, steps, told)
    built.assumptions = [*assumptions, *_rounding(proofs)]
    warnings += unheld(proofs)
    if not resolved and not built.inputs:
        warnings.append("No source is named.")
    doubts = doubts_of(session, proofs, steps, resolved)
    built.diagnostics += [{"kind": "check", "level": "warning", "message": w} for w in warnings]
    built.diagnostics += [{"kind": "check", "level": "info", "message": d} for d in doubts]
    if keep:
        record(session, answer, built)
    checks = [said(session, p, steps) for p in proofs if _proven([p])]
    also = [session.brief.names.of(i["document"]) for i in built.inputs if i["document"] not in resolved]
    if also and resolved:
        checks.append(f"Added to the sources: {', '.join(also[:4])}{' …' if len(also) > 4 else ''}")
    return Submitted(built, warnings, checks, doubts)


def _resolved(session: Session, sources: Sequence[str]) -> list[str]:
    """Return the documents that sources stand for; a series stands for its members that the queries read, if any did."""
    found: list[str] = []
    for source in sources:
        name = source.strip().removeprefix("t('").removesuffix("')")
        members = series_documents(session.lake, name) if name.startswith("series:") else []
        if members:
            read = {
                d for e in (session.trace.events() if session.trace else ()) for d in e.get("opened") or ()
            }
            found += [d for d in members if d in read] or members
        else:
            found.append(session.lake.names.document(name.split("#")[0]).id)
    return list(dict.fromkeys(found))


def abstain(
    session: Session, missing: str, *, question: str = "", stop_reason: str = "answer", keep: bool = True
) -> Submitted:
    """Record that the lake does not hold the answer, and what is missing; without `keep`, `record` does that later."""
    told = _measures(session)
    text = f"Cannot be answered from this lake: {missing}"
    built = Answer(
        question or told.question, "abstained", None, text, found=told.opened[:20] or told.retrieved[:20],
        missing=missing, stop_reason=stop_reason, usage=_usage(told), trace=told.id,
    )  # fmt: skip
    if keep:
        record(session, "", built)
    return Submitted(built)


def _measures(session: Session) -> Measures:
    from headwater.trace import measure

    return measure(session.trace.events() if session.trace else ())


def _usage(told: Measures) -> dict[str, Any]:
    return {
        **told.usage,
        "seconds": round(told.seconds, 3),
        "tool_calls": told.calls,
        "tool_characters": told.characters,
    }


def _proven(proofs: Sequence[Proof]) -> bool:
    return all(p.steps or p.evidence for p in proofs)


def _rounding(proofs: Sequence[Proof]) -> list[str]:
    return [f"{p.value} is rounded from what was computed." for p in proofs if p.rounded and not p.evidence]


def _answer(
    session: Session,
    question: str,
    values: list[str],
    sources: list[str],
    proofs: list[Proof],
    steps: list[Step],
    told: Measures,
) -> Answer:
    kept = [s for n, s in enumerate(steps) if s.tool != "read" or any(n in p.steps for p in proofs)]
    computed = bool(proofs) and any(p.steps for p in proofs)
    replayed = computed and _again(session, [p for p in proofs if p.steps], kept)
    quoted = _proven(proofs) and all(p.evidence for p in proofs if not p.steps)
    evidence, notes = list[Evidence](), list[str]()
    for proof in proofs:
        for number in proof.steps[-1:]:
            cells, said = places_of(session.lake, steps[number], proof.value)
            evidence, notes = evidence + cells, notes + said
    evidence += [e for p in proofs for e in p.evidence[:2] if e not in evidence]
    documents = [
        *sources,
        *(d for s in kept for d in s.documents),
        *(e.document.split("#")[0] for e in evidence),
    ]
    value: Any = [_typed(v) for v in values] if len(values) > 1 else _typed(values[0])
    return Answer(
        question, "answered", value, ", ".join(values),
        program=Program(LANGUAGE, json.dumps([_spelt(session, s) for s in kept], ensure_ascii=False)) if kept else None,
        inputs=inputs_of(session.lake, documents),
        evidence=evidence,
        diagnostics=[{"kind": "evidence", "level": "info", "message": n} for n in notes],
        verification="replayed" if replayed and quoted else "quoted" if quoted else "unverified",
        usage=_usage(told), trace=told.id,
    )  # fmt: skip


def _spelt(session: Session, step: Step) -> dict[str, Any]:
    """Return a step with the whole names of its tables, which mean the same when the lake has grown."""
    told = step.to_dict()
    if step.tool == "sql":
        statement = full_names(step.arguments["statement"], session.lake.catalog)
        told["arguments"] = {**step.arguments, "statement": statement}
    return told


def _typed(value: str) -> Any:
    number = number_of(value)
    if number is None or any(c in value for c in "$€£%"):
        return value
    return int(number) if number.is_integer() and "." not in value else number


def _again(session: Session, proofs: Sequence[Proof], steps: Sequence[Step]) -> bool:
    """Run again the steps that hold a value; True if each value comes out again."""
    left = {p.value for p in proofs}
    for step in reversed(steps):
        if any(holds(step, v) for v in left):
            try:
                result = run_step(session, step.to_dict())
            except HeadwaterError:
                return False
            left -= {v for v in left if holds(result, v)}
    return not left


def inputs_of(lake: Lake, documents: Sequence[str]) -> list[dict[str, str]]:
    """Return documents with the SHA-256 of their bytes, each once."""
    records = (lake.catalog.document(d) for d in dict.fromkeys(documents))
    return [{"document": r.id, "sha256": r.sha256} for r in records if r is not None]


def record(session: Session, answer: str, built: Answer) -> None:
    """Write an answer into the trace of its session, if there is one."""
    if session.trace is None:
        return
    proven = [e.document.split("#")[0] for e in built.evidence]
    session.trace.append(
        "submit", answer=answer or None, status=built.status, sources=[i["document"] for i in built.inputs],
        opened=list(dict.fromkeys(proven)), opened_datasets=session.datasets(proven), record=built.to_dict(),
    )  # fmt: skip
