"""Verbs on schema graphs."""

from __future__ import annotations

import typer

app = typer.Typer(help="Foreign keys, lineage, silos and impact of a warehouse.", no_args_is_help=True)


@app.callback()
def _root() -> None:
    """Foreign keys, lineage, silos and impact of a warehouse."""
