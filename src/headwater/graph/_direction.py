"""Which way the data flows between the tables of a question: from the named table on, or towards it."""

from __future__ import annotations

import re
from functools import cache

from headwater.graph import _lexicon as lexicon

_CLAUSES = re.compile(r"[.?!;:,]| - |\(|\)|\b(?:so|because|but|since) ")
_WH = r"(?:which|what|who|where|whatever|everything|anything|anyone|things?|tables?|feeds?|all|ones?|extracts?|sources?|rows?|that)"


@cache
def _verbs(forward: bool) -> re.Pattern[str]:
    verbs = lexicon.FLOW_OUT if forward else lexicon.FLOW_IN
    longest_first = sorted(verbs, key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(longest_first)})(?![\w])")


_ASKED_PREPOSITION = {
    # "from which tables is T1 loaded", "into which tables does T1 flow"
    "up": re.compile(r"\b(?:from|out of|of|off|on) (?:which|what|where)(?: \w+){0,2} (?:is|are|was|were|does|do|did|has|have|will|can) (?P<table>T\d+)"),
    "down": re.compile(r"\b(?:into|to|in|by) (?:which|what)(?: \w+){0,2} (?:is|are|does|do|did|will|can) (?P<table>T\d+) (?:flow|feed|load|go|propagat|writ|push|land|end|contribut|merged|loaded|written|fed|used|read|consumed)\w*"),
}  # fmt: skip
_OBJECT = {
    True: re.compile(rf"{lexicon.ADVERBS}(?: (?:to|into))? (?P<table>T\d+)"),
    False: re.compile(rf"{lexicon.ADVERBS}(?: (?:from|out of|off))? (?P<table>T\d+)"),
}
_NOUN = {
    "up": (
        re.compile(rf"\b{lexicon.NOUN_UP}(?: (?!T\d|of|for|to|is|are|does|do)\w+){{0,3}}(?: \([^)]*\))? (?:of|for|to|behind) (?P<table>T\d+)"),
        re.compile(rf"(?P<table>T\d+) 's (?:\w+ ){{0,2}}?{lexicon.NOUN_UP}\b"),
        re.compile(rf"(?P<table>T\d+) (?:has|have|with) (?!T\d)(?:\w+ ){{0,4}}?{lexicon.NOUN_UP}\b"),
        re.compile(r"\bbackwards? (?:\w+ ){0,2}?(?:from|of|starting (?:at|from)) (?P<table>T\d+)"),
        re.compile(r"\b(?:trace|follow|walk|track|go)\w* (?P<table>T\d+) (?:\w+ ){0,3}?(?:back|backwards?|upstream|up(?! to))\b"),
        re.compile(r"\b(?:behind|before|upstream of|upstream from|above|ahead of|prior to) (?P<table>T\d+)"),
        re.compile(r"\b(?:re-?)?(?:build|create|load|populate|refresh|produce|fill|compute) (?P<table>T\d+) .*\b(?:from|sources?|inputs?|extract|need|read|used?|required)\b"),
    ),
    "down": (
        re.compile(rf"\b{lexicon.NOUN_DOWN}(?: (?!T\d|of|for|to|is|are|does|do)\w+){{0,3}}(?: \([^)]*\))? (?:of|for|from) (?P<table>T\d+)"),
        re.compile(rf"(?P<table>T\d+) 's (?:\w+ ){{0,2}}?{lexicon.NOUN_DOWN}\b"),
        re.compile(rf"(?P<table>T\d+) (?:has|have|with) (?!T\d)(?:\w+ ){{0,4}}?{lexicon.NOUN_DOWN}\b"),
        re.compile(r"\bforwards? (?:\w+ ){0,2}?(?:from|of|starting (?:at|from)) (?P<table>T\d+)"),
        re.compile(r"\b(?:trace|follow|walk|track|go)\w* (?P<table>T\d+) (?:\w+ ){0,3}?(?:forwards?|downstream|down|up to)\b"),
        re.compile(r"\bnext (?:stop|step|hop|station)s? (?:\w+ )?(?:for|of|from|after) (?:the )?(?P<table>T\d+)"),
        re.compile(r"\b(?:after|downstream of|downstream from|below|beyond|beneath|past) (?P<table>T\d+)"),
        re.compile(r"\b(?:built|based|sitting|standing|live|lives|sit|sits) on(?: top of)? (?P<table>T\d+)"),
    ),
}  # fmt: skip
_INVERTED = {
    # "is T1 a source of …", "T1 is upstream of what", "have T1 as a parent": the noun describes T1 itself
    "down": re.compile(
        rf"(?P<table>T\d+) (?:is |are |be |was |being )?(?:listed |used |named |taken |declared )?(?:as |among |amongst )?(?:one of )?(?:an? |the |their |its |his )?(?:\w+ ){{0,2}}?{lexicon.NOUN_UP}\b(?! (?:does|do|is|are))"
    ),
    "up": re.compile(
        rf"(?P<table>T\d+) (?:is |are |be |was |being )?(?:listed |used |named |taken |declared )?(?:as )?(?:one of )?(?:an? |the |their |its |his )?(?:\w+ ){{0,2}}?{lexicon.NOUN_DOWN}\b(?! (?:does|do|is|are))"
    ),
}
_ADVERBIAL = {
    # "T1 is upstream of which tables", "what is T1 downstream of": nothing named after "of"
    "down": re.compile(
        r"(?P<table>T\d+) (?:(?:is|are|sit|sits|lie|lies) )?(?:\w+ )?upstream (?:of|from)(?! T)"
    ),
    "up": re.compile(
        r"(?P<table>T\d+) (?:(?:is|are|sit|sits|lie|lies) )?(?:\w+ )?downstream (?:of|from)(?! T)"
    ),
}


