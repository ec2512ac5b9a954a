"""Data dictionaries as tables: which columns of a dictionary hold what, and its rows as entries."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from headwater.layout._clean import plain_text
from headwater.layout._metadata import FieldDoc

ROLES: dict[str, tuple[str, ...]] = {
    "name": (
        "field",
        "field name",
        "fieldname",
        "column",
        "column name",
        "columnname",
        "column header",
        "header",
        "header name",
        "variable",
        "variable name",
        "variablename",
        "var",
        "var name",
        "attribute",
        "attribute name",
        "data element",
        "data element name",
        "element",
        "element name",
        "property",
        "feature",
        "feature name",
        "data field",
        "field id",
        "variable code",
        "indicator code",
        "short name",
        "column heading",
        "name",
        "key",
        "parameter",
        "feld",
        "spalte",
        "colonne",
        "champ",
        "campo",
        "columna",
        "nom du champ",
        "nombre del campo",
    ),
    "description": (
        "description",
        "definition",
        "meaning",
        "explanation",
        "field description",
        "column description",
        "variable description",
        "descriptor",
        "details",
        "detail",
        "what it means",
        "field definition",
        "variable definition",
        "attribute description",
        "long description",
        "content",
        "contents",
        "data description",
        "question",
        "question text",
        "beschreibung",
        "bedeutung",
        "descripcion",
        "descripción",
        "descrição",
        "descricao",
        "descrizione",
    ),
    "label": (
        "label",
        "variable label",
        "display name",
        "title",
        "alias",
        "full name",
        "long name",
        "caption",
        "field label",
    ),
    "type": (
        "type",
        "data type",
        "datatype",
        "field type",
        "variable type",
        "column type",
        "data format",
        "typ",
        "tipo",
    ),
    "unit": (
        "unit",
        "units",
        "unit of measure",
        "units of measure",
        "unit of measurement",
        "measurement unit",
        "uom",
        "einheit",
        "unité",
    ),
    "values": (
        "values",
        "valid values",
        "allowed values",
        "possible values",
        "value",
        "codes",
        "code values",
        "coded values",
        "domain",
        "categories",
        "levels",
        "permitted values",
        "accepted values",
        "value labels",
        "code",
    ),
    "meaning": (
        "value meaning",
        "value description",
        "code meaning",
        "code description",
        "value label",
        "code label",
        "value definition",
    ),
    "resource": (
        "table",
        "table name",
        "file",
        "file name",
        "filename",
        "dataset",
        "dataset name",
        "sheet",
        "resource",
        "data file",
    ),
    "note": ("notes", "note", "comments", "comment", "remarks", "remark", "source", "sources"),
}
"""Words (case-folded) over a dictionary's columns, by what the column holds."""

_ROLE_OF = {word: role for role, words in ROLES.items() for word in words}
_DESCRIPTIONS = ROLES["description"]
_PAIR = re.compile(r"(?:^|[;,\n|])\s*['\"]?([\w.+-]{1,30}?)['\"]?\s*(?:=|:|–|—|\s-\s)\s*")
_MAX_HEADER_ROW = 15
_MAX_ROWS = 20_000


def role_of(header: str) -> str | None:
    """Return what a dictionary's column under this header holds, or None."""
    if len(header) > 200:
        return None
    word = re.sub(r"[^\w ]+", " ", plain_text(header).casefold().replace("_", " "))
    word = " ".join(word.split())
    if word in _ROLE_OF:
        return _ROLE_OF[word]
    if 8 <= len(word) <= 40 and difflib.get_close_matches(word, _DESCRIPTIONS, n=1, cutoff=0.9):
        return "description"
    return None


def header_roles(cells: Sequence[str]) -> dict[str, int] | None:
    """Return role → position if a row is the header of a dictionary: it names columns and says something of them."""
    roles: dict[str, int] = {}
    for position, cell in enumerate(cells):
        role = role_of(cell)
        if role and role not in roles:
            roles[role] = position
    if "name" not in roles and "label" in roles and "description" in roles:
        roles["name"] = roles.pop("label")
    if "name" not in roles or not roles.keys() & {"description", "label", "note", "values", "meaning"}:
        return None
    return roles


def coded(text: str) -> dict[str, str]:
    """Return the code → meaning pairs of a text like "1 = yes; 2 = no", or nothing if it holds fewer than two."""
    marks = list(_PAIR.finditer(text)) if len(text) <= 4_000 else []
    if len(marks) < 2:
        return {}
    ends = [*(m.start() for m in marks[1:]), len(text)]
    pairs = {m.group(1): text[m.end() : end].strip(" ;,|\n") for m, end in zip(marks, ends, strict=True)}
    return pairs if all(pairs.values()) else {}


def fields_from_rows(rows: Sequence[Sequence[str]], resource: str = "") -> list[FieldDoc]:
    """Return the entries of a data dictionary given as rows of text, or nothing if it is no dictionary.

    The header is looked for in the first 15 rows. Rows without a name carry on the coded values or the description
    of the entry above.
    """
    for start, row in enumerate(rows[:_MAX_HEADER_ROW]):
        roles = header_roles(row)
        if roles:
            return _entries(rows[start + 1 : start + 1 + _MAX_ROWS], roles, resource)
    return []


def _entries(rows: Sequence[Sequence[str]], roles: dict[str, int], resource: str) -> list[FieldDoc]:
    out: list[FieldDoc] = []

    def cell(row: Sequence[str], role: str) -> str:
        at = roles.get(role, -1)
        return plain_text(row[at]) if 0 <= at < len(row) and row[at] else ""

    for row in rows:
        name, description = cell(row, "name"), cell(row, "description")
        values, meaning = cell(row, "values"), cell(row, "meaning")
        known = coded(values) if not meaning else {values: meaning} if values else {}
        if not name or (out and name == out[-1].name and known and "meaning" in roles):
            if out and known:
                out[-1].values |= known
            elif out and values and description and not name:
                out[-1].values[values] = description
            continue
        if len(name) > 200:
            continue
        label = cell(row, "label")
        note = cell(row, "note")
        if note and not description and not label:
            description = note if role_is_note(roles, rows) else f"Source: {note}"
        doc = FieldDoc(
            name,
            description or label,
            cell(row, "unit"),
            "" if label == name else label,
            cell(row, "type"),
            known,
        )
        doc.resource = cell(row, "resource") or resource
        if values and not known and doc.description:
            doc.description = (
                f"{doc.description} (values: {values})" if len(values) <= 200 else doc.description
            )
        elif values and not doc.description:
            doc.description = f"values: {values}"
        out.append(doc)
    return out


def role_is_note(roles: dict[str, int], rows: Sequence[Sequence[str]]) -> bool:
    """Tell whether the note column holds sentences rather than the name of a source."""
    texts = [row[roles["note"]] for row in rows[:50] if roles["note"] < len(row) and row[roles["note"]]]
    return sum(len(text.split()) for text in texts) > 6 * max(len(texts), 1)
