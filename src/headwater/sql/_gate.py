"""The first of the layers that keep a statement from doing anything but read: by its syntax tree, never by its words."""

from __future__ import annotations

from headwater.errors import RefusedError, UsageError
from headwater.sql._tree import QUERY_NODES, Tree, function_name, is_query, walk

TABLE_FUNCTIONS = frozenset(
    {
        "t",
        "range",
        "generate_series",
        "unnest",
        "repeat",
        "repeat_row",
        "json_each",
        "json_tree",
        "regexp_split_to_table",
    }
)
"""Functions that may stand in FROM. A list of what is allowed: new versions bring new readers of files."""

FORBIDDEN_FUNCTIONS = frozenset(
    {
        "current_catalog",
        "current_connection_id",
        "current_database",
        "current_query",
        "current_query_id",
        "current_role",
        "current_schemas",
        "current_setting",
        "current_transaction_id",
        "current_user",
        "currval",
        "getenv",
        "getvariable",
        "in_search_path",
        "json_execute_serialized_sql",
        "json_serialize_plan",
        "nextval",
        "obj_description",
        "query",
        "query_table",
        "session_user",
        "setval",
        "shobj_description",
        "sleep_ms",
        "txid_current",
        "user",
        "which_secret",
        "write_log",
    }
)
"""Functions that tell of the machine, the settings or the session, keep state, or run other SQL."""

FORBIDDEN_PREFIXES = ("duckdb_", "pragma_", "pg_", "has_", "inet_", "icu_collate_", "read_", "parquet_")
ALLOWED_DESPITE_PREFIX = frozenset({"pg_typeof", "pg_size_pretty"})

PIVOT_HINT = "Write: select * from (pivot … on column in ('a', 'b') using count(*)), with the values named."
EXPLAIN_HINT = "Ask for the plan with `headwater sql --explain` or `SqlEngine.explain`."
READ_ONLY_HINT = "A lake is read-only: use SELECT, DESCRIBE, SUMMARIZE or SHOW TABLES."


def check_statement(count: int, kind: str) -> None:
    """Raise unless the text is one SELECT statement.

    Raises:
        UsageError: there is no statement.
        RefusedError: there are several, or it is of another kind.
    """
    if count == 0:
        raise UsageError("There is no statement.", hint="For instance: select * from t('path') limit 5")
    if count > 1:
        raise RefusedError(
            f"Only one statement can be run at a time; this text has {count}.", hint="Send them one by one."
        )
    if kind == "MULTI":
        raise RefusedError(
            "A PIVOT without its values needs several statements, and only one is run.", hint=PIVOT_HINT
        )
    if kind != "SELECT":
        raise RefusedError(
            f"Only statements that read are run; this one is {kind.replace('_', ' ')}.",
            hint=EXPLAIN_HINT if kind == "EXPLAIN" else READ_ONLY_HINT,
        )


def check_tree(tree: Tree) -> None:
    """Raise unless everything in the tree reads, and reads nothing but the tables of the lake.

    Raises:
        RefusedError: a part of it writes, or asks for files, settings or the machine.
    """
    for part in walk(tree):
        if is_query(part) and part["type"] not in QUERY_NODES:
            name = part["type"].removesuffix("_NODE").removesuffix("_QUERY").replace("_", " ")
            raise RefusedError(
                f"Only statements that read are run; a part of this one is {name}.",
                hint="A lake is read-only.",
            )
        if part.get("type") == "TABLE_FUNCTION":
            _check_table_function(function_name(part.get("function", {})))
        elif part.get("class") in ("FUNCTION", "WINDOW"):
            _check_function(function_name(part))


def _check_table_function(name: str) -> None:
    if name not in TABLE_FUNCTIONS:
        raise RefusedError(
            f"{name}() cannot be used here: a query reads the tables of the lake and nothing else.",
            hint="Name a table as t('path') or t('path#name').",
        )


def _check_function(name: str) -> None:
    forbidden = name in FORBIDDEN_FUNCTIONS or name.startswith(FORBIDDEN_PREFIXES)
    if forbidden and name not in ALLOWED_DESPITE_PREFIX:
        raise RefusedError(f"{name}() cannot be used here: it tells of the machine or the session.")
