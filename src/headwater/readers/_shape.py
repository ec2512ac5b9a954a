"""Finds the tables in a tree of objects and arrays (JSON, YAML, XML).

What is a table, first rule that fits:

1. an array of objects: one record an object. Columns are the union of the keys of *all* records, in the order met.
2. an array of arrays: a grid, its first row the header if it looks like one.
3. an array of plain values with nothing else in the document: one column, ``value``.
4. an object that is a known layout: Socrata rows with ``meta.view.columns``, a GeoJSON collection (a record a feature:
   its properties, ``id`` and ``geometry``), pandas' ``split`` and ``columns`` orients.
5. an object of arrays of plain values, all equally long: its keys are the columns.
6. an object of at least three objects that share their keys: records by key, the key in the column ``key``;
   so too an object of arrays of such objects.
7. any other object: its members are looked at in turn, and what is in no table is the document's text. Inside such a
   document a table has at least three records, or eight keys, or most of the values; a small one stands in the text
   as well. Objects in it whose only key is the same (``{area: {text: …}, …}``) are fields, not records.

A document of rule 7 is a record too: the values that are in no table, by path (`headwater.readers._fields`).

Nested objects become columns ``a.b`` (three levels at most) where they are regular: at least half of the records
have one, they share a key, and a third of all their places are filled. Else the column is of type object and holds JSON; arrays always do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any

from headwater.model import Record, Table
from headwater.readers._fields import fields_of
from headwater.readers._native import native_table, raw_text
from headwater.tabular import build_table

MAX_DEPTH = 3
"""Levels of nested objects that become columns."""

_MAX_SUBKEYS = 64
_SEARCH_DEPTH = 6
_LEAST_RECORDS = 3
_LEAST_KEYS = 8
_SMALL = 50
_MANY_NUMBERS = 40
_GEOMETRIES = {
    "Point",
    "MultiPoint",
    "LineString",
    "MultiLineString",
    "Polygon",
    "MultiPolygon",
    "GeometryCollection",
}


@dataclass
class Shape:
    """What was found in a tree.

    Attributes:
        tables: in document order.
        rest: (path, value) of every leaf that is in no table.
        metadata: title, description … as known layouts give them.
        format: "json" or "geojson".
        root: the tree.
        taken: paths of what became tables.
        record: the plain values, where the document is one object.
    """

    tables: list[Table] = field(default_factory=list)
    rest: list[tuple[tuple[str, ...], Any]] = field(default_factory=list)
    metadata: dict[str, Any] = field(default_factory=dict)
    format: str = "json"
    root: Any = None
    taken: set[tuple[str, ...]] = field(default_factory=set)
    record: Record | None = None

    @cached_property
    def size(self) -> int:
        """Number of plain values in the tree."""
        return count_leaves(self.root)

    def text(self) -> str | None:
        """Return the leaves as lines ``path: value``, None if there are none."""
        lines = [
            f"{' / '.join(path)}: {raw_text(value)}" if path else str(raw_text(value))
            for path, value in self.rest
        ]
        return "\n".join(lines) or None


def shape_of(value: Any, lines: list[int] | None = None) -> Shape:
    """Find the tables of a tree; `lines` are the physical lines of the elements if it is an array."""
    shape = Shape(root=value)
    if isinstance(value, list):
        if not _add_array(shape, (), value, lines, top=True):
            _add_rest(shape, (), value)
    elif isinstance(value, dict):
        _add_object(shape, (), value)
        fields = None if () in shape.taken else fields_of(value, shape.taken)
        if fields is not None:
            shape.record = Record(fields, 2 * sum(_cells(t) for t in shape.tables) <= shape.size)
    else:
        shape.rest.append(((), value))
    if len(shape.tables) == 1 and not (shape.record and shape.record.main):
        shape.tables[0].name = ""
    _pick_metadata(shape)
    return shape


def _pick_metadata(shape: Shape) -> None:
    wanted = {
        "title",
        "name",
        "description",
        "author",
        "publisher",
        "date",
        "license",
        "source",
        "url",
        "updated",
    }
    for path, value in shape.rest:
        if path and len(path) <= 2 and path[-1].casefold() in wanted and isinstance(value, str):
            key = "title" if path[-1].casefold() == "name" else path[-1].casefold()
            shape.metadata.setdefault(key, value)


def _cells(table: Table) -> int:
    return table.data.row_count * len(table.columns)


def _add_object(shape: Shape, path: tuple[str, ...], value: dict[str, Any]) -> None:
    if _add_known(shape, path, value):
        shape.taken.add(path)
        return
    if _is_main(shape, value) and (_add_columnar(shape, path, value) or _add_keyed(shape, path, value)):
        shape.taken.add(path)
        if path and not _is_most(shape, value):
            _add_rest(shape, path, value)
        return
    for key, inner in value.items():
        here = (*path, str(key))
        if isinstance(inner, dict) and inner and len(here) <= _SEARCH_DEPTH:
            _add_object(shape, here, inner)
            continue
        is_table = isinstance(inner, list) and _is_main(shape, inner) and _add_array(shape, here, inner, None)
        if is_table:
            shape.taken.add(here)
        if not is_table or (len(inner) <= _SMALL and not _is_most(shape, inner)):
            _add_rest(shape, here, inner)


def _is_most(shape: Shape, value: Any) -> bool:
    return 2 * count_leaves(value) >= shape.size


def _is_main(shape: Shape, value: Any) -> bool:
    """Tell whether something can be one of the document's tables: it has records enough, or most of its values."""
    if isinstance(value, list):
        return len(value) >= _LEAST_RECORDS or _is_most(shape, value)
    return len(value) >= _LEAST_KEYS or _is_most(shape, value)


