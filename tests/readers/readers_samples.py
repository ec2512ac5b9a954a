"""Tiny files of every format, each holding the same table of two records or the same sentence."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import tarfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass

HEADER = ["code", "place", "depth"]
ROWS = [["007", "Upper Tarn", 2.5], ["042", "Marl Beck", 11.25]]
SENTENCE = "The north pump moved 412 m3 in May."
CSV = b"code,place,depth\n007,Upper Tarn,2.5\n042,Marl Beck,11.25\n"

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def records() -> list[dict[str, object]]:
    return [dict(zip(HEADER, row, strict=True)) for row in ROWS]


def parquet() -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(records()), out, compression="snappy")
    return out.getvalue()


def arrow() -> bytes:
    import pyarrow as pa

    table = pa.Table.from_pylist(records())
    out = io.BytesIO()
    with pa.ipc.new_file(out, table.schema) as writer:
        writer.write_table(table)
    return out.getvalue()


def orc() -> bytes:
    import pyarrow as pa
    import pyarrow.orc

    out = io.BytesIO()
    pyarrow.orc.write_table(pa.Table.from_pylist(records()), out)
    return out.getvalue()


def html() -> bytes:
    cells = "".join("<tr>" + "".join(f"<td>{cell}" for cell in row) for row in ROWS)
    head = "".join(f"<th>{name}" for name in HEADER)
    return f"<html><head><title>Pumps</title></head><body><p>{SENTENCE}</p><table><tr>{head}{cells}</table></body></html>".encode()


def pdf(*, ruled: bool = False, rows: int = 2, **options: object) -> bytes:
    from reportlab.lib import colors
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import Paragraph, SimpleDocTemplate, Table

    grid = [HEADER, *([str(cell) for cell in ROWS[i % 2]] for i in range(rows))]
    style = [("GRID", (0, 0), (-1, -1), 0.5, colors.black)] if ruled else []
    out = io.BytesIO()
    SimpleDocTemplate(out, **options).build(
        [Paragraph(SENTENCE, getSampleStyleSheet()["Normal"]), Table(grid, repeatRows=1, style=style)]
    )
    return out.getvalue()


def docx(body: str = "", extra: dict[str, str] | None = None) -> bytes:
    cell = "<w:tc><w:p><w:r><w:t>{}</w:t></w:r></w:p></w:tc>"
    rows = "".join("<w:tr>" + "".join(cell.format(c) for c in row) + "</w:tr>" for row in [HEADER, *ROWS])
    body = body or f"<w:p><w:r><w:t>{SENTENCE}</w:t></w:r></w:p><w:tbl>{rows}</w:tbl>"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("[Content_Types].xml", "<Types/>")
        package.writestr("word/document.xml", f"<w:document {W}><w:body>{body}</w:body></w:document>")
        for name, text in (extra or {}).items():
            package.writestr(name, text)
    return out.getvalue()


def xml() -> bytes:
    items = "".join(f"<well><code>{a}</code><place>{b}</place><depth>{c}</depth></well>" for a, b, c in ROWS)
    return f'<?xml version="1.0"?><wells>{items}</wells>'.encode()


def archive(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in members.items():
            made.writestr(name, data)
    return out.getvalue()


def tar(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as made:
        for name, data in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            made.addfile(entry, io.BytesIO(data))
    return out.getvalue()


@dataclass(frozen=True)
class Sample:
    """A file of one format.

    Attributes:
        name: file name.
        make: gives its bytes.
        format: what the reader must call it.
        encoding: the encoding it must tell, None for binary formats.
        prose: the sentence must be in the text.
        table: the table must be there.
        damage: gives bytes that must be refused, or None where any bytes are a text.
        typed: the source has types, so that codes are text because they are.
    """

    name: str
    make: Callable[[], bytes]
    format: str
    encoding: str | None = None
    prose: bool = False
    table: bool = True
    damage: Callable[[bytes], bytes] | None = None


def cut(data: bytes) -> bytes:
    return data[: len(data) * 2 // 3]


LINES = "\n".join(json.dumps(record) for record in records()).encode()
PIPES = "\n".join(
    ["|" + "|".join(HEADER) + "|", "|---|---|--:|", *("|" + "|".join(map(str, row)) + "|" for row in ROWS)]
)
WIKI = "\n|-\n".join(["! " + " !! ".join(HEADER), *("| " + " || ".join(map(str, row)) for row in ROWS)])

SAMPLES = [
    Sample(
        "a.json",
        lambda: json.dumps(records()).encode(),
        "json",
        "utf-8",
        damage=lambda data: data[:-30].replace(b":", b"="),
    ),
    Sample("lines.ndjson", lambda: LINES, "ndjson", "utf-8", damage=lambda data: b"{1}\n{2}\n{3}\n"),
    Sample("a.parquet", parquet, "parquet", damage=cut),
    Sample("a.arrow", arrow, "arrow", damage=cut),
    Sample("a.orc", orc, "orc", damage=cut),
    Sample("a.html", html, "html", "utf-8", prose=True),
    Sample("a.pdf", pdf, "pdf", prose=True, table=False, damage=lambda data: data[:200]),
    Sample("ruled.pdf", lambda: pdf(ruled=True), "pdf", prose=True, damage=lambda data: data[:200]),
    Sample("a.docx", docx, "docx", prose=True, damage=cut),
    Sample(
        "a.yaml",
        lambda: "\n".join(f"- {{code: {a}, place: {b}, depth: {c}}}" for a, b, c in ROWS).encode(),
        "yaml",
        "utf-8",
        damage=lambda data: data + b"\n- {unclosed",
    ),
    Sample("a.xml", xml, "xml", "utf-8", damage=cut),
    Sample("a.md", lambda: f"# Pumps\n\n{SENTENCE}\n\n{PIPES}\n".encode(), "markdown", "utf-8", prose=True),
    Sample(
        "a.wikitext",
        lambda: f"{SENTENCE} [[Pump]]s\n\n{{| class=wikitable\n{WIKI}\n|}}\n".encode(),
        "wikitext",
        "utf-8",
        prose=True,
    ),
    Sample("a.txt", lambda: f"Note\n\n{SENTENCE}\n".encode(), "txt", "utf-8", prose=True, table=False),
    Sample("a.csv", lambda: CSV, "csv", "utf-8"),
    Sample("a.csv.gz", lambda: gzip.compress(CSV), "csv", "utf-8", damage=cut),
    Sample("a.csv.bz2", lambda: bz2.compress(CSV), "csv", "utf-8", damage=cut),
    Sample("a.csv.xz", lambda: lzma.compress(CSV), "csv", "utf-8", damage=cut),
    Sample(
        "a.zip", lambda: archive({"in/a.csv": CSV, "b.txt": SENTENCE.encode()}), "zip", prose=True, damage=cut
    ),
    Sample(
        "a.tar",
        lambda: tar({"in/a.csv": CSV, "b.txt": SENTENCE.encode()}),
        "tar",
        prose=True,
        damage=lambda data: data[:257] + b"ustar" + b"\xff" * 300,
    ),
]
