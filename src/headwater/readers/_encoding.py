"""From bytes to text: byte order mark, UTF-8, then the encoding whose reading looks most like writing."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from headwater.readers._encoding_frequent import FREQUENT

_BOMS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)

SAMPLE_BYTES = 1 << 16
"""Bytes around non-ASCII characters from which an encoding is judged."""

SURE = 0.6
"""Confidence of the detector from which its guess stands against the usual Western encoding."""

ENOUGH_BYTES = 24
"""Non-ASCII bytes from which the detector's confidence counts in full."""

_NON_ASCII = re.compile(rb"[^\n\r\x80-\xff]{0,12}[\x80-\xff]+[^\n\r\x80-\xff]{0,12}")
_UTF8_SEQUENCE = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_SEVEN_BIT = (
    (re.compile(rb"\x1b\$[@B]|\x1b\$\([@BD]"), "iso2022_jp_2"),
    (re.compile(rb"\x1b\$\)C"), "iso2022_kr"),
)
"""Escape sequences that switch to double bytes (ISO/IEC 2022), by encoding."""

LANGUAGE_WEIGHT = 0.35
"""What it counts, beside plausibility, that all characters are usual ones of the language an encoding is made for."""

LANGUAGE_CHARACTERS = 8
"""Wide characters from which that counts in full."""

_MULTIBYTE = ("shift_jis", "gb18030", "big5", "euc_kr", "euc_jp")
_USUAL = frozenset(
    {"cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp874", "tis-620", "iso8859-2"}
) | {
    "iso8859-7",
    "iso8859-9",
    "iso8859-13",
    "iso8859-15",
    "koi8-r",
}
_NAMES = {
    "iso8859-1": "latin-1",
    "cp932": "shift_jis",
    "gbk": "gb18030",
    "gb2312": "gb18030",
    "cp949": "euc_kr",
    "ascii": "utf-8",
}
_COMMON_MARKS = frozenset("“”‘’«»–—…•·°£€§©®™½¼¾²³±×º¿¡\u00a0")


class Decoded(NamedTuple):
    """Text of a file.

    Attributes:
        text: the characters.
        encoding: name of the encoding ("utf-8", "utf-8-sig", "utf-16", "cp1252", "latin-1", "shift_jis" …).
        replaced: places that do not fit the encoding and were read otherwise or replaced; 0 for a clean file.
    """

    text: str
    encoding: str
    replaced: int


def decode(data: bytes) -> Decoded:
    """Decode the bytes of a whole file.

    All bytes are looked at, since a late one may decide. A byte order mark wins, then UTF-8 if every byte fits it;
    then a file that is UTF-8 but for some lines; then the most plausible among the guess of the detector and the
    usual encodings.
    """
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return _lenient(data, encoding)
    for escape, encoding in _SEVEN_BIT:
        if escape.search(data):
            try:
                return Decoded(data.decode(encoding), encoding, 0)
            except UnicodeDecodeError:
                continue
    try:
        return Decoded(data.decode("utf-8"), "utf-8", 0)
    except UnicodeDecodeError:
        pass
    if wide := utf16_without_mark(data):
        return _lenient(data, wide)
    if mostly := _mostly_utf8(data):
        return mostly
    return _lenient(data, guess_encoding(data))


def _lenient(data: bytes, encoding: str) -> Decoded:
    """Decode with replacement characters for what does not fit."""
    try:
        return Decoded(data.decode(encoding), encoding, 0)
    except UnicodeDecodeError:
        text = data.decode(encoding, errors="replace")
        return Decoded(text, encoding, text.count("\ufffd"))


def utf16_without_mark(data: bytes) -> str | None:
    """Return the UTF-16 variant of ASCII-rich text without a mark: every other byte is zero."""
    head = data[:4096]
    even, odd = head[::2].count(0), head[1::2].count(0)
    half = len(head) // 2
    if half >= 4 and odd > 0.6 * half and even < 0.1 * half:
        return "utf-16-le"
    if half >= 4 and even > 0.6 * half and odd < 0.1 * half:
        return "utf-16-be"
    return None


