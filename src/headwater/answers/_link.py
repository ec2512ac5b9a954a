"""What the words of a question may mean in a table: columns, values, numbers, operators."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta

from headwater.answers._cells import number_of
from headwater.answers._grid import Column, Grid, Value
from headwater.answers._plan import Sign
from headwater.answers._words import lexicon, numeral, plain, root, stem, words

LONGEST = 9
"""Words of the longest phrase looked up among values."""

GAP = 2
"""Words that may stand between the words of one column's name."""

EXACT, ROOT, SYNONYM, DESCRIBED = 1.0, 0.85, 0.5, 0.4
"""How well a word fits a word of a header: the same stem, the same root, a synonym, a word of its description."""

MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july", "august", "september", "october"),
    *("november", "december"),
)

_DECADE = re.compile(r"\b(1[5-9]|20)?(\d0)'?s\b")


@dataclass(frozen=True, slots=True)
class Trigger:
    """An operator called for by the words from `start` to `end`."""

    operator: str
    start: int
    end: int
    phrase: str


@dataclass(frozen=True, slots=True)
class Mention:
    """Words that name cells: one entry a column that has them."""

    start: int
    end: int
    phrase: str
    meanings: tuple[tuple[Column, Value], ...]


@dataclass(frozen=True, slots=True)
class Header:
    """Words that name a column, and how well (0 to 1); `head` if the noun that says what it holds is among them."""

    start: int
    end: int
    column: Column
    fit: float
    positions: frozenset[int]
    head: bool = True


@dataclass(frozen=True, slots=True)
class Comparison:
    """A number or year that cells are compared with; `until` ends a range, `period` is from and before two dates."""

    start: int
    end: int
    sign: Sign
    value: float
    timely: bool
    until: float | None = None
    period: tuple[str, str] | None = None


@dataclass
class Question:
    """A question, linked to one table.

    Attributes:
        text: as asked.
        tokens: its words, plain.
        form: how it asks (see `forms` in the lexicon).
        grid: the table.
    """

    text: str
    tokens: tuple[str, ...]
    form: str
    grid: Grid
    triggers: list[Trigger] = field(default_factory=list)
    mentions: list[Mention] = field(default_factory=list)
    headers: list[Header] = field(default_factory=list)
    comparisons: list[Comparison] = field(default_factory=list)

    def has(self, operator: str) -> list[Trigger]:
        """Return the triggers of an operator."""
        return [t for t in self.triggers if t.operator == operator]

    def content(self) -> list[int]:
        """Return the positions of words with content."""
        stop = lexicon().stop
        return [i for i, w in enumerate(self.tokens) if w not in stop and len(w) > 1 or w.isdigit()]


def link(text: str, grid: Grid) -> Question:
    """Link the words of a question to a table."""
    tokens = words(text)
    flat = plain(text)
    form = next(name for name, pattern in lexicon().forms.items() if pattern.search(flat))
    question = Question(text, tokens, form, grid)
    question.triggers = list(_triggers(tokens))
    question.comparisons = list(_comparisons(flat, tokens))
    question.headers = [h for column in grid.columns for h in _headers(tokens, column)]
    question.mentions = _mentions(question) + _ranks(question) + _flags(question)
    question.mentions += list(_equivalents(question))
    return question


def _triggers(tokens: tuple[str, ...]) -> Iterator[Trigger]:
    """Yield triggers; a phrase inside a longer one does not count."""
    vocabulary = lexicon().triggers
    longest = max(map(len, vocabulary))
    covered = 0
    for start in range(len(tokens)):
        for end in range(min(len(tokens), start + longest), start, -1):
            operators = vocabulary.get(tokens[start:end])
            if operators and end > covered:
                covered = end
                for operator in operators:
                    yield Trigger(operator, start, end, " ".join(tokens[start:end]))
                break


def _is_year(value: float) -> bool:
    return 1500 <= value < 2100 and value == int(value)


