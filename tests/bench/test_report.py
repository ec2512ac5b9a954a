"""Scores and reports of runs, as files and on the command line."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest
from tests.bench.conftest import QUESTIONS, question, write
from tests.models.scripted import answer, serve, text

from headwater.bench import Run, RunOptions, continue_run, open_suite, start_run, write_report
from headwater.bench._score import compare_runs
from headwater.errors import UsageError
from headwater.models import RemoteModel

EVIL = '<script>alert("x")</script> | `code` [link](javascript:1) **b**'


@pytest.fixture
def runs(shop, tmp_path):
    """A run of the exact agent, and one of a model that answers one question in four, with markup."""
    write(
        shop / "shop" / "questions.jsonl",
        [*QUESTIONS, question("shop_5", "membership", EVIL, "hr", "string")],
    )
    suite = open_suite("dw-bench")
    exact = start_run(suite, shop, tmp_path / "exact", "exact", None, {}, RunOptions())
    continue_run(suite, exact, None, RunOptions())
    with serve([answer(["stg_orders"]), answer(EVIL), text("?")]) as server:
        model = RemoteModel("openai", "scripted", server.url)
        other = start_run(suite, shop, tmp_path / "model", "flat", model, {}, RunOptions())
        continue_run(suite, other, model, RunOptions())
    return exact, other


def test_html_is_whole_escaped_and_loads_nothing(runs, tmp_path):
    html = write_report(runs, tmp_path / "out")[0].read_text(encoding="utf-8")
    assert "<script" not in html
    assert "&lt;script&gt;" in html
    assert "default-src 'none'" in html
    assert not re.search(r"(?:src|href)\s*=|url\(|@import", html.replace("http://www.w3.org/2000/svg", ""))
    assert "prefers-color-scheme:dark" in html
    assert html.count("<svg") == 3
    for words in (
        "Results",
        "By kind of question",
        "Beside the published figures",
        "arXiv 2604.18964",
        "Cost",
        "unknown",
        "Set-up",
    ):
        assert words in html


def test_markdown_and_charts(runs, tmp_path):
    paths = write_report(runs, tmp_path / "out")
    markdown = paths[1].read_text(encoding="utf-8")
    assert "<script" not in markdown
    assert "\\[link\\]" in markdown
    for name in re.findall(r"!\[[^]]*\]\(([^)]+)\)", markdown):
        assert (tmp_path / "out" / name).read_text(encoding="utf-8").startswith("<svg")
    assert len(paths) == 5


def test_differences_within_noise_are_not_ranked(runs):
    suite = open_suite("dw-bench")
    difference = compare_runs(suite, *runs)
    assert difference.n == 5
    assert difference.value == pytest.approx(0.8 - 0.2)
    same = compare_runs(suite, runs[0], runs[0])
    assert (same.low, same.value, same.high) == (0, 0, 0)


def test_runs_of_one_suite_only(runs, tmp_path):
    info = json.loads((runs[1].folder / "run.json").read_text())
    (runs[1].folder / "run.json").write_text(json.dumps(info | {"suite": "other"}))
    with pytest.raises(UsageError, match="different suites"):
        write_report([runs[0], Run(runs[1].folder)], tmp_path / "out")


def headwater(*arguments, code=0):
    done = subprocess.run(
        [sys.executable, "-m", "headwater", *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stderr
    return done


class TestCommands:
    def test_run_score_report(self, shop, tmp_path):
        run = str(tmp_path / "run")
        begun = json.loads(headwater("bench", "run", "dw-bench", str(shop), "--out", run, "--json").stdout)
        assert (begun["ok"], begun["done"], begun["failed"]) == (True, 4, 0)
        scored = json.loads(headwater("bench", "score", run, "--json").stdout)
        assert scored["schema"] == "headwater.bench.score/1"
        assert (scored["suite"], scored["n"], scored["failures"]) == ("dw-bench", 4, {})
        assert scored["metrics"]["em_micro"].keys() == {"value", "low", "high", "n", "version"}
        assert scored["by"]["kind"]["join_path"]["n"] == 1
        assert "em_micro" in headwater("bench", "score", run).stdout
        files = json.loads(headwater("bench", "report", run, "--json").stdout)["files"]
        assert files[0].endswith("report.html")

    def test_settings_come_from_the_environment_too(self, shop, tmp_path, monkeypatch):
        monkeypatch.setenv("HEADWATER_BENCH_LIMIT", "2")
        headwater("bench", "run", "dw-bench", str(shop), "--out", str(tmp_path / "run"))
        assert Run(tmp_path / "run").info["items"] == 2

    def test_build_and_obfuscate(self, shop, tmp_path):
        built = json.loads(
            headwater(
                "bench",
                "build",
                "dw-bench",
                "--from",
                str(shop / "shop"),
                "--out",
                str(tmp_path / "b"),
                "--json",
            ).stdout
        )
        assert built["counts"]["shop"]["count"] == 1
        headwater("bench", "obfuscate", "dw-bench", str(tmp_path / "b"), "--out", str(tmp_path / "o"))
        headwater("bench", "run", "dw-bench", str(tmp_path / "o"), "--out", str(tmp_path / "r"))
        scored = json.loads(headwater("bench", "score", str(tmp_path / "r"), "--json").stdout)
        assert scored["metrics"]["em_micro"]["value"] == 1.0
        assert list(scored["by"]["condition"]) == ["obfuscated"]

    @pytest.mark.parametrize(
        ("arguments", "code"),
        [
            (("run",), 2), (("run", "nothing", "."), 2), (("run", "dw-bench", "nowhere"), 1), (("score", "nowhere"), 1),
            (("run", "dw-bench", ".", "--agent", "flat"), 2), (("build", "dw-bench", "--out", "x"), 2),
            (("run", "--resume", "nowhere"), 1),
        ],
    )  # fmt: skip
    def test_bad_calls(self, arguments, code, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        reply = json.loads(headwater("bench", *arguments, "--json", code=code).stdout)
        assert reply["ok"] is False
        assert reply["error"]["message"]
