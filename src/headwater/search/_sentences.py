"""Where sentences begin and end: not after "Rev.", "est." or an initial, and across the ends of wrapped lines."""

from __future__ import annotations

import re

LONGEST = 2_000_000
"""Characters of a text that are looked through; of a longer one the beginning."""

_END = re.compile(r"""[.!?]++["'”’»)\]]*+(?=\s++[^\sa-z])|[。！？][」』”’）]*+|[\n\f]""")
"""A possible end: a mark before something that is no small letter, or the end of a line."""

_ABBREVIATION = re.compile(
    r"""(?:^|[\s("'“‘\[/–-])(?:
    [A-Z](?:\.[A-Z])* |  # initials: J. K., U.S.
    Rev|Dr|Mr|Mrs|Ms|Messrs|Prof|Gen|Col|Maj|Lt|Sgt|Capt|Cmdr|Adm|Sen|Rep|Gov|Pres|Hon|Sr|Jr|St|Ste|Mt|Ft|
    Inc|Ltd|Co|Corp|Bros|Dept|Univ|Assn|Ave|Blvd|Rd|Hwy|Bldg|
    [Ee]ds?|est|approx|ca?|cf|vs?|viz|al|esp|incl|excl|i\.e|e\.g|b|d|r|fl|Ph\.D|M\.D|a\.m|p\.m
    )\.$""",
    re.VERBOSE,
)
_OFTEN_LAST = re.compile(r"(?:Inc|Ltd|Co|Corp|Jr|Sr|St|Ave|Blvd|Rd|al|est|a\.m|p\.m|\.D|[A-Z])\.$")
"""Abbreviations that may end a sentence as well; then a word follows that begins one."""

_NUMBERED = re.compile(
    r"(?:^|[\s(\[])(?:[Nn]os?|[Vv]ols?|[Ff]igs?|[Ss]ect?|[Aa]rt|[Cc]hap|[Cc]h|[Pp]p?|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|"
    r"Oct|Nov|Dec)\.$"
)
"""Abbreviations only before a number."""

_BEGINS = re.compile(
    r"\s+(?:The|It|Its|In|On|At|As|By|For|From|He|She|His|Her|They|Their|This|These|That|There|When|While|After|Before|"
    r"Although|However|An?|But|And|We|You|Since|During|With|Most|Many|Some|Other|According)\b"
)
_ITEM = re.compile(
    r"[ \t]*(?:\Z|[\n\f\-*•·|#>+=]|\d{1,3}[.)]\s|(?:[\w/().-]++ ?+){1,8}+:\s|(?=[^\n:]{0,200} / )[^\n:]{1,200}:\s)"
)
"""A line that stands on its own: blank, of a list or table, a heading, a key with its value."""

_NARROWEST, _WIDEST, _FULL = 45, 130, 0.7
"""A text is wrapped where its long lines have this many characters; a line of this share of them goes on in the next."""


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return [start, end) of the sentences of a text, and of its headings, items and lines, without white space around.

    Only the first `LONGEST` characters are looked through.
    """
    text = text[:LONGEST]
    width, begin = _wrapped_at(text), 0
    spans: list[tuple[int, int]] = []
    for found in _END.finditer(text):
        if found[0] in "\n\f":
            if width and _goes_on(text, found.start(), width):
                continue
        elif _is_abbreviation(text, found):
            continue
        _add(spans, text, begin, found.end())
        begin = found.end()
    _add(spans, text, begin, len(text))
    return spans


def _add(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    bare = piece.strip()
    if bare:
        start += len(piece) - len(piece.lstrip())
        spans.append((start, start + len(bare)))


def _is_abbreviation(text: str, found: re.Match[str]) -> bool:
    if found[0] != ".":
        return False
    before, after = text[max(0, found.start() - 12) : found.end()], text[found.end() : found.end() + 20]
    if _NUMBERED.search(before):
        return after.lstrip()[:1].isdigit()
    last = _OFTEN_LAST.search(before) and _BEGINS.match(after)
    return bool(_ABBREVIATION.search(before)) and not last


def _wrapped_at(text: str) -> float:
    """Return how long the lines of a wrapped text are, or 0."""
    lengths = sorted(len(line.strip()) for line in text[:200_000].split("\n") if len(line.strip()) > 20)
    if len(lengths) < 3:
        return 0
    long = lengths[int(len(lengths) * 0.9)]
    return long if _NARROWEST <= long <= _WIDEST else 0


def _goes_on(text: str, end: int, width: float) -> bool:
    """Tell whether the line that ends here is only wrapped: it is long, ends no sentence, and no item follows."""
    line = text[text.rfind("\n", 0, end) + 1 : end].strip()
    wrapped = len(line) >= _FULL * width and line[-1] not in ".!?:|" and line[0] not in "|#"
    return wrapped and text[end] == "\n" and not _ITEM.match(text, end + 1)
