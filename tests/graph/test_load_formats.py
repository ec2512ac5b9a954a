"""Files other than SQL: manifests, events, the benchmark's formats, plain JSON and CSV, and files that are none of these."""

from __future__ import annotations

import json
import pickle
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest

from headwater.errors import HeadwaterError, LimitError, NotFoundError, ReadError, UsageError
from headwater.graph import SchemaGraph
from headwater.graph.loaders import load_graph

SHARED = Path(__file__).parents[2].parent / "shared" / "data" / "dw-bench"
# dataset: tables, foreign keys, distinct pairs, lineage edges (section 2 of the benchmark's description)
COUNTS = {
    "adventureworks": (102, 134, 126, 39),
    "tpc-ds": (24, 70, 70, 0),
    "tpc-di": (35, 29, 26, 21),
    "omop_cdm": (37, 74, 74, 21),
    "syn_logistics": (64, 16, 16, 89),
}
handed = pytest.mark.handed


def need(path: Path) -> Path:
    if not path.exists():
        pytest.skip(f"{path.name} is not handed here")
    return path


def pairs(graph: SchemaGraph) -> set[tuple[str, str]]:
    return {(k.child, k.parent) for k in graph.foreign_keys}


def flows(graph: SchemaGraph) -> set[tuple[str, str]]:
    return {(e.source, e.target) for e in graph.lineage}


def write(folder: Path, name: str, value: Any) -> str:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return str(path)


# --- the benchmark's files


@handed
@pytest.mark.parametrize("dataset", COUNTS)
def test_schema_json_and_pt_agree(dataset: str) -> None:
    plain = load_graph([str(need(SHARED / dataset / "schema.json"))])
    assert (len(plain.tables), len(plain.foreign_keys), len(pairs(plain)), len(plain.lineage)) == COUNTS[
        dataset
    ]
    assert not plain.problems
    torch = load_graph([str(need(SHARED / "pt" / f"{dataset}.schema_graph.pt"))])
    assert set(torch.tables) == set(plain.tables)
    assert pairs(torch) == pairs(plain)
    assert sorted((e.source, e.target) for e in torch.lineage) == sorted(
        (e.source, e.target) for e in plain.lineage
    )
    assert {n: t.kind for n, t in torch.tables.items()} == {n: t.kind for n, t in plain.tables.items()}


@handed
@pytest.mark.parametrize("dataset", ["adventureworks", "tpc-di"])
def test_upstream_layout_of_csv_triples(dataset: str, tmp_path: Path) -> None:
    """Write a data set out as upstream keeps it, and read it back."""
    plain = load_graph([str(need(SHARED / dataset / "schema.json"))])
    triples: dict[str, list[list[str]]] = {}
    for name, table in plain.tables.items():
        if table.kind == "source_file":
            continue
        parts = name.split(".")
        prefix = {"OLTP": "AdventureWorks", "DW": "AdventureWorksDW"}.get(parts[0], "TPCDI")
        schema = parts[1] if len(parts) == 3 else "dbo"
        triples.setdefault(f"{prefix}_Tables.csv", [["TABLE_SCHEMA", "TABLE_NAME", "TABLE_TYPE"]]).append(
            [schema, parts[-1], "BASE TABLE"]
        )
        header = [
            "TABLE_SCHEMA",
            "TABLE_NAME",
            "COLUMN_NAME",
            "DATA_TYPE",
            "CHARACTER_MAXIMUM_LENGTH",
            "IS_NULLABLE",
        ]
        columns = triples.setdefault(f"{prefix}_Columns.csv", [header])
        columns += [
            [schema, parts[-1], c.name, c.type.split("(")[0], "", "YES" if c.nullable else "NO"]
            for c in table.columns
        ]
    for key in plain.foreign_keys:
        prefix = {"OLTP": "AdventureWorks", "DW": "AdventureWorksDW"}.get(key.child.split(".")[0], "TPCDI")
        rows = triples.setdefault(
            f"{prefix}_Relationships.csv",
            [["ForeignKeyName", "ChildTable", "ChildColumn", "ParentTable", "ParentColumn"]],
        )
        short = (
            (lambda n: ".".join(n.split(".")[1:]))
            if prefix == "AdventureWorks"
            else (lambda n: n.split(".")[-1])
        )
        rows += [
            [key.name, short(key.child), c, short(key.parent), p]
            for c, p in zip(key.child_columns, key.parent_columns, strict=True)
        ]
    for name, rows in triples.items():
        write(tmp_path, name, "\n".join(",".join(r) for r in rows) + "\n")
    write(
        tmp_path,
        "lineage_edges.json",
        [{"dw_table": e.target, "oltp_source": e.source, "evidence": e.origin.note} for e in plain.lineage],
    )
    shutil.copy(need(SHARED / "pt" / f"{dataset}.schema_graph.pt"), tmp_path / "schema_graph.pt")
    shutil.copy(SHARED / "pt" / "omop_cdm.schema_graph.pt", tmp_path / "obfuscated_schema_graph.pt")
    write(tmp_path, "qa_pairs.json", [{"id": "1", "question": "?", "answer": []}])
    graph = load_graph([str(tmp_path)])
    assert set(graph.tables) == set(plain.tables)
    assert {(k.name, k.child, k.child_columns, k.parent, k.parent_columns) for k in graph.foreign_keys} == {
        (k.name, k.child, k.child_columns, k.parent, k.parent_columns) for k in plain.foreign_keys
    }
    assert len(graph.foreign_keys) == len(plain.foreign_keys)
    assert flows(graph) == flows(plain)
    assert {n: [c.name for c in t.columns] for n, t in graph.tables.items()} == {
        n: [c.name for c in t.columns] for n, t in plain.tables.items()
    }