def _mostly_utf8(data: bytes) -> Decoded | None:
    """Decode a file of UTF-8 lines with some lines in a one-byte encoding, None if it is no such file."""
    good = bad = 0
    lines: list[str] = []
    for line in data.splitlines(keepends=True):
        try:
            text = line.decode("utf-8")
            good += not line.isascii()
        except UnicodeDecodeError:
            bad += len(_UTF8_SEQUENCE.sub(b"", bytes(b for b in line if b > 127)))
            good += len(_UTF8_SEQUENCE.findall(line))
            text = _repair(line)
        lines.append(text)
    return Decoded("".join(lines), "utf-8", bad) if good >= bad else None


def _repair(line: bytes) -> str:
    """Decode a line of UTF-8 with stray bytes, these by the usual Western encoding."""
    parts, at = [], 0
    for match in _UTF8_SEQUENCE.finditer(line):
        parts += [
            line[at : match.start()].decode("cp1252", errors="replace"),
            match[0].decode("utf-8", errors="replace"),
        ]
        at = match.end()
    return "".join([*parts, line[at:].decode("cp1252", errors="replace")])


def guess_encoding(data: bytes) -> str:
    """Return the encoding under which bytes that are not UTF-8 look most like writing."""
    import cchardet

    sample = b" ".join(match[0] for match in _NON_ASCII.finditer(data[: 8 * SAMPLE_BYTES]))[:SAMPLE_BYTES]
    if not sample:
        sample = b" ".join(match[0] for match in _NON_ASCII.finditer(data))[:SAMPLE_BYTES]
    found = cchardet.detect(data[: 16 * SAMPLE_BYTES])
    guess, confidence = (
        (found.get("encoding") or "").lower().replace("windows-", "cp"),
        found.get("confidence") or 0,
    )
    candidates = {"cp1252": 0.0, "mac_roman": -0.25}
    few = max(0.0, 1 - sum(byte > 127 for byte in sample) / 8)  # one or two odd bytes hardly are ideographs
    candidates |= {**dict.fromkeys(_MULTIBYTE, -0.05 - 0.6 * few), "cp850": -0.2 - 0.3 * few}
    try:
        guess = _canonical(guess)
        weight = min(
            1.0, sum(byte > 127 for byte in sample) / ENOUGH_BYTES
        )  # a guess from a few bytes is worth little
        base = candidates.get(guess, 0.0 if guess in _USUAL else -0.1)
        trusted = confidence >= SURE and (guess in _USUAL or guess in candidates)
        candidates[guess] = base + (0.25 * confidence * weight if trusted else 0.0)
        if guess == "koi8-r":
            candidates["koi8-u"] = candidates[guess]  # the same but for four letters
    except LookupError:
        pass
    scores = {
        name: plausibility(sample, name) + bonus
        for name, bonus in candidates.items()
        if name not in ("utf-8", "latin-1")
    }
    best = max(scores, key=lambda name: scores[name])
    if sample.decode(best, errors="replace") == sample.decode("cp1252", errors="replace"):
        best = "cp1252"  # the more usual name for the same characters
    if best == "cp1252" and not any(0x80 <= byte <= 0x9F for byte in set(data)):
        return "latin-1"  # the two agree on these bytes; the smaller one is named
    return best


def _canonical(name: str) -> str:
    import codecs

    name = codecs.lookup(name).name
    return _NAMES.get(name, name)


def plausibility(sample: bytes, encoding: str) -> float:
    """Return how much the non-ASCII bytes of a sample look like writing under an encoding, about -3 to 1.2 a byte.

    Letters in words of one script with regular case count for it; mixed scripts, capitals inside words, control and
    private characters against it; kana and common ideographs for the encodings of East Asia.
    """
    try:
        text = sample.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        text = sample[:-1].decode(encoding, errors="replace")
    total, characters = 0.0, 0
    previous = " "
    for index, char in enumerate(text):
        if char >= "\x80":
            characters += 1
            following = text[index + 1] if index + 1 < len(text) else " "
            total += _judge(char, previous, following)
        previous = char
    return total / max(1, characters) + _usual(text, encoding)


