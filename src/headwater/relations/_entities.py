"""Names of things under many spellings: keys by which a page's title, a cell and a phrase in a text find each other."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_BREAK = re.compile(r"[.;:!?]{1,3}(?:\s|$)|[()\[\]{}\n\t\"“”|]")
_PARENTHESES = re.compile(r"\s*\([^()]*\)\s*$")
_SHORT = {
    "intl": "international", "univ": "university", "mt": "mount", "st": "saint", "ft": "fort", "dept": "department",
    "assn": "association", "natl": "national", "govt": "government", "co": "county", "inc": "", "ltd": "", "jr": "", "sr": "",
    "corp": "", "plc": "", "llc": "", "the": "", "of": "", "and": "", "de": "", "international": "", "airport": "",
}  # fmt: skip
"""Abbreviations written out, and words left out, in keys of more than one word."""

_SHORT["intl"] = ""
_HEADS = (
    "mount",
    "lake",
    "saint",
    "port",
    "fort",
    "river",
    "cape",
    "university",
    "city",
    "state",
    "county",
    "province",
    "republic",
)
"""Generic words of names that a table may leave out: "Mount Tambora" stands as "Tambora"."""

_MAX_WORDS = 6


def entity_key(name: str) -> str:
    """Return a name without case, accents, punctuation, little words and legal forms; "" if nothing is left."""
    text = name
    if not text.isascii():
        text = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    words = [w.replace("'", "").replace("’", "") for w in _TOKEN.findall(text.casefold())]
    if len(words) > 1:
        kept = [w for word in words if (w := _SHORT.get(word, word))]
        words = kept or words
    return " ".join(words)


def title_keys(title: str) -> list[tuple[str, float]]:
    """Return the keys under which a page may be mentioned, with a weight (1 for the title itself).

    Weaker ones: without "(disambiguation)" 0.9; the part before a comma ("Frankfort, Kentucky") 0.7; without a
    generic word ("Mount Tambora", "University of Michigan") 0.5.
    """
    title = title.replace("_", " ").strip()
    bare = _PARENTHESES.sub("", title)
    found: dict[str, float] = {}

    def add(name: str, weight: float) -> None:
        key = entity_key(name)
        if len(key) >= 3 and not key.isdigit():
            found[key] = max(found.get(key, 0.0), weight)

    add(title, 1.0)
    add(bare, 0.9 if bare != title else 1.0)
    if ", " in bare:
        add(bare.split(", ")[0], 0.7)
    words = entity_key(bare).split()
    if 2 <= len(words) <= 3:
        rest = [w for w in words if w not in _HEADS]
        if len(rest) == len(words) - 1 and len(" ".join(rest)) >= 5:
            add(" ".join(rest), 0.5)
    return list(found.items())


def phrases(text: str, limit: int) -> Iterator[str]:
    """Yield keys of the names in a text: runs of one to six words that begin and end with a capital or a number.

    Little words ("of", "the", "de") may stand inside; a run never passes a full stop, semicolon, bracket or line break.
    Repeats are yielded once; at most `limit` keys.
    """
    seen: set[str] = set()
    for part in _BREAK.split(text):
        if not part:
            continue
        for key in _runs_of_ascii(part) if part.isascii() else _runs(part):
            if len(key) >= 3 and key not in seen and not key.isdigit():
                seen.add(key)
                yield key
                if len(seen) >= limit:
                    return


def _runs(part: str) -> Iterator[str]:
    """Yield the key of every run of a part."""
    tokens = [(m.group(), m.start(), m.end()) for m in _TOKEN.finditer(part)]
    for i, j in _spans([token for token, _, _ in tokens]):
        yield entity_key(part[tokens[i][1] : tokens[j][2]])


def _runs_of_ascii(part: str) -> list[str]:
    """Return the same keys, put together from the keys of the words: in ASCII a word is the same in any text."""
    tokens = _TOKEN.findall(part)
    if len(tokens) == 1:
        return [_word_keys(tokens[0])[0]] if tokens[0][0] < "a" else []
    words = [_word_keys(token) for token in tokens]
    found = []
    for i, j in _spans(tokens):
        run = words[i : j + 1]
        found.append(
            (" ".join([short for _, short in run if short]) if j > i else "")
            or " ".join([word for word, _ in run])
        )
    return found


def _spans(tokens: list[str]) -> list[tuple[int, int]]:
    """Return first and last place of every run; those that begin at the same word together, the shorter first."""
    strong = [
        t[0] < "a" or not t[0].isascii() for t in tokens
    ]  # capitals and digits stand before small letters
    found = []
    for i, begins in enumerate(strong):
        if not begins:
            continue
        weak = 0
        for j in range(i, min(i + _MAX_WORDS, len(tokens))):
            if strong[j]:
                weak = 0
                found.append((i, j))
            else:
                weak += 1
                if weak > 2 or len(tokens[j]) > 3:
                    break
    return found


@lru_cache(maxsize=65_536)
def _word_keys(word: str) -> tuple[str, str]:
    """Return a single word as `entity_key` has it alone, and as it stands in a longer name ("" if it is left out)."""
    key = entity_key(word)
    return key, _SHORT.get(key, key)
