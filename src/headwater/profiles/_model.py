"""What profiling says of a column and of a table."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any


@dataclass(slots=True)
class ColumnProfile:
    """Figures of one column. Values are JSON values; dates and times are ISO text.

    Attributes:
        name: of the column.
        type: of the column (`headwater.model.COLUMN_TYPES`).
        feature_type: one of `FEATURE_TYPES`.
        evidence: share of the distinct texts looked at that each parser matched, and the like.
        missing: records without a value.
        distinct: number of distinct values.
        distinct_exact: False if `distinct` is an estimate (HyperLogLog).
        unique: every record has a value and no value occurs twice.
        min: least value, None for text.
        max: largest value, None for text.
        mean: of numbers.
        std: standard deviation of numbers (population).
        quantiles: of numbers: "0.05", "0.25", "0.5", "0.75", "0.95" to value.
        top: most frequent values and their counts, most frequent first.
        examples: texts of cells as printed, distinct, in order of the table.
        shortest: characters of the shortest text, None for other types.
        longest: characters of the longest text.
        unit: unit of the values.
        description: meaning, from metadata.
        place: "country" or "us_state" if the values name places of that kind, else "".
        note: what a reader should know of the figures: "year" for year numbers, "printed with %" and the like.
        groups: values that stand for several of the others (a continent among countries, a total); "" for rows without
            a value, where these are the totals.
    """

    name: str
    type: str
    feature_type: str
    evidence: dict[str, float] = field(default_factory=dict)
    missing: int = 0
    distinct: int = 0
    distinct_exact: bool = True
    unique: bool = False
    min: Any = None
    max: Any = None
    mean: float | None = None
    std: float | None = None
    quantiles: dict[str, float] = field(default_factory=dict)
    top: list[tuple[Any, int]] = field(default_factory=list)
    examples: list[str] = field(default_factory=list)
    shortest: int | None = None
    longest: int | None = None
    unit: str | None = None
    description: str | None = None
    place: str = ""
    note: str = ""
    groups: list[str] = field(default_factory=list)


@dataclass(slots=True)
class TimeCoverage:
    """Period that a table covers: first and last year, the column they come from ("" for column names)."""

    start: int
    end: int
    column: str


@dataclass(slots=True)
class PlaceCoverage:
    """Places that a table covers: kind ("country", "us_state"), column, number of them and names (at most 60)."""

    kind: str
    column: str
    count: int
    names: list[str]


def _shallow(part: Any) -> dict[str, Any]:
    """Return the fields of a dataclass; `dataclasses.asdict` copies all that is below them too."""
    return {name: getattr(part, name) for name in part.__dataclass_fields__}


@dataclass(slots=True)
class TableProfile:
    """Figures of one table.

    Attributes:
        rows: number of records.
        columns: profiles in the order of the table.
        candidate_keys: lists of columns whose values identify a record, shortest first, at most five.
        time: period covered, or None.
        places: places covered.
        sampled: some figure is an estimate or from a sample.
        notes: what was sampled or bounded, for people.
    """

    rows: int
    columns: list[ColumnProfile]
    candidate_keys: list[list[str]] = field(default_factory=list)
    time: TimeCoverage | None = None
    places: list[PlaceCoverage] = field(default_factory=list)
    sampled: bool = False
    notes: list[str] = field(default_factory=list)

    def column(self, name: str) -> ColumnProfile:
        """Return the profile of a column; `KeyError` if there is none of that name."""
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON object."""
        return {
            **_shallow(self),
            "columns": [_shallow(column) for column in self.columns],
            "time": _shallow(self.time) if self.time else None,
            "places": [_shallow(place) for place in self.places],
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> TableProfile:
        """Return what `to_dict` was made from; unknown keys are passed over."""
        known = {f.name for f in fields(ColumnProfile)}
        columns = []
        for item in data.get("columns", []):
            column = ColumnProfile(**{k: v for k, v in item.items() if k in known})
            column.top = [(value, count) for value, count in column.top]
            columns.append(column)
        time = data.get("time")
        return cls(
            rows=data["rows"],
            columns=columns,
            candidate_keys=data.get("candidate_keys", []),
            time=TimeCoverage(**time) if time else None,
            places=[PlaceCoverage(**item) for item in data.get("places", [])],
            sampled=data.get("sampled", False),
            notes=data.get("notes", []),
        )
