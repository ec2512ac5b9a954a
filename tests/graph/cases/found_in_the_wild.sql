--# SQL Server sample script: quoted names, guards, bracket patterns in strings [tsql]
SET QUOTED_IDENTIFIER ON
GO
if exists (select * from sysobjects where id = object_id('dbo.Orders') and sysstat & 0xf = 3)
	drop table "dbo"."Orders"
GO
CREATE TABLE "Orders" (
	"OrderID" "int" IDENTITY (1, 1) NOT NULL ,
	"ShipVia" "int" NULL ,
	"Freight" "money" NULL CONSTRAINT "DF_Freight" DEFAULT (0),
	"Zip" char(5) CHECK ("Zip" like '[0-9][0-9][0-9][0-9][0-9]'),
	CONSTRAINT "PK_Orders" PRIMARY KEY  CLUSTERED ("OrderID"),
	CONSTRAINT "FK_Shippers" FOREIGN KEY ("ShipVia") REFERENCES "dbo"."Shippers" ("ShipperID")
)
GO
 CREATE  INDEX "ShipVia" ON "dbo"."Orders"("ShipVia")
GO
CREATE TABLE "Shippers" ("ShipperID" "int" NOT NULL PRIMARY KEY, Phone nvarchar (24) NULL)
GO
set identity_insert "Shippers" on
go
INSERT "Shippers" VALUES(1,'(503) 555-9831')
INSERT "Shippers" VALUES(2,'it''s GO
go
not')
go
create view "Late Orders" AS
SELECT Orders.OrderID, Shippers.Phone FROM Orders INNER JOIN Shippers ON Orders.ShipVia = Shippers.ShipperID WHERE (((Orders.Freight)>10))
GO
--= table Orders: OrderID, ShipVia, Freight, Zip
--= table Shippers: ShipperID, Phone
--= view Late Orders: OrderID, Phone
--= key Orders(ShipVia) -> Shippers(ShipperID)
--= flow Orders.OrderID -> Late Orders.OrderID
--= flow Shippers.Phone -> Late Orders.Phone

--# Oracle sample script: REM, PROMPT, brackets around constraints, ENABLE [oracle]
rem  Don't worry
SET FEEDBACK 1
SET DEFINE OFF
Prompt ******  Creating REGIONS table, it's first ....

CREATE TABLE regions
    ( region_id      NUMBER
       CONSTRAINT  region_id_nn NOT NULL
    , region_name    VARCHAR2(25)
    );
CREATE UNIQUE INDEX reg_id_pk
ON regions (region_id);
ALTER TABLE regions
ADD ( CONSTRAINT reg_id_pk
       		 PRIMARY KEY (region_id)
    ) ;
CREATE TABLE countries
    ( country_id      CHAR(2)
       CONSTRAINT  country_id_nn NOT NULL
    , region_id       NUMBER
    , CONSTRAINT     country_c_id_pk
        	     PRIMARY KEY (country_id)
    )
    ORGANIZATION INDEX;
ALTER TABLE countries
ADD ( CONSTRAINT countr_reg_fk
        	 FOREIGN KEY (region_id)
          	  REFERENCES regions(region_id)
    ) ;
COMMENT ON TABLE regions IS 'Regions; don''t CREATE TABLE x (y int)';
BEGIN
  DBMS_STATS.gather_table_stats(USER, 'REGIONS');
END;
/
show errors
--= table regions: region_id, region_name
--= table countries: country_id, region_id
--= key countries(region_id) -> regions(region_id)

--# a MySQL dump with locks, disabled keys, data and views in two steps [mysql]
-- MySQL dump 10.13  Distrib 8.0
/*!40014 SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0 */;
DROP TABLE IF EXISTS `film`;
/*!50503 SET character_set_client = utf8mb4 */;
CREATE TABLE `film` (
  `film_id` smallint unsigned NOT NULL AUTO_INCREMENT,
  `title` varchar(128) NOT NULL COMMENT 'a; b \' c',
  `language_id` tinyint unsigned NOT NULL,
  `rating` enum('G','PG','PG-13') DEFAULT 'G',
  `features` set('a','b') DEFAULT NULL,
  `changed` timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  PRIMARY KEY (`film_id`),
  KEY `idx_fk_language_id` (`language_id`),
  CONSTRAINT `fk_film_language` FOREIGN KEY (`language_id`) REFERENCES `language` (`language_id`) ON DELETE RESTRICT ON UPDATE CASCADE
) ENGINE=InnoDB AUTO_INCREMENT=1001 DEFAULT CHARSET=utf8mb4;
LOCK TABLES `film` WRITE;
/*!40000 ALTER TABLE `film` DISABLE KEYS */;
INSERT INTO `film` VALUES (1,'it\'s (a) \\',1,'G','a,b','2006-02-15 05:03:42'),(2,'x;',1,NULL,NULL,'2006');
/*!40000 ALTER TABLE `film` ENABLE KEYS */;
UNLOCK TABLES;
SET @saved_cs_client     = @@character_set_client;
/*!50001 CREATE VIEW `film_list` AS SELECT
 1 AS `fid`,
 1 AS `title`*/;
CREATE TABLE `language` (`language_id` tinyint unsigned NOT NULL, `name` char(20), PRIMARY KEY (`language_id`));
/*!50001 DROP VIEW IF EXISTS `film_list`*/;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=`root`@`localhost` SQL SECURITY DEFINER */
/*!50001 VIEW `film_list` AS select `film`.`film_id` AS `fid`,`film`.`title` AS `title` from `film` */;
--= table film: film_id, title, language_id, rating, features, changed
--= table language: language_id, name
--= view film_list: fid, title
--= key film(language_id) -> language(language_id)
--= flow film.film_id -> film_list.fid
--= flow film.title -> film_list.title

--# a PostgreSQL dump: domains, tsvector, functions, rules, triggers [postgres]
CREATE DOMAIN public.year AS integer CONSTRAINT year_check CHECK (((VALUE >= 1901) AND (VALUE <= 2155)));
CREATE FUNCTION public.last_updated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.last_update = CURRENT_TIMESTAMP;
    RETURN NEW;
END $$;
CREATE AGGREGATE public.group_concat(text) (SFUNC = public._group_concat, STYPE = text);
CREATE TABLE public.film (
    film_id integer DEFAULT nextval('public.film_film_id_seq'::regclass) NOT NULL,
    release_year public.year,
    length smallint,
    rating public.mpaa_rating DEFAULT 'G'::public.mpaa_rating,
    last_update timestamp with time zone DEFAULT now() NOT NULL,
    special_features text[],
    "position" numeric(5,2)[] DEFAULT ARRAY[1, 2],
    span interval day to second(3),
    words double precision
);
CREATE TABLE public.payment (payment_id integer NOT NULL, film_id integer) PARTITION BY RANGE (payment_id);
CREATE TRIGGER last_updated BEFORE UPDATE ON public.film FOR EACH ROW EXECUTE FUNCTION public.last_updated();
CREATE RULE no_update AS ON UPDATE TO public.payment DO INSTEAD NOTHING;
ALTER TABLE public.payment ADD CONSTRAINT p FOREIGN KEY (film_id) REFERENCES public.film(film_id) ON UPDATE CASCADE NOT VALID;
ALTER TABLE ONLY public.payment ATTACH PARTITION public.payment_1 FOR VALUES FROM (1) TO (2);
GRANT ALL ON TABLE public.film TO keeper;
SELECT pg_catalog.setval('public.film_film_id_seq', 1000, true);
--= table public.film: film_id, release_year, length, rating, last_update, special_features, position, span, words
--= table public.payment: payment_id, film_id
--= key public.payment(film_id) -> public.film(film_id)

--# a migration: renames, drops, added keys [postgres]
BEGIN;
CREATE TABLE account (id serial PRIMARY KEY, mail text NOT NULL UNIQUE, old int);
CREATE TABLE team (id serial PRIMARY KEY, owner int NOT NULL REFERENCES account(id) ON DELETE CASCADE);
ALTER TABLE account DROP COLUMN old, ADD COLUMN team_id int;
ALTER TABLE account ADD FOREIGN KEY (team_id) REFERENCES team;
ALTER TABLE IF EXISTS team RENAME COLUMN owner TO owner_id;
ALTER TABLE team RENAME TO crew;
ALTER TABLE crew ALTER COLUMN owner_id DROP NOT NULL, ALTER COLUMN id TYPE bigint;
CREATE INDEX CONCURRENTLY ON account (mail);
COMMIT;
--= table account: id, mail, team_id
--= table crew: id, owner_id
--= key crew(owner_id) -> account(id)
--= key account(team_id) -> crew(id)

--# SQLite: the way to change a table [sqlite]
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE track (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE track_new (id INTEGER PRIMARY KEY, name TEXT, album INTEGER, FOREIGN KEY(album) REFERENCES album(id) ON DELETE CASCADE);
INSERT INTO track_new (id, name) SELECT id, name FROM track;
DROP TABLE track;
ALTER TABLE track_new RENAME TO track;
COMMIT;
--= table track: id, name, album
--= key track(album) -> album(id)
--= ghost album

--# Snowflake: several statements and stages [snowflake]
USE ROLE LOADER;
USE DATABASE RAW;
USE SCHEMA PUBLIC;
CREATE STAGE IF NOT EXISTS s URL='s3://b/p' FILE_FORMAT = (TYPE = CSV FIELD_DELIMITER = ';');
CREATE OR REPLACE FILE FORMAT f TYPE = 'JSON';
CREATE TABLE IF NOT EXISTS orders (id number autoincrement, v variant, at timestamp_ltz default current_timestamp(), primary key (id)) data_retention_time_in_days = 3;
COPY INTO orders (v) FROM (SELECT $1 FROM @s/orders/) FILE_FORMAT = (FORMAT_NAME = f) ON_ERROR = 'CONTINUE';
CREATE STREAM o_stream ON TABLE orders;
CREATE TASK t WAREHOUSE = w SCHEDULE = '5 minute' AS INSERT INTO clean (id, name) SELECT id, v:name::string FROM orders;
ALTER TASK t RESUME;
--= table orders: id, v, at
--= flow orders.id -> clean.id
--= flow orders.v -> clean.name

--# Teradata and Vertica: words before TABLE and after it
CREATE MULTISET VOLATILE TABLE w, NO FALLBACK, NO BEFORE JOURNAL (id INTEGER, d DATE FORMAT 'YYYY-MM-DD', n VARCHAR(10) CHARACTER SET LATIN NOT CASESPECIFIC) PRIMARY INDEX (id) ON COMMIT PRESERVE ROWS;
CREATE MULTISET TABLE db.t, NO FALLBACK (id INTEGER NOT NULL, k BYTEINT COMPRESS (1, 2), CONSTRAINT f FOREIGN KEY (k) REFERENCES WITH NO CHECK OPTION db.k (id)) UNIQUE PRIMARY INDEX (id);
--= table db.t: id, k
--= key db.t(k) -> db.k(id)

--# ClickHouse
CREATE TABLE IF NOT EXISTS hits ON CLUSTER c (id UInt64, at DateTime64(3, 'UTC') CODEC(Delta, ZSTD), tags Array(LowCardinality(String)), n Nested(a String, b UInt8), INDEX ix id TYPE minmax GRANULARITY 1) ENGINE = MergeTree PARTITION BY toYYYYMM(at) ORDER BY (id, at) SETTINGS index_granularity = 8192;
--= table hits: id, at, tags, n

--# comments and odd breaks inside a definition
CREATE TABLE -- the name follows
  a -- here
  ( -- and its columns
  x -- first
    int -- a number
    NOT /* really */ NULL
  , y int REFERENCES -- to
    b -- this one
    ( z )
  )
;
--= table a: x, y
--= key a(y) -> b(z)

--# a warehouse load with merges of several kinds [snowflake]
create or replace temporary table chg as
select k.id, k.name, k.at, row_number() over (partition by k.id order by k.at desc) as rn
from raw.kunden k left join raw.sperren s on s.id = k.id where s.id is null;
merge into dwh.dim_kunde d using (select * from chg where rn = 1) c on d.id = c.id
when matched and d.name <> c.name then update set d.name = c.name, d.at = c.at
when not matched then insert (id, name, at) values (c.id, c.name, c.at);
insert into dwh.fact (kunde_key, betrag) select d.key, sum(b.betrag) from raw.buchung b join dwh.dim_kunde d on d.id = b.kunde_id and d.at = (select max(at) from dwh.dim_kunde x where x.id = d.id) group by 1;
create table dwh.dim_kunde (key number identity, id number, name varchar, at timestamp_ntz);
create table raw.kunden (id number, name varchar, at timestamp_ntz);
--= table dwh.dim_kunde: key, id, name, at
--= table raw.kunden: id, name, at
--= flow raw.kunden.id -> dwh.dim_kunde.id
--= flow raw.kunden.name -> dwh.dim_kunde.name
--= flow raw.kunden.at -> dwh.dim_kunde.at
--= filter raw.sperren -> dwh.dim_kunde
--= flow dwh.dim_kunde.key -> dwh.fact.kunde_key
--= flow raw.buchung.betrag -> dwh.fact.betrag

--# the same view twice: the later definition counts
CREATE VIEW v AS SELECT a FROM one;
CREATE OR REPLACE VIEW v AS SELECT b FROM two;
--= view v: b
--= flow two.b -> v.b

--# lines that end in a backslash, odd white space and a form feed
CREATE TABLE	a	(x	int);
CREATE TABLE b (y int) ;;
;
--= table a: x
--= table b: y

--# a table called table, keywords as columns, doubled quotes, trailing comma
CREATE TABLE table (id int, select int, from varchar(9), user_comment varchar(100), go_live date, order int COMMENT 'isn''t it', use_by date,);
--= table table: id, select, from, user_comment, go_live, order, use_by

--# a comma forgotten before a constraint
CREATE TABLE a (x VARCHAR2(15), y VARCHAR2(15)
  CONSTRAINT p PRIMARY KEY (x) USING INDEX TABLESPACE "T");
CREATE TABLE b (x VARCHAR2(15), z VARCHAR2(15)
  CONSTRAINT f FOREIGN KEY (x) REFERENCES a);
--= table a: x, y
--= table b: x, z
--= key b(x) -> a(x)

--# a constraint whose name begins with a digit
CREATE TABLE a (x int, CONSTRAINT 33_REL FOREIGN KEY ( x ) REFERENCES log.b ( y ));
--= key a(x) -> log.b(y)

--# Snowflake: order of autoincrement, default from a sequence, search optimization [snowflake]
CREATE TABLE t (sk NUMBER(38,0) NOT NULL autoincrement start 1 increment 1 NOORDER COMMENT 'n, o', id NUMBER DEFAULT DB.S.SEQ.NEXTVAL, v VARCHAR COLLATE 'en-ci' MASKING POLICY p USING (v, id), g GEOGRAPHY AS (ST_POINT(id, id)));
--= table t: sk, id, v, g

--# common table expressions before CREATE TABLE
WITH a AS (SELECT old AS c1, old2 AS c2 FROM s), b AS (SELECT *, c2 AS c3 FROM a)
CREATE TABLE t AS SELECT * FROM b;
--= table t: c1, c2, c3
--= flow s.old -> t.c1
--= flow s.old2 -> t.c2
--= flow s.old2 -> t.c3

--# Greenplum: distribution after the query, temporary tables dropped on commit
CREATE TEMPORARY TABLE cur ON COMMIT DROP AS
SELECT a1.pd AS pd, h.id FROM (SELECT t.id FROM (SELECT * FROM s1.hub) AS t) AS h LEFT JOIN (SELECT * FROM s1.att) AS a1 ON a1.id = h.id
DISTRIBUTED RANDOMLY;
ANALYZE cur;
INSERT INTO s2.goal (x, y) SELECT cur.pd, t.id FROM (SELECT * FROM s1.other) t LEFT JOIN (SELECT * FROM cur) cur ON t.id = cur.id;
--= flow s1.att.pd -> s2.goal.x
--= flow s1.other.id -> s2.goal.y
--= filter s1.hub -> s2.goal

--# a script that ends in a temporary table shows it, collapsed [tsql]
SELECT id, name INTO #one FROM dbo.people WHERE country = 'x';
SELECT o.*, s.total INTO #two FROM #one AS o LEFT JOIN dbo.sums AS s ON s.id = o.id;
SELECT * FROM #two;
--= table #two: id, name, total
--= flow dbo.people.id -> #two.id
--= flow dbo.people.name -> #two.name
--= flow dbo.sums.total -> #two.total

--# joins in several brackets with aliases [mysql]
create view v as with `c` as (select `a` from `one`) select `k`.`a` AS `x`, `t`.`b` AS `y` from ((`two` as `t` join `c` as `k` on (`t`.`z` = `k`.`a`)));
--= flow one.a -> v.x
--= flow two.b -> v.y

--# hints, comments between words and comments that mention tables [oracle]
insert /*+ APPEND PARALLEL(4) */
into	nwu.daily -- into the table "daily"
( unit_code, run_date )
select nd.unit_code, nd.run_date -- create table x
from (select /*+ FULL(m) */ m.unit_code as unit_code, to_date('2023-12-19', 'YYYY-MM-DD') as run_date from nwu.map m where run_date = to_date('2023-12-19', 'YYYY-MM-DD')) nd;
--= flow nwu.map.unit_code -> nwu.daily.unit_code

--# the latest row of each group as a whole row [bigquery]
CREATE TABLE d.articles (id INT64, title STRING, at TIMESTAMP);
CREATE TABLE d.latest AS SELECT one.* FROM (SELECT ARRAY_AGG(original ORDER BY original.at DESC LIMIT 1)[OFFSET(0)] AS one FROM d.articles AS original GROUP BY original.id);
--= table d.articles: id, title, at
--= table d.latest: id, title, at
--= flow d.articles.id -> d.latest.id
--= flow d.articles.title -> d.latest.title
--= flow d.articles.at -> d.latest.at

--# insert overwrite of a union in brackets [spark]
insert overwrite table db.c
(
 select a.k from db.a
 UNION
 select b.m from db.b b
)
--= flow db.a.k -> db.c.k
--= flow db.b.m -> db.c.k

--# unnamed aggregates keep their place
INSERT INTO t (a, b, c) SELECT plum, max(grape), min(b.tomato) FROM s AS b GROUP BY plum;
--= flow s.plum -> t.a
--= flow s.grape -> t.b
--= flow s.tomato -> t.c

--# several actions of which the first alters a column on its own line
CREATE TABLE p (id int PRIMARY KEY);
CREATE TABLE c (id int, p_id int);
ALTER TABLE c
  ALTER COLUMN id SET NOT NULL,
  ALTER COLUMN p_id TYPE bigint USING p_id::bigint,
  DROP CONSTRAINT IF EXISTS old,
  ADD CONSTRAINT f FOREIGN KEY (p_id) REFERENCES p (id);
--= key c(p_id) -> p(id)
