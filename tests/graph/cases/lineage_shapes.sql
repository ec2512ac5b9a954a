--# insert with a column list in another order
CREATE TABLE s (a int, b int); CREATE TABLE t (x int, y int);
INSERT INTO t (y, x) SELECT a, b FROM s;
--= flow s.a -> t.y
--= flow s.b -> t.x

--# insert without a column list goes by position
CREATE TABLE s (a int, b int); CREATE TABLE t (x int, y int);
INSERT INTO t SELECT b, a + 1 FROM s;
--= flow s.b -> t.x
--= flow s.a -> t.y

--# insert without a column list past an identity column [tsql]
CREATE TABLE dbo.t (id int IDENTITY(1,1), x int, y int);
INSERT INTO dbo.t SELECT s.a, s.b FROM dbo.s AS s;
--= flow dbo.s.a -> dbo.t.x
--= flow dbo.s.b -> dbo.t.y

--# an unknown target takes the names of the query
INSERT INTO t SELECT a, b AS c FROM s;
--= flow s.a -> t.a
--= flow s.b -> t.c
--= ghost s
--= ghost t

--# union: every branch counts, by position
INSERT INTO t (x) SELECT a FROM s1 UNION ALL SELECT b FROM s2 UNION SELECT c AS a FROM s3;
--= flow s1.a -> t.x
--= flow s2.b -> t.x
--= flow s3.c -> t.x

--# union inside a sub-query and a CTE
CREATE VIEW v AS WITH u AS (SELECT a AS k FROM s1 UNION SELECT b FROM s2) SELECT q.k AS m FROM (SELECT k FROM u UNION ALL SELECT c FROM s3) q;
--= flow s1.a -> v.m
--= flow s2.b -> v.m
--= flow s3.c -> v.m

--# rows taken away by EXCEPT only filter
CREATE VIEW v AS SELECT a FROM s EXCEPT SELECT b FROM gone;
--= flow s.a -> v.a
--= filter gone -> v

--# INTERSECT compares values of both
CREATE VIEW v AS SELECT a FROM s INTERSECT SELECT b FROM r;
--= flow s.a -> v.a
--= flow r.b -> v.a

--# star through two CTEs
CREATE TABLE s (a int, b int);
CREATE VIEW v AS WITH one AS (SELECT * FROM s), two AS (SELECT *, a + b AS c FROM one) SELECT * FROM two;
--= table s: a, b
--= view v: a, b, c
--= flow s.a -> v.a
--= flow s.b -> v.b
--= flow s.a -> v.c
--= flow s.b -> v.c

--# star of an unknown table is told, not dropped
CREATE VIEW v AS SELECT * FROM unknown;
--= view v:
--= open unknown -> v
--= ghost unknown

--# columns named through a star of an unknown table are known
CREATE VIEW v AS WITH c AS (SELECT * FROM s) SELECT c.a, b FROM c;
--= flow s.a -> v.a
--= flow s.b -> v.b

--# a qualified star
CREATE TABLE s (a int, b int); CREATE TABLE r (c int, d int);
CREATE VIEW v AS SELECT r.*, s.a FROM s JOIN r ON s.b = r.c;
--= table s: a, b
--= table r: c, d
--= view v: c, d, a
--= flow r.c -> v.c
--= flow r.d -> v.d
--= flow s.a -> v.a

--# a star into an insert with and without a list
CREATE TABLE s (a int, b int); CREATE TABLE t (x int, y int); CREATE TABLE u (x int, y int);
INSERT INTO t SELECT * FROM s;
INSERT INTO u (y, x) SELECT * FROM s;
--= flow s.a -> t.x
--= flow s.b -> t.y
--= flow s.a -> u.y
--= flow s.b -> u.x

--# an open star into known columns
CREATE TABLE t (x int, y int);
INSERT INTO t SELECT * FROM s;
--= open s -> t

--# star of a view defined later, in another order
CREATE VIEW top AS SELECT * FROM mid;
CREATE VIEW mid AS SELECT a, b AS c FROM s;
--= view top: a, c
--= view mid: a, c
--= flow mid.a -> top.a
--= flow mid.c -> top.c
--= flow s.a -> mid.a
--= flow s.b -> mid.c

--# views that read each other do not hang
CREATE VIEW one AS SELECT * FROM two;
CREATE VIEW two AS SELECT * FROM one;
--= open two -> one
--= open one -> two

