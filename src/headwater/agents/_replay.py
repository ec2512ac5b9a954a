"""An answer that rests on steps of a session, computed again without any model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.agents._steps import holds, pattern_of, run_step
from headwater.agents._submit import LANGUAGE
from headwater.answers import Replay
from headwater.answers import replay as replay_exact
from headwater.errors import HeadwaterError, UsageError

if TYPE_CHECKING:
    from headwater.lake import Lake


def replay(answer: dict[str, Any], lake: Lake | None = None, base: Path | None = None) -> Replay:
    """Compute an answer again, whatever made it, and compare inputs, values and evidence.

    Args:
        answer: the object of `headwater ask --json` or `headwater submit --json`.
        lake: where its documents are.
        base: folder that relative paths of files are taken from.

    Raises:
        UsageError: the object is no answer, was not answered, or its steps need a lake.
    """
    program = answer.get("program") or {}
    if program.get("language") != LANGUAGE:
        return replay_exact(answer, lake, base)
    if lake is None:
        raise UsageError("This answer rests on a lake.", hint="Give it with --lake.")
    told = replay_exact({**answer, "program": None}, lake, base)
    differences = list(told.differences)
    values = answer.get("value")
    left = {str(v) for v in (values if isinstance(values, list) else [values])}
    left -= {
        v
        for v in left
        for e in answer.get("evidence", ())
        if e.get("kind") == "sentence" and pattern_of(v).search(e.get("quote", ""))
    }
    try:
        steps = json.loads(program.get("source") or "[]")
    except ValueError as error:
        raise UsageError("The steps of this answer are no JSON.") from error
    from headwater.tools import Session

    session, ran = Session(lake), 0
    for step in steps if isinstance(steps, list) else []:
        try:
            result = run_step(session, step)
            ran += 1
        except HeadwaterError as error:
            differences.append(f"A step cannot be run any more: {error.message}")
            continue
        left -= {v for v in left if holds(result, v)}
    differences += [f"No step and no quoted sentence gives {v} now." for v in sorted(left)]
    return Replay(not differences, differences, [*told.checked, f"{ran} steps"])
