"""Series: the same table by year, by place, by edition or by part, to be queried as one.

Two tables belong together if their paths are the same but for a changing part (a year, date, quarter, place, edition,
part number) and their columns agree for the most part; or if they lie in one dataset and have exactly the same columns.
Where one dataset holds several such runs with the same columns (`births_2019`, `births_2020`, `deaths_2019` …), they stay
apart. Copies do not count, and neither do revisions, or a table next to its own parts.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from headwater.layout import clean_text
from headwater.profiles import match_places, place_of
from headwater.relations._duplicates import Duplicate
from headwater.relations._names import column_key, column_similarity
from headwater.relations._sketch import TableSketch

SAME_COLUMNS = 0.6
"""Least likeness (Jaccard) of the columns of two members whose paths differ in a changing part only."""

RENAMED = 0.75
"""Least likeness of the names of a column that was renamed between two members."""

_MONTHS = "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
_PATTERNS: tuple[tuple[str, str], ...] = (
    ("date", r"(?<!\d)(?:19|20)\d{2}[-_. ]?(?:0[1-9]|1[0-2])[-_. ]?(?:0[1-9]|[12]\d|3[01])(?!\d)"),
    ("date", r"(?<!\d)(?:0[1-9]|1[0-2])[-_. ](?:0[1-9]|[12]\d|3[01])[-_. ](?:19|20)\d{2}(?!\d)"),
    (
        "quarter",
        r"(?<!\d)(?:19|20)\d{2}[-_ ]?q[1-4](?![a-z0-9])|(?<![a-z0-9])q[1-4][-_ ]?(?:19|20)\d{2}(?!\d)",
    ),
    (
        "year",
        r"(?<!\d)(?:1[5-9]|20)\d{2}[-_–](?:1[5-9]|20)\d{2}(?!\d)|(?<![a-z0-9])fy[-_ ]?(?:\d{4}|\d{2})(?!\d)",
    ),
    (
        "month",
        rf"(?<!\d)(?:19|20)\d{{2}}[-_. ]?(?:0[1-9]|1[0-2])(?!\d)|(?<![a-z])(?:{_MONTHS})[-_ ]?(?:19|20)\d{{2}}(?!\d)",
    ),
    ("year", r"(?<!\d)(?:1[5-9]|20)\d{2}(?:[-_–]\d{2})?(?!\d)"),
    (
        "edition",
        r"(?<![a-z])(?:v|ver|version|ed|edition|release|wave|round|phase)[-_. ]?\d+(?:\.\d+)*(?![a-z0-9])",
    ),
    (
        "part",
        r"(?<![a-z])(?:part|pt|chunk|batch|segment|section|vol|volume|page|split|shard|teil)[-_. ]?\d+"
        r"(?:[-_ ]?of[-_ ]?\d+)?(?![a-z0-9])",
    ),
    ("month", rf"(?<![a-z])(?:{_MONTHS})(?![a-z])"),
)
"""Changing parts of names in lower case; at one place the first that fits counts."""

_CHANGING = re.compile("|".join(f"(?P<{kind}{i}>{pattern})" for i, (kind, pattern) in enumerate(_PATTERNS)))
_GRAIN = frozenset(
    {
        "annual",
        "yearly",
        "quarterly",
        "monthly",
        "weekly",
        "daily",
        "hourly",
        "total",
        "totals",
        "summary",
        "all",
        "full",
    }
)
"""Words of names that tell tables of one measure at several grains, which nobody wants in one table."""

_TOKEN = re.compile(r"[^\W_]+")
_ENDING = re.compile(r"(?:\.[A-Za-z][A-Za-z0-9]{0,8})+(?=$|[!#])")
_PLACE_KINDS = {"country": "country", "us_state": "state"}


@dataclass(frozen=True, slots=True)
class SeriesMember:
    """One table of a series: `columns` maps the series' column names to its own; columns it lacks are left out."""

    document: str
    dataset: str
    label: str
    columns: dict[str, str]
    rows: int


