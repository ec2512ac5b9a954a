"""The SQL dialect of a script, from what it says."""

from __future__ import annotations

import re

from headwater.errors import UsageError

# Signs of a dialect in a script and their weights. Weights of several signs add up; each sign counts once.
_SIGNS: list[tuple[str, int, str]] = [
    ("tsql", 6, r"^[ \t]*GO[ \t]*;?[ \t]*$"),
    ("tsql", 4, r"\[(?:dbo|\w+)\]\s*\.\s*\[|\bdbo\s*\.\s*\w"),
    ("tsql", 3, r"\bIDENTITY\s*\(\s*\d+\s*,|\bNVARCHAR\s*\(\s*MAX|\bWITH\s*\(\s*NOLOCK|\bSET\s+(?:NOCOUNT|ANSI_NULLS|QUOTED_IDENTIFIER)\b"),
    ("tsql", 3, r"^[ \t]*:(?:setvar|r|on)\b|\bDECLARE\s+@\w+|\bINTO\s+#\w+|\bTABLE\s+#\w+|\bEXEC(?:UTE)?\s+(?:sp_|\()|\bUNIQUEIDENTIFIER\b"),
    ("tsql", 2, r"\bGETDATE\s*\(|\bISNULL\s*\(|\bDATETIME2\b|\bSELECT\s+TOP\s*\(?\d|\[\w[\w ]*\]\s+\[?\w+\]?|\bCROSS\s+APPLY\b|\bBY\s+(?:TARGET|SOURCE)\b"),
    ("fabric", 0, r"(?!)"),
    ("mysql", 5, r"\bENGINE\s*=|\bAUTO_INCREMENT\b|/\*!\d{5}|^[ \t]*DELIMITER\b|\bON\s+DUPLICATE\s+KEY\b"),
    ("mysql", 3, r"\bUNSIGNED\b|\bCHARSET\s*=|\bTINYINT\s*\(\d|\bREPLACE\s+INTO\b|\bINSERT\s+IGNORE\b|\bCHANGE\s+COLUMN\b"),
    ("mysql", 2, r"\bTABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?`[^`.]+`|\bFROM\s+`[^`.]+`|\bMEDIUMTEXT\b|\bLONGTEXT\b"),
    ("oracle", 5, r"\bVARCHAR2\s*\(|^[ \t]*/[ \t]*$|\bNUMBER\s*\(\d+\s*(?:,\s*\d+)?\)\s|\bCONNECT\s+BY\b"),
    ("oracle", 3, r"\bSYSDATE\b|\bFROM\s+DUAL\b|\bNVL\s*\(|\bTABLESPACE\b|\bPCTFREE\b|^[ \t]*(?:REM|PROMPT)\b|\bNOCACHE\b|\bCLOB\b|\(\+\)|\bEXECUTE\s+IMMEDIATE\b"),
    ("snowflake", 5, r"\bCREATE\s+(?:OR\s+REPLACE\s+)?(?:TRANSIENT|HYBRID|DYNAMIC)\s+TABLE\b|\bVARIANT\b|\bFILE\s+FORMAT\b|\bTIMESTAMP_(?:NTZ|LTZ|TZ)\b"),
    ("snowflake", 4, r"\bCOPY\s+INTO\b|\bLATERAL\s+FLATTEN\b|\bAUTOINCREMENT\s+START\b|\bCLONE\s+\w|\bTABLE\s*\(\s*FLATTEN|\bCREATE\s+(?:OR\s+REPLACE\s+)?(?:STAGE|WAREHOUSE|STREAM|TASK)\b"),
    ("snowflake", 2, r"\bCREATE\s+OR\s+REPLACE\s+TABLE\b|\bNUMBER\s*\(\s*38|\bQUALIFY\b|\bIFF\s*\(|\bCLUSTER\s+BY\s*\("),
    ("bigquery", 5, r"\bINT64\b|\bFLOAT64\b|\bNOT\s+ENFORCED\b.*\bSTRUCT\s*<|`[\w-]+\.[\w-]+(?:\.[\w-]+)?`|\bSAFE_CAST\s*\(|\bOPTIONS\s*\("),
    ("bigquery", 2, r"\bSTRUCT\s*<|\bARRAY\s*<|\bSAFE_DIVIDE\s*\(|\bEXCEPT\s*\(\w"),
    ("spark", 5, r"\bUSING\s+(?:DELTA|PARQUET|ICEBERG)\b|\bSTORED\s+AS\b|\bTBLPROPERTIES\b|\bINSERT\s+OVERWRITE\b|\bLATERAL\s+VIEW\b"),
    ("spark", 2, r"\bPARTITIONED\s+BY\b|\bMAP\s*<|\bLOCATION\s+'"),
    ("redshift", 6, r"\bDISTKEY\b|\bSORTKEY\b|\bDISTSTYLE\b|\bENCODE\s+(?:zstd|lzo|az64|raw|bytedict|delta|runlength|text)"),
    ("postgres", 4, r"\bSERIAL\b|\bBIGSERIAL\b|\bJSONB\b|\bBYTEA\b|\bTIMESTAMPTZ\b|\bLANGUAGE\s+'?plpgsql|\bOWNER\s+TO\b|\bnextval\s*\("),
    ("postgres", 3, r"::\w|\bTIMESTAMP\s+WITH(?:OUT)?\s+TIME\s+ZONE\b|\bCHARACTER\s+VARYING\b|\$\w*\$|\bALTER\s+TABLE\s+ONLY\b|\bCREATE\s+EXTENSION\b|\bDISTINCT\s+ON\s*\(|\bsearch_path\b"),
    ("postgres", 1, r"\bRETURNING\b|\bON\s+CONFLICT\b|\bpublic\s*\.\s*\w|\bILIKE\b"),
    ("sqlite", 5, r"\bAUTOINCREMENT\b(?!\s+START)|\bWITHOUT\s+ROWID\b|\bPRAGMA\b|\bUSING\s+fts[345]|\bsqlite_"),
    ("sqlite", 2, r"\bINSERT\s+OR\s+(?:REPLACE|IGNORE)\b|\bBEGIN\s+TRANSACTION\s*;|\bINTEGER\s+PRIMARY\s+KEY\b"),
    ("duckdb", 5, r"\bread_(?:csv|parquet|json)(?:_auto)?\s*\(|\bHUGEINT\b|\bUBIGINT\b|\bSUMMARIZE\b|\bINSTALL\s+\w+|\bATTACH\s+'[^']*\.(?:duckdb|db)'"),
    ("duckdb", 3, r"\bCREATE\s+(?:OR\s+REPLACE\s+)?MACRO\b|\bBY\s+NAME\b|\bSELECT\s+\*\s+EXCLUDE\s*\(|\bFROM\s+'[^']+\.(?:parquet|csv|json)'|\bASOF\s+JOIN\b"),
]  # fmt: skip
_COMPILED = [(dialect, weight, re.compile(sign, re.I | re.M)) for dialect, weight, sign in _SIGNS if weight]
_HEAD = 100_000
_COMMENTS = re.compile(r"--[^\n]*|/\*(?!!).*?\*/", re.S)

