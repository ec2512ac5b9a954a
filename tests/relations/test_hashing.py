from __future__ import annotations

import datetime

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st
from tests.tables import make_table

from headwater.model import ParquetData
from headwater.profiles import table_values
from headwater.relations import column_sketch
from headwater.relations._hashing import hash_keys, hash_values
from headwater.relations._large import bottom_hashes


def _one(value: object) -> int:
    return int(hash_values(pa.array([value]))[0])


def test_equal_values_of_other_types_are_equal() -> None:
    assert _one("12") == _one(12) == _one(12.0) == _one("12.0") == _one(" +12 ")
    assert _one("2021-03-05") == _one(datetime.date(2021, 3, 5)) == _one(datetime.datetime(2021, 3, 5))  # noqa: DTZ001
    assert _one(" New   York\n") == _one("new york") == _one("NEW YORK")
    assert _one("ﬁsh ①") == _one("fish 1")
    assert _one(True) == _one("true")


def test_values_that_differ_hash_apart() -> None:
    values = [
        "0012",
        "12",
        "12.5",
        "2021-02-30",
        "2021-03-05",
        "a",
        "b",
        "aa",
        "a" * 8,
        "a" * 9,
        "",
        "ä",
        "1e3",
    ]
    assert len(set(hash_values(pa.array(values)).tolist())) == len(values)


@given(st.lists(st.text(max_size=40), min_size=1, max_size=50))
def test_a_hash_does_not_depend_on_its_neighbours(texts: list[str]) -> None:
    texts = [t.encode("utf-8", "ignore").decode() for t in texts]
    together = hash_keys(texts)
    assert together.tolist() == [int(hash_keys([t])[0]) for t in texts]
    sliced = hash_values(pa.array(["x", *texts]).slice(1))
    assert sliced.tolist() == hash_values(pa.array(texts)).tolist()


def test_no_keys_no_hashes() -> None:
    assert len(hash_keys([])) == 0


def test_sketch_keeps_the_smallest_hashes_and_the_digest_of_all() -> None:
    values = pa.array([f"v{i}" for i in range(1000)])
    hashes, counts, digest = column_sketch(values, np.arange(1, 1001), limit=64)
    full, full_counts, again = column_sketch(values, np.arange(1, 1001))
    assert hashes.tolist() == sorted(full.tolist())[:64] and counts.tolist() == full_counts[:64].tolist()
    assert digest == again != column_sketch(values, np.arange(2, 1002))[2]


def test_streamed_sketch_equals_the_sketch_of_the_whole(tmp_path: object) -> None:
    values = [f"code {i % 700}" for i in range(3000)]
    table = make_table({"c": values})
    assert not isinstance(table.data, ParquetData)
    source = table_values(table).columns[0]
    assert source.values is not None and source.array is not None
    source.array = pa.chunked_array([source.array.combine_chunks()[i : i + 100] for i in range(0, 3000, 100)])
    streamed, counts = bottom_hashes(table, source, 32)
    whole, whole_counts, _ = column_sketch(source.values, source.counts, 32)
    assert streamed.tolist() == whole.tolist() and counts.tolist() == whole_counts.tolist()
