"""What a question says that no answer may pass over: a reading that does is not given, however probable it is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from headwater.answers._cells import YEAR
from headwater.answers._columns import asked_phrase
from headwater.answers._derive import Reading
from headwater.answers._grid import Column
from headwater.answers._link import EXACT, ROOT, Question
from headwater.answers._plan import Cells, Count, columns_of
from headwater.answers._words import lexicon, root, words

NAMED = EXACT * ROOT
"""How well words name a column that must be meant by them."""

CODE = 3
"""Letters of the longest code of a nation."""

NUMBERING = 0.95
"""Share of different values above which numbers may only number the rows."""

_ADDRESS = ("http://", "https://")


def passed_over(question: Question, reading: Reading, values: Sequence[Any]) -> str:
    """Return what a reading passes over, in words; "" for nothing.

    Args:
        question: linked to its table.
        reading: the one that is to be given.
        values: what it gives.
    """
    return next((why for rule in RULES if (why := rule(question, reading, values))), "")


def _relation(question: Question, reading: Reading, values: Sequence[Any]) -> str:
    """A comparison with something, rows in a row, a nation: conditions, wherever they stand."""
    tokens = question.tokens
    for t in question.triggers:
        if t.start in reading.used:
            continue
        if t.operator == "consecutive":
            return f"{t.phrase!r}"
        if t.operator in ("greater", "smaller") and "than" in tokens[t.end : t.end + 2]:
            return f"{t.phrase!r} ... 'than'"
    held = {i for m in question.mentions for i in range(m.start, m.end)} - reading.used
    nations = (w for i, w in enumerate(tokens) if i in held and (w,) in lexicon().nations)
    return next((repr(w) for w in nations if len(w) > CODE and w not in question.grid.title), "")


def _thing(question: Question, reading: Reading, values: Sequence[Any]) -> str:
    """Give the thing for "Which was opened first?", not the time; nor is a header's word a name."""
    if not isinstance(reading.plan, Cells):
        return ""
    column = reading.plan.column
    if question.form in ("who", "which") and set(words(str(values[0]))) <= set(column.words):
        return "the name"
    if str(values[0]).startswith(_ADDRESS) and not lexicon().addresses & set(question.tokens):
        return "the thing asked for, not its address"
    if (
        column.kind in ("date", "year")
        and question.form in ("who", "which", "other")
        and not lexicon().times & set(question.tokens)
    ):
        named = {i for h in question.headers if h.column is column and h.fit >= NAMED for i in h.positions}
        if not named & set(_noun(question.tokens)):
            return "the thing asked for"
    return ""


def _noun(tokens: tuple[str, ...]) -> list[int]:
    """Return the positions of the noun asked for; none in "Which was opened first?"."""
    at = next((i for i, w in enumerate(tokens) if w in ("which", "what")), None)
    if at is None:
        return []
    verb, after = tokens[at + 1 : at + 2], tokens[at + 2 : at + 3]
    bare = verb and verb[0] in ("is", "was", "are", "were") and after and after[0] not in lexicon().articles
    return [] if bare else asked_phrase(tokens)


def _measure(question: Question, reading: Reading, values: Sequence[Any]) -> str:
    """A named measure: what rows are first by, or what is added up rather than counted."""
    spoken = {c.position for c in columns_of(reading.plan)}
    ranks = lexicon().directions["inverted_columns"]
    free = [
        h
        for h in question.headers
        if h.fit >= NAMED and h.column.kind in ("number", "duration") and h.column.position not in spoken
        and not h.positions & reading.used and not ranks & set(h.column.stems)
    ]  # fmt: skip
    if reading.frame == "edge" and reading.features["bare"] and free:
        return repr(free[0].column.name)
    if reading.frame == "edge" and any(t.phrase in lexicon().timely for t in question.triggers):
        unsorted = [c for c in question.grid.columns if c.kind == "year" and not _in_order(c)]
        return next((f"the order of {c.name}" for c in unsorted), "")
    if isinstance(reading.plan, Count) and reading.plan.column is None:
        counted = _counted(question.tokens)
        summed = (h.column for h in free if counted & h.positions and h.column.unique <= NUMBERING)
        return next((f"the {column.name} of each row" for column in summed), "")
    return ""


def _in_order(column: Column) -> bool:
    years = [m[0] for text in column.distinct if (m := re.search(YEAR, text))]
    return years == sorted(years)


def _counted(tokens: tuple[str, ...]) -> set[int]:
    """Return the positions of the noun after "how many" or "number of"."""
    stop, light = lexicon().stop, lexicon().light
    for i in range(len(tokens) - 2):
        if tokens[i : i + 2] in (("how", "many"), ("number", "of"), ("amount", "of")):
            end = i + 2
            while end < len(tokens) and tokens[end] not in stop:
                end += 1
            return {j for j in range(i + 2, end) if root(tokens[j]) not in light}
    return set()


def _everything(question: Question, reading: Reading, values: Sequence[Any]) -> str:
    """A count of all rows explains the whole question, or something chose among them."""
    if reading.frame == "count" and reading.features["bare"] and reading.features["left"]:
        return "a condition"
    return ""


RULES = (_relation, _thing, _measure, _everything)