# A comment in the first lines that names the product: `-- PostgreSQL database dump`, `--sql server CDM DDL`.
_NAMES = {
    "postgresql": "postgres", "postgres": "postgres", "sqlserver": "tsql", "tsql": "tsql", "transactsql": "tsql", "mysql": "mysql",
    "mariadb": "mysql", "oracle": "oracle", "snowflake": "snowflake", "bigquery": "bigquery", "redshift": "redshift",
    "sqlite": "sqlite", "duckdb": "duckdb", "spark": "spark", "databricks": "databricks", "hive": "hive",
}  # fmt: skip
_NAMED = re.compile(
    r"^[ \t]*(?:--|/\*|\*|#)[^\n]*?\b(postgresql|postgres|sql server|sqlserver|t-sql|tsql|transact-sql|mysql|mariadb|oracle|snowflake|bigquery"
    r"|redshift|sqlite|duckdb|spark|databricks|hive)\b",
    re.I | re.M,
)

_ALIASES = {
    "": "", "ansi": "", "generic": "", "postgresql": "postgres", "pg": "postgres", "sqlserver": "tsql", "mssql": "tsql",
    "t-sql": "tsql", "synapse": "fabric", "mariadb": "mysql", "plsql": "oracle", "hive": "hive",
}  # fmt: skip
_KNOWN = {
    "postgres", "tsql", "mysql", "oracle", "snowflake", "bigquery", "sqlite", "duckdb", "redshift", "spark", "databricks",
    "hive", "fabric", "trino", "presto", "clickhouse", "teradata", "athena",
}  # fmt: skip


def normal_dialect(name: str) -> str:
    """Return sqlglot's name of a dialect; UsageError if there is no such dialect."""
    key = _ALIASES.get(name.strip().lower(), name.strip().lower())
    if key and key not in _KNOWN:
        raise UsageError(
            f"There is no SQL dialect {name!r} here.", hint="Known: " + ", ".join(sorted(_KNOWN)) + "."
        )
    return key


def detect_dialect(text: str) -> str:
    """Return the dialect a script is most likely written in, "" for plain SQL.

    Signs of the dialects are sought in the first and the last part of the text, outside line comments only where the
    sign itself asks for a position; their weights add up, and a single weak sign does not decide.
    """
    sample = text if len(text) <= 2 * _HEAD else text[:_HEAD] + text[-_HEAD:]
    hint = _NAMED.search("\n".join(sample.split("\n", 20)[:20]))
    sample = _COMMENTS.sub(" ", sample)
    scores: dict[str, int] = {}
    if hint:
        scores[_NAMES[re.sub(r"\W", "", hint.group(1).lower())]] = 3
    for dialect, weight, sign in _COMPILED:
        if sign.search(sample):
            scores[dialect] = scores.get(dialect, 0) + weight
    if scores.get("redshift", 0) >= 6:
        return "redshift"
    best = max(scores, key=lambda d: scores[d], default="")
    return best if scores.get(best, 0) >= 2 else ""
