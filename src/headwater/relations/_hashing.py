"""64-bit hashes of normalised values: equal for equal values, whatever format or type they were stored in.

Text is put in NFKC, lower case and single blanks; text that is a plain number or an ISO date hashes as that. Numbers
hash by their double value, dates by their day, texts by their bytes, all with the finaliser of SplitMix64 (Steele, Lea
and Flood 2014, section 5). The hashes are not meant to withstand an attacker; a collision costs a wrong proposal.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Hashes = np.ndarray[Any, np.dtype[np.uint64]]

_NUMBER = r"^[+-]?(?:0|[1-9]\d{0,14})(?:\.\d{1,14})?$"
_DATE = r"^\d{4}-\d{2}-\d{2}(?:[t ]00:00(?::00(?:\.0+)?)?(?:z|\+00:00)?)?$"
_DAY_SALT = 0x9E3779B97F4A7C15
_TEXT_SALT = 0xD6E8FEB86659FD93
_FACTOR = 0x9DDFEA08EB382D69
_FEW, _FEW_BYTES, _AT_ONCE = 20_000, 2_000_000, 500


def hash_keys(keys: Iterable[str]) -> Hashes:
    """Return the hashes of keys (`entity_key`) as they are, in their order."""
    import pyarrow as pa

    return _hash_bytes(pa.array(list(keys), pa.string()))


def hash_numbers(values: np.ndarray[Any, Any]) -> Hashes:
    """Return the hashes of numbers; 1 and 1.0 are the same, 0.0 and -0.0 too."""
    import numpy as np

    bits = (np.asarray(values, dtype=np.float64) + 0.0).view(np.uint64)
    return _mix(bits)


def _mix(z: Hashes) -> Hashes:
    import numpy as np

    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def _hash_days(days: np.ndarray[Any, Any]) -> Hashes:
    import numpy as np

    return _mix(days.astype(np.int64).view(np.uint64) + np.uint64(_DAY_SALT))


def hash_values(values: pa.Array) -> Hashes:
    """Return the hashes of the non-null values of an Arrow array."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = values.type
    if pa.types.is_dictionary(kind):
        values = values.dictionary_decode()
        kind = values.type
    if values.null_count:
        values = values.drop_null()
    if pa.types.is_boolean(kind):
        return hash_strings(pc.cast(values, pa.string()))
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return hash_numbers(values.to_numpy(zero_copy_only=False))
    if pa.types.is_decimal(kind):
        return hash_numbers(values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False))
    if pa.types.is_date32(kind):
        return _hash_days(values.cast(pa.int32()).to_numpy(zero_copy_only=False))
    if pa.types.is_timestamp(kind):
        micros = pc.cast(values.cast(pa.timestamp("us", kind.tz), safe=False), pa.int64()).to_numpy(
            zero_copy_only=False
        )
        day = 86_400_000_000
        return np.where(micros % day == 0, _hash_days(micros // day), _mix(micros.view(np.uint64)))
    return hash_strings(values if pa.types.is_string(kind) else values.cast(pa.string()))


def hash_columns(columns: Sequence[pa.Array | None]) -> list[Hashes | None]:
    """Return the hashes of the non-null values of each array, None for None.

    Small arrays of one type are hashed in one go: most tables are small, and each step has its price however few the
    values are.
    """
    import pyarrow as pa

    out: list[Hashes | None] = [None] * len(columns)
    alike: dict[Any, list[int]] = {}
    for place, values in enumerate(columns):
        if values is None:
            continue
        if len(values) > _FEW or values.nbytes > _FEW_BYTES:
            out[place] = hash_values(values)
        else:
            alike.setdefault(values.type, []).append(place)
    for places in alike.values():
        for some in (places[i : i + _AT_ONCE] for i in range(0, len(places), _AT_ONCE)):
            arrays: list[Any] = [columns[place] for place in some]
            hashes = hash_values(pa.concat_arrays(arrays))
            end = 0
            for place, values in zip(some, arrays, strict=True):
                start, end = end, end + len(values) - values.null_count
                out[place] = hashes[start:end]
    return out


def hash_key_sets(sets: Sequence[Collection[str]]) -> list[Hashes]:
    """Return the hashes of each set of keys (`hash_keys`), ascending."""
    import numpy as np

    hashes, end, out = hash_keys(chain.from_iterable(sets)), 0, []
    for keys in sets:
        start, end = end, end + len(keys)
        out.append(np.unique(hashes[start:end]))
    return out


def hash_strings(values: pa.Array) -> Hashes:
    """Return the hashes of the texts of a string array without nulls, normalised as the module says."""
    import pyarrow.compute as pc

    if not pc.all(pc.string_is_ascii(values)).as_py():
        values = pc.utf8_normalize(values, "NFKC")
    values = pc.utf8_trim_whitespace(pc.utf8_lower(values))
    if pc.any(pc.match_substring_regex(values, r"\s\s|[\t\n\r\f\v]")).as_py():
        values = pc.replace_substring_regex(values, r"\s+", " ")
    out = _hash_bytes(values)
    if pc.any(pc.match_substring_regex(values, r"^[+-]?\d")).as_py():
        _put_numbers(values, out)
        _put_days(values, out)
    return out


def _put_numbers(values: pa.Array, out: Hashes) -> None:
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    found = pc.match_substring_regex(values, _NUMBER)
    if pc.any(found).as_py():
        texts = pc.replace_substring_regex(values.filter(found), r"^\+", "")
        out[np.asarray(found)] = hash_numbers(texts.cast(pa.float64()).to_numpy(zero_copy_only=False))


def _put_days(values: pa.Array, out: Hashes) -> None:
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    at = np.flatnonzero(np.asarray(pc.match_substring_regex(values, _DATE)))
    if not len(at):
        return
    texts = pc.utf8_slice_codeunits(values.take(pa.array(at)), 0, 10)
    days = pc.strptime(texts, format="%Y-%m-%d", unit="s", error_is_null=True)
    valid = np.asarray(days.is_valid())
    seconds = days.drop_null().cast(pa.int64()).to_numpy(zero_copy_only=False)
    out[at[valid]] = _hash_days(seconds // 86_400)


def _hash_bytes(values: pa.Array) -> Hashes:
    """Return a hash of the bytes of each text: eight bytes at a time, multiplied and folded, all texts at once."""
    import numpy as np

    n = len(values)
    offsets_buffer, data = values.buffers()[1:]
    offsets = np.frombuffer(offsets_buffer, dtype=np.int32, count=n + 1 + values.offset)[
        values.offset :
    ].astype(np.int64)
    start, length = offsets[:-1], np.diff(offsets)
    size = int(offsets[-1]) if n else 0
    padded = np.zeros(size + 8, dtype=np.uint8)
    if data is not None and size:
        padded[:size] = np.frombuffer(data, dtype=np.uint8, count=size)
    words = np.ndarray(
        (size + 1,), dtype=np.uint64, buffer=padded, strides=(1,)
    )  # eight bytes from every position
    out = _mix(length.astype(np.uint64) + np.uint64(_TEXT_SALT))
    active = np.flatnonzero(length > 0)
    step = 0
    while len(active):
        left = length[active] - step
        word = words[start[active] + step]
        short = left < 8
        if short.any():
            word[short] &= (np.uint64(1) << (left[short].astype(np.uint64) * np.uint64(8))) - np.uint64(1)
        mixed = (out[active] ^ word) * np.uint64(_FACTOR)
        out[active] = mixed ^ (mixed >> np.uint64(32))
        active = active[left > 8]
        step += 8
    return _mix(out)
