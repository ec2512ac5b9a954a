"""Tables and columns in few characters: enough to choose one and to write the query."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from headwater.catalog import RECORDS
from headwater.tools._leads import texts_about
from headwater.tools._names import ShortNames
from headwater.tools._passages import alike, words_of
from headwater.tools._quoting import clip, line_of, name_of, quote, quoted

if TYPE_CHECKING:
    from headwater.catalog import TableRecord
    from headwater.lake import Lake
    from headwater.profiles import ColumnProfile

MANY_COLUMNS = 14
"""Columns beyond which only those that matter get values; of the others the names stand."""

MOST_COLUMNS, MOST_SPOKEN = 200, 12
"""Columns whose names are looked at for a list of names; columns of a wide table that get values."""

COLUMN_CHARACTERS, INSPECT_CHARACTERS, GROUP_CHARACTERS, NAMES_CHARACTERS = 1_200, 3_000, 500, 90
"""Characters of the columns of one table in a search and in an inspection, of a group in it, and of names alone."""

FEW_VALUES, FEW_NUMBERS = 6, 8
"""Distinct values of a column that are all written out; columns of numbers in a wide table that get their ranges."""

_TELLING = 2
"""Columns whose meaning is told in a search."""

_VALUE, _MEANING, _LONG, _KEYS, _GROUP_VALUES = 24, 70, 60, 6, 6
"""Characters of a value, of a column's meaning, of a text on average from which on it is long; keys of an object; values
told that stand for groups of the others."""

_SURELY = 0.95
_ID = re.compile(r"(?:^|[_\W]|[a-z])(?:id|ID|Id|code|Code)$|^(?:id|ID)$")
_NAMING = re.compile(r"name|title|label", re.IGNORECASE)
"""Columns of ids, and of names; how surely an id must be found."""

_PLACEHOLDERS = frozenset(
    (
        "n/a",
        "na",
        "none",
        "null",
        "unknown",
        "not applicable",
        "not available",
        "not specified",
        "other",
        "others",
    )
    + ("missing", "undefined", "-", "--", "?", "not known", "unspecified", "various")
)
"""Frequent values of a text column that stand for no item of it."""

_JOINS, _AMONG, _MATCHED = 2, 2, 0.7
"""Joins that are told of one table and of several, and the share of records that must match."""


@dataclass(slots=True)
class Brief:
    """Writes tables briefly for one question.

    Attributes:
        lake: an opened lake.
        names: its short names.
        described: references of tables whose columns were already written; not written again.
        quoted: documents of which sentences were written in the present call.
        led: documents that the present call named as being about names in its result.
        known: documents that were quoted or named so before; not named again.
    """

    lake: Lake
    names: ShortNames
    described: set[str] = field(default_factory=set)
    quoted: list[str] = field(default_factory=list)
    led: list[str] = field(default_factory=list)
    known: set[str] = field(default_factory=set)

    def head(self, table: TableRecord) -> str:
        """Return "t('rivers.tsv') 141 rows"."""
        rows = f"{table.row_count:,} row{'' if table.row_count == 1 else 's'}"
        return f"t('{quoted(self.names.of(table.ref))}') {rows}"

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
        meanings = {c["name"]: str(c.get("description") or "") for c in table.columns}
        told = set(meanings) if full else _telling(meanings, wanted)
        weight = {
            c.name: _spoken(c.name, wanted) + (9 if c.name in found and not _is_long(c) else 0)
            for c in profile.columns
        }
        named = [name for name, spoken in weight.items() if spoken]
        if plain:
            named = sorted(named, key=lambda name: -weight[name])[:MOST_SPOKEN]
        out: list[tuple[str, int]] = []
        rest: dict[str, list[ColumnProfile]] = {}
        for figures in profile.columns:
            name = figures.name
            if plain and name not in named and name not in told and (group := _group(figures)):
                rest.setdefault(group, []).append(figures)
                continue
            meaning = meanings.get(name, "") if name in told else ""
            said = f" {quote(meaning, _MEANING)}" if meaning else ""
            out.append((column_text(figures, found.get(name, []), spoken=name in named or full) + said, 1))
        out += [(f"{group}: {_names(rest[group])}", len(rest[group])) for group in _GROUPS if group in rest]
        return _within(out, INSPECT_CHARACTERS if full else COLUMN_CHARACTERS)

    def column_names(
        self, table: TableRecord, query: str, values: dict[str, list[str]], limit: int = NAMES_CHARACTERS
    ) -> str:
        """Return the names of some columns, first those with a value that was found, then those the query speaks of."""
        wanted = words_of(query)
        names = [c["name"] for c in table.columns[:MOST_COLUMNS]]
        names.sort(key=lambda n: (n not in values, -_spoken(n, wanted)))
        told = [name_of(n) + (f" '{clip(values[n][0], _VALUE)}'" if n in values else "") for n in names]
        kept = 1
        while kept < len(told) and sum(len(t) + 2 for t in told[: kept + 1]) <= limit:
            kept += 1
        left = len(table.columns) - kept
        return ", ".join(told[:kept]) + (f" … {left} more" if left else "")

    def texts_about(self, rows: Sequence[Sequence[Any]]) -> list[str]:
        """Return the names of texts about names in the first rows of a result, those that were not named yet."""
        found = [d for d in texts_about(self.lake.catalog, rows) if d not in self.known]
        self.led += found
        self.known.update(found)
        return [self.names.of(d) for d in found]

    def series(self, identifier: str) -> str:
        """Return how a series is queried as a whole and what tells its members apart, or ""."""
        kind, count = self.lake.catalog.relations.series_kind(identifier) if identifier else ("", 0)
        if kind == RECORDS:
            return f"series t('series:{quoted(identifier)}'): all {count:,} such files as one table, a row each, with columns _file, _document"
        told = self.lake.catalog.relations.series(identifier) if kind else None
        if not told:
            return ""
        labels = [
            ", ".join(map(str, m["label"].values())) or self.names.of(m["document"]) for m in told["members"]
        ]
        keys = list(dict.fromkeys(k for m in told["members"] for k in m["label"])) or ["_document"]
        shown = ", ".join(clip(x, 28) for x in labels[:12]) + (
            f" … {len(labels)} in all" if len(labels) > 12 else ""
        )
        clash = next((n for n, _ in told["columns"] if n.casefold() in {k.casefold() for k in keys}), None)
        value = f"; the figures stand in column value{self._mixed(told, clash, labels)}" if clash else ""
        return f"series t('series:{quoted(told['id'])}'): all {len(labels)} as one table with column {', '.join(map(name_of, keys))}: {shown}{value}"

    def _mixed(self, series: dict[str, Any], column: str, labels: list[str]) -> str:
        """Return in which members of a series a column is text and not a number, with an example, or ""."""
        from headwater.profiles import TableProfile

        texts, example = list[str](), ""
        for member, label in zip(series["members"], labels, strict=True):
            table = self.lake.catalog.table(member["ref"])
            name = member["columns"].get(column)
            profile = TableProfile.from_dict(table.info["profile"]) if table else None
            figures = next((c for c in profile.columns if c.name == name), None) if profile else None
            if figures and figures.type == "text":
                texts.append(label)
                example = example or next((str(v) for v in figures.examples), "")
        if not texts or len(texts) == len(labels):
            return f", text such as '{clip(example, _VALUE)}'" if texts else ""
        return f", text such as '{clip(example, _VALUE)}' in {', '.join(clip(t, _VALUE) for t in texts[:6])}, numbers in the others"

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
                key,
                f"{name_of(join['column'])} = {self.names.of(join['document'])}.{name_of(join['other_column'])}",
            )
        if not seen:
            return ""
        more = f" and {len(seen) - _JOINS} more" if len(seen) > _JOINS else ""
        return f"joins: {'; '.join(list(seen.values())[:_JOINS])}{more}"

    def naming(self, table: TableRecord) -> str:
        """Return where the ids of a table that holds no names are given names, or ""."""
        if any(_NAMING.search(c["name"]) for c in table.columns):
            return ""
        for join in self.lake.catalog.relations.joins(table.document):
            if join["direction"] != "to" or join["match_rate"] < _SURELY or not _ID.search(join["column"]):
                continue
            others = self.lake.catalog.tables(join["document"])[:1]
            names = [name_of(c["name"]) for t in others for c in t.columns if _NAMING.search(c["name"])]
            if names:
                other = f"{self.names.of(join['document'])}.{name_of(join['other_column'])}"
                return f"names: {name_of(join['column'])} = {other} ({', '.join(names[:2])})"
        return ""

    def joins_among(self, documents: Sequence[str]) -> str:
        """Return how tables of these documents join with one another, the best first, or ""."""
        found: dict[tuple[str, ...], tuple[float, str]] = {}
        for document in documents:
            copies = {c["document"] for c in self.lake.catalog.relations.copies(document)}
            for j in self.lake.catalog.relations.joins(document):
                other = j["document"]
                if (
                    other not in documents
                    or other in copies
                    or other == document
                    or j["match_rate"] < _MATCHED
                ):
                    continue
                share = "" if j["match_rate"] > 0.995 else f" ({j['match_rate']:.0%})"
                pair = tuple(sorted((document, other)))
                told = f"{self.names.of(document)}.{name_of(j['column'])} = {self.names.of(other)}.{name_of(j['other_column'])}{share}"
                if pair not in found or j["score"] > found[pair][0]:
                    found[pair] = (j["score"], told)
        best = sorted(found.values(), key=lambda x: -x[0])
        return "; ".join(told for _, told in best[:_AMONG])


_GROUPS = ("numbers", "text", "lists", "long text", "empty")
"""In which order the other columns of a wide table are named."""


def _telling(meanings: dict[str, str], wanted: Sequence[str]) -> set[str]:
    """Return a few columns whose meaning holds words of the query that no column's name holds."""
    unsaid = [w for w in wanted if not any(_speaks(name, [w]) for name in meanings)]
    weighed = [(sum(_speaks(text, [w]) for w in unsaid), name) for name, text in meanings.items() if text]
    best = sorted((x for x in weighed if x[0]), key=lambda x: -x[0])
    return {name for _, name in best[:_TELLING]}


