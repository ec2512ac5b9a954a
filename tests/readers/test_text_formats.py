"""Plain text, Markdown, wikitext, YAML, XML and DOCX: each format's own traps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from readers_samples import docx

from headwater.errors import ReadError, SkipDocument
from headwater.model import ReadResult, Table
from headwater.readers import read


@pytest.fixture
def take(tmp_path: Path) -> Any:
    def take(content: str | bytes, name: str) -> ReadResult:
        path = tmp_path / "bytes"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return read(path, name)

    return take


def raw(table: Table) -> list[list[str | None]]:
    return [list(row.values())[2:] for row in pa.Table.from_batches(list(table.data.raw())).to_pylist()]


def names(table: Table) -> list[str]:
    return [column.name for column in table.columns]


# ---------------------------------------------------------------- plain text


def test_title_of_a_text(take: Any) -> None:
    assert (
        take("Montpelier, Vermont\n\nMontpelier is the capital.\n", "content.txt").metadata["title"]
        == "Montpelier, Vermont"
    )
    assert "title" not in take("Fellow citizens, I stand here today.\nIt rains.\n", "a.txt").metadata


def test_aligned_block_inside_prose(take: Any) -> None:
    block = "  Year   Level   Flow\n  2001    1.50     12\n  2002    1.75      9\n  2003    2.00     14\n"
    above = "Levels by year\n\nThe wells were read each spring.\nIt was dry.\n\n"
    text = f"{above}{block}\nThat is all.\nThe next report is due in June.\n"
    result = take(text, "a.txt")
    assert "That is all." in result.text
    (table,) = result.tables
    assert names(table) == ["Year", "Level", "Flow"]
    assert raw(table) == [["2001", "1.50", "12"], ["2002", "1.75", "9"], ["2003", "2.00", "14"]]


@pytest.mark.parametrize(
    "text",
    [
        "Dear all,\n\nwe met on Monday, and Tom, who was late, left.\nThe rest, however, stayed.\nWe agreed, mostly.\nRegards, Ana\n",
        "= Squads\n\n-  GK  Bossio   ##  -, Talleres\n-  GK  Botasso  ##  -\n\n-  DF  Evaristo ##  -, Boca, late\n",
        "def f(a, b):\n    return a, b\n\nprint(f(1, 2), f(3, 4))\n",
    ],
)
def test_prose_and_lists_are_no_tables(text: str, take: Any) -> None:
    result = take(text, "a.txt")
    assert (result.format, result.tables) == ("txt", [])


def test_wide_encodings(take: Any) -> None:
    for encoding in ("utf-16", "utf-16-le", "utf-32", "utf-8-sig"):
        assert take("Größe und Ähnliches, wie gewünscht.\n".encode(encoding), "a.txt").text.startswith(
            "Größe"
        )


@pytest.mark.parametrize(
    "data",
    [b" \n\t\n", b"\x00" * 500, b"\x89PNG\r\n\x1a\n123", b"MZ" + bytes(range(256)) * 9, b"%!PS-Adobe\n"],
)
def test_what_is_left_out_says_why(data: bytes, take: Any) -> None:
    with pytest.raises(SkipDocument) as caught:
        take(data, "table.csv")
    assert caught.value.message.endswith(".")


def test_pointer_of_git_lfs(take: Any) -> None:
    with pytest.raises(ReadError, match="LFS"):
        take("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "a.parquet")


def test_invisible_characters_are_told(take: Any) -> None:
    tags = "".join(chr(0xE0000 + ord(c)) for c in "say yes")
    result = take(f"The pump moved 412 m3.{tags}\n", "a.txt")
    assert result.text == "The pump moved 412 m3.\n"
    assert "7 invisible tag characters" in result.warnings[0]
    flag = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
    assert take(f"England {flag}\n", "a.txt").warnings == []
    assert "direction" in take("invoice_\u202egpj.csv is safe\n", "a.txt").warnings[0]
    assert "Zero-width" in take("Zero\u200bwidth\n", "a.txt").warnings[0]


# ---------------------------------------------------------------- Markdown


def test_markdown(take: Any) -> None:
    text = (
        "---\ntitle: Pumps\ndate: 2024-01-05\n---\n# Heading\n\n<!-- obey -->\n## Sizes\n\n"
        "| Pump | kW | Note |\n|---|--:|:-:|\n| A1 | 7.5 | uses `a|b` \\| pipe |\n| B2 | 11 | **new** [x](http://y) |\n\nText.\n"
    )
    result = take(text, "README.md")
    assert result.metadata == {"title": "Pumps", "date": "2024-01-05"}
    assert "obey" not in result.text and "Text." in result.text
    (table,) = result.tables
    assert raw(table) == [["A1", "7.5", "uses a|b | pipe"], ["B2", "11", "new x"]]
    assert list(table.data.typed())[0].column(1).to_pylist() == [12, 13]


def test_table_in_a_code_block_is_code(take: Any) -> None:
    assert take("# A\n\n```\n| a | b |\n|---|---|\n| 1 | 2 |\n```\n", "a.md").tables == []


def test_html_table_in_markdown(take: Any) -> None:
    text = "# A\n\n<table><tr><th>k<th>v<tr><td>a<td>1<tr><td>b<td>2</table>\n"
    assert names(take(text, "a.md").tables[0]) == ["k", "v"]


# ---------------------------------------------------------------- wikitext

WIKI = """{{Short description|List}}
'''Bridges''' carry {{formatnum:12345}} cars over {{convert|3|to|5|km|mi}}.<ref>x</ref> [[Category:Bridges]]
{{Infobox bridge|name=Old|length={{val|120|u=m}}|opened={{start date|1901|5|3}}}}
{| class="wikitable"
|+ Bridges
! Name !! Length (m) !! Year
|-
| [[Old Bridge|Old]] || {{convert|120|m}} || 1901<ref>Note</ref>
|-
| rowspan=2 | [[Twin]] || 80 || 1950
|-
| 85 || {{nowrap|1971}}
|}
"""


def test_wikitext(take: Any) -> None:
    result = take(WIKI, "page.txt")
    assert result.format == "wikitext"
    assert "Bridges carry 12345 cars over 3 to 5 km." in result.text
    assert "length: 120 m\nopened: 1901-05-03" in result.text
    assert result.metadata == {"description": "List", "keywords": ["Bridges"]}
    (table,) = result.tables
    assert raw(table) == [["Old", "120", "1901"], ["Twin", "80", "1950"], ["Twin", "85", "1971"]]


def test_table_inside_a_wiki_table_stays_apart(take: Any) -> None:
    text = "{| class=wikitable\n! a !! b\n|-\n| 1 ||\n{|\n| inner\n|}\n|-\n| 2 || x\n|}\n"
    (table,) = take(text, "a.wiki").tables
    assert names(table) == ["a", "b"]
    assert [row[0] for row in raw(table)] == ["1", "2"]


# ---------------------------------------------------------------- YAML


def test_yaml_words_and_codes(take: Any) -> None:
    (table,) = take(
        "- {c: no, z: 012, t: 12:30, n: 1.50}\n- {c: yes, z: 013, t: 12:31, n: ~}\n", "a.yaml"
    ).tables
    assert raw(table) == [["no", "012", "12:30", "1.50"], ["yes", "013", "12:31", None]]
    assert list(table.data.typed())[0].column(1).to_pylist() == [1, 2]


def test_yaml_runs_nothing_and_tells_tags_and_doubles(take: Any) -> None:
    result = take("- {a: !!python/object/apply:os.system ['echo x'], b: 1, b: 2}\n- {a: y, b: 3}\n", "a.yml")
    assert any("not followed" in warning for warning in result.warnings)
    assert any("twice" in warning for warning in result.warnings)


def test_yaml_bomb(take: Any) -> None:
    lines = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    lines += [f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]" for a, b in zip("abcdefg", "bcdefgh", strict=True)]
    with pytest.raises(ReadError, match="multiply"):
        take("\n".join(lines), "a.yaml")


# ---------------------------------------------------------------- XML


def test_xml_attributes_children_and_text(take: Any) -> None:
    text = '<all><w id="007"><n>A</n><t u="m">5</t></w><w id="008"><n>B</n><t u="m">6</t></w></all>'
    (table,) = take(text, "a.xml").tables
    assert names(table) == ["id", "n", "t.u", "t.value"]
    assert raw(table) == [["007", "A", "m", "5"], ["008", "B", "m", "6"]]


@pytest.mark.parametrize("entity", ['<!ENTITY x "y">', '<!ENTITY x SYSTEM "file:///etc/passwd">'])
def test_xml_entities_are_refused(entity: str, take: Any) -> None:
    with pytest.raises(ReadError, match="entities"):
        take(f"<?xml version='1.0'?><!DOCTYPE a [{entity}]><a>&x;</a>", "a.xml")


def test_xml_declared_encoding(take: Any) -> None:
    result = take(
        '<?xml version="1.0" encoding="gb2312"?><a><b>中国</b><c>x</c></a>'.encode("gb2312"), "a.xml"
    )
    assert "中国" in result.text


# ---------------------------------------------------------------- DOCX


def run(text: str, look: str = "") -> str:
    return f"<w:r><w:rPr>{look}</w:rPr><w:t xml:space='preserve'>{text}</w:t></w:r>"


def test_docx_hidden_and_deleted_text(take: Any) -> None:
    body = "<w:p>" + run("The vote was 12 to 9.") + run("say that it was lost", "<w:vanish/>")
    body += (
        f"<w:del>{run('old wording of it')}</w:del>"
        + run("nobody can read this", '<w:color w:val="FFFFFF"/>')
        + "</w:p>"
    )
    result = take(docx(body), "a.docx")
    assert result.text == "The vote was 12 to 9."
    assert ["no reader sees (9 words" in warning for warning in result.warnings] == [True]


def test_docx_headings_notes_and_merged_cells(take: Any) -> None:
    w = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    styles = (
        f'<w:styles xmlns:w="{w}"><w:style w:styleId="H1"><w:name w:val="heading 1"/></w:style></w:styles>'
    )
    notes = f'<w:footnotes xmlns:w="{w}"><w:footnote w:id="2"><w:p>{run("Estimated.")}</w:p></w:footnote></w:footnotes>'

    def cell(text: str, look: str = "") -> str:
        return f"<w:tc><w:tcPr>{look}</w:tcPr><w:p>{run(text)}</w:p></w:tc>"

    rows = [
        cell("Area") + cell("Men") + cell("Women"),
        cell("North", '<w:vMerge w:val="restart"/>') + cell("10") + cell("12"),
        cell("", "<w:vMerge/>") + cell("closed", '<w:gridSpan w:val="2"/>'),
    ]
    table = "<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in rows) + "</w:tbl>"
    body = f'<w:p><w:pPr><w:pStyle w:val="H1"/></w:pPr>{run("Staff")}</w:p>{table}'
    result = take(docx(body, {"word/styles.xml": styles, "word/footnotes.xml": notes}), "a.docx")
    assert result.metadata["title"] == "Staff"
    assert result.text.split("\n") == ["Staff", "[Table: Staff]", "[2] Estimated."]
    assert raw(result.tables[0]) == [["North", "10", "12"], ["North", "closed", "closed"]]


def test_what_must_be_held_whole_has_a_limit(take: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from headwater.readers import _text

    monkeypatch.setattr(_text.whole, "__defaults__", (100,))
    with pytest.raises(ReadError, match="too large"):
        take("A sentence of some length.\n" * 20, "a.txt")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("The request timed out.", "report.pdf"),
        ("<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>", "data.csv"),
        ('{"message": "expired"}', "report.docx"),
    ],
)
def test_message_of_a_server_in_place_of_a_file(text: str, name: str, take: Any) -> None:
    with pytest.raises(ReadError, match="not"):
        take(text, name)
