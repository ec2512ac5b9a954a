--# a foreign key without parent columns means the primary key of the parent, defined later
CREATE TABLE plot (plot_id int PRIMARY KEY, farm int REFERENCES farm);
CREATE TABLE farm (code int, name text, PRIMARY KEY (code));
--= table plot: plot_id, farm
--= table farm: code, name
--= key plot(farm) -> farm(code)

--# parent columns default to a composite primary key
CREATE TABLE leg (trip int, no int, PRIMARY KEY (trip, no));
CREATE TABLE stop (trip int, leg int, FOREIGN KEY (trip, leg) REFERENCES leg);
--= key stop(trip, leg) -> leg(trip, no)

--# several keys between one pair stay apart, and a self reference
CREATE TABLE person (id int PRIMARY KEY, boss int REFERENCES person(id));
CREATE TABLE deal (buyer int REFERENCES person(id), seller int REFERENCES person(id));
--= key person(boss) -> person(id)
--= key deal(buyer) -> person(id)
--= key deal(seller) -> person(id)

--# a dangling parent becomes a placeholder
CREATE TABLE bill (id int, payer int REFERENCES payer(id));
--= key bill(payer) -> payer(id)
--= ghost payer

--# keys in another case than the definition take its spelling
CREATE TABLE Ward (Ward_Id int PRIMARY KEY);
ALTER TABLE BED ADD CONSTRAINT f FOREIGN KEY (WARD_ID) REFERENCES WARD (WARD_ID);
CREATE TABLE bed (bed_id int, ward_id int);
--= table Ward: Ward_Id
--= table bed: bed_id, ward_id
--= key bed(ward_id) -> Ward(Ward_Id)

--# a schema variable before the names is left out
CREATE TABLE @target.visit (id integer NOT NULL, kind integer);
ALTER TABLE @target.visit ADD CONSTRAINT k FOREIGN KEY (kind) REFERENCES @target.KIND (ID);
CREATE TABLE @vocab.kind (id integer);
--= table visit: id, kind
--= table kind: id
--= key visit(kind) -> kind(id)

--# other spellings of variables
CREATE TABLE ${schema}.a (x int);
CREATE TABLE $(Db).dbo.b (x int);
CREATE TABLE {{ env_schema }}.c (x int);
CREATE TABLE :target.d (x int);
CREATE TABLE &owner..e (x int);
CREATE TABLE {schema}.f (x int);
--= table a: x
--= table dbo.b: x
--= table c: x
--= table d: x
--= table e: x
--= table f: x

--# commented-out statements, in every kind of comment
-- CREATE TABLE no1 (a int);
/* CREATE TABLE no2 (a int); /* nested */ CREATE TABLE no3 (b int); */
CREATE TABLE yes (a int /* , b int */, -- c int,
  d text DEFAULT 'CREATE TABLE no4 (x int);');
-- ALTER TABLE yes ADD FOREIGN KEY (a) REFERENCES no1 (a);
--= table yes: a, d

--# statements without a terminator between them
CREATE TABLE a (x int primary key)
CREATE TABLE b (y int)
ALTER TABLE b ADD CONSTRAINT one FOREIGN KEY (y) REFERENCES a (x)
ALTER TABLE b ADD CONSTRAINT two FOREIGN KEY (y) REFERENCES a (x)
--= key b(y) -> a(x)

--# CREATE TABLE AS SELECT CAST(NULL …)
CREATE TABLE person USING DELTA AS SELECT CAST(NULL AS integer) AS person_id, CAST(NULL AS STRING) AS label WHERE 1 = 0;
--= table person: person_id, label

--# computed, generated and identity columns
CREATE TABLE [dbo].[Line] ([Id] int IDENTITY(1,1) PRIMARY KEY, [Qty] int NOT NULL, [Price] money DEFAULT ((0)),
 [Total] AS (ISNULL([Qty] * ([Price] - 1), 0.0)) PERSISTED, [Code] AS 'L' + CONVERT(varchar(9), [Id]), [Flag] dbo.Flag NOT NULL)
