"""A script to statements, as scripts are found: GO batches, own delimiters, missing terminators, routine bodies."""

from __future__ import annotations

import re
from dataclasses import dataclass

from headwater.graph.loaders._lexer import WORD, Lines, Token, lex
from headwater.graph.loaders._splitter import Splitter


@dataclass(slots=True)
class Statement:
    """One statement of a script.

    Attributes:
        tokens: its tokens, without the terminator; never empty.
        text: the whole script (positions of the tokens are positions in it).
        line: line of its first token, from 1.
        number: number in the script, from 1.
        routine: header of the routine whose body holds it, or None.
        inside: it stands in a block (BEGIN … END).
    """

    tokens: list[Token]
    text: str
    line: int
    number: int
    routine: Statement | None = None
    inside: bool = False

    @property
    def source(self) -> str:
        """The statement's own text."""
        return self.text[self.tokens[0].start : self.tokens[-1].end]

    @property
    def title(self) -> str:
        """Its first words, to name it in a message."""
        return re.sub(r"\s+", " ", self.text[self.tokens[0].start : self.tokens[-1].end][:200])[:70]

    def word(self, index: int) -> str:
        """Return the keyword at `index`, or "" for anything else."""
        if index < len(self.tokens) and self.tokens[index].kind == WORD:
            return self.tokens[index].key
        return ""


@dataclass(slots=True)
class Script:
    """Statements of a script, its broken quotes as (line, message), and the databases its lines select."""

    statements: list[Statement]
    broken: list[tuple[int, str]]


_COPY_DATA = re.compile(r"^COPY\s[^;']*\sFROM\s+stdin\b[^;]*;[^\n]*\n(.*?)^\\\.\s*$", re.I | re.M | re.S)
_DELIMITER = re.compile(r"^[ \t]*DELIMITER[ \t]+(\S+)[ \t]*$", re.I | re.M)


def _blank(match: re.Match[str]) -> str:
    whole, start = match.group(), match.start(1) - match.start()
    return whole[:start] + re.sub(r"[^\n]", " ", whole[start:])


def _plain_delimiters(text: str) -> str:
    """Write the delimiters of a MySQL client script as semicolons, keeping every position."""
    out, last, current = [], 0, ";"
    marks = [*_DELIMITER.finditer(text), None]
    for mark in marks:
        part = text[last : mark.start() if mark else len(text)]
        out.append(part if current == ";" else part.replace(current, ";" + " " * (len(current) - 1)))
        if mark:
            out.append(" " * len(mark.group()))
            last, current = mark.end(), mark.group(1)
    return "".join(out)


def split(text: str, dialect: str = "", first_line: int = 1) -> Script:
    """Split a script into statements."""
    if "stdin" in text or "STDIN" in text:
        text = _COPY_DATA.sub(_blank, text)
    if dialect in ("mysql", "") and _DELIMITER.search(text):
        text = _plain_delimiters(text)
    lexed = lex(text, dialect, first_line)
    lines = Lines(text, first_line)
    splitter = Splitter(lexed.tokens, text, dialect)
    statements: list[Statement] = []
    for tokens, routine in splitter.pieces():
        header = statements[routine] if routine is not None else None
        line = lines.at(tokens[0].start)
        statements.append(Statement(tokens, text, line, len(statements) + 1, header, splitter.blocks > 0))
    return Script(statements, lexed.broken)