@handed
def test_upstream_layout_of_ddl(tmp_path: Path) -> None:
    plain = load_graph([str(need(SHARED / "syn_logistics" / "schema.json"))])
    shutil.copy(SHARED / "ddl" / "syn_logistics" / "schema_ddl.json", tmp_path / "schema_ddl.json")
    shutil.copy(SHARED / "pt" / "syn_logistics.schema_graph.pt", tmp_path / "schema_graph.pt")
    graph = load_graph([str(tmp_path)])
    assert {n: (t.group, t.layer) for n, t in graph.tables.items()} == {
        n: (t.group, t.layer) for n, t in plain.tables.items()
    }
    assert (pairs(graph), len(graph.foreign_keys), flows(graph)) == (pairs(plain), 16, flows(plain))


@handed
def test_ddl_counts() -> None:
    expected = json.loads(need(SHARED / "ddl" / "expected_counts.json").read_text(encoding="utf-8"))
    for name, counts in expected.items():
        graph = load_graph([str(SHARED / "ddl" / name)])
        keys = graph.foreign_keys
        found = {
            "tables": sum(t.kind == "table" and not t.placeholder for t in graph.tables.values()),
            "fk_constraints": len(keys),
            "fk_column_pairs": sum(len(k.child_columns) for k in keys),
            "fk_distinct_table_pairs": len(pairs(graph)),
            "self_references": len({k.child for k in keys if k.child == k.parent}),
        }
        assert {k: v for k, v in counts.items() if k in found} == {
            k: v for k, v in found.items() if k in counts
        }, name
        assert graph.problems == [], name


@handed
def test_two_databases_in_one_graph() -> None:
    folder = need(SHARED / "ddl" / "adventureworks")
    graph = load_graph([str(folder / "instawdb.sql"), str(folder / "instawdbdw.sql")])
    assert sum(t.kind == "table" for t in graph.tables.values()) == 102
    assert len(graph.foreign_keys) == 134
    assert {"AdventureWorks.dbo.DatabaseLog", "AdventureWorksDW.dbo.DatabaseLog"} <= set(graph.tables)


@handed
def test_row_level_folder_in_both_layouts() -> None:
    folder = need(SHARED / "tier2_example")
    graph = load_graph([str(folder)])
    assert all(t.group and t.layer for t in graph.tables.values())
    assert flows(graph) == flows(load_graph([str(folder / "lineage_map.upstream_layout.json")]))
    assert flows(load_graph([str(folder / "manifest.json")])) == flows(graph)