def _add_rest(shape: Shape, path: tuple[str, ...], value: Any) -> None:
    if isinstance(value, dict):
        for key, inner in value.items():
            _add_rest(shape, (*path, str(key)), inner)
    elif isinstance(value, list) and _only_numbers(value):
        shape.rest.append((path, f"({count_leaves(value):,} numbers)"))
    elif isinstance(value, list) and any(isinstance(inner, dict | list) for inner in value):
        for number, inner in enumerate(value, 1):
            _add_rest(shape, (*path, str(number)), inner)
    elif isinstance(value, list):
        if value:
            shape.rest.append((path, ", ".join(str(raw_text(inner)) for inner in value)))
    elif value is not None and value != "":
        shape.rest.append((path, value))


def _only_numbers(value: list[Any]) -> bool:
    """Tell long lists of coordinates and the like, which say nothing as text."""
    found = [type(leaf) in (int, float) for leaf in islice(leaves(value), _MANY_NUMBERS)]
    return len(found) == _MANY_NUMBERS and all(found)


def _add_array(
    shape: Shape, path: tuple[str, ...], value: list[Any], lines: list[int] | None, *, top: bool = False
) -> bool:
    objects = sum(isinstance(inner, dict) for inner in value)
    arrays = sum(isinstance(inner, list) for inner in value)
    name = ".".join(path)
    if objects and arrays and objects + arrays == len(value) <= 4:
        for number, inner in enumerate(value, 1):  # [about, [records]], as some interfaces answer
            if isinstance(inner, dict):
                _add_object(shape, path, inner)
            elif not _add_array(shape, (*path, str(number)) if arrays > 1 else path, inner, None):
                _add_rest(shape, (*path, str(number)), inner)
        return True
    if objects:
        if _is_features(value):
            shape.format = "geojson"
            shape.tables.append(_feature_table(name, value, lines))
        else:
            shape.tables.append(record_table(value, name=name, lines=lines))
        return True
    if arrays == len(value) and value and all(_is_flat(row) for row in value) and (top or _is_square(value)):
        shape.tables.append(_grid_table(name, value, lines))
        return True
    if top and value:
        kept = None if lines is None else list(lines)
        shape.tables.append(native_table(["value"], [value], name=name, lines=kept))
        return True
    return False


def _is_flat(row: Any) -> bool:
    return isinstance(row, list) and bool(row) and not any(isinstance(cell, dict | list) for cell in row)


def _is_square(rows: list[list[Any]]) -> bool:
    return len(rows) > 1 and len({len(row) for row in rows}) == 1 and len(rows[0]) > 1


def _grid_table(name: str, rows: list[list[Any]], lines: list[int] | None) -> Table:
    """Build a table of an array of arrays; a first row of distinct texts above other kinds is its header."""
    first = rows[0]
    header = len(rows) > 1 and all(isinstance(c, str) and c for c in first) and len(set(first)) == len(first)
    width = max(map(len, rows))
    if header and width == len(first):
        columns = [[row[i] if i < len(row) else None for row in rows[1:]] for i in range(width)]
        if any(not isinstance(v, str) for column in columns for v in column if v is not None):
            return native_table(first, columns, name=name, lines=lines[1:] if lines else None)
        return build_table([[raw_text(c) for c in row] for row in rows], name=name, lines=lines)
    columns = [[row[i] if i < len(row) else None for row in rows] for i in range(width)]
    return native_table([f"column_{i + 1}" for i in range(width)], columns, name=name, lines=lines)


