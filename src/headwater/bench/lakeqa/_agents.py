"""The conditions: headwater's own ways, LakeQA's tools with and without a retriever, and two bounds."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.bench._model import Agent, AgentSetup, Item, Prediction
from headwater.bench.lakeqa import _prompts as prompts
from headwater.bench.lakeqa._answers import clean, normalise
from headwater.bench.lakeqa._loop import Episode, Rules
from headwater.bench.lakeqa._tasks import Task, read_task
from headwater.bench.lakeqa._view import Places
from headwater.errors import HeadwaterError, LimitError, SetupError
from headwater.models import ModelError

if TYPE_CHECKING:
    from headwater.lake import Lake
    from headwater.models import ChatModel, ChatReply, ChatRequest, ModelInfo, Watch
    from headwater.trace import Measures, Trace

AGENTS: Mapping[str, str] = {
    "exact": "headwater's exact mode: one reading of the question, one step; no model",
    "headwater": "headwater's explorer over its own tools",
    "paper": "LakeQA's eight tools and loop",
    "paper-bm25": "the same and retrieve(query, k) by BM25",
    "paper-hybrid": "the same and retrieve(query, k) by BM25 and vectors",
    "oracle": "LakeQA's tools, with the gold documents told",
    "closed-book": "the question alone",
}

RETRIEVERS: Mapping[str, str] = {"paper-bm25": "lexical", "paper-hybrid": "hybrid"}
"""Agents with a retriever, and its mode."""


def make_agent(name: str, setup: AgentSetup, gold: Collection[str]) -> Agent:
    """Return one of `AGENTS` over the lake that the parameters name.

    Args:
        name: of the agent.
        setup: parameters as `LakeQa.settle` made them.
        gold: gold documents of all tasks of the source.

    Raises:
        SetupError: the lake has changed since the run began.
    """
    if name == "closed-book":
        return ClosedBook(setup)
    setup.workspace.mkdir(parents=True, exist_ok=True)
    places = Places(setup.parameters, gold, setup.workspace)
    if name == "exact":
        return Exact(places)
    return Headwater(setup, places) if name == "headwater" else Paper(name, setup, places)


def rules_of(parameters: Mapping[str, Any]) -> Rules:
    """Return the limits of an episode as the parameters of a run give them."""
    return Rules(**{f.name: parameters[f.name] for f in fields(Rules) if f.name in parameters})


def figures(
    told: Measures,
    *,
    seconds: float,
    usd: float | None,
    stop: str,
    replays: bool | None = None,
    trace: str = "",
) -> list[dict[str, Any]]:
    """Return what a prediction keeps of its trace, enough to score it anew.

    Args:
        told: figures of the trace.
        seconds: wall clock of the item, tools included.
        usd: paid for it; None is unknown.
        stop: how it ended: "answer", or the limit.
        replays: whether the answer comes out again without a model; None where that cannot be asked.
        trace: the file of the whole trace, below the run's folder.
    """
    kept = told.to_dict()
    for name in ("id", "question", "answer", "usage", "seconds", "stop_reason"):
        del kept[name]
    own = {"seconds": round(seconds, 3), "usd": usd, "stop_reason": stop, "replays": replays, "trace": trace}
    return [kept | own]


def trace_path(workspace: Path, item: Item, repeat: int) -> Path:
    """Return the file of an attempt's trace; an id that is no plain name is replaced by its hash."""
    import hashlib

    plain = re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,80}", item.id)
    name = item.id if plain else hashlib.sha256(item.id.encode("utf-8", "surrogatepass")).hexdigest()[:24]
    return workspace / f"{name}-{repeat}.jsonl"


def holds(answer: Mapping[str, Any], lake: Lake) -> bool:
    """Return whether an answer comes out again without a model."""
    from headwater.agents import replay

    try:
        return replay(dict(answer), lake).holds
    except HeadwaterError:
        return False