def _group(figures: ColumnProfile) -> str:
    """Return under which heading a column is named without values; "" for one whose range is short and telling."""
    if not figures.distinct:
        return "empty"
    if figures.type in ("date", "datetime", "time"):
        return ""
    if figures.type in ("list", "object"):
        return "lists"
    if figures.type in ("integer", "number"):
        return "numbers"
    return "long text" if _is_long(figures) else "text"


def _is_long(figures: ColumnProfile) -> bool:
    examples = [str(e) for e in figures.examples]
    return figures.type == "text" and bool(examples) and sum(map(len, examples)) > _LONG * len(examples)


def _names(columns: Sequence[ColumnProfile]) -> str:
    """Return the names of columns of one group, as many as fit; of a few numbers the ranges too."""
    few = len(columns) <= FEW_NUMBERS and columns[0].type in ("integer", "number") and columns[0].distinct
    names = [column_text(c, []) if few else name_of(c.name) for c in columns]
    kept = len(names)
    while kept > 1 and sum(len(n) + 2 for n in names[:kept]) > GROUP_CHARACTERS:
        kept -= 1
    return ", ".join(names[:kept]) + (f" … {len(names) - kept} more" if kept < len(names) else "")


def _nested(examples: Sequence[Any]) -> str:
    """Return what the values of a column of lists or objects look like: "[{type, start, …}]"."""
    for example in examples:
        try:
            value = json.loads(str(example))
        except ValueError:
            continue
        inner = value[0] if isinstance(value, list) and value else value
        keys = ", ".join(line_of(k)[:_VALUE] for k in list(inner)[:_KEYS]) if isinstance(inner, dict) else ""
        more = ", …" if isinstance(inner, dict) and len(inner) > _KEYS else ""
        shown = f"{{{keys}{more}}}" if keys else clip(str(inner), _VALUE) if inner is not value else ""
        if shown:
            return f" [{shown}]" if isinstance(value, list) else f" {shown}"
    return ""


