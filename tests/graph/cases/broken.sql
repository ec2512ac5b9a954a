--# a bracket that is never closed: the rest is loaded
CREATE TABLE a (x int, y int;
CREATE TABLE b (z int);
--= table a: x, y
--= table b: z
--= problem 1: never closed

--# a bracket and a terminator that are missing
CREATE TABLE a (x int, y int
CREATE TABLE b (z int);
--= table a: x, y
--= table b: z
--= problem 1: never closed

--# a quote that is never closed
CREATE TABLE a (x varchar(9) DEFAULT 'oops, y int);
CREATE TABLE b (z int);
CREATE TABLE c (w text DEFAULT 'fine');
--= table a: x
--= table b: z
--= table c: w
--= problem 1: quote
--= problem 1: never closed

--# a comment that is never closed
CREATE TABLE a (x int);
/* here it starts
CREATE TABLE b (z int);
--= table a: x
--= table b: z
--= problem 2: comment

--# a missing comma between columns
CREATE TABLE a (
  x int
  y varchar(10),
  z int);
--= table a: x, y, z
--= problem 3: comma

--# a column missing between commas
CREATE TABLE a (x int,, y int);
--= table a: x, y
--= problem 1: missing

--# a misspelt keyword
CREATE TABEL a (x int);
CREATE TABLE b (y int);
CRAETE TABLE c (y int);
--= table b: y
--= problem 1: CREATE TABEL a
--= problem 3: CRAETE TABLE c

--# a key that names nothing
CREATE TABLE a (x int, FOREIGN KEY (x) REFERENCES, y int);
CREATE TABLE b (x int, CONSTRAINT k FOREIGN KEY (x));
--= table a: x, y
--= table b: x
--= problem 1: REFERENCES names no table
--= problem 2: names no parent

--# a key with unequal numbers of columns is told and kept
CREATE TABLE p (a int, b int, PRIMARY KEY (a, b));
CREATE TABLE c (a int, FOREIGN KEY (a) REFERENCES p (a, b));
--= key c(a) -> p(a, b)
--= problem 2: 1 columns, its parent 2

--# a query nobody reads is told; its tables are still found
CREATE TABLE a (x int);
INSERT INTO b SELECT x FROM a WHERE ((x = ;
CREATE TABLE c (y int);
--= open a -> b
--= problem 2: could not be read

--# SQL put together at run time is told [tsql]
DECLARE @s nvarchar(max) = N'INSERT INTO ' + @t + N' SELECT * FROM x'
EXEC sp_executesql @s
EXEC (@s)
--= problem 2: dynamic SQL
--= problem 3: dynamic SQL

--# SQL executed from a literal is followed [oracle]
BEGIN
  EXECUTE IMMEDIATE 'CREATE TABLE t (x NUMBER(3))';
  EXECUTE IMMEDIATE 'INSERT INTO t SELECT y FROM s WHERE n = ''a''';
  EXECUTE IMMEDIATE 'TRUNCATE TABLE ' || v;
END;
/
--= table t: x
--= flow s.y -> t.x
--= problem 4: dynamic SQL

--# rows of a procedure call [tsql]
INSERT INTO dbo.r (a) EXEC dbo.load_all
--= problem 1: procedure call
