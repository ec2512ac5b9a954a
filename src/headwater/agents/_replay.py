"""An answer that rests on steps of a session, computed again without any model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.agents._prove import MAX_PLACES, Grounds, prove
from headwater.agents._steps import Step, run_step
from headwater.agents._submit import LANGUAGE
from headwater.answers import Replay, check_places, values_told
from headwater.answers import replay as replay_exact
from headwater.errors import HeadwaterError, UsageError
from headwater.tools import Session

if TYPE_CHECKING:
    from headwater.lake import Lake

MOST_STEPS = 100
"""Steps that are run for one answer."""


def replay(answer: dict[str, Any], lake: Lake | None = None, base: Path | None = None) -> Replay:
    """Compute an answer again, whatever made it, and compare inputs, values and evidence.

    Args:
        answer: the object of `headwater ask --json` or `headwater submit --json`.
        lake: where its documents are.
        base: folder that relative paths of files are taken from.

    Raises:
        UsageError: the object is no answer, was not answered, or its steps need a lake.
    """
    program = answer.get("program")
    if not isinstance(program, dict) or program.get("language") != LANGUAGE:
        return replay_exact(answer, lake, base)
    if lake is None:
        raise UsageError("This answer rests on a lake.", hint="Give it with --lake.")
    told = check_places(answer, lake, base)
    differences = list(told.differences)
    session, ran = Session(lake), list[Step]()
    for step in _steps(program["source"]):
        try:
            ran.append(run_step(session, step))
        except HeadwaterError as error:
            differences.append(f"A step cannot be run any more: {error.message}")
    names = [i["document"] for i in answer["inputs"]]
    unnamed = {d for step in ran for d in step.documents} - set(names)
    differences += [
        f"A step reads {document}, which is not among the inputs." for document in sorted(unnamed)
    ]
    assumed = "; ".join(answer.get("assumptions") or ())
    grounds = Grounds(lake, str(answer.get("question") or ""), ran, names[:MAX_PLACES], assumed)
    proofs, _ = prove(grounds, [str(v) for v in values_told(answer)])
    differences += [
        f"No step and no sentence of an input shows {p.value} now."
        for p in proofs
        if not (p.steps or p.evidence)
    ]
    return Replay(not differences, list(dict.fromkeys(differences)), [*told.checked, f"{len(ran)} steps"])


def _steps(source: str) -> list[dict[str, Any]]:
    """Return the steps of a program; UsageError if it is no list of tool calls."""
    try:
        steps = json.loads(source or "[]")
    except (ValueError, RecursionError) as error:
        raise UsageError("The steps of this answer are no JSON.") from error
    fits = isinstance(steps, list) and all(
        isinstance(s, dict) and isinstance(s.get("tool"), str) and isinstance(s.get("arguments"), dict)
        for s in steps
    )
    if not fits or len(steps) > MOST_STEPS:
        raise UsageError(
            f"The steps of an answer are a list of at most {MOST_STEPS} calls: {{tool, arguments}}."
        )
    return list(steps)
