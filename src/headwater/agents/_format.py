"""The form in which a question wants its answer, and whether an answer has it."""

from __future__ import annotations

import re
from dataclasses import dataclass

_BRACKET = re.compile(r"\[([^\[\]]{1,120})\]")
_ROUND = re.compile(
    r"(?:round\w*|to)\s+(?:it\s+)?(?:to\s+)?(one|two|three|four|\d)\s+(?:decimal|digits?\s+after|places)",
    re.IGNORECASE,
)
_WHOLE = re.compile(
    r"round\w*\s+(?:up |down )?to\s+(?:the\s+)?(?:nearest\s+)?(?:whole|integer)", re.IGNORECASE
)
_NUMBER_ASKED = re.compile(r"\b(?:only|just)\s+the\s+number\b", re.IGNORECASE)
_YEAR_ASKED = re.compile(r"\b(?:only|just)\s+the\s+year\b", re.IGNORECASE)
_COUNTS = {"one": 1, "two": 2, "three": 3, "four": 4}
_MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"

DATE_FORMS = {
    "Month D, YYYY": rf"{_MONTH} [1-9]\d?, \d{{4}}",
    "Month DD, YYYY": rf"{_MONTH} \d{{1,2}}, \d{{4}}",
    "D Month YYYY": rf"[1-9]\d? {_MONTH} \d{{4}}",
    "Month YYYY": rf"{_MONTH} \d{{4}}",
    "Month D": rf"{_MONTH} [1-9]\d?",
    "Month": _MONTH,
    "MM/DD/YYYY": r"\d{2}/\d{2}/\d{4}",
    "DD/MM/YYYY": r"\d{2}/\d{2}/\d{4}",
    "MM/DD": r"\d{2}/\d{2}",
    "YYYY-MM-DD": r"\d{4}-\d{2}-\d{2}",
    "YYYY-MM": r"\d{4}-\d{2}",
    "YYYY": r"\d{4}",
}
"""Forms of dates as questions write them, and what fits each."""

_NUMBER = re.compile(r"[-+−]?[$€£]?\d[\d,]*(?:\.\d+)?%?")


@dataclass(frozen=True, slots=True)
class Wanted:
    """The form asked for.

    Attributes:
        parts: names of the parts of a list, or () for a single value.
        date: one of `DATE_FORMS`, or "".
        number: a bare number.
        decimals: digits after the point at most, or None.
    """

    parts: tuple[str, ...] = ()
    date: str = ""
    number: bool = False
    decimals: int | None = None

    def told(self) -> str:
        """Return the form in words, or ""."""
        if self.date:
            return self.date
        if self.parts:
            return f"{len(self.parts)} parts: {', '.join(self.parts)}"
        rounded = f" with {self.decimals} decimals" if self.decimals is not None else ""
        return f"a bare number{rounded}" if self.number else ""


def wanted(question: str) -> Wanted:
    """Return the form that a question asks for; its last pair of brackets is taken for a pattern."""
    found = _BRACKET.findall(question)
    pattern = found[-1].strip() if found else ""
    date = next((d for d in DATE_FORMS if d.lower() == pattern.lower()), "")
    parts = tuple(p.strip() for p in pattern.split(",")) if "," in pattern and not date else ()
    rounded = _ROUND.search(question)
    decimals = None
    if rounded:
        decimals = _COUNTS.get(rounded[1].lower()) or (int(rounded[1]) if rounded[1].isdigit() else None)
    elif _WHOLE.search(question):
        decimals = 0
    if not date and not parts and _YEAR_ASKED.search(question):
        date = "YYYY"
    return Wanted(parts, date, bool(_NUMBER_ASKED.search(question)) and not parts, decimals)


def unbracketed(answer: str) -> str:
    """Return what stands in the brackets of an answer, or the answer."""
    found = _BRACKET.search(answer)
    return (found[1] if found else answer.strip("[] ")).strip().strip('"').strip()


def values_in(answer: str, form: Wanted) -> list[str]:
    """Return the values of an answer: one, or as many as the form has parts."""
    text = unbracketed(answer)
    if not form.parts:
        return [text]
    pieces = [p.strip() for p in re.split(r",(?!\d{3}(?!\d))\s*|;\s*", text) if p.strip()]
    if len(pieces) < len(form.parts):
        pieces = [p.strip() for p in re.split(r"[,;]\s*", text) if p.strip()]
    return pieces


def problems(answer: str, form: Wanted) -> list[str]:
    """Return what of the form an answer does not keep, one sentence each."""
    values = values_in(answer, form)
    if not values or not all(values):
        return ["The answer is empty."]
    out = []
    if form.parts and len(values) != len(form.parts):
        out.append(
            f"The question wants {len(form.parts)} parts ({', '.join(form.parts)}), the answer has {len(values)}."
        )
    if form.date and not re.fullmatch(DATE_FORMS[form.date], values[0]):
        out.append(f"The question wants {form.date}, not {values[0]!r}.")
    if form.number and not _NUMBER.fullmatch(values[0]):
        out.append(f"The question wants only a number, not {values[0]!r}.")
    if form.decimals is not None:
        for value in values:
            places = len(value.partition(".")[2]) if _NUMBER.fullmatch(value) else 0
            if places > form.decimals:
                out.append(f"The question wants at most {form.decimals} decimals, not {value}.")
    return out
