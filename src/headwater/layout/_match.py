"""A data dictionary's entries matched to the columns of a table."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from headwater.layout._metadata import DatasetMetadata, FieldDoc

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_ENDING = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,7}$")
_FUZZY = 0.9
"""Least similarity (Ratcliff-Obershelp) of a fuzzy match; at 0.9 names of ten letters may differ in one."""

_FUZZY_PAIRS = 40_000
"""Pairs of names above which none are compared letter by letter."""

_FUZZY_LENGTH = 8
"""Shortest normalised name that may match fuzzily: short ones differ by one letter all the time."""


@dataclass(slots=True)
class ColumnDoc:
    """What the metadata says of one column."""

    description: str = ""
    unit: str = ""
    label: str = ""
    values: dict[str, str] = field(default_factory=dict)


def name_key(name: str) -> str:
    """Return a column name without case, accents, punctuation and blanks."""
    text = unicodedata.normalize("NFKD", name).casefold()
    return "".join(c for c in text if c.isalnum())


def name_words(name: str) -> tuple[str, ...]:
    """Return the words of a column name: split at punctuation, blanks and camel case."""
    text = unicodedata.normalize("NFKD", _CAMEL.sub(" ", name)).casefold()
    return tuple(re.findall(r"[^\W\d_]+|\d+", text))


def describe_columns(metadata: DatasetMetadata, document: str, columns: Sequence[str]) -> dict[str, str]:
    """Return column → description for the columns that the metadata describes.

    Args:
        metadata: of the dataset, or of the document alone.
        document: path of the table's document, to choose among entries of several files.
        columns: names of the table's columns.
    """
    return {
        column: doc.description
        for column, doc in column_docs(metadata, document, columns).items()
        if doc.description
    }


def column_docs(metadata: DatasetMetadata, document: str, columns: Sequence[str]) -> dict[str, ColumnDoc]:
    """Return column → everything the metadata says of it.

    An entry belongs to a column if their names agree without case, accents and punctuation; else if the column is the
    entry's label; else if one column and one entry, both unmatched, are spelt nearly alike and hold the same digits.
    Entries of this file come before entries of none; entries of another file are used only where they say the same
    thing of the name in all files.
    """
    own, general, other = _by_resource(metadata.fields, document)
    found: dict[str, FieldDoc] = {}
    for entries in (own, general, _unanimous(other)):
        _exact(entries, columns, found)
    for entries in (own, general):
        _fuzzy(entries, columns, found)
    return {
        column: ColumnDoc(doc.description or doc.label, doc.unit, doc.label, dict(doc.values))
        for column, doc in found.items()
        if doc.description or doc.label or doc.unit or doc.values
    }


def _by_resource(
    fields: Iterable[FieldDoc], document: str
) -> tuple[list[FieldDoc], list[FieldDoc], list[FieldDoc]]:
    keys = _document_keys(document)
    own: list[FieldDoc] = []
    general: list[FieldDoc] = []
    other: list[FieldDoc] = []
    for entry in fields:
        if not entry.resource:
            general.append(entry)
        elif _stem(entry.resource) in keys:
            own.append(entry)
        else:
            other.append(entry)
    return own, general, other


def _stem(name: str) -> str:
    last = name.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
    while _ENDING.search(last):
        last = _ENDING.sub("", last)
    return name_key(last)


def _document_keys(document: str) -> set[str]:
    path, _, table = document.partition("#")
    keys = {_stem(part) for part in path.split("!")}
    if table:
        keys.add(_stem(table))
    return keys - {""}


def _unanimous(entries: list[FieldDoc]) -> list[FieldDoc]:
    by_name: dict[str, list[FieldDoc]] = {}
    for entry in entries:
        by_name.setdefault(name_key(entry.name), []).append(entry)
    return [group[0] for group in by_name.values() if len({e.description for e in group}) == 1]


def _exact(entries: list[FieldDoc], columns: Sequence[str], found: dict[str, FieldDoc]) -> None:
    by_key: dict[str, FieldDoc] = {}
    for entry in sorted(entries, key=lambda e: not (e.description or e.label)):
        for name in (entry.name, entry.label):
            key = name_key(name)
            if key and (name == entry.name or key not in by_key):
                by_key.setdefault(key, entry)
        for name in re.split(r"\s*[,/;]\s*|\s+and\s+", entry.name):
            by_key.setdefault(name_key(name), entry)
    for column in columns:
        key = name_key(column)
        if column not in found and key in by_key:
            found[column] = by_key[key]


def _fuzzy(entries: list[FieldDoc], columns: Sequence[str], found: dict[str, FieldDoc]) -> None:
    taken = {id(entry) for entry in found.values()}
    open_entries = {name_key(e.name): e for e in entries if id(e) not in taken}
    keys = [key for key in open_entries if len(key) >= _FUZZY_LENGTH]
    if len(keys) * (len(columns) - len(found)) > _FUZZY_PAIRS:
        return
    for column in columns:
        key = name_key(column)
        if column in found or len(key) < _FUZZY_LENGTH or not keys:
            continue
        near = difflib.get_close_matches(key, keys, n=2, cutoff=_FUZZY)
        near = [k for k in near if re.findall(r"\d+", k) == re.findall(r"\d+", key)]
        if len(near) == 1:
            found[column] = open_entries[near[0]]
            keys.remove(near[0])
