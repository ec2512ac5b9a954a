"""Parquet, Arrow and ORC files.

Types stay as the file has them, in the terms of the model: nested values become JSON text (an empty list, a null
list and a null struct stay apart), unsigned integers beyond 64 bits and wide decimals stay exact, times are cut to
microseconds with a warning where that loses digits, and bytes that are no UTF-8 are shown in hexadecimal.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.errors import ReadError
from headwater.model import LINE, ROW, Column, MemoryData, ParquetData, ReadResult, Table
from headwater.readers._arrow_types import Convert, converter_for
from headwater.readers._native import unique_names

if TYPE_CHECKING:
    import pyarrow as pa

    from headwater.readers import ReadOptions

_BATCH = 65_536
_LARGE_CHUNK = 64 << 20
_MAX_RATIO = 1000


def read_parquet(path: Path, name: str, options: ReadOptions) -> ReadResult:
    """Read a Parquet file.

    Raises:
        ReadError: encrypted, cut off, or damaged in its footer or a page.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    size = path.stat().st_size
    with path.open("rb") as stream:
        head = stream.read(4)
        stream.seek(max(0, size - 4))
        tail = stream.read(4)
    if head == b"PARE" or tail == b"PARE":
        raise ReadError("The Parquet file is encrypted; its key is needed.", where=name)
    if head != b"PAR1" or tail != b"PAR1" or size < 12:
        raise ReadError(
            "Not a whole Parquet file: truncated, the footer with its magic bytes is missing.",
            where=name,
            hint="Download the file again.",
        )
    try:
        file = pq.ParquetFile(path, page_checksum_verification=True)
        schema = file.schema_arrow
    except (pa.ArrowException, OSError, ValueError, KeyError) as error:
        if "encrypt" in str(error).lower() or "crypto" in str(error).lower():
            raise ReadError(f"The Parquet file is encrypted: {_first_line(error)}", where=name) from error
        raise ReadError(
            f"The Parquet footer (metadata) is corrupt: {_first_line(error)}", where=name
        ) from error
    _refuse_bomb(file.metadata, name, options)
    metadata = _metadata(schema, file.metadata)
    large = _unpacked_size(file) > 4 * options.memory_table_bytes
    table = _take(schema, lambda: file.iter_batches(_BATCH), name, options if large else None)
    table.source_records = int(file.metadata.num_rows)
    return ReadResult(format="parquet", tables=[table], metadata=metadata, warnings=_emptiness(table))


def read_arrow(path: Path, name: str, options: ReadOptions) -> ReadResult:
    """Read a file of Arrow's interprocess format (also known as Feather, version 2)."""
    import pyarrow as pa
    import pyarrow.ipc as ipc

    try:
        whole = ipc.open_file(path).read_all()
    except (pa.ArrowException, OSError, ValueError) as error:
        raise ReadError(f"The Arrow file is damaged: {_first_line(error)}", where=name) from error
    table = _take(whole.schema, lambda: iter(whole.to_batches()), name, None)
    return ReadResult(format="arrow", tables=[table], warnings=_emptiness(table))


def read_orc(path: Path, name: str, options: ReadOptions) -> ReadResult:
    """Read an Apache ORC file."""
    import pyarrow as pa
    import pyarrow.orc as orc

    try:
        whole = orc.ORCFile(path).read()
    except (pa.ArrowException, OSError, ValueError) as error:
        raise ReadError(f"The ORC file is damaged: {_first_line(error)}", where=name) from error
    table = _take(whole.schema, lambda: iter(whole.to_batches()), name, None)
    return ReadResult(format="orc", tables=[table], warnings=_emptiness(table))


def _first_line(error: BaseException) -> str:
    return str(error).strip().split("\n", 1)[0][:300] or type(error).__name__


def _emptiness(table: Table) -> list[str]:
    if not table.columns:
        return ["The file declares no columns."]
    return [] if table.data.row_count else ["The table has columns but no rows."]


def _refuse_bomb(footer: Any, name: str, options: ReadOptions) -> None:
    """Refuse a file that unpacks to what no memory holds: a column chunk is unpacked in one piece."""
    for group in range(footer.num_row_groups):
        for index in range(footer.num_columns):
            chunk = footer.row_group(group).column(index)
            packed, unpacked = chunk.total_compressed_size, chunk.total_uncompressed_size
            if (
                unpacked > _LARGE_CHUNK
                and unpacked > _MAX_RATIO * max(packed, 1)
                or unpacked > options.max_member_bytes
            ):
                raise ReadError(
                    f"Too large: column {chunk.path_in_schema!r} unpacks from {packed:,} to {unpacked:,} bytes in one"
                    " piece, beyond the limit.",
                    where=name,
                )


