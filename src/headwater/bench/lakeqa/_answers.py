"""Scores of an answer: exact match as LakeQA's harness counts it and without its cleaning, lenient, token F1.

Source: the released evaluation code as `lakeagent/datalake-qa` (c4d78c6) has it; the form of a number is ours, since
only "exactly one number" is told.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

_BRACKETS = re.compile(r"\[(.*?)\]", re.DOTALL)
_LEAD = re.compile(r"\s*(?:final\s+)?answer\s*:\s*", re.IGNORECASE)
_NUMBER = re.compile(r"-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?")
_QUOTES = "\"'“”‘’`"


def clean(text: str) -> str:
    """Return a submitted text as the harness cleans it before scoring.

    The first bracketed part is taken; a leading "answer:" or "final answer:" and quotation marks around it go; and if
    exactly one number is left, only that number stays, without thousands separators: "June 2014" becomes "2014".
    """
    found = _BRACKETS.search(text)
    inner = found[1] if found else text
    inner = _LEAD.sub("", inner, count=1) if _LEAD.match(inner) else inner
    inner = inner.strip().strip(_QUOTES).strip()
    numbers = _NUMBER.findall(inner)
    return numbers[0].replace(",", "") if len(numbers) == 1 else inner


def normalise(value: Any) -> str:
    """Return lower case with blanks for whatever is neither a word character nor white space, blanks collapsed."""
    return " ".join(re.sub(r"[^\w\s]", " ", str(value).lower()).split())


def exact(answer: Any, reference: Any, *, cleaned: bool = True) -> bool:
    """Return whether an answer equals the reference after normalisation; an empty answer never does.

    Args:
        answer: as submitted; None is no answer.
        reference: the reference answer, which is never cleaned.
        cleaned: clean the answer before, as the harness does.
    """
    text = "" if answer is None else str(answer)
    got = normalise(clean(text) if cleaned else text)
    return bool(got) and got == normalise(reference)


def strict(answer: Any, reference: Any) -> bool:
    """Return whether an answer equals the reference, as submitted or as the harness cleans it.

    Cleaning alone fails right answers such as "June 2014"; without it "[28 stations]" fails for "28".
    """
    return exact(answer, reference) or exact(answer, reference, cleaned=False)


def lenient(answer: Any, references: Iterable[Any]) -> bool:
    """Return whether an answer equals one of the references in the sense of `strict`. Not LakeQA's EM."""
    return any(strict(answer, r) for r in references)


def token_f1(answer: Any, reference: Any) -> float:
    """Return the F1 of the overlap of the two multisets of tokens, of the cleaned answer and the reference."""
    got = Counter(normalise(clean("" if answer is None else str(answer))).split())
    wanted = Counter(normalise(reference).split())
    shared = sum((got & wanted).values())
    return 2 * shared / (got.total() + wanted.total()) if shared else 0.0