--# columns named by the view
CREATE VIEW v (k, n) AS SELECT a, count(*) FROM s GROUP BY a;
--= view v: k, n
--= flow s.a -> v.k

--# filters: WHERE IN, EXISTS, NOT EXISTS, scalar comparison, HAVING
CREATE VIEW v AS SELECT s.a FROM s WHERE s.b IN (SELECT c FROM f1) AND EXISTS (SELECT 1 FROM f2 WHERE f2.x = s.a)
 AND NOT EXISTS (SELECT * FROM f3) AND s.d > (SELECT max(m) FROM f4) GROUP BY s.a HAVING count(*) > (SELECT n FROM f5);
--= flow s.a -> v.a
--= filter f1 -> v
--= filter f2 -> v
--= filter f3 -> v
--= filter f4 -> v
--= filter f5 -> v

--# a join that only filters
INSERT INTO t (x) SELECT s.a FROM s JOIN allowed ON allowed.k = s.k LEFT JOIN (SELECT id FROM banned) b ON b.id = s.id WHERE b.id IS NULL;
--= flow s.a -> t.x
--= filter allowed -> t
--= filter banned -> t

--# a CTE of which only one side is used
CREATE VIEW v AS WITH j AS (SELECT s.a, r.b FROM s JOIN r ON s.k = r.k) SELECT a FROM j;
--= flow s.a -> v.a
--= filter r -> v

--# a CTE that is never used is no source
CREATE VIEW v AS WITH idle AS (SELECT z FROM nobody) SELECT a FROM s;
--= flow s.a -> v.a

--# a CTE called like a table hides it
CREATE TABLE s (a int);
CREATE VIEW v AS WITH s AS (SELECT b AS a FROM other) SELECT a FROM s;
--= flow other.b -> v.a

--# a CTE that reads the table it hides
CREATE VIEW v AS WITH s AS (SELECT a FROM x.s) SELECT a FROM s;
--= flow x.s.a -> v.a

--# a CTE with column names
CREATE VIEW v AS WITH c (m, n) AS (SELECT a, b FROM s) SELECT n FROM c;
--= flow s.b -> v.n

--# nested CTEs
CREATE VIEW v AS WITH o AS (WITH i AS (SELECT a FROM s) SELECT a AS b FROM i) SELECT b FROM o;
--= flow s.a -> v.b

--# window functions and aggregates
CREATE VIEW v AS SELECT k, SUM(x) OVER (PARTITION BY g ORDER BY d) AS run, count(DISTINCT y) AS n, max(CASE WHEN f = 1 THEN z END) AS m, row_number() OVER (ORDER BY h) AS rn FROM s GROUP BY k;
--= flow s.k -> v.k
--= flow s.x -> v.run
--= flow s.g -> v.run
--= flow s.d -> v.run
--= flow s.y -> v.n
--= flow s.f -> v.m
--= flow s.z -> v.m
--= flow s.h -> v.rn

--# a count of rows is a value of the table
INSERT INTO t (n) SELECT count(*) FROM s;
--= value s -> t

--# a constant is not
INSERT INTO t (n) SELECT 1 FROM s;
--= filter s -> t

--# a scalar sub-query is a value
CREATE VIEW v AS SELECT a, (SELECT max(p) FROM r WHERE r.k = s.k) AS top FROM s;
--= flow s.a -> v.a
--= flow r.p -> v.top

--# a sub-query inside IN inside the select list only filters
CREATE VIEW v AS SELECT CASE WHEN a IN (SELECT b FROM r) THEN 1 ELSE 0 END AS hit FROM s;
--= flow s.a -> v.hit
--= filter r -> v

--# a self-join
INSERT INTO pairs (one, other) SELECT e.name, b.name FROM emp e JOIN emp b ON b.id = e.boss;
--= flow emp.name -> pairs.one
--= flow emp.name -> pairs.other

--# a recursive CTE
CREATE TABLE org (id int, boss int, name text);
CREATE VIEW chain AS WITH RECURSIVE up (id, name, depth) AS (SELECT id, name, 0 FROM org WHERE boss IS NULL
 UNION ALL SELECT o.id, up.name || o.name, up.depth + 1 FROM org o JOIN up ON o.boss = up.id) SELECT id, name, depth FROM up;
