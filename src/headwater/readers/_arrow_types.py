"""From any Arrow type to the column types of the model, with the text of every value."""

from __future__ import annotations

import datetime
import json
import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

    from headwater.model.table import ColumnType

_MAX_DIGITS = 38


class Convert:
    """Converts the arrays of one column; keeps count of what it had to change.

    Attributes:
        source: Arrow type of the column.
        type: the model's type for it.
    """

    type: ColumnType = "text"

    def __init__(self, source: pa.DataType) -> None:
        self.source = source

    def __call__(self, array: pa.Array) -> tuple[pa.Array, pa.Array]:
        """Return the typed and the text form of an array."""
        import pyarrow as pa

        text = array.cast(pa.string())
        return text, text

    def notes(self) -> list[str]:
        """Return what the user should know, after the last array."""
        return []


class _Cast(Convert):
    def __init__(self, source: pa.DataType, kind: ColumnType, target: pa.DataType) -> None:
        super().__init__(source)
        self.type = kind
        self.target = target

    def __call__(self, array: pa.Array) -> tuple[pa.Array, pa.Array]:
        import pyarrow as pa

        typed = array if array.type == self.target else array.cast(self.target)
        return typed, array.cast(pa.string())


class _Unsigned(Convert):
    """64-bit unsigned integers: as exact decimals, for they may pass the signed range."""

    type = "integer"

    def __call__(self, array: pa.Array) -> tuple[pa.Array, pa.Array]:
        import pyarrow as pa

        return array.cast(pa.decimal128(20, 0)).cast(pa.decimal128(_MAX_DIGITS, 0)), array.cast(pa.string())


class _Float(Convert):
    """Floating point numbers; NaN stays NaN, which is not the same as missing."""

    type = "number"

    def __call__(self, array: pa.Array) -> tuple[pa.Array, pa.Array]:
        import pyarrow as pa

        if pa.types.is_float16(array.type):
            values = array.to_pylist()
            return (
                pa.array([None if v is None else float(v) for v in values], pa.float64()),
                pa.array([None if v is None else repr(float(v)) for v in values], pa.string()),
            )
        return array.cast(pa.float64()), array.cast(pa.string())


class _Decimal(Convert):
    def __init__(self, source: pa.DataType) -> None:
        super().__init__(source)
        self.type = "integer" if source.scale == 0 else "number"

    def __call__(self, array: pa.Array) -> tuple[pa.Array, pa.Array]:
        import pyarrow as pa

        values = array.to_pylist()
        raw = pa.array([None if v is None else format(v, "f") for v in values], pa.string())
        if self.source.precision > _MAX_DIGITS or not 0 <= self.source.scale <= _MAX_DIGITS:
            self.type = "text"
            return raw, raw
        return pa.array(
            values,
            pa.decimal128(_MAX_DIGITS if not self.source.scale else self.source.precision, self.source.scale),
        ), raw

    def notes(self) -> list[str]:
        return ["wider than 38 digits; kept as text."] if self.type == "text" else []


class _Timestamp(Convert):
    type = "datetime"

    def __init__(self, source: pa.DataType) -> None:
        super().__init__(source)
        self.cut = 0

    def __call__(self, array: pa.Array) -> tuple[pa.Array, pa.Array]:
        import pyarrow as pa
        import pyarrow.compute as pc

        target = pa.timestamp("us", tz=self.source.tz)
        typed = array.cast(target, safe=False)
        if self.source.unit == "ns":
            changed = pc.not_equal(typed.cast(array.type, safe=False), array)
            self.cut += int(pc.sum(changed).as_py() or 0)
        utc = array.cast(pa.timestamp(self.source.unit, tz="UTC")) if self.source.tz else array
        text = (
            pc.utf8_rtrim(utc.cast(pa.string()), characters="0")
            if self.source.unit == "ns"
            else utc.cast(pa.string())
        )
        return typed, pc.utf8_rtrim(text, characters=".") if self.source.unit == "ns" else text

    def notes(self) -> list[str]:
        return (
            [f"{self.cut} times have nanoseconds; the typed view is cut to microseconds."] if self.cut else []
        )


class _Time(Convert):
    type = "time"

    def __call__(self, array: pa.Array) -> tuple[pa.Array, pa.Array]:
        import pyarrow as pa

        return array.cast(pa.time64("us"), safe=False), array.cast(pa.string())