class Exact:
    """Headwater's exact mode. What it considered counts as retrieved, what it computed on as opened."""

    def __init__(self, places: Places) -> None:
        self._places = places

    def answer(
        self, item: Item, model: ChatModel | None, *, repeat: int = 0, deadline: float | None = None
    ) -> Prediction:
        """Answer, or abstain."""
        from headwater.answers import ask
        from headwater.trace import Measures

        with self._places.open() as lake:
            began = time.monotonic()
            found = ask(lake, item.question)
            seconds = time.monotonic() - began
            opened = [i["document"] for i in found.inputs]
            seen = list(dict.fromkeys([*found.found, *opened]))
            told = Measures(
                retrieved=seen, opened=opened, analysed=opened, retrieved_datasets=_datasets(lake, seen),
                opened_datasets=_datasets(lake, opened),
            )  # fmt: skip
            answered = found.status == "answered"
            again = holds(found.to_dict(), lake) if answered else None
        kept = figures(
            told, seconds=seconds, usd=0.0, stop="answer" if answered else "abstained", replays=again
        )
        return Prediction(
            found.status, found.text if answered else None, found.reading or found.missing, kept
        )


def _datasets(lake: Lake, documents: list[str]) -> list[str]:
    records = (lake.catalog.document(d) for d in documents)
    return list(dict.fromkeys(r.dataset for r in records if r is not None))