def pt_file(path: Path, payload: bytes) -> str:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("g/data.pkl", payload)
        archive.writestr("g/data/0", b"\0" * 16)
    return str(path)


def test_pickle_of_a_pt_file_is_never_run(tmp_path: Path) -> None:
    class Evil:
        def __reduce__(self) -> tuple[Any, ...]:
            return (Path.touch, (tmp_path / "ran",))

    for number, payload in enumerate(
        [pickle.dumps(Evil()), b"cos\nsystem\n(S'touch ran'\ntR.", b"cbuiltins\neval\n(S'1'\ntR."]
    ):
        with pytest.raises(ReadError, match=r"no graph file that can be read safely"):
            load_graph([pt_file(tmp_path / f"{number}.pt", payload)])
    assert not (tmp_path / "ran").exists()


def test_tensor_beyond_its_storage_is_refused(tmp_path: Path) -> None:
    payload = (
        b"ctorch._utils\n_rebuild_tensor_v2\n((S'storage'\nctorch\nLongStorage\nS'0'\nS'cpu'\nI2\ntQI0\n(I2\nI900\nt(I900\nI1\ntI00\n"
        b"ccollections\nOrderedDict\n)RtR."
    )
    with pytest.raises(ReadError, match="larger than its storage"):
        load_graph([pt_file(tmp_path / "a.pt", payload)])


# --- our own


def test_export_is_read_back(tmp_path: Path) -> None:
    sql = write(
        tmp_path,
        "a.sql",
        "CREATE TABLE s (a int PRIMARY KEY, b text); CREATE TABLE t (x int REFERENCES s, y int REFERENCES gone(z));\n"
        "INSERT INTO t (x) SELECT a FROM s JOIN f ON f.k = s.b; CREATE VIEW v AS SELECT * FROM nowhere; CREATE TABEL q (x int);",
    )
    graph = load_graph([sql])
    once = graph.to_dict()
    again = load_graph([write(tmp_path, "graph.json", once)]).to_dict()
    assert again == once
    assert once["schema"] == "headwater.graph/1"
    assert [t["name"] for t in once["tables"] if t["placeholder"]] == ["gone", "f", "nowhere"]
    assert once["problems"] == [
        {"file": "a.sql", "line": 2, "message": "'CREATE TABEL q (x int)': the statement was not understood"}
    ]
    assert [(e["value"], e["unresolved"]) for e in once["lineage"]] == [
        (True, False),
        (False, False),
        (True, True),
    ]


def test_several_sources_are_one_graph(tmp_path: Path) -> None:
    tables = write(tmp_path, "1.sql", "CREATE TABLE core.s (a int); CREATE TABLE mart.t (x int);")
    etl = write(tmp_path, "etl/2.sql", "INSERT INTO mart.t SELECT * FROM core.s;")
    edges = write(tmp_path, "keys.csv", "child,parent,child_column,parent_column,name\nmart.t,core.s,x,a,k\n")
    graph = load_graph([tables, etl, edges])
    assert [(e.source, e.target, e.columns) for e in graph.lineage] == [("core.s", "mart.t", (("a", "x"),))]
    assert [(k.name, k.child, k.child_columns, k.parent, k.parent_columns) for k in graph.foreign_keys] == [
        ("k", "mart.t", ("x",), "core.s", ("a",))
    ]
    assert set(load_graph([str(tmp_path)]).tables) == {"core.s", "mart.t"}
    assert flows(load_graph([str(tmp_path / "**" / "*.sql")])) == {("core.s", "mart.t")}


def test_scripts_use_the_names_of_other_sources(tmp_path: Path) -> None:
    tables = [
        {"name": "WH.dbo.DimBuyer", "columns": [{"name": "Id"}]},
        {"name": "SRC.Crm.Person", "columns": [{"name": "PersonId"}]},
    ]
    schema = write(tmp_path, "schema.json", {"tables": tables, "foreign_keys": [], "lineage": []})
    etl = write(
        tmp_path,
        "etl.sql",
        "INSERT INTO dimbuyer SELECT p.personid FROM crm.PERSON p; ALTER TABLE DIMBUYER ADD FOREIGN KEY (id) REFERENCES person;",
    )
    graph = load_graph([schema, etl])
    assert set(graph.tables) == {"WH.dbo.DimBuyer", "SRC.Crm.Person"}
    assert [(e.source, e.target, e.columns) for e in graph.lineage] == [
        ("SRC.Crm.Person", "WH.dbo.DimBuyer", (("PersonId", "Id"),))
    ]
    assert pairs(graph) == {("WH.dbo.DimBuyer", "SRC.Crm.Person")}


