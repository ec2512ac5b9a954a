"""Fits the weights of exact mode to questions with known answers.

    python scripts/fit_answers.py QUESTIONS.jsonl [--write] [--sample N] [--cache FILE]

A line is {"id", "question", "table", "answer": [strings]}. A question whose id hashes to the last third is never looked
at here. The log-likelihood of the right answers, or of "none" where no reading is right, is maximised with an L2 penalty
(a convex part and a sum over right readings, so a start at the present weights). No randomness but the sample's seed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import pickle
import random
import re
import unicodedata
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize

from headwater.answers import _score
from headwater.answers._grid import grid_of_file

SEED, PENALTY, RARE = 7, 0.5, 8
WEIGHTS = Path(_score.__file__).with_name("weights.json")


def held_out(identifier: str) -> bool:
    """Tell whether a question is kept for the final check."""
    return hashlib.sha256(identifier.encode()).digest()[0] % 3 == 0


def plain_value(value: Any) -> Any:
    """Return a value as answers are compared: by number, or by plain text without notes."""
    text = unicodedata.normalize("NFKD", str(value)).encode("ascii", "ignore").decode() or str(value)
    text = re.sub(r"\s+", " ", text.strip().lower())
    text = re.sub(r"((?<!^)\[[^\]]*\]|[*+])*$", "", text).strip(" \"'`")
    text = re.sub(r"(?<=.)\s*\([^)]*\)$", "", text).strip().rstrip(".").strip('"') or text
    try:
        return round(float(re.sub(r"^\$|,(?=\d{3}\b)|%$", "", text)), 6)
    except ValueError:
        return text


def same(values: list[Any], gold: list[str]) -> bool:
    """Tell whether values are the right answer."""
    return Counter(map(plain_value, values)) == Counter(map(plain_value, gold))


def examine(item: tuple[dict[str, Any], Path]) -> dict[str, Any]:
    """Return the candidates of a question: features, whether right, key and statement."""
    line, base = item
    try:
        grid = grid_of_file(base / line["table"])
        found = _score.candidates(line["question"], grid)
    except Exception as error:  # noqa: BLE001 - one question that fails must not end the run
        return {**line, "error": repr(error), "candidates": []}
    told = [
        (
            dict(c.reading.features),
            same(c.values, line["answer"]),
            c.key,
            c.values[:6],
            str(c.reading.plan),
            c.reading.frame,
            c.sql,
        )
        for c in found
    ]
    return {**line, "candidates": told}


def fit(data: list[dict[str, Any]]) -> dict[str, float]:
    """Return the weights of greatest penalised likelihood."""
    counts: Counter[str] = Counter()
    for line in data:
        counts.update({name for c in line["candidates"] for name, value in c[0].items() if value})
    names = ["none", *sorted(n for n, c in counts.items() if c >= RARE)]
    at = {name: i for i, name in enumerate(names)}
    matrices = []
    for line in data:
        rows = np.zeros((len(line["candidates"]) + 1, len(names)))
        rows[-1, 0] = 1
        for i, candidate in enumerate(line["candidates"]):
            for name, value in candidate[0].items():
                if name in at:
                    rows[i, at[name]] = value
        right = np.array([c[1] for c in line["candidates"]] + [False])
        if not right.any():
            right[-1] = True
        matrices.append((rows, right))

    def loss(w: Any) -> tuple[float, Any]:
        total, gradient = PENALTY * float(w @ w), 2 * PENALTY * w
        for rows, right in matrices:
            scores = rows @ w
            scores -= scores.max()
            e = np.exp(scores)
            p, q = e / e.sum(), np.where(right, e, 0)
            total -= math.log(max(q.sum() / e.sum(), 1e-300))
            q /= max(q.sum(), 1e-300)
            gradient = gradient + rows.T @ (p - q)
        return total, gradient

    start = np.array([_score.weights().get(n, 0.0) for n in names])
    best = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 300})
    return {n: round(float(w), 3) for n, w in zip(names, best.x, strict=True)}


def judge(
    data: list[dict[str, Any]], weights: dict[str, float]
) -> list[tuple[float, float, bool, dict[str, Any], Any]]:
    """Return, for each question, the probability of its best answer, that of the next, and whether it is right."""
    out = []
    for line in data:
        scores = [
            weights["none"],
            *(sum(weights.get(n, 0) * v for n, v in c[0].items()) for c in line["candidates"]),
        ]
        top = max(scores)
        total = sum(math.exp(s - top) for s in scores)
        groups: dict[Any, float] = {}
        for s, c in zip(scores[1:], line["candidates"], strict=True):
            groups[c[2]] = groups.get(c[2], 0) + math.exp(s - top) / total
        ranked = sorted(groups.items(), key=lambda g: -g[1])
        if not ranked:
            out.append((0.0, 0.0, False, line, None))
            continue
        members = [
            (s, c) for s, c in zip(scores[1:], line["candidates"], strict=True) if c[2] == ranked[0][0]
        ]
        best = max(members, key=lambda m: m[0])[1]
        out.append((ranked[0][1], ranked[1][1] if len(ranked) > 1 else 0.0, best[1], line, best))
    return out


def table(
    judged: list[Any], thresholds: tuple[float, ...] = (0.3, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8)
) -> None:
    """Print precision and coverage at some thresholds."""
    reach = sum(any(c[1] for c in j[3]["candidates"]) for j in judged)
    print(
        f"{len(judged)} questions; a right reading is among the candidates of {reach / len(judged):.3f}; best is right {sum(j[2] for j in judged) / len(judged):.3f}"
    )
    for t in thresholds:
        said = [j for j in judged if j[0] >= t]
        print(
            f"  p >= {t:.2f}: coverage {len(said) / len(judged):.3f}, precision {sum(j[2] for j in said) / max(len(said), 1):.3f}"
        )


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--sample", type=int)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--cache", type=Path)
    args = parser.parse_args()
    lines = [json.loads(text) for text in args.file.read_text("utf-8").splitlines()]
    lines = [line for line in lines if not held_out(line["id"])]
    if args.sample:
        lines = random.Random(SEED).sample(lines, args.sample)
    with ProcessPoolExecutor(2) as pool:
        data = list(pool.map(examine, [(line, args.file.parent) for line in lines], chunksize=8))
    if args.cache:
        args.cache.write_bytes(pickle.dumps(data))
    for line in [d for d in data if "error" in d][:5]:
        print(line["id"], line["error"])
    halves = [[d for i, d in enumerate(data) if i % 2 == k] for k in (0, 1)]
    crossed = judge(halves[1], fit(halves[0])) + judge(halves[0], fit(halves[1]))
    print("cross-validated, two halves:")
    table(crossed)
    weights = fit(data)
    print("fitted on all of it:")
    table(judge(data, weights))
    if args.cache:
        args.cache.with_suffix(".judged").write_bytes(pickle.dumps(crossed))
    if args.write:
        told = {
            "fitted_by": "scripts/fit_answers.py",
            "seed": SEED,
            "penalty": PENALTY,
            "questions": len(data),
            "weights": weights,
        }
        WEIGHTS.write_text(json.dumps(told, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
