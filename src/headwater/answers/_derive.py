"""Readings of a question: typed plans, each with the words it explains and the features that speak for it.

One function a frame: the frames are the operators of the plan language, called for by the words of the lexicon. A
frame combines sets of conditions with columns for the answer and for the order; what is likely is left to the weights.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from headwater.answers._filters import Filter, filters
from headwater.answers._grid import Column
from headwater.answers._link import Header, Mention, Question, Trigger
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
from headwater.answers._words import lexicon, numeral, stem

TARGETS, ORDERS = 5, 4
"""Columns tried for the answer and for the order."""

WH_WINDOW = 4
"""Words after "which" or "what" within which the column of the answer is named."""


@dataclass
class Reading:
    """A plan, the words it explains and its features."""

    plan: Plan
    frame: str
    used: frozenset[int]
    features: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class Choice:
    """A column chosen for a role, the words that say so, and the features of the choice."""

    column: Column
    used: frozenset[int]
    features: tuple[tuple[str, float], ...]


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
        used |= set(range(trigger.start, trigger.end))
    counted.update(features)
    return Reading(plan, frame, frozenset(used), counted)


def targets(question: Question, *, avoid: set[int] = frozenset()) -> list[Choice]:  # type: ignore[assignment]
    """Return columns that may hold the answer, likely ones first.

    Args:
        question: linked to its table.
        avoid: positions of columns that the question's conditions speak of.
    """
    asked = [
        i
        for i, w in enumerate(question.tokens)
        if w in ("which", "what", "who", "when", "where", "name", "list", "many", "much")
    ]
    window = {i for a in asked for i in range(a, a + WH_WINDOW)}
    best: dict[int, Choice] = {}
    ranked: list[tuple[float, int]] = []
    for header in question.headers:
        asked_for = header.start in window
        name = "target_asked" if asked_for else "target_named"
        worth = header.fit + (0.5 if asked_for else 0)
        features = ((name, header.fit), (name + "_any", 1.0))
        position = header.column.position
        if worth > next((w for w, p in ranked if p == position), -1):
            ranked = [(w, p) for w, p in ranked if p != position] + [(worth, position)]
            best[position] = Choice(header.column, header.positions, features)
    subject = question.grid.subject
    if subject.position not in best:
        best[subject.position] = Choice(subject, _generic(question, subject), (("target_subject", 1.0),))
        ranked.append((0.4, subject.position))
    for column in question.grid.columns:
        if column.position not in best and column.position not in avoid:
            best[column.position] = Choice(column, frozenset(), (("target_guessed", 1.0),))
            ranked.append((0.1 - column.position / 1000, column.position))
    order = [best[p] for _, p in sorted(ranked, reverse=True)][:TARGETS]
    noun = _asked_for(question)
    return [
        Choice(
            c.column,
            c.used,
            (
                *c.features,
                *_role(question, c.column),
                *((("target_filtered", 1.0),) if c.column.position in avoid else ()),
                *((("target_missed", 1.0),) if noun and c.column.position not in noun else ()),
            ),
        )
        for c in order
    ]


def _generic(question: Question, subject: Column) -> frozenset[int]:
    """Return the noun asked for where the column that names the rows is headed by no more than "name" or "entity"."""
    if not set(subject.words) <= {"name", "names", "entity", "title", "item", "label"}:
        return frozenset()
    tokens, stop = question.tokens, lexicon().stop
    at = [i for i, w in enumerate(tokens[:-1]) if w in ("which", "what") and tokens[i + 1] not in stop]
    return frozenset({at[0] + 1}) if at else frozenset()


def _asked_for(question: Question) -> set[int]:
    """Return the columns that the noun right after "which" or "what" names."""
    at = [i for i, w in enumerate(question.tokens) if w in ("which", "what", "whose")]
    close = [h for h in question.headers if h.fit >= 0.5 and any(0 < h.start - i <= 2 for i in at)]
    return {h.column.position for h in close}


def _role(question: Question, column: Column) -> tuple[tuple[str, float], ...]:
    """Tell whether the kind of a column is what the question's form asks for."""
    fits = {
        "who": column.kind == "text", "where": column.kind == "text", "when": column.kind in ("date", "year"),
        "count": column.kind == "number", "quantity": column.kind in ("number", "duration"),
        "times": column.kind == "number", "duration": column.kind in ("number", "duration"),
    }.get(question.form)  # fmt: skip
    return (("role_fits", 1.0),) if fits else (("role_unfit", 1.0),) if fits is False else ()


def orders(question: Question, trigger: Trigger) -> Iterator[tuple[Choice, bool, Trigger]]:
    """Yield columns that a superlative may order by, and whether the largest value is meant."""
    large = trigger.operator in ("most", "greater", "last")
    speaks = lexicon().superlatives.get(trigger.phrase, frozenset())
    turns = lexicon().directions
    ranked: list[tuple[float, Choice]] = []
    for column in question.grid.columns:
        if column.kind == "text":
            continue
        headers = [h for h in question.headers if h.column is column]
        header = max(headers, key=lambda h: h.fit - 0.1 * _gap(h, trigger), default=None)
        hinted = bool(speaks & set(column.stems))
        features: list[tuple[str, float]] = []
        used: frozenset[int] = frozenset()
        if header:
            features += [
                ("order_named", header.fit),
                ("order_named_any", 1.0),
                ("order_gap", min(_gap(header, trigger), 6) / 6),
            ]
            used = header.positions
        elif not hinted:
            features += [("order_guessed", 1.0)]
        if set(column.stems) & turns["rate_columns"] - set(map(stem, question.tokens)):
            features += [("order_rate", 1.0)]
        if hinted:
            features += [("order_hinted_too" if header else "order_hinted", 1.0)]
        worth = (header.fit if header else 0) + 0.6 * hinted - (0.1 * _gap(header, trigger) if header else 0)
        if column.position == 0 and not header:
            worth -= 0.3
        ranked.append((worth, Choice(column, used, tuple(features))))
    if trigger.phrase in _MEASURED:
        told = [r for r in ranked if {n for n, _ in r[1].features} & {"order_hinted", "order_hinted_too"}]
        ranked = told or ranked
    for _, choice in sorted(ranked, key=lambda r: -r[0])[:ORDERS]:
        ranked_word = bool(set(question.tokens[trigger.end : trigger.end + 3]) & turns["inverted_columns"])
        turned = _inverted(choice.column, trigger.phrase)
        if ranked_word and choice.column.kind == "number":
            turned = trigger.phrase in turns["inverted_by_rank"]
        yield choice, large != turned, trigger


_MEASURED = frozenset(
    {
        "longest",
        "shortest",
        "tallest",
        "heaviest",
        "oldest",
        "youngest",
        "newest",
        "fastest",
        "slowest",
        "cheapest",
        "deadliest",
    }
)
"""Superlatives that say themselves what is measured."""


def _gap(header: Header, trigger: Trigger) -> int:
    return max(header.start - trigger.end, trigger.start - header.end, 0)


def _inverted(column: Column, phrase: str) -> bool:
    """Tell whether a superlative turns round on a column: the best rank is the smallest, the oldest has the first date."""
    turns = lexicon().directions
    if column.kind in ("date", "year"):
        return phrase in turns["inverted_by_date"]
    names = set(column.stems)
    if column.kind == "duration":
        return phrase in turns["inverted_by_time"]
    if names & turns["inverted_columns"]:
        return phrase in turns["inverted_by_rank"]
    if phrase in turns["inverted_by_time"] - {"best", "better"}:
        return not names & turns["speed_columns"]
    return "age" in names and phrase in turns["smallest_by_age"]


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
