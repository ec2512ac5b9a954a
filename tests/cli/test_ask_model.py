"""`ask --model` at the command line: what is shown while it works, what it cost, and what stops it before any call."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.agents.conftest import QUESTION, write_lake
from tests.models.scripted import calls, serve
from tests.models.wires import Said

from headwater.ingest import IngestOptions, ingest_lake

FOUND = ("search", {"query": "Millford seat of county"})
DONE = calls(
    ("submit", {"answer": "[Harlow County]", "sources": ["Millford/content.txt"]}), tokens=(4_000, 9)
)
Ask = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = write_lake(tmp_path_factory.mktemp("asked") / "lake")
    ingest_lake(made, options=IngestOptions(workers=1))
    return made


@pytest.fixture
def ask(root: Path) -> Ask:
    def command(*arguments: str, **more: Any) -> subprocess.CompletedProcess[str]:
        environment = {k: v for k, v in os.environ.items() if not k.endswith("_API_KEY")}
        environment |= {"HEADWATER_LAKE": str(root), **more.pop("env", {})}
        whole = [sys.executable, "-m", "headwater", "ask", QUESTION, *arguments]
        return subprocess.run(whole, text=True, env=environment, check=False, **more)

    return command


def on_a_terminal(ask: Ask, *arguments: str) -> tuple[str, str]:
    """Return what stands on standard output and, as on a terminal, on standard error."""
    ours, theirs = pty.openpty()
    try:
        done = ask(*arguments, stdout=subprocess.PIPE, stderr=theirs)
    finally:
        os.close(theirs)
    shown = b""
    try:
        while part := os.read(ours, 65_536):
            shown += part
    except OSError:
        pass  # the other end is closed
    os.close(ours)
    return done.stdout, shown.decode()


def test_words_and_cost_of_each_round_are_shown_on_a_terminal(ask: Ask) -> None:
    thinking = calls(FOUND)
    thinking.said = Said("I search for\x1b[2J the seat.", calls=(FOUND,), tokens=(3_000, 40), cached=2_000)
    with serve([thinking, DONE]) as server:
        flags = ("--model", "openai:scripted", "--base-url", server.url, "--price", "1,2,0.1")
        out, shown = on_a_terminal(ask, *flags)
        assert all(r["stream"] for r in server.requests)
    assert "I search for\\x1b[2J the seat." in shown and "\x1b" not in shown
    assert "1. search Millford seat of county" in shown
    assert "3,000 + 40 tokens (2,000 from cache), 0.0013 USD" in shown
    assert "so far 7,049 tokens" in shown
    assert "Harlow County" in out and "2 calls, 7,000 + 49 tokens" in out and "price as given" in out


@pytest.mark.parametrize("flags", [("--json",), ("--quiet",)])
def test_nothing_is_shown_where_nobody_wants_it(ask: Ask, flags: tuple[str, ...]) -> None:
    with serve([DONE]) as server:
        _, shown = on_a_terminal(ask, "--model", "openai:scripted", "--base-url", server.url, *flags)
        assert not server.requests[0].get("stream")
    assert shown == ""


@pytest.mark.parametrize(
    ("flags", "code", "told"),
    [
        (("--model", "openai:nonesuch", "--max-cost", "0.50usd"), 2, "--price"),
        (("--model", "gpt-x"), 2, "anthropic:NAME"),
        (("--model", "anthropic:claude-x"), 5, "ANTHROPIC_API_KEY"),
        (("--model", "ollama:x", "--base-url", "http://127.0.0.1:9/v1"), 5, "Start the server"),
    ],
)
def test_what_is_wrong_is_told_before_a_call(ask: Ask, flags: tuple[str, ...], code: int, told: str) -> None:
    done = ask(*flags, capture_output=True, env={"OPENAI_API_KEY": "sk-not-used"})
    assert done.returncode == code and told in done.stderr and "Traceback" not in done.stderr


def test_settings_reach_the_model(ask: Ask) -> None:
    env = {"HEADWATER_ASK_PRICE": "1,1", "HEADWATER_ASK_CONTEXT": "200", "HEADWATER_MODEL_KEY": "own-key"}
    with serve([DONE]) as server:
        flags = ("--model", "openai:scripted", "--base-url", server.url, "--max-cost", "1usd")
        short = ask(*flags, capture_output=True, env=env)
        done = ask(*flags, "--context", "20000", "--calls-per-minute", "9", capture_output=True, env=env)
    assert short.returncode == 4 and "does not fit" in short.stdout
    assert done.returncode == 0 and "price as given: 1 in, 1 out" in done.stdout
    assert server.headers[0]["authorization"] == "Bearer own-key" and len(server.requests) == 1
    assert "own-key" not in done.stdout + done.stderr
