"""Scores of a run, computed anew from its predictions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from headwater.bench._model import Item, Metric, Suite
from headwater.bench._runner import predictions
from headwater.bench._stats import Interval, macro, micro
from headwater.bench._store import Run


def score_run(suite: Suite, run: Run) -> dict[str, Any]:
    """Return the figures of a run in the form of the JSON contract.

    Every item counts once: with repeats, by the mean of its attempts. An item whose attempts all failed or are missing
    is scored as no answer and counted under `failures`.
    """
    score, items = suite.scorer(run.data), suite.load(run.data).items
    found = predictions(run)
    rows: list[tuple[Item, dict[str, float]]] = []
    failures: dict[str, int] = defaultdict(int)
    tried = 0
    for item in items:
        attempts = [
            found[item.id, r] for r in range(int(run.info.get("repeats", 1))) if (item.id, r) in found
        ]
        if not attempts:
            failures["missing"] += 1
            continue
        tried += 1
        for record, prediction in attempts:
            if prediction is None:
                failures["api_failure" if record.get("api_failure") else _kind(record)] += 1
            elif prediction.status == "abstained":
                failures["abstained"] += 1
        scores = [score(item, prediction) for _, prediction in attempts]
        for name, told in suite.outcomes.items():
            failures[told] += sum(1 for s in scores if s.get(name))
        rows.append((item, _mean(scores)))
    return {
        "suite": suite.name,
        "agent": run.info["agent"],
        "model": run.info["model"],
        "n": tried,
        "expected": len(items),
        "metrics": figures(suite.metrics, rows),
        "by": {name: _slice(suite, rows, name) for name in suite.slices},
        "failures": {name: n for name, n in failures.items() if n},
        "usage": totals(run, rows),
    }


def compare_runs(suite: Suite, first: Run, second: Run) -> Interval | None:
    """Return the mean difference (first minus second) of the suite's first metric over the items that both tried.

    The interval resamples items, so that a difference that is the same for every item has no width. None: no items in common.
    """
    name = suite.metrics[0].score
    one, two = (_by_item(suite, run, name) for run in (first, second))
    return micro([one[item] - two[item] for item in one if item in two])


def _by_item(suite: Suite, run: Run, name: str) -> dict[str, float]:
    score, items = suite.scorer(run.data), {item.id: item for item in suite.load(run.data).items}
    found: dict[str, list[float]] = defaultdict(list)
    for (item, _), (_, prediction) in predictions(run).items():
        if item in items and name in (scores := score(items[item], prediction)):
            found[item].append(scores[name])
    return {item: sum(values) / len(values) for item, values in found.items()}


def figures(metrics: Sequence[Metric], rows: Sequence[tuple[Item, Mapping[str, float]]]) -> dict[str, Any]:
    """Return {metric: {value, low, high, n, version}} over scored items."""
    result = {}
    for metric in metrics:
        interval = _figure(metric, rows)
        if interval is not None:
            result[metric.name] = interval.to_dict(metric.version)
    return result


def _figure(metric: Metric, rows: Sequence[tuple[Item, Mapping[str, float]]]) -> Interval | None:
    groups: dict[str, list[float]] = defaultdict(list)
    for item, scores in rows:
        if metric.score in scores:
            groups[item.slices.get(metric.macro, "") if metric.macro else ""].append(scores[metric.score])
    return macro(list(groups.values()), metric.digits) if metric.macro else micro(groups[""])


def _slice(suite: Suite, rows: Sequence[tuple[Item, Mapping[str, float]]], name: str) -> dict[str, Any]:
    parts: dict[str, list[tuple[Item, Mapping[str, float]]]] = defaultdict(list)
    for item, scores in rows:
        if item.slices.get(name):
            parts[item.slices[name]].append((item, scores))
    return {
        value: {"n": len(part), "metrics": figures(suite.metrics, part)}
        for value, part in sorted(parts.items())
    }


def _mean(scores: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return the mean of each score over the attempts that have it."""
    held = {
        name: [s[name] for s in scores if name in s] for name in dict.fromkeys(n for s in scores for n in s)
    }
    return {name: sum(values) / len(values) for name, values in held.items()}


def _kind(record: Mapping[str, Any]) -> str:
    return str((record.get("error") or {}).get("kind", "failed"))


def totals(run: Run, rows: Sequence[tuple[Item, Mapping[str, float]]]) -> dict[str, Any]:
    """Return what the run cost over all attempts, and how cost and time spread over the kinds of question."""
    kinds = {item.id: item.slices.get("kind", "") for item, _ in rows}
    tokens: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    seconds: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for call in run.calls():
        usage = call["reply"].get("usage", {})
        told = [usage.get("input_tokens"), usage.get("output_tokens")]
        tokens[kinds.get(call.get("item", ""), "")][call.get("item", "")] += sum(
            t for t in told if t is not None
        )
    for record in run.records():
        seconds[kinds.get(record["item"], "")][record["item"]] += float(record.get("seconds", 0.0))
    paid = run.paid()
    return {
        **paid.to_dict(),
        "seconds": round(run.seconds(), 3),
        "seconds_by_kind": {kind: _spread(list(v.values())) for kind, v in sorted(seconds.items()) if kind},
        "tokens_by_kind": {kind: _spread(list(v.values())) for kind, v in sorted(tokens.items()) if kind},
    }


def _spread(values: list[float]) -> dict[str, float]:
    ordered = sorted(values)

    def at(share: float) -> float:
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]

    return {"median": round(at(0.5), 4), "p95": round(at(0.95), 4), "sum": round(sum(ordered), 4)}
