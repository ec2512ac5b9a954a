"""Metadata in prose: README files, data dictionaries in Markdown or plain text, documentation pages in HTML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from headwater.layout._clean import plain_text
from headwater.layout._dictionary import coded, fields_from_rows
from headwater.layout._metadata import DatasetMetadata, FieldDoc

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(?=\S)")
_UNDERLINE = re.compile(r"^\s*(=+|-{3,}|~{3,})\s*$")
_SEPARATOR = re.compile(r"\|?\s*:?-{2,}:?\s*(\|\s*:?-{1,}:?\s*)*\|?\s*$")
_FILE = re.compile(
    r"([\w./ %-]*[\w-]\.(?:csv|tsv|json|ndjson|xlsx?|ods|parquet|txt|dat|geojson|zip|gz|sqlite|xml))\b",
    re.IGNORECASE,
)
_R_COLUMN = re.compile(r"\[\s*,\s*\d+\s*\]")
_BADGE = re.compile(r"\[?!\[[^\[\]]{0,300}\]\([^()]{0,500}\)(\]\([^()]{0,500}\))?")
_MARKED = re.compile(
    r"^\s*(?:[-*+•]|\d{1,3}[.)])?\s*(?P<q>`{1,2}|\*\*|__|\"|')(?P<name>[^`*\n\"]{1,80}?)(?P=q)"
    r"\s*(?:\((?P<type>[^()]{1,60})\))?\s*(?::|-{1,2}|–|—|=|,|\bis\b|\bare\b)\s+(?P<text>\S.*)$"
)
_PLAIN = re.compile(
    r"^\s*(?:[-*+•]|\d{1,3}[.)])?\s*(?P<name>[^\s:`*|][^:\t|`*]{0,60}?)\s*(?:\((?P<type>[^()]{1,60})\))?"
    r"(?:\s*:\s+|\s+[-–—]{1,2}\s+|\t+|\s*=\s+|\s{3,})(?P<text>\S.*)$"
)
_SECTION = re.compile(
    r"\b(columns?|variables?|fields?|attributes?|data ?dictionar\w*|code ?book|headers?|features?|schema|data format|"
    r"record layout|definitions?|legend|glossary|metadata)\b",
    re.IGNORECASE,
)
_FACTS: dict[str, str] = {
    "last modified": "modified", "last updated": "modified", "updated": "modified", "date modified": "modified",
    "spatial applicability": "spatial", "spatial coverage": "spatial", "geographic coverage": "spatial", "geography": "spatial",
    "temporal applicability": "temporal", "temporal coverage": "temporal", "time period": "temporal", "period": "temporal",
    "years covered": "temporal", "date range": "temporal", "license": "license", "licence": "license",
    "publisher": "publisher", "update frequency": "frequency", "frequency": "frequency", "source": "source", "source(s)": "source",
    "sources": "source", "source(s) & methodology": "source", "source(s) & methods": "source", "data source": "source",
    "title": "title", "language": "language",
}  # fmt: skip
_NOT_COLUMNS = frozenset({*_FACTS, "contact information", "contact", "what is this?", "what is this", "observations (rows)",
                          "variables (columns)", "other notes", "note", "notes", "analysis", "passage", "todo", "usage", "author"})  # fmt: skip
_MAX_CHARS = 400_000
_MAX_NAME = 300
_MAX_RULE = 2_000


def front_matter(text: str) -> tuple[str, str]:
    """Return the YAML between the two `---` lines at the top of a document (or "") and the rest."""
    match = re.match(r"\ufeff?---[ \t]*\r?\n(.{0,20000}?)\r?\n---[ \t]*(?:\r?\n|$)", text, re.DOTALL)
    return (match.group(1), text[match.end() :]) if match else ("", text)


def from_markdown(text: str, *, dictionary: bool = False) -> DatasetMetadata:
    """Read a README or a dictionary in Markdown or plain text.

    Args:
        text: the document.
        dictionary: the file's name says that it describes columns, so "name: meaning" lines count everywhere.
    """
    lines = text[:_MAX_CHARS].replace("\r\n", "\n").replace("\r", "\n").split("\n")
    meta = DatasetMetadata(kind="dictionary" if dictionary else "readme")
    heading, resource, in_section, fenced = "", "", dictionary, False
    position = 0
    while position < len(lines):
        line = lines[position]
        position += 1
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
            continue
        title = None if fenced else _heading(line, lines[position] if position < len(lines) else "")
        if title is not None:
            heading = plain_text(_BADGE.sub("", title))
            meta.title = meta.title or heading
            in_section = dictionary or bool(_SECTION.search(heading))
            resource = _resource(title) or (resource if in_section else "")
            continue
        if position < len(lines) and "|" in line and _is_rule(lines[position]):
            rows, position = _pipe_table(lines, position - 1)
            meta.fields += fields_from_rows(rows, resource)
            continue
        if not fenced:
            found = _line(line, in_section, resource, meta)
            in_section = in_section or bool(
                len(line) < 100 and line.rstrip().endswith(":") and _SECTION.search(line)
            )
            if not found and len(line) < 160:
                resource = _resource(line) or resource
    meta.description = _description(lines)
    return meta


def _heading(line: str, following: str) -> str | None:
    match = _HEADING.match(line)
    if match:
        return line[match.end() :].strip().rstrip("#").rstrip()
    if (
        line.strip()
        and len(line) < 120
        and "|" not in line
        and _UNDERLINE.match(following)
        and not line.lstrip().startswith(("-", "*", "`"))
    ):
        return line.strip()
    return None


def _is_rule(line: str) -> bool:
    """Tell whether a line parts the header of a pipe table from its rows."""
    return "|" in line and len(line) <= _MAX_RULE and bool(_SEPARATOR.match(line.strip()))


def _resource(text: str) -> str:
    match = _FILE.search(plain_text(text[:_MAX_NAME]))
    return match.group(1).strip().rsplit("/", 1)[-1].strip() if match else ""


def _line(line: str, in_section: bool, resource: str, meta: DatasetMetadata) -> bool:
    """Take one line as a fact of the dataset or an entry of its dictionary; tell whether it was one."""
    line = line.strip()[:_MAX_RULE]
    match = _MARKED.match(line) or (_PLAIN.match(line) if in_section else None)
    if not match:
        return False
    name, text = plain_text(match["name"]).strip(" :"), plain_text(match["text"])
    fact = _FACTS.get(name.casefold())
    if fact:
        if not getattr(meta, fact):
            setattr(meta, fact, text[:500])
        return True
    if not name or name.casefold() in _NOT_COLUMNS or len(name.split()) > 8 or _FILE.fullmatch(name):
        return False
    meta.fields.append(
        FieldDoc(name, text[:2_000], type=match["type"] or "", values=coded(text), resource=resource)
    )
    return True


def _pipe_table(lines: list[str], start: int) -> tuple[list[list[str]], int]:
    """Return the rows of the pipe table whose header is line `start`, and the position behind it."""
    rows = [_cells(lines[start])]
    position = start + 2
    while position < len(lines) and "|" in lines[position] and lines[position].strip():
        rows.append(_cells(lines[position]))
        position += 1
    return rows, position


def _cells(line: str) -> list[str]:
    line = line.strip().replace("\\|", "\x00")
    line = line[1:] if line.startswith("|") else line
    line = line[:-1] if line.endswith("|") else line
    return [cell.replace("\x00", "|").strip() for cell in line.split("|")]


def _description(lines: list[str], limit: int = 1_500) -> str:
    """Return the first paragraphs of prose."""
    taken: list[str] = []
    for paragraph in _paragraphs(lines):
        text = plain_text(_BADGE.sub("", paragraph))
        if len(text.split()) >= 5:
            taken.append(text)
        if sum(map(len, taken)) > limit // 2 or len(taken) == 3:
            break
    return " ".join(taken)[:limit]


def _paragraphs(lines: list[str]) -> Iterator[str]:
    block: list[str] = []
    fenced = False
    for line in [*lines, ""]:
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        prose = (
            line.strip()
            and not fenced
            and "|" not in line
            and not line.lstrip().startswith(("#", "- ", "* ", "+ ", "```", "~~~", "<", "["))
        )
        if prose and not _UNDERLINE.match(line):
            block.append(line.strip())
        elif block:
            yield " ".join(block)
            block = []


def from_html(content: bytes) -> DatasetMetadata:
    """Read a documentation page: tables of columns, definition lists, R's help pages for data sets."""
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(content)
    for node in tree.css("script, style, nav, noscript"):
        node.decompose()
    head = tree.css_first("h1, h2") or tree.css_first("title")
    meta = DatasetMetadata(kind="documentation", title=plain_text(head.text()) if head else "")
    for table in tree.css("table"):
        rows = [[cell.text() for cell in row.css("th, td")] for row in table.css("tr")]
        found = fields_from_rows(rows)
        if not found:
            found = [doc for row in table.css("tr") if (doc := _code_row(row.css("td")))]
        meta.fields += found
    for term in tree.css("dt"):
        meaning = term.next
        while meaning is not None and meaning.tag not in {"dd", "dt"}:
            meaning = meaning.next
        if meaning is not None and meaning.tag == "dd":
            name = plain_text(term.text()).strip(" :")
            meta.fields.append(FieldDoc(name, plain_text(meaning.text())[:2_000]))
    for item in tree.css("li"):
        code = item.css_first("code, b, strong")
        text, name = plain_text(item.text()), plain_text(code.text()) if code else ""
        if name and text.startswith(name) and re.match(r"\s*[:\-–—=]", text[len(name) :]):
            meta.fields.append(FieldDoc(name, text[len(name) :].lstrip(" :-–—=")[:2_000]))
    for paragraph in tree.css("p"):
        text = plain_text(paragraph.text())
        if len(text.split()) >= 5:
            meta.description = text[:1_500]
            break
    return meta


def _code_row(cells: list[LexborNode]) -> FieldDoc | None:
    """Return the entry of a table row: a name in code type and its meaning, or R's "[,1]", name, type, meaning."""
    if len(cells) < 2:
        return None
    texts = [plain_text(cell.text()) for cell in cells]
    if _R_COLUMN.fullmatch(texts[0]) and texts[1]:
        return FieldDoc(texts[1], " ".join(texts[2:])[:2_000])
    code = cells[0].css_first("code")
    if code is None or not texts[0] or plain_text(code.text()) not in texts[0]:
        return None
    return FieldDoc(texts[0], texts[-1][:2_000], values=coded(texts[-1]))
