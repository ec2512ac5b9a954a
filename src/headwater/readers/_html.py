"""HTML: the main text, tables as tables, metadata of the head, hidden text left out and told."""

from __future__ import annotations

import codecs
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.model import ReadResult, Table
from headwater.readers._encoding import Decoded, decode
from headwater.readers._grid import Grid, build
from headwater.readers._html_hidden import take_hidden
from headwater.readers._html_tables import is_data, read_grid
from headwater.readers._html_tree import Prose, Walk, attribute, strip_furniture
from headwater.readers._names import name_tables
from headwater.readers._text import whole

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from headwater.readers import ReadOptions

_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_META = {
    "description": "description",
    "og:description": "description",
    "og:title": "title",
    "author": "author",
    "keywords": "keywords",
    "article:published_time": "date",
    "dcterms.title": "title",
    "dc.title": "title",
    "dc.date": "date",
    "dcterms.date": "date",
    "dc.publisher": "publisher",
    "dcterms.publisher": "publisher",
    "og:site_name": "site",
}


def read_html(path: Path, name: str, options: ReadOptions) -> ReadResult:
    """Read a page."""
    decoded = decode_html(whole(path, name))
    result = html_result(decoded.text, options)
    result.encoding = decoded.encoding
    if decoded.replaced:
        result.warnings.append(f"{decoded.replaced} characters could not be decoded as {decoded.encoding}.")
    return result


def decode_html(data: bytes) -> Decoded:
    """Decode a page by its mark, what it declares, or its bytes.

    A page that declares ISO-8859-1 or ASCII is read as windows-1252 (WHATWG Encoding Standard, 4.2).
    """
    declared = _CHARSET.search(data[:4096])
    if declared and not data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        label = declared.group(1).decode("ascii").lower()
        label = {
            "iso-8859-1": "windows-1252",
            "latin1": "windows-1252",
            "us-ascii": "windows-1252",
            "gb2312": "gb18030",
            "gbk": "gb18030",
        }.get(label, label)
        if not label.startswith(("utf-8", "utf8", "utf-16")):
            try:
                return Decoded(data.decode(label), codecs.lookup(label).name, 0)
            except (UnicodeDecodeError, LookupError):
                pass
    return decode(data)


def html_result(text: str, options: ReadOptions) -> ReadResult:
    """Read the text of a page or of a fragment."""
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(text)
    result = ReadResult(format="html", metadata=_metadata(tree))
    frames = [attribute(node, "src") for node in tree.css("frameset frame")]
    inline = [attribute(node, "src") for node in tree.css("iframe[src]")]
    result.warnings += take_hidden(tree)
    strip_furniture(tree)
    result.text, result.tables = _content(tree, options, result.warnings)
    name_tables(result.tables)
    heading = tree.css_first("h1")
    if "title" not in result.metadata and heading is not None:
        result.metadata["title"] = " ".join(heading.text(deep=True).split())
    if frames:
        result.warnings.append(
            f"The page is a frameset; its content is in other files: {', '.join(filter(None, frames))}."
        )
    elif inline and not result.tables and len(result.text or "") < 200:
        result.warnings.append(f"The page shows other files inside frames: {', '.join(inline[:5])}.")
    elif not result.tables and not (result.text or "").strip():
        result.warnings.append("The page holds no text; a script may draw it in a browser.")
    return result


def _metadata(tree: LexborHTMLParser) -> dict[str, Any]:
    found: dict[str, Any] = {}
    title = tree.css_first("head > title") or tree.css_first("title")
    if title is not None and title.text(deep=True).strip():
        found["title"] = " ".join(title.text(deep=True).split())
    for node in tree.css("meta"):
        key = _META.get((attribute(node, "name") or attribute(node, "property")).lower())
        if key and attribute(node, "content").strip():
            found.setdefault(key, attribute(node, "content").strip())
    root = tree.css_first("html")
    if root is not None and attribute(root, "lang"):
        found["language"] = attribute(root, "lang")
    canonical = tree.css_first("link[rel=canonical]")
    if canonical is not None and attribute(canonical, "href"):
        found["url"] = attribute(canonical, "href")
    if tree.css_first("input[type=password]") is not None:
        found["login_form"] = True
    return found


def _content(
    tree: LexborHTMLParser, options: ReadOptions, warnings: list[str]
) -> tuple[str | None, list[Table]]:
    root = tree.body or tree.root
    if root is None:
        return None, []
    prose, tables = Prose(), []
    heading = ""
    walk = Walk(root)
    for kind, node in walk:
        tag = node.tag or ""
        if kind == "text":
            prose.text(node.text_content or "")
            continue
        if kind == "open" and tag in _HEADINGS:
            heading = " ".join(node.text(deep=True).split())
        if kind == "open" and tag == "table":
            found = _tables_of(node, heading, options, warnings)
            if found is not None:
                tables += found
                for table in found:
                    prose.line(f"[Table: {table.name}]" if table.name else "[Table]")
                walk.skip = True
                continue
        (prose.open if kind == "open" else prose.close)(tag)
    return prose.result() or None, tables


def _tables_of(
    node: LexborNode, heading: str, options: ReadOptions, warnings: list[str]
) -> list[Table] | None:
    """Return the table of an element and those inside its cells; None if it only arranges the page."""
    grid = read_grid(node, options.merged)
    if grid is None:
        warnings.append("A table declares spans of more than five million cells and was left out.")
        return []
    if not is_data(grid, node):
        return None
    table = build(grid, heading)
    found = [table] if table is not None else []
    for inner in node.css("table table"):
        if inner.mem_id == node.mem_id:
            continue
        nested = read_grid(inner, options.merged)
        if nested is not None and _worth(nested):
            made = build(nested, heading)
            found += [made] if made is not None else []
    return found


def _worth(grid: Grid) -> bool:
    return any(any(row) for row in grid.cells)