def _unpacked_size(file: Any) -> int:
    groups = file.metadata.num_row_groups
    return sum(int(file.metadata.row_group(i).total_byte_size) for i in range(groups))


def _metadata(schema: pa.Schema, footer: Any) -> dict[str, Any]:
    out: dict[str, Any] = {"created_by": footer.created_by} if footer.created_by else {}
    for key, value in (schema.metadata or {}).items():
        text = key.decode("utf-8", "replace")
        if text.lower() in ("title", "description", "author", "license", "source", "name"):
            out[text.lower()] = value.decode("utf-8", "replace")
    return out


def _take(schema: pa.Schema, batches: Any, name: str, spill: ReadOptions | None) -> Table:
    """Convert batches of any Arrow types; held in memory, or spilled to two files in the work folder."""
    import pyarrow as pa

    warnings: list[str] = []
    names = unique_names(schema.names)
    converters = [converter_for(field.type) for field in schema]
    columns = []
    for field, unique, convert in zip(schema, names, converters, strict=True):
        column = Column(unique, convert.type, original_name=field.name if field.name != unique else "")
        described = (field.metadata or {}).get(b"description") or (field.metadata or {}).get(b"comment")
        column.description = described.decode("utf-8", "replace") if described else None
        columns.append(column)
    try:
        if spill is None:
            data: MemoryData | ParquetData = _in_memory(names, converters, batches())
        else:
            data = _spilled(names, converters, batches(), spill)
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        raise ReadError(f"A data page is corrupt: {_first_line(error)}", where=name) from error
    for unique, convert in zip(names, converters, strict=True):
        warnings += [f'Column "{unique}": {note}' for note in convert.notes()]
    for column, convert in zip(columns, converters, strict=True):
        column.type = convert.type
    return Table(name="", columns=columns, data=data, warnings=warnings)


def _converted(
    names: list[str], converters: list[Convert], batches: Iterator[pa.RecordBatch]
) -> Iterator[tuple[pa.Table, pa.Table]]:
    import pyarrow as pa

    start = 1
    for batch in batches:
        rows = pa.array(range(start, start + batch.num_rows), pa.int64())
        start += batch.num_rows
        pairs = [convert(batch.column(i)) for i, convert in enumerate(converters)]
        header = [ROW, LINE, *names]
        lines = pa.nulls(batch.num_rows, pa.int64())
        yield (
            pa.table([rows, lines, *(typed for typed, _ in pairs)], names=header),
            pa.table([rows, lines, *(raw for _, raw in pairs)], names=header),
        )


def _in_memory(names: list[str], converters: list[Convert], batches: Iterator[pa.RecordBatch]) -> MemoryData:
    import pyarrow as pa

    pairs = list(_converted(names, converters, batches))
    if not pairs:
        empty = pa.RecordBatch.from_arrays(
            [pa.nulls(0, c.source) for c in converters], names=[str(i) for i in range(len(names))]
        )
        pairs = list(_converted(names, converters, iter([empty])))
    return MemoryData(
        pa.concat_tables([typed for typed, _ in pairs], promote_options="permissive"),
        pa.concat_tables([raw for _, raw in pairs]),
    )


def _spilled(
    names: list[str], converters: list[Convert], batches: Iterator[pa.RecordBatch], options: ReadOptions
) -> ParquetData:
    import pyarrow.parquet as pq

    folder = Path(tempfile.mkdtemp(prefix="parquet-", dir=options.workdir))
    typed_path, raw_path = folder / "typed.parquet", folder / "raw.parquet"
    writers: list[Any] = []
    count = 0
    try:
        for typed, raw in _converted(names, converters, batches):
            if not writers:
                writers = [pq.ParquetWriter(typed_path, typed.schema), pq.ParquetWriter(raw_path, raw.schema)]
            writers[0].write_table(typed)
            writers[1].write_table(raw)
            count += typed.num_rows
    finally:
        for writer in writers:
            writer.close()
    return ParquetData(typed_path, raw_path, count)


# ---------------------------------------------------------------- partitions
