"""What one run of the explorer may use, and which limit was reached."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from headwater.models import ChatModel, ChatRequest, Usage

StopReason = Literal["answer", "turns", "tokens", "money", "time", "refused", "error", "unproven"]


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of one question.

    Attributes:
        turns: rounds, each one reply of the model.
        tokens: input and output tokens together, as the provider counts them (estimated before each call).
        usd: US dollars by the price table, or None for no limit.
        seconds: wall clock of this process.
        context: tokens of one request, by estimate; older observations are shortened until it fits.
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
    """What is used up so far."""

    budget: Budget
    turns: int = 0
    tokens: int = 0
    usd: float = 0.0
    began: float = field(default_factory=time.monotonic)

    @property
    def deadline(self) -> float:
        """Time of `time.monotonic` at which the run ends."""
        return self.began + self.budget.seconds

    def pay(self, usage: Usage) -> None:
        """Add the usage of one reply; what is unknown counts as nothing."""
        self.turns += 1
        self.tokens += (usage.input_tokens or 0) + (usage.output_tokens or 0)
        self.usd += usage.usd or 0.0

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
