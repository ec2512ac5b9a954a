"""From readings to an answer, or to what is missing: an answer is given only where one value stands clear."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from headwater.answers._answer import Answer, Program, show
from headwater.answers._cells import YEAR
from headwater.answers._grid import Column, Grid
from headwater.answers._likeness import alike
from headwater.answers._plan import columns_of
from headwater.answers._prove import gather, verify
from headwater.answers._score import Candidate, values_of
from headwater.answers._words import lexicon

MARGIN = 2.0
"""How many times as probable as the next answer it must be."""

SHOWN_COLUMNS, SHOWN_FOUND = 8, 5
"""Columns, and documents, named where no answer is given."""


@dataclass
class Tried:
    """A table that was tried, with its readings and the documents it is read from: {document, sha256}."""

    grid: Grid
    found: list[Candidate]
    inputs: list[dict[str, str]]


def decide(question: str, tried: Sequence[Tried], clear: float, *, strict: bool = False) -> Answer:
    """Answer if one value is probable enough and far enough ahead of the next.

    Args:
        question: as asked.
        tried: tables with their readings, probabilities set.
        clear: probability asked for.
        strict: as over a lake: every word with content must be explained, by a column, a value, an operator, or by
            what the table is about. A word that is not names what is missing.
    """
    groups: dict[tuple[str, ...], list[tuple[Candidate, Tried]]] = {}
    for t in tried:
        for c in t.found:
            groups.setdefault(c.key, []).append((c, t))
    ranked = sorted(groups.values(), key=lambda g: -sum(c.probability for c, _ in g))
    documents = list(dict.fromkeys(t.grid.document for t in tried))
    if not ranked:
        return abstain(question, documents, "no words of the question lead to cells or columns of a table.")
    weights = [sum(c.probability for c, _ in g) for g in ranked]
    best, home = max(ranked[0], key=lambda pair: pair[0].score)
    reading = f"{best.reading.plan}"
    if strict and best.left:
        left, nearest = _nearest(tried)
        why = unsaid(left or best.left, nearest if left else home.grid)
        return abstain(question, documents, why)
    if weights[0] < clear:
        why = f"no reading is clear enough; the likeliest is: {reading} (probability {weights[0]:.2f}, {clear} is asked)."
        return abstain(question, documents, why)
    if len(weights) > 1 and weights[0] < MARGIN * weights[1]:
        other = max(ranked[1], key=lambda pair: pair[0].score)[0]
        return abstain(
            question, documents, f"two readings are open. Either: {reading}; or: {other.reading.plan}."
        )
    if best.passed_over:
        why = f"the likeliest reading passes over {best.passed_over}: {reading}."
        return abstain(question, documents, why)
    values = values_of(home.grid.prover.run(best.sql)) if home.grid.prover else best.values
    evidence, notes = gather(home.grid, best.reading.plan, values)
    if not evidence:
        return abstain(question, documents, f"nothing proves the likeliest reading: {reading}.")
    value = values[0] if len(values) == 1 else values
    elsewhere = [t.grid.reference for c, t in ranked[0] if not c.left and _independent(t, home)]
    verification, checks = verify(home.grid, best.reading.plan, values, list(dict.fromkeys(elsewhere)))
    return Answer(
        question, "answered", value, show(value), reading, Program("sql", best.sql),
        inputs=home.inputs, evidence=evidence, diagnostics=[*notes, *checks], assumptions=_assumptions(best),
        verification=verification, usage={"confidence": round(weights[0], 3)},
    )  # fmt: skip


def _independent(other: Tried, home: Tried) -> bool:
    """Tell whether a table is another one, and not read from the same bytes."""
    hashes = {i["sha256"] for i in home.inputs}
    return other.grid is not home.grid and not any(i["sha256"] in hashes for i in other.inputs)


def abstain(question: str, documents: Sequence[str], missing: str) -> Answer:
    """Return the answer that says what is missing, and which documents were found."""
    where = f" Found: {', '.join(documents[:SHOWN_FOUND])}." if documents else ""
    return Answer(
        question, "abstained", text=f"Cannot be answered from this lake: {missing}{where}", missing=missing,
        found=list(documents), stop_reason="abstained",
    )  # fmt: skip


def explain(c: Candidate, grid: Grid, text: str) -> None:
    """Take words off those that a reading leaves unexplained where what it speaks of means nearly the same.

    Nations and numbers stay, and other names but for those of the columns: "Norway" is much like "Sweden", and is not
    meant by it.

    Args:
        c: the reading.
        grid: its table.
        text: the question as asked.
    """
    used = {w for column in columns_of(c.reading.plan) for w in column.words} - lexicon().stop
    told = used | set(grid.title) - lexicon().stop
    names = {w.lower() for w in re.findall(r"(?<!^)\b[A-Z]\w*", text)}
    left = []
    for word in c.left:
        named = word[0].isdigit() or (word,) in lexicon().nations
        other = None if named else alike(word, used if word in names else told)
        if other is None:
            left.append(word)
        else:
            c.likened.append((word, other))
    c.left = tuple(left)


def _nearest(tried: Sequence[Tried]) -> tuple[tuple[str, ...], Grid]:
    """Return the table that explains most of a question, with the words it leaves unexplained."""
    best = min(((c, t) for t in tried for c in t.found), key=lambda pair: (len(pair[0].left), -pair[0].score))
    return best[0].left, best[1].grid


def unsaid(left: Sequence[str], grid: Grid) -> str:
    """Say which words of a question nothing in the nearest table explains."""
    words = list(dict.fromkeys(left))
    named = ", ".join(f"'{w}'" for w in words) + (" is" if len(words) == 1 else " are")
    years = [c for c in grid.columns if c.kind in ("year", "date") and c.distinct]
    if years and any(w.isdigit() and 1500 <= int(w) < 2100 for w in words):
        return f"{named} missing: in {grid.reference}, the nearest table, {_span(years[0])}."
    columns = ", ".join(c.header or c.name for c in grid.columns[:SHOWN_COLUMNS])
    return f"{named} missing: the nearest table is {grid.reference}, with the columns {columns}."


def _span(column: Column) -> str:
    found = sorted(m[0] for text in column.distinct if (m := re.search(YEAR, text)))
    return f"{column.name} goes from {found[0]} to {found[-1]}" if found else f"{column.name} has no years"


def _assumptions(best: Candidate) -> list[str]:
    """Tell choices that the question did not make itself."""
    told = [f"'{word}' is taken to be told by '{other}'." for word, other in best.likened]
    features = best.reading.features
    if features["order_hinted"] or features["order_guessed"]:
        told.append(f"The order asked for is taken to be that of the reading: {best.reading.plan}.")
    if features["compare_alone"]:
        told.append("The question does not name the column of the number it compares with.")
    return told
