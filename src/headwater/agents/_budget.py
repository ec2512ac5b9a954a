"""What one run of the explorer may use, and which limit was reached."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from headwater.models import Usage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from headwater.models import ChatModel, ChatRequest

StopReason = Literal["answer", "turns", "tokens", "money", "time", "context", "refused", "error", "unproven"]


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of one question, over all processes that work on it.

    Attributes:
        turns: rounds, each one reply of the model.
        tokens: input and output tokens together, as the provider counts them (estimated before each call).
        usd: US dollars by the price of the model, or None for no limit.
        seconds: wall clock, the time between a crash and going on aside.
        context: tokens of one request, by estimate; older observations are shortened until it fits. Where the model is
            known to take less, that counts.
        reply: output tokens of one reply.
    """

    turns: int = 25
    tokens: int = 400_000
    usd: float | None = None
    seconds: float = 450.0
    context: int = 24_000
    reply: int = 4_096


@dataclass(slots=True)
class Spending:
    """What is used up so far.

    Attributes:
        budget: the limits.
        before: seconds that earlier processes of the run have used.
        ends: time of `time.monotonic` at which the caller wants it to end, whatever the budget.
        turns: replies.
        tokens, usd: what counts against the limits; for a reply whose cost is not told, the most it can have been.
        usage: as the provider told it; None is unknown.
    """

    budget: Budget
    before: float = 0.0
    ends: float = math.inf
    turns: int = 0
    tokens: int = 0
    usd: float = 0.0
    usage: Usage = field(default_factory=Usage)
    began: float = field(default_factory=time.monotonic)

    @property
    def elapsed(self) -> float:
        """Seconds of the run, earlier processes included."""
        return self.before + time.monotonic() - self.began

    @property
    def deadline(self) -> float:
        """Time of `time.monotonic` at which the run ends."""
        return min(self.ends, self.began + self.budget.seconds - self.before)

    def pay(self, usage: Usage, model: ChatModel, request: ChatRequest) -> dict[str, Any]:
        """Add the usage of one reply; return what a trace must keep of it for `pay_again`."""
        tokens = usage.tokens if usage.tokens is not None else request.rough_tokens() + request.max_tokens
        usd = usage.usd if usage.usd is not None else model.usd_at_most(request) or 0.0
        paid = {"usage": usage.to_dict(), "counted": {"tokens": tokens, "usd": usd}}
        self.pay_again(paid)
        return paid

    def pay_again(self, paid: Mapping[str, Any]) -> None:
        """Add a reply that an earlier process paid."""
        usage = Usage.from_dict(paid.get("usage") or {})
        counted = paid.get("counted") or {}
        self.turns += 1
        self.usage += usage
        self.tokens += int(counted.get("tokens") or usage.tokens or 0)
        self.usd += float(counted.get("usd") or usage.usd or 0.0)

    def reached(self, model: ChatModel, request: ChatRequest) -> StopReason | None:
        """Return the limit that the next call would pass, or None."""
        if self.turns >= self.budget.turns:
            return "turns"
        if time.monotonic() >= self.deadline:
            return "time"
        if self.tokens + request.rough_tokens() > self.budget.tokens:
            return "tokens"
        if self.budget.usd is not None:
            most = model.usd_at_most(request)
            if most is None or self.usd + most > self.budget.usd:
                return "money"
        return None

    def told(self) -> str:
        """Return what is left, in words."""
        left = max(0, self.budget.turns - self.turns)
        seconds = max(0.0, self.deadline - time.monotonic())
        tokens = max(0, self.budget.tokens - self.tokens)
        return f"{left} rounds, {seconds:.0f} s and {tokens:,} tokens are left"