--= table dbo.Line: Id, Qty, Price, Total, Code, Flag

--# generated columns of PostgreSQL, MySQL, Oracle
CREATE TABLE g (a int GENERATED ALWAYS AS IDENTITY (START WITH 1), b int GENERATED ALWAYS AS (a * 2) STORED, c varchar(10) AS (concat(a, ',', b)) VIRTUAL, d number DEFAULT ON NULL 0);
--= table g: a, b, c, d

--# one ALTER TABLE with several actions
CREATE TABLE p (id int PRIMARY KEY);
CREATE TABLE c (id int);
ALTER TABLE ONLY c ADD COLUMN p_id int, ADD COLUMN IF NOT EXISTS q_id int, ADD CONSTRAINT f FOREIGN KEY (p_id) REFERENCES p(id) ON DELETE CASCADE, DROP COLUMN id;
--= table p: id
--= table c: p_id, q_id
--= key c(p_id) -> p(id)

--# an inline key on an added column
CREATE TABLE p (id int PRIMARY KEY);
CREATE TABLE c (id int);
ALTER TABLE c ADD p_id int NULL CONSTRAINT f REFERENCES p (id);
--= table p: id
--= table c: id, p_id
--= key c(p_id) -> p(id)

--# T-SQL adds several columns and constraints with one ADD [tsql]
CREATE TABLE dbo.p (id int PRIMARY KEY)
CREATE TABLE dbo.c (id int)
ALTER TABLE dbo.c WITH NOCHECK ADD a int NULL, p_id int NULL, CONSTRAINT f FOREIGN KEY (p_id) REFERENCES dbo.p (id), CONSTRAINT u UNIQUE (a)
--= table dbo.p: id
--= table dbo.c: id, a, p_id
--= key dbo.c(p_id) -> dbo.p(id)

--# Oracle adds a bracketed list [oracle]
CREATE TABLE p (id NUMBER(10) PRIMARY KEY);
CREATE TABLE c (id NUMBER(10));
ALTER TABLE c ADD (p_id NUMBER(10), note VARCHAR2(20 CHAR), CONSTRAINT f FOREIGN KEY (p_id) REFERENCES p);
--= table p: id
--= table c: id, p_id, note
--= key c(p_id) -> p(id)

--# dropped constraints and renamed columns and tables
CREATE TABLE p (id int PRIMARY KEY);
CREATE TABLE c (p_id int CONSTRAINT f REFERENCES p(id), q int CONSTRAINT g REFERENCES p(id));
ALTER TABLE c DROP CONSTRAINT f;
ALTER TABLE c RENAME COLUMN q TO p2;
ALTER TABLE c RENAME TO kid;
--= table p: id
--= table kid: p_id, p2
--= key kid(p2) -> p(id)

--# nested types of BigQuery and Spark [bigquery]
CREATE TABLE `my-project.shop.orders` (id INT64 NOT NULL, lines ARRAY<STRUCT<sku STRING, qty INT64, tags ARRAY<STRING>>>, at TIMESTAMP OPTIONS(description="when, exactly"), buyer STRING, PRIMARY KEY (id) NOT ENFORCED, FOREIGN KEY (buyer) REFERENCES `my-project.shop.buyers`(id) NOT ENFORCED) PARTITION BY DATE(at) CLUSTER BY buyer OPTIONS(expiration_timestamp=NULL);
--= table my-project.shop.orders: id, lines, at, buyer
--= key my-project.shop.orders(buyer) -> my-project.shop.buyers(id)

--# columns with the names of keywords
CREATE TABLE t (key varchar(10), "primary" int, [unique] int, `check` int, index int, comment text, date date, period int, type text, value int);
--= table t: key, primary, unique, check, index, comment, date, period, type, value

