"""The command line: a thin door on the same functions that Python callers use."""

from __future__ import annotations


def main() -> None:
    """Run the command line."""
    from headwater.cli.app import run

    run()
