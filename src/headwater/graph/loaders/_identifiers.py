"""Names and lists in tokens: dotted names with any quotes, brackets that match, items between commas."""

from __future__ import annotations

import re
from dataclasses import dataclass

from headwater.graph.loaders._lexer import NUMBER, PUNCT, QUOTED, STRING, TEMPLATE, WORD, Token

_NESTED_TYPES = {"ARRAY", "STRUCT", "MAP", "ROW", "TABLE", "NESTED", "RANGE", "UNIONTYPE", "OBJECT"}


@dataclass(frozen=True, slots=True)
class Name:
    """A name as written, unquoted, without the schema variable before it (`@schema.person`), which is kept apart."""

    parts: tuple[str, ...]
    variable: str = ""

    @property
    def text(self) -> str:
        """The parts joined by dots."""
        return ".".join(self.parts)


def read_name(tokens: list[Token], i: int) -> tuple[Name, int]:
    """Read a dotted name at token `i`; return it and the index after it (unchanged if there is none)."""
    parts: list[str] = []
    variable = ""
    start = i
    while i < len(tokens):
        token = tokens[i]
        if token.kind == QUOTED or (token.kind == STRING and (i > start or token.text[0] == '"')):
            # BigQuery writes a whole path in one pair of backticks.
            text = token.key if token.kind == QUOTED else token.text.strip("'\"")
            parts += text.split(".") if token.text[0] == "`" and "." in text else [text]
        elif token.kind in (WORD, NUMBER):
            # A link to another Oracle database follows an @.
            parts.append(token.text if token.text.startswith("@") else token.text.split("@")[0])
        elif (
            token.key in (":", "%", "&", "<") and i + 1 < len(tokens) and tokens[i + 1].kind in (WORD, QUOTED)
        ):
            parts.append(token.key + tokens[i + 1].text)
            i += 1
            if token.key in "%<" and i + 1 < len(tokens) and tokens[i + 1].key in ("%", ">"):
                i += 1
                parts[-1] += tokens[i].key
        else:
            break
        i += 1
        while (
            i + 1 < len(tokens)
            and tokens[i].key == "-"
            and tokens[i].start == tokens[i - 1].end == tokens[i + 1].start - 1
        ):
            parts[-1] += "-" + tokens[i + 1].text  # BigQuery projects hold dashes
            i += 2
        if i < len(tokens) and tokens[i].key == ".":
            while i < len(tokens) and tokens[i].key == ".":
                i += 1
            continue
        break
    while len(parts) > 1 and (TEMPLATE.fullmatch(parts[0]) or re.fullmatch(r"<\w+>", parts[0])):
        variable = parts.pop(0)
    return Name(tuple(p for p in parts if p), variable), i


def matching(tokens: list[Token], i: int) -> int:
    """Return the index of the bracket that closes the one at `i`, or the number of tokens."""
    depth = 0
    for j in range(i, len(tokens)):
        key = tokens[j].key
        if tokens[j].kind == PUNCT:
            if key == "(":
                depth += 1
            elif key == ")":
                depth -= 1
                if depth == 0:
                    return j
    return len(tokens)


def split_items(tokens: list[Token]) -> list[list[Token]]:
    """Split the inside of a pair of brackets at its commas; those of types like ARRAY<STRUCT<a INT, b INT>> stay."""
    items: list[list[Token]] = [[]]
    depth = angle = 0
    for j, token in enumerate(tokens):
        if token.kind == PUNCT:
            key = token.key
            if key in ("(", "["):
                depth += 1
            elif key in (")", "]"):
                depth -= 1
            elif key == "<" and (angle or (j and tokens[j - 1].key in _NESTED_TYPES)):
                angle += 1
            elif key == ">" and angle:
                angle -= 1
            elif key == "," and depth <= 0 and not angle:
                items.append([])
                continue
        items[-1].append(token)
    return items


def name_list(tokens: list[Token]) -> tuple[str, ...]:
    """Return the column names of a list such as `[a] ASC, "b", c(10)`."""
    return tuple(plain(i[0]) for i in split_items(tokens) if i and i[0].kind in (WORD, QUOTED, STRING))


def plain(token: Token) -> str:
    """Return the name a token stands for, without its quotes."""
    if token.kind == QUOTED:
        return token.key
    return token.text.strip("'\"") if token.kind == STRING else token.text
