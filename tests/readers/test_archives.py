"""Archives: members, limits, names that lead astray."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
from readers_samples import CSV, archive

from headwater.errors import ReadError, SkipDocument
from headwater.model import ReadResult
from headwater.readers import ReadOptions, read


@pytest.fixture
def take(tmp_path: Path) -> Any:
    work = tmp_path / "work"
    work.mkdir()

    def take(data: bytes, name: str = "a.zip", **options: Any) -> ReadResult:
        path = tmp_path / "bytes"
        path.write_bytes(data)
        try:
            return read(path, name, ReadOptions(workdir=work, **options))
        finally:
            assert list(work.iterdir()) == []  # nothing is left behind
            assert sorted(p.name for p in tmp_path.iterdir()) == ["bytes", "work"]

    return take


def states(result: ReadResult) -> dict[str, str]:
    return {member.name: member.state for member in result.members}


def test_members_have_states_of_their_own(take: Any) -> None:
    result = take(
        archive({"a.csv": CSV, "bad.json": b"{1}", "pic.png": b"\x89PNG\r\n\x1a\n", "__MACOSX/._a.csv": b"x"})
    )
    assert states(result) == {"a.csv": "ingested", "bad.json": "failed", "pic.png": "skipped"}
    assert all(member.reason for member in result.members if member.state != "ingested")
    assert result.members[0].sha256 and result.members[0].size == len(CSV)
    assert result.metadata["ignored"] == ["__MACOSX/._a.csv"]


@pytest.mark.parametrize(
    "name", ["../out.csv", "/etc/out.csv", "C:\\out.csv", "x/../../out.csv", "..\\out.csv"]
)
def test_names_that_lead_out_are_refused(name: str, take: Any) -> None:
    result = take(archive({name: CSV, "good.csv": CSV}))
    assert [member.state for member in result.members] == ["skipped", "ingested"]
    assert ".." not in result.members[0].name and not result.members[0].name.startswith("/")
    assert "leads out" in result.members[0].reason


def test_links_are_not_followed(take: Any, tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        entry = zipfile.ZipInfo("link.csv")
        entry.external_attr = 0o120777 << 16
        made.writestr(entry, "/etc/passwd")
    assert states(take(out.getvalue())) == {"link.csv": "skipped"}
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        link = tarfile.TarInfo("link.csv")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
        pipe = tarfile.TarInfo("pipe")
        pipe.type = tarfile.FIFOTYPE
        tar.addfile(pipe)
    assert states(take(out.getvalue(), "a.tar.gz")) == {"link.csv": "skipped", "pipe": "skipped"}


def test_same_names_are_told_apart(take: Any) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made, pytest.warns(UserWarning):
        made.writestr("a.csv", "k,v\na,1\n")
        made.writestr("a.csv", "k,v\nb,2\n")
    result = take(out.getvalue())
    assert states(result) == {"a.csv": "ingested", "a (2).csv": "ingested"}
    assert "named 'a.csv'" in result.warnings[0]


def test_nesting_ends(take: Any) -> None:
    data = archive({"a.csv": CSV})
    for _ in range(4):
        data = archive({"inner.zip": data})
    result, depth = take(data), 1
    while result.members[0].result is not None:
        result, depth = result.members[0].result, depth + 1
    assert depth == 3
    assert "nested deeper" in result.members[0].reason


def test_sizes_end(take: Any) -> None:
    data = archive({"a.txt": b"x\n" * 50_000, "b.txt": b"y\n" * 50_000})
    assert "limit" in take(data, max_member_bytes=1000).members[0].reason
    assert [m.state for m in take(data, max_archive_bytes=150_000).members] == ["ingested", "failed"]
    assert [m.state for m in take(data, max_members=1).members] == ["ingested", "failed"]


def test_budget_counts_nested_archives_together(take: Any) -> None:
    inner = archive({"a.txt": b"x\n" * 50_000})
    result = take(archive({"1.zip": inner, "2.zip": inner}), max_archive_bytes=150_000)
    assert "budget" in result.members[1].result.members[0].reason


def test_encrypted_member_says_so(take: Any) -> None:
    data = bytearray(archive({"a.csv": CSV}))
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    assert "password" in take(bytes(data)).members[0].reason


def test_empty_archive_is_skipped(take: Any) -> None:
    with pytest.raises(SkipDocument, match="no members"):
        take(archive({}))


def test_all_streams_of_a_gzip_file_are_read(take: Any) -> None:
    result = take(gzip.compress(b"a,b\n1,2\n") + gzip.compress(b"3,4\n"), "rows.csv.gz")
    assert result.tables[0].data.row_count == 2
    assert result.metadata["compression"] == "gzip"


def test_wrong_checksum_is_refused(take: Any) -> None:
    data = bytearray(gzip.compress(CSV))
    data[-6] ^= 0xFF
    with pytest.raises(ReadError, match="CRC"):
        take(bytes(data), "a.csv.gz")


def test_names_in_code_page_437_and_bare_utf8(take: Any) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        made.writestr("Gr__e1.csv", CSV)
        made.writestr("caf__.csv", CSV)
    data = out.getvalue().replace(b"Gr__e1", "Größe1".encode("cp437")).replace(b"caf__", "café".encode())
    assert list(states(take(data))) == ["Größe1.csv", "café.csv"]


def test_short_text_in_gzip_is_a_text(take: Any) -> None:
    assert take(gzip.compress(b"A short note.\n"), "note.txt.gz").text == "A short note.\n"


def test_a_colon_in_a_name_leads_nowhere(take: Any) -> None:
    result = take(archive({"a:b.csv": CSV, "log 10:30.csv": CSV, "C:/evil.csv": CSV}))
    assert states(result) == {"a:b.csv": "ingested", "log 10:30.csv": "ingested", "evil.csv": "skipped"}
