"""From header rows to the names of columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.tabular._cells import is_blank, one_line

JOIN = " / "
"""Between the parts of a header of several rows."""


def merge_header(rows: Sequence[Sequence[Any]], width: int) -> list[str]:
    """Merge header rows into one text a column.

    A blank in an upper row takes the text to its left, as under a spanning cell, where the column has a text
    further down and the cell to the left is not a name of its own (a name has nothing below it).

    Args:
        rows: the header rows, top to bottom.
        width: number of columns.

    Returns:
        The texts, "" for a column without a name.
    """
    parts: list[list[str]] = [[] for _ in range(width)]
    texts = [[one_line(row[column]) if column < len(row) else "" for column in range(width)] for row in rows]
    for depth, line in enumerate(texts):
        below = texts[depth + 1 :]
        spanning = ""
        for column, text in enumerate(line):
            under = any(lower[column] for lower in below)
            if text:
                spanning = text if under else ""
            elif (
                under
                and spanning
                and not any(upper[column] for upper in texts[:depth])
                or (under and spanning and depth and _same_group(texts[:depth], column))
            ):
                text = spanning
            elif not under:
                spanning = ""
            if text and text not in parts[column][-1:]:
                parts[column].append(text)
    return [JOIN.join(part) for part in parts]


def _same_group(upper: Sequence[Sequence[str]], column: int) -> bool:
    """Tell whether a column and its left neighbour stand under the same spans."""
    return all(not line[column] or line[column] == line[column - 1] for line in upper)


def unique_names(headers: Sequence[str]) -> list[str]:
    """Return a usable name for every header, distinct without regard to case (as SQL sees names).

    Args:
        headers: the header texts as printed, "" for none.
    """
    taken: set[str] = set()
    wanted = {" ".join(header.split()).casefold() for header in headers}
    names = []
    for index, header in enumerate(headers):
        base = " ".join(header.split()) or f"column_{index + 1}"
        name, number = base, 2
        while name.casefold() in taken or (name != base and name.casefold() in wanted):
            name, number = f"{base}_{number}", number + 1
        taken.add(name.casefold())
        names.append(name)
    return names


def is_repeat(row: Sequence[Any], header: Sequence[Any]) -> bool:
    """Tell whether a record is the header once more."""
    return len(row) == len(header) and all(
        a == b or (is_blank(a) and is_blank(b)) or one_line(a) == one_line(b)
        for a, b in zip(row, header, strict=True)
    )