def test_plain_edges(tmp_path: Path) -> None:
    edges = "source,target,source_column,target_column\na,b,x,y\na,b,z,w\nb,c,,\n,d,,\n"
    graph = load_graph([write(tmp_path, "lineage.csv", edges)])
    assert [(e.source, e.target, e.columns) for e in graph.lineage] == [
        ("a", "b", (("x", "y"), ("z", "w"))),
        ("b", "c", ()),
    ]
    assert "names no source" in graph.problems[0].message
    graph = load_graph([write(tmp_path, "l.json", [{"source": "a", "target": "b"}, {"source": "b"}])])
    assert flows(graph) == {("a", "b")}
    assert len(graph.problems) == 1


# --- dbt


def manifest() -> dict[str, Any]:
    def model(name: str, parents: list[str], code: str, **more: Any) -> dict[str, Any]:
        return {
            "resource_type": "model", "name": name, "alias": name, "database": "wh", "schema": "prod", "language": "sql",
            "original_file_path": f"models/{name}.sql", "depends_on": {"nodes": parents}, "compiled_code": code, "columns": {},
            "config": {"materialized": "view"}, **more,
        }  # fmt: skip

    source = {
        "resource_type": "source",
        "source_name": "shop",
        "name": "orders",
        "identifier": "ORDERS",
        "database": "wh",
        "schema": "raw",
    }
    return {
        "metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/manifest/v12.json", "adapter_type": "postgres"},
        "sources": {
            "source.p.shop.orders": {**source, "columns": {"id": {"name": "id", "data_type": "int"}, "buyer": {"name": "buyer"}}},
        },
        "nodes": {
            "seed.p.kinds": {"resource_type": "seed", "name": "kinds", "schema": "prod", "depends_on": {"nodes": []}, "columns": {}},
            "model.p.stg_orders": model("stg_orders", ["source.p.shop.orders"], 'select id as order_id, buyer from "wh"."raw"."ORDERS"'),
            "model.p.buyers": model("buyers", ["model.p.stg_orders", "seed.p.kinds"],
                'with o as (select * from "wh"."prod"."stg_orders") select distinct o.buyer as buyer_id from o join "wh"."prod"."kinds" k on k.id = o.order_id',
                columns={"buyer_id": {"name": "buyer_id", "constraints": [{"type": "primary_key"}]}}),
            "model.p.py": {**model("py", ["model.p.buyers"], "def model(): pass"), "language": "python"},
            "test.p.rel": {"resource_type": "test", "name": "rel", "column_name": "buyer", "attached_node": "model.p.stg_orders",
                "test_metadata": {"name": "relationships", "kwargs": {"to": "ref('buyers')", "field": "buyer_id", "column_name": "buyer",
                    "model": "{{ get_where_subquery(ref('stg_orders')) }}"}},
                "depends_on": {"nodes": ["model.p.buyers", "model.p.stg_orders"]}},
            "test.p.unique": {"resource_type": "test", "name": "u", "test_metadata": {"name": "unique", "kwargs": {}}, "depends_on": {"nodes": []}},
        },
        "exposures": {"exposure.p.board": {"depends_on": {"nodes": ["model.p.buyers"]}}},
    }  # fmt: skip


