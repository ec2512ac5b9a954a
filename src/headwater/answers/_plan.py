"""Typed plans: sets of rows and values computed from them, and how they are written in SQL and in words.

A set of rows is a condition on `_row`, the record's number in its source, so every plan knows the rows that prove it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Literal, Protocol

from headwater.answers._grid import Column

MAX_LISTED = 40
"""Texts that a condition lists; with more, it is a pattern."""

Sign = Literal["=", ">", "<", ">=", "<="]


def literal(text: str) -> str:
    """Return a text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)


def _in(source: str, condition: str) -> str:
    """Return the part of a statement that reads the rows of a source that meet a condition."""
    return f"from {source}" if condition == "true" else f"from {source} where {condition}"


class Condition(Protocol):
    """What a row must meet."""

    @property
    def column(self) -> Column:
        """The column it speaks of."""
        ...

    def sql(self, source: str) -> str:
        """Return it as an SQL expression."""
        ...


@dataclass(frozen=True, eq=False)
class Is:
    """The cell is one of some texts (those that equal or contain what the question says)."""

    column: Column
    texts: tuple[str, ...]
    phrase: str
    negated: bool = False
    exact: bool = True

    def sql(self, source: str) -> str:
        """Return it as an SQL expression."""
        if len(self.texts) > MAX_LISTED:
            pattern = r"(?i)\b" + r"\W+".join(self.phrase.split())
            test = f"regexp_matches({self.column.text}, {literal(pattern)})"
        elif len(self.texts) == 1:
            test = f"{self.column.text} = {literal(self.texts[0])}"
        else:
            test = f"{self.column.text} in ({', '.join(map(literal, self.texts))})"
        return f"({test}) is not true" if self.negated else test

    def __str__(self) -> str:
        verb = ("is" if self.exact else "contains") if not self.negated else "is not"
        return f"{self.column.name} {verb} {self.phrase!r}"


@dataclass(frozen=True, eq=False)
class Compared:
    """The cell's number, or year, compares with a number."""

    column: Column
    sign: Sign
    value: float
    year: bool = False

    def sql(self, source: str) -> str:
        """Return it as an SQL expression."""
        return f"{self.column.year if self.year else self.column.ordered} {self.sign} {_number(self.value)}"

    def __str__(self) -> str:
        return f"{self.column.name} {self.sign} {_number(self.value)}"


@dataclass(frozen=True, eq=False)
class During:
    """The cell's date lies in a period: from `start`, before `end` (ISO dates)."""

    column: Column
    start: str
    end: str

    def sql(self, source: str) -> str:
        """Return it as an SQL expression."""
        date = self.column.ordered
        return f"{date} >= timestamp '{self.start}' and {date} < timestamp '{self.end}'"

    def __str__(self) -> str:
        return f"{self.column.name} from {self.start} to before {self.end}"


@dataclass(frozen=True, eq=False)
class Beyond:
    """The cell's number, or date, compares with that of another row: the nested step."""

    column: Column
    sign: Sign
    rows: Rows

    def sql(self, source: str) -> str:
        """Return it as an SQL expression."""
        inner = f"select {self.column.ordered} {_in(source, self.rows.sql(source))}"
        return f"{self.column.ordered} {self.sign} ({inner} order by _row limit 1)"

    def __str__(self) -> str:
        return f"{self.column.name} {self.sign} that of the row where {self.rows}"


class Rows(Protocol):
    """A set of rows."""

    def sql(self, source: str) -> str:
        """Return the condition on a row to be in the set."""
        ...


@dataclass(frozen=True, eq=False)
class Where:
    """Rows that meet all, or any, of some conditions; without conditions, all rows."""

    conditions: tuple[Condition, ...] = ()
    either: bool = False

    def sql(self, source: str) -> str:
        """Return the condition."""
        if not self.conditions:
            return "true"
        joined = (" or " if self.either else " and ").join(c.sql(source) for c in self.conditions)
        return f"({joined})" if self.either else joined

    def __str__(self) -> str:
        return (" or " if self.either else " and ").join(map(str, self.conditions)) or "all rows"