# ---------------------------------------------------------------- records


def record_table(
    records: list[Any], *, name: str = "", lines: list[int] | None = None, key: list[Any] | None = None
) -> Table:
    """Build a table of a list of objects.

    Args:
        records: the objects; anything else among them goes to the column ``value``.
        name: of the table.
        lines: physical line of each record.
        key: values of an extra first column ``key``.
    """
    odd = [None if isinstance(r, dict) else r for r in records]
    columns = _flatten([r if isinstance(r, dict) else None for r in records], "", 0)
    names, data = list(columns), list(columns.values())
    if any(value is not None for value in odd):
        names.append("value")
        data.append(odd)
    if key is not None:
        names.insert(0, "key")
        data.insert(0, key)
    if not names:
        names, data = ["value"], [[None] * len(records)]
    return native_table(names, data, name=name, lines=lines)


def _flatten(records: list[dict[str, Any] | None], prefix: str, depth: int) -> dict[str, list[Any]]:
    """Return the columns of a list of objects; a None is an object that is missing or null."""
    keys: dict[str, None] = {}
    for record in records:
        if record:
            for key in record:
                if key not in keys:
                    keys[key] = None
    out: dict[str, list[Any]] = {}
    for key in keys:
        values = [None if record is None else record.get(key) for record in records]
        name = f"{prefix}{key}"
        if depth < MAX_DEPTH and _is_regular(values):
            inner = _flatten(values, f"{name}.", depth + 1)
            if not (set(inner) & set(keys)):
                out.update(inner)
                continue
        out[name] = values
    return out


def _is_regular(values: list[Any]) -> bool:
    present = [value for value in values if value is not None]
    if len(present) * 2 < len(values) or not present or not all(type(value) is dict for value in present):
        return False
    counts = Counter(key for value in present for key in value)
    if not counts or len(counts) > _MAX_SUBKEYS:
        return False
    common = any(count >= 0.8 * len(present) for count in counts.values())
    return common and sum(counts.values()) >= 0.3 * len(counts) * len(present)


# ---------------------------------------------------------------- known layouts


def _add_known(shape: Shape, path: tuple[str, ...], value: dict[str, Any]) -> bool:
    name = ".".join(path)
    view = value.get("meta", {}).get("view") if isinstance(value.get("meta"), dict) else None
    if (
        isinstance(view, dict)
        and isinstance(view.get("columns"), list)
        and isinstance(value.get("data"), list)
    ):
        _add_socrata(shape, name, view, value["data"])
        return True
    if _is_collection(value):
        shape.format = "geojson"
        shape.tables.append(_feature_table(name, value["features"], None))
        _add_rest(
            shape, path, {k: v for k, v in value.items() if k not in ("features", "type", "crs", "bbox")}
        )
        return True
    if value.get("type") == "Feature" and isinstance(value.get("properties"), dict) and "geometry" in value:
        shape.format = "geojson"
        shape.tables.append(_feature_table(name, [value], None))
        return True
    columns, rows = value.get("columns"), value.get("data")
    if (
        isinstance(columns, list)
        and isinstance(rows, list)
        and rows
        and all(isinstance(r, list) for r in rows)
    ):
        width = max(map(len, rows))
        if len(columns) == width and all(isinstance(c, str | int) for c in columns):
            cells = [[row[i] if i < len(row) else None for row in rows] for i in range(width)]
            shape.tables.append(native_table([str(c) for c in columns], cells, name=name))
            _add_rest(shape, path, {k: v for k, v in value.items() if k not in ("columns", "data", "index")})
            return True
    return False


def _is_collection(value: dict[str, Any]) -> bool:
    return value.get("type") == "FeatureCollection" and isinstance(value.get("features"), list)


def _is_features(value: list[Any]) -> bool:
    return all(isinstance(v, dict) and v.get("type") == "Feature" and "geometry" in v for v in value)


