"""Words of questions, headers and cells: one way to cut and to reduce them, and the vocabulary that goes with it."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

_TOKEN = re.compile(r"\d+(?:,\d{3})+(?:\.\d+)?|\d+\.\d+|\d+(?:st|nd|rd|th)?\b|\d+|[^\W\d_]+")
_ORDINAL = re.compile(r"^(\d+)(?:st|nd|rd|th)$")
_NUMERAL = re.compile(r"(\d[\d,]*\.?\d*)(?:st|nd|rd|th)?")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z])(?=\d)|_")
_SUFFIXES = (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x"), ("s", ""))
_CARDINALS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
]
_ORDINALS = [
    "zeroth",
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
]


@lru_cache(maxsize=200_000)
def plain(text: str) -> str:
    """Return a text in lower case without accents, typographic marks and possessive endings."""
    flat = unicodedata.normalize("NFKD", text.translate(_MARKS)).lower()
    flat = "".join(c for c in flat if not unicodedata.combining(c))
    return re.sub(r"(?<=[^\W\d])'s\b|(?<=s)'(?=\s|$)", "", flat)


_MARKS = str.maketrans({"–": "-", "—": "-", "−": "-", "’": "'", "‘": "'", "“": '"', "”": '"', "\xa0": " "})


@lru_cache(maxsize=100_000)
def words(text: str) -> tuple[str, ...]:
    """Return the words and numbers of a text, plain; "3rd" is "3"."""
    return tuple(_ORDINAL.sub(r"\1", w) for w in _TOKEN.findall(plain(text)))


def header_words(name: str) -> tuple[str, ...]:
    """Return the words of a column's name; `camelCase`, `snake_case` and attached digits are parted."""
    return words(_CAMEL.sub(" ", name))


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Return a word without the ending of the plural (the S-stemmer of Harman, 1991, a little extended)."""
    if len(word) <= 3 or word[0].isdigit() or word.endswith(("ss", "us", "is")):
        return word
    for ending, instead in _SUFFIXES:
        if word.endswith(ending):
            return word[: -len(ending)] + instead
    return word


@lru_cache(maxsize=50_000)
def root(word: str) -> str:
    """Return a coarser form, in which "played", "playing" and "plays" meet (Porter, 2001), and "caught" and "catch"."""
    if word[:1].isdigit():
        return word
    found = _stemmer().analyze(_irregular().get(word, word))
    return str(found[0]) if found else word


@cache
def _stemmer() -> Any:
    from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

    return TextAnalyzerBuilder(Tokenizer.whitespace()).filter(Filter.stemmer("english")).build()


@cache
def _vocabulary() -> dict[str, Any]:
    return tomllib.loads(files("headwater.answers").joinpath("lexicon.toml").read_text("utf-8"))


@cache
def _irregular() -> dict[str, str]:
    return {form: base for base, forms in _vocabulary()["irregular"].items() for form in forms.split()}


def numeral(word: str) -> float | None:
    """Return the number that a word writes: digits, an ordinal, or a small number word."""
    if word in _CARDINALS:
        return float(_CARDINALS.index(word))
    if word in _ORDINALS:
        return float(_ORDINALS.index(word))
    match = _NUMERAL.fullmatch(word)
    return float(match[1].replace(",", "")) if match else None


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The vocabulary (see lexicon.toml).

    Attributes:
        totals, regions: names of rows that add up others.
        stop, light: words without content, and words with little.
        counting, links: nouns that only count, and words between the nouns of a header.
        yes, no: cells that say so.
        topology: words that speak of tables and their links, not of what is in them.
        kinds: kind of a value in a text → pattern of the questions that ask for it, in order.
        times, addresses: words that ask for a time, and for an address on the web.
        articles, timely: words that may stand before a noun, and superlatives of time.
        unsaid: names of columns that do not say what they hold.
        forms: name of a question's form → pattern, in order.
        triggers: phrase → operators it may call for.
        comparators: phrase → comparison sign; `time_comparators` those before years and dates.
        superlatives: word → words of columns it speaks of.
        directions: lists that tell when a superlative turns round.
        synonyms: stem of a question's word → stems of header words.
        nations: name of a nation or its people → all such names of it.
        codes: name of a state → its code, as cells may hold it; questions do not.
        outcomes: word for the outcome of a game → all such words for it.
    """

    totals: frozenset[tuple[str, ...]]
    regions: frozenset[tuple[str, ...]]
    stop: frozenset[str]
    light: frozenset[str]
    counting: frozenset[str]
    links: frozenset[str]
    yes: frozenset[str]
    no: frozenset[str]
    times: frozenset[str]
    addresses: frozenset[str]
    articles: frozenset[str]
    timely: frozenset[str]
    unsaid: frozenset[str]
    topology: frozenset[str]
    kinds: dict[str, re.Pattern[str]]
    forms: dict[str, re.Pattern[str]]
    triggers: dict[tuple[str, ...], tuple[str, ...]]
    comparators: dict[tuple[str, ...], str]
    time_comparators: dict[tuple[str, ...], str]
    superlatives: dict[str, frozenset[str]]
    directions: dict[str, frozenset[str]]
    synonyms: dict[str, frozenset[str]]
    nations: dict[tuple[str, ...], tuple[tuple[str, ...], ...]]
    codes: dict[tuple[str, ...], tuple[tuple[str, ...], ...]]
    outcomes: dict[str, frozenset[str]]


@cache
def lexicon() -> Lexicon:
    """Return the vocabulary, read once."""
    data = _vocabulary()
    triggers: dict[tuple[str, ...], list[str]] = {}
    for operator, phrases in data["triggers"].items():
        for phrase in phrases:
            triggers.setdefault(words(phrase), []).append(operator)
    timed = data["comparators"]["time"]
    return Lexicon(
        totals=frozenset(map(words, data["rows"]["totals"])),
        regions=frozenset(map(words, data["rows"]["regions"])),
        stop=frozenset(data["words"]["stop"].split()),
        light=frozenset(map(root, data["words"]["light"].split())),
        counting=frozenset(data["words"]["counting"].split()),
        links=frozenset(data["words"]["links"].split()),
        yes=frozenset(data["words"]["yes"].split()),
        no=frozenset(data["words"]["no"].split()),
        topology=frozenset(map(stem, data["words"]["topology"].split())),
        kinds={name: re.compile(pattern) for name, pattern in data["kinds"].items()},
        times=frozenset(data["words"]["times"].split()),
        addresses=frozenset(data["words"]["addresses"].split()),
        articles=frozenset(data["words"]["articles"].split()),
        timely=frozenset(data["words"]["timely"]),
        unsaid=frozenset(data["words"]["unsaid"].split()),
        forms={name: re.compile(pattern) for name, pattern in data["forms"].items()},
        triggers={phrase: tuple(names) for phrase, names in triggers.items()},
        comparators={
            words(p): sign for sign, ps in data["comparators"].items() if sign != "time" for p in ps
        },
        time_comparators={words(p): sign for sign, ps in timed.items() for p in ps},
        superlatives={w: frozenset(map(stem, ws)) for w, ws in data["superlatives"].items()},
        directions={name: frozenset(ws) for name, ws in data["directions"].items()},
        nations={
            words(name): tuple(map(words, group))
            for group in data["equivalents"]["nations"]
            for name in group
        },
        codes={words(name): (words(code),) for name, code in data["equivalents"]["states"]},
        outcomes={name: frozenset(group) for group in data["equivalents"]["outcomes"] for name in group},
        synonyms={stem(w): frozenset(map(stem, ws)) for w, ws in data["synonyms"].items()},
    )
