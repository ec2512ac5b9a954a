"""Progress on standard error: done of total, failed, rate and time left; silent where nobody looks on."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from headwater.ingest import Progress


@contextmanager
def progress(*, quiet: bool, no_color: bool) -> Iterator[Callable[[Progress], None]]:
    """Yield a function that shows where an ingest stands."""
    if quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    bar = Bar(
        TextColumn("{task.description:<11}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        console=Console(stderr=True, no_color=no_color),
        transient=True,
    )
    with bar:
        task = bar.add_task("listing", total=None, rate="")
        stage, at = "", time.monotonic()

        def report(state: Progress) -> None:
            nonlocal stage, at
            if state.stage != stage:
                stage, at = state.stage, time.monotonic()
                bar.reset(task, total=state.total or None)
            seconds = max(1e-3, time.monotonic() - at)
            rate = f"{state.done / seconds:,.0f}/s" if state.done else ""
            if state.failed:
                rate += f", {state.failed} failed"
            bar.update(
                task, description=state.stage, completed=state.done, total=state.total or None, rate=rate
            )

        yield report
