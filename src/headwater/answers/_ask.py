"""Questions answered from one table or a lake; an answer is given only where one reading stands clear."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.answers._answer import Answer
from headwater.answers._decide import Tried, decide, explain
from headwater.answers._engines import MemoryEngine
from headwater.answers._evidence import file_hash
from headwater.answers._graph import ask_graph_of
from headwater.answers._grid import Grid, grid_of_file
from headwater.answers._lake_grid import grid_of_lake, inputs_in, tables_for
from headwater.answers._score import Candidate, candidates, normalise
from headwater.answers._words import root, words
from headwater.errors import NotFoundError, UsageError

if TYPE_CHECKING:
    from headwater.lake import Lake

CLEAR, CLEAR_IN_LAKE = 0.64, 0.5
"""Probability that an answer must have, over a given table and over a lake. Chosen on the questions of the fit to leave
five of six right."""

LONGEST = 2_000
"""Characters of a question."""

TEXTS = 12
"""Documents of a lake that texts are looked for in."""

ORDERLY = ("edge", "beside")
"""Frames that need the order of rows: in a lake, a question that does not name its table cannot mean that."""

BEHIND = 2.0
"""In a lake: what it costs a table to be behind the best one in the score of the search."""

SHARPER = 1.5
"""In a lake: the scale of the scores. The costs of doubts spread them, so that they tell more than those of the fit."""

STRICT = {
    "left_operator": 1.5, "value_titled": 1.5, "target_guessed": 1.0, "order_guessed": 1.0, "order_rate": 1.0,
    "shared_words": 1.0, "left_told": 0.5, "target_headless": 1.0, "value_part_rest": 1.0,
    "role_unfit": 1.0, "left_header": 1.0,
}  # fmt: skip
"""In a lake: what each doubt costs beyond its weight, as a table that was not named may be about something else."""

LEFT = 2.0
"""In a lake: what each word costs that nothing explains, beyond its weight."""


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
        inputs = [{"document": str(table), "sha256": file_hash(path)}]
    elif lake is not None:
        grid = grid_of_lake(lake, str(table), {root(w) for w in words(question)})
        inputs = inputs_in(lake, grid)
    else:
        raise NotFoundError(
            f"There is no file {str(table)!r}.", hint="Name a file, or --lake and a table in it."
        )
    try:
        answer = decide(question, [Tried(grid, candidates(question, grid), inputs)], CLEAR)
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
    if about_tables := ask_graph_of(lake, question):
        about_tables._lake = lake
        return about_tables
    hits = list(lake.search(question, TEXTS).hits)
    tried: list[Tried] = []
    for table in tables_for(lake, question):
        found = [c for c in candidates(question, table.grid) if sensible(c, table.grid)]
        for c in found:
            explain(c, table.grid, question)
            doubts = sum(cost * c.reading.features[name] for name, cost in STRICT.items()) + LEFT * len(
                c.left
            )
            c.score = SHARPER * (c.score - doubts - BEHIND * table.behind)
        tried.append(Tried(table.grid, found, inputs_in(lake, table.grid)))
    normalise([c for t in tried for c in t.found], SHARPER)
    answer = decide(question, tried, CLEAR_IN_LAKE, strict=True)
    if answer.status == "abstained":
        answer = best_fact(lake, question, hits) or best_sentence(lake, question, hits) or answer
        answer.found = answer.found or [h.document for h in hits]
    answer._lake = lake
    answer.usage["seconds"] = round(time.monotonic() - started, 3)
    return answer


def sensible(c: Candidate, grid: Grid) -> bool:
    """Tell whether a reading may be meant where the table is not given.

    It needs no order of rows; of a series it names a member; it does not give back what the question says.
    """
    where = grid.label is None or grid.label.quoted in c.sql
    echo = isinstance(c.values[0], str) and c.reading.features["repeats_question"]
    return c.reading.frame not in ORDERLY and where and not echo


def _check(question: str) -> None:
    if not question.strip() or len(question) > LONGEST:
        raise UsageError(f"A question has 1 to {LONGEST:,} characters.")
