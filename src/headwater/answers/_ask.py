"""Questions answered from one table, a lake or a graph; an answer is given only where one reading stands clear."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.answers._answer import Answer, Evidence, Program, show
from headwater.answers._evidence import file_hash, gather
from headwater.answers._grid import Grid, MemoryEngine, grid_of_file, grid_of_lake
from headwater.answers._score import Candidate, candidates, normalise
from headwater.errors import HeadwaterError, NotFoundError, UsageError

if TYPE_CHECKING:
    from headwater.graph import SchemaGraph
    from headwater.lake import Lake

CLEAR, CLEAR_IN_LAKE = 0.64, 0.5
"""Probability that an answer must have, over a given table and over a lake. Chosen on the questions of the fit to leave
five of six right."""

MARGIN = 2.0
"""How many times as probable as the next answer it must be."""

LONGEST = 2_000
"""Characters of a question."""

TABLES = 6
"""Tables of a lake that are tried."""

BEHIND = 2.0
"""In a lake: what it costs a table to be behind the best one in the score of the search."""

SHARPER = 1.5
"""In a lake: the scale of the scores. The costs of doubts spread them, so that they tell more than those of the fit."""

STRICT = {
    "left": 1.0, "left_value": 1.5, "left_operator": 1.5, "left_number": 1.5, "left_two": 1.0, "value_titled": 1.5,
    "target_guessed": 1.0, "order_guessed": 1.0, "order_rate": 1.0, "shared_words": 1.0,
}  # fmt: skip
"""In a lake: what each doubt costs beyond its weight, as a table that was not named may be about something else."""


@dataclass
class Tried:
    """A table that was tried, with its readings."""

    grid: Grid
    found: list[Candidate]
    sha256: str


def ask_table(question: str, table: str | Path, lake: Lake | None = None) -> Answer:
    """Answer a question from one table.

    Args:
        question: in plain words.
        table: a file outside any lake, or a table of the lake (`path`, `path#name`, or a short unique name).
        lake: the lake it may be in.

    Raises:
        NotFoundError: there is no such table.
        ReadError: the file cannot be read.
        UsageError: the question is empty or too long.
    """
    started = time.monotonic()
    _check(question)
    path = Path(table)
    if path.is_file():
        grid = grid_of_file(path, str(table))
        sha = file_hash(path)
    elif lake is not None:
        grid = grid_of_lake(lake, str(table))
        sha = _hash_in(lake, grid)
    else:
        raise NotFoundError(
            f"There is no file {str(table)!r}.", hint="Name a file, or --lake and a table in it."
        )
    try:
        answer = _decide(question, [Tried(grid, candidates(question, grid), sha)])
    finally:
        if isinstance(grid.engine, MemoryEngine):
            grid.engine.close()
    answer._lake = lake
    answer.usage["seconds"] = round(time.monotonic() - started, 3)
    return answer


def ask(lake: Lake, question: str) -> Answer:
    """Answer a question from the tables and texts of a lake, or say what was found and what is missing.

    Args:
        lake: an opened lake.
        question: in plain words.

    Raises:
        UsageError: the question is empty or too long.
    """
    from headwater.answers._facts import best_fact
    from headwater.answers._quote import best_sentence

    started = time.monotonic()
    _check(question)
    hits = list(lake.search(question, 2 * TABLES).hits)
    tried: list[Tried] = []
    for hit in [h for h in hits if h.kind == "table"]:
        for record in lake.catalog.tables(hit.document)[:2]:
            if len(tried) >= TABLES:
                break
            try:
                grid = grid_of_lake(lake, record.ref)
            except HeadwaterError:
                continue
            found = candidates(question, grid)
            for c in found:
                doubts = sum(cost * c.reading.features[name] for name, cost in STRICT.items())
                c.score = SHARPER * (c.score - doubts - BEHIND * (hits[0].score - hit.score))
            tried.append(Tried(grid, found, _hash_in(lake, grid)))
    normalise([c for t in tried for c in t.found], SHARPER)
    answer = _decide(question, tried, CLEAR_IN_LAKE)
    if answer.status == "abstained":
        answer = best_fact(lake, question, hits) or best_sentence(lake, question, hits) or answer
        answer.found = answer.found or [h.document for h in hits]
    answer._lake = lake
    answer.usage["seconds"] = round(time.monotonic() - started, 3)
    return answer


def ask_graph(graph: SchemaGraph, question: str) -> Answer:
    """Answer a question about a graph of tables, with its edges as evidence."""
    from headwater.graph import ask as ask_about

    started = time.monotonic()
    _check(question)
    told = ask_about(graph, question)
    seconds = round(time.monotonic() - started, 3)
    if told.status != "answered":
        return Answer(
            question, "abstained", text=f"I cannot answer that: {told.missing}", missing=told.missing,
            stop_reason="abstained", usage={"seconds": seconds},
        )  # fmt: skip
    evidence = [
        Evidence(
            str(e.get("origin", {}).get("file", "")),
            "edge",
            {"edge": e},
            f"{e.get('source')} → {e.get('target')}",
        )
        for e in told.proof
    ]
    return Answer(
        question, "answered", told.answer, show(told.answer), told.reading,
        Program("graph", f"{told.semantics} {told.args}"), evidence=evidence, verification="replayed",
        usage={"seconds": seconds},
    )  # fmt: skip


def _check(question: str) -> None:
    if not question.strip() or len(question) > LONGEST:
        raise UsageError(f"A question has 1 to {LONGEST:,} characters.")


def _hash_in(lake: Lake, grid: Grid) -> str:
    document = lake.catalog.document(grid.document)
    return document.sha256 if document else ""


def _decide(question: str, tried: Sequence[Tried], clear: float = CLEAR) -> Answer:
    """Answer if one value is probable enough and far enough ahead of the next."""
    groups: dict[tuple[str, ...], list[tuple[Candidate, Tried]]] = {}
    for t in tried:
        for c in t.found:
            groups.setdefault(c.key, []).append((c, t))
    ranked = sorted(groups.values(), key=lambda g: -sum(c.probability for c, _ in g))
    documents = list(dict.fromkeys(t.grid.document for t in tried))
    if not ranked:
        return _abstain(question, documents, "No words of the question lead to cells or columns of a table.")
    weights = [sum(c.probability for c, _ in g) for g in ranked]
    best, home = max(ranked[0], key=lambda pair: pair[0].score)
    reading = f"{best.reading.plan}"
    if weights[0] < clear:
        why = f"No reading is clear enough; the likeliest is: {reading} (probability {weights[0]:.2f}, {clear} is asked)."
        return _abstain(question, documents, why)
    if len(weights) > 1 and weights[0] < MARGIN * weights[1]:
        other = max(ranked[1], key=lambda pair: pair[0].score)[0]
        return _abstain(
            question, documents, f"Two readings are open. Either: {reading}; or: {other.reading.plan}."
        )
    evidence, notes = gather(home.grid, best.reading.plan, best.values)
    if not evidence:
        return _abstain(question, documents, f"Nothing proves the likeliest reading: {reading}.")
    value = best.values[0] if len(best.values) == 1 else best.values
    frames = {c.reading.frame for c, _ in ranked[0]}
    return Answer(
        question, "answered", value, show(value), reading, Program("sql", best.sql),
        inputs=[{"document": home.grid.document, "sha256": home.sha256}], evidence=evidence, diagnostics=notes,
        assumptions=_assumptions(best), verification="agreed by two" if len(frames) > 1 else "replayed",
        usage={"confidence": round(weights[0], 3)},
    )  # fmt: skip


def _assumptions(best: Candidate) -> list[str]:
    """Tell choices that the question did not make itself."""
    told = []
    features = best.reading.features
    if features["order_hinted"] or features["order_guessed"]:
        told.append(f"The order asked for is taken to be that of the reading: {best.reading.plan}.")
    if features["compare_alone"]:
        told.append("The question does not name the column of the number it compares with.")
    return told


def _abstain(question: str, documents: list[str], missing: str) -> Answer:
    where = f" Found: {', '.join(documents[:5])}." if documents else ""
    return Answer(
        question, "abstained", text=f"I cannot answer that with certainty. {missing}{where}", missing=missing,
        found=documents, stop_reason="abstained",
    )  # fmt: skip
