--# rows that are deleted and kept [tsql]
CREATE TABLE dbo.live (id int, v int, note text)
DELETE FROM dbo.live OUTPUT deleted.id, deleted.v INTO dbo.archive (key_no, v) WHERE v < 0
DELETE TOP (10) l OUTPUT deleted.* INTO dbo.trash FROM dbo.live AS l JOIN dbo.f f ON f.id = l.id
--= flow dbo.live.id -> dbo.archive.key_no
--= flow dbo.live.v -> dbo.archive.v
--= flow dbo.live.id -> dbo.trash.id
--= flow dbo.live.v -> dbo.trash.v
--= flow dbo.live.note -> dbo.trash.note

--# an insert and an update with a log [tsql]
INSERT INTO dbo.t (a) OUTPUT inserted.a INTO dbo.log (x) SELECT s.b FROM dbo.s
UPDATE u SET a = s.b OUTPUT deleted.a, inserted.id INTO dbo.log (x, y) FROM dbo.target u JOIN dbo.s s ON s.id = u.id
INSERT INTO dbo.w (a) OUTPUT inserted.a SELECT s.c FROM dbo.s
--= flow dbo.s.b -> dbo.t.a
--= flow dbo.t.a -> dbo.log.x
--= flow dbo.s.b -> dbo.target.a
--= flow dbo.target.a -> dbo.log.x
--= flow dbo.target.id -> dbo.log.y
--= flow dbo.s.c -> dbo.w.a

--# one source, several inserts [hive]
FROM db.s
INSERT OVERWRITE TABLE db.a SELECT s.x WHERE s.k = 1
INSERT INTO TABLE db.b PARTITION (d = '1') SELECT s.y GROUP BY s.y;
--= flow db.s.x -> db.a.x
--= flow db.s.y -> db.b.y

--# the first target that fits, and the rest [snowflake]
INSERT FIRST WHEN a > 1 THEN INTO t1 (x) VALUES (a) WHEN b IS NULL THEN INTO t2 (y, z) VALUES (b, 'n') ELSE INTO t3 SELECT a, b FROM s;
--= flow s.a -> t1.x
--= flow s.b -> t2.y
--= flow s.a -> t3.a
--= flow s.b -> t3.b

--# a stream stands for its table [snowflake]
CREATE TABLE orders (id int, at date);
CREATE OR REPLACE STREAM new_orders ON TABLE orders;
INSERT INTO t (id) SELECT id FROM new_orders WHERE metadata$action = 'INSERT';
--= flow orders.id -> t.id

--# inserts inside common table expressions [postgres]
WITH n AS (INSERT INTO a (x) SELECT s.k FROM s RETURNING id, x) INSERT INTO b (a_id, x) SELECT n.id, n.x FROM n;
--= flow s.k -> a.x
--= flow a.id -> b.a_id
--= flow a.x -> b.x

--# a temporary table made by SELECT INTO [postgres]
SELECT a INTO TEMP TABLE w FROM s;
INSERT INTO t SELECT a FROM w;
--= flow s.a -> t.a

--# a merge whose insert names the target and the source
CREATE TABLE t (id int, a int); CREATE TABLE s (id int, a int, gone int);
MERGE INTO t USING s ON t.id = s.id WHEN MATCHED AND s.gone = 1 THEN DELETE WHEN MATCHED THEN UPDATE SET a = (SELECT max(q) FROM r) WHEN NOT MATCHED THEN INSERT (id, a) VALUES (id, COALESCE(s.a, t.a));
--= flow s.id -> t.id
--= flow s.a -> t.a
--= flow r.q -> t.a

--# named windows [postgres]
CREATE VIEW v AS SELECT row_number() OVER w AS n, sum(s.a) OVER (w ROWS 1 PRECEDING) AS m FROM s WINDOW w AS (PARTITION BY s.k ORDER BY s.d);
--= flow s.k -> v.n
--= flow s.d -> v.n
--= flow s.a -> v.m
--= flow s.k -> v.m
--= flow s.d -> v.m
