--# a MySQL dump of a view [mysql]
CREATE ALGORITHM=UNDEFINED DEFINER=`root`@`localhost` SQL SECURITY DEFINER VIEW `busy` AS select `a`.`id` AS `id`,count(`b`.`x`) AS `n` from (`alpha` `a` join `beta` `b` on((`a`.`id` = `b`.`id`))) group by `a`.`id`;
--= view busy: id, n
--= flow alpha.id -> busy.id
--= flow beta.x -> busy.n

--# T-SQL view options, APPLY, PIVOT, TOP [tsql]
CREATE VIEW [dbo].[v] WITH SCHEMABINDING, VIEW_METADATA AS
SELECT TOP (10) WITH TIES s.[Full Name] AS n, x.[b] FROM [dbo].[s] AS s OUTER APPLY (SELECT TOP 1 r.b FROM dbo.r AS r WHERE r.k = s.k ORDER BY r.at DESC) AS x ORDER BY s.z
GO
CREATE VIEW dbo.p AS SELECT Region, [2023], [2024] FROM (SELECT Region, Yr, Amount FROM dbo.sales) AS q PIVOT (SUM(Amount) FOR Yr IN ([2023], [2024])) AS pv
GO
--= view dbo.v: n, b
--= view dbo.p: Region, 2023, 2024
--= flow dbo.s.Full Name -> dbo.v.n
--= flow dbo.r.b -> dbo.v.b
--= flow dbo.sales.Region -> dbo.p.Region
--= flow dbo.sales.Amount -> dbo.p.2023
--= flow dbo.sales.Amount -> dbo.p.2024

--# T-SQL names columns with an equals sign [tsql]
CREATE VIEW dbo.v AS SELECT total = s.a + s.b, 'when' = s.at FROM dbo.s s WITH (NOLOCK)
--= view dbo.v: total, when
--= flow dbo.s.a -> dbo.v.total
--= flow dbo.s.b -> dbo.v.total
--= flow dbo.s.at -> dbo.v.when

--# Oracle: outer join marks, DUAL, hierarchy, materialized view [oracle]
CREATE OR REPLACE FORCE EDITIONABLE VIEW "HR"."V" ("ID", "BOSS") AS SELECT e.id, m.name FROM emp e, emp m WHERE e.mgr = m.id(+) WITH READ ONLY;
CREATE MATERIALIZED VIEW mv BUILD IMMEDIATE REFRESH COMPLETE ON DEMAND AS SELECT DECODE(k, 1, a, b) AS c, LEVEL AS l FROM s CONNECT BY PRIOR id = up START WITH up IS NULL;
--= view HR.V: ID, BOSS
--= view mv: c, l
--= flow emp.id -> HR.V.ID
--= flow emp.name -> HR.V.BOSS
--= flow s.k -> mv.c
--= flow s.a -> mv.c
--= flow s.b -> mv.c

--# Snowflake: semi-structured data, qualify, flatten, dynamic table [snowflake]
create or replace secure view v comment = 'x' as select raw:id::int as id, f.value:sku::string as sku, row_number() over (partition by raw:id order by at desc) as rn from events, lateral flatten(input => raw:lines) f qualify rn = 1;
create or replace dynamic table d target_lag = '1 minute' warehouse = w as select id, count(*) as n from v group by id;
--= view v: id, sku, rn
--= table d: id, n
--= flow events.raw -> v.id
--= flow events.raw -> v.sku
--= flow events.raw -> v.rn
--= flow events.at -> v.rn
--= flow v.id -> d.id

--# BigQuery: backticks, structs, except, unnest, wildcards [bigquery]
CREATE TABLE shop.s (id INT64, rec STRUCT<a INT64>, tags ARRAY<STRING>);
CREATE OR REPLACE VIEW `p-1.shop.v` OPTIONS(description='d') AS SELECT s.* EXCEPT (tags, rec), s.rec.a AS ra, tag FROM shop.s AS s, UNNEST(s.tags) AS tag;
--= table shop.s: id, rec, tags
--= view p-1.shop.v: id, ra, tag
--= flow shop.s.id -> p-1.shop.v.id
--= flow shop.s.rec -> p-1.shop.v.ra
--= flow shop.s.tags -> p-1.shop.v.tag

