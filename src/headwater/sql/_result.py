"""What a query gives back: typed rows, their true number, and what was noticed on the way."""

from __future__ import annotations

import datetime as dt
import json
import math
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any

from headwater.errors import MissingExtraError
from headwater.text import HTML_CELL, html_table, visible

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

CONTRACT_TYPES = {
    "BOOLEAN": "boolean",
    "DATE": "date",
    "TIME": "time",
    "TIME WITH TIME ZONE": "time",
    "FLOAT": "number",
    "DOUBLE": "number",
    "JSON": "object",
    "VARIANT": "object",
} | dict.fromkeys(
    (
        *("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "BIGNUM"),
        *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"),
    ),
    "integer",
)
"""DuckDB's types in the words of the JSON contract; those with parameters are found by their beginning."""

HTML_ROWS = 50
PREVIEW_ROWS = 20
PREVIEW_CELL = 40


@dataclass(slots=True)
class Column:
    """A column of a result: its name, its type in the words of the JSON contract, and DuckDB's type."""

    name: str
    type: str
    sql_type: str


@dataclass
class SqlResult:
    """Rows of a query, at most as many as the limits allow.

    Attributes:
        sql: the statement as the user wrote it.
        columns: in order; names may repeat.
        row_count: true number of rows of the statement, None if counting them took too long.
        shown: number of rows held here.
        truncated: whether that is fewer.
        diagnostics: one object a join, and other things noticed; each has `kind`, `level` (info, warning) and `message`.
        tables: references of the tables and series read.
        literals: numbers and texts that the statement itself writes into the cells.
        seconds: time the statement took in the query process.
    """

    sql: str
    columns: list[Column]
    row_count: int | None
    shown: int
    truncated: bool
    diagnostics: list[dict[str, Any]] = field(default_factory=list)
    tables: list[str] = field(default_factory=list)
    literals: list[str] = field(default_factory=list)
    seconds: float = 0.0
    ipc: bytes = field(default=b"", repr=False)

    @cached_property
    def rows(self) -> list[list[Any]]:
        """Rows as JSON values.

        Dates and times are ISO text. A DECIMAL is text with its full scale, as no float holds it; an integer is an
        int of any size; NaN and the infinities are text; missing is None; bytes are text in hexadecimal.
        """
        table = self.to_arrow()
        values = [_json_column(table.column(i), c.sql_type) for i, c in enumerate(self.columns)]
        return [list(row) for row in zip(*values, strict=True)]

    @property
    def summary(self) -> str:
        """How many rows these are: "5 of 1,203,114 rows", or "5 rows" if they are all."""
        if self.row_count is None:
            return f"{self.shown:,} of more than {self.shown:,} rows"
        if self.truncated:
            return f"{self.shown:,} of {self.row_count:,} rows"
        return f"{self.shown:,} row" + ("" if self.shown == 1 else "s")

    def to_arrow(self) -> pa.Table:
        """Return the rows as an Arrow table."""
        import pyarrow as pa

        with pa.ipc.open_stream(self.ipc) as reader:
            return reader.read_all().rename_columns([column.name for column in self.columns])

    def to_pandas(self) -> pd.DataFrame:
        """Return the rows as a pandas data frame.

        Raises:
            MissingExtraError: pandas is not installed.
        """
        try:
            import pandas as pd  # noqa: F401
        except ImportError as error:
            raise MissingExtraError.for_group("pandas", "frames") from error
        return self._unique_names().to_pandas()

    def to_polars(self) -> pl.DataFrame:
        """Return the rows as a polars data frame.

        Raises:
            MissingExtraError: polars is not installed.
        """
        try:
            import polars as pl
        except ImportError as error:
            raise MissingExtraError.for_group("polars", "frames") from error
        frame = pl.from_arrow(self._unique_names())
        assert isinstance(frame, pl.DataFrame)  # noqa: S101 - a table gives a frame
        return frame

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the rows as dictionaries of JSON values; of columns of one name the later ones get a suffix."""
        names = _unique([column.name for column in self.columns])
        return [dict(zip(names, row, strict=True)) for row in self.rows]

    def to_dict(self) -> dict[str, Any]:
        """Return the fields of the JSON contract."""
        return {
            "columns": [{"name": column.name, "type": column.type} for column in self.columns],
            "rows": self.rows,
            "row_count": self.row_count,
            "truncated": self.truncated,
            "diagnostics": self.diagnostics,
            "tables": self.tables,
            "literals": self.literals,
            "seconds": round(self.seconds, 4),
        }

    def __len__(self) -> int:
        return self.shown

    def __str__(self) -> str:
        names = [visible(column.name) for column in self.columns]
        cells = [[visible(_cell(value, PREVIEW_CELL)) for value in row] for row in self.rows[:PREVIEW_ROWS]]
        widths = [max(map(len, column)) for column in zip(names, *cells, strict=True)]
        lines = [
            "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip()
            for row in (names, *cells)
        ]
        return "\n".join([*lines, self._shown_as(len(cells))])

    def _repr_html_(self) -> str:
        rows = ([_cell(value, HTML_CELL) for value in row] for row in self.rows[:HTML_ROWS])
        warnings = [str(note["message"]) for note in self.diagnostics if note["level"] == "warning"]
        caption = self._shown_as(min(self.shown, HTML_ROWS))
        return html_table([column.name for column in self.columns], rows, caption, *warnings)

    def _shown_as(self, printed: int) -> str:
        if printed == self.shown:
            return self.summary
        total = f"{self.row_count:,}" if self.row_count is not None else f"more than {self.shown:,}"
        return f"{printed:,} of {total} rows"

    def _unique_names(self) -> pa.Table:
        return self.to_arrow().rename_columns(_unique([column.name for column in self.columns]))


def contract_type(sql_type: str) -> str:
    """Return the contract's word for one of DuckDB's types."""
    if sql_type.endswith("]"):
        return "list"
    if sql_type in CONTRACT_TYPES:
        return CONTRACT_TYPES[sql_type]
    if sql_type.startswith("TIMESTAMP"):
        return "datetime"
    if sql_type.startswith("DECIMAL"):
        return "number"
    if sql_type.startswith(("STRUCT", "MAP", "UNION")):
        return "object"
    return "text"


def _json_column(column: pa.ChunkedArray, sql_type: str) -> list[Any]:
    """Return the values of an Arrow column as JSON values."""
    import pyarrow as pa

    try:
        values = column.to_pylist(maps_as_pydicts="strict")  # keys of DuckDB's maps do not repeat
    except (ValueError, OverflowError):
        return _far_dates(column)
    if sql_type == "JSON":
        return [_parsed(value) for value in values]
    if sql_type in ("HUGEINT", "UHUGEINT", "BIGNUM"):
        return [None if value is None else int(value) for value in values]
    if sql_type == "TIMESTAMP_NS":
        return [None if v is None else v.replace(" ", "T") for v in column.cast(pa.string()).to_pylist()]
    if column.type in (pa.string(), pa.int64(), pa.int32(), pa.bool_()):
        return list(values)
    return [_json_value(value) for value in values]


def _far_dates(column: pa.ChunkedArray) -> list[Any]:
    """Return dates that Python cannot hold (beyond the year 9999, the infinities) as Arrow writes them."""
    import pyarrow as pa

    narrow = pa.types.is_date32(column.type)
    numbers = column.cast(pa.int32() if narrow else pa.int64()).to_pylist()
    infinity = 2**31 - 1 if narrow else 2**63 - 1  # DuckDB's marks for the infinities
    texts = column.cast(pa.string()).to_pylist()
    marks = {infinity: "infinity", -infinity: "-infinity"}
    return [
        None if text is None else marks.get(number) or str(text).replace(" ", "T")
        for number, text in zip(numbers, texts, strict=True)
    ]


def _parsed(value: str | None) -> Any:
    if value is None:
        return None
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _json_value(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value).replace("inf", "Infinity").replace("nan", "NaN")
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, (dt.datetime, dt.date, dt.time)):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return {str(key): _json_value(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_json_value(item) for item in value]
    return str(value)


def _unique(names: list[str]) -> list[str]:
    seen: set[str] = set()
    unique = []
    for name in names:
        candidate, i = name, 1
        while candidate in seen:
            candidate, i = f"{name}_{i}", i + 1
        seen.add(candidate)
        unique.append(candidate)
    return unique


def _cell(value: Any, width: int) -> str:
    if value is None:
        return ""
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, (dict, list)) else str(value)
    text = " ".join(text.split())
    return text if len(text) <= width else text[: width - 1] + "…"
