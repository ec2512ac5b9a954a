"""Distinct values and figures of tables that lie in Parquet, by DuckDB, in bounded memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headwater.model import Column, ParquetData, Table
from headwater.profiles._values import SAMPLE_ROWS, ColumnValues, TableValues

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

COUNTED = 50_000
"""Estimated number of distinct values up to which a column's values are counted exactly."""

COLUMNS_AT_ONCE = 200
"""Columns of one scan; each takes memory for its sketches."""

_KEYS = 3
_KEY_ROWS = 20_000_000
_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


def values_of_large(table: Table) -> TableValues:
    """Return figures of a table in Parquet.

    One scan (of a wide table several) gives missing, estimated distinct (HyperLogLog), range, moments and approximate quantiles (t-digest) of all
    columns; a second one counts the values of the columns with at most `COUNTED` of them; a reservoir sample of
    `SAMPLE_ROWS` rows gives the texts.
    """
    import duckdb

    data = table.data
    assert isinstance(data, ParquetData)
    with duckdb.connect(":memory:", config={"threads": 2, "memory_limit": "768MB"}) as connection:
        typed = f"read_parquet({_text(str(data.typed_path))})"
        raw = f"read_parquet({_text(str(data.raw_path))})"
        stats = [
            figures
            for start in range(0, len(table.columns), COLUMNS_AT_ONCE)
            for figures in _scan(connection, typed, table.columns[start : start + COLUMNS_AT_ONCE])
        ]
        samples = _samples(connection, raw, table, data.row_count)
        columns: list[ColumnValues] = []
        _exact_keys(connection, typed, table, stats, data.row_count)
        for column, figures, sample in zip(table.columns, stats, samples, strict=True):
            source = ColumnValues(
                column.name,
                column.type,
                data.row_count,
                data.row_count - figures["present"],
                None,
                None,
                figures["distinct"],
                sample,
                stats=figures,
            )
            if figures["distinct"] <= COUNTED:
                _count(connection, typed, source)
            else:
                figures["top"] = _top(connection, typed, column.name)
            columns.append(source)
    return TableValues(table, data.row_count, columns, sampled=True)


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _name(value: str) -> str:
    return '"' + value.replace('"', '""') + '"'


def _scan(
    connection: duckdb.DuckDBPyConnection, source: str, columns: Sequence[Column]
) -> list[dict[str, Any]]:
    parts: list[str] = []
    for column in columns:
        name = _name(column.name)
        number = column.type in {"integer", "number"}
        text = column.type in {"text", "list", "object"}
        double = f"cast({name} as double)"
        parts += [
            f"count({name})",
            f"approx_count_distinct({name})",
            f"min(length({name}))" if text else f"min({name})",
            f"max(length({name}))" if text else f"max({name})",
            f"avg({double})" if number else "null",
            f"stddev_pop({double})" if number else "null",
            f"approx_quantile({double}, {list(_QUANTILES)})" if number else "null",
        ]
    (row,) = connection.execute(f"select {', '.join(parts)} from {source}").fetchall()
    out: list[dict[str, Any]] = []
    for i, column in enumerate(columns):
        present, distinct, low, high, mean, std, quantiles = row[7 * i : 7 * i + 7]
        figures: dict[str, Any] = {
            "present": int(present),
            "distinct": min(int(distinct), int(present)),
            "mean": mean,
            "std": std,
        }
        if column.type in {"text", "list", "object"}:
            figures |= {"shortest": low, "longest": high}
        else:
            figures |= {"min": low, "max": high}
        figures["quantiles"] = dict(zip(map(str, _QUANTILES), quantiles or (), strict=False))
        out.append(figures)
    return out


def _exact_keys(
    connection: duckdb.DuckDBPyConnection, source: str, table: Table, stats: list[dict[str, Any]], rows: int
) -> None:
    """Count the distinct values of the first columns that may identify a record by their 64-bit hashes."""
    likely = [
        (column.name, figures)
        for column, figures in zip(table.columns, stats, strict=True)
        if column.type in {"text", "integer"}
        and figures["present"] == rows
        and figures["distinct"] >= 0.9 * rows
    ][:_KEYS]
    if not likely or rows > _KEY_ROWS:
        return
    parts = ", ".join(f"count(distinct hash({_name(name)}))" for name, _ in likely)
    (counted,) = connection.execute(f"select {parts} from {source}").fetchall()
    for (_, figures), distinct in zip(likely, counted, strict=True):
        figures |= {"distinct": int(distinct), "distinct_exact": True}


def _count(connection: duckdb.DuckDBPyConnection, source: str, column: ColumnValues) -> None:
    """Count the values of a column exactly; most frequent first, ties by value."""
    name = _name(column.name)
    query = (
        f"select {name} v, count(*) n from {source} where {name} is not null group by 1 order by n desc, v"
    )
    counted: pa.Table = connection.sql(query).to_arrow_table()
    column.values = counted.column(0).combine_chunks()
    column.counts = counted.column(1).to_numpy()
    column.distinct = counted.num_rows


def _top(connection: duckdb.DuckDBPyConnection, source: str, name: str) -> list[tuple[Any, int]]:
    """Return frequent values of a column with many, from the first million rows."""
    query = (
        f"select v, count(*) n from (select {_name(name)} v from {source} limit 1000000) where v is not null "
        "group by 1 having n > 1 order by n desc, v limit 20"
    )
    return [(value, int(n)) for value, n in connection.execute(query).fetchall()]


def _samples(connection: duckdb.DuckDBPyConnection, source: str, table: Table, rows: int) -> list[list[str]]:
    half = SAMPLE_ROWS // 2
    names = ", ".join(_name(column.name) for column in table.columns)
    head = connection.execute(f"select {names} from {source} limit {half}").fetchall()
    rest = (
        connection.execute(
            f"select {names} from {source} using sample reservoir({half} rows) repeatable (1)"
        ).fetchall()
        if rows > half
        else []
    )
    out: list[list[str]] = [[] for _ in table.columns]
    for row in [*head, *rest]:
        for texts, value in zip(out, row, strict=True):
            if value not in (None, ""):
                texts.append(str(value))
    return out
