"""Walks a parsed page: which elements count, and the text of those that do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

DROPPED = (
    "script, style, template, noscript, iframe, object, svg, canvas, select, button, audio, video, map, head > *,"
    "nav, footer, aside, [role=navigation], [role=banner], [role=contentinfo], [role=search]"
)
"""Elements that hold no content of the page."""

_FURNITURE_WORDS = """
related sphinxsidebar sidebar breadcrumb breadcrumbs navbar navbox nav menu cookie cookies
cookie-banner cookie-bar cookie-consent cookie-notice consent site-header site-footer page-footer
skip-link skiplink mw-editsection mw-jump-link vertical-navbox sistersitebox noprint catlinks
printfooter toc advertisement ads share-buttons social-share newsletter headerlink
"""
FURNITURE = _FURNITURE_WORDS.split()
"""Class and id words of blocks around the content."""

_BLOCKS_WORDS = """
address article blockquote body caption center dd details div dl dt fieldset figcaption figure form
h1 h2 h3 h4 h5 h6 header hr legend li main ol p pre section summary table tbody td tfoot th thead tr
ul
"""
BLOCKS = frozenset(_BLOCKS_WORDS.split())
_PARAGRAPHS_WORDS = """
blockquote dl figure h1 h2 h3 h4 h5 h6 ol p pre section table ul article
"""
_PARAGRAPHS = frozenset(_PARAGRAPHS_WORDS.split())
_SPACES = re.compile(r"[ \t\r\n\f]+")
_SUPER = str.maketrans("0123456789+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")
_MARK = re.compile(r"[0-9]{1,3}|[a-z]|[*†‡§¶#]{1,3}")


class Walk:
    """Yields ("open" | "close" | "text", node) below a node in document order; without recursion, for any depth.

    Setting `skip` after an "open" leaves the inside of that element out.
    """

    def __init__(self, root: LexborNode) -> None:
        self._root = root
        self.skip = False

    def __iter__(self) -> Iterator[tuple[str, LexborNode]]:
        node, depth = self._root.first_child, 1
        while node is not None:
            inner = None
            if node.is_text_node:
                yield "text", node
            elif node.is_element_node:
                self.skip = False
                yield "open", node
                inner = None if self.skip else node.first_child
                if inner is None and not self.skip:
                    yield "close", node
            if inner is not None:
                node, depth = inner, depth + 1
                continue
            while node.next is None:
                node, depth = node.parent, depth - 1
                if not depth or node is None:
                    return
                yield "close", node
            node = node.next


class Prose:
    """Collects text: blanks collapse, blocks begin lines, paragraphs are parted by an empty line."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._now: list[str] = []
        self._raised: list[str] | None = None
        self._pre = 0

    def open(self, tag: str) -> None:
        """Enter an element."""
        if tag == "br":
            self._break()
        elif tag == "pre":
            self._break(gap=True)
            self._pre += 1
        elif tag == "sup":
            self._raised = []
        elif tag in BLOCKS:
            self._break(gap=tag in _PARAGRAPHS)
            if tag == "li":
                self._now.append("- ")
        elif tag in ("td", "th"):
            self._now.append(" ")

    def close(self, tag: str) -> None:
        """Leave an element."""
        if tag == "sup" and self._raised is not None:
            raised, self._raised = "".join(self._raised), None
            self._now.append(superscript("".join(self._now), raised))
        elif tag == "pre":
            self._break(gap=True)
            self._pre = max(0, self._pre - 1)
        elif tag in BLOCKS:
            self._break(gap=tag in _PARAGRAPHS)

    def text(self, piece: str) -> None:
        """Take in a piece of text."""
        if self._raised is not None:
            self._raised.append(_SPACES.sub(" ", piece))
        elif self._pre:
            self._now.append(piece)
        else:
            self._now.append(_SPACES.sub(" ", piece))

    def line(self, text: str) -> None:
        """Add a line of its own."""
        self._break(gap=True)
        self._lines += [text, ""]

    def _break(self, gap: bool = False) -> None:
        line = "".join(self._now)
        line = line.rstrip() if self._pre else _SPACES.sub(" ", line).strip()
        self._now = []
        if line and line != "-":
            self._lines.append(line)
        if gap and self._lines and self._lines[-1]:
            self._lines.append("")

    def result(self) -> str:
        """Return the text so far."""
        self._break()
        return "\n".join(self._lines).strip("\n")


def superscript(before: str, raised: str) -> str:
    """Write a raised text so that it does not run into a number before it.

    A mark after a digit becomes "950 [1]", a power of ten "10^6", a digit after a letter a superscript character.
    """
    mark = raised.strip()
    last = before.rstrip()[-1:]
    if not mark or mark.startswith("["):
        return raised
    if last.isdigit() or last in ")%":
        if re.search(r"(?:^|[^\d.,])10$", before) and re.fullmatch(r"[-−+]?\d+", mark):
            return f"^{mark}"
        return f" [{mark}]" if _MARK.fullmatch(mark) else raised
    if last.isalpha() and re.fullmatch(r"[-+]?\d{1,2}", mark):
        return mark.translate(_SUPER)
    return raised


def strip_furniture(tree: LexborHTMLParser) -> None:
    """Take scripts, navigation and the like out of the tree."""
    for node in tree.css(DROPPED):
        node.decompose()
    for node in tree.css("header"):
        if node.css_first("h1, h2, table, p") is None:
            node.decompose()
    body = tree.body
    whole = len(body.text(deep=True)) if body is not None else 0
    selector = ", ".join(f".{word}, #{word}" for word in FURNITURE)
    for node in tree.css(selector):
        if node.tag not in ("html", "body", "main", "article") and len(node.text(deep=True)) * 2 < whole:
            node.decompose()


def attribute(node: Any, name: str) -> str:
    """Return an attribute's value, "" if it is absent or empty."""
    return str(node.attributes.get(name) or "")
