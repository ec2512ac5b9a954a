"""Which reading of a question is meant: a log-linear model over readings and "none of them".

The model is the one of Pasupat and Liang (2015, section 5), with few features, none of them a word, and with one more
outcome: that no reading is right. Readings with the same values are one answer; its probability is the sum of theirs.
The weights are fitted by `scripts/fit_answers.py`.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from headwater.answers._cells import is_missing, number_of
from headwater.answers._derive import Reading, derive
from headwater.answers._grid import Grid
from headwater.answers._link import Question, link
from headwater.answers._sound import passed_over
from headwater.answers._words import lexicon, root, stem, words
from headwater.errors import HeadwaterError

PLAINLY = 0.85
"""How well words name a column that must be meant by them, if the title does not hold them too."""

MAX_RUN = 90
"""Readings whose statements are run."""

MAX_VALUES = 60
"""Values of an answer."""


@dataclass
class Candidate:
    """A reading that was run.

    Attributes:
        reading: the plan with its features.
        sql: its statement.
        values: what came out.
        key: the values as answers are compared.
        score, probability: how well it fits, alone and beside all other readings.
        left: words of the question that nothing explains.
        likened: words explained by one that means nearly the same, with that one.
        passed_over: what the question says that the reading may not pass over, in words.
    """

    reading: Reading
    sql: str
    values: list[Any]
    key: tuple[str, ...]
    score: float = 0.0
    probability: float = 0.0
    left: tuple[str, ...] = ()
    likened: list[tuple[str, str]] = field(default_factory=list)
    passed_over: str = ""


@cache
def weights() -> dict[str, float]:
    """Return the weights of the features."""
    data: dict[str, Any] = json.loads(files("headwater.answers").joinpath("weights.json").read_text("utf-8"))
    return {name: float(weight) for name, weight in data["weights"].items()}


def score(features: Counter[str]) -> float:
    """Return the score of a reading with these features."""
    table = weights()
    return sum(table.get(name, 0.0) * value for name, value in features.items())


def cover(question: Question, reading: Reading) -> tuple[str, ...]:
    """Add features for the words of the question that a reading leaves unexplained; return those that nothing explains."""
    light, known = lexicon().light, question.grid.vocabulary
    titled = {root(w) for w in question.grid.title}
    operators = {i for t in question.triggers for i in range(t.start, t.end)}
    named = {i for m in question.mentions for i in range(m.start, m.end)}
    plainly = {i: h.column for h in question.headers if h.fit >= PLAINLY for i in h.positions}
    counted = question.form == "count"
    nothing: list[str] = []
    count: dict[str, float] = reading.features  # type: ignore[assignment]
    for i in question.content():
        if i in reading.used:
            continue
        word = question.tokens[i]
        if i in named and (word[0].isdigit() or root(word) not in known):
            count["left_value"] += 1
            nothing.append(word)
        elif i in operators:
            count["left_operator"] += 1
        elif i in plainly and counted and plainly[i].flag:
            count["left_header"] += 1
        elif word in question.grid.title:
            count["left_title"] += 1
        elif i in plainly:
            count["left_header"] += 1
        elif root(word) in question.grid.told:
            count["left_told"] += 1
        elif word[0].isdigit():
            count["left_number"] += 1
            nothing.append(word)
        elif root(word) in light:
            count["left_light"] += 1
        elif root(word) in titled:
            count["left_title"] += 1
        elif root(word) in known:
            count["left_header"] += 1
        else:
            count["left"] += 1
            nothing.append(word)
    for t in question.triggers:
        if t.operator in ("negation", "only") and t.start not in reading.used:
            count[f"left_{t.operator}"] = 1
    count["left_two"] = float(count["left"] >= 2)
    return tuple(nothing)


def candidates(text: str, grid: Grid) -> list[Candidate]:
    """Return the readings of a question that can be run over a table, best first, with probabilities."""
    question = link(text, grid)
    readings = derive(question)
    left = {id(reading): cover(question, reading) for reading in readings}
    readings.sort(key=lambda r: -score(r.features))
    found: list[Candidate] = []
    seen: set[str] = set()
    for reading in readings:
        sql = reading.plan.sql(grid.source)
        if sql in seen:
            continue
        seen.add(sql)
        if len(seen) > MAX_RUN:
            break
        try:
            values = values_of(grid.engine.run(sql))
        except HeadwaterError:
            continue  # a reading that cannot be run, for instance a cast that does not fit
        if not values or len(values) > MAX_VALUES or all(is_missing(str(v)) for v in values):
            continue
        if reading.frame.startswith("pick") and len(values) > 1:
            continue  # neither of the two is ahead
        _judge(question, reading, values)
        found.append(
            Candidate(
                reading, sql, values, tuple(sorted(set(map(_key, values)))), score(reading.features), left=left[id(reading)],
                passed_over=passed_over(question, reading, values),
            )
        )  # fmt: skip
    normalise(found)
    return sorted(found, key=lambda c: -c.score)


def normalise(found: Sequence[Candidate], scale: float = 1.0) -> None:
    """Set the probabilities of candidates; "none of them" has the score of the weight `none` times `scale`."""
    none = scale * weights().get("none", 0.0)
    top = max([none, *(c.score for c in found)])
    total = math.exp(none - top) + sum(math.exp(c.score - top) for c in found)
    for c in found:
        c.probability = math.exp(c.score - top) / total


def values_of(rows: list[list[Any]]) -> list[Any]:
    """Return the different values of the first column; a cell of several lines, or that is a list, is several values."""
    values: list[Any] = []
    for row in rows:
        value = row[0]
        if isinstance(value, str) and (listed := _elements(value)):
            values += listed
        elif isinstance(value, str):
            values += [_SIDE.sub("", line.strip()) for line in value.split("\n") if line.strip()]
        elif value is not None and not (isinstance(value, float) and math.isnan(value)):
            values.append(int(value) if isinstance(value, float) and value == int(value) else value)
    return list(dict.fromkeys(values))


def _elements(text: str) -> list[Any]:
    """Return the elements of a cell that is a list of plain values in JSON, else nothing."""
    if not (text.startswith("[") and text.endswith("]")):
        return []
    try:
        found = json.loads(text)
    except ValueError:
        return []
    return found if all(isinstance(v, str | int | float) for v in found) else []


_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
_SIDE = re.compile(r"^(?:@|vs\.?|at)\s+(?=[A-Z])")
"""A mark of where a game was played, before the opponent's name."""


