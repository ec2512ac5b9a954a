"""Sets of conditions that the values and numbers of a question may stand for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from headwater.answers._grid import Column, Value
from headwater.answers._link import Comparison, Header, Mention, Question
from headwater.answers._plan import Compared, Condition, During, Is, Where
from headwater.answers._words import numeral, root, words

BEAM = 14
"""Sets of conditions kept."""

NEAR = 4
"""Words between a number and the name of its column."""


@dataclass
class Filter:
    """Some conditions, the words they use up, and what speaks for and against them."""

    conditions: list[Condition] = field(default_factory=list)
    used: set[int] = field(default_factory=set)
    features: Counter[str] = field(default_factory=Counter)
    either: bool = False

    @property
    def where(self) -> Where:
        """The rows that meet them."""
        return Where(tuple(self.conditions), self.either)

    @property
    def columns(self) -> set[int]:
        """Positions of the columns they speak of."""
        return {c.column.position for c in self.conditions}

    def grown(self, condition: Condition, used: Iterable[int], features: dict[str, float]) -> Filter:
        """Return these conditions with one more."""
        counted = Counter(self.features)
        counted.update(features)
        return Filter([*self.conditions, condition], self.used | set(used), counted, self.either)

    def said_again(self, used: Iterable[int]) -> Filter:
        """Return these conditions where the question says one of them a second time."""
        return Filter(list(self.conditions), self.used | set(used), Counter(self.features), self.either)


def header_near(question: Question, column: Column, start: int, end: int) -> Header | None:
    """Return the best naming of a column within a few words of a span."""
    near = [
        h for h in question.headers if h.column is column and h.start - end <= NEAR and start - h.end <= NEAR
    ]
    return max(near, key=lambda h: h.fit, default=None)


def value_features(question: Question, mention: Mention, column: Column, value: Value) -> dict[str, float]:
    """Tell how a phrase fits the cells of a column."""
    features = {"value_exact" if value.exact else "value_part": 1.0}
    if not value.exact:
        features["value_part_rest"] = 1 - value.share
    if {root(w) for w in words(mention.phrase)} <= {root(w) for w in question.grid.title}:
        features["value_titled"] = 1.0
    if mention.end - mention.start > 1:
        features["value_long"] = 1.0
    number = numeral(mention.phrase)
    if number is not None and (column.kind == "number" or not 1500 <= number < 2100):
        features["value_number"] = 1.0
        if not header_near(question, column, mention.start, mention.end):
            features["value_number_alone"] = 1.0
    return features


def choices(question: Question, mention: Mention) -> Iterator[tuple[Condition, set[int], dict[str, float]]]:
    """Yield the conditions a mention may stand for, one a column."""
    span = range(mention.start, mention.end)
    negation = [
        t
        for t in question.triggers
        if t.operator in ("negation", "other")
        and 0 <= mention.start - t.end <= 2
        and t.phrase not in ("another", "else")
    ]
    for column, value in mention.meanings:
        used, features = set(span), value_features(question, mention, column, value)
        number = numeral(mention.phrase)
        header = header_near(question, column, mention.start, mention.end)
        if header:
            used |= header.positions
            features["value_header"] = header.fit
        negated = bool(negation)
        for t in negation:
            used |= set(range(t.start, t.end))
        if negated:
            features["negated"] = 1.0
        if column.kind == "date" and number is not None and 1500 <= number < 2100 and not negated:
            yield Compared(column, "=", number, True), used, features
        else:
            yield Is(column, value.texts, mention.phrase, negated, value.exact), used, features


def compared(
    question: Question, found: Comparison
) -> Iterator[tuple[list[Condition], set[int], dict[str, float]]]:
    """Yield the conditions a number or year may stand for."""
    span = set(range(found.start, found.end))
    for column in question.grid.columns:
        if found.period is not None:
            if column.kind == "date":
                yield [During(column, *found.period)], set(span), {"compare": 1.0, "compare_time": 1.0}
            continue
        if column.kind == "text" and not found.timely:
            continue
        if (
            found.timely
            and column.kind not in ("date", "year")
            and not (column.kind == "number" and column.type == "text")
        ):
            continue
        header = header_near(question, column, found.start, found.end)
        features: dict[str, float] = {"compare": 1.0}
        used = set(span)
        if header:
            used |= header.positions
            features["compare_header"] = header.fit
        elif found.timely and column.kind in ("date", "year"):
            features["compare_time"] = 1.0
        else:
            features["compare_alone"] = 1.0
        by_year = found.timely and column.kind != "year"
        if column.kind == "date" and not found.timely:
            continue
        conditions: list[Condition] = [Compared(column, found.sign, found.value, by_year)]
        if found.until is not None:
            conditions.append(Compared(column, "<=", found.until, by_year))
        yield conditions, used, features


def filters(question: Question, *, blocked: frozenset[int] = frozenset()) -> list[Filter]:
    """Return sets of conditions, those that explain most of the question first; the empty one is among them.

    Args:
        question: linked to its table.
        blocked: positions of words that mean something else already.
    """
    beam = [Filter()]
    for found in question.comparisons:
        if blocked & set(range(found.start, found.end)):
            continue
        beam = _kept(
            [
                *beam,
                *(
                    _with(f, conditions, used, features)
                    for f in beam
                    for conditions, used, features in compared(question, found)
                    if not f.used & set(range(found.start, found.end))
                ),
            ]
        )
    for mention in question.mentions:
        span = set(range(mention.start, mention.end))
        if blocked & span:
            continue
        grown = [
            f.said_again(used) if _same(f, condition) else f.grown(condition, used, features)
            for f in beam
            if not f.used & span
            for condition, used, features in choices(question, mention)
        ]
        beam = _kept([*beam, *grown])
    said = bool({"or", "and"} & set(question.tokens))
    beam += [e for f in beam if (e := _either(f, said))]
    return beam


def _same(f: Filter, condition: Condition) -> bool:
    """Tell whether a condition is among those of a filter already."""
    return isinstance(condition, Is) and any(
        isinstance(c, Is) and c.column is condition.column and c.texts == condition.texts and c.negated == condition.negated
        for c in f.conditions
    )  # fmt: skip


def _with(f: Filter, conditions: list[Condition], used: set[int], features: dict[str, float]) -> Filter:
    for number, condition in enumerate(conditions):
        f = f.grown(condition, used, features if number == 0 else {})
    return f


def _kept(beam: list[Filter]) -> list[Filter]:
    def worth(f: Filter) -> float:
        x = f.features
        return (
            len(f.used)
            + 0.6 * x["value_exact"] - 0.5 * x["value_part_rest"] + 0.5 * x["value_header"] + 0.5 * x["compare_header"]
            - 0.7 * x["value_number_alone"] - 0.7 * x["compare_alone"]
        )  # fmt: skip

    best = sorted(beam, key=worth, reverse=True)[:BEAM]
    return best if any(not f.conditions for f in best) else [*best[:-1], Filter()]


def _either(f: Filter, said: bool) -> Filter | None:
    """Return the same conditions as alternatives where all are equalities on one column."""
    if len(f.conditions) < 2 or len(f.columns) != 1 or not all(isinstance(c, Is) for c in f.conditions):
        return None
    features = Counter(f.features)
    features["either"] = 1
    features["either_unsaid"] = int(not said)
    return Filter(list(f.conditions), set(f.used), features, True)
