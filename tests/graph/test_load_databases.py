"""The catalogs of live databases and database files."""

from __future__ import annotations

import json
import sqlite3
import traceback
from pathlib import Path

import pytest

from headwater.errors import HeadwaterError, SetupError
from headwater.graph import SchemaGraph
from headwater.graph.loaders import load_graph

SCRIPT = """
CREATE TABLE harbour (harbour_id integer PRIMARY KEY, label varchar(40) NOT NULL);
CREATE TABLE berth (harbour_id integer NOT NULL, berth_no integer NOT NULL, depth numeric(5, 1), PRIMARY KEY (harbour_id, berth_no),
  FOREIGN KEY (harbour_id) REFERENCES harbour (harbour_id));
CREATE TABLE ship (ship_id integer PRIMARY KEY, home_id integer REFERENCES harbour (harbour_id), sister_id integer);
CREATE TABLE call_log (call_id integer PRIMARY KEY, ship_id integer NOT NULL, harbour_id integer, berth_no integer,
  CONSTRAINT call_ship FOREIGN KEY (ship_id) REFERENCES ship (ship_id),
  CONSTRAINT call_berth FOREIGN KEY (harbour_id, berth_no) REFERENCES berth (harbour_id, berth_no));
CREATE VIEW busy AS SELECT h.label, count(*) AS calls, max(c.call_id) AS last_call
  FROM call_log c JOIN harbour h ON h.harbour_id = c.harbour_id GROUP BY h.label;
CREATE VIEW busiest AS SELECT label FROM busy WHERE calls > (SELECT avg(ship_id) FROM ship);
"""
TABLES = {"harbour", "berth", "ship", "call_log", "busy", "busiest"}
KEYS = {
    ("berth", ("harbour_id",), "harbour", ("harbour_id",)),
    ("ship", ("home_id",), "harbour", ("harbour_id",)),
    ("call_log", ("ship_id",), "ship", ("ship_id",)),
    ("call_log", ("harbour_id", "berth_no"), "berth", ("harbour_id", "berth_no")),
}


def keys(graph: SchemaGraph) -> set[tuple[str, tuple[str, ...], str, tuple[str, ...]]]:
    return {(k.child, k.child_columns, k.parent, k.parent_columns) for k in graph.foreign_keys}


def check(graph: SchemaGraph, expect_keys: bool = True) -> None:
    assert {t.name for t in graph.tables.values() if not t.placeholder} == TABLES
    assert graph.problems == []
    assert {n for n, t in graph.tables.items() if t.kind == "view"} == {"busy", "busiest"}
    assert graph.tables["berth"].primary_key == ("harbour_id", "berth_no")
    assert [c.name for c in graph.tables["call_log"].columns] == [
        "call_id",
        "ship_id",
        "harbour_id",
        "berth_no",
    ]
    assert [c.nullable for c in graph.tables["harbour"].columns] == [False, False]
    if expect_keys:
        assert keys(graph) == KEYS
    flows = {(e.source, e.target): (set(e.columns), e.value) for e in graph.lineage}
    assert flows == {
        ("call_log", "busy"): ({("call_id", "last_call")}, True),
        ("harbour", "busy"): ({("label", "label")}, True),
        ("busy", "busiest"): ({("label", "label")}, True),
        ("ship", "busiest"): (set(), False),
    }


def test_script_and_catalogs_agree(tmp_path: Path) -> None:
    path = tmp_path / "port.sql"
    path.write_text(SCRIPT, encoding="utf-8")
    check(load_graph([str(path)]))


@pytest.fixture
def postgres(postgres_url: str) -> str:
    import psycopg

    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("DROP DATABASE IF EXISTS port")
        connection.execute("CREATE DATABASE port")
    url = postgres_url.replace("/postgres", "/port")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(SCRIPT.encode())
    return url


def test_postgres(postgres: str) -> None:
    check(load_graph([postgres]))


def test_postgres_schemas_partitions_and_quoted_names(postgres: str) -> None:
    import psycopg

    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(
            b"""CREATE SCHEMA "Dry Dock"; CREATE TABLE "Dry Dock"."Job Card" ("No" int PRIMARY KEY, ship_id int REFERENCES ship);
            CREATE TABLE tide (at date, level real, harbour_id int REFERENCES harbour) PARTITION BY RANGE (at);
            CREATE TABLE tide_2023 PARTITION OF tide FOR VALUES FROM ('2023-01-01') TO ('2024-01-01');
            CREATE MATERIALIZED VIEW "Dry Dock".recent AS SELECT j."No", s.home_id FROM "Dry Dock"."Job Card" j LEFT JOIN ship s USING (ship_id)"""
        )
    graph = load_graph([postgres])
    assert "tide_2023" not in graph.tables
    assert graph.tables["Dry Dock.recent"].kind == "view"
    assert ("Dry Dock.Job Card", ("ship_id",), "ship", ("ship_id",)) in keys(graph)
    assert ("tide", ("harbour_id",), "harbour", ("harbour_id",)) in keys(graph)
    flows = {(e.source, e.target): set(e.columns) for e in graph.lineage}
    assert flows["Dry Dock.Job Card", "Dry Dock.recent"] == {("No", "No")}
    assert flows["ship", "Dry Dock.recent"] == {("home_id", "home_id")}


