"""Marks at the start of files, as data.

Sources: the specifications of the formats and the ``magic`` pages of IANA's media types.
"""

from __future__ import annotations

READ: tuple[tuple[bytes, int, str], ...] = (
    (b"PAR1", 0, "parquet"),
    (b"PARE", 0, "parquet"),
    (b"ARROW1", 0, "arrow"),
    (b"ORC", 0, "orc"),
    (b"PK\x03\x04", 0, "zip"),
    (b"PK\x05\x06", 0, "zip"),
    (b"PK\x07\x08", 0, "zip"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 0, "ole"),
    (b"\x1f\x8b", 0, "gzip"),
    (b"BZh", 0, "bzip2"),
    (b"\xfd7zXZ\x00", 0, "xz"),
    (b"ustar", 257, "tar"),
)
"""(bytes, offset, format) of binary formats that are read."""

LEFT_OUT: tuple[tuple[bytes, int, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", 0, "a PNG image"),
    (b"\xff\xd8\xff", 0, "a JPEG image"),
    (b"GIF87a", 0, "a GIF image"),
    (b"GIF89a", 0, "a GIF image"),
    (b"II*\x00", 0, "a TIFF image"),
    (b"MM\x00*", 0, "a TIFF image"),
    (b"WEBP", 8, "a WebP image"),
    (b"\x00\x00\x01\x00", 0, "an icon image"),
    (b"8BPS", 0, "a Photoshop image"),
    (b"\x00\x00\x00\x0cjP  ", 0, "a JPEG 2000 image"),
    (b"ftyp", 4, "an MP4 video or HEIF image"),
    (b"\x1aE\xdf\xa3", 0, "a Matroska video"),
    (b"AVI ", 8, "an AVI video"),
    (b"WAVE", 8, "a WAV sound"),
    (b"ID3", 0, "an MP3 sound"),
    (b"OggS", 0, "an Ogg sound or video"),
    (b"fLaC", 0, "a FLAC sound"),
    (b"wOFF", 0, "a font"),
    (b"wOF2", 0, "a font"),
    (b"OTTO", 0, "a font"),
    (b"\x00\x01\x00\x00\x00", 0, "a font or an Access database"),
    (b"\x7fELF", 0, "a program"),
    (b"MZ", 0, "a program"),
    (b"\xfe\xed\xfa", 0, "a program"),
    (b"\xcf\xfa\xed\xfe", 0, "a program"),
    (b"\xca\xfe\xba\xbe", 0, "a program"),
    (b"\x00asm", 0, "a program"),
    (b"7z\xbc\xaf\x27\x1c", 0, "a 7-Zip archive, which is not unpacked"),
    (b"Rar!\x1a\x07", 0, "a RAR archive, which is not unpacked"),
    (b"\x28\xb5\x2f\xfd", 0, "compressed by Zstandard, which is not unpacked"),
    (b"\x04\x22\x4d\x18", 0, "compressed by LZ4, which is not unpacked"),
    (b"SQLite format 3\x00", 0, "a SQLite database, which is not read"),
    (b"\x89HDF\r\n\x1a\n", 0, "an HDF5 file, which is not read"),
    (b"CDF\x01", 0, "a NetCDF file, which is not read"),
    (b"CDF\x02", 0, "a NetCDF file, which is not read"),
    (b"Obj\x01", 0, "an Avro file, which is not read"),
    (b"\x93NUMPY", 0, "a NumPy array, which is not read"),
    (b"\x00\x00\x27\x0a", 0, "an ESRI shape, which is not read"),
    (b"{\\rtf", 0, "a Rich Text document, which is not read"),
    (b"%!PS", 0, "a PostScript document, which is not read"),
)
"""(bytes, offset, what it is) of formats that are left out, with the words for the reason."""

_CODE_EXTENSIONS_WORDS = """
bat c cfg cmake conf cpp cs css do env gitignore go h hpp ini ipynb java jl js jsx kt less lua m mjs
php pl properties ps1 py r rb rmd rs sas scala scss sh sps sql swift tex toml ts tsx vue bib ics srt
vcf vtt
"""
CODE_EXTENSIONS = frozenset(_CODE_EXTENSIONS_WORDS.split())
"""Extensions of text in which no table is looked for."""

_DATA_EXTENSIONS_WORDS = """
csv tsv tab psv json ndjson jsonl geojson xlsx xls ods parquet pdf docx gz zip
"""
DATA_EXTENSIONS = frozenset(_DATA_EXTENSIONS_WORDS.split())
"""Extensions that promise data or a document; a web page under such a name is told."""

SYSTEM_LITTER = ("__MACOSX/", ".DS_Store", "Thumbs.db", "desktop.ini", "._")
"""Names that operating systems leave in archives."""
