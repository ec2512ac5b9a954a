"""Names of the tables of one document."""

from __future__ import annotations

from collections import Counter

from headwater.model import Table

_LONGEST = 120


def name_tables(tables: list[Table]) -> None:
    """Make the tables' names what the contract says.

    The only table of a document has none; what it would have been called goes to its preamble. Several are named by
    caption or heading, numbered where that repeats, or `table 1`, `table 2` … in reading order.
    """
    if len(tables) == 1:
        _to_preamble(tables[0])
        return
    taken: Counter[str] = Counter()
    for number, table in enumerate(tables, 1):
        title = " ".join(table.name.split())
        if len(title) > _LONGEST:
            _to_preamble(table)
            title = title[:_LONGEST].rsplit(" ", 1)[0] + " …"
        base = title or f"table {number}"
        taken[base.casefold()] += 1
        count = taken[base.casefold()]
        table.name = base if count == 1 else f"{base} ({count})"


def _to_preamble(table: Table) -> None:
    if table.name and table.name not in table.preamble:
        table.preamble = "\n".join(part for part in (table.name, table.preamble) if part)
    table.name = ""
