"""What a publisher says of a dataset, whatever the form of the document it stood in."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any


@dataclass(slots=True)
class FieldDoc:
    """One entry of a data dictionary.

    Attributes:
        name: the column as the dictionary names it.
        description: meaning, one line.
        unit: unit of the values, or "".
        label: printed name of the column where it differs from `name`, or "".
        type: type as the dictionary names it, or "".
        values: meaning of coded values, code to meaning.
        resource: file, table or resource the entry is about, or "" for any of the dataset.
    """

    name: str
    description: str = ""
    unit: str = ""
    label: str = ""
    type: str = ""
    values: dict[str, str] = field(default_factory=dict)
    resource: str = ""


@dataclass(slots=True)
class Resource:
    """One file of a dataset as its metadata lists it. `path` is relative to the metadata document, or ""."""

    name: str = ""
    title: str = ""
    path: str = ""
    url: str = ""
    format: str = ""
    description: str = ""


@dataclass(slots=True)
class DatasetMetadata:
    """What one metadata document says.

    Attributes:
        kind: form of the document: "ckan", "socrata", "dcat", "frictionless", "croissant", "schema.org", "csvw",
            "record", "readme", "dictionary", "documentation", "xml".
        title: name of the dataset for people.
        description: what it is about, one line of plain text.
        publisher: who gives it out.
        tags: keywords.
        license: name or address of the licence.
        source: address it came from.
        created: date of first issue, as printed.
        modified: date of the last change, as printed.
        temporal: period covered, as printed.
        spatial: area covered, as printed.
        frequency: how often it is renewed, as printed.
        language: language of the data.
        resources: its files.
        fields: entries of the data dictionary.
        datasets: the datasets of a catalogue; a document about one dataset has none.
        extra: other short facts, for the curious.
    """

    kind: str
    title: str = ""
    description: str = ""
    publisher: str = ""
    tags: list[str] = field(default_factory=list)
    license: str = ""
    source: str = ""
    created: str = ""
    modified: str = ""
    temporal: str = ""
    spatial: str = ""
    frequency: str = ""
    language: str = ""
    resources: list[Resource] = field(default_factory=list)
    fields: list[FieldDoc] = field(default_factory=list)
    datasets: list[DatasetMetadata] = field(default_factory=list)
    extra: dict[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON object; empty parts are left out."""
        out: dict[str, Any] = {}
        for part in fields(self):
            value = getattr(self, part.name)
            if part.name in {"resources", "fields"}:
                value = [_filled(item) for item in value]
            elif part.name == "datasets":
                value = [item.to_dict() for item in value]
            if value:
                out[part.name] = value
        return out

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> DatasetMetadata:
        """Return what `to_dict` was made from."""
        known = {part.name for part in fields(cls)}
        rest = {k: v for k, v in data.items() if k in known - {"resources", "fields", "datasets"}}
        return cls(
            **rest,
            resources=[Resource(**item) for item in data.get("resources", [])],
            fields=[FieldDoc(**item) for item in data.get("fields", [])],
            datasets=[cls.from_dict(item) for item in data.get("datasets", [])],
        )

    def text(self) -> str:
        """Return the words worth searching: title, description, publisher, tags, resources and column meanings."""
        lines = [
            self.title,
            self.description,
            self.publisher,
            ", ".join(self.tags),
            self.spatial,
            self.temporal,
        ]
        lines += [f"{r.title or r.name} {r.description}" for r in self.resources]
        lines += [f"{f.label or f.name} {f.description}" for f in self.fields]
        return "\n".join(line.strip() for line in lines if line.strip())


def _filled(item: FieldDoc | Resource) -> dict[str, Any]:
    return {part.name: getattr(item, part.name) for part in fields(item) if getattr(item, part.name)}


def merge_metadata(documents: list[DatasetMetadata]) -> DatasetMetadata | None:
    """Return one record out of all the metadata documents of a dataset, or None without any.

    The first document with a value wins, so give the most formal one first (`metadata_rank` orders file names).
    A README or a dictionary lends its title only where no other document has one. Lists are joined.
    """
    if not documents:
        return None
    informal = {"readme", "dictionary", "documentation"}
    ordered = sorted(documents, key=lambda d: d.kind in informal)
    merged = DatasetMetadata(kind=ordered[0].kind)
    for part in fields(DatasetMetadata):
        if part.name == "kind":
            continue
        for document in ordered:
            value, current = getattr(document, part.name), getattr(merged, part.name)
            if isinstance(value, list):
                current.extend(item for item in value if item not in current)
            elif isinstance(value, dict):
                for key, item in value.items():
                    current.setdefault(key, item)
            elif value and not current:
                setattr(merged, part.name, value)
    return merged
