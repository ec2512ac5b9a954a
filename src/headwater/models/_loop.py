"""One event loop in a thread of its own, on which all calls to providers run; callers wait for theirs."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

_loops: dict[int, asyncio.AbstractEventLoop] = {}
"""By process, since a fork takes no threads along."""
_making = threading.Lock()


def run(call: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end and return its result; whoever interrupts the wait cancels it.

    Clients of providers keep their connections with one loop, so they can be used from any thread.
    """
    future = asyncio.run_coroutine_threadsafe(call, _loop())
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


def _loop() -> asyncio.AbstractEventLoop:
    with _making:
        loop = _loops.get(os.getpid())
        if loop is None:
            loop = _loops[os.getpid()] = asyncio.new_event_loop()
            threading.Thread(target=loop.run_forever, name="headwater-models", daemon=True).start()
        return loop
