"""Tables and columns in few characters: enough to choose one and to write the query."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from headwater.tools._names import ShortNames
from headwater.tools._passages import alike, words_of

if TYPE_CHECKING:
    from headwater.catalog import TableRecord
    from headwater.lake import Lake
    from headwater.profiles import ColumnProfile

MANY_COLUMNS = 14
"""Columns beyond which only those that matter get values; of the others the names stand."""

MOST_COLUMNS = 200
COLUMN_CHARACTERS, INSPECT_CHARACTERS = 1_400, 3_000
"""Characters of the columns of one table in a search and in an inspection."""

_NAME = 120
"""Characters of a column's name; a longer one is cut, and SQL finds it by `columns('^beginning')`."""

FEW_VALUES = 6
"""Distinct values of a column that are all written out."""

_VALUE = 24
_JOINS = 2


@dataclass(slots=True)
class Brief:
    """Writes tables briefly for one question.

    Attributes:
        lake: an opened lake.
        names: its short names.
        described: references of tables whose columns were already written; not written again.
    """

    lake: Lake
    names: ShortNames
    described: set[str] = field(default_factory=set)

    def head(self, table: TableRecord) -> str:
        """Return "t('goals.csv') 3,637 rows"."""
        return f"t('{quoted(self.names.of(table.ref))}') {table.row_count:,} rows"

    def columns(
        self,
        table: TableRecord,
        query: str = "",
        values: dict[str, list[str]] | None = None,
        *,
        full: bool = False,
    ) -> str:
        """Return the columns with types, ranges and a few values, those first that the query speaks of.

        Args:
            table: a cached table.
            query: words of the question; columns that share one get values in wide tables too.
            values: column → values that the search matched; they come before other examples.
            full: every column gets values.
        """
        from headwater.profiles import TableProfile

        profile = TableProfile.from_dict(table.info["profile"])
        wanted, found = words_of(query), values or {}
        plain = not full and len(profile.columns) > MANY_COLUMNS
        out = []
        for told, figures in list(zip(table.columns, profile.columns, strict=True))[:MOST_COLUMNS]:
            speaks = figures.name in found or _speaks(
                f"{figures.name} {told.get('description') or ''}", wanted
            )
            out.append(
                name_of(figures.name)
                if plain and not speaks
                else column_text(figures, found.get(figures.name, []))
            )
        kept, used, most = 0, 0, INSPECT_CHARACTERS if full else COLUMN_CHARACTERS
        while kept < len(out) and (not kept or used + len(out[kept]) + 2 <= most):
            used += len(out[kept]) + 2
            kept += 1
        left = len(profile.columns) - kept
        return "; ".join(out[:kept]) + (
            f"; and {left} more of {len(profile.columns)} columns" if left else ""
        )

    def series(self, identifier: str) -> str:
        """Return how a series is queried as a whole and what tells its members apart, or ""."""
        told = self.lake.catalog.relations.series(identifier) if identifier else None
        if not told:
            return ""
        labels = [
            ", ".join(map(str, m["label"].values())) or self.names.of(m["document"]) for m in told["members"]
        ]
        keys = list(dict.fromkeys(k for m in told["members"] for k in m["label"])) or ["_document"]
        shown = ", ".join(_clip(x, 28) for x in labels[:12]) + (
            f" … {len(labels)} in all" if len(labels) > 12 else ""
        )
        clash = {str(n).casefold() for n, _ in told["columns"]} & {k.casefold() for k in keys}
        value = "; the figures stand in column value" if clash else ""
        return f"series t('series:{quoted(told['id'])}'): all {len(labels)} as one table with column {', '.join(keys)}: {shown}{value}"

    def joins(self, document: str, shown: Collection[str] = ()) -> str:
        """Return the best joinable columns of other documents, one a dataset, or "".

        Args:
            document: whose columns.
            shown: documents that stand in the same output; they come first.
        """
        found = [j for j in self.lake.catalog.relations.joins(document) if j["match_rate"] >= 0.5]
        own = document.rsplit("/", 2)[0]
        found.sort(
            key=lambda j: (
                j["document"] not in shown, j["direction"] != "to", not j["document"].startswith(own), -j["match_rate"]
            )
        )  # fmt: skip
        seen: dict[tuple[str, str], str] = {}
        for join in found:
            folder = join["document"].rsplit("/", 2)[0]
            key = (join["column"], folder if folder != own else join["document"])
            seen.setdefault(
                key, f"{join['column']} = {self.names.of(join['document'])}.{join['other_column']}"
            )
        if not seen:
            return ""
        more = f" and {len(seen) - _JOINS} more" if len(seen) > _JOINS else ""
        return f"joins: {'; '.join(list(seen.values())[:_JOINS])}{more}"


def column_text(figures: ColumnProfile, first: list[str]) -> str:
    """Return one column: its name, then a range (numbers, dates) or values in quotation marks (text), and its unit."""
    name = name_of(figures.name)
    unit = f" {figures.unit}" if figures.unit else ""
    missing = " (gaps)" if figures.missing else ""
    if figures.type in ("integer", "number", "date", "datetime", "time") and figures.min is not None:
        return f"{name} {_short(figures.min)}..{_short(figures.max)}{unit}{missing}"
    if figures.type == "boolean":
        return f"{name} boolean{missing}"
    top = [str(v) for v, _ in figures.top]
    every = 0 < figures.distinct <= FEW_VALUES and len(top) >= figures.distinct
    samples = list(dict.fromkeys([*first[:3], *(top if every else figures.examples or top)]))
    shown = [
        "'" + _clip(s, _VALUE).replace("'", "''") + "'"
        for s in samples[: FEW_VALUES if every else max(2, len(first[:3]))]
    ]
    if shown and all(s.startswith(("'http://", "'https://")) for s in shown):
        return f"{name} (addresses){missing}"
    of = f" of {figures.distinct:,}" if figures.distinct > len(shown) else ""
    kind = "" if figures.type == "text" else f" {figures.type}"
    return f"{name}{kind} {'|'.join(shown)}{of}{unit}{missing}"


def name_of(column: str) -> str:
    """Return a column's name as SQL wants it: in double quotes unless it is a plain word."""
    if len(column) > _NAME:
        column = column[: _NAME - 1] + "…"
    plain = column.isascii() and column.replace("_", "a").isalnum() and not column[:1].isdigit()
    return line_of(column) if plain else '"' + line_of(column).replace('"', '""') + '"'


def quoted(text: str) -> str:
    """Return text for use between single quotes in SQL."""
    return line_of(text).replace("'", "''")


def line_of(value: Any) -> str:
    """Return a value as one printable line: control, direction and invisible marks are shown as escapes."""
    text = "" if value is None else str(value)
    if text.isprintable() and text.isascii():
        return text
    return "".join(c if c.isprintable() else " " if c in "\n\r\t" else ascii(c)[1:-1] for c in text)


def _speaks(name: str, wanted: list[str]) -> bool:
    own = words_of(name.replace("_", " "))
    return any(alike(w, o) for w in wanted for o in own)


def _short(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return _clip(str(value).removesuffix("T00:00:00"), _VALUE)


def _clip(text: str, limit: int) -> str:
    flat = line_of(" ".join(text.split()))
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"
