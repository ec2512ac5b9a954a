"""A series is one table: names aligned, types widened, gaps null, source columns last."""

from __future__ import annotations

from headwater.sql import SqlEngine

CENSUS = "t('series:census')"


def test_members_are_united_by_name(engine: SqlEngine) -> None:
    result = engine.query(f"from {CENSUS} order by year, _row")
    assert [(column.name, column.type) for column in result.columns] == [
        ("state", "text"),
        ("area", "text"),
        ("population", "number"),
        ("_document", "text"),
        ("year", "integer"),
    ]
    assert result.rows == [
        ["TX", None, 10.0, "census/2000.csv", 2000],
        ["NY", None, 20.0, "census/2000.csv", 2000],
        ["TX", "3", 11.5, "census/2001.csv", 2001],
        ["NY", "3 km", 21.0, "census/2002.csv", 2002],
    ]
    assert result.tables == ["series:census"]


def test_source_columns_select_members(engine: SqlEngine) -> None:
    sql = f"select _document, _row, _line from {CENSUS} where year = 2002"
    assert engine.query(sql).rows == [["census/2002.csv", 1, 2]]


def test_a_series_joins_like_any_table(engine: SqlEngine) -> None:
    sql = f"select a.state, b.population - a.population from {CENSUS} a join {CENSUS} b using (state) where b.year > a.year order by 1"
    result = engine.query(sql)
    assert result.rows == [["NY", 1.0], ["TX", 1.5]]
    assert result.diagnostics[0]["rows_left"] == 4
