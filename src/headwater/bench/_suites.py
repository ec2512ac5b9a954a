"""The suites by name."""

from __future__ import annotations

import difflib
from importlib import import_module

from headwater.bench._model import Suite
from headwater.errors import UsageError

SUITES = {
    "dw-bench": ("headwater.bench.dwbench", "DwBench"),
    "lakeqa": ("headwater.bench.lakeqa", "LakeQa"),
}
"""Name of a suite to the module and class that implement it."""


def open_suite(name: str) -> Suite:
    """Return a suite by name.

    Raises:
        UsageError: there is none of that name.
    """
    if name not in SUITES:
        known = ", ".join(SUITES)
        raise UsageError(
            f"There is no suite {name!r}; there are: {known}.",
            nearest=difflib.get_close_matches(name, SUITES),
        )
    module, attribute = SUITES[name]
    suite: Suite = getattr(import_module(module), attribute)()
    return suite
