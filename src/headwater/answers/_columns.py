"""Columns for the roles of a plan: the one that holds the answer, the one that orders."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass

from headwater.answers._grid import Column
from headwater.answers._link import Header, Question, Trigger
from headwater.answers._words import lexicon, root, stem

DESCRIBED_ONCE = 0.1
"""How well a single word of a column's description names it, which is not enough to ask for it."""

TARGETS, ORDERS = 5, 4
"""Columns tried for the answer and for the order."""

WH_WINDOW = 4
"""Words after "which" or "what" within which the column of the answer is named."""


@dataclass(frozen=True)
class Choice:
    """A column chosen for a role, the words that say so, and the features of the choice."""

    column: Column
    used: frozenset[int]
    features: tuple[tuple[str, float], ...]


def targets(question: Question, *, avoid: Set[int] = frozenset()) -> list[Choice]:
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
    window = {i for a in asked for i in range(a, a + WH_WINDOW)} | set(asked_phrase(question.tokens))
    best: dict[int, Choice] = {}
    ranked: list[tuple[float, int]] = []
    for header in [h for h in question.headers if h.fit > DESCRIBED_ONCE]:
        asked_for = header.start in window
        name = "target_asked" if asked_for else "target_named"
        worth = header.fit + (0.5 if asked_for else 0)
        features = (
            (name, header.fit),
            (name + "_any", 1.0),
            ("target_headless", float(not header.head)),
            ("target_beaten", float(_beaten(question, header))),
        )
        position = header.column.position
        if worth > next((w for w, p in ranked if p == position), -1):
            ranked = [(w, p) for w, p in ranked if p != position] + [(worth, position)]
            best[position] = Choice(header.column, header.positions, features)
    for subject in _subjects(question):
        if subject.position not in best:
            best[subject.position] = Choice(subject, _generic(question, subject), (("target_subject", 1.0),))
            ranked.append((0.4, subject.position))
    for column in question.grid.columns:
        if column.position not in best and column.unsaid:
            named = (("target_named", 0.5), ("target_named_any", 1.0))
            best[column.position] = Choice(column, frozenset(), named)
            ranked.append((0.5, column.position))
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


def _beaten(question: Question, header: Header) -> bool:
    """Tell whether another column is named better by the same words."""
    return any(
        h.column is not header.column and h.positions >= header.positions and h.fit > header.fit + 0.1
        for h in question.headers
    )


def _subjects(question: Question) -> list[Column]:
    """Return the column that names the rows, and one headed "name" if the title says that it names what is asked for."""
    grid = question.grid
    phrase = asked_phrase(question.tokens)
    named = phrase and root(question.tokens[phrase[0]]) in {root(w) for w in grid.title}
    return [c for c in grid.columns if c is grid.subject or named and c.words in (("name",), ("title",))]


def _generic(question: Question, subject: Column) -> frozenset[int]:
    """Return the noun asked for where the column that names the rows is headed by no more than "name" or "entity".

    Of a table in a lake, the title must tell of it.
    """
    if not set(subject.words) <= {"name", "names", "entity", "title", "item", "label"}:
        return frozenset()
    tokens, stop = question.tokens, lexicon().stop
    at = [i for i, w in enumerate(tokens[:-1]) if w in ("which", "what") and tokens[i + 1] not in stop]
    other = (
        not at or question.grid.told and root(tokens[at[0] + 1]) not in {root(w) for w in question.grid.title}
    )
    return frozenset() if other else frozenset({at[0] + 1})


def _asked_for(question: Question) -> set[int]:
    """Return the columns that the noun after "which" or "what" names: by its last word, else by its first."""
    phrase = asked_phrase(question.tokens)
    for i in [*phrase[::-1][:1], *phrase[:1]]:
        named = {h.column.position for h in question.headers if h.fit >= 0.5 and i in h.positions}
        if named:
            return named
    return set()


def asked_phrase(tokens: tuple[str, ...]) -> list[int]:
    """Return the positions of the noun phrase that is asked for: "currency code" in "What is the currency code of Chad?"."""
    stop = lexicon().stop
    at = next((i for i, w in enumerate(tokens) if w in ("which", "what", "whose")), None)
    if at is None:
        return []
    start = at + 1
    while start < len(tokens) and tokens[start] in _BEFORE_NOUN:
        start += 1
    end = start
    while end < len(tokens) and tokens[end] not in stop:
        end += 1
    return list(range(start, end))


_BEFORE_NOUN = frozenset({"is", "are", "was", "were", "the", "a", "an", "s", "of", "these", "those", "other"})


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
                ("order_headless", float(not header.head)),
                ("order_beaten", float(_beaten(question, header))),
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
