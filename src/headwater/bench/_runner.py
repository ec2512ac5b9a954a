"""Runs a suite: every item once a repeat, each result on disk at once, resumable after any end."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from headwater.bench._budget import Budget, Limits, MeteredModel, RunLimit
from headwater.bench._fingerprint import fingerprint
from headwater.bench._model import Agent, AgentSetup, Item, Prediction, Suite
from headwater.bench._store import Run, config_hash, now
from headwater.errors import HeadwaterError, LimitError, SetupError, UsageError
from headwater.models import ChatModel, ModelError, ReplyCache, Usage

_FAILURES_IN_A_ROW = 10
"""So many calls that fail one after another stop the run: the provider is down, and the rest would fail too."""

Report = Callable[[int, int, Usage], None]
"""Called after every item with items done, items in all, and what was paid."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a run is carried out; none of this changes an answer.

    Attributes:
        limit: items at most, the first ones; 0: all.
        repeats: attempts at every item.
        concurrency: items at a time.
        per_run: limits of the whole run, over all its sessions.
        per_item: limits of one item.
    """

    limit: int = 0
    repeats: int = 1
    concurrency: int = 1
    per_run: Limits = field(default_factory=Limits)
    per_item: Limits = field(default_factory=Limits)


@dataclass(slots=True)
class Outcome:
    """What a session of a run came to.

    Attributes:
        folder: the run.
        done: attempts in all that have a result.
        expected: attempts in all.
        failed: attempts whose last result is a failure.
        usage: what all attempts cost, over all sessions.
        stopped: the limit or failure that stopped it, or None.
    """

    folder: Path
    done: int = 0
    expected: int = 0
    failed: int = 0
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    stopped: HeadwaterError | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the outcome as a JSON object."""
        return {
            "run": str(self.folder),
            "done": self.done,
            "expected": self.expected,
            "failed": self.failed,
            "usage": {**self.usage.to_dict(), "seconds": round(self.seconds, 3)},
            "stopped": self.stopped.to_dict() if self.stopped else None,
        }


def start_run(
    suite: Suite,
    source: Path,
    folder: Path,
    agent: str,
    model: ChatModel | None,
    parameters: Mapping[str, Any],
    options: RunOptions,
    *,
    base_url: str | None = None,
) -> Run:
    """Make a run folder with its own copy of the data.

    `base_url` is noted, without user and password, so that a resumed run goes to the same server.

    Raises:
        UsageError: the agent is unknown, lacks its model, or the source holds no item.
    """
    check_agent(suite, agent, model)
    loaded = suite.load(source)
    items = loaded.items[: options.limit] if options.limit else loaded.items
    if not items:
        told = f" {loaded.problems[0].where}: {loaded.problems[0].message}" if loaded.problems else ""
        raise UsageError(f"{source} holds no item of {suite.name}.{told}", where=str(source))
    if folder.exists() and any(folder.iterdir()):
        raise UsageError(
            f"{folder} is not empty.", hint=f"Go on with it by --resume {folder}, or name another folder."
        )
    (folder / "data").mkdir(parents=True, exist_ok=True)
    suite.save(source, items, folder / "data")
    model_id = model.id if model else None
    info = {
        "suite": suite.name,
        "agent": agent,
        "model": model_id,
        "base_url": _public_url(base_url),
        "parameters": dict(parameters),
        "config": config_hash(suite.name, suite.version, agent, model_id, parameters),
        "versions": {"suite": suite.version, "metrics": {m.name: m.version for m in suite.metrics}},
        "seed": parameters.get("seed"),
        "source": source.name,
        "items": len(items),
        "repeats": options.repeats,
        "limits": {"run": asdict(options.per_run), "item": asdict(options.per_item)},
        "problems": [{"where": p.where, "message": p.message} for p in loaded.problems],
        "created": now(),
        **fingerprint(folder / "data"),
    }
    return Run.create(folder, info)


def check_agent_name(suite: Suite, agent: str) -> None:
    """Raise UsageError if a suite has no such agent."""
    if agent not in suite.agents:
        listed = ", ".join(suite.agents)
        raise UsageError(
            f"{suite.name} has no agent {agent!r}; there are: {listed}.", nearest=list(suite.agents)
        )


