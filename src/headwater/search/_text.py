"""From text to search terms, one way for everything that is indexed and everything that is asked.

Two steps. `normalise` works on characters: Unicode NFKC, invisible characters away, marks of Latin, Greek, Cyrillic,
Hebrew and Arabic letters folded, runs of scripts without spaces cut into overlapping pairs. `analyzer` then splits at
everything that is not a letter or digit, lowers case and stems (Snowball for English, Russian and Arabic, each of
which leaves the words of the others alone).
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tantivy import TextAnalyzer

MAX_TERM = 64
"""Bytes of a word beyond which it is not indexed: base64, hashes in a row, and the like."""

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u2069\u206a-\u206f"
    "\ua66e\ufe00-\ufe0f\ufeff\ufff9-\ufffb\U000e0000-\U000e01ef]"
)
"""Characters of Unicode's Default_Ignorable_Code_Point and the bidirectional controls (UAX #44, UAX #9)."""

_MARKS = re.compile(
    "[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed]+"
)
"""Combining marks that are left out in everyday spelling; those of Indic scripts and of Kana change the letter."""

_ARABIC = str.maketrans(
    {"أ": "ا", "إ": "ا", "آ": "ا", "ٱ": "ا", "ى": "ي", "ی": "ي", "ک": "ك", "ة": "ه", "ـ": None}
)
"""Spelling variants of Arabic letters (orthographic normalisation of Larkey, Ballesteros and Connell 2002)."""

_ARABIC_ARTICLE = re.compile(r"\b(?:و?(?:ال|بال|كال|فال)|و?لل)(?=[\u0621-\u064a]{3})")
"""Article with the particles written together with it (the prefixes of light10, same source)."""

_THAI_TONES = re.compile("[\u0e47-\u0e4e]")

_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003134f\u3005]+"
)
"""Runs of Thai, Lao, Burmese, Khmer, Kana, Han and Hangul."""

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])")


PADDING = "\ua66e"
"""A letter that `normalise` takes away, so that no text and no query holds it; see `padding`."""


def padding(words: int) -> str:
    """Return text that nothing finds and that counts as so many words.

    BM25 compares the length of a field with its mean length. Tantivy takes the mean over all records; where most lack
    a field, those that have it would look long and score low. An empty field is filled up to the usual length instead.
    """
    return f"{PADDING} " * words


def normalise(text: str) -> str:
    """Return `text` as it is handed to the analyzer; same words, other characters."""
    if text.isascii():
        return text
    text = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
    text = unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFD", text)))
    if re.search("[\u0600-\u06ff]", text):
        text = _ARABIC_ARTICLE.sub("", text.translate(_ARABIC))
    return _UNSPACED.sub(_pairs, text)


def _pairs(run: re.Match[str]) -> str:
    letters = _THAI_TONES.sub("", run[0])
    if len(letters) < 2:
        return f" {letters} "
    return f" {' '.join(letters[i : i + 2] for i in range(len(letters) - 1))} "


def name_words(name: str) -> str:
    """Return a name of a file, folder or column with its words apart: "homeTeam2014" gives "home Team 2014".

    The name itself is given too where it differs, so that it is found both ways.
    """
    apart = _CAMEL.sub(" ", name)
    return name if apart == name else f"{apart} {name}"


@cache
def analyzer() -> TextAnalyzer:
    """Return the analyzer that the index and the queries share."""
    import tantivy

    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    for step in (
        tantivy.Filter.remove_long(MAX_TERM),
        tantivy.Filter.lowercase(),
        tantivy.Filter.ascii_fold(),
        tantivy.Filter.stemmer("english"),
        tantivy.Filter.stemmer("russian"),
        tantivy.Filter.stemmer("arabic"),
    ):
        builder = builder.filter(step)
    return builder.build()


def terms_of(text: str) -> list[str]:
    """Return the search terms of a text, in order."""
    return list(analyzer().analyze(normalise(text)))


@lru_cache(maxsize=65_536)
def word_terms(word: str) -> tuple[str, ...]:
    """Return the search terms of one word (cached: snippets ask for the same words again and again)."""
    return tuple(terms_of(word))


def fold_word(word: str) -> str:
    """Return a word in lower case without accents, unstemmed."""
    return normalise(word).casefold().strip()


def has_unspaced(text: str) -> bool:
    """Return whether a text holds letters of a script written without spaces."""
    return not text.isascii() and _UNSPACED.search(text) is not None