class _Watched:
    """A model that remembers why it failed, for agents that end quietly when it does."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self.failure: HeadwaterError | None = None

    @property
    def id(self) -> str:
        return self._model.id

    @property
    def info(self) -> ModelInfo:
        return self._model.info

    def usd_at_most(self, request: ChatRequest) -> float | None:
        return self._model.usd_at_most(request)

    def complete(
        self, request: ChatRequest, *, deadline: float | None = None, watch: Watch | None = None
    ) -> ChatReply:
        try:
            return self._model.complete(request, deadline=deadline, watch=watch)
        except (LimitError, ModelError) as error:
            self.failure = error
            raise


class Headwater:
    """The explorer over headwater's tools, with the harness's limits of rounds and time."""

    def __init__(self, setup: AgentSetup, places: Places) -> None:
        self._setup, self._places, self._rules = setup, places, rules_of(setup.parameters)

    def answer(
        self, item: Item, model: ChatModel | None, *, repeat: int = 0, deadline: float | None = None
    ) -> Prediction:
        """Answer; an attempt that was cut off is gone on with from its trace."""
        from headwater.agents import Budget, explore
        from headwater.trace import Trace, measure

        watched, began = _Watched(needed(model)), time.monotonic()
        left = self._rules.seconds if deadline is None else min(self._rules.seconds, deadline - began)
        given = self._setup.parameters
        budget = Budget(
            turns=self._rules.rounds, seconds=self._rules.seconds, tokens=int(given["tokens"]), reply=self._rules.max_tokens,
            context=int(given["context"]),
        )  # fmt: skip
        trace = Trace(trace_path(self._setup.workspace, item, repeat))
        with self._places.open() as lake:
            found = explore(
                lake, item.question, watched, trace=trace, budget=budget, second=bool(given["second"]),
                deadline=deadline,
            )  # fmt: skip
            seconds = time.monotonic() - began
            if watched.failure and found.stop_reason in ("error", "time") and seconds < left:
                raise watched.failure
            answered = found.status == "answered"
            again = holds(found.to_dict(), lake) if answered else None
        told = measure(trace.events())
        kept = figures(
            told, seconds=seconds, usd=found.usage.get("usd"), stop=found.stop_reason, replays=again, trace=_below(trace)
        )  # fmt: skip
        return Prediction(
            "answered" if answered else "abstained", found.text if answered else None, found.text, kept
        )


def _below(trace: Trace) -> str:
    return f"{trace.path.parent.name}/{trace.path.name}"


def needed(model: ChatModel | None) -> ChatModel:
    """Return the model.

    Raises:
        SetupError: there is none.
    """
    if model is None:
        raise SetupError("This agent needs a model.", hint="Name one with --model.")
    return model


class Paper:
    """LakeQA's tools and loop; with a retriever, or with the gold documents told."""

    def __init__(self, name: str, setup: AgentSetup, places: Places) -> None:
        from headwater.bench.lakeqa._retriever import Retriever

        self._name, self._setup, self._places = name, setup, places
        self._rules, self._mode = rules_of(setup.parameters), RETRIEVERS.get(name)
        if self._mode:  # made before the clock of the first item runs
            with places.open() as lake, Retriever(lake, setup.workspace, setup.parameters["retriever"]):
                pass

    def answer(
        self, item: Item, model: ChatModel | None, *, repeat: int = 0, deadline: float | None = None
    ) -> Prediction:
        """Answer; an attempt that was cut off is gone on with from its trace."""
        from headwater.trace import Trace, measure

        task = read_task(item.details)
        trace = Trace(trace_path(self._setup.workspace, item, repeat))
        sandbox = trace.path.with_suffix(".sandbox")
        sandbox.mkdir(exist_ok=True)
        began = time.monotonic()
        with self._episode(trace, sandbox) as episode:
            stop = episode.play(self._system(), self._question(task), needed(model), deadline)
        seconds = time.monotonic() - began
        shutil.rmtree(sandbox, ignore_errors=True)
        events = trace.events()
        told = measure(events)
        usd = told.usage["usd"]
        spent = max([seconds, *(float(e.get("elapsed", 0.0)) for e in events)])
        kept = figures(told, seconds=spent, usd=usd, stop=stop, trace=_below(trace))
        given = bool(normalise(clean(episode.answer)))
        return Prediction(
            "answered" if given else "abstained", episode.answer if given else None, episode.answer, kept
        )

    @contextmanager
    def _episode(self, trace: Trace, sandbox: Path) -> Iterator[Episode]:
        from headwater.bench.lakeqa._retriever import Retriever, RetrieverSession, tools_with_retriever
        from headwater.tools import LAKEQA_TOOLS

        with ExitStack() as stack:
            lake = stack.enter_context(self._places.open())
            session = RetrieverSession(lake, sandbox)
            if self._mode:
                told = self._setup.parameters["retriever"]
                session.retriever = stack.enter_context(Retriever(lake, self._setup.workspace, told))
            tools = tools_with_retriever() if self._mode else LAKEQA_TOOLS
            yield Episode(session, tools, trace, self._rules)

    def _system(self) -> str:
        search = prompts.GIVEN if self._name == "oracle" else prompts.SEARCH
        more = prompts.RETRIEVE if self._mode else ""
        return prompts.SYSTEM.format(
            search=search + more, rounds=self._rules.rounds, seconds=self._rules.seconds
        )

    def _question(self, task: Task) -> str:
        if self._name != "oracle":
            return task.question
        with self._places.open() as lake:
            lines = []
            for document in task.documents:
                record = lake.catalog.document(document)
                dataset = record.dataset if record else "/".join(document.split("/")[:2])
                lines.append(f"{dataset.rsplit('/', 1)[-1]}  {document.removeprefix(f'{dataset}/')}")
        return prompts.ORACLE.format(question=task.question, documents="\n".join(lines))


class ClosedBook:
    """One call without tools: what the model knows already."""

    def __init__(self, setup: AgentSetup) -> None:
        self._rules = rules_of(setup.parameters)

    def answer(
        self, item: Item, model: ChatModel | None, *, repeat: int = 0, deadline: float | None = None
    ) -> Prediction:
        """Answer from the question alone."""
        from headwater.models import ChatRequest, Message
        from headwater.trace import Measures

        began = time.monotonic()
        messages = (Message("system", prompts.CLOSED_BOOK), Message("user", item.question))
        request = ChatRequest(
            messages, temperature=self._rules.temperature, max_tokens=self._rules.max_tokens
        )
        reply = needed(model).complete(request, deadline=deadline)
        given = bool(normalise(clean(reply.text)))
        kept = figures(Measures(), seconds=time.monotonic() - began, usd=reply.usage.usd, stop="answer")
        return Prediction(
            "answered" if given else "abstained", reply.text if given else None, reply.text, kept
        )