@dataclass(frozen=True, eq=False)
class Both:
    """Rows that are in two sets."""

    one: Rows
    other: Rows

    def sql(self, source: str) -> str:
        """Return the condition."""
        parts = [p for p in (self.one.sql(source), self.other.sql(source)) if p != "true"]
        return " and ".join(parts) or "true"

    def __str__(self) -> str:
        return f"{self.one}, {self.other}"


@dataclass(frozen=True, eq=False)
class Best:
    """Rows with the largest or smallest value of a column; of equal ones all. `rank` 2 is the second largest value."""

    rows: Rows
    column: Column
    largest: bool
    rank: int = 1

    def sql(self, source: str) -> str:
        """Return the condition."""
        inner = self.rows.sql(source)
        function = "max" if self.largest else "min"
        column = self.column.ordered
        if self.rank == 1:
            best = f"select {function}({column}) {_in(source, inner)}"
        else:
            best = (
                f"select distinct {column} as value from {source} where {inner} and {column} is not null "
                f"order by value {'desc' if self.largest else 'asc'} limit 1 offset {self.rank - 1}"
            )
        return f"{inner} and {column} = ({best})" if inner != "true" else f"{column} = ({best})"

    def __str__(self) -> str:
        place = "" if self.rank == 1 else f"number {self.rank} by "
        return f"{place}{'largest' if self.largest else 'smallest'} {self.column.name} among {self.rows}"


@dataclass(frozen=True, eq=False)
class Top:
    """The first or last rows of a set, in the order of the table."""

    rows: Rows
    last: bool
    count: int = 1
    offset: int = 0

    def sql(self, source: str) -> str:
        """Return the condition."""
        inner = self.rows.sql(source)
        if self.count == 1 and not self.offset:
            return f"_row = (select {'max' if self.last else 'min'}(_row) {_in(source, inner)})"
        order = "desc" if self.last else "asc"
        offset = f" offset {self.offset}" if self.offset else ""
        return f"_row in (select _row {_in(source, inner)} order by _row {order} limit {self.count}{offset})"

    def __str__(self) -> str:
        if self.offset:
            return f"row {self.offset + 1} from the {'bottom' if self.last else 'top'} among {self.rows}"
        return (
            f"{'last' if self.last else 'first'} {self.count if self.count > 1 else 'row'} among {self.rows}"
        )


@dataclass(frozen=True, eq=False)
class Beside:
    """The row after, or before, a set of rows."""

    rows: Rows
    after: bool
    within: Rows = Where()

    def sql(self, source: str) -> str:
        """Return the condition."""
        inner, within = self.rows.sql(source), self.within.sql(source)
        also = "" if within == "true" else f" and {within}"
        if self.after:
            edge = f"_row > (select max(_row) {_in(source, inner)})"
            return f"_row = (select min(_row) from {source} where {edge}{also})"
        edge = f"_row < (select min(_row) {_in(source, inner)})"
        return f"_row = (select max(_row) from {source} where {edge}{also})"

    def __str__(self) -> str:
        return f"row {'after' if self.after else 'before'} {self.rows}"


@dataclass(frozen=True, eq=False)
class Alike:
    """Rows with the same value of a column as some rows, without these."""

    rows: Rows
    column: Column

    def sql(self, source: str) -> str:
        """Return the condition."""
        inner = self.rows.sql(source)
        values = f"select {self.column.quoted} {_in(source, inner)}"
        return f"{self.column.quoted} in ({values}) and ({inner}) is not true"

    def __str__(self) -> str:
        return f"other rows with the {self.column.name} of {self.rows}"


class Plan(Protocol):
    """A value computed from a table."""

    @property
    def rows(self) -> Rows:
        """The rows that prove it."""
        ...

    @property
    def shown(self) -> Sequence[Column]:
        """The columns that prove it."""
        ...

    def sql(self, source: str) -> str:
        """Return the statement; its first column holds the values."""
        ...


@dataclass(frozen=True, eq=False)
class Cells:
    """Values of a column in some rows."""

    rows: Rows
    column: Column

    @property
    def shown(self) -> Sequence[Column]:
        """The column."""
        return (self.column,)

    def sql(self, source: str) -> str:
        """Return the statement."""
        return f"select {self.column.quoted} {_in(source, self.rows.sql(source))} order by _row"

    def __str__(self) -> str:
        return f"{self.column.name} of {self.rows}"