def _within(parts: list[tuple[str, int]], limit: int) -> str:
    """Return the parts that fit into a limit of characters, and how many of all columns are left out."""
    kept, used = 0, 0
    while kept < len(parts) and (not kept or used + len(parts[kept][0]) + 2 <= limit):
        used += len(parts[kept][0]) + 2
        kept += 1
    cut, total = sum(n for _, n in parts[kept:]), sum(n for _, n in parts)
    return "; ".join(text for text, _ in parts[:kept]) + (
        f"; and {cut} more of {total} columns" if cut else ""
    )


def column_text(figures: ColumnProfile, first: list[str], *, spoken: bool = False) -> str:
    """Return one column: its name, then a range (numbers, dates) or values in quotation marks (text), and its unit.

    Args:
        figures: its profile.
        first: values that come before others.
        spoken: the query speaks of it: a second value is shown, and the beginning of long texts.
    """
    name = name_of(figures.name)
    unit = f" {line_of(figures.unit)}" if figures.unit else ""
    missing = _groups(figures) + (" (gaps)" if figures.missing and "" not in figures.groups else "")
    if not figures.distinct:
        return f"{name} (empty)"
    if figures.type in ("integer", "number", "date", "datetime", "time") and figures.min is not None:
        return f"{name} {_short(figures.min)}..{_short(figures.max)}{unit}{missing}"
    if figures.type == "boolean":
        return f"{name} boolean{missing}"
    if figures.type in ("list", "object"):
        return f"{name} {figures.type}{_nested(figures.examples)}{missing}"
    if _is_long(figures) and not spoken:
        return f"{name} (long text){missing}"
    top = [str(v) for v, _ in figures.top]
    every = 0 < figures.distinct <= FEW_VALUES and len(top) >= figures.distinct
    samples = list(dict.fromkeys([*first[:3], *(top if every else figures.examples or top)]))
    kept = samples[: FEW_VALUES if every else max(2 if spoken else 1, len(first[:3]))]
    if not every and (other := _other_shape(kept, [*figures.examples, *top])):
        kept = [*kept[: max(1, len(first[:3]))], other]
    shown = ["'" + clip(s, _VALUE).replace("'", "''") + "'" for s in kept]
    if shown and all(s.startswith(("'http://", "'https://")) for s in shown):
        return f"{name} (addresses){missing}"
    of = f" of {figures.distinct:,}" if figures.distinct > len(shown) else ""
    empty = next((v for v in top if v.casefold() in _PLACEHOLDERS), "") if not every else ""
    of += f", also '{empty}'" if empty and empty not in kept else ""
    kind = "" if figures.type == "text" else f" {figures.type}"
    return f"{name}{kind}{' ' if shown else ''}{'|'.join(shown)}{of}{unit}{missing}"


