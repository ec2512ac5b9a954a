"""Text that a person does not see: characters without a shape, and how they are told.

Tag characters (Unicode 16.0, section 23.9) and long runs of zero-width characters can carry a message to a program
that no reader of the document sees; overrides of the writing direction (Unicode Standard Annex 9) make a text read
differently from how it is stored.
"""

from __future__ import annotations

import re
from pathlib import Path

_LEAST_WORDS, _LEAST_IDEOGRAPHS = 3, 6
_WORDS = re.compile(r"[^\W\d_]{2,}")
_IDEOGRAPHS = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_TAGS = re.compile("[\U000e0000-\U000e007f]+")
_FLAG = re.compile("\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,6}\U000e007f")
_OVERRIDES = re.compile("[\u202d\u202e]")
_ZERO_WIDTH = re.compile("[\u200b\u2060\u180e\ufeff]")
_IN_WORD = re.compile("(?<=[A-Za-z0-9])[\u200b\u2060\u180e\ufeff]+(?=[A-Za-z0-9])")
_RUN = re.compile("[\u200b-\u200f\u2060-\u2064\u180e\ufeff\U000e0100-\U000e01ef]{8,}")

_MARKS = tuple(mark.encode() for mark in "\u200b\u2060\u180e\ufeff\u202d\u202e") + (
    b"\xf3\xa0\x80",
    b"\xf3\xa0\x81",
    b"\xf3\xa0\x84",
)
_LIMIT = 64 << 20


def is_message(text: str) -> bool:
    """Tell whether a hidden text is long enough to say something; sort keys and the like are not."""
    return len(_WORDS.findall(text)) >= _LEAST_WORDS or len(_IDEOGRAPHS.findall(text)) >= _LEAST_IDEOGRAPHS


def hidden_warning(texts: list[str], where: str = "") -> list[str]:
    """Return the warning about hidden texts, [] if none says anything.

    The texts are counted and not quoted: a warning is read by programs too, which the text may be meant for.
    """
    told = [text for text in dict.fromkeys(texts) if is_message(text)]
    if not told:
        return []
    words = sum(len(text.split()) for text in told)
    return [f"Text that no reader sees ({words} words in {len(told)} places{where}) is left out."]


def strip_tags(text: str) -> str:
    """Return the text without tag characters; the flags of regions, which are written with them, stay."""
    if not _TAGS.search(text):
        return text
    kept = [flag.group() for flag in _FLAG.finditer(text)]
    pieces = [_TAGS.sub("", piece) for piece in _FLAG.split(text)]
    out = [pieces[0]]
    for flag, piece in zip(kept, pieces[1:], strict=True):
        out += [flag, piece]
    return "".join(out)


def describe_invisible(text: str) -> list[str]:
    """Return warnings about the invisible characters of a text, [] if there are none."""
    found = []
    bare = _FLAG.sub("", text)
    tags = _TAGS.findall(bare)
    if tags:
        found.append(
            f"{sum(map(len, tags))} invisible tag characters, which spell a hidden text, are left out."
        )
    overrides = len(_OVERRIDES.findall(bare))
    if overrides:
        found.append(
            f"{overrides} characters override the direction of writing: the text is stored in another order than it shows."
        )
    runs = len(_RUN.findall(bare))
    if runs:
        found.append(f"{runs} long runs of zero-width characters, which may hold a hidden text.")
    inside = len(_IN_WORD.findall(bare))
    if inside and not runs:
        found.append(f"Zero-width characters stand inside {inside} words; search finds the plain spelling.")
    return found


def invisible_warnings(path: Path) -> list[str]:
    """Return warnings about the invisible characters in a file of UTF-8 text (its first 64 MiB)."""
    with path.open("rb") as stream:
        data = stream.read(_LIMIT)
    if not any(mark in data for mark in _MARKS):
        return []
    return describe_invisible(data.decode("utf-8", errors="ignore").removeprefix("\ufeff"))
