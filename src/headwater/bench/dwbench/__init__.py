"""DW-Bench: loading, generation, obfuscation, agents, scoring."""

from __future__ import annotations

from headwater.bench.dwbench._suite import DwBench

__all__ = ["DwBench"]