def test_postgres_proposes_keys_that_hold_in_the_data(postgres: str) -> None:
    import psycopg

    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(
            b"""INSERT INTO harbour SELECT g, 'h' || g FROM generate_series(1, 50) g;
            CREATE TABLE visit (visit_id int PRIMARY KEY, harbour_id int, old_harbour_id int);
            INSERT INTO visit SELECT g, 1 + g % 50, 1000 + g FROM generate_series(1, 300) g"""
        )
    found = {
        (k.child, k.child_columns, k.parent): k
        for k in load_graph([postgres], infer_keys=True).foreign_keys
        if k.inferred
    }
    assert ("visit", ("harbour_id",), "harbour") in found
    assert "50 of 50 distinct values" in found["visit", ("harbour_id",), "harbour"].origin.note
    assert ("visit", ("old_harbour_id",), "harbour") not in found


def test_postgres_password_shows_nowhere(postgres: str) -> None:
    graph = load_graph([postgres], infer_keys=True)
    shown = json.dumps(graph.to_dict()) + repr(graph.tables) + repr(graph.problems)
    assert "s3cr3t" not in shown
    assert "keeper" not in shown
    assert "127.0.0.1" in shown


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://keeper:s3cr3t@127.0.0.1:1/port",
        "postgresql://keeper:s3cr3t-Pa/ss@127.0.0.1:1/port",
        "postgresql://keeper:s3%zzcr3t@127.0.0.1:nope/port?bogus=s3cr3t",
        "mysql://keeper:s3cr3t@127.0.0.1:1/port",
        "mysql://keeper:s3cr3t-Pa/ss@127.0.0.1:nope/port",
        "oracle://keeper:s3cr3t@127.0.0.1/port",
    ],
)
def test_failed_connection_shows_no_credentials(url: str) -> None:
    with pytest.raises(HeadwaterError) as caught:
        load_graph([url])
    shown = "".join(traceback.format_exception(caught.value)) + json.dumps(caught.value.to_dict())
    assert "s3cr3t" not in shown.replace(url, "")
    assert "keeper" not in shown.replace(url, "")


def test_wrong_password_is_one_clear_error(postgres: str) -> None:
    with pytest.raises(SetupError) as caught:
        load_graph([postgres.replace("s3cr3t", "wr0ng")])
    assert "password authentication failed" in caught.value.message
    assert "wr0ng" not in str(caught.value.to_dict())


def test_mysql(mysql_url: str) -> None:
    import pymysql
    from pymysql.constants import CLIENT

    port = int(mysql_url.rsplit(":", 1)[1].strip("/"))
    script = SCRIPT.replace(
        "home_id integer REFERENCES harbour (harbour_id)",
        "home_id integer, FOREIGN KEY (home_id) REFERENCES harbour (harbour_id)",
    )
    with pymysql.connect(
        host="127.0.0.1",
        port=port,
        user="keeper",
        password="s3cr3t-Pa/ss",
        client_flag=CLIENT.MULTI_STATEMENTS,
    ) as connection:
        with connection.cursor() as cursor:
            cursor.execute("DROP DATABASE IF EXISTS port; CREATE DATABASE port; USE port;" + script)
            while cursor.nextset():
                pass
        connection.commit()
    graph = load_graph([mysql_url + "port"])
    check(graph)
    assert "s3cr3t" not in json.dumps(graph.to_dict())
    assert "port.berth" in load_graph([mysql_url]).tables


def test_sqlite(tmp_path: Path) -> None:
    path = tmp_path / "port.data"
    with sqlite3.connect(path) as connection:
        connection.executescript(SCRIPT)
    connection.close()
    check(load_graph([str(path)]))
    assert set(load_graph([f"sqlite://{path}"]).tables) == TABLES


def test_sqlite_trigger_and_missing_parent(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with sqlite3.connect(path) as connection:
        connection.executescript(
            """CREATE TABLE a (x INTEGER PRIMARY KEY, y REFERENCES gone);
            CREATE TABLE a_log (x, y, at);
            CREATE TRIGGER keep AFTER UPDATE ON a BEGIN INSERT INTO a_log VALUES (old.x, new.y, datetime()); END;
            CREATE VIRTUAL TABLE words USING fts5(title, body);"""
        )
    connection.close()
    graph = load_graph([str(path)])
    assert graph.tables["gone"].placeholder
    assert [(e.source, e.target, set(e.columns)) for e in graph.lineage] == [
        ("a", "a_log", {("x", "x"), ("y", "y")})
    ]
    assert not [t for t in graph.tables if t.startswith("words_")]


def test_duckdb(tmp_path: Path) -> None:
    import duckdb

    path = tmp_path / "port.bin"
    with duckdb.connect(str(path)) as connection:
        connection.execute(SCRIPT)
    check(load_graph([str(path)]))


def test_damaged_files(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    path.write_bytes(b"SQLite format 3\x00" + b"\x01" * 5000)
    with pytest.raises(HeadwaterError, match=r"x\.db"):
        load_graph([str(path)])
    path.write_bytes(b"\x00" * 8 + b"DUCK" + b"\x01" * 5000)
    with pytest.raises(HeadwaterError, match=r"x\.db"):
        load_graph([str(path)])
