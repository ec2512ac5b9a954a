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
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d{2}(?!\d)")
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
    return _YEAR.sub("year#", column)


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
    types = {column_key(c.name): c.type for item in group for c in item.table.columns}
    members = []
    for i in order:
        table = group[i].table
        own = _align(columns, [(c.name, c.type) for c in table.columns], types)
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
    common = _common_parts(group)
    rest = _differing([item.stem for item in group])
    changing = bool(_changing_kind(group))
    bearers = Counter(name for item in group for name in {c.name for c in item.table.columns})
    out: list[str] = []
    for item, more in zip(group, rest, strict=True):
        varying = [label for part in dict.fromkeys(item.labels) if part not in common for label in part[1:]]
        years = [
            m.group() for c in item.table.columns if bearers[c.name] == 1 and (m := _YEAR.search(c.name))
        ]
        if changing and varying:
            out.append(" ".join(varying))
        else:
            out.append(years[0] if len(years) == 1 else more or item.stem)
    return _distinct(out, rest)


def _distinct(labels: list[str], rest: list[str]) -> list[str]:
    """Return labels that occur once each: with what the name adds, else numbered."""
    counts = Counter(labels)
    labels = [
        label if counts[label] == 1 else f"{label} {more}".strip()
        for label, more in zip(labels, rest, strict=True)
    ]
    seen: Counter[str] = Counter()
    for i, label in enumerate(labels):
        seen[label] += 1
        if seen[label] > 1:
            labels[i] = f"{label} ({seen[label]})"
    return labels


def _common_parts(group: list[_Named]) -> set[tuple[str, str]]:
    """Return the changing parts that in fact all members bear."""
    return set.intersection(*(set(item.labels) for item in group))


def _changing_kind(group: list[_Named]) -> str:
    """Return the kind of changing part that tells at least half of the members apart, or ""."""
    common = _common_parts(group)
    kinds = Counter(
        kind for item in group for kind in {part[0] for part in item.labels if part not in common}
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
    """Return the columns that at least half of the members have, in the order of the newest member, then others.

    A column whose name holds another year in each member gets the word "year" in its place.
    """
    spellings: dict[str, list[str]] = {}
    for item in group:
        for column in item.table.columns:
            spellings.setdefault(_year_key(column.name), []).append(column.name)
    newest = [_year_key(c.name) for c in group[-1].table.columns]
    ordered = dict.fromkeys([*newest, *spellings])
    kept = [key for key in ordered if 2 * len(spellings[key]) >= len(group)]
    names = (
        spellings[k][-1] if len(set(map(_neutral, spellings[k]))) < len(set(spellings[k])) else ""
        for k in kept
    )
    return [
        _neutral(name).replace("year#", "year") if name else spellings[key][-1]
        for key, name in zip(kept, names, strict=True)
    ]


def _year_key(column: str) -> str:
    return column_key(_neutral(column))


def _align(columns: list[str], own: list[tuple[str, str]], types: dict[str, str]) -> dict[str, str]:
    """Return series column → own column: equal names first, then names alike but for a year, then renamed ones.

    A rename is taken only between one column that is left on each side, of one type and with names alike.
    """
    mapping: dict[str, str] = {}
    free = dict(own)
    for normal in (str, column_key, lambda name: column_key(_neutral(name).replace("year#", "year"))):
        by_name = {normal(name): name for name in reversed(free)}
        for column in columns:
            match = by_name.get(normal(column)) if column not in mapping else None
            if match is not None and match in free:
                mapping[column] = match
                del free[match]
    for column in columns:
        if column in mapping:
            continue
        near = [
            name
            for name, kind in free.items()
            if column_similarity(name, column) >= RENAMED and types.get(column_key(column), kind) == kind
        ]
        if len(near) == 1 and _digits(near[0]) == _digits(column):
            mapping[column] = near[0]
            del free[near[0]]
    return {column: mapping[column] for column in columns if column in mapping}


def _digits(name: str) -> list[str]:
    return re.findall(r"\d+", name)
