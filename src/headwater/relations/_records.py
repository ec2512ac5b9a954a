"""Documents that are one object each, and alike: a file a country, a package, an artist. Together they are one table.

Documents are alike if they have most of their fields in common. They are sought within a dataset, and, where they have
three fields or more, within a namespace too, since publishers give each object a folder of its own as well.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from headwater.layout import clean_text

COMMON = 0.5
"""Share of a group's common fields that a document must have, and share of its own fields that must be among them."""

TELLING = 3
"""Fields from which on alike documents of several datasets belong together."""

_MOST_GROUPS = 200
"""Groups of a namespace that a document is compared with, the largest first."""

_ENDING = re.compile(r"(?:\.[A-Za-z][A-Za-z0-9]{0,8})+$")


@dataclass(frozen=True, slots=True)
class RecordSketch:
    """What grouping needs of a document: its id and dataset, and the names of its fields."""

    document: str
    dataset: str
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RecordGroup:
    """Alike documents by id; a group of one is a document by itself.

    Attributes:
        id: stable as long as the place and the upper fields stay, whatever documents come and go.
        title: for people.
        documents: by id.
        labels: for each document what of its path tells it apart.
    """

    id: str
    title: str
    documents: tuple[RecordSketch, ...]
    labels: tuple[str, ...]


@dataclass(slots=True)
class _Cluster:
    """Documents put together so far, with how many of them have each field."""

    documents: list[RecordSketch] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    common: frozenset[str] = frozenset()

    def add(self, documents: Sequence[RecordSketch], fields: frozenset[str]) -> None:
        self.documents += documents
        for name in fields:
            self.counts[name] += len(documents)
        half = len(self.documents) / 2
        self.common = frozenset(name for name, count in self.counts.items() if count >= half)

    def fits(self, fields: frozenset[str]) -> bool:
        shared = len(fields & self.common)
        return shared >= COMMON * len(self.common) and shared >= COMMON * len(fields)


def group_records(documents: Iterable[RecordSketch]) -> list[RecordGroup]:
    """Return the groups of alike documents, also those of one, by id; a function of the documents, not of their order."""
    scopes: dict[str, list[RecordSketch]] = defaultdict(list)
    for document in documents:
        few = len(document.fields) < TELLING
        scopes[document.dataset if few else document.dataset.split("/")[0]].append(document)
    groups = [_group(cluster) for found in scopes.values() for cluster in _clusters(found)]
    taken: Counter[str] = Counter()
    out = []
    for group in sorted(groups, key=lambda g: (g.id, g.documents[0].document)):
        taken[group.id] += 1
        again = taken[group.id]
        out.append(
            group
            if again == 1
            else RecordGroup(f"{group.id}-{again}", group.title, group.documents, group.labels)
        )
    return out


def _clusters(documents: list[RecordSketch]) -> list[_Cluster]:
    """Put documents together, those whose exact fields most others have first."""
    by_fields: dict[frozenset[str], list[RecordSketch]] = defaultdict(list)
    for document in documents:
        by_fields[frozenset(document.fields)].append(document)
    order = sorted(by_fields.items(), key=lambda item: (-len(item[1]), -len(item[0]), sorted(item[0])))
    clusters: list[_Cluster] = []
    for fields, same in order:
        cluster = next((c for c in clusters[:_MOST_GROUPS] if c.fits(fields)), None)
        if cluster is None:
            cluster = _Cluster()
            clusters.append(cluster)
        cluster.add(same, fields)
    return clusters


def _group(cluster: _Cluster) -> RecordGroup:
    documents = tuple(sorted(cluster.documents, key=lambda d: d.document))
    datasets = sorted({d.dataset for d in documents})
    scope = datasets[0] if len(datasets) == 1 else datasets[0].split("/")[0]
    upper = sorted({name.split(".")[0] for name in cluster.common})
    key = "\n".join([scope, *upper])
    slug = re.sub(r"[^a-z0-9]+", "-", scope.rsplit("/", 1)[-1].casefold()).strip("-")[:40] or "records"
    title = clean_text(f"{scope}: {len(documents)} records, one a document", one_line=True, limit=200)
    identifier = f"{slug}-{hashlib.sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()[:6]}"
    return RecordGroup(identifier, title, documents, _labels([d.document for d in documents]))


def _labels(documents: list[str]) -> tuple[str, ...]:
    """Return the paths without the folders that all share, and without endings where that leaves them distinct."""
    first, last = documents[0], documents[-1]  # the least and the greatest share what all share
    same = next(
        (i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last))
    )
    start = first.rfind("/", 0, same) + 1 if len(documents) > 1 else first.rfind("/") + 1
    paths = [document[start:] for document in documents]
    stems = [_ENDING.sub("", path) for path in paths]
    return tuple(stems if len(set(stems)) == len(stems) and all(stems) else paths)
