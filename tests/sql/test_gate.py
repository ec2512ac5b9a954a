"""What is refused, and what only looks like it."""

from __future__ import annotations

from pathlib import Path

import pytest

from headwater.errors import HeadwaterError, RefusedError, UsageError
from headwater.sql import SqlEngine

WRITES = [
    "insert into goals values (1)",
    "delete from goals",
    "drop table goals",
    "create table x as select 1",
    "create or replace view goals as select 1",
    "create macro m() as 1",
    "copy goals to '{file}'",
    "copy (select 1) to '{file}' (use_tmp_file false)",
    "export database '{file}'",
    "attach '{file}' as x",
    "load json",
    "install httpfs",
    "set memory_limit = '9GB'",
    "reset memory_limit",
    "pragma enable_profiling",
    "call pragma_version()",
    "prepare p as select 1",
    "begin",
    "vacuum",
    "explain analyze select 1",
    "explain copy (select 1) to '{file}'",
    "select 1; select 2",
    "select 1; drop table goals",
    "with a as (copy (select 1) to '{file}') select 1",
    "with a as (copy (select 1) to '{file}' (use_tmp_file false)) select * from a",
    "select * from (select 1), (with b as (copy (select 1) to '{file}') select 2)",
    "with a as (delete from goals returning *) select * from a",
    "with a as (insert into goals values (1) returning *) select * from a",
    "with a as (update goals set id = 1 returning *) select * from a",
]
READS = [
    "select * from read_text('{file}')",
    "select * from read_csv('{file}')",
    "select * from read_parquet('{file}')",
    "select * from parquet_metadata('{file}')",
    "select * from glob('*')",
    "select * from '{file}'",
    "from '/etc/passwd'",
    "summarize '/etc/passwd'",
    "select (select content from read_text('{file}'))",
    "select * from goals where exists (from read_blob('{file}'))",
    "select * from duckdb_settings()",
    "select * from duckdb_secrets()",
    "select * from pragma_database_size()",
    "select * from information_schema.tables",
    "select * from pg_catalog.pg_class",
    "select * from sqlite_master",
    "show databases",
    "select current_setting('memory_limit')",
    "select getenv('HOME')",
    "select * from query('select 1')",
    "select * from query_table('goals')",
    "select * from json_execute_serialized_sql('x')",
    "select json_serialize_plan('select 1')",
    "select pg_get_viewdef(1)",
    "select nextval('x')",
    "select goals.getenv('HOME') from goals",
]


@pytest.mark.parametrize("sql", WRITES)
def test_statements_that_do_more_than_read_are_refused(engine: SqlEngine, tmp_path: Path, sql: str) -> None:
    with pytest.raises(RefusedError):
        engine.query(sql.format(file=tmp_path / "out"))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("sql", READS)
def test_nothing_but_the_tables_of_the_lake_can_be_read(engine: SqlEngine, tmp_path: Path, sql: str) -> None:
    file = tmp_path / "outside.txt"
    file.write_text("canary 4711")
    with pytest.raises(HeadwaterError) as caught:
        engine.query(sql.format(file=file))
    assert "4711" not in str(caught.value.to_dict())


@pytest.mark.parametrize(
    "sql",
    [
        "select 'it''s -- no comment; DROP TABLE goals' as t",
        "select 'COPY', 'INSTALL httpfs' from goals -- COPY TO",
        'select 1 as "delete", 2 as "read_csv()"',
        "/* insert */ select 1",
        "with copy as (select 1 as load) select load from copy",
        "select $$; set x = 1$$",
        "select 1;",
        "values (1), (2)",
        "select * from range(3), unnest([1, 2])",
        "select pg_typeof(1), pg_size_pretty(1000::bigint)",
        "select json_extract('{\"type\": \"COPY_QUERY_NODE\"}', '$.type')",
        "select {'type': 'INSERT_NODE', 'class': 'FUNCTION', 'function_name': 'getenv'}",
    ],
)
def test_harmless_look_alikes_are_answered(engine: SqlEngine, sql: str) -> None:
    assert engine.query(sql).rows


def test_hints_say_what_to_write_instead(engine: SqlEngine) -> None:
    for sql, hint in (
        ("pivot goals on team using count(*)", "select * from (pivot"),
        ("explain select 1", "explain"),
        ("delete from goals", "read-only"),
        ("from read_csv('x.csv')", "t('path')"),
    ):
        with pytest.raises(RefusedError) as caught:
            engine.query(sql)
        assert hint in caught.value.hint


def test_text_that_is_no_statement(engine: SqlEngine) -> None:
    for sql in ("", " ; ", "-- nothing"):
        with pytest.raises(UsageError, match="no statement"):
            engine.query(sql)
    with pytest.raises(UsageError, match="cannot be read"):
        engine.query("selekt 1")


def test_deep_nesting_is_a_clear_error(engine: SqlEngine) -> None:
    for sql in ("select " + "+".join(["1"] * 2000), "select " + "(select " * 400 + "1" + ")" * 400):
        with pytest.raises(RefusedError, match="nested too deeply"):
            engine.query(sql)
    assert engine.query("select " + "(" * 200 + "1" + ")" * 200).rows == [[1]]


def test_errors_show_no_path_of_the_machine(engine: SqlEngine, folder: Path) -> None:
    shown = []
    for sql in (
        "select cast(team as int) from goals",
        "select nope from goals",
        "from goals natural join teams",
        "selekt",
    ):
        with pytest.raises(HeadwaterError) as caught:
            engine.query(sql)
        shown.append(str(caught.value.to_dict()))
    assert not [text for text in shown if str(folder) in text or "view_" in text or ".parquet" in text]


def test_explain_shows_the_plan_and_no_paths(engine: SqlEngine, folder: Path) -> None:
    plan = engine.explain("select team, count(*) from goals group by all")
    assert "GROUP" in plan.upper()
    assert str(folder) not in plan
    with pytest.raises(RefusedError):
        engine.explain("delete from goals")
