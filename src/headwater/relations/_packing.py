"""One block of bytes for a few plain values and many arrays, laid out to be read back without copying.

Layout, little-endian: length of the head (uint32), the head as JSON with the type and length of each array, blanks up to
a multiple of eight, then the arrays one after the other, each at a multiple of eight.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

_LENGTH = struct.Struct("<I")
_STEP = 8


def pack_arrays(head: dict[str, Any], arrays: Sequence[Array]) -> bytes:
    """Return JSON data and one-dimensional arrays as bytes."""
    shapes = [[array.dtype.str, len(array)] for array in arrays]
    text = json.dumps([head, shapes], separators=(",", ":")).encode()
    text += b" " * (-(_LENGTH.size + len(text)) % _STEP)
    parts = [_LENGTH.pack(len(text)), text]
    for array in arrays:
        data = array.tobytes()
        parts += [data, bytes(-len(data) % _STEP)]
    return b"".join(parts)


def unpack_arrays(data: bytes) -> tuple[dict[str, Any], list[Array]]:
    """Return what `pack_arrays` was given; the arrays are views of `data` and cannot be written to."""
    import numpy as np

    (length,) = _LENGTH.unpack_from(data)
    at = _LENGTH.size + length
    head, shapes = json.loads(data[_LENGTH.size : at])
    arrays = []
    for kind, count in shapes:
        dtype = np.dtype(kind)
        arrays.append(np.frombuffer(data, dtype, count, at) if count else np.empty(0, dtype))
        size = count * dtype.itemsize
        at += size + -size % _STEP
    return head, arrays
