"""DW-Bench: loading, generation, obfuscation, agents, scoring."""

from __future__ import annotations

from headwater.bench.dwbench._build import build_questions
from headwater.bench.dwbench._obfuscate import obfuscate_source
from headwater.bench.dwbench._suite import DwBench

__all__ = ["DwBench", "build_questions", "obfuscate_source"]
