"""64-bit hashes of normalised values: equal for equal values, whatever format or type they were stored in.

Text is put in NFKC, lower case and single blanks; text that is a plain number or an ISO date hashes as that. Numbers
hash by their double value (SplitMix64 finaliser, Steele, Lea and Flood 2014, section 5), dates by their day, everything
else by the lower half of MD5.
"""

from __future__ import annotations

import datetime
import hashlib
import re
import unicodedata
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Hashes = np.ndarray[Any, np.dtype[np.uint64]]

_NUMBER = re.compile(r"[+-]?(?:0|[1-9]\d{0,14})(?:\.\d{1,14})?")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]00:00(?::00(?:\.0+)?)?(?:Z|\+00:00)?)?")
_DAY_SALT = 0x9E3779B97F4A7C15
_EPOCH = datetime.date(1970, 1, 1).toordinal()


def normal_text(text: str) -> str:
    """Return text in NFKC and lower case with single blanks."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return " ".join(text.casefold().split())


def hash_text(text: str) -> int:
    """Return the hash of a text that is normal already."""
    return int.from_bytes(
        hashlib.md5(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).digest()[:8], "little"
    )


def hash_texts(texts: Iterable[str]) -> Hashes:
    """Return the hashes of texts as they are."""
    import numpy as np

    return np.fromiter((hash_text(text) for text in texts), dtype=np.uint64)


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
        return hash_texts("true" if value else "false" for value in values.to_pylist())
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
    return _hash_strings([str(value) for value in values.to_pylist()])


def _hash_strings(texts: list[str]) -> Hashes:
    import numpy as np

    out = np.empty(len(texts), dtype=np.uint64)
    numbers: list[tuple[int, float]] = []
    days: list[tuple[int, int]] = []
    for i, text in enumerate(texts):
        text = normal_text(text)
        first = text[:1]
        if first.isdigit() or first in "+-" and first:
            if _NUMBER.fullmatch(text):
                numbers.append((i, float(text)))
                continue
            if _DATE.fullmatch(text):
                try:
                    days.append((i, datetime.date.fromisoformat(text[:10]).toordinal() - _EPOCH))
                    continue
                except ValueError:
                    pass
        out[i] = hash_text(text)
    if numbers:
        out[[i for i, _ in numbers]] = hash_numbers(np.array([v for _, v in numbers]))
    if days:
        out[[i for i, _ in days]] = _hash_days(np.array([v for _, v in days]))
    return out