def check_agent(suite: Suite, agent: str, model: ChatModel | None) -> None:
    """Raise UsageError if a suite has no such agent or the agent lacks its model."""
    check_agent_name(suite, agent)
    if agent in suite.needs_model and model is None:
        raise UsageError(
            f"The agent {agent} calls a model.", hint="Name one, e.g. --model openai:NAME or ollama:NAME."
        )


def continue_run(
    suite: Suite, run: Run, model: ChatModel | None, options: RunOptions, report: Report | None = None
) -> Outcome:
    """Work on a run until every item has a result or a limit is reached. Results that are there are kept.

    An attempt counts as done unless its call to the provider failed; such an attempt is made again, and what was paid
    for it before is reused.
    """
    check_agent(suite, run.info["agent"], model)
    options = _with_limits(options, run.info.get("limits", {}))
    items = suite.load(run.data).items
    host = {k: v for k, v in fingerprint(run.data).items() if k in ("host", "headwater")}
    with run.writing(host) as cache:
        setup = AgentSetup(run.data, model, run.info["parameters"], run.folder / "work")
        agent = suite.agent(run.info["agent"], setup)
        budget = Budget(run, options.per_run, options.per_item)
        session = _Session(suite, run, agent, model, cache, budget, options)
        return session.work(items, int(run.info.get("repeats", 1)), report)


def _with_limits(options: RunOptions, stored: Mapping[str, Any]) -> RunOptions:
    """Return the options with each limit of the run that is not given anew."""

    def merged(given: Limits, known: Mapping[str, Any]) -> Limits:
        return Limits(
            **{name: known.get(name) if value is None else value for name, value in asdict(given).items()}
        )

    run, item = stored.get("run", {}), stored.get("item", {})
    return replace(options, per_run=merged(options.per_run, run), per_item=merged(options.per_item, item))


def _public_url(url: str | None) -> str | None:
    if url is None:
        return None
    parts = urlsplit(url)
    port = f":{parts.port}" if parts.port else ""
    return urlunsplit((parts.scheme, f"{parts.hostname or ''}{port}", parts.path, "", ""))


