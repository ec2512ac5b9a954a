"""What is said of a submitted answer: what stands behind each value, what nothing holds, what cannot be seen to fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from headwater.agents._gaps import unconnected
from headwater.agents._prove import Proof
from headwater.agents._steps import Step, holds
from headwater.tools import quote

if TYPE_CHECKING:
    from headwater.tools import Session

_QUOTED, _NAMES, _LISTED = 160, 3, 4
"""Characters of a sentence, names of results, and documents in a line of the outcome."""


def said(session: Session, proof: Proof, steps: Sequence[Step]) -> str:
    """Return in words what stands behind a value."""
    name = session.brief.names.of
    if proof.steps:
        step = steps[proof.steps[-1]]
        documents = ", ".join(name(d) for d in step.documents[:3]) or "numbers quoted from texts"
        return f"{proof.value}: computed from {documents}"
    found = proof.evidence[0]
    sentence = " ".join(found.quote.split())
    shown = "" if found.document in _seen(session) else " (not looked into before)"
    cut = sentence[:_QUOTED] + ("…" if len(sentence) > _QUOTED else "")
    return f"{proof.value}: {name(found.document)}{shown} says {quote(cut)}"


def unheld(proofs: Sequence[Proof]) -> list[str]:
    """Return what is wrong with values that nothing holds."""
    bare = [p for p in proofs if not p.steps and not p.evidence]
    unknown = list(dict.fromkeys(n for p in bare for n in p.unknown))
    out = []
    if unknown:
        out.append(
            f"The program computes with {', '.join(unknown)}, which no result or source of this session says: name the "
            "source, query it, or say it with --assume."
        )
    if silent := [p.value for p in bare if not p.unknown]:
        out.append(
            f"No query, code or source of this session holds {', '.join(silent)}; query it, or name the source that says it."
        )
    return out


def doubts_of(
    session: Session, proofs: Sequence[Proof], steps: Sequence[Step], sources: Sequence[str]
) -> list[str]:
    """Return what cannot be seen to fit, and what would mend it; it may be right all the same.

    That is: a source in which nothing was looked up, a quoted document to which no result of a query leads, and a value
    that is one of several rows and that nothing in the query chooses.
    """
    name, seen = session.brief.names.of, _seen(session)
    evidence = {e.document for p in proofs for e in p.evidence}
    idle = [name(d) for d in sources if d not in seen and d not in evidence]
    out = [f"Nothing was looked up in {_some(idle)}."] if idle else []
    quoted = list(dict.fromkeys(e.document for p in proofs if not p.steps for e in p.evidence[:1]))
    left, names = unconnected(session.lake, steps, quoted, seen)
    if left:
        shown = ", ".join(names[:_NAMES]) + (" …" if len(names) > _NAMES else "")
        out.append(
            f"Nothing looked up connects the results of your queries ({shown}) with {_some([name(d) for d in left])}: "
            "join or find what names both (a table of codes, a text) and cite it."
        )
    for proof in proofs:
        alone = sum(proof.steps[-1:] == other.steps[-1:] for other in proofs) == 1
        if alone and (rows := _rivals(proof, steps)):
            out.append(
                f"{proof.value} is one of {rows} rows of your query, and nothing in it chooses this row: filter or order."
            )
    return out


def _seen(session: Session) -> set[str]:
    """Return the documents that were looked into, or of which a search showed sentences."""
    calls = [e for e in (session.trace.events() if session.trace else ()) if e["event"] == "call"]
    return {d for e in calls for d in (*(e.get("opened") or ()), *(e.get("quoted") or ()))}


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_LISTED]) + (" …" if len(names) > _LISTED else "")


def _rivals(proof: Proof, steps: Sequence[Step]) -> int:
    """Return among how many rows a value stands, 0 if a query chooses it: by its only row, or as the first in an order."""
    fewest = 0
    for step in (steps[n] for n in proof.steps):
        if step.tool != "sql":
            return 0
        held = [bool(holds(Step("sql", {}, ("",), (row,), step.columns), proof.value)) for row in step.rows]
        if all(held) or (held[0] and "order by" in step.arguments["statement"].lower()):
            return 0
        fewest = min(fewest or len(held), len(held))
    return fewest