def _comparisons(flat: str, tokens: tuple[str, ...]) -> Iterator[Comparison]:
    """Yield "more than 30", "30 or more", "after 2000", "between 5 and 9", "in the 1990s"."""
    vocabulary, timely = lexicon().comparators, lexicon().time_comparators
    numbers = [numeral(w) for w in tokens]
    for match in _DECADE.finditer(flat):
        year = int((match[1] or ("20" if match[2] in ("00", "10") else "19")) + match[2])
        at = next((i for i, w in enumerate(tokens) if w == (match[1] or "") + match[2]), None)
        if at is not None:
            yield Comparison(at, at + 1, ">=", year, True, year + 9)
    yield from _periods(tokens, numbers)
    for i, value in enumerate(numbers):
        if value is None:
            continue
        if (
            (
                i + 1 < len(tokens)
                and _is_year(value)
                and (until := numbers[i + 1]) is not None
                and _is_year(until)
            )
            and f"{tokens[i]}-{tokens[i + 1]}" in flat
            and until > value
        ):
            yield Comparison(i, i + 2, ">=", value, True, until)
            continue
        if i + 2 < len(tokens) and i and (until := numbers[i + 2]) is not None:
            ranged = (tokens[i - 1], tokens[i + 1]) in {
                ("between", "and"),
                ("from", "to"),
                ("from", "through"),
            }
            if ranged:
                yield Comparison(i - 1, i + 3, ">=", value, _is_year(value), until)
                continue
        if re.search(rf"\b{re.escape(tokens[i])}:\d", flat):
            continue  # a time of day or of a race
        for width in (3, 2, 1):
            before, after = tokens[max(i - width, 0) : i], tokens[i + 1 : i + 1 + width]
            if _is_year(value) and before in timely and len(before) == width:
                yield Comparison(i - width, i + 1, _sign(timely[before]), value, True)
                break
            if before in vocabulary and len(before) == width:
                yield Comparison(i - width, i + 1, _sign(vocabulary[before]), value, False)
                break
            if after in vocabulary and len(after) == width and after[0] in ("or", "and"):
                yield Comparison(i, i + 1 + width, _sign(vocabulary[after]), value, False)
                break


