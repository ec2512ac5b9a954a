"""One table of many documents that are one object each: a row a document, a column a field."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from headwater.model import LINE, ROW, Column, MemoryData, Table
from headwater.readers._native import unique_names
from headwater.tabular import type_texts

FILE, DOCUMENT = "_file", "_document"
"""Columns that tell the rows apart: what is distinct of the document's path, and its whole id."""

MAX_COLUMNS = 4_000
"""Fields of a sheet, the most widely filled first; the others stand in the documents' text."""

_BATCH = 2_000
_PROBE = 20


def sheet_table(rows: Iterable[tuple[str, str, dict[str, str]]], fields: Iterable[Sequence[str]]) -> Table:
    """Return the table of records, its most widely filled columns first and fields of equal share in order.

    Types are read from the text of all values of a column; a list or an object stays JSON.

    Args:
        rows: label, document id and fields of each record.
        fields: names of the fields of each of these records.
    """
    import pyarrow as pa

    counts: Counter[str] = Counter()
    for names in fields:
        counts.update(dict.fromkeys(names, 1))
    kept = [name for name, _ in counts.most_common(MAX_COLUMNS)]
    header = [FILE, DOCUMENT, *kept]
    chunks: list[list[Any]] = [[] for _ in header]
    source, count = iter(rows), 0
    while batch := list(islice(source, _BATCH)):
        count += len(batch)
        cells: list[list[str | None]] = [[row[0] for row in batch], [row[1] for row in batch]]
        cells += [[row[2].get(name) for row in batch] for name in kept]
        for column, texts in zip(chunks, cells, strict=True):
            column.append(pa.array(texts, pa.string()))
    arrays = [pa.concat_arrays(column) for column in chunks]
    names = unique_names(header)
    typed = type_texts(arrays, names)
    columns = []
    for name, original, found, raw in zip(names, header, typed, arrays, strict=True):
        kind = _json_kind(raw) if found.type == "text" else found.type
        columns.append(Column(name, kind, original, unit=found.unit, typing=found.report))
    numbers = pa.array(range(1, count + 1), pa.int64())
    hidden = [numbers, pa.nulls(count, pa.int64())]
    left_out = len(counts) - len(kept)
    return Table(
        name="",
        columns=columns,
        data=MemoryData(
            pa.table([*hidden, *(column.typed for column in typed)], names=[ROW, LINE, *names]),
            pa.table([*hidden, *arrays], names=[ROW, LINE, *names]),
        ),
        warnings=[
            f'column "{name}": {told}' for name, c in zip(names, typed, strict=True) for told in c.warnings
        ]
        + (
            [f"{left_out} rare fields have no column; they stand in the text of the documents."]
            if left_out
            else []
        ),
    )


def _json_kind(cells: Any) -> Any:
    """Return "list" or "object" for a column of JSON arrays or objects, else "text"; the first values tell."""
    found = cells.drop_null().slice(0, _PROBE).to_pylist()
    for sign, kind, shape in (("[", "list", list), ("{", "object", dict)):
        if found and all(text.startswith(sign) for text in found):
            return kind if all(_is_json(text, shape) for text in found) else "text"
    return "text"


def _is_json(text: str, shape: type) -> bool:
    try:
        return isinstance(json.loads(text), shape)
    except ValueError:
        return False