@dataclass(frozen=True, slots=True)
class Series:
    """Tables to be queried as one.

    Attributes:
        id: stable as long as the place and the columns stay, whatever members come and go.
        title: for people.
        kind: what the label is: "year", "date", "month", "quarter", "state", "country", "edition", "part", "name".
        columns: the series' columns: those of most members, in the order of the newest that has them.
        members: by label.
    """

    id: str
    title: str
    kind: str
    columns: list[str]
    members: list[SeriesMember] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON object."""
        return asdict(self)


@dataclass(slots=True)
class _Named:
    table: TableSketch
    template: str
    labels: list[tuple[str, str]]
    schema: frozenset[str]
    stem: str


def find_series(tables: Sequence[TableSketch], duplicates: Iterable[Duplicate] = ()) -> list[Series]:
    """Return the series among tables.

    Args:
        tables: sketches; copies may be among them.
        duplicates: of these tables (`find_duplicates`): copies and near revisions are left out, and so is a table whose
            parts are there.
    """
    left_out = _left_out(duplicates)
    named = [_name(t) for t in tables if t.document not in left_out and len(t.columns) >= 1 and t.rows > 0]
    groups = _by_template(named)
    taken = {id(n) for group in groups for n in group}
    groups = _by_schema(groups, [n for n in named if id(n) not in taken])
    found = [series for group in groups if (series := _series(group))]
    return sorted(found, key=lambda s: s.id)


def _left_out(duplicates: Iterable[Duplicate]) -> set[str]:
    out: set[str] = set()
    for pair in duplicates:
        if pair.kind in {"same", "same_other_order"}:
            out.add(pair.document)
        elif pair.kind == "part":
            out.add(pair.of)
        elif pair.kind == "revision" and not (_dated(pair.document) and _dated(pair.of)):
            out.add(pair.document)
    return out


def _dated(document: str) -> bool:
    return any(kind in {"date", "year", "month", "quarter"} for kind, _ in _changing(document)[1])


def _changing(path: str) -> tuple[str, list[tuple[str, str]]]:
    """Return a path with its changing parts replaced by their kind, and these parts."""
    text = _ENDING.sub("", path).casefold()
    labels: list[tuple[str, str]] = []

    def put(match: re.Match[str]) -> str:
        kind = re.sub(r"\d", "", match.lastgroup or "")
        labels.append((kind, match.group()))
        return f"\x01{kind}\x01"

    text = _put_places(_CHANGING.sub(put, text), labels)
    return re.sub(r"[^\w\x01]+|_", " ", text).strip(), labels


def _put_places(text: str, labels: list[tuple[str, str]]) -> str:
    """Replace full names of countries and states in the last part of a path."""
    head, slash, last = text.rpartition("/")
    tokens = list(_TOKEN.finditer(last))
    for size in (3, 2, 1):
        for i in range(len(tokens) - size + 1):
            start, end = tokens[i].start(), tokens[i + size - 1].end()
            found = place_of(last[start:end])
            if found and end - start >= 4 and "\x01" not in last[start:end]:
                kind = _PLACE_KINDS[found[0]]
                labels.append((kind, found[1]))
                return f"{head}{slash}{last[:start]}\x01place\x01{last[end:]}"
    return text


def _name(table: TableSketch) -> _Named:
    template, labels = _changing(table.document)
    schema = frozenset(column_key(_neutral(c.name)) or c.name for c in table.columns)
    stem = _ENDING.sub("", table.document).rsplit("/", 1)[-1]
    return _Named(table, template, labels, schema, stem)


def _neutral(column: str) -> str:
    """Return a column name with years taken out: the 2018 column of one member is the 2019 column of the next."""
    return re.sub(r"(?<!\d)(?:19|20)\d{2}(?!\d)", "year#", column)


def _likeness(a: frozenset[str], b: frozenset[str]) -> float:
    return len(a & b) / max(len(a | b), 1)


def _by_template(named: list[_Named]) -> list[list[_Named]]:
    """Group tables whose paths differ in their changing parts only and whose columns are much alike."""
    by_template: dict[str, list[_Named]] = {}
    for item in named:
        if item.labels:
            by_template.setdefault(item.template, []).append(item)
    groups: list[list[_Named]] = []
    for items in by_template.values():
        clusters: list[list[_Named]] = []
        for item in sorted(items, key=lambda n: n.table.document):
            fits = next((c for c in clusters if _likeness(c[-1].schema, item.schema) >= SAME_COLUMNS), None)
            if fits is None:
                clusters.append([item])
            else:
                fits.append(item)
        groups += [cluster for cluster in clusters if len(cluster) > 1]
    return groups


def _by_schema(groups: list[list[_Named]], rest: list[_Named]) -> list[list[_Named]]:
    """Add the tables left over to the one run of their dataset with the same columns, or group them by themselves."""
    left: dict[tuple[str, frozenset[str]], list[_Named]] = {}
    for item in rest:
        if _telling(item):
            left.setdefault((item.table.dataset, item.schema), []).append(item)
    runs: dict[tuple[str, frozenset[str]], list[list[_Named]]] = {}
    for group in groups:
        for key in {(item.table.dataset, item.schema) for item in group}:
            runs.setdefault(key, []).append(group)
    for key, items in left.items():
        same = runs.get(key, [])
        if len(same) == 1:
            same[0] += items
        elif not same and len(items) > 1:
            groups.append(items)
    return groups


def _telling(item: _Named) -> bool:
    """Tell whether equal columns say something: three or more, or a changing column, or a name in them."""
    return (
        len(item.schema) >= 3
        or any("year" in c and "#" not in c for c in item.schema)
        or len("".join(item.schema)) >= 16
    )


def _series(group: list[_Named]) -> Series | None:
    group = sorted(group, key=lambda n: n.table.document)
    group = [item for item in group if not _GRAIN & {w.casefold() for w in _TOKEN.findall(item.stem)}]
    if len(group) < 2:
        return None
    labels = _labels(group)
    kind = _kind(group, labels)
    order = sorted(range(len(group)), key=lambda i: (_sort_key(labels[i]), group[i].table.document))
    columns = _columns([group[i] for i in order])
    members = []
    for i in order:
        table = group[i].table
        own = _align(columns, [(c.name, c.type) for c in table.columns], [group[j].table for j in order])
        members.append(SeriesMember(table.document, table.dataset, labels[i], own, table.rows))
    scope = _scope(group)
    templates = {item.template for item in group}
    core = frozenset.intersection(*(item.schema for item in group)) or group[0].schema
    key = "\n".join([scope, *(templates if len(templates) == 1 else sorted(core))])
    slug = re.sub(r"[^a-z0-9]+", "-", scope.rsplit("/", 1)[-1].casefold()).strip("-")[:40] or "series"
    title = clean_text(
        f"{scope}: {len(members)} tables by {kind}, {members[0].label} to {members[-1].label}",
        one_line=True,
        limit=200,
    )
    return Series(f"{slug}-{hashlib.sha256(key.encode()).hexdigest()[:6]}", title, kind, columns, members)


def _scope(group: list[_Named]) -> str:
    datasets = sorted({item.table.dataset for item in group})
    if len(datasets) == 1:
        return datasets[0]
    return _changing(datasets[0])[0].replace("\x01", " ").strip() or datasets[0].split("/")[0]


def _labels(group: list[_Named]) -> list[str]:
    """Return a distinct label for each member: its changing parts, a year in its columns, or what its name adds."""
    out = [_own_label(item, group) for item in group]
    if len(set(out)) < len(out):
        rest = _differing([item.stem for item in group])
        out = [
            label if out.count(label) == 1 else f"{label} {more}".strip()
            for label, more in zip(out, rest, strict=True)
        ]
    seen: Counter[str] = Counter()
    for i, label in enumerate(out):
        seen[label] += 1
        if seen[label] > 1:
            out[i] = f"{label} ({seen[label]})"
    return out


def _own_label(item: _Named, group: list[_Named]) -> str:
    if _changing_kind(group):
        varying = [label for label in dict.fromkeys(item.labels) if _sets_apart(label, group)]
        if varying:
            return " ".join(label for _, label in varying)
    others = {c.name for other in group if other is not item for c in other.table.columns}
    own = [
        m.group()
        for c in item.table.columns
        if c.name not in others
        for m in [re.search(r"(?<!\d)(?:19|20)\d{2}(?!\d)", c.name)]
        if m
    ]
    if len(own) == 1:
        return own[0]
    return _differing([other.stem for other in group])[group.index(item)] or item.stem


def _sets_apart(label: tuple[str, str], group: list[_Named]) -> bool:
    return not all(label in other.labels for other in group)


def _changing_kind(group: list[_Named]) -> str:
    """Return the kind of changing part that tells at least half of the members apart, or ""."""
    kinds = Counter(
        kind for item in group for kind in {lb[0] for lb in item.labels if _sets_apart(lb, group)}
    )
    kind, count = kinds.most_common(1)[0] if kinds else ("", 0)
    return kind if 2 * count >= len(group) else ""


def _differing(stems: list[str]) -> list[str]:
    """Return what is left of each name without the words at both ends that all share."""
    words = [_TOKEN.findall(stem) for stem in stems]
    shortest = min(map(len, words))
    front = next((i for i in range(shortest) if len({w[i].casefold() for w in words}) > 1), shortest)
    back = next(
        (i for i in range(shortest - front) if len({w[-1 - i].casefold() for w in words}) > 1),
        shortest - front,
    )
    return [" ".join(w[front : len(w) - back]) for w in words]


def _kind(group: list[_Named], labels: list[str]) -> str:
    changing = _changing_kind(group)
    if changing:
        return changing
    if all(re.fullmatch(r"(?:1[5-9]|20)\d{2}", label) for label in labels):
        return "year"
    found = match_places(
        [label.upper() if len(label) <= 3 else label for label in labels], "state country code"
    )
    return _PLACE_KINDS[found[0]] if found else "name"


def _sort_key(label: str) -> str:
    return re.sub(r"\d+", lambda m: m.group().zfill(10), label.casefold())


def _columns(group: list[_Named]) -> list[str]:
    """Return the columns that at least half of the members have, in the order of the newest member, then others."""
    counts: Counter[str] = Counter()
    spelling: dict[str, str] = {}
    for item in group:
        for column in item.table.columns:
            key = column_key(_neutral(column.name))
            counts[key] += 1
            name = (
                re.sub(r"year#", "year", _neutral(column.name))
                if _neutral(column.name) != column.name and _changes(group, key)
                else column.name
            )
            spelling[key] = name
    newest = [column_key(_neutral(c.name)) for c in group[-1].table.columns]
    ordered = [*newest, *(k for k in counts if k not in newest)]
    return list(dict.fromkeys(spelling[k] for k in ordered if counts[k] * 2 >= len(group)))


def _changes(group: list[_Named], key: str) -> bool:
    return (
        len({c.name for item in group for c in item.table.columns if column_key(_neutral(c.name)) == key}) > 1
    )


def _align(columns: list[str], own: list[tuple[str, str]], tables: list[TableSketch]) -> dict[str, str]:
    """Return series column → own column: equal names first, then names alike but for a year, then renamed ones.

    A rename is taken only between one column that is left on each side, of one type and with names alike.
    """
    types = {column_key(c.name): c.type for t in tables for c in t.columns}
    mapping: dict[str, str] = {}
    free = dict(own)
    for normal in (
        lambda name: name,
        column_key,
        lambda name: column_key(_neutral(name)).replace("year#", "year"),
    ):
        for column in columns:
            if column not in mapping:
                match = next((name for name in free if normal(name) == normal(column)), None)
                match = match or next(
                    (
                        name
                        for name in free
                        if normal(_neutral(name).replace("year#", "year")) == normal(column)
                    ),
                    None,
                )
                if match is not None:
                    mapping[column] = match
                    del free[match]
    for column in columns:
        if column in mapping:
            continue
        near = [
            n
            for n, kind in free.items()
            if column_similarity(n, column) >= RENAMED and types.get(column_key(column)) in {kind, None}
        ]
        if len(near) == 1 and _digits(near[0]) == _digits(column):
            mapping[column] = near[0]
            del free[near[0]]
    return {column: mapping[column] for column in columns if column in mapping}


def _digits(name: str) -> list[str]:
    return re.findall(r"\d+", name)
