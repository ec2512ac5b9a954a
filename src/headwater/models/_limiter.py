"""Limits on calls and tokens per minute, shared by all threads of the process."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable

from headwater.models._errors import DeadlineError

_WINDOW_S = 60.0


class RateLimiter:
    """Waits until a call fits into the last minute's calls and tokens. 0 is no limit.

    A call that alone has more tokens than a minute allows waits for an empty window and then goes.
    """

    def __init__(
        self,
        calls_per_minute: int = 0,
        tokens_per_minute: int = 0,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._calls, self._tokens = calls_per_minute, tokens_per_minute
        self._clock, self._sleep = clock, sleep
        self._lock = threading.Lock()
        self._window: deque[list[float]] = deque()

    def acquire(self, tokens: int, deadline: float | None = None) -> list[float]:
        """Wait for room for a call of about `tokens` tokens; return a ticket for `settle`.

        Raises:
            DeadlineError: there is no room before the deadline.
        """
        while True:
            with self._lock:
                now = self._clock()
                wait = self._wait(tokens, now)
                if wait <= 0:
                    ticket = [now, float(tokens)]
                    self._window.append(ticket)
                    return ticket
            if deadline is not None and now + wait > deadline:
                raise DeadlineError(
                    "The limit of calls or tokens per minute leaves no room before the deadline."
                )
            self._sleep(wait)

    def settle(self, ticket: list[float], tokens: int) -> None:
        """Replace the estimate of a call by the number of tokens it took."""
        with self._lock:
            ticket[1] = float(tokens)

    def _wait(self, tokens: int, now: float) -> float:
        window = self._window
        while window and window[0][0] <= now - _WINDOW_S:
            window.popleft()
        if self._calls and len(window) >= self._calls:
            return window[len(window) - self._calls][0] + _WINDOW_S - now
        used = sum(ticket[1] for ticket in window)
        if not self._tokens or not window or used + tokens <= self._tokens:
            return 0.0
        for ticket in window:
            used -= ticket[1]
            if used + tokens <= self._tokens:
                return ticket[0] + _WINDOW_S - now
        return window[-1][0] + _WINDOW_S - now
