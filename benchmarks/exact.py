"""How often exact mode answers, and how often it is right.

    python benchmarks/exact.py --questions WTQ/dev.jsonl [--sample N]
    python benchmarks/exact.py --tasks LAKE-TASKS/dev.jsonl --lake LAKE

The first: questions with the table given, {"id", "question", "table", "answer"}; printed for the two thirds that the weights
were fitted on and for the third that was kept out (by a hash of the id). The second: the sub-questions of multi-hop tasks
that stand alone and ask one table, over an ingested lake, the table not given. Answers are compared as multisets of
numbers and plain texts. An answer without program and evidence counts as wrong.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import random
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

from headwater.answers import Answer, Lake, ask_table

TEXTS = (".txt", ".pdf", ".md", ".html")


def load_fit() -> ModuleType:
    """Return the script that fits the weights; it knows which questions were kept out and how answers compare."""
    path = Path(__file__).parents[1] / "scripts" / "fit_answers.py"
    spec = importlib.util.spec_from_file_location("fit_answers", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["fit_answers"] = module
    spec.loader.exec_module(module)
    return module


FIT = load_fit()


def right(answer: Answer, gold: Any) -> bool:
    """Tell whether an answer is right and proven."""
    values = answer.value if isinstance(answer.value, list) else [answer.value]
    wanted = gold if isinstance(gold, list) else [gold]
    proven = answer.program is not None or answer.verification == "quoted"
    return bool(answer.evidence) and proven and FIT.same(values, wanted)


def told(name: str, outcomes: list[str], seconds: float) -> None:
    """Print the figures of a list of outcomes."""
    n, good, bad = len(outcomes), outcomes.count("right"), outcomes.count("wrong")
    precision = good / max(good + bad, 1)
    print(
        f"{name}: {n} questions, answered {good + bad} ({(good + bad) / max(n, 1):.1%}), "
        f"right {good}, wrong {bad}, precision {precision:.3f}, {seconds / max(n, 1):.2f} s a question"
    )


def tables(path: Path, sample: int | None) -> None:
    """Ask questions over given tables."""
    lines = [json.loads(text) for text in path.read_text("utf-8").splitlines()]
    if sample:
        lines = random.Random(1).sample(lines, sample)
    for name, kept in (("fitted on", False), ("kept out", True)):
        started, outcomes = time.monotonic(), []
        for line in [x for x in lines if FIT.held_out(x["id"]) == kept]:
            answer = ask_table(line["question"], path.parent / line["table"])
            outcomes.append(outcome(answer, line["answer"]))
        told(f"table given, {name}", outcomes, time.monotonic() - started)


def tasks(path: Path, lake: Path) -> None:
    """Ask sub-questions over a lake."""
    started, outcomes = time.monotonic(), []
    with Lake.find(lake) as opened:
        for text in path.read_text("utf-8").splitlines():
            for node in json.loads(text)["nodes"].values():
                if "<hop" in node["subquestion"] or node["source"].endswith(TEXTS):
                    continue
                answer = opened.ask(node["subquestion"])
                outcomes.append(outcome(answer, node["answer"]))
                if answer.status == "answered":
                    print(f"  {outcomes[-1]}: {node['subquestion']} -> {answer.text[:60]} ({answer.reading})")
    told("table not given", outcomes, time.monotonic() - started)


def outcome(answer: Answer, gold: Any) -> str:
    """Return right, wrong, or the status of an answer that was not given."""
    return answer.status if answer.status != "answered" else "right" if right(answer, gold) else "wrong"


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--questions", type=Path)
    parser.add_argument("--tasks", type=Path)
    parser.add_argument("--lake", type=Path)
    parser.add_argument("--sample", type=int)
    args = parser.parse_args()
    if args.questions:
        tables(args.questions, args.sample)
    if args.tasks and args.lake:
        tasks(args.tasks, args.lake)


if __name__ == "__main__":
    main()
