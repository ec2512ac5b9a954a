"""Sessions that somebody else drove, scored: any agent or person that used the verbs under HEADWATER_SESSION."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from headwater.bench._stats import micro
from headwater.bench.lakeqa._answers import exact, lenient, normalise, strict
from headwater.bench.lakeqa._evidence import bucket_of, scored_evidence
from headwater.bench.lakeqa._tasks import Task
from headwater.errors import HeadwaterError

if TYPE_CHECKING:
    from headwater.lake import Lake
    from headwater.trace import Trace

ALIKE = 0.8
"""Share of words that a session's question must have in common with a task's (Jaccard) to be taken for it."""

_SHARES = ("strict", "lenient", "em", "em_uncleaned", "replays")
_SIZES = ("calls", "characters")


@dataclass(frozen=True, slots=True)
class ScoredSession:
    """One session and what its trace says.

    Attributes:
        session: its id.
        task: the id of its task.
        status: answered, abstained, or open (nothing was submitted).
        answer: as submitted last, or None.
        strict: the answer equals the reference, as submitted or as the harness cleans it.
        lenient: it equals the reference or one of its variants.
        em, em_uncleaned: exact match with the harness's cleaning and without.
        calls: calls of tools; the submission is not counted.
        characters: characters of output that they gave.
        replays: whether the answer comes out again without any model; None if that was not tried.
        differences: why it does not.
        evidence: precision, recall and F1 by what: ret, acc, ret_dataset, acc_dataset.
        bucket: how far it came.
    """

    session: str
    task: str
    status: str
    answer: Any
    strict: bool
    lenient: bool
    em: bool
    em_uncleaned: bool
    calls: int
    characters: int
    replays: bool | None
    differences: Sequence[str]
    evidence: dict[str, dict[str, float]]
    bucket: str

    def to_dict(self) -> dict[str, Any]:
        """Return the session as a JSON object."""
        from dataclasses import asdict

        return asdict(self)


def score_sessions(
    tasks: Sequence[Task], traces: Iterable[Trace], lake: Lake | None = None
) -> dict[str, Any]:
    """Return how the sessions of `traces` did on their tasks.

    A session belongs to the task whose id its question names, or whose question has nearly the same words. A session
    without any call or submission is unused and left out. A task may have several sessions: all are listed, and in the
    totals the task counts once, by their mean.

    Args:
        tasks: the tasks.
        traces: the sessions.
        lake: to replay answers over; None leaves replaying out.

    Returns:
        `sessions`, `totals`, `without_session` (ids of tasks), `unmatched` and `unused` (ids of sessions).
    """
    by_task: dict[str, list[ScoredSession]] = {}
    unmatched: list[str] = []
    unused: list[str] = []
    for trace in traces:
        events = trace.events()
        question = next((str(e.get("question", "")) for e in events if e["event"] == "begin"), "")
        task = task_of(question, tasks)
        if task is None:
            unmatched.append(trace.id)
        elif not any(e["event"] in ("call", "submit") for e in events):
            unused.append(trace.id)
        else:
            by_task.setdefault(task.id, []).append(_scored(task, trace.id, events, lake))
    return {
        "tasks": len(tasks),
        "sessions": [s.to_dict() for task in tasks for s in by_task.get(task.id, ())],
        "totals": _totals(list(by_task.values())),
        "without_session": [t.id for t in tasks if t.id not in by_task],
        "unmatched": unmatched,
        "unused": unused,
    }


def task_of(question: str, tasks: Sequence[Task]) -> Task | None:
    """Return the task that a session's question stands for, or None."""
    words = normalise(question).split()
    named = [t for t in tasks if f" {normalise(t.id)} " in f" {' '.join(words)} "]
    if len(named) == 1:
        return named[0]
    shares = [(_shared(set(words), set(normalise(t.question).split())), n) for n, t in enumerate(tasks)]
    best, place = max(shares, default=(0.0, -1), key=lambda s: (s[0], -s[1]))
    return tasks[place] if best >= ALIKE else None


def _shared(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other) if one or other else 0.0


def _scored(task: Task, session: str, events: list[dict[str, Any]], lake: Lake | None) -> ScoredSession:
    from headwater.trace import measure

    told = measure(events)
    record = next((e.get("record") or {} for e in reversed(events) if e["event"] == "submit"), None)
    status = "open" if record is None else "answered" if told.answer is not None else "abstained"
    right = strict(told.answer, task.answer)
    accepted = lenient(told.answer, [task.answer, *task.variants])
    replays, differences = (
        _replayed(record, lake) if status == "answered" else (False, ["There is no answer."])
    )
    return ScoredSession(
        session, task.id, status, told.answer, right, accepted, exact(told.answer, task.answer),
        exact(told.answer, task.answer, cleaned=False), told.calls, told.characters,
        replays if lake is not None else None, differences if lake is not None else [],
        scored_evidence(task, told), bucket_of(task, told, right=accepted),
    )  # fmt: skip


def _replayed(record: dict[str, Any] | None, lake: Lake | None) -> tuple[bool, list[str]]:
    from headwater.agents import replay

    if lake is None or not record:
        return False, []
    try:
        again = replay(record, lake)
    except HeadwaterError as error:
        return False, [error.message]
    return again.holds, list(again.differences)


def _totals(by_task: Sequence[Sequence[ScoredSession]]) -> dict[str, Any]:
    """Return shares with their intervals and medians, each task counting once by the mean of its sessions."""

    def mean(task: Sequence[ScoredSession], name: str) -> float:
        return sum(float(getattr(s, name)) for s in task) / len(task)

    if not by_task:
        return {"tasks": 0, "sessions": 0}
    tried = [t for t in by_task if all(s.replays is not None for s in t)]
    shares = {
        name: found.to_dict("1")
        for name in _SHARES
        if (found := micro([mean(t, name) for t in (tried if name == "replays" else by_task)]))
    }
    evidence = {
        f"{what}_{figure}": sum(sum(s.evidence[what][figure] for s in t) / len(t) for t in by_task)
        / len(by_task)
        for what in by_task[0][0].evidence
        for figure in ("precision", "recall", "f1")
    }
    sizes = {f"median_{name}": median(mean(t, name) for t in by_task) for name in _SIZES}
    buckets: dict[str, int] = {}
    for session in (s for t in by_task for s in t):
        buckets[session.bucket] = buckets.get(session.bucket, 0) + 1
    return {
        "tasks": len(by_task),
        "sessions": sum(map(len, by_task)),
        "right_strictly": sum(all(s.strict for s in t) for t in by_task),
        "right_by_variants": sum(all(s.lenient for s in t) for t in by_task),
        "replayed": sum(all(s.replays for s in t) for t in tried) if tried else None,
        **sizes,
        "shares": shares,
        "evidence": evidence,
        "buckets": buckets,
    }
