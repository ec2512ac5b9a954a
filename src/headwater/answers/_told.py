"""An answer as it comes from outside: its form is checked before anything is computed, and its text against its value."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from headwater.errors import UsageError

_TOKEN = re.compile(r"\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|[^\W_]+")


def check_form(answer: dict[str, Any]) -> None:
    """Check the types of what a replay reads.

    Args:
        answer: the object of `headwater ask --json`.

    Raises:
        UsageError: it was not answered, or a field has another form than `headwater ask` gives it.
    """
    if answer.get("status") != "answered" or not isinstance(answer.get("inputs"), list):
        raise UsageError(
            "Only an answer with status 'answered' can be replayed.",
            hint="headwater ask … --json > answer.json",
        )
    _strings(answer, "answer", ("question", "text"), needed=False)
    values = values_told(answer)
    if not all(isinstance(v, str | int) or (isinstance(v, float) and math.isfinite(v)) for v in values):
        raise _wrong("value", "a text, a number, a truth value, or a list of these")
    _whole(values, "value")
    for told in answer["inputs"]:
        _strings(told, "inputs", ("document",))
        _strings(told, "inputs", ("sha256",), needed=False)
    if answer.get("program") is not None:
        _strings(answer["program"], "program", ("language", "source"))
    evidence = answer.get("evidence")
    if evidence is not None and not isinstance(evidence, list):
        raise _wrong("evidence", "a list")
    for told in evidence or []:
        _strings(told, "evidence", ("document", "kind", "quote"))
        _locator(told.get("locator"))
    assumed = answer.get("assumptions")
    if assumed is not None and not (isinstance(assumed, list) and all(isinstance(a, str) for a in assumed)):
        raise _wrong("assumptions", "a list of texts")


def values_told(answer: dict[str, Any]) -> list[Any]:
    """Return the values of an answer, one or several."""
    value = answer.get("value")
    return value if isinstance(value, list) else [value]


def text_problem(answer: dict[str, Any]) -> str | None:
    """Return what is wrong with an answer's text, or None: it begins with the values; what follows stands in a quote."""
    text, value = str(answer.get("text") or ""), answer.get("value")
    said = _tokens(text)
    wanted = [t for v in values_told(answer) for t in _tokens(str(v))]
    quotes = " ".join(str(e.get("quote")) for e in answer.get("evidence") or ())
    rest, quoted = said[len(wanted) :], _tokens(quotes)
    follows = not rest or any(quoted[i : i + len(rest)] == rest for i in range(len(quoted)))
    if said[: len(wanted)] == wanted and follows:
        return None
    return f"The text {text[:80]!r} says something else than the value {str(value)[:80]!r}."


def _tokens(text: str) -> list[str | float]:
    found = _TOKEN.findall(text.casefold())
    return [
        float(t.replace(",", "")) if t[0].isascii() and t[0].isdigit() and _plain(t) else t for t in found
    ]


def _plain(token: str) -> bool:
    return re.fullmatch(r"[0-9][0-9,]*(\.[0-9]+)?", token) is not None and len(token) < 300


def _locator(locator: Any) -> None:
    if not isinstance(locator, dict):
        raise _wrong("evidence", "a list of objects with a locator")
    for name in ("row", "start", "end"):
        place = locator.get(name, 0)
        if not isinstance(place, int) or isinstance(place, bool) or not 0 <= place < 2**62:
            raise _wrong(f"evidence.locator.{name}", "a whole number from 0")


def _strings(told: Any, where: str, names: Sequence[str], *, needed: bool = True) -> None:
    if not isinstance(told, dict):
        raise _wrong(where, "an object, or a list of objects")
    for name in names:
        given = told.get(name)
        if not isinstance(given, str) and (needed or given is not None):
            raise _wrong(f"{where}.{name}", "a text")
        _whole([given], f"{where}.{name}")


def _whole(texts: Sequence[Any], where: str) -> None:
    """Refuse halves of characters, which no document holds and no statement may."""
    for text in texts:
        if isinstance(text, str) and any("\ud800" <= c <= "\udfff" for c in text):
            raise _wrong(where, "made of whole characters")


def _wrong(where: str, form: str) -> UsageError:
    return UsageError(f"{where} of an answer is {form}.", hint="headwater ask … --json > answer.json")