@dataclass(frozen=True, eq=False)
class Count:
    """Number of rows, or of different values of a column in them."""

    rows: Rows
    column: Column | None = None

    @property
    def shown(self) -> Sequence[Column]:
        """The column, if one is counted."""
        return (self.column,) if self.column else ()

    def sql(self, source: str) -> str:
        """Return the statement."""
        what = f"distinct {self.column.quoted}" if self.column else "*"
        return f"select count({what}) {_in(source, self.rows.sql(source))}"

    def __str__(self) -> str:
        what = f"different {self.column.name}" if self.column else "rows"
        return f"number of {what}: {self.rows}"


@dataclass(frozen=True, eq=False)
class Aggregate:
    """Sum or mean of a column over some rows."""

    function: Literal["sum", "avg"]
    rows: Rows
    column: Column

    @property
    def shown(self) -> Sequence[Column]:
        """The column."""
        return (self.column,)

    def sql(self, source: str) -> str:
        """Return the statement."""
        return f"select {self.function}({self.column.ordered}) {_in(source, self.rows.sql(source))}"

    def __str__(self) -> str:
        return f"{'sum' if self.function == 'sum' else 'mean'} of {self.column.name}: {self.rows}"


@dataclass(frozen=True, eq=False)
class Difference:
    """By how much a column, or the number of rows, differs between two sets of rows."""

    first: Rows
    second: Rows
    column: Column | None
    by_year: bool = False

    @property
    def rows(self) -> Rows:
        """Both sets."""
        return Union(self.first, self.second)

    @property
    def shown(self) -> Sequence[Column]:
        """The column."""
        return (self.column,) if self.column else ()

    def sql(self, source: str) -> str:
        """Return the statement."""
        if self.column is None:
            parts = [f"(select count(*) {_in(source, r.sql(source))})" for r in (self.first, self.second)]
        else:
            value = self.column.year if self.by_year else self.column.ordered
            parts = [
                f"(select {value} {_in(source, r.sql(source))} order by _row limit 1)"
                for r in (self.first, self.second)
            ]
        return f"select round(abs({parts[0]} - {parts[1]}), 6)"

    def __str__(self) -> str:
        what = self.column.name if self.column else "the number of rows"
        return f"difference in {what} between ({self.first}) and ({self.second})"


@dataclass(frozen=True, eq=False)
class Union:
    """Rows that are in either of two sets."""

    one: Rows
    other: Rows

    def sql(self, source: str) -> str:
        """Return the condition."""
        return f"(({self.one.sql(source)}) or ({self.other.sql(source)}))"


@dataclass(frozen=True, eq=False)
class Frequent:
    """Values of a column with the most, or fewest, rows, or with the largest sum of another column."""

    rows: Rows
    column: Column
    most: bool = True
    measure: Column | None = None

    @property
    def shown(self) -> Sequence[Column]:
        """The columns."""
        return (self.column, self.measure) if self.measure else (self.column,)

    def sql(self, source: str) -> str:
        """Return the statement."""
        weight = f"sum({self.measure.ordered})" if self.measure else "count(*)"
        name = self.column.quoted
        order = "desc" if self.most else "asc"
        grouped = (
            f"select {name} as value, rank() over (order by {weight} {order} nulls last) as place "
            f"from {source} where {self.rows.sql(source)} and {name} is not null group by {name}"
        )
        return f"select value from ({grouped}) where place = 1 order by value"

    def __str__(self) -> str:
        by = (
            f"largest sum of {self.measure.name}"
            if self.measure
            else ("most rows" if self.most else "fewest rows")
        )
        return f"{self.column.name} with the {by}: {self.rows}"


def columns_of(part: object) -> list[Column]:
    """Return the columns that a plan, a set of rows or a condition speaks of."""
    if isinstance(part, Column):
        return [part]
    parts = (
        part
        if isinstance(part, tuple)
        else [getattr(part, f.name) for f in fields(part)]
        if is_dataclass(part)
        else []
    )
    return [column for p in parts for column in columns_of(p)]
