"""One suite for all readers: whatever the format, what comes back keeps the promises of the model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from readers_samples import HEADER, ROWS, SAMPLES, SENTENCE, Sample

from headwater.errors import DocumentError, ReadError, SkipDocument
from headwater.model import COLUMN_TYPES, LINE, ROW, ReadResult, Table
from headwater.readers import formats, read

ARROW_TYPES = {
    "text": pa.types.is_string,
    "integer": lambda kind: pa.types.is_int64(kind) or pa.types.is_decimal(kind),
    "number": lambda kind: pa.types.is_float64(kind) or pa.types.is_decimal(kind),
    "boolean": pa.types.is_boolean,
    "date": pa.types.is_date32,
    "datetime": lambda kind: pa.types.is_timestamp(kind) and kind.unit == "us",
    "time": lambda kind: kind == pa.time64("us"),
    "list": pa.types.is_string,
    "object": pa.types.is_string,
}


def everything(result: ReadResult) -> Iterator[ReadResult]:
    yield result
    for member in result.members:
        if member.result is not None:
            yield from everything(member.result)


def tables_of(result: ReadResult) -> list[Table]:
    return [table for part in everything(result) for table in part.tables]


@pytest.fixture(params=SAMPLES, ids=lambda sample: sample.name)
def sample(request: pytest.FixtureRequest) -> Sample:
    return request.param


@pytest.fixture
def result(sample: Sample, tmp_path: Path) -> ReadResult:
    path = tmp_path / "bytes"  # the name is given apart, so that nothing can lean on the place
    path.write_bytes(sample.make())
    return read(path, sample.name)


def test_every_format_has_a_sample() -> None:
    assert set(formats()) - {sample.format for sample in SAMPLES} == {
        "xlsx",
        "xls",
        "ods",
        "gzip",
        "bzip2",
        "xz",
    }


def test_format_and_encoding(sample: Sample, result: ReadResult) -> None:
    assert result.format == sample.format
    assert result.encoding == sample.encoding


def test_text(sample: Sample, result: ReadResult) -> None:
    text = "\n".join(part.text or "" for part in everything(result))
    assert (SENTENCE in text) == sample.prose
    if result.pages is not None:
        assert result.text == "\f".join(page.text for page in result.pages)
        assert [page.page for page in result.pages] == list(range(1, len(result.pages) + 1))


def test_table_cells(sample: Sample, result: ReadResult) -> None:
    if not sample.table:
        assert tables_of(result) == []
        return
    (table,) = tables_of(result)
    typed = pa.Table.from_batches(list(table.data.typed())).drop([ROW, LINE])
    assert [column.name for column in table.columns] == HEADER
    assert [list(row.values()) for row in typed.to_pylist()] == ROWS


def test_table_views(sample: Sample, result: ReadResult) -> None:
    for table in tables_of(result):
        names = [ROW, LINE, *(column.name for column in table.columns)]
        typed, raw = list(table.data.typed()), list(table.data.raw())
        for batch in [*typed, *raw]:
            assert batch.schema.names == names
            assert batch.schema.field(0).type == pa.int64()
            assert batch.schema.field(1).type == pa.int64()
        for column, field in zip(table.columns, list(typed[0].schema)[2:], strict=True):
            assert column.type in COLUMN_TYPES
            assert ARROW_TYPES[column.type](field.type), (column, field.type)
        assert all(pa.types.is_string(field.type) for field in list(raw[0].schema)[2:])
        numbers = [number for batch in typed for number in batch.column(0).to_pylist()]
        assert numbers == list(range(1, table.data.row_count + 1))
        assert sum(batch.num_rows for batch in raw) == table.data.row_count == len(ROWS)


def test_raw_text_is_kept(sample: Sample, result: ReadResult) -> None:
    for table in tables_of(result):
        raw = pa.Table.from_batches(list(table.data.raw()))
        assert raw.column("code").to_pylist() == ["007", "042"]
        assert raw.column("depth").to_pylist() == ["2.5", "11.25"]


def test_no_needless_warnings(sample: Sample, result: ReadResult) -> None:
    assert [warning for part in everything(result) for warning in part.warnings] == []
    assert [warning for table in tables_of(result) for warning in table.warnings] == []
    assert {member.state for member in result.members} <= {"ingested"}


@pytest.mark.parametrize("sample", [s for s in SAMPLES if s.damage], ids=lambda s: s.name)
def test_damaged_file_is_refused(sample: Sample, tmp_path: Path) -> None:
    """Text formats have no damaged form: any bytes are a valid text."""
    assert sample.damage is not None
    path = tmp_path / "bytes"
    path.write_bytes(sample.damage(sample.make()))
    with pytest.raises(ReadError) as caught:
        read(path, sample.name)
    assert len(caught.value.message) > 20
    assert sample.name in caught.value.where


def test_empty_file_is_skipped(sample: Sample, tmp_path: Path) -> None:
    path = tmp_path / "bytes"
    path.write_bytes(b"")
    with pytest.raises(SkipDocument, match="empty"):
        read(path, sample.name)


def test_name_does_not_matter(sample: Sample, tmp_path: Path) -> None:
    """Content decides: under a name that says nothing the same comes back, but for what only a name can tell."""
    path = tmp_path / "bytes"
    path.write_bytes(sample.make())
    found = read(path, "rows.txt" if sample.format not in ("wikitext", "yaml") else sample.name)
    assert len(tables_of(found)) == sample.table
    assert found.format == sample.format


@pytest.mark.parametrize(
    "name", ["a.csv", "a.json", "a.pdf", "a.xlsx", "a.parquet", "a.html", "a.zip", "a.unknown"]
)
@pytest.mark.parametrize(
    "data",
    [
        b"\x00",
        b"\xff\xfe",
        b"PK\x03\x04",
        b"%PDF-1.4\n",
        b"{",
        b"<",
        b"\x1f\x8b\x08",
        b"PAR1",
        b"\x80\x81" * 400,
    ],
)
def test_scraps_never_crash(name: str, data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "bytes"
    path.write_bytes(data)
    try:
        read(path, name)
    except DocumentError as error:
        assert error.message
