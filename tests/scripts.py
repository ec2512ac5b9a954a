"""Loads the scripts and benchmarks of the repository for tests of them."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any


def load_script(name: str, folder: str = "scripts") -> Any:
    """Return scripts/NAME.py, or that of another folder, as a module."""
    path = Path(__file__).parents[1] / folder / f"{name}.py"
    found = importlib.util.spec_from_file_location(f"{folder}_{name}", path)
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module
