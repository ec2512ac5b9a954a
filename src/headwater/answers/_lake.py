"""The opened lake that users get: all of `headwater.lake.Lake`, and questions."""

from __future__ import annotations

from pathlib import Path

from headwater.answers._answer import Answer
from headwater.lake import Lake as PlainLake


class Lake(PlainLake):
    """A lake that was ingested, opened for reading and for questions (see `headwater.lake.Lake`)."""

    def ask(self, question: str, *, table: str | Path | None = None) -> Answer:
        """Answer a question exactly, with the SQL and the cells that prove it, or say what is missing. No model is used.

        Args:
            question: in plain words.
            table: only this table: one of the lake, or a file outside it.

        Raises:
            UsageError: the question is empty or too long.
            NotFoundError: there is no such table.
        """
        from headwater.answers._ask import ask, ask_table

        return ask(self, question) if table is None else ask_table(question, table, self)
