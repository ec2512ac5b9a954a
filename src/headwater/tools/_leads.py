"""From the names in a result to the texts about them: what the next hop of a question usually needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from headwater.catalog import Catalog

ROWS, MANY_ROWS = 3, 20
"""Rows whose names are looked up, and rows of a result beyond which none are: then it is a list, not an answer."""

LEADS, OF_ONE = 3, 2
"""Texts that are named, and those of one name."""

_TITLED = (
    "select id from documents where kind = 'text' and role = 'data' and state = 'ingested' and {} "
    "order by length(title), id limit ?"
)


def texts_about(catalog: Catalog, rows: Sequence[Sequence[Any]]) -> list[str]:
    """Return texts whose title is a name in a result: in the first of its first rows that has any.

    A name is a cell, or two text cells side by side ("Ada", "Lovelace"). A title may say more after a comma or in
    brackets; a name of several words may also stand inside a title.
    """
    if len(rows) > MANY_ROWS:
        return []
    for row in rows[:ROWS]:
        found = dict.fromkeys(d for name in _names(row) for d in _titled(catalog, name))
        if found:
            return list(found)[:LEADS]
    return []


def _names(row: Sequence[Any]) -> list[str]:
    cells = [str(c).strip() if isinstance(c, str) else "" for c in row]
    pairs = [f"{a} {b}" for a, b in zip(cells, cells[1:], strict=False) if a.istitle() and b.istitle()]
    return [
        n for n in [*pairs, *cells] if 3 <= len(n) <= 60 and n[0].isupper() and any(c.islower() for c in n)
    ]


def _titled(catalog: Catalog, name: str) -> list[str]:
    plain = name.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    begins = _TITLED.format(
        r"(title = ? collate nocase or title like ? escape '\' or title like ? escape '\')"
    )
    found = catalog.connection.execute(begins, [name, f"{plain}, %", f"{plain} (%", OF_ONE]).fetchall()
    if not found and " " in name:
        inside = _TITLED.format(r"' ' || title || ' ' like ? escape '\'")
        found = catalog.connection.execute(inside, [f"% {plain} %", OF_ONE]).fetchall()
    return [r[0] for r in found]