--= flow org.id -> chain.id
--= flow org.name -> chain.name

--# a recursive CTE that passes a column on to another
CREATE VIEW v AS WITH RECURSIVE r AS (SELECT a, b FROM s UNION ALL SELECT r.b, x.c FROM r JOIN x ON x.k = r.a) SELECT a FROM r;
--= flow s.a -> v.a
--= flow s.b -> v.a
--= flow x.c -> v.a

--# a recursive CTE without the keyword [tsql]
WITH tree AS (SELECT Id, Parent FROM dbo.node WHERE Parent IS NULL UNION ALL SELECT n.Id, n.Parent FROM dbo.node n INNER JOIN tree t ON t.Id = n.Parent)
INSERT INTO dbo.flat (Id) SELECT Id FROM tree OPTION (MAXRECURSION 0);
--= flow dbo.node.Id -> dbo.flat.Id

--# CTE before the insert and after it
WITH c AS (SELECT a FROM s) INSERT INTO t (x) SELECT a FROM c;
INSERT INTO t (y) WITH d AS (SELECT b FROM r) SELECT b FROM d;
--= flow s.a -> t.x
--= flow r.b -> t.y

--# CREATE TABLE AS, with its types
CREATE TABLE t AS SELECT a, CAST(b AS varchar(9)) AS c FROM s;
CREATE TABLE u AS SELECT * FROM t;
--= table t: a, c
--= table u: a, c
--= flow s.a -> t.a
--= flow s.b -> t.c
--= flow t.a -> u.a
--= flow t.c -> u.c

--# CREATE TABLE AS in brackets, with a CTE and options
CREATE TABLE IF NOT EXISTS t AS (WITH c AS (SELECT a FROM s) SELECT a FROM c) WITH NO DATA;
--= table t: a
--= flow s.a -> t.a

--# a merge
CREATE TABLE t (id int, x int, y int);
MERGE INTO t USING (SELECT id, a, b FROM s JOIN f ON f.k = s.id) q ON (t.id = q.id)
WHEN MATCHED AND q.a > 0 THEN UPDATE SET x = q.a, y = t.y + q.b WHEN NOT MATCHED THEN INSERT (id, x) VALUES (q.id, q.a);
--= open s -> t
--= open f -> t

--# a merge of known tables
CREATE TABLE t (id int, x int, y int); CREATE TABLE s (id int, a int, b int);
MERGE INTO t AS d USING s AS q ON d.id = q.id WHEN MATCHED THEN UPDATE SET d.x = q.a, y = d.y + q.b WHEN NOT MATCHED THEN INSERT VALUES (q.id, a, 0);
--= flow s.a -> t.x
--= flow s.b -> t.y
--= flow s.id -> t.id

--# a merge of all columns [databricks]
CREATE TABLE t (id int, x int); CREATE TABLE s (id int, x int, z int);
MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
--= flow s.id -> t.id
--= flow s.x -> t.x

--# UPDATE … FROM
UPDATE t SET x = s.a, y = r.b || t.y FROM s JOIN r ON r.k = s.k WHERE t.id = s.id AND s.z IN (SELECT z FROM f);
--= flow s.a -> t.x
--= flow r.b -> t.y
--= filter f -> t

--# UPDATE of an alias [tsql]
UPDATE d SET d.x = s.a FROM dbo.target AS d INNER JOIN dbo.source s ON s.id = d.id LEFT JOIN dbo.other o ON o.id = d.id WHERE o.id IS NULL
--= flow dbo.source.a -> dbo.target.x
--= filter dbo.other -> dbo.target

--# UPDATE with a join [mysql]
UPDATE t INNER JOIN s ON s.id = t.id SET t.x = s.a, s.seen = 1 WHERE s.b > 0;
--= flow s.a -> t.x
--= filter t -> s

--# UPDATE from a sub-query, one column and several [oracle]
UPDATE t SET x = (SELECT max(a) FROM s WHERE s.id = t.id), (y, z) = (SELECT b, c FROM r WHERE r.id = t.id) WHERE EXISTS (SELECT 1 FROM f WHERE f.id = t.id);
--= flow s.a -> t.x
--= flow r.b -> t.y
--= flow r.c -> t.z
--= filter f -> t

--# an UPDATE of a table by itself is no edge
UPDATE t SET x = x + 1 WHERE y IN (SELECT y FROM t WHERE z = 0);