_FILLERS = re.compile(
    r"(?: ,)? (?:\( )?\b(?:directly|straight|immediately|currently|actually|ultimately|eventually|transitively|indirectly|mainly|"
    r"right(?= (?:out|from|off|into|on)\b)|sooner or later|in the end|later on|over time|at any point|somehow|in any way)\b(?: \))?(?: ,)?"
)


def votes(text: str) -> dict[str, set[str]]:
    """Return for each table code the directions ("up": what feeds it, "down": what it feeds) that the wording implies."""
    found: dict[str, set[str]] = {}
    topic = ""
    text = re.sub(r" +", " ", _FILLERS.sub(" ", text))
    for clause in filter(None, map(str.strip, _CLAUSES.split(text))):
        for table, direction in _clause(clause, topic):
            found.setdefault(table, set()).add(direction)
        named = re.findall(r"T\d+", clause)
        topic = named[-1] if named else topic
    return found


def _clause(clause: str, topic: str) -> list[tuple[str, str]]:
    got: list[tuple[str, str]] = []
    taken: list[tuple[int, int]] = []
    for direction in ("down", "up"):
        for match in _ADVERBIAL[direction].finditer(clause):
            got.append((match["table"], direction))
            taken.append(match.span())
        for match in _INVERTED[direction].finditer(clause):
            words = clause[match.start() : match.end()].split()
            if (
                {"as", "among", "amongst"} & set(words) or re.search(r"\b(?:a|an|the|one of the)\b", match[0])
            ) and _copular(clause, match):
                got.append((match["table"], direction))
                taken.append(match.span())
    for direction, asked in _ASKED_PREPOSITION.items():
        got += [(match["table"], direction) for match in asked.finditer(clause)]
    if got:
        return got
    for direction, patterns in _NOUN.items():
        for pattern in patterns:
            for match in pattern.finditer(clause):
                if not _overlaps(match.span(), taken):
                    got.append((match["table"], direction))
    for forward in (True, False):
        for match in _verbs(forward).finditer(clause):
            noun = _NOUN_CONTEXT.search(clause[: match.start()]) and match.group() in _NOUN_FORMS
            if not noun and not _overlaps(match.span(), taken) and not _shadowed(clause, match, forward):
                got += _attach(clause, match, forward, topic)
    return got


