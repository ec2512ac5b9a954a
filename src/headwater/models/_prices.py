"""Prices per model, kept as data with their date. A model that is not listed has no price, which is not a price of zero."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources

from headwater.errors import UsageError


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens, input and output, and the day it was noted ("" if the user gave it)."""

    input: float
    output: float
    noted: str = ""

    def usd(self, input_tokens: int, output_tokens: int) -> float:
        """Return the price of a call in US dollars."""
        return (input_tokens * self.input + output_tokens * self.output) / 1e6

    @classmethod
    def parse(cls, text: str) -> Price:
        """Read "IN,OUT", for instance "0.15,0.60".

        Raises:
            UsageError: it is not two numbers from 0.
        """
        try:
            first, second = (float(part) for part in text.split(","))
        except ValueError:
            first = second = -1.0
        if first < 0 or second < 0:
            raise UsageError(
                f"{text!r} is no price.", hint="Write USD per million tokens, input and output: 0.15,0.60"
            )
        return cls(first, second)


@cache
def _table() -> dict[str, Price]:
    value = json.loads(
        resources.files("headwater.models").joinpath("prices.json").read_text(encoding="utf-8")
    )
    return {
        name: Price(price[0], price[1], value["noted"])
        for name, price in value["usd_per_million_tokens"].items()
    }


def price_of(provider: str, name: str) -> Price | None:
    """Return the listed price of a model, None if there is none.

    A dated version ("gpt-4o-2024-08-06") has the price of its undated name. A model on one's own machine costs nothing.
    """
    table = _table()
    if f"{provider}:*" in table:
        return table[f"{provider}:*"]
    full = f"{provider}:{name}"
    if full in table:
        return table[full]
    undated = full.rstrip("0123456789-")
    return (
        table.get(undated) if full[len(undated) :].startswith("-") and len(full) - len(undated) >= 9 else None
    )