def _key(value: Any) -> str:
    if isinstance(value, str) and (number := _NUMBER.fullmatch(value)):
        return str(float(number[0].replace(",", "")))
    return str(float(value)) if isinstance(value, int | float) else " ".join(words(str(value))) or str(value)


def plural(question: Question) -> bool:
    """Tell whether "which films", "who are" asks for several."""
    tokens = question.tokens
    for i, word in enumerate(tokens[:-1]):
        if word in ("which", "what", "who", "list"):
            after = tokens[i + 1 : i + 4]
            return bool({"are", "were", "have"} & set(after[:2])) or any(
                w != stem(w) and w not in lexicon().stop for w in after[:2]
            )
    return False


def _judge(question: Question, reading: Reading, values: list[Any]) -> None:
    """Add features of what a reading gives: a question mostly asks for one thing, and of a kind."""
    count: dict[str, float] = reading.features  # type: ignore[assignment]
    form = question.form
    texts = [str(v) for v in values]
    asked = plural(question)
    count["one"] = float(len(set(texts)) == 1)
    count["one_of_many"] = float(asked and len(set(texts)) == 1)
    count["several"] = float(len(set(texts)) > 1 and not asked)
    count["several_asked"] = float(len(set(texts)) > 1 and asked)
    count["many"] = float(len(set(texts)) > 4)
    numeric = number_of(texts[0]) is not None and len(words(texts[0])) <= 2
    if form in ("count", "quantity", "difference", "times"):
        count["not_number"] = float(not numeric)
    elif form in ("who", "where"):
        count["not_text"] = float(numeric)
    elif form == "when":
        count["not_time"] = float(not any(c.isdigit() for c in texts[0]))
    if reading.frame.startswith("difference"):
        count["difference_zero"] = float(texts[0] in ("0", "0.0"))
    if reading.frame in ("count", "distinct"):
        count["count_zero"] = float(texts[0] == "0")
        count["count_one"] = float(texts[0] == "1")
        count["count_all"] = float(texts[0] == str(question.grid.rows))
    told = set(question.tokens)
    if not reading.frame.startswith("pick") and set(words(texts[0])) and set(words(texts[0])) <= told:
        count["repeats_question"] = 1