_NOUN_FORMS = frozenset({"feeds", "loads", "uses", "sources", "draws", "forms", "builds", "load", "feed"})
_NOUN_CONTEXT = re.compile(
    r"\b(?:multiple|several|many|all|the|its|every|each|other|direct|data|different|of|more|two|three|bad|failed|a|nightly|daily)(?: \w+ing)? $"
)


def _copular(clause: str, match: re.Match[str]) -> bool:
    """Tell "is T1 a source of" and "have T1 as a source" from "for T1 the sources"."""
    before = clause[: match.start()].split()
    return (
        bool(re.search(r" (?:as|among|amongst) ", match[0]))
        or bool(re.search(r" (?:is|are|be|was|being) ", match[0]))
        or before[-1:] in (["is"], ["are"], ["was"], ["be"])
    )


def _shadowed(clause: str, match: re.Match[str], forward: bool) -> bool:
    """Tell whether the match is part of a longer phrase of the other kind ("loaded from" within "loaded")."""
    other = _verbs(not forward)
    return any(
        o.start() <= match.start()
        and o.end() >= match.end()
        and o.end() - o.start() > match.end() - match.start()
        for o in other.finditer(clause)
    )


def _overlaps(span: tuple[int, int], taken: list[tuple[int, int]]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in taken)


def _attach(clause: str, verb: re.Match[str], forward: bool, topic: str) -> list[tuple[str, str]]:
    """Find out whether the table is the subject or the object of a verb."""
    as_subject, as_object = ("down", "up") if forward else ("up", "down")
    found = []
    after = _OBJECT[forward].match(clause, verb.end())
    if after:
        found.append((after["table"], as_object))
    before = clause[: verb.start()]
    named = list(re.finditer(r"T\d+", before))
    if named:
        between = before[named[-1].end() :]
        relative = re.search(rf"\b{_WH}\b", between) and not re.search(r"\bthat\b.*\b(?:is|are)\b", between)
        if not relative and (not after or after["table"] != named[-1][0]):
            found.append((named[-1][0], as_subject))
        elif relative and not after:
            found.append((named[-1][0], as_object))
    elif topic and not after:
        subject_is_wh = re.search(rf"\b{_WH}(?: \w+)?{lexicon.ADVERBS} ?$", before.strip()) is not None
        if subject_is_wh and verb.end() == len(clause):
            found.append((topic, as_object))
        elif not before.strip() or re.fullmatch(
            r"(?:is|are|was|and|it|from what|where)(?: \w+)?", before.strip()
        ):
            found.append((topic, as_subject))
    return found


_NOUN_ONLY = {
    "up": re.compile(
        rf"\b{lexicon.NOUN_UP}\b|\b(?:causes?|culprits?|suspects?|to blame)\b|\bbackwards?\b|\b(?:go|going|goes|walk|walking|work|working) back\b|\b(?:steps?|hops?|levels?) (?:back|up|earlier|before|upstream)\b"
    ),
    "down": re.compile(
        rf"\b{lexicon.NOUN_DOWN}\b|\bforwards?\b|\b(?:steps?|hops?|levels?) (?:ahead|forward|later|down|downstream|on)\b"
    ),
}


def noun_direction(text: str) -> str:
    """Return the direction that bare nouns imply ("T1, sources?"), or "" if they imply none or both."""
    got = [direction for direction, pattern in _NOUN_ONLY.items() if pattern.search(text)]
    return got[0] if len(got) == 1 else ""


def direction_of(text: str, table: str) -> str:
    """Return "up" or "down" for the one table of a question, or "" if the wording leaves it open."""
    got = votes(text).get(table, set())
    if len(got) == 1:
        return next(iter(got))
    return noun_direction(text) if not got else ""


def flow_between(text: str, first: str, second: str) -> tuple[str, str] | None:
    """Return (source, target) for a question about a flow between two tables, or None if the wording leaves it open."""
    got = votes(text)
    pairs = set()
    for table, other in ((first, second), (second, first)):
        for direction in got.get(table, ()):
            pairs.add((table, other) if direction == "down" else (other, table))
    return next(iter(pairs)) if len(pairs) == 1 else None