--# an insert that guards against what is there already
INSERT INTO t (x) SELECT s.a FROM s LEFT JOIN t ON t.x = s.a WHERE t.x IS NULL;
--= flow s.a -> t.x

--# upsert [postgres]
INSERT INTO t AS d (id, x, n) SELECT id, a, 1 FROM s ON CONFLICT (id) DO UPDATE SET x = excluded.x, last = excluded.id + d.n;
--= flow s.id -> t.id
--= flow s.a -> t.x
--= flow s.id -> t.last

--# upsert [mysql]
INSERT INTO t (id, x) SELECT id, a FROM s ON DUPLICATE KEY UPDATE x = VALUES(x), y = VALUES(id) + 1;
--= flow s.id -> t.id
--= flow s.a -> t.x
--= flow s.id -> t.y

--# temporary tables are collapsed
CREATE TEMP TABLE w AS SELECT a, b FROM s WHERE a > 0;
INSERT INTO t (x) SELECT w.a FROM w JOIN r ON r.k = w.b;
--= flow s.a -> t.x
--= filter r -> t

--# temporary tables filled in several steps [tsql]
CREATE TABLE #w (k int, v int, note varchar(9))
INSERT INTO #w (k, v) SELECT a, b FROM dbo.s
INSERT #w (k) SELECT c FROM dbo.r
UPDATE w SET note = n.txt FROM #w w JOIN dbo.notes n ON n.k = w.k
SELECT k, v INTO #x FROM #w WHERE v > 1
INSERT INTO dbo.t SELECT k, v, note FROM #w
INSERT INTO dbo.u (m) SELECT v FROM #x
DROP TABLE #w
--= flow dbo.s.a -> dbo.t.k
--= flow dbo.r.c -> dbo.t.k
--= flow dbo.s.b -> dbo.t.v
--= flow dbo.notes.txt -> dbo.t.note
--= flow dbo.s.b -> dbo.u.m
--= filter dbo.r -> dbo.u

--# SELECT INTO makes a table [tsql]
SELECT a, b AS c, GETDATE() AS at INTO dbo.t FROM dbo.s WITH (NOLOCK)
SELECT * INTO dbo.u FROM dbo.t
--= table dbo.t: a, c, at
--= table dbo.u: a, c, at
--= flow dbo.s.a -> dbo.t.a
--= flow dbo.s.b -> dbo.t.c
--= flow dbo.t.a -> dbo.u.a
--= flow dbo.t.c -> dbo.u.c
--= flow dbo.t.at -> dbo.u.at

--# a table variable [tsql]
DECLARE @w TABLE (k int)
INSERT INTO @w SELECT a FROM dbo.s
INSERT INTO dbo.t (x) SELECT w.k FROM @w w
--= flow dbo.s.a -> dbo.t.x

--# rows deleted and archived in one statement [postgres]
CREATE TABLE live (id int, v int);
WITH moved AS (DELETE FROM live WHERE v < 0 RETURNING *) INSERT INTO archive (id, v) SELECT id, v FROM moved;
--= flow live.id -> archive.id
--= flow live.v -> archive.v

--# USING and NATURAL joins
CREATE TABLE s (k int, a int); CREATE TABLE r (k int, b int);
CREATE VIEW v AS SELECT * FROM s JOIN r USING (k);
CREATE VIEW f AS SELECT k, a, b FROM s FULL JOIN r USING (k);
CREATE VIEW n AS SELECT * FROM s NATURAL JOIN r;
--= table s: k, a
--= table r: k, b
--= view v: k, a, b
--= view f: k, a, b
--= view n: k, a, b
--= flow s.k -> v.k
--= flow s.a -> v.a
--= flow r.b -> v.b
--= flow s.k -> f.k
--= flow r.k -> f.k
--= flow s.a -> f.a
--= flow r.b -> f.b
--= flow s.k -> n.k
--= flow s.a -> n.a
--= flow r.b -> n.b

--# a name without a table is found by the columns of the tables
CREATE TABLE s (k int, a int); CREATE TABLE r (k int, b int);
INSERT INTO t (x, y) SELECT a, b FROM s, r WHERE s.k = r.k;
--= flow s.a -> t.x
--= flow r.b -> t.y