--# keys and indexes of MySQL are no columns [mysql]
CREATE TABLE t (id int NOT NULL, a varchar(9) CHARACTER SET latin1 COLLATE latin1_bin DEFAULT NULL COMMENT 'x, y', e enum('a','b,c'), PRIMARY KEY (id), KEY ix (a(3)), INDEX (e), UNIQUE KEY u (a, e), FULLTEXT KEY f (a), CONSTRAINT c CHECK (id > 0)) ENGINE=InnoDB;
--= table t: id, a, e

--# Redshift attributes [redshift]
CREATE TABLE t (id bigint encode az64 distkey, at timestamp encode raw sortkey, x varchar(20) encode zstd default 'a', y int references u (id)) diststyle key compound sortkey (at, id);
--= table t: id, at, x, y
--= key t(y) -> u(id)

--# SQLite: no types, strict, without rowid, odd quotes [sqlite]
CREATE TABLE IF NOT EXISTS main."t" (a, [b c] REFERENCES u, 'd' TEXT, PRIMARY KEY (a)) WITHOUT ROWID;
CREATE VIRTUAL TABLE ft USING fts5(title, body, tokenize = 'porter');
CREATE TABLE u (id INTEGER PRIMARY KEY AUTOINCREMENT) STRICT;
--= table main.t: a, b c, d
--= table ft: title, body
--= table u: id
--= key main.t(b c) -> u(id)

--# Snowflake: transient, autoincrement, tags, out-of-line keys [snowflake]
create or replace transient table RAW.PUBLIC.EVENTS (ID NUMBER(38,0) AUTOINCREMENT START 1 INCREMENT 1, V VARIANT, U VARCHAR(16777216) WITH TAG (pii = 'yes'), T TIMESTAMP_NTZ(9) DEFAULT CURRENT_TIMESTAMP(), constraint fk foreign key (U) references RAW.PUBLIC.USERS (ID) not enforced) cluster by (to_date(T)) comment = 'a, b';
--= table RAW.PUBLIC.EVENTS: ID, V, U, T
--= key RAW.PUBLIC.EVENTS(U) -> RAW.PUBLIC.USERS(ID)

--# Oracle storage clauses and a slash on its own line [oracle]
CREATE TABLE "HR"."JOBS" ("JOB_ID" VARCHAR2(10 BYTE) NOT NULL ENABLE, "MIN" NUMBER(6,0), CONSTRAINT "PK" PRIMARY KEY ("JOB_ID") USING INDEX PCTFREE 10 TABLESPACE "USERS" ENABLE) SEGMENT CREATION IMMEDIATE PCTFREE 10 STORAGE(INITIAL 65536 NEXT 1048576) TABLESPACE "USERS"
/
CREATE TABLE HR.EMP (ID NUMBER, JOB VARCHAR2(10), CONSTRAINT FKJ FOREIGN KEY (JOB) REFERENCES HR.JOBS (JOB_ID) ON DELETE SET NULL DISABLE NOVALIDATE)
/
--= table HR.JOBS: JOB_ID, MIN
--= table HR.EMP: ID, JOB
--= key HR.EMP(JOB) -> HR.JOBS(JOB_ID)