def _periods(tokens: tuple[str, ...], numbers: list[float | None]) -> Iterator[Comparison]:
    """Yield "July 2020" and "July 4, 2020" (or "4 July 2020") as periods."""
    for i, word in enumerate(tokens):
        month = next((m for m, name in enumerate(MONTHS, 1) if word in (name, name[:3])), None)
        if month is None:
            continue
        after = numbers[i + 1 : i + 3]
        if after and after[0] is not None and _is_year(after[0]):
            year, end = int(after[0]), i + 2
            day = numbers[i - 1] if i and numbers[i - 1] and tokens[i - 1].isdigit() else None
            start = i - 1 if day else i
        elif len(after) == 2 and after[1] is not None and _is_year(after[1]):
            year, day, start, end = int(after[1]), after[0], i, i + 3
        else:
            continue
        try:
            first = date(year, month, int(day or 1))
        except ValueError:
            continue
        until = first + timedelta(1) if day else date(year + month // 12, month % 12 + 1, 1)
        yield Comparison(start, end, ">=", year, True, period=(first.isoformat(), until.isoformat()))


def _sign(text: str) -> Sign:
    signs: dict[str, Sign] = {">": ">", "<": "<", ">=": ">=", "<=": "<=", "=": "="}
    return signs[text]


def _headers(tokens: tuple[str, ...], column: Column) -> Iterator[Header]:
    """Yield the places where a column is named, each with the share of its name's words that stand there."""
    stop, synonyms = lexicon().stop, lexicon().synonyms
    names = [w for w in column.words if w not in stop or len(column.words) == 1]
    stems, roots = {stem(w) for w in names}, {root(w) for w in names}
    core = len({stem(w) for w in column.core if w not in stop or len(column.core) == 1})
    heads = {column.head, root(column.head)}
    described = {stem(w) for w in column.described if w not in stop}
    fits: dict[int, float] = {}
    for i, word in enumerate(tokens):
        if word in stop and word not in ("who", "when", "where"):
            continue
        base = stem(word)
        if base in stems:
            fits[i] = EXACT
        elif root(word) in roots:
            fits[i] = ROOT
        elif synonyms.get(base, frozenset()) & stems:
            fits[i] = SYNONYM
        elif base in described:
            fits[i] = DESCRIBED
    group: list[int] = []
    for i in [*sorted(fits), len(tokens) + GAP + 2]:
        if group and i - group[-1] > GAP:
            named = {stem(tokens[j]): fits[j] for j in group}
            told = sum(f for f in named.values() if f == DESCRIBED)
            fit = min(1.0, (sum(named.values()) - told) / max(core, 1)) + min(0.2, told / 4)
            head = column.unsaid or any(
                heads & {base, root(base), *(synonyms.get(base, ()) if f == SYNONYM else ())}
                for base, f in named.items()
            )
            yield Header(group[0], group[-1] + 1, column, fit, frozenset(group), head)
            group = []
        group.append(i)


def _equivalents(question: Question) -> Iterator[Mention]:
    """Yield "german" as a mention of "Germany" or "GER", "montana" of "MT", and "won" as one of "W 26-6" in a column of outcomes."""
    tokens, outcomes = question.tokens, lexicon().outcomes
    known = lexicon().codes | lexicon().nations
    for i, word in enumerate(tokens):
        for width in (2, 1):
            names = known.get(tokens[i : i + width])
            if names:
                meanings = [
                    (column, value)
                    for column in question.grid.columns
                    if not _named(question, i, i + width, column) and (value := _any_of(column, names))
                ]
                if meanings:
                    yield Mention(i, i + width, " ".join(tokens[i : i + width]), tuple(meanings))
                break
        if word in outcomes and len(word) > 1:
            meanings = [
                (column, Value(texts, True, 1.0))
                for column in question.grid.columns
                if _is_outcome(column)
                and (
                    texts := tuple(
                        t for t in column.distinct if words(t)[:1] and words(t)[0] in outcomes[word]
                    )
                )
            ]
            if meanings:
                yield Mention(i, i + 1, word, tuple(meanings))


def _any_of(column: Column, names: tuple[tuple[str, ...], ...]) -> Value | None:
    """Return the cells that are, or contain, one of some names; codes of three letters only in brackets or alone."""
    values = [v for name in names if (v := column.find(name)) and (v.exact or len(name[0]) > 3)]
    texts = tuple(dict.fromkeys(t for v in values for t in v.texts))
    return Value(texts, all(v.exact for v in values), max(v.share for v in values)) if values else None


def _named(question: Question, start: int, end: int, column: Column) -> bool:
    return any(
        m.start <= start and m.end >= end and any(c is column and v.exact for c, v in m.meanings)
        for m in question.mentions
    )


def _is_outcome(column: Column) -> bool:
    """Tell whether nearly all cells of a column begin with the outcome of a game."""
    firsts = [words(t)[:1] for t in column.distinct]
    return bool(firsts) and sum(f[:1] != () and f[0] in lexicon().outcomes for f in firsts) >= 0.8 * len(
        firsts
    )


def _ranks(question: Question) -> list[Mention]:
    """Return "first place" and "2nd" as mentions of that number in columns of ranks."""
    found = []
    ranked = lexicon().directions["inverted_columns"]
    ordinals = {w for phrase in _ORDINALS.finditer(plain(question.text)) for w in words(phrase[0])}
    for i, word in enumerate(question.tokens):
        number = numeral(word)
        if word not in ordinals or number is None:
            continue
        wide = i + 1 < len(question.tokens) and question.tokens[i + 1] in ranked
        meanings = []
        for column in question.grid.columns:
            if {stem(w) for w in column.words} & ranked:
                texts = tuple(t for t in column.distinct if number_of(t) == number and len(words(t)) < 3)
                if texts:
                    meanings.append((column, Value(texts, True, 1.0)))
        if meanings:
            end = i + 2 if wide else i + 1
            found.append(Mention(i, end, " ".join(question.tokens[i:end]), tuple(meanings)))
    return found


def _flags(question: Question) -> list[Mention]:
    """Return "survived" as a mention of "yes" in a column of that name that says yes or no."""
    found: dict[tuple[int, int], list[tuple[Column, Value]]] = {}
    for header in question.headers:
        if header.fit >= EXACT * ROOT and (told := header.column.flag):
            found.setdefault((header.start, header.end), []).append((header.column, Value(told, True, 1.0)))
    return [
        Mention(start, end, " ".join(question.tokens[start:end]), tuple(meanings))
        for (start, end), meanings in found.items()
    ]


_ORDINALS = re.compile(
    r"\b(first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\d+(st|nd|rd|th))\b"
)


def _mentions(question: Question) -> list[Mention]:
    """Return the phrases that name cells; in each column only the longest."""
    tokens, stop, light = question.tokens, lexicon().stop, lexicon().light
    operators = {i for t in question.triggers for i in range(t.start, t.end)}
    found: list[Mention] = []
    for start in range(len(tokens)):
        for end in range(min(len(tokens), start + LONGEST), start, -1):
            phrase = tokens[start:end]
            content = [w for w in phrase if w not in stop]
            if not content or (phrase[0] in stop or phrase[-1] in stop) and len(content) < 2:
                continue
            weak = len(content) == 1 and (root(content[0]) in light or start in operators)
            meanings = []
            for column in question.grid.columns:
                value = column.find(phrase)
                inside = any(
                    m.start <= start and m.end >= end and any(c is column for c, _ in m.meanings)
                    for m in found
                )
                if value and not inside and (value.exact or not weak):
                    meanings.append((column, value))
            if meanings:
                found.append(Mention(start, end, " ".join(phrase), tuple(meanings)))
    return found
