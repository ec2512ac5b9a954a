--# a T-SQL procedure with control flow and no terminators [tsql]
CREATE OR ALTER PROCEDURE etl.load_day @day date, @full bit = 0 WITH EXECUTE AS OWNER
AS
BEGIN
  SET NOCOUNT ON
  DECLARE @n int = (SELECT count(*) FROM etl.log)
  IF @full = 1
    TRUNCATE TABLE mart.sales
  ELSE
    DELETE FROM mart.sales WHERE day = @day
  BEGIN TRY
    BEGIN TRAN
    INSERT INTO mart.sales (day, amount)
    SELECT s.day, SUM(CASE WHEN s.kind = 'r' THEN -s.amount ELSE s.amount END)
    FROM stage.sales s
    WHERE s.day = @day
    GROUP BY s.day
    UPDATE mart.state SET last_day = x.day FROM stage.control x WHERE mart.state.id = x.id
    COMMIT TRAN
  END TRY
  BEGIN CATCH
    IF @@TRANCOUNT > 0 ROLLBACK TRAN
    ;THROW
  END CATCH
  WHILE @n > 0
  BEGIN
    INSERT mart.audit SELECT a.x AS y FROM stage.audit a
    SET @n = @n - 1
  END
  RETURN 0
END
GO
CREATE TABLE mart.after_go (x int)
GO
--= table mart.after_go: x
--= flow stage.sales.day -> mart.sales.day
--= flow stage.sales.kind -> mart.sales.amount
--= flow stage.sales.amount -> mart.sales.amount
--= flow stage.control.day -> mart.state.last_day
--= flow stage.audit.x -> mart.audit.y

--# a T-SQL procedure whose body starts with a CTE [tsql]
CREATE PROC dbo.p AS
WITH c AS (SELECT a FROM dbo.s)
INSERT INTO dbo.t (x) SELECT a FROM c
GO
--= flow dbo.s.a -> dbo.t.x

--# a T-SQL trigger sees the rows of its table [tsql]
CREATE TABLE dbo.item (id int, price money)
GO
CREATE TRIGGER dbo.keep ON dbo.item AFTER INSERT, UPDATE AS
BEGIN
  IF NOT UPDATE(price) RETURN
  INSERT INTO dbo.item_log (id, price) SELECT i.id, i.price FROM inserted i LEFT JOIN deleted d ON d.id = i.id
END
GO
--= flow dbo.item.id -> dbo.item_log.id
--= flow dbo.item.price -> dbo.item_log.price

--# a T-SQL inline table function and a view over it [tsql]
CREATE FUNCTION dbo.f (@k int) RETURNS TABLE AS RETURN (SELECT a FROM dbo.s WHERE k = @k)
GO
CREATE VIEW dbo.v AS SELECT f.a, r.b FROM dbo.r r CROSS APPLY dbo.f(r.k) f
GO
--= flow dbo.r.b -> dbo.v.b
--= flow dbo.r.k -> dbo.v.a

--# a PL/pgSQL function [postgres]
CREATE OR REPLACE FUNCTION refresh(day date) RETURNS void AS $body$
DECLARE n int; r record;
BEGIN
  SELECT count(*) INTO n FROM log;
  FOR r IN SELECT k FROM todo LOOP
    INSERT INTO done (k, at) SELECT t.k, t.at FROM task t WHERE t.k = r.k;
  END LOOP;
  IF n > 0 THEN
    UPDATE total SET amount = s.amount FROM sums s WHERE s.k = total.k;
  ELSE
    INSERT INTO total (amount) SELECT amount FROM base;
  END IF;
  EXECUTE 'INSERT INTO ' || day || ' SELECT 1';
END;
$body$ LANGUAGE plpgsql;
--= flow task.k -> done.k
--= flow task.at -> done.at
--= flow sums.amount -> total.amount
--= flow base.amount -> total.amount
--= problem 13: dynamic SQL

