"""What a result depends on beside the question: versions, hardware, the data."""

from __future__ import annotations

import hashlib
import os
import platform
from importlib import metadata
from pathlib import Path
from typing import Any

_PACKAGES = ("numpy", "scipy", "sqlglot", "duckdb", "pydantic-ai-slim")


def fingerprint(data: Path) -> dict[str, Any]:
    """Return versions of headwater and its libraries, the hardware, and the hash of the data."""
    from headwater import __version__

    return {
        "headwater": {"version": __version__, "packages": {p: v for p in _PACKAGES if (v := _version(p))}},
        "host": {
            "python": platform.python_version(),
            "system": f"{platform.system()} {platform.release()}",
            "machine": platform.machine(),
            "processor": _processor(),
            "cores": os.cpu_count(),
        },
        "data": {"generation": tree_hash(data)},
    }


def tree_hash(folder: Path) -> str:
    """Return the hash of all files below a folder, names and contents: the generation of the graphs a run is on."""
    total = hashlib.sha256()
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        total.update(path.relative_to(folder).as_posix().encode() + b"\0")
        with path.open("rb") as file:
            total.update(hashlib.file_digest(file, "sha256").digest())
    return total.hexdigest()[:16]


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor()