def test_dbt_manifest(tmp_path: Path) -> None:
    graph = load_graph([write(tmp_path, "target.json", manifest())])
    assert set(graph.tables) == {"raw.ORDERS", "prod.kinds", "prod.stg_orders", "prod.buyers", "prod.py"}
    assert flows(graph) == {
        ("raw.ORDERS", "prod.stg_orders"), ("prod.stg_orders", "prod.buyers"), ("prod.kinds", "prod.buyers"), ("prod.buyers", "prod.py"),
    }  # fmt: skip
    columns = {(e.source, a, e.target, b) for e in graph.lineage for a, b in e.columns}
    assert columns == {
        ("raw.ORDERS", "id", "prod.stg_orders", "order_id"), ("raw.ORDERS", "buyer", "prod.stg_orders", "buyer"),
        ("prod.stg_orders", "buyer", "prod.buyers", "buyer_id"),
    }  # fmt: skip
    assert [(k.child, k.child_columns, k.parent, k.parent_columns) for k in graph.foreign_keys] == [
        ("prod.stg_orders", ("buyer",), "prod.buyers", ("buyer_id",))
    ]
    assert graph.tables["prod.buyers"].primary_key == ("buyer_id",)
    assert graph.tables["prod.stg_orders"].origin.file == "models/stg_orders.sql"


def test_dbt_manifest_without_compiled_code_and_with_a_missing_parent(tmp_path: Path) -> None:
    data = manifest()
    for node in data["nodes"].values():
        node.pop("compiled_code", None)
    data["nodes"]["model.p.py"]["depends_on"]["nodes"].append("model.other.gone")
    graph = load_graph([write(tmp_path, "manifest.json", data)])
    assert ("prod.stg_orders", "prod.buyers") in flows(graph)
    assert "model.other.gone" in graph.problems[0].message


# --- OpenLineage


def event(
    kind: str,
    inputs: list[str],
    output: str,
    fields: dict[str, Any] | None = None,
    namespace: str = "pg://u:secret@h:5",
) -> dict[str, Any]:
    facets: dict[str, Any] = {"schema": {"fields": [{"name": "x", "type": "int"}]}}
    if fields is not None:
        facets["columnLineage"] = {"fields": fields}
    return {
        "eventType": kind, "run": {"runId": "1"}, "job": {"namespace": "n", "name": "nightly"},
        "inputs": [{"namespace": namespace, "name": i, "facets": {"schema": {"fields": [{"name": "a", "type": "text"}]}}} for i in inputs],
        "outputs": [{"namespace": namespace, "name": output, "facets": facets}],
    }  # fmt: skip


def test_openlineage(tmp_path: Path) -> None:
    def used(name: str, column: str, *kinds: str) -> dict[str, Any]:
        return {
            "namespace": "pg://u:secret@h:5",
            "name": name,
            "field": column,
            "transformations": [{"type": k} for k in kinds],
        }

    events = [
        event("START", ["s"], "t"),
        event(
            "COMPLETE",
            ["s", "f"],
            "t",
            {"x": {"inputFields": [used("s", "a", "DIRECT"), used("f", "k", "INDIRECT")]}},
        ),
        event("FAIL", ["never"], "t"),
        event("COMPLETE", ["t"], "u"),
        event("COMPLETE", ["s"], "t", namespace="other"),
    ]
    for name, text in {
        "e.ndjson": "\n".join(map(json.dumps, events[:4])),
        "e.json": json.dumps(events[:4]),
    }.items():
        graph = load_graph([write(tmp_path, name, text)])
        assert flows(graph) == {("s", "t"), ("f", "t"), ("t", "u")}
        assert {(e.source, e.columns) for e in graph.lineage if e.target == "t"} == {
            ("s", (("a", "x"),)),
            ("f", ()),
        }
        assert [c.name for c in graph.tables["s"].columns] == ["a"]
        assert "secret" not in json.dumps(graph.to_dict())
    assert ("other/s", "other/t") in flows(load_graph([write(tmp_path, "all.json", events)]))


# --- keys proposed from names and data