def _feature_table(name: str, features: list[Any], lines: list[int] | None) -> Table:
    """Build the table of GeoJSON features (RFC 7946, section 3.2): properties, then id and geometry."""
    records = [f if isinstance(f, dict) else {} for f in features]
    columns = _flatten(
        [r.get("properties") if isinstance(r.get("properties"), dict) else {} for r in records], "", 0
    )
    names, data = list(columns), list(columns.values())
    for member in ("id", "bbox", "geometry"):
        if member == "geometry" or any(r.get(member) is not None for r in records):
            names.append(member)
            data.append([r.get(member) for r in records])
    return native_table(names, data, name=name, lines=lines)


def _add_socrata(shape: Shape, name: str, view: dict[str, Any], rows: list[Any]) -> None:
    """Build the table of a Socrata ``rows.json``; hidden system columns are left out and named in the metadata."""
    columns = [c if isinstance(c, dict) else {} for c in view["columns"]]
    shown = [
        i
        for i, c in enumerate(columns)
        if not ("hidden" in (c.get("flags") or []) or c.get("dataTypeName") == "meta_data")
    ]
    shown = shown or list(range(len(columns)))
    cells = [[row[i] if isinstance(row, list) and i < len(row) else None for row in rows] for i in shown]
    names = [str(columns[i].get("name") or columns[i].get("fieldName") or "") for i in shown]
    table = native_table(names, cells, name=name)
    for column, i in zip(table.columns, shown, strict=True):
        if columns[i].get("description"):
            column.description = str(columns[i]["description"])
    wide = sum(isinstance(row, list) and len(row) > len(columns) for row in rows)
    if wide:
        table.warnings.append(
            f"{wide} records have more values than the {len(columns)} columns that are declared."
        )
    shape.tables.append(table)
    shape.metadata["hidden_columns"] = [str(c.get("name")) for i, c in enumerate(columns) if i not in shown]
    for ours, theirs in (
        ("title", "name"),
        ("description", "description"),
        ("publisher", "attribution"),
        ("category", "category"),
    ):
        if isinstance(view.get(theirs), str):
            shape.metadata[ours] = view[theirs]


def _add_columnar(shape: Shape, path: tuple[str, ...], value: dict[str, Any]) -> bool:
    inner = list(value.values())
    name = ".".join(path)
    if len(inner) < 2:
        return False
    if all(isinstance(v, list) for v in inner):
        if (
            len({len(v) for v in inner}) == 1
            and len(inner[0]) > 1
            and not any(isinstance(c, dict | list) for v in inner for c in v)
        ):
            shape.tables.append(native_table(list(value), inner, name=name))
            return True
        return False
    if all(isinstance(v, dict) and v for v in inner):  # pandas: {column: {"0": …, "1": …}}
        index = list(inner[0])
        if all(key.isdigit() for key in index) and all(list(v) == index for v in inner):
            shape.tables.append(native_table(list(value), [list(v.values()) for v in inner], name=name))
            return True
    return False


def _add_keyed(shape: Shape, path: tuple[str, ...], value: dict[str, Any]) -> bool:
    """Take an object whose keys are data: all its values are alike."""
    inner = list(value.values())
    if len(inner) < 3:
        return False
    name = ".".join(path)
    if all(isinstance(v, dict) and v for v in inner) and _alike(inner):
        if path and not _is_most(shape, value) and len({key for v in inner for key in v}) == 1:
            return False
        shape.tables.append(record_table(inner, name=name, key=list(value)))
        return True
    if all(isinstance(v, list) and v and all(isinstance(r, dict) for r in v) for v in inner):
        records = [record for rows in inner for record in rows]
        if _alike(records):
            keys = [key for key, rows in value.items() for _ in rows]
            shape.tables.append(record_table(records, name=name, key=keys))
            return True
    return False


def _alike(records: list[dict[str, Any]]) -> bool:
    counts = Counter(key for record in records for key in record)
    shared = sum(count >= 0.5 * len(records) for count in counts.values())
    return shared >= 1 and sum(counts.values()) >= 0.5 * len(counts) * len(records)


def count_leaves(value: Any) -> int:
    """Return the number of plain values of a tree."""
    count, stack = 0, [value]
    while stack:
        top = stack.pop()
        if isinstance(top, dict):
            stack.extend(top.values())
        elif isinstance(top, list):
            stack.extend(top)
        else:
            count += 1
    return count


def leaves(value: Any) -> Iterator[Any]:
    """Yield the plain values of a tree."""
    if isinstance(value, dict):
        for inner in value.values():
            yield from leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner)
    else:
        yield value
