"""Text of a page that no reader of it sees: taken out, and told.

Judged by attributes and by rules of the page's own style sheets with simple selectors: not displayed, not visible,
of no size, transparent, off the screen, or white where nothing gives it another background.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from headwater.readers._html_tree import attribute
from headwater.readers._invisible import hidden_warning

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_UNSEEN = re.compile(
    r"(?:^|[;{\s])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|font-size\s*:\s*0(?![.\d]*[1-9])"
    r"|opacity\s*:\s*0(?:\.0+)?\s*(?:;|!|$)|(?:left|top|right|text-indent|margin-left)\s*:\s*-\d{3,}"
    r"|clip\s*:\s*rect\(\s*0|max-height\s*:\s*0|(?:width|height)\s*:\s*0(?:px)?\s*;.*overflow\s*:\s*hidden)",
    re.IGNORECASE,
)
_WHITE = re.compile(
    r"(?:^|[;\s])color\s*:\s*(?:white|#fff(?:fff)?\b|rgba?\(\s*255\s*,\s*255\s*,\s*255\b)", re.IGNORECASE
)
_CLEAR = re.compile(r"(?:^|[;\s])color\s*:\s*(?:transparent|rgba\([^)]*,\s*0(?:\.0+)?\s*\))", re.IGNORECASE)
_BACKGROUND = re.compile(r"background", re.IGNORECASE)
_RULE = re.compile(r"([^{}@;]+)\{([^{}]*)\}")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_AT = re.compile(r"@[^{;]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}|@[^;{]*;", re.DOTALL)
_SIMPLE = re.compile(r"[\w*.#\[\]=\"'-]+(?:\s+[\w.#-]+)*")
_SILENT = ("ix:header", "ix:hidden")
"""Hidden by design: the facts that Inline XBRL 1.1 keeps for programs."""


def take_hidden(tree: LexborHTMLParser) -> list[str]:
    """Take unseen text out of the tree; return warnings about what amounts to a message."""
    texts: list[str] = []
    records = 0
    for node in _unseen_nodes(tree):
        if node.tag in ("html", "body"):
            continue
        records += _records(node)
        silent = node.tag in _SILENT or any(
            node.css_first(tag.replace(":", "\\:")) is not None for tag in _SILENT
        )
        text = " ".join(node.text(deep=True, separator=" ").split())
        node.decompose()
        if not silent:
            texts.append(text)
    told = [f"{records} rows of tables are not displayed and are left out."] if records else []
    return told + hidden_warning(texts)


def _records(node: LexborNode) -> int:
    """Return the number of table rows in an unseen part of a table that hold several values."""
    if node.tag not in ("tr", "tbody"):
        return 0
    rows = [node] if node.tag == "tr" else node.css("tr")
    return sum(sum(bool(cell.text(deep=True).strip()) for cell in row.css("td")) > 1 for row in rows)


def _unseen_nodes(tree: LexborHTMLParser) -> list[LexborNode]:
    found = list(tree.css("[hidden]"))
    for node in tree.css("[style]"):
        style = attribute(node, "style")
        if _UNSEEN.search(style) or _CLEAR.search(style) or (_WHITE.search(style) and _on_white(node)):
            found.append(node)
    found.extend(
        node
        for node in tree.css("font[color]")
        if attribute(node, "color").strip().lower() in ("white", "#fff", "#ffffff") and _on_white(node)
    )
    for selector in _unseen_selectors(tree):
        try:
            found += tree.css(selector)
        except ValueError:
            continue
    outer, seen = [], {node.mem_id for node in found}
    for node in found:
        parent = node.parent
        while parent is not None and parent.mem_id not in seen:
            parent = parent.parent
        if parent is None and node.mem_id in seen:
            outer.append(node)
            seen.add(node.mem_id)
    unique = {node.mem_id: node for node in outer}
    return list(unique.values())


def _on_white(node: LexborNode) -> bool:
    """Tell whether nothing around an element may give it a background other than white."""
    at: LexborNode | None = node
    while at is not None:
        attributes = at.attributes
        style = attributes.get("style") or ""
        if _BACKGROUND.search(style) and not re.search(
            r"background[-a-z]*\s*:\s*(?:white|#fff(?:fff)?\b)", style
        ):
            return False
        if (
            attributes.get("bgcolor")
            or attributes.get("background")
            or (attributes.get("class") and at.tag not in ("html", "body"))
        ):
            return False
        at = at.parent
    return True


def _unseen_selectors(tree: LexborHTMLParser) -> list[str]:
    selectors = []
    for sheet in tree.css("style"):
        if attribute(sheet, "media") in ("print", "speech"):
            continue
        text = _AT.sub("", _COMMENT.sub("", sheet.text(deep=True)))
        for names, body in _RULE.findall(text):
            if _UNSEEN.search(body) or _CLEAR.search(body):
                selectors += [name.strip() for name in names.split(",") if _SIMPLE.fullmatch(name.strip())]
    return selectors
