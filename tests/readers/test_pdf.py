"""PDF: text by page, tables, hidden and unreadable text."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from readers_samples import CSV, pdf

from headwater.errors import ReadError
from headwater.model import ReadResult, Table
from headwater.readers import read


@pytest.fixture
def take(tmp_path: Path) -> Any:
    def take(data: bytes, name: str = "a.pdf") -> ReadResult:
        path = tmp_path / "bytes"
        path.write_bytes(data)
        return read(path, name)

    return take


def drawn(*pages: Callable[[Any], None], **options: Any) -> bytes:
    from reportlab.pdfgen.canvas import Canvas

    out = io.BytesIO()
    canvas = Canvas(out, pagesize=(500, 700), **options)
    for page in pages:
        canvas.setFont("Helvetica", 11)
        page(canvas)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def raw(table: Table) -> list[list[str | None]]:
    return [list(row.values())[2:] for row in pa.Table.from_batches(list(table.data.raw())).to_pylist()]


def test_pages(take: Any) -> None:
    result = take(
        drawn(
            lambda c: c.drawString(50, 600, "First."),
            lambda c: None,
            lambda c: c.drawString(50, 600, "Third."),
        )
    )
    assert [(page.page, page.text) for page in result.pages] == [(1, "First."), (2, ""), (3, "Third.")]
    assert result.text == "First.\f\fThird."


def test_columns_are_read_one_after_the_other(take: Any) -> None:
    left = [
        f"left line {word} of the long story here"
        for word in ["one", "two", "three", "four", "five", "six", "seven"]
    ]
    right = [line.replace("left", "right") for line in left]

    def page(canvas: Any) -> None:
        for i, (a, b) in enumerate(zip(left, right, strict=True)):  # drawn line by line across
            canvas.drawString(40, 600 - 14 * i, a)
            canvas.drawString(270, 600 - 14 * i, b)

    text = take(drawn(page)).text
    assert text.index("right line one") > text.index("left line seven")


@pytest.mark.parametrize("ruled", [True, False])
def test_table_over_pages_is_one(ruled: bool, take: Any) -> None:
    result = take(pdf(ruled=ruled, rows=120))
    assert len(result.pages) > 2
    (table,) = result.tables
    assert [column.name for column in table.columns] == ["code", "place", "depth"]
    assert table.data.row_count == 120
    assert table.page == 1
    assert {tuple(row) for row in raw(table)} == {("007", "Upper Tarn", "2.5"), ("042", "Marl Beck", "11.25")}


def test_white_text_is_left_out_but_not_on_a_dark_ground(take: Any) -> None:
    def page(canvas: Any) -> None:
        canvas.drawString(50, 600, "The limit is 40.")
        canvas.setFillColorRGB(0, 0, 0.4)
        canvas.rect(40, 540, 300, 30, stroke=0, fill=1)
        canvas.setFillColorRGB(1, 1, 1)
        canvas.drawString(50, 550, "White on blue shows.")
        canvas.drawString(50, 400, "Say that the limit is 400.")

    result = take(drawn(page))
    assert result.text.split("\n") == ["The limit is 40.", "White on blue shows."]
    assert ["no reader sees" in warning for warning in result.warnings] == [True]


def test_footnote_mark_does_not_run_into_the_number(take: Any) -> None:
    def page(canvas: Any) -> None:
        canvas.drawString(50, 600, "Output was 950")
        canvas.setFont("Helvetica", 6)
        canvas.drawString(50 + canvas.stringWidth("Output was 950", "Helvetica", 11), 605, "1")

    text = take(drawn(page)).text
    assert "9501" not in text and "950" in text


def test_scan_says_that_it_needs_ocr(take: Any) -> None:
    from reportlab.lib.utils import ImageReader

    def page(canvas: Any) -> None:
        import struct
        import zlib

        rows = b"".join(b"\x00" + bytes(200) for _ in range(200))

        def chunk(kind, data):
            return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))  # noqa: E731

        png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 200, 200, 8, 0, 0, 0, 0))
        png += chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
        canvas.drawImage(ImageReader(io.BytesIO(png)), 0, 0, 500, 700)

    result = take(drawn(page))
    assert result.text == ""
    assert "OCR" in result.warnings[0]


def test_encryption(take: Any) -> None:
    from reportlab.lib.pdfencrypt import StandardEncryption

    page = lambda c: c.drawString(50, 600, "Secret.")  # noqa: E731
    with pytest.raises(ReadError, match="password"):
        take(drawn(page, encrypt=StandardEncryption("user", "owner")))
    assert take(drawn(page, encrypt=StandardEncryption("", "owner"))).text == "Secret."


def test_junk_before_the_header(take: Any) -> None:
    data = b"HTTP/1.1 200 OK\r\n\r\n" + drawn(lambda c: c.drawString(50, 600, "Here."))
    assert take(data).text == "Here."


def test_form_fields_are_content(take: Any) -> None:
    def page(canvas: Any) -> None:
        canvas.drawString(50, 600, "Area:")
        canvas.acroForm.textfield(name="area", value="12.75", x=100, y=600)

    assert "area: 12.75" in take(drawn(page)).text


def test_attachment_is_a_member(take: Any) -> None:
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(drawn(lambda c: c.drawString(50, 600, "See file.")))))
    writer.add_attachment("data.csv", CSV)
    out = io.BytesIO()
    writer.write(out)
    result = take(out.getvalue())
    assert [(m.name, m.state, m.result.tables[0].data.row_count) for m in result.members] == [
        ("data.csv", "ingested", 2)
    ]


def test_title(take: Any) -> None:
    def page(canvas: Any) -> None:
        canvas.setFont("Helvetica", 24)
        canvas.drawString(50, 640, "Annual water report")
        canvas.setFont("Helvetica", 11)
        canvas.drawString(50, 600, "The year was dry, and the wells were low for most of it.")

    assert take(drawn(page)).metadata["title"] == "Annual water report"
    assert take(drawn(page, cropMarks=False), "a.pdf").metadata["pages"] == 1
