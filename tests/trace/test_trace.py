"""Traces: whole after a kill, told figures, buckets of failure."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from headwater.errors import NotFoundError, UsageError
from headwater.trace import bucket, evidence, find_trace, measure, new_trace, read_events


def test_a_trace_is_found_by_id_by_path_and_as_the_latest(tmp_path: Path) -> None:
    first = new_trace(tmp_path, "Which river?")
    assert find_trace(tmp_path, first.id).path == first.path
    assert find_trace(tmp_path, str(first.path)).id == first.id
    assert find_trace(tmp_path).id == first.id
    with pytest.raises(NotFoundError):
        find_trace(tmp_path, "20000101-000000-abcdef")
    with pytest.raises(UsageError):
        find_trace(tmp_path, "../elsewhere")
    with pytest.raises(UsageError):
        new_trace(tmp_path, "  ")


def test_results_are_kept_under_handles_that_never_repeat(tmp_path: Path) -> None:
    trace = new_trace(tmp_path, "q")
    with ThreadPoolExecutor(8) as pool:
        handles = list(pool.map(trace.keep, [f"text {i}" for i in range(40)]))
    assert len(set(handles)) == 40
    assert {trace.result(f"@{h}") for h in handles} == {f"text {i}" for i in range(40)}
    for bad in ("r99", "../x", "@r0"):
        with pytest.raises(NotFoundError):
            trace.result(bad)


def test_a_killed_writer_leaves_whole_lines(tmp_path: Path) -> None:
    trace = new_trace(tmp_path, "q")
    code = (
        "import sys; from pathlib import Path; from headwater.trace import Trace\n"
        "t = Trace(Path(sys.argv[1])); n = 0\n"
        "while True:\n"
        "    t.append('call', tool='sql', characters=n, text='x' * 3000); n += 1; print(n, flush=True)\n"
    )
    writer = subprocess.Popen(
        [sys.executable, "-c", code, str(trace.path)], stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    told = 0
    while told < 200:
        told = int(writer.stdout.readline())
    os.kill(writer.pid, signal.SIGKILL)
    told = max([told, *(int(x) for x in writer.stdout.read().split())])
    writer.wait()
    counts = [e["characters"] for e in trace.events() if e["event"] == "call"]
    assert counts[:told] == list(range(told))


def test_a_torn_line_is_closed_by_the_next_writer_and_reported(tmp_path: Path) -> None:
    trace = new_trace(tmp_path, "q")
    with trace.path.open("ab") as file:
        file.write(b'{"event": "call", "too')
    assert [e["event"] for e in read_events(trace.path)] == ["begin"]
    trace.append("note", text="on")
    assert [e["event"] for e in read_events(trace.path)] == ["begin", "damaged", "note"]
    assert all(json.loads(x) for x in trace.path.read_text().splitlines() if not x.endswith("too"))


@pytest.mark.parametrize(
    "line",
    [
        "[" * 5000,
        "null",
        '{"event": 5}',
        '{"event": "call", "characters": "abc"}',
        '{"event": "call", "characters": NaN}',
        '{"event": "call", "retrieved": [5, null, {}]}',
        '{"event": "call", "downloads": 5}',
        '{"event": "call", "arguments": 5}',
        '{"event": "call", "ok": false, "error": 5}',
        '{"event": "model", "usage": 5}',
        '{"event": "model", "usage": {"usd": [1]}}',
        '{"event": "submit", "record": {"assumptions": 5}}',
        '{"event": "submit", "record": 5}',
        '{"event": "submit", "sources": 5}',
        '{"event": "begin", "at": 5}',
    ],
)
def test_an_event_of_another_form_is_reported_as_damaged(tmp_path: Path, line: str) -> None:
    trace = new_trace(tmp_path, "q")
    with trace.path.open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    assert trace.events()[1:] == [{"event": "damaged", "line": 2}]
    assert measure(trace.events()).question == "q"


def test_a_file_that_is_no_trace_is_not_written_to(tmp_path: Path) -> None:
    other = tmp_path / "records.jsonl"
    other.write_text('{"id": 1}\n', encoding="utf-8")
    with pytest.raises(UsageError, match="no trace"):
        find_trace(tmp_path / "traces", str(other))
    assert other.read_text(encoding="utf-8") == '{"id": 1}\n'


def call(tool: str, **more: object) -> dict[str, object]:
    return {"event": "call", "tool": tool, "ok": True, "characters": 10, "seconds": 0.5, **more}


def test_figures() -> None:
    told = measure(
        [
            {"event": "begin", "id": "s", "question": "q"},
            call("search", retrieved=["a/1", "b/2"], retrieved_datasets=["a", "b"]),
            {"event": "model", "usage": {"calls": 1, "input_tokens": 5, "output_tokens": 2, "usd": 0.5}},
            {"event": "model", "usage": {"calls": 1, "input_tokens": 5, "output_tokens": 2, "usd": None}},
            call("sql", opened=["a/1"], opened_datasets=["a"]),
            call("sql", ok=False),
            {
                "event": "submit",
                "answer": "[4]",
                "sources": ["a/1"],
                "opened": ["b/2"],
                "opened_datasets": ["b"],
            },
        ]
    )
    assert (told.calls, told.characters, told.errors, told.tools) == (3, 30, 1, {"search": 1, "sql": 2})
    assert (told.retrieved, told.opened, told.analysed) == (["a/1", "b/2"], ["a/1", "b/2"], ["a/1"])
    assert told.usage == {"calls": 2, "input_tokens": 10, "output_tokens": 4, "usd": None}
    assert (told.answer, told.sources) == ("[4]", ["a/1"])


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([], "not retrieved"),
        ([call("search", retrieved=["a/9"], retrieved_datasets=["a"])], "retrieved but not opened"),
        ([call("search", retrieved=["a/1"]), call("download", opened=["a/1"])], "opened but never analysed"),
        ([call("read", opened=["a/1"])], "analysed but wrong"),
    ],
)
def test_buckets(events: list[dict[str, object]], expected: str) -> None:
    told = measure(events)
    assert bucket(told, right=False, gold=["a/1"], gold_datasets=["a"]) == expected
    assert bucket(told, right=True, gold=["a/1"], gold_datasets=["a"]) == "right"


def test_evidence_counts_equivalent_documents_once() -> None:
    told = evidence(["a.json", "a.csv", "x"], ["a.csv", "b.csv"], {"a.csv": ["a.json"]})
    assert (told.precision, told.recall, told.f1) == (0.5, 0.5, 0.5)
    assert evidence([], ["a"]).f1 == 0.0
    assert evidence(["all.csv"], ["a", "b"], {"a": ["all.csv"], "b": ["all.csv"]}).recall == 1.0