def _other_shape(shown: Sequence[str], values: Sequence[str]) -> str:
    """Return a value of a column of codes or file names that is built otherwise than those shown, or ""."""
    if not shown or " " in shown[0]:
        return ""
    shapes = {_shape(s) for s in shown}
    return next((str(v) for v in values if " " not in str(v) and _shape(str(v)) not in shapes), "")


def _shape(value: str) -> str:
    """Return a code without its letters and digits, its words kept apart: "Ohio_SOTS.txt" and "Iowa_SOTS.txt" are one."""
    parts = re.split(r"([\W_]+)", value)
    return "".join(
        p if i % 2 else "9" if p.isdigit() else p.lower() if i else "a" for i, p in enumerate(parts)
    )


def _groups(figures: ColumnProfile) -> str:
    """Return which values of a column stand for several of the others, as a remark in brackets, or ""."""
    named = [clip(g, _VALUE) for g in figures.groups if g]
    more = f" … {len(named)} in all" if len(named) > _GROUP_VALUES else ""
    told = f" (also groups: {', '.join(named[:_GROUP_VALUES])}{more})" if named else ""
    return told + (" (rows without it are totals)" if "" in figures.groups else "")


def _speaks(name: str, wanted: Sequence[str]) -> bool:
    return bool(_spoken(name, wanted))


def _spoken(name: str, wanted: Sequence[str]) -> int:
    """Return how many of the words a name holds."""
    own = words_of(name.replace("_", " "))
    return sum(any(alike(w, o) for o in own) for w in wanted)


def _short(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return clip(str(value).removesuffix("T00:00:00"), _VALUE)
