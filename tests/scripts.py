"""Loads the scripts of the repository for tests of them."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any


def load_script(name: str) -> Any:
    """Return scripts/NAME.py as a module."""
    path = Path(__file__).parents[1] / "scripts" / f"{name}.py"
    found = importlib.util.spec_from_file_location(f"scripts_{name}", path)
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module