def test_keys_proposed_from_names(tmp_path: Path) -> None:
    script = """CREATE TABLE DimCustomer (CustomerKey int PRIMARY KEY, Name text);
    CREATE TABLE DimDate (DateKey int PRIMARY KEY);
    CREATE TABLE FactSales (OrderDateKey int, ShipDateKey int, CustomerKey int, Amount money, Note text);
    CREATE TABLE categories (id int PRIMARY KEY, parent_category_id int);
    CREATE TABLE products (id int PRIMARY KEY, category_id int, category_name text, supplier_id int);"""
    path = write(tmp_path, "a.sql", script)
    assert load_graph([path]).foreign_keys == []
    keys = load_graph([path], infer_keys=True).foreign_keys
    assert {(k.child, k.child_columns[0], k.parent, k.parent_columns[0]) for k in keys} == {
        ("FactSales", "OrderDateKey", "DimDate", "DateKey"), ("FactSales", "ShipDateKey", "DimDate", "DateKey"),
        ("FactSales", "CustomerKey", "DimCustomer", "CustomerKey"), ("products", "category_id", "categories", "id"),
        ("categories", "parent_category_id", "categories", "id"),
    }  # fmt: skip
    assert all(
        k.inferred and k.origin.tool == "inferred" and "no data was compared" in k.origin.note for k in keys
    )


def test_keys_proposed_from_a_folder_of_csv(tmp_path: Path) -> None:
    write(tmp_path, "customers.csv", "customer_id,name\n" + "".join(f"{i},n{i}\n" for i in range(100)))
    write(
        tmp_path,
        "orders.csv",
        "order_id,customer_id,old_customer_id,ship_to\n"
        + "".join(f"{i},{i % 90},{i + 500},P{i % 30:04}\n" for i in range(300)),
    )
    write(tmp_path, "ports.csv", "code,label\n" + "".join(f"P{i:04},l{i}\n" for i in range(40)))
    graph = load_graph([str(tmp_path)], infer_keys=True)
    found = {
        (k.child, k.child_columns[0], k.parent, k.parent_columns[0]): k.origin.note
        for k in graph.foreign_keys
    }
    assert set(found) == {
        ("orders", "customer_id", "customers", "customer_id"),
        ("orders", "ship_to", "ports", "code"),
    }
    assert "90 of 90 distinct values" in found["orders", "customer_id", "customers", "customer_id"]


# --- bad input


def test_nothing_at_a_place() -> None:
    with pytest.raises(NotFoundError):
        load_graph(["/no/such/file.sql"])
    with pytest.raises(UsageError, match="dialect"):
        load_graph([], dialect="cobol")


def test_empty_and_blank_files(tmp_path: Path) -> None:
    for number, text in enumerate(["", " \n\n", "-- nothing\n/* here */\n"]):
        graph = load_graph([write(tmp_path, f"{number}.sql", text)])
        assert graph.tables == {}
    assert load_graph([write(tmp_path, "a.sql", "")]).problems[0].message == "the file is empty"
    assert (
        load_graph([write(tmp_path, "e.json", {"tables": [], "foreign_keys": [], "lineage": []})]).tables
        == {}
    )