def _usual(text: str, encoding: str) -> float:
    """Return how far the wide characters of a text are usual ones of the language an encoding is made for, -1 to 0.35.

    Ideographs by their frequency; in Korean they are rare, syllables are the rule; kana stand in Japanese only.
    """
    scripts = [_script(char) for char in text]
    han, kana, hangul = (scripts.count(name) for name in ("han", "kana", "hangul"))
    wide = han + kana + hangul
    if encoding not in _MULTIBYTE or not wide:
        return 0.0
    if encoding == "euc_kr":
        usual, foreign = hangul, kana
    else:
        usual = sum(char in FREQUENT[encoding] for char in text)
        foreign = 0
        if encoding in ("shift_jis", "euc_jp"):
            usual += kana
        else:
            foreign = kana
    return (LANGUAGE_WEIGHT * usual - foreign) / wide * min(1.0, wide / LANGUAGE_CHARACTERS)


def _judge(char: str, before: str, after: str) -> float:
    """Return how much one non-ASCII character looks like writing between its neighbours."""
    category = unicodedata.category(char)
    if char == "\ufffd" or category in ("Cc", "Co", "Cn"):
        return -4.0
    script = _script(char)
    around = [_script(other) for other in (before, after) if other.isalpha()]
    if script in ("han", "kana", "hangul"):
        if "latin" in around:
            return -0.5
        if script == "han" and not any(_script(other) in ("han", "kana") for other in (before, after)):
            return 0.4  # alone: it may be two letters of another encoding
        return 1.0 if script != "han" or _is_common_han(char) else 0.2
    if category[0] == "L":
        if any(other != script for other in around):
            return -2.0
        if category == "Lu" and before.islower():
            return -1.0
        if category == "Lo" and script in ("latin", "other"):  # ª, º and half-width kana
            return -0.5
        return (0.9 if around else 0.0) - (0.3 if script == "other" else 0.0)
    if char in _COMMON_MARKS or script == "wide":
        return 0.95 if _is_quote_in_place(char, before, after) else 0.4
    return -0.8


def _is_quote_in_place(char: str, before: str, after: str) -> bool:
    """Tell an apostrophe inside a word, and quotation marks that open before a word or close after one."""
    if char == "’":
        return before.isalpha() and (after.isalpha() or not after.strip())
    return (char in "“‘" and after.isalpha() and not before.isalpha()) or (
        char == "”" and not after.isalpha() and not before.isspace()
    )


def _script(char: str) -> str:
    code = ord(char)
    for name, low, high in (
        ("latin", 0x41, 0x24F),
        ("greek", 0x370, 0x3FF),
        ("cyrillic", 0x400, 0x52F),
        ("hebrew", 0x590, 0x5FF),
        ("arabic", 0x600, 0x6FF),
        ("thai", 0xE00, 0xE7F),
        ("wide", 0x3000, 0x303F),
        ("kana", 0x3040, 0x30FF),
        ("han", 0x3400, 0x9FFF),
        ("hangul", 0xAC00, 0xD7AF),
        ("wide", 0xFF00, 0xFF60),
    ):
        if low <= code <= high:
            return name
    return "other"


def _is_common_han(char: str) -> bool:
    """Tell whether an ideograph is in the first levels of GB 2312 or JIS X 0208, ordered by use."""
    for encoding, low, high in (("gb2312", 0xB0, 0xD7), ("shift_jis", 0x88, 0x97), ("big5", 0xA4, 0xC6)):
        try:
            code = char.encode(encoding)
        except UnicodeEncodeError:
            continue
        if low <= code[0] <= high:
            return True
    return False
