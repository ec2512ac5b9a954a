"""What a trace says: documents retrieved and opened, calls and characters, money, and how far a failed run came."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

ACCESSING = frozenset(
    {
        *("list", "inspect", "read", "related", "sql", "run_code", "download", "submit"),
        *("list_files", "inspect_file", "execute_code"),
    }
)
"""Tools that open a document or dataset, headwater's and LakeQA's (its D_acc: list_files, download, inspect_file)."""

ANALYSING = frozenset({"inspect", "read", "sql", "run_code", "inspect_file", "execute_code"})
"""Tools that look into a document's content (LakeQA's last two buckets)."""

BUCKETS = (
    "right",
    "not retrieved",
    "retrieved but not opened",
    "opened but never analysed",
    "analysed but wrong",
)
"""How far a run came; the last four are LakeQA's failure buckets, mutually exclusive."""

_COSTS = ("calls", "input_tokens", "output_tokens", "usd")


@dataclass(slots=True)
class Evidence:
    """How well a set of found things fits the gold set; an empty set has precision, recall and F1 of 0."""

    precision: float
    recall: float
    f1: float


@dataclass(slots=True)
class Measures:
    """The figures of one trace.

    Attributes:
        id, question: of the session.
        calls: calls of tools; the submission is not counted.
        characters: characters of output that these calls gave.
        seconds: time spent in tools.
        errors: calls that failed.
        retrieved, opened, analysed: documents, in the order in which they came up.
        retrieved_datasets, opened_datasets: the same by dataset.
        answer: what was submitted last, or None.
        sources: documents given with it.
        stop_reason: how a run of the explorer ended, or "".
        usage: calls, tokens and dollars of the model; None is unknown.
        tools: calls by tool.
    """

    id: str = ""
    question: str = ""
    calls: int = 0
    characters: int = 0
    seconds: float = 0.0
    errors: int = 0
    retrieved: list[str] = field(default_factory=list)
    opened: list[str] = field(default_factory=list)
    analysed: list[str] = field(default_factory=list)
    retrieved_datasets: list[str] = field(default_factory=list)
    opened_datasets: list[str] = field(default_factory=list)
    answer: Any = None
    sources: list[str] = field(default_factory=list)
    stop_reason: str = ""
    usage: dict[str, float | None] = field(default_factory=lambda: dict.fromkeys(_COSTS, 0))
    tools: dict[str, int] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as a JSON object."""
        from dataclasses import asdict

        return asdict(self)


def measure(events: Iterable[Mapping[str, Any]]) -> Measures:
    """Return the figures of the events of one trace."""
    told = Measures()
    for event in events:
        kind = event["event"]
        if kind == "begin":
            told.id, told.question = str(event.get("id", "")), str(event.get("question", ""))
        elif kind == "call":
            _count(told, event)
        elif kind == "model":
            _pay(told, event.get("usage") or {})
        elif kind == "submit":
            told.answer, told.sources = event.get("answer"), list(event.get("sources") or [])
            _extend(told.opened, event.get("opened"))
            _extend(told.opened_datasets, event.get("opened_datasets"))
        elif kind == "end":
            told.stop_reason = str(event.get("stop_reason", ""))
    return told


def _count(told: Measures, event: Mapping[str, Any]) -> None:
    tool = str(event.get("tool", ""))
    told.calls += 1
    told.tools[tool] = told.tools.get(tool, 0) + 1
    told.characters += int(event.get("characters") or 0)
    told.seconds += float(event.get("seconds") or 0)
    told.errors += 0 if event.get("ok", True) else 1
    _extend(told.retrieved, event.get("retrieved"))
    _extend(told.retrieved_datasets, event.get("retrieved_datasets"))
    if tool in ACCESSING:
        _extend(told.opened, event.get("opened"))
        _extend(told.opened_datasets, event.get("opened_datasets"))
    if tool in ANALYSING:
        _extend(told.analysed, event.get("opened"))


def _pay(told: Measures, usage: Mapping[str, Any]) -> None:
    for name in _COSTS:
        so_far, more = told.usage[name], usage.get(name)
        told.usage[name] = None if so_far is None or more is None else so_far + more


def _extend(found: list[str], more: Iterable[str] | None) -> None:
    held = set(found)
    for item in more or ():
        if item not in held:
            held.add(item)
            found.append(item)


def evidence(
    found: Collection[str], gold: Collection[str], equivalent: Mapping[str, Collection[str]] | None = None
) -> Evidence:
    """Return precision, recall and F1 of found documents or datasets.

    Args:
        found: what a run retrieved or opened.
        gold: what counts.
        equivalent: for a gold document, others that serve as well; any of them stands for it, and for every other that
            it is named for.
    """
    stands: dict[str, list[str]] = {}
    for name, others in (equivalent or {}).items():
        for other in others:
            stands.setdefault(other, []).append(name)
    got, wanted = {name for f in found for name in stands.get(f, [f])}, set(gold)
    hit = len(got & wanted)
    if not hit:
        return Evidence(0.0, 0.0, 0.0)
    precision, recall = hit / len(got), hit / len(wanted)
    return Evidence(precision, recall, 2 * precision * recall / (precision + recall))


def bucket(told: Measures, *, right: bool, gold: Collection[str], gold_datasets: Collection[str]) -> str:
    """Return how far a run came, one of `BUCKETS`.

    Args:
        told: figures of its trace.
        right: whether its answer is right.
        gold: documents that count.
        gold_datasets: their datasets.
    """
    if right:
        return BUCKETS[0]
    files, sets = set(gold), set(gold_datasets)
    if files & set(told.analysed):
        return BUCKETS[4]
    if files & set(told.opened):
        return BUCKETS[3]
    if sets & {*told.retrieved_datasets, *told.opened_datasets} or files & set(told.retrieved):
        return BUCKETS[2]
    return BUCKETS[1]