class _Session:
    """One session of a run: worker threads over a queue of attempts."""

    def __init__(
        self,
        suite: Suite,
        run: Run,
        agent: Agent,
        model: ChatModel | None,
        cache: ReplyCache,
        budget: Budget,
        options: RunOptions,
    ) -> None:
        self.suite, self.run, self.agent, self.model = suite, run, agent, model
        self.cache, self.budget, self.options = cache, budget, options
        self.score = suite.scorer(run.data)
        self.stop: HeadwaterError | None = None
        self.paid = Usage()
        self._lock, self._in_a_row = threading.Lock(), 0

    def work(self, items: Sequence[Item], repeats: int, report: Report | None) -> Outcome:
        """Make every attempt that has no result yet; return what the run has come to."""
        wanted = [(item, repeat) for repeat in range(repeats) for item in items]
        last, attempts = self._so_far()
        todo: queue.SimpleQueue[tuple[Item, int] | None] = queue.SimpleQueue()
        for item, repeat in wanted:
            old = last.get((item.id, repeat))
            if old is None or old.get("api_failure") or old["status"] == "limit":
                todo.put((item, repeat))
        done: queue.SimpleQueue[dict[str, Any] | BaseException | None] = queue.SimpleQueue()
        workers = max(1, self.options.concurrency)
        for _ in range(workers):
            todo.put(None)
            threading.Thread(target=self._thread, args=(todo, done, attempts), daemon=True).start()
        try:
            self._collect(workers, done, last, lambda: report and report(len(last), len(wanted), self.paid))
        except BaseException:
            self.stop = self.stop or LimitError(
                "The run was interrupted."
            )  # the threads end after their item
            raise
        keys = {(item.id, repeat) for item, repeat in wanted}
        answered = sum(1 for key in keys if key in last and last[key]["status"] in ("answered", "abstained"))
        done_keys = len(keys & last.keys())
        usage, seconds = self.run.paid(), self.run.seconds()
        return Outcome(self.run.folder, done_keys, len(keys), done_keys - answered, usage, seconds, self.stop)

    def _so_far(self) -> tuple[dict[tuple[str, int], dict[str, Any]], dict[tuple[str, int], int]]:
        """Return the last record of every attempt under this configuration, and how often each was tried."""
        last: dict[tuple[str, int], dict[str, Any]] = {}
        attempts: dict[tuple[str, int], int] = {}
        for record in self.run.records():
            key = record["item"], record["repeat"]
            attempts[key] = attempts.get(key, 0) + 1
            if record.get("config") == self.run.info["config"]:
                last[key] = record
        return last, attempts

    def _collect(
        self,
        working: int,
        done: queue.SimpleQueue[dict[str, Any] | BaseException | None],
        last: dict[tuple[str, int], dict[str, Any]],
        report: Callable[[], object],
    ) -> None:
        self.paid = self.run.paid()
        while working:
            found = done.get()
            if found is None:
                working -= 1
            elif isinstance(found, BaseException):
                raise found
            else:
                last[found["item"], found["repeat"]] = found
                self.paid += Usage.from_dict(found["usage"])
                report()

    def _thread(
        self,
        todo: queue.SimpleQueue[tuple[Item, int] | None],
        done: queue.SimpleQueue[dict[str, Any] | BaseException | None],
        attempts: dict[tuple[str, int], int],
    ) -> None:
        try:
            while (next_one := todo.get()) is not None and self.stop is None:
                item, repeat = next_one
                record = self._attempt(item, repeat, attempts.get((item.id, repeat), 0) + 1)
                if record is not None:
                    self.run.add(record)
                    done.put(record)
        except BaseException as error:  # noqa: BLE001 - the edge of a thread: handed to the one that waits
            done.put(error)
        finally:
            done.put(None)

    def _attempt(self, item: Item, repeat: int, number: int) -> dict[str, Any] | None:
        """Return the record of one attempt, None if the run stops instead."""
        try:
            self.budget.check_run()
        except RunLimit as limit:
            self.stop = limit
            return None
        metered = (
            MeteredModel(self.model, self.cache, self.budget, self.run, item.id, repeat)
            if self.model
            else None
        )
        began, prediction, error, status = time.monotonic(), None, None, "failed"
        try:
            deadline = self.budget.deadline(item.id)
            prediction = self.agent.answer(item, metered, repeat=repeat, deadline=deadline)
            status = prediction.status
        except (RunLimit, SetupError) as stop:
            self.stop = stop
            return None
        except LimitError as limit:
            error, status = limit.to_dict(), "limit"
        except HeadwaterError as failure:
            error = failure.to_dict() | {"api_failure": isinstance(failure, ModelError)}
        except Exception as defect:  # noqa: BLE001 - one item must never end the run; the record names the defect
            error = {"kind": "internal", "message": f"{type(defect).__name__}: {defect}"}
        self._count_failure(error)
        return {
            "suite": self.suite.name,
            "item": item.id,
            "repeat": repeat,
            "config": self.run.info["config"],
            "attempt": number,
            "status": status,
            "prediction": prediction.value if prediction else None,
            "text": prediction.text if prediction else "",
            "scores": self.score(item, prediction),
            "usage": (metered.usage if metered else Usage()).to_dict(),
            "reused": metered.reused if metered else 0,
            "seconds": round(time.monotonic() - began, 4),
            "trace": list(prediction.trace) if prediction else [],
            "error": error,
            "api_failure": bool(error and error.get("api_failure")),
        }

    def _count_failure(self, error: Mapping[str, Any] | None) -> None:
        with self._lock:
            self._in_a_row = self._in_a_row + 1 if error and error.get("api_failure") else 0
            if self._in_a_row >= _FAILURES_IN_A_ROW and self.stop is None:
                told = str(error["message"]) if error else ""
                self.stop = ModelError(
                    f"{self._in_a_row} calls failed in a row, the last one so: {told}",
                    hint="Resume the run later.",
                )


def predictions(run: Run) -> dict[tuple[str, int], tuple[dict[str, Any], Prediction | None]]:
    """Return the last record of every item and repeat of a run, with its prediction (None if it failed)."""
    found: dict[tuple[str, int], tuple[dict[str, Any], Prediction | None]] = {}
    for record in run.records():
        if record.get("config") != run.info["config"]:
            continue
        answered = record["status"] in ("answered", "abstained")
        prediction = (
            Prediction(
                record["status"],
                record.get("prediction"),
                record.get("text", ""),
                record.get("trace") or (),
            )
            if answered
            else None
        )
        found[record["item"], record["repeat"]] = record, prediction
    return found