--# a PostgreSQL dump: data blocks, meta commands, functions [postgres]
\connect shop
SET statement_timeout = 0;
CREATE TABLE public.item (id integer NOT NULL, label text DEFAULT 'x''y'::text, tags text[] DEFAULT '{}'::text[], at timestamp without time zone DEFAULT now());
ALTER TABLE public.item OWNER TO keeper;
CREATE SEQUENCE public.item_id_seq START WITH 1;
ALTER TABLE ONLY public.item ALTER COLUMN id SET DEFAULT nextval('public.item_id_seq'::regclass);
COPY public.item (id, label) FROM stdin;
1	it's; CREATE TABLE fake (x int);
2	(
\.
ALTER TABLE ONLY public.item ADD CONSTRAINT item_pkey PRIMARY KEY (id);
CREATE TABLE public.part (item integer, CONSTRAINT f FOREIGN KEY (item) REFERENCES public.item DEFERRABLE INITIALLY DEFERRED);
--= table public.item: id, label, tags, at
--= table public.part: item
--= key public.part(item) -> public.item(id)

--# inheritance, LIKE and partitions
CREATE TABLE base (id int PRIMARY KEY, at date);
CREATE TABLE kid (extra text) INHERITS (base);
CREATE TABLE twin (LIKE base INCLUDING ALL);
CREATE TABLE part PARTITION OF base FOR VALUES FROM (1) TO (2);
CREATE TABLE copy LIKE base;
--= table base: id, at
--= table kid: id, at, extra
--= table twin: id, at
--= table part: id, at
--= table copy: id, at

--# GO in a string, in a name, with a count and with a comment [tsql]
CREATE TABLE [dbo].[Go] ([go] int, [t] nvarchar(9) DEFAULT (N'
GO
'))
GO 2
CREATE TABLE dbo.b (x int) ON [PRIMARY] TEXTIMAGE_ON [PRIMARY]
go -- done
--= table dbo.Go: go, t
--= table dbo.b: x

--# the delimiter of a MySQL client [mysql]
DELIMITER $$
CREATE TABLE a (x int)$$
CREATE PROCEDURE p() BEGIN DECLARE v INT; INSERT INTO a SELECT y FROM b; SET v = 1; END$$
DELIMITER ;
CREATE TABLE b (y int);
--= table a: x
--= table b: y
--= flow b.y -> a.x

--# conditional comments of MySQL are executed [mysql]
/*!40101 SET NAMES utf8 */;
/*!50001 CREATE TABLE a (x int) */;
CREATE TABLE b (y int) /*!50100 PARTITION BY HASH (y) */;
--= table a: x
--= table b: y

--# synonyms stand for their table [oracle]
CREATE SYNONYM emp FOR hr.employees;
CREATE TABLE hr.employees (id NUMBER(9) PRIMARY KEY);
CREATE TABLE pay (e NUMBER(9) REFERENCES emp);
--= table hr.employees: id
--= table pay: e
--= key pay(e) -> hr.employees(id)

--# unqualified names mean the table of the same schema
CREATE TABLE a.t (id int PRIMARY KEY);
CREATE TABLE b.t (id int PRIMARY KEY);
CREATE TABLE b.u (t int REFERENCES t);
--= key b.u(t) -> b.t(id)

--# the selected database before a name [tsql]
USE [shop]
GO
CREATE TABLE [dbo].[a] (id int PRIMARY KEY)
CREATE TABLE [dbo].[b] (a int REFERENCES [shop].[dbo].[a](id), o int REFERENCES [other].[dbo].[a](id))
GO
--= key dbo.b(a) -> dbo.a(id)
--= key dbo.b(o) -> other.dbo.a(id)

--# Hive and Spark: partitions, location, serde [spark]
CREATE EXTERNAL TABLE IF NOT EXISTS lake.hits (ip STRING COMMENT 'who; what', m MAP<STRING, ARRAY<INT>>, s STRUCT<a:INT, b:STRING>) COMMENT 'x' PARTITIONED BY (day STRING) STORED AS PARQUET LOCATION 's3://b/p' TBLPROPERTIES ('k'='v');
--= table lake.hits: ip, m, s, day

--# a table variable and a temporary table are no tables [tsql]
DECLARE @t TABLE (id int)
CREATE TABLE #w (id int)
CREATE TABLE dbo.real (id int)
--= table dbo.real: id

--# DuckDB: macros, types, sequences [duckdb]
CREATE OR REPLACE TABLE t (id BIGINT DEFAULT nextval('s'), e ENUM('a', 'b'), l INTEGER[], s STRUCT(v VARCHAR, i INTEGER), u UNION(n INT, w VARCHAR), d DECIMAL(18, 3));
CREATE MACRO add(a, b) AS a + b;
--= table t: id, e, l, s, u, d

--# a foreign key in brackets and odd spacing
create table
   "Odd Name" ( "a b" int , constraint "f k" foreign key("a b")references"Other One"("x y")on delete no action );
--= key Odd Name(a b) -> Other One(x y)