def test_binary_files(tmp_path: Path) -> None:
    path = tmp_path / "a.sql"
    path.write_bytes(bytes(range(256)) * 100)
    with pytest.raises(ReadError, match="binary"):
        load_graph([str(path)])
    write(tmp_path, "b.sql", "CREATE TABLE t (a int);")
    graph = load_graph([str(tmp_path)])
    assert set(graph.tables) == {"t"}
    assert graph.problems[0].file == "a.sql"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_encodings(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "a.sql"
    path.write_bytes("CREATE TABLE straße (größe int);\r\nCREATE TABLE b (x int);\r\n".encode(encoding))
    graph = load_graph([str(path)])
    assert set(graph.tables) == {"straße", "b"}
    assert graph.tables["b"].origin.line == 2
    assert graph.problems == []


@pytest.mark.parametrize(
    "text",
    [
        '{"tables": [',
        '{"tables": []}{',
        '{"a": 1}\n{"b": \n',
        "[1, 2",
        '{"question": "?"}',
        '{"some": "thing"}',
        "[]",
    ],
)
def test_json_that_is_broken_or_something_else(text: str, tmp_path: Path) -> None:
    with pytest.raises(HeadwaterError, match=r"a\.json"):
        load_graph([write(tmp_path, "a.json", text)])


def test_entries_of_a_schema_that_miss_something(tmp_path: Path) -> None:
    data = {
        "tables": [{"name": "a", "columns": ["x", {"name": "y"}, 7, {}]}, {"columns": []}, "b", 9],
        "foreign_keys": [
            {"child": "a"},
            {"child": "a", "child_columns": ["x"], "parent": "c", "parent_columns": ["z"]},
        ],
        "lineage": [{"source": "a", "target": None}, {"source": "a", "target": "d"}],
    }
    graph = load_graph([write(tmp_path, "schema.json", data)])
    assert [n for n, t in graph.tables.items() if not t.placeholder] == ["a", "b"]
    assert [c.name for c in graph.tables["a"].columns] == ["x", "y"]
    assert {n for n, t in graph.tables.items() if t.placeholder} == {"c", "d"}
    assert len(graph.problems) == 4


def test_deep_nesting_and_long_unions_answer(tmp_path: Path) -> None:
    unions = "CREATE VIEW v AS " + " UNION ALL ".join(f"SELECT a FROM s{i}" for i in range(1500)) + ";"
    deep = "CREATE VIEW w AS SELECT " + "(" * 4000 + "a" + ")" * 4000 + " AS x FROM s1;"
    graph = load_graph([write(tmp_path, "a.sql", f"{deep}\n{unions}\nCREATE TABLE after (x int);")])
    assert "after" in graph.tables
    assert len({e.source for e in graph.lineage if e.target == "v"}) == 1500
    assert ("s1", "w") in flows(graph)


def test_insert_dump_is_passed_over(tmp_path: Path) -> None:
    rows = ",".join(f"({i}, 'it''s; CREATE TABLE x{i} (a int)', NULL, -1.5e3)" for i in range(2000))
    graph = load_graph(
        [
            write(
                tmp_path,
                "a.sql",
                f"CREATE TABLE t (a int);\nINSERT INTO t VALUES {rows};\nCREATE TABLE u (b int);",
            )
        ]
    )
    assert set(graph.tables) == {"t", "u"}
    assert graph.problems == []


def test_rows_of_a_long_dump_are_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headwater.graph.loaders._lexer.LONG_TEXT", 10)
    rows = "INSERT INTO t (a, b) VALUES (1, 'x;\\'), (2,\n'it''s');\n" * 50
    script = f"CREATE TABLE t (a int);\n{rows}INSERT INTO t VALUES ((SELECT max(k) FROM s));\nCREATE TABLE u (b int);\nCREATE TABEL w (c int);"
    graph = load_graph([write(tmp_path, "a.sql", script)], dialect="postgres")
    assert {n for n, t in graph.tables.items() if not t.placeholder} == {"t", "u"}
    assert flows(graph) == {("s", "t")}
    assert [p.line for p in graph.problems] == [104]


def test_too_large_a_script_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headwater.graph.loaders._content.MAX_TEXT_BYTES", 10)
    with pytest.raises(LimitError, match="22 bytes"):
        load_graph([write(tmp_path, "a.sql", "CREATE TABLE t (a int)")])


def test_mermaid() -> None:
    from headwater.graph._export import to_mermaid

    graph = SchemaGraph()
    from headwater.graph import ForeignKey, GraphTable, LineageEdge

    graph.add_table(GraphTable('a "x"', group="g"))
    graph.add_table(GraphTable("v", kind="view"))
    graph.add_foreign_key(ForeignKey("k", 'a "x"', ("p", "q"), "gone", ("r", "s")))
    graph.add_lineage(LineageEdge('a "x"', "v"))
    text = to_mermaid(graph)
    assert text.startswith("flowchart LR\n")
    assert 't0["a #34;x#34;"]' in text
    assert 't1(["v"])' in text
    assert '["gone ?"]' in text
    assert 't0 -->|"p, q"| t2' in text
    assert "t0 -.-> t1" in text
    assert "%% 1 of 3 tables" in to_mermaid(graph, limit=1)
    assert "gone" not in to_mermaid(graph, ["v"])


def test_white_space_is_passed_over_at_once(tmp_path: Path) -> None:
    script = "CREATE TABLE a (x int);" + " \n" * 300_000 + "CREATE TABLE b (y int);" + "\n" * 300_000
    assert set(load_graph([write(tmp_path, "a.sql", script)]).tables) == {"a", "b"}