--# Spark: insert overwrite, lateral view, partitions [spark]
CREATE TABLE t (a INT, b STRING, day STRING);
INSERT OVERWRITE TABLE t PARTITION (day = '2024-01-01') SELECT s.k, w.word FROM s LATERAL VIEW explode(split(s.line, ' ')) w AS word;
--= table t: a, b, day
--= flow s.k -> t.a
--= flow s.line -> t.b

--# DuckDB: FROM first, exclude, replace, by name, union by name [duckdb]
CREATE TABLE s (a INT, b INT, c INT); CREATE TABLE t (c INT, a INT);
CREATE VIEW v AS SELECT * EXCLUDE (c) REPLACE (a + c AS a) FROM s;
CREATE VIEW w AS FROM s SELECT b;
INSERT INTO t BY NAME SELECT a, c FROM s;
CREATE VIEW u AS SELECT a, b FROM s UNION ALL BY NAME SELECT c AS b, b AS a FROM s;
--= table s: a, b, c
--= table t: c, a
--= view v: a, b
--= view w: b
--= view u: a, b
--= flow s.a -> v.a
--= flow s.c -> v.a
--= flow s.b -> v.b
--= flow s.b -> w.b
--= flow s.a -> t.a
--= flow s.c -> t.c
--= flow s.a -> u.a
--= flow s.b -> u.a
--= flow s.b -> u.b
--= flow s.c -> u.b

--# PostgreSQL: check option, no data, filter, array, cast [postgres]
CREATE OR REPLACE VIEW v AS SELECT a::text AS t, sum(b) FILTER (WHERE c > 0) AS n, array_agg(d ORDER BY e) AS l, (r).f FROM s WITH LOCAL CHECK OPTION;
CREATE MATERIALIZED VIEW m AS SELECT x FROM v2 WITH NO DATA;
--= view v: t, n, l, f
--= view m: x
--= flow s.a -> v.t
--= flow s.b -> v.n
--= flow s.c -> v.n
--= flow s.d -> v.l
--= flow s.e -> v.l
--= flow s.r -> v.f
--= flow v2.x -> m.x

--# Redshift: late binding, no schema binding [redshift]
CREATE VIEW spectrum.v AS SELECT id, nvl(a, b) AS c FROM spectrum.s WITH NO SCHEMA BINDING;
--= view spectrum.v: id, c
--= flow spectrum.s.id -> spectrum.v.id
--= flow spectrum.s.a -> spectrum.v.c
--= flow spectrum.s.b -> spectrum.v.c

--# Synapse: CTAS with distribution [tsql]
CREATE TABLE dbo.t WITH (DISTRIBUTION = HASH(id), CLUSTERED COLUMNSTORE INDEX) AS SELECT s.id, s.a FROM dbo.s AS s
--= table dbo.t: id, a
--= flow dbo.s.id -> dbo.t.id
--= flow dbo.s.a -> dbo.t.a

--# an alias of the same select list [snowflake]
CREATE TABLE s (a int, b int);
CREATE VIEW v AS SELECT a + 1 AS c, c * b AS d FROM s;
--= table s: a, b
--= view v: c, d
--= flow s.a -> v.c
--= flow s.a -> v.d
--= flow s.b -> v.d

--# unpivot [snowflake]
CREATE TABLE s (id int, jan int, feb int);
CREATE VIEW v AS SELECT id, month, amount FROM s UNPIVOT (amount FOR month IN (jan, feb));
--= table s: id, jan, feb
--= view v: id, month, amount
--= flow s.id -> v.id
--= flow s.jan -> v.amount
--= flow s.feb -> v.amount

--# a temporary view is collapsed [spark]
CREATE OR REPLACE TEMPORARY VIEW w AS SELECT a, b FROM s;
INSERT INTO t SELECT a FROM w;
--= flow s.a -> t.a

--# REPLACE INTO [mysql]
REPLACE INTO t (x) SELECT a FROM s;
INSERT IGNORE INTO t (y) SELECT b FROM s;
--= flow s.a -> t.x
--= flow s.b -> t.y

--# INSERT OR REPLACE, and a view with a CTE of values [sqlite]
INSERT OR REPLACE INTO t (x) SELECT a FROM s;
CREATE VIEW v AS WITH k(n) AS (VALUES (1), (2)) SELECT n, s.a FROM k, s;
--= flow s.a -> t.x
--= flow s.a -> v.a
