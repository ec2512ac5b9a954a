"""Readings of a question: typed plans, each with the words it explains and the features that speak for it.

One function a frame: the frames are the operators of the plan language, called for by the words of the lexicon. A
frame combines sets of conditions with columns for the answer and for the order; what is likely is left to the weights.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from headwater.answers._columns import Choice, orders, targets
from headwater.answers._filters import Filter, filters
from headwater.answers._grid import Column
from headwater.answers._link import Mention, Question, Trigger
from headwater.answers._plan import (
    Aggregate,
    Alike,
    Beside,
    Best,
    Beyond,
    Both,
    Cells,
    Condition,
    Count,
    Difference,
    Frequent,
    Is,
    Plan,
    Rows,
    Sign,
    Top,
    Where,
)
from headwater.answers._words import numeral, stem


@dataclass
class Reading:
    """A plan, the words it explains and its features."""

    plan: Plan
    frame: str
    used: frozenset[int]
    features: Counter[str] = field(default_factory=Counter)


def derive(question: Question) -> list[Reading]:
    """Return all readings of a question over its table."""
    frames = (choices_of_two,) if question.form == "truth" else FRAMES  # yes or no is not a value of a table
    found = [reading for frame in frames for reading in frame(question)]
    for reading in found:
        reading.features[f"frame:{reading.frame}"] = 1
        if reading.features["either"]:
            reading.features[f"either+{reading.frame}"] = 1
        if reading.features["negated"]:
            reading.features[f"negated+{question.form}"] = 1
        reading.features[f"{question.form}+{reading.frame}"] = 1
    return found


def _reading(
    frame: str,
    plan: Plan,
    chosen: Filter,
    *choices: Choice,
    trigger: Trigger | None = None,
    **features: float,
) -> Reading:
    counted: Counter[str] = Counter(chosen.features)
    used = set(chosen.used)
    for choice in choices:
        counted["shared_words"] += len(used & choice.used)
        used |= choice.used
        counted.update(dict(choice.features))
    if trigger:
        counted["shared_words"] += len(used & set(range(trigger.start, trigger.end)))
        used |= set(range(trigger.start, trigger.end))
    counted.update(features)
    return Reading(plan, frame, frozenset(used), counted)


def lookups(question: Question) -> Iterator[Reading]:
    """Cells of a column in the rows that meet conditions."""
    for chosen in filters(question):
        if not chosen.conditions:
            continue
        for target in targets(question, avoid=chosen.columns):
            yield _reading("lookup", Cells(chosen.where, target.column), chosen, target)


def counts(question: Question) -> Iterator[Reading]:
    """Number of rows, or of different values."""
    if question.form not in ("count", "times", "other", "duration", "difference"):
        return
    for chosen in filters(question):
        named = [h for h in question.headers if not h.positions & chosen.used]
        subject = Choice(
            question.grid.subject,
            frozenset(i for h in named if h.column is question.grid.subject for i in h.positions),
            (),
        )
        yield _reading("count", Count(chosen.where), chosen, subject, bare=float(not chosen.conditions))
        different = question.has("different")
        for header in sorted(named, key=lambda h: -h.fit)[:3]:
            choice = Choice(header.column, header.positions, (("distinct_named", header.fit),))
            yield _reading(
                "distinct", Count(chosen.where, header.column), chosen, choice,
                trigger=different[0] if different else None, different=float(bool(different)),
                unique=float(header.column.unique > 0.95),
            )  # fmt: skip


def superlatives(question: Question) -> Iterator[Reading]:
    """The row with the largest or smallest value: another cell of it, or the value itself."""
    for trigger in [t for t in question.triggers if t.operator in ("most", "least", "first", "last")]:
        rank = _rank_before(question, trigger)
        span = frozenset(range(trigger.start - (rank > 1), trigger.end))
        timely = trigger.operator in ("first", "last")
        for order, large, _ in orders(question, trigger):
            if timely and order.column.kind not in ("date", "year"):
                continue
            for chosen in filters(question, blocked=span | order.used):
                rows = Best(chosen.where, order.column, large, rank)
                common = {"ranked": float(rank > 1)}
                frame = "extreme_time" if timely else "extreme"
                for target in targets(question, avoid=chosen.columns)[:4]:
                    if target.column is order.column:
                        yield _reading(
                            frame + "_value",
                            Cells(rows, order.column),
                            chosen,
                            order,
                            trigger=trigger,
                            **common,
                        )
                    else:
                        reading = _reading(
                            frame,
                            Cells(rows, target.column),
                            chosen,
                            order,
                            target,
                            trigger=trigger,
                            **common,
                        )
                        if rank > 1:
                            reading.used |= {trigger.start - 1}
                        yield reading


def _rank_before(question: Question, trigger: Trigger) -> int:
    """Return 2 for "second largest" and so on, else 1."""
    word = question.tokens[trigger.start - 1] if trigger.start else ""
    value = numeral(word) if word not in ("one", "two", "three") and not word.isdigit() else None
    return int(value) if value and 2 <= value <= 10 else 1


def edges(question: Question) -> Iterator[Reading]:
    """The first or last row, in the order of the table."""
    operators = ("first", "last", "before_last")
    for trigger in [t for t in question.triggers if t.operator in operators or t.phrase == "top"]:
        span = frozenset(range(trigger.start, trigger.end))
        for chosen in filters(question, blocked=span):
            offset = int(trigger.operator == "before_last")
            rows = Top(chosen.where, trigger.operator in ("last", "before_last"), offset=offset)
            for target in targets(question, avoid=chosen.columns):
                yield _reading(
                    "edge",
                    Cells(rows, target.column),
                    chosen,
                    target,
                    trigger=trigger,
                    bare=float(not chosen.conditions),
                )


def neighbours(question: Question) -> Iterator[Reading]:
    """The row after or before another."""
    for trigger in [t for t in question.triggers if t.operator in ("next", "previous")]:
        span = frozenset(range(trigger.start, trigger.end))
        for chosen in filters(question, blocked=span):
            if not chosen.conditions or not all(isinstance(c, Is) for c in chosen.conditions):
                continue
            rows = Beside(chosen.where, trigger.operator == "next")
            follows = float(min(chosen.used) - trigger.end <= 2 if chosen.used else 0)
            for target in targets(question):
                yield _reading(
                    "beside", Cells(rows, target.column), chosen, target, trigger=trigger, follows=follows
                )


def aggregates(question: Question) -> Iterator[Reading]:
    """Sum or mean of a column."""
    for trigger in [*question.has("sum"), *question.has("mean"), *_implied_sum(question)]:
        for header in sorted(question.headers, key=lambda h: -h.fit)[:4]:
            if header.column.kind not in ("number", "duration") and header.column.type not in (
                "integer",
                "number",
            ):
                continue
            choice = Choice(header.column, header.positions, (("aggregated", header.fit),))
            for chosen in filters(question, blocked=header.positions):
                frame = "mean" if trigger.operator == "mean" else "sum"
                function = "avg" if frame == "mean" else "sum"
                plan = Aggregate("avg" if function == "avg" else "sum", chosen.where, header.column)
                yield _reading(
                    frame, plan, chosen, choice, trigger=trigger if trigger.start < trigger.end else None,
                    implied=float(trigger.start == trigger.end), bare=float(not chosen.conditions),
                )  # fmt: skip


def _implied_sum(question: Question) -> list[Trigger]:
    """Return a trigger of no words: a question for a number may ask for a sum without saying so."""
    return (
        [Trigger("sum", 0, 0, "")]
        if question.form in ("count", "quantity") and not question.has("sum")
        else []
    )


def frequencies(question: Question) -> Iterator[Reading]:
    """The value with the most or fewest rows, or with the largest sum."""
    operators = {"most": True, "frequent": True, "least": False, "rare": False}
    for trigger in [t for t in question.triggers if t.operator in operators]:
        most = operators[trigger.operator]
        span = frozenset(range(trigger.start, trigger.end))
        plainly = float(trigger.operator in ("frequent", "rare"))
        for chosen in filters(question, blocked=span):
            for target in targets(question, avoid=chosen.columns)[:3]:
                if target.column.unique > 0.95:
                    continue
                yield _reading(
                    "frequent",
                    Frequent(chosen.where, target.column, most),
                    chosen,
                    target,
                    trigger=trigger,
                    plainly=plainly,
                )
                for order, large, _ in orders(question, trigger):
                    if (
                        dict(order.features).get("order_named")
                        and order.column is not target.column
                        and order.column.kind == "number"
                        and large
                    ):
                        yield _reading(
                            "largest_sum",
                            Frequent(chosen.where, target.column, most, order.column),
                            chosen,
                            target,
                            order,
                            trigger=trigger,
                        )


def _pairs(question: Question) -> Iterator[tuple[Column, Mention, Condition, Mention, Condition]]:
    """Yield two mentions of cells of one column."""
    for i, one in enumerate(question.mentions):
        for other in question.mentions[i + 1 :]:
            if other.start < one.end:
                continue
            for column, value in one.meanings:
                for column2, value2 in other.meanings:
                    if column is column2 and set(value.texts).isdisjoint(value2.texts):
                        yield (
                            column, one, Is(column, value.texts, one.phrase, exact=value.exact),
                            other, Is(column, value2.texts, other.phrase, exact=value2.exact),
                        )  # fmt: skip


def _pair_filter(column: Column, one: Mention, other: Mention, conditions: tuple[Condition, ...]) -> Filter:
    exact = sum(isinstance(c, Is) and c.exact for c in conditions)
    used = {*range(one.start, one.end), *range(other.start, other.end)}
    return Filter(
        list(conditions), used, Counter({"pair_exact": exact, "pair_part": len(conditions) - exact}), True
    )


def choices_of_two(question: Question) -> Iterator[Reading]:
    """Which of two has more, or came first."""
    either = question.has("either")
    if not either:
        return
    operators = ("most", "least", "greater", "smaller", "first", "last", "previous", "next")
    triggers = [t for t in question.triggers if t.operator in operators]
    for column, one, first, other, second in _pairs(question):
        between = [t for t in either if one.end <= t.start and t.end <= other.start + 1]
        if not between or other.start - one.end > 4:
            continue
        chosen = _pair_filter(column, one, other, (first, second))
        chosen.used |= set(range(between[0].start, between[0].end))
        here = Choice(
            column, frozenset(i for h in question.headers if h.column is column for i in h.positions), ()
        )
        for trigger in triggers:
            if trigger.operator in ("first", "last", "previous", "next"):
                late = trigger.operator in ("last", "next")
                yield _reading(
                    "pick_row", Cells(Top(chosen.where, late), column), chosen, here, trigger=trigger
                )
            for order, large, _ in orders(question, trigger):
                if order.column is not column:
                    yield _reading(
                        "pick",
                        Cells(Best(chosen.where, order.column, large), column),
                        chosen,
                        here,
                        order,
                        trigger=trigger,
                    )
            if trigger.operator in ("most", "least", "greater", "smaller"):
                most = trigger.operator in ("most", "greater")
                yield _reading(
                    "pick_frequent", Frequent(chosen.where, column, most), chosen, here, trigger=trigger
                )


def differences(question: Question) -> Iterator[Reading]:
    """By how much two rows, or two numbers of rows, differ."""
    for trigger in question.has("difference"):
        for column, one, first, other, second in _pairs(question):
            chosen = _pair_filter(column, one, other, (first, second))
            chosen.either = False
            for header in sorted(question.headers, key=lambda h: -h.fit)[:4]:
                if header.column is column or header.column.kind == "text" or header.positions & chosen.used:
                    continue
                if header.column.kind == "date" and _FINE & set(question.tokens):
                    continue  # dates are compared by their years here
                choice = Choice(header.column, header.positions, (("aggregated", header.fit),))
                plan = Difference(
                    Where((first,)), Where((second,)), header.column, header.column.kind == "date"
                )
                yield _reading("difference", plan, chosen, choice, trigger=trigger)
            yield _reading(
                "difference_count",
                Difference(Where((first,)), Where((second,)), None),
                chosen,
                trigger=trigger,
            )


_FINE = {"days", "day", "months", "month", "weeks", "week", "hours", "minutes"}


def others(question: Question) -> Iterator[Reading]:
    """Other rows with the same value of a column; rows beyond that of another row."""
    for trigger in question.has("same"):
        for header in question.headers:
            if not 0 <= header.start - trigger.end <= 2:
                continue
            for chosen in filters(question, blocked=header.positions):
                if not chosen.conditions:
                    continue
                choice = Choice(header.column, header.positions, (("aggregated", header.fit),))
                rows = Alike(chosen.where, header.column)
                if question.form == "count":
                    yield _reading("alike_count", Count(rows), chosen, choice, trigger=trigger)
                else:
                    for target in targets(question):
                        yield _reading(
                            "alike", Cells(rows, target.column), chosen, choice, target, trigger=trigger
                        )
    yield from _beyond(question)


def _beyond(question: Question) -> Iterator[Reading]:
    signs: dict[str, Sign] = {"greater": ">", "smaller": "<"}
    for trigger in [t for t in question.triggers if t.operator in signs]:
        if "than" not in question.tokens[trigger.end :]:
            continue
        than = question.tokens.index("than", trigger.end)
        for mention in question.mentions:
            if not 0 < mention.start - than <= 3:
                continue
            for column, value in mention.meanings:
                inner = Where((Is(column, value.texts, mention.phrase, exact=value.exact),))
                used = {than, *range(mention.start, mention.end)}
                chosen = Filter([], used, Counter({"pair_exact" if value.exact else "pair_part": 1}))
                for order, large, _ in orders(question, trigger):
                    if order.column is column:
                        continue
                    rows: Rows = Where((Beyond(order.column, ">" if large else "<", inner),))
                    if question.form == "count":
                        yield _reading("beyond_count", Count(rows), chosen, order, trigger=trigger)
                    else:
                        for target in targets(question)[:3]:
                            yield _reading(
                                "beyond", Cells(rows, target.column), chosen, order, target, trigger=trigger
                            )


FRAMES: tuple[Callable[[Question], Iterator[Reading]], ...] = (
    lookups, counts, superlatives, edges, neighbours, aggregates, frequencies, choices_of_two, differences, others,
)  # fmt: skip
__all__ = ["FRAMES", "Both", "Reading", "derive", "stem"]