class _Binary(Convert):
    """Bytes: text where they are UTF-8, else hexadecimal digits after 0x."""

    def __call__(self, array: pa.Array) -> tuple[pa.Array, pa.Array]:
        import pyarrow as pa

        out = pa.array(
            [None if value is None else _bytes_text(value) for value in array.to_pylist()], pa.string()
        )
        return out, out


class _Nested(Convert):
    """Lists, structs and maps as JSON text."""

    def __init__(self, source: pa.DataType, kind: ColumnType) -> None:
        super().__init__(source)
        self.type = kind

    def __call__(self, array: pa.Array) -> tuple[pa.Array, pa.Array]:
        import pyarrow as pa

        plain = [None if value is None else _json(_plain(value, array.type)) for value in array.to_pylist()]
        out = pa.array(plain, pa.string())
        return out, out


class _Other(Convert):
    """Durations, intervals and the rest: as Python writes them."""

    def __call__(self, array: pa.Array) -> tuple[pa.Array, pa.Array]:
        import pyarrow as pa

        out = pa.array([None if v is None else str(v) for v in array.to_pylist()], pa.string())
        return out, out


def converter_for(source: pa.DataType) -> Convert:
    """Return the converter for an Arrow type."""
    import pyarrow as pa

    types = pa.types
    if types.is_dictionary(source):
        inner = converter_for(source.value_type)
        return _Decoded(source, inner)
    if isinstance(source, pa.BaseExtensionType):
        return _Stored(source, converter_for(source.storage_type))
    if types.is_boolean(source):
        return _Cast(source, "boolean", pa.bool_())
    if types.is_uint64(source):
        return _Unsigned(source)
    if types.is_integer(source):
        return _Cast(source, "integer", pa.int64())
    if types.is_floating(source):
        return _Float(source)
    if types.is_decimal(source):
        return _Decimal(source)
    if types.is_date(source):
        return _Cast(source, "date", pa.date32())
    if types.is_timestamp(source):
        return _Timestamp(source)
    if types.is_time(source):
        return _Time(source)
    if (
        types.is_binary(source)
        or types.is_large_binary(source)
        or types.is_fixed_size_binary(source)
        or types.is_binary_view(source)
    ):
        return _Binary(source)
    if types.is_struct(source) or types.is_map(source):
        return _Nested(source, "object")
    if types.is_nested(source):
        return _Nested(source, "list")
    if (
        types.is_string(source)
        or types.is_large_string(source)
        or types.is_string_view(source)
        or types.is_null(source)
    ):
        return Convert(source)
    return _Other(source)


class _Decoded(Convert):
    """Dictionary-encoded columns."""

    def __init__(self, source: pa.DataType, inner: Convert) -> None:
        super().__init__(source)
        self.inner = inner
        self.type = inner.type

    def __call__(self, array: pa.Array) -> tuple[pa.Array, pa.Array]:
        plain = array.cast(self.source.value_type)
        return self.inner(plain)

    def notes(self) -> list[str]:
        return self.inner.notes()


class _Stored(_Decoded):
    """Extension types, by their storage."""

    def __call__(self, array: pa.Array) -> tuple[pa.Array, pa.Array]:
        return self.inner(array.storage)


def _plain(value: Any, kind: pa.DataType) -> Any:
    """Return a nested value with maps as objects and every leaf as JSON knows it."""
    import pyarrow as pa

    types = pa.types
    if value is None:
        return None
    if types.is_struct(kind):
        return {
            kind.field(i).name: _plain(value.get(kind.field(i).name), kind.field(i).type)
            for i in range(kind.num_fields)
        }
    if types.is_map(kind):
        pairs = [(_plain(k, kind.key_type), _plain(v, kind.item_type)) for k, v in value]
        if all(isinstance(k, str) for k, _ in pairs) and len({k for k, _ in pairs}) == len(pairs):
            return dict(pairs)
        return [[k, v] for k, v in pairs]
    if types.is_nested(kind):
        return [_plain(inner, kind.value_type) for inner in value]
    return _leaf(value)


def _leaf(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, bytes):
        return _bytes_text(value)
    return value if isinstance(value, str | int | float | bool) else str(value)


def _bytes_text(value: bytes) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return f"0x{value.hex()}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