--# a name that several unknown tables may have is told
INSERT INTO t (x) SELECT a FROM s JOIN r ON s.k = r.k;
--= open s -> t
--= open r -> t

--# a correlated derived table
CREATE VIEW v AS SELECT s.a, l.top FROM s CROSS JOIN LATERAL (SELECT max(r.b) + s.c AS top FROM r WHERE r.k = s.k) l;
--= flow s.a -> v.a
--= flow r.b -> v.top
--= flow s.c -> v.top

--# arrays and table functions
CREATE VIEW v AS SELECT s.id, u.item, g.n FROM s CROSS JOIN UNNEST(s.items) AS u(item) CROSS JOIN generate_series(1, 3) AS g(n);
--= flow s.id -> v.id
--= flow s.items -> v.item

--# joins in brackets
CREATE VIEW v AS SELECT s.a, r.b FROM q JOIN (s JOIN r ON s.k = r.k) ON q.k = s.k;
--= flow s.a -> v.a
--= flow r.b -> v.b
--= filter q -> v

--# values, and values beside tables
INSERT INTO t (x, y) VALUES (1, 2), (3, (SELECT max(a) FROM s));
CREATE VIEW v AS SELECT c.k, s.a FROM (VALUES (1), (2)) AS c(k) JOIN s ON s.k = c.k;
--= flow s.a -> t.y
--= flow s.a -> v.a

--# several targets in one insert [oracle]
INSERT ALL INTO a (x) VALUES (p) WHEN q > 0 THEN INTO b (y) VALUES (q) SELECT p, q FROM s;
--= flow s.p -> a.x
--= flow s.q -> b.y

--# names in another case
CREATE TABLE Sales (Id int, Amount int); CREATE TABLE TOTALS (SUM_AMOUNT int);
insert into totals (sum_amount) select sum(AMOUNT) from SALES;
--= flow Sales.Amount -> TOTALS.SUM_AMOUNT

--# qualified names of tables before columns
CREATE VIEW v AS SELECT x.s.a, s.b FROM x.s;
--= flow x.s.a -> v.a
--= flow x.s.b -> v.b

--# variables in queries
INSERT INTO @target.t (x) SELECT a FROM @source.s WHERE d >= @start AND n = '@name';
CREATE VIEW ${out}.v AS SELECT a FROM ${in}.s WHERE day = ${day} AND k = {{ key }};
--= flow s.a -> t.x
--= flow s.a -> v.a

--# a statement that reads nothing moves nothing
INSERT INTO t VALUES (1, 'SELECT a FROM b');
DELETE FROM t USING s WHERE t.k = s.k;
UPDATE t SET x = 1;
SELECT a FROM s;

--# columns of a table that the schema does not know are told
CREATE TABLE s (a int);
CREATE VIEW v AS SELECT s.b FROM s;
--= open s -> v

--# CLONE copies rows, LIKE does not
CREATE TABLE s (a int, b int);
CREATE TABLE t CLONE s;
CREATE TABLE u LIKE s;
--= table s: a, b
--= table t: a, b
--= table u: a, b
--= flow s.a -> t.a
--= flow s.b -> t.b

--# partitions that change hands [tsql]
ALTER TABLE stage.hits SWITCH TO dbo.hits PARTITION 3
--= value stage.hits -> dbo.hits

--# distinct on, limits, order and grouping sets [postgres]
CREATE VIEW v AS SELECT DISTINCT ON (k) k, a FROM s ORDER BY k, at DESC LIMIT 5;
CREATE VIEW w AS SELECT k, sum(a) AS n FROM s GROUP BY GROUPING SETS ((k), ());
--= flow s.k -> v.k
--= flow s.a -> v.a
--= flow s.k -> w.k
--= flow s.a -> w.n

--# literal rows in queries, merges and mixed inserts
MERGE INTO t USING (VALUES (1, 'a'), (2, 'b')) AS v (id, n) ON t.id = v.id WHEN NOT MATCHED THEN INSERT (id, n) VALUES (1, 'x');
INSERT INTO u (a) VALUES (1), ((SELECT max(k) FROM s));
INSERT INTO w (a, b) SELECT * FROM (VALUES (1, 2)) AS q (x, y) UNION ALL SELECT r.c, r.d FROM r;
--= flow s.k -> u.a
--= flow r.c -> w.a
--= flow r.d -> w.b
