"""Scores of an answer in two modes: as published, and strict.

As published: what the public scorer does, kept bit for bit, so that figures compare. Strict: what a user would call right.
The differences are listed in docs/dw-bench.md.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from headwater.bench.dwbench._questions import Question

if TYPE_CHECKING:
    from headwater.graph import SchemaGraph, Topology

_TRUTH = {"yes": True, "no": False, "true": True, "false": False}
_ROWS_LIST = re.compile(r"(\w+):\s*rows\s*\[(\d+)\]")
_ROWS_BLANK = re.compile(r"^(.+?)[\s:]+row_(\d+)$")
_ANY_ROWS = re.compile(r"^(?P<table>\S+?)\s*:?\s*rows?[\s_]*\[?(?P<rows>\d+(?:\s*,\s*\d+)*)\]?$")


class Scorer:
    """Scores answers over one graph.

    Args:
        graph: the schema the question is about, None where it is not at hand: paths are then compared with the gold.
        accept_reversed: whether strict mode takes a shortest path from its other end.
    """

    def __init__(self, graph: SchemaGraph | None, *, accept_reversed: bool = False) -> None:
        self._graph, self._accept_reversed = graph, accept_reversed
        self._topology: Topology | None = None
        self._keys: set[tuple[str, str]] = set()
        if graph is not None:
            from headwater.graph import Topology

            self._topology = Topology(graph)
            self._keys = {(k.child, k.parent) for k in graph.foreign_keys}

    # --- as published

    def published(self, question: Question, answer: Any) -> tuple[float, float]:
        """Return (exact, F1) as the public scorer gives them."""
        gold, kind = question.published
        if kind not in ("list", "ordered_list"):
            same = float(_exact(answer, gold))
            return same, same
        predicted = [_repaired(name) for name in answer] if isinstance(answer, list) else []
        wanted = [_repaired(name) for name in gold]
        if not wanted:
            return 1.0, 1.0
        f1 = _f1(set(map(_hashable, predicted)), set(wanted))
        exact = float(set(map(_hashable, predicted)) == set(wanted))
        if kind == "ordered_list" and not exact and self._other_path(predicted, wanted):
            return 1.0, 1.0
        return exact, f1

    def _other_path(self, predicted: list[Any], gold: list[str]) -> bool:
        """Whether a path is as long as the gold, has its ends, and runs over keys in either direction."""
        if self._graph is None or len(predicted) != len(gold) or len(gold) < 2:
            return False
        if (predicted[0], predicted[-1]) != (gold[0], gold[-1]):
            return False
        steps = zip(map(_hashable, predicted), map(_hashable, predicted[1:]), strict=False)
        return all((a, b) in self._keys or (b, a) in self._keys for a, b in steps)

    # --- strict

    def contested(self, question: Question) -> bool:
        """Return whether strict mode leaves a question out, see `is_contested`."""
        return is_contested(question, self._graph)

    def strict(self, question: Question, answer: Any) -> tuple[float, float]:
        """Return (exact, F1): types as asked, names in any case and unqualified if unique, paths checked on the graph."""
        gold = question.answer
        if isinstance(gold, bool):
            same = float(isinstance(answer, bool) and answer == gold)
        elif isinstance(gold, int):
            same = float(isinstance(answer, int | float) and not isinstance(answer, bool) and answer == gold)
        elif isinstance(gold, str):
            same = float(isinstance(answer, str) and answer.strip().casefold() == gold.strip().casefold())
        elif question.answer_type == "ordered_list":
            return self._path(question, answer)
        else:
            return self._set(question, answer)
        return same, same

    def _set(self, question: Question, answer: Any) -> tuple[float, float]:
        if not isinstance(answer, list):
            return 0.0, 0.0
        predicted = {name for value in answer for name in self._names(value)}
        gold = {name for value in question.answer for name in self._names(value)}
        if question.subtype == "membership":
            asked = set(self._names(asked_table(question, self._graph)))
            predicted, gold = predicted - asked, gold - asked
        if not gold:
            return (1.0, 1.0) if not predicted else (0.0, 0.0)
        return float(predicted == gold), _f1(predicted, gold)

    def _path(self, question: Question, answer: Any) -> tuple[float, float]:
        if not isinstance(answer, list) or not answer:
            return 0.0, 0.0
        path = [self._name(value) for value in answer]
        gold = [self._name(value) for value in question.answer]
        f1 = _f1(set(path), set(gold))
        ends = (gold[0], gold[-1])
        backwards = (path[-1], path[0]) == ends and self._accept_reversed
        if backwards:
            path = path[::-1]
        if (path[0], path[-1]) != ends:
            return 0.0, f1
        right = (
            self._is_shortest(path, str(question.args.get("edges", "fk"))) if self._topology else path == gold
        )
        return (1.0, 1.0) if right else (0.0, f1)

    def _is_shortest(self, path: list[str], edges: str) -> bool:
        from headwater.errors import HeadwaterError

        assert self._topology is not None
        kinds: Any = edges
        try:
            if not all(
                self._topology.edges_between(a, b, kinds) for a, b in zip(path, path[1:], strict=False)
            ):
                return False
            return self._topology.path(path[0], path[-1], kinds).length == len(path) - 1
        except HeadwaterError:  # a name that is in no table
            return False

    def _name(self, value: Any) -> str:
        """Return the full name of a table, or the text itself in lower case."""
        from headwater.errors import HeadwaterError

        text = str(value).strip()
        if self._topology is None:
            return text.casefold()
        try:
            return self._topology.resolve(text)
        except HeadwaterError:
            return text.casefold()

    def _names(self, value: Any) -> list[str]:
        """Return what an element of a list names: a table, or rows of one as `table:row_N`."""
        text = str(value).strip()
        rows = _ANY_ROWS.match(text)
        if rows is None:
            return [self._name(text)]
        return [f"{self._name(rows['table'])}:row_{int(n)}" for n in re.findall(r"\d+", rows["rows"])]


def is_contested(question: Question, graph: SchemaGraph | None) -> bool:
    """Return whether a text asks about foreign keys while its gold follows lineage too, and the two differ.

    No answer is right by both, so strict mode does not score these (six of the published questions).
    """
    if question.subtype not in ("isolation", "connected") or not isinstance(question.answer, bool):
        return False
    text = question.question.lower()
    if "text_says_fk_but_gold_uses_lineage_too" in question.flags:
        return True
    if graph is None or "foreign key" not in text or "lineage" in text:
        return False
    from headwater.graph import Topology

    named = [question.args.get(key) for key in ("a", "b")]
    names = [str(name) for name in named] if all(named) else named_tables(question.question, graph)
    if len(names) != 2 or any(name not in graph.tables for name in names):
        return False
    topology, (a, b) = Topology(graph), names
    return bool(topology.connected(a, b, "fk")) != bool(topology.connected(a, b, "fk+lineage"))


def named_tables(text: str, graph: SchemaGraph) -> list[str]:
    """Return the tables whose full names stand in a text, in its order; of overlapping names the longest counts."""
    found: list[tuple[int, int, str]] = []
    for name in sorted(graph.tables, key=len, reverse=True):
        for hit in re.finditer(rf"(?<![\w.]){re.escape(name)}(?!\w|\.\w)", text):
            if all(hit.end() <= start or hit.start() >= end for start, end, _ in found):
                found.append((hit.start(), hit.end(), name))
    return list(dict.fromkeys(name for _, _, name in sorted(found)))


def asked_table(question: Question, graph: SchemaGraph | None) -> str:
    """Return the table a question is about: from its arguments, else the longest name that stands in its text."""
    if isinstance(question.args.get("table"), str):
        return str(question.args["table"])
    return next(iter(named_tables(question.question, graph)), "") if graph is not None else ""


def _exact(answer: Any, gold: Any) -> bool:
    told, wanted = _truth(answer), _truth(gold)
    if told is not None and wanted is not None:
        return told == wanted
    if isinstance(gold, bool):
        return isinstance(answer, str) and answer.lower() == str(gold).lower()
    if isinstance(gold, int):
        try:
            return int(answer) == gold
        except (ValueError, TypeError, OverflowError):
            return False
    if isinstance(gold, str):
        return answer is not None and str(answer).lower().strip() == gold.lower().strip()
    return bool(answer == gold)


def _truth(value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    return _TRUTH.get(value.lower().strip()) if isinstance(value, str) else None


def _f1(predicted: set[Any], gold: set[Any]) -> float:
    """Return F1 over sets of whole names, rounded to four digits as published."""
    if not predicted or not gold:
        return 0.0
    hits = len(predicted & gold)
    if not hits:
        return 0.0
    precision, recall = hits / len(predicted), hits / len(gold)
    return round(2 * precision * recall / (precision + recall), 4)


def _repaired(value: Any) -> Any:
    """Bring the three ways a row is written into one, with the published loss of a schema in the first of them."""
    if not isinstance(value, str):
        return value
    text = value.strip()
    listed = _ROWS_LIST.search(text)
    if listed:
        return f"{listed[1]}:row_{listed[2]}"
    spaced = _ROWS_BLANK.match(text)
    return f"{spaced[1]}:row_{spaced[2]}" if spaced else text


def _hashable(value: Any) -> Any:
    return value if isinstance(value, str | int | float | bool | type(None)) else str(value)


def score(scorer: Scorer, question: Question, status: str, answer: Any) -> Mapping[str, float]:
    """Return all scores of one answer; `status` is "answered", "abstained" or "failed"."""
    given = status == "answered"
    strict = scorer.strict(question, answer) if given else (0.0, 0.0)
    published = scorer.published(
        question, answer if given else None
    )  # no answer is right where the gold is empty
    scores = {} if scorer.contested(question) else dict(zip(("em", "f1"), strict, strict=True))
    return scores | {
        "published_em": published[0],
        "published_f1": published[1],
        "answered": float(given),
    }