--# an SQL function and a DO block [postgres]
CREATE FUNCTION go() RETURNS void LANGUAGE sql AS $$ INSERT INTO t (x) SELECT a FROM s; $$;
DO $$ BEGIN INSERT INTO t (y) SELECT b FROM r; END $$;
CREATE FUNCTION py() RETURNS void AS $$ plpy.execute("INSERT INTO nope SELECT 1") $$ LANGUAGE plpython3u;
--= flow s.a -> t.x
--= flow r.b -> t.y

--# a PL/SQL package body [oracle]
CREATE OR REPLACE PACKAGE BODY etl AS
  c_limit CONSTANT NUMBER := 10;
  PROCEDURE fill (p_day IN DATE) IS
    v_n NUMBER;
    CURSOR c IS SELECT id FROM queue;
  BEGIN
    SELECT COUNT(*) INTO v_n FROM src;
    FOR r IN c LOOP
      MERGE INTO dst d USING (SELECT id, val FROM src WHERE day = p_day) s ON (d.id = s.id)
      WHEN MATCHED THEN UPDATE SET d.val = s.val WHEN NOT MATCHED THEN INSERT (id, val) VALUES (s.id, s.val);
    END LOOP;
    INSERT /*+ APPEND */ INTO hist (id, val) SELECT id, NVL(val, 0) FROM dst WHERE ROWNUM < 10;
  EXCEPTION
    WHEN OTHERS THEN NULL;
  END fill;
END etl;
/
--= flow src.id -> dst.id
--= flow src.val -> dst.val
--= flow dst.id -> hist.id
--= flow dst.val -> hist.val

--# an Oracle trigger [oracle]
CREATE OR REPLACE TRIGGER keep AFTER UPDATE OF sal ON emp FOR EACH ROW
BEGIN
  INSERT INTO emp_log (id, was, now) VALUES (:old.id, :old.sal, :new.sal);
END;
/
--= flow emp.id -> emp_log.id
--= flow emp.sal -> emp_log.was
--= flow emp.sal -> emp_log.now

--# MySQL triggers and events [mysql]
DELIMITER //
CREATE TRIGGER keep AFTER INSERT ON orders FOR EACH ROW BEGIN
  IF NEW.amount > 10 THEN
    INSERT INTO big (order_id, amount) VALUES (NEW.id, NEW.amount);
  END IF;
END//
CREATE EVENT nightly ON SCHEDULE EVERY 1 DAY DO INSERT INTO totals (n) SELECT sum(amount) FROM orders//
DELIMITER ;
--= flow orders.id -> big.order_id
--= flow orders.amount -> big.amount
--= flow orders.amount -> totals.n

--# permissions and other statements say nothing and are no problem [tsql]
GRANT SELECT, INSERT, UPDATE ON dbo.a TO reader
REVOKE ALTER ON SCHEMA::dbo FROM reader
CREATE NONCLUSTERED INDEX ix ON dbo.a (x) INCLUDE (y) WITH (ONLINE = ON)
EXEC sys.sp_addextendedproperty @name=N'MS_Description', @value=N'CREATE TABLE x (y int)', @level0type=N'SCHEMA',@level0name=N'dbo'
EXEC dbo.other_proc @a = 1
CREATE TYPE dbo.Flag FROM bit NOT NULL
CREATE SCHEMA stage AUTHORIZATION dbo
PRINT 'SELECT a FROM b'
ALTER DATABASE x SET RECOVERY SIMPLE
BACKUP LOG x TO DISK = 'nul'
DBCC CHECKDB

--# statements of other dialects that say nothing
CREATE INDEX ix ON a (x);
CREATE SEQUENCE s;
CREATE EXTENSION IF NOT EXISTS pgcrypto;
CREATE TYPE mood AS ENUM ('a', 'b');
CREATE ROLE reader;
COMMENT ON TABLE a IS 'it''s; nothing';
VACUUM ANALYZE a;
SET search_path TO x;
BEGIN;
COMMIT;
PRAGMA foreign_keys = ON;
LOCK TABLES a WRITE;
UNLOCK TABLES;
DROP TABLE IF EXISTS a CASCADE;
ANALYZE TABLE a COMPUTE STATISTICS;
MSCK REPAIR TABLE a;
EXPLAIN SELECT * FROM a;
REFRESH MATERIALIZED VIEW b;
