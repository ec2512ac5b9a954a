"""The official client of the protocol over both transports: lists and calls every tool; HTTP refuses strangers."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.agents.conftest import write_lake

from headwater.errors import UsageError
from headwater.ingest import IngestOptions, ingest_lake
from headwater.mcp import Served, _serve, http_app

mcp = pytest.importorskip("mcp")

DDL = "create table a(id int primary key);\ncreate table b(id int primary key, a_id int references a(id));\n"

CALLS: dict[str, tuple[dict[str, Any], str]] = {
    "search": ({"query": "gauge level"}, "t('levels_20"),
    "list": ({}, "water/gauges"),
    "inspect": ({"document": "rivers.csv"}, "river 'River 0'"),
    "read": ({"document": "Millford/content.txt", "find": "seat"}, "seat of Harlow County"),
    "related": ({"document": "rivers.csv"}, "gauge = levels_20"),
    "sql": ({"statement": "select count(*) n from t('rivers.csv')"}, "n\n10"),
    "status": ({}, "documents"),
    "run_code": ({"code": "print(6 * 7)"}, "42"),
    "download": ({"documents": ["rivers.csv"]}, "rivers.csv"),
    "sandbox_info": ({}, "sandbox:"),
    "ask": ({"question": "How many gauges are there?"}, "status"),
    "graph_shortest_path": ({"source": "a", "target": "b"}, "path"),
    "graph_connected_components": ({}, "count"),
    "graph_check_fk_adjacency": ({"source": "b", "target": "a"}, "true"),
    "graph_get_lineage_forward": ({"source": "a"}, "total"),
    "graph_get_lineage_reverse": ({"target": "a"}, "total"),
    "graph_transitive_lineage": ({"source": "a"}, "total"),
    "graph_get_component_of": ({"table": "a"}, "size"),
    "graph_get_fk_neighbors": ({"table": "a"}, "b"),
    "graph_list_tables": ({}, "a"),
    "graph_impact": ({"table": "a"}, "semantics"),
    "graph_find_paths": ({"source": "a", "target": "b"}, "length"),
    "graph_join_tree": ({"tables": ["a", "b"]}, "joins"),
    "graph_describe_table": ({"table": "a"}, "columns"),
    "graph_explain": ({"question": "Which tables reference a?"}, "status"),
}
FAILING = {
    "graph_trace_row_lineage": {"table": "a", "row_id": 1},
    "graph_count_downstream": {"table": "a", "row_id": 1},
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("mcp")
    made = write_lake(base / "lake")
    ingest_lake(made, options=IngestOptions(workers=1))
    (base / "schema.sql").write_text(DDL, "utf-8")
    return made


def command(root: Path, *more: str) -> list[str]:
    return ["-m", "headwater", "mcp", "--lake", str(root), "--graph", str(root.parent / "schema.sql"), *more]


async def use(client: Any) -> None:
    async with client:
        tools = {t.name: t for t in (await client.list_tools()).tools}
        assert set(tools) == set(CALLS) | set(FAILING)
        for tool in tools.values():
            assert tool.title and tool.description and tool.input_schema["type"] == "object"
            assert tool.annotations.read_only_hint is True
            assert tool.annotations.destructive_hint is False and tool.annotations.open_world_hint is False
        for name, (arguments, told) in CALLS.items():
            result = await client.call_tool(name, arguments)
            assert not result.is_error, (name, result.content[0].text)
            assert told in result.content[0].text, name
            assert len(result.content[0].text) <= 4_000
        for name, arguments in FAILING.items():
            result = await client.call_tool(name, arguments)
            assert result.is_error and "row lineage" in result.content[0].text
        for name, arguments, told in (
            ("sql", {"statement": "select levl from t('levels_2021.csv')"}, "level_cm"),
            ("sql", {"statment": "x"}, "no argument 'statment'"),
            ("serch", {"query": "x"}, "no tool 'serch'"),
        ):
            result = await client.call_tool(name, arguments)
            assert result.is_error and told in result.content[0].text


def test_a_client_uses_every_tool_over_stdio(root: Path) -> None:
    parameters = mcp.StdioServerParameters(command=sys.executable, args=command(root), env=dict(os.environ))
    asyncio.run(asyncio.wait_for(use(mcp.Client(parameters)), 120))


@contextmanager
def serving(root: Path, *more: str, token: str = "") -> Iterator[str]:
    environment = {**os.environ, **({"HEADWATER_MCP_TOKEN": token} if token else {})}
    arguments = [sys.executable, *command(root, "--transport", "http", "--port", "0", *more)]
    server = subprocess.Popen(arguments, stderr=subprocess.PIPE, env=environment, text=True)
    try:
        assert server.stderr is not None
        line = server.stderr.readline()
        assert line.startswith("Serving at "), line
        yield line.removeprefix("Serving at ").strip()
    finally:
        server.terminate()
        server.wait(timeout=20)
        server.stderr.close() if server.stderr else None


def post(url: str, **headers: str) -> int:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    named = {k.replace("_", "-"): v for k, v in headers.items()}
    sent = {"accept": "application/json, text/event-stream", "content-type": "application/json", **named}
    return httpx.post(url, json=body, headers=sent, timeout=30, trust_env=False).status_code


def test_a_client_uses_every_tool_over_http_and_strangers_are_refused(root: Path) -> None:
    with serving(root) as url:
        asyncio.run(asyncio.wait_for(use(mcp.Client(url)), 120))
        assert post(url) == 200
        assert post(url, origin=url.removesuffix("/mcp")) == 200
        assert post(url, host="evil.example") == 421
        assert post(url, host="127.0.0.1:1") == 421
        assert post(url, origin="http://evil.example") == 403
        assert post(url, origin="null") == 403
        assert httpx.get(url, trust_env=False, timeout=30).status_code == 405


def test_with_a_token_nobody_gets_in_without_it(root: Path) -> None:
    with serving(root, token="a-long-random-word") as url:
        assert post(url) == 401
        assert post(url, authorization="Bearer wrong") == 401
        assert post(url, authorization="Bearer a-long-random-word") == 200


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.7", "::", "example.org"])
def test_elsewhere_than_on_loopback_a_token_is_needed(root: Path, host: str) -> None:
    with pytest.raises(UsageError, match="token"):
        http_app(Served(str(root)), host, 80)


async def answer(app: Any, parts: list[dict[str, Any]]) -> tuple[int, bytes]:
    """Send the parts of a request to an ASGI application; after the last one the client is silent."""
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        if not parts:
            await asyncio.sleep(3_600)
        return parts.pop(0)

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await app({"type": "http", "method": "POST", "headers": []}, receive, send)
    return (sent[0]["status"], sent[1]["body"]) if sent else (0, b"")


async def echo(_: Any, receive: Any, send: Any) -> None:
    body = (await receive())["body"]
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": body})


def part(body: bytes, *, more: bool) -> dict[str, Any]:
    return {"type": "http.request", "body": body, "more_body": more}


@pytest.mark.parametrize(
    ("parts", "status"),
    [
        ([part(b"ab", more=True), part(b"cd", more=False)], 200),
        ([part(b"x" * 600_000, more=True)] * 3, 413),
        ([part(b"ab", more=True)], 408),
        ([part(b"ab", more=True), {"type": "http.disconnect"}], 0),
    ],
)
def test_a_request_is_read_whole_within_bounds(
    monkeypatch: pytest.MonkeyPatch, parts: list[dict[str, Any]], status: int
) -> None:
    monkeypatch.setattr(_serve, "BODY_S", 0.05)
    found, body = asyncio.run(answer(_serve.read_first(echo), list(parts)))
    assert found == status
    assert status != 200 or body == b"abcd"


def test_null_is_taken_for_left_out_and_nothing_invisible_is_sent(root: Path) -> None:
    async def calls() -> None:
        parameters = mcp.StdioServerParameters(
            command=sys.executable, args=command(root), env=dict(os.environ)
        )
        async with mcp.Client(parameters) as client:
            left_out = await client.call_tool("list", {"prefix": None, "limit": None})
            assert not left_out.is_error
            needed = await client.call_tool("inspect", {"document": None})
            assert needed.is_error and "document" in needed.content[0].text
            marks = await client.call_tool("sql", {"statement": "select chr(27) || '[31m' || chr(8238) as x"})
            assert not set("\x1b\u202e") & set(marks.content[0].text)

    asyncio.run(asyncio.wait_for(calls(), 120))
