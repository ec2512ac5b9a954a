"""Prices per call: what the user gave, or a nominal list price. A model without one has no price, which is not zero."""

from __future__ import annotations

import datetime as dt
import importlib.metadata
from dataclasses import dataclass, replace
from typing import Protocol

from headwater.errors import UsageError
from headwater.models._messages import Usage


class Pricing(Protocol):
    """Puts a price on usage."""

    @property
    def told(self) -> str:
        """Where the price comes from, in words."""
        ...

    def usd(self, usage: Usage) -> float | None:
        """Return US dollars, None if tokens are not known."""
        ...


@dataclass(frozen=True, slots=True)
class Price:
    """A price as the user gives it, in US dollars per million tokens.

    Attributes:
        input: tokens sent.
        output: tokens received.
        cached: tokens sent that the provider read from its cache; None: as `input`.
        written: tokens sent that it wrote to its cache; None: as `input`.
        origin: where it comes from.
    """

    input: float
    output: float
    cached: float | None = None
    written: float | None = None
    origin: str = "as given"

    @property
    def told(self) -> str:
        """The price in words."""
        return f"{self.origin}: {self.input:g} in, {self.output:g} out, USD per million tokens"

    def usd(self, usage: Usage) -> float | None:
        """Return the price of usage in US dollars."""
        if usage.input_tokens is None or usage.output_tokens is None:
            return None
        cached, written = usage.cached_tokens or 0, usage.written_tokens or 0
        dear = self.input if self.written is None else self.written
        cheap = self.input if self.cached is None else self.cached
        plain = usage.input_tokens - cached - written
        return (
            plain * self.input + cached * cheap + written * dear + usage.output_tokens * self.output
        ) / 1e6

    @classmethod
    def parse(cls, text: str) -> Price:
        """Read "IN,OUT", "IN,OUT,CACHED" or "IN,OUT,CACHED,WRITTEN", for instance "0.15,0.60".

        Raises:
            UsageError: it is not two to four numbers from 0.
        """
        try:
            given = [float(part) for part in text.split(",")]
        except ValueError:
            given = []
        if not 2 <= len(given) <= 4 or not all(0 <= price < float("inf") for price in given):
            raise UsageError(
                f"{text!r} is no price.",
                hint="Write USD per million tokens: input, output and, if they differ, tokens read from and written to "
                "the provider's cache: 0.15,0.60 or 3,15,0.30,3.75",
            )
        cached, written = (*given[2:], None, None)[:2]
        return cls(given[0], given[1], cached, written)


@dataclass(frozen=True, slots=True)
class ListPrice:
    """The price that a provider lists for a model, as the package genai-prices knows it.

    It is nominal: discounts, batches and contracts are not in it.
    """

    provider: str
    name: str

    @property
    def told(self) -> str:
        """The origin of the price, with its date."""
        version = importlib.metadata.version("genai-prices")
        today = dt.datetime.now(dt.UTC).date()
        return f"nominal: list price of {today} by genai-prices {version}; --price overrides it"

    def usd(self, usage: Usage) -> float | None:
        """Return the price of usage in US dollars."""
        from genai_prices import Usage as Counts
        from genai_prices import calc_price

        if usage.input_tokens is None or usage.output_tokens is None:
            return None
        counts = Counts(
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cache_read_tokens=usage.cached_tokens or 0,
            cache_write_tokens=usage.written_tokens or 0,
        )
        return float(calc_price(counts, self.name, provider_id=self.provider).total_price)


def list_price(provider: str, name: str) -> ListPrice | None:
    """Return the listed price of a model, None if there is none."""
    from genai_prices import Usage as Counts
    from genai_prices import calc_price

    try:
        calc_price(Counts(input_tokens=1, output_tokens=1), name, provider_id=provider)
    except LookupError:
        return None
    return ListPrice(provider, name)


def at_most(price: Pricing, input_tokens: int, output_tokens: int) -> float | None:
    """Return what a call can cost at most: every token sent might also be written to the provider's cache."""
    plain = Usage(1, input_tokens, output_tokens)
    both = [price.usd(plain), price.usd(replace(plain, written_tokens=input_tokens))]
    return max((usd for usd in both if usd is not None), default=None)
