"""A statement gives what DuckDB gives: rewriting by the syntax tree changes nothing but the names of tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import duckdb
import pytest

from headwater.sql import SqlEngine
from headwater.sql._result import _json_value

STATEMENTS = r"""
select count(*), count(distinct team), sum(id), avg(id), min(team), max(team) from goals
select team, count(*) filter (where id % 2 = 0) as n from goals group by team having count(*) > 3 order by n desc, team
select * from goals where team in ('Italy', 'Brazil') and id between 3 and 20 order by id desc limit 5 offset 2
select g.id, t.coach from goals g left join teams t on g.team = t.name order by g.id limit 7
select g.id, t.coach from goals g right join teams t on g.team = t.name and g.id < 3 order by all
select count(*) from goals g full outer join teams t on g.team = t.name
select count(*) from goals g anti join teams t on g.team = t.name
select row_number() over (partition by team order by id) as r, id from goals qualify r = 1 order by id
select id, lag(id, 2, -1) over w, sum(id) over (order by id rows between 2 preceding and current row exclude current row) from goals window w as (order by id) order by id limit 4
select percentile_cont(0.5) within group (order by id), quantile_cont(id, [0.25, 0.75]), mode(team) filter (where team = 'Italy'), median(id) from goals
select string_agg(name, ', ' order by name desc), list(name order by coach), array_agg(distinct coach order by coach) from teams
with recursive r(n) as (select 1 union all select n + 1 from r where n < 5) select sum(n) from r
with a as (select * from teams), b as (select * from a where coach > 'A') select * from b order by coach
select * from (values (1, 'a'), (2, 'b')) v(x, y)
from teams select name where coach > 'A' order by coach
select * exclude (coach) from teams order by 1
select * replace (upper(coach) || 'x' as coach) from teams order by coach
select * rename (coach as c) from teams order by 1
select columns('n.*') from teams order by coach
select min(columns(*)) from teams
select name, unnest(range(2)) from teams order by all
select case when coach > 'B' then 'late' when coach = 'A' then 'first' else 'none' end from teams order by coach
select id::double / 3, id // 2, id % 2, id ** 2, -id, ~id, id << 1, id & 1, id | 1 from goals order by id limit 4
select name like 'B%', name not like 'B1', name ilike 'b%', name ~ 'B[a-z]+', name similar to 'B.*', name glob 'B*', name like 'B!%' escape '!' from teams order by coach
select minute is null, minute is distinct from 1, minute between 1 and 2, minute not in (1, 2), not (minute = 1) from goals order by id limit 12
select id in (select 1), exists (select 1 from teams where coach = team), id = any (select 3), id > all (select 0) from goals order by id limit 3
select date '2024-02-29' + interval 1 year, date_trunc('month', date '2024-02-29'), extract(dow from date '2024-02-29'), strftime(date '2024-02-29', '%d.%m.%Y')
select timestamp '2024-02-29 10:11:12.123456', time '10:11:12'
select {'a': 1, 'b': {'c': 2}} as s, [1, 2, 3][1], [1, 2, 3][-1], [1, 2, 3][1:2], [x * 2 for x in [1, 2, 3] if x > 1], list_transform([1, 2], lambda x: x + 1)
select map {'a': 1, 'b': 2}, map {'a': 1}['a'], '{"a": [1, 2]}'::json ->> '$.a[0]'
select 'it''s', 'back\slash', E'tab\t', $$dollar 'quoted'$$, 'semi; colon -- no comment', ''
select "odd ""name""; --" as "a ""quoted"" alias", 1 as "select", 2 as "ü" from goals order by id limit 1
select 1e3, 1.50, .5, 1_000, 0x1F, 123456789012345678901234567890, 1e400 > 0, 12345678901234567890.123456789
select 1::decimal(10, 3), 1.005::decimal(4, 2), 1::tinyint, 1::float, 'a'::varchar(10), x'6162'
select true and false or true, not true, true is true
select 1 union select 1 union all select 2 order by 1
select id from goals except select 1 order by id limit 2
select 1 as a, 2 as b union all by name select 3 as b, 4 as a order by a
(select 1 limit 1) union all (select 2 order by 1 limit 1) order by 1
select team, id % 2 as p, count(*) from goals group by rollup (team, p) order by all
select team, id % 2 as p, count(*), grouping(team) from goals group by grouping sets ((team), (p), ()) order by all
select distinct on (team) team, id from goals order by team, id
select * from (pivot goals on team in ('Italy', 'Brazil') using count(*) group by id) order by id limit 2
select * from goals pivot (count(*) for team in ('Italy', 'Brazil') group by id) order by id limit 2
select * from (unpivot teams on name, coach into name k value v) order by all
select * from teams t, lateral (select count(*) as c from goals g where g.team = t.name) order by coach
select * from teams t left join lateral (select id from goals g where g.team = t.name order by id limit 1) x on true order by coach
select * from teams a natural join teams b order by coach
select a.id, b.id from (from goals limit 3) a asof join (from goals limit 2) b on a.id >= b.id order by all
select * from teams positional join (select 1 as one)
describe goals
summarize teams
select * from teams order by coach desc nulls first, name collate nocase asc limit 3
select * from range(3) t(i), generate_series(1, 2) s(j) order by all
select printf('%05d', 3), format('{:.2f}', 1.5), regexp_replace('abc', '(b)', '<\1>'), split_part('a,b', ',', 2), upper('ß')
select arg_max(name, coach), bool_and(coach > ''), approx_count_distinct(coach) from teams
with goals as (select 5 as five) select * from goals
select (select coach from teams where name = g.team) from goals g where id < 3 order by id
select name from teams where (name, coach) in (('Brazil', 'A'), ('Italy', 'x')) order by 1
select name[1:1], lower(name).upper() from teams order by coach
select * from teams as x(a, b) order by b
select position('b' in 'abc'), substring('abc' from 2 for 1), trim(both 'x' from 'xax')
select /* inline */ 1 -- comment
"""


@pytest.fixture(scope="module")
def bare(tables: Any) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        for name in ("goals", "teams"):
            path = tables.resolve(name).paths[0]
            view = f"create view {name} as select * exclude (_row, _line) from read_parquet('{path}')"
            connection.execute(view).fetchall()
        yield connection


@pytest.mark.parametrize("sql", STATEMENTS.strip().splitlines())
def test_rows_and_names_are_those_of_duckdb(
    engine: SqlEngine, bare: duckdb.DuckDBPyConnection, sql: str
) -> None:
    relation = bare.sql(sql)
    result = engine.query(sql, max_rows=10_000, diagnose=False)
    assert [column.name for column in result.columns] == list(relation.columns)
    assert result.rows == [[_json_value(value) for value in row] for row in relation.fetchall()]
