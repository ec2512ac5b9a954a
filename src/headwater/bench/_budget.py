"""Limits of money, tokens and time, per item and per run, that hold over resumed sessions."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from headwater.errors import LimitError, UsageError
from headwater.models import ChatModel, ChatReply, ChatRequest, ModelInfo, ReplyCache, Usage, Watch

if TYPE_CHECKING:
    from headwater.bench._store import Run


@dataclass(frozen=True, slots=True)
class Limits:
    """None is no limit. Money is in US dollars, tokens are input and output together, time is wall-clock seconds."""

    usd: float | None = None
    tokens: int | None = None
    seconds: float | None = None

    def __bool__(self) -> bool:
        return any(limit is not None for limit in (self.usd, self.tokens, self.seconds))


class RunLimit(LimitError):
    """A limit of the whole run was reached; it stops, and can be resumed with a higher one."""


@dataclass(slots=True)
class _Spent:
    usd: float = 0.0
    tokens: int = 0
    seconds: float = 0.0

    def add(self, usage: Usage, rough_tokens: int) -> None:
        told = (
            None
            if usage.input_tokens is None or usage.output_tokens is None
            else usage.input_tokens + usage.output_tokens
        )
        self.usd += usage.usd or 0.0
        self.tokens += rough_tokens if told is None else told


class Budget:
    """What was spent, over all sessions of a run, and whether a call still fits.

    A call is reserved at the most it can cost before it is made, so that a limit of money or tokens is never passed,
    however many calls run at once.
    """

    def __init__(self, run: Run, per_run: Limits, per_item: Limits) -> None:
        self.per_run, self.per_item = per_run, per_item
        self._lock = threading.Lock()
        self._settled, self._under_way = threading.Condition(self._lock), 0
        self._run, self._items = _Spent(), defaultdict[str, _Spent](_Spent)
        self._began = time.monotonic()
        self._run.seconds = run.seconds()
        for call in run.calls():
            usage = Usage.from_dict(call["reply"].get("usage", {}))
            for spent in (self._run, self._items[str(call.get("item"))]):
                spent.add(usage, int(call.get("rough_tokens", 0)))
        for record in run.records():
            self._items[str(record.get("item"))].seconds += float(record.get("seconds", 0.0))

    def deadline(self, item: str) -> float | None:
        """Return the time of `time.monotonic` by which an item has to be done, or None."""
        now, ends = time.monotonic(), []
        if self.per_run.seconds is not None:
            ends.append(self._began + self.per_run.seconds - self._run.seconds)
        if self.per_item.seconds is not None:
            ends.append(now + max(0.0, self.per_item.seconds - self._items[item].seconds))
        return min(ends, default=None)

    def check_run(self) -> None:
        """Raise RunLimit if nothing of the run's budget is left."""
        with self._lock:
            spent = _Spent(
                self._run.usd, self._run.tokens, self._run.seconds + time.monotonic() - self._began
            )
        for name, limit in (
            ("usd", self.per_run.usd),
            ("tokens", self.per_run.tokens),
            ("seconds", self.per_run.seconds),
        ):
            if limit is not None and getattr(spent, name) >= limit:
                raise RunLimit(
                    f"The run has used its {limit:g} {name}.", hint="Resume it with a higher limit."
                )

    def reserve(self, item: str, usd: float | None, tokens: int) -> None:
        """Set aside the most a call can cost; wait for calls under way if only what they may still cost is in the way.

        Raises:
            LimitError: the item's budget does not hold it.
            RunLimit: the run's budget does not hold it.
            UsageError: there is a limit of money and the price is not known.
        """
        if usd is None and (self.per_item.usd is not None or self.per_run.usd is not None):
            raise UsageError(
                "The price of this model is not known, so a limit in dollars cannot hold.",
                hint="Limit tokens with --max-tokens, or give the price with --price IN,OUT (USD per million tokens).",
            )
        with self._lock:
            while (problem := self._too_much(item, usd or 0.0, tokens)) is not None:
                if not self._under_way:
                    raise problem
                self._settled.wait(1.0)
            self._under_way += 1
            for spent in (self._run, self._items[item]):
                spent.usd += usd or 0.0
                spent.tokens += tokens

    def _too_much(self, item: str, usd: float, tokens: int) -> LimitError | None:
        for limits, spent, kind, what in (
            (self.per_item, self._items[item], LimitError, "item"),
            (self.per_run, self._run, RunLimit, "run"),
        ):
            if limits.usd is not None and spent.usd + usd > limits.usd:
                return kind(
                    f"The next call could pass the {limits.usd:g} USD of the {what}.",
                    hint="Give a higher limit.",
                )
            if limits.tokens is not None and spent.tokens + tokens > limits.tokens:
                return kind(
                    f"The next call could pass the {limits.tokens} tokens of the {what}.",
                    hint="Give a higher limit.",
                )
        return None

    def settle(self, item: str, usd: float | None, tokens: int, usage: Usage, rough_tokens: int) -> None:
        """Replace what was set aside by what the call did cost."""
        with self._lock:
            for spent in (self._run, self._items[item]):
                spent.usd -= usd or 0.0
                spent.tokens -= tokens
                spent.add(usage, rough_tokens)
            self._under_way -= 1
            self._settled.notify_all()


class MeteredModel:
    """A model for one attempt at one item: replies paid before are reused, budgets hold, every paid call is on disk."""

    def __init__(
        self, model: ChatModel, cache: ReplyCache, budget: Budget, run: Run, item: str, repeat: int
    ) -> None:
        self._model, self._cache, self._budget, self._run = model, cache, budget, run
        self._item, self._repeat = item, repeat
        self.usage = Usage()
        """Paid in this attempt."""
        self.reused = 0
        """Calls answered from what was paid before."""

    @property
    def id(self) -> str:
        """The id of the model."""
        return self._model.id

    @property
    def info(self) -> ModelInfo:
        """What is known of the model."""
        return self._model.info

    def usd_at_most(self, request: ChatRequest) -> float | None:
        """Return what the call can cost at most."""
        return self._model.usd_at_most(request)

    def complete(
        self, request: ChatRequest, *, deadline: float | None = None, watch: Watch | None = None
    ) -> ChatReply:
        """Reply as the model does, within the budgets."""
        from dataclasses import replace

        request = replace(request, repeat=self._repeat)
        key = request.key(self._model.id)
        reply = self._cache.get(key)
        if reply is not None:
            self.reused += 1
            return reply
        usd, rough = self._model.usd_at_most(request), request.rough_tokens()
        tokens = rough + request.max_tokens
        self._budget.reserve(self._item, usd, tokens)
        spent = Usage()
        try:
            reply = self._model.complete(request, deadline=deadline, watch=watch)
            spent = reply.usage
        finally:
            self._budget.settle(self._item, usd, tokens, spent, rough if spent.calls else 0)
        tags = {"item": self._item, "repeat": self._repeat, "rough_tokens": rough, **self._run.stamp()}
        self._cache.put(key, reply, tags)
        self.usage += reply.usage
        return reply
